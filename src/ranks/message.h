// What ranks tell each other, and its bytes: numbers as they lie in memory, lists with their length
// before them. All ranks are the same build on the same kind of machine, which Hello makes sure of.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "armature/error.h"
#include "lab/runner.h"

namespace armature::ranks {

/// The first word of every rank but 0: who it is, and what it was given.
struct Hello {
  std::string build;  // version and digest of the sources
  std::string host;
  std::int64_t process = 0;
  std::vector<int> cores;   // that it may use
  std::uint32_t quota = 1;  // how many of them at one time
  std::string shard = {};   // --shard, as it was given: the same to all
};

/// What the blocks that follow are of (study/stage.h), and how many threads are to compute them.
/// Stages are numbered: what comes late of an earlier one is nobody's.
struct Stage {
  std::uint32_t stage = 0;
  std::string text;
  std::uint32_t threads = 1;
};

/// Blocks to compute, in this order. `number` is the block's place in rank 0's list.
struct Order {
  std::uint32_t number = 0;
  std::uint32_t cell = 0;
  ReplicationRange range;
};
struct Blocks {
  std::uint32_t stage = 0;
  std::vector<Order> orders;
};

struct Computed {
  std::uint32_t number = 0;
  BlockResult result;
};
struct Results {
  std::uint32_t stage = 0;
  std::vector<Computed> blocks;
};

/// A block, or the stage itself, that could not be computed, and why.
struct Failed {
  std::uint32_t stage = 0;
  std::optional<std::uint32_t> number;
  ErrorReport report;
};

/// End the blocks at hand with what is finished of them.
struct Stop {};
/// There is nothing more to do in this job.
struct End {};
/// The last word of a rank that was sent home: nothing of it is under way any more.
struct Gone {};
/// Nothing new: only that one is there.
struct Alive {};
/// Are you there? Answered by Alive.
struct Call {};
/// I was told to end from outside, and do.
struct Farewell {};
/// All blocks are back. What comes next may take long to plan, and nobody is to be missed
/// meanwhile.
struct Pause {};

using Message = std::variant<Hello, Stage, Blocks, Results, Failed, Stop, End, Gone, Alive, Call,
                             Farewell, Pause>;

std::string write_message(const Message& message);
/// Throws Error if these are no such bytes.
Message read_message(const std::string& bytes);

}  // namespace armature::ranks
