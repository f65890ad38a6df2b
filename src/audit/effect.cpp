#include "audit/effect.h"

#include <algorithm>
#include <cmath>

#include "base/discrete.h"

namespace armature {
namespace {

// Of fewer rows, drawing anew says next to nothing: one row drawn from one row is the same row.
constexpr double kFewest = 10;

struct Effect {
  double variance = 0;    // Var μ(a)
  double covariance = 0;  // Cov(c(a), μ(a))
};

Effect effect_of(const Estimates& estimates) {
  std::vector<std::size_t> played;
  for (std::size_t a = 0; a < estimates.actions; ++a)
    if (estimates.rows[a] >= kFewest) played.push_back(a);
  // m(z): over actions, each as often as it leads to z.
  std::vector<double> typical(estimates.contexts);
  for (std::size_t z = 0; z < estimates.contexts; ++z) {
    double reached = 0;
    double paid = 0;
    for (const std::size_t a : played) {
      reached += estimates.cell(a, z).marginal;
      paid += estimates.cell(a, z).marginal * estimates.cell(a, z).mean;
    }
    typical[z] = reached > 0 ? paid / reached : 0;
  }
  if (played.empty()) return {};
  const auto count = static_cast<double>(played.size());
  double mean = 0, through = 0, squares = 0, products = 0;
  for (const std::size_t a : played) {
    double own = 0;
    double by_context = 0;
    for (std::size_t z = 0; z < estimates.contexts; ++z) {
      own += estimates.cell(a, z).marginal * estimates.cell(a, z).mean;
      by_context += estimates.cell(a, z).marginal * typical[z];
    }
    mean += own / count;
    through += by_context / count;
    squares += own * own / count;
    products += own * by_context / count;
  }
  return {squares - mean * mean, products - mean * through};
}

// Every action's rows drawn anew: contexts from its marginals, rewards from their cells. Of binary
// rewards this is what drawing the rows of the log themselves would give; of others the sum is
// drawn as a normal one with the cell's mean and variance.
Estimates drawn_anew(const Estimates& seen, Stream& stream) {
  Estimates drawn = seen;
  std::vector<double> marginals(seen.contexts);
  std::vector<std::uint64_t> counts(seen.contexts);
  for (std::size_t a = 0; a < seen.actions; ++a) {
    const auto rows = static_cast<std::uint64_t>(std::llround(seen.rows[a]));
    if (rows == 0) continue;
    for (std::size_t z = 0; z < seen.contexts; ++z) marginals[z] = seen.cell(a, z).marginal;
    multinomial(stream, rows, marginals, counts);
    for (std::size_t z = 0; z < seen.contexts; ++z) {
      CellEstimate& cell = drawn.cells[a * seen.contexts + z];
      const auto n = static_cast<double>(counts[z]);
      cell.marginal = n / static_cast<double>(rows);
      cell.rows = n;
      if (counts[z] == 0) continue;
      cell.mean =
          seen.binary
              ? static_cast<double>(binomial(stream, counts[z], cell.mean)) / n
              : std::clamp(cell.mean + std::sqrt(cell.variance / n) * normal(stream), 0.0, 1.0);
    }
  }
  return drawn;
}

}  // namespace

AuditShare effect_share(const Estimates& estimates, double delta, Stream& stream) {
  constexpr double kCellDraws = 4e6;
  const auto draws = static_cast<std::size_t>(
      std::clamp(kCellDraws / static_cast<double>(std::max<std::size_t>(1, estimates.cells.size())),
                 50.0, 400.0));
  const Effect seen = effect_of(estimates);
  std::vector<Effect> drawn;
  Effect bias;  // of what was seen, taken as what drawing once more adds to it
  for (std::size_t i = 0; i < draws; ++i) {
    drawn.push_back(effect_of(drawn_anew(estimates, stream)));
    bias.variance += (drawn.back().variance - seen.variance) / static_cast<double>(draws);
    bias.covariance += (drawn.back().covariance - seen.covariance) / static_cast<double>(draws);
  }
  AuditShare share;
  share.deviation = std::sqrt(std::max(0.0, seen.variance - bias.variance));
  std::vector<double> shares;
  std::size_t lost = 0;  // draws in which no effect is left
  for (const Effect& effect : drawn) {
    const double variance = effect.variance - 2 * bias.variance;
    if (variance <= 0)
      ++lost;
    else
      shares.push_back((effect.covariance - 2 * bias.covariance) / variance);
  }
  if (static_cast<double>(lost) > delta / 2 * static_cast<double>(draws)) return share;
  std::sort(shares.begin(), shares.end());
  const auto quantile = [&](double p) {
    return shares[static_cast<std::size_t>(p * static_cast<double>(shares.size() - 1) + 0.5)];
  };
  share.known = true;
  share.through_context = (seen.covariance - bias.covariance) / (seen.variance - bias.variance);
  share.interval = {quantile(delta / 2), quantile(1 - delta / 2)};
  return share;
}

}  // namespace armature
