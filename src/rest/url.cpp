#include "rest/url.hpp"

#include <cctype>

#include "base/internal/address.hpp"
#include "base/internal/text.hpp"

namespace kubexx::rest {
namespace {

Result<void> check_segment(std::string_view what, std::string_view segment) {
  if (segment == "." || segment == "..")
    return Error::config(std::string(what) + " may not be '" + std::string(segment) + "'");
  const auto bad = segment.find_first_of("/%");
  if (bad != std::string_view::npos) {
    return Error::config(std::string(what) + " may not contain '" + segment[bad] + "'");
  }
  return {};
}

}  // namespace

std::string without_userinfo(std::string_view url) {
  const auto mark = url.find("://");
  const auto begin = mark == std::string_view::npos ? 0 : mark + 3;
  const auto at = url.rfind('@');  // the last one: a password may hold what it should not
  if (at == std::string_view::npos || at < begin) return std::string(url);
  return std::string(url.substr(0, begin)) + "REDACTED" + std::string(url.substr(at));
}

std::string percent_encode(std::string_view text, std::string_view keep) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || keep.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

Result<ServerUrl> parse_server_url(const Config& config) {
  std::string_view text = config.host;
  ServerUrl url;
  const auto mark = text.find("://");
  if (mark != std::string_view::npos) {
    url.scheme = to_lower(text.substr(0, mark));
    text.remove_prefix(mark + 3);
    if (url.scheme != "http" && url.scheme != "https") {
      return Error::config("server URL: scheme " + url.scheme + " is neither http nor https");
    }
  } else {
    const auto& tls = config.tls;
    const bool secure = tls.insecure_skip_verify || !tls.ca_data.empty() || !tls.ca_file.empty() ||
                        !tls.certificate_data.empty() || !tls.certificate_file.empty();
    url.scheme = secure ? "https" : "http";
    if (text.find('/') != std::string_view::npos) {
      return Error::config("host must be a URL or a host:port pair: \"" + without_userinfo(config.host) + "\"");
    }
  }
  if (text.find_first_of("?#@") != std::string_view::npos) {
    return Error::config("server URL may not have a query, a fragment or credentials");
  }
  const auto slash = text.find('/');
  url.authority = std::string(text.substr(0, slash));
  if (slash != std::string_view::npos) url.prefix = std::string(text.substr(slash));
  while (url.prefix.ends_with('/')) url.prefix.pop_back();
  if (url.authority.empty()) {
    if (mark != std::string_view::npos) return Error::config("server URL has no host: \"" + config.host + "\"");
    url.authority = "localhost";
  }
  for (const char c : url.authority) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '\\') return Error::config("server URL has an invalid host");
  }
  url.loopback = is_loopback_host(url.authority);
  return url;
}

Result<std::string> request_target(const Request& request) {
  std::string target;
  if (!request.absolute_path.empty()) {
    target = request.absolute_path.starts_with('/') ? request.absolute_path : "/" + request.absolute_path;
    if (target.find("/../") != std::string::npos || target.ends_with("/.."))
      return Error::config("path may not contain '..'");
    target = percent_encode(target, "-_.~/:!$&'()*+,;=@%?");
  } else {
    const auto& path = request.path;
    if (path.resource.resource.empty()) return Error::config("a resource is needed");
    if (path.resource.version.empty()) return Error::config("a version is needed for " + path.resource.resource);
    const std::pair<std::string_view, const std::string*> segments[] = {{"group", &path.resource.group},
                                                                        {"version", &path.resource.version},
                                                                        {"namespace", &path.namespace_},
                                                                        {"resource", &path.resource.resource},
                                                                        {"name", &path.name}};
    for (const auto& [what, segment] : segments) {
      if (auto good = check_segment(what, *segment); !good) return good.error();
    }
    const auto add = [&target](std::string_view segment) {
      target += '/';
      target += percent_encode(segment, "-_.~:!$&'()*+,;=@");
    };
    target = path.resource.group.empty() ? "/api" : "/apis";
    if (!path.resource.group.empty()) add(path.resource.group);
    add(path.resource.version);
    if (!path.namespace_.empty()) {
      target += "/namespaces";
      add(path.namespace_);
    }
    add(path.resource.resource);
    if (!path.name.empty()) add(path.name);
    if (!path.subresource.empty()) {
      if (path.name.empty()) return Error::config("a name is needed for the subresource " + path.subresource);
      if (path.subresource.find("..") != std::string::npos) return Error::config("subresource may not contain '..'");
      target += '/' + percent_encode(path.subresource, "-_.~:!$&'()*+,;=@/");
    }
  }
  char separator = target.find('?') == std::string::npos ? '?' : '&';
  for (const auto& [key, value] : request.query) {
    target += separator;
    target += percent_encode(key, "-_.~") + '=' + percent_encode(value, "-_.~");
    separator = '&';
  }
  return target;
}

void append_query(Request& request, const meta::ListOptions& options) {
  const auto add = [&request](const char* key, std::string value) {
    request.query.emplace_back(key, std::move(value));
  };
  if (options.watch) add("watch", "true");
  if (!options.label_selector.empty()) add("labelSelector", options.label_selector);
  if (!options.field_selector.empty()) add("fieldSelector", options.field_selector);
  if (!options.resource_version.empty()) add("resourceVersion", options.resource_version);
  if (!options.resource_version_match.empty()) add("resourceVersionMatch", options.resource_version_match);
  if (options.limit > 0) add("limit", std::to_string(options.limit));
  if (!options.continue_token.empty()) add("continue", options.continue_token);
  if (options.timeout_seconds) add("timeoutSeconds", std::to_string(*options.timeout_seconds));
  if (options.allow_watch_bookmarks) add("allowWatchBookmarks", "true");
  if (options.send_initial_events) add("sendInitialEvents", *options.send_initial_events ? "true" : "false");
  if (!options.shard_selector.empty()) add("shardSelector", options.shard_selector);
  request.query.insert(request.query.end(), options.more.begin(), options.more.end());
}

}  // namespace kubexx::rest
