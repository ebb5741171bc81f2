#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::meta {

/// What a reader of YAML accepts.
struct YamlOptions {
  std::size_t max_bytes = 64 << 20;          ///< of the whole text
  std::size_t max_document_bytes = 8 << 20;  ///< of one document after its aliases are expanded
  std::size_t max_node_bytes = 3 << 19;      ///< of a scalar, or of what stands in one pair of [] or {}
  int max_depth = 256;
};

/// Reads YAML as Kubernetes does (YAML 1.1 to JSON): the documents of the text, empty ones left out.
///
/// Unquoted y/yes/on/true and n/no/off/false (in their three spellings) are booleans, `~`, null and nothing are null.
/// Integers may be decimal, 0x, 0o, 0b, or octal by a leading zero, with underscores; beyond int64 they become doubles.
/// A double that is a whole number becomes an integer, as on its way through JSON: 1.0 and 1e0 are 1. Dates stay text.
/// Keys that are numbers or booleans become their text. `<<` merges maps; as in kubectl the later of a merged and a
/// written key wins. Text that starts like JSON and is JSON is read as such.
///
/// Threads: safe from any thread.
/// Errors: duplicate keys, null or compound keys, infinities, tags that do not fit, an alias inside its own anchor,
/// control characters and the limits above; messages start with line:column.
/// Example:
///
///     auto documents = meta::parse_yaml("kind: Pod\n---\nkind: Node\n");
///     if (!documents) complain(documents.error());
///     show_the_user(meta::to_yaml(object, meta::YamlKeys::Sorted));
KUBEXX_EXPORT Result<std::vector<Object>> parse_yaml(std::string_view text, const YamlOptions& options = {});
/// Exactly one document, otherwise an Error.
KUBEXX_EXPORT Result<Object> parse_yaml_document(std::string_view text, const YamlOptions& options = {});
/// A literal of the program: one document, and the Error is thrown. For tests and constants.
KUBEXX_EXPORT Object object_from_yaml(std::string_view text);

/// In which order keys are written.
enum class YamlKeys {
  AsWritten,  ///< in the order of the object
  Sorted,     ///< as kubectl prints them: numbers inside names count as numbers
};

/// Block style, two spaces, strings quoted only where they would read as something else, long lines folded at 80
/// columns: the text that `kubectl -o yaml` prints (with YamlKeys::Sorted).
KUBEXX_EXPORT std::string to_yaml(Value value, YamlKeys keys = YamlKeys::AsWritten);
inline std::string to_yaml(const Object& object, YamlKeys keys = YamlKeys::AsWritten) {
  return to_yaml(object.root(), keys);
}

}  // namespace kubexx::meta
