#!/usr/bin/env python3
"""Rules on the text of sources that a compiler does not check. Each message names what to do instead."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# (pattern, where it is forbidden, where it is allowed nevertheless, what to do)
RULES = [
    (r"\b(steady_clock|system_clock|high_resolution_clock)::now\b", ("include", "src", "apps"), ("src/base/clock.cpp",),
     "take the time from a Clock"),
    (r"\b(sleep_for|sleep_until|usleep|nanosleep)\b", ("include", "src", "apps", "tests", "examples"), (),
     "wait on a condition, or post_after on the Executor"),
    (r"\bwait_for_stop\(\{\},|\bpoll\(nullptr", ("tests",),
     # What is eventually() where the testkit is not: below it in the layers, and in the main function of every test.
     ("tests/unit/apiserver/comes_true.hpp", "tests/support/main.cpp", "tests/lacks/runner.cpp"),
     "wait for what is to happen: a condition variable, testkit::eventually"),
    (r"\.detach\(\)|std::async\b", ("include", "src", "apps", "examples"), ("src/base/thread.cpp",), "threads are jthread members and are joined"),
    (r"\bstd::(cout|cerr|clog)\b|\b(printf|puts|fputs)\(", ("include", "src"),
     ("src/base/log.cpp", "src/base/assert.cpp"), "the library never prints: return an Error or log()"),
    (r"std::(abort|exit|terminate|_Exit|quick_exit)\b|(?<!\w)_exit\(", ("include", "src"),
     ("src/base/assert.cpp", "src/base/error_sink.cpp", "src/base/stop.cpp", "src/base/stop_on_signals.cpp"), "the library never ends the process"),
    # The second string is temporary: g++ 12 warns at -O3, in the builds of users (-Wrestrict, a fault of its own).
    (r'^(?!.*R"\().*(?:(?<! \+ )(?<!\\)"(?:[^"\\]|\\.)"|= \([^+]*: "(?:[^"\\]|\\.)"\)) \+ \w[\w:]*\(', ("include", "src", "apps", "tools", "examples"), (),
     'std::string("x").append(...)'),
    (r"\bTEST(_F|_P)?\(\s*\w+\s*,\s*(Basic\w*|Works\w*|Simple|Test\w*|(Case|Number)?\d+)\s*\)", ("tests",), (),
     "a test's name is its claim"),
    (r"#\s*include\s+<(?![a-z_0-9]+>)", ("include",),
     tuple(f"include/kubexx/adapters/{name}.hpp" for name in ("spdlog_log_sink", "glog_log_sink", "prometheus_cpp")),
     "public headers include only the standard library and kubexx/"),
    # What glibc has and musl 1.2.5 has not; of functions that end in _np musl has those that are named.
    (r"\b(mallinfo2?|malloc_(trim|info|stats)|mallopt|backtrace(_symbols(_fd)?)?|dladdr1|dlmopen|dlvsym|rawmemchr|closefrom|close_range"
     r"|canonicalize_file_name|arc4random\w*|getaddrinfo_a|on_exit|pidfd_(open|getfd|send_signal)|gnu_get_libc_\w+)\s*\("
     r"|\b(?!(pthread_([gs]etname|[gs]etaffinity|getattr|[gs]etattr_default|tryjoin|timedjoin)|posix_spawn_file_actions_addf?chdir)_np)\w+_np\s*\("
     r"|\bPTHREAD_\w+_NP\b|\bTEMP_FAILURE_RETRY\b|<(execinfo|error|fts|obstack|argp|mcheck|printf|gnu/[\w-]+)\.h>",
     ("include", "src", "apps", "examples"), ("src/apiserver/verbs/reads.cpp",), "musl has no such thing: another way, or only with glibc"),
    (r"/(work|home|root)/", ("include", "src", "apps", "tests", "examples", "tools", "benchmarks", "fuzz", "docs"),
     ("tools/lint/check_source.py",), "no path of one machine"),
    (r"[^\x00-\x7F]", ("include", "src", "apps", "examples"), (), "ASCII source"),
]


def tracked():
    out = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True)
    return [line for line in out.stdout.splitlines() if (ROOT / line).is_file()]


MEMBER = re.compile(r"(?!static |using |friend |return |template|explicit |enum |struct |class |virtual |//)"
                    r"[\w:<>,*& ()]+?[*> ] ?\w+;")


def without_default(text):
    """Members of structs that have no default: whoever initialises the others by name is warned (-Wextra)."""
    inside = []
    for number, line in enumerate(text.splitlines(), 1):
        indent = len(line) - len(line.lstrip())
        if opened := re.match(r" *struct (?:KUBEXX_EXPORT )?\w+(?: final)?(?: : [^;{]*)? \{$", line):
            inside.append(indent)
        elif inside and indent == inside[-1] and line.lstrip().startswith("}"):
            inside.pop()
        elif inside and indent == inside[-1] + 2 and MEMBER.match(line.lstrip()):
            declared = line.split(";")[0]
            if not declared.endswith((" const", " noexcept")) and "&" not in declared.split("(")[0]:
                yield number, line.strip()


HIDDEN = [re.compile(p) for p in (
    r"(?:struct|class|enum class|enum) (\w+)(?: final)?(?: :[^{]*)? ?\{",
    r"(?:constinit |inline |static )*(?:constexpr|const|thread_local|std::atomic<)[^=;({]*?[ >*&](\w+)(?:\[\w*\])? ?[={;]",
    r"using (\w+) = ",
    r"(?!return|if|for|while|else|using|namespace|TEST|INSTANTIATE|template|static_assert)[\w:<>*&,\[\] ]+?[ *&>](\w+\([^{;]*\))(?: const| noexcept)* \{",
)]


def hidden_names(text):
    """What a source file declares in its unnamed namespace; functions with their parameters."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"namespace \{", line):
            inside = True
        elif re.match(r"\}  // namespace$", line):
            inside = False
        elif inside and not line.startswith(" "):
            for pattern in HIDDEN:
                if found := pattern.match(line):
                    yield number, re.sub(r"(\w+)(?= *[,)=])", "", found[1])
                    break


def declared_twice(names):
    """Some presets compile several sources of a layer at once: their unnamed namespaces are one then."""
    seen = {}
    for name in names:
        if name.endswith(".cpp") and name.startswith(("src/", "tests/", "tools/gen/")):
            for number, hidden in hidden_names((ROOT / name).read_text()):
                folder = name.split("/")[:2] if name.startswith("src/") else name.split("/")[:-1]
                before = seen.setdefault((*folder, hidden), name)
                if before != name:
                    yield f"{name}:{number}: {hidden} is in the unnamed namespace of {before} too: another name, or one place"


def main():
    problems = []
    for name in tracked():
        top = name.split("/")[0]
        if not name.endswith((".hpp", ".cpp", ".h", ".cc", ".py", ".sh", ".md", ".inc")):
            continue
        rules = [(re.compile(p), do) for p, tops, allowed, do in RULES
                 if top in tops and name not in allowed and (name.endswith((".hpp", ".cpp")) or "machine" in do)]
        for number, line in enumerate((ROOT / name).read_text(errors="replace").splitlines(), 1):
            if "lint: allow" in line:
                continue
            for pattern, do in rules:
                if pattern.search(line):
                    problems.append(f"{name}:{number}: {line.strip()[:80]}  -> {do}")
    for header in sorted((ROOT / "include").rglob("*.hpp")):
        if not header.read_text().startswith("#pragma once"):
            problems.append(f"{header.relative_to(ROOT)}:1: starts with #pragma once")
        if "detail" not in header.parts:
            problems += [f"{header.relative_to(ROOT)}:{number}: {line}  -> give it a default: = {{}}"
                         for number, line in without_default(header.read_text())]
    problems += declared_twice(tracked())
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
