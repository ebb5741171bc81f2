#!/usr/bin/env bash
# tmux.sh KUBEXX: live tables in a terminal of tmux.
set -uo pipefail
kubexx=$1
command -v tmux >/dev/null || { echo "tmux is not installed (./dev test-interop installs it)" >&2; exit 1; }
work=$(mktemp -d)
server=
t() { tmux -S "$work/tmux" -f /dev/null "$@"; }
cleanup() {
  t kill-server 2>/dev/null
  [ -z "$server" ] || kill "$server" 2>/dev/null
  wait 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT
unset TMUX NO_COLOR
export HOME=$work KUBECONFIG=$work/kubeconfig LC_ALL=C.UTF-8

failures=0
fail() {
  echo "FAIL  $*"
  t capture-pane -p 2>/dev/null | sed 's/^/      |/'
  failures=$((failures + 1))
}
# await NAME PATTERN [FLAGS]: the screen matches within fifteen seconds (capture-pane -e shows styles).
await() {
  local tries
  for ((tries = 0; tries < 300; ++tries)); do
    if t capture-pane -p ${3:-} 2>/dev/null | grep -qE -- "$2"; then
      echo "ok    $1"
      return
    fi
    sleep 0.05
  done
  fail "$1: the screen never matched $2"
}
# await_state NAME FORMAT VALUE: what tmux knows of the terminal becomes this.
await_state() {
  local tries
  for ((tries = 0; tries < 300; ++tries)); do
    [ "$(t display-message -p "$2")" = "$3" ] && { echo "ok    $1"; return; }
    sleep 0.05
  done
  fail "$1: $2 is $(t display-message -p "$2"), not $3"
}
type_line() { t send-keys -l "$1"; t send-keys Enter; }
# restored NAME: the shell has its screen, cursor and keyboard back.
restored() {
  await_state "$1: the normal screen is back" '#{alternate_on}' 0
  await_state "$1: the cursor is back" '#{cursor_flag}' 1
  type_line 'echo "code=$? $(stty -a | grep -o -- "-\?icanon" | tr -d "\n") $(stty -a | grep -ow -- "-\?echo" | head -n 1)"'
  await "$1: exit code and keyboard" '^code=0 icanon echo$'
}

mkfifo "$work/ready"
"$kubexx" apiserver --workload 12 --workload-rate 4 --kubeconfig-out "$KUBECONFIG" >"$work/ready" 2>"$work/server.log" &
server=$!
read -r -t 10 line <"$work/ready" || { cat "$work/server.log" >&2; echo "the server did not start" >&2; exit 1; }
t new-session -d -x 120 -y 40 "env PS1='prompt> ' bash --norc --noprofile" || exit 1
await "a prompt" '^prompt>'
ln -s "$kubexx" "$work/kubexx"

type_line "clear; $work/kubexx watch pods,nodes -A"
await_state "the live table has a screen of its own" '#{alternate_on}' 1
await_state "and no cursor" '#{cursor_flag}' 0
await "rows of pods" '^demo +pod/web-[a-z0-9]+-[a-z0-9]+ +1/1 +Running'
await "rows of nodes" '^node/node-1 +Ready'
await "counts" '^pods [0-9]+ +nodes 3 '
await "a changed cell is highlighted" $'\e\\[7m' -e
await "a row that goes is red" $'\e\\[31m' -e
await "a row that comes is green" $'\e\\[32m' -e

t resize-window -x 60 -y 12
await "smaller: the footer says where it is" '^ 1-9 of [0-9]+ lines'
t send-keys Down Down Down
await "scrolled" '^ 4-12 of [0-9]+ lines'
await "the header stays" '^NAMESPACE +NAME '
t send-keys Home
await "back at the top" '^ 1-9 of [0-9]+ lines'
t resize-window -x 120 -y 40
await "larger: everything is there again" '^node/node-3 +Ready'
t send-keys C-c
restored "after Ctrl-C"

type_line "clear; $work/kubexx watch nodes"
await "one resource" '^node-1 +Ready'
t send-keys q
restored "after q"

type_line "clear; NO_COLOR=1 $work/kubexx watch nodes -o wide"
await "wide columns" 'INTERNAL-IP'
t capture-pane -p -e | grep -q $'\e\\[' && fail "NO_COLOR is not heeded" || echo "ok    NO_COLOR"
t send-keys C-c
restored "after NO_COLOR"

type_line "clear; $work/kubexx tree deployment/web -n demo"
await "a tree" '^. ReplicaSet/web-|^.. ReplicaSet/web-'
await "its leaves" 'Pod/web-.*Running'
t send-keys C-c
restored "after tree"

type_line "clear; $work/kubexx demo --for 5s"
await "the demo's table" '^demo +example-foo +example-foo'
await "the demo's controller has made a deployment" '^demo +example-foo +1/1 +1 +1'
await "the demo's page" '^Look: +http://127.0.0.1:'
await "the demo's kubeconfig" 'kubectl --kubeconfig .*kubeconfig'
await "the demo's summary" '^sync +[0-9]+ ms'
restored "after the demo"

type_line "clear; $work/kubexx watch podz"
await "an error leaves the screen alone" 'did you mean pods'

kill "$server"
wait "$server"
server=
[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
