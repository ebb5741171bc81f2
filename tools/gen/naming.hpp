#pragma once

#include <set>
#include <string>
#include <string_view>

namespace kubexx::gen {

/// "podIPs" -> "pod_ips", "x-kubernetes-int-or-string" -> "x_kubernetes_int_or_string", "$ref" -> "ref".
std::string snake_case(std::string_view name);
/// "pod-group" -> "PodGroup"; what already is a type's name stays.
std::string pascal_case(std::string_view name);
/// A C++ keyword gets a trailing underscore, a leading digit a leading "n".
std::string safe(std::string name);
/// The same, and not one of those taken: each collision appends something. The name is then taken.
std::string unique(std::string name, std::set<std::string>& taken);
/// The accessor of a resource: kind NetworkPolicy, resource networkpolicies -> "network_policies".
std::string plural_accessor(std::string_view kind, std::string_view resource);
/// Names that every view or draft has already.
std::set<std::string> reserved_names();
/// Those, and the names that meta::Object has: of a field at the top of a kind.
std::set<std::string> object_names();
/// A C++ string literal.
std::string string_literal(std::string_view text);
/// A text of somebody else as lines of comment with this indent; empty: none. Long ones are cut. Nothing in the text
/// ends the comment or lets it swallow the next line.
std::string comment(std::string_view text, std::string_view indent);

}  // namespace kubexx::gen
