#include "event_lines.hpp"

#include <algorithm>

#include "kubexx/meta/json.hpp"
#include "output.hpp"
#include "terminal.hpp"
#include "text.hpp"

namespace kubexx::app {
namespace {

using Event = Change::Event;
constexpr std::size_t kLongestValue = 100;

std::string_view style_of(Event event) {
  return event == Event::Added ? kGreen : event == Event::Deleted ? kRed : std::string_view();
}

/// Whether a change of a Secret at this path shows its values. `kubectl apply` keeps a copy of what was applied, which
/// may also come or go with all the annotations.
bool shows_secret(std::string_view path) {
  constexpr std::string_view kApplied = "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration";
  const bool around = kApplied.starts_with(path) && (path.size() == kApplied.size() || kApplied[path.size()] == '/');
  return path.starts_with("/data") || path.starts_with("/stringData") || around;
}

TableText::Cells headers_of(const Printer& printer) {
  auto headers = printer.headers();
  headers.insert(headers.begin(), "EVENT");
  return headers;
}

TableText::Cells row_of(const Printer& printer, const Change& change, WallTime now) {
  static constexpr const char* kNames[] = {"ADDED", "MODIFIED", "DELETED"};
  auto cells = printer.cells(change.object, now);
  cells.insert(cells.begin(), kNames[static_cast<int>(change.event)]);
  return cells;
}

std::string value_text(meta::Value value, bool hidden) {
  if (!value.exists()) return "(none)";
  if (hidden) return "(hidden)";
  auto text = printable(meta::to_json(value));
  if (text.size() > kLongestValue) text = std::string(cut_to(text, kLongestValue)) + "...";
  return text;
}

}  // namespace

Describe describe_as_json_line(const client::ApiResource& resource) {
  return [name = resource.resource.resource](const Change& change) {
    static constexpr const char* kNames[] = {"add", "update", "delete"};
    std::string line = R"({"event":")" + std::string(kNames[static_cast<int>(change.event)]) + R"(","resource":)";
    meta::append_json_string(line, name);
    line += R"(,"key":)";
    meta::append_json_string(line, change.key);
    line += R"(,"resourceVersion":)";
    meta::append_json_string(line, change.object.resource_version());
    return line + R"(,"cause":")" + std::string(to_string(change.cause)) + "\"}\n";
  };
}

Describe describe_as_object(Format format, const client::ApiResource& resource) {
  return [format, resource, first = true](const Change& change) mutable {
    auto text = object_text(format, resource, change.object, first);
    first = false;
    return text;
  };
}

Describe describe_as_diff(const client::ApiResource& resource, bool with_namespace) {
  return [resource, with_namespace](const Change& change) {
    static constexpr const char* kSigns[] = {"+ ", "~ ", "- "};
    const meta::ObjectKey key = meta::ObjectKey::of(change.object);
    auto name = object_name(resource, key.name.empty() ? change.key : key.name);
    if (with_namespace && !key.namespace_.empty()) name += " -n " + key.namespace_;
    auto text = styled(kSigns[static_cast<int>(change.event)] + printable(name), style_of(change.event)) + '\n';
    if (change.event != Event::Modified) return text;
    const bool secret = resource.kind == "Secret";
    for (const auto& path : meta::diff_paths(change.before.root(), change.object.root())) {
      if (path == "/metadata/resourceVersion") continue;  // every change has a new one
      const bool hidden = secret && shows_secret(path);
      text += "    " + printable(path) + ": " + styled(value_text(change.before.at(path), hidden), kRed) + " -> " +
              styled(value_text(change.object.at(path), hidden), kGreen) + '\n';
    }
    return text;
  };
}

void TableLines::begin(const Printer& printer) {
  if (last_ == &printer) return;
  gap_.assign(last_ ? 1 : 0, '\n');
  header_written_ = false;
  last_ = &printer;
  text_.narrow();
  text_.widen({"MODIFIED"});
  text_.widen(headers_of(printer));
}

void TableLines::prepare(const Printer& printer, const std::vector<Change>& changes) {
  const std::lock_guard lock(mutex_);
  begin(printer);
  const auto now = Clock::system().wall();
  for (const auto& change : changes) text_.widen(row_of(printer, change, now));
}

Describe TableLines::describe(std::shared_ptr<const Printer> printer) {
  return [this, printer](const Change& change) {
    const std::lock_guard lock(mutex_);
    const auto cells = row_of(*printer, change, Clock::system().wall());
    const bool first = last_ != printer.get() || !header_written_;
    begin(*printer);
    text_.widen(cells);
    std::string text;
    if (first) text = gap_ + styled(text_.line(headers_of(*printer)), kBold) + '\n';
    header_written_ = true;
    return text + styled(text_.line(cells), style_of(change.event)) + '\n';
  };
}

void EventLines::write(const Change& change) {
  out().write(describe_(change));
}

void EventLines::flush_locked() {
  std::sort(initial_.begin(), initial_.end(), [](const Change& a, const Change& b) {
    return meta::ObjectKey::of(a.object) < meta::ObjectKey::of(b.object);
  });
  if (prepare_ && !initial_.empty()) prepare_(initial_);
  for (const auto& change : initial_) write(change);
  initial_ = {};
}

void EventLines::flush() {
  const std::lock_guard lock(mutex_);
  flush_locked();
  sort_initial_ = false;
}

void EventLines::on_add(const meta::Object& object, bool initial, const informer::EventContext& context) {
  const std::lock_guard lock(mutex_);
  Change change{Event::Added, meta::ObjectKey::of(object).to_string(), {}, object, context.cause()};
  if (initial && sort_initial_) {
    initial_.push_back(std::move(change));
    return;
  }
  flush_locked();
  write(change);
}

void EventLines::on_update(const meta::Object& before, const meta::Object& after,
                           const informer::EventContext& context) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  write({Event::Modified, meta::ObjectKey::of(after).to_string(), before, after, context.cause()});
}

void EventLines::on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext& context) {
  const std::lock_guard lock(mutex_);
  flush_locked();
  write({Event::Deleted, gone.key(), {}, gone.last_known(), context.cause()});
}

}  // namespace kubexx::app
