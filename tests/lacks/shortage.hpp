#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kubexx::lacks {

/// What a host may be short of.
enum class Kind : std::uint8_t {
  New,         ///< memory, as C++ asks for it
  Malloc,      ///< memory, as C asks for it: libcurl, OpenSSL, nghttp2, the C library
  Pages,       ///< memory, as mmap has it
  Thread,      ///< pthread_create
  Descriptor,  ///< sockets, files, epoll, eventfd, timerfd, pipes
  Disk,        ///< write, fsync, rename and what else changes a file or a folder
};
constexpr Kind kKinds[] = {Kind::New, Kind::Malloc, Kind::Pages, Kind::Thread, Kind::Descriptor, Kind::Disk};
std::string_view to_string(Kind kind) noexcept;
std::optional<Kind> parse_kind(std::string_view text) noexcept;

/// From the `first` request on that is counted (1: the next one), `length` of them are refused. `first` 0: none is.
/// Counting begins anew.
void arm(Kind kind, std::uint64_t first, std::uint64_t length) noexcept;
std::uint64_t counted() noexcept;  ///< since arm()
std::uint64_t refused() noexcept;  ///< since arm()

/// Requests are counted on threads inside of one, and on threads that these start: the embedded server and the test
/// itself lack nothing.
class Counted {
 public:
  explicit Counted(bool on = true) noexcept;
  ~Counted();
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  const bool before_;
};

}  // namespace kubexx::lacks
