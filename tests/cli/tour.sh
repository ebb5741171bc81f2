#!/usr/bin/env bash
# tour.sh KUBEXX: the tour without a terminal, which goes through all its steps by itself; and told to stop in the middle.
set -uo pipefail
kubexx=$(realpath "$1")
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT
unset KUBECONFIG NO_COLOR KUBERNETES_SERVICE_HOST
export HOME=$work TERM=xterm TMPDIR=$work

failures=0
fail() { echo "FAIL  $*"; failures=$((failures + 1)); }
# says WHAT PATTERN: a line of the step that begins with the heading in $step matches.
says() {
  awk -v heading="  $step" 'index($0, " of ") && / of [0-9]+  / { inside = index($0, heading) > 0 } inside' "$work/out" >"$work/step"
  grep -qE -- "$2" "$work/step" &&
    echo "ok    $1" || fail "$1: no line of \"$step\" matches $2"
}

"$kubexx" demo --tour </dev/null >"$work/out" 2>"$work/err"
code=$?
[ $code = 0 ] && echo "ok    it ends with 0" || fail "it ended with $code"
[ ! -s "$work/err" ] || fail "standard error has $(cat "$work/err")"
grep -q '^Look:  http://127\.0\.0\.1:' "$work/out" || fail "it does not say where to look"
for ((i = 1; i <= 9; ++i)); do grep -q "^$i of 9  " "$work/out" || fail "there is no step $i"; done
grep -q '^That was the tour\.' "$work/out" || fail "it does not say that it is over"

step='At rest'
says "all watch" '^  pods +watching +[1-9]'
says "and have objects" '=> four caches with [0-9]+ objects, all of them watching'
step='The connection is cut'
says "the informers say why" '^    [0-9.]+ s  nodes: backing off: .+'
says "caches stay" '=> nobody watches, and [1-9][0-9]* pods can be read; pods say: .+'
step='The server is back'
says "they watch again" '^    [0-9.]+ s  nodes: watching$'
says "without lists" '=> [0-9]+ calls by watches that were resumed, 0 by new lists'
step='A backup, and a Deployment after it'
says "three objects are newer" '=> 3 objects are newer than the backup of version [0-9]+; pods are at version [0-9]+'
step='The old etcd is restored'
says "they go back" '=> the server went from version [0-9]+ back to [0-9]+; [1-9][0-9]* calls by new lists, and nothing newer'
step='A definition is removed'
says "its informer parks and is empty" '^  foos +parked +0 '
says "the others go on" '^  pods +watching +[1-9]'
says "it says why" '=> foos are parked and say: .+'
step='The definition comes back'
says "it has two Foos again" '=> 2 Foos are cached again'
step='A handler becomes slow'
says "its calls wait" '=> [1-9][0-9]+ calls wait for the slow handler, none for the quick one'
step='It is quick again'
says "nothing was lost" '=> both handlers of pods have had [1-9][0-9]+ calls'

# Told to stop while the connection is cut: it ends soon, in silence, and leaves nothing.
: >"$work/out"
"$kubexx" demo --tour </dev/null >"$work/out" 2>"$work/err" &
pid=$!
for ((tries = 0; tries < 1200; ++tries)); do
  grep -q '^2 of 9' "$work/out" && break
  sleep 0.05
done
grep -q '^2 of 9' "$work/out" || fail "it never came to its second step"
kill -TERM "$pid"
wait "$pid"
code=$?
pid=
[ $code = 0 ] && echo "ok    SIGTERM ends it with 0" || fail "SIGTERM ended it with $code"
[ ! -s "$work/err" ] || fail "standard error has $(cat "$work/err")"
[ -z "$(find "$work" -maxdepth 1 -name 'kubexx-demo-*')" ] && echo "ok    it removed its folder" || fail "it left its folder"

"$kubexx" demo --tour --cluster >"$work/out" 2>"$work/err"
[ $? = 2 ] && grep -q -- '--tour and --cluster' "$work/err" || fail "--tour --cluster is not refused"
"$kubexx" demo --tour --for 1s >"$work/out" 2>"$work/err"
[ $? = 2 ] && grep -q -- '--tour and --for' "$work/err" || fail "--tour --for is not refused"
grep -qx -- '--tour' <<<"$("$kubexx" __complete -- demo --to)" || fail "--tour is not completed"

[ $failures -eq 0 ] || { cat "$work/out"; echo "$failures failed"; exit 1; }
