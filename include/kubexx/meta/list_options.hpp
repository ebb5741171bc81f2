#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kubexx::meta {

/// The query of a list or watch, as the API names it. Empty and absent fields are not sent.
struct ListOptions {
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};
  std::string resource_version_match = {};  ///< "", "Exact", "NotOlderThan"
  std::int64_t limit = 0;
  std::string continue_token = {};
  std::optional<std::int64_t> timeout_seconds = {};
  bool watch = false;
  bool allow_watch_bookmarks = false;
  std::optional<bool> send_initial_events = {};
  /// A part of the objects, by hash ranges, chosen by the server (KEP-5866):
  /// "shardRange(object.metadata.uid, '0x0', '0x8000000000000000')". A server that does not do it is an Error of the
  /// list: it would send everything.
  std::string shard_selector = {};
  std::vector<std::pair<std::string, std::string>> more = {};  ///< further parameters, sent as they are

  friend bool operator==(const ListOptions&, const ListOptions&) = default;
};

/// What stands beside the items of a list.
struct ListMeta {
  std::string api_version = {};
  std::string kind = {};  ///< "PodList"
  std::string resource_version = {};
  std::string continue_token = {};
  std::optional<std::int64_t> remaining_item_count = {};
  std::string shard_selector = {};  ///< the server's word that it left out what another shard has
};

}  // namespace kubexx::meta
