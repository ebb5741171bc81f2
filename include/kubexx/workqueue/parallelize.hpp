#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

#include "kubexx/base/export.hpp"

namespace kubexx::workqueue {

/// Calls `work` once for every piece in [0, pieces), on at most `workers` threads, the caller's among them; each takes
/// `chunk_size` pieces at a time. Zero workers or a zero chunk size counts as one.
///
/// Threads: blocks until all are done; the threads that it starts have ended then. `work` runs on several at once.
/// Stop: no further piece is begun; those that run are finished.
/// Errors: a piece that throws is reported to the error sink and the others go on. Where the system has no thread to
/// spare, those there are do all of it.
/// Example:
///
///     std::vector<std::size_t> squares(1000);
///     workqueue::parallelize_until(stop, 8, squares.size(), [&](std::size_t i) { squares[i] = i * i; });
KUBEXX_EXPORT void parallelize_until(std::stop_token stop, std::size_t workers, std::size_t pieces,
                                     const std::function<void(std::size_t piece)>& work, std::size_t chunk_size = 1);

}  // namespace kubexx::workqueue
