#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include "model.hpp"

namespace {

using namespace kubexx::gen;

constexpr std::string_view kUsage =
    "usage: kubexx-gen --builtin --out DIR            headers of every built-in type\n"
    "       kubexx-gen --crd FILE... --out DIR        headers of custom resources\n"
    "       kubexx-gen --crd FILE... --list           the files it would write\n";

struct Arguments {
  bool builtin = false;
  bool list = false;
  bool help = false;
  std::vector<std::string> crds;
  std::string out;
};

std::optional<std::string> parse(int argc, char** argv, Arguments& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--builtin") {
      out.builtin = true;
    } else if (argument == "--list") {
      out.list = true;
    } else if (argument == "--help" || argument == "-h") {
      out.help = true;
    } else if (argument == "--out" && i + 1 < argc) {
      out.out = argv[++i];
    } else if (argument == "--crd" && i + 1 < argc) {
      for (++i; i < argc && !std::string_view(argv[i]).starts_with("--"); ++i) out.crds.emplace_back(argv[i]);
      --i;
    } else {
      return "unexpected argument " + std::string(argument);
    }
  }
  if (!out.help && out.builtin == !out.crds.empty()) return "give either --builtin or --crd";
  if (!out.help && !out.list && out.out.empty()) return "--out is missing";
  return std::nullopt;
}

using Files = std::map<std::string, std::string>;  // by path below the output folder

std::map<std::string, std::vector<const PackageModel*>> by_group(const std::vector<PackageModel>& packages) {
  std::map<std::string, std::vector<const PackageModel*>> groups;
  for (const auto& package : packages) {
    bool any = false;
    for (const auto& type : package.types) any = any || type.resource.has_value();
    if (any) groups[package.accessor].push_back(&package);
  }
  return groups;
}

Files builtin_files(const std::vector<PackageModel>& packages) {
  Files files;
  const Layout layout{"kubexx/api/", "kubexx/clientset/", "kubexx::clientset", true};
  for (const auto& package : packages) {
    files["kubexx/api/" + package.folder + "/" + package.version + ".hpp"] = types_header(package);
  }
  const auto groups = by_group(packages);
  for (const auto& [accessor, versions] : groups) {
    const auto folder = "kubexx/clientset/" + versions.front()->folder;
    files[folder + ".hpp"] = umbrella_header(versions, layout);
    files[folder + "/group.hpp"] = group_header(versions, layout);
    for (const auto* version : versions) {
      files[folder + "/" + version->version + ".hpp"] = group_version_header(*version, layout);
    }
  }
  files["kubexx/clientset/clientset.hpp"] = clientset_header(groups, layout);
  return files;
}

/// <group>/<version>/types.hpp, <group>/<version>.hpp with client and informers, <group>.hpp with everything.
Files crd_files(const std::vector<PackageModel>& packages) {
  Files files;
  for (const auto& [accessor, versions] : by_group(packages)) {
    const auto& folder = versions.front()->folder;
    const Layout layout{"", "", folder, false};
    std::string all =
        "// Written by kubexx-gen. Do not edit.\n#pragma once\n\n#include \"" + folder + "/clientset.hpp\"\n";
    for (const auto* version : versions) {
      files[folder + "/" + version->version + "/types.hpp"] = types_header(*version);
      files[folder + "/" + version->version + ".hpp"] = group_version_header(*version, layout);
      all += "#include \"" + folder + "/" + version->version + ".hpp\"\n";
    }
    files[folder + "/group.hpp"] = group_header(versions, layout);
    files[folder + "/clientset.hpp"] = clientset_header({{accessor, versions}}, layout);
    files[folder + ".hpp"] = all;
  }
  return files;
}

std::string read(const std::string& path, bool& ok) {
  std::ifstream file(path, std::ios::binary);
  ok = file.good();
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Files whose text is the same are not touched, so that nothing is built again for them.
bool write(const std::filesystem::path& path, const std::string& text) {
  bool ok = false;
  if (read(path, ok) == text && ok) return true;
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  std::ofstream file(path, std::ios::binary);
  file << text;
  return file.good();
}

int fail(const std::string& message) {
  std::cerr << "kubexx-gen: " << message << '\n';
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (const auto wrong = parse(argc, argv, arguments)) {
    std::cerr << "kubexx-gen: " << *wrong << '\n' << kUsage;
    return 2;
  }
  if (arguments.help) {
    std::cout << kUsage;
    return 0;
  }
  std::vector<PackageModel> packages;
  if (arguments.builtin) {
    auto built = builtin_packages();
    if (!built) return fail(built.error().message());
    packages = std::move(*built);
  }
  for (const auto& path : arguments.crds) {
    bool ok = false;
    const auto text = read(path, ok);
    if (!ok) return fail(path + ": cannot be read");
    if (auto added = add_crd_packages(text, packages); !added) return fail(path + ": " + added.error().message());
  }
  const auto files = arguments.builtin ? builtin_files(packages) : crd_files(packages);
  for (const auto& [path, text] : files) {
    if (arguments.list) {
      std::cout << path << '\n';
    } else if (!write(std::filesystem::path(arguments.out) / path, text)) {
      return fail(arguments.out + "/" + path + ": cannot be written");
    }
  }
  return 0;
}
