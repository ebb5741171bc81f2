#include "apiserver/schema/patterns.hpp"

#include <re2/re2.h>

#include <algorithm>

namespace kubexx::apiserver {
namespace {

constexpr std::size_t kMostKept = 32;  // each may have some megabytes
constexpr int kStepsAtOnce = 64;

re2::RE2::Options options() {
  re2::RE2::Options out;
  out.set_log_errors(false);
  return out;
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

Patterns::Patterns() = default;
Patterns::~Patterns() = default;

std::string Patterns::complaint(std::string_view pattern) {
  const re2::RE2 compiled(piece(pattern), options());
  return compiled.ok() ? std::string() : compiled.error();
}

const re2::RE2& Patterns::compiled(std::string_view pattern) {
  if (const auto it = known_.find(pattern); it != known_.end()) return *it->second;
  if (known_.size() >= kMostKept) known_.clear();
  return *known_.emplace(pattern, std::make_unique<re2::RE2>(piece(pattern), options())).first->second;
}

bool Patterns::matches(std::string_view pattern, std::string_view text) {
  const re2::RE2& expression = compiled(pattern);
  return expression.ok() && re2::RE2::PartialMatch(piece(text), expression);
}

std::size_t Patterns::weight(std::string_view pattern) {
  return 1 + static_cast<std::size_t>(std::max(0, compiled(pattern).ProgramSize())) / kStepsAtOnce;
}

}  // namespace kubexx::apiserver
