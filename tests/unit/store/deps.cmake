find_package(rapidcheck REQUIRED)
target_link_libraries(test_store PRIVATE rapidcheck)
