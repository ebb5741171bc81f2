// What a program reads of an informer's cache, now or as it was when a snapshot was taken.
#include "c/boundary.hpp"
#include "c/informer.hpp"
#include "c/snapshot.hpp"
#include "kubexx/meta/object_key.hpp"
#include "kubexx/store/lister.hpp"

namespace kubexx::c {
namespace {

std::shared_ptr<const store::Indexer> indexer_of(const kubexx_informer* informer) {
  return needed(informer, "informer").informer->indexer();
}

kubexx_object* found_object(meta::Object object, const std::string& key) {
  if (!object) refuse(KUBEXX_NOT_FOUND, "the cache does not have " + key);
  return new kubexx_object{std::move(object)};
}

}  // namespace
}  // namespace kubexx::c

kubexx_status kubexx_informer_get(const kubexx_informer* informer, const char* key, kubexx_object** object,
                                  kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto indexer = kubexx::c::indexer_of(informer);
    const auto wanted = kubexx::c::needed_text(key, "key");
    kubexx::c::needed(object, "object");
    *object = kubexx::c::found_object(indexer->find(wanted), wanted);
  });
}

kubexx_status kubexx_informer_list(const kubexx_informer* informer, const char* name_space, const char* label_selector,
                                   kubexx_list** list, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto indexer = kubexx::c::indexer_of(informer);
    kubexx::c::needed(list, "list");
    const auto selector =
        kubexx::c::well_formed(kubexx::meta::LabelSelector::parse(kubexx::c::text_or_empty(label_selector)));
    const std::string in = kubexx::c::text_or_empty(name_space);
    *list = kubexx::c::as_list(kubexx::store::list_all_by_namespace(*indexer, in, selector));
  });
}

kubexx_status kubexx_informer_by_index(const kubexx_informer* informer, const char* index, const char* value,
                                       kubexx_list** list, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto indexer = kubexx::c::indexer_of(informer);
    kubexx::c::needed(list, "list");
    const auto* const of = &kubexx::c::needed(value, "value");
    *list = kubexx::c::as_list(
        kubexx::c::well_formed(indexer->by_index(kubexx::c::needed_text(index, "index"), std::string_view(of))));
  });
}

size_t kubexx_informer_size(const kubexx_informer* informer) {
  return informer ? informer->informer->indexer()->size() : 0;
}

kubexx_status kubexx_informer_snapshot(const kubexx_informer* informer, kubexx_snapshot** snapshot,
                                       kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto indexer = kubexx::c::indexer_of(informer);
    kubexx::c::needed(snapshot, "snapshot");
    *snapshot = new kubexx_snapshot{indexer->snapshot()};
  });
}

size_t kubexx_snapshot_size(const kubexx_snapshot* snapshot) {
  return snapshot ? snapshot->snapshot.size() : 0;
}

kubexx_view kubexx_snapshot_resource_version(const kubexx_snapshot* snapshot) {
  return kubexx::c::view(snapshot ? snapshot->snapshot.resource_version() : std::string_view());
}

kubexx_status kubexx_snapshot_get(const kubexx_snapshot* snapshot, const char* key, kubexx_object** object,
                                  kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto& of = kubexx::c::needed(snapshot, "snapshot").snapshot;
    const auto wanted = kubexx::c::needed_text(key, "key");
    kubexx::c::needed(object, "object");
    *object = kubexx::c::found_object(of.find(wanted), wanted);
  });
}

kubexx_status kubexx_snapshot_list(const kubexx_snapshot* snapshot, kubexx_list** list, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto& of = kubexx::c::needed(snapshot, "snapshot").snapshot;
    kubexx::c::needed(list, "list");
    *list = kubexx::c::as_list(of.list());
  });
}

kubexx_status kubexx_snapshot_by_index(const kubexx_snapshot* snapshot, const char* index, const char* value,
                                       kubexx_list** list, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto& of = kubexx::c::needed(snapshot, "snapshot").snapshot;
    kubexx::c::needed(list, "list");
    const auto* const wanted = &kubexx::c::needed(value, "value");
    *list = kubexx::c::as_list(
        kubexx::c::well_formed(of.by_index(kubexx::c::needed_text(index, "index"), std::string_view(wanted))));
  });
}

void kubexx_snapshot_free(kubexx_snapshot* snapshot) {
  delete snapshot;
}
