find_package(simdjson REQUIRED)
target_link_libraries(${target} PRIVATE simdjson::simdjson)
