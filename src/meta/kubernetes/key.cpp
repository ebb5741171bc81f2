#include "kubexx/meta/key.hpp"

#include <limits>
#include <stdexcept>

#include "kubexx/base/error_sink.hpp"
#include "meta/internal/key_parts.hpp"
#include "meta/internal/make_key.hpp"

namespace kubexx::meta {

char* Key::make_room(std::size_t size) {
  if (size > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("a key is at most 4 GB long");
  if (size > sizeof near_) far_ = new char[size];
  size_ = static_cast<std::uint32_t>(size);
  return size > sizeof near_ ? far_ : near_;
}

void Key::copy_far(const Key& other) {
  size_ = 0;
  std::memcpy(make_room(other.size_), other.far_, other.size_);
}

Key::Key(std::string_view text) {
  if (text.empty()) return;  // as Key()
  std::memcpy(make_room(text.size()), text.data(), text.size());
  hash_ = short_hash(text);
}

Key Key::of(const Object& object) {
  Key key;
  const auto [space, name] = key_parts(object);
  if (name.empty()) return key;
  char* out = key.make_room(name.size() + (space.empty() ? 0 : space.size() + 1));
  if (!space.empty()) {
    std::memcpy(out, space.data(), space.size());
    out += space.size();
    *out++ = '/';
  }
  std::memcpy(out, name.data(), name.size());
  key.hash_ = short_hash(key.view());
  return key;
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
    return Key(*key);
  } catch (...) {
    return current_exception_as_error().with_context("key of an object");
  }
}

}  // namespace kubexx::meta
