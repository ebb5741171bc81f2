# The libraries a user links, and how they are found again: find_package(kubexx), or pkg-config.
#   kubexx::kubexx   every runtime layer      kubexx::testing   the embedded API server and the test doubles
#   kubexx           the same for pkg-config  kubexx-testing
#   kubexx::c        the runtime behind <kubexx/c.h>, without a C++ library of ours; kubexx-c for pkg-config

option(KUBEXX_ARCHIVES_TOO "Beside shared libraries, install the same as archives, for pkg-config --static" OFF)

# What a linker calls the libraries that layers link.
set(linker_names CURL::libcurl -lcurl OpenSSL::SSL -lssl OpenSSL::Crypto -lcrypto PkgConfig::KUBEXX_NGHTTP2 -lnghttp2
  simdjson::simdjson -lsimdjson yaml-cpp::yaml-cpp -lyaml-cpp ZLIB::ZLIB -lz PkgConfig::KUBEXX_RE2 -lre2)

# The module of a library: its headers need no other library, so a program links those of kubexx alone, unless kubexx is an
# archive. These are named one by one: by "Requires", pkg-config --static would add what they need as archives themselves.
function(kubexx_pkg_config name description output outside requires cflags)
  set(private "")
  list(JOIN KUBEXX_TYPED "," typed)
  foreach(target IN LISTS outside)
    list(FIND linker_names "${target}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "KubexxInstall.cmake: linker_names does not know ${target}")
    endif()
    math(EXPR at "${at} + 1")
    list(GET linker_names ${at} flag)
    string(APPEND private " ${flag}")
  endforeach()
  set(public "")
  if(NOT cflags)
    string(APPEND private " -lstdc++ -lm")  # the program's linker may be that of C
  endif()
  if(NOT BUILD_SHARED_LIBS)
    set(public "${private}")
    set(private "")
  endif()
  # From the file itself: `cmake --install --prefix` and who moves the tree change the prefix afterwards. Packages do neither.
  set(prefix "${CMAKE_INSTALL_PREFIX}")
  if(NOT prefix STREQUAL "/usr" AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig"
      OUTPUT_VARIABLE up)
    set(prefix "\${pcfiledir}/${up}")
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/kubexx.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()

# One object of several that shows the functions of <kubexx/c.h> and hides what it is made of: an archive of it meets neither the
# program's own C++ nor a libkubexx of another version. `hiding` names it afterwards. Sanitizers want to see everything.
function(kubexx_hide_all_but_c name objects)
  set(hiding "${objects}" PARENT_SCOPE)
  # Those of binutils, whichever compiler it is: others lack what is asked of them.
  find_program(KUBEXX_LD ld.bfd)
  find_program(KUBEXX_OBJCOPY objcopy)
  find_program(KUBEXX_NM nm)
  mark_as_advanced(KUBEXX_LD KUBEXX_OBJCOPY KUBEXX_NM)
  if(KUBEXX_SANITIZE OR NOT KUBEXX_LD OR NOT KUBEXX_OBJCOPY OR NOT KUBEXX_NM)
    return()
  endif()
  set(one "${PROJECT_BINARY_DIR}/${name}.o")
  set(map "${PROJECT_SOURCE_DIR}/cmake/exports/libkubexx_c.map")
  set(script "${PROJECT_SOURCE_DIR}/cmake/one-object.sh")
  add_custom_command(OUTPUT "${one}"
    COMMAND "${script}" "${KUBEXX_LD}" "${KUBEXX_OBJCOPY}" "${KUBEXX_NM}" "${map}" "${one}" ${objects}
    DEPENDS "${script}" "${map}" ${objects} COMMENT "Hiding what ${name} is made of" COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties("${one}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(hiding "${one}" PARENT_SCOPE)
endfunction()

# kubexx_gather(TARGET TYPE OUTPUT name LAYERS a b [LINK library] [C]): one library from the objects of the layers; links what
# those link outside the project, which `outside` names afterwards. C: it shows the functions of <kubexx/c.h> and nothing else,
# stays compatible within a major version, and asks no C++ of those who link it.
function(kubexx_gather target type)
  cmake_parse_arguments(arg "C" "OUTPUT" "LAYERS;LINK" ${ARGN})
  set(objects "")
  set(outside "")
  foreach(layer IN LISTS arg_LAYERS)
    get_target_property(kind kubexx_${layer} TYPE)
    if(kind STREQUAL "OBJECT_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:kubexx_${layer}>)
      get_target_property(links kubexx_${layer} LINK_LIBRARIES)
      foreach(link IN LISTS links)
        if(NOT link MATCHES "^(kubexx_|Boost::headers)")  # headers of Boost stay inside
          list(APPEND outside ${link})
        endif()
      endforeach()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES outside)
  if(arg_C AND type STREQUAL "STATIC")
    kubexx_hide_all_but_c(${target} "${objects}")
    set(objects "${hiding}")
  endif()
  add_library(${target} ${type} ${objects})
  set(compatible ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(map "${PROJECT_SOURCE_DIR}/cmake/exports/namespace.map")
  if(arg_C)
    set(compatible ${PROJECT_VERSION_MAJOR})
    set(map "${PROJECT_SOURCE_DIR}/cmake/exports/libkubexx_c.map")
    if(type STREQUAL "STATIC")
      target_link_libraries(${target} INTERFACE stdc++ m)  # the program's linker may be that of C
    endif()
  else()
    target_compile_features(${target} PUBLIC cxx_std_20)
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_OUTPUT} LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
    SOVERSION ${compatible})
  target_link_libraries(${target} PUBLIC Threads::Threads ${arg_LINK} PRIVATE ${outside})
  if(type STREQUAL "SHARED")
    # nodelete: its threads and what a thread gives back at its end may outlive a dlclose.
    target_link_options(${target} PRIVATE "-Wl,--version-script=${map}" -Wl,-z,nodelete)
    set_target_properties(${target} PROPERTIES LINK_DEPENDS "${map}")
    if(NOT KUBEXX_SANITIZE)
      target_link_options(${target} PRIVATE -Wl,--no-undefined)
    endif()
  endif()
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated/include>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  set(outside "${outside}" PARENT_SCOPE)
endfunction()

# A library that is installed, shared if BUILD_SHARED_LIBS says so. TARGETS: the file of CMake that has it; one for each component, so
# that packages may be split, and what is there is what find_package finds.
function(kubexx_library target)
  cmake_parse_arguments(arg "C" "NAME;OUTPUT;TARGETS;MODULE;DESCRIPTION;REQUIRES" "LAYERS;LINK" ${ARGN})
  set(type STATIC)
  if(BUILD_SHARED_LIBS)
    set(type SHARED)
  endif()
  set(language "")
  set(cflags " -std=c++20")
  if(arg_C)
    set(language C)
    set(cflags "")
  endif()
  kubexx_gather(${target} ${type} OUTPUT ${arg_OUTPUT} LAYERS ${arg_LAYERS} LINK ${arg_LINK} ${language})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${arg_NAME} INSTALL_RPATH "$ORIGIN")
  add_library(kubexx::${arg_NAME} ALIAS ${target})
  if(KUBEXX_SANITIZE)
    target_link_options(${target} INTERFACE "$<BUILD_INTERFACE:-fsanitize=${KUBEXX_SANITIZE}>")
  endif()
  if(NOT KUBEXX_INSTALL)
    return()
  endif()
  install(TARGETS ${target} EXPORT ${arg_TARGETS})
  install(EXPORT ${arg_TARGETS} NAMESPACE kubexx:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/kubexx")
  if(BUILD_SHARED_LIBS AND KUBEXX_ARCHIVES_TOO)
    kubexx_gather(${target}_archive STATIC OUTPUT ${arg_OUTPUT} LAYERS ${arg_LAYERS} LINK ${arg_LINK} ${language})
    install(TARGETS ${target}_archive)
  endif()
  kubexx_pkg_config(${arg_MODULE} "${arg_DESCRIPTION}" ${arg_OUTPUT} "${outside}" "${arg_REQUIRES}" "${cflags}")
endfunction()

set(runtime_layers ${KUBEXX_LAYERS})
list(REMOVE_ITEM runtime_layers ${testing_layers} c)
kubexx_library(kubexx NAME kubexx OUTPUT kubexx LAYERS ${runtime_layers} TARGETS kubexx-targets
  MODULE kubexx DESCRIPTION "${PROJECT_DESCRIPTION}")
if(KUBEXX_TESTING)
  kubexx_library(kubexx_testing_library NAME testing OUTPUT kubexx_testing LAYERS ${testing_layers} LINK kubexx
    TARGETS kubexx-testing-targets
    MODULE kubexx-testing DESCRIPTION "An API server of Kubernetes inside a test" REQUIRES "kubexx = ${PROJECT_VERSION}")
endif()
if(KUBEXX_C)
  set(c_layers ${KUBEXX_CLOSURE_c} c)
  kubexx_library(kubexx_c_library C NAME c OUTPUT kubexx_c LAYERS ${c_layers} TARGETS kubexx-c-targets
    MODULE kubexx-c DESCRIPTION "Informers of Kubernetes for C and what can call it")
endif()
if(NOT KUBEXX_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)

# Headers of parts that are not there would compile and not link.
set(other_headers "")
foreach(layer IN LISTS kubexx_left_out)
  list(APPEND other_headers REGEX "/include/kubexx/${layer}(\\.h|\\.hpp)?$" EXCLUDE)
endforeach()
set(destination "${CMAKE_INSTALL_LIBDIR}/cmake/kubexx")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/kubexx" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" ${other_headers})
install(DIRECTORY "${PROJECT_BINARY_DIR}/generated/include/kubexx" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" OPTIONAL)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/kubexx-config.cmake.in"
  "${PROJECT_BINARY_DIR}/kubexx-config.cmake" INSTALL_DESTINATION "${destination}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/kubexx-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/kubexx-config.cmake" "${PROJECT_BINARY_DIR}/kubexx-config-version.cmake"
  DESTINATION "${destination}")
install(FILES "${PROJECT_SOURCE_DIR}/cmake/KubexxGenerate.cmake" DESTINATION "${destination}")
