// States that are whole but for one value, which no run would have left: each is refused and leaves
// no trace, or gives a policy that plays on with arms of the problem. What it may never do is
// abort, hang or read what is not there; the last is for the sanitizers to say.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>

#include "armature/policy_session.h"
#include "conformance/registered_texts.h"

namespace armature {
namespace {

Problem small_problem() {
  Problem problem;
  problem.action_names = numbered_names('a', 5);
  problem.context_names = numbered_names('z', 3);
  problem.horizon = 2000;
  problem.marginals =
      std::make_shared<const Matrix>(Matrix::from_rows({{0.5, 0.25, 0.25},
                                                        {0.25, 0.5, 0.25},
                                                        {0.25, 0.5, 0.25},  // two of a row
                                                        {0.125, 0.125, 0.75},
                                                        {0.25, 0.375, 0.375}}));
  return problem;
}

// Some way in, with decisions outstanding and some forgotten.
std::string honest_state(const std::string& text, const Problem& problem) {
  PolicySession session(text, problem, 7);
  std::vector<Decision> waiting;
  for (std::uint32_t t = 0; t < 90; ++t) {
    const Decision decision = session.choose();
    if (t % 4 == 3)
      waiting.push_back(decision);
    else
      session.observe(decision, {t % 3, t % 3 == 0 ? 0.25 : t % 2});
    if (t % 17 != 5 || waiting.empty()) continue;
    session.forget(waiting.front());
    waiting.erase(waiting.begin());
  }
  return session.policy().save();
}

// --- Forging (docs/formats.md, "Policy state")

struct Field {
  char tag;
  std::string name;
  std::uint64_t count;
  std::size_t place;  // of its first element
  std::size_t width;  // of an element
};

template <class T>
T read_at(const std::string& bytes, std::size_t place) {
  T value;
  std::memcpy(&value, &bytes[place], sizeof value);
  return value;
}

std::vector<Field> fields_of(const std::string& state) {
  std::vector<Field> fields;
  std::size_t at = state.find('\n', state.find('\n') + 1) + 1;
  while (at + sizeof(std::uint64_t) < state.size()) {
    const auto length = read_at<std::uint32_t>(state, at + 1);
    Field field{state[at], state.substr(at + 5, length), 0, at + 13 + length, 8};
    field.count = read_at<std::uint64_t>(state, at + 5 + length);
    if (field.tag == 'b' || field.tag == 't') field.width = 1;
    if (field.tag == 'w') field.width = 4;
    at = field.place + field.count * field.width;
    fields.push_back(field);
  }
  return fields;
}

std::string with_right_digest(std::string state) {
  state.resize(state.size() - sizeof(std::uint64_t));
  Fingerprint fingerprint;
  fingerprint.add(state);
  const std::uint64_t digest = fingerprint.value();
  return state.append(reinterpret_cast<const char*>(&digest), sizeof digest);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array kReals = {
    0.0,        -0.0,  1.0,    -1.0,   0.5,    2.0,  kInfinity,
    -kInfinity, 1e308, -1e308, 1e-300, 5e-324, 1e18, std::numeric_limits<double>::quiet_NaN()};
constexpr std::array<std::uint64_t, 14> kIntegers = {0,
                                                     1,
                                                     2,
                                                     3,
                                                     4,
                                                     5,
                                                     7,
                                                     100,
                                                     0x7fffffff,
                                                     0xffffffff,
                                                     std::uint64_t{1} << 62,
                                                     std::uint64_t{1} << 63,
                                                     ~std::uint64_t{0} - 1,
                                                     ~std::uint64_t{0}};
static_assert(kReals.size() == kIntegers.size());

// The i-th element becomes the k-th of the values above.
std::string forged(const std::string& state, const Field& field, std::uint64_t i, std::size_t k) {
  std::string bytes = state;
  char* const element = &bytes[field.place + i * field.width];
  if (field.tag == 'r' || field.tag == 'R')
    std::memcpy(element, &kReals[k], sizeof kReals[k]);
  else if (field.tag == 'b')
    *element = static_cast<char>(k % 2);
  else
    std::memcpy(element, &kIntegers[k], field.width);  // little-endian: the low bytes
  return with_right_digest(bytes);
}

// --- Trying

void expect_plays_on(AnyPolicy& policy, const Problem& problem, const std::string& what) {
  Stream stream({7, 0, Purpose::kPolicy});
  for (std::uint32_t t = 0; t < 50; ++t) {
    const Decision decision = policy.choose(stream);
    ASSERT_LT(decision.arm, problem.actions()) << what;
    policy.observe(decision, {t % 3, static_cast<double>(t % 2)}, stream);
  }
  policy.diagnostics();
}

class ForgedStates : public testing::TestWithParam<std::string> {};

TEST_P(ForgedStates, AreRefusedOrPlayOn) {
  const Problem problem = small_problem();
  const std::string honest = honest_state(GetParam(), problem);
  auto policy = make_policy(GetParam(), problem);
  const std::string untouched = policy->save();
  for (const Field& field : fields_of(honest)) {
    if (field.count == 0 || field.tag == 't') continue;
    for (const std::uint64_t i : std::set{std::uint64_t{0}, field.count / 2, field.count - 1})
      for (std::size_t k = 0; k < kIntegers.size(); ++k) {
        const std::string what =
            field.name + "[" + std::to_string(i) + "], value " + std::to_string(k);
        SCOPED_TRACE(what);  // an abort leaves it to the last line of the log
        try {
          policy->load(forged(honest, field, i, k));
        } catch (const Error&) {
          ASSERT_EQ(policy->save(), untouched) << what;
          continue;
        }
        expect_plays_on(*policy, problem, what);
        policy = make_policy(GetParam(), problem);
      }
  }
}

std::vector<std::string> forged_texts() {
  std::vector<std::string> texts;
  for (const PolicyEntry& entry : policies())
    if (!entry.facts.name.starts_with("test-")) texts.push_back(entry.facts.name);
  for (const char* text :
       {"hac-ucb:variant=paper", "hac-ucb:ties=random", "c-ucb:ties=random",
        "sentry:proposal=cl-ucb", "sentry:confidence=anytime-kl", "sentry:schedule=free",
        "warden:schedule=free", "pe:design=exact", "corral:variant=published",
        "ucb:confidence=anytime-kl", "db:base=(db:base=c-ucb+ucb)+ucb,d=1+1",
        "db:base=pe+corral+cl-ts,d=1+1+1", "ed2rb:base=sentry+hac-ucb+pe",
        "d3rb:base=(corral:variant=published)+ucb",
        "floor:base=(db:base=pe+corral,d=1+1),probability=0.5"})
    texts.emplace_back(text);
  return texts;
}

INSTANTIATE_TEST_SUITE_P(Registered, ForgedStates, testing::ValuesIn(forged_texts()),
                         test::readable_name);

}  // namespace
}  // namespace armature
