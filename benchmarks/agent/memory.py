#!/usr/bin/env python3
"""memory.py BIN [LIBRARIES]: what examples/node_agent costs on a node with 200 pods of a cluster of 20,000.

The server is `BIN/kubexx apiserver`, over TLS on loopback, with the pods of `BIN/sync_pods`. RssAnon is memory of the
process's own, without the pages of its files; resident is with them; a node without pods is the bare process. Medians of
three. LIBRARIES: a folder from which the agent takes its libraries first, such as a libcurl of HTTP and TLS alone.
"""
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from embedded_server import serving

PODS = 20_000
HERE = 200
TURNS = 3
SETTLED = 2.0  # seconds after the answer, for what is freed late


def container_of(number):
    return f"{number:064x}"


def owner(kind, name):
    return {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": f"uid-{kind}-{name}", "controller": True}


def owners():
    """A Deployment and its ReplicaSet for every four pods of the node: the server collects what has no owner."""
    for number in range(HERE // 4):
        for kind, above in (("Deployment", []), ("ReplicaSet", [owner("Deployment", f"web-{number}")])):
            yield json.dumps({"apiVersion": "apps/v1", "kind": kind, "metadata": {
                "namespace": "agent", "name": f"web-{number}", "uid": f"uid-{kind}-web-{number}", "ownerReferences": above}})


def pods(source):
    """The corpus, each pod with a container's id, 200 of them on the node "here"."""
    for number, line in enumerate(source):
        pod = json.loads(line)
        place, rest = divmod(number, PODS // HERE)
        pod["spec"]["nodeName"] = "here" if rest == 0 else f"node-{number % 500}"
        if rest == 0:
            pod["metadata"]["namespace"] = "agent"
            pod["metadata"]["ownerReferences"] = [owner("ReplicaSet", f"web-{place // 4}")]
        for index, status in enumerate(pod["status"].get("containerStatuses", [])):
            status["containerID"] = "containerd://" + container_of(number * 16 + index)
        yield json.dumps(pod)


def resident(program, kubeconfig, node, question, libraries):
    """RssAnon and VmRSS of the agent once it has answered, in KB, and the answer."""
    with subprocess.Popen([program, "--node", node], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env={"KUBECONFIG": kubeconfig, "LD_LIBRARY_PATH": libraries}) as agent:
        agent.stdin.write(question + "\n")
        agent.stdin.flush()
        answer = agent.stdout.readline()
        time.sleep(SETTLED)
        status = pathlib.Path(f"/proc/{agent.pid}/status").read_text()
        agent.stdin.close()
    return [int(re.search(rf"{name}:\s+(\d+)", status)[1]) for name in ("RssAnon", "VmRSS")] + [answer.strip()]


def main():
    bin_folder = pathlib.Path(sys.argv[1])
    libraries = sys.argv[2] if len(sys.argv) > 2 else ""
    with tempfile.TemporaryDirectory() as work:
        objects, kubeconfig = f"{work}/objects", f"{work}/kubeconfig"
        with subprocess.Popen([bin_folder / "sync_pods", str(PODS)], stdout=subprocess.PIPE, text=True) as source, \
                open(objects, "w", encoding="utf-8") as file:
            for lines in (owners(), pods(source.stdout)):
                file.writelines(line + "\n" for line in lines)
        with serving(bin_folder, kubeconfig, "--objects", objects):
            figures = {}
            for node in ("nobody", "here"):
                runs = [resident(bin_folder / "node_agent", kubeconfig, node, container_of(0), libraries)
                        for _ in range(TURNS)]
                figures[node], all_of_it = (statistics.median(run[i] for run in runs) / 1024 for i in range(2))
                print(f"{node}: RssAnon {figures[node]:.2f} MB, resident {all_of_it:.2f} MB, {runs[0][2]}")
            print(f"{HERE} pods of {PODS}: {figures['here'] - figures['nobody']:.2f} MB more")


if __name__ == "__main__":
    main()
