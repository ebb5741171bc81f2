find_package(rapidcheck REQUIRED)
target_sources(test_apiserver PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/unit/httpd/raw_client.cpp"
                                      "${CMAKE_CURRENT_SOURCE_DIR}/unit/httpd/http2_client.cpp")
target_link_libraries(test_apiserver PRIVATE rapidcheck OpenSSL::SSL OpenSSL::Crypto PkgConfig::KUBEXX_NGHTTP2)

# g++ 12 sees uninitialised members in std::regex once that is instrumented.
if(KUBEXX_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set_source_files_properties("${CMAKE_CURRENT_SOURCE_DIR}/unit/apiserver/trace_test.cpp" PROPERTIES COMPILE_OPTIONS -Wno-maybe-uninitialized)
endif()
