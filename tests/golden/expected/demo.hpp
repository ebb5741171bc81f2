// Written by kubexx-gen. Do not edit.
#pragma once

#include "demo/clientset.hpp"
#include "demo/informers.hpp"
#include "demo/v1.hpp"
#include "demo/v1beta1.hpp"
