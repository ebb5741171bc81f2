find_package(yaml-cpp REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp)  # 0.7 has the name without a namespace alone, which newer ones deprecate
  add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED)
  target_link_libraries(yaml-cpp::yaml-cpp INTERFACE yaml-cpp)
endif()
target_link_libraries(${target} PRIVATE yaml-cpp::yaml-cpp)

# simdjson's first stage by itself is not part of what its versions promise: whether this one has it is tried. Without it, or when it
# is asked for, the project's own does the work, and simdjson is not needed.
set(KUBEXX_JSON_INDEX simdjson CACHE STRING "What finds the structure of JSON: simdjson, or portable (slower)")
set_property(CACHE KUBEXX_JSON_INDEX PROPERTY STRINGS simdjson portable)
set(KUBEXX_SIMDJSON OFF)
if(KUBEXX_JSON_INDEX STREQUAL "simdjson")
  find_package(simdjson REQUIRED)
  include(CheckCXXSourceCompiles)
  set(CMAKE_CXX_STANDARD 20)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  set(CMAKE_REQUIRED_LIBRARIES simdjson::simdjson)
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles("#include <simdjson.h>
    decltype(simdjson::dom::parser::implementation) stages;
    const unsigned* first(const unsigned char* text) {
      if (simdjson::get_active_implementation()->create_dom_parser_implementation(1024, 1, stages) != simdjson::SUCCESS) return nullptr;
      if (stages->stage1(text, 1, simdjson::stage1_mode::regular) != simdjson::SUCCESS) return nullptr;
      return stages->structural_indexes.get() + stages->n_structural_indexes;
    }" KUBEXX_SIMDJSON_FIRST_STAGE)
  if(KUBEXX_SIMDJSON_FIRST_STAGE)
    set(KUBEXX_SIMDJSON ON)
    target_link_libraries(${target} PRIVATE simdjson::simdjson)
  else()
    message(STATUS "simdjson ${simdjson_VERSION} has no first stage that can be called: KUBEXX_JSON_INDEX is portable")
  endif()
elseif(NOT KUBEXX_JSON_INDEX STREQUAL "portable")
  message(FATAL_ERROR "KUBEXX_JSON_INDEX is \"${KUBEXX_JSON_INDEX}\": it is simdjson or portable")
endif()
if(NOT KUBEXX_SIMDJSON)
  set_source_files_properties("${PROJECT_SOURCE_DIR}/src/meta/json/json_index.cpp" PROPERTIES
    COMPILE_DEFINITIONS KUBEXX_PORTABLE_JSON_INDEX)
endif()
set(KUBEXX_SIMDJSON ${KUBEXX_SIMDJSON} PARENT_SCOPE)
