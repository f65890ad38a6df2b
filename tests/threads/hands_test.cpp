// Nodes on one store, each with its threads, while everything moves between them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <thread>

#include "service/memory_shared_log.h"
#include "service/service.h"

namespace armature::service::test {
namespace {

// Clients ask any node until they are answered; keepers let go and take at random, and show to each
// other what they have. Every key is decided once, whoever was asked how often.
TEST(Hands, ExperimentsMoveWhileClientsAsk) {
  constexpr int kNodes = 3;
  constexpr int kClients = 3;
  constexpr int kAsked = 60;
  const auto server = std::make_shared<MemoryServer>();
  std::vector<std::unique_ptr<Service>> nodes;
  for (int i = 0; i < kNodes; ++i)
    nodes.push_back(std::make_unique<Service>(
        std::make_unique<MemorySharedLog>(server, fmt::format("node-{}", i)), Options{}));
  const std::vector<std::string> names = {"mail", "post", "parcel"};
  for (const std::string& name : names) nodes[0]->ask(Create{small_creation(name, "ucb")});

  std::atomic<bool> ended = false;
  std::thread keeper([&] {
    Stream luck({2028, 0, Purpose::kTest});
    while (!ended) {
      Service& node = *nodes[uniform_index(luck, kNodes)];
      // Nobody has a lease: it is taken from whoever has it, or left to nobody.
      const ExperimentId id = uniform_index(luck, 4);
      std::promise<void> done;
      node.change_hands({id}, {(id + 1) % 4}, [&] { done.set_value(); });
      done.get_future().wait();
      for (const auto& summary : node.summaries())
        for (const auto& other : nodes) other->show(id, *summary);
      for (const auto& other : nodes) other->take_tokens(*node.tokens());
    }
  });
  std::vector<std::thread> clients;
  std::vector<std::map<std::string, std::string>> told(kClients);
  for (int client = 0; client < kClients; ++client)
    clients.emplace_back([&, client] {
      Stream luck({2028, static_cast<std::uint32_t>(client) + 1, Purpose::kTest});
      for (int i = 0; i < kAsked; ++i) {
        const std::string& name = names[uniform_index(luck, 3)];
        const std::string key = fmt::format("{}", i);  // all clients have the same
        for (;;) {
          const Answer answer = nodes[uniform_index(luck, kNodes)]->ask(Decide{name, key, ""});
          if (const auto* decided = std::get_if<Decided>(&answer)) {
            told[client][name + " " + key] = decided->decision + decided->action;
            break;
          }
          EXPECT_EQ(std::get<Refusal>(answer).kind(), RefusalKind::kNotHere)
              << std::get<Refusal>(answer).what();
          std::this_thread::yield();
        }
      }
    });
  for (std::thread& client : clients) client.join();
  ended = true;
  keeper.join();
  for (const auto& node : nodes) node->stop();

  std::map<std::string, std::string> all;
  for (const auto& one : told)
    for (const auto& [asked, answer] : one)
      EXPECT_EQ(all.try_emplace(asked, answer).first->second, answer) << asked;
  std::size_t decisions = 0;
  for (const auto& one : server->store->experiments) decisions += one.events.size() - 1;
  EXPECT_EQ(decisions, all.size());
  EXPECT_EQ(server->clashes, 0u);
  for (const auto& [id, owner] : server->owners) EXPECT_EQ(owner.node, "") << id;
  LockedReader reader(server);
  for (const CheckedExperiment& checked : check_log(reader)) EXPECT_EQ(checked.trouble, "");
}

}  // namespace
}  // namespace armature::service::test
