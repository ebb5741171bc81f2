#include "kubexx/meta/value.hpp"

#include <cmath>

#include "base/internal/enum_name.hpp"
#include "meta/document/layout.hpp"
#include "meta/internal/json_pointer.hpp"
#include "meta/internal/name_table.hpp"

namespace kubexx::meta {

using detail::Key;
using detail::load;
using detail::MapNode;
using detail::payload_of;
using detail::Tag;
using detail::tag_of;
using detail::Word;

namespace detail {
namespace {

/// Position of the key in a map whose keys are in order, or in the order of its positions.
Word search_field(const std::byte* base, Word map, std::string_view wanted) noexcept {
  const MapNode node(base, map);
  const bool indexed = tag_of(map) == Tag::IndexedMap;
  std::size_t low = 0;
  std::size_t high = node.count;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const std::size_t at = indexed ? node.position(middle) : middle;
    const int order = key_text(base, node.key(at)).compare(wanted);
    if (order == 0) return node.value(at);
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return kAbsent;
}

}  // namespace

Word find_field(const std::byte* base, Word map, NameId id) noexcept {
  const Tag tag = tag_of(map);
  if (tag == Tag::FieldMap) {
    const MapNode node(base, map);
    for (std::size_t i = 0; i < node.count; ++i) {
      if (node.id(i) == static_cast<std::uint16_t>(id)) return node.field(i);
    }
  } else if (tag == Tag::NameMap) {
    const MapNode node(base, map);
    const Key wanted = known_key(static_cast<std::uint32_t>(id));
    for (std::size_t i = 0; i < node.count; ++i) {
      if (node.key(i) == wanted) return node.value(i);
    }
  } else if (is_map_tag(tag)) {
    return search_field(base, map, name_text(id));
  }
  return kAbsent;
}

Word find_field(const std::byte* base, Word map, std::string_view key) noexcept {
  const Tag tag = tag_of(map);
  if (!is_map_tag(tag)) return kAbsent;
  if (tag == Tag::SortedMap || tag == Tag::IndexedMap) return search_field(base, map, key);
  // A known name is always stored by its id, so one of the two comparisons is enough.
  if (const int id = find_name_id(key.data(), key.size()); id >= 0)
    return find_field(base, map, static_cast<NameId>(id));
  if (tag == Tag::NameMap) {
    const MapNode node(base, map);
    for (std::size_t i = 0; i < node.count; ++i) {
      const Key candidate = node.key(i);
      if (is_stranger(candidate) && string_at(base, candidate >> 1) == key) return node.value(i);
    }
  }
  return kAbsent;
}

}  // namespace detail

std::string_view to_string(ValueType type) noexcept {
  static constexpr std::string_view kNames[] = {"absent", "null", "bool", "int", "double", "string", "list", "map"};
  return enum_name<ValueType::Map>(type, kNames);
}

ValueType Value::type() const noexcept {
  if (base_ == nullptr) return ValueType::Absent;
  static constexpr ValueType kTypes[16] = {ValueType::Null,   ValueType::Bool,   ValueType::Int,    ValueType::Int,
                                           ValueType::Double, ValueType::String, ValueType::List,   ValueType::Map,
                                           ValueType::Map,    ValueType::Map,    ValueType::Map,    ValueType::Absent,
                                           ValueType::Absent, ValueType::Absent, ValueType::Absent, ValueType::Absent};
  return kTypes[static_cast<Word>(tag_of(word_))];
}

Value Value::operator[](std::string_view key) const noexcept {
  return base_ == nullptr ? Value() : detail::Access::value(base_, detail::find_field(base_, word_, key));
}

Value Value::operator[](NameId key) const noexcept {
  return base_ == nullptr ? Value() : detail::Access::value(base_, detail::find_field(base_, word_, key));
}

Value Value::operator[](std::size_t index) const noexcept {
  if (base_ == nullptr || tag_of(word_) != Tag::List || payload_of(word_) == 0) return {};
  const std::byte* at = base_ + payload_of(word_);
  const std::uint32_t count = detail::read_varint(at);
  if (index >= count) return {};
  return detail::Access::value(base_, load<Word>(at + 4 * index));
}

Value Value::at(std::string_view json_pointer) const noexcept {
  if (json_pointer.empty()) return *this;
  if (json_pointer.front() != '/') return {};
  Value here = *this;
  std::size_t start = 1;
  while (here.exists()) {
    const std::size_t slash = json_pointer.find('/', start);
    const std::string_view token = json_pointer.substr(start, slash == std::string_view::npos ? slash : slash - start);
    here = detail::step(here, token);
    if (slash == std::string_view::npos) return here;
    start = slash + 1;
  }
  return {};
}

std::optional<bool> Value::get_bool() const noexcept {
  if (base_ == nullptr || tag_of(word_) != Tag::Bool) return std::nullopt;
  return payload_of(word_) != 0;
}

std::optional<std::int64_t> Value::get_int() const noexcept {
  if (base_ == nullptr) return std::nullopt;
  switch (tag_of(word_)) {
    case Tag::Int:
      return static_cast<std::int32_t>(word_) >> detail::kTagBits;
    case Tag::Int64:
      return load<std::int64_t>(base_ + payload_of(word_));
    case Tag::Double: {
      const auto value = load<double>(base_ + payload_of(word_));
      if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0) || value != std::trunc(value)) return {};
      return static_cast<std::int64_t>(value);
    }
    default:
      return std::nullopt;
  }
}

std::optional<double> Value::get_double() const noexcept {
  if (base_ == nullptr) return std::nullopt;
  if (tag_of(word_) == Tag::Double) return load<double>(base_ + payload_of(word_));
  if (const auto whole = get_int()) return static_cast<double>(*whole);
  return std::nullopt;
}

std::optional<std::string_view> Value::get_string() const noexcept {
  if (base_ == nullptr || tag_of(word_) != Tag::String) return std::nullopt;
  return detail::string_at(base_, payload_of(word_));
}

namespace {

template <class T>
Result<T> require(std::optional<T> found, std::string_view wanted, ValueType type) {
  if (found) return *found;
  return Error::decode("expected " + std::string(wanted) + ", found " + std::string(to_string(type)));
}

}  // namespace

Result<bool> Value::require_bool() const {
  return require(get_bool(), "bool", type());
}

Result<std::int64_t> Value::require_int() const {
  return require(get_int(), "int", type());
}

Result<double> Value::require_double() const {
  return require(get_double(), "number", type());
}

Result<std::string_view> Value::require_string() const {
  return require(get_string(), "string", type());
}

std::size_t Value::size() const noexcept {
  if (base_ == nullptr || payload_of(word_) == 0) return 0;
  const Tag tag = tag_of(word_);
  if (tag != Tag::List && !detail::is_map_tag(tag)) return 0;
  const std::byte* at = base_ + payload_of(word_);
  return detail::read_varint(at);
}

ListView Value::items() const noexcept {
  return ListView(*this);
}

MapView Value::entries() const noexcept {
  return MapView(*this);
}

MapView::Entry MapView::at(const Value& map, std::size_t index) noexcept {
  if (map.base_ == nullptr || !map.is_map()) return {};
  const MapNode node(map.base_, map.word_);
  if (index >= node.count) return {};
  if (tag_of(map.word_) == Tag::FieldMap) {
    return {name_text(static_cast<NameId>(node.id(index))), detail::Access::value(map.base_, node.field(index))};
  }
  return {detail::key_text(map.base_, node.key(index)), detail::Access::value(map.base_, node.value(index))};
}

bool operator==(const Value& a, const Value& b) noexcept {
  if (a.base_ == b.base_ && a.word_ == b.word_) return true;
  const ValueType type = a.type();
  if (type != b.type()) return false;
  switch (type) {
    case ValueType::Absent:
    case ValueType::Null:
      return true;
    case ValueType::Bool:
      return a.get_bool() == b.get_bool();
    case ValueType::Int:
      return a.get_int() == b.get_int();
    case ValueType::Double: {
      // By bits: -0 and 0 print differently.
      return load<std::uint64_t>(a.base_ + payload_of(a.word_)) == load<std::uint64_t>(b.base_ + payload_of(b.word_));
    }
    case ValueType::String:
      return a.string() == b.string();
    case ValueType::List: {
      if (a.size() != b.size()) return false;
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (!(a[i] == b[i])) return false;
      }
      return true;
    }
    case ValueType::Map: {
      if (a.size() != b.size()) return false;
      auto other = b.entries().begin();
      for (const auto& [key, value] : a.entries()) {
        // Mostly both have the same order; the search is for the rest.
        const auto [other_key, other_value] = *other++;
        const Value match = key == other_key ? other_value : b[key];
        if (!match.exists() || !(value == match)) return false;
      }
      return true;
    }
  }
  return false;
}

}  // namespace kubexx::meta
