# For tests that run programs on the embedded server until they have printed something. Wants $kubexx and $work, a folder; gives
# serve, run and their cleanup. The caller traps EXIT with end_processes.
server= example=
mkfifo "$work/ready" "$work/lines"
export KUBECONFIG=$work/kubeconfig

end_processes() {
  for process in $example $server; do kill "$process" 2>/dev/null || true; done
  wait
}
# serve FLAGS...: a fresh server; one that is there ends.
serve() {
  if [ -n "$server" ]; then
    kill "$server"
    wait "$server" || true
  fi
  "$kubexx" apiserver "$@" --kubeconfig-out "$KUBECONFIG" >"$work/ready" &
  server=$!
  read -r -t 60 line <"$work/ready" || { echo "the server did not start" >&2; exit 1; }
}
# until_printed PATTERN...: lines are read until each of the patterns has met one; handlers and main() print in any order.
until_printed() {
  local pattern
  for pattern; do
    until grep -qE -- "$pattern" "$work/seen"; do
      read -r -t 120 -u "$lines" line || return 1
      echo "$line" >>"$work/seen"
    done
  done
}
# start COMMAND...: in the background; what it prints is for until_printed.
start() {
  : >"$work/seen"
  "$@" >"$work/lines" &
  example=$!
  exec {lines}<"$work/lines"
}
# finish NAME: it is told to end, and ends well.
finish() {
  kill "$example"
  cat <&"$lines" >/dev/null
  exec {lines}<&-
  wait "$example" || { echo "$1 ended with $?" >&2; exit 1; }
  example=
}
# run COMMAND...: until it has printed what is $awaited, then it is told to end.
run() {
  start "$@"
  until_printed "${awaited[@]}" || { echo "$* did not print ${awaited[*]}:" >&2; cat "$work/seen" >&2; exit 1; }
  echo "$*: $(head -n 1 "$work/seen")"
  finish "$*"
}
