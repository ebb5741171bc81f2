// events serve json|protobuf COUNT CA_FILE: a server with pods of 6 KB and, for whoever watches them, COUNT updates
// that it has in memory ready to send. Writes its authority into the file, prints its address, and ends with its
// standard input. events read json|protobuf COUNT CA_FILE ADDRESS: an informer with one handler that counts. Prints as
// JSON how many updates a second came to the handler, between the first and the last, and what each cost.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/pod_corpus.hpp"
#include "corpus/process_cost.hpp"
#include "corpus/protobuf_list.hpp"
#include "kubexx/clientset/core/v1/informers.hpp"
#include "kubexx/codec/protobuf.hpp"
#include "kubexx/httpd/certificates.hpp"
#include "kubexx/httpd/server.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/meta/json.hpp"

namespace {

using namespace kubexx;

constexpr std::size_t kPods = 1'000;
constexpr std::size_t kEventsAPiece = 64;
const meta::GroupVersionResource kPodResource{"", "v1", "pods"};

bench::PodCorpus corpus() {
  auto pods = bench::PodCorpus::small_sets(false);
  pods.pods = kPods;
  return pods;
}

std::string json_event(const meta::Object& pod) {
  return R"({"type":"MODIFIED","object":)" + meta::to_json(pod) + "}\n";
}

/// Updates of the pods in turn, each with a version of its own, in pieces as a busy server would send them.
std::vector<httpd::SharedBytes> events(bool protobuf, std::size_t count) {
  meta::DecodeOptions options;
  options.default_api_version = "v1";
  options.default_kind = "Pod";
  const auto pods = corpus();
  std::vector<meta::Object> objects;
  for (std::size_t i = 0; i < kPods; ++i) objects.push_back(meta::parse_json(pods.pod(i), options).value());
  std::vector<httpd::SharedBytes> pieces;
  for (std::size_t i = 0; i < count;) {
    std::string piece;
    for (const std::size_t end = std::min(count, i + kEventsAPiece); i < end; ++i) {
      auto draft = objects[i % kPods].edit();
      draft["metadata"]["resourceVersion"].set(std::to_string(10'000'000 + i));
      const auto pod = draft.to_object();
      piece += protobuf ? codec::protobuf_watch_frame("MODIFIED", codec::to_protobuf(pod).value()) : json_event(pod);
    }
    pieces.push_back(std::make_shared<const std::string>(std::move(piece)));
  }
  return pieces;
}

int serve(bool protobuf, std::size_t count, const std::string& ca_file) {
  const auto authority = httpd::CertificateAuthority::create("events").value();
  const auto pair =
      authority.issue({.common_name = "127.0.0.1", .ip_addresses = {"127.0.0.1"}, .server = true}).value();
  const std::string type = protobuf ? std::string(codec::kProtobufMediaType) : "application/json";
  const std::string watch_type = protobuf ? type + ";stream=watch" : type;
  const std::string list = protobuf ? bench::protobuf_list(corpus()) : corpus().list();
  const auto pieces = events(protobuf, count);
  httpd::ServerOptions options;
  options.certificate = pair.certificate;
  options.key = pair.key;
  const auto server =
      httpd::Server::start(std::move(options), [&](const httpd::Request& request, const httpd::Responder& responder) {
        if (!request.target.starts_with("/api/v1/pods")) return responder.respond(404, {}, "");
        if (request.target.find("watch=true") == std::string::npos) {
          return responder.respond(200, {{"content-type", type}}, list);
        }
        responder.start(200, {{"content-type", watch_type}});
        for (const auto& piece : pieces) responder.write(piece);
        responder.on_close([responder] {});  // it stays open as long as somebody watches
      });
  if (!server) return std::cerr << "events: " << server.error() << '\n', 1;
  std::ofstream(ca_file) << authority.certificate_pem();
  std::cout << "https://127.0.0.1:" << (*server)->port() << std::endl;
  std::cin.get();
  return 0;
}

/// Told of every update, from one thread at a time.
class Counting {
 public:
  explicit Counting(std::size_t expected) : expected_(expected) {}
  void count() {
    if (seen_++ == 0) {
      first_ = std::chrono::steady_clock::now();
      cpu_ = bench::ProcessCost::so_far().cpu();
    }
    if (seen_ != expected_) return;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - first_;
    const auto updates = static_cast<double>(expected_ - 1);
    done_.set_value({updates / took.count(), (bench::ProcessCost::so_far().cpu() - cpu_) / updates * 1e6});
  }
  struct Figures {
    double a_second;
    double cpu_microseconds;
  };
  Figures wait() { return done_.get_future().get(); }

 private:
  const std::size_t expected_;
  std::size_t seen_ = 0;
  std::chrono::steady_clock::time_point first_;
  double cpu_ = 0;
  std::promise<Figures> done_;
};

int read(bool protobuf, std::size_t count, const std::string& ca_file, const std::string& address) {
  rest::Config config;
  config.host = address;
  config.tls.ca_file = ca_file;
  const auto client = rest::Client::create(config);
  if (!client) return std::cerr << "events: " << client.error() << '\n', 1;
  informer::FactoryOptions options;
  options.defaults.watch_list = false;
  const auto factory = protobuf ? std::make_unique<informer::SharedInformerFactory>(*client, options)
                                : std::make_unique<informer::DynamicSharedInformerFactory>(*client, options);
  const auto informer = factory->for_resource(kPodResource);
  if (!informer) return std::cerr << "events: " << informer.error() << '\n', 1;
  Counting counting(count);
  const auto registration = informer->add_event_handler({.on_update = [&](const meta::Object&) { counting.count(); }});
  factory->start();
  const auto figures = counting.wait();
  std::cout << "{\"perSecond\": " << figures.a_second << ", \"cpuMicroseconds\": " << figures.cpu_microseconds << "}\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 4) return std::cerr << "usage: events serve|read json|protobuf COUNT CA_FILE [ADDRESS]\n", 2;
  const bool protobuf = arguments[1] == "protobuf";
  const std::size_t count = std::strtoul(argv[3], nullptr, 10);
  if (arguments[0] == "serve") return serve(protobuf, count, arguments[3]);
  return read(protobuf, count, arguments[3], arguments.at(4));
}
