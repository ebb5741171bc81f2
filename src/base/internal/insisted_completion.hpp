#pragma once

#include <memory>
#include <utility>

#include "base/internal/insist.hpp"
#include "kubexx/base/executor.hpp"

namespace kubexx {

/// What detail::completing() makes, and the result is not lost where there is no memory for it at once.
template <class T>
Task insisted_completion(std::shared_ptr<Executor> executor, UniqueFunction<void(T)> done, T value) {
  struct Completion {
    std::shared_ptr<Executor> executor;
    UniqueFunction<void(T)> done;
    T value;
    void operator()() {
      auto once = std::move(done);
      executor.reset();  // first: who waits for the completion is to be the last owner
      once(std::move(value));
    }
  };
  return insisted_task(Completion{std::move(executor), std::move(done), std::move(value)});
}

}  // namespace kubexx
