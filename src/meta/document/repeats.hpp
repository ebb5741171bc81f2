#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meta/document/habits.hpp"
#include "meta/document/layout.hpp"

namespace kubexx::meta::detail {

/// Where a part of an object stands and how its bytes are read: there the same bytes are the same value.
struct PartPlace {
  std::uint32_t path = 0;      ///< made of steps, as a habit's name
  int depth = 0;               ///< lists and maps around it
  const void* form = nullptr;  ///< the field of a protobuf message; null: JSON
  friend bool operator==(const PartPlace&, const PartPlace&) = default;
};

/// The parts of a stream's objects that became fragments, by the bytes they had in the stream: where these bytes come
/// again, nobody has to read them to know the fragment. A list whose objects have most in common is read in half the
/// time; where nothing comes again soon, nobody looks.
class Repeats {
 public:
  Repeats();
  ~Repeats();
  Repeats(const Repeats&) = delete;
  Repeats& operator=(const Repeats&) = delete;

  /// Whether it is worth looking at what stands there: it came again lately.
  bool expects(std::uint32_t path) const noexcept { return score(path) >= kExpected; }
  struct Found {
    std::uint32_t number = 0;  ///< of the fragment, with one more reference
    std::uint32_t references_before = 0;
    Habit* habit = nullptr;
    std::uint32_t size = 0;  ///< of the fragment's nodes
  };
  std::optional<Found> find(const PartPlace& place, std::string_view source) noexcept;

  /// A part of the document under way that was read, and the word it became. Its bytes stay where they are until the
  /// document ends.
  void note(const PartPlace& place, std::string_view source, Word word) {
    if (source.size() >= kLeastSource && source.size() <= kLargestSource) notes_.push_back({place, source, word});
  }
  /// The part with this word is a fragment now; `again`: that was one of the last ones.
  void shared(Word word, std::uint32_t number, bool again, Habit& habit, std::size_t size);
  void end_document() noexcept;

 private:
  static constexpr std::size_t kLeastSource = 24;
  static constexpr std::size_t kLargestSource = 8192;
  static constexpr std::uint8_t kExpected = 4;
  static constexpr std::uint8_t kMostScore = 15;

  struct Note {
    PartPlace place;
    std::string_view source;
    Word word;
  };
  struct Entry {
    PartPlace place;
    std::string source;
    std::uint64_t hash = 0;
    std::uint32_t number_plus_one = 0;  // which it keeps alive; 0: nothing
    std::uint32_t size = 0;
    Habit* habit = nullptr;
  };

  std::uint8_t score(std::uint32_t path) const noexcept { return scores_[path % scores_.size()]; }
  Entry& entry_of(std::uint64_t hash) noexcept { return entries_[hash % entries_.size()]; }

  const std::uint64_t seed_;
  std::array<std::uint8_t, 512> scores_{};  // by path: more with each part that came again, less with each that did not
  std::array<Entry, 128> entries_{};        // by hash
  std::vector<Note> notes_;                 // in the order of their words
};

}  // namespace kubexx::meta::detail
