#include "informer/cache_identity.hpp"

#include <array>
#include <utility>

#include "base/internal/text.hpp"
#include "informer/cache_directory.hpp"
#include "informer/scope.hpp"
#include "kubexx/base/detail/hash.hpp"
#include "kubexx/base/version.hpp"

namespace kubexx::informer {
namespace {

constexpr std::size_t kLongestReadable = 80;  // of the part of a name that is for people

/// One line, whatever the value is.
std::string line(std::string_view word, std::string_view value) {
  std::string text(word);
  text += ' ';
  for (const char c : value) c == '\n' ? text += "\\n" : c == '\\' ? text += "\\\\" : text += c;
  return text + '\n';
}

std::string hex(std::uint64_t number) {
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[number >> shift & 15];
  return digits;
}

std::string name_prefix(const std::string& resource) {
  std::string name;
  for (const char c : resource.substr(0, kLongestReadable)) {
    const bool plain = (c >= 'a' && c <= 'z') || is_digit(c) || (c == '.' && !name.empty());
    name += plain ? c : '_';
  }
  return name + "-";
}

bool has_functions(const InformerOptions& options) {
  const bool of_reflector = options.reflector && options.reflector->admit;
  return options.admit || options.transform || options.key_func || options.tweak_list_options || of_reflector;
}

}  // namespace

Result<CacheIdentity> cache_identity(const InformerOptions& options, const Scope& scope) {
  if (options.cluster.configured.empty()) return Error::config("it is not known which cluster the objects are of");
  if (options.resource.resource.empty()) return Error::config("it is not known which resource the objects are of");
  if (has_functions(options) && options.cache_tag.empty()) {
    return Error::config("the functions that change or choose its objects have no cache_tag");
  }
  if (options.resource.group.empty() && options.resource.resource == "secrets" &&
      !options.cache_secrets.value_or(false)) {
    return Error::config("Secrets are not written unless cache_secrets says so");
  }
  const WholeScope whole(scope);
  const std::string what = line("resource", options.resource.to_string()) +
                           line("namespaces", joined(whole.namespaces)) + line("labels", whole.label_selector) +
                           line("fields", whole.field_selector) + line("projection", whole.projection.name()) +
                           line("metadata_only", whole.metadata_only ? "yes" : "no");
  const std::string kind = options.expected_kind ? options.expected_kind->to_string() : "any";
  const std::string prefix = name_prefix(options.resource.group_resource().to_string());
  // The hash tells names apart that become the same here.
  return CacheIdentity{prefix, prefix + hex(kubexx::detail::hash_bytes(what, 0)) + std::string(kCacheFileSuffix),
                       line("cluster", options.cluster.configured) + what + line("kind", kind) +
                           line("tag", options.cache_tag) +
                           line("schema", std::string(kVersion) + " of " + std::string(kKubernetesVersion))};
}

}  // namespace kubexx::informer
