#include "base/byte_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/refusal.h"
#include "support/program.h"

namespace armature {
namespace {

using test::contains;
using test::refusal;
using test::TemporaryDirectory;

// In pieces of an odd size.
std::string all_of(ByteSource& source, std::size_t most) {
  std::string content, piece(most, '\0');
  while (const std::size_t count = source.read(piece.data(), most)) content.append(piece, 0, count);
  return content;
}

std::string packed(const std::string& text) {
  Packer packer;
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); at += 1000)
    bytes += packer.pack(text.substr(at, 1000));
  return bytes + packer.finish();
}

TEST(ByteSource, PlainAndPackedFilesAndFromTheStartAgain) {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919) + "\n";
  for (const std::string& content : {std::string(), std::string("x"), std::string("\x1f"), text})
    for (const bool pack : {false, true}) {
      write_file(directory.file("x"), pack ? packed(content) : content);
      ByteSource source(directory.file("x"));
      EXPECT_EQ(source.packed(), pack);
      for (const std::size_t most : {std::size_t{1}, std::size_t{333}, std::size_t{1} << 20}) {
        if (most == 1 && content.size() > 10) continue;
        EXPECT_TRUE(all_of(source, most) == content);
        EXPECT_TRUE(source.share() == 1 || content.empty());
        source.rewind();
      }
    }
}

TEST(ByteSource, PackingIsDeterministic) {
  const std::string text(100'000, 'x');
  EXPECT_EQ(packed(text), packed(text));
  EXPECT_EQ(packed(text).substr(4, 4), std::string(4, '\0'));  // no time
}

TEST(ByteSource, PipesAreReadButOnce) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo(directory.file("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(contains(refusal([&] { ByteSource source(directory.file("pipe")); }), "named pipe"));
  ByteSource nothing("/dev/null");
  EXPECT_FALSE(nothing.rewindable());
  EXPECT_TRUE(contains(refusal([&] { nothing.rewind(); }), "read but once"));
}

TEST(ByteSource, StandardInputByItsShortName) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string content = packed("a few words\n");
  ASSERT_EQ(::write(ends[1], content.data(), content.size()), static_cast<ssize_t>(content.size()));
  ::close(ends[1]);
  const int before = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  ByteSource source("-");
  ::dup2(before, STDIN_FILENO);
  ::close(before);
  ::close(ends[0]);
  EXPECT_EQ(source.name(), "standard input");
  EXPECT_FALSE(source.rewindable());
  EXPECT_EQ(all_of(source, 7), "a few words\n");
}

TEST(ByteSource, DamageIsTold) {
  const TemporaryDirectory directory;
  const std::string bytes = packed(std::string(5000, 'x') + "end");
  const auto refused = [&](const std::string& content) {
    write_file(directory.file("x"), content);
    return refusal([&] {
      ByteSource source(directory.file("x"));
      all_of(source, 4096);
    });
  };
  EXPECT_EQ(refused(bytes), "(accepted)");
  EXPECT_TRUE(contains(refused(bytes.substr(0, bytes.size() - 1)), "an end in the middle"));
  EXPECT_TRUE(contains(refused(bytes + "junk"), "gzip"));
  std::string sum = bytes;
  sum[bytes.size() - 6] = static_cast<char>(sum[bytes.size() - 6] ^ 1);
  EXPECT_TRUE(contains(refused(sum), "data check"));
}

TEST(ByteSource, ZerosBehindTheLastMemberAreFilling) {
  const TemporaryDirectory directory;
  write_file(directory.file("x"), packed("one") + packed("two") + std::string(100'000, '\0'));
  ByteSource source(directory.file("x"));
  EXPECT_EQ(all_of(source, 333), "onetwo");
  write_file(directory.file("y"), packed("one") + std::string(3, '\0') + "rest");
  ByteSource garbage(directory.file("y"));
  EXPECT_TRUE(contains(refusal([&] { all_of(garbage, 333); }), "gzip"));
}

}  // namespace
}  // namespace armature
