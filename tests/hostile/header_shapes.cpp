// Status lines, headers, lengths, chunks, trailers and encodings of HTTP/1.1. The answer to a list is the hostile one.
#include <zlib.h>

#include "hostile/shape.hpp"

namespace kubexx::hostile {
namespace {

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

const std::string kBody = pod_list();
const std::string kLength = "Content-Length: " + std::to_string(kBody.size()) + "\r\n";
constexpr const char* kNotHttp = "the answer is not HTTP";
constexpr const char* kTooLarge = "header of the answer too large";
constexpr const char* kBadChunks = "chunks are not HTTP";

std::string with_type(const std::string& type) {
  return http(kBody, "Content-Type: " + type + "\r\n");
}

std::string encoded(const std::string& encoding, const std::string& body) {
  return http(body, kJson + "Content-Encoding: " + encoding + "\r\n");
}

}  // namespace

std::vector<Shape> header_shapes() {
  std::vector<Shape> all;
  const auto add = [&](const std::string& name, Answer list, Expected get) {
    all.push_back({"header: " + name, std::move(list), {}, std::move(get)});
  };
  add("nothing, then the end", sends(""), fails("closed without an answer"));
  add("half a status line", sends("HTTP/1.1"), fails("closed"));
  add("bytes of something else", sends(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + "\n"),
      fails(kNotHttp));
  add("a body without a header", sends(kBody), fails(kNotHttp));
  add("another version of HTTP", sends("HTTP/9.9 200 OK\r\n" + kJson + kLength + "\r\n" + kBody), fails(kNotHttp));
  add("status 000", sends(http(kBody, kJson, "000 No")), fails(kNotHttp));
  add("status 99", sends(http(kBody, kJson, "99 No")), fails(kNotHttp));
  add("status 999", sends(http("", kJson, "999 No")), fails("an error on the server"));
  add("a negative status", sends(http(kBody, kJson, "-200 No")), fails(kNotHttp));
  add("a status of letters", sends(http(kBody, kJson, "two OK")), fails(kNotHttp));
  add("switching protocols",
      sends("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" + kBody),
      fails("a body without a header|closed"));
  add("informational answers without end", without_end("", "HTTP/1.1 100 Continue\r\n\r\n"), fails(kTooLarge));
  add("an informational answer first", sends("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + http(kBody)), seen());
  add("no reason", sends(http(kBody, kJson, "200")), seen());
  add("a reason without end", without_end("HTTP/1.1 200 ", "very good "), fails(kTooLarge));
  add("a line without a colon", sends(http(kBody, kJson + "no colon here\r\n")), fails(kNotHttp));
  add("a line of 200 KB", sends(http(kBody, kJson + "X-Long: " + std::string(200'000, 'x') + "\r\n")),
      fails(kTooLarge));
  add("a line without end", without_end("HTTP/1.1 200 OK\r\nX-Long: ", "x"), fails(kTooLarge));
  add("lines without end", without_end("HTTP/1.1 200 OK\r\n", "X-More: and more\r\n"), fails(kTooLarge));
  add("empty names without end", without_end("HTTP/1.1 200 OK\r\n", ": \r\n"), fails(kTooLarge));
  add("a zero byte", sends(http(kBody, kJson + std::string("X-Zero: a\0b\r\n", 14))), fails(kNotHttp));
  add("a folded line", sends(http(kBody, kJson + "X-Folded: a\r\n b\r\n")), either("good|not HTTP"));
  add("lines that end without a carriage return",
      sends("HTTP/1.1 200 OK\nContent-Type: application/json\nConnection: close\n\n" + kBody), seen());
  add("a Warning with control characters", sends(http(kBody, kJson + "Warning: 299 - \"\x1b[2Jgone\"\r\n")), seen());
  add("a thousand Warnings",  // newer versions of curl take fewer than 5,000 lines
      sends(http(
          kBody, kJson +
                     [] {
                       std::string warnings;
                       for (int i = 0; i < 1000; ++i)
                         warnings += "Warning: 299 - \"w" + std::to_string(i % 2) + "\"\r\n";
                       return warnings;
                     }())),
      seen());

  add("two lengths that differ",
      sends("HTTP/1.1 200 OK\r\n" + kJson + "Content-Length: 5\r\n" + kLength + "\r\n" + kBody),
      either("good|list|json|closed|not HTTP"));
  add("a negative length", sends("HTTP/1.1 200 OK\r\n" + kJson + "Content-Length: -5\r\n\r\n" + kBody),
      fails(kNotHttp));
  add("a length of letters", sends("HTTP/1.1 200 OK\r\n" + kJson + "Content-Length: long\r\n\r\n" + kBody),
      fails(kNotHttp));
  add("a length beyond 64 bits",
      sends("HTTP/1.1 200 OK\r\n" + kJson + "Content-Length: 99999999999999999999999\r\nConnection: close\r\n\r\n" +
            kBody),
      either("good|not HTTP|closed"));
  add("a length that is too short", sends("HTTP/1.1 200 OK\r\n" + kJson + "Content-Length: 20\r\n\r\n" + kBody),
      fails("json|list"));
  add("a length that is too long", sends("HTTP/1.1 200 OK\r\n" + kJson + "Content-Length: 100000\r\n\r\n" + kBody),
      fails("closed in the middle of the answer"));
  add("a length of 0", sends(http("", kJson)), fails("empty"));
  add("no body", sends("HTTP/1.1 200 OK\r\n" + kJson + "\r\n"), fails("empty"));
  add("a length and chunks",
      sends("HTTP/1.1 200 OK\r\n" + kJson + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(kBody) +
            "0\r\n\r\n"),
      seen());
  add("an unknown transfer encoding",
      sends("HTTP/1.1 200 OK\r\n" + kJson + "Transfer-Encoding: banana\r\nConnection: close\r\n\r\n" + kBody),
      either("good|not HTTP"));
  add("a body of spaces without end", without_end(kUntilClose, " "), fails("in time|larger than 256 MB"));

  add(
      "chunks of one byte",
      [](Peer& peer, const Asked&) {
        std::string bytes = kChunked;
        for (const char c : kBody) bytes += chunk(std::string(1, c));
        peer.write(bytes + "0\r\n\r\n");
      },
      seen());
  add("a chunk size of letters", sends(kChunked + std::string("zz\r\n") + kBody), fails(kBadChunks));
  add("a negative chunk size", sends(kChunked + std::string("-5\r\n") + kBody), fails(kBadChunks));
  add("a chunk size beyond 64 bits", sends(kChunked + std::string("fffffffffffffffffff\r\n") + kBody),
      fails(kBadChunks));
  add("a chunk size of 2^63", sends(kChunked + std::string("8000000000000000\r\n") + kBody),
      fails("chunks are not HTTP|closed in the middle"));
  add("a chunk longer than it says", sends(kChunked + std::string("5\r\n") + kBody + "\r\n0\r\n\r\n"),
      fails(kBadChunks));
  add("a chunk with an extension", sends(kChunked + chunk(kBody).insert(chunk(kBody).find('\r'), ";a=b") + "0\r\n\r\n"),
      seen());
  add("a chunk extension without end", without_end(kChunked + std::string("5;"), "x"),
      fails("in time|chunks are not HTTP"));
  add("chunks that end early", sends(kChunked + chunk(kBody.substr(0, 40))),
      fails("closed in the middle of the answer"));
  add("only the last chunk", sends(kChunked + std::string("0\r\n\r\n")), fails("empty"));
  add("trailers", sends(kChunked + chunk(kBody) + "0\r\nX-Trailer: a\r\n\r\n"), seen());
  add("trailers without end", without_end(kChunked + chunk(kBody) + "0\r\n", "X-Trailer: and more\r\n"),
      fails(kTooLarge));
  add("a trailer without end", without_end(kChunked + chunk(kBody) + "0\r\nX-Trailer: ", "x"), fails(kTooLarge));

  add("gzip that nobody asked for", sends(encoded("gzip", gzip(kBody))),
      fails("encoded as gzip, which nobody asked for"));
  add("gzip that is none", sends(encoded("gzip", kBody)), fails("encoded as gzip, which nobody asked for"));
  add("an unknown encoding", sends(encoded("zstd", kBody)), fails("encoded as zstd, which nobody asked for"));
  add("an encoding of control characters", sends(encoded("\x1b[2J", kBody)), fails("which nobody asked for"));
  add("the identity as an encoding", sends(encoded("identity", kBody)), seen());
  add("gzip without its header", sends(http(gzip(kBody))), fails("UTF-8|json|list"));

  add("no content type", sends(http(kBody, "")), seen());
  add("a page", sends(http("<html>no</html>", "Content-Type: text/html\r\n")),
      fails("content type is neither JSON nor protobuf: text/html"));
  add("a content type that is none", sends(with_type("application/x-unknown")), fails("neither JSON nor protobuf"));
  add("a content type of 10 KB", sends(with_type(std::string(10'000, 'a'))), fails("neither JSON nor protobuf"));
  add("another character set", sends(with_type("application/json; charset=utf-16")), seen());
  add("two content types", sends(http(kBody, kJson + "Content-Type: text/html\r\n")), seen());
  add("JSON that says protobuf", sends(with_type("application/vnd.kubernetes.protobuf")), fails("protobuf"));
  return all;
}

}  // namespace kubexx::hostile
