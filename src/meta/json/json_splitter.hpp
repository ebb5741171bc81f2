#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kubexx::meta::detail {

/// Finds where a JSON object ends in text that arrives in pieces of any size. It looks at braces and strings only: what
/// lies between is for the decoder to judge.
class JsonSplitter {
 public:
  /// The next piece begins with the opening brace of an object.
  void start() noexcept { *this = JsonSplitter(); }

  /// How many bytes of the piece belong to the object, its closing brace included; npos when it goes on after them all.
  std::size_t scan(std::string_view piece) noexcept;

 private:
  std::uint64_t in_string_ = 0;  // all ones inside a string
  std::uint64_t escaped_ = 0;    // 1: the next byte follows an escaping backslash
  std::uint64_t depth_ = 0;
};

}  // namespace kubexx::meta::detail
