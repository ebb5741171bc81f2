#pragma once

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/export.hpp"
#include "kubexx/base/result.hpp"

namespace kubexx {

/// A file from outside, for reading: what its path names may be a pipe that nobody writes to, or a device without an
/// end. Opening it never blocks.
class KUBEXX_EXPORT_INTERNAL InputFile {
 public:
  static Result<InputFile> open(const std::string& path);
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  /// Some bytes, at least one; 0 at the end. Where they are awaited: until the deadline (Timeout) or stop (Canceled).
  Result<std::size_t> read(std::span<char> into, TimePoint deadline, const std::stop_token& stop = {});

 private:
  InputFile(int fd, std::string path);
  int fd_;
  std::string path_;
};

struct FileLimits {
  std::size_t bytes = 8 << 20;
  Duration patience = std::chrono::seconds(10);  ///< how long a pipe may take to say all it has to say
};

/// All of a file. More bytes than the limit are an Error, found while reading: not every file knows its size.
KUBEXX_EXPORT_INTERNAL Result<std::string> read_file(const std::string& path, const FileLimits& limits = {});

/// Puts the text in place of a file in one step, readable by nobody else. Only a regular file, or nothing, is replaced:
/// a device, a pipe or a symbolic link is an Error.
KUBEXX_EXPORT_INTERNAL Result<void> replace_file(const std::string& path, std::string_view text);

/// Whether it is there and may be read, without opening it.
bool file_readable(const std::string& path) noexcept;

}  // namespace kubexx
