#include "meta/json/json_walker.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/internal/buffer.hpp"
#include "base/internal/text.hpp"
#include "meta/document/field_ids.hpp"
#include "meta/json/json_splitter.hpp"
#include "meta/json/json_text.hpp"

namespace kubexx::meta::detail {
namespace {

constexpr std::ptrdiff_t kSkippedOneByOne = 16;  // structural characters

}  // namespace

JsonWalker::Cursor JsonWalker::fail(std::size_t offset, const char* message) {
  fault_offset_ = offset;
  fault_ = message;
  return nullptr;
}

Error JsonWalker::failure() {
  writer_.clear();
  return Error::decode("json: byte " + std::to_string(fault_offset_) + ": " + fault_);
}

JsonWalker::Cursor JsonWalker::end_of_input() {
  return fail(size_, "unexpected end of input");
}

Result<void> JsonWalker::open(std::string_view json) {
  if (json.size() > options_.max_bytes) {
    return Error::decode("json: " + std::to_string(json.size()) + " bytes, more than the limit of " +
                         std::to_string(options_.max_bytes));
  }
  if (auto built = index_.build(json); !built) return built;
  text_ = json.data();
  size_ = json.size();
  end_ = index_.end();
  next_backslash_ = 0;
  max_depth_ = std::min(options_.max_depth, kMaxNesting);
  return {};
}

Result<Object> JsonWalker::decode(std::string_view json, const StreamSink* knower) {
  if (auto opened = open(json); !opened) return opened.error();
  const Cursor first = index_.begin();
  const char open = text_[*first];
  if (open == '{' || open == '[') {
    // With the closing bracket in last place nothing but a bracket can be the last character, which saves the question
    // for the end after every other one.
    if (text_[*(end_ - 1)] != (open == '{' ? '}' : ']')) return end_of_input(), failure();
  } else if (end_ - first != 1) {
    return fail(first[1], "unexpected character after the value"), failure();
  }
  if (knower != nullptr) {
    if (Object known = find_known(first, *knower)) return known;
  }
  begin_document(options_.projection);
  Word root = 0;
  const Cursor next = value(first, root, 0, options_.projection.tree());
  if (next == nullptr) return failure();
  if (next != end_) return fail(*next, "unexpected character after the value"), failure();
  return finish(root);
}

Result<Object> JsonWalker::finish(Word root) {
  empty_buffer(unescaped_);
  return writer_.finish(root);
}

void JsonWalker::begin_document(const Projection& projection) {
  const bool whole = projection.completeness() == Completeness::Full ||
                     projection.completeness() == Completeness::WithoutManagedFields;
  writer_.set_cut(projection.completeness(), whole ? std::string_view() : projection.name());
  path_ = 1;
}

void JsonWalker::expect(std::size_t piece_size) {
  writer_.sharing().expect_piece(piece_size);
}

Result<JsonWalker::Event> JsonWalker::decode_event(std::string_view json, const StreamSink* knower) {
  if (auto opened = open(json); !opened) return opened.error();
  Event event;
  Cursor object = nullptr;
  if (envelope(event, object) == nullptr) return failure();
  if (knower != nullptr && event.type == "ADDED") {
    event.object = find_known(object, *knower);
    if (event.object) return event;
  }
  // Bookmarks and errors say what no projection for the objects may cut.
  const bool cut = event.type == "ADDED" || event.type == "MODIFIED" || event.type == "DELETED";
  if (!cut) writer_.sharing().recognise_repeats(false);  // what came in bulk has come
  const Projection projection = cut ? options_.projection : Projection::full();
  begin_document(projection);
  Word root = 0;
  next_backslash_ = 0;
  if (value(object, root, 0, projection.tree()) == nullptr) return failure();
  auto decoded = finish(root);
  if (!decoded) return decoded.error();
  event.object = std::move(*decoded);
  return event;
}

/// Reads the type and finds the object.
JsonWalker::Cursor JsonWalker::envelope(Event& event, Cursor& object) {
  Cursor next = index_.begin();
  Span span;
  bool has_type = false;
  if (text_[*next] != '{') return fail(*next, "a watch event is not an object");
  if (text_[*(end_ - 1)] != '}') return end_of_input();
  ++next;
  for (std::uint32_t at = *next++; text_[at] != '}';) {
    if (text_[at] != '"') return fail(at, "expected a key");
    if (!string(at, next, span)) return nullptr;
    const std::string_view key(span.begin, span.size);
    const bool is_type = key == "type";
    if (key == "object") object = next + 1;
    if (text_[*next] != ':') return fail(*next, "expected ':'");
    ++next;
    if (is_type) {
      at = *next++;
      if (text_[at] != '"') return fail(at, "the type of an event is not a string");
      if (!string(at, next, span)) return nullptr;
      event.type.assign(span.begin, span.size);
      has_type = true;
    } else {
      next = skip(next);
      if (next == nullptr) return nullptr;
    }
    if (next == end_) return end_of_input();
    at = *next++;
    if (text_[at] == '}') break;
    if (text_[at] != ',') return fail(at, "expected ',' or '}'");
    at = *next++;
    if (text_[at] == '}') return fail(at, "expected a key");
  }
  if (next != end_) return fail(*next, "unexpected character after the value");
  if (!has_type) return fail(0, "a watch event without type");
  if (object == nullptr) return fail(0, "a watch event without object");
  return next;
}

inline JsonWalker::Cursor JsonWalker::value(Cursor next, Word& out, int depth, const Node* node) {
  const std::uint32_t at = *next++;
  const char first = text_[at];
  if (first == '"') {
    Span span;
    if (!string(at, next, span)) return nullptr;
    out = writer_.string(span.begin, span.size);
    return next;
  }
  if (first != '{' && first != '[') return scalar(next, out) ? next : nullptr;
  if (node == nullptr && writer_.sharing().recognises_repeats()) return part(next - 1, out, depth);
  return first == '{' ? map(next, out, depth + 1, node) : list(next, out, depth + 1, node);
}

/// A list or map that may have come before with the same bytes.
JsonWalker::Cursor JsonWalker::part(Cursor open, Word& out, int depth) {
  Sharing& sharing = writer_.sharing();
  const PartPlace place{.path = path_, .depth = depth};
  const auto source_up_to = [&](Cursor next) {
    return std::string_view(text_ + *open, *(next - 1) + std::size_t{1} - *open);
  };
  std::optional<Sharing::ReadWhole> whole;
  if (sharing.expects_repeat(place.path)) {
    const Cursor next = skip(open);
    if (next != nullptr) {  // else reading it says what is wrong
      if (const auto word = sharing.repeat(place, source_up_to(next))) {
        out = *word;
        return next;
      }
    }
    whole.emplace(sharing);
  }
  const Cursor next =
      text_[*open] == '{' ? map(open + 1, out, depth + 1, nullptr) : list(open + 1, out, depth + 1, nullptr);
  if (next != nullptr) sharing.note_part(place, source_up_to(next), out);
  return next;
}

JsonWalker::Cursor JsonWalker::map(Cursor next, Word& out, int depth, const Node* node) {
  const std::uint32_t open = *(next - 1);
  if (depth > max_depth_) return fail(open, "nested too deeply");
  const std::size_t first = writer_.mark();
  const std::uint32_t path = path_;
  std::uint32_t at = *next++;
  if (text_[at] != '}') {
    while (true) {
      if (text_[at] != '"') return fail(at, "expected a key");
      Span key;
      if (!string(at, next, key)) return nullptr;
      if (text_[*next] != ':') return fail(*next, "expected ':'");
      ++next;
      const Node* below = nullptr;
      bool keep = true;
      if (node != nullptr) {
        const Node::Choice choice = node->choose(std::string_view(key.begin, key.size));
        keep = choice.keep;
        below = choice.below;
      }
      if (keep) {
        const Key name = writer_.key(key.begin, key.size);
        Word word = 0;
        path_ = Habits::below(path, step_of(name));
        next = value(next, word, depth, below);
        writer_.push(name, word);
      } else {
        next = skip(next);
      }
      if (next == nullptr) return nullptr;
      if (next == end_) return end_of_input();
      at = *next++;
      if (text_[at] == '}') break;
      if (text_[at] != ',') return fail(at, "expected ',' or '}'");
      at = *next++;
    }
  }
  if (depth == 1) inject_defaults(first);
  out = writer_.close_map(first);
  if (writer_.has_duplicate() && options_.duplicates == DuplicateKeys::Reject) {
    fault_offset_ = open;
    fault_ = "the key \"" + writer_.duplicate() + "\" stands twice in a map";
    return nullptr;
  }
  return next;
}

JsonWalker::Cursor JsonWalker::list(Cursor next, Word& out, int depth, const Node* node) {
  if (depth > max_depth_) return fail(*(next - 1), "nested too deeply");
  const std::size_t first = writer_.mark();
  const std::uint32_t path = Habits::below(path_, kItemStep);
  if (text_[*next] == ']') {
    ++next;
  } else {
    while (true) {
      Word word = 0;
      path_ = path;
      next = value(next, word, depth, node);
      if (next == nullptr) return nullptr;
      writer_.push(0, word);
      if (next == end_) return end_of_input();
      const std::uint32_t at = *next++;
      if (text_[at] == ']') break;
      if (text_[at] != ',') return fail(at, "expected ',' or ']'");
    }
  }
  out = writer_.close_list(first);
  return next;
}

/// Numbers, true, false and null: `next` is behind them.
bool JsonWalker::scalar(Cursor next, Word& out) {
  const std::uint32_t at = *(next - 1);
  std::size_t end = next == end_ ? size_ : *next;
  while (end > at + std::size_t{1} && is_space(text_[end - 1])) --end;
  const std::string_view word(text_ + at, end - at);
  const char first = word.front();
  if (first == '-' || (first >= '0' && first <= '9')) return number(word, at, out);
  if (word == "true") {
    out = word_of(Tag::Bool, 1);
  } else if (word == "false") {
    out = word_of(Tag::Bool, 0);
  } else if (word == "null") {
    out = word_of(Tag::Null);
  } else {
    fail(at, first == 't' || first == 'f' || first == 'n' ? "unexpected word" : "unexpected character");
    return false;
  }
  return true;
}

bool JsonWalker::number(std::string_view word, std::size_t at, Word& out) {
  const JsonNumber number = parse_json_number(word);
  switch (number.kind) {
    case JsonNumber::Kind::Int:
      out = writer_.integer(number.integer);
      return true;
    case JsonNumber::Kind::Double:
      out = writer_.real(number.real);
      return true;
    case JsonNumber::Kind::OutOfRange:
      fail(at, "number out of range");
      return false;
    case JsonNumber::Kind::Malformed:
      break;
  }
  fail(at, "malformed number");
  return false;
}

bool JsonWalker::unescape(std::size_t begin, std::size_t end, Span& out) {
  const std::string_view json(text_, size_);
  if (next_backslash_ < begin) {
    next_backslash_ = std::min(json.find('\\', begin), size_);
    if (next_backslash_ >= end) return true;
  }
  unescaped_.clear();
  const std::size_t fault = unescape_json(json.substr(begin, end - begin), unescaped_);
  if (fault != std::string_view::npos) {
    fail(begin + fault, "invalid escape");
    return false;
  }
  out = {unescaped_.data(), unescaped_.size()};
  next_backslash_ = std::min(json.find('\\', end), size_);
  return true;
}

/// Passes over a value without reading it; its brackets must balance.
JsonWalker::Cursor JsonWalker::skip(Cursor next) {
  const char* const text = text_;
  const std::uint32_t at = *next++;
  const char open = text[at];
  if (open != '{' && open != '[') {
    if (open == '}' || open == ']' || open == ',' || open == ':') return fail(at, "unexpected character");
    return next;
  }
  const Cursor end = end_;
  std::size_t depth = 1;
  for (const Cursor soon = next + std::min<std::ptrdiff_t>(kSkippedOneByOne, end - next); depth > 0;) {
    if (next == soon) break;
    // Bit 5 is all that keeps '[' from '{' and ']' from '}'.
    const char c = text[*next++];
    depth += static_cast<std::size_t>((c | 0x20) == '{') - static_cast<std::size_t>((c | 0x20) == '}');
  }
  return depth == 0 ? next : skip_far(next, depth);
}

/// The rest of a large value: its text is looked at in blocks, and the index only for where it ends.
JsonWalker::Cursor JsonWalker::skip_far(Cursor next, std::size_t depth) {
  if (next == end_) return end_of_input();
  JsonSplitter splitter(JsonSplitter::Counts::AllBrackets);
  splitter.start(depth);
  const std::size_t size = splitter.scan(std::string_view(text_ + *next, size_ - *next));
  if (size == std::string_view::npos) return end_of_input();
  const auto close = static_cast<std::uint32_t>(*next + size - 1);
  std::ptrdiff_t step = 1;
  for (; step < end_ - next && next[step] < close; step *= 2) next += step;
  return std::lower_bound(next, next + std::min(step + 1, end_ - next), close) + 1;
}

void JsonWalker::inject_defaults(std::size_t first) {
  if (options_.default_api_version.empty() && options_.default_kind.empty()) return;
  std::size_t position = first;
  const bool partial =
      writer_.text_of(first, known_key(static_cast<std::uint32_t>(field::kKind))) == kPartialObjectMetadata;
  const auto inject = [&](NameId id, const std::string& text) {
    const Key key = known_key(static_cast<std::uint32_t>(id));
    if (text.empty()) return;
    if (!writer_.contains(first, key)) {
      writer_.insert(position++, key, writer_.string(text));
    } else if (partial) {
      writer_.replace(first, key, writer_.string(text));
    }
  };
  inject(field::kApiVersion, options_.default_api_version);
  inject(field::kKind, options_.default_kind);
}

}  // namespace kubexx::meta::detail
