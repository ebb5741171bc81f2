#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

namespace kubexx::workqueue {

/// Calls `work` once for every piece in [0, pieces), on at most `workers` threads, the caller's among them; each takes
/// `chunk_size` pieces at a time. Blocks until all are done. After a stop no further piece is begun. A piece that
/// throws is reported to the error sink and the others go on. Zero workers or a zero chunk size counts as one.
void parallelize_until(std::stop_token stop, std::size_t workers, std::size_t pieces,
                       const std::function<void(std::size_t piece)>& work, std::size_t chunk_size = 1);

}  // namespace kubexx::workqueue
