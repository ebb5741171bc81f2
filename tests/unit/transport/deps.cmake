target_sources(test_transport PRIVATE
  "${CMAKE_CURRENT_LIST_DIR}/support/certificates.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/support/http2_peer.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/support/socket_server.cpp")
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(KUBEXX_NGHTTP2 REQUIRED IMPORTED_TARGET libnghttp2)
target_link_libraries(test_transport PRIVATE OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB PkgConfig::KUBEXX_NGHTTP2)
add_test(NAME transport_old_tls COMMAND test_transport --gtest_brief=1 "--gtest_filter=TlsVersionTest.*")
set_tests_properties(transport_old_tls PROPERTIES LABELS unit TIMEOUT 60
  ENVIRONMENT "OPENSSL_CONF=${CMAKE_CURRENT_LIST_DIR}/old_tls.cnf")
