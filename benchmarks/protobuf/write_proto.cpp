// Writes the protobuf definitions of a pod list, as the codec's tables have them, for protoc: the generated classes are
// what the benchmark compares with.

#include <algorithm>
#include <cctype>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "codec/messages.hpp"

namespace {

using namespace kubexx::codec;

std::string message_name(const Message& message) {
  std::string out = message.name;
  std::replace(out.begin(), out.end(), '.', '_');
  return out;
}

std::string type_of(const Field& field) {
  switch (field.wire) {
    case Wire::Int32:
      return "int32";
    case Wire::Int64:
      return "int64";
    case Wire::Bool:
      return "bool";
    case Wire::Double:
      return "double";
    case Wire::Message:
      return message_name(*field.message);
    case Wire::Time:
    case Wire::MicroTime:
      return "Time";
    case Wire::Quantity:
      return "Quantity";
    case Wire::IntOrString:
      return "IntOrString";
    case Wire::Json:
      return "Json";
    case Wire::Items:
      return "Items";
    case Wire::String:
      return "string";
    default:
      return "bytes";
  }
}

}  // namespace

int main() {
  std::cout << "syntax = \"proto2\";\npackage kubexx.bench.pods;\n"
               "message Time { optional int64 seconds = 1; optional int32 nanos = 2; }\n"
               "message Quantity { optional string text = 1; }\n"
               "message IntOrString { optional int64 type = 1; optional int32 number = 2; optional string text = 3; }\n"
               "message Json { optional bytes raw = 1; }\n"
               "message Items { repeated string items = 1; }\n";
  std::vector<const Message*> todo = {find_message("v1", "PodList")};
  std::set<std::string> known = {todo.front()->name};
  while (!todo.empty()) {
    const Message& message = *todo.back();
    todo.pop_back();
    std::cout << "message " << message_name(message) << " {\n";
    for (const Field& field : message.fields) {
      const std::string type = type_of(field);
      std::cout << "  "
                << (field.shape == Shape::Map    ? "map<string, " + type + ">"
                    : field.shape == Shape::List ? "repeated " + type
                                                 : "optional " + type)
                << " field_" << field.number << " = " << field.number << ";  // " << field.name << '\n';
      if (field.message != nullptr && known.insert(field.message->name).second) todo.push_back(field.message);
    }
    std::cout << "}\n";
  }
}
