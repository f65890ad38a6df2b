#include "audit/bins.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "armature/error.h"
#include "base/text.h"

namespace armature {
namespace {

constexpr std::uint32_t kMostBins = 1000;

// SplitMix64's finaliser: numbers in a row become numbers without an order.
std::uint64_t mixed(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15u;
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9u;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EBu;
  return number ^ (number >> 31);
}

// Column names may hold colons: the last one counts.
BinRequest with_column(const std::string& option, const std::string& text,
                       const std::string& expected, std::string& rest) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0)
    throw Error({"", option, "'" + text + "'", expected});
  rest = text.substr(colon + 1);
  BinRequest request;
  request.column = text.substr(0, colon);
  return request;
}

}  // namespace

BinRequest parse_bins(const std::string& text) {
  const std::string expected =
      fmt::format("COLUMN:COUNT with 2 to {} bins of equal frequency (age:5)", kMostBins);
  std::string rest;
  BinRequest request = with_column("--bins", text, expected, rest);
  const auto count = parse_integer(rest);
  if (!count || *count < 2 || *count > kMostBins)
    throw Error({"", "--bins", "'" + text + "'",
                 expected + (rest.find(',') == std::string::npos ? "" : "; edges go to --edges")});
  request.count = static_cast<std::uint32_t>(*count);
  return request;
}

BinRequest parse_edges(const std::string& text) {
  const std::string expected = "COLUMN:EDGE,EDGE,… with ascending numbers (age:18,30,50)";
  std::string rest;
  BinRequest request = with_column("--edges", text, expected, rest);
  for (std::size_t start = 0; start <= rest.size();) {
    const std::size_t comma = std::min(rest.find(',', start), rest.size());
    const auto edge = parse_real(rest.substr(start, comma - start));
    if (!edge || (!request.edges.empty() && *edge <= request.edges.back()) ||
        request.edges.size() == kMostBins)
      throw Error({"", "--edges", "'" + text + "'", expected});
    request.edges.push_back(*edge);
    start = comma + 1;
  }
  return request;
}

std::vector<std::string> bin_names(const std::vector<double>& edges) {
  if (edges.empty()) return {"all"};
  std::vector<std::string> names{"<=" + print_real(edges.front())};
  for (std::size_t i = 1; i < edges.size(); ++i)
    names.push_back(fmt::format("({},{}]", print_real(edges[i - 1]), print_real(edges[i])));
  names.push_back(">" + print_real(edges.back()));
  return names;
}

std::uint32_t bin_of(const std::vector<double>& edges, double value) {
  return static_cast<std::uint32_t>(std::lower_bound(edges.begin(), edges.end(), value) -
                                    edges.begin());
}

void FrequencyEdges::add(double value) {
  const std::uint64_t hash = mixed(seen_++);
  if (hash > most_) return;
  kept_.push_back({hash, value});
  while (kept_.size() > kKept) {
    most_ /= 2;
    std::erase_if(kept_, [&](const Kept& kept) { return kept.hash > most_; });
  }
}

std::vector<double> FrequencyEdges::edges(std::uint32_t count) const {
  std::vector<double> values;
  for (const Kept& kept : kept_) values.push_back(kept.value);
  std::sort(values.begin(), values.end());
  std::vector<double> edges;
  for (std::uint32_t i = 1; i < count && !values.empty(); ++i) {
    // The lowest value that at least i/count of them do not exceed.
    const double edge = values[(i * values.size() + count - 1) / count - 1];
    if (edge < values.back() && (edges.empty() || edge > edges.back())) edges.push_back(edge);
  }
  return edges;
}

}  // namespace armature
