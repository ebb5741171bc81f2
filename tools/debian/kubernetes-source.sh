# Sourced by the scripts that build something from the Kubernetes source package of the machine's own Debian archive.

# kubernetes_source OUTPUT COMMAND: unpacks the package in a temporary folder beside OUTPUT, sets Go up for it and makes
# its tree the current directory. The folder is $work and goes away when the script ends; COMMAND heads the error lines.
kubernetes_source() {
  local output=$1 file vendored
  command=$2
  mkdir -p "$(dirname "$output")"
  work=$(mktemp -d "$(dirname "$output")/build.XXXXXX")
  trap finish EXIT
  trap 'exit 1' INT TERM HUP

  # apt with its own lists: the machine's binary sources, read as source archives. The machine's configuration stays as
  # it is.
  mkdir -p "$work"/apt/{parts,lists/partial,cache/archives/partial} "$work/source"
  : >"$work/apt/sources.list"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -f "$file" ] || sed -nE 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$file" >>"$work/apt/sources.list"
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -f "$file" ] || sed -E 's/^Types:.*/Types: deb-src/I' "$file" >"$work/apt/parts/$(basename "$file")"
  done
  archive update || fail "the Debian archive has no source lists"
  (cd "$work/source" && archive --download-only source kubernetes) || fail "no source package kubernetes in the archive"
  dpkg-source --extract "$work"/source/kubernetes_*.dsc "$work/kubernetes" >>"$work/log" 2>&1 ||
    fail "the source package does not unpack"

  # The reflect2 in that package reads maps of a Go before 1.18 and crashes on custom resources; Debian has a newer one.
  vendored=$work/kubernetes/vendor/github.com/modern-go/reflect2
  rm -rf "$vendored"
  mkdir "$vendored"
  cp /usr/share/gocode/src/github.com/modern-go/reflect2/* "$vendored" ||
    fail "golang-github-modern-go-reflect2-dev is missing"
  rm -f "$vendored"/*_test.go "$vendored/go.mod"

  export GOPATH=$work/go GOCACHE=$work/go-cache GOPROXY=off CGO_ENABLED=0 HOME=$work
  mkdir -p "$GOPATH/src/k8s.io"
  mv "$work/kubernetes" "$GOPATH/src/k8s.io/kubernetes"
  cd "$GOPATH/src/k8s.io/kubernetes"
}

finish() {
  chmod -R u+w "$work"  # Go's caches are read-only
  rm -rf "$work"
}

fail() {
  [ ! -s "$work/log" ] || tail -n 15 "$work/log" >&2
  echo "$command: $1" >&2
  exit 1
}

archive() {
  apt-get -qq -o Dir::Etc::sourcelist="$work/apt/sources.list" -o Dir::Etc::sourceparts="$work/apt/parts" \
    -o Dir::State::lists="$work/apt/lists" -o Dir::Cache="$work/apt/cache" -o APT::Sandbox::User= "$@" \
    >>"$work/log" 2>&1
}
