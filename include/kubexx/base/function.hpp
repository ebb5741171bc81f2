#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace kubexx {

/// A function that can be moved and not copied; it may own what cannot be copied either.
template <class Signature>
class UniqueFunction;

/// A callable that is moved, never copied, so it may own what cannot be copied. Small ones live inside it.
template <class R, class... Args>
class UniqueFunction<R(Args...)> {
 public:
  UniqueFunction() noexcept = default;
  UniqueFunction(std::nullptr_t) noexcept {}
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, UniqueFunction> &&
             std::is_invocable_r_v<R, std::decay_t<F>&, Args...>)
  UniqueFunction(F&& callable) {
    using Fn = std::decay_t<F>;
    if constexpr (sizeof(Fn) <= kInline && alignof(Fn) <= alignof(std::max_align_t) &&
                  std::is_nothrow_move_constructible_v<Fn>) {
      ::new (static_cast<void*>(&storage_)) Fn(std::forward<F>(callable));
      table_ = &kInlineTable<Fn>;
    } else {
      ::new (static_cast<void*>(&storage_)) Fn*(new Fn(std::forward<F>(callable)));
      table_ = &kHeapTable<Fn>;
    }
  }
  UniqueFunction(UniqueFunction&& other) noexcept { take(other); }
  UniqueFunction& operator=(UniqueFunction&& other) noexcept {
    if (this != &other) {
      reset();
      take(other);
    }
    return *this;
  }
  UniqueFunction(const UniqueFunction&) = delete;
  UniqueFunction& operator=(const UniqueFunction&) = delete;
  ~UniqueFunction() { reset(); }

  explicit operator bool() const noexcept { return table_ != nullptr; }
  R operator()(Args... args) { return table_->call(&storage_, std::forward<Args>(args)...); }
  /// Drops the function, and what it owns.
  void reset() noexcept {
    if (table_) std::exchange(table_, nullptr)->destroy(&storage_);
  }

 private:
  static constexpr std::size_t kInline = 48;
  struct Table {
    R (*call)(void*, Args&&...);
    void (*move)(void* from, void* to) noexcept;
    void (*destroy)(void*) noexcept;
  };
  template <class Fn>
  static R invoke(Fn& callable, Args&&... args) {
    if constexpr (std::is_void_v<R>) {
      static_cast<void>(callable(std::forward<Args>(args)...));
    } else {
      return callable(std::forward<Args>(args)...);
    }
  }
  template <class Fn>
  static constexpr Table kInlineTable{
      [](void* self, Args&&... args) -> R { return invoke(*static_cast<Fn*>(self), std::forward<Args>(args)...); },
      [](void* from, void* to) noexcept {
        ::new (to) Fn(std::move(*static_cast<Fn*>(from)));
        static_cast<Fn*>(from)->~Fn();
      },
      [](void* self) noexcept { static_cast<Fn*>(self)->~Fn(); }};
  template <class Fn>
  static constexpr Table kHeapTable{
      [](void* self, Args&&... args) -> R { return invoke(**static_cast<Fn**>(self), std::forward<Args>(args)...); },
      [](void* from, void* to) noexcept { ::new (to) Fn*(*static_cast<Fn**>(from)); },
      [](void* self) noexcept { delete *static_cast<Fn**>(self); }};

  void take(UniqueFunction& other) noexcept {
    table_ = std::exchange(other.table_, nullptr);
    if (table_) table_->move(&other.storage_, &storage_);
  }

  const Table* table_ = nullptr;
  alignas(std::max_align_t) std::byte storage_[kInline];
};

/// What executors run.
using Task = UniqueFunction<void()>;

}  // namespace kubexx
