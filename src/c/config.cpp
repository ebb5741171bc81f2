#include "c/config.hpp"

#include "c/boundary.hpp"
#include "c/options.hpp"
#include "kubexx/rest/kubeconfig.hpp"

namespace kubexx::c {
namespace {

Given config_options(const kubexx_options* options) {
  return Given(options, {KUBEXX_OPTION_KUBECONFIG,
                         KUBEXX_OPTION_KUBECONFIG_TEXT,
                         KUBEXX_OPTION_CONTEXT,
                         KUBEXX_OPTION_SERVER,
                         KUBEXX_OPTION_TOKEN,
                         KUBEXX_OPTION_TOKEN_FILE,
                         KUBEXX_OPTION_USERNAME,
                         KUBEXX_OPTION_PASSWORD,
                         KUBEXX_OPTION_CA_FILE,
                         KUBEXX_OPTION_CA_DATA,
                         KUBEXX_OPTION_CERTIFICATE_FILE,
                         KUBEXX_OPTION_CERTIFICATE_DATA,
                         KUBEXX_OPTION_KEY_FILE,
                         KUBEXX_OPTION_KEY_DATA,
                         KUBEXX_OPTION_TLS_SERVER_NAME,
                         KUBEXX_OPTION_INSECURE_SKIP_TLS_VERIFY,
                         KUBEXX_OPTION_PROXY_URL,
                         KUBEXX_OPTION_USER_AGENT,
                         KUBEXX_OPTION_IMPERSONATE_USER,
                         KUBEXX_OPTION_IMPERSONATE_GROUP,
                         KUBEXX_OPTION_NAMESPACE,
                         KUBEXX_OPTION_ALLOW_INSECURE_CREDENTIALS,
                         KUBEXX_OPTION_TIMEOUT_MS});
}

/// What is given replaces what is there.
void apply(const Given& given, rest::Config& config) {
  const auto text = [&](kubexx_option option, std::string& to) {
    if (given.has(option)) to = given.text(option);
  };
  text(KUBEXX_OPTION_SERVER, config.host);
  text(KUBEXX_OPTION_TOKEN, config.bearer_token);
  text(KUBEXX_OPTION_TOKEN_FILE, config.bearer_token_file);
  text(KUBEXX_OPTION_USERNAME, config.username);
  text(KUBEXX_OPTION_PASSWORD, config.password);
  text(KUBEXX_OPTION_CA_FILE, config.tls.ca_file);
  text(KUBEXX_OPTION_CA_DATA, config.tls.ca_data);
  text(KUBEXX_OPTION_CERTIFICATE_FILE, config.tls.certificate_file);
  text(KUBEXX_OPTION_CERTIFICATE_DATA, config.tls.certificate_data);
  text(KUBEXX_OPTION_KEY_FILE, config.tls.key_file);
  text(KUBEXX_OPTION_KEY_DATA, config.tls.key_data);
  text(KUBEXX_OPTION_TLS_SERVER_NAME, config.tls.server_name);
  text(KUBEXX_OPTION_PROXY_URL, config.proxy_url);
  text(KUBEXX_OPTION_USER_AGENT, config.user_agent);
  text(KUBEXX_OPTION_IMPERSONATE_USER, config.impersonate.user);
  text(KUBEXX_OPTION_NAMESPACE, config.default_namespace);
  if (given.has(KUBEXX_OPTION_IMPERSONATE_GROUP)) {
    config.impersonate.groups = given.texts(KUBEXX_OPTION_IMPERSONATE_GROUP);
  }
  if (given.has(KUBEXX_OPTION_INSECURE_SKIP_TLS_VERIFY)) {
    config.tls.insecure_skip_verify = given.flag(KUBEXX_OPTION_INSECURE_SKIP_TLS_VERIFY);
  }
  if (given.has(KUBEXX_OPTION_ALLOW_INSECURE_CREDENTIALS)) {
    config.allow_insecure_credentials = given.flag(KUBEXX_OPTION_ALLOW_INSECURE_CREDENTIALS);
  }
  if (const auto timeout = given.milliseconds(KUBEXX_OPTION_TIMEOUT_MS)) config.timeout = timeout;
}

rest::Config loaded(const Given& given) {
  rest::LoadOptions load;
  load.kubeconfig = given.text(KUBEXX_OPTION_KUBECONFIG);
  load.context = given.text(KUBEXX_OPTION_CONTEXT);
  if (!given.has(KUBEXX_OPTION_KUBECONFIG_TEXT)) return rest::Config::load(load).value();
  if (!load.kubeconfig.empty()) invalid("either KUBECONFIG or KUBECONFIG_TEXT");
  const auto parsed = rest::KubeConfig::parse(given.text(KUBEXX_OPTION_KUBECONFIG_TEXT), "KUBECONFIG_TEXT").value();
  return rest::to_config(parsed, load).value();
}

/// Those that say which file; where none is read they have no meaning.
void refuse_files(const Given& given) {
  for (const auto option : {KUBEXX_OPTION_KUBECONFIG, KUBEXX_OPTION_KUBECONFIG_TEXT, KUBEXX_OPTION_CONTEXT}) {
    if (given.has(option)) invalid("this function takes no " + option_name(option));
  }
}

}  // namespace
}  // namespace kubexx::c

kubexx_status kubexx_config_load(const kubexx_options* options, kubexx_config** config, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    kubexx::c::needed(config, "config");
    const auto given = kubexx::c::config_options(options);
    auto made = std::make_unique<kubexx_config>(kubexx_config{kubexx::c::loaded(given)});
    kubexx::c::apply(given, made->config);
    *config = made.release();
  });
}

kubexx_status kubexx_config_in_cluster(const kubexx_options* options, kubexx_config** config, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    kubexx::c::needed(config, "config");
    const auto given = kubexx::c::config_options(options);
    kubexx::c::refuse_files(given);
    auto made = std::make_unique<kubexx_config>(kubexx_config{kubexx::rest::Config::in_cluster().value()});
    kubexx::c::apply(given, made->config);
    *config = made.release();
  });
}

kubexx_status kubexx_config_explicit(const kubexx_options* options, kubexx_config** config, kubexx_error** error) {
  return kubexx::c::guarded(error, [&] {
    kubexx::c::needed(config, "config");
    const auto given = kubexx::c::config_options(options);
    kubexx::c::refuse_files(given);
    if (given.text(KUBEXX_OPTION_SERVER).empty()) kubexx::c::invalid("SERVER is needed");
    auto made = std::make_unique<kubexx_config>();
    kubexx::c::apply(given, made->config);
    *config = made.release();
  });
}

kubexx_view kubexx_config_server(const kubexx_config* config) {
  return kubexx::c::view(config ? config->config.host : std::string_view());
}

kubexx_view kubexx_config_namespace(const kubexx_config* config) {
  return kubexx::c::view(config ? config->config.default_namespace : std::string_view());
}

void kubexx_config_free(kubexx_config* config) {
  delete config;
}
