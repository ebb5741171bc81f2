#include "naming.hpp"

#include <algorithm>
#include <cctype>

namespace kubexx::gen {
namespace {

bool upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool lower(char c) {
  return c >= 'a' && c <= 'z';
}
char to_lower(char c) {
  return upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
char to_upper(char c) {
  return lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}
bool word(char c) {
  return upper(c) || lower(c) || (c >= '0' && c <= '9');
}

constexpr std::string_view kKeywords[] = {
    "alignas",     "alignof",   "and",        "and_eq",    "asm",      "auto",         "bitand",
    "bitor",       "bool",      "break",      "case",      "catch",    "char",         "char8_t",
    "char16_t",    "char32_t",  "class",      "compl",     "concept",  "const",        "consteval",
    "constexpr",   "constinit", "const_cast", "continue",  "co_await", "co_return",    "co_yield",
    "decltype",    "default",   "delete",     "do",        "double",   "dynamic_cast", "else",
    "enum",        "explicit",  "export",     "extern",    "false",    "float",        "for",
    "friend",      "goto",      "if",         "inline",    "int",      "long",         "mutable",
    "namespace",   "new",       "noexcept",   "not",       "not_eq",   "nullptr",      "operator",
    "or",          "or_eq",     "private",    "protected", "public",   "register",     "reinterpret_cast",
    "requires",    "return",    "short",      "signed",    "sizeof",   "static",       "static_assert",
    "static_cast", "struct",    "switch",     "template",  "this",     "thread_local", "throw",
    "true",        "try",       "typedef",    "typeid",    "typename", "union",        "unsigned",
    "using",       "virtual",   "void",       "volatile",  "wchar_t",  "while",        "xor",
    "xor_eq",      "linux",     "unix",       "major",     "minor",    "errno",        "stdin",
    "stdout",      "stderr",    "assert",
};

/// Without control characters and what turns the direction of text around, by which a line can look like another one.
std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const auto third = static_cast<unsigned char>(i + 2 < text.size() ? text[i + 2] : 0);
    std::size_t dropped = 0;
    if (c < 32 || c == 127) dropped = 1;
    if (c == 0xC2 && next < 0xA0) dropped = 2;                                     // U+0080 to U+009F
    if (c == 0xD8 && next == 0x9C) dropped = 2;                                    // U+061C
    if (c == 0xE2 && next == 0x80 && third >= 0x8B && third <= 0x8F) dropped = 3;  // U+200B to U+200F
    if (c == 0xE2 && next == 0x80 && third >= 0xA8 && third <= 0xAE) dropped = 3;  // U+2028 to U+202E
    if (c == 0xE2 && next == 0x81 && third >= 0xA0 && third <= 0xAF) dropped = 3;  // U+2060 to U+206F
    if (c == 0xEF && next == 0xBB && third == 0xBF) dropped = 3;                   // U+FEFF
    if (dropped == 0) {
      out += static_cast<char>(c);
    } else {
      out += ' ';
      i += dropped - 1;
    }
  }
  return out;
}

}  // namespace

std::string snake_case(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!word(c)) {
      if (!out.empty() && out.back() != '_') out += '_';
      continue;
    }
    if (upper(c) && i > 0) {
      const bool after_word = word(name[i - 1]) && !upper(name[i - 1]);
      // The last capital of an acronym begins the next word, unless only a plural "s" follows: podIPs.
      const bool plural = i + 2 == name.size() && name[i + 1] == 's';
      const bool begins = i + 1 < name.size() && lower(name[i + 1]) && !plural;
      if ((after_word || (upper(name[i - 1]) && begins)) && !out.empty() && out.back() != '_') out += '_';
    }
    out += to_lower(c);
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out.empty() ? "field" : out;
}

std::string pascal_case(std::string_view name) {
  std::string out;
  bool begin = true;
  for (const char c : name) {
    if (!word(c)) {
      begin = true;
      continue;
    }
    out += begin ? to_upper(c) : c;
    begin = false;
  }
  return out.empty() ? "Type" : out;
}

std::string safe(std::string name) {
  if (!name.empty() && name[0] >= '0' && name[0] <= '9') {
    std::string letter_first = "n";
    letter_first += name;
    name = std::move(letter_first);
  }
  if (std::find(std::begin(kKeywords), std::end(kKeywords), name) != std::end(kKeywords)) name += '_';
  return name;
}

std::string unique(std::string name, std::set<std::string>& taken) {
  name = safe(std::move(name));
  while (taken.contains(name) || taken.contains("has_" + name)) {
    name += name.ends_with('_') ? "2" : "_";  // two in a row belong to the compiler
  }
  for (const auto* prefix : {"", "has_", "set_", "clear_"}) taken.insert(prefix + name);
  return name;
}

std::string plural_accessor(std::string_view kind, std::string_view resource) {
  std::string flat;
  for (const char c : kind) flat += to_lower(c);
  const auto one = snake_case(kind);
  if (flat == resource) return safe(one);
  if (resource == flat + "es") return one + "es";
  if (kind.ends_with('y') && resource.ends_with("ies")) return one.substr(0, one.size() - 1) + "ies";
  if (resource == flat + "s") return one + "s";
  return safe(snake_case(resource));
}

std::set<std::string> reserved_names() {
  return {"root",        "at",          "gvk",       "metadata_value", "completeness", "projection_name",
          "byte_size",   "edit",        "raw_bytes", "same_document",  "unchecked",    "from",
          "exists",      "as_value",    "as_ref",    "assign",         "draft",        "changed",
          "merge_patch", "json_patch",  "to_object", "clone",          "view_",        "place_",
          "draft_",      "api_version", "kind"};
}

std::set<std::string> object_names() {
  auto names = reserved_names();
  for (const auto* name :
       {"name", "namespace_", "key", "uid", "resource_version", "generate_name", "creation_timestamp",
        "deletion_timestamp", "generation", "labels", "annotations", "owner_references", "finalizers", "begin"}) {
    names.insert(name);
  }
  return names;
}

std::string string_literal(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) >= 127) {
      out += "\\x";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
      out += "\" \"";  // the escape ends here
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string comment(std::string_view text, std::string_view indent) {
  constexpr std::size_t kWidth = 112;
  constexpr std::size_t kMostLines = 8;
  std::string out;
  std::string line;
  std::size_t lines = 0;
  const auto end_line = [&](std::string_view more) {
    line += more;
    // A backslash at the end of a line goes on in the next one, so does its trigraph, and blanks behind it do not help.
    if (line.ends_with('\\') || line.ends_with("?\?/")) line += " .";
    out.append(indent).append("/// ").append(line).append("\n");
    line.clear();
    ++lines;
  };
  const std::string clean = printable(text);
  for (std::string_view rest = clean; !rest.empty();) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    std::string_view next = rest.substr(0, rest.find(' '));
    if (next.empty()) break;
    if (next.size() > kWidth) {  // broken where a character begins
      std::size_t size = kWidth;
      while (size > 0 && (static_cast<unsigned char>(next[size]) & 0xC0) == 0x80) --size;
      next = next.substr(0, size);
    }
    if (!line.empty() && indent.size() + line.size() + 1 + next.size() > kWidth) {
      if (lines + 1 == kMostLines) {
        end_line(" ...");
        return out;
      }
      end_line("");
    }
    if (!line.empty()) line += ' ';
    line += next;
    rest.remove_prefix(next.size());
  }
  if (!line.empty()) end_line("");
  return out;
}

}  // namespace kubexx::gen
