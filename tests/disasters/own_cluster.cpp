#include "disasters/own_cluster.hpp"

#include "kubexx/testkit/eventually.hpp"
#include "paths.hpp"

namespace kubexx::disasters {
namespace {

using transport::test::Authority;

std::string loopback(const std::string& scheme, int port) {
  return scheme + "://127.0.0.1:" + std::to_string(port);
}

bool answers(const rest::Config& config, const std::string& path) {
  const auto client = rest::Client::create(config).value();
  return testkit::eventually(
      [&] {
        rest::Request request;
        request.absolute_path = path;
        return client.send(request).has_value();
      },
      std::chrono::seconds(60));
}

rest::Config plain(const std::string& url) {
  rest::Config config;
  config.host = url;
  config.proxy_url = "none";
  config.timeout = std::chrono::seconds(5);
  return config;
}

/// In one step, so that nobody reads half a file.
void replace(const interop::Folder& folder, const std::string& name, const std::string& text) {
  std::filesystem::rename(folder.write(name + ".new", text), folder.path() + "/" + name);
}

std::string tail(const std::string& text) {
  return text.substr(text.size() - std::min<std::size_t>(text.size(), 2000));
}

}  // namespace

OwnCluster::OwnCluster(std::string programs)
    : programs_(std::move(programs)),
      authority_(std::make_unique<Authority>("first authority")),
      etcd_url_(loopback("http", interop::free_port())),
      peer_url_(loopback("http", interop::free_port())),
      etcd_data_(file("etcd")),
      port_(interop::free_port()) {
  write_certificates(authority_->pem());
}

std::unique_ptr<interop::Program> OwnCluster::start(std::vector<std::string> words, const std::string& log) const {
  // They end with this process, however it ends.
  const std::string setpriv = interop::find_program("setpriv");
  words.insert(words.begin(), {setpriv, "--pdeathsig", "KILL"});
  return std::make_unique<interop::Program>(words, file(log));
}

bool OwnCluster::start_etcd() {
  etcd_ = start({KUBEXX_SOURCE_DIR "/tests/cluster/run-etcd", program("etcd"), etcd_data_, etcd_url_, peer_url_},
                "etcd.log");
  return answers(plain(etcd_url_), "/health");
}

bool OwnCluster::start_apiserver() {
  apiserver_ = start({program("apiserver"), "--etcd-servers=" + etcd_url_, "--bind-address=127.0.0.1",
                      "--secure-port=" + std::to_string(port_), "--tls-cert-file=" + file("server.crt"),
                      "--tls-private-key-file=" + file("server.key"), "--client-ca-file=" + file("ca.crt")},
                     "apiserver.log");
  return answers(config(), "/readyz");
}

rest::Config OwnCluster::config() const {
  auto config = plain(loopback("https", port_));
  config.tls.ca_file = file("ca.crt");
  config.tls.certificate_file = file("client.crt");
  config.tls.key_file = file("client.key");
  return config;
}

rest::Config OwnCluster::strict_config() const {
  auto strict = config();
  strict.tls.ca_file.clear();
  strict.tls.ca_data = authority_->pem();
  return strict;
}

bool OwnCluster::compact(const std::string& version) const {
  return interop::run({program("etcdctl"), "--endpoints=" + etcd_url_, "compaction", "--physical", version}) == 0;
}

bool OwnCluster::save(const std::string& name) const {
  return interop::run({program("etcdctl"), "--endpoints=" + etcd_url_, "snapshot", "save", file(name)}) == 0;
}

bool OwnCluster::restore(const std::string& name) {
  etcd_data_ = file(name + ".restored");
  return interop::run({program("etcdutl"), "snapshot", "restore", file(name), "--data-dir=" + etcd_data_,
                       "--initial-cluster=default=" + peer_url_, "--initial-advertise-peer-urls=" + peer_url_}) == 0;
}

void OwnCluster::write_certificates(const std::string& trusted) const {
  const auto server = authority_->issue({"127.0.0.1"});
  const auto client = authority_->issue({"admin"});
  replace(folder_, "ca.crt", trusted);
  replace(folder_, "server.key", server.key);
  replace(folder_, "server.crt", server.certificate);
  replace(folder_, "client.key", client.key);
  replace(folder_, "client.crt", client.certificate);
}

void OwnCluster::replace_certificates() {
  const auto old = authority_->pem();
  authority_ = std::make_unique<Authority>("second authority");
  write_certificates(old + authority_->pem());
}

void OwnCluster::forget_old_authority() {
  replace(folder_, "ca.crt", authority_->pem());
}

std::string OwnCluster::logs() const {
  return "etcd: " + tail(folder_.read("etcd.log")) + "\nAPI server: " + tail(folder_.read("apiserver.log"));
}

}  // namespace kubexx::disasters
