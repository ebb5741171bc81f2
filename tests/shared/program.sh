#!/usr/bin/env bash
# program.sh KUBEXX EXAMPLE...: the program on the shared libraries serves, each example beside it prints what it got
# of it and ends when told to; then the program's demo.
set -euo pipefail
kubexx=$1
shift
work=$(mktemp -d)
server= example=
cleanup() {
  for process in $example $server; do kill "$process" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap cleanup EXIT
unset KUBERNETES_SERVICE_HOST
export HOME=$work KUBECONFIG=$work/kubeconfig
# Not in a pipe: grep -q ends with the first match, and who still writes then fails, which pipefail takes for an answer.
grep -q 'libkubexx_testing\.so' <<<"$(ldd "$kubexx")" || { echo "$kubexx is not linked with the shared libraries" >&2; exit 1; }

mkfifo "$work/ready" "$work/lines"
"$kubexx" apiserver --workload 2 --workload-rate 0 --kubeconfig-out "$KUBECONFIG" >"$work/ready" &
server=$!
read -r -t 60 line <"$work/ready" || { echo "the server did not start" >&2; exit 1; }
for program in "$@"; do
  "$program" >"$work/lines" &
  example=$!
  exec {lines}<"$work/lines"
  read -r -t 60 -u $lines line || { echo "$program printed nothing" >&2; exit 1; }
  echo "$(basename "$program"): $line"
  [[ $line == "+ "* || $line == *" read from the cache" ]] || { echo "$program got no pods" >&2; exit 1; }
  kill "$example"
  cat <&$lines >/dev/null
  exec {lines}<&-
  wait "$example" || { echo "$program ended with $?" >&2; exit 1; }
  example=
done
"$kubexx" demo --for 2s >"$work/demo"
grep -E '^events +[1-9]' "$work/demo" || { cat "$work/demo" >&2; exit 1; }
