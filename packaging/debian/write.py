#!/usr/bin/env python3
"""write.py SOURCE [SUITE]: makes SOURCE/debian of this folder, for dpkg-buildpackage there.

The version is that of version.hpp, and the names of the packages follow from it as the SONAMEs do: libkubexx0.2 has
libkubexx.so.0.2. What the version brought is its section in CHANGELOG.md, or [Unreleased] as long as there is none.
SUITE, like bookworm, marks the packages as built for it: those of a later suite are newer. $DEBFULLNAME and $DEBEMAIL
say who builds them.
"""
import datetime
import email.utils
import os
import pathlib
import re
import shutil
import sys
import textwrap

SUITES = {"bookworm": "deb12", "trixie": "deb13"}


def version_of(source):
    text = (source / "include/kubexx/base/version.hpp").read_text()
    return [re.search(rf"#define KUBEXX_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH")]


def sections(text):
    """[(version, date or None, [item, ...]), ...] of a changelog; an item is one line."""
    found = []
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        head, body = part.split("\n", 1)
        match = re.match(r"\[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?", head)
        if not match:
            sys.exit(f"CHANGELOG.md: no version in: ## {head}")
        items = []
        for line in body.splitlines():
            if line.startswith("- "):
                items.append(line[2:])
            elif line.startswith("  ") and items:
                items[-1] += " " + line.strip()
        found.append((match.group(1), match.group(2), [plain(item) for item in items]))
    return found


def plain(item):
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", item).replace("`", "").replace("**", "")


def changelog(source, version, suffix, suite, maintainer):
    known = sections((source / "CHANGELOG.md").read_text())
    if not any(name == version for name, _, _ in known):
        known = [(version if name == "Unreleased" else name, date, items) for name, date, items in known]
    # Of the commit, where this is an archive of it.
    written = datetime.datetime.fromtimestamp((source / "include/kubexx/base/version.hpp").stat().st_mtime, datetime.timezone.utc)
    text = ""
    for name, date, items in known:
        if name == "Unreleased" or not items:
            continue
        day = datetime.datetime.fromisoformat(date).replace(tzinfo=datetime.timezone.utc) if date else written
        text += f"kubexx ({name}-1{suffix}) {suite}; urgency=medium\n\n"
        for item in items:
            text += textwrap.fill(item, 78, initial_indent="  * ", subsequent_indent="    ", break_long_words=False,
                                  break_on_hyphens=False) + "\n"
        text += f"\n -- {maintainer}  {email.utils.format_datetime(day)}\n\n"
    if not text.startswith(f"kubexx ({version}-"):
        sys.exit(f"CHANGELOG.md: its first version is not {version}, which version.hpp has")
    return text


def main():
    source = pathlib.Path(sys.argv[1])
    suite = sys.argv[2] if len(sys.argv) > 2 else "unstable"
    suffix = "~" + SUITES[suite] if suite in SUITES else ""
    here = pathlib.Path(__file__).resolve().parent
    major, minor, patch = version_of(source)
    maintainer = f"{os.environ.get('DEBFULLNAME', 'The authors of kubexx')} <{os.environ.get('DEBEMAIL', 'packages@kubexx.invalid')}>"
    words = {"@API@": f"{major}.{minor}", "@MAINTAINER@": maintainer}
    out = source / "debian"
    shutil.rmtree(out, ignore_errors=True)
    (out / "source").mkdir(parents=True)
    shutil.copy(here / "source/format", out / "source/format")
    for file in here.iterdir():
        if not file.is_file() or file.suffix == ".py":
            continue
        name, text = file.name.removesuffix(".in"), file.read_text()
        for word, value in words.items():
            name, text = name.replace(word, value), text.replace(word, value)
        (out / name).write_text(text)
        shutil.copymode(file, out / name)
    (out / "changelog").write_text(changelog(source, f"{major}.{minor}.{patch}", suffix, suite, maintainer))


if __name__ == "__main__":
    main()
