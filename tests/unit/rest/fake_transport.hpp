#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/base/executor.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::rest {

/// A transport that answers as scripted, on the executor, and remembers what was sent.
class FakeTransport final : public transport::Transport {
 public:
  struct Answer {
    int status = 200;
    transport::Headers headers{{"Content-Type", "application/json"}};
    std::vector<std::string> chunks;
    std::optional<Error> error;  // instead of a clean end
    bool hangs = false;          // no answer at all
    bool stays_open = false;     // no end until end_open()
  };

  explicit FakeTransport(std::shared_ptr<Executor> executor) : executor_(std::move(executor)) {}

  std::unique_ptr<transport::Exchange> send(transport::Request request,
                                            std::shared_ptr<transport::ResponseSink> sink) override {
    requests.push_back(std::move(request));
    auto alive = std::make_shared<std::atomic<bool>>(true);
    Answer answer;
    if (!answers.empty()) {
      answer = std::move(answers.front());
      answers.pop_front();
    }
    if (answer.stays_open) open_.push_back({sink, alive});
    executor_->post([sink, answer, alive] {
      if (!*alive || answer.hangs) return;
      if (answer.status != 0) sink->on_headers(answer.status, answer.headers);
      for (const auto& chunk : answer.chunks) {
        if (*alive) sink->on_data(chunk);
      }
      if (*alive && !answer.stays_open) sink->on_end(answer.error ? &*answer.error : nullptr);
    });
    struct Handle final : transport::Exchange {
      explicit Handle(std::shared_ptr<std::atomic<bool>> a) : alive(std::move(a)) {}
      ~Handle() override { *alive = false; }
      void resume() override {}
      std::shared_ptr<std::atomic<bool>> alive;
    };
    return std::make_unique<Handle>(alive);
  }

  void answer(int status, std::string body, std::string retry_after = "") {
    Answer a;
    a.status = status;
    a.chunks = {std::move(body)};
    if (!retry_after.empty()) a.headers.add("Retry-After", std::move(retry_after));
    answers.push_back(std::move(a));
  }
  void lose_connection() {
    Answer a;
    a.status = 0;
    a.error = Error::transport(TransportFailure::Reset, "reset by peer");
    answers.push_back(std::move(a));
  }

  /// Ends the answers that stayed open.
  void end_open(const Error* error = nullptr) {
    for (const auto& [sink, alive] : std::exchange(open_, {})) {
      if (*alive) sink->on_end(error);
    }
  }

  std::deque<Answer> answers;
  std::vector<transport::Request> requests;

 private:
  std::shared_ptr<Executor> executor_;
  std::vector<std::pair<std::shared_ptr<transport::ResponseSink>, std::shared_ptr<std::atomic<bool>>>> open_;
};

}  // namespace kubexx::rest
