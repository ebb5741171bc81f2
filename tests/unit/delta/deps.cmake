find_package(rapidcheck REQUIRED)
target_link_libraries(test_delta PRIVATE rapidcheck)
