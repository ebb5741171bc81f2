// Statuses, with and without a body that explains them, and what they say about trying again.
#include "hostile/shape.hpp"

namespace kubexx::hostile {
namespace {

std::string status_line(int code) {
  return std::to_string(code) + " So";
}

}  // namespace

std::vector<Shape> status_shapes() {
  std::vector<Shape> all;
  const auto add = [&](const std::string& name, Answer list, Expected get) {
    all.push_back({"status: " + name, std::move(list), {}, std::move(get)});
  };
  const std::pair<int, const char*> known[] = {{400, "BadRequest"},
                                               {401, "Unauthorized"},
                                               {403, "Forbidden"},
                                               {404, "NotFound"},
                                               {405, "MethodNotAllowed"},
                                               {406, "NotAcceptable"},
                                               {409, "Conflict"},
                                               {410, "Expired"},
                                               {413, "RequestEntityTooLarge"},
                                               {415, "UnsupportedMediaType"},
                                               {422, "Invalid"},
                                               {429, "TooManyRequests"},
                                               {500, "InternalError"},
                                               {503, "ServiceUnavailable"},
                                               {504, "Timeout"}};
  for (const auto& [code, reason] : known) {
    const auto number = std::to_string(code);
    add(number + " with a Status", sends(http(status_object(code, reason), kJson, status_line(code))),
        fails("so be it"));
    add(number + " without a body", sends(http("", "", status_line(code))),
        fails("the server|the requested version|an error on the server"));
    const bool final = code == 400 || code == 401 || code == 403 || code == 404;
    all.back().gives_up = all[all.size() - 2].gives_up = final;
  }
  add("404 as a page", sends(http("<html>not here</html>", "Content-Type: text/html\r\n", status_line(404))),
      fails("not here"));
  add("502 as a page", sends(http("<html>bad gateway</html>", "Content-Type: text/html\r\n", status_line(502))),
      fails("bad gateway"));
  add("500 with a body without end", without_end("HTTP/1.1 500 So\r\n\r\n", "no "), fails("an error on the server"));
  add("500 with control characters", sends(http("\x1b[2J\r\n\x07", "", status_line(500))),
      fails("an error on the server"));
  add("403 with half a Status", sends(http(status_object(403, "Forbidden").substr(0, 60), kJson, status_line(403))),
      fails("does not allow access"));
  add("403 with a success",
      sends(http(R"({"kind":"Status","apiVersion":"v1","status":"Success"})", kJson, status_line(403))),
      fails("does not allow access"));
  add("403 with fields of wrong types",
      sends(http(R"({"kind":"Status","apiVersion":"v1","message":5,"code":"x","details":[],"reason":{}})", kJson,
                 status_line(403))),
      fails("does not allow access"));
  add("a failure with status 200", sends(http(status_object(403, "Forbidden"))), fails("so be it"));
  add("a success instead of a list", sends(http(R"({"kind":"Status","apiVersion":"v1","status":"Success"})")),
      fails("Status"));
  add("a Status of no version with status 200",
      sends(http(R"({"kind":"Status","status":"Failure","message":"so be it"})")), fails("Status"));
  add("no content", sends("HTTP/1.1 204 No Content\r\n\r\n"), fails("empty"));
  add("part of the content", sends(http(pod_list(), kJson, "206 Partial Content")), seen());
  add("not modified", sends("HTTP/1.1 304 Not Modified\r\n\r\n"), fails("304"));
  add("a redirect to itself", sends(http("", "Location: /\r\n", "307 Temporary Redirect")), fails("307"));
  add("a redirect to another host", sends(http("", "Location: https://example.invalid/\r\n", "301 Moved")),
      fails("301"));

  const auto again = [&](const std::string& name, const std::string& retry_after, int code) {
    add(name,
        sends(http(status_object(code, "TooManyRequests"), kJson + "Retry-After: " + retry_after + "\r\n",
                   status_line(code))),
        fails("so be it"));
  };
  again("try again at once, for ever", "0", 429);
  again("try again at once, for ever, with 503", "0", 503);
  again("try again in a year", "31536000", 429);
  again("try again beyond 32 bits", "99999999999", 429);
  again("try again beyond 64 bits", "99999999999999999999999", 503);
  again("try again before now", "-1", 429);
  again("try again after a part of a second", "0.5", 429);
  again("try again at a date", "Wed, 21 Oct 2015 07:28:00 GMT", 503);
  again("try again after nothing", "", 429);
  add("try again as the Status says, for ever",
      sends(http(status_object(429, "TooManyRequests", R"(,"details":{"retryAfterSeconds":9223372036854775807})"),
                 kJson, status_line(429))),
      fails("so be it"));
  add("try again before now as the Status says",
      sends(http(status_object(429, "TooManyRequests", R"(,"details":{"retryAfterSeconds":-9223372036854775808})"),
                 kJson, status_line(429))),
      fails("so be it"));
  for (auto& shape : all) {
    if (shape.name == "status: 404 as a page" || shape.name == "status: a failure with status 200" ||
        shape.name.starts_with("status: 403 with ")) {
      shape.gives_up = true;
    }
  }
  return all;
}

}  // namespace kubexx::hostile
