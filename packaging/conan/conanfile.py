"""Conan 2: conan create packaging/conan --build=missing. It builds the tree it lies in."""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rm, save
from conan.tools.gnu import PkgConfigDeps

required_conan_version = ">=2.0"

GENERATE = """# What find_package(kubexx) brings beside the libraries.
if(NOT TARGET kubexx::kubexx-gen)
  add_executable(kubexx::kubexx-gen IMPORTED)
  set_target_properties(kubexx::kubexx-gen PROPERTIES IMPORTED_LOCATION "${CMAKE_CURRENT_LIST_DIR}/../../../bin/kubexx-gen")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/KubexxGenerate.cmake")
"""


class KubexxConan(ConanFile):
    name = "kubexx"
    description = "Informers, listers and controllers of Kubernetes for C++"
    license = "Apache-2.0"
    topics = ("kubernetes", "informer", "controller", "operator", "client")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        "c": [True, False],
        "inspect": [True, False],
        "testing": [True, False],
        "program": [True, False],
        "typed": ["ANY"],  # all, none, or groups: "core;apps"
    }
    default_options = {
        "shared": False,
        "fPIC": True,
        "c": False,
        "inspect": False,
        "testing": False,
        "program": False,
        "typed": "all",
    }
    implements = ["auto_shared_fpic"]

    @property
    def _tree(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._tree, "include/kubexx/base/version.hpp"))
        numbers = [re.search(rf"KUBEXX_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH")]
        self.version = ".".join(numbers)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "apps/*", "benchmarks/*", "cmake/*", "examples/*", "include/*", "packaging/man/*",
                        "schema/*", "src/*", "tools/gen/*"):
            copy(self, pattern, src=self._tree, dst=self.export_sources_folder)

    def configure(self):
        if self.options.program:  # it is made of all of them
            self.options.inspect = True
            self.options.testing = True
            self.options.typed = "all"

    def requirements(self):
        self.requires("libcurl/[>=7.88 <9]")
        self.requires("libnghttp2/[>=1.52 <2]")
        self.requires("openssl/[>=3 <4]")
        self.requires("simdjson/[>=3 <4]")
        self.requires("yaml-cpp/[>=0.7 <1]")
        self.requires("zlib/[>=1.2.13 <2]")
        if self.options.inspect or self.options.testing:
            self.requires("boost/[>=1.74 <2]", libs=False)
        if self.options.testing:
            self.requires("re2/[>=20220601]")
        if self.options.program:
            self.requires("cli11/[>=2.1 <3]")

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25 <5]")
        self.tool_requires("pkgconf/[>=2 <3]")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for option in ("c", "inspect", "testing", "program"):
            toolchain.cache_variables[f"KUBEXX_{option.upper()}"] = bool(self.options.get_safe(option))
        toolchain.cache_variables["KUBEXX_TYPED"] = str(self.options.typed)
        toolchain.cache_variables["KUBEXX_TESTS"] = False
        toolchain.cache_variables["KUBEXX_EXAMPLES"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        # Conan writes what finds the package.
        folder = os.path.join(self.package_folder, "lib", "cmake", "kubexx")
        rm(self, "kubexx-*.cmake", folder)
        rm(self, "*.pc", os.path.join(self.package_folder, "lib", "pkgconfig"))
        save(self, os.path.join(folder, "conan-generate.cmake"), GENERATE)

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "kubexx")
        self.cpp_info.set_property("cmake_build_modules", [os.path.join("lib", "cmake", "kubexx", "conan-generate.cmake")])
        outside = ["libcurl::libcurl", "libnghttp2::nghttp2", "openssl::openssl", "simdjson::simdjson", "yaml-cpp::yaml-cpp",
                   "zlib::zlib"]
        server = ["boost::headers"] if self.options.inspect or self.options.testing else []
        self._component("runtime", "kubexx::kubexx", "kubexx", "kubexx", outside + server)
        if self.options.testing:
            self._component("testing", "kubexx::testing", "kubexx-testing", "kubexx_testing", ["runtime", "re2::re2"])
        if self.options.c:
            self._component("c", "kubexx::c", "kubexx-c", "kubexx_c", outside)
            if not self.options.shared:
                self.cpp_info.components["c"].system_libs += ["stdc++", "m"]
        if self.options.program:  # CLI11 is inside of it
            self.cpp_info.components["runtime"].requires.append("cli11::cli11")

    def _component(self, name, target, module, library, requires):
        component = self.cpp_info.components[name]
        component.set_property("cmake_target_name", target)
        component.set_property("pkg_config_name", module)
        component.libs = [library]
        component.requires = requires
        component.system_libs = ["pthread"]
