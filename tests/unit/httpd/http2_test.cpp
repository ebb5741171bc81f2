#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/httpd/server.hpp"
#include "unit/httpd/http2_client.hpp"
#include "unit/httpd/test_server.hpp"

namespace kubexx::httpd {
namespace {

TEST(Http2Test, PriorKnowledgeIsRecognizedInCleartext) {
  const auto server = serve(echo);
  Http2Client client(server->port());

  const auto& answer = client.get("/a?b=c");

  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "GET /a?b=c ");
  EXPECT_EQ(answer.headers.at("content-length"), "11");
  EXPECT_FALSE(answer.headers.at("date").empty());
  EXPECT_TRUE(answer.ended);
}

TEST(Http2Test, APrefaceInSmallPiecesIsRecognized) {
  const auto server = serve(echo);
  RawClient client(server->port());
  const std::string hello = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + std::string("\0\0\0\4\0\0\0\0\0", 9);

  for (char c : hello) client.send({&c, 1});

  const std::string frames = client.receive();
  ASSERT_GE(frames.size(), 9U);
  EXPECT_EQ(frames[3], '\4') << "SETTINGS comes first";
}

TEST(Http2Test, TheHandlerSeesAuthorityAsHost) {
  Inbox inbox;
  const auto server = serve(inbox.handler());
  Http2Client client(server->port());
  const auto id = client.send("POST", "/p", {{"x-a", "1"}, {"accept", "application/json"}}, "hello");
  std::thread answering([&] { inbox.at(0).second.respond(201, {{"X-Mixed-Case", "v"}}, "done"); });

  EXPECT_TRUE(client.run_until([&] { return client.stream(id).closed; }));
  answering.join();

  const Request& request = inbox.at(0).first;
  EXPECT_EQ(request.http_major, 2);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/p");
  EXPECT_EQ(request.header("host"), "localhost");
  EXPECT_EQ(request.header("x-a"), "1");
  EXPECT_EQ(request.body, "hello");
  EXPECT_EQ(client.stream(id).status, 201);
  EXPECT_EQ(client.stream(id).headers.at("x-mixed-case"), "v");
}

TEST(Http2Test, AnswersOfOneConnectionDoNotWaitForEachOther) {
  Inbox inbox;
  const auto server = serve(inbox.handler());
  Http2Client client(server->port());
  const auto watch = client.send("GET", "/watch");
  const auto get = client.send("GET", "/get");
  ASSERT_TRUE(client.run_until([&] { return client.settings > 0; }));

  inbox.at(0).second.start(200, {});
  inbox.at(0).second.write("event 1");
  inbox.at(1).second.respond(200, {}, "got");

  EXPECT_TRUE(client.run_until([&] { return client.stream(get).closed && client.stream(watch).body == "event 1"; }));
  EXPECT_FALSE(client.stream(watch).closed);
  inbox.at(0).second.write(", event 2");
  EXPECT_TRUE(client.run_until([&] { return client.stream(watch).body == "event 1, event 2"; }));
  inbox.at(0).second.finish();
  EXPECT_TRUE(client.run_until([&] { return client.stream(watch).closed; }));
  EXPECT_TRUE(client.stream(watch).ended);
}

TEST(Http2Test, AtMostTheConfiguredNumberOfStreamsRunsOnAConnection) {
  Inbox inbox;
  const auto server = serve(inbox.handler());
  Http2Client client(server->port());
  ASSERT_TRUE(client.run_until([&] { return client.settings > 0; }));
  EXPECT_EQ(client.peer_max_streams(), 100U);

  std::vector<std::int32_t> ids;
  for (int i = 0; i < 150; ++i) ids.push_back(client.send("GET", "/" + std::to_string(i)));
  client.ping();  // overtakes the requests
  ASSERT_TRUE(client.run_until([&] { return client.pongs == 1; }));
  inbox.at(99);
  client.ping();
  ASSERT_TRUE(client.run_until([&] { return client.pongs == 2; }));
  EXPECT_EQ(inbox.size(), 100U) << "nghttp2's client keeps the limit too: the rest waits in it";

  for (std::size_t i = 0; i < 50; ++i) inbox.at(i).second.respond(200, {}, "");
  ASSERT_TRUE(client.run_until([&] { return client.stream(ids[49]).closed; }));
  inbox.at(149);
  for (std::size_t i = 50; i < 150; ++i) inbox.at(i).second.respond(200, {}, "");
  EXPECT_TRUE(client.run_until(
      [&] { return std::ranges::all_of(ids, [&](std::int32_t id) { return client.stream(id).status == 200; }); }));
}

TEST(Http2Test, StreamsAboveTheLimitAreRefused) {
  Inbox inbox;
  const auto server = serve({.max_streams = 3}, inbox.handler());
  Http2Client client(server->port());
  // Sent before the server's SETTINGS are known here.
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(client.send("GET", "/"));

  EXPECT_TRUE(client.run_until([&] { return client.stream(ids[4]).closed && client.stream(ids[3]).closed; }));

  EXPECT_EQ(client.stream(ids[3]).error, static_cast<std::uint32_t>(NGHTTP2_REFUSED_STREAM));
  EXPECT_FALSE(client.stream(ids[2]).closed);
  inbox.at(2);
  EXPECT_EQ(inbox.size(), 3U);
}

TEST(Http2Test, PingsAreAnsweredWhileEveryStreamIsSilent) {
  Inbox inbox;
  const auto server = serve(inbox.handler());
  Http2Client client(server->port());
  client.send("GET", "/watch");

  for (int i = 1; i <= 3; ++i) {
    client.ping();
    EXPECT_TRUE(client.run_until([&] { return client.pongs == i; }));
  }
}

TEST(Http2Test, LargeBodiesPassBothWays) {
  const auto server =
      serve([](Request request, Responder responder) { responder.respond(200, {}, std::move(request.body)); });
  std::string body(10 << 20, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 31 >> 7);
  Http2Client client(server->port());

  const auto id = client.send("POST", "/", {}, body);

  ASSERT_TRUE(client.run_until([&] { return client.stream(id).closed; }));
  EXPECT_TRUE(client.stream(id).body == body);
}

TEST(Http2Test, BodiesAboveTheLimitAreRefusedAndTheConnectionLives) {
  const auto server = serve({.max_body = 1000}, echo);
  Http2Client client(server->port());

  const auto announced = client.send("POST", "/", {{"content-length", "5000000"}}, std::string(5'000'000, 'x'));
  const auto found_out = client.send("POST", "/", {}, std::string(5'000'000, 'x'));
  const auto exact = client.send("POST", "/", {}, std::string(1000, 'x'));

  ASSERT_TRUE(client.run_until([&] {
    return client.stream(announced).closed && client.stream(found_out).closed && client.stream(exact).closed;
  }));
  EXPECT_EQ(client.stream(announced).status, 413);
  EXPECT_EQ(client.stream(found_out).status, 413);
  EXPECT_EQ(client.stream(found_out).body, "413\n");
  EXPECT_LT(client.stream(found_out).uploaded, 5'000'000U) << "told to stop";
  EXPECT_EQ(client.stream(exact).status, 200);
  EXPECT_EQ(client.get("/after").status, 200);
}

TEST(Http2Test, HeadersAboveTheLimitAreRefusedAndTheConnectionLives) {
  const auto server = serve({.max_header = 4096}, echo);
  Http2Client client(server->port());

  const auto id = client.send("GET", "/", {{"x-long", std::string(5000, 'a')}});

  ASSERT_TRUE(client.run_until([&] { return client.stream(id).closed; }));
  EXPECT_EQ(client.stream(id).status, 431);
  EXPECT_EQ(client.get("/after").status, 200);
}

TEST(Http2Test, AFloodOfHeaderFieldsIsRefused) {
  const auto server = serve(echo);
  Http2Client client(server->port());
  HeaderFields fields;
  for (int i = 0; i < 3000; ++i) fields.emplace_back("x-" + std::to_string(i), std::string(200, 'a'));

  const auto id = client.send("GET", "/", fields);

  client.run_until([&] { return client.stream(id).closed; });
  EXPECT_NE(client.stream(id).status, 200);
  Http2Client other(server->port());
  EXPECT_EQ(other.get("/").status, 200);
}

TEST(Http2Test, AClientThatExpectsToBeAskedForItsBodyIsAsked) {
  const auto server = serve(echo);
  Http2Client client(server->port());

  const auto id = client.send("POST", "/", {{"expect", "100-continue"}}, "abc");

  ASSERT_TRUE(client.run_until([&] { return client.stream(id).closed; }));
  EXPECT_THAT(client.stream(id).interim, testing::ElementsAre(100));
  EXPECT_EQ(client.stream(id).body, "POST / abc");
}

TEST(Http2Test, HeadAndStatusesWithoutABodySendNone) {
  const auto server = serve([](Request request, Responder responder) {
    if (request.target == "/stream") {
      responder.start(200, {});
      responder.write("body");
      responder.finish();
    } else {
      responder.respond(request.target == "/none" ? 204 : 200, {}, "body");
    }
  });
  Http2Client client(server->port());
  const auto whole = client.send("HEAD", "/");
  const auto streamed = client.send("HEAD", "/stream");
  const auto none = client.send("GET", "/none");

  ASSERT_TRUE(client.run_until(
      [&] { return client.stream(whole).closed && client.stream(streamed).closed && client.stream(none).closed; }));
  EXPECT_EQ(client.stream(whole).headers.at("content-length"), "4");
  EXPECT_EQ(client.stream(whole).body + client.stream(streamed).body + client.stream(none).body, "");
  EXPECT_EQ(client.stream(none).status, 204);
  EXPECT_TRUE(client.stream(streamed).ended);
}

TEST(Http2Test, AResetByThePeerClosesTheAnswer) {
  Inbox inbox;
  const auto server = serve(inbox.handler());
  Http2Client client(server->port());
  const auto id = client.send("GET", "/watch");
  client.run_until([&] { return client.settings > 0; });
  const Responder& responder = inbox.at(0).second;
  responder.start(200, {});
  ASSERT_TRUE(client.run_until([&] { return client.stream(id).status == 200; }));
  Monitor monitor;
  bool closed = false;
  responder.on_close([&] { monitor.change([&] { closed = true; }); });

  client.reset(id);
  client.ping();
  ASSERT_TRUE(client.run_until([&] { return client.pongs == 1; }));

  EXPECT_TRUE(monitor.wait([&] { return closed; }));
  EXPECT_TRUE(responder.closed());
  responder.write("into the void");
  EXPECT_EQ(responder.backlog(), 0U);
}

TEST(Http2Test, ThousandsOfCanceledStreamsAreNoAttack) {
  const auto server = serve([](Request request, Responder responder) {
    if (request.target == "/") return responder.respond(200, {}, "x");
    responder.start(200, {});
    responder.on_close([responder] {});
  });
  Http2Client client(server->port());
  for (int round = 0; round < 40; ++round) {
    std::vector<std::int32_t> ids;
    for (int i = 0; i < 100; ++i) ids.push_back(client.send("GET", "/watch"));
    ASSERT_TRUE(client.run_until([&] { return client.stream(ids.back()).status == 200; }));
    for (const auto id : ids) client.reset(id);
    ASSERT_TRUE(client.run_until([&] { return client.stream(ids.back()).closed; }));
  }
  EXPECT_EQ(client.get("/").status, 200);
}

TEST(Http2Test, AFloodOfResetsEndsItsConnectionAndNoOther) {
  const auto server = serve([](Request request, Responder responder) {
    if (request.target == "/") responder.respond(200, {}, "x");
  });
  Http2Client attacker(server->port());
  int sent = 0;
  for (int round = 0; round < 100 && attacker.goaways == 0 && !attacker.ended; ++round) {
    // All of a round at once: what the server minds is how many come in a second.
    std::vector<std::int32_t> ids;
    for (int i = 0; i < 100; ++i, ++sent) ids.push_back(attacker.send("GET", "/list"));
    attacker.run_until([] { return true; });
    for (const auto id : ids) attacker.reset(id);
    attacker.ping();
    attacker.run_until([&] { return attacker.pongs == round + 1 || attacker.goaways > 0; });
  }

  EXPECT_LT(sent, 10'000);
  EXPECT_EQ(attacker.goaways, 1);
  EXPECT_EQ(Http2Client(server->port()).get("/").status, 200);
}

TEST(Http2Test, NonsenseAfterThePrefaceEndsTheConnectionWithAReason) {
  const auto server = serve(echo);
  for (std::string bytes : {std::string(100, 'x'), std::string("\xff\xff\xff\0\0\0\0\0\1", 9),
                            std::string("\0\0\4\3\0\0\0\0\0", 9) + "abcd", std::string("\0\0\1\1\4\0\0\0\2\x82", 10)}) {
    RawClient client(server->port());
    client.send(std::string(NGHTTP2_CLIENT_MAGIC) + std::string("\0\0\0\4\0\0\0\0\0", 9) + bytes);
    client.rest();
    EXPECT_FALSE(client.timed_out());
  }
  Http2Client other(server->port());
  EXPECT_EQ(other.get("/").status, 200);
}

TEST(Http2Test, PeersThatDoNotSayWhatTheyWantAreCutOff) {
  const auto server = serve({.header_timeout = std::chrono::milliseconds(100)}, echo);
  RawClient no_settings(server->port());
  no_settings.send(NGHTTP2_CLIENT_MAGIC);
  no_settings.rest();
  EXPECT_FALSE(no_settings.timed_out());

  RawClient half_header(server->port());
  half_header.send(std::string(NGHTTP2_CLIENT_MAGIC) + std::string("\0\0\0\4\0\0\0\0\0", 9) +
                   std::string("\0\0\1\1\0\0\0\0\1\x82", 10));
  half_header.rest();
  EXPECT_FALSE(half_header.timed_out());
}

TEST(Http2Test, AnIdleConnectionGetsAGoawayAndAQuietAnswerDoesNot) {
  Inbox inbox;
  const auto server = serve({.idle_timeout = std::chrono::milliseconds(100)}, inbox.handler());
  Http2Client idle(server->port());
  Http2Client watching(server->port());
  const auto id = watching.send("GET", "/watch");
  watching.run_until([&] { return watching.settings > 0; });
  inbox.at(0).second.start(200, {});
  ASSERT_TRUE(watching.run_until([&] { return watching.stream(id).status == 200; }));

  EXPECT_TRUE(idle.run_until([&] { return idle.goaways > 0; }));

  EXPECT_EQ(idle.goaway_error, static_cast<std::uint32_t>(NGHTTP2_NO_ERROR));
  EXPECT_TRUE(watching.raw().silent_for(300));
  inbox.at(0).second.write("late");
  EXPECT_TRUE(watching.run_until([&] { return watching.stream(id).body == "late"; }));
}

TEST(Http2Test, ABodyThatComesTooSlowlyIsReset) {
  const auto server = serve({.idle_timeout = std::chrono::milliseconds(100)}, echo);
  Http2Client client(server->port());
  const auto id = client.send("POST", "/", {}, "abc");
  client.stream(id).endless = true;

  EXPECT_TRUE(client.run_until([&] { return client.stream(id).closed; }));

  EXPECT_EQ(client.stream(id).error, static_cast<std::uint32_t>(NGHTTP2_CANCEL));
}

TEST(Http2Test, ManyHalfSentBodiesAreBoundedTogether) {
  const auto server = serve({.max_body = 1 << 20}, echo);
  Http2Client client(server->port());
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 20; ++i) {
    ids.push_back(client.send("POST", "/", {}, std::string(900'000, 'x')));
    client.stream(ids.back()).endless = true;
  }

  EXPECT_TRUE(client.run_until([&] {
    return std::ranges::count_if(ids, [&](std::int32_t id) { return client.stream(id).status == 503; }) > 10;
  }));
}

TEST(Http2Test, HttpTwoCanBeSwitchedOff) {
  const auto server = serve({.http2 = false}, echo);
  RawClient client(server->port());
  client.send(NGHTTP2_CLIENT_MAGIC);
  EXPECT_EQ(client.reply().status, 400);
}

}  // namespace
}  // namespace kubexx::httpd
