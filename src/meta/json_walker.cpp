#include "meta/json_walker.hpp"

#include <algorithm>
#include <cstring>

#include "meta/field_ids.hpp"
#include "meta/json_text.hpp"

namespace kubexx::meta::detail {
namespace {

bool is_space(char c) noexcept {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

bool JsonWalker::fail(std::size_t offset, const char* message) noexcept {
  fault_offset_ = offset;
  fault_ = message;
  return false;
}

Result<Object> JsonWalker::failure() {
  writer_.clear();
  return Error::decode("json: byte " + std::to_string(fault_offset_) + ": " + fault_);
}

Result<void> JsonWalker::open(std::string_view json) {
  if (json.size() > options_.max_bytes) {
    return Error::decode("json: " + std::to_string(json.size()) + " bytes, more than the limit of " +
                         std::to_string(options_.max_bytes));
  }
  if (json.empty()) return Error::decode("json: byte 0: empty input");
  if (auto built = index_.build(json); !built) return built;
  json_ = json;
  next_ = index_.begin();
  end_ = index_.end();
  next_backslash_ = 0;
  return {};
}

Result<Object> JsonWalker::decode(std::string_view json) {
  if (auto opened = open(json); !opened) return opened.error();
  const std::uint32_t first = *next_;
  const char open = json_[first];
  if (open == '{' || open == '[') {
    // With the closing bracket in last place only a bracket can be followed by nothing, which saves a check at every
    // other character.
    const std::uint32_t last = *(end_ - 1);
    if (json_[last] != (open == '{' ? '}' : ']')) {
      fail(json_.size(), "unexpected end of input");
      return failure();
    }
  } else if (end_ - next_ != 1) {
    fail(next_[1], "unexpected character after the value");
    return failure();
  }
  auto object = root_object(options_.projection);
  if (object && next_ != end_) {
    fail(*next_, "unexpected character after the value");
    return failure();
  }
  return object;
}

Result<Object> JsonWalker::root_object(const Projection& projection) {
  Word root = 0;
  if (!value(*next_++, root, 0, projection.tree())) return failure();
  const bool whole = projection.completeness() == Completeness::Full ||
                     projection.completeness() == Completeness::WithoutManagedFields;
  writer_.set_cut(projection.completeness(), whole ? std::string_view() : projection.name());
  return writer_.finish(root);
}

Result<JsonWalker::Event> JsonWalker::decode_event(std::string_view json) {
  if (auto opened = open(json); !opened) return opened.error();
  Event event;
  const std::uint32_t* object = nullptr;
  if (!envelope(event, object)) return failure().error();
  // Bookmarks and errors say what no projection for the objects may cut.
  const bool cut = event.type == "ADDED" || event.type == "MODIFIED" || event.type == "DELETED";
  next_ = object;
  next_backslash_ = 0;
  auto decoded = root_object(cut ? options_.projection : Projection::full());
  if (!decoded) return decoded.error();
  event.object = std::move(*decoded);
  return event;
}

/// Reads the type and finds the object.
bool JsonWalker::envelope(Event& event, const std::uint32_t*& object) {
  const char* begin = nullptr;
  std::size_t size = 0;
  bool has_type = false;
  if (json_[*next_] != '{') return fail(*next_, "a watch event is not an object");
  if (json_[*(end_ - 1)] != '}') return fail(json_.size(), "unexpected end of input");
  ++next_;
  for (std::uint32_t at = *next_++; json_[at] != '}';) {
    if (json_[at] != '"') return fail(at, "expected a key");
    if (!text(at, begin, size)) return false;
    const std::string_view key(begin, size);
    const bool is_type = key == "type";
    if (key == "object") object = next_ + 1;
    const std::uint32_t colon = *next_++;
    if (json_[colon] != ':') return fail(colon, "expected ':'");
    if (next_ == end_) return fail(json_.size(), "unexpected end of input");
    at = *next_++;
    if (is_type) {
      if (json_[at] != '"') return fail(at, "the type of an event is not a string");
      if (!text(at, begin, size)) return false;
      event.type.assign(begin, size);
      has_type = true;
    } else if (!skip(at)) {
      return false;
    }
    if (next_ == end_) return fail(json_.size(), "unexpected end of input");
    at = *next_++;
    if (json_[at] == '}') break;
    if (json_[at] != ',') return fail(at, "expected ',' or '}'");
    if (next_ == end_) return fail(json_.size(), "unexpected end of input");
    at = *next_++;
    if (json_[at] == '}') return fail(at, "expected a key");
  }
  if (next_ != end_) return fail(*next_, "unexpected character after the value");
  if (!has_type) return fail(0, "a watch event without type");
  if (object == nullptr) return fail(0, "a watch event without object");
  return true;
}

bool JsonWalker::value(std::uint32_t at, Word& out, int depth, const Node* node) {
  switch (json_[at]) {
    case '"': {
      const char* begin = nullptr;
      std::size_t size = 0;
      if (!text(at, begin, size)) return false;
      out = writer_.string(begin, size);
      return true;
    }
    case '{':
      return map(out, depth + 1, node, at);
    case '[':
      return list(out, depth + 1, node);
    case 't':
      out = word_of(Tag::Bool, 1);
      return literal(at, "true");
    case 'f':
      out = word_of(Tag::Bool, 0);
      return literal(at, "false");
    case 'n':
      out = word_of(Tag::Null);
      return literal(at, "null");
    default:
      return number(at, out);
  }
}

bool JsonWalker::map(Word& out, int depth, const Node* node, std::uint32_t open) {
  if (depth > options_.max_depth || depth > kMaxNesting) return fail(open, "nested too deeply");
  const std::size_t first = writer_.mark();
  if (next_ == end_) return fail(json_.size(), "unexpected end of input");
  std::uint32_t at = *next_++;
  if (json_[at] != '}') {
    while (true) {
      if (json_[at] != '"') return fail(at, "expected a key");
      const char* begin = nullptr;
      std::size_t size = 0;
      if (!text(at, begin, size)) return false;
      const std::uint32_t colon = *next_++;
      if (json_[colon] != ':') return fail(colon, "expected ':'");
      if (next_ == end_) return fail(json_.size(), "unexpected end of input");
      at = *next_++;
      if (node != nullptr) {
        const Node::Choice choice = node->choose(std::string_view(begin, size));
        if (!choice.keep) {
          if (!skip(at)) return false;
        } else {
          const Key key = writer_.key(begin, size);
          Word word = 0;
          if (!value(at, word, depth, choice.below)) return false;
          writer_.push(key, word);
        }
      } else {
        const Key key = writer_.key(begin, size);
        Word word = 0;
        if (!value(at, word, depth, nullptr)) return false;
        writer_.push(key, word);
      }
      if (next_ == end_) return fail(json_.size(), "unexpected end of input");
      at = *next_++;
      if (json_[at] == '}') break;
      if (json_[at] != ',') return fail(at, "expected ',' or '}'");
      if (next_ == end_) return fail(json_.size(), "unexpected end of input");
      at = *next_++;
    }
  }
  if (depth == 1) inject_defaults(first);
  out = writer_.close_map(first);
  if (writer_.has_duplicate() && options_.duplicates == DuplicateKeys::Reject) {
    fault_offset_ = open;
    fault_ = "the key \"" + writer_.duplicate() + "\" stands twice in a map";
    return false;
  }
  return true;
}

bool JsonWalker::list(Word& out, int depth, const Node* node) {
  if (depth > options_.max_depth || depth > kMaxNesting) return fail(*(next_ - 1), "nested too deeply");
  const std::size_t first = writer_.mark();
  if (next_ == end_) return fail(json_.size(), "unexpected end of input");
  std::uint32_t at = *next_++;
  if (json_[at] != ']') {
    while (true) {
      Word word = 0;
      if (!value(at, word, depth, node)) return false;
      writer_.push(0, word);
      if (next_ == end_) return fail(json_.size(), "unexpected end of input");
      at = *next_++;
      if (json_[at] == ']') break;
      if (json_[at] != ',') return fail(at, "expected ',' or ']'");
      if (next_ == end_) return fail(json_.size(), "unexpected end of input");
      at = *next_++;
    }
  }
  out = writer_.close_list(first);
  return true;
}

std::size_t JsonWalker::scalar_end(std::uint32_t at) const noexcept {
  std::size_t end = next_ == end_ ? json_.size() : *next_;
  while (end > at + 1U && is_space(json_[end - 1])) --end;
  return end;
}

bool JsonWalker::number(std::uint32_t at, Word& out) {
  const char c = json_[at];
  if (c != '-' && (c < '0' || c > '9')) return fail(at, "unexpected character");
  const JsonNumber number = parse_json_number(json_.substr(at, scalar_end(at) - at));
  switch (number.kind) {
    case JsonNumber::Kind::Int:
      out = writer_.integer(number.integer);
      return true;
    case JsonNumber::Kind::Double:
      out = writer_.real(number.real);
      return true;
    case JsonNumber::Kind::OutOfRange:
      return fail(at, "number out of range");
    case JsonNumber::Kind::Malformed:
      break;
  }
  return fail(at, "malformed number");
}

bool JsonWalker::literal(std::uint32_t at, std::string_view text) noexcept {
  return json_.substr(at, scalar_end(at) - at) == text || fail(at, "unexpected word");
}

/// The inside of the string that opens at `at`. Between its closing quote and the next structural character there is
/// only white space, so the end is found from behind.
bool JsonWalker::text(std::uint32_t at, const char*& begin, std::size_t& size) {
  std::size_t close = (next_ == end_ ? json_.size() : *next_) - 1;
  while (json_[close] != '"') --close;
  if (close <= at) return fail(at, "unterminated string");
  begin = json_.data() + at + 1;
  size = close - at - 1;
  if (next_backslash_ >= close) return true;
  return unescape(at + 1, close, begin, size);
}

bool JsonWalker::unescape(std::size_t begin, std::size_t end, const char*& out, std::size_t& size) {
  if (next_backslash_ < begin) {
    next_backslash_ = std::min(json_.find('\\', begin), json_.size());
    if (next_backslash_ >= end) return true;
  }
  unescaped_.clear();
  const std::size_t fault = unescape_json(json_.substr(begin, end - begin), unescaped_);
  if (fault != std::string_view::npos) return fail(begin + fault, "invalid escape");
  out = unescaped_.data();
  size = unescaped_.size();
  next_backslash_ = std::min(json_.find('\\', end), json_.size());
  return true;
}

/// Passes over a value without reading it; its brackets must balance.
bool JsonWalker::skip(std::uint32_t at) {
  const char open = json_[at];
  if (open != '{' && open != '[') {
    if (open == '}' || open == ']' || open == ',' || open == ':') return fail(at, "unexpected character");
    return true;
  }
  for (std::size_t depth = 1; depth > 0;) {
    if (next_ == end_) return fail(json_.size(), "unexpected end of input");
    const char c = json_[*next_++];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
  }
  return true;
}

void JsonWalker::inject_defaults(std::size_t first) {
  std::size_t position = first;
  const auto inject = [&](NameId id, const std::string& text) {
    const Key key = known_key(static_cast<std::uint32_t>(id));
    if (text.empty() || writer_.contains(first, key)) return;
    writer_.insert(position++, key, writer_.string(text));
  };
  inject(field::kApiVersion, options_.default_api_version);
  inject(field::kKind, options_.default_kind);
}

}  // namespace kubexx::meta::detail
