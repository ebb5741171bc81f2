#!/usr/bin/env python3
"""docs/troubleshooting.md speaks of every kind of Error, and of no text that the sources do not have.

Kinds are headings, failures of connections stand in backquotes. Texts stand in the first column of tables headed `text`, with
an ellipsis where something else is put in; each piece between must be in a string of the sources.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/troubleshooting.md"


def enumerators(name):
    header = (ROOT / "include/kubexx/base/error.hpp").read_text()
    body = re.search(rf"enum class {name} [^{{]*\{{(.*?)\}};", header, re.S)[1]
    return re.findall(r"\b([A-Z]\w*)\b(?=,| *$)", re.sub(r"//[^\n]*", "", body), re.M)


def strings():
    """Everything that stands in strings of the sources; strings that follow each other are one."""
    text = "\n".join(p.read_text() for d in ("src", "include") for p in sorted((ROOT / d).rglob("*.[ch]pp")))
    text = re.sub(r'"\s*\n\s*"', "", text)
    return "\n".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)).replace('\\"', '"')


def texts(page):
    wanted = False
    for line in page.splitlines():
        if not line.startswith("|"):
            wanted = False
        elif line.startswith("| text |"):
            wanted = True
        elif wanted and not line.startswith("|---"):
            yield from re.findall(r"`([^`]+)`", line.split("|")[1])


def main():
    page = PAGE.read_text()
    problems = [f"has no section {kind}" for kind in enumerators("ErrorKind") if f"\n## {kind}\n" not in page]
    problems += [f"does not say what {each} is" for each in enumerators("TransportFailure") if f"`{each}`" not in page]
    said = strings()
    for text in texts(page):
        for piece in text.split("…"):
            if len(piece.strip()) > 3 and piece.strip() not in said:
                problems.append(f'the sources do not say "{piece.strip()}" ({text})')
    print("\n".join(f"docs/troubleshooting.md: {problem}" for problem in problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
