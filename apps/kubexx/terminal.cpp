#include "terminal.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "output.hpp"

namespace kubexx::app {
namespace {

std::string color_mode = "auto";
std::atomic<int> resize_fd{-1};

void on_resize(int) {
  const int saved = errno;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(resize_fd.load(), &one, sizeof one);
  errno = saved;
}

/// What is typed, with the keys of a terminal in their two spellings.
std::vector<Key> keys_of(std::string_view bytes) {
  static constexpr std::array<std::pair<std::string_view, Key>, 26> kKeys = {{
      {"\x1b[A", Key::Up},      {"\x1bOA", Key::Up},        {"\x1b[B", Key::Down},   {"\x1bOB", Key::Down},
      {"\x1b[5~", Key::PageUp}, {"\x1b[6~", Key::PageDown}, {"\x1b[H", Key::Home},   {"\x1bOH", Key::Home},
      {"\x1b[1~", Key::Home},   {"\x1b[F", Key::End},       {"\x1bOF", Key::End},    {"\x1b[4~", Key::End},
      {"k", Key::Up},           {"j", Key::Down},           {"b", Key::PageUp},      {"\x02", Key::PageUp},
      {" ", Key::PageDown},     {"f", Key::PageDown},       {"\x06", Key::PageDown}, {"g", Key::Home},
      {"G", Key::End},          {"\r", Key::Enter},         {"\n", Key::Enter},      {"q", Key::Quit},
      {"Q", Key::Quit},         {"\x04", Key::Quit},
  }};
  std::vector<Key> keys;
  while (!bytes.empty()) {
    std::size_t used = 1;
    for (const auto& [text, key] : kKeys) {
      if (!bytes.starts_with(text)) continue;
      keys.push_back(key);
      used = text.size();
      break;
    }
    bytes.remove_prefix(used);
  }
  return keys;
}

}  // namespace

void set_color(std::string_view mode) {
  color_mode = mode;
}

bool use_color() {
  if (color_mode != "auto") return color_mode == "always";
  const char* none = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return stdout_is_terminal() && !(none && *none) && term && *term && std::string_view(term) != "dumb";
}

bool stdout_is_terminal() {
  return isatty(STDOUT_FILENO) == 1;
}

bool has_screen_and_keys() {
  return stdout_is_terminal() && isatty(STDIN_FILENO) == 1;
}

bool show_progress() {
  return stdout_is_terminal() && isatty(STDERR_FILENO) == 1;
}

std::string styled(std::string_view text, std::string_view style) {
  if (style.empty() || !use_color()) return std::string(text);
  return std::string(style).append(text).append("\x1b[0m");
}

Size terminal_size() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return {};
  return {size.ws_row, size.ws_col};
}

Wakeup::Wakeup() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}
Wakeup::~Wakeup() {
  close(fd_);
}
void Wakeup::notify() const noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(fd_, &one, sizeof one);
}
void Wakeup::clear() const noexcept {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto taken = ::read(fd_, &count, sizeof count);
}

void wait_for_end(const std::stop_token& stop) {
  const Wakeup wake;
  const std::stop_callback on_stop(stop, [&wake] { wake.notify(); });
  // A pipe whose reader is gone reports an error without being asked for anything.
  std::array<pollfd, 2> waits = {{{wake.fd(), POLLIN, 0}, {STDOUT_FILENO, 0, 0}}};
  while (!stop.stop_requested() && !(waits[1].revents & POLLERR)) poll(waits.data(), waits.size(), -1);
}

struct Screen::State {
  Wakeup resize;
  termios before{};
  bool has_keys = false;
  bool raw = false;
  struct sigaction handler_before{};
  bool active = false;
  Size drawn_size{0, 0};
  std::vector<std::string> drawn;
};

Screen::Screen() : state_(std::make_unique<State>()) {
  state_->raw = state_->has_keys = isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &state_->before) == 0;
  if (state_->raw) {
    auto raw = state_->before;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VSUSP] = _POSIX_VDISABLE;  // stopped, the process could not give the screen back
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  resize_fd = state_->resize.fd();
  struct sigaction handler{};
  handler.sa_handler = on_resize;
  handler.sa_flags = SA_RESTART;
  sigaction(SIGWINCH, &handler, &state_->handler_before);
  state_->active = true;
  out().write("\x1b[?1049h\x1b[?25l\x1b[2J\x1b[H");
}

Screen::~Screen() {
  restore();
}

void Screen::restore() {
  if (!state_->active) return;
  state_->active = false;
  out().write("\x1b[0m\x1b[?25h\x1b[?1049l");
  if (state_->raw) tcsetattr(STDIN_FILENO, TCSANOW, &state_->before);
  sigaction(SIGWINCH, &state_->handler_before, nullptr);
  resize_fd = -1;
}

void Screen::draw(const std::vector<std::string>& lines) {
  const auto now = size();
  std::string bytes;
  if (now.rows != state_->drawn_size.rows || now.columns != state_->drawn_size.columns) {
    bytes += "\x1b[2J";
    state_->drawn.clear();
    state_->drawn_size = now;
  }
  for (std::size_t i = 0; i < now.rows; ++i) {
    static const std::string kEmpty;
    const auto& line = i < lines.size() ? lines[i] : kEmpty;
    const auto& shown = i < state_->drawn.size() ? state_->drawn[i] : kEmpty;
    if (line == shown) continue;
    bytes += "\x1b[" + std::to_string(i + 1) + ";1H" + line + "\x1b[0m\x1b[K";
  }
  state_->drawn.assign(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(lines.size(), now.rows)));
  if (!bytes.empty()) out().write(bytes);
}

std::vector<Key> Screen::wait(const Wakeup& wake, const std::stop_token& stop, Duration at_most) {
  const std::stop_callback on_stop(stop, [&wake] { wake.notify(); });
  std::array<pollfd, 3> waits = {{{wake.fd(), POLLIN, 0}, {state_->resize.fd(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(at_most).count();
  const int ready = poll(waits.data(), state_->has_keys ? 3 : 2, static_cast<int>(std::max<long>(milliseconds, 0)));
  wake.clear();
  state_->resize.clear();
  if (ready <= 0 || !(waits[2].revents & (POLLIN | POLLHUP | POLLERR))) return {};
  std::array<char, 256> typed{};
  const auto count = ::read(STDIN_FILENO, typed.data(), typed.size());
  if (count <= 0) {
    state_->has_keys = count < 0 && errno == EINTR;  // the keyboard is gone; a stop still ends it
    return {};
  }
  return keys_of({typed.data(), static_cast<std::size_t>(count)});
}

}  // namespace kubexx::app
