#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>

#include "base/internal/text.hpp"
#include "command.hpp"
#include "naming.hpp"
#include "operator_files.hpp"  // written by CMake from examples/operator

namespace kubexx::app {
namespace {

struct Project {
  std::string name;    // a folder, and what is deployed: letters, digits and '-'
  std::string group;   // hello.example.com
  std::string kind;    // Greeting
  std::string plural;  // greetings
};

bool only(std::string_view text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || is_digit(c) || more.find(c) != std::string_view::npos;
  });
}

/// What is wrong with the names; empty: nothing.
std::string wrong(const Project& project) {
  const auto edges = [](std::string_view text) {
    return text.front() == '-' || text.back() == '-' || is_digit(text[0]);
  };
  if (!only(project.name, "-") || edges(project.name)) return "NAME is of a-z, 0-9 and '-', and begins with a letter";
  const bool dotted = project.group.find('.') != std::string::npos && !project.group.starts_with('.');
  if (!only(project.group, "-.") || !dotted || project.group.ends_with('.')) return "--group is like shop.example.com";
  const auto rest = to_lower(project.kind);
  if (!only(rest, "") || project.kind[0] < 'A' || project.kind[0] > 'Z') return "--kind is like Widget";
  for (const auto* taken : {"ConfigMap", "Options", "Reconciler", "Result"}) {
    if (project.kind == taken) return "--kind " + project.kind + " has another meaning in the program";
  }
  if (!only(project.plural, "")) return "--plural is of a-z and 0-9";
  const auto label = project.group.substr(0, project.group.find('.'));
  for (const auto* taken : {"std", "posix", "kubexx"}) {
    if (label == taken) return "--group cannot begin with " + label + ": its types are in a namespace of that name";
  }
  return {};
}

/// The words of the example, longer ones before those they begin with, and what takes their place.
using Words = std::array<std::pair<std::string, std::string>, 8>;
Words words_of(const Project& project) {
  auto identifier = project.name;
  std::replace(identifier.begin(), identifier.end(), '-', '_');
  const auto space = gen::safe(gen::snake_case(project.group.substr(0, project.group.find('.'))));
  return {{{"greeting_operator", identifier},
           {"greeting-operator", project.name},
           {"hello.example.com", project.group},
           {"hello::v1", space + "::v1"},
           {"hello/v1.hpp", space + "/v1.hpp"},
           {"Greeting", project.kind},
           {"greetings", project.plural},
           {"greeting", to_lower(project.kind)}}};
}

std::string in_words_of(std::string_view text, const Words& words) {
  std::string written;
  while (!text.empty()) {
    const auto found =
        std::find_if(words.begin(), words.end(), [&](const auto& w) { return text.starts_with(w.first); });
    if (found == words.end()) {
      written += text.front();
      text.remove_prefix(1);
    } else {
      written += found->second;
      text.remove_prefix(found->first.size());
    }
  }
  return written;
}

int init(Project project) {
  if (project.plural.empty()) project.plural = to_lower(project.kind) + "s";
  if (const auto what = wrong(project); !what.empty()) return misuse(what);
  std::error_code failed;
  if (!std::filesystem::create_directory(project.name, failed)) {
    return fail(Error::config(failed ? project.name + ": " + failed.message() : project.name + " exists already"));
  }
  const auto words = words_of(project);
  for (const auto& [file, text] : kOperatorFiles) {
    const auto path = project.name + "/" + in_words_of(file, words);
    std::ofstream stream(path);
    stream << in_words_of(text, words);
    if (!stream.flush()) return fail(Error::config(path + ": it cannot be written"));
    out().write(path + '\n');
  }
  note("next: cmake -S " + project.name + " -B " + project.name + "/build && cmake --build " + project.name +
       "/build && ctest --test-dir " + project.name + "/build");
  return 0;
}

}  // namespace

void add_init(Command program) {
  auto project = std::make_shared<Project>();
  auto command = program.subcommand("init", "Write an operator to begin with");
  command.footer(
      "A definition, a controller with finalizer, status and events, an election, health pages, a test with faults,\n"
      "and what deploys it; examples/operator in your own names.\n\n"
      "Examples:\n  kubexx init widget-operator --group shop.example.com --kind Widget");
  command.option("NAME", &project->name, "Of the project and its folder, which is made").required();
  command.option("--group", &project->group, "API group, shop.example.com").required();
  command.option("--kind", &project->kind, "Kind, Widget").required();
  command.option("--plural", &project->plural, "Its plural in URLs (default: the kind in lower case and an s)");
  command.on_run([project] { return init(*project); });
}

}  // namespace kubexx::app
