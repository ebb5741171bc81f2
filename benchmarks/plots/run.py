#!/usr/bin/env python3
"""run.py BIN YARDSTICK: what a first sync costs against the number of objects, kubexx and client-go, as pictures.

Pods of 9 KB and ConfigMaps of 300 bytes, from `BIN/kubexx apiserver` over TLS on loopback, as protobuf by a list. Each point is a
process of its own, the median of three. The pictures go into docs/images, and the figures behind them are printed.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from embedded_server import serving

TURNS = 3
SIZES = {"pods": [10_000, 25_000, 50_000, 100_000, 200_000], "configmaps": [50_000, 100_000, 250_000, 500_000, 1_000_000]}
TITLES = {"pods": "pods of 9 KB", "configmaps": "ConfigMaps of 300 bytes"}
COLUMNS = [("CPU seconds", lambda said: said["cpuUser"] + said["cpuSystem"]),
           ("MB at most", lambda said: said["peakRssBytes"] / 2**20),
           ("seconds", lambda said: said["wallSeconds"])]
IMAGES = pathlib.Path(__file__).resolve().parents[2] / "docs/images"


def write_objects(bin_folder, resource, count, file):
    if resource == "pods":
        subprocess.run([bin_folder / "sync_pods", str(count)], stdout=file, check=True)
        return
    for i in range(count):
        metadata = {"name": f"settings-{i}", "namespace": f"team-{i % 100}", "labels": {"app": f"app-{i % 1000}"}}
        data = {"color": "blue", "size": str(i), "text": "x" * 80}
        file.write(json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}).encode() + b"\n")


def medians(command, count):
    runs = []
    for _ in range(TURNS):
        said = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=900, check=True).stdout)
        if said["objects"] < count:
            sys.exit(f"plots: {said['objects']} of {count} objects arrived")
        runs.append([value(said) for _, value in COLUMNS])
    return [statistics.median(column) for column in zip(*runs)]


def points(bin_folder, yardstick, resource, work):
    """A line for each size: the number of objects, our figures, client-go's."""
    for count in SIZES[resource]:
        objects, kubeconfig = f"{work}/objects", f"{work}/kubeconfig"
        with open(objects, "wb") as file:
            write_objects(bin_folder, resource, count, file)
        with serving(bin_folder, kubeconfig, "--objects", objects):
            flags = ["--mode=list", "--content-type=protobuf"]
            ours = medians([bin_folder / "kubexx", "bench", "sync", resource, "-A", "-o", "json", "--kubeconfig", kubeconfig,
                            *flags], count)
            theirs = medians([yardstick, "--server", kubeconfig, "sync", *flags, resource], count)
        print(f"{count:>12,}", *(f"{value:12.2f}" for value in ours + theirs), flush=True)
        yield [count, *ours, *theirs]


def draw(resource, rows, client_go, work):
    """One picture of three, side by side."""
    data = f"{work}/data"
    pathlib.Path(data).write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
    lines = ["set terminal svg size 1050,330 dynamic font 'sans-serif,13' background '#ffffff'",
             f"set output '{IMAGES}/sync-{resource}.svg'",
             "set multiplot layout 1,3", "set key top left", "set grid lc '#dddddd'",
             "set border 3", "set tics nomirror", "set format x '%.0s%c'", "set yrange [0:*]", f"set xlabel '{TITLES[resource]}'"]
    for i, (title, _) in enumerate(COLUMNS):
        lines += [f"set title '{title}'",
                  f"plot '{data}' using 1:{i + 2} with linespoints lw 2 pt 7 lc '#1f6feb' title 'kubexx', "
                  f"'{data}' using 1:{i + 2 + len(COLUMNS)} with linespoints lw 2 pt 5 lc '#b35900' title '{client_go}'"]
    subprocess.run(["gnuplot"], input="\n".join(lines) + "\n", text=True, check=True)


def main():
    bin_folder, yardstick = pathlib.Path(sys.argv[1]), sys.argv[2]
    version = subprocess.run([yardstick, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    client_go = " ".join(version.split()[:2])
    for resource in SIZES:
        print(TITLES[resource])
        print("objects".rjust(12), *(f"{title[:12]:>12}" for _ in range(2) for title, _ in COLUMNS), f" (kubexx, {client_go})")
        with tempfile.TemporaryDirectory() as work:
            draw(resource, list(points(bin_folder, yardstick, resource, work)), client_go, work)


if __name__ == "__main__":
    main()
