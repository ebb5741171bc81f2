#!/usr/bin/env python3
"""docs/troubleshooting.md speaks of every kind of Error and of every text that the library makes one of or logs as a warning,
and of no text that the sources do not have.

Kinds are headings, failures of connections stand in backquotes. Texts stand in the first column of tables headed `text`, with
an ellipsis where something else is put in; each piece between must be in a string of the sources. The other way, of every place
that makes an Error or logs a line from Warning on, each string of LONG characters or more must be in a text of the page, and
below the heading of its kind; where none is so long, the longest must stand there as whole words. What nobody can meet is in
errors_unmet.txt, with a reason. `check_errors.py --list` shows what was found, and where.

A place is Error::config("...") and its like, with_context(), log() and the throwing of a standard exception; behind it, what is
put into a variable or member that the text names, what a function returns that it calls, and what callers give for a parameter
that it names. Only strings that look like words for people count: those with a space.
"""
import collections
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/troubleshooting.md"
UNMET = ROOT / "tools/lint/errors_unmet.txt"
LONG = 12
# The API server of tests with its HTTP, the helpers of tests, and the tables of kubectl: nobody meets their texts as an Error.
LEFT_OUT = {"apiserver", "httpd", "testkit", "columns"}
# Headings of what is no Error by itself.
LOGGED = "Warnings on standard error"
CONTEXT = "Words in front"
THROWN = "Exceptions"
ANYWHERE = "any heading"  # of an Error whose kind another one decides
# What is wrong with a kubeconfig or a name is collected in lists of these names.
LISTS = {"problems": "Config", "found": "Config", "complaints": "Decode", "warnings": LOGGED}
# A parameter of one of these names is words, others are values.
WORDED = {"message", "what", "where", "why", "how", "wanted", "rule", "complaint"}

TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|\b\d[\w.']*|R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"|'(?:[^'\\\n]|\\.)+'""", re.S)
TEXT = re.compile(r"\b(string|string_view|char|auto|Complaints|TextFault|BadYamlByte|FailureCode)\b")  # what functions return
BRACKET = re.compile(r"[()\[\]{},;]")
FUNCTION = re.compile(r"\b(\w+)(?: = \[[^\]]*\])?\(((?:[^(){};]|\([^()]*\))*)\)[^(){};=]*\{")
MAKING = re.compile(r"\bError::(transport|timeout|canceled|decode|config|api)\(|\bError\((?:ErrorKind::)?(\w+),|(?<![.\w])log\(|"
                    r"\bwith_context\(|\bthrow std::\w+\(")
PUT = r"\b%s(?: \+?= |\.(?:append|assign|push_back|emplace_back)(?=\()|(?=[({]))"

Function = collections.namedtuple("Function", "name parameters first last makes_text")


class Source:
    """A file without its comments, each string a number in quotes, and where in it things are."""

    def __init__(self, path, layer):
        self.path, self.layer, self.strings = path, layer, []
        code = TOKEN.sub(self.number, path.read_text())
        self.code = re.sub(r'"\d+"(?:\s*"\d+")+', self.join, code)  # strings that follow each other are one
        ends, opened = {}, []
        for brace in re.finditer(r"[{}]", self.code):
            if brace[0] == "{":
                opened.append(brace.start())
            elif opened:
                ends[opened.pop()] = brace.start()
        self.functions = [Function(m[1], texts_of(m[2]), m.end(), ends.get(m.end() - 1, m.end()),
                                   bool(TEXT.search(self.code, self.code.rfind("\n", 0, m.start()) + 1, m.start())))
                          for m in FUNCTION.finditer(self.code) if m[1] not in ("if", "for", "while", "switch", "catch")]
        self.calls, self.puts = collections.defaultdict(list), collections.defaultdict(list)
        for m in re.finditer(r"\b(\w+)\(", self.code):
            self.calls[m[1]].append(m.end() - 1)
        for m in re.finditer(r"\b(\w+_)(?: \+?= |\.(?:append|assign)(?=\())", self.code):
            self.puts[m[1]].append(m.end())
        self.constants = {m[1]: m.end() for m in re.finditer(r"\b(k[A-Z]\w*)(?:\[\w*\])?\s*(?:=\s*|(?=\{))", self.code)}
        self.returns = [m.end() for m in re.finditer(r"\breturn\b", self.code)]

    def number(self, token):
        if token[0].startswith(("//", "/*", "'")):
            return " " + "\n" * token[0].count("\n")
        if token[0][0].isdigit():
            return token[0]
        self.strings.append((token[2] or token[3] or "").replace('\\"', '"'))
        return f'"{len(self.strings) - 1}"'

    def join(self, found):
        self.strings.append("".join(self.strings[int(n)] for n in re.findall(r"\d+", found[0])))
        return f'"{len(self.strings) - 1}"' + "\n" * found[0].count("\n")

    def arguments(self, opened):
        """Where the arguments behind a parenthesis begin and end."""
        depth, begin = 0, opened + 1
        for found in BRACKET.finditer(self.code, opened):
            depth += (found[0] in "([{") - (found[0] in ")]}")
            if depth == 0 or (depth == 1 and found[0] == ","):
                yield begin, found.start()
                begin = found.end()
            if depth == 0:
                return

    def rest(self, begin):
        """To the end of the statement, or of the parentheses that this stands in."""
        depth = 0
        for found in BRACKET.finditer(self.code, begin):
            depth += (found[0] in "([{") - (found[0] in ")]}")
            if depth < 0 or (depth == 0 and found[0] == ";"):
                return begin, found.start()
        return begin, begin

    def words(self, begin, end):
        """The strings for people."""
        said = (self.strings[int(n)] for n in re.findall(r'"(\d+)"', self.code[begin:end]))
        return [s for s in said if " " in s and len(re.findall(r"[a-z]", s, re.I)) > 3]

    def names(self, begin, end):
        """Of variables, and of functions that are called."""
        return set(re.findall(r"(?<![.>:\w])[a-z]\w*\b\(?", self.code[begin:end]))


def texts_of(parameters):
    """Position and name of those that are texts."""
    found = {}
    for position, each in enumerate(re.sub(r"<[^<>]*>", "", parameters).split(",")):
        if re.search(r"\b(string|string_view|char)\b", each) and (name := re.search(r"(\w+)\s*(?:=.*)?$", each)):
            found[name[1]] = position
    return found


class Texts:
    """The texts of all Errors: expressions, each once, and from each to those that its words come from."""

    def __init__(self):
        self.layers = collections.defaultdict(list)
        for base in ("src", "include/kubexx"):
            for path in sorted((ROOT / base).rglob("*.[ch]pp")):
                layer = path.relative_to(ROOT / base).parts[0]
                if layer not in LEFT_OUT:
                    self.layers[layer].append(Source(path, layer))
        self.seen, self.waiting = set(), []
        for source in (each for layer in self.layers.values() for each in layer):
            self.add_makings(source)
        while self.waiting:
            source, span, kind = self.waiting.pop()
            for each in self.behind(source, span):
                self.add(*each, kind)

    def add(self, source, span, kind):
        if (source, span, kind) not in self.seen:
            self.seen.add((source, span, kind))
            self.waiting.append((source, span, kind))

    def add_makings(self, source):
        for found in MAKING.finditer(source.code):
            given = list(source.arguments(source.code.index("(", found.start())))
            if kind := found[1] or found[2]:
                self.add(source, given[-1], kind.capitalize() if found[1] or "ErrorKind" in found[0] else ANYWHERE)
            elif found[0].startswith("throw"):
                for each in given:
                    self.add(source, each, THROWN)
            elif found[0] == "with_context(":
                self.add(source, given[0], CONTEXT)
            elif len(given) > 1 and re.search(r"LogLevel::(Warning|Error)", source.code[slice(*given[0])]):
                self.add(source, given[1], LOGGED)
        for name, kind in LISTS.items():
            for found in re.finditer(rf"\b{name}\.(?:push|emplace)_back(?=\()", source.code):
                self.add(source, source.rest(found.end()), kind)

    @functools.cache
    def behind(self, source, span):
        """The expressions that its words come from."""
        found = []
        lent = "internal" in source.path.parts
        inside = [each for each in source.functions if each.first < span[0] < each.last]
        for name in source.names(*span):
            if name.endswith("("):  # a to_string() has names, not texts
                found += self.returned(source.layer, name[:-1]) if name != "to_string(" else []
            elif re.match("k[A-Z]", name):
                found += [(source, source.rest(source.constants[name]))] if name in source.constants else []
            elif name.endswith("_"):
                found += [(each, each.rest(at)) for each in self.layers[source.layer] for at in each.puts.get(name, ())]
            elif inside:
                puts = [source.rest(m.end()) for m in re.compile(PUT % name).finditer(source.code, inside[0].first, inside[0].last)]
                found += [(source, put) for put in puts if not put[0] <= span[0] < put[1]]
                for function in inside:
                    if name in WORDED and name in function.parameters:
                        found += self.given("" if lent else source.layer, function.name, function.parameters[name])
        return found

    @functools.cache
    def returned(self, layer, function):
        found = []
        for source in self.layers[layer]:
            for each in source.functions:
                if each.name == function and each.makes_text:
                    found += [(source, source.rest(at)) for at in source.returns if each.first < at < each.last]
                    tables = set(re.findall(r" : (k[A-Z]\w*)\)", source.code[each.first:each.last]))
                    found += [(source, source.rest(source.constants[name])) for name in tables & source.constants.keys()]
        return found

    @functools.cache
    def given(self, layer, function, position):
        """What callers in the layer give, or all; functions of an internal/ are lent to other layers."""
        files = self.layers[layer] if layer else [source for each in self.layers.values() for source in each]
        given = [(source, list(source.arguments(at))) for source in files for at in source.calls.get(function, ())]
        return [(source, arguments[position]) for source, arguments in given if position < len(arguments)]

    def strings(self):
        return [text for layer in self.layers.values() for source in layer for text in source.strings]

    def __iter__(self):
        """The strings of one expression, its kind, and its place."""
        for source, span, kind in self.seen:
            if words := source.words(*span):
                yield words, kind, f"{source.path.relative_to(ROOT)}:{source.code.count(chr(10), 0, span[0]) + 1}"


def enumerators(name):
    header = (ROOT / "include/kubexx/base/error.hpp").read_text()
    body = re.search(rf"enum class {name} [^{{]*\{{(.*?)\}};", header, re.S)[1]
    return re.findall(r"\b([A-Z]\w*)\b(?=,| *$)", re.sub(r"//[^\n]*", "", body), re.M)


def texts_of_page(page):
    """Texts, and the heading that each stands below."""
    heading, wanted = "", False
    for line in page.splitlines():
        if line.startswith("## "):
            heading = line[3:]
        if not line.startswith("|"):
            wanted = False
        elif line.startswith("| text |"):
            wanted = True
        elif wanted and not line.startswith("|---"):
            yield from ((text, heading) for text in re.findall(r"`([^`]+)`", line.split("|")[1]))


def unmet():
    """The texts of the list; lines of // before them say why."""
    texts, reason = set(), False
    for line in filter(None, UNMET.read_text().splitlines()):
        if line.startswith("//"):
            reason = True
        elif reason:
            texts.add(line)
        else:
            sys.exit(f"{UNMET.relative_to(ROOT)}: {line}: a line of // says why, before it")
    return texts


class Said:
    """What stands in strings of the sources, or where strings meet."""

    def __init__(self, strings):
        self.strings = set(strings)
        self.all = "\n" + "\n".join(self.strings) + "\n"

    def __contains__(self, text):
        return text in self.all or any(text[:at] + "\n" in self.all and self.goes_on(text[at:]) for at in range(1, len(text)))

    def goes_on(self, text):
        return "\n" + text in self.all or any(text[:at] in self.strings and self.goes_on(text[at:]) for at in range(1, len(text)))


def unknown(texts, said):
    """What the page says and the sources do not."""
    for text, _ in texts:
        for piece in text.split("…"):
            if len(piece.strip()) > 3 and piece.strip() not in said:
                yield f'the sources do not say "{piece.strip()}" ({text})'


def owed(found):
    """Text, kind and place of what the page must have."""
    for words, kind, where in found:
        words = sorted((each.strip() for each in words), key=len)
        for text in [each for each in words if len(each) >= LONG] or words[-1:]:
            yield text, kind, where


def missing(found, texts, allowed):
    below = collections.defaultdict(str)
    for text, heading in texts:
        below[heading] += text + "\n"
        below[ANYWHERE] += text + "\n"
    places = collections.defaultdict(lambda: collections.defaultdict(list))
    for text, kind, where in owed(found):
        places[text][kind].append(where)
    for text, kinds in sorted(places.items()):
        pattern = re.escape(text) if len(text) >= LONG else rf"(?<!\w){re.escape(text)}(?!\w)"
        if text not in allowed and not any(re.search(pattern, below[kind]) for kind in kinds):
            where = min(each for some in kinds.values() for each in some)
            yield f'below {" or ".join(sorted(kinds))} there is no "{text}" of {where}'
    yield from (f'{UNMET.relative_to(ROOT)}: the sources do not say "{text}"' for text in sorted(allowed - places.keys()))


def main():
    page = PAGE.read_text()
    texts = list(texts_of_page(page))
    found = Texts()
    if "--list" in sys.argv:
        print("\n".join(sorted(f'{where}: {kind}: {text}' for text, kind, where in owed(found))))
        return 0
    problems = [f"has no section {kind}" for kind in enumerators("ErrorKind") if f"\n## {kind}\n" not in page]
    problems += [f"does not say what {each} is" for each in enumerators("TransportFailure") if f"`{each}`" not in page]
    problems += unknown(texts, Said(found.strings()))
    problems += missing(found, texts, unmet())
    print("\n".join(f"docs/troubleshooting.md: {problem}" for problem in problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
