#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "kubexx/apiserver/core.hpp"
#include "kubexx/election/leader_elector.hpp"
#include "kubexx/election/leader_observer.hpp"
#include "soak/journal.hpp"

namespace kubexx::soak {

/// One of two programs that want to lead. While it does, it writes as Terms has it, and a little longer: then only its
/// guard stands between the writes and the server.
class Candidate {
 public:
  Candidate(rest::Client client, std::string name, Journal& journal);
  ~Candidate();

  bool leads() const { return elector_->is_leader(); }
  /// Gives the lease back, and stands again.
  void hand_over() { elector_->stop(); }

 private:
  void lead(const election::LeaderGuard& guard);
  void write(const election::LeaderGuard& guard, int number) const;

  const rest::Client client_;
  const std::string name_;
  Journal& journal_;
  int term_ = 0;  // terms come one after the other
  std::stop_source ending_;
  std::unique_ptr<election::LeaderElector> elector_;
  std::jthread thread_;  // last: it uses the others
};

/// Two candidates and who watches them.
class Election {
 public:
  Election(rest::Client first, rest::Client second, const rest::Client& observer, Journal& journal);

  void hand_over();
  /// Why it is not so that one of them leads and the observer says who; absent: it is.
  std::optional<std::string> wrong(const apiserver::Core& core) const;

 private:
  Candidate first_;
  Candidate second_;
  std::unique_ptr<election::LeaderObserver> observer_;
};

}  // namespace kubexx::soak
