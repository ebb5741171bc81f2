#include "events/event_record.hpp"

#include <algorithm>
#include <charconv>

#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/time.hpp"

namespace kubexx::events {
namespace {

constexpr std::size_t kMaxName = 253;
constexpr std::size_t kMaxNote = 1024;  // the server refuses longer ones

void set_reference(meta::DraftRef at, const EventReference& to) {
  const auto set = [&](const char* field, const std::string& value) {
    if (!value.empty()) at[field].set(value);
  };
  set("kind", to.kind);
  set("namespace", to.namespace_);
  set("name", to.name);
  set("uid", to.uid);
  set("apiVersion", to.api_version);
  set("resourceVersion", to.resource_version);
  set("fieldPath", to.field_path);
}

void set_series(meta::DraftRef at, const EventRecord& event) {
  at["count"].set(event.count);
  at["lastObservedTime"].set(meta::MicroTime::from_wall(event.last).to_string());
}

}  // namespace

Result<EventReference> event_reference(const meta::Object& object, std::string_view field_path) {
  if (object.kind().empty() || object.api_version().empty()) {
    return Error::config("an object without apiVersion or kind cannot be referred to");
  }
  if (object.name().empty()) return Error::config("an object without a name cannot be referred to");
  return EventReference{std::string(object.api_version()),
                        std::string(object.kind()),
                        std::string(object.namespace_()),
                        std::string(object.name()),
                        std::string(object.uid()),
                        std::string(object.resource_version()),
                        std::string(field_path)};
}

std::string event_name(std::string_view object, WallTime time) {
  char digits[17];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, static_cast<std::uint64_t>(time.time_since_epoch().count()), 16)
          .ptr;
  const std::string_view suffix(digits, static_cast<std::size_t>(end - digits));
  std::string name(object.substr(0, kMaxName - 1 - suffix.size()));
  for (auto& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (!plain) c = '-';
  }
  // Each part between dots starts and ends with a letter or digit.
  const auto edge = [&](std::size_t i) { return i >= name.size() || name[i] == '.'; };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool starts = i == 0 || name[i - 1] == '.';
    if (name[i] == '-' && (starts || edge(i + 1))) name[i] = 'x';
    if (name[i] == '.' && (starts || i + 1 == name.size())) name[i] = 'x';
  }
  return name.append(".").append(suffix);
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

meta::Object event_object(const EventRecord& event, EventApi api) {
  meta::Draft draft;
  const bool core = api == EventApi::Core;
  draft["apiVersion"].set(core ? "v1" : "events.k8s.io/v1");
  draft["kind"].set("Event");
  draft["metadata"]["name"].set(event.name);
  draft["metadata"]["namespace"].set(event.namespace_);
  for (const auto& [key, value] : event.annotations) draft["metadata"]["annotations"][key].set(value);
  draft["type"].set(event.type);
  draft["reason"].set(event.reason);
  if (core) {
    set_reference(draft["involvedObject"], event.about);
    draft["message"].set(event.message);
    draft["count"].set(event.count);
    draft["firstTimestamp"].set(meta::Time::from_wall(event.first).to_string());
    draft["lastTimestamp"].set(meta::Time::from_wall(event.last).to_string());
    draft["source"]["component"].set(event.component);
    if (!event.instance.empty()) draft["source"]["host"].set(event.instance);
    draft["reportingComponent"].set(event.component);
    draft["reportingInstance"].set(event.instance);
    if (!event.action.empty()) draft["action"].set(event.action);
  } else {
    set_reference(draft["regarding"], event.about);
    draft["note"].set(utf8_prefix(event.message, kMaxNote));
    draft["eventTime"].set(meta::MicroTime::from_wall(event.first).to_string());
    draft["reportingController"].set(event.component);
    draft["reportingInstance"].set(event.instance);
    draft["action"].set(event.action.empty() ? event.reason : event.action);
    if (event.count > 1) set_series(draft["series"], event);
  }
  if (event.related.exists()) set_reference(draft["related"], event.related);
  return draft.to_object();
}

std::string event_patch(const EventRecord& event, EventApi api) {
  meta::Draft draft;
  if (api == EventApi::Core) {
    draft["count"].set(event.count);
    draft["lastTimestamp"].set(meta::Time::from_wall(event.last).to_string());
    draft["message"].set(event.message);
  } else {
    set_series(draft["series"], event);
  }
  return meta::to_json(draft.to_object());
}

}  // namespace kubexx::events
