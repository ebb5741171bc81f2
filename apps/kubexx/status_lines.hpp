#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubexx/informer/shared_informer.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::app {

/// What stands above a live table: counts of each cache, progress of first lists, and what is wrong.
class StatusLines {
 public:
  /// `totals`: how many objects each first list will have, where known.
  StatusLines(rest::Client client, std::vector<std::shared_ptr<informer::SharedIndexInformer>> informers,
              std::vector<std::optional<std::uint64_t>> totals);
  /// With an empty line at the end.
  std::vector<std::string> lines(std::size_t width) const;

 private:
  rest::Client client_;
  std::vector<std::shared_ptr<informer::SharedIndexInformer>> informers_;
  std::vector<std::optional<std::uint64_t>> totals_;
};

}  // namespace kubexx::app
