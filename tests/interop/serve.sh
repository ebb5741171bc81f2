# Sourced by the interop tests, with KUBEXX set: serves an API server for the test until the script ends.
# Sets work (a directory of its own), KUBECONFIG and HOME in it.
work=$(mktemp -d)
server=
stop_serving() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap stop_serving EXIT
export KUBECONFIG=$work/kubeconfig HOME=$work TMPDIR=$work
serve() {  # [FLAGS]
  mkfifo "$work/ready"
  "$kubexx" apiserver --kubeconfig-out "$KUBECONFIG" "$@" >"$work/ready" 2>"$work/server.log" &
  server=$!
  local line
  read -r -t 60 line <"$work/ready" || { cat "$work/server.log" >&2; echo "the server did not start" >&2; exit 1; }
  echo "$line"
}
