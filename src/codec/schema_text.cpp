#include "kubexx/codec/schema_text.hpp"

// The assembler copies the file into the object; src/codec/deps.cmake gives its path.
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    ".global kubexx_schema_begin\n"
    ".global kubexx_schema_end\n"
    "kubexx_schema_begin:\n"
    ".incbin \"" KUBEXX_SCHEMA_FILE
    "\"\n"
    "kubexx_schema_end:\n"
    ".byte 0\n"
    ".text\n");

extern "C" {
extern const char kubexx_schema_begin[];
extern const char kubexx_schema_end[];
}

namespace kubexx::codec {

std::string_view schema_json() noexcept {
  return {kubexx_schema_begin, static_cast<std::size_t>(kubexx_schema_end - kubexx_schema_begin)};
}

}  // namespace kubexx::codec
