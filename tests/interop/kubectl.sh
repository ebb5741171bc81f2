#!/usr/bin/env bash
# kubectl.sh KUBEXX: kubectl against `kubexx apiserver`, and `kubexx watch` beside it.
set -euo pipefail
kubexx=$1
command -v kubectl >/dev/null || { echo "kubectl is not installed (./dev test-interop installs it)" >&2; exit 1; }
. "$(dirname "$0")/serve.sh"
export KUBECACHEDIR=$work/cache
serve
watcher=
trap '[ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true; stop_serving' EXIT

failures=0
# expect NAME PATTERN COMMAND...: the command succeeds and prints something that matches.
expect() {
  local name=$1 pattern=$2 output
  shift 2
  if output=$("$@" 2>&1) && grep -qE -- "$pattern" <<<"$output"; then
    echo "ok    $name"
  else
    echo "FAIL  $name: $*"
    sed 's/^/      /' <<<"$output"
    failures=$((failures + 1))
  fi
}

mkfifo "$work/events"
"$kubexx" watch configmaps -o jsonl --dump-cache >"$work/events" &
watcher=$!
exec 7<"$work/events"
# await PATTERN: the watcher prints a line that matches, each within a minute.
await() {
  local line
  while read -r -t 60 line <&7; do
    grep -qE -- "$1" <<<"$line" && { echo "ok    watch: $1"; return; }
  done
  echo "FAIL  watch: no line matched $1"
  failures=$((failures + 1))
}

expect "get shows tables" '^default +Active' kubectl get namespaces
expect "create by protobuf" 'configmap/one created' kubectl create configmap one --from-literal=a=b
await '"event":"add".*"key":"default/one"'
expect "get as yaml" '  a: b' kubectl get configmap one -o yaml
expect "get as json" '"a": "b"' kubectl get configmap one -o json
expect "custom columns" '^one +b' kubectl get configmap one -o custom-columns=N:.metadata.name,V:.data.a --no-headers
expect "label" 'labeled' kubectl label configmap one tier=x
await '"event":"update".*"key":"default/one".*"cause":"watch"'
expect "select by label" '^one' kubectl get configmaps -l tier=x --no-headers
expect "annotate" 'annotated' kubectl annotate configmap one note=hello
expect "merge patch" 'patched' kubectl patch configmap one --type=merge -p '{"data":{"c":"d"}}'
expect "json patch" 'patched' kubectl patch configmap one --type=json -p '[{"op":"remove","path":"/data/c"}]'
expect "describe" '^Name: +one' kubectl describe configmap one

cat >"$work/applied.yaml" <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata: {name: applied}
data: {k: v}
YAML
expect "apply creates" 'created' kubectl apply -f "$work/applied.yaml"
expect "apply again changes nothing" 'unchanged' kubectl apply -f "$work/applied.yaml"
sed -i 's/k: v/k: w/' "$work/applied.yaml"
expect "apply changes" 'configured' kubectl apply -f "$work/applied.yaml"
expect "server-side apply" 'serverside-applied' kubectl apply --server-side --force-conflicts -f "$work/applied.yaml"

expect "create a deployment" 'created' kubectl create deployment web --image=registry.example/web:1
expect "strategic merge patch" 'patched' kubectl patch deployment web -p '{"spec":{"template":{"metadata":{"labels":{"a":"b"}}}}}'
expect "scale" 'scaled' kubectl scale deployment web --replicas=3
expect "wide table" '0/3.*registry.example/web:1' kubectl get deployment web -o wide
expect "api-resources" '^deployments +deploy +apps/v1 +true +Deployment' kubectl api-resources

cat >"$work/crd.yaml" <<'YAML'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, singular: thing, kind: Thing, shortNames: [th]}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
YAML
cat >"$work/pod.yaml" <<'YAML'
apiVersion: v1
kind: Pod
metadata: {name: p, labels: {app: p}}
spec: {containers: [{name: c, image: "registry.example/p:1", ports: [{containerPort: 80}]}]}
YAML
expect "create a pod" 'created' kubectl create -f "$work/pod.yaml"
expect "describe a pod" 'Image: +registry.example/p:1' kubectl describe pod p
expect "pods as a wide table" '^p +0/1 +Pending' kubectl get pods -o wide --no-headers
expect "create a service" 'created' kubectl create service clusterip web --tcp=80:8080
expect "describe a service" '^IP: +10\.' kubectl describe service web
expect "describe a deployment" '3 desired' kubectl describe deployment web
expect "rollout restart" 'restarted' kubectl rollout restart deployment web
expect "set image" 'image updated' kubectl set image deployment/web web=registry.example/web:2
expect "create a secret" 'created' kubectl create secret generic s --from-literal=password=x
expect "replace" 'replaced' kubectl replace -f "$work/applied.yaml"
expect "dry run on the server" 'created \(server dry run\)' kubectl create configmap dry --from-literal=a=b --dry-run=server
expect "diff finds nothing" '^$' kubectl diff -f "$work/applied.yaml"
expect "get several kinds" 'deployment.apps/web' kubectl get deployments,services
expect "get all" 'pod/p' kubectl get all
expect "explain" 'template' kubectl explain deployment.spec
expect "explain a field" 'FIELD: +replicas <integer>' kubectl explain deployment.spec.replicas
expect "may I" '^yes' kubectl auth can-i create pods
expect "versions of the server" '^apps/v1$' kubectl api-versions
expect "version" 'v1\.36' kubectl version
exec 8< <(exec kubectl get pods --watch --no-headers)
kubectl_watch=$!
if read -r -t 60 line <&8 && grep -qE '^p +0/1 +Pending' <<<"$line"; then
  echo "ok    watch"
else
  echo "FAIL  watch printed $line"
  failures=$((failures + 1))
fi
kill "$kubectl_watch" || true
exec 8<&-
expect "taint and cordon need nodes" 'NotFound|not found' bash -c 'kubectl cordon none 2>&1 || true'
expect "delete by label" 'pod "p" (force )?deleted' kubectl delete pods -l app=p --grace-period=0 --force
expect "create a namespace" 'created' kubectl create namespace side
expect "delete a namespace and wait" 'deleted' kubectl delete namespace side --timeout=60s

expect "create a CRD" 'created' kubectl create -f "$work/crd.yaml"
expect "wait for it" 'condition met' kubectl wait --for=condition=Established --timeout=60s crd/things.example.com
printf 'apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: big}\nspec: {size: 7}\n' >"$work/thing.yaml"
expect "create a custom resource" 'created' kubectl create -f "$work/thing.yaml"
expect "printer columns" '^big +7' kubectl get things --no-headers
expect "short name" '^big' kubectl get th --no-headers

expect "explain a custom resource" 'KIND: +Thing' kubectl explain thing
expect "merge patch a custom resource" 'patched' kubectl patch thing big --type=merge -p '{"spec":{"size":8}}'
expect "apply a custom resource" 'configured' kubectl apply -f "$work/thing.yaml"
expect "describe a custom resource" 'Size: +7' kubectl describe thing big
expect "delete the CRD" 'deleted' kubectl delete crd things.example.com --timeout=60s

expect "delete" 'deleted' kubectl delete configmap one
await '"event":"delete".*"key":"default/one"'
kill -TERM "$watcher"
await '^\{"cache":\{"default/applied":"[0-9]+"\}\}$'
wait "$watcher" || { echo "FAIL  kubexx watch ended with $?"; failures=$((failures + 1)); }
watcher=
[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
