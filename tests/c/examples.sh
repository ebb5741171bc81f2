#!/usr/bin/env bash
# examples.sh KUBEXX LIBRARY C CPP17 PYTHON: the examples on the embedded server: each prints the pods and ends when it is told to, by
# itself and under valgrind, which finds nothing wrong.
set -euo pipefail
kubexx=$1 library=$2 in_c=$3 in_cpp17=$4 in_python=$5
command -v valgrind >/dev/null || { echo "there is no valgrind" >&2; exit 1; }
errors=(--quiet --error-exitcode=9)
work=$(mktemp -d)
. "$(dirname "$(readlink -f "$0")")/../support/printing.sh"
trap 'end_processes; rm -rf "$work"' EXIT
unset KUBERNETES_SERVICE_HOST
export HOME=$work KUBEXX_C_LIBRARY=$library
serve --workload 2 --workload-rate 0

awaited=('^[+] .+/.+')
leaks=(--leak-check=full --errors-for-leak-kinds=definite,indirect)
for program in "$in_c" "$in_cpp17"; do
  run "$program"
  run valgrind "${errors[@]}" "${leaks[@]}" "$program"
done
awaited+=('^[1-9][0-9]* pods of [1-9].* read from the cache$')
run "$in_python"
# Debian's Python, whatever else is called python3 here. Its own allocator would hide errors; what it does not free is not ours.
run env PYTHONMALLOC=malloc valgrind "${errors[@]}" --leak-check=no /usr/bin/python3 "$in_python"
