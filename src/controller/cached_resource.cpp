// How a read finds its informer and waits for it, and how writes are remembered.
#include "controller/cached_resource.hpp"

#include "base/internal/duration_text.hpp"
#include "kubexx/meta/resource_version.hpp"

namespace kubexx::controller {
namespace {

using Fresh = Async<Result<InformerPtr>>;

/// Marked, and nothing keeps it any more.
bool is_removed(const meta::Object& object) {
  if (object.deletion_timestamp().empty()) return false;
  const auto grace = object["metadata"]["deletionGracePeriodSeconds"].int_or(0);
  return object.finalizers().empty() && grace == 0;
}

}  // namespace

CachedResourceApi::Impl::Impl(informer::SharedInformerFactory& f, const CachedClientOptions& o,
                              meta::GroupVersionResource resource, rest::Format format)
    : factory(f),
      options(o),
      server(o.writer ? *o.writer : f.client(), std::move(resource), {}, format),
      writes({o.max_writes, o.remember_for, o.deadline}) {}

void CachedResourceApi::Impl::use(InformerPtr given) {
  const std::lock_guard lock(mutex_);
  informer_ = std::move(given);
  given_ = true;
}

/// One that was stopped is asked for anew, unless it was given.
Result<InformerPtr> CachedResourceApi::Impl::informer() {
  {
    const std::lock_guard lock(mutex_);
    if (informer_ && !informer_->is_stopped()) return informer_;
    if (given_) return Error::canceled("the informer of " + server.resource().resource + " was stopped");
  }
  auto found = find_informer();
  if (!found) return found.error().with_context("read " + server.resource().group_resource().to_string());
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = informer_ != *found;
    informer_ = *found;
  }
  if (first && options.start_informers && !(*found)->has_started()) (*found)->start();
  return found;
}

Result<InformerPtr> CachedResourceApi::Impl::find_informer() {
  InformerPtr found;
  if (options.start_informers) {
    auto made = factory.for_resource(server.resource());
    if (!made) return made.error();
    found = made->shared();
  } else {
    for (const auto& each : factory.informers()) {
      if (each->resource() != server.resource() || each->is_stopped()) continue;
      if (found) return Error::config("the factory has several informers of it: say which with CachedClient::use()");
      found = each;
    }
    if (!found) return Error::config("it has no informer, and this client starts none (start_informers)");
  }
  if (found->is_stopped()) return Error::canceled("its informer was stopped");
  return found;
}

std::vector<informer::Written> CachedResourceApi::Impl::missing(const Which& which,
                                                                const informer::SharedIndexInformer& informer) {
  const auto reached = [&](const informer::Written& written) { return informer.has_reached(written); };
  return which.key ? writes.missing(*which.key, reached, now()) : writes.missing_in(which.namespace_, reached, now());
}

InformerPtr CachedResourceApi::Impl::fresh_now(const Which& which) {
  auto found = informer();
  if (!found || !(*found)->has_synced() || !missing(which, **found).empty()) return nullptr;
  return *found;
}

Fresh CachedResourceApi::Impl::fresh(Which which, informer::WaitOptions how) {
  return Fresh(server.client().executor(), [self = shared_from_this(), which = std::move(which), how = std::move(how)](
                                               Fresh::Done done) { self->begin_read(which, how, std::move(done)); })
      .needs(server.client().handlers());
}

void CachedResourceApi::Impl::begin_read(const Which& which, const informer::WaitOptions& how, Fresh::Done done) {
  auto found = informer();
  if (!found) return Fresh::ready(server.client().executor(), found.error()).start(std::move(done));
  auto unseen = missing(which, **found);
  if ((*found)->has_synced() && unseen.empty()) {
    return Fresh::ready(server.client().executor(), *found).start(std::move(done));
  }
  const auto limit = how.timeout.value_or(options.deadline);
  (*found)
      ->wait_until_reached_async(unseen, {how.stop, limit})
      .start([self = shared_from_this(), which, informer = *found, unseen, limit,
              done = std::move(done)](const Result<void>& there) mutable {
        if (there) {
          static_cast<void>(self->missing(which, *informer));  // what was waited for is forgotten
          done(std::move(informer));
        } else if (there.error().kind() == ErrorKind::Timeout) {
          done(self->late(*informer, unseen, limit));
        } else {
          done(there.error());
        }
      });
}

Error CachedResourceApi::Impl::late(const informer::SharedIndexInformer& informer,
                                    const std::vector<informer::Written>& unseen, Duration waited) const {
  const auto status = informer.status();
  const auto cache = "the cache of " + server.resource().group_resource().to_string();
  const auto why = status.reflector.last_error ? ": " + status.reflector.last_error->message() : std::string();
  if (!status.synced) {
    const auto state = status.started ? std::string(reflector::to_string(status.reflector.state)) : "not started";
    return Error::timeout(cache + " did not sync within " + duration_text(waited) + " (" + state + ")" + why);
  }
  std::string what;
  for (const auto& each : unseen) {
    if (informer.has_reached(each)) continue;
    if (!what.empty()) {
      what += " and others";
      break;
    }
    const bool gone = !each.removed_uid.empty();
    what = gone ? "the removal of " + each.key.to_string()
                : "version " + each.resource_version + " of " + each.key.to_string();
  }
  if (what.empty()) what = "everything of its scope";
  return Error::timeout(cache + " has not got " + what + " within " + duration_text(waited) + why);
}

Result<void> CachedResourceApi::Impl::room() {
  InformerPtr asked;
  {
    const std::lock_guard lock(mutex_);
    asked = informer_;
  }
  WriteMemory::Reached reached;
  if (asked) reached = [&](const informer::Written& written) { return asked->has_reached(written); };
  if (writes.make_room(reached, now())) return {};
  return Error::timeout("the cache of " + server.resource().group_resource().to_string() + " is " +
                        std::to_string(options.max_writes) + " writes behind: nothing was sent");
}

Async<Result<meta::Object>> CachedResourceApi::Impl::write(Async<Result<meta::Object>> operation, bool dry_run,
                                                           std::optional<meta::ObjectKey> removed) {
  if (dry_run) return operation;
  using Write = Async<Result<meta::Object>>;
  return Write(server.client().executor(),
               [self = shared_from_this(), operation = std::move(operation),
                removed = std::move(removed)](Write::Done done) mutable {
                 if (auto room = self->room(); !room) {
                   return Write::ready(self->server.client().executor(), room.error()).start(std::move(done));
                 }
                 std::move(operation)
                     .map([self, removed = std::move(removed)](Result<meta::Object> answer) {
                       if (!answer) return answer;
                       removed ? self->remember_removal(*removed, *answer) : self->remember(*answer);
                       return answer;
                     })
                     .start(std::move(done));
               })
      .needs(server.client().handlers());
}

/// A write that took the last finalizer of a marked object away has removed it.
void CachedResourceApi::Impl::remember(const meta::Object& written) {
  if (is_removed(written)) {
    return writes.remember({meta::ObjectKey::of(written), {}, std::string(written.uid())}, now());
  }
  if (!meta::is_comparable_resource_version(written.resource_version()) || written.name().empty()) return;
  writes.remember({meta::ObjectKey::of(written), std::string(written.resource_version()), {}}, now());
}

/// The answer is a Status, or the object: as it was at its end, or only marked.
void CachedResourceApi::Impl::remember_removal(const meta::ObjectKey& key, const meta::Object& answer) {
  if (!answer.deletion_timestamp().empty()) return remember(answer);
  std::string uid(answer.uid().empty() ? answer["details"]["uid"].string() : answer.uid());
  if (!uid.empty()) writes.remember({key, {}, std::move(uid)}, now());
}

}  // namespace kubexx::controller
