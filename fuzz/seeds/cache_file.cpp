// layers: meta
// Writes the seeds of fuzz_cache_file into a folder: files of no object, of one with every kind of node, and of some
// that share.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "kubexx/meta/json.hpp"
#include "unit/meta/cache_file_bytes.hpp"

namespace {

using namespace kubexx::meta;

std::string object_text(int number, bool large) {
  std::string data;
  for (int i = 0; i < (large ? 40 : 3); ++i) {
    data += (i > 0 ? ",\"" : "\"") + std::to_string((i * 7) % 41) + "-key\":\"\xc3\xa9\"";
  }
  return R"({"apiVersion":"v1","kind":"Seed","metadata":{"name":"a-)" + std::to_string(number) + R"(","uid":"uid-)" +
         std::to_string(number) + R"(","labels":{"app":"web"}},"data":{)" + data +
         R"(},"spec":{"containers":[{"name":"of-many","image":"registry.example.com/one/of/many:1.0"}]},)"
         R"("status":[null,true,12345678901,0.5,[],{}]})";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::vector<Object>& objects) {
    std::ofstream(folder / name, std::ios::binary) << detail::written(objects);
  };
  JsonDecoder decoder{DecodeOptions{}};
  write("none", {});
  write("one", {decoder.decode(object_text(1, true)).value()});
  std::vector<Object> sharing;
  for (int i = 0; i < 600; ++i) sharing.push_back(decoder.decode(object_text(i, false)).value());
  write("sharing", {sharing.end() - 3, sharing.end()});
  return 0;
}
