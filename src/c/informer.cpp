#include "c/informer.hpp"

#include "c/boundary.hpp"
#include "c/options.hpp"
#include "kubexx/codec/resources.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/informer/sync.hpp"

namespace kubexx::c {
namespace {

std::shared_ptr<informer::SharedIndexInformer> shared(const kubexx_informer* handle) {
  return needed(handle, "informer").informer;
}

/// Ends with the handle: on a loop it must have ended before the loop does.
void let_go(const kubexx_informer& handle) {
  const auto informer = handle.informer;
  informer->stop();
  if (!informer->has_started()) return;
  if (in_callback() && !handle.loop) return;  // it ends without anybody's help
  const auto executor = handle.loop ? std::shared_ptr<Executor>(handle.loop->executor()) : nullptr;
  outside_callbacks(executor, [informer, loop = handle.loop] { informer->join(); });
}

}  // namespace
}  // namespace kubexx::c

kubexx_status kubexx_informer_new(kubexx_client* client, const char* resource, const kubexx_options* options,
                                  kubexx_informer** informer, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    kubexx::c::needed(informer, "informer");
    const auto& with = kubexx::c::needed(client, "client");
    const auto what = kubexx::c::parse_resource(resource);
    auto made = kubexx::informer::detail::make_informer(with.client, what, kubexx::codec::find_resource(what),
                                                        kubexx::c::informer_options(options));
    *informer = new kubexx_informer{with.loop, std::move(made)};
  });
}

kubexx_status kubexx_informer_start(kubexx_informer* informer, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto shared = kubexx::c::shared(informer);
    if (shared->is_stopped()) kubexx::c::misuse("the informer was stopped");
    if (shared->has_started()) kubexx::c::misuse("the informer was started already");
    shared->start();
  });
}

void kubexx_informer_stop(kubexx_informer* informer) {
  kubexx::c::ending("kubexx_informer_stop", [&] {
    if (informer) kubexx::c::shared(informer)->stop();
  });
}

kubexx_status kubexx_informer_join(kubexx_informer* informer, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto shared = kubexx::c::shared(informer);
    const auto loop = informer->loop;
    if (!shared->is_stopped()) kubexx::c::misuse("the informer was not stopped");
    if (kubexx::c::in_callback()) kubexx::c::misuse("a callback cannot wait for the end of callbacks");
    shared->join();
  });
}

void kubexx_informer_free(kubexx_informer* informer) {
  kubexx::c::ending("kubexx_informer_free", [&] {
    if (!informer) return;
    const std::unique_ptr<kubexx_informer> last(informer);
    kubexx::c::let_go(*last);
  });
}

int kubexx_informer_has_synced(const kubexx_informer* informer) {
  return informer && informer->informer->has_synced() ? 1 : 0;
}

kubexx_status kubexx_informer_wait_for_sync(kubexx_informer* informer, const kubexx_options* options,
                                            kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto shared = kubexx::c::shared(informer);
    const kubexx::c::Given given(options, {KUBEXX_OPTION_TIMEOUT_MS, KUBEXX_OPTION_FAIL_FAST},
                                 kubexx::c::Given::Stopper::Taken);
    kubexx::informer::SyncOptions how;
    how.fail_fast = given.flag(KUBEXX_OPTION_FAIL_FAST);
    how.timeout = given.milliseconds(KUBEXX_OPTION_TIMEOUT_MS);
    const auto synced = kubexx::informer::wait_for_cache_sync(given.stop(), {shared}, how);
    if (synced) return;
    // The text says how far it came; the status, why nobody waits any longer.
    const kubexx::Error why = *synced.as_error();
    throw kubexx::c::Refused{kubexx::c::status_of(synced.stopped_by.value_or(why)), why};
  });
}

kubexx_status kubexx_informer_wait_for_version(kubexx_informer* informer, const char* resource_version,
                                               const kubexx_options* options, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto shared = kubexx::c::shared(informer);
    const auto version = kubexx::c::needed_text(resource_version, "resource_version");
    const kubexx::c::Given given(options, {KUBEXX_OPTION_TIMEOUT_MS}, kubexx::c::Given::Stopper::Taken);
    kubexx::informer::WaitOptions how;
    how.stop = given.stop();
    how.timeout = given.milliseconds(KUBEXX_OPTION_TIMEOUT_MS);
    shared->wait_until(version, how).value();
  });
}
