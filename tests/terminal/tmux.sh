#!/usr/bin/env bash
# tmux.sh KUBEXX: live tables in a terminal of tmux.
set -uo pipefail
kubexx=$1
. "$(dirname "$(readlink -f "$0")")/terminal.sh"

# restored NAME: the shell has its screen, cursor and keyboard back.
restored() {
  await_state "$1: the normal screen is back" '#{alternate_on}' 0
  await_state "$1: the cursor is back" '#{cursor_flag}' 1
  type_line 'echo "code=$? $(stty -a | grep -o -- "-\?icanon" | tr -d "\n") $(stty -a | grep -ow -- "-\?echo" | head -n 1)"'
  await "$1: exit code and keyboard" '^code=0 icanon echo$'
}

serve --workload 12 --workload-rate 4
t new-session -d -x 120 -y 40 "env PS1='prompt> ' bash --norc --noprofile" || exit 1
await "a prompt" '^prompt>'

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
grep -q $'\e\\[' <<<"$(t capture-pane -p -e)" && fail "NO_COLOR is not heeded" || echo "ok    NO_COLOR"
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

type_line "clear; $work/kubexx demo --tour"
await "the tour begins" '^1 of 9  At rest'
await "it waits for a key" 'Enter does it, q ends the tour'
t send-keys Enter
await "the first step is seen" '^four caches with [0-9]+ objects'
t send-keys Enter
await "the next step" '^2 of 9  The connection is cut'
t send-keys Enter
await "an informer says what is wrong" '^[0-9.]+ s  nodes: backing off: '
await "and its row too" '^nodes +(backing off|opening) '
await "so do all of them" 'Enter goes on, q ends the tour'  # before that a key does nothing
t send-keys Enter
await "the step after it" '^3 of 9  The server is back'
t resize-window -x 60 -y 14
await "the keys stay in sight" 'Enter does it, q ends'
t resize-window -x 120 -y 40
t send-keys q
restored "after the tour"

type_line "clear; $work/kubexx watch podz"
await "an error leaves the screen alone" 'did you mean pods'

stop_serving

# 100,000 objects beside pods that move: the first list says how far it is, and the table answers at once.
awk 'BEGIN {
  for (i = 0; i < 100000; ++i) {
    printf "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p-%06d\",\"namespace\":\"load\"", i
    printf ",\"labels\":{\"app\":\"a-%d\"}},\"spec\":{\"nodeName\":\"node-%d\",\"containers\":[{\"name\":\"main\"", i % 50, i % 3
    printf ",\"image\":\"registry.example/app:%d\"}]},\"status\":{\"phase\":\"Running\",\"podIP\":\"10.1.%d.%d\"}}\n", i % 9, i / 256 % 256, i % 256
  }
}' >"$work/pods"
serve --objects "$work/pods" --workload 12 --workload-rate 4

patience=60
progress='pods: .*[0-9,]+ of 100,[0-9]+ objects, [0-9.]+ [KM]B'
type_line "clear; $work/kubexx get pods -A -o name"
await "a first list says how far it is" "$progress"
await "and takes that away again" '^pod/p-099999'
grep -q ' objects, ' <<<"$(t capture-pane -p)" && fail "the progress line stays" || echo "ok    the progress line goes"
type_line "clear; $work/kubexx watch pods -A --no-watch-list"
await "a live table says how far it is" "$progress"
await "100,000 objects" '^pods 100,0[0-9][0-9] '
await "100,000 rows" '^ 1-[0-9]+ of 100[0-9]+ lines'
# soon NAME PATTERN KEYS...: what the keys do is seen within half a second, drawing and tmux included; if not, $late is set.
soon() {
  local name=$1 pattern=$2 begin=${EPOCHREALTIME/./} end
  t send-keys "${@:3}"
  while ! grep -qE -- "$pattern" <<<"$(t capture-pane -p)"; do
    end=${EPOCHREALTIME/./}
    if ((end - begin > 15000000)); then fail "$name: the screen never matched $pattern"; return; fi
  done
  end=${EPOCHREALTIME/./}
  if ((end - begin > 500000)); then late=1; echo "late  $name: $(((end - begin) / 1000)) ms"; return; fi
  echo "ok    $name: $(((end - begin) / 1000)) ms"
}
# Five rounds of ten: a machine that does something else in between gets other chances.
for ((i = 0, good = 0; i < 10 && good < 5; ++i)); do
  late=
  soon "to the end" '^load +p-099999 +' End
  soon "a page back" '^ 9[0-9]+-9[0-9]+ of 100[0-9]+ lines' PageUp
  soon "to the top" '^demo +' Home
  [ -n "$late" ] || good=$((good + 1))
done
[ "$good" = 5 ] || fail "of $i rounds only $good were answered within half a second"
t resize-window -x 70 -y 14
await "resized" '^ 1-11 of 100[0-9]+ lines'
await "it goes on moving" $'\e\\[(7|31|32)m' -e
t resize-window -x 120 -y 40
begin=${EPOCHREALTIME/./}
t send-keys C-c
restored "after 100,000 rows"
echo "      Ctrl-C: $(((${EPOCHREALTIME/./} - begin) / 1000)) ms until the shell answers"

stop_serving
[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
