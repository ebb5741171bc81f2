#include <limits>

#include "meta/json/json_text.hpp"
#include "meta/json/json_walker.hpp"
#ifdef KUBEXX_PORTABLE_JSON_INDEX  // by src/meta/deps.cmake
#include "meta/json/portable_index.hpp"
#else
#include <simdjson.h>
#endif

namespace kubexx::meta::detail {
namespace {

constexpr std::size_t kKeptCapacity = 1 << 20;  // larger ones are given back after use

Error no_room(std::string_view json) {
  return Error::decode("json: no room to index " + std::to_string(json.size()) + " bytes");
}

Error fault_of(std::string_view json) {
  const TextFault fault = find_text_fault(json);
  return Error::decode("json: byte " + std::to_string(fault.offset) + ": " + fault.message);
}

}  // namespace

#ifdef KUBEXX_PORTABLE_JSON_INDEX

struct JsonIndex::Parser {
  std::vector<std::uint32_t> offsets;
};

Result<void> JsonIndex::build(std::string_view json) {
  auto& offsets = parser_->offsets;
  if (json.size() > std::numeric_limits<std::uint32_t>::max()) return no_room(json);
  if (offsets.capacity() > kKeptCapacity && json.size() <= kKeptCapacity) offsets = {};
  if (!index_portably(json, offsets)) return fault_of(json);
  begin_ = offsets.data();
  end_ = begin_ + offsets.size() - kBehindTheLast;
  return {};
}

#else

// The parser of simdjson's DOM has its stages as a member. The first is all that is needed, and has no other way to it.
struct JsonIndex::Parser {
  decltype(simdjson::dom::parser::implementation) implementation;
  std::size_t capacity = 0;
};

Result<void> JsonIndex::build(std::string_view json) {
  constexpr std::size_t kFirstCapacity = 64 << 10;
  const bool oversized = parser_->capacity > kKeptCapacity && json.size() <= kKeptCapacity;
  if (json.size() > parser_->capacity || oversized || parser_->implementation == nullptr) {
    std::size_t capacity = kFirstCapacity;
    while (capacity < json.size()) capacity *= 2;
    parser_->implementation.reset();
    // Depth 1: only the first stage runs, which does not nest.
    const auto error =
        simdjson::get_active_implementation()->create_dom_parser_implementation(capacity, 1, parser_->implementation);
    if (error != simdjson::SUCCESS) {
      parser_->capacity = 0;
      return no_room(json);
    }
    parser_->capacity = capacity;
  }
  auto& implementation = *parser_->implementation;
  const auto error = implementation.stage1(reinterpret_cast<const std::uint8_t*>(json.data()), json.size(),
                                           simdjson::stage1_mode::regular);
  if (error != simdjson::SUCCESS) return fault_of(json);
  begin_ = implementation.structural_indexes.get();
  end_ = begin_ + implementation.n_structural_indexes;
  return {};
}

#endif

JsonIndex::JsonIndex() : parser_(std::make_unique<Parser>()) {}
JsonIndex::~JsonIndex() = default;

}  // namespace kubexx::meta::detail
