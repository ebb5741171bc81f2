# kubexx_generate(TARGET name CRD foo.yaml bar.yaml [NAMESPACE acme::demo])
#
# Types, clients and informers of custom resources. For the group "demo.example.com" and version "v1" there are then
# <demo/v1.hpp> and <demo.hpp> (all versions) in the C++ namespace demo; NAMESPACE chooses another one, and the folder with
# it (<acme/demo/v1.hpp>), for the custom resources of one group.
#
# TARGET is a library or program: it sees the headers, and so does who links it. Or a new name: a library of the headers
# alone, which everything that includes them links, a program and its tests. May be called again for the same target with
# another NAMESPACE.
function(kubexx_generate)
  cmake_parse_arguments(arg "" "TARGET;NAMESPACE" "CRD" ${ARGN})
  if(NOT arg_TARGET OR NOT arg_CRD)
    message(FATAL_ERROR "kubexx_generate: TARGET and CRD are needed")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kubexx_generate: unexpected ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(files "")
  foreach(file IN LISTS arg_CRD)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND files "${file}")
  endforeach()
  set(name ${arg_TARGET}_kubexx)
  set(space "")
  if(arg_NAMESPACE)
    string(MAKE_C_IDENTIFIER "${arg_NAMESPACE}" suffix)
    string(APPEND name "_${suffix}")
    set(space --namespace "${arg_NAMESPACE}")
  endif()
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${name}")

  # Ninja must know which headers the generator writes: for files that nothing makes it looks once, when the build begins,
  # and would compile nothing again when they change later. The generator keeps their list; it is empty at first, when
  # everything is compiled anyway.
  set(record "${out}.files")
  if(NOT EXISTS "${record}")
    file(WRITE "${record}" "")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${record}")
  file(STRINGS "${record}" headers)
  list(TRANSFORM headers PREPEND "${out}/")
  add_custom_command(OUTPUT "${out}.stamp" BYPRODUCTS ${headers}
    COMMAND kubexx::kubexx-gen --crd ${files} ${space} --out "${out}" --record "${record}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${out}.stamp"
    DEPENDS kubexx::kubexx-gen ${files} COMMENT "Writing the custom resources of ${arg_TARGET}" VERBATIM)
  add_custom_target(${name} DEPENDS "${out}.stamp")

  if(NOT TARGET ${arg_TARGET})
    add_library(${arg_TARGET} INTERFACE)
    target_link_libraries(${arg_TARGET} INTERFACE kubexx::kubexx)
  endif()
  get_target_property(type ${arg_TARGET} TYPE)
  set(scope PUBLIC)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(scope INTERFACE)
  endif()
  target_include_directories(${arg_TARGET} ${scope} "$<BUILD_INTERFACE:${out}>")
  add_dependencies(${arg_TARGET} ${name})
endfunction()
