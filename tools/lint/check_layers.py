#!/usr/bin/env python3
"""Rejects an include that goes against cmake/layers.txt, a cycle, and a folder that is no layer."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def read_layers():
    closure = {}
    for line in (ROOT / "cmake/layers.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, _, edges = line.partition(":")
        below = set()
        for edge in edges.split():
            if edge not in closure:
                sys.exit(f"cmake/layers.txt: {name} depends on {edge}, which does not stand above it")
            below |= {edge} | closure[edge]
        closure[name.strip()] = below
    return closure


def main():
    closure = read_layers()
    problems = []
    for base in ("include/kubexx", "src"):
        for path in sorted((ROOT / base).rglob("*.[hc]pp")):
            layer = path.relative_to(ROOT / base).parts[0]
            where = path.relative_to(ROOT)
            if str(where) in ("include/kubexx/kubexx.hpp", "include/kubexx/c.hpp"):  # ways in, outside of all layers
                continue
            if layer not in closure:
                problems.append(f"{where}: folder {layer} is not in cmake/layers.txt")
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                parts = match[1].split("/")
                if parts[0] == "kubexx":
                    of = parts[1].removesuffix(".h")  # the layer c is one header
                    if of != layer and of not in closure[layer]:
                        problems.append(f"{where}:{number}: {layer} may not include {of} (cmake/layers.txt)")
                elif len(parts) > 1 and parts[0] in closure and parts[0] != layer:
                    if parts[1] != "internal":
                        problems.append(f"{where}:{number}: a private header of {parts[0]} is included from {layer}")
                    elif parts[0] not in closure[layer]:
                        problems.append(f"{where}:{number}: {layer} may not include {parts[0]} (cmake/layers.txt)")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
