#!/usr/bin/env bash
# browser.sh PAGE_PROGRAM DIRECTORY: the inspector page in Chromium. Modules and screenshots go to the directory.
set -euo pipefail
program=$1 directory=$2 here=$(dirname "$(readlink -f "$0")")
for tool in chromium node npm; do
  command -v $tool >/dev/null || { echo "$tool is not installed (./dev test-interop installs it)" >&2; exit 1; }
done
mkdir -p "$directory"
cp "$here"/package.json "$here"/package-lock.json "$here"/*.mjs "$here"/../../src/inspect/assets/route.js "$directory"
cd "$directory"
npm ci --silent --no-audit --no-fund --ignore-scripts
PAGE_PROGRAM=$program PICTURES=$directory/pictures node --test route.test.mjs page.test.mjs
