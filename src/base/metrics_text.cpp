#include "base/metrics_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace kubexx::detail {

namespace {

bool letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool digit(char c) {
  return c >= '0' && c <= '9';
}

// The length of the UTF-8 sequence at the start of a text that is not empty; 0 if it is not one.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and code points beyond the last.
  const unsigned second = byte(1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f)) return 0;
  if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return 0;
  return length;
}

void append_label_text(std::string& out, std::string_view text, bool quoted) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += '?';
      text.remove_prefix(1);
      continue;
    }
    if (text[0] == '\\') {
      out += "\\\\";
    } else if (text[0] == '\n') {
      out += "\\n";
    } else if (quoted && text[0] == '"') {
      out += "\\\"";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
}

void append_number(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  if (std::isinf(value)) {
    out += value > 0 ? "+Inf" : "-Inf";
    return;
  }
  char text[32];
  constexpr double kExactIntegers = 1e15;
  const bool integer = std::abs(value) < kExactIntegers && value == std::trunc(value);
  const auto end = integer ? std::to_chars(text, std::end(text), static_cast<long long>(value))
                           : std::to_chars(text, std::end(text), value);
  out.append(text, end.ptr);
}

}  // namespace

bool valid_metric_name(std::string_view name) noexcept {
  return !name.empty() && !digit(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return letter(c) || digit(c) || c == ':'; });
}

bool valid_label_name(std::string_view name) noexcept {
  return !name.empty() && !digit(name[0]) && !name.starts_with("__") &&
         std::all_of(name.begin(), name.end(), [](char c) { return letter(c) || digit(c); });
}

std::string label_text(const MetricLabels& labels) {
  std::string out;
  for (const auto& [name, value] : labels) {
    if (!out.empty()) out += ',';
    out.append(name).append("=\"");
    append_label_text(out, value, true);
    out += '"';
  }
  return out;
}

void append_header(std::string& out, std::string_view name, std::string_view help, MetricKind kind) {
  out.append("# HELP ").append(name).append(" ");
  append_label_text(out, help, false);
  out.append("\n# TYPE ").append(name);
  switch (kind) {
    case MetricKind::Counter:
      out += " counter\n";
      break;
    case MetricKind::Gauge:
      out += " gauge\n";
      break;
    case MetricKind::Histogram:
      out += " histogram\n";
      break;
  }
}

void append_sample(std::string& out, std::string_view name, std::string_view labels, double value) {
  out += name;
  if (!labels.empty()) out.append("{").append(labels).append("}");
  out += ' ';
  append_number(out, value);
  out += '\n';
}

void append_histogram(std::string& out, const MetricSeries& series) {
  // The count is the sum of what was read, so that the lines agree while others observe.
  std::uint64_t count = 0;
  for (std::size_t i = 0; i <= series.bounds.size(); ++i) {
    count += series.buckets[i].load(std::memory_order_relaxed);
    std::string labels = series.labels;
    if (!labels.empty()) labels += ',';
    labels += "le=\"";
    append_number(labels, i < series.bounds.size() ? series.bounds[i] : std::numeric_limits<double>::infinity());
    labels += '"';
    append_sample(out, series.name + "_bucket", labels, static_cast<double>(count));
  }
  append_sample(out, series.name + "_sum", series.labels, series.value.load(std::memory_order_relaxed));
  append_sample(out, series.name + "_count", series.labels, static_cast<double>(count));
}

}  // namespace kubexx::detail
