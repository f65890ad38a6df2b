// A client of the decision service in C++: client [HOST PORT]… for one address, or for those of
// several nodes. It creates the experiment `mail`, asks what to do, reports what came of it, and
// asks twice to show that the answer stays the same.
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>  // before Boost 1.74's coroutines, which forget it
#include <vector>

namespace beast = boost::beast;
namespace http = beast::http;
using nlohmann::json;

/// One connection that is kept. When it breaks, or the service cannot at the moment (503), the next
/// node is asked the same: with a key nothing is done twice. Any node will do; whoever wants to
/// save a hop goes to the one that answers name in their header Armature-Owner.
class Service {
 public:
  using Nodes = std::vector<std::pair<std::string, std::string>>;  // host and port
  explicit Service(Nodes nodes) : nodes_(std::move(nodes)) {
    if (const char* token = std::getenv("ARMATURE_TOKEN")) token_ = token;
  }

  json ask(http::verb verb, const std::string& path, const json& body = json::object(),
           const std::string& key = "") {
    http::request<http::string_body> request{verb, path, 11};
    if (!token_.empty()) request.set(http::field::authorization, "Bearer " + token_);
    if (!key.empty()) request.set("Idempotency-Key", key);
    if (verb != http::verb::get) {
      request.set(http::field::content_type, "application/json");
      request.body() = body.dump();
    }
    request.prepare_payload();
    for (int tries = 1;; ++tries) {
      int pause = 1;  // seconds
      try {
        const http::response<http::string_body> reply = send(request);
        if (reply.result_int() != 503 || tries == kTries) {
          json answer = json::parse(reply.body());
          if (reply.result_int() < 400) return answer;
          throw std::runtime_error(answer.value("detail", reply.body()));
        }
        if (reply.count(http::field::retry_after) > 0)
          pause = std::stoi(std::string(reply[http::field::retry_after]));
      } catch (const boost::system::system_error&) {
        if (tries == kTries) throw;
      }
      line_.reset();
      at_ = (at_ + 1) % nodes_.size();
      if (tries >= static_cast<int>(nodes_.size()))  // all were asked
        std::this_thread::sleep_for(std::chrono::seconds(pause));
    }
  }

 private:
  static constexpr int kTries = 16;  // long enough for a node to take over from one that is gone

  http::response<http::string_body> send(http::request<http::string_body>& request) {
    const auto& [host, port] = nodes_[at_];
    if (!line_) {
      boost::asio::ip::tcp::resolver resolver(io_);
      line_.emplace(io_);
      line_->connect(resolver.resolve(host, port));
      buffer_.clear();
    }
    request.set(http::field::host, host + ":" + port);
    http::write(*line_, request);
    http::response<http::string_body> reply;
    http::read(*line_, buffer_, reply);
    return reply;
  }

  Nodes nodes_;
  std::size_t at_ = 0;
  std::string token_;
  boost::asio::io_context io_;
  std::optional<beast::tcp_stream> line_;
  beast::flat_buffer buffer_;
};

int main(int count, char** arguments) try {
  Service::Nodes nodes;
  for (int i = 1; i < count; i += 2)
    nodes.emplace_back(arguments[i], i + 1 < count ? arguments[i + 1] : "8600");
  if (nodes.empty()) nodes.emplace_back("127.0.0.1", "8600");
  Service service(nodes);
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
