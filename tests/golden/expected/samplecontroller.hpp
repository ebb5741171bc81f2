// Written by kubexx-gen. Do not edit.
#pragma once

#include "samplecontroller/clientset.hpp"
#include "samplecontroller/informers.hpp"
#include "samplecontroller/v1alpha1.hpp"
