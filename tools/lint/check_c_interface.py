#!/usr/bin/env python3
"""check_c_interface.py [--accept]: whether <kubexx/c.h> still has everything that it ever promised, as it was.

cmake/exports/libkubexx_c.txt has each function, type and number as it was declared, under the node of the linker map that it came
with; nodes are numbered as KUBEXX_C_VERSION is. What is gone or changed fails. So does what is new, until --accept
writes it behind the others; it takes nothing away. tests/c/exports compares the header with the map and with the libraries.

Each group of functions says its threads before the first one, and <kubexx/c.hpp> uses every function.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ROOT / "include/kubexx/c.h"
WRAPPER = ROOT / "include/kubexx/c.hpp"
LIST = ROOT / "cmake/exports/libkubexx_c.txt"
MAP = ROOT / "cmake/exports/libkubexx_c.map"
NODE = "KUBEXX_C_"


class Unreadable(Exception):
    pass


def statements(text):
    """What the header declares, up to each semicolon outside of braces, each on one line."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", "", text, flags=re.M)
    # Between `extern "C" {` and its brace, whose conditions are gone.
    text = text.replace('extern "C" {', "", 1).rstrip().removesuffix("}")
    depth = begin = 0
    for at, letter in enumerate(text):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == ";" and depth == 0:
            yield " ".join(text[begin:at].split())
            begin = at + 1
    if text[begin:].strip():
        raise Unreadable(f"no declaration: {text[begin:].strip()[:80]}")


def name_of(line):
    """Of a line of the list; of a type it is that of the header too."""
    match = re.fullmatch(r"(\w+) = \d+|typedef .*\(\*(\w+)\)\(.*\)|typedef .*?(\w+)|(?!typedef )[^(]*?(\w+)\(.*\)", line)
    return next(group for group in match.groups() if group) if match else None


def declared(header):
    """{name: its declaration, on one line}, in the order of the header."""
    found = {}

    def add(name, line):
        if name in found:
            raise Unreadable(f"{name} is declared twice")
        found[name] = line

    for text in statements(header):
        if match := re.fullmatch(r"KUBEXX_C_EXPORT ([^(]*?(\w+)\(.*\))", text):
            add(match[2], match[1])
        elif match := re.fullmatch(r"enum \{(.*?),? \}", text):
            numbers = set()
            for entry in match[1].split(","):
                value = re.fullmatch(r"\s*(\w+) = (\d+)\s*", entry)
                if not value:
                    raise Unreadable(f"a name without its number: {entry.strip()}")
                if value[2] in numbers:
                    raise Unreadable(f"{value[1]} has the number of another")
                numbers.add(value[2])
                add(value[1], f"{value[1]} = {value[2]}")
        elif text.startswith("typedef ") and (name := name_of(text)):
            add(name, text)
        else:
            raise Unreadable(f"neither a function, a type nor numbers: {text[:80]}")
    return found


def accepted():
    """{name: (declaration, number of its node)}"""
    found = {}
    node = 0
    for line in LIST.read_text().splitlines() if LIST.exists() else []:
        if heading := re.fullmatch(rf"{NODE}(\d+):", line):
            node = int(heading[1])
        elif line and not line.startswith("#"):
            found[name_of(line)] = (line, node)
    return found


def nodes():
    """{function: number of its node in the linker map}"""
    return {function: int(number) for number, names in re.findall(rf"{NODE}(\d+) \{{(.*?)\}}", MAP.read_text(), re.S)
            for function in re.findall(r"^ +(kubexx_\w+);", names, re.M)}


def without_threads(header):
    """(line, function) of groups, which empty lines part, that do not say their threads before their first function."""
    number = 1
    for group in header.split("\n\n"):
        before, function, behind = group.partition("\nKUBEXX_C_EXPORT ")
        if group.startswith("KUBEXX_C_EXPORT "):
            before, function, behind = "", "\n", group
        if function and "Threads:" not in before:
            yield number + before.count("\n") + 1, re.search(r"(kubexx_\w+)\(", behind)[1]
        number += group.count("\n") + 2


def main():
    header = HEADER.read_text()
    version = int(re.search(r"^#define KUBEXX_C_VERSION (\d+)$", header, re.M)[1])
    try:
        now = declared(header)
    except Unreadable as why:
        print(f"{HEADER.relative_to(ROOT)}: {why}")
        return 1
    before = accepted()
    in_map = nodes()
    problems = []
    for name, (line, node) in before.items():
        if name not in now:
            problems.append(f"promised, and gone: {line}")
        elif now[name] != line:
            problems.append(f"promised as {line}  -> and is now {now[name]}")
        elif name in in_map and in_map[name] != node:
            problems.append(f"{name} came with {NODE}{node}, and stands in {NODE}{in_map[name]} of {MAP.relative_to(ROOT)}")
        if node > version:
            problems.append(f"{name} came with {NODE}{node}, and KUBEXX_C_VERSION is {version}")
    new = [name for name in now if name not in before]
    if "--accept" in sys.argv[1:] and not problems and new:
        last = max((node for _, node in before.values()), default=0)
        heading = [f"{NODE}{version}:"] if version != last else []
        with LIST.open("a") as file:
            file.write("\n".join(heading + [now[name] for name in new]) + "\n")
        new = []
    problems += [f"new: {now[name]}  -> tools/lint/check_c_interface.py --accept" for name in new]

    problems = [f"{HEADER.relative_to(ROOT)}: {text}" for text in problems]
    problems += [f"{HEADER.relative_to(ROOT)}:{number}: {name}  -> \"Threads:\" above it" for number, name in without_threads(header)]
    used = set(re.findall(r"\bkubexx_\w+", re.sub(r"//[^\n]*", "", WRAPPER.read_text())))
    problems += [f"{WRAPPER.relative_to(ROOT)}: it has no use of {name}" for name, line in now.items()
                 if name not in used and line.endswith(")") and not line.startswith("typedef")]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
