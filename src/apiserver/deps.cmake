find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
target_link_libraries(${target} PUBLIC ZLIB::ZLIB PRIVATE PkgConfig::RE2)
