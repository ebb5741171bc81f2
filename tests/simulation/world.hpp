#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "kubexx/meta/object.hpp"

namespace kubexx::simulation {

/// What an object is, for comparing: its version and the number of the write that made it.
struct Seen {
  std::string version;
  std::string write;
  friend bool operator==(const Seen&, const Seen&) = default;
};
using View = std::map<std::string, Seen>;

Seen seen(const meta::Object& object);
std::string to_string(const View& view);

/// What everybody in a simulation knows: every state that was ever written, how often the server was restored, and what
/// went wrong. Objects carry the number of their write (data.w) and the count of rollbacks at that time (data.e).
class World {
 public:
  void wrote(const meta::Object& object) { written_.insert(state(object)); }
  bool existed(const meta::Object& object) const { return written_.contains(state(object)); }
  /// May the version of this object fall? Only if the server was restored after it was written.
  bool may_fall(const meta::Object& object) const;

  void problem(std::string text) { problems_.push_back(std::move(text)); }
  const std::vector<std::string>& problems() const noexcept { return problems_; }
  /// A line of the run: part of its digest, so that two runs of a seed can be compared.
  void note(const std::string& line);
  std::uint64_t digest() const noexcept { return digest_; }

  std::uint64_t rollbacks = 0;
  bool verbose = false;

 private:
  static std::string state(const meta::Object& object);
  std::unordered_set<std::string> written_;
  std::vector<std::string> problems_;
  std::uint64_t digest_ = 14695981039346656037ULL;
};

}  // namespace kubexx::simulation
