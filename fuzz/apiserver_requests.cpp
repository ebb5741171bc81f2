// layers: apiserver
// Requests to the embedded server, each "METHOD target content-type" and a line end before its body, with a zero byte
// between two: each is answered once, and what a write gave is what a read gives.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "kubexx/apiserver/core.hpp"
#include "support/fixture_executor.hpp"
#include "unit/apiserver/recording_writer.hpp"

namespace {

using namespace kubexx;

std::string_view cut(std::string_view& text, char end) {
  const auto at = std::min(text.find(end), text.size());
  const auto part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

class Server {
 public:
  std::shared_ptr<apiserver::RecordingWriter> send(std::string_view text) {
    auto head = cut(text, '\n');
    apiserver::Request request;
    request.method = cut(head, ' ');
    request.target = cut(head, ' ');
    request.headers = {{"authorization", "Bearer " + core_.admin_token()}};
    if (!head.empty()) request.headers.emplace_back("content-type", head);
    request.body = text;
    auto writer = std::make_shared<apiserver::RecordingWriter>();
    core_.handle(std::move(request), writer);
    executor_->run_until_idle();
    return writer;
  }

 private:
  static apiserver::Options options(std::shared_ptr<Executor> executor) {
    apiserver::Options all;
    all.seed = 7;
    all.executor = std::move(executor);
    return all;
  }
  FixtureExecutor executor_;
  apiserver::Core core_{options(executor_)};
};

void check(Server& server, const apiserver::RecordingWriter& answer) {
  if (answer.status == 0 && !answer.aborted) std::abort();
  if (answer.status != 201) return;
  const auto made = meta::parse_json(answer.body);
  if (!made || !(*made)["metadata"]["selfLink"].string().empty()) return;
  if ((*made)["apiVersion"].string() != "v1" || (*made)["kind"].string() != "ConfigMap") return;
  const auto read = server.send("GET /api/v1/namespaces/" + std::string(made->namespace_()) + "/configmaps/" +
                                std::string(made->name()));
  if (read->status != 200 || read->body != answer.body) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Server server;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  for (int most = 8; !text.empty() && most > 0; --most) check(server, *server.send(cut(text, '\0')));
  return 0;
}
