#include "kubexx/meta/gvk.hpp"

#include <utility>

namespace kubexx::meta {

namespace {

std::string join_version(const std::string& group, const std::string& version) {
  return group.empty() ? version : group + "/" + version;
}

std::string join_group(const std::string& name, const std::string& group) {
  return group.empty() ? name : name + "." + group;
}

/// Cuts "name.group" at its first dot; without one the group is empty.
std::pair<std::string, std::string> split_group(std::string_view text) {
  const auto dot = text.find('.');
  if (dot == std::string_view::npos) return {std::string(text), {}};
  return {std::string(text.substr(0, dot)), std::string(text.substr(dot + 1))};
}

}  // namespace

std::string GroupVersion::to_string() const {
  return join_version(group, version);
}

Result<GroupVersion> GroupVersion::parse(std::string_view api_version) {
  if (api_version.empty() || api_version == "/") return GroupVersion{};
  const auto slash = api_version.find('/');
  if (slash == std::string_view::npos) return GroupVersion{"", std::string(api_version)};
  if (api_version.find('/', slash + 1) != std::string_view::npos) {
    return Error::decode("apiVersion \"" + std::string(api_version.substr(0, 200)) + "\" has more than one '/'");
  }
  return GroupVersion{std::string(api_version.substr(0, slash)), std::string(api_version.substr(slash + 1))};
}

std::string GroupKind::to_string() const {
  return join_group(kind, group);
}

GroupKind GroupKind::parse(std::string_view text) {
  auto [name, group] = split_group(text);
  return {std::move(group), std::move(name)};
}

std::string GroupResource::to_string() const {
  return join_group(resource, group);
}

GroupResource GroupResource::parse(std::string_view text) {
  auto [name, group] = split_group(text);
  return {std::move(group), std::move(name)};
}

std::string GroupVersionKind::api_version() const {
  return join_version(group, version);
}

std::string GroupVersionKind::to_string() const {
  return group + "/" + version + ", Kind=" + kind;
}

Result<GroupVersionKind> GroupVersionKind::parse(std::string_view api_version, std::string_view kind) {
  auto parsed = GroupVersion::parse(api_version);
  if (!parsed) return parsed.error();
  return GroupVersionKind{std::move(parsed->group), std::move(parsed->version), std::string(kind)};
}

std::string GroupVersionResource::api_version() const {
  return join_version(group, version);
}

std::string GroupVersionResource::to_string() const {
  return group + "/" + version + ", Resource=" + resource;
}

}  // namespace kubexx::meta
