# Sourced by the scripts that build Go programs from a set of packages that tools/debian/unpack made.

# go_of FOLDER: Go as the set has it, with the set's libraries and nothing from elsewhere. $GOPATH begins with a folder for
# one's own sources.
go_of() {
  local roots=("$1"/tree/usr/lib/go-*)
  export GOROOT=${roots[0]}
  export GOPATH=$1/go:$1/tree/usr/share/gocode GOCACHE=$1/go-cache GOTMPDIR=$1/go-tmp GOENV=off
  # By folders, as Debian itself builds: there is no module to ask anybody for.
  export GO111MODULE=off GOFLAGS=-trimpath GOPROXY=off GOTOOLCHAIN=local GOTELEMETRY=off CGO_ENABLED=0
  export PATH=$GOROOT/bin:$PATH
  mkdir -p "$1/go/src" "$GOTMPDIR"
}

# upstream_version FOLDER PACKAGE: "0.36.4" of a package that has version 0.36.4-1.
upstream_version() {
  awk -F '\t' -v name="$2" '$1 == name { sub(/^[0-9]+:/, "", $2); sub(/[-+~][^-]*$/, "", $2); print $2 }' "$1/versions"
}

# kubernetes_of_sid: the folder of the one set that all programs on Kubernetes' Go libraries are built from: the libraries of
# clients and of API servers, Go, and what belongs beside a server. Large libraries that none of them reads stay out.
kubernetes_of_sid() {
  "$(dirname "${BASH_SOURCE[0]}")/unpack" sid kubernetes --depends 'golang-.*-dev' \
    --without 'golang-(github-(apache|aws|cloudflare|klauspost-compress|nats-io|pierrec)|google-(api|cloud)|gonum|mongodb)-.*' \
    golang-k8s-client-go-dev golang-k8s-apiserver-dev golang-k8s-apiextensions-apiserver-dev kube-openapi \
    'golang-1.26-go|golang-1.27-go' 'golang-1.26-src|golang-1.27-src' etcd-server etcd-client kubectl
}
