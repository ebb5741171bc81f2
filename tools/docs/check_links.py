#!/usr/bin/env python3
"""check_links.py FOLDER: every link and picture of the site's pages leads to a file of it, and every anchor to an id, and so
does everything that search finds; nothing is loaded from elsewhere."""
import html.parser
import json
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.twice, self.links, self.loaded = set(), set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if "id" in found:
            (self.twice if found["id"] in self.ids else self.ids).add(found["id"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        for name in ("src", "href"):
            if name in found and tag in ("img", "script", "link"):
                self.loaded.append(found[name])


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text()) for path in sorted(root.rglob("*.html"))}
    problems, checked = [], 0

    def follow(link, path):
        nonlocal checked
        checked += 1
        name, _, anchor = link.partition("#")
        target = (path.parent / urllib.parse.unquote(name)).resolve() if name else path
        if not target.is_file():
            problems.append(f"{path.relative_to(root)}: {link} leads nowhere")
        elif anchor and target in pages and urllib.parse.unquote(anchor) not in pages[target].ids:
            problems.append(f"{path.relative_to(root)}: {link}: there is no such anchor")

    for path, page in pages.items():
        where = path.relative_to(root)
        problems += [f"{where}: the id {each} is there twice" for each in sorted(page.twice)]
        for link in page.links + page.loaded:
            if urllib.parse.urlsplit(link).scheme not in ("http", "https", "mailto"):
                follow(link, path)
            elif link in page.loaded:
                problems.append(f"{where}: {link} is loaded from elsewhere")
    index = root / "search-index.js"
    for entry in json.loads(index.read_text().partition("= ")[2].rstrip(";\n")):
        follow(entry[2], index)
    print("\n".join(problems[:100] + ([f"... and {len(problems) - 100} more"] if len(problems) > 100 else [])))
    print(f"docs: {len(pages)} pages, {checked} links, {len(problems)} of them wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
