#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>

#include "kubexx/meta/object.hpp"
#include "kubexx/testkit/simulation.hpp"

namespace kubexx::simulation {

/// What an object is, for comparing: its version, the number of the write that made it, and what it may have in common
/// with others.
struct Seen {
  std::string version;
  std::string write;
  std::string common;
  friend bool operator==(const Seen&, const Seen&) = default;
};
using View = std::map<std::string, Seen>;

Seen seen(const meta::Object& object);
std::string to_string(const Seen& state);
std::string to_string(const View& view);

/// What everybody in a simulation of informers knows: every state that was ever written, and how often the server was
/// restored. Objects carry the number of their write (data.w) and the count of rollbacks at that time (data.e), and
/// some labels and a text that others have too (data.t).
class World {
 public:
  explicit World(testkit::Simulation& simulation) : simulation_(simulation) {}

  void wrote(const meta::Object& object) { written_.insert(state(object)); }
  bool existed(const meta::Object& object) const { return written_.contains(state(object)); }
  /// May the version of this object fall? Only if the server was restored after it was written.
  bool may_fall(const meta::Object& object) const;

  void note(const std::string& line) { simulation_.note(line); }
  /// A handler was called with something that cannot follow from the calls before.
  void illegal_call(const std::string& text) { simulation_.fail("an illegal call of a handler", text); }

  std::uint64_t rollbacks = 0;

 private:
  static std::string state(const meta::Object& object);
  testkit::Simulation& simulation_;
  std::unordered_set<std::string> written_;
};

}  // namespace kubexx::simulation
