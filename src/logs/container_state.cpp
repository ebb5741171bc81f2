#include "logs/container_state.hpp"

namespace kubexx::logs {
namespace {

struct FieldNames {
  const char* spec;
  const char* status;
};
constexpr FieldNames kFieldNames[] = {{"initContainers", "initContainerStatuses"},
                                      {"containers", "containerStatuses"},
                                      {"ephemeralContainers", "ephemeralContainerStatuses"}};

meta::Value status_of(const meta::Object& pod, std::string_view container) {
  for (const FieldNames& field : kFieldNames) {
    for (const meta::Value entry : pod["status"][field.status].items()) {
      if (entry["name"].string() == container) return entry;
    }
  }
  return {};
}

}  // namespace

ContainerState container_state(const meta::Object& pod, std::string_view container) {
  const meta::Value status = status_of(pod, container);
  const bool running = status["state"]["running"].exists();
  const bool ended = status["state"]["terminated"].exists();
  const std::string_view phase = pod["status"]["phase"].string();
  ContainerState state;
  state.restarts = status["restartCount"].int_or(0);
  // One that waits to start again still has the log of the time before.
  state.started = running || ended || status["lastState"]["terminated"].exists();
  state.over = state.started && !running;
  state.last = phase == "Succeeded" || phase == "Failed";
  return state;
}

std::vector<std::string_view> container_names(const meta::Object& pod) {
  std::vector<std::string_view> names;
  for (const FieldNames& field : kFieldNames) {
    for (const meta::Value entry : pod["spec"][field.spec].items()) names.push_back(entry["name"].string());
  }
  return names;
}

}  // namespace kubexx::logs
