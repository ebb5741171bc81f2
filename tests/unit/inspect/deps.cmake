target_sources(test_inspect PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/unit/httpd/raw_client.cpp")
target_link_libraries(test_inspect PRIVATE OpenSSL::SSL OpenSSL::Crypto)
