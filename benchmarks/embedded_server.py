"""The server of the benchmarks that bring several processes together."""
import contextlib
import subprocess
import sys


@contextlib.contextmanager
def serving(bin_folder, kubeconfig, *flags):
    """`bin_folder/kubexx apiserver`, over TLS on loopback, while the block runs; the kubeconfig is written by it. Gives its pid."""
    with subprocess.Popen([f"{bin_folder}/kubexx", "apiserver", "--kubeconfig-out", kubeconfig, *flags], stdout=subprocess.PIPE,
                          text=True) as server:
        try:
            if not server.stdout.readline().startswith("serving on"):
                sys.exit("the server of the benchmark did not start")
            yield server.pid
        finally:
            server.terminate()
