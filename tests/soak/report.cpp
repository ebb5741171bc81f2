#include "soak/report.hpp"

#include <sstream>

namespace kubexx::soak {
namespace {

std::uint64_t all_of(const std::map<std::string, std::uint64_t>& faults) {
  std::uint64_t sum = 0;
  for (const auto& [name, count] : faults) sum += count;
  return sum;
}

std::string by_kind(const std::map<std::string, std::uint64_t>& faults) {
  std::string text;
  for (const auto& [name, count] : faults) text += (text.empty() ? "" : ", ") + name + " " + std::to_string(count);
  return text;
}

void write_lines(std::ostream& out, const std::string& title, const std::vector<std::string>& lines) {
  out << "  " << title << ":\n";
  for (const auto& line : lines) out << "    " << line << '\n';
}

}  // namespace

std::string progress_line(const Progress& p) {
  std::ostringstream out;
  out << "soak: " << seconds_text(p.elapsed) << ": " << p.events << " events, " << p.lists << " lists, " << p.watches
      << " watches, " << p.restarts << " restarts, " << p.terms << " terms, " << p.quiet_points << " quiet points, "
      << static_cast<std::uint64_t>(p.figures.memory / (1 << 20)) << " MB, " << p.figures.threads << " threads, "
      << p.figures.descriptors << " descriptors, " << all_of(p.faults) << " faults";
  if (!p.faults.empty()) out << " (" << by_kind(p.faults) << ")";
  return out.str();
}

std::string final_report(std::uint64_t seed, const Progress& p, const std::string& range,
                         const std::optional<Violation>& violation) {
  std::ostringstream out;
  out << "soak: seed " << seed << ", " << seconds_text(p.elapsed) << ": " << p.writes << " writes, " << p.events
      << " events, " << p.lists << " lists, " << p.watches << " watches, " << p.restarts << " restarts (" << p.resumed
      << " informers resumed from files), " << p.guarded_writes << " guarded writes in " << p.terms << " terms, "
      << p.page_reads << " pages read, " << p.quiet_points << " quiet points\n";
  out << "soak: " << all_of(p.faults) << " faults: " << by_kind(p.faults) << '\n';
  out << "soak: at quiet points: " << range << '\n';
  if (!violation) {
    out << "soak: violations: 0\n";
    return out.str();
  }
  out << "soak: VIOLATION with seed " << seed << " after " << seconds_text(violation->at) << "\n  "
      << (violation->key.empty() ? "" : violation->key + ": ") << violation->what << '\n';
  if (!violation->events.empty()) write_lines(out, "the last events of " + violation->key, violation->events);
  write_lines(out, "the last faults", violation->faults);
  return out.str();
}

}  // namespace kubexx::soak
