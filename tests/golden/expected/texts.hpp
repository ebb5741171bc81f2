// Written by kubexx-gen. Do not edit.
#pragma once

#include "texts/clientset.hpp"
#include "texts/informers.hpp"
#include "texts/v1.hpp"
