#!/usr/bin/env bash
# examples.sh KUBEXX LIBRARY C CPP17 PYTHON: the examples on the embedded server: each prints the pods and ends when it is told to;
# the one in C under valgrind too, where that is here.
set -euo pipefail
kubexx=$1 library=$2 in_c=$3 in_cpp17=$4 in_python=$5
work=$(mktemp -d)
server= example=
cleanup() {
  for process in $example $server; do kill "$process" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap cleanup EXIT
unset KUBERNETES_SERVICE_HOST
export HOME=$work KUBECONFIG=$work/kubeconfig KUBEXX_C_LIBRARY=$library

mkfifo "$work/ready" "$work/lines"
"$kubexx" apiserver --workload 2 --workload-rate 0 --kubeconfig-out "$KUBECONFIG" >"$work/ready" &
server=$!
read -r -t 20 line <"$work/ready" || { echo "the server did not start" >&2; exit 1; }

# until_printed PATTERN...: lines are read until each of the patterns has met one; the handler and main() print in any order.
until_printed() {
  local pattern
  for pattern; do
    until grep -qE -- "$pattern" "$work/seen"; do
      read -r -t 60 -u "$lines" line || return 1
      echo "$line" >>"$work/seen"
    done
  done
}
run() {  # COMMAND...: until it has printed a pod and what else is $awaited, then it is told to end
  : >"$work/seen"
  "$@" >"$work/lines" &
  example=$!
  exec {lines}<"$work/lines"
  until_printed '^[+] .+/.+' "${awaited[@]}" || { echo "$* printed no pods:" >&2; cat "$work/seen" >&2; exit 1; }
  echo "$(basename "${!#}"): $(head -n 1 "$work/seen")"
  kill "$example"
  cat <&"$lines" >/dev/null
  exec {lines}<&-
  wait "$example" || { echo "$* ended with $?" >&2; exit 1; }
  example=
}

awaited=()
run "$in_c"
if command -v valgrind >/dev/null; then
  run valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,indirect "$in_c"
fi
run "$in_cpp17"
awaited=('^[1-9][0-9]* pods of [1-9].* read from the cache$')
run "$in_python"
