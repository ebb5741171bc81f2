#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/internal/schema.hpp"
#include "kubexx/meta/name.hpp"

namespace kubexx::codec {

enum class Shape : std::uint8_t { One, List, Map };

/// How one value looks on the wire and in JSON.
enum class Wire : std::uint8_t {
  String,
  Int32,
  Int64,
  Bool,
  Double,
  Bytes,
  Message,
  Time,
  MicroTime,
  Quantity,
  IntOrString,
  Json,           // JSON text in field 1
  OrBool,         // JSONSchemaPropsOrBool
  OrArray,        // JSONSchemaPropsOrArray
  OrStringArray,  // JSONSchemaPropsOrStringArray
  Items,          // a message that is a list of strings in JSON
};

struct Message;

struct Field {
  std::string_view name;  // in JSON
  std::optional<meta::NameId> id;
  std::uint32_t number = 0;
  Shape shape = Shape::One;
  Wire wire = Wire::String;
  Presence presence = Presence::NonZero;
  bool plain = false;    // a string or message, single or in a list
  bool inlined = false;  // its fields stand in the JSON object of the message around it
  const Message* message = nullptr;
};

/// The table of one protobuf message.
struct Message {
  std::string name;                     // "core.v1.PodSpec"
  std::vector<Field> fields;            // by number
  std::vector<std::uint8_t> by_number;  // index in fields + 1
  std::uint64_t always = 0;             // bit per field: in JSON even when not on the wire

  const Field* find(std::uint32_t number) const noexcept {
    return number < by_number.size() && by_number[number] != 0 ? &fields[by_number[number] - 1U] : nullptr;
  }
};

/// The message of a type by its name in the schema; null: there is none. Made when first asked for, never freed.
const Message* find_message(std::string_view type);
/// The same by apiVersion and kind.
const Message* find_message(std::string_view api_version, std::string_view kind);

}  // namespace kubexx::codec
