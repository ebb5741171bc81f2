#include <charconv>

#include "base/internal/text.hpp"
#include "columns/rows.hpp"
#include "kubexx/meta/time.hpp"

namespace kubexx::columns {
namespace {

Row binding_row(const Object& binding, WallTime now) {
  std::vector<std::string> users;
  std::vector<std::string> groups;
  std::vector<std::string> accounts;
  for (Value subject : binding["subjects"].items()) {
    const std::string_view kind = subject["kind"].string();
    if (kind == "User") users.push_back(text(subject["name"].string()));
    if (kind == "Group") groups.push_back(text(subject["name"].string()));
    if (kind == "ServiceAccount")
      accounts.push_back(text(subject["namespace"].string()) + '/' + text(subject["name"].string()));
  }
  const Value role = binding["roleRef"];
  return {name(binding),
          text(role["kind"].string()) + '/' + text(role["name"].string()),
          object_age(binding, now),
          joined(users, ", "),
          joined(groups, ", "),
          joined(accounts, ", ")};
}

Row signing_request_row(const Object& request, WallTime now) {
  std::string condition = "Pending";
  bool failed = false;
  for (Value item : request["status"]["conditions"].items()) {
    const std::string_view type = item["type"].string();
    if (type == "Denied" || (type == "Approved" && condition != "Denied")) condition = type;
    failed = failed || type == "Failed";
  }
  if (failed) condition += ",Failed";
  if (!request["status"]["certificate"].string().empty()) condition += ",Issued";
  std::string duration = "<none>";
  if (const auto seconds = request["spec"]["expirationSeconds"].get_int()) {
    duration = age(meta::Time::from_wall(now - std::chrono::seconds(*seconds)).to_string(), now);
  }
  return {name(request),
          object_age(request, now),
          text(request["spec"]["signerName"].string()),
          text(request["spec"]["username"].string()),
          duration,
          condition};
}

Row flow_schema_row(const Object& schema, WallTime now) {
  const Value spec = schema["spec"];
  std::string missing = "?";
  for (Value condition : schema["status"]["conditions"].items()) {
    if (condition["type"].string() == "Dangling") missing = condition["status"].string();
  }
  return {name(schema),
          or_none(spec["priorityLevelConfiguration"]["name"].string()),
          spec["matchingPrecedence"].int_or(0),
          or_none(spec["distinguisherMethod"]["type"].string()),
          object_age(schema, now),
          missing};
}

Row priority_level_row(const Object& level, WallTime now) {
  const Value limited = level["spec"]["limited"];
  const Value queuing = limited["limitResponse"]["queuing"];
  return {name(level),
          text(level["spec"]["type"].string()),
          number_or(limited["nominalConcurrencyShares"], "<none>"),
          number_or(queuing["queues"], "<none>"),
          number_or(queuing["handSize"], "<none>"),
          number_or(queuing["queueLengthLimit"], "<none>"),
          object_age(level, now)};
}

Row webhooks_row(const Object& object, WallTime now) {
  return {name(object), count(object["webhooks"]), object_age(object, now)};
}

std::string parameter_kind(const Object& policy) {
  const Value kind = policy["spec"]["paramKind"];
  return kind.exists() ? text(kind["apiVersion"].string()) + '/' + text(kind["kind"].string()) : "<unset>";
}

Row policy_binding_row(const Object& object, WallTime now) {
  const Value parameters = object["spec"]["paramRef"];
  std::string shown = "<unset>";
  if (parameters.exists()) {
    const auto space = parameters["namespace"].string();
    shown = (space.empty() ? "" : text(space) + '/') + or_none(parameters["name"].string(), "*");
  }
  return {name(object), text(object["spec"]["policyName"].string()), shown, object_age(object, now)};
}

Row resource_claim_row(const Object& claim, WallTime now) {
  std::vector<std::string> state;
  if (!claim.deletion_timestamp().empty()) state.emplace_back("deleted");
  if (claim["status"]["allocation"].exists()) {
    state.emplace_back("allocated");
    if (claim["status"]["reservedFor"].size() > 0) state.emplace_back("reserved");
  } else if (state.empty()) {
    state.emplace_back("pending");
  }
  return {name(claim), joined(state), object_age(claim, now)};
}

Row api_service_row(const Object& object, WallTime now) {
  const Value service = object["spec"]["service"];
  std::string available = "Unknown";
  for (Value condition : object["status"]["conditions"].items()) {
    if (condition["type"].string() != "Available") continue;
    available = condition["status"].string();
    if (available != "True" && !condition["reason"].string().empty())
      available += " (" + text(condition["reason"].string()) + ')';
  }
  const std::string where = text(service["namespace"].string()) + '/' + text(service["name"].string());
  return {name(object), service.exists() ? where : "Local", available, object_age(object, now)};
}

}  // namespace

void add_policy_columns(ColumnTable& out) {
  out[{"coordination.k8s.io", "leases"}] = {
      {named(), plain("Holder"), plain("Age")}, [](const Object& object, WallTime now) -> Row {
        return {name(object), text(object["spec"]["holderIdentity"].string()), object_age(object, now)};
      }};
  out[{"policy", "poddisruptionbudgets"}] = {
      {named(), plain("Min Available"), plain("Max Unavailable"), whole("Allowed Disruptions"), plain("Age")},
      [](const Object& object, WallTime now) -> Row {
        return {name(object), number_or(object["spec"]["minAvailable"], "N/A"),
                number_or(object["spec"]["maxUnavailable"], "N/A"), object["status"]["disruptionsAllowed"].int_or(0),
                object_age(object, now)};
      }};
  for (const char* resource : {"rolebindings", "clusterrolebindings"}) {
    out[{"rbac.authorization.k8s.io", resource}] = {
        {named(), plain("Role"), plain("Age"), wide("Users"), wide("Groups"), wide("ServiceAccounts")}, binding_row};
  }
  for (const char* resource : {"validatingwebhookconfigurations", "mutatingwebhookconfigurations"}) {
    out[{"admissionregistration.k8s.io", resource}] = {{named(), whole("Webhooks"), plain("Age")}, webhooks_row};
  }
  out[{"admissionregistration.k8s.io", "validatingadmissionpolicies"}] = {
      {named(), whole("Validations"), plain("ParamKind"), plain("Age")}, [](const Object& object, WallTime now) -> Row {
        return {name(object), count(object["spec"]["validations"]), parameter_kind(object), object_age(object, now)};
      }};
  out[{"admissionregistration.k8s.io", "mutatingadmissionpolicies"}] = {
      {named(), whole("Mutations"), plain("ParamKind"), plain("Age")}, [](const Object& object, WallTime now) -> Row {
        return {name(object), count(object["spec"]["mutations"]), parameter_kind(object), object_age(object, now)};
      }};
  for (const char* resource : {"validatingadmissionpolicybindings", "mutatingadmissionpolicybindings"}) {
    out[{"admissionregistration.k8s.io", resource}] = {{named(), plain("PolicyName"), plain("ParamRef"), plain("Age")},
                                                       policy_binding_row};
  }
  out[{"certificates.k8s.io", "certificatesigningrequests"}] = {
      {named(), plain("Age"), plain("SignerName"), plain("Requestor"), plain("RequestedDuration"), plain("Condition")},
      signing_request_row};
  out[{"certificates.k8s.io", "clustertrustbundles"}] = {
      {named(), plain("SignerName")}, [](const Object& object, WallTime) -> Row {
        return {name(object), or_none(object["spec"]["signerName"].string())};
      }};
  out[{"flowcontrol.apiserver.k8s.io", "flowschemas"}] = {
      {named(), plain("PriorityLevel"), plain("MatchingPrecedence"), plain("DistinguisherMethod"), plain("Age"),
       plain("MissingPL")},
      flow_schema_row};
  out[{"flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations"}] = {
      {named(), plain("Type"), plain("NominalConcurrencyShares"), plain("Queues"), plain("HandSize"),
       plain("QueueLengthLimit"), plain("Age")},
      priority_level_row};
  out[{"scheduling.k8s.io", "priorityclasses"}] = {
      {named(), whole("Value"), yes_or_no("Global-Default"), plain("Age"), plain("PreemptionPolicy")},
      [](const Object& object, WallTime now) -> Row {
        return {name(object), object["value"].int_or(0), object["globalDefault"].bool_or(false),
                object_age(object, now), or_none(object["preemptionPolicy"].string(), "PreemptLowerPriority")};
      }};
  out[{"node.k8s.io", "runtimeclasses"}] = {
      {named(), plain("Handler"), plain("Age")}, [](const Object& object, WallTime now) -> Row {
        return {name(object), text(object["handler"].string()), object_age(object, now)};
      }};
  for (const char* resource : {"deviceclasses", "resourceclaimtemplates"}) {
    out[{"resource.k8s.io", resource}] = {{named(), plain("Age")}, [](const Object& object, WallTime now) -> Row {
                                            return {name(object), object_age(object, now)};
                                          }};
  }
  out[{"resource.k8s.io", "resourceclaims"}] = {{named(), plain("State"), plain("Age")}, resource_claim_row};
  out[{"resource.k8s.io", "resourceslices"}] = {
      {named(), plain("Node"), plain("Driver"), plain("Pool"), plain("Age")},
      [](const Object& object, WallTime now) -> Row {
        return {name(object), or_none(object["spec"]["nodeName"].string(), "<unset>"),
                text(object["spec"]["driver"].string()), text(object["spec"]["pool"]["name"].string()),
                object_age(object, now)};
      }};
  out[{"apiregistration.k8s.io", "apiservices"}] = {{named(), plain("Service"), plain("Available"), plain("Age")},
                                                    api_service_row};
}

}  // namespace kubexx::columns
