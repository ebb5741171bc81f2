#!/usr/bin/env python3
"""run.py BIN [YARDSTICK]: a shared informer of 20,000 pods, and updates on their way to a handler.

The server is `BIN/kubexx apiserver`, over TLS on loopback; each line of the table is a client process of its own, the
median of three. With YARDSTICK (benchmarks/client_go) client-go does the same against the same server, in turn.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

PODS = 20_000
TURNS = 3
UPDATES = 2_000
COLUMNS = ("objects", "wall s", "CPU s", "RSS MB", "peak MB", "server CPU s")
# Title, ours, client-go's kind (of 0.20, which has no WatchList) and the published CPU seconds of client-go 0.36.
SYNCS = [
    ("protobuf, WatchList", ("typed", "watchlist"), None, 2.03),
    ("protobuf, list", ("typed", "list"), "typed", 1.82),
    ("JSON, WatchList", ("dynamic", "watchlist"), None, 10.89),
    ("JSON, list", ("dynamic", "list"), "typed-json", 4.28),
    ("JSON, list, dynamic objects", ("dynamic", "list"), "dynamic", 11.02),
    ("metadata, WatchList", ("metadata", "watchlist"), None, 0.87),
    ("metadata, list", ("metadata", "list"), "metadata", 0.45),
]


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def numbers(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=300, check=True)
    return [float(word) for word in done.stdout.split()]


def medians(command, server):
    runs = []
    for _ in range(TURNS):
        before = cpu_seconds(server)
        runs.append(numbers(command) + [cpu_seconds(server) - before])
    return [statistics.median(column) for column in zip(*runs)]


def print_line(title, values):
    print(title.ljust(46), *(f"{value:,.2f}".rjust(12) if value < 100 else f"{value:,.0f}".rjust(12) for value in values),
          flush=True)


def syncs(client, yardstick, kubeconfig, server):
    print("".ljust(46), *(column.rjust(12) for column in COLUMNS))
    short = []
    for title, ours, theirs, published in SYNCS:
        own = medians([client, kubeconfig, *ours], server)
        print_line(f"{title}: kubexx", own)
        ratio = f"{published / own[2]:.1f} of the CPU that 0.36 was published with"
        if yardstick and theirs:
            other = medians([yardstick, "--server", kubeconfig, theirs], server)
            print_line(f"{title}: client-go 0.20", other)
            ratio += "; beside 0.20 here " + ", ".join(
                f"{theirs_ / own_:.1f} {name}" for name, theirs_, own_ in zip(COLUMNS[1:5], other[1:5], own[1:5]))
            if other[0] != own[0]:
                short.append(title)
        print(f"{'':4}times: {ratio}", flush=True)
        if own[0] != PODS:
            short.append(title)
    return short


def latencies(client, yardstick, kubeconfig):
    print(f"\nupdate of a ConfigMap, from before the call to the handler: {UPDATES} updates, p50 and p99 in ms")
    commands = {"kubexx": [client, kubeconfig, "latency", str(UPDATES)]}
    if yardstick:
        commands["client-go 0.20"] = [yardstick, "--server", kubeconfig, "latency", str(UPDATES)]
    for name, command in commands.items():
        runs = [numbers(command) for _ in range(TURNS)]
        print_line(name, [statistics.median(column) for column in zip(*runs)])


def main():
    bin_folder = pathlib.Path(sys.argv[1])
    yardstick = sys.argv[2] if len(sys.argv) > 2 else None
    client = str(bin_folder / "sync_client")
    with tempfile.TemporaryDirectory() as work:
        objects, kubeconfig = f"{work}/objects", f"{work}/kubeconfig"
        with open(objects, "wb") as file:
            subprocess.run([bin_folder / "sync_pods", str(PODS)], stdout=file, check=True)
        with subprocess.Popen([bin_folder / "kubexx", "apiserver", "--objects", objects, "--kubeconfig-out", kubeconfig],
                              stdout=subprocess.PIPE, text=True) as server:
            try:
                if not server.stdout.readline().startswith("serving on"):
                    sys.exit("sync: the server did not start")
                short = syncs(client, yardstick, kubeconfig, server.pid)
                latencies(client, yardstick, kubeconfig)
            finally:
                server.terminate()
    if short:
        sys.exit(f"sync: not all of {PODS} pods arrived: {', '.join(short)}")


if __name__ == "__main__":
    main()
