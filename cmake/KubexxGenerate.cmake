# kubexx_generate(TARGET app CRD foo.yaml bar.yaml): types, clients and informers of custom resources for a target.
# For the group "demo.example.com" and version "v1" the target may then include <demo/v1.hpp> (or <demo.hpp>).
function(kubexx_generate)
  cmake_parse_arguments(arg "" "TARGET" "CRD" ${ARGN})
  if(NOT arg_TARGET OR NOT arg_CRD)
    message(FATAL_ERROR "kubexx_generate: TARGET and CRD are needed")
  endif()
  set(files "")
  foreach(file IN LISTS arg_CRD)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND files "${file}")
  endforeach()
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET}_kubexx")
  add_custom_command(OUTPUT "${out}/stamp"
    COMMAND kubexx::kubexx-gen --crd ${files} --out "${out}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${out}/stamp"
    DEPENDS kubexx::kubexx-gen ${files} COMMENT "Writing the custom resources of ${arg_TARGET}" VERBATIM)
  add_custom_target(${arg_TARGET}_kubexx DEPENDS "${out}/stamp")
  add_dependencies(${arg_TARGET} ${arg_TARGET}_kubexx)
  target_include_directories(${arg_TARGET} PRIVATE "${out}")
endfunction()
