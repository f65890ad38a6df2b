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

// --- Lists, empty values, files without an end, work without an end ------------------------------

INSTANTIATE_TEST_SUITE_P(
    Lists, BadInput,
    testing::Values(
        Mistake{"simulate -i hidden-arm -p ucb -T 10 --at 1,,2",
                "--at: got '1,,2', expected rounds with one comma between two"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 --at 1,", "--at: got '1,'"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 --at ,", "--at: got ','"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 --at 1,x", "--at: got 'x'"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 --at '1 2'", "--at: got '1 2'"},
        Mistake{"simulate -i hidden-arm: -p ucb -T 10", "expected key=value"},
        Mistake{"simulate -i hidden-arm:gap=0.1,gap=0.2 -p ucb -T 10", "expected each key once"},
        Mistake{"simulate -i hidden-arm -p 'ucb:delta=((1' -T 10", "every '(' and '\"' closed"}));

INSTANTIATE_TEST_SUITE_P(
    EmptyValues, BadInput,
    testing::Values(
        Mistake{"simulate -i hidden-arm -p ucb -T 10 -o ''", "--output: got an empty text"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 --given ''", "--given: got an empty text"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 --at ''", "--at: got an empty text"},
        Mistake{"simulate -i '' -p ucb -T 10", "--instance: got an empty text"},
        Mistake{"simulate -i hidden-arm -p '' -T 10", "--policy: got an empty text"},
        Mistake{"run study.toml --out ''", "--out: got an empty text"},
        Mistake{"run '' -o run", "FILE: got an empty text"},
        Mistake{"run study.toml ''", "KEY=VALUE: got an empty text"},
        Mistake{"status ''", "DIR: got an empty text"},
        Mistake{"export run --to ''", "--to: got an empty text"},
        Mistake{"report run --out ''", "--out: got an empty text"},
        Mistake{"studies ''", "FOLDER: got an empty text"},
        Mistake{"studies --runs ''", "--runs: got an empty text"},
        Mistake{"bounds -A 20 -Z 2 -T 10 -o ''", "--output: got an empty text"},
        Mistake{"bounds -A 20 -Z 2 -T 10 --gap ''", "--gap: got an empty text"},
        Mistake{"frontier -A 20 -Z 2 -T 10 -o ''", "--output: got an empty text"},
        Mistake{"design ''", "got an empty text"},
        Mistake{"instance write hidden-arm ''", "FILE: got an empty text"},
        Mistake{"policies ''", "NAME: got an empty text"},
        Mistake{"demo --out ''", "--out: got an empty text"}));

INSTANTIATE_TEST_SUITE_P(
    WithoutEnd, BadInput,
    testing::Values(
        Mistake{"simulate -i /dev/zero -p ucb -T 10", "/dev/zero: size: got more than 64 MiB"},
        Mistake{"run /dev/zero -o run", "/dev/zero: size: got more than 64 MiB"},
        Mistake{"simulate -i hidden-arm -p ts -T 1e15 -m 1", "or --yes to run it all the same"},
        Mistake{"simulate -i hidden-arm -p ts -T 1e15 -m 1 -o result.json",
                "of one core, expected at most 12 h"},
        Mistake{"simulate -i hidden-arm -p ucb -T 1e18 -m 1e9 --checkpoints 1e5",
                "to be kept in memory"},
        Mistake{"simulate -i hidden-arm:actions=1e12 -p ucb -T 10", "actions: got 1e12"}));

INSTANTIATE_TEST_SUITE_P(
    Places, BadInput,
    testing::Values(
        Mistake{"simulate -i hidden-arm -p ucb -T 10 --given hidden-arm:actions=3",
                "--given: got 'hidden-arm:actions=3', expected a problem file"},
        Mistake{"instance show hidden-arm --given hidden-arm", "a world goes to --instance"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 -o /dev/full", "No space left on device"},
        Mistake{"run none.toml -o run", "none.toml: open: got No such file"},
        Mistake{"status none", "none: study: got none"},
        Mistake{"export none", "none: study: got none"},
        Mistake{"report none", "none: study: got none"},
        Mistake{"report /dev/zero", "/dev/zero: study: got none"},
        Mistake{"studies none", "none: folder: got No such file"},
        Mistake{"simulate -i hidden-arm -p ucb -T 10 extra", "extra"},
        Mistake{"policies ucb c-ucb", "c-ucb"}));

// --- Files of every kind, each with what a person may have done to it ----------------------------

constexpr const char* kWorld = R"({"format": "armature-instance", "version": 1,
  "actions": 2, "contexts": 2, "marginals": [[0.5, 0.5], [0.2, 0.8]],
  "rewards": {"given_context": [0.1, 0.2]}})";
constexpr const char* kTold = R"({"format": "armature-problem", "version": 1,
  "actions": 2, "contexts": 2})";
constexpr const char* kStudy =
    "horizons = [100]\nreplications = 2\ninstances = ['hidden-arm']\npolicies = ['ucb']\n";

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  return text.replace(text.find(part), part.size(), by);
}

// ASCII as UTF-16, the lower byte first.
std::string wide(const std::string& text) {
  std::string bytes;
  for (const char c : text) bytes += std::string{c, '\0'};
  return bytes;
}

struct SpoiltFile {
  std::string name;
  std::string content;
  std::string arguments;
  std::string message;
};

TEST(SpoiltFiles, AreNamedAndLeaveNothing) {
  const std::string simulate = "simulate -i x.json -p ucb -T 10 -o result.json";
  const std::string given = "simulate -i hidden-arm -p ucb -T 10 --given x.json -o result.json";
  const std::string run = "run x.toml -o run -q";
  const std::vector<SpoiltFile> files = {
      {"x.json", replaced(kWorld, "\"actions\"", "\"actions\": 3,\n\"actions\""), simulate,
       "x.json: line 3, column 1: got the key \"actions\" a second time"},
      {"x.json", replaced(kWorld, "{\"given", "{\"given_context\": [], \"given"), simulate,
       "x.json: line 3, column 36: got the key \"given_context\" a second time"},
      {"x.json", replaced(kTold, "\"actions\"", "\"actions\": 2, \"actions\""), given,
       "x.json: line 2, column 17: got the key \"actions\" a second time"},
      {"x.json", "\xff\xfe" + wide(kWorld), simulate, "x.json: encoding: got UTF-16"},
      {"x.json", wide(kWorld), simulate, "x.json: encoding: got UTF-16"},
      {"x.json", replaced(kWorld, "\"actions\"", std::string("\0", 1)), simulate,
       "x.json: line 2: got a NUL byte"},
      {"x.json", replaced(kWorld, "\"contexts\"", "\"name\": \"caf\xe9\", \"contexts\""), simulate,
       "expected valid JSON"},
      {"x.json", "", simulate, "got the end of the text"},
      {"x.json", "// a remark\n" + std::string(kWorld), simulate, "expected valid JSON"},
      {"x.json", std::string(100'000, '['), simulate, "got deeper nesting"},
      {"x.json", replaced(kWorld, "0.1", "1e999"), simulate, "number overflow"},
      {"x.json", kTold, simulate, "this is what policies are told, for --given"},
      {"x.json", kWorld, given, "this is a world, for --instance"},
      {"x.json", kWorld, "advise -i x.json -A 7 -T 1e3", "--actions: got 7, expected 2"},
      {"x.json", kWorld, "export x.json --latex --to y.tex", "x.json: format: got"},
      {"x.json", "{}", "report x.json --out y", "x.json: published results: got"},
      {"x.json", R"({"format": 1, "format": 2})", "report x.json --out y", "a second time"},
      {"x.toml", "\xff\xfe" + wide(kStudy), run, "x.toml: encoding: got UTF-16"},
      {"x.toml", kStudy + std::string("\0", 1), run, "x.toml: line 5: got a NUL byte"},
      {"x.toml", "title = 'caf\xe9'\n", run, "x.toml: line 1: got"},
      {"x.toml", "", run, "x.toml: horizons: got nothing"},
      {"x.toml", kStudy + std::string("seed = 1\nseed = 2\n"), run, "x.toml: line 6: got"},
      {"x.toml", "a = " + std::string(100'000, '['), run, "x.toml: line 1: got"},
      {"x.toml", replaced(kStudy, "ucb", "uc\\u001bb"), run, "x.toml: "},
      {"x.toml", replaced(kStudy, "hidden-arm", "./none.json"), run,
       "armature: x.toml: instance: ./none.json: open: got No such file or directory"},
      {"x.toml", replaced(kStudy, "hidden-arm", "./none.json"), "study check x.toml",
       "armature: x.toml: instance: ./none.json: open: got No such file or directory"},
      {"x.toml", replaced(kStudy, "hidden-arm", "./x.toml"), run,
       "./x.toml: line 1, column 1: got"},
      {"x.csv", std::string("1,2\n3,\0\n", 8), "design x.csv", "x.csv: line 2: got a NUL byte"},
      {"x.csv", "\xff\xfe" + wide("1,2\n"), "design x.csv", "x.csv: encoding: got UTF-16"},
      {"x.csv", "1,2\n3\n", "design x.csv", "x.csv: line 2: got 1 numbers"},
      {"x.csv", "", "design x.csv", "x.csv: rows: got none"},
      {"x.csv", "1,2\n", "design x.csv --seed x", "--seed: got 'x'"},
      {"study.sqlite", "no database", "status .", "study.sqlite"},
      {"study.sqlite", "", "status .", "study: got one that never began"},
  };
  for (const SpoiltFile& file : files) {
    const TemporaryDirectory directory;
    write_file(directory.file(file.name), file.content);
    const ProgramResult result = run_shell("armature " + file.arguments, directory.path());
    const std::string what = file.arguments + ", " + file.message;
    EXPECT_EQ(result.status, 2) << what;
    EXPECT_NE(result.err.find(file.message), std::string::npos) << what << "\n" << result.err;
    EXPECT_EQ(result.out, "") << what;
    EXPECT_EQ(directory.listing(), std::vector<std::string>{file.name}) << what;
  }
}

// Whoever opens one for reading waits for a writer. There is none.
TEST(NamedPipes, AreRefused) {
  const TemporaryDirectory directory;
  const std::string start = "mkdir -p s; mkfifo s/study.sqlite x.json x.toml x.csv 2>/dev/null; ";
  for (const char* arguments :
       {"simulate -i x.json -p ucb -T 10", "simulate -i hidden-arm -p ucb -T 10 --given x.json",
        "run x.toml -o run", "study check x.toml", "design x.csv", "status s", "export s",
        "report s", "report x.json"}) {
    const ProgramResult result =
        run_shell(start + "timeout 20 armature " + arguments, directory.path());
    EXPECT_EQ(result.status, 2) << arguments << "\n" << result.err;
    EXPECT_NE(result.err.find("armature: "), std::string::npos) << arguments;
  }
}

// What a shell hands over is a pipe too, and is read.
TEST(NamedPipes, ThoseOfAShellAreRead) {
  const TemporaryDirectory directory;
  write_file(directory.file("x.json"), kWorld);
  const ProgramResult result = run_shell(
      "cat x.json | armature simulate -i /dev/stdin -p ucb -T 10 -m 2 -q", directory.path());
  EXPECT_EQ(result.status, 0) << result.err;
}

// --- Long arguments and control characters -------------------------------------------------------

TEST(LongArguments, AreShortened) {
  const std::string x(5000, 'x');
  for (const std::string& arguments :
       std::vector<std::string>{x,
                                "--" + x,
                                "simulate -i " + x + " -p ucb -T 10",
                                "simulate -i hidden-arm -p " + x + " -T 10",
                                "simulate -i hidden-arm -p ucb:" + x + "=1 -T 10",
                                "simulate -i hidden-arm -p ucb:delta=" + x + " -T 10",
                                "simulate -i hidden-arm -p ucb -T " + x,
                                "simulate -i hidden-arm -p ucb -T 10 -f " + x,
                                "simulate -i hidden-arm -p ucb -T 10 -o " + x,
                                "simulate -i ./" + x + " -p ucb -T 10",
                                "run " + x,
                                "run " + x + ".toml seed=" + x,
                                "status " + x,
                                "export " + x,
                                "report " + x,
                                "studies " + x,
                                "design " + x,
                                "design " + x + ".csv",
                                "policies " + x,
                                "families " + x,
                                "bounds -A " + x + " -Z 2 -T 10",
                                "completion " + x,
                                "study " + x}) {
    const ProgramResult result = run_armature(arguments);
    EXPECT_EQ(result.status, 2) << arguments.substr(0, 60);
    EXPECT_LT(result.err.size(), 1200u) << arguments.substr(0, 60);
    EXPECT_EQ(result.err.find("unexpected:"), std::string::npos) << result.err;
  }
}

TEST(ControlCharacters, NeverReachTheTerminal) {
  const TemporaryDirectory directory;
  for (const char* arguments :
       {"\"$E\"", "simulate -i \"$E\" -p ucb -T 10", "simulate -i hidden-arm -p \"$E\" -T 10",
        "simulate -i hidden-arm -p ucb -T \"$E\"", "simulate -i hidden-arm -p ucb -T 10 -f \"$E\"",
        "run \"$E\"", "status \"$E\"", "policies \"$E\"", "families \"$E\"", "study \"$E\"",
        "simulate --\"$E\""}) {
    const ProgramResult result = run_shell(
        std::string("E=$(printf '\\033[31m\\007'); armature ") + arguments, directory.path());
    EXPECT_EQ(result.status, 2) << arguments;
    for (const char c : result.err) EXPECT_TRUE(c == '\n' || (c & 0xE0) != 0) << arguments;
  }
}

// --- Output that does not arrive -----------------------------------------------------------------

TEST(LostOutput, IsAnError) {
  const TemporaryDirectory directory;
  write_file(directory.file("x.toml"), kStudy);
  ASSERT_EQ(run_shell("armature run x.toml -o run -q", directory.path()).status, 0);
  for (const char* arguments :
       {"--help", "--version", "policies --help", "policies", "families", "status run",
        "export run --to csv", "simulate -i hidden-arm -p ucb -T 10 -m 2 -q"}) {
    const ProgramResult result =
        run_shell(std::string("armature ") + arguments + " > /dev/full", directory.path());
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_NE(result.err.find("standard output"), std::string::npos) << arguments;
  }
}

// One bad file hides nobody, but a script notices.
TEST(Studies, WithABrokenFileAreListedAndFail) {
  const TemporaryDirectory directory;
  write_file(directory.file("good.toml"), kStudy);
  write_file(directory.file("bad.toml"), "horizons = \n");
  for (const char* format : {"table", "json"}) {
    const ProgramResult result =
        run_shell(std::string("armature studies . -f ") + format, directory.path());
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.out.find("good.toml"), std::string::npos) << result.out;
    EXPECT_NE(result.err.find("bad.toml: line 1: got"), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace armature::test
