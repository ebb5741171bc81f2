#include "kubexx/client/resource_mapper.hpp"

#include <algorithm>
#include <cctype>
#include <mutex>
#include <optional>

namespace kubexx::client {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

/// "name", "name.group" or "name.version.group".
struct Wanted {
  std::string name;
  std::string group;    // "" with `any_group`
  std::string version;  // "": any
  bool any_group = true;
};

bool looks_like_version(std::string_view text) {
  return text.size() >= 2 && text[0] == 'v' && std::isdigit(static_cast<unsigned char>(text[1]));
}

/// Both readings of "foo.v1.example.com" are tried: version first, then a group that begins with it.
std::vector<Wanted> readings(std::string_view text) {
  const auto dot = text.find('.');
  Wanted wanted;
  wanted.name = lower(text.substr(0, dot));
  if (dot == std::string_view::npos) return {wanted};
  const auto rest = text.substr(dot + 1);
  std::vector<Wanted> out;
  const auto second = rest.find('.');
  const auto head = rest.substr(0, second);
  wanted.any_group = false;
  if (looks_like_version(head)) {
    wanted.version = std::string(head);
    wanted.group = second == std::string_view::npos ? "" : std::string(rest.substr(second + 1));
    out.push_back(wanted);
  }
  wanted.version.clear();
  wanted.group = std::string(rest);
  out.push_back(wanted);
  return out;
}

bool named(const ApiResource& r, const std::string& name) {
  return r.resource.resource == name || r.singular == name || lower(r.kind) == name;
}
bool short_named(const ApiResource& r, const std::string& name) {
  return std::find(r.short_names.begin(), r.short_names.end(), name) != r.short_names.end();
}

/// How many single-letter edits lead from one word to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string suggestion(const std::vector<ApiResource>& known, const std::string& name) {
  std::string best;
  auto least = std::max<std::size_t>(name.size() / 3, 1) + 1;
  for (const auto& resource : known) {
    const auto away = std::min(distance(name, resource.resource.resource), distance(name, resource.singular));
    if (away < least) {
      least = away;
      best = resource.resource.resource;
    }
  }
  return best;
}

}  // namespace

struct ResourceMapper::State {
  explicit State(rest::Client c) : client(std::move(c)) {}

  Result<std::vector<ApiResource>> known(const rest::CallOptions& options, bool fresh) {
    {
      const std::lock_guard lock(mutex);
      if (cached && !fresh) return *cached;
    }
    auto found = discover(client, options);
    if (!found) return found.error();
    const std::lock_guard lock(mutex);
    cached = std::move(found->resources);
    return *cached;
  }

  /// Looks in what is cached, then asks the server once more.
  template <class Match>
  Result<std::optional<ApiResource>> look(const rest::CallOptions& options, Match match) {
    bool had = false;
    {
      const std::lock_guard lock(mutex);
      had = cached.has_value();
    }
    for (const bool fresh : {false, true}) {
      if (fresh && !had) break;  // it was fresh already
      auto resources = known(options, fresh);
      if (!resources) return resources.error();
      for (const auto& resource : *resources) {
        if (match(resource)) return std::optional(resource);
      }
    }
    return std::optional<ApiResource>();
  }

  rest::Client client;
  std::mutex mutex;
  std::optional<std::vector<ApiResource>> cached;  // guarded by mutex
};

ResourceMapper::ResourceMapper(rest::Client client) : state_(std::make_unique<State>(std::move(client))) {}
ResourceMapper::~ResourceMapper() = default;

Result<ApiResource> ResourceMapper::find(std::string_view text, const rest::CallOptions& options) {
  const auto wanted = readings(text);
  const auto pick = [&wanted](const std::vector<ApiResource>& resources) -> std::optional<ApiResource> {
    for (const auto& want : wanted) {
      for (const bool by_short_name : {false, true}) {
        for (const auto& r : resources) {
          if (!want.any_group && (r.resource.group != want.group)) continue;
          if (!want.version.empty() && r.resource.version != want.version) continue;
          if (by_short_name ? short_named(r, want.name) : named(r, want.name)) return r;
        }
      }
    }
    return std::nullopt;
  };
  bool had = false;
  {
    const std::lock_guard lock(state_->mutex);
    had = state_->cached.has_value();
  }
  std::vector<ApiResource> last;
  for (const bool fresh : {false, true}) {
    if (fresh && !had) break;
    auto resources = state_->known(options, fresh);
    if (!resources) return resources.error();
    if (auto found = pick(*resources)) return *found;
    last = std::move(*resources);
  }
  const auto close = suggestion(last, wanted.front().name);
  return Error::config("the server doesn't have a resource type \"" + std::string(text) + "\"" +
                       (close.empty() ? "" : " (did you mean " + close + "?)"));
}

Result<ApiResource> ResourceMapper::find(const meta::GroupVersionKind& kind, const rest::CallOptions& options) {
  auto found = state_->look(options, [&](const ApiResource& r) { return r.gvk() == kind && r.can("get"); });
  if (!found) return found.error();
  if (!*found) return Error::config("no resource of the server has " + kind.to_string());
  return **found;
}

Result<ApiResource> ResourceMapper::find(const meta::GroupVersionResource& resource, const rest::CallOptions& options) {
  auto found = state_->look(options, [&](const ApiResource& r) { return r.resource == resource; });
  if (!found) return found.error();
  if (!*found) return Error::config("the server has no " + resource.to_string());
  return **found;
}

Result<std::vector<ApiResource>> ResourceMapper::all(const rest::CallOptions& options) {
  return state_->known(options, false);
}

void ResourceMapper::forget() {
  const std::lock_guard lock(state_->mutex);
  state_->cached.reset();
}

}  // namespace kubexx::client
