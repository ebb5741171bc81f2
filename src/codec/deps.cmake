find_package(ZLIB REQUIRED)
target_link_libraries(${target} PRIVATE ZLIB::ZLIB)

# The schema becomes part of the library; packed, where there is a gzip: 45 KB in place of 770.
set(schema_file "${PROJECT_SOURCE_DIR}/schema/kubernetes-${KUBEXX_KUBERNETES_VERSION}.json")
find_program(KUBEXX_GZIP gzip)
mark_as_advanced(KUBEXX_GZIP)
if(KUBEXX_GZIP)
  set(packed "${PROJECT_BINARY_DIR}/generated/schema.json.gz")
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/generated")
  add_custom_command(OUTPUT "${packed}" COMMAND "${KUBEXX_GZIP}" -9 -n -c "${schema_file}" > "${packed}"
    DEPENDS "${schema_file}" COMMENT "Packing the schema" VERBATIM)
  target_sources(${target} PRIVATE "${packed}")
  set(schema_file "${packed}")
endif()
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/codec/schema_text.cpp" PROPERTIES
  COMPILE_DEFINITIONS "KUBEXX_SCHEMA_FILE=\"${schema_file}\"" OBJECT_DEPENDS "${schema_file}")
