#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/http/auth.hpp"
#include "apiserver/http/negotiate.hpp"
#include "apiserver/http/route.hpp"
#include "apiserver/schema/resource.hpp"
#include "kubexx/apiserver/exchange.hpp"
#include "kubexx/apiserver/request_log.hpp"
#include "kubexx/base/clock.hpp"
#include "kubexx/meta/list_options.hpp"
#include "kubexx/meta/object.hpp"

namespace kubexx::apiserver {

/// A request on its way to an answer.
struct Call {
  Request request;
  Route route;
  Identity user;
  std::shared_ptr<const Resource> resource;
  Negotiated form;
  std::shared_ptr<ResponseWriter> out;
  std::size_t ticket = 0;
  meta::Object body;
  bool dry_run = false;
  std::vector<std::string> warnings;
  std::string continue_token;  ///< for a client whose own is too old
};

struct Answer {
  int status = 200;
  HeaderFields headers;
  meta::Object object;                       ///< one object ...
  std::shared_ptr<const Resource> resource;  ///< ... of this resource; null: as it is (a Status)
  bool is_list = false;                      ///< ... or many
  std::vector<meta::Object> items;
  meta::ListMeta list;
  std::string raw;  ///< ... or text
  std::string raw_type;
  bool sent = false;  ///< ... or nothing more: a watch has the writer
};

Answer text_answer(int status, std::string text);
Answer json_answer(std::string text);
/// What a path that nobody serves gets.
Answer page_not_found();

LoggedRequest log_entry(const Call& call, TimePoint now);
/// What can be said of a request when its resource is known: whether it is allowed there, the form of the answer, the
/// body.
Result<void> prepare(Call& call);

}  // namespace kubexx::apiserver
