#!/usr/bin/env bash
# stops.sh KUBEXX: commands that are told to stop, at bad moments too: they end soon, in silence, and leave nothing.
set -uo pipefail
kubexx=$(realpath "$1")
work=$(mktemp -d)
server=
cleanup() {
  [ -z "$server" ] || { kill -CONT "$server"; kill "$server"; } 2>/dev/null
  wait 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT
unset KUBECONFIG NO_COLOR KUBERNETES_SERVICE_HOST
export HOME=$work TERM=xterm TMPDIR=$work

failures=0
fail() { echo "FAIL  $*"; failures=$((failures + 1)); }
# await WHAT COMMAND...: the command succeeds within half a minute.
await() {
  local what=$1 tries
  shift
  for ((tries = 0; tries < 600; ++tries)); do
    "$@" && return
    sleep 0.05
  done
  fail "it never came true: $what"
  return 1
}
gone() { ! kill -0 "$1" 2>/dev/null; }
file() { [ -s "$1" ]; }
# Whether a process of the program hears SIGTERM: bit 14 of the signals it catches. Until it is the program it is a copy
# of this shell, which hears too.
hears() { [ "$(readlink "/proc/$1/exe")" = "$kubexx" ] && (( 0x$(awk '/^SigCgt/ {print $2}' "/proc/$1/status" 2>/dev/null || echo 0) & 0x4000 )); }
# ended NAME PID CODE: it ends soon, with this code.
ended() {
  await "$1 ends" gone "$2" || kill -KILL "$2"
  wait "$2"
  local code=$?
  [ $code = "$3" ] && echo "ok    $1 ends with $3" || fail "$1 ended with $code, not $3"
}
# start COMMAND...: in the background, with its process in $pid.
start() {
  : >"$work/out"
  "$kubexx" "$@" >"$work/out" 2>"$work/err" </dev/null &
  pid=$!
}

# A server that accepts and does not answer.
"$kubexx" apiserver --workload 60 --workload-rate 200 --kubeconfig-out "$work/kubeconfig" >"$work/server" &
server=$!
await "the server serves" file "$work/server"
export KUBECONFIG=$work/kubeconfig
kill -STOP "$server"
# An exec plugin that does not answer either.
cat >"$work/plugin" <<SH
#!/bin/sh
echo \$\$ >"$work/plugin.pid"
exec sleep 600
SH
chmod 700 "$work/plugin"
cat >"$work/plugged" <<YAML
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: $work/plugin, interactiveMode: Never}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
YAML
chmod 600 "$work/plugged"
for command in 'watch pods:0' 'logs -l a=b -f:0' 'logs a:143' 'tree pod/a:0' 'demo --cluster:0' 'get pods:143' 'top-cache pods:143' 'bench sync pods:143' \
  'version:143'; do
  code=${command##*:}
  command=${command%:*}
  start $command
  await "$command hears" hears "$pid"
  kill -TERM "$pid"
  ended "$command of a silent server" "$pid" "$code"
  [ ! -s "$work/err" ] || fail "$command says: $(cat "$work/err")"
  rm -f "$work/plugin.pid"
  start $command --kubeconfig "$work/plugged"
  await "the plugin of $command runs" file "$work/plugin.pid"
  kill -TERM "$pid"
  ended "$command with a silent plugin" "$pid" "$code"
  [ ! -s "$work/err" ] || fail "$command says: $(cat "$work/err")"
  await "the plugin of $command ends" gone "$(cat "$work/plugin.pid")"
done
kill -CONT "$server"

# A measurement that goes on for a while ends when it is told to, and prints nothing then.
start bench sync pods -A --for 60s
await "the measurement hears" hears "$pid"
kill -INT "$pid"  # which background jobs of a script ignore
kill -TERM "$pid"
ended "a measurement" "$pid" 143
[ ! -s "$work/out" ] && [ ! -s "$work/err" ] || fail "an ended measurement says: $(cat "$work/out" "$work/err")"

# A signal that comes twice at once is one wish: the last line is still printed.
start watch pods -A -o jsonl --dump-cache
await "the watch follows" grep -q '"event":"update"' "$work/out"
kill -TERM "$pid" "$pid"  # in one breath: half a second later it would be another wish
kill -INT "$pid"
ended "a watch that is told twice" "$pid" 0
tail -n 1 "$work/out" | grep -q '^{"cache":{' && echo "ok    it printed its cache" || fail "the cache was not printed"

# However much moves, the server hears.
start apiserver --workload 20000 --workload-rate 100000
await "the busy server serves" file "$work/out"
kill -TERM "$pid"
ended "a busy server" "$pid" 0

# A demo leaves no kubeconfig behind: not when its terminal hangs up, and what a killed one left goes with the next.
demos() { find "$work" -maxdepth 1 -name 'kubexx-demo-*' -type d | wc -l; }
start demo --for 60s
await "the demo runs" grep -q '^Try it:' "$work/out"
kill -HUP "$pid"
ended "a demo whose terminal hangs up" "$pid" 0
[ "$(demos)" = 0 ] && echo "ok    it removed its folder" || fail "it left its folder"
start demo --for 60s
await "the demo runs" grep -q '^Try it:' "$work/out"
kill -KILL "$pid"
wait "$pid" 2>/dev/null
[ "$(demos)" = 1 ] || fail "there are $(demos) folders of a killed demo"
[ "$(stat -c '%a' "$work"/kubexx-demo-*)" = 700 ] && echo "ok    a demo's folder is its user's alone" || fail "others reach a demo's folder"
mkdir -m 700 "$work/kubexx-demo-foreign" "$work/elsewhere"
touch "$work/kubexx-demo-foreign/thesis" "$work/elsewhere/kubeconfig"
ln -s elsewhere "$work/kubexx-demo-link"
start demo --for 60s
living=$pid
await "the demo runs" grep -q '^Try it:' "$work/out"
kubeconfig=$(sed -nE 's/^Try it: .*--kubeconfig ([^ ]+) .*/\1/p' "$work/out")
[ "$(demos)" = 2 ] && echo "ok    what a killed demo left is gone" || fail "what a killed demo left is still there"
"$kubexx" demo --for 100ms >/dev/null 2>&1 || fail "a second demo fails"
[ -f "$kubeconfig" ] && echo "ok    a living demo keeps its folder" || fail "a second demo removed the folder of the first"
[ -f "$work/kubexx-demo-foreign/thesis" ] || fail "it removed what is not a demo's"
[ -f "$work/elsewhere/kubeconfig" ] || fail "it followed a symbolic link"
kill -TERM "$living"
ended "a demo" "$living" 0

[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
