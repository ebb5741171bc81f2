#include "kubexx/base/error_sink.hpp"

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>

#include "kubexx/base/log.hpp"

namespace kubexx {

namespace {

struct GlobalErrors {
  std::atomic<CrashPolicy> policy{CrashPolicy::Report};
  std::mutex mutex;
  std::shared_ptr<const ErrorSink> sink;  // guarded by mutex; null means the default
};

// Never destroyed: threads may report while static objects go. No memory is asked for: that may be what is reported.
GlobalErrors& global_errors() noexcept {
  alignas(GlobalErrors) static std::byte memory[sizeof(GlobalErrors)];
  static GlobalErrors& instance = *::new (memory) GlobalErrors;
  return instance;
}

const Error& out_of_memory() {
  static const Error& error = *new Error(Error::config("out of memory"));
  return error;
}
[[maybe_unused]] const Error& made_early = out_of_memory();  // while there is memory for it

Error exception_as_error() {
  try {
    throw;
  } catch (const Exception& e) {
    return e.error();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::system_error& e) {
    return Error::config(e.what());
  } catch (const std::exception& e) {
    return Error::config(std::string("exception: ") + e.what());
  } catch (...) {
    return Error::config("exception of an unknown type");
  }
}

}  // namespace

void set_error_sink(ErrorSink sink) {
  auto next = sink ? std::make_shared<const ErrorSink>(std::move(sink)) : nullptr;
  std::lock_guard lock(global_errors().mutex);
  global_errors().sink.swap(next);
  // `next` was declared before the lock, so the old sink is destroyed after the lock is gone.
}

void report_error(const Error& error, std::string_view where) noexcept {
  try {
    std::shared_ptr<const ErrorSink> sink;
    {
      std::lock_guard lock(global_errors().mutex);
      sink = global_errors().sink;
    }
    if (sink) {
      (*sink)(error, where);
    } else {
      log(error.is_canceled() ? LogLevel::Debug : LogLevel::Error, error.message(), {{"where", where}});
    }
  } catch (...) {
    // A sink that throws has no sink of its own.
  }
}

void set_crash_policy(CrashPolicy policy) noexcept {
  global_errors().policy.store(policy);
}

Error current_exception_as_error() noexcept {
  try {
    if (!std::current_exception()) return Error::config("no exception");
    return exception_as_error();
  } catch (...) {  // there is no memory for its words
    return out_of_memory();
  }
}

void detail::callback_threw(std::string_view where) noexcept {
  report_error(current_exception_as_error(), where);
  if (global_errors().policy.load() == CrashPolicy::Terminate) std::terminate();
}

}  // namespace kubexx
