"""A list of pods that costs its server next to nothing: nginx sends a recorded one, to kubexx and to curl, which drops it."""
import base64
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import statistics
import subprocess

TURNS = 3
MOST = {"protobuf": 1.5, "json": 1.6}  # times curl, on the wall
MEDIA_TYPES = {"protobuf": "application/vnd.kubernetes.protobuf", "json": "application/json"}
PROGRAMS = ("nginx", "curl", "openssl")
NGINX = """
pid {folder}/pid;
error_log {folder}/error.log;
worker_processes 1;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder}; uwsgi_temp_path {folder};
  scgi_temp_path {folder};
  types {{
    application/json json;
    application/vnd.kubernetes.protobuf protobuf;
  }}
  map $http_accept $kind {{
    default json;
    ~^application/vnd.kubernetes.protobuf protobuf;
  }}
  server {{
    listen 127.0.0.1:{port} ssl http2;
    ssl_certificate {folder}/cert.pem;
    ssl_certificate_key {folder}/key.pem;
    root {folder}/www;
    http2_chunk_size 16k;
    location = /api {{ rewrite ^ /api.json break; }}
    location = /apis {{ rewrite ^ /apis.json break; }}
    location = /api/v1 {{ rewrite ^ /v1.json break; }}
    location = /api/v1/pods {{
      if ($arg_watch) {{ rewrite ^ /silence last; }}
      rewrite ^ /pods.$kind break;
    }}
    location = /silence {{ internal; proxy_pass http://127.0.0.1:{silent}; }}
  }}
}}
"""


def missing_programs():
    os.environ["PATH"] += ":/usr/sbin"
    return [program for program in PROGRAMS if not shutil.which(program)]


def record(kubeconfig, folder):
    """What the server of the kubeconfig answers to who wants to list pods, into `folder/www`."""
    text = pathlib.Path(kubeconfig).read_text()
    server, token, authority = (re.search(rf"\b{name}: (\S+)", text)[1] for name in ("server", "token", "certificate-authority-data"))
    www = pathlib.Path(folder, "www")
    www.mkdir()
    pathlib.Path(folder, "recorded.pem").write_bytes(base64.b64decode(authority))
    pages = [("/api", "json", "api.json"), ("/api/v1", "json", "v1.json")]
    pages += [("/api/v1/pods", kind, f"pods.{kind}") for kind in MEDIA_TYPES]
    for path, kind, name in pages:
        subprocess.run(["curl", "-sSf", "--cacert", f"{folder}/recorded.pem", "-H", f"Accept: {MEDIA_TYPES[kind]}", "--config", "-",
                        "-o", www / name, server + path], input=f'header = "Authorization: Bearer {token}"\n', text=True, timeout=120,
                       check=True)
    (www / "apis.json").write_text('{"kind":"APIGroupList","apiVersion":"v1","groups":[]}')


@contextlib.contextmanager
def nginx(folder):
    """Serves what was recorded while the block runs; gives its address. A watch is never answered, so that it disturbs nobody."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
                    "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{folder}/key.pem",
                    "-out", f"{folder}/cert.pem"], stderr=subprocess.DEVNULL, check=True)
    os.chmod(folder, 0o755)  # its workers are nobody in particular
    with socket.create_server(("127.0.0.1", 0)) as port_to_be:
        port = port_to_be.getsockname()[1]
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings = NGINX.format(folder=folder, port=port, silent=silent.getsockname()[1])
        pathlib.Path(folder, "nginx.conf").write_text(settings)
        subprocess.run(["nginx", "-p", folder, "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"], check=True)
        try:
            yield f"https://127.0.0.1:{port}"
        finally:
            os.kill(int(pathlib.Path(folder, "pid").read_text()), signal.SIGTERM)


def curl_seconds(server, kind, folder):
    """Of the list alone: kubexx too is connected when it begins to count."""
    said = subprocess.run(["curl", "-sSf", "--cacert", f"{folder}/cert.pem", "-H", f"Accept: {MEDIA_TYPES[kind]}", "-o", os.devnull,
                           "-w", "%{time_total} %{time_appconnect}", f"{server}/api/v1/pods"], stdout=subprocess.PIPE, text=True,
                          timeout=120, check=True).stdout
    total, connected = map(float, said.split())
    return total - connected


def our_seconds(kubexx, kind, kubeconfig, pods):
    said = subprocess.run([kubexx, "bench", "sync", "pods", "-A", "--mode=list", f"--content-type={kind}", "-o", "json",
                           "--kubeconfig", kubeconfig], stdout=subprocess.PIPE, text=True, timeout=120, check=True).stdout
    figures = json.loads(said)
    return figures["wallSeconds"], figures["objects"] == pods


def write_kubeconfig(file, server, authority):
    pathlib.Path(file).write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "nginx",
        "clusters": [{"name": "nginx", "cluster": {"server": server, "certificate-authority": authority}}],
        "users": [{"name": "nobody", "user": {}}],
        "contexts": [{"name": "nginx", "context": {"cluster": "nginx", "user": "nobody"}}]}))


def compare(kubexx, folder, pods):
    """Prints the table; returns the titles of what did not bring every pod."""
    print("\nlist from nginx, wall seconds".ljust(47), *(title.rjust(12) for title in ("curl", "kubexx", "times", "at most")))
    short = []
    with nginx(folder) as server:
        kubeconfig = f"{folder}/kubeconfig"
        write_kubeconfig(kubeconfig, server, f"{folder}/cert.pem")
        for kind, most in MOST.items():
            theirs, ours = [], []
            for _ in range(TURNS):
                theirs.append(curl_seconds(server, kind, folder))
                seconds, whole = our_seconds(kubexx, kind, kubeconfig, pods)
                ours.append(seconds)
                short += [] if whole else [f"{kind} from nginx"]
            figures = [statistics.median(theirs), statistics.median(ours)]
            print(kind.ljust(46), *(f"{value:12.3f}" for value in figures), f"{figures[1] / figures[0]:12.2f}", f"{most:12.2f}",
                  flush=True)
    return short
