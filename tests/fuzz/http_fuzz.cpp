// Any bytes on a connection: every request among them is answered exactly once, or the connection
// is refused with a complaint; nothing aborts, and what the service has logged replays. The first
// byte says in what pieces they arrive.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "service/http/api.h"
#include "service/http/reader.h"
#include "service/memory_log.h"

namespace {

using namespace armature;
using namespace armature::service;

constexpr const char* kExperiment = R"({"name": "mail", "problem": {"format": "armature-problem",
 "version": 1, "actions": 2, "contexts": 2}, "policy": "ucb", "silence": "forget",
 "fallback": null, "most_open": 100})";

// One service for all inputs: its log grows, but what is open is bounded.
struct Stage {
  std::shared_ptr<test::MemoryStore> store = std::make_shared<test::MemoryStore>();
  Service service{std::make_unique<test::MemoryLog>(store), {}};
  http::RequestCounts counts;
  http::Api api{service, counts, options()};

  Stage() { service.ask(Create{read_creation(kExperiment, "")}); }

  http::Api::Options options() {
    http::Api::Options options;
    options.open_log = [this] { return std::make_unique<test::MemoryReader>(store); };
    options.aside = [](const std::function<void()>& work) { work(); };
    options.long_aside = [](const std::function<void()>& work) {
      work();
      return true;
    };
    return options;
  }
};

void ask(Stage& stage, http::HttpRequest request) {
  request.host = "localhost";  // else nearly all would end at the guard
  int answers = 0;
  stage.api.handle(std::move(request), [&](http::HttpReply reply) {
    ++answers;
    ARMATURE_CHECK(reply.status >= 200 && reply.status < 600 && reply.status != 500,
                   "an answer, and no mistake of ours");
  });
  // The writer answers on its own thread: after this one it has answered the others.
  stage.service.ask(Look{"mail", "nothing"});
  ARMATURE_CHECK(answers == 1, "every request is answered once");
}

// All requests in these bytes, as they come in such pieces; none of them if one is refused.
std::vector<http::HttpRequest> read_all(std::string rest, std::size_t piece, bool& refused) {
  std::vector<http::HttpRequest> requests;
  http::RequestReader reader;
  std::string input;
  while (!rest.empty() && reader.state() == http::RequestReader::State::kMore) {
    input += rest.substr(0, piece);
    rest.erase(0, piece);
    for (;;) {
      input.erase(0, reader.put(input));
      if (reader.state() == http::RequestReader::State::kMore)
        ARMATURE_CHECK(input.size() <= http::kMostHeader, "what is not understood yet is little");
      if (reader.state() != http::RequestReader::State::kDone) break;
      requests.push_back(reader.take());
      if (input.empty()) break;
    }
  }
  refused = reader.state() == http::RequestReader::State::kRefused;
  if (refused) ARMATURE_CHECK(reader.refusal().status() >= 400, "a refusal says why");
  return requests;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Stage* stage = new Stage;  // lives as long as the process
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  bool refused = false;
  bool refused_whole = false;
  std::vector<http::HttpRequest> requests = read_all(bytes, 1 + data[0], refused);
  const std::vector<http::HttpRequest> whole = read_all(bytes, size, refused_whole);
  // Where packets end means nothing.
  if (!refused && !refused_whole) {
    ARMATURE_CHECK(requests.size() == whole.size(), "the same requests, in pieces and whole");
    for (std::size_t i = 0; i < whole.size(); ++i)
      ARMATURE_CHECK(requests[i].method == whole[i].method &&
                         requests[i].target == whole[i].target &&
                         requests[i].body == whole[i].body &&
                         requests[i].authorization == whole[i].authorization &&
                         requests[i].idempotency_key == whole[i].idempotency_key,
                     "each the same, in pieces and whole");
  }
  for (http::HttpRequest& request : requests) ask(*stage, std::move(request));
  return 0;
}
