target_sources(test_transport PRIVATE
  "${CMAKE_CURRENT_LIST_DIR}/support/certificates.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/support/http2_peer.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/support/socket_server.cpp")
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(NGHTTP2 REQUIRED IMPORTED_TARGET libnghttp2)
target_link_libraries(test_transport PRIVATE OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB PkgConfig::NGHTTP2)
