# The page's files become part of the library.
set(asset_dir "${PROJECT_SOURCE_DIR}/src/inspect/assets")
file(GLOB assets CONFIGURE_DEPENDS "${asset_dir}/*")
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/inspect/assets.cpp" PROPERTIES
  COMPILE_DEFINITIONS "KUBEXX_ASSET_DIR=\"${asset_dir}\"" OBJECT_DEPENDS "${assets}")
