#!/usr/bin/env python3
"""compare.py NAME YARDSTICK JSON...: the rows of client-go beside ours, as a table; NAME heads its column.

YARDSTICK is what the yardstick printed: row, per second, CPU ns each, counter=value, with tabs between. The JSON files
are Google Benchmark's. Both have medians. A ratio above 1 says that ours is better: more a second, or fewer bytes.
"""
import json
import re
import sys

FEWER_IS_BETTER = {"bytes_each"}


def yardstick_rows(file):
    """(row, counter, value), in the order of the file."""
    for line in open(file):
        name, per_second, _cpu_ns, *others = line.rstrip("\n").split("\t")
        if per_second != "-":
            yield name, "per_second", float(per_second)
        for other in others:
            counter, value = other.split("=")
            yield name, counter, float(value)


def our_medians(files):
    """The medians of Google Benchmark by row; its names end in how the row is run."""
    medians = {}
    for file in files:
        for run in json.load(open(file))["benchmarks"]:
            if run.get("aggregate_name") == "median":
                medians[re.sub(r"/iterations:.*", "", run["run_name"])] = run
    return medians


def main():
    ours = our_medians(sys.argv[3:])
    table = [("row", sys.argv[1], "kubexx", "ratio")]
    for name, counter, theirs in yardstick_rows(sys.argv[2]):
        title = name if counter == "per_second" else f"{name}: {counter.replace('_', ' ')}"
        own = ours.get(name, {}).get(counter)
        if own is None:
            table.append((title, f"{theirs:,.0f}", "-", "-"))
            continue
        ratio = theirs / own if counter in FEWER_IS_BETTER else own / theirs
        table.append((title, f"{theirs:,.0f}", f"{own:,.0f}", f"{ratio:.2f}"))
    widths = [max(len(line[column]) for line in table) for column in range(4)]
    for line in table:
        print("  ".join([line[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]))


if __name__ == "__main__":
    main()
