#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

#include "command.hpp"
#include "kubexx/base/version.hpp"

namespace kubexx::app {
namespace {

using Words = std::vector<std::string>;

/// Text that troff takes for nothing but text.
std::string plain(std::string_view text) {
  std::string safe;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) safe += "\\&";
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else if (c == '\'') {
      safe += "\\(aq";
    } else {
      safe += c;
    }
    begins = c == '\n';
  }
  return safe;
}

std::string bold(std::string_view text) {
  return "\\fB" + plain(text) + "\\fR";
}

std::string italic(std::string_view text) {
  return "\\fI" + plain(text) + "\\fR";
}

std::string upper(std::string_view text) {
  std::string all(text);
  std::transform(all.begin(), all.end(), all.begin(), [](unsigned char c) { return std::toupper(c); });
  return all;
}

std::string joined(const Words& words, char between) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? std::string() : std::string(1, between)) + word;
  return all;
}

std::string synopsis(const Words& path, Command command) {
  std::string text = ".SH SYNOPSIS\n.B " + plain(joined(path, ' ')) + "\n" + '[' + italic("OPTIONS") + "]\n";
  for (const auto& option : command.options()) {
    if (!option.by_place) continue;
    const auto word = italic(option.names.front()) + (option.repeated ? "..." : "");
    text += (option.required ? word : '[' + word + ']') + '\n';
  }
  if (!command.subcommands().empty()) text += italic("COMMAND") + "\n";
  return text;
}

/// An item with what is said of it.
std::string item(const std::string& head, std::string_view body) {
  return ".TP\n" + head + '\n' + plain(body) + '\n';
}

std::string option_item(const OptionText& option) {
  std::string head;
  for (const auto& name : option.names) {
    head += (head.empty() ? "" : ", ") + (option.by_place ? italic(name) : bold(name));
  }
  if (!option.by_place && !option.value.empty()) head += ' ' + italic(option.value) + (option.repeated ? "..." : "");
  auto body = option.help;
  if (option.required && !option.by_place) body += " (required)";
  if (!option.default_value.empty()) body += " (default: " + option.default_value + ')';
  return item(head, body);
}

/// A heading for each group, in the order of the help.
std::string options(Command command) {
  const auto all = command.options();
  Words groups;
  for (const auto& option : all) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  }
  std::string text;
  for (const auto& group : groups) {
    if (group.empty()) continue;  // not in the help
    text += ".SH " + upper(plain(group)) + '\n';
    for (const auto& option : all) {
      if (option.group == group) text += option_item(option);
    }
  }
  return text;
}

std::string commands(const Words& path, Command command) {
  std::string text;
  for (const auto& one : command.subcommands()) {
    text += item(bold(joined(path, '-') + '-' + one.name()) + "(1)", one.description());
  }
  return text.empty() ? text : ".SH COMMANDS\n" + text;
}

/// What the help begins with; the program's has its name in front.
std::string summary(Command command) {
  auto text = command.description();
  const auto name = command.name() + ": ";
  return text.starts_with(name) ? text.substr(name.size()) : text;
}

/// The footer of the help: what stands before "Examples:" belongs to the description.
std::string body(const Words& path, Command command) {
  const auto footer = command.footer();
  std::string text = ".SH DESCRIPTION\n" + plain(command.description()) + ".\n";
  constexpr std::string_view kExamples = "Examples:\n";
  const auto at = footer.find(kExamples);
  const auto before = footer.substr(0, at);
  if (const auto end = before.find_last_not_of(" \n"); end != std::string::npos) {
    text += ".PP\n" + plain(before.substr(0, end + 1)) + '\n';
  }
  text += commands(path, command) + options(command);
  if (at != std::string::npos) {
    text += ".SH EXAMPLES\n.nf\n" + plain(footer.substr(at + kExamples.size())) + "\n.fi\n";
  }
  return text;
}

/// `path` has the words from the program to the command.
std::string page(const Words& path, Command command) {
  const auto name = joined(path, '-');
  auto text = ".TH " + upper(plain(name)) + " 1 \"\" \"kubexx " KUBEXX_VERSION "\" \"kubexx\"\n.SH NAME\n" +
              plain(name) + " \\- " + plain(summary(command)) + '\n' + synopsis(path, command);
  text += body(path, command);
  if (path.size() > 1) {
    text += ".SH SEE ALSO\n.BR " + plain(joined({path.begin(), path.end() - 1}, '-')) +
            " (1),\nwhose options may stand here too\n";
  }
  return text;
}

Result<void> write_pages(const Words& path, Command command, const std::filesystem::path& folder) {
  const auto file = folder / (joined(path, '-') + ".1");
  std::ofstream stream(file);
  stream << page(path, command);
  stream.close();
  if (!stream) return Error::config("cannot write " + file.string());
  out().write(file.string() + '\n');
  for (const auto& one : command.subcommands()) {
    auto below = path;
    below.push_back(one.name());
    if (auto written = write_pages(below, one, folder); !written) return written;
  }
  return {};
}

int write_all(Command program, const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return fail(Error::config("cannot make " + folder + ": " + failure.message()));
  const auto written = write_pages({program.name()}, program, folder);
  return written ? 0 : fail(written.error());
}

int print_one(Command command, const Words& words) {
  Words path{command.name()};
  for (const auto& word : words) {
    const auto below = command.subcommands();
    const auto found = std::find_if(below.begin(), below.end(), [&](const Command& one) { return one.name() == word; });
    if (found == below.end())
      return misuse("no command \"" + joined(words, ' ') + "\" (kubexx --help shows the commands)");
    command = *found;
    path.push_back(word);
  }
  out().write(page(path, command));
  return 0;
}

}  // namespace

void add_man(Command program) {
  struct Flags {
    Words words;
    std::string folder;
  };
  auto flags = std::make_shared<Flags>();
  auto command = program.subcommand("man", "Print the manual page of a command, or write all of them");
  command.footer(
      "Examples:\n"
      "  kubexx man get | man -l -\n"
      "  kubexx man --out ~/.local/share/man/man1");
  command.option("COMMAND", &flags->words, "The command; none: the program's own page");
  command.option("--out", &flags->folder, "Folder to write the pages of all commands to").type_name("FOLDER");
  command.on_run([program, flags] {
    if (flags->folder.empty()) return print_one(program, flags->words);
    return flags->words.empty() ? write_all(program, flags->folder)
                                : misuse("all pages or one: --out takes no COMMAND");
  });
}

}  // namespace kubexx::app
