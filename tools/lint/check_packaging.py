#!/usr/bin/env python3
"""Rejects files of packaging/ that do not fit the tree or the documented form of the tool they are for.

Bazel, vcpkg and Conan of today are not among Debian's packages, so their files are not run here: names of rules, fields,
attributes and methods are compared with those that their documentation has, labels and features with what there is.
"""
import ast
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
problems = []


def problem(where, text):
    problems.append(f"{where.relative_to(ROOT)}: {text}")


def version():
    text = (ROOT / "include/kubexx/base/version.hpp").read_text()
    return [re.search(rf"#define KUBEXX_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH")]


# Bazel: what may be called in a BUILD or MODULE file of ours, with the arguments that it knows.
CC = {"name", "srcs", "hdrs", "deps", "copts", "includes", "linkopts", "local_defines", "visibility"}
BAZEL = {
    "cc_library": CC | {"implementation_deps", "additional_compiler_inputs"},
    "cc_binary": CC,
    "kubexx_headers": {"name", "builtin", "crds", "cpp_namespace", "out", "visibility"},
    "package": {"default_visibility"},
    "module": {"name", "version", "bazel_compatibility"},
    "bazel_dep": {"name", "version"},
    "load": set(), "licenses": set(), "exports_files": set(), "glob": set(), "repo_name": set(),
}


def calls(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]


def keyword(call, name):
    return next((word.value for word in call.keywords if word.arg == name), None)


def strings(node):
    return [leaf.value for leaf in ast.walk(node) if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)] if node else []


def check_bazel():
    written = subprocess.run([sys.executable, PACKAGING / "bazel/write.py", "--check"], capture_output=True, text=True)
    if written.returncode != 0:
        problems.append((written.stdout + written.stderr).strip())
    files = [ROOT / "MODULE.bazel", ROOT / "BUILD.bazel", *sorted(PACKAGING.rglob("BUILD.bazel"))]
    trees = {file: ast.parse(file.read_text(), str(file)) for file in files}  # Starlark, as we use it, is Python to a parser
    ast.parse((PACKAGING / "bazel/generate.bzl").read_text())
    targets = set()
    for file, tree in trees.items():
        package = "//" + str(file.parent.relative_to(ROOT)).replace(".", "", 1)
        for call in calls(tree):
            known = BAZEL.get(call.func.id)
            if known is None:
                problem(file, f"{call.func.id} is not known")
                continue
            if unknown := {word.arg for word in call.keywords} - known:
                problem(file, f"{call.func.id} does not know {' '.join(sorted(unknown))}")
            if name := strings(keyword(call, "name")):
                targets.add(f"{package}:{name[0]}")
            if call.func.id == "glob":
                for pattern in strings(call):
                    if not any(file.parent.glob(pattern)):
                        problem(file, f"nothing matches {pattern}")
    for call in calls(trees[ROOT / "BUILD.bazel"]):
        for label in strings(keyword(call, "deps")) + strings(keyword(call, "implementation_deps")):
            if (label if label.startswith("//") else "//" + label) not in targets:
                problem(ROOT / "BUILD.bazel", f"there is no {label}")


# vcpkg: the fields of vcpkg.json, of a dependency and of a feature; the functions that a portfile may call.
MANIFEST = {"name", "version-semver", "port-version", "description", "homepage", "documentation", "license", "supports",
            "dependencies", "default-features", "features"}
DEPENDENCY = {"name", "default-features", "features", "host", "platform", "version>="}
FEATURE = {"description", "dependencies", "supports", "license"}
STUBS = """
cmake_minimum_required(VERSION 3.25)
set(CURRENT_PACKAGES_DIR "{work}/packages")
set(PORT kubexx)
set(FEATURES {features})
function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_FEATURE_OPTIONS" "FEATURES;INVERTED_FEATURES")
  set(options "")
  while(arg_FEATURES)
    list(POP_FRONT arg_FEATURES feature variable)
    message("feature ${{feature}}")
    if(feature IN_LIST FEATURES)
      list(APPEND options -D${{variable}}=ON)
    else()
      list(APPEND options -D${{variable}}=OFF)
    endif()
  endwhile()
  set(${{arg_OUT_FEATURE_OPTIONS}} "${{options}}" PARENT_SCOPE)
endfunction()
function(vcpkg_find_acquire_program name)
  set(${{name}} pkgconf PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH;GENERATOR" "OPTIONS;OPTIONS_DEBUG;OPTIONS_RELEASE")
  if(arg_UNPARSED_ARGUMENTS OR NOT EXISTS "${{arg_SOURCE_PATH}}/CMakeLists.txt")
    message(FATAL_ERROR "vcpkg_cmake_configure: ${{arg_UNPARSED_ARGUMENTS}} of ${{arg_SOURCE_PATH}}")
  endif()
  message("options ${{arg_OPTIONS}}")
endfunction()
function(vcpkg_copy_tools)
  cmake_parse_arguments(PARSE_ARGV 0 arg "AUTO_CLEAN" "SEARCH_DIR;DESTINATION" "TOOL_NAMES")
  message("tools ${{arg_TOOL_NAMES}}")
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "COMMENT" "FILE_LIST")
  if(NOT EXISTS "${{arg_FILE_LIST}}")
    message(FATAL_ERROR "no ${{arg_FILE_LIST}}")
  endif()
endfunction()
foreach(name vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig)
  cmake_language(EVAL CODE "function(${{name}})\\nendfunction()")
endforeach()
include("{port}")
"""


def run_portfile(port, features):
    """What the portfile says to vcpkg for these features."""
    with tempfile.TemporaryDirectory() as work:
        script = pathlib.Path(work) / "stubs.cmake"
        script.write_text(STUBS.format(work=work, features=" ".join(features), port=port))
        done = subprocess.run(["cmake", "-P", script], capture_output=True, text=True)
        if done.returncode != 0:
            problem(port, done.stderr.strip())
        return done.stderr


def check_vcpkg():
    file = PACKAGING / "vcpkg/kubexx/vcpkg.json"
    manifest = json.loads(file.read_text())
    features = manifest["features"]
    if manifest["version-semver"] != ".".join(version()):
        problem(file, f"version {manifest['version-semver']}; version.hpp has {'.'.join(version())}")
    if unknown := set(manifest) - MANIFEST:
        problem(file, f"no fields of a manifest: {unknown}")
    for name, part in [("", manifest), *features.items()]:
        if name and (unknown := set(part) - FEATURE):
            problem(file, f"no fields of a feature: {unknown}")
        for dependency in part.get("dependencies", []):
            entry = {"name": dependency} if isinstance(dependency, str) else dependency
            if set(entry) - DEPENDENCY or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", entry["name"]):
                problem(file, f"no dependency: {dependency}")
            if entry["name"] == manifest["name"] and set(entry["features"]) - set(features):
                problem(file, f"unknown features in {dependency}")
    if set(manifest["default-features"]) - set(features):
        problem(file, "a default feature is none")
    port = file.with_name("portfile.cmake")
    said = run_portfile(port, features)
    used = set(re.findall(r"^feature (\S+)$", said, re.M)) | {"typed"}
    if used != set(features):
        problem(port, f"features of the port {sorted(used)} and of the manifest {sorted(features)}")
    if "-DKUBEXX_TYPED=all" not in said or "tools kubexx-gen;kubexx" not in said:
        problem(port, "with every feature, types or the program are missing")
    said = run_portfile(port, [])
    if "-DKUBEXX_TYPED=none" not in said or "=ON" in said or "tools kubexx-gen\n" not in said:
        problem(port, "without features, something is built")


# Conan 2: attributes and methods of a recipe.
ATTRIBUTES = {"name", "version", "description", "license", "topics", "package_type", "settings", "options", "default_options",
              "implements", "generators", "homepage", "url", "author"}
METHODS = {"set_version", "export_sources", "configure", "config_options", "requirements", "build_requirements", "validate",
           "layout", "generate", "build", "package", "package_info", "test"}


def check_conan():
    for file in sorted((PACKAGING / "conan").rglob("conanfile.py")):
        tree = ast.parse(file.read_text(), str(file))
        recipe = next(node for node in tree.body if isinstance(node, ast.ClassDef))
        values = {}
        for node in recipe.body:
            if isinstance(node, ast.Assign):
                values[node.targets[0].id] = node.value
            elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and node.name not in METHODS:
                problem(file, f"{node.name} is no method of a recipe")
        if unknown := set(values) - ATTRIBUTES:
            problem(file, f"no attributes of a recipe: {unknown}")
        if "options" in values:
            options = {key.value for key in values["options"].keys}
            if options != {key.value for key in values["default_options"].keys}:
                problem(file, "options and default_options differ")
            used = set(re.findall(r"self\.options\.([a-z]\w*)", file.read_text())) - {"get_safe"}
            if used - options:
                problem(file, f"no options: {used - options}")
        for pattern in re.findall(r'"([a-z/]+)/\*"', file.read_text()):
            if not (ROOT / pattern).is_dir():
                problem(file, f"there is no {pattern} to export")


def check_debian():
    wanted = set(re.search(r"^build_packages=\((.*?)\)", (ROOT / "dev").read_text(), re.M | re.S)[1].split())
    control = PACKAGING / "debian/control.in"
    text = control.read_text()
    fields = re.search(r"^Build-Depends: (.*?)^\S", text, re.M | re.S)[1]
    named = {entry.split()[0] for entry in fields.split(",")}
    # A compiler is always there where packages are built; the others are not to build.
    if named - {"debhelper-compat"} != wanted - {"g++", "ca-certificates"}:
        problem(control, f"Build-Depends are not build_packages of ./dev: {named ^ wanted}")
    with tempfile.TemporaryDirectory() as work:
        source = pathlib.Path(work)
        for path in ("include/kubexx/base/version.hpp", "CHANGELOG.md"):
            (source / path).parent.mkdir(parents=True, exist_ok=True)
            (source / path).write_text((ROOT / path).read_text())
        done = subprocess.run([sys.executable, PACKAGING / "debian/write.py", source, "bookworm"], capture_output=True, text=True)
        if done.returncode != 0:
            problem(PACKAGING / "debian/write.py", done.stderr.strip())
            return
        packages = re.findall(r"^Package: (\S+)", (source / "debian/control").read_text(), re.M)
        for file in (source / "debian").iterdir():
            if file.suffix in (".install", ".docs", ".examples", ".manpages", ".symbols") and file.stem not in packages:
                problem(PACKAGING / "debian", f"{file.name} is for none of {' '.join(packages)}")
        packed = set()
        for file in (source / "debian").iterdir():
            if file.suffix in (".docs", ".examples"):
                for path in file.read_text().split():
                    packed.add(path)
                    if not (ROOT / path).exists():
                        problem(PACKAGING / "debian" / file.name, f"there is no {path}")
        for folder in sorted(path.parent for path in (ROOT / "examples").glob("*/README.md")):
            if str(folder.relative_to(ROOT)) not in packed:
                problem(folder, "no package has this example: packaging/debian/*.examples")


def check_workflow():
    """Names of commands, also those that a job takes from a list of its matrix: `command: [lint, test]`."""
    file = ROOT / ".github/workflows/ci.yml"
    text = file.read_text()
    known = re.findall(r"^  ([a-z-]+(?: \| [a-z-]+)*)\)", (ROOT / "dev").read_text(), re.M)
    commands = {command for alternatives in known for command in alternatives.split(" | ")}
    used = set(re.findall(r"run: \./dev ([a-z-]+)", text))
    for variable in re.findall(r"run: \./dev \$\{\{ matrix\.(\w+) \}\}", text):
        listed = re.findall(rf"^ +{variable}: \[([^\]]*)\]", text, re.M)
        if not listed:
            problem(file, f"matrix.{variable} is no list on one line")
        used |= {command for names in listed for command in re.split(r",\s*", names.strip())}
    for command in sorted(used - commands):
        problem(file, f"./dev has no {command}")


for check in (check_bazel, check_vcpkg, check_conan, check_debian, check_workflow):
    check()
print("\n".join(problems), end="\n" if problems else "")
sys.exit(1 if problems else 0)
