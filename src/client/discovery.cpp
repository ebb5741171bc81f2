#include "kubexx/client/discovery.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>

#include "kubexx/meta/json.hpp"

namespace kubexx::client {
namespace {

constexpr const char* kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

std::vector<std::string> texts(meta::Value list) {
  std::vector<std::string> out;
  for (const auto item : list.items()) out.emplace_back(item.string());
  return out;
}

Async<Result<meta::Object>> get_page(const rest::Client& client, const std::string& path, const char* accept,
                                     const rest::CallOptions& options) {
  rest::Request request;
  request.absolute_path = path;
  request.accept = accept;
  return client.send_async(std::move(request), options)
      .map([path](const Result<rest::Response>& answer) -> Result<meta::Object> {
        if (!answer) return answer.error();
        return answer->object().context("discovery of " + path);
      });
}

void read_aggregated(const meta::Object& list, Discovery& out) {
  for (const auto group : list["items"].items()) {
    const std::string name(group["metadata"]["name"].string());
    for (const auto version : group["versions"].items()) {
      const meta::GroupVersion gv{name, std::string(version["version"].string())};
      if (version["freshness"].string() == "Stale") {
        out.failures.emplace_back(gv, Error::api(503, "ServiceUnavailable", "stale discovery of " + gv.to_string()));
      }
      for (const auto item : version["resources"].items()) {
        ApiResource resource;
        resource.resource = {gv.group, gv.version, std::string(item["resource"].string())};
        resource.kind = std::string(item["responseKind"]["kind"].string());
        resource.singular = std::string(item["singularResource"].string());
        resource.namespaced = item["scope"].string() == "Namespaced";
        resource.verbs = texts(item["verbs"]);
        resource.short_names = texts(item["shortNames"]);
        resource.categories = texts(item["categories"]);
        for (const auto sub : item["subresources"].items()) {
          resource.subresources.emplace_back(sub["subresource"].string());
        }
        out.resources.push_back(std::move(resource));
      }
    }
  }
}

/// One APIResourceList; its subresources ("pods/log") go to their resource.
void read_resource_list(const meta::Object& list, const meta::GroupVersion& gv, Discovery& out) {
  const auto first = out.resources.size();
  for (const auto item : list["resources"].items()) {
    const auto name = item["name"].string();
    const auto slash = name.find('/');
    if (slash != std::string_view::npos) {
      for (auto i = first; i < out.resources.size(); ++i) {
        if (out.resources[i].resource.resource != name.substr(0, slash)) continue;
        out.resources[i].subresources.emplace_back(name.substr(slash + 1));
      }
      continue;
    }
    ApiResource resource;
    resource.resource = {gv.group, gv.version, std::string(name)};
    resource.kind = std::string(item["kind"].string());
    resource.singular = std::string(item["singularName"].string());
    resource.namespaced = item["namespaced"].bool_or(false);
    resource.verbs = texts(item["verbs"]);
    resource.short_names = texts(item["shortNames"]);
    resource.categories = texts(item["categories"]);
    out.resources.push_back(std::move(resource));
  }
}

bool is_aggregated(const meta::Object& answer) {
  return answer.kind() == "APIGroupDiscoveryList";
}

/// The versions of a group of the older form, the preferred one first.
std::vector<std::string> versions_of(meta::Value group) {
  const std::string preferred(group["preferredVersion"]["version"].string());
  std::vector<std::string> versions;
  if (!preferred.empty()) versions.push_back(preferred);
  for (const auto version : group["versions"].items()) {
    if (version["version"].string() != preferred) versions.emplace_back(version["version"].string());
  }
  return versions;
}

/// The questions to a server, one after the other.
class Asking : public std::enable_shared_from_this<Asking> {
 public:
  using Done = Async<Result<Discovery>>::Done;
  Asking(rest::Client client, rest::CallOptions options, Done done)
      : client_(std::move(client)), options_(std::move(options)), done_(std::move(done)) {}

  void begin() {
    ask("/api", kAggregated, [](Asking& self, Result<meta::Object> core) {
      if (!core && !core.error().is_not_found()) return self.finish(core.error());
      if (core && is_aggregated(*core)) {
        read_aggregated(*core, self.out_);
      } else if (core) {
        for (const auto version : (*core)["versions"].items()) {
          self.unread_.push_back({"", std::string(version.string())});
        }
      }
      self.next();
    });
  }

 private:
  void ask(const std::string& path, const char* accept, void (*answered)(Asking&, Result<meta::Object>)) {
    get_page(*client_, path, accept, options_)
        .start(
            [self = shared_from_this(), answered](Result<meta::Object> answer) { answered(*self, std::move(answer)); });
  }

  void next() {
    if (!unread_.empty()) return ask_version();
    if (std::exchange(asked_groups_, true)) return finish(std::move(out_));
    ask("/apis", kAggregated, [](Asking& self, Result<meta::Object> groups) {
      if (!groups && !groups.error().is_not_found()) return self.finish(groups.error());
      if (groups && is_aggregated(*groups)) {
        read_aggregated(*groups, self.out_);
      } else if (groups) {
        for (const auto group : (*groups)["groups"].items()) {
          for (auto& version : versions_of(group)) {
            self.unread_.push_back({std::string(group["name"].string()), std::move(version)});
          }
        }
      }
      self.next();
    });
  }

  /// A version that cannot be read is one of the failures; only a stop ends the whole.
  void ask_version() {
    const auto& gv = unread_.front();
    const auto path = gv.group.empty() ? "/api/" + gv.version : "/apis/" + gv.group + "/" + gv.version;
    ask(path, "application/json", [](Asking& self, Result<meta::Object> list) {
      if (!list && list.error().is_canceled()) return self.finish(list.error());
      const auto version = std::move(self.unread_.front());
      self.unread_.pop_front();
      if (list) {
        read_resource_list(*list, version, self.out_);
      } else {
        self.out_.failures.emplace_back(version, list.error());
      }
      self.next();
    });
  }

  void finish(Result<Discovery> result) {
    auto done = std::move(done_);
    client_.reset();  // its last owner is to be who waits for this
    done(std::move(result));
  }

  std::optional<rest::Client> client_;
  const rest::CallOptions options_;
  Done done_;
  Discovery out_;
  std::deque<meta::GroupVersion> unread_;  // of the older form
  bool asked_groups_ = false;
};

}  // namespace

bool ApiResource::can(std::string_view verb) const noexcept {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

Async<Result<Discovery>> discover_async(const rest::Client& client, const rest::CallOptions& options) {
  return Async<Result<Discovery>>(client.executor(),
                                  [with = client, how = options](Asking::Done done) mutable {
                                    std::make_shared<Asking>(std::move(with), std::move(how), std::move(done))->begin();
                                  })
      .needs(client.handlers());
}

Result<Discovery> discover(const rest::Client& client, const rest::CallOptions& options) {
  return discover_async(client, options).wait();
}

Async<Result<ServerVersion>> server_version_async(const rest::Client& client, const rest::CallOptions& options) {
  return get_page(client, "/version", "application/json", options)
      .map([](const Result<meta::Object>& answer) -> Result<ServerVersion> {
        if (!answer) return answer.error();
        const auto text = [&](const char* key) { return std::string((*answer)[key].string()); };
        return ServerVersion{text("major"), text("minor"), text("gitVersion")};
      });
}

Result<ServerVersion> server_version(const rest::Client& client, const rest::CallOptions& options) {
  return server_version_async(client, options).wait();
}

}  // namespace kubexx::client
