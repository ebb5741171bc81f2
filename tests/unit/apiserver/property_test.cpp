#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "core_fixture.hpp"

namespace kubexx::apiserver {
namespace {

struct Viewer {
  std::shared_ptr<RecordingWriter> writer;
  std::map<std::string, std::string> start;  // the state it started from, by name
  bool initial = false;
  std::string selector;
};

std::map<std::string, std::string> names_and_versions(const meta::Object& list) {
  std::map<std::string, std::string> out;
  for (meta::Value item : list["items"].items())
    out[std::string(item["metadata"]["name"].string())] = item["metadata"]["resourceVersion"].string();
  return out;
}

class PropertyCore : public CoreFixture {
 public:
  void TestBody() override {}
  using CoreFixture::core;
  using CoreFixture::executor;
  using CoreFixture::get;
  using CoreFixture::kConfigMaps;
  using CoreFixture::open;
  using CoreFixture::send;
};

// Every watcher's stream, replayed over what it started from, is the listed state at its last version.
RC_GTEST_PROP(WatchPropertyTest, StreamsReplayToTheListedState, ()) {
  PropertyCore fixture;
  const std::string path = fixture.kConfigMaps;
  std::vector<Viewer> viewers;
  std::vector<std::pair<std::uint64_t, std::map<std::string, std::string>>> known;  // listed states, to watch from
  const auto list = [&](const std::string& selector) { return fixture.get(path + selector)->object(); };

  const int steps = *rc::gen::inRange(10, 120);
  for (int step = 0; step < steps; ++step) {
    const std::string name = "m" + std::to_string(*rc::gen::inRange(0, 6));
    const std::string label = *rc::gen::elementOf(std::vector<std::string>{"x", "y"});
    const std::string body = R"({"metadata":{"name":")" + name + R"(","labels":{"app":")" + label +
                             R"("}},"data":{"s":")" + std::to_string(step) + "\"}}";
    switch (*rc::gen::inRange(0, 10)) {
      case 0:
      case 1:
        fixture.send("POST", path, body);
        break;
      case 2:
      case 3:
      case 4:
        fixture.send("PUT", path + '/' + name, body);
        break;
      case 5:
        fixture.send("DELETE", path + '/' + name);
        break;
      case 6:
        known.emplace_back(fixture.core->version(), names_and_versions(list("")));
        break;
      case 7: {
        if (known.empty()) break;
        const auto from = *rc::gen::elementOf(known);
        viewers.push_back(
            {fixture.get(path + "?watch=1&resourceVersion=" + std::to_string(from.first)), from.second, false, ""});
        break;
      }
      case 8:
        viewers.push_back(
            {fixture.get(path +
                         "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"),
             {},
             true,
             ""});
        break;
      case 9:
        viewers.push_back(
            {fixture.get(path + "?watch=1&labelSelector=app%3D" + label), {}, true, "?labelSelector=app%3D" + label});
        break;
    }
  }
  for (const Viewer& viewer : viewers) {
    std::map<std::string, std::string> state = viewer.start;
    std::uint64_t last = 0;
    bool live = !viewer.initial;
    for (const meta::Object& event : viewer.writer->events()) {
      const meta::Value object = event["object"];
      const std::string name(object["metadata"]["name"].string());
      const std::string version(object["metadata"]["resourceVersion"].string());
      const std::string_view type = event["type"].string();
      if (type == "BOOKMARK") {
        live = true;
        continue;
      }
      // Initial events come in the order of names; everything after them in that of versions, each once.
      if (live || type != "ADDED") {
        if (live) RC_ASSERT(std::stoull(version) > last);
        live = true;
      }
      last = std::max<std::uint64_t>(last, std::stoull(version));
      if (type == "ADDED") RC_ASSERT(state.emplace(name, version).second);
      if (type == "MODIFIED") {
        RC_ASSERT(state.count(name) == 1u);
        state[name] = version;
      }
      if (type == "DELETED") RC_ASSERT(state.erase(name) == 1u);
    }
    RC_ASSERT(state == names_and_versions(list(viewer.selector)));
  }
}

// Pages of a small limit, with writes between them, are the list as it was when the first page was read.
RC_GTEST_PROP(ListPropertyTest, PagesAreTheStateAtTheFirstPage, ()) {
  PropertyCore fixture;
  const std::string path = fixture.kConfigMaps;
  const auto write = [&] {
    const std::string name = "m" + std::to_string(*rc::gen::inRange(0, 12));
    const std::string body =
        R"({"metadata":{"name":")" + name + R"("},"data":{"s":")" + std::to_string(*rc::gen::inRange(0, 1000)) + "\"}}";
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        fixture.send("POST", path, body);
        break;
      case 1:
        fixture.send("PUT", path + '/' + name, body);
        break;
      case 2:
        fixture.send("DELETE", path + '/' + name);
        break;
    }
  };
  for (int i = *rc::gen::inRange(0, 40); i > 0; --i) write();
  const auto whole = names_and_versions(fixture.get(path)->object());
  std::map<std::string, std::string> paged;
  std::string token;
  do {
    const meta::Object page = fixture.get(path + "?limit=3" + (token.empty() ? "" : "&continue=" + token))->object();
    for (const auto& [name, version] : names_and_versions(page)) RC_ASSERT(paged.emplace(name, version).second);
    token = page["metadata"]["continue"].string();
    for (int i = *rc::gen::inRange(0, 5); i > 0; --i) write();
  } while (!token.empty());
  RC_ASSERT(paged == whole);
}

}  // namespace
}  // namespace kubexx::apiserver
