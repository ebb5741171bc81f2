set(schema_file "${PROJECT_SOURCE_DIR}/schema/kubernetes-${KUBEXX_KUBERNETES_VERSION}.json")
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/codec/schema_text.cpp" PROPERTIES
  COMPILE_DEFINITIONS "KUBEXX_SCHEMA_FILE=\"${schema_file}\"" OBJECT_DEPENDS "${schema_file}")
