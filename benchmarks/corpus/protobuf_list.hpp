#pragma once

#include <string>

#include "codec/protobuf_walker.hpp"
#include "corpus/pod_corpus.hpp"
#include "kubexx/codec/protobuf.hpp"
#include "kubexx/meta/json.hpp"

namespace kubexx::bench {

/// The pods of a corpus, in order, as one list in protobuf.
inline std::string protobuf_list(const PodCorpus& corpus) {
  meta::DecodeOptions options;
  options.default_api_version = "v1";
  options.default_kind = "Pod";
  std::string raw;
  codec::append_bytes(raw, 1, "");
  for (std::size_t i = 0; i < corpus.pods; ++i) {
    const auto body = codec::to_protobuf(meta::parse_json(corpus.pod(i), options).value()).value();
    codec::append_bytes(raw, 2, codec::open_envelope(body).value().raw);
  }
  std::string type;
  codec::append_bytes(type, 1, "v1");
  codec::append_bytes(type, 2, "PodList");
  std::string list(codec::kMagic);
  codec::append_bytes(list, 1, type);
  codec::append_bytes(list, 2, raw);
  return list;
}

}  // namespace kubexx::bench
