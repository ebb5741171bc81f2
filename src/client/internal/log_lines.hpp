#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kubexx::client {

/// Cuts what arrives of a log into lines. One that is longer than allowed comes in pieces of that length, all but the
/// last of them marked as not whole.
class LogLines {
 public:
  static constexpr std::size_t kLongestLine = 1 << 20;
  explicit LogLines(std::size_t longest = kLongestLine) : longest_(longest) {}

  /// Hands over the lines that end in `bytes`, until the function says false; false from then on.
  template <class F>
  bool take(std::string_view bytes, F&& on_line) {
    while (wanted_ && !bytes.empty()) {
      const auto end = bytes.find('\n');
      const auto piece = bytes.substr(0, end);
      const auto room = longest_ - line_.size();
      const bool too_long = piece.size() > room;
      line_.append(piece.substr(0, room));
      if (!too_long && end == std::string_view::npos) break;
      bytes.remove_prefix(too_long ? room : end + 1);
      wanted_ = on_line(std::string_view(line_), !too_long);
      line_.clear();
    }
    return wanted_;
  }
  /// A last line without an end.
  template <class F>
  void end(F&& on_line) {
    if (wanted_ && !line_.empty()) on_line(std::string_view(line_), true);
  }

 private:
  const std::size_t longest_;
  std::string line_;
  bool wanted_ = true;
};

}  // namespace kubexx::client
