// The commands around a service's store where that is a database, as a person types them.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "support/postgres_server.h"
#include "support/program.h"

namespace armature::test {
namespace {

class DatabaseCommands : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<PostgresServer>(); }
  static void TearDownTestSuite() { server_.reset(); }
  void SetUp() override {
    static int number = 0;
    url_ = server_->new_database("commands" + std::to_string(++number));
  }

  // STORE stands for the database.
  ProgramResult run(const std::string& arguments) const {
    return run_shell("STORE='" + url_ + "'; armature " + arguments, directory_.path());
  }
  void expect(const std::string& arguments, const std::string& words) const {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.status, 0) << arguments << "\n" << result.err;
    EXPECT_NE(result.out.find(words), std::string::npos) << arguments << "\n" << result.out;
  }
  void expect_refused(const std::string& arguments, const std::string& words) const {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.status, 2) << arguments << "\n" << result.out << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << arguments << "\n" << result.err;
    EXPECT_EQ(result.out, "") << arguments;
  }

  static std::unique_ptr<PostgresServer> server_;
  std::string url_;
  TemporaryDirectory directory_;
};
std::unique_ptr<PostgresServer> DatabaseCommands::server_;

TEST_F(DatabaseCommands, WalkThroughAllOfThem) {
  expect("service migrate $STORE", "has armature's tables now, schema 1");
  expect("service migrate $STORE", "has schema 1 already");
  expect("serve demo --demo --listen 127.0.0.1:0 --for 2s", "serves demo at http://");
  expect("service copy demo $STORE", "demo-mail: ");
  const std::string here = run("service check demo --wide").out;
  EXPECT_NE(here.find("as logged"), std::string::npos) << here;
  EXPECT_EQ(run("service check $STORE --wide").out, here);
  EXPECT_EQ(run("service export $STORE").out, run("service export demo").out);
  EXPECT_EQ(run("service export $STORE --format csv").out,
            run("service export demo --format csv").out);
  expect("service backup $STORE saved", "");
  EXPECT_EQ(run("service check saved --wide").out, here);
  EXPECT_EQ(run("service top $STORE --once").out, run("service top saved --once").out);
  const ProgramResult archived = run("service archive $STORE --before 2999-01-01 --to old");
  EXPECT_EQ(archived.status, 0) << archived.err;
  EXPECT_NE(archived.out.find("demo-mail: "), std::string::npos) << archived.out;
  expect("service check $STORE", "as logged");
  // Where the store is may also be said where nobody else sees it.
  const ProgramResult quiet =
      run_shell("export ARMATURE_STORE='" + url_ +
                    "'; armature service check && armature service top --once && "
                    "armature service token && armature service migrate",
                directory_.path());
  EXPECT_EQ(quiet.status, 0) << quiet.err;
  // A node goes on from there, and shows it.
  expect("serve --store $STORE --node a --listen 127.0.0.1:0 --for 2s", ", node a, serves");
  expect("service check $STORE", "as logged");
  // Into a second database, by its log.
  ASSERT_EQ(run("service export demo --output mail.jsonl").status, 0);
  url_ = server_->new_database("imported");
  expect("service migrate $STORE", "schema 1");
  expect("service import $STORE mail.jsonl", "digest ");
  EXPECT_EQ(run("service import $STORE mail.jsonl").status, 1);
  EXPECT_EQ(run("service check $STORE --wide").out, here);
}

TEST_F(DatabaseCommands, TokensAreMadeWhileNodesAreAtWork) {
  ASSERT_EQ(run("service migrate $STORE").status, 0);
  expect_refused("serve --store $STORE --listen 0.0.0.0:0 --behind-proxy",
                 "armature service token");
  const ProgramResult secret = run("service token $STORE --name boss --role admin");
  EXPECT_EQ(secret.status, 0) << secret.err;
  EXPECT_GE(secret.out.size(), 40u);
  expect("service token $STORE", "boss");
  expect_refused("service token $STORE --name boss --role admin", "a new name");
  expect_refused("serve --store $STORE --listen 0.0.0.0:0 --behind-proxy", "--address");
  const ProgramResult revoked = run("service token $STORE --revoke boss");
  EXPECT_EQ(revoked.status, 0) << revoked.err;
  EXPECT_NE(revoked.err.find("nobody can manage tokens"), std::string::npos);
}

TEST_F(DatabaseCommands, MistakesAreSaid) {
  expect_refused("service check $STORE", "armature service migrate");
  expect_refused("serve --store $STORE --for 1s", "armature service migrate");
  ASSERT_EQ(run("service migrate $STORE").status, 0);
  expect_refused("serve some-directory --store $STORE", "one of the two");
  expect_refused("serve --store some-directory", "postgresql://");
  expect_refused("serve --store $STORE --address http://foo:80", "without a scheme");
  expect_refused("serve --store $STORE --read-store mirror", "--read-store");
  expect_refused("serve --store $STORE --peer-certificate a.pem", "--peer-key");
  expect_refused("serve", "ARMATURE_STORE");
  expect_refused("service migrate", "ARMATURE_STORE");
  expect_refused("service migrate some-directory", "postgresql://");
  expect_refused("serve some-directory --node a", "--store");
  expect_refused("serve some-directory --read-store $STORE", "--store");
  expect_refused("serve --store $STORE --lease 10ms", "--lease");
  expect_refused("serve --store $STORE --lease never", "--lease");
  expect_refused("serve --store $STORE --address nowhere", "--address");
  expect_refused("serve --store $STORE --node 'a b' --listen 127.0.0.1:0", "letters, digits");
  expect_refused("serve --store $STORE --peer-authority none.pem --listen 127.0.0.1:0",
                 "--certificate");
  expect_refused("service archive $STORE --before 2026-01-01", "--to");
  expect_refused("service check 'postgresql://someone:secret@127.0.0.1:1/none'",
                 "postgresql://someone@127.0.0.1:1/none");
  // However it is written: nothing that could be a password is ever shown.
  for (const char* url :
       {"postgresql://someone:secret@127.0.0.1:1/none", "postgresql://me:a?secret@127.0.0.1:1/none",
        "postgresql://me:a/secret@127.0.0.1:1/none", "postgresql://me:a%zzsecret@127.0.0.1:1/none",
        "postgresql://127.0.0.1:1/none?%70assword=secret",
        "POSTGRESQL://me:secret@127.0.0.1:1/none"})
    for (const char* command : {"service check '", "service migrate '", "serve --store '"}) {
      const ProgramResult result = run(std::string(command) + url + "'");
      EXPECT_EQ(result.status, 2) << url;
      EXPECT_EQ((result.out + result.err).find("secret"), std::string::npos) << result.err;
    }
  expect_refused("service copy $STORE $STORE", "another store");
  expect_refused("service copy nothing-there $STORE", "nothing-there");
  expect_refused("service backup $STORE .", "a new one");
  EXPECT_FALSE(std::filesystem::exists(directory_.file("some-directory")));
}

TEST_F(DatabaseCommands, ANameIsOneProcess) {
  ASSERT_EQ(run("service migrate $STORE").status, 0);
  const ProgramResult result = run_shell(
      "STORE='" + url_ +
          "'; mkfifo said; armature serve --store $STORE --node a --lease 1s --listen 127.0.0.1:0 "
          ">said & read line <said; armature serve --store $STORE --node a --lease 1s --listen "
          "127.0.0.1:0 --for 1s; status=$?; kill %1; wait %1; echo $status $?",
      directory_.path());
  EXPECT_NE(result.out.find("2 0\n"), std::string::npos) << result.out << result.err;
  EXPECT_NE(result.err.find("a name of its own"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace armature::test
