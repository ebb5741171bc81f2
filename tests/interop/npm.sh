#!/usr/bin/env bash
# npm.sh KUBEXX DIRECTORY: the informer of the npm package @kubernetes/client-node against `kubexx apiserver`.
# The package is installed into DIRECTORY, as the lock file beside this script has it, unless it is there already.
set -euo pipefail
kubexx=$1 install=$2
here=$(cd "$(dirname "$0")" && pwd)
command -v npm >/dev/null || { echo "npm is not installed (./dev test-interop installs it)" >&2; exit 1; }
mkdir -p "$install"
if ! cmp -s "$here/npm/package-lock.json" "$install/installed-lock.json"; then
  cp "$here/npm/package.json" "$here/npm/package-lock.json" "$install"
  (cd "$install" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  cp "$here/npm/package-lock.json" "$install/installed-lock.json"
fi
cp "$here/npm/informer.mjs" "$install"  # modules are looked up from where the script lies
. "$here/serve.sh"
serve --fault-path
node "$install/informer.mjs"
