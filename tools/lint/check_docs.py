#!/usr/bin/env python3
"""Checks the documents: quotes of examples have not drifted, links lead somewhere, the version heads the changelog,
the tests that docs/upstream-tests.md names exist, docs/headers.md has every public header and examples/README.md every
example, and alerts are about metrics that there are.

A quote is a code block behind `<!-- quote: FILE NAME -->`; its text stands in FILE between `// [begin NAME]` and
`// [end NAME]`. `check_docs.py --update` writes the quotes anew. In the guide every block of C or C++ is a quote.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUOTE = re.compile(r"(<!-- quote: (\S+) (\S+) -->\n```\w*\n)(.*?)(\n```)", re.S)
ALL_QUOTED = re.compile(r"docs/(guide/.*|from-client-go)\.md")
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def source_text(file, name):
    text = (ROOT / file).read_text()
    match = re.search(rf"^[^\n]*\[begin {re.escape(name)}\](?: \*/)?\n(.*?)^[^\n]*\[end {re.escape(name)}\]", text, re.S | re.M)
    return textwrap.dedent(match[1]).rstrip("\n") if match else None


def unknown_tests():
    """The tests of docs/upstream-tests.md that are not there. `.Name` continues a suite; … and * leave out the rest."""
    tests = set()
    for path in (ROOT / "tests").rglob("*_test.cpp"):
        tests.update(re.findall(r"^(?:TEST(?:_F|_P)?|RC_GTEST_PROP)\((\w+),\s*(\w+)", path.read_text(), re.M))
    for line in (ROOT / "docs/upstream-tests.md").read_text().splitlines():
        suite = ""
        if not line.startswith("|"):
            continue
        for named, test in re.findall(r"`(\w*)\.(\w+[…*]?|\*)`", line):
            suite = named or suite
            start = test.rstrip("…*")
            if not any(s == suite and (t.startswith(start) if test != start else t == test) for s, t in tests):
                yield f"{suite}.{test}"


def unlisted_headers():
    """Public headers that docs/headers.md lacks, and those it has that do not exist. Generated ones are not looked for."""
    listed = set(re.findall(r"`([a-z_0-9/]+\.hp?p?)`", (ROOT / "docs/headers.md").read_text()))
    include = ROOT / "include/kubexx"
    public = {p.relative_to(include).as_posix() for p in include.rglob("*.h*") if "detail" not in p.parts} - {"kubexx.hpp"}
    generated = {name for name in listed if re.match(r"clientset/|api/(?!support\.hpp)", name)}
    yield from (f"says nothing of {name}" for name in sorted(public - listed))
    yield from (f"there is no header {name}" for name in sorted(listed - public - generated))


def unexplained_examples():
    named = (ROOT / "examples/README.md").read_text()
    for folder in sorted(p for p in (ROOT / "examples").iterdir() if p.is_dir()):
        if not (folder / "README.md").exists():
            yield f"examples/{folder.name} has no README.md"
        if f"]({folder.name})" not in named:
            yield f"examples/README.md leads nobody to {folder.name}"


def unknown_metrics():
    known = (ROOT / "docs/metrics.md").read_text()
    alerts = (ROOT / "deploy/monitoring/alerts.yaml").read_text()
    for name in sorted(set(re.findall(r"\b(?:kubexx|workqueue|process)_\w+", alerts))):
        if f"`{name}`" not in known:
            yield f"deploy/monitoring/alerts.yaml: docs/metrics.md has no {name}"


# How many names of the library somebody meets who reads these first.
FIRST_PROGRAMS = {
    ("examples/pod_informer/main.cpp", "watch"): 6,
    ("examples/sample_controller/short_controller.cpp", "short"): 12,
}


def names_of(file, name):
    """The names of namespace kubexx that a part of an example uses, members of its classes apart."""
    code = re.sub(r'"(?:[^"\\]|\\.)*"|//[^\n]*|^#[^\n]*', "", source_text(file, name), flags=re.M)
    named = set()
    for word in re.findall(r"(?<![\w.>])(?:\w+::)*\w+", code):
        parts = word.removeprefix("kubexx::").split("::")
        local = parts == [word] and word not in ("Result", "Error", "Action", "ObjectKey")  # by using-declarations
        if local or parts[0] in ("std", "samplecontroller"):
            continue
        while len(parts) > 1 and parts[-2][0].isupper():  # a member of a class
            parts.pop()
        named.add("::".join(parts))
    return named


def main():
    update = "--update" in sys.argv
    problems = []
    documents = [p for p in ROOT.glob("*.md")] + [p for d in ("docs", "examples") for p in (ROOT / d).rglob("*.md")]
    for path in documents:
        text = path.read_text()
        where = path.relative_to(ROOT)

        def check(match):
            wanted = source_text(match[2], match[3])
            if wanted is None:
                problems.append(f"{where}: quote {match[2]} {match[3]}: no such markers")
                return match[0]
            if wanted != match[4] and not update:
                problems.append(f"{where}: quote {match[2]} {match[3]} has drifted (tools/lint/check_docs.py --update)")
            return match[1] + wanted + match[5]

        if text.count("\n<!-- quote:") != len(QUOTE.findall(text)):
            problems.append(f"{where}: a quote marker is not followed by a code block")
        if ALL_QUOTED.fullmatch(where.as_posix()) and re.search(r"^```(c|cpp)$", QUOTE.sub("", text), re.M):
            problems.append(f"{where}: a block of code is not behind <!-- quote: FILE NAME -->: it is not compiled")
        new = QUOTE.sub(check, text)
        if update and new != text:
            path.write_text(new)
        for link in LINK.findall(re.sub(r"```.*?```", "", text, flags=re.S)):
            if not (path.parent / link).exists():
                problems.append(f"{where}: link to {link} leads nowhere")
    for (file, name), most in FIRST_PROGRAMS.items():
        named = names_of(file, name)
        if len(named) > most:
            problems.append(f"{file}: {len(named)} names of the library, {most} are enough for a first program: {sorted(named)}")
    problems += [f"docs/upstream-tests.md: there is no test {test}" for test in unknown_tests()]
    problems += [f"docs/headers.md: {what}" for what in unlisted_headers()]
    problems += unexplained_examples()
    problems += unknown_metrics()
    numbers = (ROOT / "include/kubexx/base/version.hpp").read_text()
    version = ".".join(re.search(rf"KUBEXX_VERSION_{part} (\d+)", numbers)[1] for part in ("MAJOR", "MINOR", "PATCH"))
    changelog = (ROOT / "CHANGELOG.md").read_text()
    first = re.search(r"^## \[([^\]]+)\]", changelog, re.M)
    if not first or first[1] not in (version, "Unreleased"):
        problems.append(f"CHANGELOG.md: its first heading is neither Unreleased nor {version}")
    layers = [l.split(":")[0] for l in (ROOT / "cmake/layers.txt").read_text().splitlines() if re.match(r"[a-z]+:", l)]
    architecture = (ROOT / "ARCHITECTURE.md").read_text()
    for layer in layers:
        if f"`{layer}`" not in architecture:
            problems.append(f"ARCHITECTURE.md: says nothing of the layer {layer}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
