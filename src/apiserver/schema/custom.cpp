#include "apiserver/schema/custom.hpp"

#include <algorithm>

#include "apiserver/http/path.hpp"
#include "apiserver/http/status.hpp"
#include "apiserver/limits.hpp"
#include "base/internal/enum_name.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::apiserver {
namespace {

using meta::Value;
using meta::ValueType;

constexpr int kMaxDepth = 200;
// What a validation may cost: the lock of the whole server is held meanwhile. An object and a schema as large as they
// may be have some hundred thousand values each; what is beyond this multiplies them.
constexpr std::size_t kMaxSteps = 10'000'000;

class Pruner {
 public:
  Pruner(meta::ObjectBuilder& out, std::vector<std::string>& unknown) : out_(out), unknown_(unknown) {}

  /// Defaults made more of it than an object may be; what is written is not whole then.
  bool overflowed() const { return out_.bytes() > kMaxObjectBytes || parts_ > kMaxObjectParts || steps_ > kMaxSteps; }

  void root(Value schema, bool preserve, Value value) {
    const Path path;
    out_.begin_map();
    for (const Entry& entry : sorted(schema, value)) {
      if (entry.name == "apiVersion" || entry.name == "kind") {
        out_.key(entry.name);
        out_.copy(entry.value);
      } else if (entry.name == "metadata") {
        out_.key(entry.name);
        metadata(entry.value);
      } else {
        property(schema, preserve, entry, &path, 1);
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
  std::vector<Entry> sorted(Value schema, Value value) {
    steps_ += schema["properties"].size() + value.size();
    std::vector<Entry> entries;
    for (const auto& [name, child] : value.entries()) {
      const Value property = schema["properties"][name];
      if (child.is_null() && property["default"].exists() && !property["nullable"].bool_or(false)) continue;
      entries.push_back({name, child});
    }
    const auto given = static_cast<std::ptrdiff_t>(entries.size());
    const auto by_name = [](const Entry& a, const Entry& b) { return a.name < b.name; };
    std::sort(entries.begin(), entries.end(), by_name);
    for (const auto& [name, property] : schema["properties"].entries()) {
      const Entry fallback{name, property["default"]};
      if (fallback.value.exists() && !std::binary_search(entries.begin(), entries.begin() + given, fallback, by_name))
        entries.push_back(fallback);
    }
    std::sort(entries.begin() + given, entries.end(), by_name);
    std::inplace_merge(entries.begin(), entries.begin() + given, entries.end(), by_name);
    return entries;
  }

  // ObjectMeta in the order of a map: what Go writes for objects it has no struct for.
  void metadata(Value value) {
    meta::ObjectBuilder typed;
    append_typed(codec::object_meta_type(), value.is_map() ? value : Value(), typed);
    const meta::Object object = typed.finish().value_or(meta::Object());
    plain(object.root(), 1);
  }

  void plain(Value value, int depth) {
    if (depth > kMaxDepth || overflowed()) return out_.null();
    if (value.is_map()) {
      ++parts_;
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

  void property(Value schema, bool preserve, const Entry& entry, const Path* path, int depth) {
    const Path here{path, entry.name};
    const Value known = schema["properties"][entry.name];
    const Value others = schema["additionalProperties"];
    if (known.exists()) {
      out_.key(entry.name);
      content(known, entry.value, &here, depth);
    } else if (others.is_map()) {
      out_.key(entry.name);
      content(others, entry.value, &here, depth);
    } else if (preserve || others.bool_or(false)) {
      out_.key(entry.name);
      plain(entry.value, depth);
    } else if (unknown_.size() < kMostComplaints) {
      unknown_.push_back(text_of(&here));
    }
  }

  void content(Value schema, Value value, const Path* path, int depth) {
    if (depth > kMaxDepth || overflowed()) return out_.null();
    const bool preserve = schema["x-kubernetes-preserve-unknown-fields"].bool_or(false);
    if (value.is_map()) {
      const bool embedded = schema["x-kubernetes-embedded-resource"].bool_or(false);
      ++parts_;
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
        if (overflowed()) break;
        const Path here{path, {}, index++, true};
        schema["items"].exists() ? content(schema["items"], item, &here, depth + 1) : plain(item, depth + 1);
      }
      out_.end_list();
    } else {
      out_.copy(value);
    }
  }

  meta::ObjectBuilder& out_;
  std::vector<std::string>& unknown_;
  std::size_t parts_ = 0;
  std::size_t steps_ = 0;
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
  static constexpr std::string_view kNames[] = {"null",   "null",   "boolean", "integer",
                                                "number", "string", "array",   "object"};
  return in_quotes(enum_name<ValueType::Map>(value.type(), kNames));
}

class Validator {
 public:
  Validator(std::vector<ErrorCause>& causes, Patterns& patterns, std::size_t& steps)
      : causes_(causes), patterns_(patterns), steps_(steps) {}

  void value(Value schema, Value value, const Path* path, int depth) {
    if (!schema.is_map() || depth > kMaxDepth || !spend(1)) return;
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
  /// False: enough is said, or it takes too long.
  bool spend(std::size_t steps) {
    steps_ += std::min(steps, kMaxSteps);
    return steps_ <= kMaxSteps && causes_.size() < kMostComplaints;
  }

  void wrong_type(const Path* path, std::string_view type, Value value) {
    const std::string given = shown_type(value);
    const std::string field = text_of(path);
    causes_.push_back(
        {"FieldValueTypeInvalid",
         "Invalid value: " + given + ": " + field + " in body must be of type " + std::string(type) + ": " + given,
         field});
  }

  void complain(const Path* path, const std::string& given, const std::string& why) {
    const std::string field = text_of(path);
    causes_.push_back(invalid_value(field, given, field + " in body " + why));
  }
  void complain(const Path* path, Value value, const std::string& why) { complain(path, meta::to_json(value), why); }
  void too_many(const Path* path, std::size_t given, std::int64_t bound) {
    causes_.push_back({"FieldValueTooMany",
                       "Too many: " + std::to_string(given) + ": must have at most " + std::to_string(bound) + " items",
                       text_of(path)});
  }

  void enumeration(Value schema, Value value, const Path* path) {
    const Value allowed = schema["enum"];
    if (!allowed.is_list() || !spend(allowed.size())) return;
    std::string list;
    for (Value candidate : allowed.items()) {
      if (candidate == value) return;
      if (list.size() > kMostShown) continue;
      if (!list.empty()) list += ", ";
      list += meta::to_json(candidate);
    }
    causes_.push_back({"FieldValueNotSupported",
                       "Unsupported value: " + shown(meta::to_json(value)) + ": supported values: " + shown(list),
                       text_of(path)});
  }

  void numbers(Value schema, Value value, const Path* path) {
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

  void strings(Value schema, std::string_view text, const Path* path) {
    const auto length =
        static_cast<std::int64_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
    if (const auto bound = schema["maxLength"].get_int(); bound && length > *bound)
      causes_.push_back(
          {"FieldValueTooLong", "Too long: may not be more than " + std::to_string(*bound) + " bytes", text_of(path)});
    if (const auto bound = schema["minLength"].get_int(); bound && length < *bound)
      complain(path, in_quotes(text), "should be at least " + std::to_string(*bound) + " chars long");
    const auto pattern = schema["pattern"].get_string();
    if (!pattern || !spend(text.size() * patterns_.weight(*pattern))) return;
    if (!patterns_.matches(*pattern, text))
      complain(path, in_quotes(text), "should match '" + std::string(*pattern) + "'");
  }

  void lists(Value schema, Value list, const Path* path, int depth) {
    if (const auto bound = schema["maxItems"].get_int(); bound && static_cast<std::int64_t>(list.size()) > *bound)
      too_many(path, list.size(), *bound);
    if (const auto bound = schema["minItems"].get_int(); bound && static_cast<std::int64_t>(list.size()) < *bound)
      complain(path, std::to_string(list.size()), "should have at least " + std::to_string(*bound) + " items");
    std::size_t index = 0;
    for (Value item : list.items()) {
      const Path here{path, {}, index++, true};
      value(schema["items"], item, &here, depth + 1);
    }
  }

  void maps(Value schema, Value map, const Path* path, int depth) {
    for (const auto& [name, child] : map.entries()) {
      if (!path->parent && (name == "metadata" || name == "apiVersion" || name == "kind")) continue;
      const Value known = schema["properties"][name];
      const Path here{path, name};
      value(known.exists() ? known : schema["additionalProperties"], child, &here, depth + 1);
    }
    for (Value required : schema["required"].items()) {
      if (!spend(1)) return;
      const Path here{path, required.string()};
      if (!map[required.string()].exists()) causes_.push_back(required_value(text_of(&here)));
    }
    if (const auto bound = schema["maxProperties"].get_int(); bound && static_cast<std::int64_t>(map.size()) > *bound)
      too_many(path, map.size(), *bound);
    if (const auto bound = schema["minProperties"].get_int(); bound && static_cast<std::int64_t>(map.size()) < *bound)
      complain(path, std::to_string(map.size()), "should have at least " + std::to_string(*bound) + " properties");
  }

  bool fits(Value schema, Value value, const Path* path, int depth) {
    std::vector<ErrorCause> causes;
    Validator(causes, patterns_, steps_).value(schema, value, path, depth + 1);
    return causes.empty();
  }

  void combinations(Value schema, Value subject, const Path* path, int depth) {
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
  Patterns& patterns_;
  std::size_t& steps_;
};

}  // namespace

Result<TypedResult> to_custom(const CustomVersion& version, Value value) {
  if (!value.is_map()) return Error::decode("json: cannot unmarshal into an object");
  TypedResult result;
  meta::ObjectBuilder builder;
  Pruner pruner(builder, result.unknown);
  pruner.root(version.schema, version.preserve_unknown, value);
  if (pruner.overflowed()) return object_too_large();
  auto object = builder.finish();
  if (!object) return object.error();
  result.object = std::move(*object);
  return result;
}

std::vector<ErrorCause> validate_custom(const CustomVersion& version, const meta::Object& object) {
  std::vector<ErrorCause> causes;
  std::size_t steps = 0;
  const Path root;
  Validator(causes, *version.patterns, steps).value(version.schema, object.root(), &root, 0);
  if (steps > kMaxSteps)
    causes.push_back(forbidden_value("", "the object takes too long to be validated against its schema"));
  return causes;
}

}  // namespace kubexx::apiserver
