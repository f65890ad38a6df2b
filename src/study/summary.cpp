#include "study/summary.h"

#include <array>
#include <cmath>
#include <map>

#include "lab/moments.h"
#include "study/student.h"

namespace armature {
namespace {

// The order statistics a spread keeps, as shares of the way from the least to the most.
constexpr std::array kShares = {0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0};
using OrderStatistics = std::array<double, kShares.size()>;

// Quantiles of type 7 off a sorted stream.
OrderStatistics order_statistics(Statement& sorted, std::uint64_t count) {
  OrderStatistics quantiles{};
  double below = 0;
  std::size_t next = 0;
  for (std::uint64_t rank = 0; sorted.step(); ++rank) {
    const double value = sorted.real(0);
    for (; next < kShares.size(); ++next) {
      const double at = kShares[next] * static_cast<double>(count - 1);
      if (at > static_cast<double>(rank)) break;
      const double weight = at - (static_cast<double>(rank) - 1);  // of this value, not the last
      quantiles[next] = weight < 1 ? below + weight * (value - below) : value;
    }
    below = value;
  }
  return quantiles;
}

Spread spread_of(Statement& in_order, Statement& sorted) {
  Moments moments;
  while (in_order.step()) moments.add(in_order.real(0));
  Spread spread;
  spread.count = moments.count;
  if (moments.count == 0) return spread;
  spread.mean = moments.mean;
  spread.standard_error = moments.standard_error();
  if (moments.count > 1)
    spread.deviation = std::sqrt(moments.squares / static_cast<double>(moments.count - 1));
  const OrderStatistics quantiles = order_statistics(sorted, moments.count);
  spread.least = quantiles[0];
  spread.q05 = quantiles[1];
  spread.q25 = quantiles[2];
  spread.median = quantiles[3];
  spread.q75 = quantiles[4];
  spread.q95 = quantiles[5];
  spread.most = quantiles[6];
  return spread;
}

std::vector<CurvePoint> curve_of(Database& database, std::int64_t cell) {
  Statement rounds(database, "SELECT checkpoint, round FROM checkpoints WHERE cell = ?");
  const std::string values =
      "SELECT regret FROM curves WHERE cell = ? AND checkpoint = ? ORDER BY ";
  Statement in_order(database, values + "replication");
  Statement sorted(database, values + "regret");
  std::vector<CurvePoint> curve;
  rounds.bind(1, cell);
  while (rounds.step()) {
    in_order.bind(1, cell).bind(2, rounds.integer(0));
    sorted.bind(1, cell).bind(2, rounds.integer(0));
    curve.push_back({static_cast<Round>(rounds.integer(1)), spread_of(in_order, sorted)});
  }
  return curve;
}

std::vector<double> mean_pulls(Database& database, const StudyCell& cell, double replications) {
  std::vector<double> pulls(cell.actions);
  Statement rows(database, "SELECT arm, plays FROM pulls WHERE cell = ?");
  rows.bind(1, std::int64_t{cell.id});
  while (rows.step())
    pulls.at(static_cast<std::size_t>(rows.integer(0))) =
        static_cast<double>(rows.integer(1)) / replications;
  return pulls;
}

// The means of every diagnostic at every checkpoint it was noted at.
struct DiagnosticMean {
  std::string name;
  std::size_t checkpoint;
  Moments moments;
};

std::vector<DiagnosticMean> diagnostic_means(Database& database, std::int64_t cell) {
  std::vector<DiagnosticMean> means;
  Statement rows(database,
                 "SELECT name, checkpoint, value FROM diagnostics WHERE cell = ? "
                 "ORDER BY name, checkpoint, replication");
  rows.bind(1, cell);
  while (rows.step()) {
    const auto checkpoint = static_cast<std::size_t>(rows.integer(1));
    if (means.empty() || means.back().checkpoint != checkpoint || means.back().name != rows.text(0))
      means.push_back({rows.text(0), checkpoint, {}});
    means.back().moments.add(rows.real(2));
  }
  return means;
}

void add_diagnostics(CellSummary& summary, const std::vector<DiagnosticMean>& means) {
  std::map<std::string, std::vector<double>> shares;
  for (const DiagnosticMean& mean : means) {
    if (mean.checkpoint + 1 == summary.curve.size())
      summary.diagnostics.push_back(
          {mean.name, mean.moments.mean, static_cast<std::uint32_t>(mean.moments.count)});
    if (mean.name.starts_with("share(")) shares[mean.name].push_back(mean.moments.mean);
  }
  for (const auto& [name, share] : shares)
    if (share.size() == summary.curve.size())
      summary.shares.push_back({name.substr(6, name.size() - 7), share});
}

double mean_simple_regret(Database& database, std::int64_t cell) {
  Moments moments;
  Statement rows(database,
                 "SELECT simple_regret FROM replications WHERE cell = ? ORDER BY replication");
  rows.bind(1, cell);
  while (rows.step()) moments.add(rows.real(0));
  return moments.mean;
}

double computing_seconds(Database& database, std::int64_t cell) {
  Statement row(database, "SELECT total(seconds) FROM blocks WHERE cell = ?");
  row.bind(1, cell);
  return row.step() ? row.real(0) : 0;
}

PairedDifference difference_of(Database& database, std::uint32_t first, std::uint32_t second) {
  const std::string values =
      "SELECT a.regret - b.regret AS difference FROM replications a JOIN replications b "
      "ON a.replication = b.replication WHERE a.cell = ? AND b.cell = ? ORDER BY ";
  Statement in_order(database, values + "a.replication");
  Statement sorted(database, values + "difference");
  for (Statement* statement : {&in_order, &sorted})
    statement->bind(1, std::int64_t{first}).bind(2, std::int64_t{second});
  PairedDifference result{first, second, spread_of(in_order, sorted), 0};
  Statement better(database,
                   "SELECT avg(CASE WHEN a.regret < b.regret THEN 1.0 WHEN a.regret = b.regret "
                   "THEN 0.5 ELSE 0.0 END) FROM replications a JOIN replications b "
                   "ON a.replication = b.replication WHERE a.cell = ? AND b.cell = ?");
  better.bind(1, std::int64_t{first}).bind(2, std::int64_t{second});
  if (better.step()) result.share_better = better.real(0);
  return result;
}

}  // namespace

double Spread::low() const {
  return count < 2 ? mean : mean - student_t95(count - 1) * standard_error;
}

double Spread::high() const {
  return count < 2 ? mean : mean + student_t95(count - 1) * standard_error;
}

CellSummary summarize_cell(StudyStore& store, const StudyCell& cell) {
  Database& database = store.database();
  CellSummary summary;
  summary.cell = cell;
  summary.curve = curve_of(database, cell.id);
  summary.simple_regret = mean_simple_regret(database, cell.id);
  summary.pulls = mean_pulls(database, cell, static_cast<double>(summary.final_regret().count));
  add_diagnostics(summary, diagnostic_means(database, cell.id));
  summary.seconds = computing_seconds(database, cell.id);
  return summary;
}

std::vector<PairedDifference> paired_differences(StudyStore& store,
                                                 const std::vector<CellSummary>& cells) {
  // Cells of one instance and horizon stand together in the plan; the oracle is no rival.
  std::vector<std::vector<const CellSummary*>> groups;
  for (const CellSummary& summary : cells) {
    if (summary.cell.policy == kOracle) continue;
    if (groups.empty() || groups.back().front()->cell.instance != summary.cell.instance ||
        groups.back().front()->cell.horizon != summary.cell.horizon)
      groups.emplace_back();
    groups.back().push_back(&summary);
  }
  std::vector<PairedDifference> differences;
  for (const auto& group : groups) {
    const CellSummary* best = group.front();
    for (const CellSummary* rival : group)
      if (rival->final_regret().mean < best->final_regret().mean) best = rival;
    for (const CellSummary* rival : group)
      if (rival != best)
        differences.push_back(difference_of(store.database(), best->cell.id, rival->cell.id));
  }
  return differences;
}

void store_summaries(StudyStore& store) {
  Database& database = store.database();
  Transaction transaction(database);
  database.execute("DELETE FROM summaries");
  Statement row(database, "INSERT INTO summaries VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)");
  for (const StudyCell& cell : store.plan().cells) {
    const std::vector<CurvePoint> curve = curve_of(database, cell.id);
    for (std::size_t i = 0; i < curve.size(); ++i) {
      const Spread& spread = curve[i].regret;
      if (spread.count == 0) continue;
      row.bind(1, std::int64_t{cell.id}).bind(2, static_cast<std::int64_t>(i));
      row.bind(3, static_cast<std::int64_t>(curve[i].round));
      row.bind(4, static_cast<std::int64_t>(spread.count)).bind(5, spread.mean);
      row.bind(6, spread.deviation * spread.deviation).bind(7, spread.least).bind(8, spread.q05);
      row.bind(9, spread.q25).bind(10, spread.median).bind(11, spread.q75).bind(12, spread.q95);
      row.bind(13, spread.most).run();
    }
  }
  transaction.commit();
}

StudyResult read_results(const std::string& directory) {
  StudyStore store = StudyStore::read(directory);
  return results_of(store);
}

StudyResult results_of(StudyStore& store) {
  StudyResult result;
  result.plan = store.plan();
  result.environment = store.environment();
  result.replications_done = store.stored_replications();
  result.replications_total =
      std::uint64_t{result.plan.study.replications} * result.plan.cells.size();
  result.complete = result.replications_done == result.replications_total;
  for (const StudyCell& cell : result.plan.cells) {
    const std::vector<ReplicationRange> missing = store.missing(cell.id);
    if (!missing.empty() && missing.front().count == result.plan.study.replications) continue;
    result.cells.push_back(summarize_cell(store, cell));
  }
  result.differences = paired_differences(store, result.cells);
  return result;
}

}  // namespace armature
