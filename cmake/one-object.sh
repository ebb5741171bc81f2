#!/bin/sh
# one-object.sh LINKER OBJCOPY NM MAP OUT OBJECTS...: one object of several, which shows the names that a linker map lists and no
# other.
set -eu
linker=$1 objcopy=$2 nm=$3 map=$4 out=$5
shift 5
trap 'rm -f "$out.all" "$out.unique" "$out.shown"' EXIT
"$linker" -r --force-group-allocation -o "$out.all" "$@"
# What is unique in a process cannot be made local; what is weak can.
"$nm" --extern-only --defined-only "$out.all" | sed -n 's/^[0-9a-f]* u //p' >"$out.unique"
[ ! -s "$out.unique" ] || "$objcopy" --weaken-symbols="$out.unique" "$out.all"  # an empty list is an error to it
sed -n 's/^ *\(kubexx_[a-z_0-9]*\);$/\1/p' "$map" >"$out.shown"
"$objcopy" --keep-global-symbols="$out.shown" "$out.all" "$out"
