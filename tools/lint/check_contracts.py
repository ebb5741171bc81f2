#!/usr/bin/env python3
"""Every public header is a contract: what its main class (or function) is, and then, in this order, on whose threads, how
it ends, what its errors are, and an example. A header decides: it says so, or it is named below.

`check_contracts.py --examples FILE` writes the examples as functions of one source, which tests/headers compiles.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include/kubexx"

# Values, and functions of values: what they are is all there is to say.
VALUES = """
agent/identity api/support apiserver/containers apiserver/options base/error base/export base/function base/lifetime base/result
base/version codec/resources
codec/schema_text columns/columns controller/action controller/options controller/owner_reference controller/status
delta/delta delta/transform election/fencing_token election/shard_set election/wait_options httpd/credentials informer/options meta/conditions meta/field_selector
meta/gvk meta/int_or_string meta/json_path meta/key meta/label_selector meta/list_options meta/name meta/object_key
meta/owner_reference meta/quantity meta/resource_version meta/status meta/time meta/typed meta/validation meta/value
manager/status meta/watch_event store/index store/write workqueue/options workqueue/status
""".split()
# A destructor that only frees memory is no end to speak of.
FREES = """
base/metrics client/resource_mapper codec/protobuf delta/delta_fifo meta/draft meta/json meta/object_builder
store/thread_safe_store
""".split()
# Their examples need a library that not everybody has; tests/adapters uses them.
FOREIGN = ("adapters/glog_log_sink", "adapters/prometheus_cpp", "adapters/spdlog_log_sink")

ENDS = re.compile(r"^ [^/\n]*(?:\b(?:stop|close|shutdown|shut_down|join|leave)(?:_with_drain)?\(|~\w+\(\)(?: override)?;)", re.M)
EXAMPLE = re.compile(r"^/// Example:\n///\n((?:///(?:     .*)?\n)+)", re.M)


def name_of(header):
    return header.relative_to(HEADERS).with_suffix("").as_posix()


def due(header, text):
    """The words that a header owes."""
    if name_of(header) in VALUES:
        return []
    stop = ["Stop"] if ENDS.search(text) and name_of(header) not in FREES else []
    return ["Threads", *stop, "Errors", "Example"]


def missing(words, text):
    """Those that no comment has in this order; of the comment that has most of them."""
    least = words
    for comment in re.findall(r"(?:^///.*\n)+", text, re.M):
        said = re.findall(r"^/// (Threads|Stop|Errors|Example):", comment, re.M)
        if said == sorted(said, key=["Threads", "Stop", "Errors", "Example"].index):
            least = min(least, [word for word in words if word not in said], key=len)
    return least


def headers():
    return sorted(HEADERS.glob("*/*.hpp"))


def problems():
    for header in headers():
        text = header.read_text()
        where = header.relative_to(ROOT)
        if lacks := missing(due(header, text), text):
            yield f"{where}: its contract lacks {', '.join(lacks)} (/// Threads:, Stop:, Errors:, Example:, in this order)"
        if text.count("/// Example:\n") != len(EXAMPLE.findall(text)):
            yield f"{where}: an example is a block, indented by four spaces behind an empty line"
    for name in (*VALUES, *FREES, *FOREIGN):
        if not (HEADERS / name).with_suffix(".hpp").exists():
            yield f"tools/lint/check_contracts.py: there is no header {name}"


def examples():
    """One function for each, in a source that includes what they need."""
    functions = []
    includes = ['#include "examples.hpp"']
    for header in headers():
        if name_of(header) in FOREIGN:
            continue
        text = header.read_text()
        includes.append(f'#include "kubexx/{name_of(header)}.hpp"')
        for found in EXAMPLE.finditer(text):
            code = "".join(line[8:] or "\n" for line in found[1].splitlines(keepends=True))
            line = text[:found.start(1)].count("\n") + 1
            kind = "Coroutine" if "co_await" in code else "void"
            functions.append(f'{kind} example_{len(functions)}() {{\n#line {line} "{header.relative_to(ROOT)}"\n{code}}}\n')
    return "\n".join(includes) + "\n\nnamespace kubexx::examples {\n\n" + "\n".join(functions) + "\n}\n"


def main():
    if sys.argv[1:2] == ["--examples"]:
        pathlib.Path(sys.argv[2]).write_text(examples())
        return 0
    found = list(problems())
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
