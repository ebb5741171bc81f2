#!/usr/bin/env python3
"""check.py CMAKE BUILD VERSION: what `cmake --install` puts into share/sbom is a CycloneDX document that names what a
build is made of, with the versions that pkg-config has."""
import json
import pathlib
import subprocess
import sys
import tempfile

MODULES = {"curl": "libcurl", "openssl": "openssl", "nghttp2": "libnghttp2", "simdjson": "simdjson", "zlib": "zlib",
           "yaml-cpp": "yaml-cpp", "re2": "re2", "boost": None, "cli11": None}
UNKNOWN_TO_PKG_CONFIG = ("", "0.0.0")


def fail(text):
    sys.exit(f"FAIL  {text}")


def installed(cmake, build):
    with tempfile.TemporaryDirectory() as prefix:
        subprocess.run([cmake, "--install", build, "--component", "sbom", "--prefix", prefix], check=True,
                       stdout=subprocess.DEVNULL)
        files = [path for path in pathlib.Path(prefix).rglob("*") if path.is_file()]
        if [path.relative_to(prefix).as_posix() for path in files] != ["share/sbom/kubexx.cdx.json"]:
            fail(f"installed were {files}")
        return json.loads(files[0].read_text(encoding="utf-8"))


def main(cmake, build, version):
    document = installed(cmake, build)
    if (document["bomFormat"], document["specVersion"], document["version"]) != ("CycloneDX", "1.5", 1):
        fail("it is no CycloneDX 1.5")
    itself = document["metadata"]["component"]
    if (itself["name"], itself["version"]) != ("kubexx", version):
        fail(f"it is about {itself}")
    components = {component["name"]: component for component in document["components"]}
    if set(components) != set(MODULES) or len(document["components"]) != len(MODULES):
        fail(f"it has {sorted(components)}")
    if set(document["dependencies"][0]["dependsOn"]) != {component["bom-ref"] for component in components.values()}:
        fail("its dependencies are not its components")
    for name, component in components.items():
        found = component["version"]
        if not found or not found[0].isdigit() or component["type"] != "library" or not component["licenses"]:
            fail(f"{name}: {component}")
        if not component["purl"].startswith(("pkg:deb/debian/", "pkg:generic/")) or "@" not in component["purl"]:
            fail(f"{name}: {component['purl']}")
        module = MODULES[name]
        if module is None:
            continue
        said = subprocess.run(["pkg-config", "--modversion", module], capture_output=True, text=True, check=False)
        if said.stdout.strip() not in UNKNOWN_TO_PKG_CONFIG and said.stdout.strip() != found:
            fail(f"{name} is {said.stdout.strip()}, not {found}")
        print(f"ok    {name} {found}")


main(*sys.argv[1:])
