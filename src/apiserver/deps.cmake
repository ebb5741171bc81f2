find_package(ZLIB REQUIRED)
target_link_libraries(${target} PUBLIC ZLIB::ZLIB)

# g++ 12 sees uninitialised members in std::regex once that is instrumented.
if(KUBEXX_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set_source_files_properties("${PROJECT_SOURCE_DIR}/src/apiserver/custom.cpp" PROPERTIES COMPILE_OPTIONS -Wno-maybe-uninitialized)
endif()
