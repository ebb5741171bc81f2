#!/usr/bin/env python3
"""Checks the documents: quotes of examples have not drifted, links and their anchors lead somewhere, the version heads the
changelog, the tests that docs/upstream-tests.md names exist, docs/headers.md has every public header, examples/README.md every
example, each of which says in a few lines how it is built, alerts and the dashboard are about metrics that there are, flags of
kubexx-gen are described in the same words everywhere, and translations have the headings and the code of what they translate.

A quote is a code block behind `<!-- quote: FILE NAME -->`; its text stands in FILE between `// [begin NAME]` and
`// [end NAME]`, or is all of FILE where NAME is `*`. `check_docs.py --update` writes the quotes anew. In README.md
and docs, but for docs/adr, every block of C or C++ is a quote.
"""
import json
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
QUOTE = re.compile(r"(<!-- quote: (\S+) (\S+) -->\n```\w*\n)(.*?)(\n```)", re.S)
ALL_QUOTED = re.compile(r"(README(\.zh-CN)?|docs/(?!adr/).*)\.md")
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)")
FROM_PROMETHEUS = {"job", "instance", "le"}  # labels that a metric has there, whatever it has in the program
TRANSLATIONS = {"README.md": "README.zh-CN.md", "docs/guide/01-getting-started.md": "docs/guide/zh-CN/01-getting-started.md"}


def source_text(file, name):
    text = (ROOT / file).read_text()
    if name == "*":
        return text.rstrip("\n")
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
        readme = (folder / "README.md").read_text() if (folder / "README.md").exists() else ""
        if not 8 <= readme.count("\n") <= 14:
            yield f"examples/{folder.name}/README.md: it has {readme.count(chr(10))} lines, 8 to 14 are what a reader wants"
        if (folder / "CMakeLists.txt").exists() and "    cmake -B build && cmake --build build" not in readme:
            yield f"examples/{folder.name}/README.md does not say how it is built"
        if f"]({folder.name})" not in named:
            yield f"examples/README.md leads nobody to {folder.name}"


def drifted_flags():
    """The flags of kubexx-gen as its program takes and prints them, in its manual page and in docs/generator.md."""
    source = (ROOT / "tools/gen/main.cpp").read_text()
    usage = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', re.search(r"kUsage =(.*?);\n", source, re.S)[1])).replace("\\n", "\n")
    page = (ROOT / "packaging/man/kubexx-gen.1").read_text().replace("\\-", "-").replace("\\(aq", "'")
    items = re.search(r"^\.SH OPTIONS\n(.*?)^\.SH", re.sub(r"\\f[BIR]", "", page), re.M | re.S)[1]
    table = (ROOT / "docs/generator.md").read_text()

    def flags(found):
        return {flag: " ".join(words.replace("`", "").split()) for flag, words in found}

    wanted = flags(re.findall(r"^  (--\S+(?: \S+)?)  +(.*(?:\n    +.*)*)", usage, re.M))
    taken = set(re.findall(r'argument == "(--\w+)"', source))
    if {flag.split()[0] for flag in wanted} != taken:
        yield f"tools/gen/main.cpp: it takes {sorted(taken)}, its usage has {sorted(wanted)}"
    for where, there in (("packaging/man/kubexx-gen.1", flags(re.findall(r"^\.TP\n(.*)\n((?:[^.].*\n)*)", items, re.M))),
                         ("docs/generator.md", flags(re.findall(r"^\| `(--[^`]*)` \| (.*) \|$", table, re.M)))):
        for flag in sorted(wanted.keys() | there.keys()):
            if wanted.get(flag) != there.get(flag):
                yield f"{where}: {flag}: {there.get(flag)}; the usage of kubexx-gen has {wanted.get(flag)}"


def unknown_metrics():
    """Metrics of alerts and dashboard that docs/metrics.md does not have, or has with another type or without that label."""
    row = re.compile(r"^\| `(\w+)` \| (\w+) \| ([^|]*)\|", re.M)
    known = {name: (kind, set(re.findall(r"`(\w+)`", labels)))
             for name, kind, labels in row.findall((ROOT / "docs/metrics.md").read_text())}
    for file in ("deploy/monitoring/alerts.yaml", "deploy/monitoring/dashboard.json"):
        text = (ROOT / file).read_text()
        if file.endswith(".json"):
            text = "\n".join(expressions(json.loads(text)))
        for name, labels in sorted(set(re.findall(r"\b((?:kubexx|workqueue|process)_\w+)(\{[^}]*\})?", text))):
            plain = re.sub(r"_bucket$", "", name)
            kind, has = known.get(plain, (None, set()))
            if kind is None or (name != plain) != (kind == "histogram"):
                yield f"{file}: docs/metrics.md has no {name}"
            for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", labels):
                if kind and label not in has | FROM_PROMETHEUS:
                    yield f"{file}: {plain} has no label {label}"
        for labels, name in re.findall(r"\bby \(([^)]*)\) \((?:\w+\()*(\w+)", text):
            for label in set(labels.split(", ")) - FROM_PROMETHEUS - known.get(re.sub(r"_bucket$", "", name), (None, set()))[1]:
                yield f"{file}: {name} has no label {label}"


def expressions(part):
    """What a dashboard asks Prometheus for."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name in ("expr", "query") and isinstance(value, str):
                yield value
            else:
                yield from expressions(value)
    elif isinstance(part, list):
        for each in part:
            yield from expressions(each)


def outline(text):
    """The levels of a document's headings, and its blocks of code, fenced and indented."""
    levels, blocks, fence = [], [], None
    indented = []
    for line in text.splitlines() + [""]:
        if fence is not None:
            fence.append(line)
            if line == "```":
                blocks.append("\n".join(fence))
                fence = None
        elif line.startswith("```"):
            fence = [line]
        elif line.startswith("    ") or (indented and not line):
            indented.append(line)
        elif indented:
            blocks.append("\n".join(indented).rstrip())
            indented = []
        if fence is None and re.match(r"#+ ", line):
            levels.append(line.split()[0])
    return levels, blocks


def drifted_translations():
    for original, translation in TRANSLATIONS.items():
        levels, blocks = outline((ROOT / original).read_text())
        their_levels, their_blocks = outline((ROOT / translation).read_text())
        if levels != their_levels:
            yield f"{translation}: its headings are not those of {original}: {their_levels} beside {levels}"
        if len(blocks) != len(their_blocks):
            yield f"{translation}: {len(their_blocks)} blocks of code, {original} has {len(blocks)}"
        for own, theirs in zip(blocks, their_blocks):
            if own != theirs:
                yield f"{translation}: a block of code differs from {original}: {theirs.splitlines()[0].strip()}"


def heading_anchor(title):
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def anchors(path, known={}):
    """What can stand behind the # of a link to this file, by the rules of the web page that shows Markdown."""
    if path not in known:
        text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.S | re.M)
        names = [heading_anchor(re.sub(r"\]\([^)]*\)", "", title)) for title in re.findall(r"^#+ (.*)$", text, re.M)]
        known[path] = set(names) | {f"{name}-{names[:at].count(name)}" for at, name in enumerate(names) if name in names[:at]}
    return known[path]


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
    documents = [p for p in ROOT.glob("*.md")]
    for folder in ("apps", "benchmarks", "deploy", "docs", "examples", "fuzz", "tests", "tools"):
        documents += (ROOT / folder).rglob("*.md")
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
        for link, anchor in LINK.findall(re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)):
            target = path.parent / link if link else path
            if not target.exists():
                problems.append(f"{where}: link to {link} leads nowhere")
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                problems.append(f"{where}: {link} has no heading for #{anchor}")
    for (file, name), most in FIRST_PROGRAMS.items():
        named = names_of(file, name)
        if len(named) > most:
            problems.append(f"{file}: {len(named)} names of the library, {most} are enough for a first program: {sorted(named)}")
    problems += [f"docs/upstream-tests.md: there is no test {test}" for test in unknown_tests()]
    problems += [f"docs/headers.md: {what}" for what in unlisted_headers()]
    problems += unexplained_examples()
    problems += unknown_metrics()
    problems += drifted_flags()
    problems += drifted_translations()
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
