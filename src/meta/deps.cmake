find_package(simdjson REQUIRED)
find_package(yaml-cpp REQUIRED)
target_link_libraries(${target} PRIVATE simdjson::simdjson yaml-cpp)
