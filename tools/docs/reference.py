"""The reference: what Doxygen read in the public headers, a page for each class and namespace; and the generated types."""
import collections
import html
import re
import xml.etree.ElementTree as ElementTree

from frame import Site, block

# Members that need no comment: what every C++ programmer expects of such a name is what it does.
EXPECTED = re.compile(
    r"^(~.*|operator\W.*|operator \w+.*|begin|end|size|empty|value_type|iterator|const_iterator|to_string|"
    r"await_ready|await_suspend|await_resume|what|clone)$"
)
# kubexx/c.hpp wraps kubexx/c.h, function by function and under the same names: what is said there is not said again.
WRAPPER = "kubexx/c.hpp"
KINDS = (
    "public-type",
    "public-static-attrib",
    "public-attrib",
    "public-static-func",
    "public-func",
    "protected-func",
    "typedef",
    "enum",
    "var",
    "func",
    "define",
    "user-defined",
    "related",
)
CONTRACT = ("Threads", "Stop", "Errors")


def text_of(element):
    return "".join(element.itertext()).strip() if element is not None else ""


def described(element):
    return bool(text_of(element.find("briefdescription")) or text_of(element.find("detaileddescription")))


class Reference:
    def __init__(self, site: Site, xml, layers):
        self.site, self.layers = site, layers  # layers: name and what ARCHITECTURE.md says of it
        self.compounds = {}
        self.texts = {}  # lines of headers
        self.places = {}  # id of Doxygen to page, with anchor
        for entry in ElementTree.parse(xml / "index.xml").getroot().findall("compound"):
            if entry.get("kind") in ("class", "struct", "union", "namespace", "file"):
                compound = ElementTree.parse(xml / (entry.get("refid") + ".xml")).getroot().find("compounddef")
                name = compound.findtext("compoundname")
                if compound.get("prot", "public") == "public" and not re.search(r"\bdetail\b|^std|@", name):
                    self.compounds[entry.get("refid")] = compound
        for refid, compound in self.compounds.items():
            page = self.page(compound)
            if page is None:
                continue
            self.places[refid] = page
            for member in self.members(compound):
                self.places.setdefault(member.get("id"), f"{page}#{self.anchor(member)}")
        self.names = self.unique_names()
        self.class_names = {c.findtext("compoundname").rpartition("::")[2] for c in self.compounds.values()}

    # Where things are

    def page(self, compound):
        name, kind = compound.findtext("compoundname"), compound.get("kind")
        if kind == "file":
            return "reference/c.h.html" if name == "c.h" else None
        if kind == "namespace" and not any(True for _ in self.members(compound)) and not self.classes_of(name):
            return None
        plain = re.sub(r"\W+", "_", name.replace("::", ".").replace(".", "-dot-")).replace("_dot_", ".")
        return f"reference/{plain}.html"

    def anchor(self, member):
        return f"{re.sub(r'[^A-Za-z0-9_~]+', '-', member.findtext('name'))}-{member.get('id')[-8:]}"

    def members(self, compound):
        """What is public of it, in the order of the header."""
        found = []
        for section in compound.findall("sectiondef"):
            if section.get("kind") in KINDS:
                found += [
                    m
                    for m in section.findall("memberdef")
                    if m.get("prot") != "private"
                    and m.get("kind") != "friend"
                    and (described(m) or not self.goes_without_saying(m))
                ]
        if compound.get("kind") == "file":  # what is in namespaces stands there
            found = [m for m in found if "::" not in (m.findtext("qualifiedname") or "")]
        return sorted(found, key=lambda m: (m.find("location").get("file"), int(m.find("location").get("line"))))

    def goes_without_saying(self, member):
        """What is deleted, and destructors that say nothing."""
        return "=delete" in (member.findtext("argsstring") or "").replace(" ", "") or member.findtext("name").startswith("~")

    def classes_of(self, namespace):
        return sorted(
            (
                c
                for c in self.compounds.values()
                if c.get("kind") in ("class", "struct", "union")
                and c.findtext("compoundname").startswith(namespace + "::")
                and "::" not in re.sub(r"<.*", "", c.findtext("compoundname"))[len(namespace) + 2 :]
            ),
            key=lambda c: c.findtext("compoundname"),
        )

    def unique_names(self):
        """Names as people write them, `rest::Client` or `Client::load`, that mean one thing."""
        meant = collections.defaultdict(set)
        for refid, place in self.places.items():
            compound = self.compounds.get(refid)
            if compound is not None and compound.get("kind") in ("class", "struct"):
                parts = compound.findtext("compoundname").split("::")
                for start in range(len(parts)):
                    meant["::".join(parts[start:])].add(place)
                for member in self.members(compound):
                    meant[f"{parts[-1]}::{member.findtext('name')}"].add(self.places[member.get("id")].partition("#")[0])
        return {name: places.pop() for name, places in meant.items() if len(places) == 1 and "<" not in name}

    def link(self, name):
        name = name.removesuffix("()").removeprefix("kubexx::")
        return self.names.get(name) if name[:1].isupper() or "::" in name else None

    # Text

    def inline(self, element, page):
        """A description of Doxygen's as HTML."""
        out = html.escape(element.text or "")
        for child in element:
            inside = lambda: self.inline(child, page)
            if child.tag == "para":
                out += self.paragraph(child, page)
            elif child.tag == "ref":
                place = self.places.get(child.get("refid"))
                out += f'<a href="{self.site.relative(place, page)}">{inside()}</a>' if place else inside()
            elif child.tag == "computeroutput":
                out += f"<code>{inside()}</code>"
            elif child.tag in ("verbatim", "preformatted"):
                out += block(child.text.strip("\n"), "cpp")
            elif child.tag == "programlisting":
                lines = [
                    "".join(" " if part.tag == "sp" else (part.text or "") + (part.tail or "") for part in line.iter())
                    for line in child
                ]
                out += block("\n".join(lines), "cpp")
            elif child.tag in ("itemizedlist", "orderedlist"):
                tag = "ul" if child.tag == "itemizedlist" else "ol"
                out += f"<{tag}>" + "".join(f"<li>{self.inline(item, page)}</li>" for item in child) + f"</{tag}>"
            elif child.tag == "ulink" and child.get("url").startswith("http"):
                out += f'<a href="{html.escape(child.get("url"))}">{inside()}</a>'
            elif child.tag in ("bold", "emphasis"):
                out += f"<{child.tag[0]}>{inside()}</{child.tag[0]}>" if child.tag == "bold" else f"<em>{inside()}</em>"
            else:
                out += inside()
            out += html.escape(child.tail or "")
        return out

    def paragraph(self, element, page):
        text = self.inline(element, page).strip()
        # The contract of a class: what it is; Threads, Stop, Errors, Example.
        parts = re.split(rf"(?:^|(?<=[.:)>] )|(?<=\. )|(?<=\.))\s*({'|'.join(CONTRACT)}|Example): ?", text)
        if len(parts) > 1:
            rows, rest = "", ""
            for name, said in zip(parts[1::2], parts[2::2]):
                if name == "Example":
                    rest = said if said.strip().startswith("<div") else f"<p>{said}</p>" if said.strip() else ""
                else:
                    rows += f"<dt>{name}</dt><dd>{said}</dd>"
            first = f"<p>{parts[0]}</p>" if parts[0].strip() else ""
            return first + (f'<dl class="contract">{rows}</dl>' if rows else "") + rest
        return f"<p>{text}</p>" if text else ""

    def about(self, element, page):
        return "".join(self.inline(element.find(f"{part}description"), page).strip() for part in ("brief", "detailed"))

    def brief(self, element):
        text = text_of(element.find("briefdescription")) or text_of(element.find("detaileddescription"))
        return re.split(r"(?<=\.) ", text, maxsplit=1)[0]

    def code(self, element, page):
        """A type, with links, spaced as people write it."""
        return (
            re.sub(r"&lt; +", "&lt;", re.sub(r" +&gt;", "&gt;", self.inline(element, page)))
            .replace(" &amp;", "&amp;")
            .replace(" *", "*")
        )

    def signature(self, member, page):
        kind, name = member.get("kind"), html.escape(member.findtext("name"))
        own = f'<span class="own">{name}</span>'
        if kind == "enum":
            scoped = " class" if member.get("strong") == "yes" else ""
            return f'<span class="k">enum{scoped}</span> {own}'
        if kind == "define":
            parameters = ", ".join(text_of(p.find("defname")) for p in member.findall("param"))
            return f'<span class="cp">#define</span> {own}' + (f"({parameters})" if member.find("param") is not None else "")
        of_type = self.code(member.find("type"), page).strip() if member.find("type") is not None else ""
        if kind == "typedef":
            return f'<span class="k">using</span> {own} = {of_type}'
        if kind == "variable":
            initial = text_of(member.find("initializer"))
            return f"{of_type} {own}{html.escape(member.findtext('argsstring') or '')}" + (
                f' <span class="c1">{html.escape(" " + initial if not initial.startswith("{") else initial)}</span>'
                if initial and len(initial) < 60
                else ""
            )
        before = "".join(
            f'<span class="k">{word}</span> '
            for word, yes in (
                ("static", member.get("static") == "yes"),
                ("explicit", member.get("explicit") == "yes"),
                ("virtual", member.get("virt") in ("virtual", "pure-virtual")),
            )
            if yes
        )
        parameters = []
        for parameter in member.findall("param"):
            text = self.code(parameter.find("type"), page)
            declared = parameter.findtext("declname") or ""
            array = parameter.findtext("array") or ""
            text += (" " + declared if declared else "") + array
            if parameter.find("defval") is not None:
                text += f' = {html.escape(text_of(parameter.find("defval")))}'
            parameters.append(text)
        arguments = member.findtext("argsstring") or ""
        tail = html.escape(arguments[arguments.rfind(")") + 1 :])
        template = ""
        if member.find("templateparamlist") is not None:
            listed = ", ".join(
                " ".join(filter(None, (self.code(p.find("type"), page), p.findtext("declname"))))
                for p in member.find("templateparamlist")
            )
            template = f'<span class="k">template</span> &lt;{listed}&gt;\n'
        return f'{template}{before}{of_type}{" " if of_type else ""}{own}({", ".join(parameters)}){tail}'

    def listed(self, members, page):
        """Members as HTML. Those that share a comment follow each other under it."""
        out, at = "", 0
        while at < len(members):
            together = [members[at]]
            while described(members[at]) and at + len(together) < len(members):
                following = members[at + len(together)]
                if described(following) or self.leader(following) is None or self.leader(following) != self.leader(members[at]):
                    break
                together.append(following)
            out += "".join(self.member(m, page) for m in together) if len(together) == 1 else self.group(together, page)
            at += len(together)
        return out

    def group(self, members, page):
        signatures = "".join(
            f'<div class="signature" id="{self.anchor(m)}">{self.signature(m, page)}'
            f'<a class="anchor" href="#{self.anchor(m)}" aria-label="Link to this name">#</a></div>'
            for m in members
        )
        return f'<div class="member">{signatures}<div class="about">{self.about(members[0], page)}</div></div>'

    def member(self, member, page):
        anchor = self.anchor(member)
        values = ""
        if member.get("kind") == "enum":
            rows = "".join(
                f"<tr><td><code>{v.findtext('name')}</code></td><td>{self.about(v, page)}</td></tr>"
                for v in member.findall("enumvalue")
            )
            values = f'<div class="table"><table>{rows}</table></div>'
        about = self.about(member, page) + values
        return (
            f'<div class="member" id="{anchor}"><div class="signature">{self.signature(member, page)}'
            f'<a class="anchor" href="#{anchor}" aria-label="Link to this name">#</a></div>'
            + (f'<div class="about">{about}</div>' if about else "")
            + "</div>"
        )

    # Pages

    def write_class(self, refid, compound):
        page, name = self.places[refid], compound.findtext("compoundname")
        short = name.removeprefix("kubexx::")
        header = compound.find("location").get("file")
        kind = compound.get("kind")
        bases = [self.base(b, page) for b in compound.findall("basecompoundref") if "detail" not in (b.text or "")]
        derived = [self.base(b, page) for b in compound.findall("derivedcompoundref") if "detail" not in (b.text or "")]
        body = f'<h1>{html.escape(short)}<span class="tag">{kind}</span></h1>'
        body += f'<p class="where"><code>#include &lt;{header}&gt;</code>'
        body += f" · from {', '.join(bases)}" if bases else ""
        body += f" · base of {', '.join(derived)}" if derived else ""
        body += "</p>" + self.about(compound, page)
        members = self.members(compound)
        inner = [c for c in self.compounds.values() if c.findtext("compoundname").rpartition("::")[0] == name]
        if inner:
            body += (
                '<h2 id="inside">Inside it</h2><ul class="names">' + "".join(self.name_item(c, page) for c in inner) + "</ul>"
            )
        if members:
            body += '<h2 id="members">Members</h2>' + self.listed(members, page)
        self.site.remember(short.rpartition("::")[2], short, page, "class", text_of(compound.find("briefdescription")))
        first = {}  # of overloads, the one that says most
        for member in members:
            known = first.setdefault(member.findtext("name"), member)
            if not described(known) and described(member):
                first[member.findtext("name")] = member
        for title, member in first.items():
            if title != name.rpartition("::")[2]:  # the constructors are the class
                self.site.remember(title, short, self.places[member.get("id")], "member", self.brief(member))
        self.site.write(page, short, body, [(3, self.anchor(member), title) for title, member in first.items()])

    def base(self, reference, page):
        place = self.places.get(reference.get("refid"))
        text = html.escape(re.sub(r"^kubexx::", "", reference.text or ""))
        return f'<a href="{self.site.relative(place, page)}"><code>{text}</code></a>' if place else f"<code>{text}</code>"

    def name_item(self, compound, page):
        name = compound.findtext("compoundname")
        place = self.places[compound.get("id")]
        shown = html.escape(name.rpartition("::")[2] if "<" not in name else name)
        link = f'<a href="{self.site.relative(place, page)}"><code>{shown}</code></a>'
        return f"<li>{link} <small>{html.escape(self.brief(compound))}</small></li>"

    def write_namespace(self, refid, compound):
        page, name = self.places[refid], compound.findtext("compoundname")
        layer = "base" if name == "kubexx" else name.removeprefix("kubexx::")
        about = self.layers.get(layer, "") or self.about(compound, page)
        body = f'<h1>{html.escape(name)}<span class="tag">namespace</span></h1>' + about
        contents = []
        classes = self.classes_of(name)
        if classes:
            contents.append((2, "classes", "Classes"))
            rows = "".join(
                f'<tr><td><a href="{self.site.relative(self.places[c.get("id")], page)}"><code>'
                f'{html.escape(c.findtext("compoundname").removeprefix(name + "::"))}</code></a></td>'
                f"<td>{html.escape(self.brief(c))}</td></tr>"
                for c in classes
            )
            head = "<tr><th>class</th><th>what it is</th></tr>"
            body += f'<h2 id="classes">Classes</h2><div class="table"><table>{head}{rows}</table></div>'
        members = self.members(compound)
        for title, kinds in (
            ("Enumerations", ("enum",)),
            ("Types", ("typedef",)),
            ("Functions", ("function",)),
            ("Values", ("variable",)),
        ):
            some = [m for m in members if m.get("kind") in kinds]
            if some:
                contents.append((2, title.lower(), title))
                body += f'<h2 id="{title.lower()}">{title}</h2>' + self.listed(some, page)
        for member in members:
            self.site.remember(member.findtext("name"), name, self.places[member.get("id")], "function", self.brief(member))
        self.site.remember(name, "namespace", page, "class", text_of(compound.find("briefdescription")))
        self.site.write(page, name, body, contents)

    def write_c(self, refid, compound):
        page = self.places[refid]
        members = self.members(compound)
        body = '<h1>kubexx/c.h<span class="tag">C</span></h1>' + self.about(compound, page)
        body += self.listed(members, page)
        for member in members:
            self.site.remember(
                member.findtext("name"), "kubexx/c.h", self.places[member.get("id")], "function", self.brief(member)
            )
        self.site.write(page, "kubexx/c.h", body)

    def write(self):
        for refid, compound in self.compounds.items():
            if refid not in self.places:
                continue
            write = {"namespace": self.write_namespace, "file": self.write_c}.get(compound.get("kind"), self.write_class)
            write(refid, compound)

    def namespaces(self):
        """(name, page), in the order of the layers."""
        order = ["base", *(l for l in self.layers if l != "base")]
        rank = lambda name: order.index(name) if name in order else len(order)
        found = [
            (c.findtext("compoundname"), self.places[r])
            for r, c in self.compounds.items()
            if c.get("kind") == "namespace" and r in self.places
        ]
        return sorted(
            found, key=lambda each: rank("base" if each[0] == "kubexx" else each[0].removeprefix("kubexx::").split("::")[0])
        )

    def undocumented(self):
        """Public names without a word: (place, name). A comment holds for all overloads of a name and, as everywhere in these
        headers, for the declarations that follow it without an empty line. What overrides something is documented there, and so
        is a constructor by its class. A field of a struct that is documented is what its name says, unless a comment says more.
        """
        for compound in self.compounds.values():
            kind, name = compound.get("kind"), compound.findtext("compoundname")
            place = compound.find("location")
            if kind in ("class", "struct", "union") and not described(compound) and place.get("file") != WRAPPER:
                yield place, name
            members = self.members(compound) if kind != "file" or name == "c.h" else []
            spoken = {m.findtext("name") for m in members if described(m)}
            for member in members:
                own = member.findtext("name")
                constructor = own == re.sub(r"<.*", "", name).rpartition("::")[2] or own in self.class_names
                if own in spoken or EXPECTED.match(own) or constructor or member.find("location").get("file") == WRAPPER:
                    continue
                if "override" in (member.findtext("argsstring") or "") or self.leader(member) is not None:
                    continue
                if member.get("kind") == "variable" and kind == "struct" or own.startswith("@"):
                    continue
                yield member.find("location"), f"{name}::{own}" if kind != "file" else own

    def leader(self, member):
        """The line of the comment that a declaration shares with those above it; None where it has none to share."""
        place = member.find("location")
        file, line = place.get("file"), int(place.get("line"))
        if file not in self.texts:
            self.texts[file] = (self.site.root / "include" / file).read_text().splitlines()
        text = self.texts[file]
        for at in range(line - 2, -1, -1):
            if not text[at].strip() or re.match(
                r"\s*(public|protected|private):|\s*(class|struct|enum|namespace)\b.*\{$", text[at]
            ):
                return None
            if text[at].strip().startswith("///"):
                return at + 1
        return None


def generated_pages(folder):
    """(title, page) of each group and version that write_generated() writes."""
    names = [file.parts[-3:-1] for file in sorted(folder.glob("kubexx/api/*/*/views.hpp"))]
    return [(f"api::{group}::{version}", f"reference/api.{group}.{version}.html") for group, version in names]


def write_generated(site: Site, folder):
    """The types of the built-in kinds, from the headers that kubexx-gen wrote: they have an accessor a field and no comments."""
    views = sorted(folder.glob("kubexx/api/*/*/views.hpp"))
    places = {}
    parsed = {}
    for file in views:
        group, version = file.parts[-3:-1]
        classes = re.findall(
            r"^class (?:KUBEXX_\w+ )?(\w+) : public ::kubexx::(api::View|meta::Object) \{(.*?)^\};",
            file.read_text(),
            re.S | re.M,
        )
        parsed[(group, version)] = classes
        for name, _, _ in classes:
            places[f"{group}::{version}::{name}"] = f"reference/api.{group}.{version}.html#{name}"
    for (group, version), classes in parsed.items():
        page = f"reference/api.{group}.{version}.html"
        kinds = [name for name, base, _ in classes if base == "meta::Object"]
        body = (
            f'<h1>kubexx::api::{group}::{version}<span class="tag">generated</span></h1>'
            f'<p class="where"><code>#include &lt;kubexx/api/{group}/{version}.hpp&gt;</code> · for reading alone '
            f"<code>&lt;kubexx/api/{group}/{version}/views.hpp&gt;</code></p>"
            "<p>Each field has an accessor, <code>has_…()</code>, and in the draft <code>set_…()</code> and <code>clear_…()</code>. "
            "An absent field is empty, zero or false. A draft is made by <code>edit()</code> and called <code>…Draft</code>.</p>"
        )
        if kinds:
            body += (
                '<h2 id="kinds">Kinds</h2><ul class="names">'
                + "".join(f'<li><a href="#{k}"><code>{k}</code></a></li>' for k in sorted(kinds))
                + "</ul>"
            )

        def typed(text):
            out = ""
            for piece in re.split(r"([A-Za-z_][\w:]*)", text.replace("::kubexx::api::", "").replace("::kubexx::", "")):
                place = places.get(piece if "::" in piece else f"{group}::{version}::{piece}")
                shown = html.escape(piece.rpartition("::")[2] if place else piece)
                out += f'<a href="{site.relative(place, page)}">{shown}</a>' if place else shown
            return out

        for name, base, inside in classes:
            fields = re.findall(r"^  ([\w:<>, ]+?) (\w+)\(\) const noexcept(?: KUBEXX_LIFETIMEBOUND)? \{", inside, re.M)
            rows = "".join(
                f"<tr><td><code>{field}()</code></td><td><code>{typed(of_type)}</code></td></tr>"
                for of_type, field in fields
                if not (field.startswith("has_") and of_type == "bool")
            )
            constants = "".join(
                f"<li><code>{c}</code> = <code>{html.escape(v)}</code></li>"
                for c, v in re.findall(r"static constexpr [\w:]+ (k\w+) = ([^;]*);", inside)
                if c not in ("kApiVersion", "kKind")
            )
            body += (
                f'<h3 id="{name}">{name}</h3>'
                + (f'<div class="table"><table>{rows}</table></div>' if rows else "<p>No fields.</p>")
                + (f"<ul>{constants}</ul>" if constants else "")
            )
            site.remember(
                name,
                f"api::{group}::{version}",
                f"{page}#{name}",
                "class" if base == "meta::Object" else "member",
                "generated type",
            )
        site.write(page, f"api::{group}::{version}", body)
