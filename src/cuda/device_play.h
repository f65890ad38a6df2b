// Kernels and launches: a thread is a replication, a launch plays a slice of the rounds of many.
// Between slices a replication's memory rests in the device's; during one it is in the
// multiprocessor's own, if it fits.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda/backend.h"

namespace armature::cuda {

inline void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

// --- On the device

// All of one slice but the player's own numbers. Arrays have an entry for each replication of the
// chunk, at [i·count + replication].
struct Slice {
  WorldTables tables;
  std::uint64_t seed = 0;
  KeySchedule keys{};
  std::uint32_t first_replication = 0;
  std::uint32_t count = 0;
  std::uint64_t first_round = 1;
  std::uint64_t last_round = 0;
  std::uint32_t slots = 0;
  std::uint64_t* memory = nullptr;
  void* registers = nullptr;
  double* regret = nullptr;        // null: no checkpoint ends here
  double* facts = nullptr;         // null: nobody asks now
  std::uint64_t* plays = nullptr;  // null: it goes on
};

// Slots in the multiprocessor's own memory, by addresses of 32 bits: one multiplication each.
template <std::uint32_t kApart>
class NearMemory {
 public:
  class Slot {
   public:
    __device__ __forceinline__ explicit Slot(std::uint32_t address) : address_(address) {}
    __device__ __forceinline__ operator std::uint64_t() const {
      std::uint64_t value;
      asm volatile("ld.shared.u64 %0, [%1];" : "=l"(value) : "r"(address_));
      return value;
    }
    __device__ __forceinline__ void operator=(std::uint64_t value) const {
      asm volatile("st.shared.u64 [%0], %1;" ::"r"(address_), "l"(value));
    }
    __device__ __forceinline__ void operator=(const Slot& other) const {
      *this = static_cast<std::uint64_t>(other);
    }
    __device__ __forceinline__ void operator+=(std::uint64_t more) const { *this = *this + more; }
    __device__ __forceinline__ void operator++() const { *this += 1; }
    __device__ __forceinline__ std::uint64_t operator++(int) const {
      const std::uint64_t before = *this;
      *this = before + 1;
      return before;
    }

   private:
    std::uint32_t address_;
  };

  __device__ __forceinline__ explicit NearMemory(const std::uint64_t* first)
      : address_(static_cast<std::uint32_t>(__cvta_generic_to_shared(first))) {
    asm volatile("" : "+r"(address_));  // else it is worked out anew in every round
  }
  __device__ __forceinline__ Slot operator[](std::uint32_t slot) const {
    return Slot(address_ + slot * (kApart * sizeof(std::uint64_t)));
  }

 private:
  std::uint32_t address_;
};

// Where things are kept. Threads of a block, and whether world and memory are near.
template <class Numbers_, std::uint32_t kThreads_, bool kMemoryNear_, bool kWorldNear_,
          std::uint32_t kContexts_ = 0, std::uint32_t kBlocks_ = 0>
struct Shape {
  using Numbers = Numbers_;
  static constexpr std::uint32_t kThreads = kThreads_;
  static constexpr std::uint32_t kBlocks = kBlocks_;  // for which there shall be registers; 0: any
  static constexpr bool kMemoryNear = kMemoryNear_;
  static constexpr bool kWorldNear = kWorldNear_;
  using Memory = std::conditional_t<kMemoryNear, NearMemory<kThreads>, StridedMemory>;
  static constexpr std::uint32_t kContexts = kContexts_;
  using World = WorldView<kWorldNear ? 1 : 0, kContexts>;
  using OwnMachine = Machine<Numbers, Memory, World, StridedMemory>;
};
// Loops over contexts are unrolled for the numbers of them that one meets most.
using Quick2 = Shape<SmallNumbers, 128, true, true, 2>;
using Quick5 = Shape<SmallNumbers, 128, true, true, 5>;
using Quick = Shape<SmallNumbers, 128, true, true>;
// Twice 7 warps of 62 slots at most, where of blocks of 4 warps there would be room for 3.
using Large5 = Shape<SmallNumbers, 224, true, true, 5, 2>;
using Large2 = Shape<SmallNumbers, 128, true, true, 2, 4>;
using QuickFarWorld = Shape<SmallNumbers, 128, true, false>;
constexpr std::uint32_t kFewThreads = 32;
using Wide = Shape<SmallNumbers, kFewThreads, true, false>;
using Far = Shape<LargeNumbers, 128, false, false>;

// The tables that rounds look at, in words of 64 bits.
__host__ __device__ inline std::uint32_t near_words(const WorldTables& tables) {
  const std::uint32_t cells = tables.actions * tables.contexts;
  return 2 * cells + 2 * tables.contexts + 3 * tables.actions / 2 + 8;
}

// Copies the tables of one world to where all threads of the block have them near.
__device__ __forceinline__ WorldTables near_tables(const WorldTables& far, std::uint64_t* place) {
  const std::uint32_t cells = far.actions * far.contexts;
  WorldTables near = far;
  const auto copied = [&place](const auto* from, std::uint32_t size) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(from)>>;
    T* to = reinterpret_cast<T*>(place);
    for (std::uint32_t i = threadIdx.x; i < size; i += blockDim.x) to[i] = from[i];
    place += (size * sizeof(T) + 7) / 8;
    return to;
  };
  near.cumulative_upper = copied(far.cumulative_upper, cells);
  near.success_upper = copied(far.success_upper, cells);
  near.marginals = copied(far.marginals, cells);
  near.column_high = copied(far.column_high, far.contexts);
  near.column_low = copied(far.column_low, far.contexts);
  near.row_of = copied(far.row_of, far.actions);
  near.action_of = copied(far.action_of, far.actions);
  near.next_of = copied(far.next_of, far.actions);
  near.numbers = copied(far.numbers, 2);
  __syncthreads();
  return near;
}

template <class Tag, class Shape>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    play_slice(const __grid_constant__ Slice slice, const __grid_constant__
               typename Tag::template Player<typename Shape::OwnMachine>::Setting setting) {
  using OwnMachine = typename Shape::OwnMachine;
  using Player = typename Tag::template Player<OwnMachine>;
  extern __shared__ std::uint64_t near[];
  WorldTables tables = slice.tables;
  if constexpr (Shape::kWorldNear)
    tables =
        near_tables(slice.tables, near + (Shape::kMemoryNear ? slice.slots * Shape::kThreads : 0));
  const std::uint32_t place = blockIdx.x * Shape::kThreads + threadIdx.x;
  if (place >= slice.count) return;
  const std::uint32_t replication = slice.first_replication + place;
  const auto memory = [&] {
    if constexpr (Shape::kMemoryNear)
      return NearMemory<Shape::kThreads>(near + threadIdx.x);
    else
      return StridedMemory(slice.memory + place, slice.count);
  }();
  const auto luck = [&](Purpose purpose) {
    return Luck{static_cast<std::uint32_t>(slice.seed),
                static_cast<std::uint32_t>(slice.seed >> 32), replication,
                static_cast<std::uint32_t>(purpose) << 8};
  };
  const StridedMemory far(slice.memory + std::size_t{slice.slots} * slice.count + place,
                          slice.count);
  OwnMachine machine{memory, far, typename Shape::World(tables, tables.apart == 1 ? 0 : place),
                     luck(Purpose::kPolicy)};
  typename Player::Registers registers;
  auto* const kept = static_cast<typename Player::Registers*>(slice.registers) + place;
  Player player(setting, registers);
  if (slice.first_round == 1) {
    player.begin(machine);
  } else {
    registers = *kept;
    if constexpr (Shape::kMemoryNear)
      for (std::uint32_t slot = 0; slot < slice.slots; ++slot)
        machine.memory[slot] = slice.memory[std::size_t{slot} * slice.count + place];
  }
  play_rounds_one_way<Player>(setting, registers, machine, luck(Purpose::kOutcome), slice.keys,
                              slice.first_round, slice.last_round);

  *kept = registers;
  if constexpr (Shape::kMemoryNear)
    for (std::uint32_t slot = 0; slot < slice.slots; ++slot)
      slice.memory[std::size_t{slot} * slice.count + place] = machine.memory[slot];
  if (slice.regret) slice.regret[place] = regret_of(player, machine);
  if (slice.facts)
    for (std::uint32_t i = 0; i != Player::kFacts; ++i)
      slice.facts[std::size_t{i} * slice.count + place] = player.fact(machine, i);
  if (slice.plays)
    for (std::uint32_t a = 0; a < tables.actions; ++a)
      slice.plays[std::size_t{a} * slice.count + place] = player.plays(machine, a);
}

// How often the short ways of quotients.h differ from IEEE's, over all counts.
static __global__ void compare_roots(double half_log_term, std::uint32_t last, unsigned* differ) {
  for (std::uint32_t n = blockIdx.x * blockDim.x + threadIdx.x + 1; n <= last;
       n += gridDim.x * blockDim.x) {
    const double quotient = WholeDenominator(n).under(half_log_term);
    if (quotient != half_log_term / static_cast<double>(n) ||
        root(quotient, true) != std::sqrt(quotient))
      atomicAdd(differ, 1);
  }
}

// --- On the host

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void wait() const { check(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};

// Time of the device, from here on.
class Watch {
 public:
  explicit Watch(const Stream& stream) : stream_(stream) {
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
    check(cudaEventRecord(begin_, stream_));
  }
  ~Watch() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  double seconds() const {
    check(cudaEventRecord(end_, stream_));
    check(cudaEventSynchronize(end_));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return 1e-3 * milliseconds;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

// Memory of the device, ordered by a stream that outlives it.
template <class T>
class DeviceArray {
 public:
  DeviceArray(const Stream& stream, std::size_t size) : stream_(stream) {
    if (size > 0) check(cudaMallocAsync(&data_, size * sizeof(T), stream));
  }
  DeviceArray(const Stream& stream, const T* from, std::size_t size) : DeviceArray(stream, size) {
    if (size > 0)
      check(cudaMemcpyAsync(data_, from, size * sizeof(T), cudaMemcpyHostToDevice, stream));
  }
  DeviceArray(DeviceArray&& other) noexcept
      : stream_(other.stream_), data_(std::exchange(other.data_, nullptr)) {}
  DeviceArray& operator=(DeviceArray&&) = delete;
  ~DeviceArray() {
    if (data_) cudaFreeAsync(data_, stream_);
  }
  T* data() const { return static_cast<T*>(data_); }

 private:
  cudaStream_t stream_;
  void* data_ = nullptr;
};

// What a block's slices have in common: tables on the device.
class Uploaded {
 public:
  explicit Uploaded(const Stream& stream) : stream_(stream) {}

  WorldTables worlds(const PackedWorlds& worlds) {
    WorldTables tables = worlds.tables();
    worlds.each_table(tables, [this](auto*& pointer, std::size_t size) { move(pointer, size); });
    return tables;
  }
  template <class Setting>
  Setting setting(Setting setting, std::uint64_t horizon) {
    const auto move_widths = [&](Widths& widths) {
      widths.quick_roots = widths.kind == Widths::kFixed && roots_agree(widths.log_term, horizon);
      move(widths.table, widths.tabulated);
      move(widths.log.rows, std::size(portable::kLogarithms));
      move(widths.log.coefficients, std::size(portable::kLogarithm));
    };
    const auto ask_roots = [&](double log_term, bool& quick_roots) {
      quick_roots = roots_agree(log_term, horizon);
    };
    setting.tables(Both{move_widths, ask_roots});
    return setting;
  }

 private:
  // Asked of every count that there can be, a moment for 10^8 of them.
  template <class... Ways>
  struct Both : Ways... {
    using Ways::operator()...;
  };
  bool roots_agree(double log_term, std::uint64_t horizon) const {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 28;
    if (horizon > kMost) return false;
    const unsigned none = 0;
    const DeviceArray<unsigned> differ(stream_, &none, 1);
    compare_roots<<<1024, 128, 0, stream_>>>(0.5 * log_term, static_cast<std::uint32_t>(horizon),
                                             differ.data());
    check(cudaGetLastError());
    unsigned found = 1;
    check(cudaMemcpyAsync(&found, differ.data(), sizeof found, cudaMemcpyDeviceToHost, stream_));
    stream_.wait();
    return found == 0;
  }

  template <class T>
  void move(const T*& pointer, std::size_t size) {
    if (!pointer || size == 0) return;
    bytes_.emplace_back(stream_, reinterpret_cast<const char*>(pointer), size * sizeof(T));
    pointer = reinterpret_cast<const T*>(bytes_.back().data());
  }

  const Stream& stream_;
  std::vector<DeviceArray<char>> bytes_;
};

// Rounds of one launch: short enough to stop soon, long enough to cost nothing.
inline std::uint64_t longest_slice(std::uint32_t count) {
  constexpr double kRoundsOfALaunch = 1e10;
  return static_cast<std::uint64_t>(std::clamp(kRoundsOfALaunch / count, 4096.0, 524288.0));
}

/// What all shapes need to know of a device.
struct DeviceLimits {
  std::size_t near_of_a_block;           // bytes
  std::size_t near_of_a_multiprocessor;  // bytes
  std::size_t far_of_a_chunk;            // bytes
};

template <class Tag, class Shape>
class ChunkPlayer {
 public:
  using Player = typename Tag::template Player<typename Shape::OwnMachine>;

  static std::uint32_t slots(const Sizes& sizes) { return Player::slots(sizes); }
  static std::size_t near_bytes(const WorldTables& tables, std::uint32_t slots) {
    return sizeof(std::uint64_t) *
           ((Shape::kMemoryNear ? std::size_t{slots} * Shape::kThreads : 0) +
            (Shape::kWorldNear ? near_words(tables) : 0));
  }

  // All replications of a block, in chunks that fit the device's memory. False if stopped.
  static std::uint32_t play(const BlockJob& job, BlockResults& results, const DeviceLimits& limits,
                            const std::atomic<bool>& stop) {
    const Stream stream;
    Uploaded uploaded(stream);
    Slice slice;
    slice.tables = uploaded.worlds(job.worlds);
    slice.seed = job.seed;
    slice.keys = key_schedule(job.seed);
    slice.slots = slots(job.worlds.sizes());
    const std::uint32_t far = far_slots_of<Player>(job.worlds.sizes());
    const auto setting = uploaded.setting(std::get<typename Player::Setting>(job.plan.setting),
                                          job.checkpoints.back());
    const std::size_t near = near_bytes(slice.tables, slice.slots);
    // What a launch may ask for belongs to the kernel, not to the launch, and other threads launch
    // it with more or less: all of them allow the most there is.
    check(cudaFuncSetAttribute(play_slice<Tag, Shape>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(limits.near_of_a_block)));
    // Tables of many worlds are those of the whole block: it is one chunk.
    const std::size_t each =
        8 * (slice.slots + far + job.checkpoints.size() + slice.tables.actions) + 256;
    const auto most = static_cast<std::uint32_t>(
        job.worlds.shared() ? std::clamp<std::size_t>(limits.far_of_a_chunk / each, 1, 1 << 20)
                            : job.count);
    for (std::uint32_t first = 0; first < job.count; first += most) {
      const std::uint32_t count = std::min(most, job.count - first);
      if (!play_chunk(job, results, stop, stream, slice, setting, near, far, first, count))
        return first;
    }
    return job.count;
  }

 private:
  using Setting = typename Player::Setting;

  static bool play_chunk(const BlockJob& job, BlockResults& results, const std::atomic<bool>& stop,
                         const Stream& stream, Slice slice, const Setting& setting,
                         std::size_t near, std::uint32_t far, std::uint32_t first,
                         std::uint32_t count) {
    const std::size_t checkpoints = job.checkpoints.size();
    const std::size_t fact_times = results.facts_followed ? checkpoints : 1;
    const std::size_t facts_once = std::size_t{Player::kFacts} * count;
    const DeviceArray<std::uint64_t> memory(stream, std::size_t{slice.slots + far} * count);
    const DeviceArray<typename Player::Registers> registers(stream, count);
    const DeviceArray<double> regret(stream, checkpoints * count);
    const DeviceArray<double> facts(stream, fact_times * facts_once);
    const DeviceArray<std::uint64_t> plays(stream, std::size_t{slice.tables.actions} * count);
    slice.first_replication = job.first + first;
    slice.count = count;
    slice.memory = memory.data();
    slice.registers = registers.data();
    const std::uint32_t blocks = (count + Shape::kThreads - 1) / Shape::kThreads;
    const Watch watch(stream);
    std::uint64_t round = 0;
    for (std::size_t c = 0; c < checkpoints; ++c) {
      while (round < job.checkpoints[c]) {
        if (stop.load(std::memory_order_relaxed)) return false;
        slice.first_round = round + 1;
        slice.last_round = last_of_slice(
            slice.first_round, std::min(job.checkpoints[c], round + longest_slice(count)));
        round = slice.last_round;
        const bool at_checkpoint = round == job.checkpoints[c];
        const bool at_end = at_checkpoint && c + 1 == checkpoints;
        slice.regret = at_checkpoint ? regret.data() + c * count : nullptr;
        slice.facts = at_checkpoint && Player::kFacts > 0 && (results.facts_followed || at_end)
                          ? facts.data() + (results.facts_followed ? c : 0) * facts_once
                          : nullptr;
        slice.plays = at_end ? plays.data() : nullptr;
        play_slice<Tag, Shape><<<blocks, Shape::kThreads, near, stream>>>(slice, setting);
        check(cudaGetLastError());
        stream.wait();
      }
    }
    results.device_seconds += watch.seconds();
    const auto fetch = [&](auto* to, const auto* from, std::size_t rows) {
      if (rows > 0)
        check(cudaMemcpy2DAsync(to + first, results.count * sizeof(*to), from, count * sizeof(*to),
                                count * sizeof(*to), rows, cudaMemcpyDeviceToHost, stream));
    };
    fetch(results.regret.data(), regret.data(), checkpoints);
    fetch(results.facts.data(), facts.data(), fact_times * Player::kFacts);
    fetch(results.plays.data(), plays.data(), slice.tables.actions);
    stream.wait();
    return true;
  }
};

/// Plays a block in the first shape that it fits.
template <class Tag, class... Shapes>
std::uint32_t play_in_first_fit(const BlockJob& job, BlockResults& results,
                                const DeviceLimits& limits, const std::atomic<bool>& stop) {
  std::uint32_t finished = 0;
  const auto tried = [&](auto shape) {
    using Chosen = decltype(shape);
    using Chunks = ChunkPlayer<Tag, Chosen>;
    const WorldTables& tables = job.worlds.tables();
    // A world that is near takes little of it; of memory two blocks should find room.
    constexpr std::uint32_t kWordsOfAWorld = 1024;
    const std::size_t room = Chosen::kThreads == kFewThreads
                                 ? limits.near_of_a_block
                                 : limits.near_of_a_multiprocessor / 2 - 1024;
    if (std::is_same_v<typename Chosen::Numbers, SmallNumbers> && !job.plan.small_numbers)
      return false;
    if (Chosen::kWorldNear && (!job.worlds.shared() || near_words(tables) > kWordsOfAWorld))
      return false;
    if (Chosen::kContexts > 0 && Chosen::kContexts != tables.contexts) return false;
    if (Chunks::near_bytes(tables, Chunks::slots(job.worlds.sizes())) > room) return false;
    finished = Chunks::play(job, results, limits, stop);
    return true;
  };
  if (!(tried(Shapes{}) || ...)) throw std::runtime_error("no shape of a block fits");
  return finished;
}
/// Of most players; what is in no near shape is in the last one, however little is near.
template <class Tag>
std::uint32_t play_any(const BlockJob& job, BlockResults& results, const DeviceLimits& limits,
                       const std::atomic<bool>& stop) {
  return play_in_first_fit<Tag, Quick2, Quick5, Quick, QuickFarWorld, Wide, Far>(job, results,
                                                                                 limits, stop);
}
/// Of players of few actions that keep so much that fewer and larger blocks find more room
/// together.
template <class Tag>
std::uint32_t play_large(const BlockJob& job, BlockResults& results, const DeviceLimits& limits,
                         const std::atomic<bool>& stop) {
  return play_in_first_fit<Tag, Large2, Large5, Quick, QuickFarWorld, Wide, Far>(job, results,
                                                                                 limits, stop);
}
/// Of players of many actions, whose worlds are never near.
template <class Tag>
std::uint32_t play_many(const BlockJob& job, BlockResults& results, const DeviceLimits& limits,
                        const std::atomic<bool>& stop) {
  return play_in_first_fit<Tag, QuickFarWorld, Wide, Far>(job, results, limits, stop);
}

// One function for each kind of player, in files of their own: they take long to compile.
using PlayBlock = std::uint32_t(const BlockJob&, BlockResults&, const DeviceLimits&,
                                const std::atomic<bool>&);
PlayBlock play_fixed, play_round_robin, play_uniform, play_index_20, play_index_32, play_index_1024,
    play_causal, play_balancing_20, play_balancing_1024, play_sentry_20, play_sentry_1024,
    play_warden_20, play_warden_1024, play_hac_ucb_20, play_hac_ucb_1024;

}  // namespace armature::cuda
