// A client of the decision service in C++: client [HOST [PORT]]. It creates the experiment `mail`,
// asks what to do, reports what came of it, and asks twice to show that the answer stays the same.
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>  // before Boost 1.74's coroutines, which forget it

namespace beast = boost::beast;
namespace http = beast::http;
using nlohmann::json;

/// One connection that is kept. A program that must live on opens it again when it breaks and asks
/// the same once more: with a key nothing is done twice.
class Service {
 public:
  Service(const std::string& host, const std::string& port) : host_(host + ":" + port) {
    boost::asio::ip::tcp::resolver resolver(io_);
    line_.connect(resolver.resolve(host, port));
    if (const char* token = std::getenv("ARMATURE_TOKEN")) token_ = token;
  }

  json ask(http::verb verb, const std::string& path, const json& body = json::object(),
           const std::string& key = "") {
    http::request<http::string_body> request{verb, path, 11};
    request.set(http::field::host, host_);
    if (!token_.empty()) request.set(http::field::authorization, "Bearer " + token_);
    if (!key.empty()) request.set("Idempotency-Key", key);
    if (verb != http::verb::get) {
      request.set(http::field::content_type, "application/json");
      request.body() = body.dump();
    }
    request.prepare_payload();
    http::write(line_, request);
    http::response<http::string_body> reply;
    http::read(line_, buffer_, reply);
    json answer = json::parse(reply.body());
    if (reply.result_int() >= 400) throw std::runtime_error(answer.value("detail", reply.body()));
    return answer;
  }

 private:
  std::string host_;
  std::string token_;
  boost::asio::io_context io_;
  beast::tcp_stream line_{io_};
  beast::flat_buffer buffer_;
};

int main(int count, char** arguments) try {
  Service service(count > 1 ? arguments[1] : "127.0.0.1", count > 2 ? arguments[2] : "8600");
  service.ask(http::verb::post, "/v1/experiments",
              {{"name", "mail"},
               {"problem",
                {{"format", "armature-problem"},
                 {"version", 1},
                 {"actions", {"plain", "coupon", "bundle"}},
                 {"contexts", {"ignored", "opened", "clicked"}},
                 {"marginals", {{0.7, 0.2, 0.1}, {0.5, 0.3, 0.2}, {0.6, 0.2, 0.2}}},
                 {"horizon", 1000000}}},
               {"policy", "sentry"},
               {"seed", "42"},
               {"deadline", "24h"},
               {"silence", "forget"},
               {"fallback", "plain"},
               {"floor", 0.02}});
  const std::string mail = "/v1/experiments/mail";
  const json first = service.ask(http::verb::post, mail + "/decide", json::object(), "cpp-1");
  const json again = service.ask(http::verb::post, mail + "/decide", json::object(), "cpp-1");
  std::cout << "show " << first.at("action") << ", decision " << first.at("decision") << "\n";
  if (again.at("decision") != first.at("decision")) return 1;
  const std::string decision = first.at("decision");
  const json received = service.ask(http::verb::post, mail + "/decisions/" + decision + "/outcome",
                                    {{"context", "clicked"}, {"reward", 1}});
  std::cout << "it is " << received.at("status") << "\n";
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
