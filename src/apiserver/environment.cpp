#include "apiserver/environment.hpp"

#include <stdexcept>
#include <string_view>

#include "base/internal/random_token.hpp"
#include "kubexx/meta/time.hpp"

namespace kubexx::apiserver {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

std::string random_text(Random& random, std::string_view letters, std::size_t size) {
  std::string out;
  for (std::size_t i = 0; i < size; ++i) out += letters[random.below(letters.size())];
  return out;
}

std::uint64_t seed_of(const Options& options) {
  return options.seed ? options.seed : Random::process().next();
}

std::string admin_token(const Options& options) {
  if (!options.admin_token.empty()) return options.admin_token;
  if (options.seed == 0) return random_token();
  Random random(options.seed);
  return random_text(random, kHex, 32);
}

std::shared_ptr<Executor> required(const Options& options) {
  if (!options.executor) throw std::logic_error("apiserver::Core needs an executor in its options");
  return options.executor;
}

}  // namespace

Environment::Environment(Options given)
    : options(std::move(given)),
      executor(required(options)),
      clock(executor->clock()),
      authority(options, admin_token(options)),
      random(seed_of(options)),
      log(options.request_log_entries) {}

std::string Environment::make_uid() {
  std::string out = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";
  for (char& c : out) {
    if (c == 'x') c = kHex[random.below(16)];
    if (c == 'y') c = kHex[8 + random.below(4)];
  }
  return out;
}

std::string Environment::random_suffix() {
  return random_text(random, "bcdfghjklmnpqrstvwxz2456789", 5);
}

std::string Environment::now_text() const {
  return meta::Time::from_wall(clock.wall()).to_string();
}

}  // namespace kubexx::apiserver
