// Which decisions were read before, in bounded memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace armature {

/// The first 2^22 ids are remembered, by hashes of 64 bits (two of so many are equal with
/// probability below 1e-6). After them an id above all before, as counters, times and the service's
/// ids are, is new for certain; another one is looked for among those remembered.
class DecisionIds {
 public:
  enum class Answer { kNew, kSeen, kUnknown };
  Answer add(std::string_view id);
  void clear();

  static constexpr std::size_t kRemembered = std::size_t{1} << 22;

 private:
  bool insert(std::uint64_t hash);
  bool contains(std::uint64_t hash) const;
  void grow();

  std::vector<std::uint64_t> slots_;  // 0: free; twice as many as ids at least
  std::size_t count_ = 0;
  std::string highest_;  // longer is higher, then as bytes
};

}  // namespace armature
