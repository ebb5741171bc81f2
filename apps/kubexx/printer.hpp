#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/client/discovery.hpp"
#include "kubexx/meta/object.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::app {

struct PrinterOptions {
  bool wide = false;
  bool metadata_only = false;  ///< objects have nothing but metadata
  bool namespaces = false;     ///< a NAMESPACE column
  bool kind_prefix = false;    ///< names as "pod/web"
  bool show_labels = false;
};

/// Turns objects of one resource into rows of a table with kubectl's columns: the built-in ones, those that a custom
/// resource's definition names, or name and age.
class Printer {
 public:
  using Cells = std::vector<std::string>;
  /// May ask the server for the definition of a custom resource; without an answer the columns are name and age.
  static Printer make(const rest::Client& client, const client::ApiResource& resource, const PrinterOptions& options);

  const Cells& headers() const noexcept { return headers_; }
  /// One printable cell a header.
  Cells cells(const meta::Object& object, WallTime now) const;
  const client::ApiResource& resource() const noexcept { return resource_; }

 private:
  using Row = std::function<Cells(const meta::Object&, WallTime)>;
  void add_column(const std::string& header, bool shown);

  client::ApiResource resource_;
  PrinterOptions options_;
  Cells headers_;
  std::vector<bool> shown_;  // of the cells that row_ makes
  std::size_t name_ = 0;     // which of them is the name
  Row row_;
};

}  // namespace kubexx::app
