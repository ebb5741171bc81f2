// layers: meta
// Selectors, quantities and times: what is accepted prints as text that reads as the same value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kubexx/meta/field_selector.hpp"
#include "kubexx/meta/label_selector.hpp"
#include "kubexx/meta/quantity.hpp"
#include "kubexx/meta/resource_version.hpp"
#include "kubexx/meta/time.hpp"

namespace {

template <class Form>
void check(std::string_view text) {
  const auto value = Form::parse(text);
  if (!value) return;
  const auto again = Form::parse(value->to_string());
  if (!again || !(*again == *value)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kubexx::meta;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check<LabelSelector>(text);
  check<FieldSelector>(text);
  check<Quantity>(text);
  check<Time>(text);
  check<MicroTime>(text);
  static_cast<void>(compare_resource_versions(text, "12345678901234567890"));
  return 0;
}
