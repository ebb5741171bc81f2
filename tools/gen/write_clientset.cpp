#include "model.hpp"
#include "naming.hpp"

namespace kubexx::gen {
namespace {

std::string class_of(const PackageModel& package, std::string_view suffix) {
  return pascal_case(package.accessor) + pascal_case(package.version) + std::string(suffix);
}

std::string group_class(const PackageModel& package, std::string_view suffix) {
  return pascal_case(package.accessor) + std::string(suffix);
}

/// A verb in both its forms: the operation, and the same blocking.
void verb(std::string& out, const std::string& result, const std::string& name, const std::string& parameters,
          const std::string& arguments, const std::string& operation) {
  out += "  ::kubexx::Async<::kubexx::Result<" + result + ">> " + name + "_async(" + parameters +
         ") const {\n    return " + operation + ";\n  }\n";
  out += "  ::kubexx::Result<" + result + "> " + name + "(" + parameters + ") const {\n    return " + name + "_async(" +
         arguments + ").wait();\n  }\n";
}

/// The methods of subresources that take or give another type than their resource.
void subresources(std::string& out, const TypeModel& type) {
  const std::string named = "std::string_view name, ";
  const std::string getting = "const ::kubexx::client::GetOptions& options = ::kubexx::client::GetOptions()";
  const std::string writing = "const ::kubexx::client::WriteOptions& options = ::kubexx::client::WriteOptions()";
  const auto& names = type.resource->subresources;
  if (names.contains("scale")) {
    const std::string scale = "::kubexx::api::autoscaling::v1::Scale";
    verb(out, scale, "get_scale", named + getting, "name, options",
         "this->template get_subresource_async<" + scale + ">(name, \"scale\", options)");
    verb(out, scale, "update_scale", named + "const " + scale + "& scale, " + writing, "name, scale, options",
         "this->template update_subresource_async<" + scale + ">(name, \"scale\", scale, options)");
  }
  if (names.contains("eviction")) {
    verb(out, "void", "evict",
         named + "const ::kubexx::api::policy::v1::Eviction& eviction = ::kubexx::api::policy::v1::Eviction(), " +
             writing,
         "name, eviction, options",
         "this->create_named_async(name, \"eviction\", eviction, \"policy/v1\", \"Eviction\", options)");
  }
  if (names.contains("binding")) {
    verb(out, "void", "bind", named + "const ::kubexx::api::core::v1::Binding& binding, " + writing,
         "name, binding, options",
         "this->create_named_async(name, \"binding\", binding, \"v1\", \"Binding\", options)");
  }
  if (names.contains("token")) {
    const std::string token = "::kubexx::api::authentication::v1::TokenRequest";
    verb(out, token, "create_token", named + "const " + token + "& request, " + writing, "name, request, options",
         "this->template create_subresource_async<" + token + ">(name, \"token\", request, options)");
  }
  for (const auto* same : {"ephemeralcontainers", "resize", "approval", "finalize"}) {
    if (!names.contains(same)) continue;
    const std::string method = same == std::string("ephemeralcontainers") ? "ephemeral_containers" : same;
    verb(out, "T", "update_" + method, "const T& object, " + writing, "object, options",
         std::string("this->template update_subresource_async<T>(object.name(), \"") + same + "\", object, options)");
  }
  if (names.contains("log")) {
    verb(out, "std::string", "logs",
         named + "const ::kubexx::client::LogOptions& options = ::kubexx::client::LogOptions()", "name, options",
         "this->untyped().logs_async(name, options)");
  }
}

bool special(const TypeModel& type) {
  for (const auto* name :
       {"scale", "eviction", "binding", "token", "ephemeralcontainers", "resize", "approval", "finalize", "log"}) {
    if (type.resource->subresources.contains(name)) return true;
  }
  return false;
}

void add_includes(std::set<std::string>& includes, const PackageModel& package) {
  for (const auto& type : package.types) {
    if (!type.resource) continue;
    const auto& names = type.resource->subresources;
    if (names.contains("scale")) includes.insert(std::string(kScaleHeader));
    if (names.contains("eviction")) includes.insert("kubexx/api/policy/v1.hpp");
    if (names.contains("token")) includes.insert("kubexx/api/authentication/v1.hpp");
  }
}

std::string qualified(const PackageModel& package, const TypeModel& type) {
  return "::" + package.space + "::" + type.name;
}

bool has_informers(const std::vector<const PackageModel*>& versions) {
  for (const auto* version : versions) {
    for (const auto& type : version->types) {
      if (type.resource && type.resource->informer) return true;
    }
  }
  return false;
}

std::string version_path(const PackageModel& package, const Layout& layout) {
  return layout.clientset + package.folder + "/" + package.version + ".hpp";
}

/// A member that gives a `type` made of `from`. The type is defined by another header: who did not include it is told
/// which one.
std::string complete_accessor(const std::string& type, const std::string& name, const std::string& of,
                              const std::string& header, const std::string& qualifier, const std::string& from) {
  return "  template <class Defined = " + type + ">\n  auto " + name + "()" + qualifier +
         " {\n    static_assert(requires { sizeof(Defined); }, \"" + of + "." + name + "() needs #include <" + header +
         ">\");\n    return Defined(" + from + ");\n  }\n";
}

}  // namespace

std::string group_header(const std::vector<const PackageModel*>& versions, const Layout& layout) {
  const auto& first = *versions.front();
  const auto informers = group_class(first, "Informers");
  const auto clients = group_class(first, "Client");
  std::string out(kHead);
  out +=
      "#include \"kubexx/base/version.hpp\"\n#include \"kubexx/informer/shared_informer_factory.hpp\"\n#include "
      "\"kubexx/rest/client.hpp\"\n\n" +
      version_check() + "\nnamespace " + layout.space + " {\n\n";
  for (const auto* version : versions) {
    out += "class " + class_of(*version, "Informers") + ";\nclass " + class_of(*version, "Client") + ";\n";
  }
  out += "\n/// The informers of the group; each version is defined by its own header.\nclass " + informers +
         " {\n public:\n  explicit " + informers +
         "(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}\n";
  for (const auto* version : versions) {
    out += complete_accessor(class_of(*version, "Informers"), version->version, first.accessor + "()",
                             version_path(*version, layout), " const", "*factory_");
  }
  out += "\n private:\n  ::kubexx::informer::SharedInformerFactory* factory_;\n};\n";
  out += "\n/// The clients of the group.\nclass " + clients + " {\n public:\n  explicit " + clients +
         "(::kubexx::rest::Client client) : client_(std::move(client)) {}\n";
  for (const auto* version : versions) {
    out += complete_accessor(class_of(*version, "Client"), version->version, first.accessor + "()",
                             version_path(*version, layout), " const", "client_");
  }
  return out + "\n private:\n  ::kubexx::rest::Client client_;\n};\n\n}  // namespace " + layout.space + "\n";
}

std::set<std::string> included_types(const PackageModel& package) {
  auto out = package.includes;
  add_includes(out, package);
  return out;
}

std::string informers_header(const PackageModel& package, const Layout& layout) {
  const auto informers = class_of(package, "Informers");
  std::string out(kHead);
  out += "#include \"" + layout.types + package.folder + "/" + package.version + "/views.hpp\"\n#include \"" +
         layout.clientset + package.folder + "/group.hpp\"\n\nnamespace " + layout.space + " {\n";
  out += "\nclass " + informers + " {\n public:\n  explicit " + informers +
         "(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}\n";
  for (const auto& type : package.types) {
    if (!type.resource || !type.resource->informer) continue;
    // A template, so that only programs which call it compile it.
    out += "  template <int = 0>\n  ::kubexx::informer::Informer<" + qualified(package, type) + "> " +
           type.resource->accessor + "() const { return factory_->informer_for<" + qualified(package, type) +
           ">(); }\n";
  }
  out += "\n private:\n  [[maybe_unused]] ::kubexx::informer::SharedInformerFactory* factory_;\n};\n";
  return out + "\n}  // namespace " + layout.space + "\n";
}

std::string factory_groups_header(const Groups& groups, const Layout& layout) {
  std::string out(kHead);
  out += "namespace " + layout.space + " {\n";
  for (const auto& [accessor, versions] : groups) {
    if (has_informers(versions)) out += "class " + group_class(*versions.front(), "Informers") + ";\n";
  }
  out += "}  // namespace " + layout.space +
         "\n\nnamespace kubexx::informer::detail {\n\n/// The groups of the typed API as members of every factory: "
         "`factory.core().v1().pods()`. Each is defined by its own\n/// header.\ntemplate <class Factory>\nclass "
         "FactoryGroups {\n public:\n";
  for (const auto& [accessor, versions] : groups) {
    if (!has_informers(versions)) continue;
    const auto& first = *versions.front();
    out += complete_accessor("::" + layout.space + "::" + group_class(first, "Informers"), first.accessor, "factory",
                             layout.clientset + first.folder + ".hpp", "", "static_cast<Factory&>(*this)");
  }
  return out + "};\n\n}  // namespace kubexx::informer::detail\n";
}

std::string all_informers_header(const Groups& groups, const Layout& layout) {
  std::string out(kHead);
  for (const auto& [accessor, versions] : groups) {
    if (layout.builtin) continue;
    for (const auto* version : versions) {
      out += "#include \"" + layout.clientset + version->folder + "/" + version->version + "/informers.hpp\"\n";
    }
  }
  if (layout.builtin) out += "#include \"kubexx/informer/shared_informer_factory.hpp\"\n";
  out += "\nnamespace " + layout.space +
         " {\n\n/// The informers of these groups, in any factory: `Informers(factory)." +
         groups.begin()->second.front()->accessor + "()." + groups.begin()->second.front()->version +
         "()`. A view of it; the factory must outlive it.\nclass Informers {\n public:\n";
  if (layout.builtin) {
    out += "  explicit Informers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {}\n";
  } else {
    std::string known;
    for (const auto& [accessor, versions] : groups) {
      for (const auto* version : versions) {
        for (const auto& type : version->types) {
          if (!type.resource || !type.resource->informer) continue;
          known.append(known.empty() ? "&" : ", &").append(qualified(*version, type)).append("::kResource");
        }
      }
    }
    out +=
        "  /// From then on for_resource() and lease() of the factory know these resources.\n"
        "  explicit Informers(::kubexx::informer::SharedInformerFactory& factory) : factory_(&factory) {\n"
        "    static constexpr const ::kubexx::meta::ResourceInfo* kResources[] = {" +
        known + "};\n    factory.know(kResources);\n  }\n";
  }
  for (const auto& [accessor, versions] : groups) {
    if (!has_informers(versions)) continue;
    const auto name = group_class(*versions.front(), "Informers");
    if (layout.builtin) {
      out += "  auto " + accessor + "() const { return factory_->" + accessor + "(); }\n";
    } else {
      out += "  " + name + " " + accessor + "() const { return " + name + "(*factory_); }\n";
    }
  }
  return out + "\n private:\n  ::kubexx::informer::SharedInformerFactory* factory_;\n};\n\n}  // namespace " +
         layout.space + "\n";
}

std::string group_version_header(const PackageModel& package, const Layout& layout) {
  const auto clients = class_of(package, "Client");
  std::set<std::string> includes = {"kubexx/client/api.hpp",
                                    layout.types + package.folder + "/" + package.version + ".hpp",
                                    layout.clientset + package.folder + "/" + package.version + "/informers.hpp"};
  if (!layout.builtin) {
    includes.erase(layout.types + package.folder + "/" + package.version + ".hpp");
    includes.insert(layout.types + package.folder + "/" + package.version + "/types.hpp");
  }
  add_includes(includes, package);
  std::string out(kHead);
  for (const auto& include : includes) out += "#include \"" + include + "\"\n";
  out += "\nnamespace " + layout.space + " {\n";
  for (const auto& type : package.types) {
    if (!type.resource || !special(type)) continue;
    const auto name = class_of(package, pascal_case(type.kind) + "Client");
    // A template, so that only programs which call it compile it.
    out += "\ntemplate <class T>\nclass " + name + "Of : public ::kubexx::client::Api<T> {\n public:\n" +
           "  using ::kubexx::client::Api<T>::Api;\n";
    subresources(out, type);
    out += "};\nusing " + name + " = " + name + "Of<" + qualified(package, type) + ">;\n";
  }
  out += "\nclass " + clients + " {\n public:\n  explicit " + clients +
         "(::kubexx::rest::Client client) : client_(std::move(client)) {}\n";
  for (const auto& type : package.types) {
    if (!type.resource) continue;
    const auto api = special(type) ? class_of(package, pascal_case(type.kind) + "Client")
                                   : "::kubexx::client::Api<" + qualified(package, type) + ">";
    if (type.resource->namespaced) {
      out += "  template <int = 0>\n  " + api + " " + type.resource->accessor +
             "(std::string namespace_ = {}) const { return " + api + "(client_, std::move(namespace_)); }\n";
    } else {
      out += "  template <int = 0>\n  " + api + " " + type.resource->accessor + "() const { return " + api +
             "(client_); }\n";
    }
  }
  return out + "\n private:\n  ::kubexx::rest::Client client_;\n};\n\n}  // namespace " + layout.space + "\n";
}

std::string umbrella_header(const std::vector<const PackageModel*>& versions, const Layout& layout) {
  std::string out(kHead);
  for (const auto* version : versions) {
    out += "#include \"" + layout.clientset + version->folder + "/" + version->version + ".hpp\"\n";
  }
  return out;
}

std::string clientset_header(const Groups& groups, const Layout& layout) {
  std::string out(kHead);
  out += "#include \"kubexx/rest/client.hpp\"\n";
  for (const auto& [accessor, versions] : groups) {
    out += "#include \"" + layout.clientset + versions.front()->folder + "/group.hpp\"\n";
  }
  out += "\nnamespace " + layout.space +
         " {\n\n/// Typed clients by group and version: `clientset.core().v1().pods(\"default\").get(\"web\")`. The "
         "version's\n"
         "/// header defines what it has. A handle: copies share one client.\nclass Clientset {\n public:\n"
         "  explicit Clientset(::kubexx::rest::Client client) : client_(std::move(client)) {}\n"
         "  static ::kubexx::Result<Clientset> create(::kubexx::rest::Config config, ::kubexx::rest::ClientOptions "
         "options = "
         "{}) {\n"
         "    auto client = ::kubexx::rest::Client::create(std::move(config), std::move(options));\n"
         "    if (!client) return client.error();\n    return Clientset(std::move(*client));\n  }\n"
         "  const ::kubexx::rest::Client& client() const noexcept { return client_; }\n\n";
  for (const auto& [accessor, versions] : groups) {
    const auto name = group_class(*versions.front(), "Client");
    out += "  " + name + " " + accessor + "() const { return " + name + "(client_); }\n";
  }
  out += "\n private:\n  ::kubexx::rest::Client client_;\n};\n";
  return out + "\n}  // namespace " + layout.space + "\n";
}

}  // namespace kubexx::gen
