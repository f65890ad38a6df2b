// Numbers as contexts: a numeric column cut into bins.
#pragma once

#include "armature/log.h"

namespace armature {

/// `age:5`: bins of equal frequency.
BinRequest parse_bins(const std::string& text);
/// `age:18,30,50`: at these edges, each the highest value of its bin.
BinRequest parse_edges(const std::string& text);

/// "<=18", "(18,30]", "(30,50]", ">50": one more than there are edges.
std::vector<std::string> bin_names(const std::vector<double>& edges);
/// Which of them a value is in.
std::uint32_t bin_of(const std::vector<double>& edges, double value);

/// Edges of equal frequency, from values seen once, in memory that does not grow with them: of more
/// than 2^20 a sample is kept, chosen by hashes of their numbers, so that it is the same each time.
class FrequencyEdges {
 public:
  void add(double value);
  bool sampled() const { return most_ != UINT64_MAX; }
  std::uint64_t seen() const { return seen_; }
  /// At most count - 1 of them, fewer where many values are equal: an edge stands once, and none
  /// at the highest value.
  std::vector<double> edges(std::uint32_t count) const;

  static constexpr std::size_t kKept = std::size_t{1} << 20;

 private:
  struct Kept {
    std::uint64_t hash;
    double value;
  };
  std::vector<Kept> kept_;
  std::uint64_t most_ = UINT64_MAX;  // hashes above it are left out
  std::uint64_t seen_ = 0;
};

}  // namespace armature
