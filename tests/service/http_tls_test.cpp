// TLS in the process: a certificate made on the spot, a client that believes in no other.
#include <gtest/gtest.h>

#include "base/file.h"
#include "service/certificates.h"
#include "service/http_serving.h"

namespace armature::service::test {
namespace {

constexpr const char* kAsk = R"(python3 - <<'END'
import http.client, ssl
context = ssl.create_default_context(cafile='{}')
context.{}
try:
    connection = http.client.HTTPSConnection('localhost', {}, context=context, timeout=10)
    for i in range(3):
        connection.request('GET', '/healthz')
        answer = connection.getresponse()
        body = answer.read().decode().strip()
    print(answer.status, body, connection.sock.version())
except ssl.SSLError as error:
    print('refused')
END)";

std::string ask(const std::string& certificate, unsigned short port,
                const std::string& setting = "check_hostname = True") {
  std::string script = kAsk;
  for (const std::string& value : {certificate, setting, std::to_string(port)})
    script.replace(script.find("{}"), 2, value);
  const auto result = armature::test::run_shell(script, "/tmp");
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

TEST(HttpTls, IsSpokenAndTheCertificateReadAgain) {
  const armature::test::TemporaryDirectory folder;
  const std::string certificate = folder.file("certificate.pem");
  write_certificate(certificate, folder.file("key.pem"));
  http::HostOptions options;
  options.server.certificate = certificate;
  options.server.key = folder.file("key.pem");
  Serving serving(options);
  EXPECT_TRUE(serving.host().server().url().starts_with("https://"));
  EXPECT_EQ(ask(certificate, serving.port()), "200 alive TLSv1.3\n");
  EXPECT_EQ(ask(certificate, serving.port(), "maximum_version = ssl.TLSVersion.TLSv1_2"),
            "200 alive TLSv1.2\n");

  // A new one for new connections; one that is none leaves the old one.
  write_certificate(folder.file("new.pem"), folder.file("key.pem"));
  write_file(certificate, read_file(folder.file("new.pem")));
  EXPECT_EQ(ask(folder.file("new.pem"), serving.port()), "refused\n");
  serving.host().server().reload_certificate();
  EXPECT_EQ(ask(folder.file("new.pem"), serving.port()), "200 alive TLSv1.3\n");
  write_file(certificate, "nonsense");
  EXPECT_THROW(serving.host().server().reload_certificate(), Error);
  EXPECT_EQ(ask(folder.file("new.pem"), serving.port()), "200 alive TLSv1.3\n");

  // Who speaks plain HTTP there is let go.
  Client plain(serving.port());
  plain.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(plain.ends());
}

// TLS has a word for the end of a connection; without it a client would think the line was cut.
TEST(HttpTls, SaysItsEnd) {
  const armature::test::TemporaryDirectory folder;
  write_certificate(folder.file("certificate.pem"), folder.file("key.pem"));
  http::HostOptions options;
  options.server.certificate = folder.file("certificate.pem");
  options.server.key = folder.file("key.pem");
  Serving serving(options);
  const auto result = armature::test::run_shell(
      "python3 -c \"import socket, ssl\n"
      "context = ssl.create_default_context(cafile='certificate.pem')\n"
      "line = socket.create_connection(('localhost', " +
          std::to_string(serving.port()) +
          "), 10)\n"
          "line = context.wrap_socket(line, server_hostname='localhost', "
          "suppress_ragged_eofs=False)\n"
          "line.send(b'GET /healthz HTTP/1.0\\r\\n\\r\\n')\n"
          "text = b''\n"
          "while piece := line.recv(4096): text += piece\n"
          "print(text[-6:])\"",
      folder.path());
  EXPECT_EQ(result.out, "b'alive\\n'\n") << result.err;
}

TEST(HttpTls, NeedsBothFiles) {
  const armature::test::TemporaryDirectory folder;
  http::HostOptions options;
  options.server.port = 0;
  options.server.certificate = folder.file("none.pem");
  EXPECT_THROW(http::Host(folder.path(), options), Error);
  options.server.key = folder.file("none.pem");
  EXPECT_THROW(http::Host(folder.path(), options), Error);
}

}  // namespace
}  // namespace armature::service::test
