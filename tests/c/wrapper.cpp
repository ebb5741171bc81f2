#include "wrapper.hpp"

#include <poll.h>

#include <atomic>
#include <future>
#include <kubexx/c.hpp>

static_assert(__cplusplus == 201703L, "this is what a program of C++17 sees");

namespace {

using kubexx_c::Options;

constexpr const char* kConfigMaps = "v1/configmaps";

std::string of_map(const std::string& value) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"of-cpp17"},"data":{"v":")" + value + "\"}}";
}

void require(bool what, const char* text) {
  if (!what) throw std::logic_error(text);
}
#define REQUIRE(what) require(what, #what)

void verbs(const kubexx_c::Client& client) {
  const auto manager = Options().set(KUBEXX_OPTION_FIELD_MANAGER, "test").set(KUBEXX_OPTION_FORCE, 1);
  REQUIRE(client.create(kConfigMaps, "default", of_map("1")).find("uid") != std::string::npos);
  client.update(kConfigMaps, "default", of_map("2"));
  client.patch(kConfigMaps, "default", "of-cpp17", KUBEXX_PATCH_MERGE, R"({"data":{"v":"3"}})");
  client.apply(kConfigMaps, "default", of_map("4"), manager);
  REQUIRE(client.list(kConfigMaps).find("of-cpp17") != std::string::npos);
  const auto object = kubexx_c::Object::parse(client.get_object(kConfigMaps, "default", "of-cpp17"));
  REQUIRE(object.view().string("/data/v") == "4");
  REQUIRE(!object.view().integer("/data/v"));
  REQUIRE(object.view().key_at("/data", 0) == "v" && object.view().size("/data") == 1);
  const kubexx_c::Object kept(object.view());
  REQUIRE(kept.view().name() == "of-cpp17" && kept.view().json("/data") == R"({"v":"4"})");
}

void calls_back(const kubexx_c::Client& client) {
  std::promise<std::string> answer;
  client.get_object_async(kConfigMaps, "default", "of-cpp17", [&](std::string_view json, const kubexx_c::Error* error) {
    answer.set_value(error ? error->what() : std::string(json));
  });
  REQUIRE(answer.get_future().get().find("\"v\":\"4\"") != std::string::npos);
  std::promise<int> code;
  client.get_object_async(kConfigMaps, "default", "nothing", [&](std::string_view, const kubexx_c::Error* error) {
    code.set_value(error && error->retry_after_ms() == -1 ? error->http_code() : 0);
  });
  REQUIRE(code.get_future().get() == 404);
}

void informs(const kubexx_c::Client& client) {
  std::promise<std::string> first;
  std::atomic<bool> told{false};
  kubexx_c::Informer maps(client, kConfigMaps, Options().set(KUBEXX_OPTION_FIELD_INDEX, "v=data.v"));
  const auto registration = maps.add_handler([&](const kubexx_c::Event& event) {
    if (!told.exchange(true)) first.set_value(std::string(event.key()));
    if (event.cause() == KUBEXX_CAUSE_INITIAL) throw std::runtime_error("a handler that throws");
  });
  maps.start();
  maps.wait_for_sync(Options().set(KUBEXX_OPTION_TIMEOUT_MS, 30000));
  REQUIRE(first.get_future().get() == "default/of-cpp17");
  REQUIRE(maps.get_object("default/of-cpp17").view().string("/data/v") == "4");
  REQUIRE(maps.by_index("v", "4").size() == 1 && maps.list("default")[0].name() == "of-cpp17");
  const auto snapshot = maps.snapshot();
  REQUIRE(snapshot.size() == 1 && snapshot.get_object("default/of-cpp17").view().name_space() == "default");
  REQUIRE(maps.status().find("\"synced\":true") != std::string::npos && maps.has_synced());
}

void elects(const kubexx_c::Client& client) {
  const auto wait = Options().set(KUBEXX_OPTION_TIMEOUT_MS, 30000);
  const auto lease = Options().set(KUBEXX_OPTION_NAME, "shop").set(KUBEXX_OPTION_IDENTITY, "me");
  const kubexx_c::Elector elector(client, lease, [](kubexx_election_event_type, std::string_view) {});
  const kubexx_c::Observer observer(client, Options().set(KUBEXX_OPTION_NAME, "shop"),
                                    [](const kubexx_c::LeaderView&) {});
  elector.start();
  observer.start();
  elector.wait_until_leading(wait);
  observer.wait_for_leader(wait);
  REQUIRE(observer.leader().view().holder() == "me" && elector.is_leader() && elector.may_lead());
}

/// Of the pods app=cpp17, the server refuses the first log that is asked for.
void reads_logs(const kubexx_c::Client& client) {
  std::promise<std::string> first;
  std::promise<std::string> problem;
  std::atomic<bool> told{false};
  const auto of_pods = Options().set(KUBEXX_OPTION_LABEL_SELECTOR, "app=cpp17");
  const auto on_line = [&](const kubexx_c::LogLine& line) {
    if (!told.exchange(true)) first.set_value(std::string(line.text()));
  };
  const auto on_problem = [&](const kubexx_c::LogLine& where, const kubexx_c::Error& error) {
    problem.set_value(std::string(where.pod()) + " " + std::to_string(error.http_code()));
  };
  const kubexx_c::Logs logs(client, of_pods, on_line, on_problem);
  logs.start();
  REQUIRE(problem.get_future().get() == "talker 500");
  REQUIRE(first.get_future().get() == "hello");
  REQUIRE(logs.has_synced() && logs.open() == 1 && logs.gaps() == 0);
  logs.stop();
  const kubexx_c::Logs without(client, of_pods, on_line);
  without.start();
  without.stop();
}

void on_a_loop(const kubexx_c::Config& config) {
  const kubexx_c::Loop loop;
  const kubexx_c::Client client(config, loop);
  bool answered = false;
  client.remove_async(kConfigMaps, "default", "of-cpp17",
                      [&](std::string_view, const kubexx_c::Error* error) { answered = error == nullptr; });
  for (int turn = 0; turn < 1000 && !answered; ++turn) {
    pollfd waiting{loop.fd(), POLLIN, 0};
    poll(&waiting, 1, 1000);
    loop.run_ready();
  }
  REQUIRE(answered);
}

}  // namespace

std::string kubexx_cpp17_round(const std::string& kubeconfig_text) {
  std::atomic<int> reported{0};
  try {
    REQUIRE(kubexx_c::c_version() == KUBEXX_C_VERSION && !kubexx_c::version_text().empty());
    kubexx_c::set_error_callback([&](const kubexx_c::Error&, std::string_view) { ++reported; });
    const auto config = kubexx_c::Config::load(Options().set(KUBEXX_OPTION_KUBECONFIG_TEXT, kubeconfig_text));
    {
      const kubexx_c::Client client(config);
      verbs(client);
      calls_back(client);
      informs(client);
      elects(client);
      reads_logs(client);
    }
    on_a_loop(config);
    REQUIRE(kubexx_c::metrics().find("kubexx_") != std::string::npos);
    kubexx_c::set_no_error_callback();
    REQUIRE(reported == 1);  // what the handler threw
  } catch (const std::exception& failed) {
    kubexx_c::set_no_error_callback();
    return failed.what();
  }
  return {};
}
