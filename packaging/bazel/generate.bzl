"""What kubexx-gen writes, as a folder of headers.

    load("@kubexx//packaging/bazel:generate.bzl", "kubexx_headers")

    kubexx_headers(name = "foo_headers", crds = ["foo_crd.yaml"], out = "generated")
    cc_library(name = "foo", hdrs = [":foo_headers"], includes = ["generated"], deps = ["@kubexx//:kubexx"])
"""

def _kubexx_headers(ctx):
    if ctx.attr.builtin == bool(ctx.files.crds):
        fail("kubexx_headers: either builtin or crds")
    if ctx.attr.builtin and ctx.attr.cpp_namespace:
        fail("kubexx_headers: cpp_namespace is for crds")
    folder = ctx.actions.declare_directory(ctx.attr.out)
    arguments = ctx.actions.args()
    if ctx.attr.builtin:
        arguments.add("--builtin")
    else:
        arguments.add_all("--crd", ctx.files.crds)
    if ctx.attr.cpp_namespace:
        arguments.add("--namespace", ctx.attr.cpp_namespace)
    arguments.add("--out")
    arguments.add_all([folder], expand_directories = False)
    ctx.actions.run(
        outputs = [folder],
        inputs = ctx.files.crds,
        executable = ctx.executable._generator,
        arguments = [arguments],
        mnemonic = "KubexxGen",
        progress_message = "Writing the resources of %{label}",
    )
    return [DefaultInfo(files = depset([folder]))]

kubexx_headers = rule(
    implementation = _kubexx_headers,
    doc = "Headers with the types, clients and informers of custom resources, or of the built-in ones.",
    attrs = {
        "builtin": attr.bool(doc = "The resources of Kubernetes itself, which //:kubexx has already."),
        "crds": attr.label_list(allow_files = [".yaml", ".yml", ".json"], doc = "Files with CustomResourceDefinitions."),
        "cpp_namespace": attr.string(doc = "C++ namespace and folder, instead of the first label of the group."),
        "out": attr.string(mandatory = True, doc = "The folder, in the package's output; what `includes` names."),
        "_generator": attr.label(default = "//:kubexx-gen", executable = True, cfg = "exec"),
    },
)
