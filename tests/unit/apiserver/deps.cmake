find_package(rapidcheck REQUIRED)
target_sources(test_apiserver PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/unit/httpd/raw_client.cpp")
target_link_libraries(test_apiserver PRIVATE rapidcheck OpenSSL::SSL OpenSSL::Crypto)
