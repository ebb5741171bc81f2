#pragma once

#include <string>
#include <string_view>

#include "kubexx/base/result.hpp"

namespace kubexx::apiserver {

enum class Format { Json, Yaml, Protobuf };
/// What an answer is turned into before it is encoded.
enum class View { Full, Metadata, Table };

struct Negotiated {
  Format format = Format::Json;
  View view = View::Full;
  std::string table_version = "v1";  ///< meta.k8s.io version of the view
  std::string include_object;        ///< for tables: "None", "Metadata", "Object"
};

/// Which answers a resource can give; `list` says what the metadata view is called.
struct Offer {
  bool protobuf = true;
  bool views = true;  ///< Table and metadata
};

/// Picks from an Accept header; empty accepts anything. 406 when nothing fits.
Result<Negotiated> negotiate(std::string_view accept, const Offer& offer);
std::string content_type(Format format, bool watch);
/// The format of a request body; the parameters after ';' do not count. 415 for others.
Result<Format> body_format(std::string_view content_type);

}  // namespace kubexx::apiserver
