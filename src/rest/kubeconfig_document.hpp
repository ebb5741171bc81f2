#pragma once

#include <string>

#include "kubexx/meta/draft.hpp"
#include "kubexx/rest/kubeconfig.hpp"

namespace kubexx::rest {

/// The document of a kubeconfig without any stanza.
meta::Draft empty_kubeconfig();

/// Sets the fields of a stanza that this library knows, and leaves others. Paths below `folder` become relative to it.
void write_stanza(meta::DraftRef to, const KubeCluster& cluster, const std::string& folder);
void write_stanza(meta::DraftRef to, const KubeUser& user, const std::string& folder);
void write_stanza(meta::DraftRef to, const KubeContext& context, const std::string& folder);

/// The stanza of that name in a list of them ("clusters" of {name, cluster}); nowhere when there is none.
meta::DraftRef find_entry(meta::DraftRef list, std::string_view name);

}  // namespace kubexx::rest
