#include "kubexx/client/resource_mapper.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include "base/internal/edit_distance.hpp"
#include "base/internal/text.hpp"

namespace kubexx::client {
namespace {

/// "name", "name.group" or "name.version.group".
struct Wanted {
  std::string name;
  std::string group;    // "" with `any_group`
  std::string version;  // "": any
  bool any_group = true;
};

bool looks_like_version(std::string_view text) {
  return text.size() >= 2 && text[0] == 'v' && is_digit(text[1]);
}

/// Both readings of "foo.v1.example.com" are tried: version first, then a group that begins with it.
std::vector<Wanted> readings(std::string_view text) {
  const auto dot = text.find('.');
  Wanted wanted;
  wanted.name = to_lower(text.substr(0, dot));
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
  return r.resource.resource == name || r.singular == name || to_lower(r.kind) == name;
}
bool short_named(const ApiResource& r, const std::string& name) {
  return std::find(r.short_names.begin(), r.short_names.end(), name) != r.short_names.end();
}

std::string suggestion(const std::vector<ApiResource>& known, const std::string& name) {
  std::string best;
  auto least = std::max<std::size_t>(name.size() / 3, 1) + 1;
  for (const auto& resource : known) {
    const auto away = std::min(edit_distance(name, resource.resource.resource), edit_distance(name, resource.singular));
    if (away < least) {
      least = away;
      best = resource.resource.resource;
    }
  }
  return best;
}

}  // namespace

struct KUBEXX_HIDDEN ResourceMapper::Impl : std::enable_shared_from_this<Impl> {
  using Known = std::shared_ptr<const Discovery>;
  explicit Impl(rest::Client c) : client(std::move(c)) {}

  Known remembered() {
    const std::lock_guard lock(mutex);
    return cached;
  }

  Async<Result<Known>> ask(const rest::CallOptions& options) {
    return discover_async(client, options).map([self = shared_from_this()](Result<Discovery> found) -> Result<Known> {
      if (!found) return found.error();
      auto known = std::make_shared<const Discovery>(std::move(*found));
      const std::lock_guard lock(self->mutex);
      self->cached = known;
      return known;
    });
  }

  /// What `pick` (a list of resources to one of them or null) finds in what is remembered, or in a fresh answer.
  /// `missing` words the Error.
  template <class Pick, class Missing>
  Async<Result<ApiResource>> look(const rest::CallOptions& options, Pick pick, Missing missing) {
    using Looking = Async<Result<ApiResource>>;
    return Looking(client.executor(), [self = shared_from_this(), options, pick = std::move(pick),
                                       missing = std::move(missing)](Looking::Done done) mutable {
      const auto known = self->remembered();
      if (const auto* found = known ? pick(known->resources) : nullptr) {
        return Looking::ready(self->client.executor(), *found).start(std::move(done));
      }
      self->ask(options)
          .map([pick = std::move(pick), missing = std::move(missing)](const Result<Known>& fresh) {
            return found_in(fresh, pick, missing);
          })
          .start(std::move(done));
    });
  }

  template <class Pick, class Missing>
  static Result<ApiResource> found_in(const Result<Known>& fresh, const Pick& pick, const Missing& missing) {
    if (!fresh) return fresh.error();
    const auto& known = **fresh;
    if (const auto* found = pick(known.resources)) return *found;
    std::string text = missing(known.resources);
    if (known.failures.empty()) return Error::api(404, "NotFound", std::move(text));
    text += "; " + known.failures.front().first.to_string() + " could not be read";
    if (known.failures.size() > 1) text += ", nor " + std::to_string(known.failures.size() - 1) + " others";
    return Error::api(503, "ServiceUnavailable", std::move(text));  // it may be there
  }

  const rest::Client client;
  std::mutex mutex;
  Known cached;  // guarded by mutex
};

namespace {

template <class Match>
auto first_that(Match match) {
  return [match = std::move(match)](const std::vector<ApiResource>& resources) -> const ApiResource* {
    const auto found = std::find_if(resources.begin(), resources.end(), match);
    return found == resources.end() ? nullptr : &*found;
  };
}

}  // namespace

ResourceMapper::ResourceMapper(rest::Client client) : impl_(std::make_shared<Impl>(std::move(client))) {}
ResourceMapper::~ResourceMapper() = default;

Async<Result<ApiResource>> ResourceMapper::get_async(std::string_view text, const rest::CallOptions& options) {
  auto wanted = readings(text);
  auto name = wanted.front().name;
  auto pick = [wanted = std::move(wanted)](const std::vector<ApiResource>& resources) -> const ApiResource* {
    for (const auto& want : wanted) {
      for (const bool by_short_name : {false, true}) {
        for (const auto& r : resources) {
          if (!want.any_group && (r.resource.group != want.group)) continue;
          if (!want.version.empty() && r.resource.version != want.version) continue;
          if (by_short_name ? short_named(r, want.name) : named(r, want.name)) return &r;
        }
      }
    }
    return nullptr;
  };
  return impl_->look(options, std::move(pick),
                     [name = std::move(name), typed = std::string(text)](const std::vector<ApiResource>& resources) {
                       const auto close = suggestion(resources, name);
                       return "the server doesn't have a resource type \"" + typed + "\"" +
                              (close.empty() ? "" : " (did you mean " + close + "?)");
                     });
}

Async<Result<ApiResource>> ResourceMapper::get_async(const meta::GroupVersionKind& kind,
                                                     const rest::CallOptions& options) {
  return impl_->look(options, first_that([kind](const ApiResource& r) { return r.gvk() == kind && r.can("get"); }),
                     [kind](const auto&) { return "no resource of the server has " + kind.to_string(); });
}

Async<Result<ApiResource>> ResourceMapper::get_async(const meta::GroupVersionResource& resource,
                                                     const rest::CallOptions& options) {
  return impl_->look(options, first_that([resource](const ApiResource& r) { return r.resource == resource; }),
                     [resource](const auto&) { return "the server has no " + resource.to_string(); });
}

Async<Result<std::vector<ApiResource>>> ResourceMapper::all_async(const rest::CallOptions& options) {
  using All = Async<Result<std::vector<ApiResource>>>;
  return All(impl_->client.executor(), [impl = impl_, options](All::Done done) {
    if (const auto known = impl->remembered()) {
      return All::ready(impl->client.executor(), known->resources).start(std::move(done));
    }
    impl->ask(options)
        .map([](const Result<Impl::Known>& fresh) -> Result<std::vector<ApiResource>> {
          if (!fresh) return fresh.error();
          return (*fresh)->resources;
        })
        .start(std::move(done));
  });
}

Result<ApiResource> ResourceMapper::get(std::string_view text, const rest::CallOptions& options) {
  return get_async(text, options).wait();
}

Result<ApiResource> ResourceMapper::get(const meta::GroupVersionKind& kind, const rest::CallOptions& options) {
  return get_async(kind, options).wait();
}

Result<ApiResource> ResourceMapper::get(const meta::GroupVersionResource& resource, const rest::CallOptions& options) {
  return get_async(resource, options).wait();
}

Result<std::vector<ApiResource>> ResourceMapper::all(const rest::CallOptions& options) {
  return all_async(options).wait();
}

void ResourceMapper::forget() {
  const std::lock_guard lock(impl_->mutex);
  impl_->cached.reset();
}

}  // namespace kubexx::client
