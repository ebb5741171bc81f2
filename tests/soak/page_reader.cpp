#include "soak/page_reader.hpp"

#include "kubexx/base/stop.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::soak {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

rest::Config config_of(const inspect::Server& page) {
  rest::Config config;
  config.host = page.address();
  config.proxy_url = "none";
  config.bearer_token = page.token();
  config.allow_insecure_credentials = true;  // to loopback
  return config;
}

}  // namespace

PageReader::PageReader(const informer::SharedInformerFactory& factory, Journal& journal)
    : journal_(journal), page_(inspect::Server::start(factory).value()) {
  for (const auto& informer : factory.informers()) informers_.push_back(informer->name());
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void PageReader::run(const std::stop_token& stop) {
  const auto client = rest::Client::create(config_of(*page_)).value();
  const auto ask = [&](const std::string& path, const std::string& informer, bool json) {
    rest::Request request;
    request.absolute_path = path;
    if (!informer.empty()) request.query.emplace_back("informer", informer);
    const auto answer = client.send(request, {.stop = stop, .timeout = seconds(30)});
    if (stop.stop_requested()) return;
    if (!answer) return journal_.violation("", "the inspector at " + path + ": " + answer.error().message());
    if (const auto parsed = json ? meta::parse_json(answer->body) : Result<meta::Object>(meta::Object()); !parsed)
      return journal_.violation("", "the inspector at " + path + " is no JSON: " + parsed.error().message());
    ++reads_;
  };
  while (!wait_for_stop(stop, milliseconds(100))) {
    ask("/metrics", "", false);
    for (const char* path : {"/api/status", "/api/informers", "/api/queues", "/api/controllers"}) ask(path, "", true);
    for (const auto& informer : informers_) ask("/api/rows", informer, true);
  }
}

}  // namespace kubexx::soak
