#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "kubexx/meta/yaml.hpp"
#include "meta/yaml/yaml_scalar.hpp"
#include "meta/yaml/yaml_text.hpp"

namespace kubexx::meta {

namespace {

constexpr std::size_t kWidth = 80;  // lines longer than this are folded at the next space
constexpr std::size_t kLongestSimpleKey = 128;

bool is_letter(std::uint32_t c) {
  return (c | 0x20) - 'a' < 26 || c >= 0xaa;
}  // beyond ASCII: nearly all are
bool is_decimal(std::uint32_t c) {
  return c - '0' < 10;
}

std::vector<std::uint32_t> code_points(std::string_view text) {
  std::vector<std::uint32_t> points;
  for (std::size_t i = 0; i < text.size();) {
    const auto point = code_point_at(text, i);
    points.push_back(point.value);
    i += point.length;
  }
  return points;
}

/// kubectl's order of keys: letters after everything else, and digits as the numbers that they form.
bool natural_less(std::string_view left, std::string_view right) {
  const auto a = code_points(left);
  const auto b = code_points(right);
  const auto differs = std::mismatch(a.begin(), a.begin() + static_cast<long>(std::min(a.size(), b.size())), b.begin());
  const auto i = static_cast<std::size_t>(differs.first - a.begin());
  if (i == a.size() || i == b.size()) return a.size() < b.size();
  if (is_letter(a[i]) || is_letter(b[i])) {
    return is_letter(a[i]) && is_letter(b[i]) ? a[i] < b[i] : is_letter(b[i]);
  }
  std::uint64_t number_a = 0;
  std::uint64_t number_b = 0;
  if (a[i] == '0' || b[i] == '0') {  // inside a number that began before: its zeros count
    for (auto j = i; j > 0 && is_decimal(a[j - 1]); --j) {
      if (a[j - 1] != '0') {
        number_a = number_b = 1;
        break;
      }
    }
  }
  auto end_a = i;
  auto end_b = i;
  for (; end_a < a.size() && is_decimal(a[end_a]); ++end_a) number_a = number_a * 10 + (a[end_a] - '0');
  for (; end_b < b.size() && is_decimal(b[end_b]); ++end_b) number_b = number_b * 10 + (b[end_b] - '0');
  if (number_a != number_b) return number_a < number_b;
  if (end_a != end_b) return end_a < end_b;
  return a[i] < b[i];
}

enum class Style : std::uint8_t { Plain, SingleQuoted, DoubleQuoted, Literal };

bool is_special(std::uint32_t c) {
  const bool printable = c == '\n' || (c >= 0x20 && c < 0x7f) || (c >= 0xa0 && c < 0xfffe && c != 0xfeff);
  return !printable || c == 0x2028 || c == 0x2029;
}

/// In which styles a text may be written outside of flow collections.
struct Analysis {
  bool plain = true;
  bool single_quoted = true;
  bool literal = true;
};

Analysis analyze(std::string_view text) {
  Analysis allowed;
  if (text.empty()) return {false, true, false};
  if (text.starts_with("---") || text.starts_with("...")) allowed.plain = false;
  bool after_space = true;  // a space, a break, or the beginning stands before
  char previous = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto [c, length] = code_point_at(text, i);
    const auto next = i + length;
    const bool before_space = next == text.size() || text[next] == ' ' || text[next] == '\t' || text[next] == '\n';
    const bool first = i == 0;
    const bool last = next == text.size();
    if (is_special(c)) return {false, false, false};
    if (first && c < 0x80 &&
        std::string_view("#,[]{}&*!|>'\"%@`").find(static_cast<char>(c)) != std::string_view::npos) {
      allowed.plain = false;
    }
    if (first && (c == '?' || c == '-') && before_space) allowed.plain = false;
    if (c == ':' && before_space) allowed.plain = false;
    if (c == '#' && after_space) allowed.plain = false;
    if (c == ' ') {
      if (first || last) allowed.plain = false;
      if (last) allowed.literal = false;
      if (previous == '\n') allowed.plain = allowed.single_quoted = false;
    } else if (c == '\n') {
      allowed.plain = false;
      if (previous == ' ') return {false, false, false};
    }
    after_space = c == ' ' || c == '\n';
    previous = c < 0x80 ? static_cast<char>(c) : 'x';
    i = next;
  }
  return allowed;
}

Style style_of(std::string_view text) {
  const auto allowed = analyze(text);
  if (text.find('\n') != std::string_view::npos) return allowed.literal ? Style::Literal : Style::DoubleQuoted;
  const bool reads_as_text = resolve_yaml_scalar(text).kind == YamlScalar::Kind::String &&
                             !looks_like_yaml_timestamp(text) && !looks_like_base60(text) && text != "<<";
  if (!reads_as_text) return Style::DoubleQuoted;
  if (allowed.plain) return Style::Plain;
  return allowed.single_quoted ? Style::SingleQuoted : Style::DoubleQuoted;
}

class Emitter {
 public:
  explicit Emitter(YamlKeys keys) : keys_(keys) {}

  std::string emit(Value value) {
    emit_node(value, 0, true);
    return std::move(out_);
  }

 private:
  /// A value at the end of an open line whose containers stand at `indent`; `inlined`: a container may begin right here
  /// (behind "- " or at the start), otherwise the line ends first.
  void emit_node(Value value, std::size_t indent, bool inlined) {
    if (value.is_map() && !value.empty()) return emit_map(value, indent, inlined);
    if (value.is_list() && !value.empty()) return emit_list(value, indent, inlined);
    emit_scalar(value, indent);
    if (!literal_) out_ += '\n';
    literal_ = false;
  }

  void start_line(std::size_t indent, bool& inlined) {
    if (!inlined) out_.append(indent, ' ');
    inlined = false;
  }

  void emit_map(Value map, std::size_t indent, bool inlined) {
    std::vector<std::pair<std::string_view, Value>> entries;
    entries.reserve(map.size());
    for (const auto& entry : map.entries()) entries.push_back(entry);
    if (keys_ == YamlKeys::Sorted) {
      std::stable_sort(entries.begin(), entries.end(),
                       [](const auto& a, const auto& b) { return natural_less(a.first, b.first); });
    }
    for (const auto& [key, value] : entries) {
      start_line(indent, inlined);
      if (key.size() > kLongestSimpleKey || key.find('\n') != std::string_view::npos) {
        out_ += "? ";
        emit_text(key, indent + 2, true);
        if (!literal_) out_ += '\n';
        literal_ = false;
        out_.append(indent, ' ').append(": ");
        emit_node(value, indent + 2, true);
        continue;
      }
      emit_text(key, indent, false);
      out_ += ':';
      const bool container = (value.is_map() || value.is_list()) && !value.empty();
      out_ += container ? '\n' : ' ';
      emit_node(value, value.is_list() ? indent : indent + 2, false);
    }
  }

  void emit_list(Value list, std::size_t indent, bool inlined) {
    for (const Value item : list.items()) {
      start_line(indent, inlined);
      out_ += "- ";
      emit_node(item, indent + 2, true);
    }
  }

  void emit_scalar(Value value, std::size_t indent) {
    switch (value.type()) {
      case ValueType::Bool:
        out_ += value.bool_or(false) ? "true" : "false";
        break;
      case ValueType::Int:
        out_ += std::to_string(value.int_or(0));
        break;
      case ValueType::Double:
        emit_double(value.double_or(0));
        break;
      case ValueType::String:
        emit_text(value.string(), indent, true);
        break;
      case ValueType::List:
        out_ += "[]";
        break;
      case ValueType::Map:
        out_ += "{}";
        break;
      default:
        out_ += "null";
    }
  }

  void emit_double(double number) {
    const auto scalar = through_json(number);
    if (scalar.kind == YamlScalar::Kind::Int) {
      out_ += std::to_string(scalar.integer);
    } else if (number > 0 && number < 1.8e19 && std::trunc(number) == number) {
      out_ += std::to_string(static_cast<std::uint64_t>(number));
    } else {
      out_ += format_yaml_double(number);
    }
  }

  void emit_text(std::string_view text, std::size_t indent, bool may_fold) {
    switch (style_of(text)) {
      case Style::Plain:
        return emit_folded(text, indent, may_fold, Style::Plain);
      case Style::SingleQuoted:
        out_ += '\'';
        emit_folded(text, indent, may_fold, Style::SingleQuoted);
        out_ += '\'';
        return;
      case Style::DoubleQuoted:
        out_ += '"';
        emit_folded(text, indent, may_fold, Style::DoubleQuoted);
        out_ += '"';
        return;
      case Style::Literal:
        return emit_literal(text, indent);
    }
  }

  std::size_t column() const {
    const auto line = out_.rfind('\n');
    const auto begin = line == std::string::npos ? 0 : line + 1;
    return static_cast<std::size_t>(
        std::count_if(out_.begin() + static_cast<long>(begin), out_.end(), [](char c) { return (c & 0xc0) != 0x80; }));
  }

  /// A text on one line that may continue on the next at a single space once it is wide enough.
  void emit_folded(std::string_view text, std::size_t indent, bool may_fold, Style style) {
    auto at_column = column();
    bool after_space = false;
    for (std::size_t i = 0; i < text.size();) {
      const auto [c, length] = code_point_at(text, i);
      const auto next = i + length;
      const bool space_follows = next < text.size() && text[next] == ' ';
      const bool inside = i > 0 && next < text.size();
      const bool folds = c == ' ' && may_fold && !after_space && at_column > kWidth && inside &&
                         (style == Style::DoubleQuoted || !space_follows);
      if (folds) {
        at_column = std::max<std::size_t>(indent, 2);
        out_.append(1, '\n').append(at_column, ' ');
        if (space_follows) {
          out_ += '\\';
          ++at_column;
        }
      } else if (style == Style::DoubleQuoted) {
        at_column += emit_escaped(c, text.substr(i, length));
      } else {
        out_ += text.substr(i, length);
        if (style == Style::SingleQuoted && c == '\'') out_ += '\'';
        at_column += style == Style::SingleQuoted && c == '\'' ? 2 : 1;
      }
      after_space = c == ' ';
      i = next;
    }
  }

  /// One code point inside double quotes; answers the columns that it took.
  std::size_t emit_escaped(std::uint32_t c, std::string_view bytes) {
    if (c != '"' && c != '\\' && c != '\n' && !is_special(c)) {
      out_ += bytes;
      return 1;
    }
    constexpr std::string_view kFrom = {"\0\a\b\t\n\v\f\r\x1b\"\\", 11};
    constexpr std::string_view kTo = "0abtnvfre\"\\";
    out_ += '\\';
    if (const auto known = c < 0x80 ? kFrom.find(static_cast<char>(c)) : std::string_view::npos;
        known != std::string_view::npos) {
      out_ += kTo[known];
      return 2;
    }
    const int digits = c <= 0xff ? 2 : c <= 0xffff ? 4 : 8;
    out_ += digits == 2 ? 'x' : digits == 4 ? 'u' : 'U';
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out_ += "0123456789ABCDEF"[c >> shift & 15];
    return static_cast<std::size_t>(digits) + 2;
  }

  void emit_literal(std::string_view text, std::size_t indent) {
    out_ += '|';
    if (text.front() == ' ' || text.front() == '\n') out_ += '2';
    if (text.back() != '\n') {
      out_ += '-';
    } else if (text.size() == 1 || text[text.size() - 2] == '\n') {
      out_ += '+';
    }
    out_ += '\n';
    if (text.back() == '\n') text.remove_suffix(1);
    while (true) {
      const auto end = text.find('\n');
      const auto line = text.substr(0, end);
      if (!line.empty()) out_.append(std::max<std::size_t>(indent, 2), ' ').append(line);
      out_ += '\n';
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
    literal_ = true;
  }

  YamlKeys keys_;
  std::string out_;
  bool literal_ = false;  // the last scalar was a literal and has ended its line
};

}  // namespace

std::string to_yaml(Value value, YamlKeys keys) {
  return Emitter(keys).emit(value);
}

}  // namespace kubexx::meta
