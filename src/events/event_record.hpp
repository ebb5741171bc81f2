#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/events/event_broadcaster.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::events {

/// What an event says about an object. Absent: no kind.
struct EventReference {
  std::string api_version{};
  std::string kind{};
  std::string namespace_{};
  std::string name{};
  std::string uid{};
  std::string resource_version{};
  std::string field_path{};

  bool exists() const noexcept { return !kind.empty(); }
};

/// Errors: an object without apiVersion, kind or name.
Result<EventReference> event_reference(const meta::Object& object, std::string_view field_path = {});

/// One event on its way, independent of the API it will be written to.
struct EventRecord {
  std::string namespace_{};
  std::string name{};
  EventReference about{};
  EventReference related{};
  std::string type{};
  std::string reason{};
  std::string action{};
  std::string message{};
  std::string component{};
  std::string instance{};
  std::vector<std::pair<std::string, std::string>> annotations{};
  WallTime first{};
  WallTime last{};
  std::int64_t count = 1;
};

/// "<object>.<hexadecimal nanoseconds>", cut and spelled so that it is a valid name.
std::string event_name(std::string_view object, WallTime time);
/// The longest prefix of at most `bytes` that does not cut a UTF-8 character.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

meta::Object event_object(const EventRecord& event, EventApi api);
/// What a repeated event changes in the one that was created.
std::string event_patch(const EventRecord& event, EventApi api);

}  // namespace kubexx::events
