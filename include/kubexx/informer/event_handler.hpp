#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kubexx/base/export.hpp"
#include "kubexx/base/lifetime.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/meta/object_key.hpp"
#include "kubexx/meta/typed.hpp"

namespace kubexx::informer {

/// Why a handler is called.
enum class EventCause : std::uint8_t {
  Initial,  ///< part of the first list, or of the replay for a handler that came late
  Watch,    ///< the server said so
  Relist,   ///< found by comparing a new list with the cache
  Resync,   ///< nothing changed; the handler asked for a reminder
};
KUBEXX_EXPORT std::string_view to_string(EventCause cause) noexcept;

/// What a handler may ask about the call it is in. Valid during the call.
class KUBEXX_EXPORT EventContext {
 public:
  EventContext(EventCause cause, std::stop_token stop, const meta::Object* before, const meta::Object* after,
               const meta::KeyFunc* key_func = nullptr)
      : cause_(cause), stop_(std::move(stop)), before_(before), after_(after), key_func_(key_func) {}
  /// Why the handler is called.
  EventCause cause() const noexcept { return cause_; }
  /// The key under which the informer's cache has an object: by its key function, or "namespace/name".
  std::string key_of(const meta::Object& object) const;
  /// Fires when the informer stops or the handler is removed; for handlers that wait.
  const std::stop_token& stop() const noexcept { return stop_; }
  /// JSON pointers at which an update changed the object; computed when asked for. Empty for adds and deletes.
  std::vector<std::string> changed_paths(std::size_t limit = 100) const;

 private:
  EventCause cause_;
  std::stop_token stop_;
  const meta::Object* before_;
  const meta::Object* after_;
  const meta::KeyFunc* key_func_;
};

/// What is left of a deleted object. `last_known` may be stale, or null, when the deletion was only inferred.
template <class T>
class Deleted {
 public:
  Deleted(std::string key, T last_known, bool final_state_known)
      : key_(std::move(key)), last_known_(std::move(last_known)), final_state_known_(final_state_known) {}
  /// What is known of what was deleted.
  const std::string& key() const noexcept KUBEXX_LIFETIMEBOUND { return key_; }
  const T& last_known() const noexcept KUBEXX_LIFETIMEBOUND { return last_known_; }
  bool final_state_known() const noexcept { return final_state_known_; }
  /// From the key, split at its first slash; never fails.
  meta::ObjectKey object_key() const {
    const auto slash = key_.find('/');
    if (slash == std::string::npos) return {"", key_};
    return {key_.substr(0, slash), key_.substr(slash + 1)};
  }

 private:
  std::string key_;
  T last_known_;
  bool final_state_known_;
};

/// The untyped receiver of events, for a handler that is a class; ResourceEventHandlerFuncs is one of functions.
///
/// Threads: calls of one registration come one at a time, in order, on a thread of the handlers' executor, and without
/// a lock of the library's: they may block, call the informer, add and remove handlers.
/// Stop: a call that waits does so with context.stop(). A call that runs is finished, whoever ends the handler.
/// Errors: what a call throws is reported (error_sink.hpp) and counted; the next call comes all the same.
/// Example:
///
///     class Counting final : public informer::ResourceEventHandler {
///      public:
///       void on_add(const meta::Object&, bool, const informer::EventContext&) override { ++there; }
///       void on_update(const meta::Object&, const meta::Object&, const informer::EventContext&) override {}
///       void on_delete(const informer::Deleted<meta::Object>&, const informer::EventContext&) override { --there; }
///       std::atomic<int> there{0};
///     };
///     auto counting = std::make_shared<Counting>();
///     auto registration = factory.core().v1().pods().add_event_handler(counting);
class KUBEXX_EXPORT ResourceEventHandler {
 public:
  virtual ~ResourceEventHandler() = default;
  /// An object that is new to the handler; one that changed, before and after; one that is gone.
  virtual void on_add(const meta::Object& object, bool is_in_initial_list, const EventContext& context) = 0;
  virtual void on_update(const meta::Object& before, const meta::Object& after, const EventContext& context) = 0;
  virtual void on_delete(const Deleted<meta::Object>& gone, const EventContext& context) = 0;
};

namespace detail {

template <class>
inline constexpr bool kNoShape = false;

// What the functions of a handler may look like. Each leaves out what it does not want, the EventContext too.
template <class T>
struct AddShapes {
  using Function = std::function<void(const T&, bool, const EventContext&)>;
  template <class F>
  static Function adapt(F f) {
    if constexpr (std::is_invocable_v<F&, const T&, bool, const EventContext&>) {
      return f;
    } else if constexpr (std::is_invocable_v<F&, const T&, bool>) {
      return [f = std::move(f)](const T& object, bool initial, const EventContext&) mutable { f(object, initial); };
    } else if constexpr (std::is_invocable_v<F&, const T&, const EventContext&>) {
      return [f = std::move(f)](const T& object, bool, const EventContext& context) mutable { f(object, context); };
    } else if constexpr (std::is_invocable_v<F&, const T&>) {
      return [f = std::move(f)](const T& object, bool, const EventContext&) mutable { f(object); };
    } else {
      static_assert(kNoShape<F>,
                    "on_add takes (const T& object), (object, bool is_in_initial_list), (object, const "
                    "EventContext&) or (object, is_in_initial_list, context)");
    }
  }
};

template <class T>
struct UpdateShapes {
  using Function = std::function<void(const T&, const T&, const EventContext&)>;
  template <class F>
  static Function adapt(F f) {
    if constexpr (std::is_invocable_v<F&, const T&, const T&, const EventContext&>) {
      return f;
    } else if constexpr (std::is_invocable_v<F&, const T&, const T&>) {
      return [f = std::move(f)](const T& before, const T& after, const EventContext&) mutable { f(before, after); };
    } else if constexpr (std::is_invocable_v<F&, const T&, const EventContext&>) {
      return [f = std::move(f)](const T&, const T& after, const EventContext& context) mutable { f(after, context); };
    } else if constexpr (std::is_invocable_v<F&, const T&>) {
      return [f = std::move(f)](const T&, const T& after, const EventContext&) mutable { f(after); };
    } else {
      static_assert(kNoShape<F>,
                    "on_update takes (const T& after), (const T& before, const T& after), (after, const "
                    "EventContext&) or (before, after, context)");
    }
  }
};

template <class T>
struct DeleteShapes {
  using Function = std::function<void(const Deleted<T>&, const EventContext&)>;
  template <class F>
  static Function adapt(F f) {
    if constexpr (std::is_invocable_v<F&, const Deleted<T>&, const EventContext&>) {
      return f;
    } else if constexpr (std::is_invocable_v<F&, const Deleted<T>&>) {
      return [f = std::move(f)](const Deleted<T>& gone, const EventContext&) mutable { f(gone); };
    } else {
      static_assert(kNoShape<F>,
                    "on_delete takes (const Deleted<T>& gone) or (gone, const EventContext&); the object is "
                    "gone.last_known(), which may be null");
    }
  }
};

}  // namespace detail

/// A function of a handler in any of the shapes that fit its event; another one does not compile.
template <class Shapes>
class Callback {
 public:
  Callback() = default;
  Callback(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, Callback>)
  Callback(F function) {  // NOLINT(google-explicit-constructor)
    if constexpr (std::is_constructible_v<bool, F&> && !std::is_convertible_v<F&, bool>) {
      if (!static_cast<bool>(function)) return;  // an empty std::function
    }
    call_ = Shapes::adapt(std::move(function));
  }
  explicit operator bool() const noexcept { return static_cast<bool>(call_); }
  template <class... Arguments>
  void operator()(const Arguments&... arguments) const {
    if (call_) call_(arguments...);
  }

 private:
  typename Shapes::Function call_;
};

/// A handler from functions, any of which may be absent. Each may leave out what it does not want: an on_update with
/// one argument gets the object as it is now.
///
/// Threads: the functions of one handler are called one at a time, in order, on a thread of the handlers' executor, and
/// without a lock of the library's: they may block, call the informer, add and remove handlers.
/// Stop: a function that waits does so with the stop() of its EventContext.
/// Errors: what they throw is reported (error_sink.hpp) and counted; the next call comes all the same.
/// Example:
///
///     auto registration = factory.core().v1().pods().add_event_handler({
///         .on_add = [](const Pod& pod) { greet(pod.name()); },
///         .on_update = [](const Pod& before, const Pod& after) { compare(before, after); },
///         .on_delete = [](const informer::Deleted<Pod>& gone) { forget(gone.key()); },
///     });
template <class T = meta::Object>
struct ResourceEventHandlerFuncs {
  Callback<detail::AddShapes<T>> on_add = {};
  Callback<detail::UpdateShapes<T>> on_update = {};
  Callback<detail::DeleteShapes<T>> on_delete = {};
};

/// Passes on what the filter accepts. An update that starts to match is an add, one that stops matching a delete. The
/// filter is called where the handler is, and what it throws is the call's.
///
/// Example:
///
///     informer::FilteringResourceEventHandler<Pod> running;
///     running.filter = [](const Pod& pod) { return pod.status().phase() == "Running"; };
///     running.handler.on_add = [](const Pod& pod) { greet(pod.name()); };
///     auto registration = factory.core().v1().pods().add_event_handler(running);
template <class T = meta::Object>
struct FilteringResourceEventHandler {
  /// Sees the last known object of a delete, which may be null. Absent: everything passes.
  std::function<bool(const T&)> filter = {};
  ResourceEventHandlerFuncs<T> handler = {};
};

/// A handler as a class, of functions, or of a filter before functions.
template <class T>
std::shared_ptr<ResourceEventHandler> make_handler(ResourceEventHandlerFuncs<T> functions) {
  class Funcs final : public ResourceEventHandler {
   public:
    explicit Funcs(ResourceEventHandlerFuncs<T> f) : f_(std::move(f)) {}
    void on_add(const meta::Object& object, bool initial, const EventContext& context) override {
      if (f_.on_add) f_.on_add(meta::typed_handle<T>(object), initial, context);
    }
    void on_update(const meta::Object& before, const meta::Object& after, const EventContext& context) override {
      if (f_.on_update) f_.on_update(meta::typed_handle<T>(before), meta::typed_handle<T>(after), context);
    }
    void on_delete(const Deleted<meta::Object>& gone, const EventContext& context) override {
      if (!f_.on_delete) return;
      f_.on_delete(Deleted<T>(gone.key(), meta::typed_handle<T>(gone.last_known()), gone.final_state_known()), context);
    }

   private:
    ResourceEventHandlerFuncs<T> f_;
  };
  return std::make_shared<Funcs>(std::move(functions));
}

template <class T>
std::shared_ptr<ResourceEventHandler> make_handler(FilteringResourceEventHandler<T> filtering) {
  class Filtering final : public ResourceEventHandler {
   public:
    explicit Filtering(FilteringResourceEventHandler<T> f) : f_(std::move(f)) {}
    void on_add(const meta::Object& object, bool initial, const EventContext& context) override {
      const auto typed = meta::typed_handle<T>(object);
      if (accepts(typed)) f_.handler.on_add(typed, initial, context);
    }
    void on_update(const meta::Object& before, const meta::Object& after, const EventContext& context) override {
      const auto from = meta::typed_handle<T>(before);
      const auto to = meta::typed_handle<T>(after);
      const bool was = accepts(from);
      const bool is = accepts(to);
      if (was && is) f_.handler.on_update(from, to, context);
      if (!was && is) f_.handler.on_add(to, false, context);
      if (was && !is) {
        f_.handler.on_delete(Deleted<T>(context.key_of(before), from, true), context);
      }
    }
    void on_delete(const Deleted<meta::Object>& gone, const EventContext& context) override {
      const auto last = meta::typed_handle<T>(gone.last_known());
      if (accepts(last)) f_.handler.on_delete(Deleted<T>(gone.key(), last, gone.final_state_known()), context);
    }

   private:
    bool accepts(const T& object) const { return !f_.filter || f_.filter(object); }

    FilteringResourceEventHandler<T> f_;
  };
  return std::make_shared<Filtering>(std::move(filtering));
}

}  // namespace kubexx::informer
