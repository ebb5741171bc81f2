#!/usr/bin/env bash
# examples.sh KUBEXX LIBRARY C CPP17 PYTHON: the examples on the embedded server: each prints the pods and ends when it is told to;
# the one in C under valgrind too, where that is here.
set -euo pipefail
kubexx=$1 library=$2 in_c=$3 in_cpp17=$4 in_python=$5
work=$(mktemp -d)
. "$(dirname "$(readlink -f "$0")")/../support/printing.sh"
trap 'end_processes; rm -rf "$work"' EXIT
unset KUBERNETES_SERVICE_HOST
export HOME=$work KUBEXX_C_LIBRARY=$library
serve --workload 2 --workload-rate 0

awaited=('^[+] .+/.+')
run "$in_c"
if command -v valgrind >/dev/null; then
  run valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,indirect "$in_c"
fi
run "$in_cpp17"
awaited+=('^[1-9][0-9]* pods of [1-9].* read from the cache$')
run "$in_python"
