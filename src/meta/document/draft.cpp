#include "kubexx/meta/draft.hpp"

#include <cmath>

#include "meta/document/draft_node.hpp"
#include "meta/document/layout.hpp"
#include "meta/internal/json_pointer.hpp"

namespace kubexx::meta {

using Kind = detail::DraftNode::Kind;

ValueType DraftRef::type() const noexcept {
  return node_ == nullptr ? ValueType::Absent : node_->type();
}

DraftRef DraftRef::operator[](std::string_view key) const {
  return node_ == nullptr ? DraftRef() : DraftRef(node_->member(key));
}

DraftRef DraftRef::operator[](NameId key) const {
  return (*this)[name_text(key)];
}

DraftRef DraftRef::operator[](std::size_t index) const {
  return node_ == nullptr ? DraftRef() : DraftRef(node_->element_at(index));
}

DraftRef DraftRef::at(std::string_view json_pointer) const {
  if (json_pointer.empty()) return *this;
  if (json_pointer.front() != '/') return {};
  DraftRef here = *this;
  for (std::size_t start = 1; here.node_ != nullptr;) {
    const std::size_t slash = json_pointer.find('/', start);
    const auto token =
        detail::unescape_token(json_pointer.substr(start, slash == std::string_view::npos ? slash : slash - start));
    if (!token) return {};
    if (here.type() == ValueType::List) {
      const auto index = detail::parse_index(*token);
      here = *token == "-" ? here.append() : index ? here[*index] : DraftRef();
    } else {
      here = here[*token];
    }
    if (slash == std::string_view::npos) break;
    start = slash + 1;
  }
  return here;
}

std::optional<bool> DraftRef::get_bool() const noexcept {
  if (type() != ValueType::Bool) return std::nullopt;
  return node_->kind == Kind::Borrowed ? node_->borrowed.get_bool() : node_->flag;
}

std::optional<std::int64_t> DraftRef::get_int() const noexcept {
  if (node_ == nullptr) return std::nullopt;
  if (node_->kind == Kind::Borrowed) return node_->borrowed.get_int();
  if (node_->kind == Kind::Int) return node_->integer;
  if (node_->kind != Kind::Double) return std::nullopt;
  const double real = node_->real;
  if (!(real >= -9223372036854775808.0 && real < 9223372036854775808.0) || real != std::trunc(real)) return {};
  return static_cast<std::int64_t>(real);
}

std::optional<double> DraftRef::get_double() const noexcept {
  if (node_ == nullptr) return std::nullopt;
  if (node_->kind == Kind::Borrowed) return node_->borrowed.get_double();
  if (node_->kind == Kind::Int) return static_cast<double>(node_->integer);
  if (node_->kind == Kind::Double) return node_->real;
  return std::nullopt;
}

std::optional<std::string_view> DraftRef::get_string() const noexcept {
  if (type() != ValueType::String) return std::nullopt;
  return node_->kind == Kind::Borrowed ? node_->borrowed.get_string() : std::string_view(node_->text);
}

std::size_t DraftRef::size() const noexcept {
  return node_ == nullptr ? 0 : node_->size();
}

std::vector<std::string> DraftRef::keys() const {
  std::vector<std::string> keys;
  if (type() != ValueType::Map) return keys;
  node_->expand();
  for (const detail::DraftNode* node : node_->members) {
    if (node->kind != Kind::Absent) keys.emplace_back(node->key);
  }
  return keys;
}

void DraftRef::set(bool value) const {
  if (node_ == nullptr) return;
  node_->become(Kind::Bool);
  node_->flag = value;
}

void DraftRef::set(std::int64_t value) const {
  if (node_ == nullptr) return;
  node_->become(Kind::Int);
  node_->integer = value;
}

void DraftRef::set(double value) const {
  if (node_ == nullptr) return;
  node_->become(Kind::Double);
  node_->real = value;
}

void DraftRef::set(std::string_view value) const {
  if (node_ == nullptr) return;
  std::string copy(value);  // it may be a view of this very place
  node_->become(Kind::String);
  node_->text = std::move(copy);
}

void DraftRef::set(Value value) const {
  if (node_ == nullptr) return;
  if (!value.exists()) return node_->remove();
  ObjectBuilder builder;
  builder.copy(value);
  node_->borrow(detail::finish_or_throw(builder));
}

void DraftRef::set(DraftRef value) const {
  if (node_ == nullptr) return;
  if (!value.exists()) return node_->remove();
  node_->borrow(value.node_->freeze());
}

void DraftRef::set_null() const {
  if (node_ != nullptr) node_->become(Kind::Null);
}

void DraftRef::set_map() const {
  if (node_ != nullptr && type() != ValueType::Map) node_->become(Kind::Map);
}

void DraftRef::set_list() const {
  if (node_ != nullptr && type() != ValueType::List) node_->become(Kind::List);
}

DraftRef DraftRef::append() const {
  return node_ == nullptr ? DraftRef() : DraftRef(node_->new_element());
}

void DraftRef::erase() const {
  if (node_ != nullptr) node_->remove();
}

void DraftRef::erase(std::string_view key) const {
  if (node_ == nullptr) return;
  if (detail::DraftNode* member = node_->find_member(key)) member->remove();
}

void DraftRef::clear() const {
  if (type() == ValueType::Map) node_->become(Kind::Map);
  if (type() == ValueType::List) node_->become(Kind::List);
}

struct Draft::Impl {
  detail::DraftStore store;
  detail::DraftNode* root = nullptr;
  Object original;
};

Draft::Draft() : Draft(Object()) {}

Draft::Draft(Object original) : impl_(std::make_unique<Impl>()) {
  impl_->root = impl_->store.make(nullptr);
  impl_->root->become(Kind::Map);
  if (original) impl_->root->borrow(original);
  impl_->original = std::move(original);
}

Draft::Draft(Draft&&) noexcept = default;
Draft& Draft::operator=(Draft&&) noexcept = default;
Draft::~Draft() = default;

Draft Draft::clone() const {
  Draft copy(original());
  copy.root().set(root());
  return copy;
}

DraftRef Draft::root() const noexcept {
  return DraftRef(impl_->root);
}

const Object& Draft::original() const noexcept {
  return impl_->original;
}

bool Draft::changed() const {
  if (!impl_->original) return impl_->root->type() != ValueType::Map || impl_->root->size() != 0;
  return !(to_object() == impl_->original);
}

Object Draft::to_object() const {
  const Object& before = impl_->original;
  const detail::DraftNode& root = *impl_->root;
  if (root.kind == Kind::Borrowed && detail::Access::base(root.borrowed) == detail::Access::base(before.root())) {
    return before;  // nobody looked inside
  }
  ObjectBuilder builder;
  root.write(builder);
  builder.set_completeness(before.completeness(), before.projection_name());
  return detail::finish_or_throw(builder);
}

std::string Draft::merge_patch() const {
  return meta::merge_patch(impl_->original.root(), to_object().root());
}

std::string Draft::json_patch() const {
  return meta::json_patch(impl_->original.root(), to_object().root());
}

}  // namespace kubexx::meta
