#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kubexx/base/export.hpp"
#include "kubexx/base/lifetime.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/name.hpp"

namespace kubexx::meta {

/// What stands at a place; Absent where nothing does.
enum class ValueType : std::uint8_t { Absent, Null, Bool, Int, Double, String, List, Map };
KUBEXX_EXPORT std::string_view to_string(ValueType type) noexcept;

class ListView;
class MapView;
namespace detail {
struct Access;
}

/// A borrowed view of one value inside an Object (or nothing: Absent). Trivially copyable, two words; valid while the
/// Object it came from is alive, like a string_view. Every accessor is safe on every value, Absent included.
class KUBEXX_EXPORT KUBEXX_POINTER Value {
 public:
  constexpr Value() noexcept = default;

  /// What stands there.
  ValueType type() const noexcept;
  bool exists() const noexcept { return base_ != nullptr; }  ///< false: no such field
  explicit operator bool() const noexcept { return exists(); }
  /// Whether it is of that type; a number is an integer or not.
  bool is_null() const noexcept { return type() == ValueType::Null; }
  bool is_map() const noexcept { return type() == ValueType::Map; }
  bool is_list() const noexcept { return type() == ValueType::List; }
  bool is_string() const noexcept { return type() == ValueType::String; }
  bool is_number() const noexcept { return type() == ValueType::Int || type() == ValueType::Double; }

  Value operator[](std::string_view key) const noexcept;
  Value operator[](NameId key) const noexcept;
  Value operator[](std::size_t index) const noexcept;
  Value operator[](int index) const noexcept { return index < 0 ? Value() : (*this)[static_cast<std::size_t>(index)]; }
  Value operator[](const char* key) const noexcept { return (*this)[std::string_view(key)]; }
  /// RFC 6901: at("/spec/containers/0/image"); "" is the value itself. Absent where the path leads nowhere.
  Value at(std::string_view json_pointer) const noexcept;

  /// What stands there, if it is of that type; absent and null are none.
  std::optional<bool> get_bool() const noexcept;
  std::optional<std::int64_t> get_int() const noexcept;  ///< an Int, or a Double that is a whole number in range
  std::optional<double> get_double() const noexcept;     ///< any number
  /// What stands there if it is of that type, or what the caller says.
  std::optional<std::string_view> get_string() const noexcept;
  bool bool_or(bool fallback) const noexcept { return get_bool().value_or(fallback); }
  std::int64_t int_or(std::int64_t fallback) const noexcept { return get_int().value_or(fallback); }
  double double_or(double fallback) const noexcept { return get_double().value_or(fallback); }
  std::string_view string_or(std::string_view fallback) const noexcept { return get_string().value_or(fallback); }
  std::string_view string() const noexcept { return string_or({}); }  ///< empty when it is not a string
  /// The same with an Error that says what stands there instead.
  Result<bool> require_bool() const;
  Result<std::int64_t> require_int() const;
  Result<double> require_double() const;
  Result<std::string_view> require_string() const;

  std::size_t size() const noexcept;  ///< of a list or map, otherwise 0
  bool empty() const noexcept { return size() == 0; }
  ListView items() const noexcept;   ///< empty when it is no list
  MapView entries() const noexcept;  ///< empty when it is no map

  /// Deep comparison; the order of a map's keys does not count, Int and Double differ.
  friend bool operator==(const Value& a, const Value& b) noexcept;

 private:
  friend class Object;
  friend class ListView;
  friend class MapView;
  friend struct detail::Access;
  Value(const std::byte* base, std::uint32_t word) noexcept : base_(base), word_(word) {}
  const std::byte* base_ = nullptr;  // first byte of the document
  std::uint32_t word_ = 0;           // tagged word, see src/meta/document/layout.hpp
};
KUBEXX_EXPORT bool operator==(const Value& a, const Value& b) noexcept;

namespace detail {
/// Counts through what a ListView or a MapView shows.
template <class View, class Entry>
class ViewIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Entry;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Entry;
  ViewIterator() = default;
  Entry operator*() const noexcept { return View::at(of_, index_); }
  ViewIterator& operator++() noexcept {
    ++index_;
    return *this;
  }
  ViewIterator operator++(int) noexcept { return {of_, index_++}; }
  friend bool operator==(const ViewIterator& a, const ViewIterator& b) noexcept { return a.index_ == b.index_; }

 private:
  friend View;
  ViewIterator(Value of, std::size_t index) : of_(of), index_(index) {}
  Value of_;
  std::size_t index_ = 0;
};
}  // namespace detail

/// The values of a list, in order.
class KUBEXX_POINTER ListView {
 public:
  using iterator = detail::ViewIterator<ListView, Value>;
  ListView() = default;
  explicit ListView(Value list) noexcept : list_(list), size_(list.is_list() ? list.size() : 0) {}
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  Value operator[](std::size_t index) const noexcept { return list_[index]; }
  iterator begin() const noexcept { return {list_, 0}; }
  iterator end() const noexcept { return {list_, size_}; }

 private:
  friend iterator;
  static Value at(const Value& list, std::size_t index) noexcept { return list[index]; }
  Value list_;
  std::size_t size_ = 0;
};

/// The entries of a map, in the order they were written.
class KUBEXX_EXPORT KUBEXX_POINTER MapView {
 public:
  /// Name and value.
  using Entry = std::pair<std::string_view, Value>;
  using iterator = detail::ViewIterator<MapView, Entry>;
  MapView() = default;
  explicit MapView(Value map) noexcept : map_(map), size_(map.is_map() ? map.size() : 0) {}
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  Value operator[](std::string_view key) const noexcept { return map_[key]; }
  /// Whether there is an entry of this name.
  bool contains(std::string_view key) const noexcept { return map_[key].exists(); }
  iterator begin() const noexcept { return {map_, 0}; }
  iterator end() const noexcept { return {map_, size_}; }

 private:
  friend iterator;
  static Entry at(const Value& map, std::size_t index) noexcept;
  Value map_;
  std::size_t size_ = 0;
};

}  // namespace kubexx::meta
