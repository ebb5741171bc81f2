#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <cmath>
#include <istream>
#include <optional>
#include <streambuf>
#include <unordered_map>
#include <utility>

#include "base/internal/base64.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/object_builder.hpp"
#include "kubexx/meta/yaml.hpp"
#include "meta/json/json_text.hpp"
#include "meta/quote.hpp"
#include "meta/yaml/yaml_scalar.hpp"
#include "meta/yaml/yaml_text.hpp"

namespace kubexx::meta {

namespace {

struct Position {
  std::uint32_t line = 0;  // from 0
  std::uint32_t column = 0;
};

Error error_at(Position position, std::string_view what) {
  return Error::decode("yaml: " + std::to_string(position.line + 1) + ":" + std::to_string(position.column + 1) + ": " +
                       std::string(what));
}

/// Carries an Error through yaml-cpp and out of recursions; never leaves this file.
struct Failure {
  Error error;
};

[[noreturn]] void fail(Position position, std::string_view what) {
  throw Failure{error_at(position, what)};
}

enum class NodeKind : std::uint8_t { Null, Scalar, Alias, List, Map };
enum class Tag : std::uint8_t { Plain, String, Int, Float, Bool, Null, Binary, Unsupported };

/// One document in the order of the text: a container's children follow it, up to `end`.
struct YamlNode {
  NodeKind kind = NodeKind::Null;
  Tag tag = Tag::Plain;
  Position position;
  std::uint32_t end = 0;    // index behind the last node inside; 0 while a container is open
  std::uint32_t begin = 0;  // of the text of a scalar; of an alias: the node it stands for
  std::uint32_t length = 0;
};

Tag tag_of(const std::string& tag) {
  constexpr std::string_view kPrefix = "tag:yaml.org,2002:";
  if (tag.empty() || tag == "?") return Tag::Plain;
  if (!tag.starts_with(kPrefix)) return Tag::String;  // "!" is quoted text; strangers' tags are text as well
  const auto name = std::string_view(tag).substr(kPrefix.size());
  if (name == "str" || name == "timestamp") return Tag::String;
  if (name == "int") return Tag::Int;
  if (name == "float") return Tag::Float;
  if (name == "bool") return Tag::Bool;
  if (name == "null") return Tag::Null;
  if (name == "binary") return Tag::Binary;
  if (name == "seq" || name == "map" || name == "merge") return Tag::Plain;
  return Tag::Unsupported;
}

/// Collects the events of one document.
class Collector final : public YAML::EventHandler {
 public:
  explicit Collector(const YamlOptions& options)
      : max_bytes_(options.max_document_bytes), max_depth_(static_cast<std::size_t>(options.max_depth)) {}

  const std::vector<YamlNode>& nodes() const { return nodes_; }
  const YAML::Mark& start() const { return start_; }
  std::size_t position() const { return position_; }  ///< in the text, of the latest event
  std::string_view text(const YamlNode& node) const { return std::string_view(texts_).substr(node.begin, node.length); }
  void clear() {
    nodes_.clear();
    texts_.clear();
    open_.clear();
    anchors_.clear();
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    start_ = mark;
    position_ = static_cast<std::size_t>(mark.pos);
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(NodeKind::Null, mark, anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode& node = add(NodeKind::Alias, mark, 0);
    const auto target = anchors_.find(anchor);
    if (target == anchors_.end()) fail(node.position, "an alias without its anchor");
    if (nodes_[target->second].end == 0) fail(node.position, "an anchor that contains itself");
    node.begin = target->second;
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode& node = add(NodeKind::Scalar, mark, anchor);
    node.tag = tag_of(tag);
    node.begin = static_cast<std::uint32_t>(texts_.size());
    append_repaired(value);
    node.length = static_cast<std::uint32_t>(texts_.size()) - node.begin;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(NodeKind::List, mark, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(NodeKind::Map, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  /// yaml-cpp turns the escapes \N and \_ into the bytes 0x85 and 0xa0 instead of the characters U+0085 and U+00A0.
  void append_repaired(std::string_view value) {
    for (auto bad = detail::find_invalid_utf8(value); bad != std::string_view::npos;
         bad = detail::find_invalid_utf8(value)) {
      texts_.append(value.substr(0, bad)).append(1, '\xc2').append(1, value[bad]);
      value.remove_prefix(bad + 1);
    }
    texts_ += value;
  }

  YamlNode& add(NodeKind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    const auto index = static_cast<std::uint32_t>(nodes_.size());
    if (anchor != 0) anchors_[anchor] = index;
    YamlNode& node = nodes_.emplace_back();
    node.kind = kind;
    node.position = {static_cast<std::uint32_t>(mark.line), static_cast<std::uint32_t>(mark.column)};
    node.end = index + 1;
    position_ = static_cast<std::size_t>(mark.pos);
    if (2 * nodes_.size() + texts_.size() > max_bytes_) {
      fail(node.position, "the document exceeds " + std::to_string(max_bytes_) + " bytes");
    }
    return node;
  }
  void open(NodeKind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    YamlNode& node = add(kind, mark, anchor);
    if (open_.size() >= max_depth_) fail(node.position, "nested deeper than " + std::to_string(max_depth_));
    node.end = 0;
    open_.push_back(static_cast<std::uint32_t>(nodes_.size() - 1));
  }
  void close() {
    nodes_[open_.back()].end = static_cast<std::uint32_t>(nodes_.size());
    open_.pop_back();
  }

  std::size_t max_bytes_;
  std::size_t max_depth_;
  YAML::Mark start_;
  std::size_t position_ = 0;
  std::vector<YamlNode> nodes_;
  std::string texts_;
  std::vector<std::uint32_t> open_;
  std::unordered_map<YAML::anchor_t, std::uint32_t> anchors_;
};

/// Writes a collected document into a builder. Every step that reads a node costs its size from one budget, so aliases
/// and merges cannot multiply the work.
class Writer {
 public:
  Writer(const Collector& source, const YamlOptions& options, ObjectBuilder& builder)
      : source_(source), nodes_(source.nodes()), options_(options), builder_(builder) {}

  void write() { write_node(0, 0); }

 private:
  struct Entry {
    std::string key;
    std::uint32_t value = 0;
    bool merged = false;
  };
  struct Entries {
    std::vector<Entry> list;
    std::unordered_map<std::string, std::size_t> index;
  };

  const YamlNode& charge(std::uint32_t index, std::size_t depth) {
    const YamlNode& node = nodes_[index];
    spent_ += 1 + node.length * (node.kind == NodeKind::Scalar ? 1 : 0);
    if (spent_ > options_.max_document_bytes) {
      fail(node.position, "the document exceeds " + std::to_string(options_.max_document_bytes) + " bytes");
    }
    if (depth > static_cast<std::size_t>(options_.max_depth)) {
      fail(node.position, "nested deeper than " + std::to_string(options_.max_depth));
    }
    return node;
  }

  std::uint32_t resolve_alias(std::uint32_t index) const {
    return nodes_[index].kind == NodeKind::Alias ? nodes_[index].begin : index;
  }

  void write_node(std::uint32_t index, std::size_t depth) {
    index = resolve_alias(index);
    const YamlNode& node = charge(index, depth);
    switch (node.kind) {
      case NodeKind::Null:
        return builder_.null();
      case NodeKind::Scalar:
        return write_scalar(node);
      case NodeKind::List:
        builder_.begin_list();
        for (auto child = index + 1; child < node.end; child = nodes_[child].end) write_node(child, depth + 1);
        return builder_.end_list();
      default:
        break;
    }
    Entries entries;
    collect(index, depth, entries);
    builder_.begin_map();
    for (const auto& entry : entries.list) {
      builder_.key(std::string_view(entry.key));
      write_node(entry.value, depth + 1);
    }
    builder_.end_map();
  }

  YamlScalar scalar_of(const YamlNode& node) const {
    if (node.kind == NodeKind::Null) return {YamlScalar::Kind::Null, false, 0, 0};
    if (node.tag == Tag::String || node.tag == Tag::Binary) return {};
    const auto text = source_.text(node);
    if (node.tag == Tag::Unsupported) fail(node.position, "this tag is not supported");
    auto scalar = resolve_yaml_scalar(text);
    const bool fits =
        node.tag == Tag::Plain || (node.tag == Tag::Int && scalar.kind == YamlScalar::Kind::Int) ||
        (node.tag == Tag::Bool && scalar.kind == YamlScalar::Kind::Bool) ||
        (node.tag == Tag::Null && scalar.kind == YamlScalar::Kind::Null) ||
        (node.tag == Tag::Float && (scalar.kind == YamlScalar::Kind::Double || scalar.kind == YamlScalar::Kind::Int));
    if (!fits) fail(node.position, "the value does not fit its tag");
    return scalar;
  }

  void write_scalar(const YamlNode& node) {
    auto scalar = scalar_of(node);
    if (scalar.kind == YamlScalar::Kind::Double) scalar = through_json(scalar.real);
    switch (scalar.kind) {
      case YamlScalar::Kind::Null:
        return builder_.null();
      case YamlScalar::Kind::Bool:
        return builder_.boolean(scalar.boolean);
      case YamlScalar::Kind::Int:
        return builder_.integer(scalar.integer);
      case YamlScalar::Kind::Double:
        if (!std::isfinite(scalar.real)) fail(node.position, "infinities and NaN have no place in an object");
        return builder_.real(scalar.real);
      case YamlScalar::Kind::String:
        return node.tag == Tag::Binary ? builder_.string(decoded(node)) : builder_.string(source_.text(node));
    }
  }

  std::string decoded(const YamlNode& node) const {
    auto bytes = base64_decode(source_.text(node));
    if (!bytes) fail(node.position, bytes.error().message());
    if (detail::find_invalid_utf8(*bytes) != std::string_view::npos)
      fail(node.position, "!!binary that is no UTF-8 text has no place in an object");
    return *std::move(bytes);
  }

  std::string key_of(const YamlNode& node) const {
    if (node.kind != NodeKind::Scalar && node.kind != NodeKind::Null) fail(node.position, "a key must be a scalar");
    const auto scalar = scalar_of(node);
    switch (scalar.kind) {
      case YamlScalar::Kind::Bool:
        return scalar.boolean ? "true" : "false";
      case YamlScalar::Kind::Int:
        return std::to_string(scalar.integer);
      case YamlScalar::Kind::Double:
        return format_yaml_key(scalar.real);
      case YamlScalar::Kind::String:
        return node.tag == Tag::Binary ? decoded(node) : std::string(source_.text(node));
      default:
        fail(node.position, "a key must not be null");
    }
  }

  bool is_merge(const YamlNode& key) const {
    return key.kind == NodeKind::Scalar && key.tag == Tag::Plain && source_.text(key) == "<<";
  }

  /// The entries of a map, merged ones included, in the order of the text.
  void collect(std::uint32_t map, std::size_t depth, Entries& entries) {
    for (auto child = map + 1; child < nodes_[map].end;) {
      const auto key_index = resolve_alias(child);
      const YamlNode& key = charge(key_index, depth);
      const auto value = nodes_[child].end;
      child = nodes_[value].end;
      if (is_merge(key)) {
        merge(value, depth, entries);
        continue;
      }
      Entry entry{key_of(key), value, false};
      const auto [at, is_new] = entries.index.try_emplace(entry.key, entries.list.size());
      if (is_new) {
        entries.list.push_back(std::move(entry));
      } else if (entries.list[at->second].merged) {
        entries.list[at->second] = std::move(entry);
      } else {
        fail(key.position, "key " + quote(entry.key) + " is already set in this map");
      }
    }
  }

  void merge(std::uint32_t value, std::size_t depth, Entries& entries) {
    const auto index = resolve_alias(value);
    const YamlNode& node = charge(index, depth);
    std::vector<std::uint32_t> sources;
    if (node.kind == NodeKind::Map) {
      sources.push_back(index);
    } else if (node.kind == NodeKind::List) {
      for (auto child = index + 1; child < node.end; child = nodes_[child].end) {
        sources.push_back(resolve_alias(child));
      }
    } else {
      fail(nodes_[value].position, "<< needs a map or a list of maps");
    }
    for (auto source = sources.rbegin(); source != sources.rend(); ++source) {  // the earlier ones win: last
      if (nodes_[*source].kind != NodeKind::Map) fail(nodes_[value].position, "<< needs a map or a list of maps");
      charge(*source, depth + 1);
      Entries merged;
      collect(*source, depth + 1, merged);
      for (auto& entry : merged.list) {
        entry.merged = true;
        const auto [at, is_new] = entries.index.try_emplace(entry.key, entries.list.size());
        if (is_new) {
          entries.list.push_back(std::move(entry));
        } else {
          entries.list[at->second].value = entry.value;
        }
      }
    }
  }

  const Collector& source_;
  const std::vector<YamlNode>& nodes_;
  const YamlOptions& options_;
  ObjectBuilder& builder_;
  std::size_t spent_ = 0;
};

/// A stream over memory that is not copied. yaml-cpp keeps a hundred bytes and more for each byte of a flow collection
/// until it closes, so the stream refuses to run too far ahead of what the collector has been told.
class ViewBuffer final : public std::streambuf {
 public:
  ViewBuffer(std::string_view text, const Collector& collector, std::size_t max_ahead)
      : text_(text), collector_(collector), max_ahead_(max_ahead) {}

 private:
  static constexpr std::size_t kWindow = 4096;

  int_type underflow() override {
    if (served_ >= text_.size()) return traits_type::eof();
    if (served_ > collector_.position() + max_ahead_) {
      throw Failure{Error::decode("yaml: a scalar, list or map exceeds " + std::to_string(max_ahead_) + " bytes")};
    }
    const auto window = text_.substr(served_, kWindow);
    auto* begin = const_cast<char*>(window.data());  // read only: no put area is set
    setg(begin, begin, begin + window.size());
    served_ += window.size();
    return traits_type::to_int_type(*begin);
  }

  std::string_view text_;
  const Collector& collector_;
  std::size_t max_ahead_;
  std::size_t served_ = 0;
};

std::optional<Object> try_json(std::string_view text, const YamlOptions& options) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return std::nullopt;
  DecodeOptions decode;
  decode.max_bytes = options.max_document_bytes;
  decode.max_depth = options.max_depth;
  decode.duplicates = DuplicateKeys::Reject;
  auto object = parse_json(text, decode);
  if (!object) return std::nullopt;
  return *std::move(object);
}

/// Whether a document may begin here, after others: at "---", or behind a line "...". yaml-cpp takes whatever a
/// document leaves over ("[1] ]") for the beginning of the next one, forever if nothing can be made of it.
bool may_begin_at(std::string_view text, std::size_t at) {
  if (at >= text.size() || text.substr(at).starts_with("---")) return true;
  text = text.substr(0, at);
  while (!text.empty()) {
    const auto line_begin = text.find_last_of("\r\n") + 1;  // 0 when there is none
    const auto line = text.substr(line_begin);
    if (line.starts_with("...")) return true;
    const auto first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && line[first] != '#' && line[first] != '%') return false;
    text = text.substr(0, line_begin == 0 ? 0 : line_begin - 1);
  }
  return false;
}

Result<std::vector<Object>> parse_documents(std::string_view text, const YamlOptions& options) {
  Collector collector(options);
  ViewBuffer buffer(text, collector, options.max_node_bytes);
  std::istream stream(&buffer);
  YAML::Parser parser(stream);
  ObjectBuilder builder;
  std::vector<Object> documents;
  for (bool first = true; parser.HandleNextDocument(collector); first = false) {
    const auto& start = collector.start();
    if (!first && !may_begin_at(text, static_cast<std::size_t>(start.pos))) {
      return error_at({static_cast<std::uint32_t>(start.line), static_cast<std::uint32_t>(start.column)},
                      "the document should have ended here");
    }
    if (!collector.nodes().empty() && collector.nodes()[0].kind != NodeKind::Null) {
      Writer(collector, options, builder).write();
      auto object = builder.finish();
      if (!object) return object.error();
      documents.push_back(*std::move(object));
    }
    collector.clear();
  }
  return documents;
}

}  // namespace

Result<std::vector<Object>> parse_yaml(std::string_view text, const YamlOptions& options) {
  if (text.size() > options.max_bytes) {
    return Error::decode("yaml: the text exceeds " + std::to_string(options.max_bytes) + " bytes");
  }
  if (auto object = try_json(text, options)) return std::vector<Object>{*std::move(object)};
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  if (const auto bad = find_bad_yaml_byte(text)) {
    return error_at({bad->line, bad->column}, bad->what);
  }
  try {
    return parse_documents(text, options);
  } catch (const Failure& failure) {
    return failure.error;
  } catch (const YAML::Exception& exception) {
    const auto& mark = exception.mark;
    if (mark.is_null()) return Error::decode("yaml: " + exception.msg);
    return error_at({static_cast<std::uint32_t>(mark.line), static_cast<std::uint32_t>(mark.column)}, exception.msg);
  } catch (const std::exception& exception) {
    return Error::decode(std::string("yaml: ") + exception.what());
  }
}

Result<Object> parse_yaml_document(std::string_view text, const YamlOptions& options) {
  auto documents = parse_yaml(text, options);
  if (!documents) return documents.error();
  if (documents->size() != 1) {
    return Error::decode("yaml: one document expected, found " + std::to_string(documents->size()));
  }
  return std::move(documents->front());
}

Object object_from_yaml(std::string_view text) {
  return parse_yaml_document(text).value();
}

}  // namespace kubexx::meta
