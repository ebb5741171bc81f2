#include "soak/handlers.hpp"

#include <algorithm>
#include <stdexcept>

#include "kubexx/base/stop.hpp"

namespace kubexx::soak {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

constexpr std::size_t kMostHandlers = 8;

std::string key_of_line(const std::string& line) {
  return line.substr(0, line.find('='));
}

std::string line_of_key(const std::vector<std::string>& lines, const std::string& key) {
  const auto found = std::ranges::find(lines, key, key_of_line);
  return found == lines.end() ? key + " not" : *found;
}

}  // namespace

std::optional<Difference> first_difference(const std::string& who, const std::vector<std::string>& has,
                                           const std::vector<std::string>& server) {
  std::vector<std::string> only_one;
  std::ranges::set_symmetric_difference(has, server, std::back_inserter(only_one));
  if (only_one.empty()) return std::nullopt;
  const auto key = key_of_line(only_one.front());
  return Difference{key, who + " has " + line_of_key(has, key) + ", the server has " + line_of_key(server, key)};
}

Handler::Handler(Surroundings& surroundings, std::string name, meta::GroupVersionResource resource, Manner manner,
                 std::weak_ptr<HandlerSet> set, std::uint64_t seed)
    : surroundings_(surroundings),
      name_(std::move(name)),
      resource_(std::move(resource)),
      manner_(manner),
      set_(std::move(set)),
      random_(seed),
      history_({.versions_may_fall = false, .on_problem = [this](const std::string& key, const std::string& what) {
                  surroundings_.journal.violation(journal_key(resource_, key), name_ + " " + what);
                }}) {}

void Handler::note(const std::string& key, const char* call, const meta::Object& object,
                   const informer::EventContext& context) {
  surroundings_.journal.event(journal_key(resource_, key), name_ + " " + call + " @" +
                                                               std::string(object.resource_version()) + " " +
                                                               std::string(informer::to_string(context.cause())));
}

void Handler::check(const std::string& key, const char* call, const meta::Object& object) {
  if (!Workload::owns(resource_)) return;
  const auto name = journal_key(resource_, key);
  if (const auto wrong = surroundings_.workload.unheard_of(name, object)) {
    surroundings_.journal.violation(name, name_ + " " + call + ": " + *wrong);
  }
}

void Handler::on_add(const meta::Object& object, bool initial, const informer::EventContext& context) {
  const auto key = context.key_of(object);
  note(key, "add", object, context);
  check(key, "add", object);
  history_.on_add(object, initial, context);
  behave(context);
}

void Handler::on_update(const meta::Object& before, const meta::Object& after, const informer::EventContext& context) {
  const auto key = context.key_of(after);
  note(key, "update", after, context);
  check(key, "update", after);
  history_.on_update(before, after, context);
  behave(context);
}

void Handler::on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext& context) {
  note(gone.key(), gone.final_state_known() ? "delete" : "delete (inferred)", gone.last_known(), context);
  history_.on_delete(gone, context);
  behave(context);
}

void Handler::behave(const informer::EventContext& context) {
  switch (manner_) {
    case Manner::Fast:
      return;
    case Manner::Slow:
      wait_for_stop(context.stop(), microseconds(random_.below(4000)));
      return;
    case Manner::Throwing:
      if (random_.below(20) == 0) throw std::runtime_error(kThrownOnPurpose);
      return;
    case Manner::Changing:
      if (!surroundings_.storm || random_.below(50) != 0) return;
      if (const auto set = set_.lock()) set->change();
      return;
  }
}

void HandlerSet::add(Manner manner) {
  informer::HandlerOptions options;
  std::shared_ptr<Handler> handler;
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || entries_.size() >= kMostHandlers) return;
    options.name = label_ + "#" + std::to_string(++made_);
    options.coalesce = random_.below(3) == 0;
    options.split_replaced = random_.below(3) == 0;
    if (random_.below(4) == 0) options.resync_period = seconds(1 + random_.below(3));
    handler = std::make_shared<Handler>(surroundings_, options.name, informer_->resource(), manner, weak_from_this(),
                                        random_.next());
  }
  auto registration = informer_->add_event_handler(handler, options);
  if (!registration) return;  // the informer has stopped
  const std::lock_guard lock(mutex_);
  entries_.push_back({std::move(handler), std::move(registration)});
}

void HandlerSet::change() {
  Entries gone;
  {
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= 2 && (entries_.size() >= kMostHandlers || random_.below(2) == 0)) {
      const auto which = std::next(entries_.begin(), static_cast<std::ptrdiff_t>(random_.below(entries_.size())));
      gone.splice(gone.begin(), entries_, which);
    }
  }
  if (gone.empty()) return add(static_cast<Manner>(random_.below(4)));
  remove(gone.front());  // without the lock: it waits for a call that runs, which may want it
}

void HandlerSet::remove(Entry& entry) {
  entry.registration.remove();
  entry.handler->history().retire();
}

void HandlerSet::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

void HandlerSet::remove_all() {
  Entries gone;
  {
    const std::lock_guard lock(mutex_);
    gone.swap(entries_);
  }
  for (auto& entry : gone) remove(entry);
}

std::optional<Difference> HandlerSet::wrong(const std::vector<std::string>& server) const {
  const std::lock_guard lock(mutex_);
  for (const auto& entry : entries_) {
    if (const auto other = first_difference(entry.handler->name(), entry.handler->history().view(), server))
      return other;
    if (!entry.registration.has_synced()) return Difference{"", entry.handler->name() + " has not synced"};
  }
  return std::nullopt;
}

}  // namespace kubexx::soak
