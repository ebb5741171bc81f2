#!/usr/bin/env bash
# python.sh KUBEXX: the Python client against `kubexx apiserver`.
set -euo pipefail
kubexx=$1
here=$(cd "$(dirname "$0")" && pwd)
# The system's interpreter: another one first in PATH does not see Debian's packages.
/usr/bin/python3 -c 'import kubernetes' || { echo "python3-kubernetes is not installed (./dev test-interop installs it)" >&2; exit 1; }
. "$here/serve.sh"
serve --fault-path
/usr/bin/python3 -B "$here/python_client.py"
