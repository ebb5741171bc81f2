#include "meta/document/draft_node.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace kubexx::meta::detail {
namespace {

constexpr std::size_t kFewMembers = 32;  // looked through one by one

static_assert(static_cast<ValueType>(DraftNode::Kind::Absent) == ValueType::Absent &&
              static_cast<ValueType>(DraftNode::Kind::Map) == ValueType::Map);

}  // namespace

ValueType DraftNode::type() const noexcept {
  return kind == Kind::Borrowed ? borrowed.type() : static_cast<ValueType>(kind);
}

std::size_t DraftNode::size() const noexcept {
  if (kind == Kind::Borrowed) return borrowed.size();
  if (kind == Kind::List) return elements.size();
  if (kind != Kind::Map) return 0;
  return static_cast<std::size_t>(
      std::count_if(members.begin(), members.end(), [](const DraftNode* node) { return node->kind != Kind::Absent; }));
}

void DraftNode::expand() {
  if (kind != Kind::Borrowed) return;
  const auto adopt = [this](Value value) {
    DraftNode* child = store->make(this);
    child->kind = Kind::Borrowed;
    child->borrowed = value;
    return child;
  };
  if (borrowed.is_map()) {
    kind = Kind::Map;
    members.reserve(borrowed.size());
    for (const auto& [name, value] : borrowed.entries()) {
      DraftNode* child = adopt(value);
      child->key = name;
      add_member(child);
    }
  } else if (borrowed.is_list()) {
    kind = Kind::List;
    elements.reserve(borrowed.size());
    for (const Value value : borrowed.items()) {
      elements.push_back(adopt(value));
      elements.back()->element = true;
    }
  }
}

void DraftNode::add_member(DraftNode* node) {
  members.push_back(node);
  if (by_key) {
    by_key->emplace(node->key, node);
  } else if (members.size() > kFewMembers) {
    by_key = std::make_unique<std::unordered_map<std::string_view, DraftNode*>>();
    for (DraftNode* each : members) by_key->emplace(each->key, each);
  }
}

DraftNode* DraftNode::find_member(std::string_view name) {
  expand();
  if (by_key) {
    const auto found = by_key->find(name);
    return found == by_key->end() ? nullptr : found->second;
  }
  const auto found =
      std::find_if(members.begin(), members.end(), [name](const DraftNode* node) { return node->key == name; });
  return found == members.end() ? nullptr : *found;
}

DraftNode* DraftNode::member(std::string_view name) {
  if (DraftNode* found = find_member(name)) return found;
  DraftNode* made = store->make(this);
  made->key = store->keep(name);
  add_member(made);
  return made;
}

DraftNode* DraftNode::element_at(std::size_t index) {
  expand();
  return index < elements.size() ? elements[index] : nullptr;
}

DraftNode* DraftNode::new_element() {
  expand();
  DraftNode* made = store->make(this);
  made->element = true;
  made->pending = true;
  return made;
}

DraftNode* DraftNode::insert_element(std::size_t index) {
  expand();
  DraftNode* made = store->make(this);
  made->element = true;
  elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(index), made);
  return made;
}

/// Drops the contents: members stay as places without a value, elements are gone.
void DraftNode::forget() {
  for (DraftNode* node : members) {
    node->forget();
    node->kind = Kind::Absent;
  }
  for (DraftNode* node : elements) node->parent = nullptr;
  elements.clear();
  borrowed = {};
  text.clear();
}

void DraftNode::attach() {
  for (DraftNode* node = this; node->parent != nullptr; node = node->parent) {
    DraftNode& above = *node->parent;
    const Kind needed = node->element ? Kind::List : Kind::Map;
    above.expand();
    const bool was_absent = above.kind == Kind::Absent;
    if (above.kind != needed) {
      if (needed == Kind::List) {
        above.forget();
      } else {
        for (DraftNode* other : above.elements) other->parent = nullptr;
        above.elements.clear();
      }
      above.kind = needed;
    }
    if (node->pending) {
      node->pending = false;
      above.elements.push_back(node);
    } else if (!node->element && above.members.back() != node) {
      // A key that appears now is the last one.
      std::erase(above.members, node);
      above.members.push_back(node);
    }
    if (!was_absent) break;
  }
}

void DraftNode::become(Kind new_kind) {
  const bool appears = kind == Kind::Absent;
  forget();
  kind = new_kind;
  if (appears && new_kind != Kind::Absent) attach();
}

void DraftNode::borrow(Object object) {
  become(Kind::Borrowed);
  borrowed = object.root();
  store->documents.push_back(std::move(object));
}

void DraftNode::remove() {
  if (element && parent != nullptr) {
    // From the back: whoever removes many begins there, so that those before keep their places.
    std::vector<DraftNode*>& list = parent->elements;
    const auto found = std::find(list.rbegin(), list.rend(), this);
    if (found != list.rend()) list.erase(std::next(found).base());
    parent = nullptr;
  }
  become(Kind::Absent);
}

void DraftNode::write(ObjectBuilder& builder) const {
  switch (kind) {
    case Kind::Absent:
    case Kind::Null:
      builder.null();
      return;
    case Kind::Borrowed:
      builder.copy(borrowed);
      return;
    case Kind::Bool:
      builder.boolean(flag);
      return;
    case Kind::Int:
      builder.integer(integer);
      return;
    case Kind::Double:
      builder.real(real);
      return;
    case Kind::String:
      builder.string(text);
      return;
    case Kind::List:
      builder.begin_list();
      for (const DraftNode* node : elements) node->write(builder);
      builder.end_list();
      return;
    case Kind::Map:
      builder.begin_map();
      for (const DraftNode* node : members) {
        if (node->kind == Kind::Absent) continue;
        builder.key(node->key);
        node->write(builder);
      }
      builder.end_map();
      return;
  }
}

Object DraftNode::freeze() const {
  if (kind == Kind::Absent) return {};
  ObjectBuilder builder;
  write(builder);
  return finish_or_throw(builder);
}

Object finish_or_throw(ObjectBuilder& builder) {
  auto object = builder.finish();
  if (!object) throw std::length_error(object.error().message());
  return std::move(*object);
}

}  // namespace kubexx::meta::detail
