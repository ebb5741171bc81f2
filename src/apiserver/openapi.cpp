#include "apiserver/openapi.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

#include "apiserver/schema.hpp"

namespace kubexx::apiserver {
namespace {

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

std::string definition(const TypeInfo& type, const std::vector<const ResourceFacts*>& kinds) {
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
    std::string named;
    bytes(named, kNamedName, field.name);
    bytes(named, kNamedValue, schema);
    bytes(properties, 1, named);
  }
  bytes(out, kSchemaProperties, properties);
  if (!kinds.empty()) {
    std::string yaml;
    for (const ResourceFacts* facts : kinds) {
      yaml += "- group: \"" + std::string(facts->group) + "\"\n  kind: " + std::string(facts->kind) +
              "\n  version: " + std::string(facts->version) + '\n';
    }
    extension(out, "x-kubernetes-group-version-kind", yaml);
  }
  return out;
}

std::string make_document() {
  const Schema& schema = Schema::get();
  std::string document;
  bytes(document, kDocumentSwagger, "2.0");
  std::string info;
  bytes(info, kInfoTitle, "Kubernetes");
  bytes(info, kInfoVersion, "v1.36.4");
  bytes(document, kDocumentInfo, info);
  bytes(document, kDocumentPaths, "");
  std::string definitions;
  schema.for_each_type([&](const TypeInfo& type) {
    if (type.scalar) return;
    std::vector<const ResourceFacts*> kinds;
    for (const ResourceFacts& facts : schema.resources()) {
      if (facts.type == &type) kinds.push_back(&facts);
    }
    std::string named;
    bytes(named, kNamedName, type.name);
    bytes(named, kNamedValue, definition(type, kinds));
    bytes(definitions, 1, named);
  });
  bytes(document, kDocumentDefinitions, definitions);
  return document;
}

}  // namespace

const std::string& openapi_v2() {
  static const std::string document = make_document();
  return document;
}

}  // namespace kubexx::apiserver
