// Nodes that ask each other, many at a time, while what is whose changes and they end.
#include <gtest/gtest.h>

#include "service/http_nodes.h"

namespace armature::service::test {
namespace {

TEST(ForwardingThreads, ManyAskWhileItChangesHandsAndNodesEnd) {
  http::HostOptions options;
  options.drain = std::chrono::milliseconds(50);  // nobody tells those who wait at the end
  Pair pair(options);
  pair.front.believe("mail", pair.front);
  Client direct(pair.front.port());
  create_mail(direct);  // each has one of its own: what answers is what is looked at
  std::atomic<std::uint64_t> answered{0};
  std::atomic<bool> ended{false};
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i)
    clients.emplace_back([&] {
      try {
        for (Client client(pair.front.port()); !ended; ++answered) {
          const Reply reply = client.post("/v1/experiments/mail/decide");
          EXPECT_TRUE(reply.status == 200 || reply.status == 503) << reply.body;
          const Reply unknown = client.post("/v1/experiments/nothing/decide");
          EXPECT_TRUE(unknown.status == 404 || unknown.status == 503) << unknown.body;
        }
      } catch (const Disconnected&) {
      }
    });
  // The others wait for a look at the store, and are told by whoever changes things.
  const auto until = [&](std::uint64_t count) {
    const std::uint64_t goal = answered + count;
    while (answered < goal) {
      pair.front.places.tell();
      std::this_thread::yield();
    }
  };
  pair.front.places.late = true;
  for (int i = 0; i < 5; ++i) {
    pair.front.believe("mail", pair.owner);
    until(20);
    pair.front.places.put("mail", {Place::Kind::kNobody});
    until(20);
    pair.front.believe("mail", pair.front);
    until(20);
  }
  pair.front.believe("mail", pair.owner);
  until(20);
  pair.owner.serving->stop();
  until(20);
  pair.front.serving->stop();
  ended = true;
  for (std::thread& client : clients) client.join();
  pair.front.places.tell();
}

}  // namespace
}  // namespace armature::service::test
