#include "armature/state.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstring>
#include <limits>

#include "base/refusal.h"

namespace armature {
namespace {

using test::refusal;

struct Everything {
  bool flag = false;
  std::uint64_t count = 0;
  double value = 0;
  std::vector<std::uint32_t> words;
  std::vector<std::uint64_t> counts;
  std::vector<double> values;
  bool was_reading = false;

  void visit_state(StateVisitor& visitor) {
    visitor.field("flag", flag);
    visitor.field("count", count);
    visitor.field("value", value);
    visitor.list("words", words);
    visitor.list("counts", counts);
    visitor.list("values", values);
    was_reading = was_reading || visitor.reading();
  }
  StateVisit visit() {
    return [this](StateVisitor& visitor) { visit_state(visitor); };
  }
  std::string save() { return save_state("owner 1", visit()); }
  void load(std::string_view saved) { load_state("owner 1", saved, visit()); }
  bool same_as(const Everything& other) const {
    return flag == other.flag && count == other.count && value == other.value &&
           words == other.words && counts == other.counts && values == other.values;
  }
};

Everything example() { return {true, 1ull << 60, 0.1, {1, 2, 3}, {4}, {0.5, -0.0}}; }

TEST(State, SaveAndLoad) {
  Everything loaded;
  loaded.load(example().save());
  EXPECT_TRUE(loaded.same_as(example()));
  EXPECT_TRUE(loaded.was_reading);
}

TEST(State, OnlyLoadingReads) {
  Everything state = example();
  state.save();
  state_digest(state.visit());
  dump_state(state.visit());
  EXPECT_FALSE(state.was_reading);
}

TEST(State, AFieldsLengthIsPartOfThePolicy) {
  std::vector<double> three{1, 2, 3};
  std::vector<double> four{4, 5, 6, 7};
  const std::string saved =
      save_state("me", [&](StateVisitor& visitor) { visitor.field("x", three); });
  EXPECT_NE(refusal([&] {
              load_state("me", saved, [&](StateVisitor& visitor) { visitor.field("x", four); });
            }),
            "(accepted)");
  EXPECT_EQ(four, (std::vector<double>{4, 5, 6, 7}));
  load_state("me", saved, [&](StateVisitor& visitor) { visitor.list("x", four); });
  EXPECT_EQ(four, three);
}

TEST(State, EmptyListsAndShorterListsLoad) {
  Everything loaded = example();
  loaded.load(Everything{}.save());
  EXPECT_TRUE(loaded.same_as(Everything{}));
}

TEST(State, RoundTripOfAnything) {
  EXPECT_TRUE(rc::check(
      "load(save(x)) == x",
      [](bool flag, std::uint64_t count, double value, const std::vector<std::uint32_t>& words,
         const std::vector<std::uint64_t>& counts, const std::vector<double>& values) {
        Everything state{flag, count, value, words, counts, values};
        Everything loaded;
        const std::string saved = state.save();
        loaded.load(saved);
        RC_ASSERT(loaded.same_as(state));
        RC_ASSERT(loaded.save() == saved);
      }));
}

TEST(State, NotANumberKeepsItsBits) {
  Everything state;
  state.value = std::numeric_limits<double>::quiet_NaN();
  Everything loaded;
  loaded.load(state.save());
  EXPECT_EQ(std::memcmp(&loaded.value, &state.value, sizeof(double)), 0);
}

// The layout of docs/formats.md, byte by byte: header line, owner line, then per field a tag, the
// length of the name (4), the name, the number of elements (8) and the elements; FNV-1a at the end.
TEST(State, BytesAreFixed) {
  std::uint64_t count = 7;
  const std::string saved =
      save_state("me", [&](StateVisitor& visitor) { visitor.field("n", count); });
  std::string expected = "armature-state 2\nme\n";
  expected += "i";
  expected += std::string("\x01\0\0\0", 4) + "n";
  expected += std::string("\x01\0\0\0\0\0\0\0", 8);
  expected += std::string("\x07\0\0\0\0\0\0\0", 8);
  EXPECT_EQ(saved.substr(0, saved.size() - 8), expected);
  Fingerprint fingerprint;
  fingerprint.add(expected);
  const std::uint64_t digest = fingerprint.value();
  EXPECT_EQ(std::memcmp(saved.data() + saved.size() - 8, &digest, 8), 0);
}

TEST(State, DamageAnywhereIsRefusedAndChangesNothing) {
  const std::string saved = example().save();
  for (std::size_t i = 0; i < saved.size(); ++i)
    for (const char flip : {'\x01', '\x80'}) {
      std::string damaged = saved;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      Everything state;
      EXPECT_NE(refusal([&] { state.load(damaged); }), "(accepted)") << "byte " << i;
      EXPECT_TRUE(state.same_as(Everything{})) << "byte " << i;
    }
}

TEST(State, TruncationAnywhereIsRefusedAndChangesNothing) {
  const std::string saved = example().save();
  for (std::size_t size = 0; size < saved.size(); ++size) {
    Everything state;
    EXPECT_NE(refusal([&] { state.load(saved.substr(0, size)); }), "(accepted)") << size;
    EXPECT_TRUE(state.same_as(Everything{})) << size;
  }
}

TEST(State, MoreBytesAreRefused) {
  Everything state;
  EXPECT_EQ(refusal([&] { state.load(example().save() + "x"); }),
            "saved state: got a digest that does not match, expected a whole, unaltered state");
}

TEST(State, OtherBytes) {
  Everything state;
  EXPECT_EQ(refusal([&] { state.load("{}"); }),
            "saved state: got other bytes, expected a state that begins with 'armature-state 2'");
  EXPECT_NE(refusal([&] { state.load("armature-state 2\n"); }), "(accepted)");
  EXPECT_NE(refusal([&] { state.load(""); }), "(accepted)");
}

// Whole, but of a time when a problem's names were no part of it.
TEST(State, TheFormatBeforeIsRefusedWithTheReason) {
  std::string old = example().save();
  old[std::string("armature-state ").size()] = '1';
  Everything state;
  EXPECT_EQ(
      refusal([&] { state.load(old); }),
      "saved state: got format 1, which does not say whose names it was saved under, expected "
      "format 2: a state saved by this version");
}

TEST(State, OtherOwner) {
  Everything state;
  const std::string saved = save_state("owner 2", example().visit());
  EXPECT_EQ(refusal([&] { state.load(saved); }),
            "saved state: got a state of 'owner 2', expected a state of 'owner 1'");
  EXPECT_TRUE(state.same_as(Everything{}));
}

// "owner 1" must not open the state of "owner 12": the owner ends at the line's end.
TEST(State, OwnersThatAreBeginningsOfOthers) {
  Everything state;
  const std::string saved = save_state("owner 12", example().visit());
  EXPECT_EQ(refusal([&] { state.load(saved); }),
            "saved state: got a state of 'owner 12', expected a state of 'owner 1'");
}

// What another version of the owner might save.
std::string saved_as(const StateVisit& visit) { return save_state("owner 1", visit); }

TEST(State, ExtraFieldIsRefused) {
  Everything other = example();
  bool extra = true;
  const std::string saved = saved_as([&](StateVisitor& visitor) {
    other.visit_state(visitor);
    visitor.field("extra", extra);
  });
  Everything state;
  EXPECT_EQ(refusal([&] { state.load(saved); }),
            "saved state: got more fields, expected the fields this policy saves, and no more");
  EXPECT_TRUE(state.same_as(Everything{}));
}

TEST(State, MissingFieldIsRefused) {
  Everything other = example();
  const std::string saved = saved_as([&](StateVisitor& visitor) {
    visitor.field("flag", other.flag);
    visitor.field("count", other.count);
  });
  Everything state;
  EXPECT_EQ(
      refusal([&] { state.load(saved); }),
      "saved state, field 'value': got something else, expected the fields this policy saves, "
      "in order");
  EXPECT_TRUE(state.same_as(Everything{}));
}

// Each of these differs from {"flag" bool, "count" integer} in one thing: name, type, order.
TEST(State, OtherFieldsAreRefused) {
  bool flag = true;
  std::uint64_t count = 3;
  double real = 3;
  std::vector<std::uint64_t> list = {3};
  const auto load = [](const std::string& saved) {
    bool loaded_flag = false;
    std::uint64_t loaded_count = 0;
    const std::string message = refusal([&] {
      load_state("owner 1", saved, [&](StateVisitor& visitor) {
        visitor.field("flag", loaded_flag);
        visitor.field("count", loaded_count);
      });
    });
    EXPECT_EQ(loaded_flag, message == "(accepted)");  // untouched after a refusal
    return message;
  };
  const std::string mismatch =
      ": got something else, expected the fields this policy saves, in order";
  EXPECT_EQ(
      load(saved_as([&](StateVisitor& v) { v.field("flag", flag), v.field("count", count); })),
      "(accepted)");
  EXPECT_EQ(
      load(saved_as([&](StateVisitor& v) { v.field("flag", flag), v.field("coumt", count); })),
      "saved state, field 'count'" + mismatch);
  EXPECT_EQ(
      load(saved_as([&](StateVisitor& v) { v.field("flag", flag), v.field("counts", count); })),
      "saved state, field 'count'" + mismatch);
  EXPECT_EQ(load(saved_as([&](StateVisitor& v) { v.field("flag", flag), v.field("count", real); })),
            "saved state, field 'count'" + mismatch);
  EXPECT_EQ(load(saved_as([&](StateVisitor& v) { v.field("flag", flag), v.field("count", list); })),
            "saved state, field 'count'" + mismatch);
  EXPECT_EQ(
      load(saved_as([&](StateVisitor& v) { v.field("count", count), v.field("flag", flag); })),
      "saved state, field 'flag'" + mismatch);
}

// A state whose digest is right but whose insides are not: written by hand, as no visitor would.
std::string signed_state(const std::string& fields) {
  std::string saved = "armature-state 2\nowner 1\n" + fields;
  Fingerprint fingerprint;
  fingerprint.add(saved);
  const std::uint64_t digest = fingerprint.value();
  return saved + std::string(reinterpret_cast<const char*>(&digest), 8);
}

// 2^61 doubles are 2^64 bytes: a product that wraps to 0.
TEST(State, ListLongerThanTheBytesIsRefused) {
  for (const std::string& count : {std::string(8, '\xff'), std::string("\0\0\0\0\0\0\0\x20", 8)}) {
    std::vector<double> values = {1};
    const std::string huge = std::string("R\x01\0\0\0x", 6) + count;
    EXPECT_NE(refusal([&] {
                load_state("owner 1", signed_state(huge),
                           [&](StateVisitor& visitor) { visitor.field("x", values); });
              }),
              "(accepted)");
    EXPECT_EQ(values, std::vector<double>{1});
  }
}

TEST(State, BooleanMustBeZeroOrOne) {
  bool value = false;
  const std::string two = std::string("b\x01\0\0\0x\x01\0\0\0\0\0\0\0\x02", 15);
  EXPECT_NE(refusal([&] {
              load_state("owner 1", signed_state(two),
                         [&](StateVisitor& visitor) { visitor.field("x", value); });
            }),
            "(accepted)");
  EXPECT_FALSE(value);
}

TEST(State, DigestSeesEveryField) {
  Everything state = example();
  const std::uint64_t digest = state_digest(state.visit());
  EXPECT_EQ(state_digest(example().visit()), digest);
  const auto differs = [&](const auto& change) {
    Everything changed = example();
    change(changed);
    return state_digest(changed.visit()) != digest;
  };
  EXPECT_TRUE(differs([](Everything& e) { e.flag = false; }));
  EXPECT_TRUE(differs([](Everything& e) { ++e.count; }));
  EXPECT_TRUE(differs([](Everything& e) { e.value = 0.2; }));
  EXPECT_TRUE(differs([](Everything& e) { e.words.push_back(0); }));
  EXPECT_TRUE(differs([](Everything& e) { e.counts.clear(); }));
  EXPECT_TRUE(differs([](Everything& e) { e.values[1] = 0.0; }));  // from −0
}

TEST(State, DumpIsOneLinePerField) {
  EXPECT_EQ(dump_state(example().visit()),
            "flag = true\n"
            "count = 1152921504606846976\n"
            "value = 0.1\n"
            "words = [1, 2, 3]\n"
            "counts = [4]\n"
            "values = [0.5, -0]\n");
}

// --- Lists of structures

struct Letter {
  std::uint64_t number = 0;
  std::uint32_t colour = 0;
  double weight = 0;
  bool operator==(const Letter&) const = default;
};

StateVisit letters_visit(std::vector<Letter>& letters) {
  return [&letters](StateVisitor& visitor) {
    visitor.list("letter", letters, [](ItemVisitor& part, Letter& letter) {
      part.field("number", letter.number);
      part.field("colour", letter.colour);
      part.field("weight", letter.weight);
    });
  };
}

struct LetterColumns {
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint32_t> colours;
  std::vector<double> weights;

  StateVisit visit() {
    return [this](StateVisitor& visitor) {
      visitor.list("letter_number", numbers);
      visitor.list("letter_colour", colours);
      visitor.list("letter_weight", weights);
    };
  }
};

TEST(StateStructures, AreListsSideBySide) {
  std::vector<Letter> letters{{1, 2, 0.5}, {3, 4, 0.25}};
  LetterColumns columns{{1, 3}, {2, 4}, {0.5, 0.25}};
  EXPECT_EQ(save_state("me", letters_visit(letters)), save_state("me", columns.visit()));
  EXPECT_EQ(state_digest(letters_visit(letters)), state_digest(columns.visit()));
  EXPECT_EQ(dump_state(letters_visit(letters)),
            "letter_number = [1, 3]\nletter_colour = [2, 4]\nletter_weight = [0.5, 0.25]\n");
}

TEST(StateStructures, SaveAndLoad) {
  for (const std::vector<Letter>& saved :
       {std::vector<Letter>{}, {{1, 2, 0.5}}, {{1, 2, 0.5}, {3, 4, 0.25}, {5, 6, -0.0}}}) {
    std::vector<Letter> letters = saved;
    std::vector<Letter> loaded{{7, 7, 7}, {8, 8, 8}};
    load_state("me", save_state("me", letters_visit(letters)), letters_visit(loaded));
    EXPECT_EQ(loaded, saved);
  }
}

TEST(StateStructures, PartsOfUnequalNumberAreRefusedAndChangeNothing) {
  LetterColumns ragged{{1, 3}, {2}, {0.5, 0.25}};
  const std::string saved = save_state("me", ragged.visit());
  std::vector<Letter> loaded{{7, 7, 7}};
  EXPECT_EQ(refusal([&] { load_state("me", saved, letters_visit(loaded)); }),
            "saved state, field 'letter_colour': got something else, expected the fields this "
            "policy saves, in order");
  EXPECT_EQ(loaded, (std::vector<Letter>{{7, 7, 7}}));
}

// --- Texts, and what must hold

TEST(State, Texts) {
  for (const std::string& saved :
       {std::string(), std::string("policy ucb"), std::string("\0\n", 2)}) {
    std::string text = saved;
    std::string loaded = "before";
    const auto visit = [](std::string& value) -> StateVisit {
      return [&value](StateVisitor& visitor) { visitor.field("text", value); };
    };
    load_state("me", save_state("me", visit(text)), visit(loaded));
    EXPECT_EQ(loaded, saved);
  }
}

// What is found out only after fields were overwritten: all of them are put back.
TEST(State, WhatMustHoldIsRequiredWhenReadingOnly) {
  std::uint64_t first = 0;
  std::vector<std::uint32_t> words;
  std::vector<double> reals;
  const StateVisit visit = [&](StateVisitor& visitor) {
    visitor.field("first", first);
    visitor.list("words", words);
    visitor.list("reals", reals);
    visitor.require_below(10, "words", words);
    visitor.require_finite("reals", reals);
    visitor.require(first < 100, "first");
  };
  const auto saved_with = [&](std::uint64_t number, std::uint32_t word, double real) {
    first = number;
    words = {word};
    reals = {real};
    return save_state("me", visit);
  };
  const std::string good = saved_with(99, 9, 1);
  const std::string bad[] = {saved_with(100, 9, 1), saved_with(99, 10, 1),
                             saved_with(99, 9, std::numeric_limits<double>::quiet_NaN()),
                             saved_with(99, 9, std::numeric_limits<double>::infinity())};
  load_state("me", good, visit);
  for (const std::string& state : bad) {
    EXPECT_TRUE(test::contains(refusal([&] { load_state("me", state, visit); }),
                               "got values that do not fit"));
    EXPECT_EQ(save_state("me", visit), good);
  }
}

// FNV-1a's published 64-bit values.
TEST(Fingerprint, KnownAnswers) {
  const auto hash = [](std::string_view text) {
    Fingerprint fingerprint;
    fingerprint.add(text);
    return fingerprint.value();
  };
  EXPECT_EQ(hash(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hash("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hash("foobar"), 0x85944171f73967e8u);
}

TEST(Fingerprint, PiecesAddUp) {
  Fingerprint pieces;
  pieces.add("foo");
  pieces.add("bar");
  EXPECT_EQ(pieces.value(), 0x85944171f73967e8u);
}

}  // namespace
}  // namespace armature
