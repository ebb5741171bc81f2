#!/usr/bin/env python3
"""tidy_commands.py COMPILE_COMMANDS FOLDER [FILE...]: writes FOLDER/compile_commands.json for clang-tidy.

No precompiled headers: one compiler's are of no use to another. A header among the files is a main file too, with the command of
a source of its layer: so what is said of it is said once, and not with each source that includes it.
"""
import json
import pathlib
import shlex
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def without_precompiled(words):
    """Without -Xclang -include-pch -Xclang FILE. The header that it was made of stays: sources are compiled with it."""
    kept = list(words)
    while "-include-pch" in kept:
        at = kept.index("-include-pch")
        del kept[at - 1:at + 3]
    return kept


def folders(header):
    """Where to look for a source that is compiled as this header has to be: the nearest first."""
    parts = pathlib.PurePath(header).parts
    if parts[0] == "include":
        yield f"src/{parts[2]}/"  # include/kubexx/LAYER/
    else:
        yield "/".join(parts[:2]) + "/"
    yield "src/"


def of_header(header, by_source):
    """Alone, as every header has to be: what else a source includes before it is left out."""
    source = next(name for folder in folders(header) for name in by_source if name.startswith(folder))
    entry = by_source[source]
    words, kept = iter(without_precompiled(shlex.split(entry["command"]))), []
    for word in words:
        if word == "-o":
            next(words)
        elif word == "-Xclang":
            next(words), next(words), next(words)  # -include -Xclang FILE
        elif word not in ("-c", entry["file"]):
            kept.append(word)
    return {"directory": entry["directory"], "file": str(ROOT / header),
            "arguments": [*kept, "-x", "c++-header", "-c", str(ROOT / header)]}


def main(commands, folder, *files):
    entries = [entry for entry in json.loads(pathlib.Path(commands).read_text()) if entry["file"].endswith(".cpp")]
    inside = [entry for entry in entries if pathlib.Path(entry["file"]).is_relative_to(ROOT)]
    by_source = {str(pathlib.Path(entry["file"]).relative_to(ROOT)): entry
                 for entry in sorted(inside, key=lambda entry: entry["file"])}
    made = [{**entry, "command": shlex.join(without_precompiled(shlex.split(entry["command"])))} for entry in entries]
    made += [of_header(header, by_source) for header in files if header.endswith(".hpp")]
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    (pathlib.Path(folder) / "compile_commands.json").write_text(json.dumps(made, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
