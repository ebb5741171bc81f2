#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kubexx/base/error.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/lifetime.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/gvk.hpp"
#include "kubexx/meta/object.hpp"

/// What the generated types are made of. Generated headers: `kubexx/api/<group>/<version>.hpp`.
namespace kubexx::api {

using meta::NameId;

/// Base of the generated views: a part of an object, borrowed from it like a string_view. Every accessor is safe on a
/// part that does not exist: it reads as empty.
class View {
 public:
  constexpr View() noexcept = default;
  explicit View(meta::Value value) noexcept : view_(value) {}
  /// Whether the field is there.
  bool exists() const noexcept { return view_.exists(); }
  explicit operator bool() const noexcept { return view_.exists(); }
  /// The same, by name.
  meta::Value as_value() const noexcept { return view_; }
  friend bool operator==(const View& a, const View& b) noexcept { return a.view_ == b.view_; }

 protected:
  meta::Value view_;
};

/// A field that is a number or a text, borrowed.
class IntOrString {
 public:
  constexpr IntOrString() noexcept = default;
  explicit IntOrString(meta::Value value) noexcept : view_(value) {}
  /// Which of the two it is; the other one is 0 or empty.
  bool is_int() const noexcept { return view_.is_number(); }
  bool is_string() const noexcept { return view_.is_string(); }
  std::int32_t number() const noexcept { return static_cast<std::int32_t>(view_.int_or(0)); }
  std::string_view text() const noexcept { return view_.string(); }
  meta::Value as_value() const noexcept { return view_; }

 private:
  meta::Value view_;
};

/// The value of a field as C++ has it; what is missing reads as zero or empty.
template <class T>
T read(meta::Value value) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return value.bool_or(false);
  } else if constexpr (std::is_floating_point_v<T>) {
    return value.double_or(0);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value.int_or(0));
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    return value.string();
  } else {
    return T(value);
  }
}

namespace detail {
/// Goes where `At`, an iterator over untyped entries, goes; the view says what to show of them.
template <class View, class Entry, class At>
class ViewIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = Entry;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = Entry;
  ViewIterator() = default;
  explicit ViewIterator(At at) : at_(at) {}
  Entry operator*() const noexcept { return View::shown(*at_); }
  ViewIterator& operator++() noexcept {
    ++at_;
    return *this;
  }
  ViewIterator operator++(int) noexcept { return ViewIterator(at_++); }
  friend bool operator==(const ViewIterator& a, const ViewIterator& b) noexcept { return a.at_ == b.at_; }

 private:
  At at_;
};
}  // namespace detail

/// The elements of a list field, borrowed.
template <class T>
class List {
 public:
  using iterator = detail::ViewIterator<List, T, meta::ListView::iterator>;

  List() = default;
  explicit List(meta::Value list) noexcept : items_(list) {}
  std::size_t size() const noexcept { return items_.size(); }
  bool empty() const noexcept { return items_.empty(); }
  T operator[](std::size_t index) const noexcept { return read<T>(items_[index]); }  ///< beyond the end: empty
  iterator begin() const noexcept { return iterator(items_.begin()); }
  iterator end() const noexcept { return iterator(items_.end()); }

 private:
  friend iterator;
  static T shown(meta::Value item) noexcept { return read<T>(item); }
  meta::ListView items_;
};

/// The entries of a map field, borrowed.
template <class T>
class Map {
 public:
  /// Name and value.
  using Entry = std::pair<std::string_view, T>;
  using iterator = detail::ViewIterator<Map, Entry, meta::MapView::iterator>;

  Map() = default;
  explicit Map(meta::Value map) noexcept : entries_(map) {}
  std::size_t size() const noexcept { return entries_.size(); }
  bool empty() const noexcept { return entries_.empty(); }
  /// Whether there is an entry; and the entry.
  bool contains(std::string_view key) const noexcept { return entries_.contains(key); }
  T operator[](std::string_view key) const noexcept { return read<T>(entries_[key]); }  ///< not there: empty
  std::optional<T> find(std::string_view key) const noexcept {
    const auto value = entries_[key];
    return value.exists() ? std::optional<T>(read<T>(value)) : std::nullopt;
  }
  iterator begin() const noexcept { return iterator(entries_.begin()); }
  iterator end() const noexcept { return iterator(entries_.end()); }

 private:
  friend iterator;
  static Entry shown(const meta::MapView::Entry& entry) noexcept { return {entry.first, read<T>(entry.second)}; }
  meta::MapView entries_;
};

/// Base of the generated drafts: a place in a draft, borrowed from it.
class DraftPlace {
 public:
  DraftPlace() = default;
  explicit DraftPlace(meta::DraftRef place) : place_(place) {}
  /// Whether there is anything; the same place, by name.
  bool exists() const noexcept { return place_.exists(); }
  meta::DraftRef as_ref() noexcept { return place_; }
  /// A deep copy of a view takes this place; what does not exist erases it.
  void assign(const View& view) { place_.set(view.as_value()); }

 protected:
  meta::DraftRef place_;
};

/// A number or a text in a draft.
class IntOrStringDraft : public DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  /// Writes one of the two, and reads them.
  void set(std::int32_t number) { place_.set(static_cast<std::int64_t>(number)); }
  void set(std::string_view text) { place_.set(text); }
  std::int32_t number() const noexcept { return static_cast<std::int32_t>(place_.int_or(0)); }
  std::string_view text() const noexcept { return place_.string(); }
};

namespace detail {
template <class T>
inline constexpr bool kIsPlace = std::is_base_of_v<DraftPlace, T> || std::is_same_v<T, meta::DraftRef>;

/// What a draft that is const gives: a place that cannot be set.
template <class T>
using Readable = std::conditional_t<kIsPlace<T>, const T, T>;

template <class T>
T read(const meta::DraftRef& place) {
  if constexpr (std::is_same_v<T, bool>) {
    return place.bool_or(false);
  } else if constexpr (std::is_floating_point_v<T>) {
    return place.get_double().value_or(0);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(place.int_or(0));
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    return place.string();
  } else {
    return T(place);
  }
}

template <class T>
void write(const meta::DraftRef& place, const T& value) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string_view>) {
    place.set(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    place.set(static_cast<double>(value));
  } else {
    place.set(static_cast<std::int64_t>(value));
  }
}
}  // namespace detail

/// A list in a draft. T is a scalar, string_view, or a draft of the element.
template <class T>
class ListDraft : public DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  std::size_t size() const noexcept { return place_.size(); }
  bool empty() const noexcept { return size() == 0; }
  T operator[](std::size_t index) { return detail::read<T>(place_[index]); }
  detail::Readable<T> operator[](std::size_t index) const { return detail::read<T>(place_[index]); }
  /// A new element at the end, to be filled in.
  template <class U = T, class = std::enable_if_t<detail::kIsPlace<U>>>
  T append() {
    auto place = place_.append();
    place.set_map();
    return T(place);
  }
  template <class U = T, class = std::enable_if_t<!detail::kIsPlace<U>>>
  void append(T value) {
    detail::write<T>(place_.append(), value);
  }
  template <class U = T, class = std::enable_if_t<detail::kIsPlace<U>>>
  void append(const View& view) {
    place_.append().set(view.as_value());
  }
  void erase(std::size_t index) { place_[index].erase(); }
  void clear() { place_.clear(); }
};

/// A map in a draft.
template <class T>
class MapDraft : public DraftPlace {
 public:
  using DraftPlace::DraftPlace;
  std::size_t size() const noexcept { return place_.size(); }
  bool empty() const noexcept { return size() == 0; }
  /// Whether there is an entry, and the names of all.
  bool contains(std::string_view key) const { return place_[key].exists(); }
  std::vector<std::string> keys() const { return place_.keys(); }
  T operator[](std::string_view key) { return detail::read<T>(place_[key]); }
  detail::Readable<T> operator[](std::string_view key) const { return detail::read<T>(place_[key]); }
  /// Sets and removes entries.
  template <class U = T, class = std::enable_if_t<!detail::kIsPlace<U>>>
  void set(std::string_view key, T value) {
    detail::write<T>(place_[key], value);
  }
  void erase(std::string_view key) { place_.erase(key); }
  void clear() { place_.clear(); }
};

/// Owns the document of a generated draft.
class DraftHolder {
 public:
  explicit DraftHolder(meta::Draft draft) : draft_(std::move(draft)) {}
  /// The draft by name, and whether anything was written that differs from the original.
  const meta::Draft& draft() const noexcept { return draft_; }
  bool changed() const { return draft_.changed(); }
  /// RFC 7386 patch from the original to now; "{}" when nothing changed.
  std::string merge_patch() const { return draft_.merge_patch(); }
  /// RFC 6902 patch from the original to now; "[]" when nothing changed.
  std::string json_patch() const { return draft_.json_patch(); }

 protected:
  static meta::Draft begin(std::string_view api_version, std::string_view kind) {
    meta::Draft draft;
    draft["apiVersion"].set(api_version);
    draft["kind"].set(kind);
    return draft;
  }
  meta::Draft draft_;
};

/// The object if it is of this apiVersion and kind, otherwise an Error that says what it is.
KUBEXX_EXPORT Result<meta::Object> checked(meta::Object object, std::string_view api_version, std::string_view kind);

}  // namespace kubexx::api
