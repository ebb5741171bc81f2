#!/usr/bin/env python3
"""run.py BIN [YARDSTICK] [--busy]: a shared informer of 20,000 pods, and updates on their way to a handler.

The server is `BIN/kubexx apiserver`, over TLS on loopback; each line of the table is a client process of its own, the
median of three. With YARDSTICK (benchmarks/client_go) client-go does the same against the same server, in turn. Then a list from
nginx, beside curl. With --busy two endless loops of equal priority run beside the syncs, and there is nothing else: what is
counted in seconds on the wall would be theirs.
"""
import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import beside_curl
from embedded_server import serving

PODS = 20_000
TURNS = 3
UPDATES = 2_000
COLUMNS = ("objects", "wall s", "user s", "system s", "RSS MB", "peak MB", "switches", "faults", "server CPU s")
WIDTH = 46  # of titles
# Title, flags of `kubexx bench sync`, those of client-go, and the CPU seconds that were published of client-go 0.36.
# kubexx has one kind of object, so its JSON stands beside both of client-go's; metadata comes as protobuf to both.
SYNCS = [
    ("protobuf, WatchList", ("--mode=watchlist", "--content-type=protobuf"), (), 2.03),
    ("protobuf, list", ("--mode=list", "--content-type=protobuf"), (), 1.82),
    ("JSON, WatchList", ("--mode=watchlist", "--content-type=json"), (), 10.89),
    ("JSON, list", ("--mode=list", "--content-type=json"), (), 4.28),
    ("JSON, WatchList, dynamic objects", ("--mode=watchlist", "--content-type=json"), ("--objects=dynamic",), 14.55),
    ("JSON, list, dynamic objects", ("--mode=list", "--content-type=json"), ("--objects=dynamic",), 11.02),
    ("metadata, WatchList", ("--mode=watchlist", "--projection=metadata"), ("--objects=metadata",), 0.87),
    ("metadata, list", ("--mode=list", "--projection=metadata"), ("--objects=metadata",), 0.45),
]


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def spinning(count):
    """So many processes that do nothing but that while the block runs; they end with this one too."""
    loop = f"import os\nwhile os.getppid() == {os.getpid()}:\n  for _ in range(1_000_000): pass"
    loops = [subprocess.Popen([sys.executable, "-c", loop]) for _ in range(count)]
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()


def text_of(command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=300, check=True).stdout


def figures(command):
    """Those of the columns that the client knows."""
    said = json.loads(text_of(command))
    return [said["objects"], said["wallSeconds"], said["cpuUser"], said["cpuSystem"], said["rssBytes"] / 2**20,
            said["peakRssBytes"] / 2**20, said["contextSwitches"], said["pageFaults"]]


def medians(command, server):
    runs = []
    for _ in range(TURNS):
        before = cpu_seconds(server)
        runs.append(figures(command) + [cpu_seconds(server) - before])
    return [statistics.median(column) for column in zip(*runs)]


def times(theirs, ours):
    """How many times ours theirs is: wall, CPU in all, memory, most memory."""
    pairs = [("wall", theirs[1], ours[1]), ("CPU", theirs[2] + theirs[3], ours[2] + ours[3]), ("RSS", theirs[4], ours[4]),
             ("peak", theirs[5], ours[5])]
    return ", ".join(f"{a / b:.1f} {name}" for name, a, b in pairs)


def print_line(title, values):
    print(title.ljust(WIDTH), *(f"{value:,.2f}".rjust(12) if value < 100 else f"{value:,.0f}".rjust(12) for value in values),
          flush=True)


def syncs(kubexx, yardstick, kubeconfig, server):
    """Prints the table; returns the titles of what did not bring every pod."""
    print("".ljust(WIDTH), *(column.rjust(12) for column in COLUMNS))
    short = []
    for title, ours, theirs, published in SYNCS:
        own = medians([kubexx, "bench", "sync", "pods", "-A", "-o", "json", "--kubeconfig", kubeconfig, *ours], server)
        print_line(f"{title}: kubexx", own)
        short += [title] if own[0] != PODS else []
        if yardstick:
            asked = [flag for flag in ours if not flag.startswith("--projection")]
            other = medians([yardstick, "--server", kubeconfig, "sync", *asked, *theirs], server)
            print_line(f"{title}: client-go", other)
            print(f"{'':4}times: {times(other, own)}", flush=True)
            short += [f"{title} of client-go"] if other[0] != PODS else []
        else:
            print(f"{'':4}times: {published / (own[2] + own[3]):.1f} of the CPU that client-go 0.36 was published with", flush=True)
    return short


def latencies(program, yardstick, kubeconfig):
    print(f"\nupdate of a ConfigMap, from before the call to the handler: {UPDATES} updates, p50 and p99 in ms")
    commands = {"kubexx": [program, kubeconfig, str(UPDATES)]}
    if yardstick:
        commands["client-go"] = [yardstick, "--server", kubeconfig, "latency", str(UPDATES)]
    for name, command in commands.items():
        runs = [[float(word) for word in text_of(command).split()] for _ in range(TURNS)]
        print_line(name, [statistics.median(column) for column in zip(*runs)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin_folder", type=pathlib.Path)
    parser.add_argument("yardstick", nargs="?")
    parser.add_argument("--busy", action="store_true")
    arguments = parser.parse_args()
    bin_folder, yardstick = arguments.bin_folder, arguments.yardstick
    if yardstick:
        print("client-go is", text_of([yardstick, "--version"]).strip())
    kubexx = str(bin_folder / "kubexx")
    missing = beside_curl.missing_programs()
    with_nginx = not arguments.busy and not missing
    with tempfile.TemporaryDirectory() as work, tempfile.TemporaryDirectory() as recorded:
        objects, kubeconfig = f"{work}/objects", f"{work}/kubeconfig"
        with open(objects, "wb") as file:
            subprocess.run([bin_folder / "sync_pods", str(PODS)], stdout=file, check=True)
        with serving(bin_folder, kubeconfig, "--objects", objects) as server:
            with spinning(2 if arguments.busy else 0):
                short = syncs(kubexx, yardstick, kubeconfig, server)
            if not arguments.busy:
                latencies(str(bin_folder / "update_latency"), yardstick, kubeconfig)
            if with_nginx:
                beside_curl.record(kubeconfig, recorded)
        if with_nginx:
            short += beside_curl.compare(kubexx, recorded, PODS)
        elif not arguments.busy:
            print(f"\nSKIPPED the list from nginx: {', '.join(missing)} is missing")
    if short:
        sys.exit(f"sync: not all of {PODS} pods arrived: {', '.join(short)}")


if __name__ == "__main__":
    main()
