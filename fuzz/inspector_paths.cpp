// layers: inspect
// Requests to the inspector, "target\nhost\norigin": each is answered at once, and whoever is not let in sees nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "inspect/site.hpp"
#include "support/fixture_executor.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kubexx;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = [&] {
    const auto at = std::min(text.find('\n'), text.size());
    const auto part = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return std::string(part);
  };
  const FixtureExecutor executor;
  inspect::Site site({}, inspect::Access({.token = "fuzz-token", .loopback = true, .allowed_hosts = {}}), *executor);
  httpd::Request request;
  request.method = "GET";
  request.target = line();
  request.headers = {{"host", line()}, {"origin", line()}};
  int answers = 0;
  site.answer(request, [&](const inspect::Answer& answer) {
    ++answers;
    if (answer.status < 200 || answer.status > 599) std::abort();
  });
  executor->run_until_idle();
  if (answers != 1) std::abort();
  return 0;
}
