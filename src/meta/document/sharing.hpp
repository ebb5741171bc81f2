#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "meta/document/fragments.hpp"
#include "meta/document/habits.hpp"
#include "meta/document/layout.hpp"
#include "meta/document/node_copy.hpp"
#include "meta/document/repeats.hpp"

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
  void hand_over() noexcept {
    held_.clear();
    repeated_.clear();
  }

  /// The next piece of a stream has so many bytes. In bulk, parts that come again are recognised by their bytes; a
  /// stream that trickles keeps nothing for that.
  void expect_piece(std::size_t bytes);
  void recognise_repeats(bool wanted);
  bool recognises_repeats() const noexcept { return repeats_ != nullptr; }
  bool expects_repeat(std::uint32_t path) { return repeats_->expects(path) && looking(); }
  /// While it lives nothing is looked for: a part that did not come before is read whole, so that it can become one.
  class ReadWhole {
   public:
    explicit ReadWhole(Sharing& sharing) noexcept : look_(sharing.look_) { look_ = false; }
    ~ReadWhole() { look_ = true; }
    ReadWhole(const ReadWhole&) = delete;
    ReadWhole& operator=(const ReadWhole&) = delete;

   private:
    bool& look_;
  };
  /// The word of the fragment that these bytes became, if they did.
  std::optional<Word> repeat(const PartPlace& place, std::string_view source);
  void note_part(const PartPlace& place, std::string_view source, Word word) { repeats_->note(place, source, word); }
  /// What was noted must not be recognised again.
  void forget_parts() noexcept {
    if (repeats_) repeats_->end_document();
  }
  /// Whether the document has fragments although nothing of it was shared now.
  bool has_repeats() const noexcept { return !repeated_.empty(); }
  /// A value was dropped from the document: so are references to fragments that it named alone.
  void drop_lost(const std::byte* document, Word root) noexcept;
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
  void learn(Word word, Habit& known, std::size_t left, std::size_t recognised);
  Candidate make_candidate(Word word);
  std::optional<Word> take(const Candidate& candidate, Habit& known, bool& recent);
  std::optional<Fragments::Taken> take_recent(const Candidate& candidate) noexcept;
  void remember(std::uint32_t number, std::uint32_t hash) noexcept;
  static void release(std::vector<std::uint32_t>& numbers) noexcept;
  void release() noexcept;
  bool curious();
  bool looking() { return look_ && !curious(); }
  /// So many references to a fragment may be those of the object's last version and of this decoder.
  std::uint32_t own_references() const noexcept { return repeats_ ? 3 : 2; }

  const std::byte* from_ = nullptr;
  std::size_t size_ = 0;  // of the document
  NodeCopy own_;
  NodeCopy candidate_;
  std::vector<std::uint32_t> held_;      // numbers of fragments that the copy names
  std::vector<std::uint32_t> repeated_;  // and of those that the document itself names
  std::size_t met_ = 0;                  // of the latter, in the copy so far, with their bytes
  std::size_t met_bytes_ = 0;
  // The fragments that were used last, by hash, as numbers plus one. They are kept alive, so that they can be looked at
  // and taken without a lock.
  std::array<std::uint32_t, 256> recent_{};
  std::uint32_t owner_ = 0;  // whose document it is
  std::size_t budget_ = 0;   // bytes that may still be looked at: nesting must not multiply the work
  // Tries everything, so that what was learned stays true; absent: not decided for this document.
  std::optional<bool> curious_;
  std::unique_ptr<Repeats> repeats_;  // null: nobody looks for them
  std::uint32_t documents_ = 0;
  bool look_ = true;
};

}  // namespace kubexx::meta::detail
