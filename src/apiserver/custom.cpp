#include "apiserver/custom.hpp"

#include <algorithm>
#include <regex>

#include "apiserver/status.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

using meta::Value;
using meta::ValueType;

constexpr int kMaxDepth = 200;
constexpr std::size_t kMaxPatternInput = 4096;  // std::regex recurses over its input

class Pruner {
 public:
  Pruner(meta::ObjectBuilder& out, std::vector<std::string>& unknown) : out_(out), unknown_(unknown) {}

  void root(Value schema, bool preserve, Value value) {
    out_.begin_map();
    for (const Entry& entry : sorted(schema, value)) {
      if (entry.name == "apiVersion" || entry.name == "kind") {
        out_.key(entry.name);
        out_.copy(entry.value);
      } else if (entry.name == "metadata") {
        out_.key(entry.name);
        metadata(entry.value);
      } else {
        property(schema, preserve, entry, {}, 1);
      }
    }
    out_.end_map();
  }

 private:
  struct Entry {
    std::string_view name;
    Value value;
  };

  // The keys of a map and the properties that have a default, in order.
  static std::vector<Entry> sorted(Value schema, Value value) {
    std::vector<Entry> entries;
    for (const auto& [name, child] : value.entries()) {
      const Value property = schema["properties"][name];
      if (child.is_null() && property["default"].exists() && !property["nullable"].bool_or(false)) continue;
      entries.push_back({name, child});
    }
    for (const auto& [name, property] : schema["properties"].entries()) {
      const Value fallback = property["default"];
      if (!fallback.exists()) continue;
      const bool given = std::any_of(entries.begin(), entries.end(),
                                     [&, key = name](const Entry& entry) { return entry.name == key; });
      if (!given) entries.push_back({name, fallback});
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
    return entries;
  }

  // ObjectMeta in the order of a map: what Go writes for objects it has no struct for.
  void metadata(Value value) {
    meta::ObjectBuilder typed;
    append_typed(Schema::get().object_meta(), value.is_map() ? value : Value(), typed);
    const meta::Object object = typed.finish().value_or(meta::Object());
    plain(object.root(), 1);
  }

  void plain(Value value, int depth) {
    if (depth > kMaxDepth) return out_.null();
    if (value.is_map()) {
      out_.begin_map();
      for (const Entry& entry : sorted(Value(), value)) {
        out_.key(entry.name);
        plain(entry.value, depth + 1);
      }
      out_.end_map();
    } else if (value.is_list()) {
      out_.begin_list();
      for (Value item : value.items()) plain(item, depth + 1);
      out_.end_list();
    } else {
      out_.copy(value);
    }
  }

  void property(Value schema, bool preserve, const Entry& entry, const std::string& path, int depth) {
    const std::string here = path.empty() ? std::string(entry.name) : path + '.' + std::string(entry.name);
    const Value known = schema["properties"][entry.name];
    const Value others = schema["additionalProperties"];
    if (known.exists()) {
      out_.key(entry.name);
      content(known, preserve, entry.value, here, depth);
    } else if (others.is_map()) {
      out_.key(entry.name);
      content(others, preserve, entry.value, here, depth);
    } else if (preserve || others.bool_or(false)) {
      out_.key(entry.name);
      plain(entry.value, depth);
    } else {
      unknown_.push_back(here);
    }
  }

  void content(Value schema, bool, Value value, const std::string& path, int depth) {
    if (depth > kMaxDepth) return out_.null();
    const bool preserve = schema["x-kubernetes-preserve-unknown-fields"].bool_or(false);
    if (value.is_map()) {
      const bool embedded = schema["x-kubernetes-embedded-resource"].bool_or(false);
      out_.begin_map();
      for (const Entry& entry : sorted(schema, value)) {
        if (embedded && (entry.name == "apiVersion" || entry.name == "kind" || entry.name == "metadata")) {
          out_.key(entry.name);
          plain(entry.value, depth + 1);
        } else {
          property(schema, preserve, entry, path, depth + 1);
        }
      }
      out_.end_map();
    } else if (value.is_list()) {
      out_.begin_list();
      std::size_t index = 0;
      for (Value item : value.items()) {
        const std::string here = path + '[' + std::to_string(index++) + ']';
        schema["items"].exists() ? content(schema["items"], preserve, item, here, depth + 1) : plain(item, depth + 1);
      }
      out_.end_list();
    } else {
      out_.copy(value);
    }
  }

  meta::ObjectBuilder& out_;
  std::vector<std::string>& unknown_;
};

bool is_type(std::string_view type, Value value) {
  if (type == "object") return value.is_map();
  if (type == "array") return value.is_list();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.get_bool().has_value();
  if (type == "integer") return value.get_int().has_value();
  if (type == "number") return value.is_number();
  return true;
}

std::string shown_type(Value value) {
  switch (value.type()) {
    case ValueType::Map:
      return "\"object\"";
    case ValueType::List:
      return "\"array\"";
    case ValueType::String:
      return "\"string\"";
    case ValueType::Bool:
      return "\"boolean\"";
    case ValueType::Int:
      return "\"integer\"";
    case ValueType::Double:
      return "\"number\"";
    default:
      return "\"null\"";
  }
}

class Validator {
 public:
  explicit Validator(std::vector<ErrorCause>& causes) : causes_(causes) {}

  void value(Value schema, Value value, const std::string& path, int depth) {
    if (!schema.is_map() || depth > kMaxDepth) return;
    if (value.is_null() && schema["nullable"].bool_or(false)) return;
    if (schema["x-kubernetes-int-or-string"].bool_or(false)) {
      if (!value.is_string() && !value.get_int()) wrong_type(path, "integer,string", value);
      return;
    }
    if (const std::string_view type = schema["type"].string(); !type.empty() && !is_type(type, value))
      return wrong_type(path, type, value);
    enumeration(schema, value, path);
    if (value.is_number()) numbers(schema, value, path);
    if (value.is_string()) strings(schema, value.string(), path);
    if (value.is_list()) lists(schema, value, path, depth);
    if (value.is_map()) maps(schema, value, path, depth);
    combinations(schema, value, path, depth);
  }

 private:
  void wrong_type(const std::string& path, std::string_view type, Value value) {
    const std::string shown = shown_type(value);
    causes_.push_back(
        {"FieldValueTypeInvalid",
         "Invalid value: " + shown + ": " + path + " in body must be of type " + std::string(type) + ": " + shown,
         path});
  }

  void complain(const std::string& path, Value value, const std::string& why) {
    causes_.push_back(invalid_value(path, meta::to_json(value), path + " in body " + why));
  }

  void enumeration(Value schema, Value value, const std::string& path) {
    const Value allowed = schema["enum"];
    if (!allowed.is_list()) return;
    std::string list;
    for (Value candidate : allowed.items()) {
      if (candidate == value) return;
      if (!list.empty()) list += ", ";
      list += meta::to_json(candidate);
    }
    causes_.push_back(
        {"FieldValueNotSupported", "Unsupported value: " + meta::to_json(value) + ": supported values: " + list, path});
  }

  void numbers(Value schema, Value value, const std::string& path) {
    const double number = value.double_or(0);
    if (const auto bound = schema["maximum"].get_double()) {
      const bool exclusive = schema["exclusiveMaximum"].bool_or(false);
      if (number > *bound || (exclusive && number == *bound))
        complain(
            path, value,
            std::string("should be less than ") + (exclusive ? "" : "or equal to ") + meta::to_json(schema["maximum"]));
    }
    if (const auto bound = schema["minimum"].get_double()) {
      const bool exclusive = schema["exclusiveMinimum"].bool_or(false);
      if (number < *bound || (exclusive && number == *bound))
        complain(path, value,
                 std::string("should be greater than ") + (exclusive ? "" : "or equal to ") +
                     meta::to_json(schema["minimum"]));
    }
    if (const auto step = schema["multipleOf"].get_double(); step && *step > 0) {
      const double times = number / *step;
      if (times != static_cast<double>(static_cast<long long>(times)))
        complain(path, value, "should be a multiple of " + meta::to_json(schema["multipleOf"]));
    }
  }

  void strings(Value schema, std::string_view text, const std::string& path) {
    const auto length =
        static_cast<std::int64_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
    if (const auto bound = schema["maxLength"].get_int(); bound && length > *bound)
      causes_.push_back(
          {"FieldValueTooLong", "Too long: may not be more than " + std::to_string(*bound) + " bytes", path});
    if (const auto bound = schema["minLength"].get_int(); bound && length < *bound)
      causes_.push_back(invalid_value(path, in_quotes(text),
                                      path + " in body should be at least " + std::to_string(*bound) + " chars long"));
    if (const auto pattern = schema["pattern"].get_string(); pattern && text.size() <= kMaxPatternInput) {
      try {
        const std::regex expression{std::string(*pattern), std::regex::ECMAScript};
        if (!std::regex_search(text.begin(), text.end(), expression))
          causes_.push_back(
              invalid_value(path, in_quotes(text), path + " in body should match '" + std::string(*pattern) + "'"));
      } catch (const std::regex_error&) {
        causes_.push_back(invalid_value(
            path, in_quotes(text),
            path + " in body should match '" + std::string(*pattern) + "' (a pattern that is not understood)"));
      }
    }
  }

  void lists(Value schema, Value list, const std::string& path, int depth) {
    if (const auto bound = schema["maxItems"].get_int(); bound && static_cast<std::int64_t>(list.size()) > *bound)
      causes_.push_back(
          {"FieldValueTooMany",
           "Too many: " + std::to_string(list.size()) + ": must have at most " + std::to_string(*bound) + " items",
           path});
    if (const auto bound = schema["minItems"].get_int(); bound && static_cast<std::int64_t>(list.size()) < *bound)
      causes_.push_back(invalid_value(path, std::to_string(list.size()),
                                      path + " in body should have at least " + std::to_string(*bound) + " items"));
    std::size_t index = 0;
    for (Value item : list.items()) value(schema["items"], item, path + '[' + std::to_string(index++) + ']', depth + 1);
  }

  void maps(Value schema, Value map, const std::string& path, int depth) {
    const std::string prefix = path.empty() ? std::string() : path + '.';
    for (const auto& [name, child] : map.entries()) {
      if (path.empty() && (name == "metadata" || name == "apiVersion" || name == "kind")) continue;
      const Value known = schema["properties"][name];
      value(known.exists() ? known : schema["additionalProperties"], child, prefix + std::string(name), depth + 1);
    }
    for (Value required : schema["required"].items()) {
      if (!map[required.string()].exists()) causes_.push_back(required_value(prefix + std::string(required.string())));
    }
    if (const auto bound = schema["maxProperties"].get_int(); bound && static_cast<std::int64_t>(map.size()) > *bound)
      causes_.push_back(
          {"FieldValueTooMany",
           "Too many: " + std::to_string(map.size()) + ": must have at most " + std::to_string(*bound) + " items",
           path});
    if (const auto bound = schema["minProperties"].get_int(); bound && static_cast<std::int64_t>(map.size()) < *bound)
      causes_.push_back(
          invalid_value(path, std::to_string(map.size()),
                        path + " in body should have at least " + std::to_string(*bound) + " properties"));
  }

  static bool fits(Value schema, Value value, const std::string& path, int depth) {
    std::vector<ErrorCause> causes;
    Validator(causes).value(schema, value, path, depth + 1);
    return causes.empty();
  }

  void combinations(Value schema, Value subject, const std::string& path, int depth) {
    for (Value part : schema["allOf"].items()) value(part, subject, path, depth + 1);
    if (const Value any = schema["anyOf"]; any.size()) {
      bool found = false;
      for (Value part : any.items()) found = found || fits(part, subject, path, depth);
      if (!found) complain(path, subject, "must validate at least one schema (anyOf)");
    }
    if (const Value one = schema["oneOf"]; one.size()) {
      int found = 0;
      for (Value part : one.items()) found += fits(part, subject, path, depth) ? 1 : 0;
      if (found != 1) complain(path, subject, "must validate one and only one schema (oneOf)");
    }
    if (schema["not"].is_map() && fits(schema["not"], subject, path, depth))
      complain(path, subject, "must not validate the schema (not)");
  }

  std::vector<ErrorCause>& causes_;
};

}  // namespace

Result<TypedResult> to_custom(const CustomVersion& version, Value value) {
  if (!value.is_map()) return Error::decode("json: cannot unmarshal into an object");
  TypedResult result;
  meta::ObjectBuilder builder;
  Pruner(builder, result.unknown).root(version.schema, version.preserve_unknown, value);
  auto object = builder.finish();
  if (!object) return object.error();
  result.object = std::move(*object);
  return result;
}

std::vector<ErrorCause> validate_custom(const CustomVersion& version, const meta::Object& object) {
  std::vector<ErrorCause> causes;
  Validator(causes).value(version.schema, object.root(), "", 0);
  return causes;
}

}  // namespace kubexx::apiserver
