#include "c/object.hpp"

#include <iterator>

#include "c/boundary.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::c {
namespace {

meta::Value field_at(const kubexx_object* object, const char* pointer) noexcept {
  return object && pointer ? object->object.at(pointer) : meta::Value();
}

/// Reads a field without a copy and without an error to free: these are called for every object there is.
template <class T, class Read>
kubexx_status read_field(const kubexx_object* object, const char* pointer, T* out, Read read) noexcept {
  if (!object || !pointer || !out) return KUBEXX_INVALID_ARGUMENT;
  const meta::Value value = field_at(object, pointer);
  if (!value.exists()) return KUBEXX_NOT_FOUND;
  const auto found = read(value);
  if (!found) return KUBEXX_WRONG_TYPE;
  *out = *found;
  return KUBEXX_OK;
}

template <class Read>
kubexx_view of_metadata(const kubexx_object* object, Read read) noexcept {
  return view(object ? read(object->object) : std::string_view());
}

}  // namespace
}  // namespace kubexx::c

using kubexx::meta::Object;
using kubexx::meta::Value;

kubexx_status kubexx_object_ref(const kubexx_object* object, kubexx_object** copy, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    kubexx::c::needed(object, "object");
    kubexx::c::needed(copy, "copy");
    *copy = new kubexx_object(*object);
  });
}

kubexx_status kubexx_object_parse(const char* json, size_t size, kubexx_object** object, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    kubexx::c::needed(object, "object");
    auto parsed = kubexx::meta::parse_json(kubexx::c::needed_body(json, size)).value();
    *object = new kubexx_object{std::move(parsed)};
  });
}

void kubexx_object_free(kubexx_object* object) {
  delete object;
}

kubexx_view kubexx_object_name(const kubexx_object* object) {
  return kubexx::c::of_metadata(object, [](const Object& each) { return each.name(); });
}

kubexx_view kubexx_object_namespace(const kubexx_object* object) {
  return kubexx::c::of_metadata(object, [](const Object& each) { return each.namespace_(); });
}

kubexx_view kubexx_object_uid(const kubexx_object* object) {
  return kubexx::c::of_metadata(object, [](const Object& each) { return each.uid(); });
}

kubexx_view kubexx_object_resource_version(const kubexx_object* object) {
  return kubexx::c::of_metadata(object, [](const Object& each) { return each.resource_version(); });
}

kubexx_value_type kubexx_object_type(const kubexx_object* object, const char* pointer) {
  return static_cast<kubexx_value_type>(kubexx::c::field_at(object, pointer).type());
}
static_assert(static_cast<int>(kubexx::meta::ValueType::Absent) == KUBEXX_ABSENT);
static_assert(static_cast<int>(kubexx::meta::ValueType::Null) == KUBEXX_NULL);
static_assert(static_cast<int>(kubexx::meta::ValueType::Bool) == KUBEXX_BOOL);
static_assert(static_cast<int>(kubexx::meta::ValueType::Int) == KUBEXX_INT);
static_assert(static_cast<int>(kubexx::meta::ValueType::Double) == KUBEXX_DOUBLE);
static_assert(static_cast<int>(kubexx::meta::ValueType::String) == KUBEXX_STRING);
static_assert(static_cast<int>(kubexx::meta::ValueType::List) == KUBEXX_LIST);
static_assert(static_cast<int>(kubexx::meta::ValueType::Map) == KUBEXX_MAP);

kubexx_status kubexx_object_string(const kubexx_object* object, const char* pointer, kubexx_view* value) {
  return kubexx::c::read_field(object, pointer, value, [](const Value& found) -> std::optional<kubexx_view> {
    const auto text = found.get_string();
    if (!text) return {};
    return kubexx::c::view(*text);
  });
}

kubexx_status kubexx_object_int(const kubexx_object* object, const char* pointer, int64_t* value) {
  return kubexx::c::read_field(object, pointer, value, [](const Value& found) { return found.get_int(); });
}

kubexx_status kubexx_object_double(const kubexx_object* object, const char* pointer, double* value) {
  return kubexx::c::read_field(object, pointer, value, [](const Value& found) { return found.get_double(); });
}

kubexx_status kubexx_object_bool(const kubexx_object* object, const char* pointer, int* value) {
  return kubexx::c::read_field(object, pointer, value, [](const Value& found) { return found.get_bool(); });
}

kubexx_status kubexx_object_size(const kubexx_object* object, const char* pointer, size_t* size) {
  return kubexx::c::read_field(object, pointer, size, [](const Value& found) -> std::optional<std::size_t> {
    if (!found.is_list() && !found.is_map()) return {};
    return found.size();
  });
}

kubexx_status kubexx_object_key_at(const kubexx_object* object, const char* pointer, size_t place, kubexx_view* key) {
  const Value map = kubexx::c::field_at(object, pointer);
  if (map.is_map() && place >= map.size()) return KUBEXX_NOT_FOUND;
  return kubexx::c::read_field(object, pointer, key, [&](const Value& found) -> std::optional<kubexx_view> {
    if (!found.is_map()) return {};
    const auto entries = found.entries();
    return kubexx::c::view((*std::next(entries.begin(), static_cast<std::ptrdiff_t>(place))).first);
  });
}

kubexx_status kubexx_object_json(const kubexx_object* object, const char* pointer, char** json, size_t* size,
                                 kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    kubexx::c::needed(json, "json");
    const Value value = kubexx::c::needed(object, "object").object.at(&kubexx::c::needed(pointer, "pointer"));
    if (!value.exists()) kubexx::c::refuse(KUBEXX_NOT_FOUND, std::string("there is no field ") + pointer);
    kubexx::c::hand_out(kubexx::meta::to_json(value), json, size);
  });
}

size_t kubexx_list_size(const kubexx_list* list) {
  return list ? list->objects.size() : 0;
}

const kubexx_object* kubexx_list_at(const kubexx_list* list, size_t place) {
  return list && place < list->objects.size() ? &list->objects[place] : nullptr;
}

void kubexx_list_free(kubexx_list* list) {
  delete list;
}
