#include "codec/messages.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "kubexx/meta/name.hpp"

namespace kubexx::codec {
namespace {

struct WireName {
  std::string_view type;
  Wire wire;
};

constexpr WireName kWires[] = {
    {"string", Wire::String},
    {"int32", Wire::Int32},
    {"int64", Wire::Int64},
    {"bool", Wire::Bool},
    {"double", Wire::Double},
    {"bytes", Wire::Bytes},
    {"meta.v1.Time", Wire::Time},
    {"meta.v1.MicroTime", Wire::MicroTime},
    {"resource.Quantity", Wire::Quantity},
    {"intstr.IntOrString", Wire::IntOrString},
    {"runtime.RawExtension", Wire::Json},
    {"meta.v1.FieldsV1", Wire::Json},
    {"apiextensions.v1.JSON", Wire::Json},
    {"apiextensions.v1.JSONSchemaPropsOrBool", Wire::OrBool},
    {"apiextensions.v1.JSONSchemaPropsOrArray", Wire::OrArray},
    {"apiextensions.v1.JSONSchemaPropsOrStringArray", Wire::OrStringArray},
};

constexpr std::string_view kProps = "apiextensions.v1.JSONSchemaProps";

/// Makes the tables. Everything a table refers to is made with it, so that a finished one is never written again.
class Tables {
 public:
  const Message* by_type(std::string_view type) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = made_.messages.find(type); found != made_.messages.end()) return found->second.get();
    }
    const std::unique_lock lock(mutex_);
    fresh_ = {};  // what is half made when memory lacks is made again
    const Message* const found = message(type);
    made_.messages.merge(fresh_.messages);
    made_.inlined.splice(made_.inlined.end(), fresh_.inlined);
    return found;
  }

  const Message* by_kind(std::string_view api_version, std::string_view kind) {
    std::call_once(kinds_made_, [this] { make_kinds(); });
    std::string key(api_version);
    key.append(1, ' ').append(kind);
    if (const auto found = kinds_.find(key); found != kinds_.end()) return by_type(found->second);
    for (const std::string_view any : {"DeleteOptions", "CreateOptions", "UpdateOptions", "PatchOptions", "ListOptions",
                                       "GetOptions", "WatchEvent"}) {
      if (kind == any)
        return by_type("meta.v1." + std::string(any));  // they have the apiVersion of what they are about
    }
    return nullptr;
  }

 private:
  void make_kinds() {
    for (const auto& [name, gvk] : kinds_by_type()) kinds_.emplace(gvk.api_version() + " " + gvk.kind, name);
    kinds_.emplace("v1 List", "core.v1.List");
    kinds_.emplace("policy/v1beta1 Eviction", "policy.v1beta1.Eviction");
    kinds_.emplace("extensions/v1beta1 Scale", "extensions.v1beta1.Scale");
    kinds_.emplace("meta.k8s.io/v1 PartialObjectMetadata", "meta.v1.PartialObjectMetadata");
    kinds_.emplace("meta.k8s.io/v1 PartialObjectMetadataList", "meta.v1.PartialObjectMetadataList");
    kinds_.emplace("meta.k8s.io/v1beta1 PartialObjectMetadata", "meta.v1.PartialObjectMetadata");
    kinds_.emplace("meta.k8s.io/v1beta1 PartialObjectMetadataList", "meta.v1beta1.PartialObjectMetadataList");
  }

  const Message* message(std::string_view type) {
    for (const Made* made : {&made_, &fresh_}) {
      if (const auto found = made->messages.find(type); found != made->messages.end()) return found->second.get();
    }
    if (!schema()["types"][type].exists() && !schema()["protoOnly"][type].exists()) return nullptr;
    auto made = std::make_unique<Message>();
    made->name = type;
    Message& out = *made;
    fresh_.messages.emplace(out.name, std::move(made));
    fill(out, type, find_type(type));
    return &out;
  }

  /// `outer` has the fields of the JSON object in which those of the message stand: it says the presence.
  void fill(Message& out, std::string_view type, const TypeInfo* outer) {
    if (const TypeInfo* described = find_type(type); described && !described->scalar) {
      for (const FieldInfo& field : described->fields) {
        if (!field.proto_type.empty()) add(out, field, outer);
      }
      for (const auto field : schema()["types"][type]["protoInline"].items()) {
        add_inline(out, static_cast<int>(field["proto"].int_or(0)), field["type"].string(), outer);
      }
    } else {
      for (const auto field : schema()["protoOnly"][type].items()) {
        FieldInfo info;
        info.name = json_name(field["name"].string());
        info.number = static_cast<int>(field["proto"].int_or(0));
        info.proto_type = field["type"].string();
        info.presence = presence_of(field);
        info.required = field["required"].bool_or(false);
        add(out, info, outer);
      }
    }
    index(out);
  }

  void add(Message& out, const FieldInfo& info, const TypeInfo* outer) {
    const FieldInfo* shown = outer ? outer->find(info.name) : nullptr;
    const auto presence = shown && shown->presence ? shown->presence : info.presence;
    std::string_view type = info.proto_type;
    if (info.name == "ingressRuleValue" && !presence) return add_inline(out, info.number, type, outer);
    Field made;
    made.name = info.name;
    made.id = meta::find_name(made.name);
    made.number = static_cast<std::uint32_t>(info.number);
    if (type.starts_with("[]")) {
      made.shape = Shape::List;
      type.remove_prefix(2);
    } else if (type.starts_with("map:")) {
      made.shape = Shape::Map;
      type.remove_prefix(4);
    }
    describe(made, type);
    const bool structure = made.shape == Shape::One && made.wire == Wire::Message;
    if (presence) {
      made.presence = *presence == Presence::NonZero && structure ? Presence::Always : *presence;
    } else {  // a type without JSON of its own, or an old one
      const bool always = info.name == "metadata" || info.name == "items" || info.required;
      made.presence = always ? Presence::Always : structure ? Presence::Set : Presence::NonZero;
    }
    out.fields.push_back(made);
  }

  void add_inline(Message& out, int number, std::string_view type, const TypeInfo* outer) {
    auto made = std::make_unique<Message>();
    made->name = type;
    fill(*made, type, outer);
    Field field;
    field.number = static_cast<std::uint32_t>(number);
    field.wire = Wire::Message;
    field.presence = Presence::Always;
    field.inlined = true;
    field.message = made.get();
    out.fields.push_back(field);
    fresh_.inlined.push_back(std::move(made));
  }

  void describe(Field& field, std::string_view type) {
    for (const auto& known : kWires) {
      if (known.type != type) continue;
      field.wire = known.wire;
      if (field.wire == Wire::OrBool || field.wire == Wire::OrArray || field.wire == Wire::OrStringArray) {
        field.message = message(kProps);
      }
      return;
    }
    const auto only = schema()["protoOnly"][type];
    const auto fields = schema()["types"][type]["fields"];
    const bool wraps =
        only.size() == 1 && only[0]["name"].string() == "items" && only[0]["type"].string() == "[]string";
    if (wraps || (fields.size() == 1 && fields["items"]["type"].string() == "[]string")) {
      field.wire = Wire::Items;
      return;
    }
    field.wire = Wire::Message;
    field.message = message(type);
  }

  static void index(Message& out) {
    std::sort(out.fields.begin(), out.fields.end(), [](const Field& a, const Field& b) { return a.number < b.number; });
    if (out.fields.empty()) return;
    out.by_number.assign(out.fields.back().number + 1, 0);
    for (std::size_t i = 0; i < out.fields.size(); ++i) {
      Field& field = out.fields[i];
      field.plain =
          (field.wire == Wire::String || field.wire == Wire::Message) && field.shape != Shape::Map && !field.inlined;
      out.by_number[out.fields[i].number] = static_cast<std::uint8_t>(i + 1);
      if (out.fields[i].presence == Presence::Always) out.always |= std::uint64_t{1} << i;
    }
  }

  struct Made {
    std::map<std::string, std::unique_ptr<Message>, std::less<>> messages;
    std::list<std::unique_ptr<Message>> inlined;
  };
  std::shared_mutex mutex_;
  Made made_;   // guarded by mutex_
  Made fresh_;  // guarded by mutex_; what the call under way has made so far
  std::once_flag kinds_made_;
  std::unordered_map<std::string, std::string_view> kinds_;
};

Tables& tables() {
  static auto* const made = new Tables;  // for the process
  return *made;
}

}  // namespace

const Message* find_message(std::string_view type) {
  return tables().by_type(type);
}

const Message* find_message(std::string_view api_version, std::string_view kind) {
  return tables().by_kind(api_version, kind);
}

}  // namespace kubexx::codec
