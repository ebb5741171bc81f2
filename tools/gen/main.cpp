#include <iostream>
#include <optional>
#include <vector>

#include "generate.hpp"

namespace {

// packaging/man/kubexx-gen.1 and docs/generator.md have the flags in the same words: tools/lint/check_docs.py compares.
constexpr std::string_view kUsage =
    "usage: kubexx-gen --crd FILE... --out FOLDER [--namespace NAME] [--record FILE]\n"
    "       kubexx-gen --crd FILE... --list [--namespace NAME]\n"
    "       kubexx-gen --builtin [--groups GROUP,...] --out FOLDER [--record FILE]\n"
    "  --crd FILE...       Files with CustomResourceDefinitions, as YAML or JSON\n"
    "  --builtin           The built-in types instead; they are among the headers of kubexx already\n"
    "  --groups GROUP,...  With --builtin: of these groups alone, such as core,apps; or none\n"
    "  --out FOLDER        Where the headers go; one whose text is as it was is not touched\n"
    "  --list              Print the names of the files and write none\n"
    "  --namespace NAME    C++ namespace of the custom resources of one group, instead of the group's first label;\n"
    "                      that of acme::demo is the folder acme/demo\n"
    "  --record FILE       Keep the list of the headers there, and remove those that only an earlier run wrote\n"
    "  --help              Print this usage\n";

/// "core,apps"; "none" is no group.
std::vector<std::string> group_names(std::string_view text) {
  std::vector<std::string> out;
  while (text != "none" && !text.empty()) {
    const auto comma = text.find(',');
    out.emplace_back(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return out;
}

struct Arguments {
  kubexx::gen::Job job;
  bool list = false;
  bool help = false;
};

std::optional<std::string> parse(int argc, char** argv, Arguments& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--builtin") {
      out.job.builtin = true;
    } else if (argument == "--list") {
      out.list = true;
    } else if (argument == "--help" || argument == "-h") {
      out.help = true;
    } else if (argument == "--groups" && i + 1 < argc) {
      out.job.groups = group_names(argv[++i]);
    } else if (argument == "--out" && i + 1 < argc) {
      out.job.out = argv[++i];
    } else if (argument == "--namespace" && i + 1 < argc) {
      out.job.space = argv[++i];
    } else if (argument == "--record" && i + 1 < argc) {
      out.job.record = argv[++i];
    } else if (argument == "--crd" && i + 1 < argc) {
      for (++i; i < argc && !std::string_view(argv[i]).starts_with("--"); ++i) out.job.crds.emplace_back(argv[i]);
      --i;
    } else {
      return "unexpected argument " + std::string(argument);
    }
  }
  if (!out.help && out.job.builtin == !out.job.crds.empty()) return "give either --builtin or --crd";
  if (out.job.groups && !out.job.builtin) return "--groups is for --builtin";
  if (out.job.builtin && !out.job.space.empty()) return "--namespace is for custom resources";
  if (!out.help && !out.list && out.job.out.empty()) return "--out is missing";
  return std::nullopt;
}

/// Names of a definition that a stranger wrote must not speak to the terminal.
std::string printable(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // Also the control characters of two bytes: C2 80 to C2 9F.
    const bool second = i > 0 && text[i - 1] == '\xc2' && byte >= 0x80 && byte < 0xa0;
    if (second) text[i - 1] = '?';
    if (byte < 0x20 || byte == 0x7f || second) text[i] = '?';
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (const auto wrong = parse(argc, argv, arguments)) {
    std::cerr << "kubexx-gen: " << printable(*wrong) << '\n' << kUsage;
    return 2;
  }
  if (arguments.help) {
    std::cout << kUsage;
    return 0;
  }
  if (arguments.list) arguments.job.out.clear();
  const auto files = kubexx::gen::generate(arguments.job);
  if (!files) {
    std::cerr << "kubexx-gen: " << printable(files.error().message()) << '\n';
    return 1;
  }
  if (arguments.list) {
    for (const auto& path : *files) std::cout << path << '\n';
  }
  return 0;
}
