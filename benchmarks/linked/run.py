#!/usr/bin/env python3
"""run.py BIN: a program in C++ with kubexx, and one with client-go linked into it as a shared library.

Both hold all pods of `BIN/kubexx apiserver`, over TLS on loopback: of a cluster without any, which is what the process itself
takes, and of one with 20,000. Each figure is a process of its own; the median of five. Sizes are those of stripped files.
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

PODS = 20_000
TURNS = 5
HERE = pathlib.Path(__file__).resolve().parent
ROWS = ("syncSeconds", "rssMegabytes", "peakMegabytes", "threads", "readMicroseconds")


def build_linked(work):
    """The library of Go and a program around it; where sid cannot be reached, nothing."""
    done = subprocess.run([HERE / "build", work], stdout=subprocess.DEVNULL)
    if done.returncode == 77:
        print("linked: SKIPPED: no client-go")
        sys.exit(0)
    done.check_returncode()


def stripped_bytes(file, work):
    copy = f"{work}/stripped"
    subprocess.run(["strip", "-o", copy, file], check=True)
    return os.path.getsize(copy)


def medians(command):
    runs = [json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=120, check=True).stdout)
            for _ in range(TURNS)]
    return [statistics.median(run[row] for run in runs) for row in ROWS], runs[0]["objects"]


def main():
    bin_folder = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        build_linked(work)
        programs = {"kubexx": str(bin_folder / "linked_kubexx"), "client-go, linked": f"{work}/linked"}
        size = {"kubexx": stripped_bytes(bin_folder / "linked_kubexx", work),
                "client-go, linked": stripped_bytes(f"{work}/linked", work) + stripped_bytes(f"{work}/libpods.so", work)}
        for name, bytes_ in size.items():
            print(f"{name}: {bytes_ / 1e6:.1f} MB, stripped, libraries of Debian aside")
        print("".ljust(28), *(title.rjust(14) for title in ("start s", "resident MB", "peak MB", "threads", "read us")))
        for pods in (0, PODS):
            objects, kubeconfig = f"{work}/objects", f"{work}/kubeconfig"
            with open(objects, "wb") as file:
                subprocess.run([bin_folder / "sync_pods", str(pods)], stdout=file, check=True)
            with open(objects, "rb") as file:
                first = json.loads(file.readline() or "{}").get("metadata")
            key = [f"{first['namespace']}/{first['name']}"] if first else []
            with serving(bin_folder, kubeconfig, "--objects", objects):
                for name, program in programs.items():
                    figures, count = medians([program, kubeconfig, *key])
                    if count != pods:
                        sys.exit(f"linked: {count} of {pods} pods arrived")
                    print(f"{pods:,} pods: {name}".ljust(28), *(f"{value:14.3f}" for value in figures), flush=True)


if __name__ == "__main__":
    main()
