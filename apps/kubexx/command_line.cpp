#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <type_traits>

namespace kubexx::app {
namespace {

/// CLI11 would take -3 and 99999999999999999999 for very large numbers, and inf and nan for numbers.
template <class Number>
std::string wrong_number(const std::string& text) {
  if (std::is_unsigned_v<Number> && text.starts_with('-')) return "negative: " + text;
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure == std::errc::result_out_of_range) return "too large: " + text;
  if (failure != std::errc() || end != text.data() + text.size()) return "no number: " + text;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(number)) return "no number: " + text;
  }
  return "";
}

/// A flag that nobody knows, among the words that were left over.
std::string unknown_flag(const CLI::App& app) {
  for (const auto& word : app.remaining(true)) {
    if (word.size() > 1 && word.starts_with('-')) return word;
  }
  return "";
}

}  // namespace

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::choices(const std::vector<std::string>& values) {
  option_->check(CLI::IsMember(values));
  return *this;
}

Option Option::range(double least, double most) {
  return check([least, most](const std::string& text) -> std::string {
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    if (number >= least && number <= most) return "";
    return text + " is not between " + CLI::detail::to_string(least) + " and " + CLI::detail::to_string(most);
  });
}

Option Option::check(std::function<std::string(const std::string&)> wrong) {
  option_->check(std::move(wrong));
  return *this;
}

Option Option::delimiter(char separator) {
  option_->delimiter(separator);
  return *this;
}

Option Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option Option::group(const std::string& name) {
  option_->group(name);
  return *this;
}

Option Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Command Command::subcommand(const std::string& name, const std::string& description) {
  return {*app_->add_subcommand(name, description), *chosen_};
}

void Command::wants_subcommand() {
  app_->require_subcommand(1);
}

Option Command::option(const std::string& names, Value value, const std::string& help) {
  return std::visit(
      [&](auto* variable) {
        CLI::Option* option = app_->add_option(names, *variable, help);
        using Variable = std::remove_pointer_t<decltype(variable)>;
        if constexpr (std::is_arithmetic_v<Variable>) option->check(wrong_number<Variable>);
        return Option(*option);
      },
      value);
}

Option Command::flag(const std::string& names, FlagValue value, const std::string& help) {
  return std::visit([&](auto* variable) { return Option(*app_->add_flag(names, *variable, help)); }, value);
}

void Command::footer(const std::string& text) {
  app_->footer(text);
}

void Command::on_run(Run run) {
  app_->callback([run = std::move(run), chosen = chosen_] { *chosen = run; });
}

std::string Command::name() const {
  return app_->get_name();
}

std::string Command::description() const {
  return app_->get_description();
}

std::string Command::footer() const {
  return app_->get_footer();
}

std::vector<Command> Command::subcommands() const {
  std::vector<Command> all;
  for (auto* app : app_->get_subcommands({})) all.emplace_back(*app, *chosen_);
  return all;
}

std::vector<OptionText> Command::options() const {
  std::vector<OptionText> all;
  for (const auto* option : app_->get_options()) {
    OptionText text;
    text.by_place = option->get_positional();
    if (text.by_place) text.names.push_back(option->get_name(true));
    for (const auto& name : option->get_snames()) text.names.push_back("-" + name);
    for (const auto& name : option->get_lnames()) text.names.push_back("--" + name);
    text.required = option->get_required();
    text.repeated = option->get_expected_max() > 1;
    if (option->get_items_expected_max() > 0) text.value = option->get_type_name();
    text.default_value = option->get_default_str();
    text.group = option->get_group();
    text.help = option->get_description();
    all.push_back(std::move(text));
  }
  return all;
}

std::vector<std::string> Command::long_flags() const {
  std::vector<std::string> flags;
  for (const auto* option : app_->get_options()) {
    for (const auto& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

std::optional<std::string> Command::awaits_value(const std::string& flag) const {
  for (const auto* option : app_->get_options()) {
    if (option->check_name(flag) && option->get_items_expected_max() > 0) return option->get_single_name();
  }
  return std::nullopt;
}

CommandLine::CommandLine(const std::string& name, const std::string& description)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->require_subcommand(1);
  app_->fallthrough();
}

CommandLine::~CommandLine() = default;

Command CommandLine::program() {
  return {*app_, chosen_};
}

Result<Run> CommandLine::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      // CLI11 misses what is required before it tells of what it does not know.
      const auto flag = unknown_flag(*app_);
      return Error::config(flag.empty() ? error.what() : "unknown flag " + flag);
    }
    return Run([this, error] { return app_->exit(error); });  // the help
  }
  return chosen_;
}

std::string CommandLine::parsed_command() const {
  std::string path;
  for (auto parsed = app_->get_subcommands(); !parsed.empty(); parsed = parsed.front()->get_subcommands()) {
    path += (path.empty() ? "" : " ") + parsed.front()->get_name();
  }
  return path;
}

}  // namespace kubexx::app
