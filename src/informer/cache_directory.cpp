#include "informer/cache_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include "base/internal/random_token.hpp"
#include "kubexx/base/log.hpp"

namespace kubexx::informer {
namespace {

constexpr std::string_view kTemporary = ".tmp-";  // behind the name of a file that is being written

std::string text_of(int code) {
  return std::generic_category().message(code);
}

/// Whether somebody else could have made it, or can change it.
const char* foreign(const struct stat& info, mode_t forbidden) {
  if (info.st_uid != geteuid()) return "it belongs to another user";
  if ((info.st_mode & forbidden) != 0) return "others have access to it";
  return nullptr;
}

/// A file that is being written: locked as long as its writer lives, and gone with it unless it was given its name.
class TemporaryFile {
 public:
  TemporaryFile(int directory, std::string name)
      : directory_(directory),
        name_(std::move(name)),
        fd_(openat(directory, name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)),
        there_(fd_.get() >= 0) {
    if (there_) static_cast<void>(flock(fd_.get(), LOCK_EX | LOCK_NB));  // else it may be taken for a leftover: no harm
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (there_) unlinkat(directory_, name_.c_str(), 0);
  }
  bool there() const noexcept { return there_; }

  /// 0, or what is wrong.
  int write(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
      const auto count = ::write(fd_.get(), bytes.data(), bytes.size());
      if (count < 0 && errno != EINTR) return errno;
      if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return 0;
  }
  int rename_to(const std::string& name) noexcept {
    if (fdatasync(fd_.get()) != 0) return errno;
    if (renameat(directory_, name_.c_str(), directory_, name.c_str()) != 0) return errno;
    there_ = false;
    return 0;
  }

 private:
  const int directory_;
  const std::string name_;
  const Descriptor fd_;
  bool there_;
};

}  // namespace

Error CacheDirectory::failed(const std::string& name, const std::string& what, int code) const {
  return Error::config(path_ + "/" + name + ": " + what + ": " + text_of(code));
}

Result<CacheDirectory> CacheDirectory::open(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();  // behind a slash a symbolic link is followed
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return Error::config(path + ": cannot be made: " + text_of(errno));
  }
  CacheDirectory made(path);  // before there is something to lose
  made.fd_->reset(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (made.fd_->get() < 0) return Error::config(path + ": cannot be opened as a directory: " + text_of(errno));
  struct stat info{};
  if (fstat(made.fd_->get(), &info) != 0) return Error::config(path + ": " + text_of(errno));
  if (const char* why = foreign(info, S_IWGRP | S_IWOTH)) return Error::config(path + ": is not used: " + why);
  return made;
}

Result<std::optional<meta::detail::CacheFileContents>> CacheDirectory::read(const std::string& name,
                                                                            std::string_view identity) const {
  // Of a pipe the opening would wait for its writer.
  const Descriptor fd(openat(fd_->get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd.get() < 0 && errno == ENOENT) return std::optional<meta::detail::CacheFileContents>();
  if (fd.get() < 0) return failed(name, "cannot be read", errno);
  struct stat info{};
  if (fstat(fd.get(), &info) != 0) return failed(name, "cannot be read", errno);
  if (!S_ISREG(info.st_mode)) return Error::config(path_ + "/" + name + ": is not read: it is no regular file");
  if (const char* why = foreign(info, S_IRWXG | S_IRWXO)) {
    return Error::config(path_ + "/" + name + ": is not read: " + why);
  }
  auto contents = meta::detail::read_cache_file(identity, static_cast<std::uint64_t>(info.st_size),
                                                [&](std::span<char> into) -> Result<std::size_t> {
                                                  while (true) {
                                                    const auto count = ::read(fd.get(), into.data(), into.size());
                                                    if (count >= 0) return static_cast<std::size_t>(count);
                                                    if (errno != EINTR) return failed(name, "cannot be read", errno);
                                                  }
                                                });
  if (!contents) return contents.error().with_context(path_ + "/" + name);
  return std::optional(std::move(*contents));
}

Result<void> CacheDirectory::write(const std::string& name, const meta::detail::CacheFileHead& head,
                                   std::span<const meta::Object> objects) const {
  TemporaryFile file(fd_->get(), name + std::string(kTemporary) + random_token().substr(0, 16));
  if (!file.there()) return failed(name, "cannot be written", errno);
  auto written = meta::detail::write_cache_file(head, objects, [&](std::string_view bytes) -> Result<void> {
    if (const int code = file.write(bytes); code != 0) return failed(name, "cannot be written", code);
    return {};
  });
  if (!written) return written;
  if (const int code = file.rename_to(name); code != 0) return failed(name, "cannot be written", code);
  return {};
}

std::vector<std::string> CacheDirectory::names() const {
  struct Close {
    void operator()(DIR* directory) const noexcept { closedir(directory); }
  };
  std::vector<std::string> all;
  const int again = openat(fd_->get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, Close> directory(again < 0 ? nullptr : fdopendir(again));
  if (!directory) {
    if (again >= 0) close(again);
    return all;
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread has this stream
  while (const dirent* entry = readdir(directory.get())) all.emplace_back(entry->d_name);
  return all;
}

void CacheDirectory::remove_all(std::string_view prefix) const {
  for (const auto& name : names()) {
    if (name.starts_with(prefix) && name.ends_with(kCacheFileSuffix)) unlinkat(fd_->get(), name.c_str(), 0);
  }
}

void CacheDirectory::remove_leftovers() const {
  const std::string unfinished = std::string(kCacheFileSuffix) + std::string(kTemporary);
  for (const auto& name : names()) {
    if (name.find(unfinished) == std::string::npos) continue;
    const Descriptor fd(openat(fd_->get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (fd.get() < 0 || flock(fd.get(), LOCK_EX | LOCK_NB) != 0) continue;  // its writer lives
    if (unlinkat(fd_->get(), name.c_str(), 0) == 0) {
      log(LogLevel::Info, "removed a cache file that was not finished", {{"file", path_ + "/" + name}});
    }
  }
}

}  // namespace kubexx::informer
