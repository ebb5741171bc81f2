#!/usr/bin/env python3
"""build.py OUT [GENERATED]: the site. Guide and other documents from the tree's Markdown, the reference from what Doxygen reads in
the public headers, and the types that kubexx-gen wrote into the folder GENERATED, if one is given."""
import html
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from frame import Site  # noqa: E402
from pages import Pages, page_of  # noqa: E402
from reference import Reference, generated_pages, write_generated  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
# True: a public name without a comment fails the build.
EVERY_NAME_HAS_A_COMMENT = True
TOPICS = (
    "how-it-works",
    "from-client-go",
    "differences-from-client-go",
    "troubleshooting",
    "headers",
    "generator",
    "command-line",
    "operator",
    "leader",
    "logs",
    "cache-file",
    "node-agent",
    "c",
    "embedded-apiserver",
    "metrics",
    "health",
    "adapters",
    "performance",
    "glossary",
)
PROJECT = ("CHANGELOG", "ARCHITECTURE", "CONTRIBUTING", "SECURITY")


def doxygen(out):
    """Doxygen's XML, and its warnings as lines."""
    asked = (ROOT / "tools/docs/Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {out}\n"
    run = subprocess.run(["doxygen", "-"], input=asked, text=True, cwd=ROOT, stderr=subprocess.PIPE)
    if run.returncode != 0:
        raise SystemExit(f"docs: doxygen failed\n{run.stderr}")
    # Of a specialization in namespace std Doxygen knows no scope; that is all it means.
    return out / "xml", [line for line in run.stderr.splitlines() if "warning:" in line and "scope for class std::" not in line]


def layers():
    """What ARCHITECTURE.md says of each layer, as HTML."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    part = text[text.index("## The layers") : text.index("## Where a change goes")]
    said = {}
    for name, about in re.findall(r"^- `(\w+)`: (.*?)(?=^- |^$)", part, re.S | re.M):
        about = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(about.split()))
        said[name] = (
            "<p>" + re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(about[0].upper() + about[1:], quote=False)) + "</p>"
        )
    return said


def reference_page(site, reference, generated):
    rows = ""
    for name, page in reference.namespaces():
        classes = reference.classes_of(name)
        links = ", ".join(
            f'<a href="{site.relative(reference.places[c.get("id")], "reference/index.html")}">'
            f'{html.escape(c.findtext("compoundname").removeprefix(name + "::"))}</a>'
            for c in classes
        )
        rows += (
            f'<tr><td><a href="{site.relative(page, "reference/index.html")}"><code>{name}</code></a></td><td>{links}</td></tr>'
        )
    body = (
        "<h1>Reference</h1><p>What public headers have, by namespace, in the order in which data passes through them. "
        f'<a href="../{page_of("docs/headers.md")}">Which header for what</a> goes by what you want; '
        f'<a href="../{page_of("docs/public-api.md")}">what is promised</a> says which names stay. '
        'Programs in C include <a href="c.h.html"><code>kubexx/c.h</code></a>.</p>'
        f'<div class="table"><table><tr><th>namespace</th><th>classes</th></tr>{rows}</table></div>'
    )
    if generated:
        body += (
            '<h2 id="generated">Types of Kubernetes</h2><ul class="names">'
            + "".join(
                f'<li><a href="{site.relative(page, "reference/index.html")}"><code>{title}</code></a></li>'
                for title, page in generated
            )
            + "</ul>"
        )
    site.write("reference/index.html", "Reference", body)


def navigate(site, pages, reference, generated):
    guide = sorted(p for p in pages.documents() if re.match(r"docs/guide/\d", p))
    number = lambda path: f"{int(path.split('/')[-1][:2])}. {pages.title_of(path)}"
    topics = [f"docs/{name}.md" for name in TOPICS]
    rest = sorted(p for p in pages.documents() if re.match(r"docs/[^/]*\.md", p) and p not in topics)
    examples = sorted(p for p in pages.documents() if re.match(r"examples/\w+/README", p))
    decisions = sorted(p for p in pages.documents() if p.startswith("docs/adr/"))
    link = lambda path: (pages.title_of(path), page_of(path))
    site.navigation = [
        (
            "Guide",
            [("Overview", "index.html"), ("All pages", page_of("docs/guide/README.md"))]
            + [(number(p), page_of(p)) for p in guide],
        ),
        ("Topics", [link(p) for p in topics + rest]),
        (
            "Reference",
            [("All classes", "reference/index.html")]
            + [(name, page) for name, page in reference.namespaces()]
            + [("kubexx/c.h", "reference/c.h.html")],
        ),
        ("Types of Kubernetes", generated),
        ("Examples", [("I want to …", page_of("examples/README.md"))] + [(p.split("/")[1], page_of(p)) for p in examples]),
        ("Project", [link(f"{name}.md") for name in PROJECT] + [link(p) for p in decisions]),
        ("中文", [("概览", "README.zh-CN.html"), ("快速入门", page_of("docs/guide/zh-CN/01-getting-started.md"))]),
    ]
    site.navigation = [group for group in site.navigation if group[1]]
    return guide


def turns(guide, at, site, pages):
    """From a page of the guide to those beside it."""
    page = page_of(guide[at])
    before, after = guide[at - 1] if at > 0 else None, guide[at + 1] if at + 1 < len(guide) else None
    link = lambda path, text: f'<a href="{site.relative(page_of(path), page)}">{text}</a>' if path else "<span></span>"
    return (
        '<div class="turn">'
        + link(before, f"← {pages.title_of(before)}" if before else "")
        + link(after, f"{pages.title_of(after)} →" if after else "")
        + "</div>"
    )


def main():
    out = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    numbers = (ROOT / "include/kubexx/base/version.hpp").read_text()
    version = ".".join(re.search(rf"KUBEXX_VERSION_{part} (\d+)", numbers)[1] for part in ("MAJOR", "MINOR", "PATCH"))
    site = Site(ROOT, out, version)
    with tempfile.TemporaryDirectory() as folder:
        xml, warnings = doxygen(pathlib.Path(folder))
        reference = Reference(site, xml, layers())
    pages = Pages(site, reference.link)
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    generated = generated_pages(folder) if folder else []
    guide = navigate(site, pages, reference, generated)
    for at, path in enumerate(guide):
        pages.write(path, turns(guide, at, site, pages))
    for path in pages.documents():
        if path not in guide:
            pages.write(path)
    pages.write_sources()
    if folder:
        write_generated(site, folder)
    reference.write()
    reference_page(site, reference, generated)
    site.finish()

    for line in warnings:
        print(line, file=sys.stderr)
    silent = sorted((place.get("file"), int(place.get("line")), name) for place, name in reference.undocumented())
    shown = silent if EVERY_NAME_HAS_A_COMMENT else []
    for file, line, name in shown:
        print(f"include/{file}:{line}: {name} has no comment", file=sys.stderr)
    print(f"docs: {len(silent)} public names have no comment")
    return 1 if EVERY_NAME_HAS_A_COMMENT and (silent or warnings) else 0


if __name__ == "__main__":
    sys.exit(main())
