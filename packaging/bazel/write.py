#!/usr/bin/env python3
"""write.py [--check]: writes MODULE.bazel, BUILD.bazel and packaging/bazel/system/BUILD.bazel from cmake/layers.txt,
src/<layer>/deps.cmake and version.hpp. --check fails where the files are not what it would write.

A layer is a cc_library of its name. Its libraries are those of the system, by the names that linkers know.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTE = "# Written by packaging/bazel/write.py.\n"
# What CMake calls a library of the system, PkgConfig:: aside; what its target is called here, and what links it. Boost is headers
# alone.
SYSTEM = {
    "Boost::headers": ("boost", None),
    "CURL::libcurl": ("curl", "-lcurl"),
    "OpenSSL::Crypto": ("crypto", "-lcrypto"),
    "OpenSSL::SSL": ("ssl", "-lssl"),
    "NGHTTP2": ("nghttp2", "-lnghttp2"),
    "RE2": ("re2", "-lre2"),
    "ZLIB::ZLIB": ("zlib", "-lz"),
    "simdjson::simdjson": ("simdjson", "-lsimdjson"),
    "yaml-cpp::yaml-cpp": ("yaml_cpp", "-lyaml-cpp"),
}
# As cmake/KubexxInstall.cmake gathers them.
TESTING = ("columns", "apiserver", "testkit")
# These include headers that kubexx-gen writes, without depending on the layers api and clientset.
FIRST_WITH_GENERATED = ("informer", "api")


def read_version():
    text = (ROOT / "include/kubexx/base/version.hpp").read_text()
    numbers = [re.search(rf"#define KUBEXX_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(numbers), re.search(r'#define KUBEXX_KUBERNETES_VERSION "([^"]+)"', text)[1]


def read_layers():
    edges = {}
    for line in (ROOT / "cmake/layers.txt").read_text().splitlines():
        name, colon, below = line.split("#")[0].partition(":")
        if colon:
            edges[name.strip()] = below.split()
    return edges


def system_libraries(layer):
    """What deps.cmake of the layer links. A library that SYSTEM lacks is an error."""
    file = ROOT / "src" / layer / "deps.cmake"
    found = []
    if file.exists():
        for words in re.findall(r"target_link_libraries\(\$\{target\}([^)]*)\)", file.read_text()):
            for word in (re.sub(r"^PkgConfig::(KUBEXX_)?", "", one) for one in words.split()):
                if word in ("PUBLIC", "PRIVATE", "INTERFACE"):
                    continue
                if word not in SYSTEM:
                    sys.exit(f"{file.relative_to(ROOT)}: packaging/bazel/write.py does not know {word}")
                found.append(f"//packaging/bazel/system:{SYSTEM[word][0]}")
    return sorted(set(found))


def with_generated(layers):
    reached = set()
    for name, below in layers.items():
        if name in FIRST_WITH_GENERATED or reached & set(below):
            reached.add(name)
    return reached


def value(words):
    if len(words) == 1:
        return f'["{words[0]}"]'
    return "[\n" + "".join(f'        "{word}",\n' for word in words) + "    ]"


def rule(kind, **attributes):
    lines = "".join(f"    {name} = {text},\n" for name, text in attributes.items() if text)
    return f"{kind}(\n{lines})\n"


def layer_rule(name, below, generated, kubernetes):
    headers = [f"include/kubexx/{name}/**/*.hpp"]
    if name == "c":
        headers = ["include/kubexx/c.h", "include/kubexx/c.hpp"]
    hidden = system_libraries(name)
    attributes = {"name": f'"{name}"'}
    if any((ROOT / "src" / name).rglob("*.cpp")):
        attributes["srcs"] = f'glob(["src/{name}/**/*.cpp"])'
        hidden.insert(0, ":private_headers")
    if any(ROOT.glob(headers[0])):
        attributes["hdrs"] = f"glob({value(headers)})"
    if name == "codec":
        schema = f"schema/kubernetes-{kubernetes}.json"
        attributes["additional_compiler_inputs"] = f'["{schema}"]'
        attributes["local_defines"] = f"""['KUBEXX_SCHEMA_FILE=\\\\"$(execpath {schema})\\\\"']"""
    if name == "inspect":
        attributes["additional_compiler_inputs"] = 'glob(["src/inspect/assets/*"])'
        attributes["local_defines"] = """['KUBEXX_ASSET_DIR=\\\\"' + SOURCES + 'src/inspect/assets\\\\"']"""
    attributes["copts"] = "OPTIONS" if "srcs" in attributes else None
    attributes["implementation_deps"] = value(hidden) if hidden else None
    attributes["includes"] = '["include"]'
    attributes["linkopts"] = '["-pthread"]' if not below else None
    deps = [f":{edge}" for edge in below] + ([":generated_headers"] if generated else [])
    attributes["deps"] = value(deps) if deps else None
    return rule("cc_library", **attributes)


def build_file(layers, kubernetes):
    generated = with_generated(layers)
    runtime = [name for name in layers if name not in TESTING and name not in ("c", "adapters")]
    parts = [
        NOTE + "# The library with the system's dependencies: //:kubexx, //:testing, //:c. Custom resources: generate.bzl.\n"
        'load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library")\n'
        'load("//packaging/bazel:generate.bzl", "kubexx_headers")\n',
        'package(default_visibility = ["//visibility:public"])\n',
        'licenses(["notice"])\n',
        'OPTIONS = ["-std=c++20"]\n',
        "# Where compilers run, the sources of another module are in a folder of their own.\n"
        'SOURCES = "external/%s/" % repo_name() if repo_name() else ""\n',
        rule("cc_library", name='"private_headers"', hdrs='glob(["src/**/*.hpp", "src/**/*.inc"])', includes='["src"]',
             visibility='["//visibility:private"]'),
    ]
    parts += [layer_rule(name, below, name in generated, kubernetes) for name, below in layers.items()]
    parts += [
        rule("cc_binary", name='"kubexx-gen"', srcs='glob(["tools/gen/*.cpp", "tools/gen/*.hpp"])', copts="OPTIONS",
             includes='["tools/gen"]', deps='[\n        ":codec",\n        ":private_headers",\n    ]'),
        "# The built-in types, their clients and informers.\n" +
        rule("kubexx_headers", name='"builtin_headers"', builtin="True", out='"generated/include"',
             visibility='["//visibility:private"]'),
        rule("cc_library", name='"generated_headers"', hdrs='[":builtin_headers"]', includes='["generated/include"]',
             visibility='["//visibility:private"]'),
        "# Everything that a program needs.\n" +
        rule("cc_library", name='"kubexx"', hdrs='["include/kubexx/kubexx.hpp"]', includes='["include"]',
             deps=value([f":{name}" for name in runtime])),
        "# The API server inside a test.\n" +
        rule("cc_library", name='"testing"', deps=value([":kubexx", *(f":{name}" for name in TESTING)])),
    ]
    return "\n".join(parts)


def system_file():
    parts = [NOTE + "# Libraries of the system, found where compilers look by themselves.\n"
             'load("@rules_cc//cc:defs.bzl", "cc_library")\n', 'package(default_visibility = ["//:__subpackages__"])\n']
    for name, flag in sorted(SYSTEM.values()):
        parts.append(rule("cc_library", name=f'"{name}"', linkopts=f'["{flag}"]' if flag else None))
    return "\n".join(parts)


def module_file(version):
    return NOTE + f"""module(
    name = "kubexx",
    version = "{version}",
    bazel_compatibility = [">=7.0.0"],
)

bazel_dep(name = "rules_cc", version = "0.0.17")
"""


def main():
    version, kubernetes = read_version()
    files = {
        "MODULE.bazel": module_file(version),
        "BUILD.bazel": build_file(read_layers(), kubernetes),
        "packaging/bazel/system/BUILD.bazel": system_file(),
    }
    stale = []
    for path, text in files.items():
        file = ROOT / path
        if file.exists() and file.read_text() == text:
            continue
        stale.append(path)
        if "--check" not in sys.argv[1:]:
            file.write_text(text)
    if stale and "--check" in sys.argv[1:]:
        print(f"not what packaging/bazel/write.py writes (run it): {' '.join(stale)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
