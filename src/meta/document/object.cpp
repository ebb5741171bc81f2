#include "kubexx/meta/object.hpp"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "base/internal/enum_name.hpp"
#include "kubexx/base/large_pages.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/gvk.hpp"
#include "meta/document/field_ids.hpp"
#include "meta/document/layout.hpp"
#include "meta/internal/key_parts.hpp"

namespace kubexx::meta {
namespace detail {
namespace {

const std::byte* base_of(const Document* document) noexcept {
  return reinterpret_cast<const std::byte*>(document);
}

/// The fragments that a document names, in order; one that it names twice is there twice.
std::vector<std::uint32_t> fragments_of(const Document* document) {
  std::vector<std::uint32_t> numbers;
  for_each_fragment(base_of(document), document->root, [&numbers](std::uint32_t number) { numbers.push_back(number); });
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

void retain(const Document* document) noexcept {
  document->references.fetch_add(1, std::memory_order_relaxed);
}

void release(const Document* document) noexcept {
  if (document->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if ((document->cut & kHasFragments) != 0) {
    for_each_fragment(base_of(document), document->root,
                      [](std::uint32_t number) { Fragments::process().release(number); });
  }
  const std::size_t bytes = document->size;
  document->~Document();
  free_on_large_pages(const_cast<Document*>(document), bytes);
}

}  // namespace detail

std::string_view to_string(Completeness completeness) noexcept {
  static constexpr std::string_view kNames[] = {"full", "without managedFields", "metadata only", "selected paths",
                                                "transformed"};
  return enum_name<Completeness::Transformed>(completeness, kNames);
}

Value Object::root() const noexcept {
  return document_ == nullptr ? Value() : Value(detail::base_of(document_), document_->root);
}

Value Object::metadata_value() const noexcept {
  return document_ == nullptr ? Value() : detail::Access::value(detail::base_of(document_), document_->metadata);
}

std::string_view Object::api_version() const noexcept {
  return root()[field::kApiVersion].string();
}

std::string_view Object::kind() const noexcept {
  return root()[field::kKind].string();
}

GroupVersionKind Object::gvk() const {
  const std::string_view text = api_version();
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {"", std::string(text), std::string(kind())};
  return {std::string(text.substr(0, slash)), std::string(text.substr(slash + 1)), std::string(kind())};
}

std::string_view Object::name() const noexcept {
  return metadata_value()[field::kName].string();
}

std::string_view Object::namespace_() const noexcept {
  return metadata_value()[field::kNamespace].string();
}

std::string_view Object::uid() const noexcept {
  return metadata_value()[field::kUid].string();
}

std::string_view Object::resource_version() const noexcept {
  return metadata_value()[field::kResourceVersion].string();
}

std::string_view Object::generate_name() const noexcept {
  return metadata_value()[field::kGenerateName].string();
}

std::string_view Object::creation_timestamp() const noexcept {
  return metadata_value()[field::kCreationTimestamp].string();
}

std::string_view Object::deletion_timestamp() const noexcept {
  return metadata_value()[field::kDeletionTimestamp].string();
}

std::int64_t Object::generation() const noexcept {
  return metadata_value()[field::kGeneration].int_or(0);
}

/// Looked at for every key that is compared, so it does with few instructions.
KeyParts key_parts(const Object& object) noexcept {
  const detail::Document* const document = detail::Access::document(object);
  if (document == nullptr) return {};
  if (detail::tag_of(document->metadata) != detail::Tag::FieldMap) return {object.namespace_(), object.name()};
  const std::byte* const base = detail::base_of(document);
  const detail::MapNode map(base, document->metadata);
  const auto text = [base](detail::Word word) {
    return detail::tag_of(word) == detail::Tag::String ? detail::string_at(base, detail::payload_of(word))
                                                       : detail::Access::value(base, word).string();
  };
  KeyParts parts;
  std::size_t missing = 2;
  for (std::size_t i = 0; i < map.count; ++i) {
    const auto id = static_cast<NameId>(map.id(i));
    if (id == field::kName) {
      parts.name = text(map.field(i));
    } else if (id == field::kNamespace) {
      parts.space = text(map.field(i));
    } else {
      continue;
    }
    if (--missing == 0) break;
  }
  return parts;
}

MapView Object::labels() const noexcept {
  return metadata_value()[field::kLabels].entries();
}

MapView Object::annotations() const noexcept {
  return metadata_value()[field::kAnnotations].entries();
}

ListView Object::owner_references() const noexcept {
  return metadata_value()[field::kOwnerReferences].items();
}

ListView Object::finalizers() const noexcept {
  return metadata_value()[field::kFinalizers].items();
}

Completeness Object::completeness() const noexcept {
  return document_ == nullptr ? Completeness::Full : static_cast<Completeness>(document_->cut & 7);
}

std::string_view Object::projection_name() const noexcept {
  if (document_ == nullptr) return {};
  return detail::string_at(detail::base_of(document_), detail::payload_of(document_->cut));
}

std::size_t Object::byte_size() const noexcept {
  return document_ == nullptr ? 0 : document_->size;
}

std::size_t Object::shared_bytes() const noexcept {
  if (document_ == nullptr || (document_->cut & detail::kHasFragments) == 0) return 0;
  std::size_t bytes = 0;
  try {
    // Alone, it would have each of them once.
    std::uint32_t before = ~std::uint32_t{0};
    for (const std::uint32_t number : detail::fragments_of(document_)) {
      if (number != std::exchange(before, number)) bytes += detail::fragment_at(number).size;
    }
  } catch (const std::bad_alloc&) {  // more than it has is good enough for those who limit
    detail::for_each_fragment(detail::base_of(document_), document_->root,
                              [&bytes](std::uint32_t number) { bytes += detail::fragment_at(number).size; });
  }
  return bytes;
}

Draft Object::edit() const {
  return Draft(*this);
}

std::string_view Object::raw_bytes() const noexcept {
  if (document_ == nullptr) return {};
  constexpr std::size_t kSkip = sizeof(document_->references);  // the only bytes that change
  return {reinterpret_cast<const char*>(document_) + kSkip, document_->size - kSkip};
}

}  // namespace kubexx::meta
