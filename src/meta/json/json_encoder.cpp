#include <array>
#include <charconv>

#include "kubexx/meta/json.hpp"
#include "meta/json/json_text.hpp"

namespace kubexx::meta {
namespace {

/// Bytes that cannot stand in a JSON string as they are; from 0x80 on they need a look at the whole character.
constexpr auto kSpecial = [] {
  std::array<bool, 256> special{};
  for (std::size_t c = 0; c < 0x20; ++c) special[c] = true;
  for (std::size_t c = 0x80; c < 0x100; ++c) special[c] = true;
  special['"'] = special['\\'] = true;
  return special;
}();

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
    case '\\':
      out += '\\';
      out += c;
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
  }
}

void append_integer(std::string& out, std::int64_t value) {
  char buffer[24];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  (void)error;
  out.append(buffer, end);
}

/// `indent` is the depth of the value, or -1 for compact output.
void append_value(std::string& out, Value value, int indent) {
  const auto new_line = [&](int depth) {
    if (depth < 0) return;
    out += '\n';
    out.append(2 * static_cast<std::size_t>(depth), ' ');
  };
  const int inner = indent < 0 ? -1 : indent + 1;
  switch (value.type()) {
    case ValueType::Absent:
    case ValueType::Null:
      out += "null";
      return;
    case ValueType::Bool:
      out += value.bool_or(false) ? "true" : "false";
      return;
    case ValueType::Int:
      append_integer(out, value.int_or(0));
      return;
    case ValueType::Double:
      detail::append_json_double(out, value.double_or(0));
      return;
    case ValueType::String:
      append_json_string(out, value.string());
      return;
    case ValueType::List: {
      out += '[';
      bool first = true;
      for (const Value item : value.items()) {
        if (!first) out += ',';
        first = false;
        new_line(inner);
        append_value(out, item, inner);
      }
      if (!first) new_line(indent);
      out += ']';
      return;
    }
    case ValueType::Map: {
      out += '{';
      bool first = true;
      for (const auto& [key, member] : value.entries()) {
        if (!first) out += ',';
        first = false;
        new_line(inner);
        append_json_string(out, key);
        out += indent < 0 ? ":" : ": ";
        append_value(out, member, inner);
      }
      if (!first) new_line(indent);
      out += '}';
      return;
    }
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;  // begin of what is copied as it is
  for (std::size_t at = 0; at < text.size();) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (!kSpecial[c]) {
      ++at;
      continue;
    }
    std::size_t length = 1;
    if (c >= 0x80) {
      length = detail::utf8_length(text.substr(at));
      // U+2028 and U+2029 end a line in JavaScript; Go escapes them always.
      const bool line_end =
          length == 3 && (text.substr(at, 3) == "\xe2\x80\xa8" || text.substr(at, 3) == "\xe2\x80\xa9");
      if (length != 0 && !line_end) {
        at += length;
        continue;
      }
      out.append(text.substr(plain, at - plain));
      out += length == 0 ? "\\ufffd" : (text[at + 2] == '\xa8' ? "\\u2028" : "\\u2029");
      if (length == 0) length = 1;
    } else {
      out.append(text.substr(plain, at - plain));
      append_escaped(out, text[at]);
    }
    at += length;
    plain = at;
  }
  out.append(text.substr(plain));
  out += '"';
}

void append_json(std::string& out, Value value) {
  append_value(out, value, -1);
}

std::string to_json(Value value) {
  std::string out;
  append_value(out, value, -1);
  return out;
}

std::string to_json_pretty(Value value) {
  std::string out;
  append_value(out, value, 0);
  return out;
}

}  // namespace kubexx::meta
