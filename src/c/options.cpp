#include "c/options.hpp"

#include <algorithm>
#include <chrono>

#include "base/internal/wipe.hpp"
#include "c/boundary.hpp"
#include "c/stopper.hpp"
#include "kubexx/base/version.hpp"

namespace kubexx::c {
namespace {

enum class Takes : unsigned char { Text, Texts, Number };

struct Known {
  kubexx_option option;
  const char* name;
  Takes takes;
};

#define KUBEXX_C_KNOWN(name, takes) {KUBEXX_OPTION_##name, #name, Takes::takes}
constexpr Known kKnown[] = {
    KUBEXX_C_KNOWN(KUBECONFIG, Text),
    KUBEXX_C_KNOWN(KUBECONFIG_TEXT, Text),
    KUBEXX_C_KNOWN(CONTEXT, Text),
    KUBEXX_C_KNOWN(SERVER, Text),
    KUBEXX_C_KNOWN(TOKEN, Text),
    KUBEXX_C_KNOWN(TOKEN_FILE, Text),
    KUBEXX_C_KNOWN(USERNAME, Text),
    KUBEXX_C_KNOWN(PASSWORD, Text),
    KUBEXX_C_KNOWN(CA_FILE, Text),
    KUBEXX_C_KNOWN(CA_DATA, Text),
    KUBEXX_C_KNOWN(CERTIFICATE_FILE, Text),
    KUBEXX_C_KNOWN(CERTIFICATE_DATA, Text),
    KUBEXX_C_KNOWN(KEY_FILE, Text),
    KUBEXX_C_KNOWN(KEY_DATA, Text),
    KUBEXX_C_KNOWN(TLS_SERVER_NAME, Text),
    KUBEXX_C_KNOWN(INSECURE_SKIP_TLS_VERIFY, Number),
    KUBEXX_C_KNOWN(PROXY_URL, Text),
    KUBEXX_C_KNOWN(USER_AGENT, Text),
    KUBEXX_C_KNOWN(IMPERSONATE_USER, Text),
    KUBEXX_C_KNOWN(IMPERSONATE_GROUP, Texts),
    KUBEXX_C_KNOWN(ALLOW_INSECURE_CREDENTIALS, Number),
    KUBEXX_C_KNOWN(NAMESPACE, Texts),
    KUBEXX_C_KNOWN(TIMEOUT_MS, Number),
    KUBEXX_C_KNOWN(LABEL_SELECTOR, Text),
    KUBEXX_C_KNOWN(FIELD_SELECTOR, Text),
    KUBEXX_C_KNOWN(LIMIT, Number),
    KUBEXX_C_KNOWN(CONTINUE, Text),
    KUBEXX_C_KNOWN(RESOURCE_VERSION, Text),
    KUBEXX_C_KNOWN(FIELD_MANAGER, Text),
    KUBEXX_C_KNOWN(FORCE, Number),
    KUBEXX_C_KNOWN(DRY_RUN, Number),
    KUBEXX_C_KNOWN(FIELD_VALIDATION, Text),
    KUBEXX_C_KNOWN(SUBRESOURCE, Text),
    KUBEXX_C_KNOWN(GRACE_PERIOD_SECONDS, Number),
    KUBEXX_C_KNOWN(PROPAGATION_POLICY, Text),
    KUBEXX_C_KNOWN(UID, Text),
    KUBEXX_C_KNOWN(NAME, Text),
    KUBEXX_C_KNOWN(PROJECTION, Texts),
    KUBEXX_C_KNOWN(METADATA_ONLY, Number),
    KUBEXX_C_KNOWN(FILTER_LABELS, Text),
    KUBEXX_C_KNOWN(FILTER_FIELDS, Text),
    KUBEXX_C_KNOWN(LABEL_INDEX, Texts),
    KUBEXX_C_KNOWN(FIELD_INDEX, Texts),
    KUBEXX_C_KNOWN(RESYNC_MS, Number),
    KUBEXX_C_KNOWN(PAGE_SIZE, Number),
    KUBEXX_C_KNOWN(STALE_AFTER_MS, Number),
    KUBEXX_C_KNOWN(VERIFY_EVERY_MS, Number),
    KUBEXX_C_KNOWN(COALESCE, Number),
    KUBEXX_C_KNOWN(SPLIT_REPLACED, Number),
    KUBEXX_C_KNOWN(FAIL_FAST, Number),
    KUBEXX_C_KNOWN(IDENTITY, Text),
    KUBEXX_C_KNOWN(LEASE_DURATION_MS, Number),
    KUBEXX_C_KNOWN(RENEW_DEADLINE_MS, Number),
    KUBEXX_C_KNOWN(RETRY_PERIOD_MS, Number),
    KUBEXX_C_KNOWN(RELEASE_ON_STOP, Number),
    KUBEXX_C_KNOWN(STOP_TIMEOUT_MS, Number),
    KUBEXX_C_KNOWN(LABEL, Texts),
    KUBEXX_C_KNOWN(ANNOTATION, Texts),
    KUBEXX_C_KNOWN(CONTAINER, Texts),
    KUBEXX_C_KNOWN(SINCE_MS, Number),
    KUBEXX_C_KNOWN(TAIL_LINES, Number),
    KUBEXX_C_KNOWN(MAX_STREAMS, Number),
    KUBEXX_C_KNOWN(MAX_LINE_BYTES, Number),
};
#undef KUBEXX_C_KNOWN

const Known* find_known(kubexx_option option) noexcept {
  const auto* const found = std::ranges::find(kKnown, option, &Known::option);
  return found == std::end(kKnown) ? nullptr : found;
}

const Known& needed_known(kubexx_option option) {
  const Known* const known = find_known(option);
  if (!known) invalid("kubexx " KUBEXX_VERSION " knows no option " + std::to_string(option));
  return *known;
}

/// The entry to write to: a new one, or the one there is where there is one at most.
kubexx_options::Entry& entry(kubexx_options& options, const Known& known) {
  if (known.takes != Takes::Texts) {
    const auto found = std::ranges::find(options.entries, known.option, &kubexx_options::Entry::option);
    if (found != options.entries.end()) return *found;
  }
  return options.entries.emplace_back(kubexx_options::Entry{known.option, {}, 0});
}

}  // namespace

std::string option_name(kubexx_option option) {
  const Known* const known = find_known(option);
  return known ? known->name : "option " + std::to_string(option);
}

Given::Given(const kubexx_options* options, std::initializer_list<kubexx_option> taken, Stopper stopper)
    : options_(options) {
  if (!options) return;
  for (const auto& each : options->entries) {
    if (std::ranges::find(taken, each.option) == taken.end()) {
      invalid("this function takes no " + option_name(each.option));
    }
  }
  if (options->stop && stopper == Stopper::Refused) invalid("this function takes no stopper");
}

const kubexx_options::Entry* Given::find(kubexx_option option) const noexcept {
  if (!options_) return nullptr;
  const auto found = std::ranges::find(options_->entries, option, &kubexx_options::Entry::option);
  return found == options_->entries.end() ? nullptr : &*found;
}

std::string Given::text(kubexx_option option) const {
  auto all = texts(option);
  if (all.size() > 1) invalid("this function takes one " + option_name(option));
  return all.empty() ? std::string() : std::move(all.front());
}

std::vector<std::string> Given::texts(kubexx_option option) const {
  std::vector<std::string> all;
  if (!options_) return all;
  for (const auto& each : options_->entries) {
    if (each.option == option) all.push_back(each.text);
  }
  return all;
}

std::vector<std::pair<std::string, std::string>> Given::pairs(kubexx_option option) const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& each : texts(option)) {
    const auto at = each.find('=');
    if (at == 0 || at == std::string::npos) {
      invalid(option_name(option) + " is of the form key=value, not \"" + each + "\"");
    }
    all.emplace_back(each.substr(0, at), each.substr(at + 1));
  }
  return all;
}

std::optional<std::int64_t> Given::number(kubexx_option option) const noexcept {
  const auto* const found = find(option);
  return found ? std::optional(found->number) : std::nullopt;
}

std::optional<Duration> Given::milliseconds(kubexx_option option) const noexcept {
  const auto found = number(option);
  if (!found) return {};
  constexpr auto kLongest = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::hours(24 * 365 * 100));
  return std::min(std::chrono::milliseconds(*found), kLongest);
}

}  // namespace kubexx::c

using kubexx::c::Takes;

kubexx_options::~kubexx_options() {
  for (auto& each : entries) kubexx::wipe(each.text);
}

kubexx_status kubexx_options_new(kubexx_options** options, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    kubexx::c::needed(options, "options");
    *options = new kubexx_options;
  });
}

kubexx_status kubexx_options_set(kubexx_options* options, kubexx_option option, const char* value,
                                 kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    auto& to = kubexx::c::needed(options, "options");
    kubexx::c::needed(value, "value");
    const auto& known = kubexx::c::needed_known(option);
    if (known.takes == Takes::Number) kubexx::c::invalid(std::string(known.name) + " takes a number");
    auto& text = kubexx::c::entry(to, known).text;
    kubexx::wipe(text);
    text = value;
  });
}

kubexx_status kubexx_options_set_number(kubexx_options* options, kubexx_option option, int64_t value,
                                        kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    auto& to = kubexx::c::needed(options, "options");
    const auto& known = kubexx::c::needed_known(option);
    if (known.takes != Takes::Number) kubexx::c::invalid(std::string(known.name) + " takes a text");
    if (value < 0) kubexx::c::invalid(std::string(known.name) + " must not be negative");
    kubexx::c::entry(to, known).number = value;
  });
}

kubexx_status kubexx_options_set_stopper(kubexx_options* options, const kubexx_stopper* stopper, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    auto& to = kubexx::c::needed(options, "options");
    to.stop.reset();
    if (stopper) to.stop = stopper->source.get_token();
  });
}

void kubexx_options_free(kubexx_options* options) {
  delete options;
}
