#include "base/sha256.h"

#include <gtest/gtest.h>

namespace armature {
namespace {

// FIPS 180-2, appendix B, and NIST's vectors for the empty text.
TEST(Sha256, GivesThePublishedHashes) {
  EXPECT_EQ(hexadecimal(sha256("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hexadecimal(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hexadecimal(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hexadecimal(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Around the end of a block, where the length no longer fits: of 55, 56, 63, 64 and 65 letters a
// (Python's hashlib).
TEST(Sha256, FillsBlocksAtEveryLength) {
  const auto of = [](std::size_t letters) {
    return hexadecimal(sha256(std::string(letters, 'a'))).substr(0, 16);
  };
  EXPECT_EQ(of(55), "9f4390f8d30c2dd9");
  EXPECT_EQ(of(56), "b35439a4ac6f0948");
  EXPECT_EQ(of(63), "7d3e74a05d7db15b");
  EXPECT_EQ(of(64), "ffe054fe7ae0cb6d");
  EXPECT_EQ(of(65), "635361c48bb9eab1");
}

}  // namespace
}  // namespace armature
