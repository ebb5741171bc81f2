#!/usr/bin/env python3
"""script.py REPOSITORY PAGE...: what the pages tell to do, as one shell script on standard output.

Of a page are taken, in its order:
- a block of code behind `<!-- file: NAME -->`: it is written to NAME; behind `<!-- more of: NAME -->` it is appended;
- an indented block: commands, run one after the other in the folder where those before have left the shell.

Comments before an indented block say what a reader sees for himself:
- `<!-- wait for: FILE -->`: a command before it, which goes on in the background, writes this file first;
- `<!-- until: TEXT -->`: the block is one command that does not end; it is ended when it has printed TEXT;
- `<!-- output: TEXT -->`: something that runs in the background prints TEXT because of it.

The word REPOSITORY stands for the address of the repository. Each page begins in a folder of its own, and what it left running
is ended behind it. A named file without a block, or a marker without one, is an error.
"""
import pathlib
import re
import shlex
import sys

MARKER = re.compile(r"<!-- (file|more of|wait for|until|output): (.*?) -->")
FENCE = re.compile(r"```(\w*)")

# Background programs write to a file, in which the script looks for what they say.
PRELUDE = r"""#!/bin/bash
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
printf 'APT::Get::Assume-Yes "true";\n' >/etc/apt/apt.conf.d/91first-hour  # nobody is there to answer
apt-get update -qq
failed() { echo "first-hour: FAILED: $*" >&2; exit 1; }
begin_page() {  # NAME
  echo "== $1"
  mkdir -p "$HOME/pages/$1" && cd "$HOME/pages/$1"
  unset KUBECONFIG
  said=$HOME/pages/$1.background
  : >"$said"
}
end_page() {
  local job
  for job in $(jobs -p); do kill -TERM "$job" 2>/dev/null || true; done
  wait
}
await() {  # WHAT COMMAND...: until the command succeeds, for two minutes
  local what=$1 tries
  shift
  for ((tries = 0; tries < 1200; tries++)); do
    "$@" && return
    sleep 0.1
  done
  cat "$said"* >&2
  failed "waited for $what"
}
until_said() {  # TEXT COMMAND: a command that does not end by itself
  : >"$said.own"
  bash -c "exec $2" >"$said.own" 2>&1 &
  local id=$!
  await "$1" grep -qF -- "$1" "$said.own"
  kill -TERM $id
  wait $id || failed "$2 ended with $?"
}
trap end_page EXIT
"""

AFTERWARDS = """
echo "== all examples, against what the first page installed"
cmake -S "$HOME/kubexx/tests/first_hour/examples" -B "$HOME/examples" -DCMAKE_BUILD_TYPE=Release
cmake --build "$HOME/examples"
echo "first-hour: all pages work"
"""


def blocks(text):
    """(markers, language or None for an indented one, lines) of each block; markers stand right before it."""
    markers, fence, lines, language = [], False, [], None
    for line in text.splitlines() + [""]:
        if fence:
            if line == "```":
                yield markers, language, lines
                markers, fence, lines = [], False, []
            else:
                lines.append(line)
        elif FENCE.fullmatch(line):
            fence, language = True, FENCE.fullmatch(line)[1]
        elif line.startswith("    "):
            lines.append(line[4:])
        else:
            if lines:
                yield markers, None, lines
                markers, lines = [], []
            found = MARKER.fullmatch(line)
            if found:
                markers.append((found[1], found[2]))
            elif line and not line.startswith("<!--"):
                if markers:
                    raise SystemExit(f"first-hour: {markers} is not followed by a block")
                markers = []


def commands(lines):
    """The commands of an indented block: lines that end in a backslash go on."""
    return [each for each in "\n".join(lines).replace("\\\n", " ").splitlines() if each.strip()]


def step(markers, language, lines, where):
    said = dict(markers)
    if language is not None:
        for kind, arrow in (("file", ">"), ("more of", ">>")):
            if kind in said:
                first = "\n" if kind == "more of" else ""
                yield f"cat {arrow} {shlex.quote(said[kind])} <<'END OF FILE'\n{first}" + "\n".join(lines) + "\nEND OF FILE"
        if set(said) - {"file", "more of"}:
            raise SystemExit(f"first-hour: {where}: {said} is for commands")
        return
    if "file" in said or "more of" in said:
        raise SystemExit(f"first-hour: {where}: {said} is for a block between ```")
    if "wait for" in said:
        yield f"await {shlex.quote(said['wait for'])} test -s {shlex.quote(said['wait for'])}"
    for command in commands(lines):
        yield "echo " + shlex.quote("$ " + command)
        if "until" in said:
            if len(commands(lines)) != 1:
                raise SystemExit(f"first-hour: {where}: 'until' is for one command")
            yield f"until_said {shlex.quote(said['until'])} {shlex.quote(without_assignment(command))}"
        elif command.rstrip().endswith("&"):
            yield command.rstrip()[:-1].rstrip() + ' >>"$said" 2>&1 &'
        else:
            yield f"{{ {command}\n}} || failed {shlex.quote(command)}"
    if "output" in said:
        yield f"await {shlex.quote(said['output'])} grep -qF -- {shlex.quote(said['output'])} \"$said\""


def without_assignment(command):
    """`NAME=value program` as exec takes it."""
    return "env " + command if re.match(r"\w+=", command) else command


def main():
    repository, pages = sys.argv[1], sys.argv[2:]
    out = [PRELUDE]
    for page in pages:
        text = pathlib.Path(page).read_text().replace("REPOSITORY is the address", "").replace("REPOSITORY", repository)
        steps = [line for markers, language, lines in blocks(text) for line in step(markers, language, lines, page)]
        named = {value for kind, value in MARKER.findall(text) if kind == "file"}
        for file in re.findall(r"^`([\w.]+)`[,;:].*:$|^`([\w.]+)`:$", text, re.M):
            if not set(file) & named:
                raise SystemExit(f"first-hour: {page}: {file} is named, and no block is it")
        out += [f"begin_page {pathlib.Path(page).stem}", *steps, "end_page"]
    print("\n".join(out))
    print(AFTERWARDS)


if __name__ == "__main__":
    main()
