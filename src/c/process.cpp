#include "c/boundary.hpp"
#include "kubexx/base/error_sink.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/base/metrics.hpp"

namespace kubexx::c {
namespace {

class ForeignLog final : public LogSink {
 public:
  ForeignLog(kubexx_on_log on_log, std::shared_ptr<UserData> user_data)
      : on_log_(on_log), user_data_(std::move(user_data)) {}
  void write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
    const std::string line = log_line(message, fields);
    const Callback callback;
    on_log_(static_cast<kubexx_log_level>(level), view(line), user_data_->get());
  }

 private:
  const kubexx_on_log on_log_;
  const std::shared_ptr<UserData> user_data_;
};
static_assert(static_cast<int>(LogLevel::Trace) == KUBEXX_LOG_TRACE);
static_assert(static_cast<int>(LogLevel::Warning) == KUBEXX_LOG_WARNING);
static_assert(static_cast<int>(LogLevel::Off) == KUBEXX_LOG_OFF);

}  // namespace
}  // namespace kubexx::c

kubexx_status kubexx_set_log(kubexx_log_level minimum, kubexx_on_log on_log, void* user_data, kubexx_release release,
                             kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    if (minimum < KUBEXX_LOG_TRACE || minimum > KUBEXX_LOG_OFF) kubexx::c::invalid("there is no such level");
    const auto data = std::make_shared<kubexx::c::UserData>(user_data);
    auto sink = on_log ? std::make_shared<kubexx::c::ForeignLog>(on_log, data) : nullptr;
    kubexx::set_log_sink(std::move(sink), static_cast<kubexx::LogLevel>(minimum));
    data->take(release);
  });
}

kubexx_status kubexx_set_error_callback(kubexx_on_error on_error, void* user_data, kubexx_release release,
                                        kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    const auto data = std::make_shared<kubexx::c::UserData>(user_data);
    kubexx::ErrorSink sink;
    if (on_error) {
      sink = [on_error, data](const kubexx::Error& what, std::string_view where) {
        const kubexx_error told = kubexx::c::as_c(what);
        const kubexx::c::Callback callback;
        on_error(&told, kubexx::c::view(where), data->get());
      };
    }
    kubexx::set_error_sink(std::move(sink));
    data->take(release);
  });
}

kubexx_status kubexx_metrics(char** text, size_t* size, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    kubexx::c::needed(text, "text");
    kubexx::c::hand_out(kubexx::MetricsRegistry::process()->expose(), text, size);
  });
}
