# What a build of kubexx is made of: kubexx.cdx.json, a CycloneDX document with the versions that were found. Installed to
# share/sbom.

# kubexx_sbom_component(NAME VERSION LICENCE PACKAGE PART): a library, Debian's package of it, and what it is for.
function(kubexx_sbom_component name version licence package part)
  set(purl "pkg:generic/${name}@${version}")
  find_program(KUBEXX_DPKG_QUERY dpkg-query)
  mark_as_advanced(KUBEXX_DPKG_QUERY)
  if(KUBEXX_DPKG_QUERY)
    execute_process(COMMAND "${KUBEXX_DPKG_QUERY}" -W -f "\${Version}" "${package}"
      OUTPUT_VARIABLE packaged RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed AND packaged)
      string(REPLACE "+" "%2B" escaped "${packaged}")
      string(REPLACE ":" "%3A" escaped "${escaped}")
      set(purl "pkg:deb/debian/${package}@${escaped}")
      if(NOT version OR version STREQUAL "0.0.0")  # re2.pc does not know
        string(REGEX REPLACE "^[0-9]+:|-[^-]*$" "" version "${packaged}")
      endif()
    endif()
  endif()
  if(NOT version)
    set(version unknown)
  endif()
  set(text "{\"type\": \"library\", \"bom-ref\": \"${name}\", \"name\": \"${name}\", \"version\": \"${version}\",")
  string(APPEND text " \"licenses\": [{\"license\": {\"id\": \"${licence}\"}}], \"purl\": \"${purl}\",")
  string(APPEND text " \"properties\": [{\"name\": \"kubexx:part\", \"value\": \"${part}\"}]}")
  set_property(GLOBAL APPEND PROPERTY KUBEXX_SBOM_COMPONENTS "${text}")
  set_property(GLOBAL APPEND PROPERTY KUBEXX_SBOM_NAMES "\"${name}\"")
endfunction()

find_package(CURL QUIET)
find_package(OpenSSL QUIET)
find_package(ZLIB QUIET)
find_package(yaml-cpp QUIET)
find_package(PkgConfig QUIET)
pkg_check_modules(KUBEXX_NGHTTP2 QUIET libnghttp2)

set_property(GLOBAL PROPERTY KUBEXX_SBOM_COMPONENTS "")
set_property(GLOBAL PROPERTY KUBEXX_SBOM_NAMES "")
kubexx_sbom_component(curl "${CURL_VERSION_STRING}" curl libcurl4-openssl-dev kubexx)
kubexx_sbom_component(openssl "${OPENSSL_VERSION}" Apache-2.0 libssl-dev kubexx)
kubexx_sbom_component(nghttp2 "${KUBEXX_NGHTTP2_VERSION}" MIT libnghttp2-dev kubexx)
if(KUBEXX_SIMDJSON)
  find_package(simdjson QUIET)
  kubexx_sbom_component(simdjson "${simdjson_VERSION}" Apache-2.0 libsimdjson-dev kubexx)
endif()
kubexx_sbom_component(zlib "${ZLIB_VERSION_STRING}" Zlib zlib1g-dev kubexx)
kubexx_sbom_component(yaml-cpp "${yaml-cpp_VERSION}" MIT libyaml-cpp-dev kubexx)
if(TARGET kubexx_httpd)
  find_package(Boost 1.74 QUIET CONFIG)
  kubexx_sbom_component(boost "${Boost_VERSION}" BSL-1.0 libboost-dev kubexx)
endif()
if(KUBEXX_TESTING)
  pkg_check_modules(KUBEXX_RE2 QUIET re2)
  kubexx_sbom_component(re2 "${KUBEXX_RE2_VERSION}" BSD-3-Clause libre2-dev kubexx-testing)
endif()
if(KUBEXX_PROGRAM)
  find_package(CLI11 QUIET)
  kubexx_sbom_component(cli11 "${CLI11_VERSION}" BSD-3-Clause libcli11-dev program)
endif()

get_property(components GLOBAL PROPERTY KUBEXX_SBOM_COMPONENTS)
get_property(names GLOBAL PROPERTY KUBEXX_SBOM_NAMES)
list(JOIN components ",\n    " components)
list(JOIN names ", " names)
# No time and no serial number: the same build writes the same document.
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/kubexx.cdx.json" CONTENT [[{
  "bomFormat": "CycloneDX",
  "specVersion": "1.5",
  "version": 1,
  "metadata": {
    "component": {"type": "library", "bom-ref": "kubexx", "name": "kubexx", "version": "@PROJECT_VERSION@",
                  "licenses": [{"license": {"id": "Apache-2.0"}}]}
  },
  "components": [
    @components@
  ],
  "dependencies": [{"ref": "kubexx", "dependsOn": [@names@]}]
}
]] @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/kubexx.cdx.json" DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/sbom" COMPONENT sbom)
