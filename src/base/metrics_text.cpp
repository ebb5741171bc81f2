#include "base/metrics_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/internal/enum_name.hpp"

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

void append_escaped(std::string& out, std::string_view text, bool quoted) {
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (quoted && c == '"') {
      out += "\\\"";
    } else {
      out += c;
    }
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

void append_sample(std::string& out, std::string_view name, std::string_view labels, double value) {
  out += name;
  if (!labels.empty()) out.append("{").append(labels).append("}");
  out += ' ';
  append_number(out, value);
  out += '\n';
}

void append_histogram(std::string& out, const std::string& name, const std::string& labels, const MetricPoint& point) {
  for (const auto& [bound, count] : point.buckets) {
    std::string all = labels;
    if (!all.empty()) all += ',';
    all += "le=\"";
    append_number(all, bound);
    all += '"';
    append_sample(out, name + "_bucket", all, static_cast<double>(count));
  }
  append_sample(out, name + "_sum", labels, point.value);
  append_sample(out, name + "_count", labels, static_cast<double>(point.buckets.back().second));
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

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += '?';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string label_text(const MetricLabels& labels) {
  std::string out;
  for (const auto& [name, value] : labels) {
    if (!out.empty()) out += ',';
    out.append(name).append("=\"");
    append_escaped(out, value, true);
    out += '"';
  }
  return out;
}

void append_family(std::string& out, const MetricFamily& family) {
  out.append("# HELP ").append(family.name).append(" ");
  append_escaped(out, family.help, false);
  out.append("\n# TYPE ").append(family.name).append(" ").append(to_string(family.type)).append("\n");
  for (const MetricPoint& point : family.points) {
    const std::string labels = label_text(point.labels);
    if (family.type == MetricType::Histogram) {
      append_histogram(out, family.name, labels, point);
    } else {
      append_sample(out, family.name, labels, point.value);
    }
  }
}

}  // namespace kubexx::detail

namespace kubexx {

std::string_view to_string(MetricType type) noexcept {
  static constexpr std::string_view kNames[] = {"counter", "gauge", "histogram"};
  return enum_name<MetricType::Histogram>(type, kNames);
}

}  // namespace kubexx
