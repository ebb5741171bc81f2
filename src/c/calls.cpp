#include "c/calls.hpp"

#include "c/boundary.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/object_builder.hpp"

namespace kubexx::c {
namespace {

client::ResourceApi api_of(const CallArguments& call) {
  return {needed(call.client, "client").client, parse_resource(call.resource), text_or_empty(call.name_space)};
}

meta::Object object_of(const CallArguments& call) {
  return meta::parse_json(needed_body(call.body, call.body_size)).value();
}

/// Those of every write.
client::WriteOptions writing(const Given& given) {
  client::WriteOptions options;
  options.field_manager = given.text(KUBEXX_OPTION_FIELD_MANAGER);
  options.force = given.flag(KUBEXX_OPTION_FORCE);
  options.dry_run = given.flag(KUBEXX_OPTION_DRY_RUN);
  options.field_validation = given.text(KUBEXX_OPTION_FIELD_VALIDATION);
  options.timeout = given.milliseconds(KUBEXX_OPTION_TIMEOUT_MS);
  return options;
}

Async<Answer> as_json(Async<Result<meta::Object>> operation) {
  return std::move(operation).map([](const Result<meta::Object>& object) -> Answer {
    if (!object) return object.error();
    return meta::to_json(object->root());
  });
}

std::string list_json(const client::ObjectList& list) {
  meta::ObjectBuilder builder;
  builder.begin_map();
  builder.key("apiVersion");
  builder.string(list.meta.api_version);
  builder.key("kind");
  builder.string(list.meta.kind);
  builder.key("metadata");
  builder.begin_map();
  builder.key("resourceVersion");
  builder.string(list.meta.resource_version);
  if (!list.meta.continue_token.empty()) {
    builder.key("continue");
    builder.string(list.meta.continue_token);
  }
  if (list.meta.remaining_item_count) {
    builder.key("remainingItemCount");
    builder.integer(*list.meta.remaining_item_count);
  }
  builder.end_map();
  builder.end_map();
  std::string text = meta::to_json(builder.finish().value().root());
  text.pop_back();  // the items as text: a document has a largest size, a list has none
  text += ",\"items\":[";
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    if (i > 0) text += ',';
    text += meta::to_json(list.items[i].root());
  }
  return text += "]}";
}

}  // namespace

MakeCall call_get(const CallArguments& call) {
  const Given given(call.options, {KUBEXX_OPTION_RESOURCE_VERSION, KUBEXX_OPTION_SUBRESOURCE, KUBEXX_OPTION_TIMEOUT_MS},
                    Given::Stopper::Taken);
  client::GetOptions options;
  options.resource_version = given.text(KUBEXX_OPTION_RESOURCE_VERSION);
  options.timeout = given.milliseconds(KUBEXX_OPTION_TIMEOUT_MS);
  return [api = api_of(call), name = needed_text(call.name, "name"), below = given.text(KUBEXX_OPTION_SUBRESOURCE),
          options](std::stop_token stop) mutable {
    options.stop = std::move(stop);
    return as_json(below.empty() ? api.get_async(name, options) : api.get_subresource_async(name, below, options));
  };
}

MakeCall call_list(const CallArguments& call) {
  const Given given(call.options,
                    {KUBEXX_OPTION_LABEL_SELECTOR, KUBEXX_OPTION_FIELD_SELECTOR, KUBEXX_OPTION_LIMIT,
                     KUBEXX_OPTION_CONTINUE, KUBEXX_OPTION_RESOURCE_VERSION, KUBEXX_OPTION_TIMEOUT_MS},
                    Given::Stopper::Taken);
  client::ListOptions options;
  options.label_selector = given.text(KUBEXX_OPTION_LABEL_SELECTOR);
  options.field_selector = given.text(KUBEXX_OPTION_FIELD_SELECTOR);
  options.limit = given.number(KUBEXX_OPTION_LIMIT).value_or(0);
  options.continue_token = given.text(KUBEXX_OPTION_CONTINUE);
  options.resource_version = given.text(KUBEXX_OPTION_RESOURCE_VERSION);
  options.timeout = given.milliseconds(KUBEXX_OPTION_TIMEOUT_MS);
  return [api = api_of(call), options](std::stop_token stop) mutable {
    options.stop = std::move(stop);
    auto operation = options.limit > 0 ? api.list_async(options) : api.list_all_async(options);
    return std::move(operation).map([](const Result<client::ObjectList>& list) -> Answer {
      if (!list) return list.error();
      return list_json(*list);
    });
  };
}

MakeCall call_create(const CallArguments& call) {
  const Given given(
      call.options,
      {KUBEXX_OPTION_FIELD_MANAGER, KUBEXX_OPTION_DRY_RUN, KUBEXX_OPTION_FIELD_VALIDATION, KUBEXX_OPTION_TIMEOUT_MS},
      Given::Stopper::Taken);
  return [api = api_of(call), object = object_of(call), options = writing(given)](std::stop_token stop) mutable {
    options.stop = std::move(stop);
    return as_json(api.create_async(object, options));
  };
}

MakeCall call_update(const CallArguments& call) {
  const Given given(call.options,
                    {KUBEXX_OPTION_FIELD_MANAGER, KUBEXX_OPTION_DRY_RUN, KUBEXX_OPTION_FIELD_VALIDATION,
                     KUBEXX_OPTION_SUBRESOURCE, KUBEXX_OPTION_TIMEOUT_MS},
                    Given::Stopper::Taken);
  return [api = api_of(call), object = object_of(call), options = writing(given),
          below = given.text(KUBEXX_OPTION_SUBRESOURCE)](std::stop_token stop) mutable {
    options.stop = std::move(stop);
    if (below.empty()) return as_json(api.update_async(object, options));
    return as_json(api.update_subresource_async(object.name(), below, object, options));
  };
}

MakeCall call_patch(const CallArguments& call, kubexx_patch_type type) {
  const Given given(call.options,
                    {KUBEXX_OPTION_FIELD_MANAGER, KUBEXX_OPTION_DRY_RUN, KUBEXX_OPTION_FIELD_VALIDATION,
                     KUBEXX_OPTION_SUBRESOURCE, KUBEXX_OPTION_TIMEOUT_MS},
                    Given::Stopper::Taken);
  if (type < KUBEXX_PATCH_MERGE || type > KUBEXX_PATCH_STRATEGIC) invalid("unknown type of patch");
  const auto kind = type == KUBEXX_PATCH_MERGE  ? client::PatchType::Merge
                    : type == KUBEXX_PATCH_JSON ? client::PatchType::Json
                                                : client::PatchType::Strategic;
  return [api = api_of(call), name = needed_text(call.name, "name"), body = needed_body(call.body, call.body_size),
          kind, options = writing(given), below = given.text(KUBEXX_OPTION_SUBRESOURCE)](std::stop_token stop) mutable {
    options.stop = std::move(stop);
    return as_json(api.patch_async(name, kind, body, options, below));
  };
}

MakeCall call_apply(const CallArguments& call) {
  const Given given(call.options,
                    {KUBEXX_OPTION_FIELD_MANAGER, KUBEXX_OPTION_FORCE, KUBEXX_OPTION_DRY_RUN,
                     KUBEXX_OPTION_FIELD_VALIDATION, KUBEXX_OPTION_SUBRESOURCE, KUBEXX_OPTION_TIMEOUT_MS},
                    Given::Stopper::Taken);
  if (given.text(KUBEXX_OPTION_FIELD_MANAGER).empty()) invalid("apply needs a FIELD_MANAGER");
  return [api = api_of(call), object = object_of(call), options = writing(given),
          below = given.text(KUBEXX_OPTION_SUBRESOURCE)](std::stop_token stop) mutable {
    options.stop = std::move(stop);
    return as_json(api.apply_async(object, options, below));
  };
}

MakeCall call_delete(const CallArguments& call) {
  const Given given(call.options,
                    {KUBEXX_OPTION_GRACE_PERIOD_SECONDS, KUBEXX_OPTION_PROPAGATION_POLICY, KUBEXX_OPTION_UID,
                     KUBEXX_OPTION_RESOURCE_VERSION, KUBEXX_OPTION_DRY_RUN, KUBEXX_OPTION_TIMEOUT_MS},
                    Given::Stopper::Taken);
  client::DeleteOptions options;
  options.grace_period_seconds = given.number(KUBEXX_OPTION_GRACE_PERIOD_SECONDS);
  options.propagation_policy = given.text(KUBEXX_OPTION_PROPAGATION_POLICY);
  options.uid = given.text(KUBEXX_OPTION_UID);
  options.resource_version = given.text(KUBEXX_OPTION_RESOURCE_VERSION);
  options.dry_run = given.flag(KUBEXX_OPTION_DRY_RUN);
  options.timeout = given.milliseconds(KUBEXX_OPTION_TIMEOUT_MS);
  return [api = api_of(call), name = needed_text(call.name, "name"), options](std::stop_token stop) mutable {
    options.stop = std::move(stop);
    return api.remove_async(name, options).map([](const Result<void>& removed) -> Answer {
      if (!removed) return removed.error();
      return std::string();
    });
  };
}

}  // namespace kubexx::c
