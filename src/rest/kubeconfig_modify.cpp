#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <system_error>

#include "base/internal/file.hpp"
#include "kubexx/meta/yaml.hpp"
#include "rest/kubeconfig_document.hpp"

namespace kubexx::rest {
namespace {

std::string reason(int code) {
  return std::generic_category().message(code);
}

/// What cannot be looked at (no right to the folder, a name too long) is there: reading it says what is wrong.
bool exists(const std::string& file) {
  std::error_code failure;
  return std::filesystem::status(file, failure).type() != std::filesystem::file_type::not_found;
}

/// With those above it. New ones are nobody else's, whatever the umask: secrets will be there.
void make_folder(const std::filesystem::path& folder) {
  if (folder.empty() || exists(folder)) return;
  make_folder(folder.parent_path());
  mkdir(folder.c_str(), 0700);  // what fails here fails at the file, with a reason
}

/// kubectl's lock: a file beside the file, made by whoever writes.
class FileLock {
 public:
  static Result<std::unique_ptr<FileLock>> take(const std::string& file) {
    make_folder(std::filesystem::path(file).parent_path());
    const auto path = file + ".lock";
    const int fd = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST) {
      return Error::config(file + " is being written by another program (or one that crashed left " + path + ")");
    }
    if (fd < 0) return Error::config("cannot lock " + file + ": " + reason(errno));
    close(fd);
    return std::unique_ptr<FileLock>(new FileLock(path));
  }
  ~FileLock() { unlink(path_.c_str()); }

 private:
  explicit FileLock(std::string path) : path_(std::move(path)) {}
  const std::string path_;
};

/// The file that a symbolic link means: the link stays.
std::string behind_links(const std::string& file) {
  std::error_code failure;
  const auto target = std::filesystem::weakly_canonical(file, failure).string();
  return failure ? file : target;
}

Result<meta::Draft> read_document(const std::string& file) {
  if (!exists(file)) return empty_kubeconfig();
  const auto text = read_file(file);
  if (!text) return text.error();
  if (text->find_first_not_of(" \t\r\n") == std::string::npos) return empty_kubeconfig();
  auto object = meta::parse_yaml_document(*text);
  if (!object) return object.error().with_context(file);
  return object->edit();
}

/// What is to be done, file by file.
using Edit = std::function<void(meta::Draft& document, const std::string& folder)>;
using Edits = std::map<std::string, std::vector<Edit>>;

template <class T>
void compare(const char* list, const char* key, const std::map<std::string, T>& before,
             const std::map<std::string, T>& now, const std::string& default_file, Edits& edits) {
  for (const auto& [name, old] : before) {
    if (now.contains(name)) continue;
    edits[old.origin].push_back(
        [list, gone = name](meta::Draft& document, const std::string&) { find_entry(document[list], gone).erase(); });
  }
  for (const auto& [name, fresh] : now) {
    const auto old = before.find(name);
    auto same = fresh;
    if (old != before.end()) same.origin = old->second.origin;
    if (old != before.end() && same == old->second) continue;
    const auto& file = old != before.end() ? old->second.origin : fresh.origin.empty() ? default_file : fresh.origin;
    edits[file].push_back([list, key, named = name, stanza = fresh](meta::Draft& document, const std::string& folder) {
      auto entry = find_entry(document[list], named);
      if (!entry.exists()) {
        entry = document[list].append();
        entry["name"].set(named);
      }
      entry[key].set_map();
      write_stanza(entry[key], stanza, folder);
    });
  }
}

/// The file whose current-context is to change.
Result<std::string> context_file(const KubeConfigSources& sources, const std::string& now) {
  if (!sources.explicit_path.empty() || !now.empty()) return sources.default_file();
  for (const auto& file : sources.precedence) {
    if (!exists(file)) continue;
    auto config = KubeConfig::read_file(file);
    if (!config) return config.error();
    if (!config->current_context.empty()) return file;
  }
  return Error::config("no file sets a current-context");
}

Result<Edits> differences(const KubeConfigSources& sources, const KubeConfig& changed) {
  KubeConfig before;
  if (sources.explicit_path.empty() || exists(sources.explicit_path)) {
    auto loaded = load_kubeconfig(sources);
    if (!loaded) return loaded.error();
    before = std::move(loaded->config);
  }
  const auto file = sources.default_file();
  if (file.empty()) return Error::config("there is no file to write to: neither KUBECONFIG nor HOME is set");
  Edits edits;
  compare("clusters", "cluster", before.clusters, changed.clusters, file, edits);
  compare("users", "user", before.users, changed.users, file, edits);
  compare("contexts", "context", before.contexts, changed.contexts, file, edits);
  if (before.current_context != changed.current_context) {
    auto where = context_file(sources, changed.current_context);
    if (!where) return where.error();
    edits[*where].emplace_back([name = changed.current_context](meta::Draft& document, const std::string&) {
      document["current-context"].set(name);
    });
  }
  return edits;
}

}  // namespace

std::string KubeConfigSources::default_file() const {
  if (!explicit_path.empty()) return explicit_path;
  for (const auto& file : precedence) {
    if (exists(file)) return file;
  }
  return precedence.empty() ? std::string() : precedence.back();
}

Result<void> modify_kubeconfig(const KubeConfigSources& sources, const KubeConfig& changed) {
  // Which files there are to write is known only after reading them, so they are locked, in order, and read once more.
  auto first = differences(sources, changed);
  if (!first) return first.error();
  std::vector<std::unique_ptr<FileLock>> locks;
  for (const auto& edits : *first) {
    auto lock = FileLock::take(edits.first);
    if (!lock) return lock.error();
    locks.push_back(std::move(*lock));
  }
  auto edits = differences(sources, changed);
  if (!edits) return edits.error();
  for (const auto& [file, changes] : *edits) {
    if (!first->contains(file)) return Error::config(file + " changed while it was being written");
    auto document = read_document(file);
    if (!document) return document.error();
    std::error_code nowhere;
    const auto folder = std::filesystem::absolute(file, nowhere).parent_path().string();
    for (const auto& change : changes) change(*document, folder);
    auto written = replace_file(behind_links(file), meta::to_yaml(document->to_object(), meta::YamlKeys::Sorted));
    if (!written) return written;
  }
  return {};
}

}  // namespace kubexx::rest
