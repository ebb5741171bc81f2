#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>

#include "command.hpp"
#include "kubexx/base/stop.hpp"
#include "kubexx/client/resource_api.hpp"
#include "kubexx/rest/kubeconfig.hpp"
#include "targets.hpp"
#include "text.hpp"

namespace kubexx::app {
namespace {

using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 5> kOfResources = {"get", "watch", "tree", "top-cache", "sync"};

constexpr const char* kBash = R"(# kubexx completion bash: source it, or put it into /etc/bash_completion.d
_kubexx() {
  local IFS=$'\n' words
  words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=($("${COMP_WORDS[0]}" __complete -- "${words[@]}" 2>/dev/null))
  if [ ${#COMPREPLY[@]} -eq 1 ] && [ "${COMPREPLY[0]%/}" != "${COMPREPLY[0]}" ]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -o default -F _kubexx kubexx
)";
constexpr const char* kZsh = R"(#compdef kubexx
# kubexx completion zsh: source it, or put it as _kubexx into a folder of $fpath
_kubexx() {
  local -a found
  found=("${(@f)$("${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [ ${#found} -eq 0 ] || [ -z "${found[1]}" ]; then
    _files
    return
  fi
  local -a kinds=("${(@M)found:#*/}") whole=("${(@)found:#*/}")
  [ ${#kinds} -eq 0 ] || compadd -S '' -a kinds
  [ ${#whole} -eq 0 ] || compadd -a whole
}
if [ "${funcstack[1]}" = _kubexx ]; then  # loaded by the completion itself
  _kubexx "$@"
else
  compdef _kubexx kubexx
fi
)";
constexpr const char* kFish =
    R"(# kubexx completion fish: source it, or put it into ~/.config/fish/completions/kubexx.fish
function __kubexx_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] __complete -- $words[2..-1] 2>/dev/null
end
complete -c kubexx -f -a '(__kubexx_complete)'
)";

/// The value of a flag among the words, in either form.
std::string value_of(const Words& words, std::initializer_list<const char*> names) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const std::string name : names) {
      if (words[i] == name && i + 2 < words.size()) return words[i + 1];
      if (words[i].starts_with(name + "=")) return words[i].substr(name.size() + 1);
    }
  }
  return "";
}

Connection connection_of(const Words& words) {
  Connection connection;
  connection.options.kubeconfig = value_of(words, {"--kubeconfig"});
  connection.options.context = value_of(words, {"--context"});
  connection.options.server = value_of(words, {"-s", "--server"});
  connection.options.token = value_of(words, {"--token"});
  connection.options.namespace_ = value_of(words, {"-n", "--namespace"});
  connection.request_timeout = "3s";
  connection.quiet = true;
  return connection;
}

Words resource_names(const Words& words) {
  const auto client = connection_of(words).connect();
  if (!client) return {};
  client::ResourceMapper mapper(*client);
  const auto all = mapper.all(until_signal());
  if (!all) return {};
  std::set<std::string> names;
  for (const auto& resource : *all) {
    if (resource.can("list")) names.insert(resource.resource.resource);
  }
  return {names.begin(), names.end()};
}

Words object_names(const Words& words, const std::string& kind) {
  const auto client = connection_of(words).connect();
  if (!client) return {};
  client::ResourceMapper mapper(*client);
  const auto resource = resolve_resource(mapper, kind);
  if (!resource) return {};
  const client::ResourceApi api(*client, resource->resource,
                                resource->namespaced ? client->config().default_namespace : std::string());
  client::ListOptions query;
  query.limit = 500;
  query.stop = stop_on_signals();
  query.projection = meta::Projection::metadata_only();
  const auto list = api.list(query);
  if (!list) return {};
  Words names;
  for (const auto& object : list->items) names.emplace_back(object.name());
  return names;
}

Words context_names(const Words& words) {
  const auto files =
      rest::load_kubeconfig(rest::KubeConfigSources::from_environment(value_of(words, {"--kubeconfig"})));
  Words names;
  if (!files) return names;
  for (const auto& [name, context] : files->config.contexts) names.push_back(name);
  return names;
}

/// The option whose value the current word is, if the word before it is one that takes a value.
std::optional<std::string> awaited_option(Command command, const Words& words) {
  if (words.size() < 2) return std::nullopt;
  const auto& before = words[words.size() - 2];
  return before.starts_with('-') ? command.awaits_value(before) : std::nullopt;
}

Words values_of(const std::string& option, const std::string& command, const Words& words) {
  if (option == "namespace") return object_names(words, "namespaces");
  if (option == "context") return context_names(words);
  if (option == "color") return {"auto", "always", "never"};
  if (option == "mode") return {"list", "watchlist"};
  if (option == "content-type") return {"json", "protobuf"};
  if (option == "projection") return {"full", "metadata"};
  if (option == "output") {
    return command == "version" || command == "sync" ? Words{"json"} : Words{"wide", "json", "yaml", "jsonl", "name"};
  }
  return {};
}

/// The words of the command line that are neither flags nor their values, the current one included.
Words positional(Command program, Command command, const Words& words) {
  Words plain;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const Words upto(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    if (words[i].starts_with('-') && i + 1 < words.size()) continue;
    if (awaited_option(command, upto) || awaited_option(program, upto)) continue;
    plain.push_back(words[i]);
  }
  return plain;
}

/// What the last word may become, of words that begin with one of these commands.
Words candidates(Command program, const std::vector<Command>& commands, const Words& words) {
  const auto& current = words.back();
  if (words.size() == 1) {
    Words names;
    if (current.starts_with('-')) return {"--help", "--color", "--verbose"};
    for (const auto& command : commands) names.push_back(command.name());
    return names;
  }
  const auto& name = words[0];
  const auto command = std::find_if(commands.begin(), commands.end(), [&](Command one) { return one.name() == name; });
  if (command == commands.end()) return {};
  if (const auto below = command->subcommands(); !below.empty()) {
    return candidates(program, below, {words.begin() + 1, words.end()});
  }
  for (const auto& level : {*command, program}) {
    if (const auto option = awaited_option(level, words)) return values_of(*option, name, words);
  }
  if (current.starts_with('-')) {
    Words flags{"--color", "--verbose"};
    for (const auto& flag : command->long_flags()) flags.push_back(flag);
    return flags;
  }
  if (name == "logs") return object_names(words, "pods");
  if (name == "completion") return {"bash", "zsh", "fish"};
  if (std::find(kOfResources.begin(), kOfResources.end(), name) == kOfResources.end()) return {};
  if (const auto slash = current.find('/'); slash != std::string::npos) {
    const auto kind = current.substr(0, slash);
    Words names = object_names(words, kind);
    for (auto& one : names) one.insert(0, kind + '/');
    return names;
  }
  const auto plain = positional(program, *command, words);
  if (plain.size() > 1 && (name == "get" || name == "tree")) return object_names(words, plain[0]);
  auto resources = resource_names(words);
  if (name == "tree") {
    for (auto& resource : resources) resource += '/';
  }
  return resources;
}

}  // namespace

int complete(Command program, std::vector<std::string> words) {
  if (words.empty()) words.emplace_back();
  auto found = candidates(program, program.subcommands(), words);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::string text;
  for (const auto& word : found) {
    if (word.starts_with(words.back())) text += printable(word) + '\n';
  }
  out().write(text);
  return 0;
}

void add_completion(Command program) {
  auto shell = std::make_shared<std::string>();
  auto command = program.subcommand("completion", "Print the completion script of a shell");
  command.footer(
      "Examples:\n"
      "  source <(kubexx completion bash)\n"
      "  kubexx completion zsh > \"${fpath[1]}/_kubexx\"\n"
      "  kubexx completion fish > ~/.config/fish/completions/kubexx.fish");
  command.option("SHELL", shell.get(), "bash, zsh or fish").required().choices({"bash", "zsh", "fish"});
  command.on_run([shell] {
    out().write(*shell == "bash" ? kBash : *shell == "zsh" ? kZsh : kFish);
    return 0;
  });
}

}  // namespace kubexx::app
