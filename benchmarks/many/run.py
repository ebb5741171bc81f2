#!/usr/bin/env python3
"""run.py BIN: a thousand informers, and a thousand handlers, with nothing to do.

The informers are of custom resources of `BIN/kubexx apiserver`, over TLS on loopback; each line is a process of its own.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from embedded_server import serving

COUNT = 1_000
SECONDS = 20
WANTED = {"informers": "under 16 threads, 60 MB, 1 %", "handlers": "under 32 threads"}


def main():
    bin_folder = pathlib.Path(sys.argv[1])
    many = str(bin_folder / "many")
    with tempfile.TemporaryDirectory() as work:
        kubeconfig = f"{work}/kubeconfig"
        with serving(bin_folder, kubeconfig):
            subprocess.run([many, "create", kubeconfig, str(COUNT)], timeout=300, check=True)
            print("".ljust(16), *(title.rjust(12) for title in ("threads", "resident MB", "core %")), " wanted")
            for what, wanted in WANTED.items():
                said = subprocess.run([many, what, kubeconfig, str(COUNT), str(SECONDS)], stdout=subprocess.PIPE, text=True,
                                      timeout=300, check=True).stdout
                figures = json.loads(said)
                print(f"{COUNT:,} {what}".ljust(16), f"{figures['threads']:12}", f"{figures['rssMegabytes']:12.1f}",
                      f"{figures['corePercent']:12.2f}", f" {wanted}", flush=True)


if __name__ == "__main__":
    main()
