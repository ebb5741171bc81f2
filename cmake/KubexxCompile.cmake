# What shortens a build; neither changes what is built.
#   KUBEXX_PCH     the standard headers are compiled once
#   KUBEXX_UNITY   "tests" or "all": several sources to one compilation; for presets in which nobody edits
# Where the library is compiled without the second (dev, clang), each file must include what it uses of ours.
option(KUBEXX_PCH "Precompiled standard headers" OFF)
set(KUBEXX_UNITY "" CACHE STRING "Sources that are compiled several at a time: tests, all, or nothing")
set_property(CACHE KUBEXX_UNITY PROPERTY STRINGS "" tests all)

set(standard_headers algorithm array atomic charconv chrono condition_variable cstddef cstdint cstring deque exception functional
  iterator limits list map memory mutex optional ostream set span sstream stop_token string string_view thread tuple type_traits
  unordered_map utility variant vector)
list(TRANSFORM standard_headers REPLACE "(.+)" "<\\1>")

# The headers of the name's precompiled set; `links` say with which flags.
function(kubexx_precompile name)
  cmake_parse_arguments(arg "" "" "HEADERS;LINKS;OPTIONS" ${ARGN})
  if(KUBEXX_PCH)
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${name}.cpp" CONTENT "")
    add_library(${name} OBJECT "${PROJECT_BINARY_DIR}/${name}.cpp")
    target_link_libraries(${name} PRIVATE ${arg_LINKS})
    target_compile_options(${name} PRIVATE ${arg_OPTIONS})
    target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
    target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
      "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")  # for ccache
  endif()
endfunction()

# kubexx_compile_faster(TARGET library|program|tests PRECOMPILED): sources of a program each have their own `Flags`.
function(kubexx_compile_faster target kind precompiled)
  if(NOT kind STREQUAL "program" AND (KUBEXX_UNITY STREQUAL "all" OR KUBEXX_UNITY STREQUAL kind))
    set(most 8)  # in larger ones g++ 12 warns, when it optimizes, of what is not so
    if(KUBEXX_PCH)
      set(most 16)
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${most})
    # A class of a source file with members of an unnamed namespace is no fault there; in a unit it looks like a header's.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    # CMake's units name their sources by whole paths; without them in __FILE__, a compiler cache serves every clone.
    target_compile_options(${target} PRIVATE "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")
  endif()
  if(TARGET "${precompiled}")
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  endif()
endfunction()
