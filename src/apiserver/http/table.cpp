#include "apiserver/http/table.hpp"

#include "apiserver/http/view.hpp"
#include "apiserver/schema/crd.hpp"
#include "kubexx/columns/columns.hpp"
#include "kubexx/meta/json.hpp"
#include "kubexx/meta/json_path.hpp"
#include "kubexx/meta/object_builder.hpp"

namespace kubexx::apiserver {
namespace {

using columns::age;
using columns::Cell;
using columns::Column;
using columns::Columns;
using meta::Object;
using meta::Value;

/// The columns of a built-in kind; for kinds without ones of their own, name and creation time.
const Columns& columns_of(const Resource& resource) {
  static const Columns kGeneric = {{{"Name", "string", "name", 0, ""}, {"Created At", "date", "", 0, ""}},
                                   [](const Object& object, WallTime) -> std::vector<Cell> {
                                     return {std::string(object.name()), std::string(object.creation_timestamp())};
                                   }};
  const Columns* own = columns::find_columns(resource.group, resource.resource);
  return own ? *own : kGeneric;
}

std::vector<Column> custom_columns(const Resource& resource) {
  std::vector<Column> columns;
  columns.push_back({"Name", "string", "name", 0, "Name of the object"});
  const Value extra = resource.custom->version["additionalPrinterColumns"];
  for (Value column : extra.items()) {
    const std::string_view description = column["description"].string();
    columns.push_back({std::string(column["name"].string()), std::string(column["type"].string()),
                       std::string(column["format"].string()), static_cast<int>(column["priority"].int_or(0)),
                       description.empty() ? "Custom resource definition column (in JSONPath format): " +
                                                 std::string(column["jsonPath"].string())
                                           : std::string(description)});
  }
  if (extra.size() == 0) columns.push_back({"Age", "date", "", 0, "Time since the object was created"});
  return columns;
}

// A custom cell has its type's shape; what is missing is null.
void custom_cell(meta::ObjectBuilder& out, std::string_view type, const std::vector<Value>& found, WallTime now) {
  if (found.empty()) return out.null();
  const Value value = found.front();
  if (type == "integer") {
    if (const auto number = value.get_int()) return out.integer(*number);
    return out.null();
  }
  if (type == "number") return value.is_number() ? out.copy(value) : out.null();
  if (type == "boolean") {
    if (const auto flag = value.get_bool()) return out.boolean(*flag);
    return out.null();
  }
  if (type == "date") return out.string(age(value.string(), now));
  std::string joined;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i) joined += ',';
    joined += found[i].is_string() ? std::string(found[i].string()) : meta::to_json(found[i]);
  }
  out.string(joined);
}

void cells(meta::ObjectBuilder& out, const Object& object, const Resource& resource, WallTime now) {
  out.begin_list();
  if (resource.custom) {
    out.string(object.name());
    const Value extra = resource.custom->version["additionalPrinterColumns"];
    for (Value column : extra.items())
      custom_cell(out, column["type"].string(), meta::json_path(object.root(), column["jsonPath"].string()), now);
    if (extra.size() == 0) out.string(age(object.creation_timestamp(), now));
  } else {
    for (const Cell& cell : columns_of(resource).row(object, now)) {
      if (const auto* string = std::get_if<std::string>(&cell)) out.string(*string);
      if (const auto* number = std::get_if<std::int64_t>(&cell)) out.integer(*number);
      if (const auto* flag = std::get_if<bool>(&cell)) out.boolean(*flag);
    }
  }
  out.end_list();
}

}  // namespace

Object table(const std::vector<Object>& objects, const meta::ListMeta& list, const Resource& resource,
             const Negotiated& form, bool header, WallTime now) {
  meta::ObjectBuilder out;
  const auto field = [&](std::string_view key, std::string_view value) {
    out.key(key);
    out.string(value);
  };
  const std::vector<Column> columns = resource.custom ? custom_columns(resource) : columns_of(resource).columns;
  out.begin_map();
  field("kind", "Table");
  field("apiVersion", "meta.k8s.io/" + form.table_version);
  out.key("metadata");
  out.begin_map();
  if (!list.resource_version.empty()) field("resourceVersion", list.resource_version);
  if (!list.continue_token.empty()) field("continue", list.continue_token);
  if (list.remaining_item_count) {
    out.key("remainingItemCount");
    out.integer(*list.remaining_item_count);
  }
  out.end_map();
  out.key("columnDefinitions");
  if (header) {
    out.begin_list();
    for (const Column& column : columns) {
      out.begin_map();
      field("name", column.name);
      field("type", column.type);
      field("format", column.format);
      field("description", column.description.empty() ? column.name : column.description);
      out.key("priority");
      out.integer(column.priority);
      out.end_map();
    }
    out.end_list();
  } else {
    out.null();
  }
  out.key("rows");
  out.begin_list();
  for (const Object& object : objects) {
    out.begin_map();
    out.key("cells");
    cells(out, object, resource, now);
    if (form.include_object != "None") {
      out.key("object");
      const Object shown =
          form.include_object == "Object" ? as_version(object, resource) : metadata_view(object, form.table_version);
      out.copy(shown.root());
    }
    out.end_map();
  }
  out.end_list();
  out.end_map();
  return out.finish().value_or(Object());
}

}  // namespace kubexx::apiserver
