// Written by kubexx-gen. Do not edit.
#pragma once

#include "platform/clientset.hpp"
#include "platform/informers.hpp"
#include "platform/v1.hpp"
