#!/usr/bin/env bash
# pipes.sh KUBEXX: the command line without a terminal, against `kubexx apiserver`.
set -uo pipefail
kubexx=$(realpath "$1")
work=$(mktemp -d)
server=
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null
  wait 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT
unset KUBECONFIG NO_COLOR KUBERNETES_SERVICE_HOST
export HOME=$work TERM=xterm

failures=0
fail() { echo "FAIL  $*"; failures=$((failures + 1)); }

# check CODE STDOUT STDERR COMMAND...: the exit code, and patterns that the outputs match; "" wants nothing there at all.
# What goes to standard error is one line.
check() {
  local code=$1 wanted_out=$2 wanted_err=$3 got
  shift 3
  "$@" >"$work/out" 2>"$work/err" </dev/null
  got=$?
  local problem=
  [ "$got" = "$code" ] || problem="exit code $got, not $code"
  if [ -z "$wanted_out" ]; then [ ! -s "$work/out" ] || problem="something on standard output"
  else grep -qE -- "$wanted_out" "$work/out" || problem="standard output does not match $wanted_out"; fi
  if [ -z "$wanted_err" ]; then [ ! -s "$work/err" ] || problem="something on standard error"
  else
    grep -qE -- "$wanted_err" "$work/err" || problem="standard error does not match $wanted_err"
    [ "$(wc -l <"$work/err")" = 1 ] || problem="standard error is not one line"
  fi
  if [ -z "$problem" ]; then echo "ok    kubexx ${*:2}"; return; fi
  fail "$* : $problem"
  head -n 5 "$work/out" "$work/err" | sed 's/^/      /'
}
k() { "$kubexx" "$@"; }

# await FILE PATTERN: a line of the file matches within half a minute; nodes beat every ten seconds.
await() {
  local tries
  for ((tries = 0; tries < 600; ++tries)); do
    grep -qE -- "$2" "$1" 2>/dev/null && return
    sleep 0.05
  done
  fail "no line of $(basename "$1") matched $2"
}

# Nobody to talk to.
check 2 '' 'which command' k
check 2 '' 'unknown command "wach" \(did you mean watch\?\)' k wach pods
check 2 '' '--pods: negative: -3' k demo --pods -3
check 2 '' '--bad.*kubexx watch --help' k watch pods --bad
check 2 '' 'RESOURCE is required' k get
check 2 '' 'unknown flag --foo .kubexx get --help' k get --foo
check 2 '' '--pods: too large: 99999999999999999999' k demo --pods 99999999999999999999
check 2 '' '--pods: 100001 is not between 0 and 100000' k demo --pods 100001
check 2 '' '--workload: no number: 1x' k apiserver --workload 1x
for user in bob:fake-token:king bob:fake-token fake-token :fake-token:admin; do
  check 2 '' '--user' k apiserver --user "$user"
  grep -q fake-token "$work/err" && fail "the error about --user repeats a token"
done
for rate in inf nan 1e308 -1 -inf 100001; do
  check 2 '' "--workload-rate: (no number: |$rate is not between 0 and 100000)" k apiserver --workload-rate=$rate
done
check 2 '' '--port: too large: 65536' k apiserver --port 65536
check 2 '' '--top: too large: 18446744073709551616' k top-cache pods --top 18446744073709551616
check 2 '' '--depth: too large: 2147483648' k top-cache pods --depth 2147483648
check 2 '' '--depth: 11 is not between 1 and 10' k top-cache pods --depth 11
check 2 '' 'A subcommand is required .kubexx bench --help' k bench
check 2 '' 'RESOURCE is required .kubexx bench sync --help' k bench sync
check 2 '' '--mode: lst not in' k bench sync pods --mode lst
check 2 '' '--content-type: xml not in' k bench sync pods --content-type xml
check 2 '' '--projection: .*"a\.\.b" is not a field path' k bench sync pods --projection a..b
check 2 '' '--page-size: negative: -1' k bench sync pods --page-size -1
check 2 '' '--for: "soon" is no duration' k bench sync pods --for soon
for command in 'get pods' 'watch pods' 'logs a' 'tree pod/a' 'top-cache pods' 'bench sync pods' 'demo --cluster' version; do
  check 2 '' '--request-timeout: "abc" is no duration' k $command --request-timeout abc
done
check 2 '' 'rbac: which resources' k rbac
check 2 '' 'Kubernetes has no resource "foos"; a custom one is named with its group: foos.example.com' k rbac foos
check 2 '' '"read" is no verb' k rbac pods:read
check 2 '' '"pods!" is no resource' k rbac 'pods!'
check 2 '' '--service-account: "agent" is not NAMESPACE/NAME' k rbac pods --service-account agent
check 2 '' '--namespace: "a_b" is none' k rbac pods -n a_b
check 1 '' '--inspector wants the address' k rbac --inspector 127.0.0.1:1
check 1 '' 'the inspector at http://127.0.0.1:1: .*refused' k rbac --inspector http://127.0.0.1:1/?token=fake
check 2 '' 'jsnol not in' k get pods -o jsnol
check 2 '' '--selector: ' k get pods -l 'a in'
check 2 '' '--diff and --output' k watch pods --diff -o json
check 2 '' '--dump-cache goes with -o jsonl' k watch pods --dump-cache
check 2 '' 'which pod' k logs
check 2 '' 'a name and a selector' k logs a -l app=web
check 2 '' 'a name and --all-namespaces' k logs a -A
check 2 '' '--container and --all-containers' k logs a -c b --all-containers
check 2 '' '--since and --since-time' k logs a --since 5m --since-time 2026-01-31T08:00:00Z
check 2 '' '--previous and --follow' k logs a -p -f
check 2 '' '--since: "soon" is no duration' k logs a --since soon
check 2 '' '--since-time: time "soon"' k logs a --since-time soon
check 2 '' '--tail: -2 is not between' k logs a --tail=-2
check 2 '' '--max-log-requests: 0 is not between' k logs a --max-log-requests 0
check 2 '' 'no duration' k demo --for soon
check 2 '' 'NAME:TOKEN:ROLE' k apiserver --user bob
check 1 '' 'no kubeconfig file was found' k get pods
check 1 '' 'no kubeconfig file was found' k watch pods
check 1 '' 'nothere: no such file' k get pods --kubeconfig "$work/nothere"
echo '{clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}], users: [{name: u, user: {token: fake}}],' \
  'contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}' >"$work/open"
chmod 644 "$work/open"
check 0 '^kubexx ' '' k version --client --kubeconfig "$work/open"
k get pods --kubeconfig "$work/open" >/dev/null 2>"$work/err"
[ "$(grep -c 'kubexx: warning: .*/open holds secrets and is readable by others' "$work/err")" = 1 ] &&
  echo "ok    a kubeconfig that others can read is warned of" || fail "no warning of a kubeconfig that others can read"
mkfifo "$work/pipe"
echo '{clusters: [{name: c, cluster: {server: "https://127.0.0.1:1", certificate-authority: ca.crt}}],' \
  'users: [{name: u, user: {}}], contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}' >"$work/rel"
check 1 '' "unable to read certificate-authority $(realpath "$work")/ca.crt" env -C "$work" "$kubexx" get pods --kubeconfig rel
check 1 '' '/dev/zero: larger than 8 MB' k get pods --kubeconfig /dev/zero
check 1 '' 'pipe: nothing came' k get pods --kubeconfig "$work/pipe"
check 1 '' '/dev/zero:1: the line is too long' k apiserver --objects /dev/zero
check 1 '' '/dev/zero: larger than' k gen --crd /dev/zero --out "$work/generated"
operator() { env -C "$work" "$kubexx" init "$@"; }
check 0 '^widget-operator/widget_crd.yaml$' 'next: cmake -S widget-operator' operator widget-operator --group shop.example.com --kind Widget
! grep -riqE 'greeting|hello' "$work/widget-operator" &&
  echo "ok    an operator to begin with has no name of the example" || fail "names of the example in an operator to begin with"
check 1 '' 'widget-operator exists already' operator widget-operator --group shop.example.com --kind Widget
check 2 '' 'NAME is of a-z' operator ../elsewhere --group shop.example.com --kind Widget
check 2 '' 'group is like' operator x --group shop --kind Widget
check 2 '' 'group cannot begin with std' operator x --group std.example.com --kind Widget
check 2 '' 'kind is like' operator x --group shop.example.com --kind widget
check 2 '' 'has another meaning' operator x --group shop.example.com --kind ConfigMap
check 1 '' '127.0.0.1:1: refused .is the server running' k get pods --server https://127.0.0.1:1
check 1 '' 'refused' k watch pods --server https://127.0.0.1:1
check 1 '' 'refused' k logs a --server https://127.0.0.1:1
check 1 '' 'refused' k logs -l app=web -f --server https://127.0.0.1:1
check 1 '' 'refused' k tree pod/a --server https://127.0.0.1:1
check 1 '' 'refused' k top-cache pods --server https://127.0.0.1:1
check 1 '' 'refused' k bench sync pods --server https://127.0.0.1:1
check 0 '^kubexx [0-9.]+ ' '' k version --client
check 0 '^kubexx [0-9.]+ ' 'server not reached: .*refused' k version --server https://127.0.0.1:1
for command in get watch logs tree top-cache bench 'bench sync' demo apiserver gen init rbac completion man version; do
  check 0 '^Examples:' '' k $command --help
done
check 0 '^Examples:' '' k --help
for shell in bash zsh fish; do check 0 '__complete' '' k completion $shell; done

# One page a command, with every flag that its help has.
check 0 '^.TH KUBEXX 1 ' '' k man
check 0 '^.B kubexx bench sync$' '' k man bench sync
check 2 '' 'no command "bench sink"' k man bench sink
check 2 '' 'all pages or one' k man get --out "$work/man"
check 1 '' 'null/man' k man --out /dev/null/man
check 0 'kubexx-bench-sync.1$' '' k man --out "$work/man"
check_page() {  # PAGE COMMAND...
  local page flag
  page=$(sed 's/\\//g' "$work/man/$1")  # no pipe: grep -q ends with its first match, and who still writes then has failed
  for flag in $(k "${@:2}" --help | grep -oE '^ +-[^ ]+' | tr ',' '\n'); do
    grep -qF -- "fB${flag}fR" <<<"$page" || fail "$1 lacks $flag"
  done
}
check_page kubexx.1
check_page kubexx-get.1 get
check_page kubexx-bench-sync.1 bench sync
[ "$(ls "$work/man" | wc -l)" = "$((2 + $(k --help | sed -n '/^Subcommands:/,/^$/p' | grep -c '^  [a-z]')))" ] &&  # bench has one below
  echo "ok    there is a page for every command" || fail "pages: $(ls "$work/man")"
if command -v man >/dev/null; then
  for page in "$work"/man/*; do
    said=$(LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
    [ -z "$said" ] || fail "$page: $said"
  done
fi

# The least rules: one for resources that are used alike; what has no namespaces needs the whole cluster.
k rbac po deployments.apps replicasets.apps nodes pods/log:get foos.demo.example.com:watch,list pods:get -n shop \
  --name agent --service-account ops/agent >"$work/rbac"
cat >"$work/wanted" <<'YAML'
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: agent
rules:
- apiGroups:
  - ""
  resources:
  - nodes
  verbs:
  - list
  - watch
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: agent
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: agent
subjects:
- kind: ServiceAccount
  name: agent
  namespace: ops
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: agent
  namespace: shop
rules:
- apiGroups:
  - ""
  resources:
  - pods/log
  verbs:
  - get
- apiGroups:
  - ""
  resources:
  - pods
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - apps
  resources:
  - deployments
  - replicasets
  verbs:
  - list
  - watch
- apiGroups:
  - demo.example.com
  resources:
  - foos
  verbs:
  - list
  - watch
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: agent
  namespace: shop
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: agent
subjects:
- kind: ServiceAccount
  name: agent
  namespace: ops
YAML
if cmp -s "$work/rbac" "$work/wanted"; then echo "ok    kubexx rbac prints the least rules"
else fail "kubexx rbac differs: $(diff "$work/rbac" "$work/wanted" | head -n 3)"; fi

# A server.
cat >"$work/objects" <<'JSON'
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"demo"}}
{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"namespace":"demo","name":"robot"}}
{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"namespace":"demo","name":"disk"},"spec":{},"status":{"phase":"Pending"}}
{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"namespace":"demo","name":"reader"}}
{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{"namespace":"demo","name":"door"},"spec":{"rules":[{"host":"a.example"}]}}
JSON
cat >>"$work/objects" <<'JSON'
{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"foos.demo.example.com"},"spec":{"group":"demo.example.com","names":{"kind":"Foo","plural":"foos","singular":"foo"},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}},"additionalPrinterColumns":[{"name":"Deployment","type":"string","jsonPath":".spec.deploymentName"},{"name":"Replicas","type":"integer","jsonPath":".spec.replicas"},{"name":"Available","type":"integer","jsonPath":".status.availableReplicas"}]}]}}
{"apiVersion":"demo.example.com/v1","kind":"Foo","metadata":{"namespace":"demo","name":"one"},"spec":{"deploymentName":"web","replicas":2}}
JSON
mkfifo "$work/ready"
echo '{' >"$work/broken"
check 1 '' 'broken:1: ' k apiserver --objects "$work/broken"
check 1 '' 'nothere: no such file' k apiserver --objects "$work/nothere"
"$kubexx" apiserver --user bob:bobs-token:none --user eve:eves-token:read-only --user sam:sams-token:namespace=demo \
  --objects "$work/objects" --workload 8 --workload-rate 0 --kubeconfig-out "$work/kubeconfig" >"$work/ready" 2>"$work/server.log" &
server=$!
read -r -t 60 line <"$work/ready" || { cat "$work/server.log" >&2; echo "the server did not start" >&2; exit 1; }
export KUBECONFIG=$work/kubeconfig
check 1 '' 'Unauthorized .the server does not accept these credentials' k get pods --token wrong
check 1 '' 'Unauthorized' k watch pods --token wrong
check 1 '' 'pods is forbidden: User "bob" cannot list' k get pods --token bobs-token
check 1 '' 'forbidden: User "bob"' k watch pods --token bobs-token
check 1 '' 'forbidden: User "sam"' k watch pods -A --token sams-token
check 0 '^NAME ' '' k get nodes --token eves-token
check 1 '' 'a resource type "podz" \(did you mean pods\?\)' k get podz
check 1 '' 'a resource type "deploymnets" \(did you mean deployments\?\)' k watch deploymnets
check 1 '' 'a resource type "zzzzzzzz"$' k top-cache zzzzzzzz
check 1 '' 'pods "nope" not found' k get pod nope
check 1 '' 'context "nope" does not exist' k get pods --context nope
check 0 '' 'No resources found in default namespace' k get pods
check 2 '' 'do not go together' k get pod a -A
check 0 '^server v1\.' '' k version

# A kubeconfig is written to a new file, or in place of a regular one.
ln -s kubeconfig "$work/link"
check 1 '' 'link: cannot be written: it is no regular file' k apiserver --kubeconfig-out "$work/link"
check 1 '' 'pipe: cannot be written: it is no regular file' k apiserver --kubeconfig-out "$work/pipe"
check 1 '' '/dev/full: cannot be written: it is no regular file' k apiserver --kubeconfig-out /dev/full

# Two deployments of four pods each.
web_pods() { k get pods -n demo -l app=web -o name | wc -l; }
for ((i = 0; i < 200; ++i)); do [ "$(k get pods -A | grep -c ' 1/1 .* Running ')" = 8 ] && break; sleep 0.05; done
[ "$(web_pods)" = 4 ] && echo "ok    selectors" || fail "get -l found $(web_pods) pods, not 4"
check 0 '^demo +web-[a-z0-9]+-[a-z0-9]+ +1/1 +Running' '' k get pods -A
check 0 'NOMINATED NODE' '' k get pods -A -o wide
check 0 '^pod/api-' '' k get pods -n demo -o name
check 0 '^kind: List$' '' k get pods -n demo -o yaml
check 0 '^{"apiVersion":"v1","kind":"Node"' '' k get nodes -o jsonl
check 0 '"kind": "Namespace"' '' k get ns/demo -o json
check 0 '^node/node-1 ' '' k get nodes,deployments -n demo
check 0 'app=web' '' k get pods -n demo --show-labels --no-headers
check 0 '^node-1$' '' sh -c "'$kubexx' get nodes --field-selector metadata.name=node-1 --no-headers | cut -d' ' -f1"
k get pods -A --no-headers | sort -c && echo "ok    get is sorted" || fail "get is not sorted"
check 0 'Pod/web-' '' k tree deployment/web -n demo
check 0 '^ +. *Pod/web-|Pod/web-.*Running' '' k tree deploy web -n demo
check 1 '' 'deployments.apps "nope" not found' k tree deployment/nope
check 2 '' 'one object is wanted' k tree pods
check 0 '^status.conditions +' '' k top-cache pods -A
check 0 '^spec.nodeName +.*%' '' k top-cache pods -A --fields spec.nodeName

# What a sync costs: the same fields for programs however it is asked; what is asked is what comes.
figures='^\{"objects":8,"wallSeconds":[0-9.]+,"cpuUser":[0-9.]+,"cpuSystem":[0-9.]+,"rssBytes":[1-9][0-9]*,'
figures+='"peakRssBytes":[1-9][0-9]*,"cacheBytes":[1-9][0-9]*,"pageFaults":[0-9]+,"contextSwitches":[0-9]+,"bytesReceived":[1-9][0-9]*\}$'
received() { sed -nE 's/.*"bytesReceived":([0-9]+).*/\1/p' "$work/out"; }
cached() { sed -nE 's/.*"cacheBytes":([0-9]+).*/\1/p' "$work/out"; }
declare -A bytes kept
for asked in 'list json' 'list protobuf' 'watchlist json' 'watchlist protobuf'; do
  check 0 "$figures" '' k bench sync pods -A --mode ${asked% *} --content-type ${asked#* } -o json
  bytes[$asked]=$(received)
done
for what in full metadata spec.nodeName,status.podIP; do
  check 0 "$figures" '' k bench sync pods -A --mode list --content-type json --projection $what -o json
  bytes[$what]=$(received) kept[$what]=$(cached)
done
larger() { [ "${2:-0}" -gt "${3:-0}" ] && [ "${3:-0}" -gt 0 ] && echo "ok    $1" || fail "$1: $2 and $3 bytes"; }
larger "lists come in protobuf where that is asked for" "${bytes[list json]}" "${bytes[list protobuf]}"
larger "a WatchList comes as events" "${bytes[watchlist json]}" "${bytes[list json]}"
larger "and in protobuf" "${bytes[watchlist json]}" "${bytes[watchlist protobuf]}"
larger "metadata alone is less to send" "${bytes[full]}" "${bytes[metadata]}"
larger "fields alone are less to keep" "${kept[full]}" "${kept[spec.nodeName,status.podIP]}"
[ "${bytes[full]}" = "${bytes[spec.nodeName,status.podIP]}" ] || fail "what is sent differs with what is kept of it"
check 0 '^objects +4 *$' '' k bench sync pods -n demo -l app=web --page-size 3 --mode list
check 0 '"objects":1,"wallSeconds":(0\.[3-9]|[1-9])' '' k bench sync foos -n demo --for 300ms -o json
check 1 '' 'foos.demo.example.com has no protobuf' k bench sync foos -n demo --content-type protobuf
check 1 '' 'forbidden: User "bob"' k bench sync pods --token bobs-token

check 0 '^pods$' '' k __complete -- get po
check 0 '^pods$' '' k __complete -- bench sync po
check 0 '^sync$' '' k __complete -- bench s
check 0 '^watchlist$' '' k __complete -- bench sync pods --mode w
check 0 '^--content-type$' '' k __complete -- bench sync --con
check 0 '^demo$' '' k __complete -- get pods -n de
check 0 '^deployments/web$' '' k __complete -- tree -n demo deployments/w
check 0 '^--all-namespaces$' '' k __complete -- watch --all
completed=$(bash -c 'source <("$1" completion bash); COMP_WORDS=("$1" get po); COMP_CWORD=2; _kubexx; echo "${COMPREPLY[*]}"' - "$kubexx")
grep -q '\bpods\b' <<<"$completed" && echo "ok    bash completes" || fail "bash completes to: $completed"

# Colors: none in a pipe, unless asked for.
k get nodes | grep -q $'\e' && fail "colors in a pipe" || echo "ok    no colors in a pipe"
grep -q $'\e' <<<"$(k get nodes --color always)" && echo "ok    --color always" || fail "--color always shows none"

# `| head` ends quietly and at once, however long the command would go on.
check 0 '^NAME' '' sh -c "'$kubexx' get nodes | head -n 1"
check 0 '^EVENT' '' timeout 60 sh -c "'$kubexx' watch pods -A | head -n 1"
check 1 '' 'standard output: No space left' sh -c "'$kubexx' get nodes >/dev/full"

# Kinds of all sorts have kubectl's columns, live as in a list; custom ones also for who may not read their definition.
columns() {  # HEADERS COMMAND...
  local wanted=$1 shown
  shift
  shown=$(timeout 60 "$kubexx" "$@" 2>&1 | head -n 1 | sed -E 's/^EVENT +//; s/ +/ /g; s/ $//')
  [ "$shown" = "$wanted" ] && echo "ok    kubexx $*: $shown" || fail "kubexx $*: $shown"
}
for command in get watch; do
  columns 'NAMESPACE NAME CREATED AT' $command roles -A
  columns 'NAME CLASS HOSTS ADDRESS PORTS AGE' $command ingresses -n demo
  columns 'NAME STATUS VOLUME CAPACITY ACCESS MODES STORAGECLASS VOLUMEATTRIBUTESCLASS AGE' $command pvc -n demo
  columns 'NAME DEPLOYMENT REPLICAS AVAILABLE' $command foos -n demo
  columns 'NAME DEPLOYMENT REPLICAS AVAILABLE' $command foos -n demo --token sams-token
  columns 'NAME AGE' $command serviceaccounts -n demo
done

# A watch in a pipe: rows, then changes; SIGINT ends it with 0.
"$kubexx" watch pods,nodes -A >"$work/rows" 2>"$work/rows.err" &
watcher=$!
await "$work/rows" '^ADDED +node/node-1'
"$kubexx" watch nodes --diff >"$work/diff" 2>&1 &
differ=$!
await "$work/diff" '~ node/node-1'
await "$work/diff" '^    /status/conditions/.*lastHeartbeatTime: "[^"]+" -> "'
await "$work/rows" '^MODIFIED +node/node-1'
for pid in $watcher $differ; do
  kill -INT "$pid" 2>/dev/null
  kill -TERM "$pid" 2>/dev/null  # background jobs of a script ignore SIGINT
done
wait "$watcher" && echo "ok    watch ends with 0" || fail "watch ended with $?"
wait "$differ" && echo "ok    watch --diff ends with 0" || fail "watch --diff ended with $?"
"$kubexx" watch nodes/node-1 --metadata-only -o json >"$work/metadata" &
watcher=$!
await "$work/metadata" '"name": "node-1"'
grep -q '"status"' "$work/metadata" && fail "--metadata-only shows a status" || echo "ok    --metadata-only"
kill -TERM "$watcher"
wait "$watcher"

# What changes in a Secret is told, its values are not: neither in the copy that kubectl apply keeps, nor when that comes
# with the first annotations.
{
  echo '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"old","namespace":"default"},"data":{"a":"ZmFrZS1h"}}'
  echo '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"applied","namespace":"default","annotations":{"note":"x","kubectl.kubernetes.io/last-applied-configuration":"fake-b"}},"data":{"a":"ZmFrZS1h"}}'
} >"$work/secrets"
"$kubexx" apiserver --cleartext --objects "$work/secrets" >"$work/secrets.server" 2>&1 &
keeper=$!
await "$work/secrets.server" '^serving on '
url=$(sed -n 's/^serving on //p' "$work/secrets.server")
"$kubexx" watch secrets --diff --server "$url" >"$work/secrets.diff" 2>&1 &
differ=$!
await "$work/secrets.diff" '^[+] secret/old'
patch() {  # NAME BODY
  exec 3<>"/dev/tcp/127.0.0.1/${url##*:}"
  printf 'PATCH /api/v1/namespaces/default/secrets/%s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/merge-patch+json\r\nContent-Length: %s\r\n\r\n%s' "$1" "${#2}" "$2" >&3
  head -n 1 <&3 | grep -q ' 200' || fail "the Secret $1 was not changed"
  exec 3<&-
}
patch old '{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"fake-c"}},"data":{"a":"ZmFrZS1k"}}'
patch applied '{"metadata":{"annotations":{"note":"seen","kubectl.kubernetes.io/last-applied-configuration":"fake-e"}}}'
await "$work/secrets.diff" '^    /metadata/annotations: \(none\) -> \(hidden\)'
await "$work/secrets.diff" '^    /data/a: \(hidden\) -> \(hidden\)'
await "$work/secrets.diff" '/metadata/annotations/kubectl.*last-applied-configuration: \(hidden\) -> \(hidden\)'
await "$work/secrets.diff" '/metadata/annotations/note: "x" -> "seen"'
grep -qE 'fake-|ZmFrZS' "$work/secrets.diff" && fail "watch --diff shows what is in a Secret" || echo "ok    watch --diff of Secrets"
for pid in $differ $keeper; do kill -TERM "$pid"; wait "$pid"; done

# Logs: of one pod, of those that match, followed over cuts and restarts.
{
  echo '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"default","labels":{"app":"web"}},"spec":{"nodeName":"n","restartPolicy":"Never","containers":[{"name":"main","image":"i"},{"name":"side","image":"i"}]}}'
  echo '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b","namespace":"default","labels":{"app":"web"}},"spec":{"nodeName":"n","containers":[{"name":"main","image":"i"}]}}'
} >"$work/pods"
"$kubexx" apiserver --cleartext --fault-path --objects "$work/pods" >"$work/pods.server" 2>&1 &
keeper=$!
await "$work/pods.server" '^serving on '
url=$(sed -n 's/^serving on //p' "$work/pods.server")
l() { "$kubexx" logs --server "$url" "$@"; }
act() {  # ACTION POD MORE
  local body="{\"action\":\"$1\",\"namespace\":\"default\",\"pod\":\"$2\"${3:-}}"
  exec 3<>"/dev/tcp/127.0.0.1/${url##*:}"
  printf 'POST /kubexx/faults HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: %s\r\n\r\n%s' "${#body}" "$body" >&3
  head -n 1 <&3 | grep -q ' 200' || fail "the server does not $1"
  exec 3<&-
}
line() { act appendLog "$1" ",\"container\":\"${3:-main}\",\"text\":\"$2\""; }
check 1 '' 'pods "nobody" not found' l nobody
check 1 '' 'container "main" in pod "b" is waiting to start: ContainerCreating' l b
line a 'a 1' && line a 'a 2' && line a 'side 1' side && line b 'b 1'
check 0 '^a 2$' '' l a
check 0 '^a 2$' '' l pod/a --tail 1
grep -q 'a 1' "$work/out" && fail "--tail shows more"
check 0 '^side 1$' '' l a -c side
check 1 '' 'container nobody is not valid for pod a' l a -c nobody
check 0 '^\[pod/a/side\] side 1$' '' l -l app=web --all-containers --prefix
[ "$(wc -l <"$work/out")" = 4 ] || fail "there are $(wc -l <"$work/out") lines, not 4"
check 0 '^20[0-9-]+T[0-9:]+\.[0-9]{9}Z a 1$' '' l a --timestamps
check 0 '' 'No resources found in default namespace' l -l app=nobody
check 1 '' 'previous terminated container "main" in pod "a" not found' l a --previous
"$kubexx" logs --server "$url" -l app=web --follow --prefix >"$work/followed" 2>"$work/followed.err" &
follower=$!
await "$work/followed" '^\[pod/b/main\] b 1$'
await "$work/followed" '^\[pod/a/main\] a 2$'
act cutLogs '' && line b 'b 2'
await "$work/followed" '^\[pod/b/main\] b 2$'
act startContainer b && line b 'b 3'
await "$work/followed" '^\[pod/b/main\] b 3$'
check 0 '^b 2$' '' l b --previous
kill -TERM "$follower"
wait "$follower" && echo "ok    logs --follow ends with 0" || fail "logs --follow ended with $?"
sort "$work/followed" | uniq -d | grep . && fail "logs --follow prints a line twice"
[ "$(wc -l <"$work/followed")" = 5 ] || fail "logs --follow printed $(wc -l <"$work/followed") lines, not 5"
"$kubexx" logs --server "$url" a -f >"$work/followed" 2>"$work/followed.err" &
follower=$!
await "$work/followed" '^a 2$'
line a 'a 3' && act endContainer a ',"container":"main"' && act endContainer a ',"container":"side"'
wait "$follower" && echo "ok    logs --follow of a pod ends with it" || fail "logs --follow of a pod ended with $?"
[ "$(cat "$work/followed")" = "$(printf 'a 1\na 2\na 3')" ] || fail "logs --follow of a pod: $(cat "$work/followed")"
# A line cannot speak to the terminal, but for its colors; in a pipe it is as it was written.
line b 'x \u001b]0;title\u0007 \u001b[31mred\u001b[0m y'
grep -qF $'x \e]0;title\a \e[31mred\e[0m y' <<<"$(l b --tail 1)" && echo "ok    a line as it is" || fail "logs change a line in a pipe"
shown=$(script -qec "'$kubexx' logs --server '$url' b --tail 1" /dev/null </dev/null)
grep -qF $'x ^[]0;title^G \e[31mred\e[0m y' <<<"$shown" && echo "ok    a line on a terminal" || fail "on a terminal: $(cat -v <<<"$shown")"
check 0 '^b$' '' k __complete -- logs --server "$url" b
check 0 '^--max-log-requests$' '' k __complete -- logs --max
check 0 '^b 3$' '' timeout 60 sh -c "'$kubexx' logs --server '$url' b -f | head -n 1"
kill -TERM "$keeper"; wait "$keeper"

# The demo ends by itself with a summary.
check 0 '^events +[0-9,]+ handed to handlers' '' k demo --for 1s
grep -qE '^ADDED +node-3 ' "$work/out" || fail "the demo shows no nodes"
grep -q '^objects .*pods.*nodes.*deployments.*foos' "$work/out" || fail "the demo's summary lacks objects"
grep -qE '^Look: +http://127.0.0.1:[0-9]+/\S*token=' "$work/out" || fail "the demo names no page"
check 0 'nothing is written there' '' k demo --cluster --for 500ms

# A server that goes away is told of on standard error, and the watch goes on.
"$kubexx" watch nodes >"$work/rows" 2>"$work/gone" &
watcher=$!
await "$work/rows" '^ADDED +node-1'
kill "$server"
wait "$server"
server=
await "$work/gone" '; trying again$'
kill -TERM "$watcher"
wait "$watcher" || fail "a watch without server ended with $?"

# Ended in the middle of traffic, the lines of a watch lead to the cache that it prints at the end.
"$kubexx" apiserver --workload 60 --workload-rate 500 --kubeconfig-out "$work/busy" >/dev/null &
server=$!
await "$work/busy" server:
for _ in 1 2 3 4 5; do
  rm -f "$work/told"  # what the one before told is not awaited
  "$kubexx" watch pods -A -o jsonl --dump-cache --kubeconfig "$work/busy" >"$work/told" &
  watcher=$!
  await "$work/told" '"event":"update"'
  kill -TERM "$watcher"
  wait "$watcher" || fail "a watch of a busy server ended with $?"
  # event, key and version of each line, and what is left of them
  sed -nE 's/.*"event":"([a-z]+)".*"key":"([^"]+)","resourceVersion":"([0-9]+)".*/\1 \2 \3/p' "$work/told" |
    awk '$1 == "delete" {delete at[$2]; next} {at[$2] = $3} END {for (key in at) print key, at[key]}' |
    sort >"$work/replayed"
  sed -nE '$s/^\{"cache":\{(.*)\}\}$/\1/p' "$work/told" | tr ',' '\n' | sed -nE 's/"([^"]+)":"([0-9]+)"/\1 \2/p' |
    sort >"$work/cached"
  if [ -s "$work/cached" ] && cmp -s "$work/replayed" "$work/cached"; then echo "ok    watch --dump-cache agrees with its lines"
  else fail "watch --dump-cache differs from its lines: $(diff "$work/replayed" "$work/cached" | head -n 3)"; fi
done
# What the informers of a running program need.
"$kubexx" demo --cluster --for 60s --kubeconfig "$work/busy" >"$work/demo" 2>&1 &
demo=$!
await "$work/demo" 'http://[0-9.:]+/\?token='
page=$(grep -oE 'http://[0-9.:]+/\?token=[^ ]+' "$work/demo" | head -n 1)
check 0 '^  - pods$' '' k rbac --inspector "$page"
check 0 '^  - deployments$' '' k rbac --inspector "$page" leases.coordination.k8s.io:get,update
grep -qx '  - leases' "$work/out" || fail "what is named beside --inspector is not in the rules"
check 1 '' 'the inspector at http' k rbac --inspector "${page%%token=*}token=not-the-right-token"
kill "$demo"
wait "$demo" || fail "the demo ended with $?"
kill "$server"
wait "$server"
server=

[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
