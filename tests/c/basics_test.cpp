#include <set>

#include "c/c_server.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/base/version.hpp"

namespace kubexx::c_test {
namespace {

TEST(CBasicsTest, EveryStatusHasATextOfItsOwn) {
  std::set<std::string> texts;
  for (kubexx_status status = KUBEXX_OK; status <= KUBEXX_INTERNAL; ++status) texts.insert(kubexx_status_text(status));

  EXPECT_EQ(texts.size(), static_cast<std::size_t>(KUBEXX_INTERNAL + 1));
  EXPECT_STREQ(kubexx_status_text(-1), "unknown status");
  EXPECT_STREQ(kubexx_status_text(4711), "unknown status");
}

TEST(CBasicsTest, TheLibrarySaysWhichOneItIs) {
  EXPECT_EQ(kubexx_c_version(), KUBEXX_C_VERSION);
  EXPECT_STREQ(kubexx_version_text(), KUBEXX_VERSION);
}

TEST(CBasicsTest, AnErrorThatIsNotThereAnswersAllQuestions) {
  EXPECT_EQ(kubexx_error_status(nullptr), KUBEXX_OK);
  EXPECT_STREQ(kubexx_error_message(nullptr), "");
  EXPECT_EQ(kubexx_error_http_code(nullptr), 0);
  EXPECT_STREQ(kubexx_error_reason(nullptr), "");
  EXPECT_EQ(kubexx_error_retry_after_ms(nullptr), -1);
  EXPECT_EQ(kubexx_error_is_retriable(nullptr), 0);
}

TEST(CBasicsTest, AnOptionThatTheLibraryDoesNotKnowIsRefusedByItsNumber) {
  const Options options;
  kubexx_error* error = nullptr;

  const auto why = failed(kubexx_options_set(options.get(), 4711, "x", &error), error);

  EXPECT_EQ(why.status, KUBEXX_INVALID_ARGUMENT);
  EXPECT_NE(why.message.find("knows no option 4711"), std::string::npos) << why.message;
  EXPECT_EQ(kubexx_options_set_number(options.get(), 4711, 1, nullptr), KUBEXX_INVALID_ARGUMENT);
}

TEST(CBasicsTest, AnOptionOfTheOtherTypeIsRefused) {
  const Options options;
  kubexx_error* error = nullptr;

  EXPECT_EQ(failed(kubexx_options_set(options.get(), KUBEXX_OPTION_LIMIT, "5", &error), error).message,
            "LIMIT takes a number");
  EXPECT_EQ(failed(kubexx_options_set_number(options.get(), KUBEXX_OPTION_TOKEN, 5, &error), error).message,
            "TOKEN takes a text");
  EXPECT_EQ(failed(kubexx_options_set_number(options.get(), KUBEXX_OPTION_LIMIT, -5, &error), error).message,
            "LIMIT must not be negative");
}

TEST(CBasicsTest, AFunctionRefusesOptionsThatItDoesNotTake) {
  Options options;
  options.set(KUBEXX_OPTION_SERVER, "http://127.0.0.1:1").set(KUBEXX_OPTION_COALESCE, 1);
  kubexx_config* config = nullptr;
  kubexx_error* error = nullptr;

  const auto why = failed(kubexx_config_explicit(options, &config, &error), error);

  EXPECT_EQ(why.status, KUBEXX_INVALID_ARGUMENT);
  EXPECT_EQ(why.message, "this function takes no COALESCE");
  EXPECT_EQ(config, nullptr);
}

TEST(CBasicsTest, AConfigurationIsMadeOfOptionsAlone) {
  Options options;
  options.set(KUBEXX_OPTION_SERVER, "https://127.0.0.1:6443").set(KUBEXX_OPTION_NAMESPACE, "shop");
  options.set(KUBEXX_OPTION_TOKEN, "not-a-secret").set(KUBEXX_OPTION_TIMEOUT_MS, 100);
  kubexx_config* config = nullptr;
  kubexx_error* error = nullptr;

  ASSERT_TRUE(ok(kubexx_config_explicit(options, &config, &error), error));

  EXPECT_EQ(text(kubexx_config_server(config)), "https://127.0.0.1:6443");
  EXPECT_EQ(text(kubexx_config_namespace(config)), "shop");
  kubexx_config_free(config);
}

TEST(CBasicsTest, AConfigurationThatCannotBeReadSaysWhichFile) {
  Options options;
  options.set(KUBEXX_OPTION_KUBECONFIG, "/nowhere/kubeconfig");
  kubexx_config* config = nullptr;
  kubexx_error* error = nullptr;

  const auto why = failed(kubexx_config_load(options, &config, &error), error);

  EXPECT_EQ(why.status, KUBEXX_CONFIG);
  EXPECT_NE(why.message.find("/nowhere/kubeconfig"), std::string::npos) << why.message;
}

TEST(CBasicsTest, OutsideAClusterThereIsNoConfigurationOfOne) {
  unsetenv("KUBERNETES_SERVICE_HOST");
  kubexx_config* config = nullptr;
  kubexx_error* error = nullptr;

  const auto why = failed(kubexx_config_in_cluster(nullptr, &config, &error), error);

  EXPECT_EQ(why.status, KUBEXX_CONFIG);
  EXPECT_FALSE(why.message.empty());
}

TEST(CBasicsTest, LogLinesGoWhereTheProgramWantsThem) {
  struct Heard {
    std::string line;
    kubexx_log_level level = KUBEXX_LOG_OFF;
  } heard;
  const auto on_log = [](kubexx_log_level level, kubexx_view line, void* to) {
    static_cast<Heard*>(to)->line = text(line);
    static_cast<Heard*>(to)->level = level;
  };
  ASSERT_TRUE(ok(kubexx_set_log(KUBEXX_LOG_INFO, on_log, &heard, nullptr, nullptr)));

  log(LogLevel::Warning, "a line", {{"n", 5}});
  log(LogLevel::Debug, "not this one");

  EXPECT_EQ(heard.line, "a line n=\"5\"");
  EXPECT_EQ(heard.level, KUBEXX_LOG_WARNING);
  EXPECT_TRUE(ok(kubexx_set_log(KUBEXX_LOG_OFF, nullptr, nullptr, nullptr, nullptr)));
  EXPECT_EQ(kubexx_set_log(77, nullptr, nullptr, nullptr, nullptr), KUBEXX_INVALID_ARGUMENT);
}

TEST(CBasicsTest, ErrorsWithoutACallerGoWhereTheProgramWantsThem) {
  std::string heard;
  std::atomic<int> released{0};
  struct To {
    std::string* heard;
    std::atomic<int>* released;
  } to{&heard, &released};
  const auto on_error = [](const kubexx_error* error, kubexx_view where, void* data) {
    *static_cast<To*>(data)->heard = text(where) + ": " + kubexx_error_message(error);
  };
  const auto release = [](void* data) { ++*static_cast<To*>(data)->released; };
  ASSERT_TRUE(ok(kubexx_set_error_callback(on_error, &to, release, nullptr)));

  report_error(Error::timeout("too late"), "a test");
  ASSERT_TRUE(ok(kubexx_set_error_callback(nullptr, nullptr, nullptr, nullptr)));

  EXPECT_EQ(heard, "a test: too late");
  EXPECT_EQ(released, 1);
}

TEST(CBasicsTest, MetricsOfTheProcessAreAText) {
  char* metrics = nullptr;
  std::size_t size = 0;

  ASSERT_TRUE(ok(kubexx_metrics(&metrics, &size, nullptr)));

  const auto all = taken(metrics);
  EXPECT_EQ(all.size(), size);
  EXPECT_NE(all.find("kubexx_build_info"), std::string::npos);
}

}  // namespace
}  // namespace kubexx::c_test
