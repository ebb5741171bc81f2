#include "apiserver/http/view.hpp"

#include "apiserver/http/codecs.hpp"
#include "apiserver/http/table.hpp"
#include "apiserver/schema/autoscaler.hpp"
#include "apiserver/schema/typed.hpp"
#include "kubexx/meta/draft.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/object_builder.hpp"

namespace kubexx::apiserver {
namespace {

// An item of a built-in list has no kind and apiVersion of its own.
void append_item(std::string& out, const meta::Object& object, bool bare) {
  if (!bare) {
    meta::append_json(out, object.root());
    return;
  }
  out += '{';
  bool first = true;
  for (const auto& [name, value] : object.root().entries()) {
    if (name == "kind" || name == "apiVersion") continue;
    if (!first) out += ',';
    first = false;
    meta::append_json_string(out, name);
    out += ':';
    meta::append_json(out, value);
  }
  out += '}';
}

void append_list_meta(std::string& out, const meta::ListMeta& list) {
  out += "\"metadata\":{\"resourceVersion\":";
  meta::append_json_string(out, list.resource_version);
  if (!list.continue_token.empty()) {
    out += ",\"continue\":";
    meta::append_json_string(out, list.continue_token);
  }
  if (list.remaining_item_count) out += ",\"remainingItemCount\":" + std::to_string(*list.remaining_item_count);
  out += '}';
}

// The two event APIs name the same things differently.
constexpr std::pair<const char*, const char*> kEventFields[] = {{"involvedObject", "regarding"},
                                                                {"message", "note"},
                                                                {"reportingComponent", "reportingController"},
                                                                {"source", "deprecatedSource"},
                                                                {"firstTimestamp", "deprecatedFirstTimestamp"},
                                                                {"lastTimestamp", "deprecatedLastTimestamp"},
                                                                {"count", "deprecatedCount"}};

void rename_event_fields(meta::Draft& draft, bool to_core) {
  for (const auto& [core, events] : kEventFields) {
    const meta::DraftRef from = draft[to_core ? events : core];
    if (!from.exists()) continue;
    draft[to_core ? core : events].set(from);
    from.erase();
  }
}

}  // namespace

meta::Object as_version(const meta::Object& object, const Resource& resource) {
  const std::string api_version = resource.api_version();
  if (object.api_version() == api_version || !object) return object;
  meta::Draft draft = object.edit();
  draft["apiVersion"].set(api_version);
  draft["kind"].set(resource.kind);
  if (resource.kind == "Event" && resource.type) rename_event_fields(draft, resource.group.empty());
  if (resource.kind == "HorizontalPodAutoscaler" && resource.type) convert_autoscaler(draft, resource.version == "v1");
  return as_typed(resource.type, draft.to_object());
}

meta::ListMeta version_only(const meta::Object& object) {
  meta::ListMeta list;
  list.resource_version = object.resource_version();
  return list;
}

meta::Object metadata_view(const meta::Object& object, std::string_view version) {
  meta::ObjectBuilder out;
  out.begin_map();
  out.key("kind");
  out.string("PartialObjectMetadata");
  out.key("apiVersion");
  out.string("meta.k8s.io/" + std::string(version));
  out.key("metadata");
  append_typed(codec::object_meta_type(), object.metadata_value(), out);
  out.end_map();
  return out.finish().value_or(meta::Object());
}

Result<std::string> render_object(const meta::Object& object, const Resource* resource, const Negotiated& form,
                                  WallTime now) {
  if (resource && form.view == View::Metadata)
    return encode_body(form.format, metadata_view(object, form.table_version));
  if (resource && form.view == View::Table) {
    return encode_body(form.format, table({object}, version_only(object), *resource, form, true, now));
  }
  return encode_body(form.format, resource ? as_version(object, *resource) : object);
}

Result<std::string> render_list(const std::vector<meta::Object>& objects, const meta::ListMeta& list,
                                const Resource& resource, const Negotiated& form, WallTime now) {
  if (form.view == View::Table) return encode_body(form.format, table(objects, list, resource, form, true, now));
  const bool metadata = form.view == View::Metadata;
  std::string out = "{";
  const std::string kind = metadata ? "PartialObjectMetadataList" : resource.list_kind;
  const std::string api_version = metadata ? "meta.k8s.io/" + form.table_version : resource.api_version();
  const bool custom = resource.custom && !metadata;
  // Go writes structs in their order and the maps of custom objects sorted.
  if (custom) {
    out += "\"apiVersion\":" + ('"' + api_version + "\",\"items\":[");
  } else {
    out += "\"kind\":\"" + kind + "\",\"apiVersion\":\"" + api_version + "\",";
    append_list_meta(out, list);
    out += ",\"items\":[";
  }
  bool first = true;
  for (const meta::Object& object : objects) {
    if (!first) out += ',';
    first = false;
    if (metadata) {
      meta::append_json(out, metadata_view(object, form.table_version).root());
    } else {
      append_item(out, as_version(object, resource), !custom);
    }
  }
  out += ']';
  if (custom) {
    out += ",\"kind\":\"" + kind + "\",";
    append_list_meta(out, list);
  }
  out += "}\n";
  if (form.format == Format::Json) return out;
  meta::DecodeOptions options;
  options.max_bytes = out.size() + 1;
  auto whole = meta::parse_json(out, options);
  if (!whole) return whole.error();
  return encode_body(form.format, *whole);
}

meta::Object bookmark_object(const Resource& resource, std::uint64_t version, bool initial_events_end) {
  meta::Draft draft;
  if (resource.type) {
    draft["kind"].set(resource.kind);
    draft["apiVersion"].set(resource.api_version());
  } else {
    draft["apiVersion"].set(resource.api_version());
    draft["kind"].set(resource.kind);
  }
  if (initial_events_end && !resource.type)
    draft["metadata"]["annotations"][meta::kInitialEventsEndAnnotation].set("true");
  draft["metadata"]["resourceVersion"].set(std::to_string(version));
  if (initial_events_end && resource.type)
    draft["metadata"]["annotations"][meta::kInitialEventsEndAnnotation].set("true");
  return as_typed(resource.type, draft.to_object());
}

}  // namespace kubexx::apiserver
