#pragma once

#include <string>

/// A round through kubexx/c.hpp, compiled as C++17: what failed, or "".
std::string kubexx_cpp17_round(const std::string& kubeconfig_text);
