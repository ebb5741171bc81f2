#include "apiserver/table.hpp"

#include "apiserver/typed.hpp"
#include "apiserver/view.hpp"
#include "kubexx/meta/object_builder.hpp"
#include "kubexx/meta/time.hpp"

namespace kubexx::apiserver {

meta::Object table(const std::vector<meta::Object>& objects, const meta::ListMeta& list, const Resource&,
                   const Negotiated& form, bool header, WallTime) {
  meta::ObjectBuilder out;
  out.begin_map();
  out.key("kind");
  out.string("Table");
  out.key("apiVersion");
  out.string("meta.k8s.io/" + form.table_version);
  out.key("metadata");
  out.begin_map();
  out.key("resourceVersion");
  out.string(list.resource_version);
  out.end_map();
  out.key("columnDefinitions");
  out.begin_list();
  (void)header;
  out.end_list();
  out.key("rows");
  out.begin_list();
  for (const meta::Object& object : objects) {
    out.begin_map();
    out.key("cells");
    out.begin_list();
    out.string(object.name());
    out.end_list();
    out.end_map();
  }
  out.end_list();
  out.end_map();
  return out.finish().value_or(meta::Object());
}

}  // namespace kubexx::apiserver
