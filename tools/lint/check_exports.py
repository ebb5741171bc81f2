#!/usr/bin/env python3
"""Whether each header says what the shared libraries export (kubexx/base/export.hpp). What the libraries then export is compared
by tests/shared.

A function that a public header declares and does not define has KUBEXX_EXPORT, and so has a class with such a member or with
virtual ones. In a namespace or folder `detail` and in src/ only KUBEXX_EXPORT_INTERNAL is used. A class inside an exported one
that a source file defines has KUBEXX_HIDDEN.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*|"(?:[^"\\\n]|\\.)*"|(?<!\w)\'(?:[^\'\\\n]|\\.)+\'', re.S | re.M)
CLASS = re.compile(r"(?:class|struct)\b(?P<marks>(?:\s*\[\[[^\]]*\]\]|\s+KUBEXX_\w+)*)\s+(?P<name>\w+)(?:\s+final)?\s*(?:$|:[^:])")
NO_DECLARATION = re.compile(r"(?:using|typedef|static_assert|enum|template|(?:static )?(?:inline|constexpr|consteval))\b")


def blank(match):
    """Nothing, on as many lines."""
    return "\n" * match[0].count("\n")


def statements(text, start=0):
    """(text, its offset, the offset of its body or None) of each declaration up to the end or the closing brace."""
    begin = at = start
    depth = 0
    while at < len(text) and not (text[at] == "}" and depth == 0):
        if text[at] in "([":
            depth += 1
        elif text[at] in ")]":
            depth -= 1
        elif text[at] == ";" and depth == 0:
            yield text[begin:at], begin, None
            begin = at + 1
        elif text[at] == "{":
            end = closing(text, at)
            if depth == 0 and not re.match(r"\s*[;,]", text[end + 1:]) or CLASS.match(head(text[begin:at])):
                yield text[begin:at], begin, at + 1
                begin = end + 1
            at = end
        at += 1


def closing(text, at):
    depth = 0
    for at in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


def head(text):
    """A declaration without what is before it: labels, the semicolon of the class above."""
    return re.sub(r"^[\s;]*(?:(?:public|private|protected)\s*:\s*)*", "", text)


def is_function(text):
    """Declared here, defined elsewhere."""
    if NO_DECLARATION.match(text) or re.search(r"=\s*(?:0|default|delete)\s*$", text):
        return False
    text = re.sub(r"\[\[[^\]]*\]\]|operator\s*[^\s\w(]+|operator\s*\(\)", " f", text)
    while (shorter := re.sub(r"<[^<>]*>|\{[^{}]*\}", "", text)) != text:
        text = shorter
    return re.match(r"[^=()]*[\w~]\s*\((?!\*)", text) is not None


def needs_export(text, body):
    """Whether the class has a member that is defined elsewhere, or a virtual one; what its inner classes have counts too."""
    for declared, _, inner in statements(text, body):
        declared = head(declared)
        if re.match(r"virtual\b", declared) or re.search(r"\)[^()]*\boverride\b", declared):
            return True
        if inner is not None:
            inside = CLASS.match(declared)
            if inside and "KUBEXX" not in inside["marks"] and needs_export(text, inner):
                return True
        elif not declared.startswith("friend") and is_function(declared):
            return True
    return False


def friends(text, body):
    for declared, _, inner in statements(text, body):
        declared = head(declared)
        if inner is None and re.match(r"friend .*\boperator\b", declared) and is_function(declared.removeprefix("friend ")):
            yield " ".join(declared.removeprefix("friend ").split())


def check(text, body_at, spaces, wrong):
    """Calls wrong(offset, what to do) for each declaration of a namespace."""
    detail = "detail" in spaces
    wanted, other = ("KUBEXX_EXPORT_INTERNAL", "KUBEXX_EXPORT") if detail else ("KUBEXX_EXPORT", "KUBEXX_EXPORT_INTERNAL")
    for declared, offset, body in statements(text, body_at):
        at = offset + len(declared) - len(head(declared))
        declared = head(declared)
        if inner := re.match(r"namespace\s*([\w:]*)\s*$", declared):
            check(text, body, spaces + inner[1].split("::"), wrong)
            continue
        if re.search(rf"\b{other}\b", declared):
            wrong(at, f"here it is {wanted}")
        if detail or declared.startswith("template"):
            continue
        of_class = CLASS.match(declared)
        if of_class and body is not None:
            if wanted not in of_class["marks"] and needs_export(text, body):
                wrong(at, f"KUBEXX_EXPORT before {of_class['name']}: a member is virtual, or defined in a source file")
            for friend in friends(text, body):
                if f"KUBEXX_EXPORT {friend};" not in " ".join(text.split()):
                    wrong(at, f"behind the class: KUBEXX_EXPORT {friend};")
        elif body is None and wanted not in declared and is_function(declared):
            wrong(at, "KUBEXX_EXPORT before it: it is defined in a source file")


def exported_classes():
    for path in (ROOT / "include/kubexx").rglob("*.hpp"):
        for name in re.findall(r"(?:class|struct) (?:\[\[\w+\]\] )?KUBEXX_EXPORT\w* (\w+)", path.read_text()):
            yield path.relative_to(ROOT / "include/kubexx").parts[0], name


def main():
    problems = []
    for path in sorted((ROOT / "include/kubexx").rglob("*.hpp")):
        if "adapters" in path.parts:  # they become part of the program
            continue
        text = COMMENT.sub(blank, path.read_text())
        spaces = ["detail"] if "detail" in path.parts else []
        check(text, 0, spaces, lambda at, do: problems.append(
            f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, at) + 1}: {text[at:].splitlines()[0][:80]}  -> {do}"))
    exported = set(exported_classes())
    for path in sorted((ROOT / "src").rglob("*.[hc]pp")):
        layer = path.relative_to(ROOT / "src").parts[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            inside = re.match(r"(?:class|struct) (\w+)::\w+(?: final)?(?: :[^;]*)? \{", line)
            if inside and (layer, inside[1]) in exported:
                problems.append(f"{path.relative_to(ROOT)}:{number}: {line}  -> KUBEXX_HIDDEN before its name")
            if re.search(r"\bKUBEXX_EXPORT\b", line):
                problems.append(f"{path.relative_to(ROOT)}:{number}: {line}  -> KUBEXX_EXPORT_INTERNAL: src/ is not promised")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
