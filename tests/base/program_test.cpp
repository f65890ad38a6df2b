#include "base/program.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "armature/error.h"
#include "base/file.h"

namespace armature {
namespace {

TEST(Program, IsFoundOnThePath) {
  EXPECT_TRUE(program_exists("sh"));
  EXPECT_FALSE(program_exists("no-program-of-this-name"));
}

TEST(Program, RunsWithoutAShell) {
  const ScratchDirectory scratch;
  run_program({"touch", scratch.file("a b; c")});
  EXPECT_TRUE(std::filesystem::exists(scratch.file("a b; c")));
}

TEST(Program, AFailureTellsWhatItSaid) {
  try {
    run_program({"sh", "-c", "echo first >&2; echo the reason >&2; exit 3"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.report().value, "exit status 3");
    EXPECT_NE(error.report().expected.find("the reason"), std::string::npos);
  }
  EXPECT_THROW(run_program({"no-program-of-this-name"}), Error);
  EXPECT_THROW(run_program({"sh", "-c", "kill -9 $$"}), Error);
}

TEST(ScratchDirectory, IsRemovedWithWhatIsInIt) {
  std::string file;
  {
    const ScratchDirectory scratch;
    file = scratch.file("x");
    write_file(file, "x");
    EXPECT_TRUE(std::filesystem::exists(file));
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(file).parent_path()));
}

}  // namespace
}  // namespace armature
