// A service on a real socket of this machine, at a port that was free.
#pragma once

#include <gtest/gtest.h>

#include <future>

#include "service/http/host.h"
#include "service/http_client.h"
#include "service/sqlite_log.h"
#include "support/program.h"

namespace armature::service::test {

inline constexpr const char* kMail = R"({"name": "mail",
 "problem": {"format": "armature-problem", "version": 1, "actions": ["plain", "coupon"],
   "contexts": ["ignored", "opened", "clicked"], "marginals": [[0.7, 0.2, 0.1], [0.5, 0.3, 0.2]],
   "horizon": 1000000},
 "policy": "sentry:share=0.05", "seed": "42", "deadline": "24h", "silence": "forget",
 "fallback": "plain", "floor": 0.01, "at_horizon": "continue"})";

/// The same under another name.
inline std::string mail_named(const std::string& name) {
  std::string text = kMail;
  text.replace(text.find("mail"), 4, name);
  return text;
}

/// Stands still but where it is told to go.
class TestClock final : public Clock {
 public:
  Time wall() const override { return wall_; }
  Time monotonic() const override { return monotonic_; }
  std::atomic<Time> wall_{1'000'000 * kSecond};
  std::atomic<Time> monotonic_{0};
};

class Serving {
 public:
  explicit Serving(http::HostOptions options = {}) : options_(std::move(options)) {
    options_.server.port = 0;
    options_.service.publish_every = 0;  // who reads sees what was written
    options_.server.live_every = std::chrono::milliseconds(10);
    options_.server.look_every = std::chrono::milliseconds(10);
    host_ = std::make_unique<http::Host>(directory_.path(), options_);
  }

  unsigned short port() const { return host_->server().port(); }
  Service& service() { return host_->service(); }
  http::Host& host() { return *host_; }
  http::HostOptions& options() { return options_; }  // for the next start
  const std::string& directory() const { return directory_.path(); }
  std::unique_ptr<LogReader> log() const { return read_sqlite_log(directory()); }

  /// Events and digests of all that is stored, replayed: what must not change.
  std::string digests() const {
    std::string text;
    for (const CheckedExperiment& one : check_log(*log())) {
      EXPECT_EQ(one.trouble, "") << one.name;
      text += one.name + " " + std::to_string(one.events) + " " + std::to_string(one.digest) + "\n";
    }
    return text;
  }

  void restart() {
    host_.reset();
    host_ = std::make_unique<http::Host>(directory_.path(), options_);
  }
  /// The service has ended; its store is there to be looked at.
  void stop() { host_.reset(); }

 private:
  armature::test::TemporaryDirectory directory_;
  http::HostOptions options_;
  std::unique_ptr<http::Host> host_;
};

/// Creates `mail`.
inline void create_mail(Client& client) {
  const Reply reply = client.post("/v1/experiments", kMail);
  ASSERT_EQ(reply.status, 201) << reply.body;
}

inline std::string decide(Client& client, const std::string& experiment = "mail") {
  const Reply reply = client.post("/v1/experiments/" + experiment + "/decide");
  EXPECT_EQ(reply.status, 200) << reply.body;
  return reply.json().value("decision", "");
}

inline std::string path_of(const std::string& decision) {
  return "/v1/experiments/" + decision.substr(0, decision.find('.')) + "/decisions/" + decision;
}

/// So many events that nobody's buffers hold the log: whoever does not read it is waited for.
inline void decide_often(Service& service, int batches = 20) {
  for (int i = 0; i < batches; ++i) {
    std::promise<void> done;
    service.submit_all(std::vector<Request>(1'000, Decide{"mail", "", ""}),
                       [&](const std::vector<Answer>&) { done.set_value(); });
    done.get_future().wait();
  }
}

/// Of /metrics, what has no labels.
inline double metric(Client& client, const std::string& name) {
  const std::string text = "\n" + client.get("/metrics").body;
  const std::string line = "\narmature_" + name + " ";
  const std::size_t at = text.find(line);
  return at == std::string::npos ? -1 : std::stod(text.substr(at + line.size()));
}

/// A refusal as RFC 9457 has it, with all that mends it.
inline void expect_complaint(const Reply& reply, int status, const std::string& field) {
  EXPECT_EQ(reply.status, status) << reply.body;
  EXPECT_EQ(reply.headers.at("content-type"), "application/problem+json") << reply.body;
  const nlohmann::json json = nlohmann::json::parse(reply.body, nullptr, false);
  ASSERT_TRUE(json.is_object()) << reply.body;
  EXPECT_EQ(json.value("status", 0), reply.status);
  for (const char* name : {"type", "title", "detail", "value", "expected"})
    EXPECT_NE(json.value(name, ""), "") << name << " in " << reply.body;
  EXPECT_EQ(json.value("field", ""), field) << reply.body;
}

}  // namespace armature::service::test
