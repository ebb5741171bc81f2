#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/internal/descriptor.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/object.hpp"
#include "meta/internal/cache_file.hpp"

namespace kubexx::informer {

inline constexpr std::string_view kCacheFileSuffix = ".kubexx-cache";

/// Where cache files are. It is this user's alone: others may neither write into it nor own what is read from it, and
/// nothing in it is a symbolic link.
///
/// Threads: any, and processes too: files are replaced in one step, and whoever writes last wins.
/// Errors: every one names the path and what the system says of it.
class CacheDirectory {
 public:
  /// Makes it if it is not there, with mode 0700; what it is in has to be there.
  static Result<CacheDirectory> open(std::string path);

  /// What a file has; none: there is no such file. Blocks.
  Result<std::optional<meta::detail::CacheFileContents>> read(const std::string& name, std::string_view identity) const;
  /// Puts a file of mode 0600 in the place of what is there. Blocks until it is on the disk.
  Result<void> write(const std::string& name, const meta::detail::CacheFileHead& head,
                     std::span<const meta::Object> objects) const;
  /// Removes every cache file whose name begins so.
  void remove_all(std::string_view prefix) const;
  /// Removes what writers left that died.
  void remove_leftovers() const;

 private:
  explicit CacheDirectory(std::string path) : path_(std::move(path)), fd_(std::make_unique<Descriptor>(-1)) {}
  std::vector<std::string> names() const;
  Error failed(const std::string& name, const std::string& what, int code) const;

  std::string path_;
  std::unique_ptr<Descriptor> fd_;
};

}  // namespace kubexx::informer
