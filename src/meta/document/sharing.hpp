#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "meta/document/fragments.hpp"
#include "meta/document/habits.hpp"
#include "meta/document/layout.hpp"
#include "meta/document/node_copy.hpp"

namespace kubexx::meta::detail {

/// Finds the parts of a document that other documents have too, and puts a fragment in their place. Which fields are
/// worth it, and whether as a whole or only parts of them, is learned for the whole process; see
/// docs/adr/0014-fragments-and-cache-files.md.
class Sharing {
 public:
  Sharing() = default;
  Sharing(const Sharing&) = delete;
  Sharing& operator=(const Sharing&) = delete;
  ~Sharing();

  /// Copies the document (of so many bytes) without what it shares, behind room for the header; root and cut are then
  /// the copy's. False: it shares nothing, and is best taken as it is.
  bool share(const std::byte* document, std::size_t size, Word& root, Word& cut);
  NodeCopy& copy() noexcept { return own_; }
  /// The references belong to a document now.
  void hand_over() noexcept { held_.clear(); }
  /// After each document.
  void end() noexcept;

 private:
  /// A part of the document, as it would stand in a fragment.
  struct Candidate {
    std::string_view nodes;  // in candidate_
    Word root = 0;
    std::uint32_t hash = 0;
  };

  Word visit(Word word, std::uint32_t habit);
  Word visit_text(Word word, Habit& known);
  std::optional<Word> share_node(Word word, Habit& known);
  void learn(Word word, Habit& known, std::size_t left);
  Candidate make_candidate(Word word);
  std::optional<Word> take(const Candidate& candidate, Habit& known);
  std::optional<Fragments::Taken> take_recent(const Candidate& candidate) noexcept;
  void remember(std::uint32_t number, std::uint32_t hash) noexcept;
  void release() noexcept;

  const std::byte* from_ = nullptr;
  std::size_t size_ = 0;  // of the document
  NodeCopy own_;
  NodeCopy candidate_;
  std::vector<std::uint32_t> held_;  // numbers of fragments that the copy names
  // The fragments that were used last, by hash, as numbers plus one. They are kept alive, so that they can be looked at
  // and taken without a lock.
  std::array<std::uint32_t, 256> recent_{};
  std::uint32_t owner_ = 0;  // whose document it is
  std::size_t budget_ = 0;   // bytes that may still be looked at: nesting must not multiply the work
  bool curious_ = false;     // tries everything, so that what was learned stays true
};

}  // namespace kubexx::meta::detail
