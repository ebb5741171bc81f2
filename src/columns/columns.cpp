#include "kubexx/columns/columns.hpp"

#include "columns/rows.hpp"
#include "kubexx/meta/time.hpp"

namespace kubexx::columns {
namespace {

columns::ColumnTable make_columns() {
  columns::ColumnTable out;
  columns::add_core_columns(out);
  columns::add_workload_columns(out);
  columns::add_network_columns(out);
  columns::add_storage_columns(out);
  columns::add_policy_columns(out);
  return out;
}

/// The group under which the columns of a resource stand: old homes print what the new ones do.
std::string_view home(std::string_view group, std::string_view resource) {
  if (resource == "events") return "";
  if (group != "extensions") return group;
  if (resource == "ingresses" || resource == "networkpolicies") return "networking.k8s.io";
  return "apps";
}

}  // namespace

const Columns* find_columns(std::string_view group, std::string_view resource) {
  static const auto kTable = make_columns();
  const auto it = kTable.find({home(group, resource), resource});
  return it == kTable.end() ? nullptr : &it->second;
}

std::string age(std::string_view timestamp, WallTime now) {
  auto then = meta::Time::parse(timestamp);
  if (!then) return "<unknown>";
  const std::int64_t seconds = meta::Time::from_wall(now).unix_seconds - then->unix_seconds;
  const auto unit = [](std::int64_t count, const char* suffix) { return std::to_string(count) + suffix; };
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 60 * 2) return unit(seconds, "s");
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return seconds % 60 ? unit(minutes, "m") + unit(seconds % 60, "s") : unit(minutes, "m");
  if (minutes < 60 * 3) return unit(minutes, "m");
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return minutes % 60 ? unit(hours, "h") + unit(minutes % 60, "m") : unit(hours, "h");
  if (hours < 48) return unit(hours, "h");
  const std::int64_t days = hours / 24;
  if (hours < 24 * 8) return hours % 24 ? unit(days, "d") + unit(hours % 24, "h") : unit(days, "d");
  if (days < 365 * 2) return unit(days, "d");
  const std::int64_t years = days / 365;
  if (years < 8) return days % 365 ? unit(years, "y") + unit(days % 365, "d") : unit(years, "y");
  return unit(years, "y");
}

}  // namespace kubexx::columns
