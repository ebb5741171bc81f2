#include <simdjson.h>

#include "meta/json/json_text.hpp"
#include "meta/json/json_walker.hpp"

namespace kubexx::meta::detail {
namespace {

constexpr std::size_t kFirstCapacity = 64 << 10;
constexpr std::size_t kKeptCapacity = 1 << 20;  // larger ones are given back after use

}  // namespace

struct JsonIndex::Parser {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> implementation;
  std::size_t capacity = 0;
};

JsonIndex::JsonIndex() : parser_(std::make_unique<Parser>()) {}
JsonIndex::~JsonIndex() = default;

Result<void> JsonIndex::build(std::string_view json) {
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
      return Error::decode("json: no room to index " + std::to_string(json.size()) + " bytes");
    }
    parser_->capacity = capacity;
  }
  auto& implementation = *parser_->implementation;
  const auto error = implementation.stage1(reinterpret_cast<const std::uint8_t*>(json.data()), json.size(),
                                           simdjson::stage1_mode::regular);
  if (error != simdjson::SUCCESS) {
    const TextFault fault = find_text_fault(json);
    return Error::decode("json: byte " + std::to_string(fault.offset) + ": " + fault.message);
  }
  begin_ = implementation.structural_indexes.get();
  end_ = begin_ + implementation.n_structural_indexes;
  return {};
}

}  // namespace kubexx::meta::detail
