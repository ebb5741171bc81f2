#include "c/boundary.hpp"
#include "c/informer.hpp"
#include "c/options.hpp"

namespace kubexx::c {
namespace {

kubexx_event_cause cause_of(const informer::EventContext& context) noexcept {
  switch (context.cause()) {
    case informer::EventCause::Initial:
      return KUBEXX_CAUSE_INITIAL;
    case informer::EventCause::Watch:
      return KUBEXX_CAUSE_WATCH;
    case informer::EventCause::Relist:
      return KUBEXX_CAUSE_RELIST;
    case informer::EventCause::Resync:
      return KUBEXX_CAUSE_RESYNC;
  }
  return KUBEXX_CAUSE_WATCH;
}

/// A handler of the program's.
class ForeignHandler final : public informer::ResourceEventHandler {
 public:
  ForeignHandler(kubexx_on_event on_event, std::shared_ptr<UserData> user_data)
      : on_event_(on_event), user_data_(std::move(user_data)) {}

  void on_add(const meta::Object& object, bool, const informer::EventContext& context) override {
    tell({KUBEXX_ADDED, cause_of(context), {object}, {}, context.key_of(object), true});
  }
  void on_update(const meta::Object& before, const meta::Object& after,
                 const informer::EventContext& context) override {
    tell({KUBEXX_UPDATED, cause_of(context), {after}, {before}, context.key_of(after), true});
  }
  void on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext& context) override {
    tell({KUBEXX_DELETED, cause_of(context), {gone.last_known()}, {}, gone.key(), gone.final_state_known()});
  }

 private:
  void tell(const kubexx_event& event) const {
    const Callback callback;
    on_event_(&event, user_data_->get());
  }

  const kubexx_on_event on_event_;
  const std::shared_ptr<UserData> user_data_;
};

informer::HandlerOptions handler_options(const kubexx_options* options) {
  const Given given(
      options, {KUBEXX_OPTION_NAME, KUBEXX_OPTION_RESYNC_MS, KUBEXX_OPTION_COALESCE, KUBEXX_OPTION_SPLIT_REPLACED});
  informer::HandlerOptions read;
  read.resync_period = given.milliseconds(KUBEXX_OPTION_RESYNC_MS);
  read.coalesce = given.flag(KUBEXX_OPTION_COALESCE);
  read.split_replaced = given.flag(KUBEXX_OPTION_SPLIT_REPLACED);
  read.name = given.text(KUBEXX_OPTION_NAME);
  return read;
}

const kubexx_object* object_or_null(const kubexx_object& object) noexcept {
  return object.object ? &object : nullptr;
}

}  // namespace
}  // namespace kubexx::c

kubexx_status kubexx_informer_add_handler(kubexx_informer* informer, const kubexx_options* options,
                                          kubexx_on_event on_event, void* user_data, kubexx_release release,
                                          kubexx_registration** registration, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto shared = kubexx::c::needed(informer, "informer").informer;
    if (!on_event) kubexx::c::invalid("on_event is NULL");
    kubexx::c::needed(registration, "registration");
    auto how = kubexx::c::handler_options(options);
    const auto data = std::make_shared<kubexx::c::UserData>(user_data);
    auto handler = std::make_shared<kubexx::c::ForeignHandler>(on_event, data);
    auto made = std::make_unique<kubexx_registration>();
    made->registration = shared->add_event_handler(std::move(handler), std::move(how));
    if (const auto& why = made->registration.error()) throw kubexx::Exception(*why);
    data->take(release);
    *registration = made.release();
  });
}

int kubexx_registration_has_synced(const kubexx_registration* registration) {
  return registration && registration->registration && registration->registration.has_synced() ? 1 : 0;
}

void kubexx_registration_free(kubexx_registration* registration) {
  kubexx::c::ending("kubexx_registration_free", [&] { delete registration; });
}

kubexx_event_type kubexx_event_get_type(const kubexx_event* event) {
  return event ? event->type : 0;
}

kubexx_event_cause kubexx_event_get_cause(const kubexx_event* event) {
  return event ? event->cause : 0;
}

const kubexx_object* kubexx_event_object(const kubexx_event* event) {
  return event ? kubexx::c::object_or_null(event->object) : nullptr;
}

const kubexx_object* kubexx_event_before(const kubexx_event* event) {
  return event ? kubexx::c::object_or_null(event->before) : nullptr;
}

kubexx_view kubexx_event_key(const kubexx_event* event) {
  return kubexx::c::view(event ? event->key : std::string_view());
}

int kubexx_event_final_state_known(const kubexx_event* event) {
  return event && event->final_state_known ? 1 : 0;
}
