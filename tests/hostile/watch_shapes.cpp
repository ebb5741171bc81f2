// Watches after a good list, and watches that begin with the whole state.
#include "hostile/shape.hpp"

namespace kubexx::hostile {
namespace {

std::string bookmark(const std::string& version, bool initial_end = false) {
  return event("BOOKMARK", R"({"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":")" + version + "\"" +
                               (initial_end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "") + "}}");
}

std::string protobuf_watch() {
  return "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.kubernetes.protobuf;stream=watch\r\nConnection: "
         "close\r\n\r\n";
}

/// The events, then one that only a client sees which read on.
Answer then_more(const std::string& events) {
  return open_watch_of(events + event("ADDED", pod("later", "99")));
}

}  // namespace

std::vector<Shape> watch_shapes() {
  std::vector<Shape> all;
  const auto add = [&](const std::string& name, Answer watch, Expected follow) {
    all.push_back({"watch: " + name, {}, std::move(watch), {}, std::move(follow)});
  };
  add("ends at once", watch_of(""), fails("very short watch"));
  add(
      "ends after every event",
      [](Peer& peer, const Asked& asked) {
        peer.write(kUntilClose + event("ADDED", pod("p" + std::to_string(asked.nth), std::to_string(20 + asked.nth))));
      },
      seen("p3"));
  add("is cut without an answer", sends(""), fails("closed without an answer"));
  add("says nothing", quiet_watch(), seen());
  add("blank lines without end", without_end(kUntilClose, "\n"), seen());
  add("spaces without end", without_end(kUntilClose, " "), seen());
  add("a line of garbage", watch_of("garbage\n"), fails("JSON|watch|event"));
  add("half an event, then the end", watch_of(event("ADDED", pod("later")).substr(0, 40)), fails("very short watch"));
  add("an event without end", without_end(kUntilClose + std::string(R"({"type":"ADDED","object":{"a":")"), "x"),
      fails("large|limit|bytes"));
  add("two events in a line",
      then_more(event("ADDED", pod("p1", "20")).erase(event("ADDED", pod("p1", "20")).size() - 1)), seen("later"));
  add(
      "events byte by byte",
      [](Peer& peer, const Asked&) {
        peer.write(kUntilClose);
        for (const char c : event("ADDED", pod("later", "20"))) peer.write(std::string_view(&c, 1));
        peer.readable(-1);
      },
      seen("later"));
  add("an array", watch_of("[]\n"), fails("JSON|watch|event"));
  add("a number", watch_of("5\n"), fails("JSON|watch|event"));
  add("null", watch_of("null\n"), fails("JSON|watch|event"));
  add("an event without a type", watch_of(R"({"object":)" + pod("p1") + "}\n"), fails("type|event"));
  add("an event without an object", watch_of("{\"type\":\"ADDED\"}\n"), fails("object|event"));
  add("a type that is a number", watch_of(R"({"type":5,"object":)" + pod("p1") + "}\n"), fails("type|event"));
  add("a type that nobody knows", then_more(event("EXPLODED", pod("p1", "20"))), seen("later"));
  add("an object that is null", watch_of(event("ADDED", "null")), fails("object|event"));
  add("an object that is a text", watch_of(event("ADDED", "\"pod\"")), fails("object|event"));
  add("an object without metadata", then_more(event("ADDED", R"({"kind":"Pod","apiVersion":"v1"})")), seen("later"));
  add("an object without a name",
      then_more(event("ADDED", R"({"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"20"}})")),
      seen("later"));
  add("an object without a version",
      then_more(event("ADDED", R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p1"}})")), seen("later"));
  add("an object of another kind",
      then_more(
          event("ADDED", R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"p1","resourceVersion":"20"}})")),
      seen("later"));
  add("an object without a kind", then_more(event("ADDED", R"({"metadata":{"name":"p1","resourceVersion":"20"}})")),
      seen("later"));
  add(
      "thousands of objects of another kind",
      [](Peer& peer, const Asked&) {
        const auto other =
            event("ADDED", R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"p1","resourceVersion":"20"}})");
        std::string all_of_them;
        for (int i = 0; i < 5000; ++i) all_of_them += other;
        if (peer.write(kUntilClose + all_of_them + event("ADDED", pod("later", "99")))) peer.readable(-1);
      },
      seen("later"));
  add("removals of the unknown", then_more(event("DELETED", pod("nobody", "20"))), seen("later"));
  add("changes of the unknown", then_more(event("MODIFIED", pod("p1", "20"))), seen("later"));
  add("the same addition twice", then_more(event("ADDED", pod("p1", "20")) + event("ADDED", pod("p1", "20"))),
      seen("later"));
  add("a bookmark without a version", then_more(event("BOOKMARK", R"({"kind":"Pod","apiVersion":"v1","metadata":{}})")),
      seen("later"));
  add("a bookmark without metadata", then_more(event("BOOKMARK", R"({"kind":"Pod","apiVersion":"v1"})")),
      seen("later"));
  add(
      "bookmarks by the thousand",
      [](Peer& peer, const Asked&) {
        std::string bookmarks = kUntilClose;
        for (int i = 20; i < 5000; ++i) bookmarks += bookmark(std::to_string(i));
        if (peer.write(bookmarks + event("ADDED", pod("later", "9999")))) peer.readable(-1);
      },
      seen("later"));
  add("versions that go back", then_more(event("ADDED", pod("p1", "50")) + event("ADDED", pod("p2", "20"))),
      seen("later"));
  add("versions of letters", then_more(event("ADDED", pod("p1", "abc"))), seen("later"));
  add("versions beyond 64 bits", then_more(event("ADDED", pod("p1", "99999999999999999999999"))), seen("later"));
  add("invalid UTF-8", watch_of(event("ADDED", pod("p\xff"))), fails("UTF-8"));
  add("control characters in a name", open_watch_of(event("ADDED", pod("p\\u001b[2J1", "20"))), seen("p"));
  add("nested 10,000 deep",
      watch_of(event("ADDED",
                     R"({"metadata":{"name":"p1"},"a":)" + std::string(10'000, '[') + std::string(10'000, ']') + "}")),
      fails("deep|nest"));
  add("a list instead", sends(http(pod_list())), fails("type|event"));
  add("a page instead", sends(http("<html>no</html>", "Content-Type: text/html\r\n")),
      fails("neither JSON nor protobuf"));
  add("gzip that nobody asked for", sends(http("abc", kJson + "Content-Encoding: gzip\r\n")),
      fails("which nobody asked for"));
  add("a bad chunk", sends(kChunked + chunk(event("ADDED", pod("p1", "20"))) + "zz\r\n"), fails("chunks are not HTTP"));
  add("trailers without end",
      without_end(kChunked + chunk(event("ADDED", pod("p1", "20"))) + "0\r\n", "X-Trailer: more\r\n"),
      fails("header of the answer too large"));

  const auto error = [&](const std::string& name, const std::string& object, const std::string& text) {
    add("an ERROR " + name, open_watch_of(event("ERROR", object)), fails(text));
  };
  for (const int code : {403, 410, 429, 500, 503}) {
    error("of " + std::to_string(code), status_object(code, code == 410 ? "Expired" : ""), "so be it");
  }
  error("that is a pod", pod(), "a Status of v1 was expected, the server sent a Pod");
  error("that is a Status of no version", R"({"kind":"Status","code":410})",
        "the server sent a Status of apiVersion \"\"");
  error("that is empty", "{}", "a Status of v1 was expected, the server sent an object without a kind");
  error("that asks to wait for ever",
        status_object(429, "TooManyRequests", R"(,"details":{"retryAfterSeconds":9223372036854775807})"), "so be it");

  for (const int code : {400, 401, 403, 404, 405, 410, 429, 500, 503}) {
    add("answered by " + std::to_string(code),
        sends(http(status_object(code, code == 410 ? "Expired" : ""), kJson, std::to_string(code) + " So")),
        code == 405 ? seen() : fails("so be it"));
  }
  add("answered by 429 that says now",
      sends(http(status_object(429, "TooManyRequests"), kJson + "Retry-After: 0\r\n", "429 So")), fails("so be it"));

  add("protobuf: a frame of 4 GB", stays_open(protobuf_watch() + "\xff\xff\xff\xff" + "abc"),
      fails("protobuf|large|limit"));
  add("protobuf: empty frames without end", without_end(protobuf_watch(), std::string(4, '\0')),
      fails("protobuf|frame|event"));
  add("protobuf: garbage", stays_open(protobuf_watch() + std::string("\0\0\0\x04\xff\xfe\xfd\xfc", 8)),
      fails("protobuf|frame|event"));
  add("protobuf: half a frame", sends(protobuf_watch() + std::string("\0\0\1\0abc", 7)), fails("very short watch"));

  const auto whole_state = [&](const std::string& name, Answer watch, Expected follow) {
    add("whole state: " + name, std::move(watch), std::move(follow));
    all.back().watch_list = true;
  };
  whole_state("only its end", open_watch_of(bookmark("10", true) + event("ADDED", pod("later", "20"))), seen("later"));
  whole_state("closed before its end", watch_of(event("ADDED", pod("p1"))), seen("good|p1"));
  whole_state("its end twice", then_more(bookmark("10", true) + bookmark("11", true)), seen("later"));
  whole_state("additions and removals before its end",
              then_more(event("ADDED", pod("p1")) + event("DELETED", pod("p1")) + bookmark("10", true)), seen("later"));
  whole_state("an end without a version",
              then_more(event("BOOKMARK", R"({"kind":"Pod","apiVersion":"v1","metadata":{)"
                                          R"("annotations":{"k8s.io/initial-events-end":"true"}}})") +
                        bookmark("10", true)),
              seen("later"));
  whole_state("garbage before its end", watch_of(event("ADDED", pod("p1")) + "garbage\n"), seen("good"));
  return all;
}

}  // namespace kubexx::hostile
