#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kubexx/base/result.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kubexx::app {

/// What a command does; the result is the exit code.
using Run = std::function<int()>;

/// Handle of one option or flag; every call says something more about it.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}
  Option required();
  Option choices(const std::vector<std::string>& values);
  /// Of a number.
  Option range(double least, double most);
  /// `wrong` says what is wrong with a value; empty: nothing.
  Option check(std::function<std::string(const std::string&)> wrong);
  /// Splits a value into several.
  Option delimiter(char separator);
  /// How the help calls its value.
  Option type_name(const std::string& name);
  /// Under which heading the help has it.
  Option group(const std::string& name);
  /// The help shows the value that the variable has now.
  Option show_default();

 private:
  CLI::Option* option_;
};

/// What the help says of one option or flag.
struct OptionText {
  std::vector<std::string> names;  ///< "-n", "--namespace"; of a word by its place: as the help calls it, "RESOURCE"
  bool by_place = false;
  bool required = false;
  bool repeated = false;
  std::string value;  ///< how the help calls its value, "WHEN:{auto,always,never}"; empty: it takes none
  std::string default_value;
  std::string group;  ///< the heading it stands under
  std::string help;
};

/// Handle of one command, or of the program with its commands below it.
class Command {
 public:
  /// Where a value goes; it outlives the parsing.
  using Value = std::variant<std::string*, std::vector<std::string>*, int*, std::uint16_t*, std::size_t*, double*>;
  /// An int counts how often the flag is there.
  using FlagValue = std::variant<bool*, int*>;

  Command(CLI::App& app, Run& chosen) : app_(&app), chosen_(&chosen) {}
  Command subcommand(const std::string& name, const std::string& description);
  /// It does nothing by itself: one of its own commands is to be named.
  void wants_subcommand();
  /// Names like "-n,--namespace"; one without dashes is a word by its place. A number that does not fit its variable,
  /// or is none (inf, nan), is refused.
  Option option(const std::string& names, Value value, const std::string& help);
  Option flag(const std::string& names, FlagValue value, const std::string& help);
  /// The end of its help.
  void footer(const std::string& text);
  void on_run(Run run);

  std::string name() const;
  std::string description() const;
  /// The end of its help.
  std::string footer() const;
  std::vector<Command> subcommands() const;
  /// In the order of the help.
  std::vector<OptionText> options() const;
  /// "--namespace", in the order of the help.
  std::vector<std::string> long_flags() const;
  /// The name ("namespace") of the option that takes the word after `flag` ("-n") as its value.
  std::optional<std::string> awaits_value(const std::string& flag) const;

 private:
  CLI::App* app_;
  Run* chosen_;
};

/// The command line of a program that always wants one command; its own flags may stand on either side of it. This is
/// the one place that knows CLI11, which is slow to compile.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& description);
  ~CommandLine();
  Command program();
  /// Fills the values and returns what the words ask for, which may be to print the help. An error says what is wrong
  /// with them.
  Result<Run> parse(int argc, char** argv);
  /// The command that was parsed last, "bench sync" if it is one of another's; empty: the words name none.
  std::string parsed_command() const;

 private:
  std::unique_ptr<CLI::App> app_;
  Run chosen_;
};

}  // namespace kubexx::app
