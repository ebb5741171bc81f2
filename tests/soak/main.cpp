// soak [--minutes N | --seconds N] [--seed S] [--verbose]: everything at once under random faults, for as long as
// asked. 0: no invariant was violated; 1: one was, or it could not go on: the report says why; 2: no such arguments.
#include <iostream>
#include <thread>

#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/testkit/eventually.hpp"
#include "soak/rounds.hpp"

namespace kubexx::soak {
namespace {

/// What has no caller to be returned to is a violation, but for what handlers throw on purpose.
void take_errors(Journal& journal) {
  set_error_sink([&journal](const Error& error, std::string_view where) {
    if (error.message().find(kThrownOnPurpose) != std::string::npos) return;
    journal.violation("", "an error was reported of " + std::string(where) + ": " + error.message());
  });
}

void check_leftovers(const Figures& before, Journal& journal) {
  Figures now;
  // A joined thread is counted for a moment.
  const bool clean = testkit::eventually([&] {
    now = read_figures();
    return now.threads <= before.threads && now.descriptors <= before.descriptors;
  });
  if (clean) return;
  const auto text = [](double value) { return std::to_string(static_cast<int>(value)); };
  journal.violation("", "the end left something behind: " + text(before.threads) + " threads became " +
                            text(now.threads) + ", " + text(before.descriptors) + " descriptors " +
                            text(now.descriptors));
}

int run(const Settings& settings) {
  const auto stop = stop_on_signals();
  Journal journal;
  take_errors(journal);
  Flatness flatness;
  Progress progress;
  Watchdog watchdog(std::chrono::minutes(3) * kSlowness, [&](const std::string& step) {
    journal.violation("", "nothing has moved for minutes: " + step);
    std::cout << final_report(settings.seed, progress, flatness.range(), journal.violated()) << std::flush;
  });
  const auto before = read_figures();
  try {
    World world(settings, journal);
    Rounds(world, watchdog, flatness).run(settings.length, stop);
    progress = world.progress();
    watchdog.step("the end of everything");
  } catch (const std::exception& problem) {
    journal.violation("", std::string("it could not go on: ") + problem.what());
  }
  check_leftovers(before, journal);
  set_error_sink({});
  std::cout << final_report(settings.seed, progress, flatness.range(), journal.violated()) << std::flush;
  return journal.violated() ? 1 : 0;
}

}  // namespace
}  // namespace kubexx::soak

int main(int argc, char** argv) {
  const auto settings = kubexx::soak::parse_settings({argv + 1, argv + argc});
  if (!settings) return std::cerr << "soak: " << settings.error() << '\n', 2;
  // The faults are no news.
  kubexx::set_log_sink(settings->verbose ? kubexx::stderr_log_sink() : nullptr);
  std::thread([] {}).join();  // ThreadSanitizer starts a thread of its own with the first one
  std::cout << "soak: seed " << settings->seed << ", " << kubexx::soak::seconds_text(settings->length) << std::endl;
  return kubexx::soak::run(*settings);
}
