#include "generate.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/internal/file.hpp"
#include "model.hpp"

namespace kubexx::gen {
namespace {

using Files = std::map<std::string, std::string>;  // by path below the output folder

Groups by_group(const std::vector<PackageModel>& packages) {
  Groups groups;
  for (const auto& package : packages) {
    bool any = false;
    for (const auto& type : package.types) any = any || type.resource.has_value();
    if (any) groups[package.accessor].push_back(&package);
  }
  return groups;
}

std::string types_of(const PackageModel& package) {
  return "kubexx/api/" + package.folder + "/" + package.version;
}

/// The named groups. Their types and those that these are made of, and what every custom resource may refer to, become
/// `types`.
Result<Groups> choose(const std::vector<PackageModel>& packages, const std::vector<std::string>& names,
                      std::set<std::string>& types) {
  const auto all = by_group(packages);
  Groups chosen;
  types = {std::string(kScaleHeader), "kubexx/api/meta/v1.hpp"};
  for (const auto& name : names) {
    const auto found = all.find(name);
    if (found == all.end()) {
      std::string known;
      for (const auto& [accessor, versions] : all) known.append(known.empty() ? "" : ", ").append(accessor);
      return Error::config("there is no group " + name + "; there are: " + known);
    }
    chosen.insert(*found);
    for (const auto* version : found->second) types.insert(types_of(*version) + ".hpp");
  }
  for (std::size_t before = 0; before != types.size();) {
    before = types.size();
    for (const auto& package : packages) {
      if (types.contains(types_of(package) + ".hpp")) types.merge(included_types(package));
    }
  }
  return chosen;
}

Result<Files> builtin_files(const std::vector<PackageModel>& packages,
                            const std::optional<std::vector<std::string>>& names) {
  Files files;
  const Layout layout{"kubexx/api/", "kubexx/clientset/", "kubexx::clientset", true};
  std::set<std::string> wanted;
  Result<Groups> chosen = by_group(packages);
  if (names) chosen = choose(packages, *names, wanted);
  if (!chosen) return chosen.error();
  const Groups& groups = *chosen;
  for (const auto& package : packages) {
    const auto types = types_of(package);
    if (names && !wanted.contains(types + ".hpp")) continue;
    files[types + "/views.hpp"] = views_header(package);
    files[types + ".hpp"] = types_header(package, types + "/views.hpp");
  }
  for (const auto& [accessor, versions] : groups) {
    const auto folder = "kubexx/clientset/" + versions.front()->folder;
    files[folder + ".hpp"] = umbrella_header(versions, layout);
    files[folder + "/group.hpp"] = group_header(versions, layout);
    for (const auto* version : versions) {
      files[folder + "/" + version->version + "/informers.hpp"] = informers_header(*version, layout);
      files[folder + "/" + version->version + ".hpp"] = group_version_header(*version, layout);
    }
  }
  if (!groups.empty()) {
    files["kubexx/clientset/clientset.hpp"] = clientset_header(groups, layout);
    files["kubexx/clientset/informers.hpp"] = all_informers_header(groups, layout);
  }
  files["kubexx/informer/detail/groups.hpp"] = factory_groups_header(groups, layout);
  return files;
}

/// <group>/<version>/ views.hpp, types.hpp and informers.hpp, <group>/<version>.hpp with these and the clients,
/// <group>.hpp with everything.
Result<Files> crd_files(const std::vector<PackageModel>& packages) {
  Files files;
  for (const auto& [accessor, versions] : by_group(packages)) {
    const auto& folder = versions.front()->folder;
    const auto& space = versions.front()->space;
    const Layout layout{"", "", space.substr(0, space.rfind("::")), false};
    std::string all =
        std::string(kHead) + "#include \"" + folder + "/clientset.hpp\"\n#include \"" + folder + "/informers.hpp\"\n";
    for (const auto* version : versions) {
      const auto types = folder + "/" + version->version;
      files[types + "/views.hpp"] = views_header(*version);
      files[types + "/types.hpp"] = types_header(*version, types + "/views.hpp");
      files[types + "/informers.hpp"] = informers_header(*version, layout);
      files[folder + "/" + version->version + ".hpp"] = group_version_header(*version, layout);
      all += "#include \"" + folder + "/" + version->version + ".hpp\"\n";
    }
    files[folder + "/group.hpp"] = group_header(versions, layout);
    files[folder + "/clientset.hpp"] = clientset_header({{accessor, versions}}, layout);
    files[folder + "/informers.hpp"] = all_informers_header({{accessor, versions}}, layout);
    files[folder + ".hpp"] = all;
  }
  return files;
}

// Also of the schema's own headers, which are larger than any definition.
constexpr FileLimits kFile{.bytes = 64 << 20};

/// Files whose text is the same are not touched, so that nothing is built again for them.
bool write(const std::filesystem::path& path, const std::string& text) {
  if (const auto before = read_file(path, kFile); before && *before == text) return true;
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  std::ofstream file(path, std::ios::binary);
  file << text;
  return file.good();
}

/// Removes what the record names and this run did not write, and writes the record anew.
bool keep_record(const Job& job, const std::vector<std::string>& paths) {
  std::istringstream before(read_file(job.record, kFile).value_or(""));
  for (std::string path; std::getline(before, path);) {
    if (std::find(paths.begin(), paths.end(), path) != paths.end()) continue;
    if (!path.ends_with(".hpp") || path.starts_with('/') || path.find("..") != std::string::npos) continue;
    std::error_code ignored;
    std::filesystem::remove(std::filesystem::path(job.out) / path, ignored);
  }
  std::string now;
  for (const auto& path : paths) now += path + "\n";
  return write(job.record, now);
}

}  // namespace

Result<std::vector<std::string>> generate(const Job& job) {
  std::vector<PackageModel> packages;
  if (job.builtin) {
    auto built = builtin_packages();
    if (!built) return built.error();
    packages = std::move(*built);
  }
  for (const auto& path : job.crds) {
    const auto text = read_file(path, kFile);
    if (!text) return text.error();
    if (auto added = add_crd_packages(*text, job.space, packages); !added) return added.error().with_context(path);
  }
  const auto files = job.builtin ? builtin_files(packages, job.groups) : crd_files(packages);
  if (!files) return files.error();
  std::vector<std::string> paths;
  for (const auto& [path, text] : *files) {
    if (!job.out.empty() && !write(std::filesystem::path(job.out) / path, text)) {
      return Error::config(job.out + "/" + path + ": cannot be written");
    }
    paths.push_back(path);
  }
  if (!job.out.empty() && !job.record.empty() && !keep_record(job, paths)) {
    return Error::config(job.record + ": cannot be written");
  }
  return paths;
}

}  // namespace kubexx::gen
