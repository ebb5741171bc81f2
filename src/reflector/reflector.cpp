#include "kubexx/reflector/reflector.hpp"

#include <memory>
#include <mutex>

#include "base/internal/insist.hpp"
#include "kubexx/base/detail/driving_condition.hpp"
#include "kubexx/base/error_sink.hpp"
#include "reflector/machine.hpp"

namespace kubexx::reflector {

Reflector::Reflector(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reflector::~Reflector() = default;

std::shared_ptr<Reflector> Reflector::create(std::shared_ptr<ListerWatcher> source, std::shared_ptr<DeltaSink> sink,
                                             Strand strand, ReflectorOptions options, const char* file, int line) {
  if (options.name.empty()) {
    const std::string_view path(file);
    options.name = std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(line);
  }
  if (options.type_description.empty()) {
    options.type_description = options.expected_kind ? options.expected_kind->to_string() : "<unspecified>";
  }
  auto impl = std::make_unique<Impl>(std::move(source), std::move(sink), std::move(strand), std::move(options));
  std::shared_ptr<Reflector> reflector(new Reflector(std::move(impl)));
  reflector->impl_->self = reflector;
  return reflector;
}

void Reflector::start() {
  impl_->strand.post([self = shared_from_this()] { self->impl_->begin(); });
}

void Reflector::stop(Task stopped) {
  impl_->strand.post(insisted_task([self = shared_from_this(), stopped = std::move(stopped)]() mutable {
    call_isolated("reflector", [&] { self->impl_->halt(); });
    // Behind the destruction of the calls that halt() let go of.
    if (stopped) self->impl_->strand.post(std::move(stopped));
  }));
}

void Reflector::run(std::stop_token token) {
  impl_->strand.post([self = shared_from_this(), token] {
    if (!token.stop_requested()) self->impl_->begin();
  });
  const kubexx::detail::Awaited awaited{impl_->strand.executor().get()};
  const auto ended = std::make_shared<kubexx::detail::Ended>();
  ended->wait(awaited, token).value();
  stop([ended] { ended->tell(); });
  ended->wait(awaited).value();
}

void Reflector::relist() {
  impl_->strand.post([self = shared_from_this()] { self->impl_->relist(); });
}

std::string Reflector::last_sync_resource_version() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->last_version;
}

ReflectorStatus Reflector::status() const {
  return impl_->read_status();
}

const std::string& Reflector::name() const noexcept {
  return impl_->options.name;
}
const std::string& Reflector::type_description() const noexcept {
  return impl_->options.type_description;
}

}  // namespace kubexx::reflector
