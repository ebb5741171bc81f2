#!/usr/bin/env python3
"""run.py BIN [YARDSTICK]: what a change costs a program that hears of 780 a second and prints a line for each.

The server is `BIN/kubexx apiserver`, over TLS on loopback, or the one of $KUBECONFIG_UNDER_TEST; the changes are updates of
small ConfigMaps by a process of its own. Each line of the table is a client process of its own, the median of three. With
YARDSTICK (benchmarks/client_go) client-go does the same against the same server, in turn.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from embedded_server import serving

CHANGES = 7_800
A_SECOND = 780
TURNS = 3
COLUMNS = ("userMicroseconds", "systemMicroseconds", "voluntarySwitches", "involuntarySwitches")
TITLES = ("CPU us", "user us", "system us", "switches", "voluntary", "involuntary", "a second")


def once(trickle, kubeconfig, reader):
    with open(os.devnull, "wb") as lines, subprocess.Popen(reader, stdout=lines, stderr=subprocess.PIPE, text=True) as client:
        try:
            if client.stderr.readline() != "ready\n":
                sys.exit(f"trickle: {reader[0]} did not sync")
            written = subprocess.run([trickle, "write", kubeconfig, str(CHANGES), str(A_SECOND)], stdout=subprocess.PIPE,
                                     text=True, timeout=120, check=True)
            said = json.loads(client.stderr.readline())
            client.wait(60)
        finally:
            client.kill()
    user, system, voluntary, involuntary = (said[column] for column in COLUMNS)
    return [user + system, user, system, voluntary + involuntary, voluntary, involuntary, float(written.stdout)]


def rows(trickle, yardstick, kubeconfig):
    readers = {"kubexx": [trickle, "read", kubeconfig, str(CHANGES)],
               "kubexx on its own loop": [trickle, "read", kubeconfig, str(CHANGES), "--own-loop"]}
    if yardstick:
        readers["client-go"] = [yardstick, "--server", kubeconfig, "trickle", str(CHANGES)]
    subprocess.run([trickle, "create", kubeconfig], timeout=60, check=True)
    print("".ljust(24), *(title.rjust(12) for title in TITLES))
    for name, reader in readers.items():
        runs = [once(trickle, kubeconfig, reader) for _ in range(TURNS)]
        print(name.ljust(24), *(f"{statistics.median(column):12.2f}" for column in zip(*runs)), flush=True)


def main():
    bin_folder = pathlib.Path(sys.argv[1])
    yardstick = sys.argv[2] if len(sys.argv) > 2 else None
    trickle = str(bin_folder / "trickle")
    if given := os.environ.get("KUBECONFIG_UNDER_TEST"):
        rows(trickle, yardstick, given)
        return
    with tempfile.TemporaryDirectory() as work:
        kubeconfig = f"{work}/kubeconfig"
        with serving(bin_folder, kubeconfig):
            rows(trickle, yardstick, kubeconfig)


if __name__ == "__main__":
    main()
