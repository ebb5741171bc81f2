#!/usr/bin/env bash
# configure.sh SOURCE_DIR COMPILER: a build with BUILD_SHARED_LIBS, up to the commands it would run: layers can be moved in memory,
# the program links the shared libraries in place of their objects, and who finds them by pkg-config links nothing else.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*" >&2; exit 1; }
configure() { cmake -S "$1" -B "$work/build" -G Ninja -DCMAKE_CXX_COMPILER="$2" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON \
  "${@:3}" >"$work/log" 2>&1; }
making() { ninja -C "$work/build" -t commands "$1" | grep -E -- "$2"; }  # TARGET PATTERN: of its commands

configure "$1" "$2" || { cat "$work/log"; fail "it cannot be configured"; }
flags=$(making kubexx ' -c .*src/meta/document/diff\.cpp')
[[ $flags == *" -fPIC"* && $flags != *" -fPIC"*" -fPIE"* ]] || fail "a layer cannot be moved in memory: $flags"
[[ $flags == *" -fvisibility=hidden -fvisibility-inlines-hidden "* ]] || fail "a layer hides nothing: $flags"
for library in kubexx:libkubexx kubexx_testing_library:libkubexx_testing kubexx_c_library:libkubexx_c; do
  command=$(making "${library%:*}" "-shared .*${library#*:}\\.so")
  [[ $command == *--version-script=*--no-undefined* ]] || fail "wrong flags for ${library#*:}"
done
command=$(making kubexx_program ' -o bin/kubexx ')
[[ $command == *libkubexx_testing.so* ]] || fail "the program links no shared library"
[[ $command != *kubexx_meta.dir* ]] || fail "the program has objects that are in the library too"
grep -q '^Libs: -L\S* -lkubexx -pthread$' "$work/build/kubexx.pc" || fail "kubexx.pc links what libkubexx links itself"
grep -q '^Libs.private: .*-lcurl' "$work/build/kubexx.pc" || fail "kubexx.pc does not know what an archive would link"

configure "$1" "$2" -DKUBEXX_ARCHIVES_TOO=ON || { cat "$work/log"; fail "it cannot be configured with archives"; }
[[ $(making kubexx_archive ' libkubexx\.a ') == *kubexx_meta.dir* ]] || fail "the archive is not of the objects of the shared library"
for library in libkubexx libkubexx_testing libkubexx_c; do
  grep -q "/$library\.a\"" "$work/build/cmake_install.cmake" || fail "$library.a is not installed"
done

configure "$1" "$2" -DKUBEXX_TESTS=ON && fail "tests link objects, and are there with shared libraries"
grep -q 'no KUBEXX_TESTS with' "$work/log" || fail "it does not say why there are no tests"
