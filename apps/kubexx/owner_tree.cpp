#include "owner_tree.hpp"

#include <langinfo.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "kubexx/columns/columns.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "text.hpp"

namespace kubexx::app {
namespace {

using namespace std::chrono_literals;
constexpr Duration kHighlight = 2s;

struct Branches {
  const char* fork;
  const char* last;
  const char* pass;
};

Branches branches() {
  if (std::string_view(nl_langinfo(CODESET)) == "UTF-8") return {"\u251c\u2500 ", "\u2514\u2500 ", "\u2502  "};
  return {"|- ", "`- ", "|  "};
}

std::string ready_of(const meta::Object& object) {
  const auto wanted = object["spec"]["replicas"].get_int();
  if (!wanted) return "";
  return std::to_string(object["status"]["readyReplicas"].int_or(0)) + '/' + std::to_string(*wanted);
}

std::string state_of(const meta::Object& object) {
  if (!object.deletion_timestamp().empty()) return "Terminating";
  if (const auto phase = object["status"]["phase"].string(); !phase.empty()) return std::string(phase);
  for (const std::string_view type : {"Ready", "Available", "Complete", "Failed"}) {
    for (const auto condition : object["status"]["conditions"].items()) {
      if (condition["type"].string() != type) continue;
      const auto status = condition["status"].string();
      if (status == "True") return std::string(type);
      if (type == "Ready" || type == "Available") return "Not" + std::string(type);
    }
  }
  return "";
}

}  // namespace

class OwnerTree::Handler final : public informer::ResourceEventHandler {
 public:
  Handler(OwnerTree& tree, client::ApiResource resource) : tree_(tree), resource_(std::move(resource)) {}
  void on_add(const meta::Object& object, bool initial, const informer::EventContext&) override {
    tree_.put(resource_, object, initial);
  }
  void on_update(const meta::Object& before, const meta::Object& after, const informer::EventContext&) override {
    if (before.uid() != after.uid()) tree_.remove(std::string(before.uid()));
    tree_.put(resource_, after, false);
  }
  void on_delete(const informer::Deleted<meta::Object>& gone, const informer::EventContext&) override {
    tree_.remove(std::string(gone.last_known().uid()));
  }

 private:
  OwnerTree& tree_;
  client::ApiResource resource_;
};

OwnerTree::OwnerTree(client::ApiResource root, meta::ObjectKey key, std::function<void()> changed)
    : root_(std::move(root)), key_(std::move(key)), changed_(std::move(changed)) {}

std::vector<std::string> OwnerTree::fields() {
  return {"metadata.ownerReferences",   "metadata.creationTimestamp",
          "metadata.deletionTimestamp", "spec.replicas",
          "status.readyReplicas",       "status.phase",
          "status.conditions"};
}

std::shared_ptr<informer::ResourceEventHandler> OwnerTree::handler(const client::ApiResource& resource) {
  return std::make_shared<Handler>(*this, resource);
}

void OwnerTree::put(const client::ApiResource& resource, const meta::Object& object, bool initial) {
  {
    const std::lock_guard lock(mutex_);
    auto& node = nodes_[std::string(object.uid())];
    const bool differs = ready_of(node.object) != ready_of(object) || state_of(node.object) != state_of(object);
    if (!initial && differs) node.since = Clock::system().now();
    node.resource = &resource;
    node.object = object;
  }
  changed_();
}

void OwnerTree::remove(const std::string& uid) {
  {
    const std::lock_guard lock(mutex_);
    nodes_.erase(uid);
  }
  changed_();
}

std::vector<OwnerTree::Line> OwnerTree::lines(TimePoint now) const {
  const std::lock_guard lock(mutex_);
  using Order = std::tuple<std::string, std::string, std::string>;
  std::map<std::string_view, std::map<Order, const Node*>> owned;
  const Node* root = nullptr;
  for (const auto& [uid, node] : nodes_) {
    const auto key = meta::ObjectKey::of(node.object);
    if (node.resource->resource == root_.resource && key == key_) root = &node;
    for (const auto owner : node.object.owner_references()) {
      owned[owner["uid"].string()][{node.resource->kind, key.namespace_, key.name}] = &node;
    }
  }
  if (!root) return {{root_.kind + "/" + printable(key_.name) + " is gone", kRed}};

  struct Row {
    TableText::Cells cells;
    std::string_view style;
  };
  std::vector<Row> rows;
  std::set<const Node*> above;  // owner references may form a circle
  const auto wall = Clock::system().wall();
  const auto signs = branches();
  const auto visit = [&](const auto& self, const Node& node, const std::string& lead,
                         const std::string& below) -> void {
    const auto fresh = node.since != TimePoint{} && now - node.since < kHighlight;
    rows.push_back(
        {{lead + cell_text(node.resource->kind + "/" + std::string(node.object.name())), ready_of(node.object),
          cell_text(state_of(node.object)), columns::age(node.object.creation_timestamp(), wall)},
         fresh ? kGreen : std::string_view()});
    if (!above.insert(&node).second) return;
    const auto found = owned.find(node.object.uid());
    if (found != owned.end()) {
      std::size_t left = found->second.size();
      for (const auto& [order, child] : found->second) {
        const bool last = --left == 0;
        self(self, *child, below + (last ? signs.last : signs.fork), below + (last ? "   " : signs.pass));
      }
    }
    above.erase(&node);
  };
  visit(visit, *root, "", "");

  const TableText::Cells headers{"NAME", "READY", "STATUS", "AGE"};
  TableText table;
  table.widen(headers);
  for (const auto& row : rows) table.widen(row.cells);
  std::vector<Line> lines{{table.line(headers), kBold}};
  for (const auto& row : rows) lines.push_back({table.line(row.cells), row.style});
  return lines;
}

}  // namespace kubexx::app
