#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kubexx::meta::detail {

/// Finds where a JSON value ends in text that arrives in pieces of any size. It looks at brackets and strings only:
/// what lies between is for the decoder to judge.
class JsonSplitter {
 public:
  enum class Counts {
    Braces,       ///< of an object: one with a wrong bracket inside ends where its braces say
    AllBrackets,  ///< of any list or map
  };

  explicit JsonSplitter(Counts counts = Counts::Braces) noexcept : counts_(counts) {}

  /// The next piece begins with the opening bracket of a value, or behind so many of them.
  void start(std::size_t depth = 0) noexcept {
    in_string_ = 0;
    escaped_ = 0;
    depth_ = depth;
  }

  /// How many bytes of the piece belong to the value, its closing bracket included; npos when it goes on after them
  /// all.
  std::size_t scan(std::string_view piece) noexcept;

 private:
  struct Masks;
  static void read_blocks(const char* text, std::size_t count, Counts counts, Masks* out) noexcept;
  std::size_t take(const Masks& masks, std::size_t bytes) noexcept;

  Counts counts_;
  std::uint64_t in_string_ = 0;  // all ones inside a string
  std::uint64_t escaped_ = 0;    // 1: the next byte follows an escaping backslash
  std::uint64_t depth_ = 0;
};

}  // namespace kubexx::meta::detail
