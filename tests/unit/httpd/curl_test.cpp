#include <curl/curl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexx/httpd/certificates.hpp"
#include "kubexx/httpd/server.hpp"
#include "unit/httpd/test_server.hpp"

namespace kubexx::httpd {
namespace {

/// One libcurl handle: what a client that we did not write makes of our answers.
class Curl {
 public:
  Curl() : handle_(curl_easy_init()) {
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_TIMEOUT, 30L);
    set(CURLOPT_WRITEDATA, &body);
    set(
        CURLOPT_WRITEFUNCTION, +[](char* data, std::size_t one, std::size_t size, std::string* out) {
          out->append(data, one * size);
          return one * size;
        });
  }
  ~Curl() { curl_easy_cleanup(handle_); }
  Curl(const Curl&) = delete;
  Curl& operator=(const Curl&) = delete;

  template <class T>
  void set(CURLoption option, T value) {
    EXPECT_EQ(curl_easy_setopt(handle_, option, value), CURLE_OK);
  }
  void set_blob(CURLoption option, const std::string& pem) {
    curl_blob blob{const_cast<char*>(pem.data()), pem.size(), CURL_BLOB_COPY};
    set(option, &blob);
  }
  CURLcode get(const std::string& url) {
    body.clear();
    set(CURLOPT_URL, url.c_str());
    const CURLcode code = curl_easy_perform(handle_);
    curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(handle_, CURLINFO_HTTP_VERSION, &version);
    curl_easy_getinfo(handle_, CURLINFO_NUM_CONNECTS, &connects);
    return code;
  }

  std::string body;
  long status = 0;
  long version = 0;
  long connects = 0;

 private:
  CURL* handle_;
};

TEST(CurlTest, HttpTwoOverTlsWithAClientCertificate) {
  const CertificateAuthority ca = CertificateAuthority::create("ca").value();
  const KeyPair identity = ca.issue({.common_name = "s", .ip_addresses = {"127.0.0.1"}, .server = true}).value();
  const KeyPair admin = ca.issue({.common_name = "admin", .organizations = {"ops"}, .client = true}).value();
  const auto server =
      serve({.certificate = identity.certificate, .key = identity.key, .client_ca = ca.certificate_pem()},
            [](Request request, Responder responder) { responder.respond(200, {}, request.client_common_name); });
  Curl curl;
  curl.set_blob(CURLOPT_CAINFO_BLOB, ca.certificate_pem());
  curl.set_blob(CURLOPT_SSLCERT_BLOB, admin.certificate);
  curl.set_blob(CURLOPT_SSLKEY_BLOB, admin.key);
  curl.set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));

  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(curl.get("https://127.0.0.1:" + std::to_string(server->port()) + "/"), CURLE_OK);
    EXPECT_EQ(curl.body, "admin");
    EXPECT_EQ(curl.version, static_cast<long>(CURL_HTTP_VERSION_2_0));
    EXPECT_EQ(curl.connects, i == 0 ? 1 : 0) << "the connection is kept";
  }
}

TEST(CurlTest, LargeUploadsThatWaitToBeAskedFor) {
  const auto server = serve(
      [](Request request, Responder responder) { responder.respond(201, {}, std::to_string(request.body.size())); });
  const std::string upload(3 << 20, 'u');
  for (const long version : {CURL_HTTP_VERSION_1_1, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE}) {
    Curl curl;
    curl.set(CURLOPT_HTTP_VERSION, version);
    curl.set(CURLOPT_POSTFIELDSIZE, static_cast<long>(upload.size()));
    curl.set(CURLOPT_POSTFIELDS, upload.c_str());
    ASSERT_EQ(curl.get("http://127.0.0.1:" + std::to_string(server->port()) + "/"), CURLE_OK);
    EXPECT_EQ(curl.status, 201);
    EXPECT_EQ(curl.body, std::to_string(upload.size()));
  }
}

TEST(CurlTest, StreamedAnswersEndCleanlyAndCutOnesDoNot) {
  const auto server = serve([](Request request, Responder responder) {
    responder.start(200, {});
    for (int i = 0; i < 100; ++i) responder.write(std::string(100, 'x'));
    request.target == "/cut" ? responder.abort() : responder.finish();
  });
  const std::string url = "http://127.0.0.1:" + std::to_string(server->port());
  for (const long version : {CURL_HTTP_VERSION_1_1, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE}) {
    Curl curl;
    curl.set(CURLOPT_HTTP_VERSION, version);
    EXPECT_EQ(curl.get(url + "/whole"), CURLE_OK);
    EXPECT_EQ(curl.body.size(), 10'000U);
    Curl again;  // some versions of libcurl cannot use an HTTP/2 connection with prior knowledge twice
    again.set(CURLOPT_HTTP_VERSION, version);
    EXPECT_EQ(again.get(url + "/cut"), version == CURL_HTTP_VERSION_1_1 ? CURLE_RECV_ERROR : CURLE_HTTP2_STREAM);
    EXPECT_EQ(again.body.size(), 10'000U);  // all of what came before the cut
  }
}

}  // namespace
}  // namespace kubexx::httpd
