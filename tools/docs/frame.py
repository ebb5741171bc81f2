"""What every page of the site has in common: frame, navigation, code in colors, and the index that is searched."""
import html
import json
import os
import pathlib
import re

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.util import ClassNotFound

THEME = pathlib.Path(__file__).parent / "theme"


def colored(code, language=None, name=None):
    """Code as HTML, with the classes of theme/site.css; plain where nobody knows the language."""
    try:
        lexer = get_lexer_by_name(language) if language else get_lexer_for_filename(name)
    except ClassNotFound:
        lexer = get_lexer_by_name("text")
    return highlight(code, lexer, HtmlFormatter(nowrap=True))


def block(code, language=None, name=None):
    return f'<div class="code"><pre><code>{colored(code, language, name)}</code></pre></div>'


class Site:
    """Pages by their path below the site's root. Links between them are written relative, so that file:// works."""

    def __init__(self, root, out, version):
        self.root, self.out, self.version = root, out, version
        self.navigation = []  # (title, [(title, path)])
        self.found = []  # what search finds: [title, where, path with anchor, kind, text]

    def relative(self, path, page):
        """How `page` links to `path`, which may have an anchor."""
        path, mark, anchor = path.partition("#")
        return os.path.relpath(path, os.path.dirname(page) or ".") + mark + anchor

    def remember(self, title, where, path, kind, text=""):
        self.found.append([title, where, path, kind, re.sub(r"\s+", " ", text).strip()])

    def write(self, page, title, body, contents=(), language="en"):
        """contents: (level, anchor, title) of what is on the page."""
        up = self.relative(".", page)
        groups = []
        for heading, links in self.navigation:
            current = any(path == page for _, path in links) or (page.startswith("reference/") and heading == "Reference")
            items = "".join(
                f'<li><a href="{self.relative(path, page)}"{" aria-current=page" if path == page else ""}>'
                f"{html.escape(name)}</a></li>"
                for name, path in links
            )
            groups.append(
                f'<details{" open" if current or heading == self.navigation[0][0] else ""}>'
                f"<summary>{html.escape(heading)}</summary><ul>{items}</ul></details>"
            )
        here = "".join(
            f'<li class="level{level}"><a href="#{anchor}">{html.escape(name)}</a></li>' for level, anchor, name in contents
        )
        aside = (
            f'<nav class="here" aria-label="On this page"><b>On this page</b><ul>{here}</ul></nav>' if len(contents) > 1 else ""
        )
        text = (THEME / "page.html").read_text()
        for name, value in {
            "LANG": language,
            "TITLE": html.escape(title),
            "UP": up,
            "VERSION": self.version,
            "NAV": "".join(groups),
            "BODY": body,
            "HERE": aside,
        }.items():
            text = text.replace(f"@{name}@", value)
        target = self.out / page
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def finish(self):
        for file in THEME.iterdir():
            if file.suffix in (".css", ".js", ".svg"):
                (self.out / file.name).write_text(file.read_text())
        # A script and no JSON: pages that were opened from the file system may not fetch anything.
        words = json.dumps(self.found, ensure_ascii=False, separators=(",", ":"))
        (self.out / "search-index.js").write_text(f"window.kubexxSearchIndex = {words};\n")
