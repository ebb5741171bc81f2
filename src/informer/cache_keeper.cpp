#include "informer/cache_keeper.hpp"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "base/internal/insist.hpp"
#include "informer/cache_directory.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/delta/intake.hpp"
#include "kubexx/meta/resource_version.hpp"

namespace kubexx::informer {
namespace {

constexpr int kQuietTicks = 10;  // a file is written anew because of its versions alone

using meta::detail::CacheFileContents;

std::string state_text(const std::map<std::string, std::string>& versions, const std::string& cluster) {
  std::string text = "cluster " + cluster + "\n";
  for (const auto& [namespace_, version] : versions) text += "version " + version + " " + namespace_ + "\n";
  return text;
}

/// The opposite of state_text(), of a file from outside.
Result<RestoredCache> parse_state(std::string_view text) {
  RestoredCache restored;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t space = line.find(' ');
    const std::string_view rest = space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
    if (line.starts_with("cluster ")) {
      restored.cluster = rest;
      continue;
    }
    const std::string_view version = rest.substr(0, rest.find(' '));
    if (!line.starts_with("version ") || version.size() == rest.size() ||
        !meta::is_comparable_resource_version(version)) {
      return Error::decode("the file does not say of which version it is");
    }
    restored.parts[std::string(rest.substr(version.size() + 1))].resource_version = version;
  }
  if (restored.parts.empty()) return Error::decode("the file does not say of which version it is");
  return restored;
}

/// Each object to the part whose it is.
Result<RestoredCache> sorted_out(CacheFileContents contents, const CacheKeeper::Setting& setting) {
  auto restored = parse_state(contents.state);
  if (!restored) return restored;
  restored->objects = contents.objects.size();
  const delta::Intake intake(setting.key_func, {});  // they were transformed before they were written
  const auto everything = restored->parts.find("");
  if (everything != restored->parts.end()) everything->second.objects.reserve(contents.objects.size());
  for (auto& object : contents.objects) {
    const auto part =
        everything != restored->parts.end() ? everything : restored->parts.find(std::string(object.namespace_()));
    if (part == restored->parts.end()) return Error::decode("the file has objects of other namespaces");
    const auto& kind = setting.expected_kind;
    if (kind && !object.kind().empty() &&
        (object.kind() != kind->kind || object.api_version() != kind->api_version())) {
      return Error::decode("the file has objects of another kind");
    }
    auto keyed = intake.take(std::move(object));
    if (!keyed) return keyed.error();
    part->second.objects.push_back(std::move(*keyed));
  }
  return restored;
}

Result<std::optional<RestoredCache>> read_cache(const CacheKeeper::Setting& setting) {
  auto directory = CacheDirectory::open(setting.directory);
  if (!directory) return directory.error();
  directory->remove_leftovers();
  auto contents = directory->read(setting.identity.file, setting.identity.text);
  if (!contents) return contents.error();
  if (!*contents) return std::optional<RestoredCache>();
  auto restored = sorted_out(std::move(**contents), setting);
  if (!restored) return restored.error().with_context(setting.directory + "/" + setting.identity.file);
  return std::optional(std::move(*restored));
}

Result<void> write_cache(const std::string& path, const CacheCapture& capture, const std::string& cluster) {
  auto directory = CacheDirectory::open(path);
  if (!directory) return directory.error();
  std::vector<meta::Object> objects = capture.objects.list();
  return directory->write(capture.identity.file, {capture.identity.text, state_text(capture.versions, cluster)},
                          objects);
}

/// What a step of ours throws is its Error: a thread of the handlers' must not meet it.
template <class Step>
auto without_throwing(const Step& step) -> decltype(step()) {
  try {
    return step();
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace

void CacheKeeper::log_failure(const char* what, const Error& error) const {
  log(LogLevel::Warning, what, {{"informer", setting_.informer}, {"error", error}});
}

void CacheKeeper::restore(std::function<void(std::optional<RestoredCache>)> done) {
  reading_ = true;
  setting_.blocking->post([self = shared_from_this(), done = std::move(done)]() mutable {
    auto read = without_throwing([&] { return read_cache(self->setting_); });
    const Strand strand = self->strand_;
    // What this task held goes with the next: this thread may be one of those that end with the informer.
    strand.post(insisted_task([self = std::move(self), done = std::move(done), read = std::move(read)]() mutable {
      self->reading_ = false;
      if (self->ended_) return self->go_on();
      if (!read) self->log_failure("the cache file is not used", read.error());
      if (read && *read) call_isolated("cache file", [&] { self->remember(**read); });
      done(read ? std::move(*read) : std::nullopt);
    }));
  });
}

void CacheKeeper::remember(const RestoredCache& read) {
  cluster_ = read.cluster;
  restored_.emplace();
  for (const auto& [namespace_, part] : read.parts) restored_->emplace(namespace_, part.resource_version);
}

void CacheKeeper::begin() {
  begun_ = true;
  due_ = true;
  write_if_due();
}

void CacheKeeper::discard() {
  restored_.reset();
  in_file_.reset();
  if (writing_) writing_ = Mark();  // like no other
  discarding_ = true;
  next_.cancel();
  due_ = begun_;
  write_if_due();
}

/// Whoever starts with one of them finds out only if the server is not beyond its version again.
void CacheKeeper::remove_files() {
  discarding_ = false;
  writing_ = Mark();
  setting_.blocking->post([self = shared_from_this()]() mutable {
    auto done = without_throwing([&]() -> Result<void> {
      auto directory = CacheDirectory::open(self->setting_.directory);
      if (!directory) return directory.error();
      directory->remove_all(self->setting_.identity.prefix);
      return {};
    });
    const Strand strand = self->strand_;
    strand.post([self = std::move(self), done = std::move(done)] { self->written(done); });
  });
}

/// New versions without a change are worth less than a file of any size.
bool CacheKeeper::worth_writing(const Mark& now) {
  if (!in_file_ && restored_ && *restored_ == now.versions) in_file_ = now;  // nothing has happened since
  if (!in_file_ || in_file_->changes != now.changes || in_file_->file != now.file) return true;
  return in_file_->versions != now.versions && (ended_ || ++quiet_ticks_ >= kQuietTicks);
}

void CacheKeeper::write_if_due() {
  if (writing_ || ended_) return;
  if (discarding_) return remove_files();
  if (!due_) return;
  auto capture = setting_.capture();
  if (!capture) return;  // moved() comes back
  due_ = false;
  if (worth_writing(mark_of(*capture))) return write(std::move(*capture));
  arm();
}

void CacheKeeper::arm() {
  if (ended_) return;
  next_ = strand_.post_after(setting_.interval, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->due_ = true;
    self->write_if_due();
  });
}

void CacheKeeper::write(CacheCapture capture) {
  auto mark = mark_of(capture);
  Task task = [self = shared_from_this(), capture = std::move(capture), cluster = cluster_]() mutable {
    auto done = without_throwing([&] { return write_cache(self->setting_.directory, capture, cluster); });
    capture = {};
    const Strand strand = self->strand_;
    strand.post([self = std::move(self), done = std::move(done)] { self->written(done); });
  };
  writing_ = std::move(mark);
  quiet_ticks_ = 0;
  setting_.blocking->post(std::move(task));
}

void CacheKeeper::written(const Result<void>& done) {
  if (done) {
    in_file_ = std::move(writing_);
  } else {
    log_failure("the cache file could not be written", done.error());
  }
  writing_.reset();
  if (ended_) return go_on();
  if (due_ || discarding_) return write_if_due();
  if (begun_) arm();
}

void CacheKeeper::take_last() {
  if (std::exchange(ended_, true)) return;
  next_.cancel();
  last_ = setting_.capture();
}

void CacheKeeper::end(Task done) {
  done_ = std::move(done);
  go_on();
}

/// One step nearer to the end.
void CacheKeeper::go_on() {
  if (!done_ || reading_ || writing_) return;
  if (discarding_) return remove_files();
  if (auto last = std::exchange(last_, std::nullopt)) {
    try {
      if (worth_writing(mark_of(*last))) return write(std::move(*last));
    } catch (const std::bad_alloc&) {  // the next run lists
      log_failure("the cache file could not be written", current_exception_as_error());
    }
  }
  std::exchange(done_, Task())();
}

}  // namespace kubexx::informer
