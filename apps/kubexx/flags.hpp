#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/rest/client.hpp"
#include "kubexx/rest/config.hpp"

namespace kubexx::app {

class Command;

/// The flags with which every command finds its cluster, named as kubectl names them.
struct Connection {
  rest::LoadOptions options;
  std::string request_timeout;
  bool insecure = false;
  bool quiet = false;  ///< what is odd about the kubeconfig is not told
  /// `cluster_name` false leaves out --cluster, for a command that means something else by it.
  void add_to(Command command, bool cluster_name = true);
  Result<rest::Config> load() const;
  Result<rest::Client> connect() const;
};

/// How every blocking call of a command ends early: by a signal.
rest::CallOptions until_signal();

/// Which objects: namespace and selectors.
struct Selection {
  bool all_namespaces = false;
  std::string label_selector;
  std::string field_selector;
  void add_to(Command command, Connection& connection);
  /// The namespace to ask for; empty: all.
  std::string namespace_of(const rest::Client& client) const;
  /// Selectors that cannot be right are found before anybody is asked.
  Result<void> check() const;
};

enum class Format { Table, Wide, Json, Yaml, JsonLines, Name };
void add_output(Command command, std::string& output, const std::vector<std::string>& formats);
Format to_format(std::string_view output);

/// "20s", "1m30s", "500ms", "2h"; a bare number is seconds.
Result<Duration> parse_duration(std::string_view text);
/// What is wrong with such a text; empty: nothing.
std::string wrong_duration(const std::string& text);

}  // namespace kubexx::app
