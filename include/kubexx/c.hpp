#pragma once

// <kubexx/c.h> for C++17: handles that free themselves, errors that are thrown, and callbacks that are any callable. It
// forwards and does nothing else; what each function means stands there. It belongs to the program: nothing of it is in
// libkubexx_c, so the program and the library need not agree on a standard library.

#include "kubexx/c.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace kubexx_c {

/// KUBEXX_C_VERSION of the library that is there, which may be newer than that of the header.
inline int c_version() noexcept {
  return kubexx_c_version();
}
/// "0.2.0"
inline std::string_view version_text() noexcept {
  return kubexx_version_text();
}

/// A failure, as it was when it happened.
class Error : public std::runtime_error {
 public:
  Error(kubexx_status status, const kubexx_error* error)
      : std::runtime_error(error ? kubexx_error_message(error) : kubexx_status_text(status)),
        status_(status),
        http_code_(kubexx_error_http_code(error)),
        reason_(kubexx_error_reason(error)),
        retry_after_ms_(kubexx_error_retry_after_ms(error)),
        retriable_(kubexx_error_is_retriable(error) != 0) {}
  explicit Error(const kubexx_error* error) : Error(kubexx_error_status(error), error) {}
  kubexx_status status() const noexcept { return status_; }
  int http_code() const noexcept { return http_code_; }
  const std::string& reason() const noexcept { return reason_; }
  /// How long the server asks to wait; -1: it does not say.
  std::int64_t retry_after_ms() const noexcept { return retry_after_ms_; }
  bool is_retriable() const noexcept { return retriable_; }

 private:
  kubexx_status status_;
  int http_code_;
  std::string reason_;
  std::int64_t retry_after_ms_;
  bool retriable_;
};

namespace detail {

template <class Function>
void call(Function function) {
  kubexx_error* error = nullptr;
  const kubexx_status status = function(&error);
  const std::unique_ptr<kubexx_error, void (*)(kubexx_error*)> freed(error, &kubexx_error_free);
  if (status != KUBEXX_OK) throw Error(status, error);
}

/// For functions whose second to last parameter is the handle that they make.
template <class T, class Function>
T* make(Function function) {
  T* made = nullptr;
  call([&](kubexx_error** error) { return function(&made, error); });
  return made;
}

template <class Function>
std::string text(Function function) {
  char* text = nullptr;
  std::size_t size = 0;
  call([&](kubexx_error** error) { return function(&text, &size, error); });
  const std::unique_ptr<char, void (*)(char*)> freed(text, &kubexx_text_free);
  return {text, size};
}

inline std::string_view view(kubexx_view text) noexcept {
  return {text.data, text.size};
}

/// A callable as user_data: the library releases it, unless it did not take it.
template <class Callable>
class Boxed {
 public:
  explicit Boxed(Callable callable) : box_(std::make_unique<Callable>(std::move(callable))) {}
  void* get() const noexcept { return box_.get(); }
  void taken() noexcept { static_cast<void>(box_.release()); }
  static void release(void* box) { delete static_cast<Callable*>(box); }

 private:
  std::unique_ptr<Callable> box_;
};

template <class T, void (*Free)(T*)>
class Handle {
 public:
  explicit Handle(T* owned) noexcept : owned_(owned) {}
  T* get() const noexcept { return owned_.get(); }
  /// Frees it now.
  void reset() noexcept { owned_.reset(); }
  explicit operator bool() const noexcept { return owned_ != nullptr; }

 private:
  struct Freeing {
    void operator()(T* owned) const noexcept { Free(owned); }
  };
  std::unique_ptr<T, Freeing> owned_;
};

}  // namespace detail

class Stopper : public detail::Handle<kubexx_stopper, kubexx_stopper_free> {
 public:
  Stopper() : Handle(detail::make<kubexx_stopper>(kubexx_stopper_new)) {}
  void stop() const { kubexx_stopper_stop(get()); }
};

/// `Options().set(KUBEXX_OPTION_NAMESPACE, "shop")`
class Options : public detail::Handle<kubexx_options, kubexx_options_free> {
 public:
  Options() : Handle(detail::make<kubexx_options>(kubexx_options_new)) {}
  Options& set(kubexx_option option, const std::string& value) & {
    detail::call([&](kubexx_error** error) { return kubexx_options_set(get(), option, value.c_str(), error); });
    return *this;
  }
  Options& set(kubexx_option option, std::int64_t value) & {
    detail::call([&](kubexx_error** error) { return kubexx_options_set_number(get(), option, value, error); });
    return *this;
  }
  Options& set(const Stopper& stopper) & {
    detail::call([&](kubexx_error** error) { return kubexx_options_set_stopper(get(), stopper.get(), error); });
    return *this;
  }
  template <class... Arguments>
  Options set(Arguments&&... arguments) && {
    set(std::forward<Arguments>(arguments)...);
    return std::move(*this);
  }
  static Options none() { return Options(nullptr); }

 private:
  explicit Options(std::nullptr_t) : Handle(nullptr) {}
};

class Loop : public detail::Handle<kubexx_loop, kubexx_loop_free> {
 public:
  Loop() : Handle(detail::make<kubexx_loop>(kubexx_loop_new)) {}
  int fd() const noexcept { return kubexx_loop_fd(get()); }
  std::size_t run_ready() const {
    std::size_t ran = 0;
    detail::call([&](kubexx_error** error) { return kubexx_loop_run_ready(get(), &ran, error); });
    return ran;
  }
};

class Config : public detail::Handle<kubexx_config, kubexx_config_free> {
 public:
  static Config load(const Options& options = Options::none()) { return Config(options, kubexx_config_load); }
  static Config in_cluster(const Options& options = Options::none()) {
    return Config(options, kubexx_config_in_cluster);
  }
  static Config from(const Options& options) { return Config(options, kubexx_config_explicit); }
  std::string_view server() const noexcept { return detail::view(kubexx_config_server(get())); }
  std::string_view default_namespace() const noexcept { return detail::view(kubexx_config_namespace(get())); }

 private:
  template <class Function>
  Config(const Options& options, Function function)
      : Handle(detail::make<kubexx_config>(
            [&](kubexx_config** made, kubexx_error** error) { return function(options.get(), made, error); })) {}
};

/// An object that somebody else holds. Copying it copies a pointer.
class ObjectView {
 public:
  explicit ObjectView(const kubexx_object* object) noexcept : object_(object) {}
  const kubexx_object* get() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

  std::string_view name() const noexcept { return detail::view(kubexx_object_name(object_)); }
  std::string_view name_space() const noexcept { return detail::view(kubexx_object_namespace(object_)); }
  std::string_view uid() const noexcept { return detail::view(kubexx_object_uid(object_)); }
  std::string_view resource_version() const noexcept { return detail::view(kubexx_object_resource_version(object_)); }
  kubexx_value_type type(const char* pointer) const noexcept { return kubexx_object_type(object_, pointer); }
  /// Empty: not there, or of another type.
  std::optional<std::string_view> string(const char* pointer) const noexcept {
    kubexx_view found{};
    if (kubexx_object_string(object_, pointer, &found) != KUBEXX_OK) return {};
    return detail::view(found);
  }
  std::optional<std::int64_t> integer(const char* pointer) const noexcept {
    return read<std::int64_t>(pointer, kubexx_object_int);
  }
  std::optional<double> real(const char* pointer) const noexcept { return read<double>(pointer, kubexx_object_double); }
  std::optional<bool> boolean(const char* pointer) const noexcept {
    const auto found = read<int>(pointer, kubexx_object_bool);
    if (!found) return {};
    return *found != 0;
  }
  std::optional<std::size_t> size(const char* pointer) const noexcept {
    return read<std::size_t>(pointer, kubexx_object_size);
  }
  std::optional<std::string_view> key_at(const char* pointer, std::size_t place) const noexcept {
    kubexx_view found{};
    if (kubexx_object_key_at(object_, pointer, place, &found) != KUBEXX_OK) return {};
    return detail::view(found);
  }
  std::string json(const char* pointer = "") const {
    return detail::text([&](char** text, std::size_t* size, kubexx_error** error) {
      return kubexx_object_json(object_, pointer, text, size, error);
    });
  }

 private:
  template <class T, class Function>
  std::optional<T> read(const char* pointer, Function function) const noexcept {
    T found{};
    if (function(object_, pointer, &found) != KUBEXX_OK) return {};
    return found;
  }
  const kubexx_object* object_;
};

class Object : public detail::Handle<kubexx_object, kubexx_object_free> {
 public:
  using Handle::Handle;
  explicit Object(ObjectView other)
      : Handle(detail::make<kubexx_object>(
            [&](kubexx_object** made, kubexx_error** error) { return kubexx_object_ref(other.get(), made, error); })) {}
  static Object parse(std::string_view json) {
    return Object(detail::make<kubexx_object>([&](kubexx_object** made, kubexx_error** error) {
      return kubexx_object_parse(json.data(), json.size(), made, error);
    }));
  }
  ObjectView view() const noexcept { return ObjectView(get()); }
};

class List : public detail::Handle<kubexx_list, kubexx_list_free> {
 public:
  using Handle::Handle;
  std::size_t size() const noexcept { return kubexx_list_size(get()); }
  ObjectView operator[](std::size_t place) const noexcept { return ObjectView(kubexx_list_at(get(), place)); }
};

class Client : public detail::Handle<kubexx_client, kubexx_client_free> {
 public:
  /// The result of a call: JSON, or an error that is not null.
  using OnAnswer = std::function<void(std::string_view json, const Error* error)>;

  using Handle::Handle;
  explicit Client(const Config& config) : Client(config, nullptr) {}
  Client(const Config& config, const Loop& loop) : Client(config, loop.get()) {}

  std::string get_object(const std::string& resource, const std::string& name_space, const std::string& name,
                         const Options& options = Options::none()) const {
    return answer(kubexx_client_get, resource, name_space, name.c_str(), options.get());
  }
  std::string list(const std::string& resource, const std::string& name_space = {},
                   const Options& options = Options::none()) const {
    return answer(kubexx_client_list, resource, name_space, options.get());
  }
  std::string create(const std::string& resource, const std::string& name_space, std::string_view body,
                     const Options& options = Options::none()) const {
    return answer(kubexx_client_create, resource, name_space, body.data(), body.size(), options.get());
  }
  std::string update(const std::string& resource, const std::string& name_space, std::string_view body,
                     const Options& options = Options::none()) const {
    return answer(kubexx_client_update, resource, name_space, body.data(), body.size(), options.get());
  }
  std::string patch(const std::string& resource, const std::string& name_space, const std::string& name,
                    kubexx_patch_type type, std::string_view body, const Options& options = Options::none()) const {
    return answer(kubexx_client_patch, resource, name_space, name.c_str(), type, body.data(), body.size(),
                  options.get());
  }
  std::string apply(const std::string& resource, const std::string& name_space, std::string_view body,
                    const Options& options) const {
    return answer(kubexx_client_apply, resource, name_space, body.data(), body.size(), options.get());
  }
  void remove(const std::string& resource, const std::string& name_space, const std::string& name,
              const Options& options = Options::none()) const {
    detail::call([&](kubexx_error** error) {
      return kubexx_client_delete(get(), resource.c_str(), name_space.c_str(), name.c_str(), options.get(), error);
    });
  }

  void get_object_async(const std::string& resource, const std::string& name_space, const std::string& name,
                        OnAnswer on_answer, const Options& options = Options::none()) const {
    begin(std::move(on_answer), kubexx_client_get_async, resource, name_space, name.c_str(), options.get());
  }
  void list_async(const std::string& resource, const std::string& name_space, OnAnswer on_answer,
                  const Options& options = Options::none()) const {
    begin(std::move(on_answer), kubexx_client_list_async, resource, name_space, options.get());
  }
  void create_async(const std::string& resource, const std::string& name_space, std::string_view body,
                    OnAnswer on_answer, const Options& options = Options::none()) const {
    begin(std::move(on_answer), kubexx_client_create_async, resource, name_space, body.data(), body.size(),
          options.get());
  }
  void update_async(const std::string& resource, const std::string& name_space, std::string_view body,
                    OnAnswer on_answer, const Options& options = Options::none()) const {
    begin(std::move(on_answer), kubexx_client_update_async, resource, name_space, body.data(), body.size(),
          options.get());
  }
  void patch_async(const std::string& resource, const std::string& name_space, const std::string& name,
                   kubexx_patch_type type, std::string_view body, OnAnswer on_answer,
                   const Options& options = Options::none()) const {
    begin(std::move(on_answer), kubexx_client_patch_async, resource, name_space, name.c_str(), type, body.data(),
          body.size(), options.get());
  }
  void apply_async(const std::string& resource, const std::string& name_space, std::string_view body,
                   OnAnswer on_answer, const Options& options) const {
    begin(std::move(on_answer), kubexx_client_apply_async, resource, name_space, body.data(), body.size(),
          options.get());
  }
  void remove_async(const std::string& resource, const std::string& name_space, const std::string& name,
                    OnAnswer on_answer, const Options& options = Options::none()) const {
    begin(std::move(on_answer), kubexx_client_delete_async, resource, name_space, name.c_str(), options.get());
  }

 private:
  Client(const Config& config, kubexx_loop* loop)
      : Handle(detail::make<kubexx_client>([&](kubexx_client** made, kubexx_error** error) {
          return kubexx_client_new(config.get(), nullptr, loop, made, error);
        })) {}

  template <class Function, class... Arguments>
  std::string answer(Function function, const std::string& resource, const std::string& name_space,
                     Arguments... arguments) const {
    return detail::text([&](char** text, std::size_t* size, kubexx_error** error) {
      return function(get(), resource.c_str(), name_space.c_str(), arguments..., text, size, error);
    });
  }
  template <class Function, class... Arguments>
  void begin(OnAnswer on_answer, Function function, const std::string& resource, const std::string& name_space,
             Arguments... arguments) const {
    detail::Boxed<OnAnswer> box(std::move(on_answer));
    detail::call([&](kubexx_error** error) {
      return function(get(), resource.c_str(), name_space.c_str(), arguments..., &told, box.get(),
                      &detail::Boxed<OnAnswer>::release, error);
    });
    box.taken();
  }
  static void told(const char* json, std::size_t size, const kubexx_error* error, void* box) {
    const auto& on_answer = *static_cast<OnAnswer*>(box);
    if (!error) return on_answer({json, size}, nullptr);
    const Error failure(error);
    on_answer({}, &failure);
  }
};

/// What a handler is called with, for as long as the call takes.
class Event {
 public:
  explicit Event(const kubexx_event* event) noexcept : event_(event) {}
  kubexx_event_type type() const noexcept { return kubexx_event_get_type(event_); }
  kubexx_event_cause cause() const noexcept { return kubexx_event_get_cause(event_); }
  ObjectView object() const noexcept { return ObjectView(kubexx_event_object(event_)); }
  ObjectView before() const noexcept { return ObjectView(kubexx_event_before(event_)); }
  std::string_view key() const noexcept { return detail::view(kubexx_event_key(event_)); }
  bool final_state_known() const noexcept { return kubexx_event_final_state_known(event_) != 0; }

 private:
  const kubexx_event* event_;
};

class Registration : public detail::Handle<kubexx_registration, kubexx_registration_free> {
 public:
  using Handle::Handle;
  bool has_synced() const noexcept { return kubexx_registration_has_synced(get()) != 0; }
};

class Snapshot : public detail::Handle<kubexx_snapshot, kubexx_snapshot_free> {
 public:
  using Handle::Handle;
  std::size_t size() const noexcept { return kubexx_snapshot_size(get()); }
  std::string_view resource_version() const noexcept { return detail::view(kubexx_snapshot_resource_version(get())); }
  Object get_object(const std::string& key) const {
    return Object(detail::make<kubexx_object>([&](kubexx_object** made, kubexx_error** error) {
      return kubexx_snapshot_get(get(), key.c_str(), made, error);
    }));
  }
  List list() const {
    return List(detail::make<kubexx_list>(
        [&](kubexx_list** made, kubexx_error** error) { return kubexx_snapshot_list(get(), made, error); }));
  }
  List by_index(const std::string& index, const std::string& value) const {
    return List(detail::make<kubexx_list>([&](kubexx_list** made, kubexx_error** error) {
      return kubexx_snapshot_by_index(get(), index.c_str(), value.c_str(), made, error);
    }));
  }
};

class Informer : public detail::Handle<kubexx_informer, kubexx_informer_free> {
 public:
  using OnEvent = std::function<void(const Event&)>;

  Informer(const Client& client, const std::string& resource, const Options& options = Options::none())
      : Handle(detail::make<kubexx_informer>([&](kubexx_informer** made, kubexx_error** error) {
          return kubexx_informer_new(client.get(), resource.c_str(), options.get(), made, error);
        })) {}

  Registration add_handler(OnEvent on_event, const Options& options = Options::none()) const {
    detail::Boxed<OnEvent> box(std::move(on_event));
    auto* const made = detail::make<kubexx_registration>([&](kubexx_registration** to, kubexx_error** error) {
      return kubexx_informer_add_handler(get(), options.get(), &told, box.get(), &detail::Boxed<OnEvent>::release, to,
                                         error);
    });
    box.taken();
    return Registration(made);
  }
  void start() const {
    detail::call([&](kubexx_error** error) { return kubexx_informer_start(get(), error); });
  }
  void stop() const noexcept { kubexx_informer_stop(get()); }
  void join() const {
    detail::call([&](kubexx_error** error) { return kubexx_informer_join(get(), error); });
  }
  bool has_synced() const noexcept { return kubexx_informer_has_synced(get()) != 0; }
  void wait_for_sync(const Options& options = Options::none()) const {
    detail::call([&](kubexx_error** error) { return kubexx_informer_wait_for_sync(get(), options.get(), error); });
  }
  void wait_for_version(const std::string& version, const Options& options = Options::none()) const {
    detail::call([&](kubexx_error** error) {
      return kubexx_informer_wait_for_version(get(), version.c_str(), options.get(), error);
    });
  }
  std::string status() const {
    return detail::text([&](char** text, std::size_t* size, kubexx_error** error) {
      return kubexx_informer_status(get(), text, size, error);
    });
  }

  std::size_t size() const noexcept { return kubexx_informer_size(get()); }
  Object get_object(const std::string& key) const {
    return Object(detail::make<kubexx_object>([&](kubexx_object** made, kubexx_error** error) {
      return kubexx_informer_get(get(), key.c_str(), made, error);
    }));
  }
  List list(const std::string& name_space = {}, const std::string& label_selector = {}) const {
    return List(detail::make<kubexx_list>([&](kubexx_list** made, kubexx_error** error) {
      return kubexx_informer_list(get(), name_space.c_str(), label_selector.c_str(), made, error);
    }));
  }
  List by_index(const std::string& index, const std::string& value) const {
    return List(detail::make<kubexx_list>([&](kubexx_list** made, kubexx_error** error) {
      return kubexx_informer_by_index(get(), index.c_str(), value.c_str(), made, error);
    }));
  }
  Snapshot snapshot() const {
    return Snapshot(detail::make<kubexx_snapshot>(
        [&](kubexx_snapshot** made, kubexx_error** error) { return kubexx_informer_snapshot(get(), made, error); }));
  }

 private:
  static void told(const kubexx_event* event, void* box) { (*static_cast<OnEvent*>(box))(Event(event)); }
};

class Elector : public detail::Handle<kubexx_elector, kubexx_elector_free> {
 public:
  /// `holder` is that of KUBEXX_NEW_LEADER.
  using OnElection = std::function<void(kubexx_election_event_type type, std::string_view holder)>;

  Elector(const Client& client, const Options& options, OnElection on_election)
      : Handle(make(client, options, std::move(on_election))) {}
  void start() const {
    detail::call([&](kubexx_error** error) { return kubexx_elector_start(get(), error); });
  }
  void stop() const noexcept { kubexx_elector_stop(get()); }
  bool is_leader() const noexcept { return kubexx_elector_is_leader(get()) != 0; }
  bool may_lead() const noexcept { return kubexx_elector_may_lead(get()) != 0; }
  void wait_until_leading(const Options& options = Options::none()) const {
    detail::call([&](kubexx_error** error) { return kubexx_elector_wait_until_leading(get(), options.get(), error); });
  }
  std::string token() const {
    return detail::text([&](char** text, std::size_t* size, kubexx_error** error) {
      const kubexx_status status = kubexx_elector_token(get(), text, error);
      if (status == KUBEXX_OK) *size = std::char_traits<char>::length(*text);
      return status;
    });
  }
  Client guarded_client() const {
    return Client(detail::make<kubexx_client>(
        [&](kubexx_client** made, kubexx_error** error) { return kubexx_elector_guarded_client(get(), made, error); }));
  }

 private:
  static kubexx_elector* make(const Client& client, const Options& options, OnElection on_election) {
    detail::Boxed<OnElection> box(std::move(on_election));
    auto* const made = detail::make<kubexx_elector>([&](kubexx_elector** to, kubexx_error** error) {
      return kubexx_elector_new(client.get(), options.get(), &told, box.get(), &detail::Boxed<OnElection>::release, to,
                                error);
    });
    box.taken();
    return made;
  }
  static void told(const kubexx_election_event* event, void* box) {
    (*static_cast<OnElection*>(box))(kubexx_election_event_get_type(event),
                                     detail::view(kubexx_election_event_holder(event)));
  }
};

/// Who leads, as it was known at one moment; borrowed.
class LeaderView {
 public:
  explicit LeaderView(const kubexx_leader* leader) noexcept : leader_(leader) {}
  std::string_view holder() const noexcept { return detail::view(kubexx_leader_holder(leader_)); }
  std::string_view annotation(const char* key) const noexcept {
    return detail::view(kubexx_leader_annotation(leader_, key));
  }
  std::int64_t transitions() const noexcept { return kubexx_leader_transitions(leader_); }
  bool known() const noexcept { return kubexx_leader_known(leader_) != 0; }
  bool expired() const noexcept { return kubexx_leader_expired(leader_) != 0; }

 private:
  const kubexx_leader* leader_;
};

class Leader : public detail::Handle<kubexx_leader, kubexx_leader_free> {
 public:
  using Handle::Handle;
  LeaderView view() const noexcept { return LeaderView(get()); }
};

class Observer : public detail::Handle<kubexx_observer, kubexx_observer_free> {
 public:
  using OnLeader = std::function<void(const LeaderView&)>;

  Observer(const Client& client, const Options& options, OnLeader on_change)
      : Handle(make(client, options, std::move(on_change))) {}
  void start() const {
    detail::call([&](kubexx_error** error) { return kubexx_observer_start(get(), error); });
  }
  void stop() const noexcept { kubexx_observer_stop(get()); }
  void wait_for_leader(const Options& options = Options::none()) const {
    detail::call([&](kubexx_error** error) { return kubexx_observer_wait_for_leader(get(), options.get(), error); });
  }
  Leader leader() const {
    return Leader(detail::make<kubexx_leader>(
        [&](kubexx_leader** made, kubexx_error** error) { return kubexx_observer_leader(get(), made, error); }));
  }

 private:
  static kubexx_observer* make(const Client& client, const Options& options, OnLeader on_change) {
    detail::Boxed<OnLeader> box(std::move(on_change));
    auto* const made = detail::make<kubexx_observer>([&](kubexx_observer** to, kubexx_error** error) {
      return kubexx_observer_new(client.get(), options.get(), &told, box.get(), &detail::Boxed<OnLeader>::release, to,
                                 error);
    });
    box.taken();
    return made;
  }
  static void told(const kubexx_leader* leader, void* box) { (*static_cast<OnLeader*>(box))(LeaderView(leader)); }
};

/// A line of a container's log; borrowed.
class LogLine {
 public:
  explicit LogLine(const kubexx_log_line* line) noexcept : line_(line) {}
  std::string_view text() const noexcept { return detail::view(kubexx_log_line_text(line_)); }
  std::string_view name_space() const noexcept { return detail::view(kubexx_log_line_namespace(line_)); }
  std::string_view pod() const noexcept { return detail::view(kubexx_log_line_pod(line_)); }
  std::string_view uid() const noexcept { return detail::view(kubexx_log_line_uid(line_)); }
  std::string_view container() const noexcept { return detail::view(kubexx_log_line_container(line_)); }
  std::int64_t restarts() const noexcept { return kubexx_log_line_restarts(line_); }
  std::int64_t time_ns() const noexcept { return kubexx_log_line_time_ns(line_); }
  bool continues() const noexcept { return kubexx_log_line_continues(line_) != 0; }
  bool after_gap() const noexcept { return kubexx_log_line_after_gap(line_) != 0; }

 private:
  const kubexx_log_line* line_;
};

class Logs : public detail::Handle<kubexx_logs, kubexx_logs_free> {
 public:
  using OnLine = std::function<void(const LogLine&)>;
  /// `where` is a line without text.
  using OnProblem = std::function<void(const LogLine& where, const Error& error)>;

  Logs(const Client& client, const Options& options, OnLine on_line, OnProblem on_problem = nullptr)
      : Handle(make(client, options, {std::move(on_line), std::move(on_problem)})) {}
  void start() const {
    detail::call([&](kubexx_error** error) { return kubexx_logs_start(get(), error); });
  }
  void stop() const noexcept { kubexx_logs_stop(get()); }
  bool has_synced() const noexcept { return kubexx_logs_has_synced(get()) != 0; }
  std::int64_t open() const noexcept { return kubexx_logs_open(get()); }
  std::int64_t gaps() const noexcept { return kubexx_logs_gaps(get()); }

 private:
  struct Callbacks {
    OnLine on_line{};
    OnProblem on_problem{};  // may be empty
  };

  static kubexx_logs* make(const Client& client, const Options& options, Callbacks callbacks) {
    const kubexx_on_log_problem on_problem = callbacks.on_problem ? &failed : nullptr;
    detail::Boxed<Callbacks> box(std::move(callbacks));
    auto* const made = detail::make<kubexx_logs>([&](kubexx_logs** to, kubexx_error** error) {
      return kubexx_logs_new(client.get(), options.get(), &told, on_problem, box.get(),
                             &detail::Boxed<Callbacks>::release, to, error);
    });
    box.taken();
    return made;
  }
  static void told(const kubexx_log_line* line, void* box) { static_cast<Callbacks*>(box)->on_line(LogLine(line)); }
  static void failed(const kubexx_log_line* where, const kubexx_error* error, void* box) {
    static_cast<Callbacks*>(box)->on_problem(LogLine(where), Error(error));
  }
};

using OnLog = std::function<void(kubexx_log_level level, std::string_view line)>;
inline void set_log(kubexx_log_level minimum, OnLog on_log) {
  const auto told = [](kubexx_log_level level, kubexx_view line, void* box) {
    (*static_cast<OnLog*>(box))(level, detail::view(line));
  };
  detail::Boxed<OnLog> box(std::move(on_log));
  detail::call([&](kubexx_error** error) {
    return kubexx_set_log(minimum, told, box.get(), &detail::Boxed<OnLog>::release, error);
  });
  box.taken();
}
/// No line any more, of any level.
inline void set_no_log() {
  detail::call([](kubexx_error** error) { return kubexx_set_log(KUBEXX_LOG_OFF, nullptr, nullptr, nullptr, error); });
}

using OnError = std::function<void(const Error& error, std::string_view where)>;
inline void set_error_callback(OnError on_error) {
  const auto told = [](const kubexx_error* error, kubexx_view where, void* box) {
    (*static_cast<OnError*>(box))(Error(error), detail::view(where));
  };
  detail::Boxed<OnError> box(std::move(on_error));
  detail::call([&](kubexx_error** error) {
    return kubexx_set_error_callback(told, box.get(), &detail::Boxed<OnError>::release, error);
  });
  box.taken();
}
/// They become log lines again.
inline void set_no_error_callback() {
  detail::call([](kubexx_error** error) { return kubexx_set_error_callback(nullptr, nullptr, nullptr, error); });
}

inline std::string metrics() {
  return detail::text(
      [](char** text, std::size_t* size, kubexx_error** error) { return kubexx_metrics(text, size, error); });
}

}  // namespace kubexx_c
