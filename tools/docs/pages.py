"""The Markdown files of the tree as pages, with the sources that they link to."""
import html
import pathlib
import re
import sys

import markdown

from frame import Site, block

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lint"))
from check_docs import heading_anchor  # noqa: E402  the same anchors as where the files are read without this site

TEXT = {
    ".cpp",
    ".hpp",
    ".h",
    ".c",
    ".py",
    ".yaml",
    ".yml",
    ".json",
    ".txt",
    ".sh",
    ".cmake",
    ".go",
    ".tsv",
    ".inc",
    ".in",
    ".js",
    ".css",
    ".html",
    "",
}
CHINESE = "[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]"
SOURCE_LIMIT = 400_000  # bytes; what is larger is named and not shown


def page_of(path):
    """Where a file or folder of the tree is in the site."""
    if path.endswith(".md"):
        return re.sub(r"(^|/)README\.md$", r"\1index.html", path) if path.endswith("README.md") else path[:-3] + ".html"
    return path + ".html"


class Pages:
    def __init__(self, site: Site, reference_link):
        self.site, self.root = site, site.root
        self.reference_link = reference_link  # of a name in backquotes: a page of the reference, or nothing
        self.wanted = []  # sources that somebody links to
        self.titles = {}

    def documents(self):
        found = sorted(p.relative_to(self.root).as_posix() for p in self.root.glob("*.md"))
        for folder in ("docs", "examples"):
            found += sorted(p.relative_to(self.root).as_posix() for p in (self.root / folder).rglob("*.md"))
        return found

    def title_of(self, path):
        if path not in self.titles:
            match = re.search(r"^# (.*)$", (self.root / path).read_text(), re.M)
            self.titles[path] = re.sub(r"[`*]", "", match[1]) if match else path
        return self.titles[path]

    def target(self, link, path):
        """Where a link of the document leads in the site."""
        name, mark, anchor = link.partition("#")
        if not name:
            return link
        file = (self.root / path).parent.joinpath(name).resolve()
        if not file.is_relative_to(self.root):
            raise SystemExit(f"docs: {path}: {link} leads out of the tree")
        inside = file.relative_to(self.root).as_posix()
        if file.is_dir():
            # A folder is its README, or the list of what is in it.
            inside = (inside + "/README.md").removeprefix("./") if (file / "README.md").exists() else inside
            if not inside.endswith(".md"):
                self.want(inside)
        elif file.suffix in (".svg", ".png"):
            return self.site.relative(self.copy(inside), page_of(path))
        elif not inside.endswith(".md"):
            self.want(inside)
        return self.site.relative(page_of(inside) + mark + anchor, page_of(path))

    def copy(self, inside):
        target = self.site.out / inside
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((self.root / inside).read_bytes())
        return inside

    def want(self, inside):
        if inside not in self.wanted:
            self.wanted.append(inside)

    def render(self, path):
        text = (self.root / path).read_text()
        text = re.sub(r"^<!--.*?-->\n", "", text, flags=re.M | re.S)
        text = re.sub(rf"(?<={CHINESE})\n(?={CHINESE})", "", text)  # the end of a line is no space there
        blocks = []

        def keep(match):  # code is colored by itself, and put back when the rest is HTML
            blocks.append(block(re.sub(rf"^{match[1]}", "", match[3], flags=re.M), match[2] or "text"))
            return f"\n{match[1]}kubexxblock{len(blocks) - 1}end\n"

        text = re.sub(r"^( *)```(\w*)\n(.*?)^ *```$", keep, text, flags=re.M | re.S)
        body = markdown.markdown(text, extensions=["tables", "sane_lists"])
        body = re.sub(r"<p>kubexxblock(\d+)end</p>|kubexxblock(\d+)end", lambda m: blocks[int(m[1] or m[2])], body)
        body = re.sub(
            r'(?<!<div class="code">)<pre><code>(.*?)</code></pre>',  # indented ones are commands
            lambda m: block(html.unescape(m[1]), "bash"),
            body,
            flags=re.S,
        )
        body = re.sub(
            r"<table>.*?</table>", lambda m: '<div class="table">' + m[0].replace("\\|", "|") + "</div>", body, flags=re.S
        )
        contents, seen = [], []

        def heading(match):
            level, title = int(match[1]), match[2]
            plain = html.unescape(re.sub(r"<[^>]*>", "", title))
            name = heading_anchor(plain)
            anchor = f"{name}-{seen.count(name)}" if name in seen else name
            seen.append(name)
            if level in (2, 3):
                contents.append((level, anchor, plain))
            link = f'<a class="anchor" href="#{anchor}" aria-label="Link to this part">#</a>'
            return f'<h{level} id="{anchor}">{title}{link}</h{level}>'

        body = re.sub(r"<h([1-6])>(.*?)</h\1>", heading, body, flags=re.S)
        body = re.sub(
            r'(href|src)="(?!https?:|mailto:|#)([^"]+)"', lambda m: f'{m[1]}="{self.target(html.unescape(m[2]), path)}"', body
        )
        return self.with_names(body, page_of(path)), contents

    def with_names(self, body, page):
        """Names in backquotes lead to the reference, but for those that are in a link already."""

        def name(match):
            if match[1]:
                return match[0]
            target = self.reference_link(html.unescape(match[2]))
            return f'<a href="{self.site.relative(target, page)}"><code>{match[2]}</code></a>' if target else match[0]

        return re.sub(
            r"(<a .*?</a>|<div class=\"code\">.*?</div>|<h[1-6].*?</h[1-6]>)|<code>([\w:]+(?:\(\))?)</code>",
            name,
            body,
            flags=re.S,
        )

    def remember(self, path, body, kind):
        """What search finds: each part of a page by its heading."""
        page, title = page_of(path), self.title_of(path)
        parts = re.split(r'<h[1-6] id="([^"]*)">(.*?)</h[1-6]>', body, flags=re.S)
        plain = lambda text: html.unescape(re.sub(r"<[^>]*>", " ", re.sub(r"</?(?:span|code|a|em|strong)\b[^>]*>", "", text)))
        for at in range(1, len(parts), 3):
            anchor, heading, text = (
                parts[at],
                plain(re.sub(r'<a class="anchor".*?</a>', "", parts[at + 1])),
                plain(parts[at + 2]),
            )
            first = at == 1
            self.site.remember(
                title if first else heading, "" if first else title, page if first else f"{page}#{anchor}", kind, text
            )

    def write(self, path, turn=""):
        body, contents = self.render(path)
        kind = "guide" if path.startswith("docs/guide/") else "page"
        self.remember(path, body, kind)
        if path.startswith("examples/") and path != "examples/README.md":
            body += self.listing(str(pathlib.PurePosixPath(path).parent), page_of(path))
        self.site.write(page_of(path), self.title_of(path), body + turn, contents, "zh-CN" if "zh-CN" in path else "en")

    def listing(self, folder, page):
        """The files of a folder, each with its page."""
        items = []
        for file in sorted((self.root / folder).iterdir()):
            inside = file.relative_to(self.root).as_posix()
            if file.name == "README.md":
                continue
            if not file.is_dir() and (file.suffix not in TEXT or file.stat().st_size > SOURCE_LIMIT):
                items.append(f"<li><code>{file.name}</code></li>")
                continue
            target = inside + "/README.md" if file.is_dir() and (file / "README.md").exists() else inside
            if not target.endswith(".md"):
                self.want(inside)
            items.append(f'<li><a href="{self.site.relative(page_of(target), page)}"><code>{file.name}</code></a></li>')
        return f'<h2 id="files">Files</h2><ul>{"".join(items)}</ul>'

    def write_sources(self):
        """Files and folders that pages link to; a folder brings what is in it."""
        at = 0
        while at < len(self.wanted):
            inside = self.wanted[at]
            at += 1
            file, page = self.root / inside, page_of(inside)
            if file.is_dir():
                body = f"<h1>{html.escape(inside)}</h1>" + self.listing(inside, page)
            elif file.suffix not in TEXT or file.stat().st_size > SOURCE_LIMIT:
                body = f"<h1>{html.escape(inside)}</h1><p>{file.stat().st_size:,} bytes; in the repository.</p>"
            else:
                body = f'<h1>{html.escape(inside)}</h1><div class="wide">' + block(file.read_text(), name=file.name) + "</div>"
            self.site.remember(file.name, inside, page, "source")
            self.site.write(page, inside, body)
