#include "columns/rows.hpp"

#include "base/internal/text.hpp"

namespace kubexx::columns {
namespace {

std::string access_modes(Value modes) {
  std::vector<std::string> out;
  for (const auto& [mode, shown] : {std::pair("ReadWriteOnce", "RWO"), std::pair("ReadOnlyMany", "ROX"),
                                    std::pair("ReadWriteMany", "RWX"), std::pair("ReadWriteOncePod", "RWOP")}) {
    for (Value item : modes.items()) {
      if (item.string() != mode) continue;
      out.emplace_back(shown);
      break;
    }
  }
  return joined(out);
}

std::string phase(const Object& object) {
  return object.deletion_timestamp().empty() ? text(object["status"]["phase"].string()) : "Terminating";
}

std::string storage_class(const Object& object) {
  const auto old = object["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"].string();
  return text(old.empty() ? object["spec"]["storageClassName"].string() : old);
}

Row volume_claim_row(const Object& claim, WallTime now) {
  const Value spec = claim["spec"];
  const bool bound = !spec["volumeName"].string().empty();
  return {name(claim),
          phase(claim),
          text(spec["volumeName"].string()),
          bound ? text(claim["status"]["capacity"]["storage"].string()) : "",
          bound ? access_modes(claim["status"]["accessModes"]) : "",
          storage_class(claim),
          or_none(spec["volumeAttributesClassName"].string(), "<unset>"),
          object_age(claim, now),
          or_none(spec["volumeMode"].string(), "<unset>")};
}

Row volume_row(const Object& volume, WallTime now) {
  const Value spec = volume["spec"];
  const Value claim = spec["claimRef"];
  return {name(volume),
          text(spec["capacity"]["storage"].string()),
          access_modes(spec["accessModes"]),
          text(spec["persistentVolumeReclaimPolicy"].string()),
          phase(volume),
          claim.exists() ? text(claim["namespace"].string()) + '/' + text(claim["name"].string()) : "",
          storage_class(volume),
          or_none(spec["volumeAttributesClassName"].string(), "<unset>"),
          text(volume["status"]["reason"].string()),
          object_age(volume, now),
          or_none(spec["volumeMode"].string(), "<unset>")};
}

Row storage_class_row(const Object& object, WallTime now) {
  std::string shown = name(object);
  for (const char* key :
       {"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"}) {
    if (object["metadata"]["annotations"][key].string() != "true") continue;
    shown += " (default)";
    break;
  }
  return {shown,
          text(object["provisioner"].string()),
          or_none(object["reclaimPolicy"].string(), "Delete"),
          or_none(object["volumeBindingMode"].string(), "Immediate"),
          object["allowVolumeExpansion"].bool_or(false),
          object_age(object, now)};
}

Row csi_driver_row(const Object& driver, WallTime now) {
  const Value spec = driver["spec"];
  std::vector<std::string> audiences;
  for (Value request : spec["tokenRequests"].items()) audiences.push_back(text(request["audience"].string()));
  return {name(driver),
          spec["attachRequired"].bool_or(true),
          spec["podInfoOnMount"].bool_or(false),
          spec["storageCapacity"].bool_or(false),
          or_none(joined(audiences), "<unset>"),
          spec["requiresRepublish"].bool_or(false),
          or_none(joined(texts(spec["volumeLifecycleModes"]))),
          object_age(driver, now)};
}

Row attachment_row(const Object& object, WallTime now) {
  const Value spec = object["spec"];
  return {name(object),
          text(spec["attacher"].string()),
          text(spec["source"]["persistentVolumeName"].string()),
          text(spec["nodeName"].string()),
          object["status"]["attached"].bool_or(false),
          object_age(object, now)};
}

}  // namespace

void add_storage_columns(ColumnTable& out) {
  out[{"", "persistentvolumeclaims"}] = {
      {named(), plain("Status"), plain("Volume"), plain("Capacity"), plain("Access Modes"), plain("StorageClass"),
       plain("VolumeAttributesClass"), plain("Age"), wide("VolumeMode")},
      volume_claim_row};
  out[{"", "persistentvolumes"}] = {
      {named(), plain("Capacity"), plain("Access Modes"), plain("Reclaim Policy"), plain("Status"), plain("Claim"),
       plain("StorageClass"), plain("VolumeAttributesClass"), plain("Reason"), plain("Age"), wide("VolumeMode")},
      volume_row};
  out[{"storage.k8s.io", "storageclasses"}] = {
      {named(), plain("Provisioner"), plain("ReclaimPolicy"), plain("VolumeBindingMode"), plain("AllowVolumeExpansion"),
       plain("Age")},
      storage_class_row};
  out[{"storage.k8s.io", "csidrivers"}] = {
      {named(), yes_or_no("AttachRequired"), yes_or_no("PodInfoOnMount"), yes_or_no("StorageCapacity"),
       plain("TokenRequests"), yes_or_no("RequiresRepublish"), plain("Modes"), plain("Age")},
      csi_driver_row};
  out[{"storage.k8s.io", "csinodes"}] = {
      {named(), whole("Drivers"), plain("Age")}, [](const Object& object, WallTime now) -> Row {
        return {name(object), count(object["spec"]["drivers"]), object_age(object, now)};
      }};
  out[{"storage.k8s.io", "csistoragecapacities"}] = {{named(), plain("StorageClassName"), plain("Capacity")},
                                                     [](const Object& object, WallTime) -> Row {
                                                       return {name(object), text(object["storageClassName"].string()),
                                                               or_none(object["capacity"].string(), "<unset>")};
                                                     }};
  out[{"storage.k8s.io", "volumeattachments"}] = {
      {named(), plain("Attacher"), plain("PV"), plain("Node"), yes_or_no("Attached"), plain("Age")}, attachment_row};
  out[{"storage.k8s.io", "volumeattributesclasses"}] = {
      {named(), plain("DriverName"), plain("Age")}, [](const Object& object, WallTime now) -> Row {
        return {name(object), text(object["driverName"].string()), object_age(object, now)};
      }};
}

}  // namespace kubexx::columns
