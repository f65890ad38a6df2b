// Every mistake a person can make on the command line: an error that names the field, the value and
// what was expected, exit status 2, and nothing left behind.
#include <gtest/gtest.h>

#include "base/file.h"
#include "support/program.h"

namespace armature::test {
namespace {

struct Mistake {
  const char* arguments;
  const char* message;  // a part of standard error
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.arguments; }

class BadInput : public testing::TestWithParam<Mistake> {};

TEST_P(BadInput, IsNamedAndLeavesNothing) {
  const TemporaryDirectory directory;
  const ProgramResult result =
      run_shell(std::string("armature ") + GetParam().arguments, directory.path());
  EXPECT_EQ(result.status, 2) << GetParam().arguments;
  EXPECT_NE(result.err.find(GetParam().message), std::string::npos) << GetParam().arguments << "\n"
                                                                    << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(directory.listing().empty());
}

INSTANTIATE_TEST_SUITE_P(
    Simulate, BadInput,
    testing::Values(
        Mistake{"simulate -i hiden-arm -p ucb -T 10", "did you mean 'hidden-arm'?"},
        Mistake{"simulate -i hidden-arm -p uccb -T 10", "did you mean 'ucb'?"},
        Mistake{"simulate -i hidden-arm:gaps=0.1 -p ucb -T 10", "did you mean 'gap'?"},
        Mistake{"simulate -i hidden-arm -p ucb:dleta=0.1 -T 10", "did you mean 'delta'?"},
        Mistake{"simulate -i hidden-arm:gap=0.7 -p ucb -T 10",
                "gap: got 0.7, expected a number in [0,0.5]"},
        Mistake{"simulate -i hidden-arm:actions=0 -p ucb -T 10", "actions: got 0, expected"},
        Mistake{"simulate -i hidden-arm -p ucb:delta=1 -T 10",
                "delta: got 1, expected a number in (0,1)"},
        Mistake{"simulate -i hidden-arm -p ucb:scale=nan -T 10", "scale: got 'nan'"},
        Mistake{"simulate -i hidden-arm -p ucb:delta -T 10", "expected key=value"},
        Mistake{"simulate -i hiden-arm:gap=1/4 -p ucb -T 10", "did you mean 'hidden-arm'?"},
        Mistake{"simulate -i hidden-arm:gap=A/4 -p ucb -T 10",
                "gap: got 'A/4', which is 5, expected a number in [0,0.5]"},
        Mistake{"simulate -i hidden-arm:gap=1/0 -p ucb -T 10", "or a formula: a finite value"},
        Mistake{"simulate -i hidden-arm -p ucb:delta=1/t -T 10",
                "delta: got '1/t', expected a number in (0,1), or a formula: A, Z, T, sqrt(…)"},
        Mistake{"simulate -i hidden-arm -p ucb -T 2^20/x",
                "--horizon: got '2^20/x', expected a whole number from 1 to 1000000000000000000, "
                "or a formula"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 --at 2*T", "--at: got '2*T'"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 --loss 3/2", "--loss: got '3/2'"},
        Mistake{"simulate -i hidden-arm -p fixed:arm=20 -T 10",
                "arm: got 20, expected an action from 0 to 19"},
        Mistake{"simulate -i hidden-arm -p ucb -T 0",
                "--horizon: got '0', expected a whole number"},
        Mistake{"simulate -i hidden-arm -p ucb -T -5", "--horizon: got '-5'"},
        Mistake{"simulate -i hidden-arm -p ucb -T 1.5", "--horizon: got '1.5'"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 -m 0", "--replications: got '0'"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 -s -1", "--seed: got '-1'"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 --at 11", "--at: got '11'"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 --delay soon", "delay: got 'soon'"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 --loss 1", "--loss: got '1'"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 --batch 0", "--batch: got '0'"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 -f xml", "--format"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 -o missing/result.json",
                "missing/result.json"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 -o .", "got a directory"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 --given none.json", "none.json"},
        Mistake{"simulate -i none.json -p ucb -T 10", "none.json: open"},
        Mistake{"simulate -i hidden-arm -p db:dial=2 -T 100", "dial: got 2"},
        Mistake{"simulate -i hidden-arm -p db:R2=5 -T 100", "R2: got 5, expected a regret in"},
        Mistake{"simulate -i hidden-arm -p db:base=ts+ucb -T 100", "no coefficient is proved"},
        Mistake{"simulate -i hidden-arm -p floor:base=nope -T 100", "policy floor: base: policy"},
        Mistake{"simulate -i hidden-arm -p pe:delta=0 -T 100", "delta: got 0"},
        Mistake{"simulate -p ucb -T 10", "--instance is required"},
        Mistake{"simulate -i pe-trap:actions=5,contexts=7 -p ucb -T 10",
                "expected more actions than the 7 contexts"}));

INSTANTIATE_TEST_SUITE_P(
    Others, BadInput,
    testing::Values(Mistake{"", "command: got nothing, expected one of simulate, "},
                    Mistake{"study", "study: command: got nothing, expected check"},
                    Mistake{"-x", "option: got '-x', expected one of --version, --help"},
                    Mistake{"-W", "option: got '-W'"},
                    Mistake{"simulat", "did you mean 'simulate'?"},
                    Mistake{"study chek",
                            "study: command: got 'chek', expected check; did you "
                            "mean 'check'?"},
                    Mistake{"instance shw x", "did you mean 'show'?"},
                    Mistake{"simulate --replicatons 3", "did you mean '--replications'?"},
                    Mistake{"simulate --repl 3", "did you mean '--replications'?"},
                    Mistake{"simulate --horizons=3", "did you mean '--horizon'?"},
                    Mistake{"simulate -t 3", "did you mean '-T'?"},
                    Mistake{"simulate -r 3", "did you mean '--replications'?"},
                    Mistake{"policies ucb ts",
                            "policies: argument: got 'ts', expected nothing more"},
                    Mistake{"policies --color green", "--color"},
                    Mistake{"simlate", "did you mean 'simulate'?"},
                    Mistake{"policies ucbb", "did you mean 'ucb'?"},
                    Mistake{"families hidden", "expected a family"},
                    Mistake{"instance show agnostic", "--horizon"},
                    Mistake{"instance write hidden-arm missing/x.json", "missing/x.json"},
                    Mistake{"instance show hidden-arm --tolerance 2", "--tolerance"},
                    Mistake{"demo --out /dev/null/x", "/dev/null/x: directory"},
                    Mistake{"design none.csv", "none.csv: open"},
                    Mistake{"design hiden-arm", "did you mean 'hidden-arm'?"},
                    Mistake{"completion fish", "SHELL"}));

INSTANTIATE_TEST_SUITE_P(
    Theory, BadInput,
    testing::Values(
        Mistake{"bounds -A 0 -Z 2 -T 10", "--actions: got '0', expected a whole number"},
        Mistake{"bounds -A -3 -Z 2 -T 10", "--actions: got '-3'"},
        Mistake{"bounds -A 2.5 -Z 2 -T 10", "--actions: got '2.5'"},
        Mistake{"bounds -A 20 -Z 0 -T 10", "--contexts: got '0'"},
        Mistake{"bounds -A 20 -T 10", "--contexts: got nothing"},
        Mistake{"bounds -A 20 -Z 2", "--horizon is required"},
        Mistake{"bounds -A 20 -Z 2 -T 0", "--horizon: got '0'"},
        Mistake{"bounds -A 20 -Z 2 -T 1e19", "--horizon: got '1e19'"},
        Mistake{"bounds -A 20 -Z 2 -T 10 --delta 0", "--delta: got 0, expected a number in (0,1)"},
        Mistake{"bounds -A 20 -Z 2 -T 10 --delta 1", "--delta: got 1"},
        Mistake{"bounds -A 20 -Z 2 -T 10 --delta nan", "--delta: got 'nan'"},
        Mistake{"bounds -A 20 -Z 2 -T 10 --gap A/T", "--gap: got 2, expected a number in (0,1]"},
        Mistake{"bounds -A Z -Z 2 -T 10", "Z, which is not known here"},
        Mistake{"bounds -A 20 -Z 2 -T 10 --rank 3", "--rank: got 3, expected a rank from 1 to"},
        Mistake{"bounds -A 20 -Z 2 -T 10 --rank 0", "--rank: got '0'"},
        Mistake{"bounds -A 20 -Z 2 -T 10 --gap 0", "--gap: got 0, expected a number in (0,1]"},
        Mistake{"bounds -A 20 -Z 2 -T 10 --gap 1.5", "--gap: got 1.5"},
        Mistake{"bounds -A 20 -Z 2 -T 10 --epsilon -0.1", "--epsilon: got -0.1"},
        Mistake{"bounds -A 20 -Z 2 -T 10 --epsilon 2.1",
                "--epsilon: got 2.1, expected a number in [0,2]"},
        Mistake{"bounds -A 20 -Z 2 -T 1e6 --r2 5",
                "--r2: got 5, expected a regret in [sqrt(|A|T), T]"},
        Mistake{"bounds -A 20 -Z 2 -T 1e6 --r2 2e6", "--r2: got 2000000"},
        Mistake{"bounds -i hiden-arm -T 10", "did you mean 'hidden-arm'?"},
        Mistake{"bounds -i hidden-arm -A 30 -T 10", "--actions: got 30, expected 20"},
        Mistake{"bounds -A 20 -Z 2 -T 10 -f vega-lite", "--format"},
        Mistake{"bounds -A 20 -Z 2 -T 10 -o missing/x.json", "missing/x.json"},
        Mistake{"frontier -A 20 -Z 2 -T 10 --points 1", "--points: got '1'"},
        Mistake{"frontier -A 20 -Z 2 -T 10 --r1 5", "--r2: got nothing"},
        Mistake{"frontier -A 20 -Z 2 -T 10 --r2 5", "--r1: got nothing"},
        Mistake{"frontier -A 20 -Z 2 -T 10 --r1 -5 --r2 5", "--r1: got -5"},
        Mistake{"frontier -A 20 -Z 2 -T 10 --r1 5 --r2 x", "--r2: got 'x'"},
        Mistake{"frontier -A 20 -Z 2 -T 10 --axes polar", "--axes"},
        Mistake{"advise -A 20 -Z 2 -T 10 --gap 2", "--gap: got 2"},
        Mistake{"advise -A 20 -Z 2 -T 10 --epsilon 3", "--epsilon: got 3"},
        Mistake{"advise -A 20 -Z 2", "--horizon is required"}));

// Files a person may hand over, and what is wrong with them.
struct BadFile {
  const char* json;
  const char* message;
};

void PrintTo(const BadFile& file, std::ostream* out) { *out << file.message; }

class BadInstanceFile : public testing::TestWithParam<BadFile> {};

TEST_P(BadInstanceFile, IsNamedWithItsField) {
  const TemporaryDirectory directory;
  write_file(directory.file("world.json"), GetParam().json);
  const ProgramResult result =
      run_shell("armature simulate -i world.json -p ucb -T 10 -o result.json", directory.path());
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("world.json: "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find(GetParam().message), std::string::npos) << result.err;
  EXPECT_EQ(directory.listing(), std::vector<std::string>{"world.json"});
}

constexpr const char* kRowSum = R"({"format": "armature-instance", "version": 1, "actions": 2,
  "contexts": 2, "marginals": [[0.5, 0.5], [0.5, 0.4]], "rewards": {"given_context": [0.1, 0.2]}})";
constexpr const char* kNegative = R"({"format": "armature-instance", "version": 1, "actions": 1,
  "contexts": 2, "marginals": [[-0.5, 1.5]], "rewards": {"given_context": [0.1, 0.2]}})";
constexpr const char* kReward = R"({"format": "armature-instance", "version": 1, "actions": 1,
  "contexts": 1, "marginals": [[1]], "rewards": {"given_context": [1.2]}})";
constexpr const char* kVersion = R"({"format": "armature-instance", "version": 7, "actions": 1,
  "contexts": 1, "marginals": [[1]], "rewards": {"given_context": [0.2]}})";
constexpr const char* kNoActions = R"({"format": "armature-instance", "version": 1, "actions": 0,
  "contexts": 1, "marginals": [], "rewards": {"given_context": [0.2]}})";

INSTANTIATE_TEST_SUITE_P(
    Files, BadInstanceFile,
    testing::Values(BadFile{kRowSum, "marginals[1]: got a row that sums to 0.9"},
                    BadFile{kNegative, "marginals[0][0]: got -0.5"},
                    BadFile{kReward, "got 1.2, expected a number in [0,1]"},
                    BadFile{kVersion, "version: got 7"}, BadFile{kNoActions, "actions: got 0"},
                    BadFile{"{\"format\": \"arm", "the end of the text"},
                    BadFile{"[1, NaN]", "got 'NaN', expected valid JSON"}));

}  // namespace
}  // namespace armature::test
