#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "hostile/child.hpp"
#include "hostile/server.hpp"
#include "kubexx/base/log.hpp"
#include "kubexx/informer/shared_informer_factory.hpp"
#include "kubexx/testkit/eventually.hpp"

namespace kubexx::hostile {
namespace {

using std::chrono::seconds;

constexpr int kAtOnce = 12;
constexpr Duration kPatience = seconds(60);  // on a busy machine; nearly all need less than one
constexpr std::size_t kMostMegabytes = 400;
constexpr long kMostLines = 30;

long lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

/// A few lines for a failure's message.
std::string shown(const std::string& text) {
  return text.size() > 2000 ? text.substr(0, 2000) + "..." : text;
}

std::string names_in(const informer::GenericInformer& informer) {
  std::string names;
  for (const auto& object : informer.lister().list()) names += std::string(object.name()) + " ";
  return names;
}

class HostileTest : public testing::Test {
 protected:
  HostileTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kubexx-hostile-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::ofstream(folder_ + "/ca.crt") << server.authority_pem();
    std::ofstream(folder_ + "/kubeconfig") << "kind: Config\napiVersion: v1\n";
  }
  ~HostileTest() override { std::filesystem::remove_all(folder_); }

  /// `check` for each shape that has what is wanted, several at a time.
  template <class Wanted, class Check>
  void for_each_shape(Wanted&& wanted, Check&& check) {
    const char* only = std::getenv("KUBEXX_HOSTILE_SHAPE");
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> workers;
    for (int i = 0; i < kAtOnce; ++i) {
      workers.emplace_back([&] {
        for (std::size_t at = next++; at < server.shapes().size(); at = next++) {
          const auto& shape = server.shapes()[at];
          if (!wanted(shape) || (only && shape.name != only)) continue;
          SCOPED_TRACE(shape.name);
          check(at, shape);
        }
      });
    }
  }

  /// How long an answer to `get` may take. One that fails may need all of it, or is asked for again until then; a good
  /// one is there sooner, except on a busy machine.
  static std::string time_for(const Expected& expected) {
    const bool may_fail = expected.end == Expected::End::Bad || has_any(expected.text, "closed");
    return may_fail ? "2s" : "20s";
  }

  std::vector<std::string> program(std::size_t shape, const std::string& client, std::vector<std::string> words,
                                   const std::string& timeout = "2s") const {
    words.insert(words.begin(), std::getenv("KUBEXX_PROGRAM"));
    for (const std::string& word :
         {std::string("-A"), "--server=" + server.url(shape, client), "--certificate-authority=" + folder_ + "/ca.crt",
          "--kubeconfig=" + folder_ + "/kubeconfig", "--request-timeout=" + timeout}) {
      words.push_back(word);
    }
    return words;
  }

  Server server{all_shapes()};
  std::string folder_;
};

TEST_F(HostileTest, EveryShapeHasANameOfItsOwnAndAnExpectation) {
  std::set<std::string> names;
  for (const auto& shape : server.shapes()) {
    EXPECT_TRUE(names.insert(shape.name).second) << shape.name;
    EXPECT_TRUE(shape.get || shape.follow) << shape.name;
  }
  EXPECT_GE(names.size(), 157U);
}

// As a table, of which the whole answer is read, and as names, for which it is read item by item.
TEST_F(HostileTest, GetEndsWithTheObjectsOrWithAnErrorThatSaysWhy) {
  for_each_shape([](const Shape& shape) { return shape.get.has_value(); },
                 [&](std::size_t at, const Shape& shape) {
                   for (const std::string form : {"wide", "name"}) {
                     Child child(program(at, "get-" + form, {"get", "pods", "-o", form}, time_for(*shape.get)));
                     ASSERT_TRUE(child.ends_within(kPatience)) << form;
                     const auto end = shape.get->end;
                     const bool good = end == Expected::End::Either ? child.code() == 0 : end == Expected::End::Good;
                     EXPECT_TRUE(has_any(good ? child.out() + child.err() : child.err(), shape.get->text))
                         << form << ", expected: " << shape.get->text << "\nout: " << shown(child.out())
                         << "\nerr: " << shown(child.err());
                     EXPECT_EQ(child.code(), good ? 0 : 1) << form << ": " << shown(child.err());
                     EXPECT_LE(lines(child.err()), good ? 3 : 1) << form << ": " << shown(child.err());
                     EXPECT_LE(child.peak_megabytes(), kMostMegabytes) << form;
                   }
                 });
}

TEST_F(HostileTest, WatchShowsTheObjectsOrSaysWhyNotAndEndsWhenItIsTold) {
  for_each_shape(
      [](const Shape&) { return true; },
      [&](std::size_t at, const Shape& shape) {
        const auto& expected = shape.followed();
        Child child(program(at, "watch", {"watch", "pods", "-o", "name"}));
        EXPECT_TRUE(child.says(expected.text, kPatience))
            << "expected: " << expected.text << "\nout: " << shown(child.out()) << "\nerr: " << shown(child.err());
        if (!shape.gives_up) child.terminate();
        ASSERT_TRUE(child.ends_within(kPatience));
        if (expected.end != Expected::End::Either) {
          EXPECT_TRUE(has_any(expected.end == Expected::End::Good ? child.out() : child.err(), expected.text));
        }
        EXPECT_EQ(child.code(), shape.gives_up ? 1 : 0) << shown(child.err());
        EXPECT_LE(lines(child.err()), kMostLines) << shown(child.err());
        EXPECT_LE(child.peak_megabytes(), kMostMegabytes);
      });
}

/// Counts lines by the shape whose reflector wrote them.
class CountingSink final : public LogSink {
 public:
  void write(LogLevel, std::string_view, std::span<const LogField> fields) override {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, value] : fields) {
      if (key == "reflector") ++lines_[value];
    }
  }
  std::map<std::string, int> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int> lines_;  // guarded by mutex_
};

TEST_F(HostileTest, AnInformerHasTheObjectsOrKnowsWhyNot) {
  const auto log = std::make_shared<CountingSink>();
  set_log_sink(log);
  for_each_shape([](const Shape&) { return true; },
                 [&](std::size_t at, const Shape& shape) {
                   const auto& expected = shape.followed();
                   rest::Config config;
                   config.host = server.url(at, "informer");
                   config.tls.ca_data = shape.http2 ? server.authority_pem() : "";
                   config.timeout = seconds(2);
                   informer::FactoryOptions options;
                   options.name = shape.name;
                   informer::SharedInformerFactory factory(rest::Client::create(config).value(), options);
                   const auto pods = factory.for_resource({"", "v1", "pods"}).value();
                   factory.start();
                   const auto as_expected = [&] {
                     const auto status = pods.informer().status();
                     const auto& error = status.reflector.last_error;
                     const bool good =
                         expected.end != Expected::End::Bad && status.synced && has_any(names_in(pods), expected.text);
                     const bool bad =
                         expected.end != Expected::End::Good && error && has_any(error->message(), expected.text);
                     return good || bad;
                   };
                   // Once: the next attempt may have begun when it is looked at again.
                   const bool met = testkit::eventually(as_expected, kPatience);
                   const auto status = pods.informer().status();
                   EXPECT_TRUE(met) << "expected: " << expected.text << "\nstate: " << to_string(status.reflector.state)
                                    << "\nobjects: " << names_in(pods) << "\nerror: "
                                    << (status.reflector.last_error ? status.reflector.last_error->message() : "none");
                 });
  set_log_sink(nullptr);
  for (const auto& [reflector, count] : log->lines()) EXPECT_LE(count, kMostLines) << reflector;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  EXPECT_LE(used.ru_maxrss / 1024, 1000);  // of all the informers, and of the server
}

TEST_F(HostileTest, AServerThatEndsWatchesAtOnceIsAskedAFewTimesASecond) {
  std::size_t shape = 0;
  while (server.shapes()[shape].name != "watch: ends after every event") ++shape;
  rest::Config config;
  config.host = server.url(shape, "patient");
  informer::FactoryOptions options;
  options.defaults.backoff = Backoff::none();
  informer::SharedInformerFactory factory(rest::Client::create(config).value(), options);
  ASSERT_TRUE(factory.for_resource({"", "v1", "pods"}));
  const auto begin = Clock::system().now();
  factory.start();

  EXPECT_TRUE(testkit::eventually([&] { return server.watches(shape, "patient") >= 9; }, kPatience));
  EXPECT_GE(Clock::system().now() - begin, std::chrono::milliseconds(1900));
}

}  // namespace
}  // namespace kubexx::hostile
