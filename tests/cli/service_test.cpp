// The commands around a decision service, as a person types them.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "support/program.h"

namespace armature::test {
namespace {

class ServiceCommands : public testing::Test {
 protected:
  ProgramResult run(const std::string& arguments) const {
    return run_shell("armature " + arguments, directory_.path());
  }
  // Until the crowd has decided ten times and more.
  void serve_demo(const std::string& store) const {
    const ProgramResult served = run_shell(
        "mkfifo said && { armature serve " + store +
            " --demo --listen 127.0.0.1:0 >said & } && read line <said && rm said && "
            "until curl -s ${line##* at }/metrics | grep -q 'decided_total{.*} [1-9][0-9]'; "
            "do :; done; echo $line; kill -TERM $!; wait $!",
        directory_.path());
    ASSERT_EQ(served.status, 0) << served.err;
    EXPECT_NE(served.out.find("serves " + store + " at http://127.0.0.1:"), std::string::npos);
  }
  TemporaryDirectory directory_;
};

TEST_F(ServiceCommands, WalkFromTheDemoToACopy) {
  serve_demo("shop");
  EXPECT_EQ(directory_.listing(), std::vector<std::string>{"shop"});
  const ProgramResult checked = run("service check shop --wide");
  EXPECT_EQ(checked.status, 0) << checked.err;
  EXPECT_NE(checked.out.find("as logged"), std::string::npos) << checked.out;

  ASSERT_EQ(run("service export shop --output mail.jsonl").status, 0);
  const ProgramResult imported = run("service import copy mail.jsonl");
  EXPECT_EQ(imported.status, 0) << imported.err;
  // demo-mail: 95 events, 32 decisions, digest 0123456789abcdef
  const std::string digest = imported.out.substr(imported.out.find("digest ") + 7, 16);
  EXPECT_NE(checked.out.find(digest), std::string::npos) << checked.out << imported.out;
  EXPECT_EQ(run("service import copy mail.jsonl").status, 1);

  ASSERT_EQ(run("service backup shop saved").status, 0);
  EXPECT_EQ(run("service check saved --wide").out, checked.out);
  EXPECT_EQ(run("service backup shop saved").status, 2);
  EXPECT_EQ(run("service top saved --once").status, 0);
  // It goes on where it was.
  serve_demo("saved");
  EXPECT_EQ(run("service check saved").status, 0);
}

// Somebody's own experiment of that name is not the demo's to play with.
TEST_F(ServiceCommands, TheDemoKeepsToItsOwn) {
  serve_demo("shop");
  ASSERT_EQ(run("service export shop --output demo.jsonl").status, 0);
  std::string log = read_file(directory_.file("demo.jsonl"));
  const std::string fallback = "\"fallback\":\"plain\"";
  ASSERT_NE(log.find(fallback), std::string::npos);
  write_file(directory_.file("other.jsonl"),
             log.replace(log.find(fallback), fallback.size(), "\"fallback\":\"coupon\""));
  ASSERT_EQ(run("service import real other.jsonl").status, 0);
  const std::string before = run("service check real --wide").out;
  const ProgramResult refused = run("serve real --demo --listen 127.0.0.1:0 --for 1s");
  EXPECT_EQ(refused.status, 2) << refused.out;
  EXPECT_NE(refused.err.find("demo-mail"), std::string::npos) << refused.err;
  EXPECT_EQ(run("service check real --wide").out, before);
}

TEST_F(ServiceCommands, MistakesLeaveNoStore) {
  write_file(directory_.file("notes.txt"), "no log\n");
  for (const char* arguments :
       {"service import new missing.jsonl", "service import new notes.txt",
        "service import new notes.txt missing.jsonl", "service import new .",
        "service token new --revoke x", "service token new", "service token new --name x"}) {
    EXPECT_EQ(run(arguments).status, 2) << arguments;
    EXPECT_EQ(directory_.listing(), std::vector<std::string>{"notes.txt"}) << arguments;
  }
}

TEST_F(ServiceCommands, SeveralFilesAreOneText) {
  serve_demo("shop");
  ASSERT_EQ(run("service export shop --output demo.jsonl").status, 0);
  const std::string log = read_file(directory_.file("demo.jsonl"));
  write_file(directory_.file("broken.jsonl"), "{\"seq\": \"x\"}\n");
  // What is broken costs the experiment that it is in.
  EXPECT_EQ(run("service import copy demo.jsonl broken.jsonl").status, 1);
  EXPECT_EQ(run("service check copy --wide").out.find("demo-mail"), std::string::npos);
  // A log that was cut in two is one log.
  const std::size_t half = log.find('\n', log.size() / 2) + 1;
  write_file(directory_.file("first.jsonl"), log.substr(0, half));
  write_file(directory_.file("second.jsonl"), log.substr(half));
  EXPECT_EQ(run("service import copy first.jsonl second.jsonl").status, 0);
  EXPECT_EQ(run("service check copy --wide").out, run("service check shop --wide").out);
}

TEST_F(ServiceCommands, TokensAreShownOnce) {
  const ProgramResult made = run("service token shop --name boss --role admin");
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_TRUE(made.out.starts_with("armature_"));
  EXPECT_EQ(made.out.size(), 9 + 64 + 1u);
  EXPECT_EQ(run("service token shop --name web --role decide --role report --expires 1d").status,
            0);
  const ProgramResult listed = run("service token shop --wide");
  EXPECT_NE(listed.out.find("boss"), std::string::npos);
  EXPECT_EQ(listed.out.find(made.out.substr(0, 20)), std::string::npos);
  EXPECT_EQ(run("service token shop --name boss --role admin").status, 2);
  EXPECT_EQ(run("service token shop --revoke web").status, 0);
  EXPECT_EQ(run("service token shop --wide").out.find("web"), std::string::npos);
  EXPECT_EQ(run("service token shop --revoke web").status, 2);
  // The secret is nowhere in the store.
  EXPECT_EQ(read_file(directory_.file("shop/service.sqlite")).find(made.out.substr(9, 64)),
            std::string::npos);
}

// Where there were tokens some stays for ever, but nobody can use it.
TEST_F(ServiceCommands, TheLastAdminIsMissed) {
  ASSERT_EQ(run("service token shop --name boss --role admin").status, 0);
  ASSERT_EQ(run("service token shop --name web --role decide").status, 0);
  ASSERT_EQ(run("service token shop --name guest --role admin --expires 1d").status, 0);
  EXPECT_EQ(run("service token shop --revoke web").err, "");
  const ProgramResult last = run("service token shop --revoke boss");
  EXPECT_EQ(last.status, 0);
  EXPECT_NE(last.err.find("armature service token shop --name admin --role admin"),
            std::string::npos)
      << last.err;
  EXPECT_EQ(run("service token shop --revoke guest").err, "");
  EXPECT_EQ(run("service token shop --wide").out.find("revoked"), std::string::npos);
  EXPECT_EQ(run("service token shop --revoke '(revoked)'").status, 2);
  EXPECT_EQ(run("service token shop --name admin --role admin").status, 0);
  EXPECT_EQ(run("service token shop --name second --role admin").status, 0);
  EXPECT_EQ(run("service token shop --revoke admin").err, "");
}

TEST_F(ServiceCommands, RevokingTakesNoDescription) {
  ASSERT_EQ(run("service token shop --name boss --role admin").status, 0);
  for (const char* more :
       {"--name boss", "--role admin", "--experiment mail", "--tenant shop", "--expires 1d"}) {
    const ProgramResult result = run("service token shop --revoke boss " + std::string(more));
    EXPECT_EQ(result.status, 2) << more;
    EXPECT_NE(result.err.find("--revoke"), std::string::npos) << result.err;
    EXPECT_NE(run("service token shop --wide").out.find("boss"), std::string::npos) << more;
  }
}

TEST_F(ServiceCommands, MistakesAreSaid) {
  for (const char* arguments :
       {"serve", "serve shop --listen nowhere", "serve shop --listen 127.0.0.1:99999",
        "serve shop --listen 0.0.0.0:0", "serve shop --listen 0.0.0.0:0 --behind-proxy",
        "serve shop --log loud", "serve shop --for soon", "serve shop --threads 0",
        "serve shop --rate -1", "serve shop --key key.pem", "service check nothing",
        "service export nothing", "service backup nothing x", "service top nothing --once",
        "service import copy nothing.jsonl", "service token shop --name x",
        "service token shop --name x --role boss", "service token shop --role read", "service"}) {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.status, 2) << arguments << result.out;
    EXPECT_NE(result.err.find("expected"), std::string::npos) << arguments << ": " << result.err;
  }
}

// Three decisions with their outcomes, made now: older than a day that is yet to come.
TEST_F(ServiceCommands, ArchiveMovesWhatIsOld) {
  const std::string experiment =
      R"({"name": "mail", "problem": {"format": "armature-problem", "version": 1,
          "actions": ["plain", "coupon"], "contexts": ["seen"]}, "policy": "ucb", "seed": "1",
          "silence": "forget", "fallback": "plain"})";
  write_file(directory_.file("mail.json"), experiment);
  const ProgramResult lived = run_shell(
      "armature serve shop --listen 127.0.0.1:0 >listening 2>journal & service=$!\n"
      "until grep -q http listening; do kill -0 $service; sleep 0.05; done\n"
      "at=$(grep -o 'http://[0-9.:]*' listening | head -1)/v1/experiments\n"
      "curl -sf $at --data @mail.json\n"
      "for i in 1 2 3; do\n"
      "  id=$(curl -sf -X POST $at/mail/decide | sed 's/.*\"decision\":\"\\([^\"]*\\)\".*/\\1/')\n"
      "  curl -sf $at/mail/decisions/$id/outcome --data '{\"context\": \"seen\", \"reward\": 1}'\n"
      "done\n"
      "armature service archive shop --before 2199-01-01; echo while serving $?\n"
      "kill $service; wait $service",
      directory_.path());
  EXPECT_NE(lived.out.find("while serving 2"), std::string::npos) << lived.out << lived.err;
  EXPECT_NE(lived.err.find("another process at work"), std::string::npos) << lived.err;

  const std::string checked = run("service check shop --wide").out;
  const std::string digest = checked.substr(checked.find("as logged") - 18, 16);
  const ProgramResult nothing = run("service archive shop --before 2020-01-01");
  EXPECT_EQ(nothing.status, 0) << nothing.err;
  EXPECT_EQ(nothing.out, "mail: nothing to move\n");
  const ProgramResult preview = run("service archive shop --before 2199-01-01 --dry-run");
  EXPECT_EQ(preview.status, 0) << preview.err;
  EXPECT_NE(preview.out.find("6 events (1 to 6) would be moved to shop/archive/mail-"),
            std::string::npos)
      << preview.out;
  const ProgramResult moved = run("service archive shop --before 2199-01-01 --to old");
  EXPECT_EQ(moved.status, 0) << moved.err;
  EXPECT_NE(moved.out.find("the store begins at event 7, digest " + digest), std::string::npos)
      << moved.out << checked;
  const ProgramResult after = run("service check shop --wide");
  EXPECT_EQ(after.status, 0);
  EXPECT_NE(after.out.find("from seq 7; earlier events are in the archive"), std::string::npos)
      << after.out;
  EXPECT_NE(after.out.find(digest), std::string::npos) << after.out << checked;

  ASSERT_EQ(run("service export shop --output rest.jsonl").status, 0);
  // As the store is: for nobody else.
  const std::string archived = moved.out.substr(moved.out.find("old/mail-"), 22);
  for (const std::string& file : {archived, std::string("rest.jsonl")})
    EXPECT_EQ(std::filesystem::status(directory_.file(file)).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write)
        << file;
  EXPECT_EQ(std::filesystem::status(directory_.file("old")).permissions(),
            std::filesystem::perms::owner_all);
  const ProgramResult alone = run("service import alone rest.jsonl");
  EXPECT_EQ(alone.status, 1);
  EXPECT_NE(alone.out.find("events 1 to 6 are missing"), std::string::npos) << alone.out;
  const ProgramResult whole = run_shell(
      "cat old/mail-*.jsonl rest.jsonl > whole.jsonl && "
      "armature service import whole whole.jsonl",
      directory_.path());
  EXPECT_EQ(whole.status, 0) << whole.err;
  EXPECT_NE(whole.out.find(digest), std::string::npos) << whole.out;
  for (const char* bad : {"service archive shop", "service archive shop --before soon",
                          "service archive nothing --before 2026-01-01",
                          "service archive shop --before 2026-01-01 --experiment other"})
    EXPECT_EQ(run(bad).status, 2) << bad;
}

// A log that was changed behind its back: check says which experiment, and where.
TEST_F(ServiceCommands, CheckFindsWhatDoesNotReplay) {
  serve_demo("shop");
  ASSERT_EQ(run_shell("python3 -c \"import sqlite3; c = sqlite3.connect('shop/service.sqlite'); "
                      "c.execute('UPDATE events SET action = 1 - min(action, 1) WHERE seq = 5'); "
                      "c.commit()\"",
                      directory_.path())
                .status,
            0);
  const ProgramResult checked = run("service check shop --wide");
  EXPECT_EQ(checked.status, 1);
  EXPECT_NE(checked.out.find("event 5"), std::string::npos) << checked.out;
}

TEST_F(ServiceCommands, TwoServersDoNotShareAStore) {
  const ProgramResult result = run_shell(
      "mkfifo said && { armature serve shop --listen 127.0.0.1:0 >said & } && "
      "read line <said; armature serve shop --listen 127.0.0.1:0; echo second $?; "
      "kill -TERM $!; wait $!",
      directory_.path());
  EXPECT_NE(result.out.find("second 2"), std::string::npos) << result.out << result.err;
}

}  // namespace
}  // namespace armature::test
