#include "kubexx/meta/key.hpp"

#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "kubexx/base/error_sink.hpp"
#include "kubexx/meta/object_builder.hpp"
#include "meta/document/field_ids.hpp"
#include "meta/internal/key_parts.hpp"
#include "meta/internal/make_key.hpp"

namespace kubexx::meta {
namespace {

constexpr std::size_t kUsualSize = 320;  // a namespace of 63 and a name of 253 characters

std::uint32_t hash_of(const KeyParts& parts) {
  if (parts.space.empty()) return short_hash(parts.name);
  if (parts.size() > kUsualSize) return short_hash(parts.text());
  std::array<char, kUsualSize> text;
  parts.write(text.data());
  return short_hash({text.data(), parts.size()});
}

Object object_named(std::string_view text) {
  ObjectBuilder builder;
  builder.begin_map();
  builder.key(field::kMetadata);
  builder.begin_map();
  builder.key(field::kName);
  builder.string(text);
  builder.end_map();
  builder.end_map();
  auto made = builder.finish();
  if (!made) throw std::length_error("a key is too long: " + made.error().message());
  return std::move(*made);
}

bool has_default_key(const Object& object, std::string_view text) noexcept {
  const auto parts = key_parts(object);
  return !parts.name.empty() && same_text(parts, {{}, text});
}

}  // namespace

char* KeyParts::write(char* out) const noexcept {
  if (!space.empty()) {
    std::memcpy(out, space.data(), space.size());
    out += space.size();
    *out++ = '/';
  }
  std::memcpy(out, name.data(), name.size());
  return out + name.size();
}

std::string KeyParts::text() const {
  std::string text(size(), '\0');
  write(text.data());
  return text;
}

KeyParts key_parts(const Key& key) noexcept {
  return key_parts(key.named_);
}

/// Of two namespaces that are not equally long: one of the names has a slash in it.
bool detail::same_bytes(const KeyParts& a, const KeyParts& b) noexcept {
  const auto at = [](const KeyParts& parts, std::size_t i) {
    if (i < parts.space.size()) return parts.space[i];
    return i == parts.space.size() ? '/' : parts.name[i - parts.space.size() - 1];
  };
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (at(a, i) != at(b, i)) return false;
  }
  return true;
}

Key::Key(std::string_view text) {
  if (text.empty()) return;
  named_ = object_named(text);
  hash_ = short_hash(text);
}

Key Key::of(Object object) {
  Key key;
  const auto parts = key_parts(object);
  if (parts.name.empty()) return key;
  key.hash_ = hash_of(parts);
  key.named_ = std::move(object);
  return key;
}

Key Key::of(const Object& object, std::string_view text) {
  return has_default_key(object, text) ? of(object) : Key(text);
}

std::string Key::text() const {
  return key_parts(named_).text();
}

bool Key::is_default_of(const Object& object) const noexcept {
  if (named_.same_document(object)) return true;
  const auto parts = key_parts(object);
  return !parts.name.empty() && same_text(parts, key_parts(named_));
}

bool operator==(const Key& a, const Key& b) noexcept {
  if (a.empty() || b.empty()) return a.empty() && b.empty();
  return a.hash_ == b.hash_ && (a.named_.same_document(b.named_) || same_text(key_parts(a), key_parts(b)));
}

Result<Key> make_key(const Object& object, const KeyFunc& key_func) {
  if (!object) return Error::config("key of an object: it is null");
  if (!key_func) {
    auto key = Key::of(object);
    if (key.empty()) return Error::config("key of an object: it has no metadata.name");
    return key;
  }
  try {
    const auto key = key_func(object);
    if (!key) return key.error().with_context("key of an object");
    if (key->empty()) return Error::config("key of an object: it is empty");
    return Key::of(object, *key);
  } catch (...) {
    return current_exception_as_error().with_context("key of an object");
  }
}

}  // namespace kubexx::meta
