#pragma once

#include <memory>
#include <string>

#include "interop/programs.hpp"
#include "kubexx/rest/client.hpp"
#include "unit/transport/support/certificates.hpp"

namespace kubexx::disasters {

/// An etcd and a current API server on loopback, with certificates of their own.
///
/// Threads: for one thread, which is the one that lives as long as the processes.
/// Stop: the destructor kills both.
class OwnCluster {
 public:
  /// The programs are those of tests/cluster/current/build; nothing runs yet.
  explicit OwnCluster(std::string programs);

  /// Each waits until the process answers; false when it does not within a minute.
  [[nodiscard]] bool start_etcd();
  [[nodiscard]] bool start_apiserver();
  void kill_etcd() { etcd_.reset(); }
  void kill_apiserver() { apiserver_.reset(); }

  /// A client reads its certificates from files, and again when they change.
  rest::Config config() const;
  /// etcd forgets what was before this version.
  [[nodiscard]] bool compact(const std::string& version) const;
  /// etcd's data as it is now, in a file.
  [[nodiscard]] bool save(const std::string& name) const;
  /// The data of the file instead of etcd's, which must not run.
  [[nodiscard]] bool restore(const std::string& name);

  /// Server and client get certificates of a new authority; the old one stays trusted until forget_old_authority().
  void replace_certificates();
  void forget_old_authority();
  /// Trusts the authority of now alone.
  rest::Config strict_config() const;

  /// The last lines of both logs.
  std::string logs() const;

 private:
  std::string program(const std::string& name) const { return programs_ + "/" + name; }
  std::string file(const std::string& name) const { return folder_.path() + "/" + name; }
  void write_certificates(const std::string& trusted) const;
  std::unique_ptr<interop::Program> start(std::vector<std::string> words, const std::string& log) const;

  std::string programs_;
  interop::Folder folder_;
  std::unique_ptr<transport::test::Authority> authority_;
  std::string etcd_url_;
  std::string peer_url_;
  std::string etcd_data_;
  int port_;
  std::unique_ptr<interop::Program> etcd_;
  std::unique_ptr<interop::Program> apiserver_;
};

}  // namespace kubexx::disasters
