#include <cstdlib>

#include "c/boundary.hpp"
#include "kubexx/base/version.hpp"

int kubexx_c_version(void) {
  return KUBEXX_C_VERSION;
}

const char* kubexx_version_text(void) {
  return KUBEXX_VERSION;
}

const char* kubexx_status_text(kubexx_status status) {
  switch (status) {
    case KUBEXX_OK:
      return "success";
    case KUBEXX_INVALID_ARGUMENT:
      return "an argument cannot be right";
    case KUBEXX_MISUSE:
      return "called at the wrong time";
    case KUBEXX_NOT_FOUND:
      return "not found";
    case KUBEXX_ALREADY_EXISTS:
      return "exists already";
    case KUBEXX_CONFLICT:
      return "somebody else changed it";
    case KUBEXX_UNAUTHORIZED:
      return "the server does not know the caller";
    case KUBEXX_FORBIDDEN:
      return "the server forbids it";
    case KUBEXX_API:
      return "the server refused";
    case KUBEXX_TRANSPORT:
      return "the connection failed";
    case KUBEXX_TIMEOUT:
      return "out of time";
    case KUBEXX_CANCELED:
      return "canceled";
    case KUBEXX_DECODE:
      return "the bytes are not what they claim to be";
    case KUBEXX_CONFIG:
      return "the configuration is not usable";
    case KUBEXX_WRONG_TYPE:
      return "the field has another type";
    case KUBEXX_NO_MEMORY:
      return "out of memory";
    case KUBEXX_INTERNAL:
      return "internal error";
    default:
      return "unknown status";
  }
}

kubexx_status kubexx_error_status(const kubexx_error* error) {
  return error ? error->status : KUBEXX_OK;
}

const char* kubexx_error_message(const kubexx_error* error) {
  return error ? error->error.message().c_str() : "";
}

int kubexx_error_http_code(const kubexx_error* error) {
  return error ? error->error.code() : 0;
}

const char* kubexx_error_reason(const kubexx_error* error) {
  return error ? error->error.reason().c_str() : "";
}

int64_t kubexx_error_retry_after_ms(const kubexx_error* error) {
  if (!error) return -1;
  const auto delay = error->error.retry_after();
  return delay ? delay->count() : -1;
}

int kubexx_error_is_retriable(const kubexx_error* error) {
  return error && error->error.is_retriable() ? 1 : 0;
}

void kubexx_error_free(kubexx_error* error) {
  delete error;
}

void kubexx_text_free(char* text) {
  std::free(text);
}
