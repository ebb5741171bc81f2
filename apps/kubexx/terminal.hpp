#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/clock.hpp"

namespace kubexx::app {

/// --color: "auto" (a terminal, and neither $NO_COLOR nor a dumb $TERM), "always", "never".
void set_color(std::string_view mode);
bool use_color();

bool stdout_is_terminal();
/// Somebody sees what is drawn and can press keys.
bool has_screen_and_keys();
/// Both standard output and standard error: progress may be shown.
bool show_progress();

inline constexpr std::string_view kBold = "\x1b[1m";
inline constexpr std::string_view kDim = "\x1b[2m";
inline constexpr std::string_view kReverse = "\x1b[7m";
inline constexpr std::string_view kRed = "\x1b[31m";
inline constexpr std::string_view kGreen = "\x1b[32m";
inline constexpr std::string_view kYellow = "\x1b[33m";
inline constexpr std::string_view kCyan = "\x1b[36m";
/// The text in a style, or as it is where there are no colors.
std::string styled(std::string_view text, std::string_view style);

struct Size {
  std::size_t rows = 24;
  std::size_t columns = 80;
};
Size terminal_size();

/// Makes a waiting loop look again. notify() may be called from anywhere, signal handlers included.
class Wakeup {
 public:
  Wakeup();
  ~Wakeup();
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;
  void notify() const noexcept;
  int fd() const noexcept { return fd_; }
  void clear() const noexcept;

 private:
  int fd_;
};

/// Waits for the token, and for the reader of standard output to go away.
void wait_for_end(const std::stop_token& stop);

enum class Key { Up, Down, PageUp, PageDown, Home, End, Enter, Quit };

/// The whole terminal: alternate screen, no cursor, keys without echo. restore() and the destructor put everything
/// back. One at a time.
class Screen {
 public:
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  Size size() const { return terminal_size(); }
  /// Shows these lines, already cut to the width; only what changed is written.
  void draw(const std::vector<std::string>& lines);
  /// Until a key, a resize, a notification, the token or the time: whatever comes first.
  std::vector<Key> wait(const Wakeup& wake, const std::stop_token& stop, Duration at_most);
  void restore();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kubexx::app
