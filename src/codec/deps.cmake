set(schema_file "${PROJECT_SOURCE_DIR}/schema/kubernetes-1.36.json")
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/codec/schema_text.cpp" PROPERTIES
  COMPILE_DEFINITIONS "KUBEXX_SCHEMA_FILE=\"${schema_file}\"" OBJECT_DEPENDS "${schema_file}")
