#include "kubexx/meta/list_progress.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kubexx::meta {
namespace {

TEST(ListProgressTest, AMillionObjectsInSmallPagesAreAList) {
  ListProgress progress;
  for (int page = 0; page < 50'000; ++page) {
    ASSERT_TRUE(progress.page(20, page + 1 < 50'000 ? "token " + std::to_string(page) : ""));
  }
}

TEST(ListProgressTest, ATokenThatComesAgainIsAnError) {
  ListProgress progress;
  for (const char* token : {"a", "b"}) {
    ASSERT_TRUE(progress.add());
    ASSERT_TRUE(progress.end_page(token));
  }
  ASSERT_TRUE(progress.add());

  const auto end = progress.end_page("a");

  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind(), ErrorKind::Decode);
  EXPECT_EQ(end.error().message(), "the list does not end: the server repeated a continue token");
}

TEST(ListProgressTest, EmptyPagesInARowThatGoOnAreAnError) {
  ListProgress progress;
  int pages = 0;
  while (progress.end_page(std::to_string(pages))) ++pages;

  EXPECT_EQ(pages, 4);
}

TEST(ListProgressTest, AnEmptyPageNowAndThenIsNone) {
  ListProgress progress;
  for (int page = 0; page < 100; ++page) {
    ASSERT_TRUE(progress.page(page % 4 == 0 ? 1 : 0, std::to_string(page))) << page;
  }
}

TEST(ListProgressTest, TheLastPageMayBeEmptyAndTheOnlyOne) {
  EXPECT_TRUE(ListProgress().end_page(""));
}

TEST(ListProgressTest, MoreObjectsThanTheLimitAreAnError) {
  ListProgress progress({.max_objects = 10});
  ASSERT_TRUE(progress.add(7));
  ASSERT_TRUE(progress.end_page("more"));
  ASSERT_TRUE(progress.add(3));

  const auto more = progress.add();

  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().transport_failure(), TransportFailure::TooLarge);
  EXPECT_EQ(more.error().message(), "the list has more than 10 objects");
}

TEST(ListProgressTest, MorePagesThanTheLimitAreAnError) {
  ListProgress progress({.max_pages = 2});
  ASSERT_TRUE(progress.add());
  ASSERT_TRUE(progress.end_page("1"));
  ASSERT_TRUE(progress.add());
  EXPECT_TRUE(ListProgress(progress).end_page(""));

  const auto more = progress.end_page("2");

  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().message(), "the list has more than 2 pages");
}

}  // namespace
}  // namespace kubexx::meta
