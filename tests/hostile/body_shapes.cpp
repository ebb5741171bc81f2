// Bodies of lists: JSON that is none, objects that are none, versions, pages, protobuf.
#include "hostile/shape.hpp"

namespace kubexx::hostile {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

/// Pages that follow each other: `token` and the items of the nth.
Answer pages(std::function<std::string(int)> token, std::function<std::string(int)> items) {
  return [=](Peer& peer, const Asked& asked) {
    peer.write(http(pod_list(items(asked.nth), R"("resourceVersion":"10","continue":")" + token(asked.nth) + "\"")));
  };
}

std::string numbered(int nth) {
  return pod("p" + std::to_string(nth));
}

std::string protobuf(const std::string& bytes) {
  return http(bytes, "Content-Type: application/vnd.kubernetes.protobuf\r\n");
}

}  // namespace

std::vector<Shape> body_shapes() {
  std::vector<Shape> all;
  const auto add = [&](const std::string& name, Answer list, Expected get, std::optional<Expected> follow = {}) {
    all.push_back({"list: " + name, std::move(list), {}, std::move(get), std::move(follow)});
  };
  const auto body = [&](const std::string& name, const std::string& text, Expected get,
                        std::optional<Expected> follow = {}) {
    add(name, sends(http(text)), std::move(get), std::move(follow));
  };
  const std::string whole = pod_list();

  body("no JSON", "no JSON at all", fails("json|list"));
  body("an empty object", "{}", fails("list|kind"));
  body("null", "null", fails("list|object"));
  body("a number", "17", fails("list|object"));
  body("a text", "\"pods\"", fails("list|object"));
  body("an array", "[" + pod() + "]", fails("list|object"));
  body("half of it", whole.substr(0, whole.size() / 2), fails("list|json|end"));
  body("all but the last byte", whole.substr(0, whole.size() - 1), fails("list|json|end"));
  body("two of them", whole + whole, fails("list|json|data"));
  body("spaces around it", repeated(" \r\n\t", 10'000) + whole + repeated(" \n", 10'000), seen());
  body("a mark of its byte order", "\xef\xbb\xbf" + whole, fails("list|json|UTF-8"));
  body("a comment", "/* pods */" + whole, fails("list|json"));
  body("items that are null",
       R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":null})", seen(""),
       seen("later"));
  all.back().watch = open_watch_of(event("ADDED", pod("later", "20")));
  body("items that are a text", R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":"many"})",
       fails("items|list"));
  body("items that are an object", R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":{"a":1}})",
       fails("items|list"));
  body("items twice", R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[],"items":[]})", seen(""),
       seen("later"));
  all.back().watch = open_watch_of(event("ADDED", pod("later", "20")));
  body("an item that is null", pod_list("null"), fails("list|item|object"));
  body("an item that is a number", pod_list("5"), fails("list|item|object"));
  body("an item that is a list", pod_list("[]"), fails("list|item|object"));
  body("a comma too many", pod_list(pod() + ","), fails("list|json"));
  body("no comma", pod_list(pod() + pod("other")), fails("list|json"));
  body("invalid UTF-8", pod_list(pod("go\xffod")), fails("UTF-8"));
  body("half a surrogate", pod_list(pod("\\ud800")), seen("\xef\xbf\xbd"));
  body("a zero byte in a text", pod_list(pod(std::string("go\0od", 5))), fails("json|string|character"));
  body("an escaped zero", pod_list(pod("go\\u0000od")), seen("go"));
  body("control characters in a name", pod_list(pod("go\\u001b[2Jod")), seen("go"));
  body("a line break in a name", pod_list(pod("go\\nod")), seen("go"));
  body("a name of 100 KB", pod_list(pod(std::string(100'000, 'x'))), seen("xxx"));
  body("nested 10,000 deep",
       pod_list(R"({"metadata":{"name":"good"},"a":)" + repeated("[", 10'000) + repeated("]", 10'000) + "}"),
       fails("deep|nest"));
  body("nested 200 deep",
       pod_list(R"({"metadata":{"name":"good","namespace":"ns"},"a":)" + repeated("[", 200) + repeated("]", 200) + "}"),
       seen());
  body("a number beyond all", pod_list(R"({"metadata":{"name":"good","namespace":"ns"},"a":1e999})"),
       fails("number|json"));
  body("a number of 10 KB",
       pod_list(R"({"metadata":{"name":"good","namespace":"ns"},"a":)" + std::string(10'000, '9') + "}"),
       fails("number|json"));
  body("the same key twice", pod_list(R"({"metadata":{"name":"bad"},"metadata":{"name":"good","namespace":"ns"}})"),
       seen("good|bad"));
  body("an object without metadata", pod_list("{}," + pod()), seen(), fails("it has no metadata.name"));
  body("an object without a name", pod_list(R"({"metadata":{"namespace":"ns"}},)" + pod()), seen(),
       fails("it has no metadata.name"));
  body("metadata that is null", pod_list(R"({"metadata":null},)" + pod()), seen(), fails("it has no metadata.name"));
  body("metadata that is a list", pod_list(R"({"metadata":[]},)" + pod()), seen(), fails("it has no metadata.name"));
  body("a name that is a number", pod_list(R"({"metadata":{"name":5}},)" + pod()), seen(),
       fails("it has no metadata.name"));
  body("labels that are a list", pod_list(R"({"metadata":{"name":"a","namespace":"ns","labels":[1]}},)" + pod()),
       seen());
  body("times that are none",
       pod_list(R"({"metadata":{"name":"a","namespace":"ns","creationTimestamp":"soon"}},)" + pod()), seen());
  body("a time far away",
       pod_list(R"({"metadata":{"name":"a","namespace":"ns","creationTimestamp":"9999-12-31T23:59:59Z"}},)" + pod()),
       seen());
  body("the same object a thousand times", pod_list(repeated(pod() + ",", 999) + pod()), seen());
  body("50,000 objects", pod_list([] {
         std::string items = pod();
         for (int i = 0; i < 50'000; ++i) items += "," + pod("p" + std::to_string(i));
         return items;
       }()),
       seen());
  body("a text of 20 MB",
       pod_list(R"({"metadata":{"name":"good","namespace":"ns"},"data":")" + std::string(20 << 20, 'x') + "\"}"),
       either("good|larger than the limit"), fails("larger than the limit"));
  body("objects of another kind",
       pod_list(R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"bad","namespace":"ns"}},)" + pod()), seen());
  body("a list of another kind",
       R"({"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[)" + pod() + "]}",
       seen());
  body("one object instead of a list", pod(), fails("a list was expected|the body has no items"), fails("list|items"));
  body("a table",
       R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"10"},)"
       R"("columnDefinitions":[{"name":"Name","type":"string","format":"name"}],)"
       R"("rows":[{"cells":["good"],"object":{"metadata":{"name":"good","namespace":"ns"}}}]})",
       either("good|the body has no items"), fails("Table|list|items"));
  body("a table of wrong types",
       R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":5,"rows":[1,{"cells":7},)"
       R"({"cells":[{},[],null]}]})",
       either("NAMESPACE|No resources found|the body has no items"), fails("Table|list|items"));

  body("no version", pod_list(pod(), ""), seen());
  body("a version that is a number", pod_list(pod(), R"("resourceVersion":10)"), seen());
  body("a version of letters", pod_list(pod(), R"("resourceVersion":"ten")"), seen());
  body("a version beyond 64 bits", pod_list(pod(), R"("resourceVersion":"99999999999999999999999999")"), seen());
  body("a negative version", pod_list(pod(), R"("resourceVersion":"-1")"), seen());
  body("a version of 100 KB", pod_list(pod(), R"("resourceVersion":")" + std::string(100'000, '1') + "\""), seen());
  body("a version with a line break", pod_list(pod(), R"("resourceVersion":"1\r\nHost: x")"), seen());

  const std::string circle = "the list does not end: the server repeated a continue token";
  add("the same page for ever", pages([](int) { return "again"; }, [](int) { return pod(); }), fails(circle));
  add("two pages for ever", pages([](int nth) { return nth % 2 ? "odd" : "even"; }, numbered), fails(circle));
  add("a hundred pages for ever", pages([](int nth) { return std::to_string(nth % 100); }, numbered), fails(circle));
  add("empty pages for ever", pages([](int nth) { return std::to_string(nth); }, [](int) { return ""; }),
      fails("pages in a row are empty and promise more"));
  add("three empty pages",
      pages([](int nth) { return nth < 3 ? std::to_string(nth) : ""; }, [](int nth) { return nth < 3 ? "" : pod(); }),
      seen());
  add("a hundred pages",
      pages([](int nth) { return nth < 99 ? std::to_string(nth) : ""; },
            [](int nth) { return nth < 99 ? numbered(nth) : pod(); }),
      seen());
  add(
      "a second page that is gone",
      [](Peer& peer, const Asked& asked) {
        const bool second = asked.target.find("continue=") != std::string::npos;
        peer.write(second ? http(status_object(410, "Expired"), "Content-Type: application/json\r\n", "410 Gone")
                          : http(pod_list(pod(), R"("resourceVersion":"10","continue":"more")")));
      },
      fails("so be it"));
  add(
      "a second page that is gone, and the whole list when it is asked for",
      [](Peer& peer, const Asked& asked) {
        const bool second = asked.target.find("continue=") != std::string::npos;
        const bool in_pages = asked.target.find("limit=") != std::string::npos;
        peer.write(second     ? http(status_object(410, "Expired"), "Content-Type: application/json\r\n", "410 Gone")
                   : in_pages ? http(pod_list(pod("gone"), R"("resourceVersion":"10","continue":"more")"))
                              : http(pod_list()));
      },
      seen());
  add(
      "a second page that is cut",
      [](Peer& peer, const Asked& asked) {
        const bool second = asked.target.find("continue=") != std::string::npos;
        peer.write(second ? http(pod_list().substr(0, 30))
                          : http(pod_list(pod(), R"("resourceVersion":"10","continue":"more")")));
      },
      fails("list|json|end"));
  body("a token that is a number", pod_list(pod(), R"("resourceVersion":"10","continue":5)"), seen());
  body("a count of what is left that is negative", pod_list(pod(), R"("resourceVersion":"10","remainingItemCount":-5)"),
       seen());
  body("a count of what is left beyond 64 bits",
       pod_list(pod(), R"("resourceVersion":"10","remainingItemCount":99999999999999999999)"), seen());

  const std::string magic("k8s\0", 4);
  add("protobuf: no body", sends(protobuf("")), fails("protobuf|list|empty"));
  add("protobuf: without its first bytes", sends(protobuf("abcdefgh")), fails("protobuf|list|empty"));
  add("protobuf: nothing behind its first bytes", sends(protobuf(magic)), fails("protobuf|list|empty"));
  add("protobuf: garbage", sends(protobuf(magic + repeated("\xff\xfe\xfd", 1000))), fails("protobuf|list|empty"));
  add("protobuf: a length beyond all", sends(protobuf(magic + "\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f")),
      fails("protobuf|list|empty"));
  add("protobuf: an unknown kind",
      sends(protobuf(magic + std::string("\x0a\x0c\x0a\x02v1\x12\x06"
                                         "Nobody"
                                         "\x12\x00",
                                         16))),
      fails("protobuf|list|empty"));
  return all;
}

}  // namespace kubexx::hostile
