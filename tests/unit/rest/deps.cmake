# The socket servers and certificates of the transport's tests serve here too.
target_sources(test_rest PRIVATE
  "${CMAKE_CURRENT_LIST_DIR}/../transport/support/certificates.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/../transport/support/http2_peer.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/../transport/support/socket_server.cpp")
find_package(OpenSSL REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(KUBEXX_NGHTTP2 REQUIRED IMPORTED_TARGET libnghttp2)
target_link_libraries(test_rest PRIVATE OpenSSL::SSL OpenSSL::Crypto PkgConfig::KUBEXX_NGHTTP2)
