#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "informer/cache_identity.hpp"
#include "kubexx/base/executor.hpp"
#include "kubexx/informer/controller.hpp"
#include "kubexx/store/snapshot.hpp"

namespace kubexx::informer {

/// A cache at one moment, and the version of each of its parts.
struct CacheCapture {
  store::Snapshot objects;
  std::uint64_t changes = 0;                    // of objects, so far
  std::map<std::string, std::string> versions;  // by namespace
  CacheIdentity identity;
};

/// What a file had.
struct RestoredCache {
  std::map<std::string, RestoredPart> parts = {};  // by namespace
  std::string cluster = {};                        // what it called itself; empty: not known
  std::size_t objects = 0;
};

/// Reads the file of an informer's cache when it starts, and writes it while it runs: when the cache has become whole,
/// then every so often if something changed, and at the end. Snapshots are taken on the strand; reading and writing are
/// tasks of an executor for what may block, one at a time.
///
/// Threads: the strand's.
/// Errors: a log line each; the informer goes on without its file.
class CacheKeeper : public std::enable_shared_from_this<CacheKeeper> {
 public:
  struct Setting {
    std::string informer = {};  // its name
    std::string directory = {};
    CacheIdentity identity = {};  // what it starts with
    Duration interval = {};
    meta::KeyFunc key_func = {};
    std::optional<meta::GroupVersionKind> expected_kind = {};
    std::shared_ptr<Executor> blocking = {};
    std::function<std::optional<CacheCapture>()> capture = {};  // none: not now
  };
  CacheKeeper(Setting setting, Strand strand) : setting_(std::move(setting)), strand_(std::move(strand)) {}

  /// Calls back with what the file has; none: there is nothing that can be used. Not after end().
  void restore(std::function<void(std::optional<RestoredCache>)> done);
  /// From now on it writes.
  void begin();
  /// The cache moved; soon after, if something is due.
  void moved() {
    if (due_) write_if_due();
  }
  /// What was written, or is being written, is of a history that the server has no more, and so are the files of other
  /// scopes: they are removed, and the next state is written as soon as it is there.
  void discard();
  /// What the cluster calls itself.
  void set_cluster(std::string name) { cluster_ = std::move(name); }

  /// The cache as it is now is the last that is written.
  void take_last();
  /// Calls back when nothing is read or written any more, and the last one is in the file.
  void end(Task done);

 private:
  /// What makes one file another than the one before.
  struct Mark {
    std::uint64_t changes = 0;
    std::map<std::string, std::string> versions = {};
    std::string file = {};
  };

  static Mark mark_of(const CacheCapture& capture) {
    return {capture.changes, capture.versions, capture.identity.file};
  }
  void remember(const RestoredCache& read);
  bool worth_writing(const Mark& now);
  void write_if_due();
  void write(CacheCapture capture);
  void remove_files();
  void written(const Result<void>& done);
  void arm();
  void go_on();
  void log_failure(const char* what, const Error& error) const;

  const Setting setting_;
  const Strand strand_;
  std::string cluster_;
  std::optional<std::map<std::string, std::string>> restored_;  // the versions of what was read
  std::optional<Mark> in_file_;                                 // what was written last
  std::optional<Mark> writing_;                                 // what is being written
  std::optional<CacheCapture> last_;
  int quiet_ticks_ = 0;  // at which nothing but versions had moved
  bool reading_ = false;
  bool begun_ = false;
  bool due_ = false;
  bool discarding_ = false;
  bool ended_ = false;
  Timer next_;
  Task done_;  // of end()
};

}  // namespace kubexx::informer
