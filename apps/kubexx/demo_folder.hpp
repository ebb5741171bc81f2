#pragma once

#include <memory>
#include <string>

#include "kubexx/base/result.hpp"

namespace kubexx::app {

/// A folder for the demo's kubeconfig, which makes its reader admin of the demo: nobody else can look into it. The
/// destructor removes it, and create() removes what demos that were killed left.
class DemoFolder {
 public:
  static Result<std::unique_ptr<DemoFolder>> create();
  ~DemoFolder();
  DemoFolder(const DemoFolder&) = delete;
  DemoFolder& operator=(const DemoFolder&) = delete;
  const std::string& path() const noexcept { return path_; }

 private:
  DemoFolder(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::string path_;
  int fd_;  // locked while the demo lives
};

}  // namespace kubexx::app
