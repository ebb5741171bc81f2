# What the tests in a terminal share: a tmux of their own, a server, and waiting for what is on the screen.
# Wants $kubexx; gives $work, with the program in it as "kubexx".
command -v tmux >/dev/null || { echo "tmux is not installed (./dev test-interop installs it)" >&2; exit 1; }
work=$(mktemp -d)
server=
echo 'set -g exit-empty off' >"$work/tmux.conf"  # a server that goes with its last session may meet the next one
t() { tmux -S "$work/tmux" -f "$work/tmux.conf" "$@"; }
cleanup() {
  t kill-server 2>/dev/null
  [ -z "$server" ] || kill "$server" 2>/dev/null
  wait 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT
unset TMUX NO_COLOR
export HOME=$work KUBECONFIG=$work/kubeconfig LC_ALL=C.UTF-8
ln -s "$kubexx" "$work/kubexx"
mkfifo "$work/ready"

# serve FLAGS...: `kubexx apiserver` until stop_serving, for whoever uses $KUBECONFIG.
serve() {
  "$kubexx" apiserver "$@" --kubeconfig-out "$KUBECONFIG" >"$work/ready" 2>"$work/server.log" &
  server=$!
  read -r -t 60 line <"$work/ready" || { cat "$work/server.log" >&2; echo "the server did not start" >&2; exit 1; }
}
stop_serving() {
  kill "$server"
  wait "$server"
  server=
}

failures=0
fail() {
  echo "FAIL  $*"
  t capture-pane -p 2>/dev/null | sed 's/^/      |/'
  failures=$((failures + 1))
}
# await NAME PATTERN [FLAGS]: the screen matches within $patience seconds (capture-pane -e shows styles).
patience=30
await() {
  local tries
  for ((tries = 0; tries < patience * 20; ++tries)); do
    if grep -qE -- "$2" <<<"$(t capture-pane -p ${3:-} 2>/dev/null)"; then
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
  for ((tries = 0; tries < 600; ++tries)); do
    [ "$(t display-message -p "$2")" = "$3" ] && { echo "ok    $1"; return; }
    sleep 0.05
  done
  fail "$1: $2 is $(t display-message -p "$2"), not $3"
}
type_line() { t send-keys -l "$1"; t send-keys Enter; }
