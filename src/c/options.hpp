#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubexx/base/clock.hpp"
#include "kubexx/c.h"

struct kubexx_options {
  struct Entry {
    kubexx_option option = 0;
    std::string text{};
    std::int64_t number = 0;
  };
  std::vector<Entry> entries{};
  std::optional<std::stop_token> stop{};

  kubexx_options() = default;
  ~kubexx_options();  // wipes: a token may be among them
  kubexx_options(const kubexx_options&) = delete;
  kubexx_options& operator=(const kubexx_options&) = delete;
};

namespace kubexx::c {

/// The options of one call as their function reads them. What it does not take is refused when this is made.
class Given {
 public:
  enum class Stopper : bool { Refused, Taken };
  Given(const kubexx_options* options, std::initializer_list<kubexx_option> taken, Stopper stopper = Stopper::Refused);

  bool has(kubexx_option option) const noexcept { return find(option) != nullptr; }
  std::string text(kubexx_option option) const;  ///< empty: not given; several are refused
  std::vector<std::string> texts(kubexx_option option) const;
  /// Each "key=value".
  std::vector<std::pair<std::string, std::string>> pairs(kubexx_option option) const;
  std::optional<std::int64_t> number(kubexx_option option) const noexcept;
  bool flag(kubexx_option option) const noexcept { return number(option).value_or(0) != 0; }
  std::optional<Duration> milliseconds(kubexx_option option) const noexcept;
  std::stop_token stop() const { return options_ && options_->stop ? *options_->stop : std::stop_token(); }

 private:
  const kubexx_options::Entry* find(kubexx_option option) const noexcept;
  const kubexx_options* options_;
};

/// "LABEL_SELECTOR"; with its number where it is unknown.
std::string option_name(kubexx_option option);

}  // namespace kubexx::c
