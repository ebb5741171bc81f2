find_package(ZLIB REQUIRED)
target_link_libraries(${target} PUBLIC ZLIB::ZLIB)
