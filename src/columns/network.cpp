#include "columns/rows.hpp"

#include "base/internal/text.hpp"

namespace kubexx::columns {
namespace {

Row ingress_row(const Object& ingress, WallTime now) {
  const Value spec = ingress["spec"];
  std::vector<std::string> hosts;
  for (Value rule : spec["rules"].items()) {
    if (!rule["host"].string().empty()) hosts.push_back(text(rule["host"].string()));
  }
  std::vector<std::string> addresses;
  for (Value at : ingress["status"]["loadBalancer"]["ingress"].items())
    addresses.push_back(text(at["ip"].string().empty() ? at["hostname"].string() : at["ip"].string()));
  return {name(ingress),     or_none(spec["ingressClassName"].string()), or_none(some(hosts, 3), "*"),
          joined(addresses), spec["tls"].size() > 0 ? "80, 443" : "80",  object_age(ingress, now)};
}

Row ingress_class_row(const Object& object, WallTime now) {
  const Value parameters = object["spec"]["parameters"];
  std::string shown = "<none>";
  if (parameters.exists()) {
    shown = parameters["kind"].string();
    if (!parameters["apiGroup"].string().empty()) shown += '.' + text(parameters["apiGroup"].string());
    shown += '/' + text(parameters["name"].string());
  }
  return {name(object), text(object["spec"]["controller"].string()), shown, object_age(object, now)};
}

Row endpoint_slice_row(const Object& slice, WallTime now) {
  std::vector<std::string> ports;
  for (Value port : slice["ports"].items()) ports.push_back(number_or(port["port"], "*"));
  std::vector<std::string> addresses;
  for (Value endpoint : slice["endpoints"].items())
    for (Value address : endpoint["addresses"].items()) addresses.push_back(text(address.string()));
  return {name(slice), text(slice["addressType"].string()), or_none(some(ports, 3), "<unset>"),
          or_none(some(addresses, 3), "<unset>"), object_age(slice, now)};
}

}  // namespace

void add_network_columns(ColumnTable& out) {
  out[{"networking.k8s.io", "networkpolicies"}] = {
      {named(), plain("Pod-Selector"), plain("Age")}, [](const Object& object, WallTime now) -> Row {
        return {name(object), selector(object["spec"]["podSelector"]), object_age(object, now)};
      }};
  out[{"networking.k8s.io", "ingresses"}] = {
      {named(), plain("Class"), plain("Hosts"), plain("Address"), plain("Ports"), plain("Age")}, ingress_row};
  out[{"networking.k8s.io", "ingressclasses"}] = {{named(), plain("Controller"), plain("Parameters"), plain("Age")},
                                                  ingress_class_row};
  out[{"networking.k8s.io", "servicecidrs"}] = {
      {named(), plain("CIDRs"), plain("Age")}, [](const Object& object, WallTime now) -> Row {
        return {name(object), or_none(joined(texts(object["spec"]["cidrs"]))), object_age(object, now)};
      }};
  out[{"discovery.k8s.io", "endpointslices"}] = {
      {named(), plain("AddressType"), plain("Ports"), plain("Endpoints"), plain("Age")}, endpoint_slice_row};
}

}  // namespace kubexx::columns
