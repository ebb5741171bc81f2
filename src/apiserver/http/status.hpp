#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kubexx/base/error.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::apiserver {

// Failures as the API reports them. `resource` is the plural, `kind` the kind; both may be cluster jargon of a CRD.
Error not_found(std::string_view group, std::string_view resource, std::string_view name);
Error already_exists(std::string_view group, std::string_view resource, std::string_view name);
Error conflict(std::string_view group, std::string_view resource, std::string_view name, std::string_view why);
Error modified_conflict(std::string_view group, std::string_view resource, std::string_view name);
Error invalid(std::string_view group, std::string_view kind, std::string_view name, std::vector<ErrorCause> causes);
Error bad_request(std::string message);
Error unauthorized();
Error unknown_resource();
Error method_not_allowed();
Error unsupported_media_type();
Error not_acceptable();
Error rejected_patch();
Error internal_error(std::string message);
Error too_many_requests(int retry_after_seconds);
Error request_too_large();
Error object_too_large();
Error too_old_version(std::uint64_t asked, std::uint64_t oldest);
Error too_old_list();
Error too_large_version(std::uint64_t asked, std::uint64_t current);
/// The message carries what `Error` has no place for: a continue token for the client to go on with.
Error too_old_continue();

/// As much of a value as a message can carry.
std::string shown(std::string value);
ErrorCause invalid_value(std::string field, std::string value, std::string_view why);
ErrorCause required_value(std::string field, std::string_view why = {});
ErrorCause forbidden_value(std::string field, std::string_view why);
/// Go's %q for the simple strings that appear in messages.
std::string in_quotes(std::string_view text);

std::string reason_of_code(int code);

/// The Status object of a failure. `continue_token` goes into its metadata when not empty.
meta::Object status_object(const Error& error, std::string_view continue_token = {});
/// What a server says to a binding or an eviction that it accepted.
meta::Object created_status();
/// The Status of a deletion that is done.
meta::Object deleted_status(std::string_view group, std::string_view resource, std::string_view name,
                            std::string_view uid);

}  // namespace kubexx::apiserver
