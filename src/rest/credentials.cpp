#include "rest/credentials.hpp"

#include "base/internal/base64.hpp"
#include "base/internal/file.hpp"
#include "base/internal/wipe.hpp"
#include "kubexx/base/log.hpp"
#include "rest/token_expiry.hpp"

namespace kubexx::rest {
namespace {

constexpr Duration kTokenFileLife = std::chrono::seconds(50);  // a minute less some leeway, as client-go

std::string strip(std::string text) {
  const auto space = " \t\r\n";
  text.erase(text.find_last_not_of(space) + 1);
  text.erase(0, text.find_first_not_of(space));
  return text;
}

// Read again and again while requests wait: a pipe that has nothing to say is not waited for.
constexpr FileLimits kTokenFile{.bytes = 1 << 20, .patience = {}};

/// Impersonation extras are keys of the user's; what is no token character is percent-encoded.
std::string header_key(std::string_view key) {
  return percent_encode(key, "!#$&'*+-.^_`|~");
}

}  // namespace

Credentials::Credentials(const Config& config, const ServerUrl& server, const Clock& clock,
                         std::shared_ptr<Executor> blocking, std::shared_ptr<ExecSource> exec)
    : config_(config),
      allowed_(server.scheme == "https" || !config.unix_socket.empty() ||
               (config.allow_insecure_credentials && server.loopback)),
      clock_(clock),
      blocking_(std::move(blocking)),
      exec_(std::move(exec)) {
  const bool any =
      !config.bearer_token.empty() || !config.bearer_token_file.empty() || !config.username.empty() || exec_;
  if (any && !allowed_) {
    log(LogLevel::Warning, "credentials are not sent to a server without TLS", {{"server", server.text()}});
  }
}

Result<std::string> Credentials::token() {
  if (!config_.bearer_token.empty() && config_.bearer_token_file.empty()) return config_.bearer_token;
  if (config_.bearer_token_file.empty()) return std::string();
  const std::lock_guard lock(mutex_);
  const auto now = clock_.now();
  if (!file_token_.empty() && !file_stale_ && now - file_read_ < kTokenFileLife) return file_token_;
  auto file = read_file(config_.bearer_token_file, kTokenFile);
  auto fresh = file ? strip(std::move(*file)) : std::string();
  file_fault_ = !file ? file.error().message() : fresh.empty() ? "it is empty" : "";
  if (fresh.empty()) {
    if (!file_token_.empty()) return file_token_;
    if (!config_.bearer_token.empty()) return config_.bearer_token;
    const Error empty = Error::config(config_.bearer_token_file + ": it is empty");
    return (file ? empty : file.error()).with_context("bearer token file");
  }
  file_stale_ = false;
  wipe(file_token_);
  file_token_.swap(fresh);
  file_read_ = now;
  return file_token_;
}

Result<transport::Headers> Credentials::static_headers(bool authorized) {
  transport::Headers headers;
  const auto& as = config_.impersonate;
  if (!as.user.empty()) headers.add("Impersonate-User", as.user);
  if (!as.uid.empty()) headers.add("Impersonate-Uid", as.uid);
  for (const auto& group : as.groups) headers.add("Impersonate-Group", group);
  for (const auto& [key, values] : as.extra) {
    for (const auto& value : values) headers.add("Impersonate-Extra-" + header_key(key), value);
  }
  if (!allowed_ || authorized) return headers;
  if (!config_.username.empty()) {
    auto pair = config_.username + ":";
    append_secret(pair, config_.password);
    const WipedInTheEnd pair_wiped(pair);
    auto encoded = base64_encode(pair);
    const WipedInTheEnd encoded_wiped(encoded);
    headers.add("Authorization", "Basic " + encoded);
    return headers;
  }
  auto value = token();
  if (!value) return value.error();
  const WipedInTheEnd wiped(*value);
  if (!value->empty()) headers.add("Authorization", "Bearer " + *value);
  return headers;
}

Credentials::~Credentials() {
  if (exec_) exec_->stop();
  wipe(file_token_);
}

void Credentials::prepare(const Strand& strand, bool authorized,
                          UniqueFunction<void(Result<transport::Headers>)> done) {
  auto headers = static_headers(authorized);
  if (headers && headers->find("Authorization")) authorized = true;
  if (!headers || authorized || !exec_ || !allowed_) return done(std::move(headers));
  const auto join = [](transport::Headers base, Result<transport::Headers> more) -> Result<transport::Headers> {
    if (!more) return more.error();
    for (const auto& [name, value] : more->fields()) base.add(name, value);
    return base;
  };
  if (exec_->fresh()) return done(join(std::move(*headers), exec_->headers()));
  blocking_->post([strand, exec = exec_, base = std::move(*headers), join, done = std::move(done)]() mutable {
    auto all = join(std::move(base), exec->headers());
    strand.post([all = std::move(all), done = std::move(done)]() mutable { done(std::move(all)); });
  });
}

void Credentials::rejected(TimePoint sent) {
  if (exec_) exec_->invalidate(sent);
  const std::lock_guard lock(mutex_);
  if (file_read_ <= sent) file_stale_ = true;
}

Error Credentials::explain(const Error& refusal) {
  if (config_.bearer_token_file.empty() || !config_.username.empty() || !allowed_) return refusal;
  const std::lock_guard lock(mutex_);
  auto text = "the token of " + config_.bearer_token_file + " was refused";
  const auto expiry = expiry_of_token(file_token_.empty() ? config_.bearer_token : file_token_);
  if (expiry && *expiry <= meta::Time::from_wall(clock_.wall())) text += ", it expired at " + expiry->to_string();
  if (!file_fault_.empty()) text += ", and no other is there (" + file_fault_ + ")";
  return refusal.with_context(text);
}

}  // namespace kubexx::rest
