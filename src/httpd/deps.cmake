find_package(Boost 1.74 QUIET CONFIG)
if(NOT Boost_FOUND)  # CMake's own way to find it, which CMake deprecates
  find_package(Boost 1.74 REQUIRED)
endif()
find_package(OpenSSL REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(KUBEXX_NGHTTP2 REQUIRED IMPORTED_TARGET libnghttp2)
target_link_libraries(${target} PRIVATE Boost::headers OpenSSL::SSL OpenSSL::Crypto PkgConfig::KUBEXX_NGHTTP2)
if(KUBEXX_SANITIZE MATCHES "thread")
  # The sanitizer does not understand fences; between our threads, locks order everything.
  target_compile_definitions(${target} PRIVATE BOOST_ASIO_DISABLE_FENCED_BLOCK)
endif()
