target_sources(test_testkit PRIVATE
  "${CMAKE_CURRENT_SOURCE_DIR}/unit/transport/support/certificates.cpp"
  "${CMAKE_CURRENT_SOURCE_DIR}/unit/transport/support/socket_server.cpp")
find_package(OpenSSL REQUIRED)
target_link_libraries(test_testkit PRIVATE OpenSSL::SSL OpenSSL::Crypto)
