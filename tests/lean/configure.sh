#!/usr/bin/env bash
# configure.sh SOURCE_DIR COMPILER: the runtime alone looks for nothing that it does not need; parts that contradict each other say so;
# as a part of another build the library brings itself and nothing else. Only configured, not built.
set -euo pipefail
source=$1 compiler=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" >&2; exit 1; }
unset CXXFLAGS LDFLAGS
configure() {  # DIRECTORY SOURCE OPTIONS...
  cmake -S "$2" -B "$work/$1" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" "${@:3}" >"$work/log" 2>&1
}
commands() { ninja -C "$work/$1" -t commands "${@:2}"; }  # DIRECTORY TARGETS...

# pkg-config as it is, but that it has no RE2; what it was asked for is kept.
cat >"$work/pkg-config" <<END
#!/bin/sh
echo "\$*" >>"$work/asked"
case "\$*" in *re2*) exit 1 ;; esac
exec pkg-config "\$@"
END
chmod +x "$work/pkg-config"
: >"$work/asked"
hidden=(-DPKG_CONFIG_EXECUTABLE="$work/pkg-config")
for package in Boost CLI11 re2 GTest; do hidden+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"); done
no_parts=(-DKUBEXX_INSPECT=OFF -DKUBEXX_TESTING=OFF -DKUBEXX_PROGRAM=OFF -DKUBEXX_C=OFF -DKUBEXX_TESTS=OFF)

configure alone "$source" "${hidden[@]}" "${no_parts[@]}" -DCMAKE_BUILD_TYPE=Release -DKUBEXX_TYPED="core;apps" || {
  cat "$work/log"
  fail "the runtime alone cannot be configured"
}
# CMake names the packages that were hidden and that nobody looked for.
! grep -iE 'boost|cli11|re2' "$work/log" "$work/asked" | grep -v CMAKE_DISABLE_FIND_PACKAGE_ || fail "the runtime alone looks for what it does not need"
grep -q 'libnghttp2' "$work/asked" || fail "pkg-config was asked for nothing: this test sees nothing"
! commands alone all | grep -E '/src/(httpd|inspect|manager|apiserver|columns|testkit|c)/|/apps/' || fail "the runtime has other parts"
examples=$(commands alone all | grep -oE ' -c [^ ]*/examples/[a-z_]+/' | sed 's/^ -c //' | sort -u)
[ -n "$examples" ] || fail "no example is built"
# shellcheck disable=SC2086
! grep -rE 'include [<"]kubexx/(httpd|inspect|manager|columns|apiserver|testkit)/' $examples || fail "an example is built without a part that it needs"
commands alone all | grep -- '--groups core,apps ' >/dev/null || fail "KUBEXX_TYPED does not reach the generator"
compile=$(commands alone kubexx | grep -E ' -c .*src/meta/document/diff\.cpp')
[[ $compile == *" -ffunction-sections -fdata-sections "* ]] || fail "functions have no sections of their own: $compile"
[[ $(commands alone pod_informer | tail -n 1) == *--gc-sections* ]] || fail "programs keep what they do not use"
[ ! -e "$work/alone/kubexx-testing.pc" ] && [ ! -e "$work/alone/kubexx-c.pc" ] || fail "there are modules of parts that are not"
grep -qx 'inspect=OFF' "$work/alone/kubexx.pc" && grep -qx 'typed=core,apps' "$work/alone/kubexx.pc" || fail "kubexx.pc does not say its parts"
! grep -iE 'boost|cli11|re2' "$work/alone/kubexx.cdx.json" || fail "the list of components has some that are not"
for layer in inspect manager apiserver testkit c; do
  grep -qF "REGEX \"/include/kubexx/$layer(" "$work/alone/cmake_install.cmake" || fail "headers of $layer are installed"
done

# A simdjson whose first stage cannot be called; what is set is not tried. Where this machine's is such a one, both builds are the same.
portable() {  # DIRECTORY: whether the portable index of JSON is compiled
  [[ $(commands "$1" kubexx | grep -E ' -c .*/json/json_index\.cpp') == *" -DKUBEXX_PORTABLE_JSON_INDEX "* ]]
}
portable alone || grep -q -- '-lsimdjson' "$work/alone/kubexx.pc" || fail "simdjson is used and not linked"
configure fallback "$source" "${hidden[@]}" "${no_parts[@]}" -DKUBEXX_TYPED=none -DKUBEXX_SIMDJSON_FIRST_STAGE=OFF || {
  cat "$work/log"
  fail "it cannot be configured without the first stage of simdjson"
}
grep -q 'no first stage that can be called: KUBEXX_JSON_INDEX is portable' "$work/log" || fail "nobody says that the index is the portable one"
portable fallback || fail "without the first stage of simdjson there is none"
! grep simdjson "$work/fallback/kubexx.pc" "$work/fallback/kubexx.cdx.json" || fail "simdjson is linked for nothing"

# A server for tests without an inspector.
configure testing "$source" -DKUBEXX_INSPECT=OFF -DKUBEXX_PROGRAM=OFF -DKUBEXX_TESTS=OFF -DBUILD_SHARED_LIBS=ON ||
  { cat "$work/log"; fail "testing needs the inspector"; }
serving() { commands testing kubexx_testing_library | grep "soname,$1\\.so" | grep -c kubexx_httpd.dir || true; }  # LIBRARY
[ "$(serving libkubexx_testing)" = 1 ] || fail "testing has nothing that serves HTTP"
[ "$(serving libkubexx)" = 0 ] || fail "what serves HTTP stands in the runtime, too"

refused() {  # MESSAGE OPTIONS...
  if configure refused "$source" "${@:2}"; then fail "${*:2} was taken"; fi
  tr -s ' \n' ' ' <"$work/log" | grep -F "$1" >/dev/null || { cat "$work/log"; fail "${*:2}: it does not say why"; }
  rm -rf "$work/refused"
}
refused "KUBEXX_PROGRAM needs KUBEXX_INSPECT" -DKUBEXX_INSPECT=OFF
refused "KUBEXX_PROGRAM needs KUBEXX_TESTING" -DKUBEXX_TESTING=OFF
refused "KUBEXX_TESTS needs KUBEXX_C" -DKUBEXX_C=OFF
refused 'KUBEXX_PROGRAM needs KUBEXX_TYPED=all, and it is "core"' -DKUBEXX_TYPED=core
refused "KUBEXX_TYPED is empty" "${no_parts[@]}" -DKUBEXX_TYPED=

# In another project: the library, by default, as FetchContent brings it, and with all its parts.
configure parent "$here/parent" "${hidden[@]}" -DKUBEXX_TREE="$source" -DCMAKE_BUILD_TYPE=Release || {
  cat "$work/log"
  fail "it cannot be a part of another build, or leaves something there"
}
targets=$(sed -n 's/^-- targets: //p' "$work/log")
for target in kubexx_program kubexx_testing_library kubexx_c_library kubexx_inspect kubexx_httpd; do
  [[ ";$targets;" != *";$target;"* ]] || fail "$target is built without being asked for"
done
compile=$(commands parent parent | grep -E ' -c .*parent/main\.cpp')
flags=$(sed -E 's/-(I|isystem|o|MF|MT|c) *[^ ]+//g; s/ -MD|-std=[^ ]+|-O3|-DNDEBUG//g' <<<"$compile" | tr ' ' '\n' | grep -- '^-' || true)
[ -z "$flags" ] || fail "the other project compiles with flags of ours: $flags"
[[ $(commands parent parent | tail -n 1) != *--gc-sections* ]] || fail "the other project links with flags of ours"
! grep -rq 'file(INSTALL' "$work/parent/kubexx" --include=cmake_install.cmake || fail "the other project installs our files"
configure fetched "$here/parent" "${hidden[@]}" -DKUBEXX_TREE="$source" -DKUBEXX_FETCHED=ON -DCMAKE_BUILD_TYPE=Release || {
  cat "$work/log"
  fail "FetchContent cannot bring it, or it leaves something there"
}
[ "$(sed -n 's/^-- targets: //p' "$work/log")" = "$targets" ] || fail "as FetchContent brings it, it has other targets"
configure parts "$here/parent" -DKUBEXX_TREE="$source" -DKUBEXX_INSPECT=ON -DKUBEXX_TESTING=ON -DKUBEXX_C=ON || {
  cat "$work/log"
  fail "with all parts it leaves something in another build"
}
