#!/usr/bin/env bash
# groups.sh KUBEXX_GEN INCLUDE_DIR: headers of some groups include only what is there, and others go when they are no longer asked for.
set -euo pipefail
gen=$1 include=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" >&2; exit 1; }
write() { "$gen" --builtin --out "$work/out" --record "$work/files" "$@"; }

write
all=$(wc -l <"$work/files")
for groups in core core,apps batch,networking internal none; do
  write --groups "$groups"
  (cd "$work/out" && find . -name '*.hpp' | sed 's|^\./||' | sort) >"$work/there"
  sort "$work/files" | diff - "$work/there" || fail "--groups $groups: what is there is not what was written"
  while read -r header; do
    [ -e "$work/out/$header" ] || [ -e "$include/$header" ] || fail "--groups $groups: $header is included and not there"
  done < <(find "$work/out" -name '*.hpp' -exec sed -n 's/^#include "\(.*\)"$/\1/p' {} + | sort -u)
  [ "$(wc -l <"$work/files")" -lt "$all" ] || fail "--groups $groups: nothing is left out"
  for name in ${groups//,/ }; do
    folder=${name/internal/apiserverinternal}
    [ "$name" = none ] || [ -e "$work/out/kubexx/clientset/$folder.hpp" ] || fail "--groups $groups: no $name"
  done
done
[ ! -e "$work/out/kubexx/clientset" ] || [ -z "$(find "$work/out/kubexx/clientset" -type f)" ] || fail "no group has a client"
[ -e "$work/out/kubexx/api/autoscaling/v1.hpp" ] || fail "custom resources have no Scale"
if write --groups core,aps 2>"$work/log"; then fail "a group that is not was taken"; fi
grep -q 'there is no group aps; there are: admission.*, apps, ' "$work/log" || { cat "$work/log"; fail "it does not say which there are"; }
if "$gen" --crd x.yaml --groups core --out "$work/out" 2>"$work/log"; then fail "--groups was taken for custom resources"; fi
grep -q -- '--groups is for --builtin' "$work/log" || fail "it does not say why"
