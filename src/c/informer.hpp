#pragma once

#include <memory>
#include <string>

#include "c/client.hpp"
#include "c/object.hpp"
#include "kubexx/c.h"
#include "kubexx/informer/registration.hpp"
#include "kubexx/informer/shared_informer.hpp"

struct kubexx_informer {
  std::shared_ptr<kubexx::c::LoopUse> loop;  // null: its client has threads; goes last
  std::shared_ptr<kubexx::informer::SharedIndexInformer> informer;
};

struct kubexx_registration {
  kubexx::informer::Registration registration{};
};

struct kubexx_event {
  kubexx_event_type type = 0;
  kubexx_event_cause cause = 0;
  kubexx_object object{};
  kubexx_object before{};
  std::string key{};
  bool final_state_known = true;
};

namespace kubexx::c {

/// What the options of an informer say.
informer::InformerOptions informer_options(const kubexx_options* options);

}  // namespace kubexx::c
