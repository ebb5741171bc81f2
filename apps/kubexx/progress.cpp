#include "progress.hpp"

#include <iostream>

#include "kubexx/meta/json.hpp"
#include "output.hpp"
#include "terminal.hpp"

namespace kubexx::app {
namespace {

using namespace std::chrono_literals;
constexpr Duration kPatience = 300ms;  // lists that are there by then need no progress
constexpr Duration kInterval = 100ms;

}  // namespace

double received_bytes(const rest::Client& client) {
  double sum = 0;
  client.metrics()->for_each([&](const MetricFamily& family) {
    if (family.name != "kubexx_rest_received_bytes_total") return;
    for (const auto& point : family.points) sum += point.value;
  });
  return sum;
}

std::optional<std::uint64_t> count_on_server(const rest::Client& client, const client::ApiResource& resource,
                                             const std::string& namespace_, const Selection& selection) {
  if (!selection.label_selector.empty() || !selection.field_selector.empty()) return std::nullopt;
  rest::Request request;
  request.path = {resource.resource, resource.namespaced ? namespace_ : "", "", ""};
  request.query = {{"limit", "1"}};
  request.accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json";
  auto options = until_signal();
  options.timeout = 2s;
  const auto answer = client.send(request, options);
  if (!answer) return std::nullopt;
  const auto list = answer->object();
  if (!list) return std::nullopt;
  const auto remaining = (*list)["metadata"]["remainingItemCount"].get_int();
  if (!remaining) return std::nullopt;
  return static_cast<std::uint64_t>(*remaining) + (*list)["items"].size();
}

std::string progress_text(std::uint64_t objects, std::optional<std::uint64_t> total, double bytes) {
  auto text = grouped(objects);
  if (total) text += " of " + grouped(std::max(*total, objects));
  return text + " objects, " + human_bytes(bytes);
}

ProgressLine::ProgressLine(const rest::Client& client)
    : client_(client), enabled_(show_progress()), next_(Clock::system().now() + kPatience) {}

ProgressLine::~ProgressLine() {
  if (shown_) std::cerr << "\r\x1b[K" << std::flush;
}

void ProgressLine::show(const std::string& what, std::uint64_t objects, std::optional<std::uint64_t> total) {
  const auto now = Clock::system().now();
  if (!enabled_ || now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  std::cerr << "\r\x1b[K" << what << ": " << progress_text(objects, total, received_bytes(client_)) << std::flush;
}

}  // namespace kubexx::app
