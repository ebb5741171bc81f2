#!/usr/bin/env python3
"""Draws the pictures of the documents: docs/images/source/NAME.txt becomes docs/images/NAME.svg. --check: says which are not
what their text says.

A line of a text is one of:

    canvas WIDTH HEIGHT
    box NAME X Y WIDTH HEIGHT KIND | line | line ...     KIND: yours, ours, server, state, end
    arrow FROM:SIDE TO:SIDE [DX DY] | label | line ...   SIDE: l r t b, with a place along it (b30: 30 percent); dashed: arrow-
    line X1 Y1 X2 Y2 | label                             a measured stretch, with a mark at each end
    text X Y SIZE [start|middle|end] | line | line ...
    # a remark

Colors follow the reader's theme, and each has its own background, so that a picture can be read on any page.
"""
import html
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs/images"
STYLE = """
    .paper { fill: #ffffff; stroke: #d0d7de }
    text { font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
    .small { font-size: 12px; fill: #59636e }
    .yours { fill: #fff1d6; stroke: #bf8700 } .ours { fill: #ddf4ff; stroke: #0969da }
    .server { fill: #f0f0f2; stroke: #6e7781 } .state { fill: #dafbe1; stroke: #1a7f37 } .end { fill: #ffebe9; stroke: #cf222e }
    .arrow { fill: none; stroke: #59636e; stroke-width: 1.6 } .dashed { stroke-dasharray: 5 4 } .head { fill: #59636e }
    @media (prefers-color-scheme: dark) {
      .paper { fill: #0d1117; stroke: #30363d } text { fill: #e6edf3 } .small { fill: #9198a1 }
      .yours { fill: #3a2a05; stroke: #d29922 } .ours { fill: #0c2d4f; stroke: #58a6ff }
      .server { fill: #21262d; stroke: #8b949e } .state { fill: #0f2e1a; stroke: #3fb950 } .end { fill: #3d1214; stroke: #f85149 }
      .arrow { stroke: #9198a1 } .head { fill: #9198a1 }
    }"""


def lines_of(text, x, y, anchor, size, small, step):
    """Lines around a middle; the first of several in a box is its name."""
    out = []
    for number, line in enumerate(text):
        look = ' class="small"' if small or number > 0 else f' font-size="{size}"'
        out.append(f'  <text x="{x:g}" y="{y + number * step:g}" text-anchor="{anchor}"{look}>{html.escape(line)}</text>')
    return out


class Picture:
    def __init__(self, text):
        self.boxes = {}
        self.under = []
        self.over = []
        self.size = (800, 400)
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                try:
                    head, *labels = [part.strip() for part in line.split("|")]
                    word, *rest = head.split()
                    getattr(self, word.replace("arrow-", "dashed"))(rest, labels)
                except (AttributeError, KeyError, ValueError, TypeError) as wrong:
                    raise SystemExit(f"line {number}: {line}: {wrong!r}") from wrong

    def canvas(self, rest, _):
        self.size = tuple(map(int, rest))

    def box(self, rest, labels):
        name, *place, kind = rest
        x, y, w, h = map(float, place)
        self.boxes[name] = (x, y, w, h)
        self.under.append(f'  <rect class="{kind}" x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="8" stroke-width="1.5"/>')
        first = y + h / 2 + 5 - (len(labels) - 1) * 8.5
        self.over += lines_of(labels, x + w / 2, first, "middle", 14, False, 17)

    def text(self, rest, labels):
        x, y, size, *anchor = rest
        self.over += lines_of(labels, float(x), float(y), anchor[0] if anchor else "start", size, int(size) < 13, 17)

    def line(self, rest, labels):
        x1, y1, x2, y2 = map(float, rest)
        ends = "".join(f"M{x:g} {y - 5:g}v10" if y1 == y2 else f"M{x - 5:g} {y:g}h10" for x, y in ((x1, y1), (x2, y2)))
        self.under.append(f'  <path class="arrow" d="M{x1:g} {y1:g}L{x2:g} {y2:g}{ends}"/>')
        self.over += lines_of(labels, (x1 + x2) / 2, (y1 + y2) / 2 - 8, "middle", 12, True, 15)

    def at(self, end):
        """A place on the edge of a box, and the way out of it there."""
        name, side = end.split(":")
        share = int(side[1:] or 50) / 100
        x, y, w, h = self.boxes[name]
        return {"l": (x, y + h * share, -1, 0), "r": (x + w, y + h * share, 1, 0),
                "t": (x + w * share, y, 0, -1), "b": (x + w * share, y + h, 0, 1)}[side[0]]

    def arrow(self, rest, labels, look="arrow"):
        x1, y1, u1, v1 = self.at(rest[0])
        x2, y2, u2, v2 = self.at(rest[1])
        dx, dy = (float(rest[2]), float(rest[3])) if len(rest) > 2 else (0, -6)
        bend = max(30, (abs(x2 - x1) + abs(y2 - y1)) / 3) if x1 != x2 and y1 != y2 else 0
        bend = 45 if (u1, v1) == (u2, v2) else bend  # around, on one side of both
        tx, ty = x2 + 7 * u2, y2 + 7 * v2  # where the head begins
        a, b, c, d = x1 + bend * u1, y1 + bend * v1, tx + bend * u2, ty + bend * v2
        self.under.append(f'  <path class="{look}" d="M{x1:g} {y1:g}C{a:g} {b:g} {c:g} {d:g} {tx:g} {ty:g}"/>')
        self.under.append(f'  <path class="head" d="M{x2:g} {y2:g}l{8 * u2 - 4 * v2:g} {8 * v2 - 4 * u2:g}l{8 * v2:g} {8 * u2:g}z"/>')
        x, y = (x1 + 3 * a + 3 * c + tx) / 8, (y1 + 3 * b + 3 * d + ty) / 8
        self.over += lines_of(labels, x + dx, y + dy - (len(labels) - 1) * 15, "middle", 12, True, 15)

    def dashed(self, rest, labels):
        self.arrow(rest, labels, "arrow dashed")

    def svg(self, name):
        w, h = self.size
        body = "\n".join(self.under + self.over)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img">\n'
                f"  <!-- Drawn by tools/pictures/draw.py from docs/images/source/{name}.txt. Do not edit. -->\n"
                f"  <style>{STYLE}\n  </style>\n"
                f'  <rect class="paper" x="0.5" y="0.5" width="{w - 1}" height="{h - 1}" rx="10"/>\n{body}\n</svg>\n')


def main():
    stale = []
    for source in sorted((IMAGES / "source").glob("*.txt")):
        wanted = Picture(source.read_text()).svg(source.stem)
        image = IMAGES / f"{source.stem}.svg"
        if image.exists() and image.read_text() == wanted:
            continue
        if "--check" in sys.argv:
            stale.append(f"{image.relative_to(ROOT)} is not what its text says (tools/pictures/draw.py)")
        else:
            image.write_text(wanted)
    print("\n".join(stale), end="\n" if stale else "")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
