#include "apiserver/http/negotiate.hpp"

#include <algorithm>
#include <vector>

#include "apiserver/http/status.hpp"

namespace kubexx::apiserver {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    const std::string_view part = trim(text.substr(at, end - at));
    if (!part.empty()) out.push_back(part);
    at = end + 1;
  }
  return out;
}

struct Clause {
  std::string_view type;
  std::string_view as;
  std::string_view group;
  std::string_view version;
  int quality = 1000;
};

Clause parse_clause(std::string_view text) {
  Clause clause;
  bool first = true;
  for (std::string_view part : split(text, ';')) {
    if (first) {
      clause.type = part;
      first = false;
      continue;
    }
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = trim(part.substr(0, equals));
    const std::string_view value = trim(part.substr(equals + 1));
    if (key == "as") clause.as = value;
    if (key == "g") clause.group = value;
    if (key == "v") clause.version = value;
    if (key == "q") {
      // 0, 0.x or 1; three digits are all that a quality has.
      int quality = value.starts_with('1') ? 1000 : 0;
      for (std::size_t i = 2, weight = 100; value.starts_with('0') && i < value.size() && weight; ++i, weight /= 10) {
        if (value[i] >= '0' && value[i] <= '9') quality += (value[i] - '0') * static_cast<int>(weight);
      }
      clause.quality = quality;
    }
  }
  return clause;
}

}  // namespace

Result<Negotiated> negotiate(std::string_view accept, const Offer& offer) {
  if (trim(accept).empty()) return Negotiated{};
  std::vector<Clause> clauses;
  for (std::string_view part : split(accept, ',')) clauses.push_back(parse_clause(part));
  std::stable_sort(clauses.begin(), clauses.end(),
                   [](const Clause& a, const Clause& b) { return a.quality > b.quality; });
  for (const Clause& clause : clauses) {
    Negotiated out;
    if (clause.quality == 0) continue;
    if (clause.type == "application/json" || clause.type == "*/*" || clause.type == "application/*") {
      out.format = Format::Json;
    } else if (clause.type == "application/yaml") {
      out.format = Format::Yaml;
    } else if (clause.type == "application/vnd.kubernetes.protobuf" && offer.protobuf) {
      out.format = Format::Protobuf;
    } else {
      continue;
    }
    if (!clause.as.empty()) {
      const bool known_version =
          clause.group == "meta.k8s.io" && (clause.version == "v1" || clause.version == "v1beta1");
      if (!offer.views || !known_version) continue;
      if (clause.as == "Table" && out.format != Format::Protobuf) {
        out.view = View::Table;
      } else if (clause.as == "PartialObjectMetadata" || clause.as == "PartialObjectMetadataList") {
        out.view = View::Metadata;
      } else {
        continue;
      }
      out.table_version = clause.version;
    }
    return out;
  }
  return not_acceptable();
}

std::string content_type(Format format, bool watch) {
  switch (format) {
    case Format::Json:
      break;
    case Format::Yaml:
      return "application/yaml";
    case Format::Protobuf:
      return watch ? "application/vnd.kubernetes.protobuf;stream=watch" : "application/vnd.kubernetes.protobuf";
  }
  return "application/json";
}

Result<Format> body_format(std::string_view content_type) {
  const std::string_view type = trim(content_type.substr(0, content_type.find(';')));
  if (type.empty() || type == "application/json" || type == "*/*") return Format::Json;
  if (type == "application/yaml" || type == "application/x-yaml") return Format::Yaml;
  if (type == "application/vnd.kubernetes.protobuf") return Format::Protobuf;
  return unsupported_media_type();
}

}  // namespace kubexx::apiserver
