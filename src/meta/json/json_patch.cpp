#include <stdexcept>

#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "meta/document/draft_node.hpp"
#include "meta/internal/json_pointer.hpp"
#include "meta/quote.hpp"

namespace kubexx::meta {
namespace {

// What one patch may ask for: each copy can double the document.
constexpr std::size_t kMaxOperations = 10'000;
constexpr std::size_t kMaxCopiedBytes = std::size_t{32} << 20;

class PatchWriter {
 public:
  void compare(Value before, Value after) {
    if (before.is_map() && after.is_map()) {
      for (const auto& [key, value] : before.entries()) {
        const Value now = after[key];
        if (!now.exists()) remove(key);
      }
      for (const auto& [key, value] : after.entries()) {
        const Value then = before[key];
        if (then.exists()) {
          descend(key, then, value);
        } else {
          add(key, value);
        }
      }
    } else if (before.is_list() && after.is_list()) {
      compare_lists(before, after);
    } else if (!(before == after)) {
      operation(before.exists() ? "replace" : "add", path_, &after);
    }
  }

  std::string take() { return out_ + "]"; }

 private:
  /// Equal elements at both ends stay; what is between them is replaced by position, then cut or filled up.
  void compare_lists(Value before, Value after) {
    std::size_t same_front = 0;
    const std::size_t shorter = std::min(before.size(), after.size());
    while (same_front < shorter && before[same_front] == after[same_front]) ++same_front;
    std::size_t same_back = 0;
    while (same_back < shorter - same_front &&
           before[before.size() - 1 - same_back] == after[after.size() - 1 - same_back]) {
      ++same_back;
    }
    const std::size_t old_end = before.size() - same_back;
    const std::size_t new_end = after.size() - same_back;
    const std::size_t both_end = std::min(old_end, new_end);
    for (std::size_t i = same_front; i < both_end; ++i) descend(std::to_string(i), before[i], after[i]);
    for (std::size_t i = old_end; i > new_end; --i) remove(std::to_string(i - 1));
    for (std::size_t i = both_end; i < new_end; ++i) add(std::to_string(i), after[i]);
  }

  void descend(std::string_view token, Value before, Value after) {
    const std::size_t size = path_.size();
    detail::append_token(path_, token);
    compare(before, after);
    path_.resize(size);
  }

  void remove(std::string_view token) {
    std::string path = path_;
    detail::append_token(path, token);
    operation("remove", path, nullptr);
  }

  void add(std::string_view token, Value value) {
    std::string path = path_;
    detail::append_token(path, token);
    operation("add", path, &value);
  }

  void operation(std::string_view op, std::string_view path, const Value* value) {
    if (out_.size() > 1) out_ += ',';
    out_ += "{\"op\":\"";
    out_ += op;
    out_ += "\",\"path\":";
    append_json_string(out_, path);
    if (value != nullptr) {
      out_ += ",\"value\":";
      append_json(out_, *value);
    }
    out_ += '}';
  }

  std::string out_ = "[";
  std::string path_;
};

/// RFC 6902 compares numbers by value, so 1 and 1.0 are the same.
bool same_value(Value a, Value b) noexcept {
  if (a.is_number() && b.is_number()) return a == b || (a.type() != b.type() && a.get_double() == b.get_double());
  if (a.is_list() && b.is_list()) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!same_value(a[i], b[i])) return false;
    }
    return true;
  }
  if (a.is_map() && b.is_map()) {
    if (a.size() != b.size()) return false;
    for (const auto& [key, value] : a.entries()) {
      if (!same_value(value, b[key])) return false;
    }
    return true;
  }
  return a == b;
}

class PatchApplier {
 public:
  explicit PatchApplier(Value target) : root_(store_.make(nullptr)) {
    ObjectBuilder builder;
    builder.copy(target);
    root_->borrow(detail::finish_or_throw(builder));
  }

  Result<void> apply(Value operation) {
    const auto op = operation["op"].get_string();
    const auto path = operation["path"].get_string();
    if (!operation.is_map() || !op) return Error::config("an operation needs a string \"op\"");
    if (!path) return Error::config("an operation needs a string \"path\"");
    const Value value = operation["value"];
    const bool needs_value = *op == "add" || *op == "replace" || *op == "test";
    if (needs_value && !value.exists()) return Error::config(std::string(*op) + " needs a \"value\"");
    if (*op == "add") return add(*path, value);
    if (*op == "remove") return remove(*path);
    if (*op == "replace") return replace(*path, value);
    if (*op == "test") return test(*path, value);
    if (*op == "move" || *op == "copy") {
      const auto from = operation["from"].get_string();
      if (!from) return Error::config(std::string(*op) + " needs a string \"from\"");
      return *op == "move" ? move(*from, *path) : copy(*from, *path);
    }
    return Error::config("unknown operation \"" + std::string(*op) + "\"");
  }

  Object take() const { return root_->freeze(); }

 private:
  using Node = detail::DraftNode;

  static Error missing(std::string_view path) {
    return Error::config("the path \"" + std::string(path) + "\" does not exist");
  }

  /// The place, which must exist.
  Result<Node*> find(std::string_view path) {
    Node* here = root_;
    if (!path.empty() && path.front() != '/') return Error::config(quote(path) + " is no JSON pointer");
    for (std::size_t start = 1; start <= path.size();) {
      const std::size_t end = std::min(path.find('/', start), path.size());
      const auto token = detail::unescape_token(path.substr(start, end - start));
      if (!token) return Error::config(quote(path) + " is no JSON pointer");
      if (here->type() == ValueType::List) {
        const auto index = detail::parse_index(*token);
        here = index ? here->element_at(*index) : nullptr;
      } else {
        here = here->type() == ValueType::Map ? here->find_member(*token) : nullptr;
      }
      if (here == nullptr || here->type() == ValueType::Absent) return missing(path);
      start = end + 1;
    }
    return here;
  }

  /// The place where a value is added: its parent must exist.
  Result<Node*> make_place(std::string_view path) {
    if (path.empty()) return root_;
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return Error::config(quote(path) + " is no JSON pointer");
    auto parent = find(path.substr(0, slash));
    if (!parent) return parent;
    const auto token = detail::unescape_token(path.substr(slash + 1));
    if (!token) return Error::config(quote(path) + " is no JSON pointer");
    if ((*parent)->type() == ValueType::Map) return (*parent)->member(*token);
    if ((*parent)->type() != ValueType::List) return missing(path);
    const std::size_t size = (*parent)->size();
    const auto index = *token == "-" ? size : detail::parse_index(*token);
    if (!index) return Error::config("\"" + *token + "\" is no index of a list");
    if (*index > size) {
      return Error::config("the index " + *token + " is beyond the end of a list of " + std::to_string(size));
    }
    return (*parent)->insert_element(*index);
  }

  Result<void> put(std::string_view path, Object value) {
    auto place = make_place(path);
    if (!place) return place.error();
    (*place)->borrow(std::move(value));
    return {};
  }

  static Object copy_of(Value value) {
    ObjectBuilder builder;
    builder.copy(value);
    return detail::finish_or_throw(builder);
  }

  Result<void> add(std::string_view path, Value value) { return put(path, copy_of(value)); }

  Result<void> remove(std::string_view path) {
    auto place = find(path);
    if (!place) return place.error();
    if (*place == root_) return Error::config("the whole document cannot be removed");
    (*place)->remove();
    return {};
  }

  Result<void> replace(std::string_view path, Value value) {
    auto place = find(path);
    if (!place) return place.error();
    (*place)->borrow(copy_of(value));
    return {};
  }

  Result<void> test(std::string_view path, Value value) {
    auto place = find(path);
    if (!place) return place.error();
    if (same_value((*place)->freeze().root(), value)) return {};
    return Error::config("the value at \"" + std::string(path) + "\" is not the expected one");
  }

  Result<void> move(std::string_view from, std::string_view path) {
    auto place = find(from);
    if (!place) return place.error();
    if (from == path) return {};
    if (path.starts_with(std::string(from) + "/")) {
      return Error::config(quote(from) + " cannot be moved into itself");
    }
    Object value = (*place)->freeze();
    (*place)->remove();
    return put(path, std::move(value));
  }

  Result<void> copy(std::string_view from, std::string_view path) {
    auto place = find(from);
    if (!place) return place.error();
    Object value = (*place)->freeze();
    copied_ += value.byte_size() + value.shared_bytes();
    if (copied_ > kMaxCopiedBytes) {
      return Error::config("the copies of this patch exceed " + std::to_string(kMaxCopiedBytes >> 20) + " MB");
    }
    return put(path, std::move(value));
  }

  detail::DraftStore store_;
  Node* root_;
  std::size_t copied_ = 0;
};

}  // namespace

std::string json_patch(Value before, Value after) {
  PatchWriter writer;
  writer.compare(before, after);
  return writer.take();
}

Result<Object> apply_json_patch(Value target, Value patch) {
  if (!patch.is_list()) return Error::config("a JSON patch is a list of operations");
  if (patch.size() > kMaxOperations) {
    return Error::config("a JSON patch may have " + std::to_string(kMaxOperations) + " operations, this one has " +
                         std::to_string(patch.size()));
  }
  try {
    PatchApplier applier(target);
    std::size_t position = 0;
    for (const Value operation : patch.items()) {
      if (auto applied = applier.apply(operation); !applied) {
        return applied.error().with_context("JSON patch operation " + std::to_string(position));
      }
      ++position;
    }
    return applier.take();
  } catch (const std::length_error& error) {
    return Error::config(error.what());
  }
}

}  // namespace kubexx::meta
