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
  while (taken.contains(name) || taken.contains("has_" + name)) name += '_';
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

}  // namespace kubexx::gen
