#include "c/boundary.hpp"
#include "c/informer.hpp"
#include "kubexx/meta/object_builder.hpp"

namespace kubexx::c {
namespace {

/// A map, written field by field.
class Fields {
 public:
  explicit Fields(meta::ObjectBuilder& to) : to_(to) { to_.begin_map(); }
  ~Fields() { to_.end_map(); }
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  void text(std::string_view name, std::string_view value) {
    to_.key(name);
    to_.string(value);
  }
  void flag(std::string_view name, bool value) {
    to_.key(name);
    to_.boolean(value);
  }
  void number(std::string_view name, std::uint64_t value) {
    to_.key(name);
    to_.integer(static_cast<std::int64_t>(value));
  }
  void milliseconds(std::string_view name, Duration value) {
    to_.key(name);
    to_.integer(std::chrono::duration_cast<std::chrono::milliseconds>(value).count());
  }

 private:
  meta::ObjectBuilder& to_;
};

void write_handler_status(meta::ObjectBuilder& to, const informer::HandlerStatus& status) {
  Fields fields(to);
  fields.text("name", status.name);
  fields.number("waiting", status.depth);
  fields.number("calls", status.calls);
  fields.number("errors", status.errors);
  fields.milliseconds("slowestCallMs", status.slowest_call);
  fields.flag("synced", status.synced);
}

void write_informer_status(meta::ObjectBuilder& to, const informer::InformerStatus& status) {
  Fields fields(to);
  fields.text("name", status.name);
  fields.text("resource", status.description);
  fields.text("scope", status.scope);
  fields.flag("started", status.started);
  fields.flag("synced", status.synced);
  fields.flag("stopped", status.stopped);
  fields.flag("stale", status.stale);
  fields.milliseconds("lagMs", status.lag);
  fields.number("objects", status.objects);
  fields.number("bytes", status.bytes);
  fields.text("resourceVersion", status.resource_version);
  fields.text("state", reflector::to_string(status.reflector.state));
  fields.number("attempts", status.reflector.attempts);
  fields.number("lists", status.reflector.lists);
  fields.number("watches", status.reflector.watches);
  if (status.reflector.last_error) fields.text("lastError", status.reflector.last_error->message());
  fields.number("adds", status.events.adds);
  fields.number("updates", status.events.updates);
  fields.number("deletes", status.events.deletes);
  to.key("handlers");
  to.begin_list();
  for (const auto& each : status.handlers) write_handler_status(to, each);
  to.end_list();
}

}  // namespace
}  // namespace kubexx::c

kubexx_status kubexx_informer_status(const kubexx_informer* informer, char** json, size_t* size, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto shared = kubexx::c::needed(informer, "informer").informer;
    kubexx::c::needed(json, "json");
    kubexx::meta::ObjectBuilder builder;
    kubexx::c::write_informer_status(builder, shared->status());
    kubexx::c::hand_out(kubexx::meta::to_json(builder.finish().value().root()), json, size);
  });
}
