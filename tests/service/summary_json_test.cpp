// A summary that went through JSON is the one that went in, to the last bit; what is no summary is
// refused by name.
#include "service/summary_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cctype>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/refusal.h"
#include "service/http/views.h"
#include "service/stand.h"

namespace armature::service::test {
namespace {

using armature::test::refusal;
using Json = nlohmann::ordered_json;

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

void expect_same(const std::vector<double>& one, const std::vector<double>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(bits(one[i]), bits(other[i])) << i;
}

void expect_same(const Diagnostics& one, const Diagnostics& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].name, other[i].name);
    EXPECT_EQ(bits(one[i].value), bits(other[i].value)) << one[i].name;
    EXPECT_EQ(one[i].word, other[i].word) << one[i].name;
  }
}

void expect_same(const Epoch& one, const Epoch& other) {
  EXPECT_EQ(one.number, other.number);
  EXPECT_EQ(one.first, other.first);
  EXPECT_EQ(one.policy, other.policy);
  EXPECT_EQ(one.written, other.written);
  EXPECT_EQ(one.start, other.start);
  EXPECT_EQ(one.since, other.since);
  EXPECT_EQ(one.reason, other.reason);
  EXPECT_EQ(one.build, other.build);
  EXPECT_EQ(one.problem.action_names, other.problem.action_names);
  EXPECT_EQ(one.problem.context_names, other.problem.context_names);
  EXPECT_EQ(one.problem.horizon, other.problem.horizon);
  EXPECT_EQ(one.problem.epsilon, other.problem.epsilon);
  EXPECT_EQ(one.problem.fingerprint(), other.problem.fingerprint());  // marginals, too
}

void expect_same(const Summary& one, const Summary& other) {
  EXPECT_EQ(one.facts.name, other.facts.name);
  EXPECT_EQ(one.facts.tenant, other.facts.tenant);
  EXPECT_EQ(one.facts.seed, other.facts.seed);
  EXPECT_EQ(one.facts.settings, other.facts.settings);
  EXPECT_EQ(one.facts.created, other.facts.created);
  EXPECT_EQ(one.state, other.state);
  EXPECT_EQ(one.state_reason, other.state_reason);
  EXPECT_EQ(one.epoch, other.epoch);
  EXPECT_EQ(one.epoch_first, other.epoch_first);
  EXPECT_EQ(one.policy, other.policy);
  expect_same(*one.epoch_facts, *other.epoch_facts);
  EXPECT_EQ(one.seq, other.seq);
  EXPECT_EQ(one.time, other.time);
  EXPECT_EQ(one.decisions, other.decisions);
  EXPECT_EQ(one.open, other.open);
  EXPECT_EQ(one.waiting, other.waiting);
  EXPECT_EQ(one.learned, other.learned);
  EXPECT_EQ(one.forgotten, other.forgotten);
  EXPECT_EQ(one.late, other.late);
  EXPECT_EQ(one.fallbacks, other.fallbacks);
  EXPECT_EQ(one.rounds, other.rounds);
  EXPECT_EQ(one.oldest_open, other.oldest_open);
  EXPECT_EQ(one.contexts, other.contexts);
  ASSERT_EQ(one.actions.size(), other.actions.size());
  for (std::size_t i = 0; i < one.actions.size(); ++i) {
    const ActionSummary& action = one.actions[i];
    const ActionSummary& copy = other.actions[i];
    EXPECT_EQ(action.name, copy.name);
    EXPECT_EQ(action.present, copy.present);
    EXPECT_EQ(action.decided, copy.decided);
    EXPECT_EQ(action.outcomes.learned, copy.outcomes.learned);
    EXPECT_EQ(bits(action.outcomes.rewards), bits(copy.outcomes.rewards));
    EXPECT_EQ(bits(action.outcomes.squares), bits(copy.outcomes.squares));
    EXPECT_EQ(action.contexts, copy.contexts);
    expect_same(action.rewards, copy.rewards);
  }
  ASSERT_EQ(one.history.size(), other.history.size());
  for (std::size_t i = 0; i < one.history.size(); ++i) {
    EXPECT_EQ(one.history[i].begin, other.history[i].begin);
    EXPECT_EQ(one.history[i].decided, other.history[i].decided);
    EXPECT_EQ(one.history[i].learned, other.history[i].learned);
    EXPECT_EQ(bits(one.history[i].rewards), bits(other.history[i].rewards));
    EXPECT_EQ(one.history[i].plays, other.history[i].plays);
  }
  EXPECT_EQ(one.delays, other.delays);
  expect_same(one.diagnostics, other.diagnostics);
  ASSERT_EQ(one.shadows.size(), other.shadows.size());
  for (std::size_t i = 0; i < one.shadows.size(); ++i) {
    EXPECT_EQ(one.shadows[i].policy, other.shadows[i].policy);
    EXPECT_EQ(one.shadows[i].asked, other.shadows[i].asked);
    EXPECT_EQ(one.shadows[i].agreed, other.shadows[i].agreed);
    expect_same(one.shadows[i].diagnostics, other.shadows[i].diagnostics);
    EXPECT_EQ(one.shadows[i].failure, other.shadows[i].failure);
  }
  EXPECT_EQ(one.amended, other.amended);
  EXPECT_EQ(one.snapshot, other.snapshot);
}

// By field, by what people are shown, and by what is written of the copy.
void expect_round_trip(const Summary& summary) {
  const std::string text = write_summary(summary);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  Summary copy = read_summary(text, "the store");
  EXPECT_EQ(copy.number, 0u);
  copy.number = summary.number;
  expect_same(summary, copy);
  EXPECT_EQ(write_summary(copy), text);
  EXPECT_EQ(http::experiment_view(copy), http::experiment_view(summary));
  EXPECT_EQ(http::experiment_line(copy), http::experiment_line(summary));
  EXPECT_EQ(http::shadows_view(copy), http::shadows_view(summary));
}

// As a shard publishes them, with the newest of everything in it.
Summary newest(const Stand& stand, const std::string& name = "mail") {
  Summary summary = *stand.published.at(name);
  EXPECT_EQ(summary.seq, stand.fold(name).last_seq());
  return summary;
}

// Decisions with outcomes whole and in halves, early and late, forgotten, or none at all.
void live(Stand& stand, const std::string& name, int steps) {
  Stream luck({77, 1, Purpose::kTest});
  for (int i = 0; i < steps; ++i) {
    stand.clock.pass(kSecond * (1 + i % 7));
    const Decided decided = stand.decide(name, i % 5 == 0 ? fmt::format("k{}", i) : "");
    stand.clock.pass(kSecond << (i % 5));
    if (i % 11 == 3) {
      stand.must<Received>(Forget{name, decided.decision});
      if (i % 2 == 0) stand.report(decided, "opened", 0.25);
    } else if (i % 13 == 5) {
      stand.report(decided, "opened", std::nullopt);
    } else if (i % 17 != 9) {
      stand.report(decided, i % 3 == 0 ? "opened" : "ignored", luck.open_uniform());
    }
  }
}

// Everything that can be in one.
Summary full_summary(Stand& stand) {
  stand.options.publish_every = 0;
  stand.options.snapshot_events = 100;
  stand.start();
  Creation creation = rich_creation("sentry");
  creation.facts.tenant = "shop";
  creation.facts.seed = std::numeric_limits<std::uint64_t>::max();
  creation.facts.settings.floor = 0.1;
  stand.create(creation);
  stand.must<Done>(AddShadow{"mail", "ts"});
  stand.must<Done>(AddShadow{"mail", "hac-ucb"});
  live(stand, "mail", 300);
  Problem changed = creation.problem;
  changed.action_names = {"call", "coupon", "letter \"Grüße\"\t\\"};
  changed.context_names = {"opened", "ignored", "clicked"};
  changed.marginals.reset();
  changed.horizon.reset();
  OpenEpoch open{"mail", {}, "ucb", Start::kReplay, 0, "a \"better\" one"};
  open.problem = changed;
  stand.must<Done>(open);
  live(stand, "mail", 40);
  const Decided amended = stand.decide("mail");
  stand.report(amended, "opened", 1);
  stand.must<Done>(Amend{"mail", amended.decision, Named(std::string("ignored")), 0.5, "wrong"});
  stand.must<Done>(Pause{"mail", "Pause\nfür heute"});
  stand.decide("mail");
  return newest(stand);
}

class SummaryOfPolicy : public testing::TestWithParam<std::string> {};

TEST_P(SummaryOfPolicy, ComesBack) {
  Stand stand;
  stand.options.publish_every = 0;
  stand.start();
  stand.create(rich_creation(GetParam()));
  expect_round_trip(newest(stand));  // with nothing in it yet
  live(stand, "mail", 120);
  const Summary summary = newest(stand);
  EXPECT_GT(summary.learned, 50u);
  for (const Diagnostic& one : summary.diagnostics) EXPECT_TRUE(std::isfinite(one.value));
  expect_round_trip(summary);
}

INSTANTIATE_TEST_SUITE_P(Policies, SummaryOfPolicy,
                         testing::Values("ucb", "c-ucb", "sentry", "warden", "ts", "hac-ucb",
                                         "corral", "pe", "exp3"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

TEST(SummaryJson, OfAllThereIsComesBack) {
  Stand stand;
  const Summary summary = full_summary(stand);
  EXPECT_EQ(summary.shadows.size(), 2u);
  EXPECT_EQ(summary.epoch, 2u);
  EXPECT_EQ(summary.actions.size(), 4u);
  EXPECT_EQ(summary.contexts.size(), 3u);
  EXPECT_FALSE(summary.actions[0].present);
  EXPECT_GT(summary.history.size(), 100u);
  EXPECT_GT(summary.forgotten, 0u);
  EXPECT_GT(summary.late, 0u);
  EXPECT_GT(summary.waiting, 0u);
  EXPECT_GT(summary.fallbacks, 0u);
  EXPECT_EQ(summary.amended, 1u);
  EXPECT_TRUE(summary.snapshot.has_value());
  EXPECT_TRUE(summary.oldest_open.has_value());
  EXPECT_EQ(summary.state, ExperimentState::kPaused);
  expect_round_trip(summary);
  // It is written every second: most of it is numbers.
  EXPECT_LT(write_summary(summary).size(), http::experiment_view(summary).size());
}

TEST(SummaryJson, OfWhatIsDamagedComesBack) {
  Stand stand;
  stand.options.publish_every = 0;
  stand.start();
  stand.create(small_creation("mail", "ucb"));
  live(stand, "mail", 20);
  stand.memory->experiments[0].events[0].opened = nullptr;  // its first epoch is gone
  stand.memory->experiments[0].snapshots.clear();
  stand.crash();
  EXPECT_EQ(stand.refused(Decide{"mail", "", ""}), RefusalKind::kQuarantined);
  const Summary summary = *stand.published.at("mail");
  EXPECT_EQ(summary.state, ExperimentState::kQuarantined);
  EXPECT_NE(summary.state_reason, "");
  expect_round_trip(summary);
}

// Sums that no short decimal is, times before 1970, counts of 64 bits, and what is no number.
TEST(SummaryJson, EveryNumberComesBack) {
  Stand stand;
  Summary summary = full_summary(stand);
  Stream luck({78, 1, Purpose::kTest});
  for (int i = 0; i < 200; ++i) {
    double value = 0;
    do value = std::bit_cast<double>(luck.next_u64());
    while (!std::isfinite(value));
    summary.actions[0].rewards[0] = value;
    summary.actions[0].outcomes.squares = -value;
    summary.history[0].rewards = value;
    summary.time = static_cast<Time>(luck.next_u64() >> 1);
    summary.oldest_open = -summary.time;
    summary.history[0].begin = -summary.time;
    summary.decisions = luck.next_u64();
    summary.seq = luck.next_u64();
    summary.delays[3] = luck.next_u64();
    expect_same(summary, read_summary(write_summary(summary), ""));
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double value : {-0.0, 1.0, 1e15, 1e16, 1e-300, 5e-324, 1.7976931348623157e308,
                             9007199254740993.0, 1.8446744073709552e19}) {
    summary.history[0].rewards = value;
    expect_same(summary, read_summary(write_summary(summary), ""));
  }
  // Nobody adds up such; but what a policy tells about itself is its own business.
  summary.diagnostics = {{"far", kInfinity, ""},
                         {"further", -kInfinity, "word"},
                         {"nothing", std::numeric_limits<double>::quiet_NaN(), ""}};
  expect_same(summary, read_summary(write_summary(summary), ""));
}

TEST(SummaryJson, CutAnywhereIsRefused) {
  Stand stand;
  stand.options.publish_every = 0;
  stand.start();
  stand.create(rich_creation("sentry"));
  stand.must<Done>(AddShadow{"mail", "ts"});
  live(stand, "mail", 5);
  const std::string text = write_summary(newest(stand));
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_THROW(read_summary(text.substr(0, size), "the store"), Error) << size;
  EXPECT_TRUE(refusal([&] { read_summary("{}", "the store"); }).starts_with("the store: format"));
  // Whatever stands in the place of a byte: a summary or an Error, and nothing else.
  Stream luck({79, 1, Purpose::kTest});
  for (int i = 0; i < 5'000; ++i) {
    std::string changed = text;
    changed[luck.next_u64() % text.size()] = static_cast<char>(luck.next_u64());
    try {
      read_summary(changed, "");
    } catch (const Error&) {
    }
  }
}

// Every value of the text in turn, wherever it stands.
void each_value(Json& json, const std::string& path,
                const std::function<void(Json& value, const std::string& path)>& each) {
  if (!path.empty()) each(json, path);
  for (auto& [key, value] : json.items()) {
    if (!json.is_structured()) break;
    each_value(value, path + "/" + key, each);
  }
}

TEST(SummaryJson, AWrongTypeOfAnyFieldIsRefused) {
  Stand stand;
  Summary summary = full_summary(stand);
  summary.history.resize(2);
  summary.shadows[0].failure = "broke";
  const std::string text = write_summary(summary);
  Json json = Json::parse(text);
  int tried = 0;
  each_value(json, "", [&](Json& value, const std::string& path) {
    const Json original = value;
    std::vector<Json> wrong;
    if (!value.is_object()) wrong.push_back(Json::object());
    if (value.is_number() || value.is_string()) wrong.push_back(Json::array());
    if (!value.is_number() && !value.is_string() && path.find("/problem/") == std::string::npos)
      wrong.push_back("x");
    if (value.is_number()) wrong.push_back("x");
    if (!value.is_null()) wrong.push_back(nullptr);
    if (!value.is_boolean()) wrong.push_back(true);
    for (const Json& other : wrong) {
      if (path == "/settings/fallback" && other.is_null()) continue;  // is a setting, too
      value = other;
      ++tried;
      EXPECT_THROW(read_summary(json.dump(), "the store"), Error) << path << " = " << other;
    }
    value = original;
  });
  EXPECT_GT(tried, 300);
  EXPECT_EQ(json.dump(), text);
}

// A field that is not there, or that nobody knows; lists that do not go together.
TEST(SummaryJson, TellsWhatIsWrong) {
  Stand stand;
  const Summary summary = full_summary(stand);
  const Json json = Json::parse(write_summary(summary));
  const auto told = [&](const std::function<void(Json&)>& change) {
    Json changed = json;
    change(changed);
    return refusal([&] { read_summary(changed.dump(), "the store"); });
  };
  for (const auto& [key, value] : json.items()) {
    if (key == "opened" || key == "oldest_open" || key == "snapshot" || key == "epoch") continue;
    const std::string message = told([&, name = key](Json& changed) { changed.erase(name); });
    EXPECT_TRUE(message.starts_with("the store: " + key)) << message;
  }
  const auto expect_told = [&](const std::string& field, const std::function<void(Json&)>& change) {
    const std::string message = told(change);
    EXPECT_NE(message.find(field), std::string::npos) << message;
  };
  expect_told("unknown field 'more'", [](Json& changed) { changed["more"] = 1; });
  expect_told("version", [](Json& changed) { changed["version"] = 2; });
  expect_told("state", [](Json& changed) { changed["state"] = "asleep"; });
  expect_told("delays", [](Json& changed) { changed["delays"].push_back(1); });
  expect_told("actions[1].contexts",
              [](Json& changed) { changed["actions"][1]["contexts"].clear(); });
  expect_told("actions[2].context_rewards",
              [](Json& changed) { changed["actions"][2]["context_rewards"].push_back(1); });
  expect_told("history[0][4]", [](Json& changed) { changed["history"][0][4].push_back(1); });
  expect_told("history[1][4][2]",
              [](Json& changed) { changed["history"][1][4][2] = std::uint64_t{1} << 32; });
  expect_told("history[3]", [](Json& changed) { changed["history"][3].push_back(1); });
  expect_told("diagnostics[0]", [](Json& changed) { changed["diagnostics"] = {{1}}; });
  expect_told("epoch", [](Json& changed) { changed["epoch"] = std::uint64_t{1} << 32; });
}

}  // namespace
}  // namespace armature::service::test
