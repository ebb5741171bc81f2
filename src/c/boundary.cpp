#include "c/boundary.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

#include "kubexx/base/error_sink.hpp"

namespace kubexx::c {
namespace {

kubexx_status status_of_api(const Error& error) noexcept {
  if (error.is_not_found()) return KUBEXX_NOT_FOUND;
  if (error.is_already_exists()) return KUBEXX_ALREADY_EXISTS;
  if (error.is_conflict()) return KUBEXX_CONFLICT;
  if (error.is_unauthorized()) return KUBEXX_UNAUTHORIZED;
  if (error.is_forbidden()) return KUBEXX_FORBIDDEN;
  return KUBEXX_API;
}

kubexx_status put(kubexx_error** to, kubexx_status status, const Error& error) noexcept {
  if (to) *to = new (std::nothrow) kubexx_error{error, status};
  return status;
}

}  // namespace

kubexx_status status_of(const Error& error) noexcept {
  switch (error.kind()) {
    case ErrorKind::Transport:
      return KUBEXX_TRANSPORT;
    case ErrorKind::Timeout:
      return KUBEXX_TIMEOUT;
    case ErrorKind::Canceled:
      return KUBEXX_CANCELED;
    case ErrorKind::Decode:
      return KUBEXX_DECODE;
    case ErrorKind::Api:
      return status_of_api(error);
    case ErrorKind::Config:
      return KUBEXX_CONFIG;
  }
  return KUBEXX_INTERNAL;
}

void refuse(kubexx_status status, std::string message) {
  throw Refused{status, Error::config(std::move(message))};
}

std::string needed_text(const char* text, const char* parameter) {
  needed(text, parameter);
  if (*text == '\0') invalid(std::string(parameter) + " is empty");
  return text;
}

std::string needed_body(const char* body, std::size_t size) {
  if (!body || size == 0) invalid("the body is empty");
  return {body, size};
}

void hand_out(const std::string& text, char** out, std::size_t* size) {
  if (out) {
    auto* const copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (!copy) throw std::bad_alloc();
    std::memcpy(copy, text.c_str(), text.size() + 1);
    *out = copy;
  }
  if (size) *size = text.size();
}

kubexx_status caught(kubexx_error** error) noexcept {
  try {
    throw;
  } catch (const Refused& refused) {
    return put(error, refused.status, refused.error);
  } catch (const Exception& failed) {
    return put(error, status_of(failed.error()), failed.error());
  } catch (const std::bad_alloc&) {
    return KUBEXX_NO_MEMORY;  // nor for an error
  } catch (const std::logic_error&) {
    return put(error, KUBEXX_MISUSE, current_exception_as_error());
  } catch (...) {
    return put(error, KUBEXX_INTERNAL, current_exception_as_error());
  }
}

void reported(const char* where) noexcept {
  try {
    throw;
  } catch (const Refused& refused) {
    report_error(refused.error, where);
  } catch (...) {
    report_error(current_exception_as_error(), where);
  }
}

}  // namespace kubexx::c
