#pragma once

#include <string>

#include "kubexx/informer/event_handler.hpp"
#include "kubexx/informer/registration.hpp"
#include "simulation/world.hpp"

namespace kubexx::simulation {

/// A handler that replays its calls into a view of its own and reports every call that cannot follow from the ones
/// before it.
class CheckedHandler final : public informer::ResourceEventHandler {
 public:
  /// One that coalesces does not hear of every state.
  CheckedHandler(World& world, std::string name, bool coalesces)
      : world_(world), name_(std::move(name)), coalesces_(coalesces) {}

  void on_add(const meta::Object& object, bool initial, const informer::EventContext& context) override;
  void on_update(const meta::Object& before, const meta::Object& after, const informer::EventContext& context) override;
  void on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext& context) override;

  View view() const;
  const std::string& name() const noexcept { return name_; }

  informer::Registration registration;
  bool removed = false;

 private:
  void check_state(const char* call, const meta::Object& object);
  void problem(const char* call, const std::string& key, const std::string& what);

  World& world_;
  std::string name_;
  bool coalesces_;
  std::map<std::string, meta::Object> last_;
};

}  // namespace kubexx::simulation
