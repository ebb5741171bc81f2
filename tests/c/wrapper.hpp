#pragma once

#include <string>

/// A round through kubexx/c.hpp, compiled as C++17: what failed, or "". Wants a pod "talker" with the label app=cpp17
/// and "hello" in its log, which the server refuses once.
std::string kubexx_cpp17_round(const std::string& kubeconfig_text);
