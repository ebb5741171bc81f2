#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "flags.hpp"
#include "kubexx/informer/event_handler.hpp"
#include "printer.hpp"
#include "table.hpp"

namespace kubexx::app {

/// One call of a handler.
struct Change {
  enum class Event { Added, Modified, Deleted };
  Event event = Event::Added;
  std::string key;
  meta::Object before;  ///< of a modification
  meta::Object object;
  informer::EventCause cause = informer::EventCause::Initial;
};

/// Turns changes of a resource into text.
using Describe = std::function<std::string(const Change&)>;

/// {"event":"add","resource":"pods","key":"ns/name","resourceVersion":"7","cause":"watch"}
Describe describe_as_json_line(const client::ApiResource& resource);
/// The object as json, yaml or name.
Describe describe_as_object(Format format, const client::ApiResource& resource);
/// "+ pod/web", "~ pod/web" with a line for each changed path, "- pod/web".
Describe describe_as_diff(const client::ApiResource& resource, bool with_namespace);

/// Rows of tables as changes come, with headers where the resource changes. Shared by the handlers of one command.
class TableLines {
 public:
  Describe describe(std::shared_ptr<const Printer> printer);
  /// Makes room for rows that will follow at once.
  void prepare(const Printer& printer, const std::vector<Change>& changes);

 private:
  void begin(const Printer& printer);
  std::mutex mutex_;
  const Printer* last_ = nullptr;  // guarded by mutex_
  TableText text_;                 // guarded by mutex_
  std::string gap_;                // guarded by mutex_; before the header
  bool header_written_ = false;    // guarded by mutex_
};

/// A handler that writes each change to standard output. The objects of the first list are held back until all of them
/// are there and written in order, except where lines must come at once.
class EventLines : public informer::ResourceEventHandler {
 public:
  /// `prepare` sees what was held back before it is described.
  using Prepare = std::function<void(const std::vector<Change>&)>;
  EventLines(Describe describe, bool sort_initial, Prepare prepare = {})
      : describe_(std::move(describe)), prepare_(std::move(prepare)), sort_initial_(sort_initial) {}
  /// Writes what was held back; the first later change does it too.
  void flush();

  void on_add(const meta::Object& object, bool initial, const informer::EventContext& context) override;
  void on_update(const meta::Object& before, const meta::Object& after, const informer::EventContext& context) override;
  void on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext& context) override;

 private:
  void write(const Change& change);
  void flush_locked();

  Describe describe_;
  Prepare prepare_;
  bool sort_initial_;
  std::mutex mutex_;
  std::vector<Change> initial_;  // guarded by mutex_
};

}  // namespace kubexx::app
