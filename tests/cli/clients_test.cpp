// The clients of examples/service with several nodes: whichever of them is there will do.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "support/postgres_server.h"
#include "support/program.h"
#include "support/serve_process.h"

namespace armature::test {
namespace {

constexpr const char* kExamples = ARMATURE_SOURCE_DIR "/examples/service";

class Clients : public testing::Test {
 protected:
  Clients() : store_(server_.new_database("clients")) {
    EXPECT_EQ(run_shell("armature service migrate '" + store_ + "'", directory_.path()).status, 0);
    for (const char* name : {"a", "b"})
      nodes_.push_back(std::make_unique<ServeProcess>(
          std::vector<std::string>{"--store", store_, "--node", name, "--lease", "1s"}));
    for (const auto& node : nodes_) EXPECT_NE(node->port(), 0) << node->journal();
  }

  // With the client as a module; $A and $B are where the nodes are, $NODE is the first one.
  ProgramResult run(const std::string& typed) const {
    return run_shell("export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=" + std::string(kExamples) +
                         " A=" + nodes_[0]->url() + " B=" + nodes_[1]->url() +
                         " NODE=" + std::to_string(nodes_[0]->pid()) + "; " + typed,
                     directory_.path());
  }
  ProgramResult run_python(const std::string& program) const {
    write_file(directory_.file("program.py"), program);
    return run("/usr/bin/python3 program.py");
  }

  TemporaryDirectory directory_;
  PostgresServer server_;
  std::string store_;
  std::vector<std::unique_ptr<ServeProcess>> nodes_;
};

TEST_F(Clients, AskAnyNode) {
  const ProgramResult result = run(std::string("set -e; cd ") + kExamples +
                                   "; bash curl.sh $A $B; /usr/bin/python3 client.py $B $A; "
                                   "/usr/bin/python3 client.py $A,$B; "
                                   "service_client 127.0.0.1 ${A##*:} 127.0.0.1 ${B##*:}");
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  for (const char* words : {"visitor 10 gets", "110 decisions", "it is \"learned\""})
    EXPECT_NE(result.out.find(words), std::string::npos) << words << "\n" << result.out;
}

// The first address is nobody's.
TEST_F(Clients, GoOnToANodeThatAnswers) {
  const ProgramResult result =
      run(std::string("set -e; cd ") + kExamples +
          "; bash curl.sh http://127.0.0.1:1 $B; /usr/bin/python3 client.py http://127.0.0.1:1 $B; "
          "service_client 127.0.0.1 1 127.0.0.1 ${B##*:}");
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  for (const char* words : {"visitor 10 gets", "110 decisions", "it is \"learned\""})
    EXPECT_NE(result.out.find(words), std::string::npos) << words << "\n" << result.out;
}

TEST_F(Clients, GoStraightToTheOwnerUntilItIsGone) {
  // Enough experiments that both nodes have some; the one that is killed loses them to the other.
  const ProgramResult result = run_python(R"python(
import json, os, signal
from client import Service, Refused

a, b = os.environ["A"], os.environ["B"]
service = Service(a, b)
with open(os.path.join(os.environ["PYTHONPATH"], "mail.json")) as file:
    mail = json.load(file)
names = [f"mail-{i}" for i in range(16)]
first = {}
for name in names:
    service.create({**mail, "name": name})
    first[name] = service.decide(name, key="visitor")
    service.outcome(first[name], context="opened", reward=1)

# Nobody is asked but the owner, as soon as the nodes have shared them out.
asked, send = [], service.send
def noted(url, *rest):
    asked.append(url)
    return send(url, *rest)
service.send = noted
for _ in range(100):
    asked, owners = [], dict(service.owners)
    for name in names:
        service.decide(name, key="another visitor")
    if asked == [owners[name] for name in names] and set(asked) == {a, b}:
        break
else:
    raise SystemExit(f"asked {asked}, and the owners are {owners}")

# No other address is believed, and a refusal is told.
other = Service(a)
other.decide("mail-0", key="visitor")
assert set(other.owners.values()) <= {a}, other.owners
try:
    service.decide("none", key="visitor")
    raise SystemExit("decided for nobody")
except Refused as refused:
    assert refused.problem["status"] == 404, refused.problem

os.kill(int(os.environ["NODE"]), signal.SIGKILL)
for name in names:
    again = service.decide(name, key="visitor")
    assert again["decision"] == first[name]["decision"] and again["repeated"], again
assert set(service.owners.values()) == {b}, service.owners
print("all of it")
)python");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "all of it\n");
}

}  // namespace
}  // namespace armature::test
