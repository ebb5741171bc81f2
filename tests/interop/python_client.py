"""The Python client: typed lists and watches, what happens when a watch breaks, the dynamic client, patch types."""
import json
import threading

from kubernetes import client, config, dynamic, watch
from kubernetes.client.rest import ApiException

config.load_kube_config()
core = client.CoreV1Api()
apps = client.AppsV1Api()
api = core.api_client


def ok(step):
    print(f"ok    {step}")


def equal(actual, expected):
    assert actual == expected, f"{actual!r}, expected {expected!r}"


def fault(action, **more):
    api.call_api("/kubexx/faults", "POST", body={"action": action, **more}, auth_settings=["BearerToken"],
                 header_params={"Content-Type": "application/json"}, response_type="object")


def config_map(name, value, **labels):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels=labels or None), data={"v": value})


def refused(status, call):
    try:
        call()
    except ApiException as error:
        equal(error.status, status)
        return json.loads(error.body)
    raise AssertionError(f"not refused with {status}")


# Lists.
for index in range(7):
    core.create_namespaced_config_map("default", config_map(f"m{index}", "0", parity="odd" if index % 2 else "even"))
equal([item.metadata.name for item in core.list_namespaced_config_map("default", label_selector="parity=odd").items],
      ["m1", "m3", "m5"])
equal([item.metadata.name for item in
       core.list_namespaced_config_map("default", field_selector="metadata.name=m2").items], ["m2"])
names, token = [], None
while True:
    page = core.list_namespaced_config_map("default", limit=3, _continue=token)
    names += [item.metadata.name for item in page.items]
    token = page.metadata._continue
    if not token:
        break
equal(names, [f"m{index}" for index in range(7)])
equal(refused(404, lambda: core.read_namespaced_config_map("none", "default"))["reason"], "NotFound")
equal(refused(409, lambda: core.create_namespaced_config_map("default", config_map("m0", "1")))["reason"],
      "AlreadyExists")
assert any(item.metadata.name == "default" for item in core.list_namespace().items)
ok("lists, pages, selectors, refusals")

# A watch that is cut by the server is resumed from where it was: nothing is lost, nothing comes twice.
start = core.list_namespaced_config_map("default").metadata.resource_version
seen, ready = [], threading.Semaphore(0)
failures = []


def follow():
    watcher = watch.Watch()
    version = start
    try:
        while True:
            try:
                for event in watcher.stream(core.list_namespaced_config_map, "default", resource_version=version):
                    seen.append((event["type"], event["object"].metadata.name, event["object"].data["v"]))
                    ready.release()
                    if event["object"].metadata.name == "last":
                        return
            except ApiException:
                raise
            except Exception:  # the connection broke: urllib3 says so in several ways
                version = watcher.resource_version
    except Exception as error:
        failures.append(error)
        ready.release()


follower = threading.Thread(target=follow, daemon=True)
follower.start()


def await_event():
    assert ready.acquire(timeout=60), f"no event came after {seen}"
    assert not failures, failures


for round_, action in enumerate(["", "endWatches", "cutWatches", "dropConnections"], 1):
    if action:
        fault(action)
    core.replace_namespaced_config_map("m0", "default", config_map("m0", str(round_)))
    await_event()
core.delete_namespaced_config_map("m6", "default")
await_event()
core.create_namespaced_config_map("default", config_map("last", "x"))
await_event()
follower.join(60)
assert not follower.is_alive()
equal(seen, [("MODIFIED", "m0", str(round_)) for round_ in range(1, 5)] + [("DELETED", "m6", "0"), ("ADDED", "last", "x")])
ok("watch, ended and cut and resumed")

fault("compact")
core.replace_namespaced_config_map("m1", "default", config_map("m1", "1"))
try:
    for event in watch.Watch().stream(core.list_namespaced_config_map, "default", resource_version=start,
                                      timeout_seconds=5):
        raise AssertionError(f"an event from a version that is gone: {event}")
    raise AssertionError("the watch ended without an error")
except ApiException as error:
    equal(error.status, 410)
ok("a version that is too old is 410")

# Patch types of the typed client: a dict is a strategic merge patch, a list a JSON patch.
container = {"name": "web", "image": "registry.example/web:1"}
apps.create_namespaced_deployment("default", {
    "metadata": {"name": "web"},
    "spec": {"selector": {"matchLabels": {"app": "web"}},
             "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}}})
patched = apps.patch_namespaced_deployment("web", "default", {
    "spec": {"template": {"spec": {"containers": [{"name": "side", "image": "registry.example/side:1"}]}}}})
equal(sorted(item.name for item in patched.spec.template.spec.containers), ["side", "web"])
patched = apps.patch_namespaced_deployment("web", "default", [{"op": "replace", "path": "/spec/replicas", "value": 4}])
equal(patched.spec.replicas, 4)
refused(422, lambda: apps.patch_namespaced_deployment(
    "web", "default", [{"op": "test", "path": "/spec/replicas", "value": 5}]))
scale = apps.read_namespaced_deployment_scale("web", "default")
equal(scale.spec.replicas, 4)
equal(apps.patch_namespaced_deployment_scale("web", "default", {"spec": {"replicas": 2}}).spec.replicas, 2)
status = apps.patch_namespaced_deployment_status("web", "default", {"status": {"readyReplicas": 2, "replicas": 2}})
equal((status.status.ready_replicas, status.spec.replicas), (2, 2))
ok("strategic merge and JSON patches, scale, status")

# The dynamic client finds resources by discovery and speaks every patch type.
dynamic_client = dynamic.DynamicClient(api)
maps = dynamic_client.resources.get(api_version="v1", kind="ConfigMap")
maps.create(namespace="default", body={"metadata": {"name": "dyn"}, "data": {"a": "1"}})
merged = maps.patch(namespace="default", name="dyn", body={"data": {"a": None, "b": "2"}},
                    content_type="application/merge-patch+json")
equal(merged.to_dict()["data"], {"b": "2"})
strategic = maps.patch(namespace="default", name="dyn", body={"data": {"c": "3"}},
                       content_type="application/strategic-merge-patch+json")
equal(strategic.to_dict()["data"], {"b": "2", "c": "3"})
jsoned = maps.patch(namespace="default", name="dyn", body=[{"op": "remove", "path": "/data/c"}],
                    content_type="application/json-patch+json")
equal(jsoned.to_dict()["data"], {"b": "2"})


def apply(manager, data):
    # As text: this version of the client cannot send an object under the media type of apply.
    return maps.server_side_apply(namespace="default", name="dyn", field_manager=manager, body=json.dumps(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dyn"}, "data": data}))


applied = apply("interop", {"d": "4"})
equal(applied.to_dict()["data"], {"b": "2", "d": "4"})
assert any(entry.manager == "interop" and entry.operation == "Apply" for entry in applied.metadata.managedFields)
try:
    apply("other", {"d": "5"})
    raise AssertionError("no conflict")
except dynamic.exceptions.ConflictError:
    pass
events = [(event["type"], event["object"].metadata.name)
          for event in maps.watch(namespace="default", field_selector="metadata.name=dyn", timeout=1)]
equal(events, [("ADDED", "dyn")])
ok("dynamic client: discovery, merge, strategic, JSON patch, server-side apply, watch")

# Custom resources through it.
definitions = dynamic_client.resources.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
definitions.create(body={
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.interop.example.com"},
    "spec": {"group": "interop.example.com", "scope": "Namespaced",
             "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
             "versions": [{"name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
                           "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                               "spec": {"type": "object", "properties": {"size": {"type": "integer"}}},
                               "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}}}]}})
for event in definitions.watch(field_selector="metadata.name=widgets.interop.example.com", timeout=60):
    conditions = event["raw_object"].get("status", {}).get("conditions", [])
    if any(entry["type"] == "Established" and entry["status"] == "True" for entry in conditions):
        break
else:
    raise AssertionError("the definition was not established")
dynamic_client = dynamic.DynamicClient(api)
widgets = dynamic_client.resources.get(api_version="interop.example.com/v1", kind="Widget")
widgets.create(namespace="default", body={"apiVersion": "interop.example.com/v1", "kind": "Widget",
                                          "metadata": {"name": "w"}, "spec": {"size": 3, "unknown": True}})
made = widgets.get(namespace="default", name="w")
equal(made.to_dict()["spec"], {"size": 3})
custom = client.CustomObjectsApi()
changed = custom.patch_namespaced_custom_object("interop.example.com", "v1", "default", "widgets", "w",
                                                {"spec": {"size": 4}})
equal((changed["spec"]["size"], changed["metadata"]["generation"]), (4, 2))
equal([item.metadata.name for item in widgets.get().items], ["w"])
widgets.delete(namespace="default", name="w")
definitions.delete(name="widgets.interop.example.com")
ok("custom resources")
