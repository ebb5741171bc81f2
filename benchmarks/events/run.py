#!/usr/bin/env python3
"""run.py BIN: how many updates a second one watch brings to one handler.

Pods of 6 KB over HTTP/2 and TLS on loopback, from a process that has them in memory ready to send. Each figure is a reader
process of its own; the median of five.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

UPDATES = 100_000
TURNS = 5
WANTED = {"protobuf": 50_000, "json": 25_000}  # a second, on two cores


def main():
    events = pathlib.Path(sys.argv[1]) / "events"
    print("".ljust(12), *(title.rjust(14) for title in ("events/s", "CPU us each", "wanted")))
    for kind, wanted in WANTED.items():
        with tempfile.TemporaryDirectory() as work:
            authority = f"{work}/ca.pem"
            with subprocess.Popen([events, "serve", kind, str(UPDATES), authority], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True) as server:
                address = server.stdout.readline().strip()
                if not address:
                    sys.exit("events: the server did not start")
                runs = []
                for _ in range(TURNS):
                    said = subprocess.run([events, "read", kind, str(UPDATES), authority, address], stdout=subprocess.PIPE,
                                          text=True, timeout=120, check=True).stdout
                    runs.append(json.loads(said))
                server.stdin.close()
        middle = [statistics.median(run[key] for run in runs) for key in ("perSecond", "cpuMicroseconds")]
        print(kind.ljust(12), f"{middle[0]:14,.0f}", f"{middle[1]:14.1f}", f"{wanted:14,}", flush=True)


if __name__ == "__main__":
    main()
