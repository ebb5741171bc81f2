#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "meta/document/layout.hpp"

namespace kubexx::meta::detail {

/// Proves of a document or fragment from outside what readers take for granted: every offset is inside; lists and maps
/// are a tree in which no two stand on the same bytes, and no text on theirs; varints end and counts fit; texts are
/// UTF-8; numbers are finite; known names exist, and stand as such; no key is in a map twice; sorted maps ascend, and
/// so do indexed ones in the order of their positions; nesting is within bounds; fragments are those that there are.
///
/// Threads: one at a time. It keeps its buffers.
class Verifier {
 public:
  /// A word that names a fragment.
  struct Shared {
    std::uint32_t place = 0;
    std::uint32_t number = 0;
  };

  Verifier();
  /// Of `size` bytes, of which the first `head` are no nodes; `levels` has the nesting of each fragment that a word may
  /// name. False: fault() says why.
  bool verify(const std::byte* base, std::size_t size, std::size_t head, Word root,
              std::span<const std::uint16_t> levels);
  /// The same for a further text of what was verified last.
  bool verify_text(std::uint32_t offset) { return offset == 0 || (text(offset) && apart()); }

  const char* fault() const noexcept { return fault_; }
  int levels() const noexcept { return levels_; }  ///< of lists and maps in each other, fragments included
  const std::vector<Shared>& shared() const noexcept { return shared_; }

 private:
  struct Node {
    std::size_t entries = 0;
    std::size_t count = 0;
  };

  bool fail(const char* why) noexcept {
    fault_ = why;
    return false;
  }
  bool value(std::size_t place, Word word, int depth);
  bool list(Word word, int depth);
  bool map(Word word, int depth);
  bool name_shared(std::size_t place, std::uint32_t number, int depth);
  bool eight_bytes(Word word);
  std::optional<Node> node(Word word, std::size_t entry, int depth);
  std::optional<std::string_view> text(std::uint32_t offset);
  bool varint(std::size_t& at, std::uint32_t& read) noexcept;
  bool field_keys(const Node& map);
  bool name_keys(const Node& map);
  bool distinct(const Node& map) const noexcept;
  bool ascending(const Node& map, bool indexed);
  bool known(std::uint32_t id) noexcept;
  Key key_at(const Node& map, std::size_t index) const noexcept {
    return load<Key>(base_ + map.entries + MapNode::kName * index);
  }
  bool claim(std::size_t at, std::size_t bytes);
  void note(std::size_t at, std::size_t bytes);
  bool apart() noexcept;

  const std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  std::size_t head_ = 0;
  std::span<const std::uint16_t> fragment_levels_;
  const char* fault_ = "";
  int levels_ = 0;
  std::vector<Shared> shared_;
  std::vector<std::uint64_t> claimed_;  // a bit for each byte that a list or map stands on
  std::vector<std::uint64_t> noted_;    // and that others do, which may stand for several
  std::vector<std::uint32_t> stamps_;   // by name: the last map that had it
  std::uint32_t stamp_ = 0;
};

}  // namespace kubexx::meta::detail
