# Which parts there are. The project built alone has them all; in another project's build it is the library, unless that asks for more.
#   KUBEXX_INSPECT   layers httpd, inspect, manager: the inspector, /metrics, health, the manager       needs Boost (headers)
#   KUBEXX_TESTING   layers columns, apiserver, testkit: kubexx::testing, the embedded API server       needs Boost and RE2
#   KUBEXX_PROGRAM   the command line `kubexx`; with both of these                                      needs CLI11
#   KUBEXX_C         kubexx::c, the interface for C
#   KUBEXX_TYPED     headers of the built-in types: "all", groups such as "core;apps;batch", or "none"
# Without any of them the library needs libcurl, OpenSSL, nghttp2, simdjson, zlib and yaml-cpp, and looks for nothing else.
option(KUBEXX_INSPECT "The inspector, health and the manager" ${PROJECT_IS_TOP_LEVEL})
option(KUBEXX_TESTING "The embedded API server and helpers for tests" ${PROJECT_IS_TOP_LEVEL})
option(KUBEXX_PROGRAM "The program kubexx" ${PROJECT_IS_TOP_LEVEL})
option(KUBEXX_C "The library for C" ${PROJECT_IS_TOP_LEVEL})
set(KUBEXX_TYPED all CACHE STRING "Built-in types that have headers: all, none, or a list of groups")

# kubexx_part_needs(PART OTHERS...): what cannot be is said before anything is looked for.
function(kubexx_part_needs part)
  if(NOT KUBEXX_${part})
    return()
  endif()
  foreach(other IN LISTS ARGN)
    if(NOT KUBEXX_${other})
      message(FATAL_ERROR "KUBEXX_${part} needs KUBEXX_${other}: turn that on, or KUBEXX_${part} off")
    endif()
  endforeach()
  if(NOT KUBEXX_TYPED STREQUAL "all")
    message(FATAL_ERROR "KUBEXX_${part} needs KUBEXX_TYPED=all, and it is \"${KUBEXX_TYPED}\"")
  endif()
endfunction()
kubexx_part_needs(PROGRAM INSPECT TESTING)
kubexx_part_needs(TESTS INSPECT TESTING PROGRAM C)
kubexx_part_needs(BENCHMARKS INSPECT TESTING)
kubexx_part_needs(FUZZERS INSPECT TESTING)
if(KUBEXX_TYPED STREQUAL "")
  message(FATAL_ERROR "KUBEXX_TYPED is empty: it is \"all\", \"none\", or a list of groups such as \"core;apps\"")
endif()

# The layers of the libraries beside the runtime, and those that are not built. Both testing and inspecting serve HTTP; what serves
# it stands in libkubexx, or without an inspector in libkubexx_testing.
set(testing_layers columns apiserver testkit)
set(inspect_layers httpd inspect manager)
set(kubexx_left_out "")
if(NOT KUBEXX_INSPECT)
  list(APPEND kubexx_left_out inspect manager)
  if(KUBEXX_TESTING)
    list(PREPEND testing_layers httpd)
  else()
    list(APPEND kubexx_left_out httpd)
  endif()
endif()
if(NOT KUBEXX_TESTING)
  list(APPEND kubexx_left_out ${testing_layers})
endif()
if(NOT KUBEXX_C)
  list(APPEND kubexx_left_out c)
endif()
