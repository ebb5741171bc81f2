#!/usr/bin/env bash
# shortage.sh KUBEXX FEW_THREADS: the program where threads, descriptors or memory run out. It ends with one line and 1,
# or does its work; it never hangs, never aborts, and SIGTERM ends it.
set -uo pipefail
kubexx=$(realpath "$1")
few_threads=$(realpath "$2")
work=$(mktemp -d)
server=
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null
  wait 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT
unset KUBECONFIG NO_COLOR KUBERNETES_SERVICE_HOST
export HOME=$work TERM=xterm TMPDIR=$work

failures=0
worked=0
fail() { echo "FAIL  $*"; failures=$((failures + 1)); }

"$kubexx" apiserver --workload 20 --kubeconfig-out "$work/kubeconfig" >"$work/server" &
server=$!
for ((i = 0; i < 600; ++i)); do [ -s "$work/server" ] && break; sleep 0.05; done
export KUBECONFIG=$work/kubeconfig

# short NAME LIMIT COMMAND...: after LIMIT (of a shell) the command runs for a second, unless it ends by itself. Those
# that run until they are told to stop end with 0 when SIGTERM comes.
short() {
  local name=$1 limit=$2 code
  shift 2
  timeout --kill-after=30 1 bash -c "$limit"' && exec "$@"' - "$kubexx" "$@" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  local lines
  lines=$(wc -l <"$work/err")
  case $code in
    0 | 124) worked=$((worked + 1)) ;;  # timeout has 124 for what it had to tell
    1) [ "$lines" = 1 ] && grep -q '^kubexx: ' "$work/err" || fail "$name, kubexx $*: $(head -n 3 "$work/err")" ;;
    137) fail "$name, kubexx $*: SIGTERM does not end it" ;;
    *) fail "$name, kubexx $*: exit code $code: $(head -n 3 "$work/err")" ;;
  esac
}

# Whether the program gets as far as main() under a limit; before that it is the loader that fails, or a library's
# initialisation. How little they need differs between machines.
begins() {
  bash -c "$1"' && exec "$@"' - "$kubexx" version --client >/dev/null 2>"$work/err" </dev/null
  ! grep -qE 'error while loading shared libraries|GnuTLS initialization' "$work/err"
}

# limits NAME PATTERN VALUE...: every command under every limit, and at least one that works under the widest.
limits() {
  local name=$1 pattern=$2 value command
  shift 2
  for command in 'get pods -A' 'watch pods -A -o jsonl --dump-cache' 'tree deployment/web -n demo' 'demo --for 500ms' \
    'apiserver --workload 5' "get pods --kubeconfig $work/plugged"; do
    worked=0
    for value in "$@"; do
      begins "${pattern//@/$value}" && short "$name $value" "${pattern//@/$value}" $command
    done
    if [ $worked -gt 0 ] || [[ $command == *plugged ]]; then echo "ok    $command with few $name"
    else fail "$command never worked, with $name up to $value"; fi
  done
}
cat >"$work/plugged" <<YAML
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: "false", interactiveMode: Never}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
YAML
chmod 600 "$work/plugged"
limits threads "export LD_PRELOAD=$few_threads KUBEXX_THREADS=@" 0 1 2 3 4 5 6 8 10 12 20
limits descriptors 'ulimit -n @' 4 5 6 8 10 12 16 20 60
limits kilobytes 'ulimit -v @' 30000 100000 200000 400000 4000000

[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
