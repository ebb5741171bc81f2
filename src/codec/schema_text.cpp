#include "kubexx/codec/schema_text.hpp"

#include <zlib.h>

#include <stdexcept>

#include "codec/packed_schema.hpp"

// The assembler copies the file into the object; src/codec/deps.cmake gives its path.
__asm__(
    ".section .rodata.kubexx_schema,\"a\"\n"
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
namespace {

/// The last four bytes of what gzip writes are the size of the text, the lowest one first.
std::size_t unpacked_size(std::string_view packed) {
  std::size_t size = 0;
  for (std::size_t i = 1; i <= 4; ++i) size = size << 8 | static_cast<unsigned char>(packed[packed.size() - i]);
  return size;
}

}  // namespace

std::string unpack_schema() {
  const std::string_view packed(kubexx_schema_begin, static_cast<std::size_t>(kubexx_schema_end - kubexx_schema_begin));
  if (!packed.starts_with("\x1f\x8b")) return std::string(packed);  // built without gzip
  std::string text(unpacked_size(packed), '\0');
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // zlib does not write there
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const int result = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (result != Z_STREAM_END || stream.avail_out != 0) throw std::logic_error("the schema in the program is damaged");
  return text;
}

std::string_view schema_json() {
  static const auto* const kText = new std::string(unpack_schema());
  return *kText;
}

}  // namespace kubexx::codec
