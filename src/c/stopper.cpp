#include "c/stopper.hpp"

#include "c/boundary.hpp"

kubexx_status kubexx_stopper_new(kubexx_stopper** stopper, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    kubexx::c::needed(stopper, "stopper");
    *stopper = new kubexx_stopper;
  });
}

void kubexx_stopper_stop(kubexx_stopper* stopper) {
  kubexx::c::ending("kubexx_stopper_stop", [&] {
    if (!stopper) return;
    auto source = stopper->source;  // what it stops may free the handle
    source.request_stop();
  });
}

void kubexx_stopper_free(kubexx_stopper* stopper) {
  delete stopper;
}
