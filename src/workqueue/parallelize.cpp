#include "kubexx/workqueue/parallelize.hpp"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "kubexx/base/error_sink.hpp"

namespace kubexx::workqueue {

void parallelize_until(std::stop_token stop, std::size_t workers, std::size_t pieces,
                       const std::function<void(std::size_t)>& work, std::size_t chunk_size) {
  if (pieces == 0) return;
  chunk_size = std::max<std::size_t>(chunk_size, 1);
  const std::size_t chunks = (pieces - 1) / chunk_size + 1;
  workers = std::clamp<std::size_t>(workers, 1, chunks);

  std::atomic<std::size_t> next_chunk{0};
  const auto run = [&] {
    for (std::size_t chunk = next_chunk++; chunk < chunks; chunk = next_chunk++) {
      const std::size_t begin = chunk * chunk_size;
      const std::size_t end = begin + std::min(chunk_size, pieces - begin);
      for (std::size_t piece = begin; piece < end; ++piece) {
        if (stop.stop_requested()) return;
        call_isolated("parallelize_until", [&] { work(piece); });
      }
    }
  };
  std::vector<std::jthread> helpers;
  helpers.reserve(workers - 1);
  try {
    for (std::size_t i = 1; i < workers; ++i) helpers.emplace_back(run);
  } catch (const std::system_error&) {
    // No further thread to be had: those there are do all of it.
  }
  run();
}

}  // namespace kubexx::workqueue
