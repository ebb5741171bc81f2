#include "apiserver/schema/typed.hpp"

#include <algorithm>
#include <optional>

#include "apiserver/http/path.hpp"
#include "apiserver/http/status.hpp"
#include "apiserver/limits.hpp"
#include "base/internal/enum_name.hpp"
#include "kubexx/base/error.hpp"

namespace kubexx::apiserver {
namespace {

using codec::FieldInfo;
using codec::FieldKind;
using codec::FieldType;
using codec::Presence;
using codec::TypeInfo;
using meta::Value;
using meta::ValueType;

std::string_view go_name(const FieldType& type) {
  static constexpr std::string_view kNames[] = {
      "string",       "int64", "bool", "float64",    "[]uint8", "v1.Time", "resource.Quantity", "intstr.IntOrString",
      "interface {}", "",      "[]",   "map[string]"};
  return type.kind == FieldKind::Message ? type.message->name : enum_name<FieldKind::Map>(type.kind, kNames);
}

std::string_view json_name(ValueType type) {
  static constexpr std::string_view kNames[] = {"null",   "null",   "bool",  "number",
                                                "number", "string", "array", "object"};
  return enum_name<ValueType::Map>(type, kNames);
}

class Typer {
 public:
  Typer(meta::ObjectBuilder& out, std::vector<std::string>* unknown) : out_(out), unknown_(unknown) {}

  std::optional<Error> error;
  /// It would be more than an object may be; what is written is not whole then.
  bool overflowed() const { return out_.bytes() > kMaxObjectBytes || parts_ > kMaxObjectParts; }

  void message(const TypeInfo& type, Value value, const Path* path) {
    ++parts_;
    // Slots hold the values in the type's order; the vector is shared by all levels as a stack.
    const std::size_t base = slots_.size();
    slots_.resize(base + type.fields.size());
    for (const auto& [name, child] : value.entries()) {
      if (const FieldInfo* field = type.find(name)) {
        slots_[base + static_cast<std::size_t>(field - type.fields.data())] = child;
      } else if (unknown_ && !child.is_null() && unknown_->size() < kMostComplaints) {
        const Path here{path, name};
        unknown_->push_back(text_of(&here));
      }
    }
    out_.begin_map();
    for (std::size_t i = 0; i < type.fields.size(); ++i) write_field(type.fields[i], slots_[base + i], path);
    out_.end_map();
    slots_.resize(base);
  }

 private:
  void write_field(const FieldInfo& field, Value value, const Path* path) {
    if (!value.exists() || value.is_null()) {
      if (field.presence == Presence::Always) {
        out_.key(field.name);
        zero(*field.type);
      }
      return;
    }
    if (field.presence == Presence::NonZero && is_zero(*field.type, value)) return;
    out_.key(field.name);
    const Path here{path, field.name};
    write(*field.type, value, &here);
  }

  static bool is_zero(const FieldType& type, Value value) {
    switch (value.type()) {
      case ValueType::Bool:
        return !value.bool_or(false);
      case ValueType::Int:
        return value.int_or(0) == 0;
      case ValueType::Double:
        return value.double_or(0) == 0;
      case ValueType::String:
        return value.string().empty();
      case ValueType::List:
        return value.empty();
      case ValueType::Map:
        return type.kind != FieldKind::Any && value.empty();
      default:
        return false;
    }
  }

  void zero(const FieldType& type) {
    switch (type.kind) {
      case FieldKind::String:
        return out_.string("");
      case FieldKind::Int:
      case FieldKind::IntOrString:
        return out_.integer(0);
      case FieldKind::Double:
        return out_.real(0);
      case FieldKind::Bool:
        return out_.boolean(false);
      case FieldKind::Quantity:
        return out_.string("0");
      case FieldKind::Message:
        return message(*type.message, Value(), nullptr);
      default:
        return out_.null();
    }
  }

  void mismatch(const FieldType& type, Value value, const Path* path) {
    if (!error) {
      error = Error::api(400, "BadRequest",
                         "json: cannot unmarshal " + std::string(json_name(value.type())) + " into Go struct field " +
                             text_of(path) + " of type " + std::string(go_name(type)));
    }
    out_.null();
  }

  void write(const FieldType& type, Value value, const Path* path) {
    switch (type.kind) {
      case FieldKind::String:
      case FieldKind::Bytes:
      case FieldKind::Time:
        return value.is_string() ? out_.copy(value) : mismatch(type, value, path);
      case FieldKind::Quantity:
        if (value.is_string()) return out_.copy(value);
        if (value.type() == ValueType::Int) return out_.string(std::to_string(value.int_or(0)));
        return mismatch(type, value, path);
      case FieldKind::Int:
        if (const auto number = value.get_int()) return out_.integer(*number);
        return mismatch(type, value, path);
      case FieldKind::Double:
        return value.is_number() ? out_.copy(value) : mismatch(type, value, path);
      case FieldKind::Bool:
        return value.get_bool() ? out_.copy(value) : mismatch(type, value, path);
      case FieldKind::IntOrString:
        if (value.is_string()) return out_.copy(value);
        if (const auto number = value.get_int()) return out_.integer(*number);
        return mismatch(type, value, path);
      case FieldKind::Any:
        return out_.copy(value);
      case FieldKind::Message:
        return value.is_map() ? message(*type.message, value, path) : mismatch(type, value, path);
      case FieldKind::List:
        return list(type, value, path);
      case FieldKind::Map:
        return map(type, value, path);
    }
  }

  void list(const FieldType& type, Value value, const Path* path) {
    if (!value.is_list()) return mismatch(type, value, path);
    out_.begin_list();
    std::size_t index = 0;
    for (Value item : value.items()) {
      if (overflowed()) break;
      const Path here{path, {}, index++, true};
      item.is_null() ? zero(*type.element) : write(*type.element, item, &here);
    }
    out_.end_list();
  }

  void map(const FieldType& type, Value value, const Path* path) {
    if (!value.is_map()) return mismatch(type, value, path);
    std::vector<meta::MapView::Entry> entries;
    entries.reserve(value.size());
    for (const auto& entry : value.entries()) entries.push_back(entry);
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    out_.begin_map();
    for (const auto& [name, child] : entries) {
      if (overflowed()) break;
      out_.key(name);
      const Path here{path, name};
      child.is_null() ? zero(*type.element) : write(*type.element, child, &here);
    }
    out_.end_map();
  }

  meta::ObjectBuilder& out_;
  std::vector<std::string>* unknown_;
  std::vector<Value> slots_;
  std::size_t parts_ = 0;
};

// Takes what the value has as text from `left`; false when it is not enough.
bool take_text(Value value, std::size_t& left) {
  constexpr std::size_t kPunctuation = 4;  // quotes, colon, comma; or a short scalar
  const auto take = [&](std::size_t size) {
    if (size > left) return false;
    left -= size;
    return true;
  };
  if (value.is_map()) {
    for (const auto& [name, child] : value.entries()) {
      if (!take(name.size() + kPunctuation) || !take_text(child, left)) return false;
    }
  } else if (value.is_list()) {
    for (Value item : value.items()) {
      if (!take_text(item, left)) return false;
    }
  }
  return take(kPunctuation + (value.is_string() ? value.string().size() : 0));
}

}  // namespace

bool exceeds(Value value, std::size_t bytes) {
  return !take_text(value, bytes);
}

Result<TypedResult> to_typed(const TypeInfo& type, meta::Value value) {
  TypedResult result;
  meta::ObjectBuilder builder;
  Typer typer(builder, &result.unknown);
  const Path root;
  if (type.scalar) {
    builder.copy(value);
  } else {
    typer.message(type, value, &root);
  }
  if (typer.error) return *typer.error;
  if (typer.overflowed()) return object_too_large();
  auto object = builder.finish();
  if (!object) return object.error();
  result.object = std::move(*object);
  return result;
}

meta::Object as_typed(const TypeInfo* type, const meta::Object& object) {
  if (!type) return object;
  auto typed = to_typed(*type, object.root());
  return typed ? typed->object : object;
}

void append_typed(const TypeInfo& type, meta::Value value, meta::ObjectBuilder& out) {
  Typer typer(out, nullptr);
  const Path root;
  typer.message(type, value, &root);
}

}  // namespace kubexx::apiserver
