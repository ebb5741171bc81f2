#!/usr/bin/env python3
"""Two informers on one server through equally bad links: one of kubexx, one on client-go.

run.py PROGRAM [--client-go PROGRAM] [--link bad|flaky] [--seeds N] [--first-seed S] [--changes N] [--rate N]

The server is that of $KUBECONFIG_UNDER_TEST, or the embedded one. Without --client-go two of ours are compared, which tests this
script. Ends with 1 when a history is not legal or an informer does not end equal to the server, and besides

- over the bad link, with faults of all kinds, when ours is behind in the median: longer without news, or more lists. Bytes are
  told and not judged: who is back sooner pays for more handshakes;
- over the flaky one, cut twice a second and one time in five refused, when ours asks for a second list or has no news for too long:
  3 s, and one time in ten 6 s. These limits are for ten seeds and more.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

QUIET = 0.25  # seconds without an event that count as time without news: changes come every few milliseconds
PATIENCE = 120
WITHOUT_NEWS, ONCE_WITHOUT_NEWS = 3, 6  # seconds, over the flaky link


class Process:
    """A program that speaks in lines; its output goes to a file, of which the tail is read."""

    def __init__(self, folder, name, command):
        self.path = os.path.join(folder, name)
        self.name = name
        with open(self.path, "wb") as out:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, text=True)

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def lines(self):
        with open(self.path) as file:
            return [line.split() for line in file.read().split("\n")[:-1]]

    def await_line(self, first):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            found = [line for line in self.lines() if line and line[0] == first]
            if found:
                return found[-1]
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name} ended without saying {first}")
            time.sleep(0.05)
        raise RuntimeError(f"{self.name} does not say {first}")

    def end(self):
        if self.process.stdin:
            self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        if status != 0:
            raise RuntimeError(f"{self.name} ended with {status}")

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class History:
    """What a handler heard: the state it leaves, what is wrong with it, when it heard something.

    With repeats a list may tell as updates what was known before, as client-go has it. Ours does not.
    """

    def __init__(self, lines, repeats=False):
        self.state = {}
        self.problems = []
        self.times = []
        newest = {}
        for line in lines:
            if len(line) != 4 or line[0] not in ("add", "update", "delete"):
                continue
            what, name, version, at = line
            self.times.append(int(at) / 1e9)
            if (what == "add") == (name in self.state):
                self.problems.append(f"{what} of {name}, which {'is' if name in self.state else 'is not'} there")
            if version != "-":
                if what == "delete":
                    # The deletion's own version, or that of the last state that was seen.
                    if int(version) < newest.get(name, 0):
                        self.problems.append(f"{name} goes back to {version}")
                elif int(version) < newest.get(name, 0) + (0 if repeats and what == "update" else 1):
                    self.problems.append(f"{name} goes from {newest[name]} to {version}")
                newest[name] = max(newest.get(name, 0), int(version))
            if what == "delete":
                self.state.pop(name, None)
            else:
                self.state[name] = version

    def silences(self, begin, end):
        """How long it heard nothing while things happened: the longest time, and all those that are no mere pause."""
        times = sorted([begin, end] + [t for t in self.times if t > begin])  # what is heard late belongs to it too
        gaps = [b - a for a, b in zip(times, times[1:])]
        return max(gaps), sum(gap for gap in gaps if gap > QUIET)


def check_self():
    """The checks notice what they are for."""
    legal = [["add", "a", "1", "1"], ["update", "a", "2", "2"], ["delete", "a", "3", "3"], ["add", "a", "4", "4"]]
    assert not History(legal).problems and History(legal).state == {"a": "4"}
    for wrong in (
        [["update", "a", "1", "1"]],
        [["delete", "a", "1", "1"]],
        [["add", "a", "1", "1"], ["add", "a", "2", "2"]],
        [["add", "a", "2", "1"], ["update", "a", "1", "2"]],
        [["add", "a", "2", "1"], ["update", "a", "2", "2"]],
    ):
        assert History(wrong).problems, wrong
    again = [["add", "a", "2", "1"], ["update", "a", "2", "2"]]
    assert History(again).problems and not History(again, repeats=True).problems
    for wrong in (
        [["add", "a", "2", "1"], ["update", "a", "1", "2"]],
        [["add", "a", "2", "1"], ["delete", "a", "2", "2"], ["add", "a", "2", "3"]],
    ):
        assert History(wrong, repeats=True).problems, wrong
    longest, all_of_it = History([["add", "a", "1", "1000000000"], ["add", "b", "2", "4000000000"]]).silences(1, 5)
    assert (longest, all_of_it) == (3, 4), (longest, all_of_it)
    good = [{"longest": 2.5, "lists": 1}] * 9 + [{"longest": 5, "lists": 1}]
    assert not flaky_problems(good) and not flaky_problems(good[:9])
    for wrong in (good[1:] + [{"longest": 4, "lists": 1}], good[:9] + [{"longest": 7, "lists": 1}],
                  good[:9] + [{"longest": 1, "lists": 2}]):
        assert flaky_problems(wrong), wrong


def through(kubeconfig, port, folder, name):
    """The same server by another port."""
    with open(kubeconfig) as file:
        text = file.read()
    changed, count = re.subn(r"(https?://127\.0\.0\.1):\d+", rf"\1:{port}", text)
    if count == 0:
        raise RuntimeError("the server is not on loopback: the links are")
    path = os.path.join(folder, name)
    with open(path, "w", opener=lambda p, flags: os.open(p, flags, 0o600)) as file:
        file.write(changed)
    return path


def one_seed(arguments, kubeconfig, folder, seed, watchers):
    with open(kubeconfig) as file:
        port = re.search(r"https?://127\.0\.0\.1:(\d+)", file.read()).group(1)
    space = f"differential-{seed}"
    processes = []

    def start(name, command):
        processes.append(Process(folder, f"{seed}-{name}", command))
        return processes[-1]

    try:
        pairs = {}
        for name, command in watchers.items():
            link = start(f"link-{name}", [arguments.program, "link", "127.0.0.1", port, str(seed), arguments.link])
            config = through(kubeconfig, link.await_line("port")[1], folder, f"{seed}-{name}.config")
            pairs[name] = (link, start(f"watch-{name}", command + [config, space]))
        if arguments.link == "bad":
            for link, _ in pairs.values():
                link.tell("begin")
        writer = start("write", [arguments.program, "write", kubeconfig, space, str(seed), str(arguments.changes),
                                 str(arguments.rate)])
        writer.process.stdin.close()
        writer.process.stdin = None
        if arguments.link == "flaky":  # which is to cost no list, after a first one that nothing disturbs
            for _, watcher in pairs.values():
                watcher.await_line("add")
            for link, _ in pairs.values():
                link.tell("begin")
        if writer.process.wait(PATIENCE + 3 * arguments.changes / arguments.rate) != 0:
            raise RuntimeError("the changes could not be made")
        for link, _ in pairs.values():
            link.tell("end")
        changes = [line for line in writer.lines() if line and line[0] == "change"]
        final = {line[1]: line[2] for line in writer.lines() if line and line[0] == "final"}
        begin, end = int(changes[0][4]) / 1e9, int(changes[-1][4]) / 1e9

        deadline = time.monotonic() + PATIENCE
        waiting = dict(pairs)
        while waiting and time.monotonic() < deadline:
            waiting = {name: pair for name, pair in waiting.items() if History(pair[1].lines()).state != final}
            if waiting:
                time.sleep(0.2)
        figures, failures = {}, []
        for name, (link, watcher) in pairs.items():
            watcher.end()
            link.end()
            history = History(watcher.lines(), repeats=name == "client-go")
            failures += [f"seed {seed}, {name}: {problem}" for problem in history.problems[:3]]
            if history.state != final:
                odd = {key for key in {**history.state, **final} if history.state.get(key) != final.get(key)}
                failures.append(f"seed {seed}, {name}: does not end equal to the server, in {len(odd)} keys: {sorted(odd)[:3]}")
            longest, silent = history.silences(begin, end)
            said = next(line for line in link.lines() if line and line[0] == "bytes")
            lists = next(line for line in watcher.lines() if line and line[0] == "lists")
            figures[name] = {"longest": longest, "silent": silent, "lists": int(lists[1]), "bytes": int(said[1]),
                             "connections": int(said[3]), "events": len(history.times)}
        return figures, failures
    finally:
        for process in processes:
            process.kill()


def flaky_problems(seeds):
    """What is wrong with our figures of these seeds, over the flaky link."""
    problems = [f"{of['lists']} lists where one is enough" for of in seeds if of["lists"] > 1]
    problems += [f"{of['longest']:.2f} s without news" for of in seeds if of["longest"] > ONCE_WITHOUT_NEWS]
    if sum(of["longest"] > WITHOUT_NEWS for of in seeds) > len(seeds) / 10:
        problems.append(f"more than {WITHOUT_NEWS} s without news in more than one seed in ten")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--client-go")
    parser.add_argument("--link", choices=("bad", "flaky"), default="bad")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--changes", type=int, default=10000)
    parser.add_argument("--rate", type=float, default=250)
    arguments = parser.parse_args()
    check_self()
    other = [arguments.client_go] if arguments.client_go else [arguments.program, "watch"]
    watchers = {"kubexx": [arguments.program, "watch"], "client-go" if arguments.client_go else "another": other}
    failures, all_figures = [], []
    with tempfile.TemporaryDirectory(prefix="kubexx-differential-") as folder:
        server, kubeconfig = None, os.environ.get("KUBECONFIG_UNDER_TEST")
        try:
            if not kubeconfig:
                kubeconfig = os.path.join(folder, "kubeconfig")
                server = Process(folder, "server", [arguments.program, "serve", kubeconfig])
                server.await_line("ready")
            print(f"{'seed':>6} {'informer':10} {'longest s':>10} {'silent s':>9} {'lists':>6} {'MB':>8} {'connections':>12} {'events':>7}")
            for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
                figures, found = one_seed(arguments, kubeconfig, folder, seed, watchers)
                failures += found
                all_figures.append(figures)
                for name, of in figures.items():
                    print(f"{seed:6} {name:10} {of['longest']:10.2f} {of['silent']:9.2f} {of['lists']:6} "
                          f"{of['bytes'] / 1e6:8.2f} {of['connections']:12} {of['events']:7}", flush=True)
        finally:
            if server:
                server.kill()
    ours, theirs = watchers
    for what in ("longest", "silent", "lists", "bytes"):
        median = {name: statistics.median(figures[name][what] for figures in all_figures) for name in watchers}
        print(f"median {what}: {ours} {median[ours]:.2f}, {theirs} {median[theirs]:.2f}")
        # Two of the same kind differ by chance: there nobody is behind.
        judged = arguments.client_go and arguments.link == "bad" and what != "bytes"
        if judged and median[ours] > median[theirs] * 1.02:
            failures.append(f"ours is behind in the median: {what} {median[ours]:.2f}, {theirs} {median[theirs]:.2f}")
    if arguments.link == "flaky" and arguments.seeds >= 10:
        failures += [f"{ours}: {problem}" for problem in flaky_problems([figures[ours] for figures in all_figures])]
    for failure in failures:
        print("differential:", failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
