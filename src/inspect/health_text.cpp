#include "inspect/health_text.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kubexx::inspect {
namespace {

std::string one_line(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string line_of(const HealthResult& result, bool reasons) {
  switch (result.state) {
    case HealthState::Ok:
      return "[+]" + result.name + " ok\n";
    case HealthState::Standby:
      return "[~]" + result.name + " standby" + (reasons ? ": " + one_line(result.reason) : "") + "\n";
    case HealthState::Failed:
      break;
  }
  return "[-]" + result.name + " failed: " + (reasons ? one_line(result.reason) : "reason withheld") + "\n";
}

}  // namespace

std::optional<HealthQuery> HealthQuery::parse(const Target& target) {
  static constexpr std::pair<std::string_view, HealthProbe> kPages[] = {
      {"healthz", HealthProbe::Liveness}, {"livez", HealthProbe::Liveness}, {"readyz", HealthProbe::Readiness}};
  for (const auto& [page, probe] : kPages) {
    const std::string path = std::string("/").append(page);
    if (!target.path.starts_with(path)) continue;
    const auto rest = std::string_view(target.path).substr(path.size());
    if (!rest.empty() && rest[0] != '/') continue;
    HealthQuery query;
    query.probe = probe;
    query.page = page;
    query.only = rest.empty() ? rest : rest.substr(1);
    query.excluded = target.all("exclude");
    query.verbose = target.has("verbose");
    return query;
  }
  return std::nullopt;
}

HealthText health_text(const HealthQuery& query, const HealthReport& report, bool reasons, bool standby_is_ready) {
  std::string lines;
  bool failed = !report.whole;
  bool standby = false;
  bool found = false;
  auto unknown = query.excluded;
  for (const auto& result : report.results) {
    if (!query.only.empty() && result.name != query.only && report.whole) continue;
    found = true;
    if (std::ranges::find(query.excluded, result.name) != query.excluded.end()) {
      std::erase(unknown, result.name);
      lines += "[+]" + result.name + " excluded: ok\n";
      continue;
    }
    lines += line_of(result, reasons);
    failed = failed || result.state == HealthState::Failed;
    standby = standby || result.state == HealthState::Standby;
  }
  if (!query.only.empty() && !found) return {404, "there is no such check\n"};
  for (const auto& name : unknown) lines += "warn: no check to exclude: " + one_line(name) + "\n";
  if (query.probe == HealthProbe::Readiness && standby && !standby_is_ready) failed = true;
  if (!failed && !query.verbose) return {200, standby ? "ok (standby)\n" : "ok\n"};
  return {failed ? 503 : 200,
          lines + query.page + " check " + (failed ? "failed" : "passed") + (standby ? ", standing by\n" : "\n")};
}

}  // namespace kubexx::inspect
