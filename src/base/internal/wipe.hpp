#pragma once

#include <string.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace kubexx {

/// Overwrites a secret, the spare room of its text included, and leaves it empty. A compiler does not leave it out, as
/// it may do with a text that nobody reads again.
inline void wipe(std::string& text) noexcept {
  text.resize(text.capacity());  // takes no memory
  explicit_bzero(text.data(), text.size());
  text.clear();
}

/// Wipes a text in the end, however its block is left.
class WipedInTheEnd {
 public:
  explicit WipedInTheEnd(std::string& text) noexcept : text_(text) {}
  WipedInTheEnd(const WipedInTheEnd&) = delete;
  WipedInTheEnd& operator=(const WipedInTheEnd&) = delete;
  ~WipedInTheEnd() { wipe(text_); }

 private:
  std::string& text_;
};

/// Appends, and wipes the memory that the text leaves when it grows.
inline void append_secret(std::string& text, std::string_view more) {
  if (text.size() + more.size() > text.capacity()) {
    std::string larger;
    larger.reserve(std::max(text.size() + more.size(), 2 * text.capacity()));
    larger = text;
    wipe(text);
    text.swap(larger);
  }
  text.append(more);
}

}  // namespace kubexx
