#!/usr/bin/env bash
# accepted.sh KUBEXX: a real API server takes the deploy files of the tree and those that `kubexx init` writes, as
# `kubectl apply --dry-run=server` says. Their namespaces are made before and taken away after it: a dry run makes none.
set -euo pipefail
kubexx=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
[ -n "${KUBECONFIG_UNDER_TEST:-}" ] || { echo "SKIPPED: KUBECONFIG_UNDER_TEST is not set (./dev test-cluster sets it)"; exit 77; }
command -v kubectl >/dev/null || { echo "SKIPPED: there is no kubectl"; exit 77; }
export KUBECONFIG=$KUBECONFIG_UNDER_TEST
work=$(mktemp -d "${TMPDIR:-/tmp}/kubexx-deploy.XXXXXX")
made=()
finish() {
  for each in "${made[@]}"; do kubectl delete namespace "$each" --wait=false >/dev/null || true; done
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

(cd "$work" && "$kubexx" init orders --group shop.example.com --kind Order >/dev/null)
files=("$source"/deploy/node-agent/*.yaml "$source"/examples/operator/{greeting_crd,deploy}.yaml "$work"/orders/{order_crd,deploy}.yaml)
for file in "${files[@]}"; do
  while read -r namespace; do
    kubectl get namespace "$namespace" >/dev/null 2>&1 || { kubectl create namespace "$namespace" >/dev/null && made+=("$namespace"); }
  done < <(sed -n 's/.*namespace: *\([a-z0-9-]*\).*/\1/p' "$file" | sort -u)
  echo "$file:"
  kubectl apply --dry-run=server -f "$file"
done
