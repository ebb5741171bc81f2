#pragma once

#include <string>
#include <vector>

#include "apiserver/http/negotiate.hpp"
#include "apiserver/schema/resource.hpp"
#include "kubexx/base/clock.hpp"
#include "kubexx/base/result.hpp"
#include "kubexx/meta/list_options.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::apiserver {

/// The object as this version of its resource shows it.
meta::Object as_version(const meta::Object& object, const Resource& resource);

/// The list metadata of a table that shows one object.
meta::ListMeta version_only(const meta::Object& object);

/// meta.k8s.io PartialObjectMetadata of an object.
meta::Object metadata_view(const meta::Object& object, std::string_view version);

/// One answer in the form that was asked for.
Result<std::string> render_object(const meta::Object& object, const Resource* resource, const Negotiated& form,
                                  WallTime now);
Result<std::string> render_list(const std::vector<meta::Object>& objects, const meta::ListMeta& list,
                                const Resource& resource, const Negotiated& form, WallTime now);

/// What a bookmark carries: an empty object of the kind with a version.
meta::Object bookmark_object(const Resource& resource, std::uint64_t version, bool initial_events_end);

}  // namespace kubexx::apiserver
