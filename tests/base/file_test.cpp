#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/refusal.h"
#include "support/program.h"

namespace armature {
namespace {

using test::contains;
using test::refusal;
using test::TemporaryDirectory;

TEST(File, WhatIsWrittenIsRead) {
  const TemporaryDirectory directory;
  const std::string content("line\r\n\0binary\xff", 14);
  write_file(directory.file("x"), content);
  EXPECT_EQ(read_file(directory.file("x")), content);
}

TEST(File, EmptyFile) {
  const TemporaryDirectory directory;
  write_file(directory.file("x"), "");
  EXPECT_EQ(read_file(directory.file("x")), "");
}

TEST(File, LongFile) {
  const TemporaryDirectory directory;
  const std::string content(3000000, 'x');
  write_file(directory.file("x"), content);
  EXPECT_EQ(read_file(directory.file("x")), content);
}

TEST(File, WritingReplacesAndLeavesNothingElse) {
  const TemporaryDirectory directory;
  write_file(directory.file("x"), "a longer old content");
  write_file(directory.file("x"), "new");
  EXPECT_EQ(read_file(directory.file("x")), "new");
  EXPECT_EQ(directory.listing(), std::vector<std::string>{"x"});
}

// The new content comes by a rename: whoever has the old file open still sees all of it.
// Of many at once one writes it, and nothing else is left.
TEST(File, ANewOneIsTheFirstOnes) {
  for (int turn = 0; turn < 20; ++turn) {
    const TemporaryDirectory directory;
    std::atomic<int> winner{-1}, winners{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&, i] {
        if (!write_new_file(directory.file("x"), std::to_string(i))) return;
        winner = i;
        ++winners;
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(winners, 1);
    EXPECT_EQ(read_file(directory.file("x")), std::to_string(winner));
    EXPECT_EQ(directory.listing(), std::vector<std::string>{"x"});
  }
}

TEST(File, AReaderOfTheOldFileKeepsIt) {
  const TemporaryDirectory directory;
  write_file(directory.file("x"), "old");
  std::filesystem::create_hard_link(directory.file("x"), directory.file("old"));
  write_file(directory.file("x"), "new");
  EXPECT_EQ(read_file(directory.file("old")), "old");
}

TEST(File, ResultsAreOrdinaryFiles) {
  const TemporaryDirectory directory;
  const mode_t mask = ::umask(022);
  write_file(directory.file("x"), "x");
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat(directory.file("x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST(File, MissingFile) {
  const TemporaryDirectory directory;
  EXPECT_EQ(
      refusal([&] { read_file(directory.file("x")); }),
      directory.file("x") + ": open: got No such file or directory, expected a readable file");
}

TEST(File, ReadingADirectory) {
  const TemporaryDirectory directory;
  EXPECT_EQ(refusal([&] { read_file(directory.path()); }),
            directory.path() + ": open: got a directory, expected a readable file");
}

TEST(File, WritingADirectory) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.file("folder"));
  EXPECT_EQ(
      refusal([&] { write_file(directory.file("folder"), "x"); }),
      directory.file("folder") + ": open: got a directory, expected a file that can be written");
  EXPECT_EQ(directory.listing(), std::vector<std::string>{"folder"});
}

TEST(File, WritingIntoNoDirectory) {
  const TemporaryDirectory directory;
  EXPECT_EQ(refusal([&] { write_file(directory.file("none/x"), "x"); }),
            directory.file("none/x") +
                ": open: got No such file or directory, expected a file that can be written");
  EXPECT_TRUE(directory.listing().empty());
}

TEST(File, UnwritableDirectoryKeepsTheOldFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryDirectory directory;
  write_file(directory.file("x"), "old");
  ASSERT_EQ(::chmod(directory.path().c_str(), 0555), 0);
  const std::string message = refusal([&] { write_file(directory.file("x"), "new"); });
  ASSERT_EQ(::chmod(directory.path().c_str(), 0755), 0);
  EXPECT_TRUE(contains(message, "Permission denied")) << message;
  EXPECT_EQ(read_file(directory.file("x")), "old");
  EXPECT_EQ(directory.listing(), std::vector<std::string>{"x"});
}

// Even root cannot make files here.
TEST(File, UnwritablePlace) {
  EXPECT_NE(refusal([] { write_file("/proc/armature-test", "x"); }), "(accepted)");
}

TEST(File, DevicesAreWrittenDirectly) {
  write_file("/dev/null", "x");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const std::string message = refusal([] { write_file("/dev/full", "x"); });
  EXPECT_EQ(message,
            "/dev/full: write: got No space left on device, expected a file that can be written");
}

TEST(FileWriter, PiecesBecomeOneFileWhenCommitted) {
  const TemporaryDirectory directory;
  std::string expected;
  FileWriter file(directory.file("x"));
  for (int i = 0; i < 50000; ++i) {  // several times what is kept before writing
    file.write("line " + std::to_string(i) + "\n");
    expected += "line " + std::to_string(i) + "\n";
  }
  EXPECT_FALSE(std::filesystem::exists(directory.file("x")));
  file.commit();
  EXPECT_EQ(read_file(directory.file("x")), expected);
  EXPECT_EQ(directory.listing(), std::vector<std::string>{"x"});
}

TEST(FileWriter, SomeFilesAreForTheirOwner) {
  const TemporaryDirectory directory;
  const mode_t mask = ::umask(022);
  make_private_directory(directory.file("new"));
  FileWriter file(directory.file("new/x"), FileReaders::kOwner);
  file.commit();
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat(directory.file("new").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(directory.file("new/x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(FileWriter, UncommittedLeavesTheOldFileAndNothingElse) {
  const TemporaryDirectory directory;
  write_file(directory.file("x"), "old");
  {
    FileWriter file(directory.file("x"));
    file.write(std::string(1 << 20, 'n'));
  }
  EXPECT_EQ(read_file(directory.file("x")), "old");
  EXPECT_EQ(directory.listing(), std::vector<std::string>{"x"});
}

TEST(FileWriter, AFullDeviceIsNamed) {
  FileWriter file("/dev/full");
  EXPECT_EQ(refusal([&] { file.write(std::string(1 << 20, 'x')); }),
            "/dev/full: write: got No space left on device, expected a file that can be written");
}

// --- What is no file to be read

TEST(File, WithoutAnEndIsReadUpToTheLimit) {
  EXPECT_EQ(
      refusal([] { read_file("/dev/zero"); }),
      "/dev/zero: size: got more than 64 MiB, expected at most so much of a device or a pipe");
}

TEST(File, LargerThanTheLimit) {
  const TemporaryDirectory directory;
  write_file(directory.file("x"), "");
  std::filesystem::resize_file(directory.file("x"), kMostFileBytes + 1);  // a hole: no disk is used
  EXPECT_EQ(refusal([&] { read_file(directory.file("x")); }),
            directory.file("x") + ": size: got more than 1024 MiB, expected at most so much");
}

TEST(File, ANamedPipeIsNotWaitedFor) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo(directory.file("x").c_str(), 0600), 0);
  EXPECT_EQ(refusal([&] { read_file(directory.file("x")); }),
            directory.file("x") +
                ": open: got a named pipe, expected a file, or /dev/stdin with < before the pipe");
}

TEST(File, AnEmptyName) {
  const char* message = "file: got an empty name, expected the name of a file";
  EXPECT_EQ(refusal([] { read_file(""); }), message);
  EXPECT_EQ(refusal([] { write_file("", "x"); }), message);
  EXPECT_EQ(refusal([] { make_directory(""); }), message);
}

TEST(TextFile, OtherEncodingsAreNamed) {
  const TemporaryDirectory directory;
  const auto reading = [&](const std::string& content) {
    write_file(directory.file("x"), content);
    return refusal([&] { read_text_file(directory.file("x")); });
  };
  const std::string place = directory.file("x") + ": ";
  const std::string other = place + "encoding: got UTF-16 or UTF-32, expected UTF-8";
  EXPECT_EQ(reading(std::string("\xff\xfe{\0}\0", 6)), other);
  EXPECT_EQ(reading(std::string("\xfe\xff\0{\0}", 6)), other);
  EXPECT_EQ(reading(std::string("{\0}\0", 4)), other);
  EXPECT_EQ(reading(std::string("\0{\0}", 4)), other);
  EXPECT_EQ(reading(std::string("\0\0\xfe\xff\0\0\0{", 8)), other);
  EXPECT_EQ(reading(std::string("a\nb\0", 4)),
            place + "line 2: got a NUL byte, expected text in UTF-8");
  EXPECT_EQ(reading("\xef\xbb\xbf{}"), "(accepted)");  // UTF-8 with its mark
  EXPECT_EQ(reading("{\"ε\": 1}"), "(accepted)");
  EXPECT_EQ(reading(""), "(accepted)");
}

}  // namespace
}  // namespace armature
