find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(KUBEXX_RE2 REQUIRED IMPORTED_TARGET re2)
# Its -pthread and -D are not needed to compile, and flags that only this layer has would shut out the precompiled headers.
set_target_properties(PkgConfig::KUBEXX_RE2 PROPERTIES INTERFACE_COMPILE_OPTIONS "")
target_link_libraries(${target} PUBLIC ZLIB::ZLIB PRIVATE PkgConfig::KUBEXX_RE2)
