# An overlay port: it builds the tree it lies in. vcpkg install kubexx --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES
  c KUBEXX_C
  inspect KUBEXX_INSPECT
  program KUBEXX_PROGRAM
  testing KUBEXX_TESTING)
set(typed none)
if("typed" IN_LIST FEATURES)
  set(typed all)
endif()
vcpkg_find_acquire_program(PKGCONFIG)

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${options}
  -DKUBEXX_TYPED=${typed} -DKUBEXX_TESTS=OFF -DKUBEXX_EXAMPLES=OFF "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}")
vcpkg_cmake_install()

vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/kubexx)
vcpkg_fixup_pkgconfig()
set(tools kubexx-gen)
if("program" IN_LIST FEATURES)
  list(APPEND tools kubexx)
endif()
vcpkg_copy_tools(TOOL_NAMES ${tools} AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
