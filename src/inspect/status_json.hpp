#pragma once

#include <memory>
#include <string>
#include <vector>

#include "inspect/catalog.hpp"
#include "inspect/json_text.hpp"

namespace kubexx::inspect {

using Entries = std::vector<std::shared_ptr<Entry>>;

void write_informers(JsonText& text, const Entries& entries);
void write_queues(JsonText& text);
void write_controllers(JsonText& text);
/// The store version of each informer, by which the page sees that a table must be read anew.
std::string versions_json(const Entries& entries);
/// The events of the last minutes of each informer.
std::string history_json(const Entries& entries);

/// Which informers do not have their first list, or have not heard from the server for too long; each with its reason.
struct Readiness {
  std::vector<std::string> unsynced;
  std::vector<std::string> stale;
  bool ready() const noexcept { return unsynced.empty() && stale.empty(); }
};
Readiness readiness(const Entries& entries);

}  // namespace kubexx::inspect
