// layers: codec
// Writes the seeds of fuzz_protobuf_decode into a folder: an object of each built-in kind with all its fields, and the
// same in a watch event or as a list. Objects of many kilobytes are left out.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "kubexx/codec/protobuf.hpp"
#include "unit/codec/random_objects.hpp"

int main(int argc, char** argv) {
  using namespace kubexx::codec;
  if (argc != 2) return std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  test::RandomObjects random(1);
  for (const auto& kind : kinds_by_type()) {
    const auto object = random.make(kind.first);
    if (!object) continue;
    const auto body = to_protobuf(*object);
    if (!body || body->size() > 4000) continue;
    // The first byte is the reader: see fuzz/protobuf_decode.cpp.
    const auto write = [&](char reader, const std::string& bytes) {
      std::ofstream(folder / (kind.first + "." + std::to_string(reader)), std::ios::binary) << reader << bytes;
    };
    write(0, *body);
    if (kind.second.kind.ends_with("List")) {
      write(1, *body);
    } else {
      write(2, protobuf_watch_frame("ADDED", *body));
    }
  }
  return 0;
}
