find_package(CURL REQUIRED)
target_sources(test_httpd PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/unit/httpd/raw_client.cpp"
                                  "${CMAKE_CURRENT_SOURCE_DIR}/unit/httpd/http2_client.cpp")
target_link_libraries(test_httpd PRIVATE OpenSSL::SSL OpenSSL::Crypto PkgConfig::KUBEXX_NGHTTP2 CURL::libcurl)
