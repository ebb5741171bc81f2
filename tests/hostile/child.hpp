#pragma once

#include <string>
#include <vector>

#include "kubexx/base/clock.hpp"

namespace kubexx::hostile {

/// A program with bounds on what it may take from the machine, and what it wrote.
///
/// Stop: the destructor kills it.
class Child {
 public:
  explicit Child(const std::vector<std::string>& words);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  std::string out() const { return text_of(out_); }
  std::string err() const { return text_of(err_); }
  /// Whether it ends by itself in this time.
  bool ends_within(Duration time);
  /// Whether it ended, or standard output or error has this text; waits for either.
  bool says(const std::string& text, Duration time);
  void terminate();  ///< SIGTERM

  // Once it ended.
  int code() const { return code_; }                           ///< minus the signal that ended it
  std::size_t peak_megabytes() const { return peak_ / 1024; }  ///< of resident memory

 private:
  static std::string text_of(int file);
  bool wait(Duration time);

  int out_;
  int err_;
  int process_ = -1;  // a descriptor that can be waited for
  int pid_;
  bool ended_ = false;
  int code_ = 0;
  std::size_t peak_ = 0;
};

/// Whether `text` has one of the alternatives that stand between '|'.
bool has_any(const std::string& text, const std::string& alternatives);

}  // namespace kubexx::hostile
