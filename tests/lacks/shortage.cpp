#include "lacks/shortage.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace kubexx::lacks {
namespace {

constexpr std::array<std::string_view, 6> kNames{"new", "malloc", "pages", "thread", "descriptor", "disk"};

std::atomic<Kind> wanted{Kind::New};
std::atomic<std::uint64_t> from{0};
std::atomic<std::uint64_t> until{0};
std::atomic<std::uint64_t> seen{0};
std::atomic<std::uint64_t> hits{0};
thread_local bool on_this_thread = false;

/// Counts a request; true when it is to be refused.
bool refuse(Kind kind) noexcept {
  if (!on_this_thread || kind != wanted.load(std::memory_order_relaxed)) return false;
  const auto number = seen.fetch_add(1) + 1;
  if (number < from.load() || number >= until.load()) return false;
  hits.fetch_add(1);
  return true;
}

bool refuse(Kind kind, int code) noexcept {
  if (!refuse(kind)) return false;
  errno = code;
  return true;
}

/// libcurl 7.88 divides by zero later when it gets no memory for its table of transfers, so it always gets some.
bool is_of_libcurl(const void* caller) noexcept {
  struct Range {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
  };
  static const Range libcurl = [] {
    Range found;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* out) {
          if (std::string_view(info->dlpi_name).find("/libcurl.so") == std::string_view::npos) return 0;
          auto& range = *static_cast<Range*>(out);
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            const auto& part = info->dlpi_phdr[i];
            if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
            range.begin = info->dlpi_addr + part.p_vaddr;
            range.end = range.begin + part.p_memsz;
          }
          return 1;
        },
        &found);
    return found;
  }();
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  return at >= libcurl.begin && at < libcurl.end;
}

bool refuse_malloc(const void* caller) noexcept {
  if (!on_this_thread || wanted.load(std::memory_order_relaxed) != Kind::Malloc) return false;
  return !is_of_libcurl(caller) && refuse(Kind::Malloc, ENOMEM);
}

/// Of a file on a disk: what is written to sockets and to eventfds needs no room there.
bool refuse_write(int fd) noexcept {
  if (!on_this_thread || wanted.load(std::memory_order_relaxed) != Kind::Disk) return false;
  struct stat info{};
  const bool regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  return regular && refuse(Kind::Disk, ENOSPC);
}

/// The function that would have been called without this program's own.
template <class F>
F* system_function(const char* name) noexcept {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (size == 0) size = 1;
  return alignment <= alignof(std::max_align_t) ? __libc_malloc(size) : __libc_memalign(alignment, size);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* const memory = refuse(Kind::New) ? nullptr : allocate(size, alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

struct Start {
  void* (*body)(void*);
  void* argument;
  bool counted;
};

void* started(void* memory) {
  const Start start = *static_cast<Start*>(memory);
  std::free(memory);
  on_this_thread = start.counted;
  return start.body(start.argument);
}

}  // namespace

std::string_view to_string(Kind kind) noexcept {
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<Kind> parse_kind(std::string_view text) noexcept {
  for (const Kind kind : kKinds) {
    if (text == to_string(kind)) return kind;
  }
  return std::nullopt;
}

void arm(Kind kind, std::uint64_t first, std::uint64_t length) noexcept {
  is_of_libcurl(nullptr);  // it is found once, before anything is refused
  wanted = kind;
  seen = 0;
  hits = 0;
  from = first == 0 ? UINT64_MAX : first;
  until = first == 0 ? UINT64_MAX : first + length;
}

std::uint64_t counted() noexcept {
  return seen;
}
std::uint64_t refused() noexcept {
  return hits;
}

Counted::Counted(bool on) noexcept : before_(on_this_thread) {
  on_this_thread = on;
}
Counted::~Counted() {
  on_this_thread = before_;
}

}  // namespace kubexx::lacks

using kubexx::lacks::Kind;
using kubexx::lacks::refuse;
using kubexx::lacks::refuse_malloc;
using kubexx::lacks::refuse_write;
using kubexx::lacks::system_function;

#define KUBEXX_REPLACES extern "C" __attribute__((visibility("default")))

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the system's names are not for us
void* operator new(std::size_t size) {
  return kubexx::lacks::allocate_or_throw(size, 0);
}
void* operator new[](std::size_t size) {
  return kubexx::lacks::allocate_or_throw(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return kubexx::lacks::allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return kubexx::lacks::allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return refuse(Kind::New) ? nullptr : kubexx::lacks::allocate(size, 0);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return refuse(Kind::New) ? nullptr : kubexx::lacks::allocate(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return refuse(Kind::New) ? nullptr : kubexx::lacks::allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return refuse(Kind::New) ? nullptr : kubexx::lacks::allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

KUBEXX_REPLACES void* malloc(std::size_t size) noexcept {
  return refuse_malloc(__builtin_return_address(0)) ? nullptr : __libc_malloc(size);
}
KUBEXX_REPLACES void* calloc(std::size_t count, std::size_t size) noexcept {
  return refuse_malloc(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, size);
}
KUBEXX_REPLACES void* realloc(void* memory, std::size_t size) noexcept {
  return refuse_malloc(__builtin_return_address(0)) ? nullptr : __libc_realloc(memory, size);
}
KUBEXX_REPLACES int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  if (refuse(Kind::Malloc)) return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

KUBEXX_REPLACES void* mmap(void* where, std::size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  static auto* const real = system_function<void*(void*, std::size_t, int, int, int, off_t)>("mmap");
  return refuse(Kind::Pages, ENOMEM) ? MAP_FAILED : real(where, size, protection, flags, fd, offset);
}

KUBEXX_REPLACES int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                                   void* argument) noexcept {
  using kubexx::lacks::Start;
  static auto* const real =
      system_function<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  if (refuse(Kind::Thread)) return EAGAIN;
  auto* const start = static_cast<Start*>(__libc_malloc(sizeof(Start)));
  if (!start) return EAGAIN;
  *start = {body, argument, kubexx::lacks::on_this_thread};
  const int failed = real(thread, attributes, kubexx::lacks::started, start);
  if (failed != 0) std::free(start);
  return failed;
}

KUBEXX_REPLACES int socket(int domain, int type, int protocol) noexcept {
  static auto* const real = system_function<int(int, int, int)>("socket");
  return refuse(Kind::Descriptor, EMFILE) ? -1 : real(domain, type, protocol);
}
KUBEXX_REPLACES int socketpair(int domain, int type, int protocol, int* pair) noexcept {
  static auto* const real = system_function<int(int, int, int, int*)>("socketpair");
  return refuse(Kind::Descriptor, EMFILE) ? -1 : real(domain, type, protocol, pair);
}
KUBEXX_REPLACES int accept4(int fd, sockaddr* address, socklen_t* size, int flags) {
  static auto* const real = system_function<int(int, sockaddr*, socklen_t*, int)>("accept4");
  return refuse(Kind::Descriptor, EMFILE) ? -1 : real(fd, address, size, flags);
}
KUBEXX_REPLACES int epoll_create1(int flags) noexcept {
  static auto* const real = system_function<int(int)>("epoll_create1");
  return refuse(Kind::Descriptor, EMFILE) ? -1 : real(flags);
}
KUBEXX_REPLACES int eventfd(unsigned int count, int flags) noexcept {
  static auto* const real = system_function<int(unsigned int, int)>("eventfd");
  return refuse(Kind::Descriptor, EMFILE) ? -1 : real(count, flags);
}
KUBEXX_REPLACES int timerfd_create(int clock, int flags) noexcept {
  static auto* const real = system_function<int(int, int)>("timerfd_create");
  return refuse(Kind::Descriptor, EMFILE) ? -1 : real(clock, flags);
}
KUBEXX_REPLACES int pipe2(int* pair, int flags) noexcept {
  static auto* const real = system_function<int(int*, int)>("pipe2");
  return refuse(Kind::Descriptor, EMFILE) ? -1 : real(pair, flags);
}
KUBEXX_REPLACES int dup(int fd) noexcept {
  static auto* const real = system_function<int(int)>("dup");
  return refuse(Kind::Descriptor, EMFILE) ? -1 : real(fd);
}
KUBEXX_REPLACES int open(const char* path, int flags, ...) {
  static auto* const real = system_function<int(const char*, int, ...)>("open");
  va_list more;
  va_start(more, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : mode_t{0};
  va_end(more);
  return refuse(Kind::Descriptor, EMFILE) ? -1 : real(path, flags, mode);
}
KUBEXX_REPLACES int openat(int folder, const char* path, int flags, ...) {
  static auto* const real = system_function<int(int, const char*, int, ...)>("openat");
  va_list more;
  va_start(more, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : mode_t{0};
  va_end(more);
  return refuse(Kind::Descriptor, EMFILE) ? -1 : real(folder, path, flags, mode);
}
KUBEXX_REPLACES FILE* fopen(const char* path, const char* mode) {
  static auto* const real = system_function<FILE*(const char*, const char*)>("fopen");
  return refuse(Kind::Descriptor, EMFILE) ? nullptr : real(path, mode);
}
KUBEXX_REPLACES int mkostemp(char* pattern, int flags) {
  static auto* const real = system_function<int(char*, int)>("mkostemp");
  return refuse(Kind::Descriptor, EMFILE) || refuse(Kind::Disk, ENOSPC) ? -1 : real(pattern, flags);
}

KUBEXX_REPLACES ssize_t write(int fd, const void* bytes, std::size_t size) {
  static auto* const real = system_function<ssize_t(int, const void*, std::size_t)>("write");
  return refuse_write(fd) ? -1 : real(fd, bytes, size);
}
KUBEXX_REPLACES ssize_t pwrite(int fd, const void* bytes, std::size_t size, off_t at) {
  static auto* const real = system_function<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  return refuse_write(fd) ? -1 : real(fd, bytes, size, at);
}
KUBEXX_REPLACES ssize_t writev(int fd, const iovec* parts, int count) {
  static auto* const real = system_function<ssize_t(int, const iovec*, int)>("writev");
  return refuse_write(fd) ? -1 : real(fd, parts, count);
}
KUBEXX_REPLACES int fsync(int fd) {
  static auto* const real = system_function<int(int)>("fsync");
  return refuse(Kind::Disk, EIO) ? -1 : real(fd);
}
KUBEXX_REPLACES int fdatasync(int fd) {
  static auto* const real = system_function<int(int)>("fdatasync");
  return refuse(Kind::Disk, EIO) ? -1 : real(fd);
}
KUBEXX_REPLACES int ftruncate(int fd, off_t size) noexcept {
  static auto* const real = system_function<int(int, off_t)>("ftruncate");
  return refuse(Kind::Disk, ENOSPC) ? -1 : real(fd, size);
}
KUBEXX_REPLACES int rename(const char* from, const char* to) noexcept {
  static auto* const real = system_function<int(const char*, const char*)>("rename");
  return refuse(Kind::Disk, ENOSPC) ? -1 : real(from, to);
}
KUBEXX_REPLACES int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  static auto* const real = system_function<int(int, const char*, int, const char*)>("renameat");
  return refuse(Kind::Disk, ENOSPC) ? -1 : real(from_folder, from, to_folder, to);
}
KUBEXX_REPLACES int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const real = system_function<int(const char*, mode_t)>("mkdir");
  return refuse(Kind::Disk, ENOSPC) ? -1 : real(path, mode);
}
KUBEXX_REPLACES int unlink(const char* path) noexcept {
  static auto* const real = system_function<int(const char*)>("unlink");
  return refuse(Kind::Disk, EIO) ? -1 : real(path);
}
KUBEXX_REPLACES int unlinkat(int folder, const char* path, int flags) noexcept {
  static auto* const real = system_function<int(int, const char*, int)>("unlinkat");
  return refuse(Kind::Disk, EIO) ? -1 : real(folder, path, flags);
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
