find_package(rapidcheck REQUIRED)
target_link_libraries(test_meta PRIVATE rapidcheck)
# The pods of the benchmarks serve as realistic input.
target_sources(test_meta PRIVATE "${PROJECT_SOURCE_DIR}/benchmarks/corpus/pod_corpus.cpp")
target_include_directories(test_meta PRIVATE "${PROJECT_SOURCE_DIR}/benchmarks")
