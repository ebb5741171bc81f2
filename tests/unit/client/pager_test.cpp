#include "kubexx/client/pager.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "kubexx/meta/json.hpp"
#include "unit/base/wait.hpp"

namespace kubexx::client {
namespace {

using testing::ElementsAre;

meta::Object item(int number) {
  return meta::parse_json(R"({"metadata":{"name":"i)" + std::to_string(number) + "\"}}").value();
}

/// A list of so many items, in pages, that remembers what it was asked.
struct Pages {
  int items = 0;
  int expires_at_page = 0;  // 1: the first
  std::vector<ListOptions> asked;
  test::Count calls;

  Result<ObjectList> operator()(const ListOptions& options) {
    asked.push_back(options);
    calls.add();
    const int begin = options.continue_token.empty() ? 0 : std::stoi(options.continue_token);
    const bool whole = options.limit == 0;
    const int page = whole ? 1 : begin / static_cast<int>(options.limit) + 1;
    if (page == expires_at_page && !whole) return Error::api(410, "Expired", "the token is too old");
    ObjectList list;
    list.meta.kind = "PodList";
    list.meta.resource_version = whole ? "whole" : "v" + std::to_string(page);
    const int end = whole ? items : std::min(items, begin + static_cast<int>(options.limit));
    for (int i = begin; i < end; ++i) list.items.push_back(item(i));
    if (end < items) {
      list.meta.continue_token = std::to_string(end);
      list.meta.remaining_item_count = items - end;
    }
    return list;
  }
};

class PagerTest : public testing::Test {
 protected:
  Pager pager(PagerOptions options = {}) {
    if (options.page_size == 500) options.page_size = 10;
    return Pager([this](const ListOptions& page) { return pages(page); }, executor, options);
  }
  std::vector<std::string> versions_asked() const {
    std::vector<std::string> out;
    for (const auto& options : pages.asked) {
      out.push_back(options.resource_version + "/" + options.resource_version_match + "/" + options.continue_token);
    }
    return out;
  }

  Pages pages;
  std::shared_ptr<Executor> executor = std::make_shared<ElasticExecutor>();
};

// TestListPager_List
TEST_F(PagerTest, AListOfOnePageIsReturnedAsItIs) {
  for (const int count : {0, 1, 10}) {
    pages.items = count;
    const auto list = pager().list();
    ASSERT_TRUE(list);
    EXPECT_FALSE(list->paginated);
    EXPECT_EQ(list->items.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(list->meta.resource_version, "v1");
  }
  EXPECT_EQ(pages.asked.size(), 3U);
}

TEST_F(PagerTest, LaterPagesAreAppendedUnderTheMetadataOfTheFirst) {
  for (const int count : {11, 21, 30}) {
    pages.items = count;
    const auto list = pager().list();
    ASSERT_TRUE(list);
    EXPECT_TRUE(list->paginated);
    EXPECT_EQ(list->meta.resource_version, "v1");
    EXPECT_EQ(list->meta.continue_token, "");
    EXPECT_EQ(list->meta.remaining_item_count, std::nullopt);
    ASSERT_EQ(list->items.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) EXPECT_EQ(list->items[i].name(), "i" + std::to_string(i));
  }
}

TEST_F(PagerTest, TheVersionIsAskedForWithTheFirstPageOnly) {
  pages.items = 25;
  ASSERT_TRUE(pager().list({.resource_version = "9", .resource_version_match = "Exact"}));
  EXPECT_THAT(versions_asked(), ElementsAre("9/Exact/", "//10", "//20"));

  pages.asked.clear();
  ASSERT_TRUE(pager().each_list_item({.resource_version = "9"}, [](const meta::Object&) { return Result<void>(); }));
  EXPECT_THAT(versions_asked(), ElementsAre("9//", "//10", "//20"));
}

TEST_F(PagerTest, AnExpiredTokenIsAnsweredByOneWholeListAtTheOriginalVersion) {
  pages.items = 25;
  pages.expires_at_page = 2;

  const auto list = pager().list({.resource_version = "9", .resource_version_match = "NotOlderThan"});

  ASSERT_TRUE(list);
  EXPECT_EQ(list->items.size(), 25U);
  EXPECT_EQ(list->meta.resource_version, "whole");
  EXPECT_EQ(pages.asked.back().limit, 0);
  EXPECT_EQ(versions_asked().back(), "9/NotOlderThan/");
}

TEST_F(PagerTest, AnExpiredTokenIsAnErrorWithoutTheFallback) {
  pages.items = 25;
  pages.expires_at_page = 2;
  PagerOptions options;
  options.full_list_if_expired = false;

  EXPECT_TRUE(pager(options).list().error().is_expired());
  EXPECT_EQ(pages.asked.size(), 2U);
}

TEST_F(PagerTest, AnExpiredFirstPageIsAnError) {
  pages.items = 25;
  pages.expires_at_page = 1;

  EXPECT_TRUE(pager().list().error().is_expired());
  EXPECT_EQ(pages.asked.size(), 1U);
}

TEST_F(PagerTest, StopIsSeenBetweenPages) {
  pages.items = 25;
  std::stop_source stop;
  Pager stopping(
      [&](const ListOptions& page) {
        stop.request_stop();
        return pages(page);
      },
      executor, {.page_size = 10});

  EXPECT_TRUE(stopping.list({.stop = stop.get_token()}).error().is_canceled());
  EXPECT_EQ(pages.asked.size(), 1U);
}

// TestListPager_EachListItem
TEST_F(PagerTest, EveryItemIsVisitedInOrderWhateverTheBuffer) {
  for (const std::size_t buffer : {0U, 1U, 10U}) {
    for (const int count : {0, 1, 10, 11, 40}) {
      pages.items = count;
      int next = 0;
      const auto done = pager({.buffered_pages = buffer}).each_list_item({}, [&](const meta::Object& object) {
        EXPECT_EQ(object.name(), "i" + std::to_string(next++));
        return Result<void>();
      });
      EXPECT_TRUE(done);
      EXPECT_EQ(next, count);
    }
  }
}

TEST_F(PagerTest, TheErrorOfTheVisitorEndsTheVisit) {
  pages.items = 1000;
  int seen = 0;

  const auto done = pager().each_list_item({}, [&](const meta::Object&) -> Result<void> {
    if (++seen == 3) return Error::config("enough");
    return {};
  });

  EXPECT_EQ(done.error().message(), "enough");
  EXPECT_EQ(seen, 3);
  EXPECT_LE(pages.calls.value(), 12);
}

TEST_F(PagerTest, AnExpiredTokenEndsTheVisitAfterThePagesBefore) {
  pages.items = 25;
  pages.expires_at_page = 2;
  int seen = 0;

  const auto done = pager().each_list_item({}, [&](const meta::Object&) {
    ++seen;
    return Result<void>();
  });

  EXPECT_TRUE(done.error().is_expired());
  EXPECT_EQ(seen, 10);
}

TEST_F(PagerTest, StopEndsTheVisit) {
  pages.items = 1000;
  std::stop_source stop;
  int seen = 0;

  const auto done = pager().each_list_item({.stop = stop.get_token()}, [&](const meta::Object&) {
    if (++seen == 5) stop.request_stop();
    return Result<void>();
  });

  EXPECT_TRUE(done.error().is_canceled());
  EXPECT_EQ(seen, 5);
}

TEST_F(PagerTest, StopEndsAVisitThatWaitsForAPage) {
  std::stop_source stop;
  Pager waiting(
      [&](const ListOptions& page) -> Result<ObjectList> {
        stop.request_stop();
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any never;
        never.wait(lock, page.stop, [] { return false; });
        return Error::canceled();
      },
      executor);

  const auto done = waiting.each_list_item({.stop = stop.get_token()}, [](const meta::Object&) -> Result<void> {
    ADD_FAILURE() << "nothing came";
    return {};
  });

  EXPECT_TRUE(done.error().is_canceled());
}

TEST_F(PagerTest, AListWhosePagesNeverEndIsAnErrorHoweverItIsRead) {
  int asked = 0;
  const Pager circles(
      [&](const ListOptions&) -> Result<ObjectList> {
        ObjectList page;
        page.items.push_back(item(++asked));
        page.meta.continue_token = asked % 2 == 0 ? "even" : "odd";
        return page;
      },
      executor);

  EXPECT_THAT(circles.list().error().message(), testing::HasSubstr("repeated a continue token"));
  EXPECT_EQ(std::exchange(asked, 0), 3);
  int seen = 0;
  const auto visited = circles.each_list_item({}, [&](const meta::Object&) {
    ++seen;
    return Result<void>();
  });
  EXPECT_THAT(visited.error().message(), testing::HasSubstr("repeated a continue token"));
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(seen, 2);
}

TEST_F(PagerTest, AListLargerThanItsLimitsIsAnError) {
  pages.items = 1000;
  ListOptions options;
  options.limits.max_objects = 25;
  EXPECT_EQ(pager().list(options).error().message(), "the list has more than 25 objects");
  options.limits = {.max_pages = 3};
  EXPECT_EQ(pager().list(options).error().message(), "the list has more than 3 pages");
}

TEST_F(PagerTest, TheWholeListAfterAnExpiredTokenHasLimitsToo) {
  pages.items = 25;
  pages.expires_at_page = 2;
  ListOptions options;
  options.limits.max_objects = 20;
  EXPECT_EQ(pager().list(options).error().message(), "the list has more than 20 objects");
}

// TestListPager_eachListPageBuffered
TEST_F(PagerTest, NoMorePagesAreFetchedAheadThanTheBufferHolds) {
  for (const std::size_t buffer : {0U, 1U, 10U}) {
    Pages many;
    many.items = 1000;
    Pager all([&](const ListOptions& page) { return many(page); }, executor,
              {.page_size = 10, .buffered_pages = buffer});
    const int ahead = static_cast<int>(buffer) + 1;  // the one being visited, and the buffer

    const auto done = all.each_list_item({}, [&](const meta::Object&) -> Result<void> {
      EXPECT_TRUE(many.calls.reaches(ahead));
      return Error::config("enough");
    });

    EXPECT_FALSE(done);
    EXPECT_EQ(many.calls.value(), ahead) << buffer;
  }
}

}  // namespace
}  // namespace kubexx::client
