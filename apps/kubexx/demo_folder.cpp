#include "demo_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace kubexx::app {
namespace {

constexpr std::string_view kPrefix = "kubexx-demo-";

/// The names in a folder. The descriptor stays the caller's.
std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  const int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const list = own < 0 ? nullptr : fdopendir(own);
  if (!list) {
    if (own >= 0) close(own);
    return names;
  }
  while (const dirent* entry = readdir(list)) names.emplace_back(entry->d_name);
  closedir(list);
  return names;
}

int open_folder(int parent, const std::string& name) {
  return openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool lock(int folder) {
  return flock(folder, LOCK_EX | LOCK_NB) == 0;
}

/// Ours alone: in a folder that everybody may write to, others could have made one with such a name.
bool ours(int folder) {
  struct stat info{};
  return fstat(folder, &info) == 0 && info.st_uid == geteuid() && (info.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/// Nothing but what a demo puts there; with anything else in it, it stays.
void remove(int parent, int folder, const std::string& name) {
  for (const auto& file : names_in(folder)) {
    if (file.starts_with("kubeconfig")) unlinkat(folder, file.c_str(), 0);
  }
  unlinkat(parent, name.c_str(), AT_REMOVEDIR);
}

void remove_left_ones(const std::string& temporary) {
  const int parent = open(temporary.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (parent < 0) return;
  for (const auto& name : names_in(parent)) {
    if (!name.starts_with(kPrefix)) continue;
    const int folder = open_folder(parent, name);
    if (folder < 0) continue;
    if (ours(folder) && lock(folder)) remove(parent, folder, name);  // nobody holds the lock: its process is gone
    close(folder);
  }
  close(parent);
}

}  // namespace

Result<std::unique_ptr<DemoFolder>> DemoFolder::create() {
  std::error_code failure;
  const auto temporary = std::filesystem::temp_directory_path(failure).string();
  if (failure) return Error::config("there is no folder for temporary files: " + failure.message());
  remove_left_ones(temporary);
  // Another demo that starts now may take a folder that is not locked yet for one that was left.
  for (int tries = 0; tries < 10; ++tries) {
    auto path = temporary + "/" + std::string(kPrefix) + "XXXXXX";
    if (!mkdtemp(path.data())) break;
    const int folder = open_folder(AT_FDCWD, path);
    if (folder < 0) continue;
    std::unique_ptr<DemoFolder> made(new DemoFolder(path, folder));
    struct stat info{};
    if (lock(folder) && fstat(folder, &info) == 0 && info.st_nlink > 0) return made;
  }
  return Error::config("no folder can be made in " + temporary);
}

DemoFolder::~DemoFolder() {
  remove(AT_FDCWD, fd_, path_);
  close(fd_);
}

}  // namespace kubexx::app
