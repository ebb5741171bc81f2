#include "reflector/machine.hpp"

/// Lists and watches as spans. Those that are left without a word, by a stop, end without attributes.
namespace kubexx::reflector {

TraceSpan* Reflector::Impl::span() noexcept {
  if (auto* listing = std::get_if<Listing>(&state)) return &listing->span;
  auto* from = stream();
  return from ? &from->span : nullptr;
}

TraceSpan Reflector::Impl::begin_span(SpanKind kind, const char* mode) const {
  return TraceSpan::begin(
      options.tracer, kind, [&] { return std::string(to_string(kind)) + " " + options.type_description; },
      [&] {
        return TraceAttributes{{"kubexx.informer", options.name},
                               {"kubexx.resource", options.type_description},
                               {"kubexx.mode", std::string(mode)}};
      });
}

void Reflector::Impl::end_list_span(std::size_t objects, const std::string& version) {
  TraceSpan* const open = span();
  if (!open) return;
  open->end([&] {
    return TraceAttributes{{"kubexx.objects", static_cast<std::int64_t>(objects)},
                           {"kubexx.resource_version", version}};
  });
}

void Reflector::Impl::end_span(const char* reason, const Error* error) {
  TraceSpan* const open = span();
  if (!open) return;
  open->end([&] {
    TraceAttributes all{{"kubexx.reason", std::string(reason)}};
    if (const auto* from = stream()) all.push_back({"kubexx.events", static_cast<std::int64_t>(from->events)});
    if (error) append_error(all, *error);
    return all;
  });
}

}  // namespace kubexx::reflector
