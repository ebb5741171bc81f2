#include "kubexx/meta/name.hpp"

#include "meta/internal/name_table.hpp"

namespace kubexx::meta {
namespace {

#define KUBEXX_FIELD_NAME(text) std::string_view(text),
constexpr std::string_view kNames[] = {
#include "meta/document/field_names.inc"
};
#undef KUBEXX_FIELD_NAME

constexpr std::size_t kCount = std::size(kNames);
static_assert(kCount * 2 < detail::kNameSlots, "the table needs room: double kNameSlots");

constexpr auto kBits = [] {
  std::array<detail::TextBits, kCount> bits{};
  for (std::size_t id = 0; id < kCount; ++id) bits[id] = detail::text_bits(kNames[id].data(), kNames[id].size());
  return bits;
}();

constexpr auto make_table() {
  std::array<detail::NameSlot, detail::kNameSlots> table{};
  for (std::size_t id = 0; id < kCount; ++id) {
    std::size_t at = detail::mix(kBits[id], kNames[id].size()) % detail::kNameSlots;
    while (table[at].id_plus_one != 0) at = (at + 1) % detail::kNameSlots;
    table[at] = {static_cast<std::uint16_t>(id + 1), static_cast<std::uint16_t>(kNames[id].size())};
  }
  return table;
}

}  // namespace

namespace detail {
constinit const std::array<NameSlot, kNameSlots> kNameTable = make_table();
constinit const TextBits* const kNameBits = kBits.data();
constinit const std::string_view* const kNameTexts = kNames;
}  // namespace detail

std::optional<NameId> find_name(std::string_view name) noexcept {
  const int id = detail::find_name_id(name.data(), name.size());
  if (id < 0) return std::nullopt;
  return static_cast<NameId>(id);
}

std::string_view name_text(NameId id) noexcept {
  const auto index = static_cast<std::size_t>(id);
  return index < kCount ? kNames[index] : std::string_view();
}

std::size_t name_count() noexcept {
  return kCount;
}

}  // namespace kubexx::meta
