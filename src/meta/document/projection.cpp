#include "meta/internal/projection.hpp"

#include <algorithm>

namespace kubexx::meta {

struct KUBEXX_HIDDEN Projection::Data {
  std::string name;
  Completeness completeness = Completeness::Full;
  std::unique_ptr<Node> tree;
};

namespace {

using Node = Projection::Node;

Node::Field& field_of(Node& node, std::string_view name) {
  const auto found = std::find_if(node.fields.begin(), node.fields.end(),
                                  [&](const Node::Field& field) { return field.name == name; });
  if (found != node.fields.end()) return *found;
  Node::Field field;
  field.name = name;
  field.id = find_name(name);
  return node.fields.emplace_back(std::move(field));
}

std::unique_ptr<Node> all_but_managed_fields() {
  auto node = std::make_unique<Node>();
  node->keep_others = true;
  field_of(*node, "managedFields").keep = false;
  return node;
}

std::unique_ptr<Node> metadata_tree() {
  auto node = std::make_unique<Node>();
  for (const char* name : {"apiVersion", "kind", "metadata"}) field_of(*node, name);
  return node;
}

/// Marks the path as kept; a shorter path that is already kept contains it.
void keep_path(Node& root, std::string_view path) {
  Node* node = &root;
  while (true) {
    const std::size_t dot = path.find('.');
    const bool known = std::any_of(node->fields.begin(), node->fields.end(),
                                   [&](const Node::Field& field) { return field.name == path.substr(0, dot); });
    Node::Field& field = field_of(*node, path.substr(0, dot));
    if (dot == std::string_view::npos) {
      field.below.reset();
      return;
    }
    if (known && !field.below) return;
    if (!field.below) field.below = std::make_unique<Node>();
    node = field.below.get();
    path.remove_prefix(dot + 1);
  }
}

}  // namespace

Projection::Projection() : Projection(without_managed_fields()) {}

Projection::Projection(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

Projection Projection::full() {
  static const auto data = std::make_shared<Data>(Data{"full", Completeness::Full, nullptr});
  return Projection(data);
}

Projection Projection::without_managed_fields() {
  static const auto data = [] {
    auto tree = std::make_unique<Node>();
    tree->keep_others = true;
    field_of(*tree, "metadata").below = all_but_managed_fields();
    return std::make_shared<Data>(Data{"without managedFields", Completeness::WithoutManagedFields, std::move(tree)});
  }();
  return Projection(data);
}

Projection Projection::metadata_only() {
  static const auto data = [] {
    auto tree = metadata_tree();
    field_of(*tree, "metadata").below = all_but_managed_fields();
    return std::make_shared<Data>(Data{"metadata only", Completeness::MetadataOnly, std::move(tree)});
  }();
  return Projection(data);
}

Projection Projection::of_metadata() const {
  static const auto with_managed_fields =
      std::make_shared<Data>(Data{"metadata only, with managedFields", Completeness::MetadataOnly, metadata_tree()});
  if (completeness() == Completeness::Full) return Projection(with_managed_fields);
  return completeness() == Completeness::WithoutManagedFields ? metadata_only() : *this;
}

Result<Projection> Projection::paths(std::vector<std::string> paths) {
  auto data = std::make_shared<Data>();
  data->completeness = Completeness::SelectedPaths;
  data->tree = std::make_unique<Node>();
  for (const char* always :
       {"apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.uid", "metadata.resourceVersion"}) {
    keep_path(*data->tree, always);
  }
  bool managed_fields = false;
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    if (path.empty() || path.front() == '.' || path.back() == '.' || path.find("..") != std::string::npos) {
      return Error::config("projection: \"" + path + "\" is not a field path like spec.nodeName");
    }
    if (path.find_first_of("[]/ ") != std::string::npos) {
      return Error::config("projection: \"" + path +
                           "\": a field path has names and dots only; lists are passed through");
    }
    keep_path(*data->tree, path);
    managed_fields |= path.starts_with("metadata.managedFields");
    data->name += (data->name.empty() ? "paths " : ", ") + path;
  }
  if (data->name.empty()) data->name = "paths";
  if (Node::Field& metadata = field_of(*data->tree, "metadata"); !metadata.below && !managed_fields) {
    metadata.below = all_but_managed_fields();
  }
  return Projection(std::move(data));
}

std::string_view Projection::name() const noexcept {
  return data_->name;
}

Completeness Projection::completeness() const noexcept {
  return data_->completeness;
}

bool Projection::drops_managed_fields() const noexcept {
  if (!data_->tree) return false;
  const auto metadata = data_->tree->choose("metadata");
  return !metadata.keep || (metadata.below && !metadata.below->choose("managedFields").keep);
}

const Projection::Node* Projection::tree() const noexcept {
  return data_->tree.get();
}

bool operator==(const Projection& a, const Projection& b) noexcept {
  return a.data_ == b.data_ || (a.data_->completeness == b.data_->completeness && a.data_->name == b.data_->name);
}

}  // namespace kubexx::meta
