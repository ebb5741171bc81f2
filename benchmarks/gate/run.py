#!/usr/bin/env python3
"""run.py PROGRAM [--accept] [--accepted FILE]: the figures of kubexx_gate beside those of accepted.tsv, or FILE.

Instructions are counted by callgrind and are the same at every run, or nearly; no timer and no neighbour has a say. It fails
when one is 1.5 times what was accepted for this compiler, or bytes 1.1 times; --accept writes the figures of this run into
the file instead, which a change then touches on purpose. A compiler of which the file knows nothing passes, with a note.
With --figures, PROGRAM is a file that has them already: a line with the compiler, then kind, name and value of each.
"""
import argparse
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

ACCEPTED = pathlib.Path(__file__).with_name("accepted.tsv")
MOST = {"instructions": 1.5, "bytes": 1.1}
LESS = 0.9  # of what was accepted: time to accept that


def inclusive_instructions(profile):
    """By function, those of what it calls included."""
    text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", "--show=Ir", profile], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return {name: int(count.replace(",", "")) for count, name in re.findall(r"^ *([\d,]+)\b.*:(gate_\w+)", text, re.M)}


def measured(program):
    """The compiler, and (kind, name, value) for each figure."""
    with tempfile.TemporaryDirectory() as work:
        profile = f"{work}/profile"
        said = subprocess.run(["valgrind", "--quiet", "--tool=callgrind", "--toggle-collect=gate_*",
                               f"--callgrind-out-file={profile}", program], check=True, stdout=subprocess.PIPE, text=True).stdout
        instructions = inclusive_instructions(profile)
    compiler, figures = "", []
    for line in said.splitlines():
        kind, *words = line.split("\t")
        if kind == "compiler":
            compiler = f"{words[0]}, {platform.machine()}"
        elif kind == "instructions":
            function, name, operations = words
            figures.append((kind, name, instructions[function] / int(operations)))
        else:
            figures.append((kind, words[0], float(words[1])))
    return compiler, figures


def read_figures(file):
    compiler, *lines = pathlib.Path(file).read_text().splitlines()
    return compiler, [(kind, name, float(value)) for kind, name, value in (line.split("\t") for line in lines)]


def read_accepted(file):
    """What stands before the figures, and the figures by (compiler, kind, name)."""
    head, accepted = [], {}
    for line in file.read_text().splitlines() if file.exists() else []:
        if line.startswith("#") or not line:
            head.append(line)
        else:
            compiler, kind, name, value = line.split("\t")
            accepted[compiler, kind, name] = float(value)
    return head, accepted


def write_accepted(file, compiler, figures):
    head, accepted = read_accepted(file)
    kept = {key: value for key, value in accepted.items() if key[0] != compiler}
    kept.update({(compiler, kind, name): value for kind, name, value in figures})
    lines = ["\t".join([*key, f"{value:.0f}"]) for key, value in sorted(kept.items(), key=lambda each: each[0][0])]
    file.write_text("\n".join(head + lines) + "\n")


def compare(compiler, figures, accepted):
    """Prints the figures; the names of those that are too large, or that nobody accepted."""
    bad = []
    for kind, name, value in figures:
        before = accepted.get((compiler, kind, name))
        line = f"{kind} to {name}" if kind == "instructions" else f"{kind} of {name}"
        if before is None:
            print(f"{line:<56} {value:>12,.0f}   accepted: none")
            bad.append(name)
            continue
        ratio = value / before
        verdict = f"   MORE THAN {MOST[kind]} TIMES" if ratio >= MOST[kind] else ""
        verdict = verdict or ("   less: --accept keeps it so" if ratio <= LESS else "")
        print(f"{line:<56} {value:>12,.0f}   accepted: {before:>9,.0f}   ratio {ratio:.2f}{verdict}")
        if ratio >= MOST[kind]:
            bad.append(name)
    return bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--accepted", type=pathlib.Path, default=ACCEPTED)
    parser.add_argument("--figures", action="store_true", help="PROGRAM is a file with figures")
    arguments = parser.parse_args()
    compiler, figures = (read_figures if arguments.figures else measured)(arguments.program)
    accepted = read_accepted(arguments.accepted)[1]
    print(f"gate: {compiler}")
    bad = compare(compiler, figures, accepted)
    if arguments.accept:
        write_accepted(arguments.accepted, compiler, figures)
        print(f"gate: accepted; {arguments.accepted.name} has these figures now")
        return
    if not any(key[0] == compiler for key in accepted):
        print(f"gate: NOT COMPARED: {arguments.accepted.name} has no figures of {compiler}; ./dev gate --accept adds them")
        return
    if bad:
        sys.exit(f"gate: too much, or never accepted: {', '.join(bad)}. If that is on purpose: ./dev gate --accept")
    print("gate: all within what was accepted")


if __name__ == "__main__":
    main()
