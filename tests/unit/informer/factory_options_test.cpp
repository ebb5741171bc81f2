#include <gmock/gmock.h>

#include <stop_token>

#include "unit/informer/factory_fixture.hpp"

namespace kubexx::informer {
namespace {

using reflector::config_map;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FactoryOptionsTest : public FactoryTest {
 protected:
  std::string query() const {
    const auto all = transport->requests();
    const auto& url = all.back().url;
    return url.substr(url.find('?'));
  }
  void start() {
    factory->start();
    run();
  }
};

TEST_F(FactoryOptionsTest, WhatIsSaidOfAKindComesBeforeTheDefaultsAndTheDefaultsSayTheRest) {
  make({.name = "agent",
        .defaults = {.scope = {.namespaces = {"x"}, .label_selector = meta::LabelSelector::equals("a", "b")},
                     .watch_list = false},
        .by_kind = {{kSecrets, {.scope = {.namespaces = {"y"}}, .page_size = 7, .name = "keys"}}}});

  static_cast<void>(ask(kConfigMaps));
  start();
  EXPECT_THAT(transport->paths(), ElementsAre("/api/v1/namespaces/x/configmaps"));
  EXPECT_THAT(query(), HasSubstr("labelSelector=a%3Db"));

  const auto secrets = ask(kSecrets);
  run();
  EXPECT_THAT(transport->paths().back(), "/api/v1/namespaces/y/secrets");
  EXPECT_THAT(query(), HasSubstr("labelSelector=a%3Db"));
  EXPECT_THAT(query(), HasSubstr("limit=7"));
  EXPECT_EQ(secrets->name(), "agent/keys -l a=b");
}

TEST_F(FactoryOptionsTest, ASelectorOfEverythingTakesTheDefaultBackAndOneOfNothingAsksForNothing) {
  make({.defaults = {.scope = {.label_selector = meta::LabelSelector::equals("a", "b")}, .watch_list = false}});
  factory->start();

  static_cast<void>(ask(kConfigMaps, {.label_selector = meta::LabelSelector::everything()}));
  run();
  EXPECT_EQ(query().find("labelSelector"), std::string::npos);
  static_cast<void>(ask(kConfigMaps, {.label_selector = meta::LabelSelector::nothing()}));
  run();
  EXPECT_THAT(query(), HasSubstr("labelSelector=kubexx.none%2C%21kubexx.none"));
  static_cast<void>(ask(kConfigMaps, {.field_selector = meta::FieldSelector::nothing()}));
  run();
  EXPECT_THAT(query(), HasSubstr("fieldSelector=metadata.name%3D"));
}

TEST_F(FactoryOptionsTest, AnotherProjectionIsAnotherInformer) {
  make();
  const auto whole = ask(kConfigMaps);
  const auto names = meta::Projection::paths({"data.color"}).value();

  const auto cut = ask(kConfigMaps, {.projection = names});
  const auto metadata = ask(kConfigMaps, {.metadata_only = true});

  EXPECT_NE(cut, whole);
  EXPECT_NE(metadata, whole);
  EXPECT_NE(metadata, cut);
  EXPECT_EQ(ask(kConfigMaps, {.projection = meta::Projection()}), whole);
  EXPECT_EQ(ask(kConfigMaps, {.projection = names}), cut);
  EXPECT_EQ(cut->name(), "configmaps paths data.color");
  EXPECT_EQ(metadata->name(), "configmaps metadata only");
}

TEST_F(FactoryOptionsTest, WhatIsAskedForAfterTheStartRunsWithItsToken) {
  make();
  std::stop_source stop;
  factory->start(stop.get_token());

  const auto maps = ask(kConfigMaps);
  const auto lease = factory->lease(kSecrets).value();
  run();
  EXPECT_TRUE(maps->has_started());
  EXPECT_TRUE(lease.informer().has_started());
  EXPECT_EQ(transport->paths().size(), 2U);

  stop.request_stop();
  run();
  EXPECT_TRUE(maps->is_stopped());
  EXPECT_FALSE(ask(kNodes)->has_started());  // that token has fired
  start();
  EXPECT_TRUE(ask(kNodes)->has_started());
}

TEST_F(FactoryOptionsTest, AnInformerOfAFunctionRunsByItselfTooUnlessItRunsAlready) {
  make();
  factory->start();
  script->answer({config_map("a", "1")}, "5");

  const auto made = factory->informer_for(kConfigMaps, scripted());
  run();
  EXPECT_TRUE(made->has_synced());

  const auto other = std::make_shared<reflector::Script>();
  other->answer({}, "5");
  const auto running = factory->informer_for(kSecrets, [&](const rest::Client&, const InformerOptions&) {
    auto begun = SharedIndexInformer::create(other, scripted_options());
    begun->start();
    return begun;
  });
  run();
  EXPECT_EQ(other->lists.size(), 1U);
}

TEST_F(FactoryOptionsTest, WhatMustBeSetBeforeTheStartIsRefusedAfterItAndNamesTheOptions) {
  make();
  factory->start();
  const auto informer = ask(kConfigMaps);
  try {
    informer->set_transform([](meta::Object object) -> Result<meta::Object> { return object; });
    FAIL() << "taken";
  } catch (const std::logic_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("by_kind"));
  }
}

TEST_F(FactoryOptionsTest, IndexesTransformsFiltersAndKeysOfAKindAreThoseOfItsInformer) {
  struct TypedMap : meta::Object {
    static TypedMap unchecked(meta::Object object) { return TypedMap(std::move(object)); }
    explicit TypedMap(meta::Object object) : Object(std::move(object)) {}
  };
  InformerOptions said;
  said.indexers = {{"name", typed<TypedMap>([](const TypedMap& map) { return std::vector{std::string(map.name())}; })}};
  said.admit = typed<TypedMap>([](const TypedMap& map) { return map.name() != "b"; });
  said.key_func = typed<TypedMap>([](const TypedMap& map) -> Result<std::string> { return std::string(map.name()); });
  said.transform = typed<TypedMap>([](const TypedMap& map) -> Result<TypedMap> { return map; });
  make({.by_kind = {{kConfigMaps, said}}});
  script->answer({config_map("a", "1"), config_map("b", "2")}, "5");
  const auto informer = factory->informer_for(kConfigMaps, [&](const rest::Client&, InformerOptions of_kind) {
    return SharedIndexInformer::create(script, with_defaults(std::move(of_kind), scripted_options()));
  });
  start();

  EXPECT_THAT(informer->store()->list_keys(), ElementsAre("a"));
  EXPECT_THAT(informer->store()->index_keys("name", "a").value(), ElementsAre("a"));
  EXPECT_THAT(informer->store()->index_keys("namespace", "ns").value(), ElementsAre("a"));
}

TEST_F(FactoryOptionsTest, TheErrorHandlerKnowsWhoseErrorItIs) {
  std::vector<std::string> heard;
  make({.name = "agent",
        .defaults = {.watch_list = false, .watch_error_handler = [&](const reflector::WatchError& failed) {
                       heard.push_back(failed.name + "|" + failed.resource.resource + "|" +
                                       std::to_string(failed.attempt));
                     }}});
  script->answer(Error::api(403, "Forbidden", "no"));
  static_cast<void>(factory->informer_for(kConfigMaps, [&](const rest::Client&, InformerOptions of_kind) {
    of_kind.resource = kConfigMaps;
    of_kind.name = "agent/configmaps";
    return SharedIndexInformer::create(script, with_defaults(std::move(of_kind), scripted_options()));
  }));
  start();

  ASSERT_FALSE(heard.empty());
  EXPECT_EQ(heard.front(), "agent/configmaps|configmaps|1");
}

TEST_F(FactoryOptionsTest, AStartWithJitterAsksLaterAndAStopBeforeThatAsksNever) {
  make({.defaults = {.start_jitter = minutes(1)}});
  const auto informer = ask(kConfigMaps);
  start();
  EXPECT_TRUE(informer->has_started());
  EXPECT_THAT(transport->paths(), IsEmpty());
  executor->advance(minutes(1));
  run();
  EXPECT_EQ(transport->paths().size(), 1U);

  const auto stopped = ask(kSecrets);
  run();
  stopped->stop();
  run();
  executor->advance(minutes(2));
  run();
  EXPECT_EQ(transport->paths().size(), 1U);
}

}  // namespace
}  // namespace kubexx::informer
