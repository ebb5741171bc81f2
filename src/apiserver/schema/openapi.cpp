#include "apiserver/schema/openapi.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

#include "apiserver/schema/crd.hpp"
#include "kubexx/codec/resources.hpp"

namespace kubexx::apiserver {
namespace {

using codec::FieldInfo;
using codec::FieldKind;
using codec::FieldType;
using codec::TypeInfo;

// Field numbers of gnostic's openapi.v2 messages.
enum : std::uint32_t {
  kDocumentSwagger = 1,
  kDocumentInfo = 2,
  kDocumentPaths = 8,
  kDocumentDefinitions = 9,
  kInfoTitle = 1,
  kInfoVersion = 2,
  kNamedName = 1,
  kNamedValue = 2,
  kSchemaRef = 1,
  kSchemaFormat = 2,
  kSchemaDescription = 4,
  kSchemaRequired = 19,
  kSchemaAdditional = 21,
  kSchemaType = 22,
  kSchemaItems = 23,
  kSchemaProperties = 25,
  kSchemaExtension = 31,
  kAnyYaml = 2
};

void varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
  out += static_cast<char>(value);
}

void bytes(std::string& out, std::uint32_t field, std::string_view value) {
  varint(out, (field << 3) | 2);
  varint(out, value.size());
  out += value;
}

void extension(std::string& schema, std::string_view name, std::string_view yaml) {
  std::string any;
  bytes(any, kAnyYaml, yaml);
  std::string named;
  bytes(named, kNamedName, name);
  bytes(named, kNamedValue, any);
  bytes(schema, kSchemaExtension, named);
}

void simple(std::string& schema, std::string_view type, std::string_view format = {}) {
  if (!format.empty()) bytes(schema, kSchemaFormat, format);
  std::string item;
  bytes(item, 1, type);
  bytes(schema, kSchemaType, item);
}

std::string schema_of(const FieldType& type) {
  std::string out;
  switch (type.kind) {
    case FieldKind::String:
    case FieldKind::Quantity:
      simple(out, "string");
      break;
    case FieldKind::Bytes:
      simple(out, "string", "byte");
      break;
    case FieldKind::Time:
      simple(out, "string", "date-time");
      break;
    case FieldKind::IntOrString:
      simple(out, "string", "int-or-string");
      break;
    case FieldKind::Int:
      simple(out, "integer", "int64");
      break;
    case FieldKind::Double:
      simple(out, "number", "double");
      break;
    case FieldKind::Bool:
      simple(out, "boolean");
      break;
    case FieldKind::Any:
      simple(out, "object");
      break;
    case FieldKind::Message:
      bytes(out, kSchemaRef, "#/definitions/" + std::string(type.message->name));
      break;
    case FieldKind::List: {
      simple(out, "array");
      std::string items;
      bytes(items, 1, schema_of(*type.element));
      bytes(out, kSchemaItems, items);
      break;
    }
    case FieldKind::Map: {
      simple(out, "object");
      std::string additional;
      bytes(additional, 1, schema_of(*type.element));
      bytes(out, kSchemaAdditional, additional);
      break;
    }
  }
  return out;
}

void property(std::string& properties, std::string_view name, std::string_view schema) {
  std::string named;
  bytes(named, kNamedName, name);
  bytes(named, kNamedValue, schema);
  bytes(properties, 1, named);
}

std::string group_version_kind(std::string_view group, std::string_view kind, std::string_view version) {
  return "- group: \"" + std::string(group) + "\"\n  kind: " + std::string(kind) +
         "\n  version: " + std::string(version) + '\n';
}

std::string definition(const TypeInfo& type, const std::vector<const meta::ResourceInfo*>& kinds) {
  std::string out;
  for (const FieldInfo& field : type.fields) {
    if (field.required) bytes(out, kSchemaRequired, field.name);
  }
  simple(out, "object");
  std::string properties;
  for (const FieldInfo& field : type.fields) {
    std::string schema = schema_of(*field.type);
    if (!field.merge_key.empty())
      extension(schema, "x-kubernetes-patch-merge-key", std::string(field.merge_key) + '\n');
    if (!field.patch_strategy.empty())
      extension(schema, "x-kubernetes-patch-strategy", std::string(field.patch_strategy) + '\n');
    property(properties, field.name, schema);
  }
  bytes(out, kSchemaProperties, properties);
  if (!kinds.empty()) {
    std::string yaml;
    for (const meta::ResourceInfo* facts : kinds) yaml += group_version_kind(facts->group, facts->kind, facts->version);
    extension(out, "x-kubernetes-group-version-kind", yaml);
  }
  return out;
}

// A schema of a CRD; its depth is bounded by that of objects.
std::string schema_of(meta::Value schema, bool top = false) {
  std::string out;
  if (const auto text = schema["description"].string(); !text.empty()) bytes(out, kSchemaDescription, text);
  for (meta::Value name : schema["required"].items()) bytes(out, kSchemaRequired, name.string());
  const std::string_view type = schema["type"].string();
  if (!type.empty()) simple(out, type, schema["format"].string());
  if (schema["items"].exists()) {
    std::string items;
    bytes(items, 1, schema_of(schema["items"]));
    bytes(out, kSchemaItems, items);
  }
  if (meta::Value values = schema["additionalProperties"]; values.is_map()) {
    std::string additional;
    bytes(additional, 1, schema_of(values));
    bytes(out, kSchemaAdditional, additional);
  }
  std::string properties;
  if (top) {
    std::string text;
    simple(text, "string");
    property(properties, "apiVersion", text);
    property(properties, "kind", text);
    std::string metadata;
    bytes(metadata, kSchemaRef, "#/definitions/meta.v1.ObjectMeta");
    property(properties, "metadata", metadata);
  }
  for (const auto& [name, below] : schema["properties"].entries()) {
    if (top && (name == "apiVersion" || name == "kind" || name == "metadata")) continue;
    property(properties, name, schema_of(below));
  }
  if (!properties.empty()) bytes(out, kSchemaProperties, properties);
  return out;
}

std::string make_document() {
  std::string document;
  bytes(document, kDocumentSwagger, "2.0");
  std::string info;
  bytes(info, kInfoTitle, "Kubernetes");
  bytes(info, kInfoVersion, "v1.36.4");
  bytes(document, kDocumentInfo, info);
  bytes(document, kDocumentPaths, "");
  std::string definitions;
  for (const auto& [name, facts] : codec::schema()["types"].entries()) {
    const TypeInfo& type = *codec::find_type(name);
    if (type.scalar) continue;
    std::vector<const meta::ResourceInfo*> kinds;
    for (const codec::BuiltinResource& resource : codec::builtin_resources()) {
      const auto kind = codec::kinds_by_type().find(name);
      if (!type.legacy && kind != codec::kinds_by_type().end() && kind->second == resource.info.gvk())
        kinds.push_back(&resource.info);
    }
    property(definitions, type.name, definition(type, kinds));
  }
  bytes(document, kDocumentDefinitions, definitions);
  return document;
}

}  // namespace

std::string openapi_v2(const std::vector<std::shared_ptr<const Resource>>& resources) {
  static const std::string builtin = make_document();
  std::string definitions;
  for (const auto& resource : resources) {
    if (!resource->custom) continue;
    const meta::Value schema = resource->custom->schema;
    std::string definition = schema_of(schema, true);
    if (schema["type"].string().empty()) simple(definition, "object");
    extension(definition, "x-kubernetes-group-version-kind",
              group_version_kind(resource->group, resource->kind, resource->version));
    property(definitions, resource->group + '.' + resource->version + '.' + resource->kind, definition);
  }
  if (definitions.empty()) return builtin;
  std::string out = builtin;
  bytes(out, kDocumentDefinitions, definitions);  // parts of one message are joined by the reader
  return out;
}

}  // namespace kubexx::apiserver
