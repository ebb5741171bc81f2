#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kubexx/inspect/server.hpp"
#include "kubexx/rest/client.hpp"
#include "soak/journal.hpp"

namespace kubexx::soak {

/// An inspector page of a factory, and somebody who reads all of it again and again. Every answer must be one.
class PageReader {
 public:
  /// The factory must outlive it.
  PageReader(const informer::SharedInformerFactory& factory, Journal& journal);

  std::uint64_t reads() const { return reads_; }

 private:
  void run(const std::stop_token& stop);

  Journal& journal_;
  std::vector<std::string> informers_;
  std::unique_ptr<inspect::Server> page_;
  std::atomic<std::uint64_t> reads_{0};
  std::jthread thread_;  // last: it uses the others
};

}  // namespace kubexx::soak
