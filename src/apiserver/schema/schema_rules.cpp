#include "apiserver/schema/schema_rules.hpp"

#include <string>

#include "apiserver/http/status.hpp"
#include "apiserver/limits.hpp"
#include "apiserver/schema/patterns.hpp"

namespace kubexx::apiserver {
namespace {

using meta::Value;

void check_words(Value schema, const Path* path, std::vector<ErrorCause>& causes) {
  const auto forbid = [&](std::string_view word, std::string_view why) {
    const Path here{path, word};
    causes.push_back(forbidden_value(text_of(&here), why));
  };
  for (const char* word : {"$ref", "id", "additionalItems", "patternProperties", "definitions", "dependencies"}) {
    if (schema[word].exists()) forbid(word, std::string(word) + " is not supported");
  }
  if (schema["type"].string() == "null") forbid("type", "type cannot be set to null, use nullable as an alternative");
  if (schema["items"].is_list()) forbid("items", "items must be a schema object and not an array");
  if (schema["uniqueItems"].bool_or(false))
    forbid("uniqueItems", "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
  const auto pattern = schema["pattern"].get_string();
  if (!pattern) return;
  if (const std::string why = Patterns::complaint(*pattern); !why.empty()) {
    const Path here{path, "pattern"};
    causes.push_back(invalid_value(text_of(&here), in_quotes(*pattern),
                                   "must be a valid regular expression, but isn't: error parsing regexp: " + why));
  }
}

}  // namespace

void check_schema(Value schema, const Path* path, std::vector<ErrorCause>& causes) {
  if (!schema.is_map() || causes.size() >= kMostComplaints) return;
  check_words(schema, path, causes);
  const Path properties{path, "properties"};
  for (const auto& [name, property] : schema["properties"].entries()) {
    const Path here{&properties, name, 0, false, true};
    check_schema(property, &here, causes);
  }
  for (const char* word : {"items", "additionalProperties", "not"}) {
    const Path here{path, word};
    check_schema(schema[word], &here, causes);
  }
  for (const char* word : {"allOf", "anyOf", "oneOf"}) {
    const Path list{path, word};
    std::size_t index = 0;
    for (Value part : schema[word].items()) {
      const Path here{&list, {}, index++, true};
      check_schema(part, &here, causes);
    }
  }
}

}  // namespace kubexx::apiserver
