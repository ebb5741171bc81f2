#pragma once

#include <memory>
#include <string>

#include "kubexx/informer/shared_informer.hpp"
#include "kubexx/rest/client.hpp"

namespace kubexx::agent {

/// Of the pods of one node, cut to what read_pod() reads.
std::shared_ptr<informer::SharedIndexInformer> make_pod_informer(const rest::Client& client, const std::string& node);

}  // namespace kubexx::agent
