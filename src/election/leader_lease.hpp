#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kubexx/base/executor.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/time.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::election {

/// The spec of a Lease.
struct LeaseRecord {
  std::string holder{};
  std::int64_t duration_seconds = 0;
  std::string acquired{};  // as written
  std::string renewed{};
  std::int64_t transitions = 0;

  static LeaseRecord of(const meta::Object& lease);
  void write_to(meta::Draft& lease) const;
  /// What the record promises; a record without a sensible one promises `fallback`.
  Duration duration(Duration fallback) const;

  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

std::int64_t whole_seconds(Duration duration);  ///< rounded up, at least 1

rest::Request lease_request(std::string method, const std::string& namespace_, const std::string& name,
                            const meta::Object& body = {});
meta::Draft new_lease(const std::string& namespace_, const std::string& name);

/// One request at a time with a time limit of its own. Belongs to a strand; destroying it there cancels the request.
class LeaseCall {
 public:
  LeaseCall(rest::Client client, Strand strand) : client_(std::move(client)), strand_(std::move(strand)) {}
  ~LeaseCall() { cancel(); }
  LeaseCall(const LeaseCall&) = delete;
  LeaseCall& operator=(const LeaseCall&) = delete;

  /// A request under way is canceled first. `done` runs on the strand, at most once.
  void start(rest::Request request, Duration timeout, UniqueFunction<void(Result<rest::Response>)> done);
  void cancel();
  bool pending() const noexcept { return current_ != nullptr; }

 private:
  struct Current;
  void finish(const std::shared_ptr<Current>& current, Result<rest::Response> answer);

  const rest::Client client_;
  const Strand strand_;
  std::shared_ptr<Current> current_;
};

}  // namespace kubexx::election
