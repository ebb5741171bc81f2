#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "kubexx/httpd/server.hpp"
#include "unit/httpd/raw_client.hpp"
#include "unit/httpd/test_server.hpp"

namespace kubexx::httpd {
namespace {

using testing::HasSubstr;

TEST(Http1Test, OneConnectionCarriesManyRequests) {
  const auto server = serve(echo);
  RawClient client(server->port());

  for (int i = 0; i < 5; ++i) {
    client.send("GET /a?n=" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    const auto reply = client.reply();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "GET /a?n=" + std::to_string(i) + " ");
    EXPECT_FALSE(reply.headers.at("date").empty());
  }
  EXPECT_EQ(server->connections(), 1U);
}

TEST(Http1Test, TheHandlerSeesTheRequestAsItWasSent) {
  Inbox inbox;
  const auto server = serve(inbox.handler());
  RawClient client(server->port());

  client.send("PATCH http://host/p?q=%20 HTTP/1.1\r\nHost: x\r\nX-MiXed: a b\r\nContent-Length: 4\r\n\r\nbody");

  const Request& request = inbox.at(0).first;
  EXPECT_EQ(request.method, "PATCH");
  EXPECT_EQ(request.target, "/p?q=%20");
  EXPECT_EQ(request.header("x-mixed"), "a b");
  EXPECT_EQ(request.header("absent"), "");
  EXPECT_EQ(request.body, "body");
  EXPECT_EQ(request.http_major, 1);
  EXPECT_THAT(request.peer, testing::StartsWith("127.0.0.1:"));
}

TEST(Http1Test, StreamedAnswersAreChunkedAndArriveAsTheyAreWritten) {
  Inbox inbox;
  const auto server = serve(inbox.handler());
  RawClient client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const Responder& responder = inbox.at(0).second;

  responder.start(200, {{"Content-Type", "application/json"}});
  responder.write("one");
  EXPECT_TRUE(client.fill_until("3\r\none\r\n"));
  responder.write("");
  responder.write("twotwo");
  EXPECT_TRUE(client.fill_until("6\r\ntwotwo\r\n"));
  responder.finish();

  const auto reply = client.reply();
  EXPECT_EQ(reply.headers.at("transfer-encoding"), "chunked");
  EXPECT_EQ(reply.headers.at("content-type"), "application/json");
  EXPECT_EQ(reply.body, "onetwotwo");
  EXPECT_TRUE(reply.complete);
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  inbox.at(1).second.respond(204, {}, "");
  EXPECT_EQ(client.reply().status, 204);
}

TEST(Http1Test, PipelinedRequestsAreAnsweredInOrder) {
  Inbox inbox;
  const auto server = serve(inbox.handler());
  RawClient client(server->port());

  client.send(
      "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"
      "GET /3 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(inbox.at(0).first.target, "/1");
  EXPECT_EQ(inbox.size(), 1U) << "the second must wait for the first answer";
  for (std::size_t i = 0; i < 3; ++i) inbox.at(i).second.respond(200, {}, inbox.at(i).first.target);

  EXPECT_EQ(client.reply().body, "/1");
  EXPECT_EQ(client.reply().body, "/2");
  EXPECT_EQ(client.reply().body, "/3");
}

TEST(Http1Test, HeadGetsTheHeaderOfTheAnswerAlone) {
  const auto server = serve(echo);
  RawClient client(server->port());

  client.send("HEAD /x HTTP/1.1\r\nHost: x\r\n\r\nGET /y HTTP/1.1\r\nHost: x\r\n\r\n");

  const auto head = client.reply(true);
  EXPECT_EQ(head.headers.at("content-length"), std::to_string(std::string("HEAD /x ").size()));
  EXPECT_EQ(client.reply().body, "GET /y ");
}

TEST(Http1Test, AStreamedAnswerToHeadSendsNoBody) {
  const auto server = serve([](Request request, Responder responder) {
    responder.start(200, {});
    responder.write("body of " + request.method);
    responder.finish();
  });
  RawClient client(server->port());

  client.send("HEAD /x HTTP/1.1\r\nHost: x\r\n\r\nGET /y HTTP/1.1\r\nHost: x\r\n\r\n");

  EXPECT_EQ(client.reply(true).status, 200);
  EXPECT_EQ(client.reply().body, "body of GET");
}

TEST(Http1Test, AStatusWithoutABodySendsNone) {
  const auto server = serve([](Request request, Responder responder) {
    responder.respond(request.target == "/none" ? 204 : 304, {}, "never seen");
  });
  RawClient client(server->port());

  client.send("GET /none HTTP/1.1\r\nHost: x\r\n\r\nGET /same HTTP/1.1\r\nHost: x\r\n\r\n");

  EXPECT_EQ(client.reply().status, 204);
  EXPECT_EQ(client.reply().status, 304);
  EXPECT_TRUE(client.buffer().empty());
}

TEST(Http1Test, AClientThatExpectsToBeAskedForItsBodyIsAsked) {
  const auto server = serve(echo);
  RawClient client(server->port());

  client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.reply().status, 100);
  client.send("abc");

  EXPECT_EQ(client.reply().body, "POST / abc");
}

TEST(Http1Test, AnExpectantClientWithATooLargeBodyIsRefusedBeforeItSendsIt) {
  const auto server = serve({.max_body = 10}, echo);
  RawClient client(server->port());

  client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");

  EXPECT_EQ(client.reply().status, 413);
}

TEST(Http1Test, ChunkedBodiesArriveWholeWhateverThePiecesAre) {
  const auto server = serve(echo);
  const std::string request =
      "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;ext=1\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\nAuthorization: trailer\r\n\r\n";
  RawClient client(server->port());

  for (std::size_t piece : {1, 2, 7, 1000}) {
    for (std::size_t at = 0; at < request.size(); at += piece) client.send(request.substr(at, piece));
    EXPECT_EQ(client.reply().body, "POST /c abc0123456789abcdef") << "in pieces of " << piece;
  }
}

TEST(Http1Test, TrailersAreNotTakenForHeaders) {
  Inbox inbox;
  const auto server = serve(inbox.handler());
  RawClient client(server->port());

  client.send(
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nAuthorization: Bearer stolen\r\n\r\n");

  EXPECT_EQ(inbox.at(0).first.header("authorization"), "");
}

TEST(Http1Test, BodiesAboveTheLimitAreRefused) {
  const auto server = serve({.max_body = 1000}, echo);
  {
    RawClient client(server->port());
    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n" + std::string(1001, 'x'));
    EXPECT_EQ(client.reply().status, 413);
    EXPECT_EQ(client.rest(), "");
    EXPECT_FALSE(client.was_reset());
  }
  {
    RawClient client(server->port());
    client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 11; ++i) client.send("64\r\n" + std::string(100, 'x') + "\r\n");
    EXPECT_EQ(client.reply().status, 413);
  }
  {
    RawClient client(server->port());
    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + std::string(1000, 'x'));
    EXPECT_EQ(client.reply().status, 200);
  }
}

TEST(Http1Test, AClientStillSendingItsTooLargeBodySeesTheRefusal) {
  const auto server = serve({.max_body = 1000}, echo);
  RawClient client(server->port());

  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n");
  for (int i = 0; i < 500; ++i) client.send(std::string(10'000, 'x'));

  EXPECT_EQ(client.reply().status, 413);
}

TEST(Http1Test, HalfSentBodiesOfAllConnectionsAreBoundedTogether) {
  const auto server = serve({.max_incomplete = 1'000'000}, echo);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<RawClient>(server->port()));
    clients.back()->send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 600001\r\n\r\n" + std::string(600'000, 'x'));
  }
  std::set<RawClient*> answered;
  for (int i = 0; i < 5000 && answered.size() < 3; ++i) {
    for (auto& client : clients) {
      if (!answered.contains(client.get()) && !client->silent_for(1)) answered.insert(client.get());
    }
  }

  ASSERT_EQ(answered.size(), 3U);
  for (auto& client : clients) {
    if (!answered.contains(client.get())) client->send("x");
    EXPECT_EQ(client->reply().status, answered.contains(client.get()) ? 503 : 200);
  }
}

TEST(Http1Test, HeadersAboveTheLimitAreRefused) {
  const auto server = serve({.max_header = 4096}, echo);
  RawClient one_field(server->port());
  one_field.send("GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(5000, 'a') + "\r\n\r\n");
  EXPECT_EQ(one_field.reply().status, 431);

  RawClient many_fields(server->port());
  std::string request = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 500; ++i) request += "X" + std::to_string(i) + ": abcdef\r\n";
  many_fields.send(request + "\r\n");
  EXPECT_EQ(many_fields.reply().status, 431);

  RawClient endless_line(server->port());
  endless_line.send("GET /" + std::string(10'000, 'a'));
  EXPECT_EQ(endless_line.reply().status, 431);
}

TEST(Http1Test, MalformedRequestsAre400AndTheConnectionEnds) {
  const auto server = serve(echo);
  for (const char* request : {
           "nonsense\r\n\r\n",
           "GET / HTTP/9.9\r\nHost: x\r\n\r\n",
           "GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
           "GET / HTTP/1.1\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: x\r\nBad Name: y\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n",
           "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
           "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
           "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
       }) {
    RawClient client(server->port());
    client.send(request);
    const auto reply = client.reply();
    EXPECT_EQ(reply.status, 400) << request;
    EXPECT_EQ(reply.headers.count("connection"), 1U) << request;
    EXPECT_EQ(client.rest(), "") << request;
  }
}

TEST(Http1Test, EmptyLinesBeforeARequestAreSkipped) {
  const auto server = serve(echo);
  RawClient client(server->port());
  client.send("\r\n\r");
  client.send("\nGET /z HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.reply().body, "GET /z ");
}

TEST(Http1Test, ConnectionCloseIsHonoredFromBothSides) {
  const auto server = serve([](Request request, Responder responder) {
    responder.respond(200, request.target == "/close" ? HeaderFields{{"Connection", "close"}} : HeaderFields{}, "x");
  });
  RawClient asks(server->port());
  asks.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(asks.reply().headers.at("connection"), "close");
  EXPECT_EQ(asks.rest(), "");

  RawClient is_told(server->port());
  is_told.send("GET /close HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(is_told.reply().headers.at("connection"), "close");
  EXPECT_EQ(is_told.rest(), "");
}

TEST(Http1Test, OldClientsGetABodyThatEndsWithTheConnection) {
  const auto server = serve([](Request, Responder responder) {
    responder.start(200, {});
    responder.write("abc");
    responder.write("def");
    responder.finish();
  });
  RawClient client(server->port());

  client.send("GET / HTTP/1.0\r\n\r\n");

  const auto reply = client.reply();
  EXPECT_EQ(reply.headers.count("transfer-encoding"), 0U);
  EXPECT_EQ(reply.body, "abcdef");
}

TEST(Http1Test, OldClientsKeepTheConnectionWhenTheyAsk) {
  const auto server = serve(echo);
  RawClient client(server->port());
  client.send("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(client.reply().headers.at("connection"), "keep-alive");
  client.send("GET /2 HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.reply().body, "GET /2 ");
  EXPECT_EQ(client.rest(), "");
}

TEST(Http1Test, AnAnnouncedLengthReplacesChunks) {
  const auto server = serve([](Request request, Responder responder) {
    responder.start(200, {{"Content-Length", "5"}});
    responder.write(request.target == "/long" ? "12345678" : request.target == "/short" ? "123" : "12345");
    responder.finish();
  });
  RawClient exact(server->port());
  exact.send("GET /exact HTTP/1.1\r\nHost: x\r\n\r\nGET /long HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(exact.reply().body, "12345");
  EXPECT_EQ(exact.reply().body, "12345");

  RawClient cut(server->port());
  cut.send("GET /short HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto reply = cut.reply();
  EXPECT_EQ(reply.body, "123");
  EXPECT_FALSE(reply.complete);
}

TEST(Http1Test, HeaderValuesCannotSmuggleAnAnswer) {
  const auto server = serve([](Request, Responder responder) {
    responder.respond(200, {{"x-echo", "a\r\nset-cookie: b"}, {"bad name", "c"}, {"transfer-encoding", "chunked"}},
                      "ok");
  });
  RawClient client(server->port());

  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");

  const auto reply = client.reply();
  EXPECT_EQ(reply.headers.at("x-echo"), "a  set-cookie: b");
  EXPECT_EQ(reply.headers.count("set-cookie") + reply.headers.count("bad name"), 0U);
  EXPECT_EQ(reply.body, "ok");
}

TEST(Http1Test, LargeBodiesPassBothWays) {
  const auto server =
      serve([](Request request, Responder responder) { responder.respond(200, {}, std::move(request.body)); });
  std::string body(10 << 20, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 31 >> 7);
  RawClient client(server->port());

  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
  client.send(body);

  EXPECT_EQ(client.reply().body == body, true);
}

TEST(Http1Test, AHeaderThatComesTooSlowlyEndsTheConnection) {
  const auto server = serve({.header_timeout = std::chrono::milliseconds(100)}, echo);
  RawClient client(server->port());
  client.send("GET / HTTP/1.1\r\nHo");
  EXPECT_EQ(client.rest(), "");
  EXPECT_FALSE(client.timed_out());

  RawClient silent(server->port());
  silent.send("PR");
  EXPECT_EQ(silent.rest(), "");
  EXPECT_FALSE(silent.timed_out());
}

TEST(Http1Test, ABodyThatComesTooSlowlyEndsTheConnection) {
  const auto server = serve({.idle_timeout = std::chrono::milliseconds(100)}, echo);
  RawClient client(server->port());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(client.rest(), "");
  EXPECT_FALSE(client.timed_out());
}

TEST(Http1Test, AnIdleConnectionIsClosedAndAQuietAnswerIsNot) {
  Inbox inbox;
  const auto server = serve({.idle_timeout = std::chrono::milliseconds(100)}, inbox.handler());
  RawClient idle(server->port());
  RawClient watching(server->port());
  watching.send("GET /watch HTTP/1.1\r\nHost: x\r\n\r\n");
  inbox.at(0).second.start(200, {});
  idle.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  inbox.at(1).second.respond(200, {}, "");
  EXPECT_EQ(idle.reply().status, 200);

  EXPECT_EQ(idle.rest(), "");

  EXPECT_FALSE(idle.timed_out());
  EXPECT_EQ(watching.reply_head().status, 200);
  EXPECT_TRUE(watching.silent_for(300));
  inbox.at(0).second.write("late");
  EXPECT_TRUE(watching.fill_until("late"));
}

}  // namespace
}  // namespace kubexx::httpd
