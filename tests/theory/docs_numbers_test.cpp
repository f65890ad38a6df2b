// docs/theory.md, docs/sentry.md and docs/warden.md tell the truth: every computed number on them
// is computed again here, every row, file and test they name exists, and every item of the paper
// has its place, in the paper's order.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <set>

#include "armature/theory.h"
#include "base/file.h"
#include "house/source_tree.h"
#include "theory/coefficients.h"
#include "theory/docs_page.h"
#include "theory/frontier.h"
#include "theory/moss_tail.h"

namespace armature::test {
namespace {

using std::numbers::e;

constexpr const char* kPages[] = {"theory.md", "sentry.md", "warden.md"};

std::string page(const std::string& name) { return read_file(ARMATURE_SOURCE_DIR "/docs/" + name); }

Setting sizes(double actions, double contexts, double horizon) {
  Setting setting;
  setting.actions = actions;
  setting.contexts = contexts;
  setting.horizon = horizon;
  return setting;
}

using Values = std::vector<double>;

// d_UCB, d_CUCB, D_C, d_PE and 8(2+√2)·sqrt(d·L_P)
Values coefficients(const Setting& s) {
  const double log_p = std::log(2 * s.actions * std::log2(s.horizon) * s.horizon);  // δ = 1/T
  return {ucb_bound(s, 1), c_ucb_bound(s, 1), c_ucb_sharp_bound(s, 1), pe_bound(s, 1),
          8 * (2 + std::sqrt(2.0)) * std::sqrt(s.contexts * log_p)};
}

// The balancing proposition for M = 2 with D = 1 in the bias and ucb at home.
double printed_any_bound(const Setting& s) {
  const BalancedLearner causal = causal_learner(s, CausalLearner::kCausalUcb);
  const BalancedLearner ucb = arbitrary_learner(s);
  const double l = std::log(2 * std::log(s.horizon) * s.horizon);  // δ = 1/T
  const double sum = ucb.coefficient + 2 * ucb.dial +
                     std::min(causal.coefficient, causal.coefficient * causal.coefficient / 4) +
                     std::sqrt(ucb.dial * ucb.coefficient * causal.coefficient) *
                         (1 + 6 * std::sqrt(l) / ucb.coefficient) +
                     6 * std::sqrt(2 * l);
  return 1 + sum * std::sqrt(s.horizon);
}

// corrected benign, corrected any, split, printed any, ucb
Values balancing(const Setting& s) {
  const BalancedLearner causal = causal_learner(s, CausalLearner::kCausalUcb);
  const BalancedLearner ucb = arbitrary_learner(s);
  return {db_corrected_bound(s, causal, ucb), db_corrected_bound(s, ucb, causal),
          db_printed_benign_bound(s, causal, ucb), printed_any_bound(s), ucb_bound(s, s.horizon)};
}

// R_1, R_2 and R_1·R_2/(|A|T), in expectation: + 4 (the split; 3 without) and + 2
Values product(const Setting& s) {
  const Values bounds = balancing(s);
  const double r1 = std::min(bounds[0] + 3, bounds[2] + 4);
  const double r2 = bounds[1] + 2;
  return {r1, r2, r1 * r2 / (s.actions * s.horizon)};
}

// Sum over phases, closed form with 128(2+√2), closed form of the row; |A| = 20, d = 2, T = 10^6.
Values elimination_by_gap(double gap) {
  Setting s = sizes(20, 2, 1e6);
  s.gap = gap;
  const double log_p = std::log(2 * 20 * std::log2(1e6) * 1e6);
  return {pe_gap_bound(s), 2 * 16 + 128 * (2 + std::sqrt(2.0)) * 2 * log_p / gap,
          pe_gap_closed_bound(s)};
}

double divergence(double p, double q) {
  return p * std::log(p / q) + (1 - p) * std::log((1 - p) / (1 - q));
}

double zeta(int power) {
  double sum = 0;
  for (int k = 1000; k >= 1; --k) sum += std::pow(k, -power);
  return sum;
}

// The rows of late outcomes, |A| = 20, |Z| = 2, T = 10^6.
Values with_delay(double delay) {
  Setting s = sizes(20, 2, 1e6);
  s.delay = delay;
  const double t = s.horizon;
  return {ucb_delay_bound(s, InFlight::kCount, t),
          c_ucb_delay_bound(s, InFlight::kCount, t),
          c_ucb_delay_bound(s, InFlight::kIgnore, t),
          sentry_delay_benign_bound(s, t),
          sentry_delay_any_bound(s, InFlight::kCount, t),
          sentry_delay_any_bound(s, InFlight::kIgnore, t)};
}

// What (S2) asks of a policy with this worst-case regret, and what is proved of it, by gap.
Values distance(const Setting& setting) {
  Setting s = setting;
  s.gap = 1.0 / 40;
  const auto asked = [&](double r2) {
    Setting at = s;
    at.r2 = r2;
    return safe_gap_lower(at).value();
  };
  const double budget = sentry_budget(s, {});
  return {asked(ucb_pair(s).r2),
          ucb_gap_bound(s) + 1,
          asked(sentry_pair(s, budget).r2),
          sentry_benign_gap_bound(s, {}) + 2,
          asked(warden_any_bound(s, {})),
          warden_benign_gap_bound(s, {})};
}

void add_tables(std::map<std::string, Values>& values) {
  const std::map<std::string, Setting> settings = {
      {"20", sizes(20, 2, 1e6)}, {"200", sizes(200, 5, 1e7)}, {"1000", sizes(1000, 2, 1e9)}};
  for (const auto& [name, setting] : settings) {
    values["coefficients-" + name] = coefficients(setting);
    values["balancing-" + name] = balancing(setting);
    values["product-" + name] = product(setting);
  }
  values["pe-gap-5"] = elimination_by_gap(0.2);
  values["pe-gap-20"] = elimination_by_gap(0.05);
  values["pe-gap-50"] = elimination_by_gap(0.02);
  values["delay-none"] = with_delay(0);
  values["delay-ten"] = with_delay(10);
  values["delay-hundred"] = with_delay(100);
  values["delay-thousand"] = with_delay(1000);
}

void add_safety(std::map<std::string, Values>& values) {
  const double k = 1 / (0.8 * 0.2) + 16.0 / 3;  // K(1/40)
  values["divergence-factor"] = {k};
  values["direct-constant"] = {1 / (k * 2 * e)};
  values["direct-gain"] = {256 * e / (k * 2 * e)};
  values["distance-20"] = distance(sizes(20, 2, 1e12));
  values["distance-200"] = distance(sizes(200, 5, 1e12));
  values["distance-1000"] = distance(sizes(1000, 2, 1e12));
}

void add_lower_bounds(std::map<std::string, Values>& values) {
  // What frontier_lower says where it holds, as a multiple of (|A|-1)T/R_2, and of |A|T/R_2 at
  // |A| = 2, its worst.
  Setting s = sizes(2, 2, 1e12);
  s.r2 = 1e9;
  values["frontier-c"] = {frontier_lower(s).value() * 1e9 / (2 * 1e12)};
  values["frontier-sharp-constant"] = {frontier_lower_sharp(s).value() * 1e9 / 1e12};
  values["frontier-gain"] = {frontier_lower_sharp(s).value() / frontier_lower(s).value()};
  const double kl_frontier = divergence(0.75, 0.85) * 1600;  // KL(¾, ¾+4Δ)/Δ² at Δ = 1/40
  values["kl-frontier"] = {kl_frontier};
  values["frontier-sharpest-constant"] = {64 / kl_frontier / (256 * e)};
  values["void-paper"] = {641.0 * 641};
  values["void-paper-20"] = {641.0 * 641 * 20};
  values["void-sharp-20"] = {320.0 * 320 * 20};
  values["void-corner-20"] = {641.0 * 641 * 20 * 20 / 2};
  // |A| = 2 and T = 1: sqrt((|A|-1)T) = 1
  values["zk-printed"] = {zero_knowledge_lower(sizes(2, 2, 1))};
  values["zk-best"] = {zero_knowledge_lower_sharp(sizes(2, 2, 1))};
  values["zk-range"] = {1600.0 / 128};
  const double kl_zero = divergence(0.5, 0.6) * 1600;  // KL(½, ½+4Δ)/Δ² at Δ = 1/40
  values["kl-zero"] = {kl_zero};
  values["zk-sharpest"] = {std::exp(-0.5) / (8 * std::sqrt(2 * kl_zero))};
  values["zk-c"] = {std::exp(-0.04) / 320 / std::sqrt(2.0)};
  values["epsilon-harmless"] = {harmless_epsilon(sizes(20, 2, 1e6))};
  values["epsilon-worthless"] = {worthless_epsilon(sizes(20, 2, 1e6))};
}

std::map<std::string, Values> computed_for_theory() {
  std::map<std::string, Values> values;
  add_tables(values);
  add_lower_bounds(values);
  add_safety(values);
  const Setting crossing = sizes(20, 2, 1e5);
  values["crossing-paper"] = {causal_crossing(crossing, CausalCoefficient::kPaper)};
  values["crossing-sharp"] = {causal_crossing(crossing, CausalCoefficient::kSharp)};
  values["pe-limit"] = {8 * (2 + std::sqrt(2.0))};
  values["pe-closed-sharp"] = {128 * (2 + std::sqrt(2.0))};
  values["pe-closed-loose"] = {192 * (2 + std::sqrt(2.0))};
  values["good-event"] = {4 * zeta(9) / std::pow(2 * std::numbers::ln2, 9)};
  values["shortfall-most"] = {3 * std::sqrt(3.0) * (1 + 2 / 1.5936)};
  values["c-prime"] = {6 * std::sqrt(2.0)};
  return values;
}

// r, warden's R_1, R_2 and their product over |A|T, sentry's R_1, R_2, ucb's.
Values promises(const Setting& s) {
  const double r1 = warden_benign_bound(s, {}), r2 = warden_any_bound(s, {});
  const RegretPair sentry = sentry_pair(s, sentry_budget(s, {}));
  return {warden_allowance(s, {}), r1, r2, r1 * r2 / (s.actions * s.horizon), sentry.r1, sentry.r2,
          ucb_pair(s).r1};
}

std::map<std::string, Values> computed_for_warden() {
  std::map<std::string, Values> values;
  values["moss-constant"] = {moss_excess(0)};
  values["watch-factor"] = {2 + 2 * std::sqrt(100.0) + 12.5 * std::exp(-0.8)};
  const double q = 12 * std::numbers::sqrt2 - 16;
  values["chord-q"] = {q};
  values["tail-factor"] = {std::pow(q, q) * std::exp(-q) + std::tgamma(q) / std::numbers::ln2};
  values["width-constant"] = {1 / 0.7225 - std::log(std::numbers::ln2)};
  values["warden-20"] = promises(sizes(20, 2, 1e6));
  values["warden-200"] = promises(sizes(200, 5, 1e7));
  values["warden-1000"] = promises(sizes(1000, 2, 1e9));
  return values;
}

// Plays and visits after which sentry's test must fire, |A| = 20, |Z| = 2, T = 10^6: paper widths,
// anytime widths, and plays where contexts are known for both.
Values notice(double gap) {
  const Setting s = sizes(20, 2, 1e6);
  SentryForm anytime;
  anytime.widths = SentryForm::Widths::kAnytime;
  const SentryNotice paper = sentry_notice(s, {}, gap);
  const SentryNotice other = sentry_notice(s, anytime, gap);
  return {paper.plays,  paper.visits,         other.plays,
          other.visits, paper.plays_at_least, other.plays_at_least};
}

// Pairs of bounds, in expectation, and R_1·R_2 in units of |A|·L_A·T.
struct Rivals {
  explicit Rivals(const Setting& setting)
      : s(setting),
        first(sentry_pair(s, s.contexts / s.actions * s.horizon)),
        spread(first),
        by_default(sentry_pair(s, sentry_budget(s, {}))),
        db(db_pair(s)),
        ucb(ucb_pair(s)) {
    SentryForm form;
    form.schedule = SentryForm::Schedule::kSpread;
    form.budget = s.contexts / s.actions * s.horizon;
    spread.r2 = sentry_any_bound(s, form, s.horizon) + 1;
    const BalancedLearner causal = {c_ucb_sharp_bound(s, 1), 1};
    const BalancedLearner other = arbitrary_learner(s);
    db_with_sharp = {std::min(db_corrected_bound(s, causal, other) + 3,
                              db_printed_benign_bound(s, causal, other) + 4),
                     db_corrected_bound(s, other, causal) + 2};
  }
  double product(RegretPair pair) const {
    return pair.r1 * pair.r2 / (s.actions * sentry_action_log(s, {}, s.horizon) * s.horizon);
  }
  // Threshold and default budget as parts of T; products of the default, a share, db.
  Values off_the_frontier() const {
    return {sentry_threshold(s) / s.horizon, sentry_budget(s, {}) / s.horizon, product(by_default),
            product(first), product(db)};
  }
  Values bounds() const { return {first.r1, first.r2, spread.r2, db.r1, db.r2, ucb.r1}; }
  Values ratios() const {
    return {product(first),
            product(spread),
            product(db),
            product(db_with_sharp),
            product(db) / product(first),
            product(db) / product(spread)};
  }

  Setting s;
  RegretPair first, spread, by_default, db, ucb;
  RegretPair db_with_sharp{};
};

std::map<std::string, Values> computed_for_sentry() {
  std::map<std::string, Values> values;
  values["notice-half"] = notice(0.5);
  values["notice-fifth"] = notice(0.2);
  values["notice-tenth"] = notice(0.1);
  values["notice-twentieth"] = notice(0.05);
  const std::map<std::string, Setting> settings = {
      {"20", sizes(20, 2, 1e6)}, {"200", sizes(200, 5, 1e7)}, {"1000", sizes(1000, 2, 1e9)}};
  for (const auto& [name, setting] : settings) {
    const Rivals rivals(setting);
    values["rivals-" + name] = rivals.bounds();
    values["ratios-" + name] = rivals.ratios();
    values["default-" + name] = rivals.off_the_frontier();
  }
  values["default-20-long"] = Rivals(sizes(20, 2, 1e10)).off_the_frontier();
  values["default-20-longest"] = Rivals(sizes(20, 2, 1e14)).off_the_frontier();
  SentryForm anytime, free;
  anytime.widths = free.widths = SentryForm::Widths::kAnytime;
  free.schedule = SentryForm::Schedule::kFree;
  const Setting s = sizes(20, 2, 1e6);
  const double t = s.horizon;
  values["with-defaults"] = {sentry_any_bound(s, anytime, t), sentry_benign_bound(s, anytime, t),
                             sentry_ucb_bound(s, anytime, t), sentry_any_bound(s, free, t)};
  for (const int power : {6, 8}) {
    const Setting at = sizes(20, 2, std::pow(10.0, power));
    const std::string end = fmt::format("-{}", power);
    values["open-anytime" + end] = {sentry_resolution(at, anytime, sentry_budget(at, anytime))};
    values["open-paper" + end] = {sentry_resolution(at, {}, sentry_budget(at, {}))};
  }
  // Howard et al., epochs of ratio 2: (2^{1/4} + 2^{-1/4})/√2·sqrt(1.4) and ζ(1.4)/(log 2)^{1.4}.
  values["stitch-width"] = {(std::pow(2, 0.25) + std::pow(2, -0.25)) / std::sqrt(2.0) *
                            std::sqrt(1.4)};
  double sum = 0;
  constexpr double kLast = 1e5;
  for (double k = kLast; k >= 1; --k) sum += std::pow(k, -1.4);
  sum += std::pow(kLast, -0.4) / 0.4 - std::pow(kLast, -1.4) / 2;  // the rest, Euler–Maclaurin
  values["stitch-level"] = {sum / std::pow(std::numbers::ln2, 1.4)};
  const double width_constant = 1 / 0.7225 - std::log(std::numbers::ln2);
  values["width-constant"] = {width_constant};
  values["one-sample-level"] = {10.4 * std::exp(-width_constant / 0.72)};
  return values;
}

std::map<std::string, Values> computed(const std::string& name) {
  return name == "theory.md"   ? computed_for_theory()
         : name == "sentry.md" ? computed_for_sentry()
                               : computed_for_warden();
}

// What is wrong with the marked numbers of a page; empty if nothing is.
std::vector<std::string> mistakes(const std::string& text,
                                  const std::map<std::string, Values>& values) {
  std::vector<std::string> wrong;
  std::set<std::string> seen;
  for (const Marked& marked : marked_numbers(text)) {
    seen.insert(marked.name);
    const auto known = values.find(marked.name);
    if (known == values.end()) {
      wrong.push_back(marked.name + ": nobody computes it");
      continue;
    }
    if (known->second.size() != marked.numbers.size()) {
      wrong.push_back(marked.name + ": another count of numbers");
      continue;
    }
    for (std::size_t i = 0; i < marked.numbers.size(); ++i)
      if (!marked.numbers[i].shows(known->second[i]))
        wrong.push_back(fmt::format("{}: {} printed, {} computed", marked.name,
                                    marked.numbers[i].digits, known->second[i]));
  }
  for (const auto& [name, numbers] : values)
    if (!seen.contains(name)) wrong.push_back(name + ": not on the page");
  return wrong;
}

TEST(TheoryPages, EveryMarkedNumberIsComputedAgain) {
  for (const char* name : kPages)
    for (const std::string& mistake : mistakes(page(name), computed(name)))
      ADD_FAILURE() << name << " " << mistake;
}

TEST(TheoryPages, NoComputedNumberIsWithoutAMarker) {
  for (const char* name : kPages)
    for (const std::string& number : unmarked_numbers(page(name)))
      ADD_FAILURE() << name << " " << number;
}

// Any digit of any marked number, changed, is noticed.
TEST(TheoryPages, AnAlteredNumberIsNoticed) {
  std::size_t count = 0;
  for (const char* name : kPages) {
    const auto values = computed(name);
    const auto marked = marked_numbers(page(name));
    count += marked.size();
    for (const Marked& entry : marked)
      for (std::size_t i = 0; i < entry.numbers.size(); ++i)
        for (std::size_t k = 0; k < entry.numbers[i].digits.size(); ++k) {
          PrintedNumber altered = entry.numbers[i];
          if (altered.digits[k] == '.') continue;
          altered.digits[k] =
              altered.digits[k] == '9' ? '8' : static_cast<char>(altered.digits[k] + 1);
          EXPECT_FALSE(altered.shows(values.at(entry.name)[i]))
              << entry.name << " " << altered.digits;
        }
  }
  EXPECT_GT(count, 40u);
  const std::string text = page("theory.md");
  const std::size_t at = text.find("0.0067013");
  ASSERT_NE(at, std::string::npos);
  std::string wrong = text;
  wrong[at + 8] = '4';
  EXPECT_EQ(mistakes(wrong, computed("theory.md")).size(), 1u);
}

TEST(TheoryPages, APageIsReadAsItsWriterMeantIt) {
  const std::string sample =
      "Theorem 3.5 has 1.5 <!-- check: a --> and 2,048\n<!-- check: b --> but 2.5, `0.05`\n"
      "| 1 | 3.30·10⁵ | 7 <!-- check: c --> |\n```\n9.75\n```\n";
  const auto marked = marked_numbers(sample);
  ASSERT_EQ(marked.size(), 3u);
  EXPECT_EQ(marked[0].numbers.at(0).digits, "1.5");
  EXPECT_EQ(marked[1].numbers.at(0).digits, "2048");
  ASSERT_EQ(marked[2].numbers.size(), 2u);
  EXPECT_EQ(marked[2].numbers[0].exponent, 5);
  EXPECT_TRUE(marked[2].numbers[0].shows(330'400));
  EXPECT_FALSE(marked[2].numbers[0].shows(331'000));
  EXPECT_EQ(unmarked_numbers(sample), std::vector<std::string>{"2.5"});
}

// A line that begins with a comment is raw HTML to readers of Markdown, and ends a paragraph.
TEST(TheoryPages, NoLineBeginsWithAMarker) {
  for (const char* name : kPages)
    for (const std::string& line : lines_of(page(name)))
      EXPECT_FALSE(std::regex_search(line, std::regex("^ *<!--"))) << line;
}

// As the usual renderers make them: small letters, blanks as hyphens, punctuation dropped.
std::string anchor(const std::string& heading) {
  std::string text;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte) || c == '-' || c == '_')
      text += static_cast<char>(byte < 0x80 ? std::tolower(byte) : byte);
    else if (c == ' ')
      text += '-';
  }
  return text;
}

std::set<std::string> anchors(const std::string& name) {
  std::set<std::string> all;
  for (const std::string& line : lines_of(without_blocks(page(name))))
    if (line.starts_with("#")) all.insert(anchor(line.substr(line.find(' ') + 1)));
  return all;
}

TEST(TheoryPages, LinksLeadSomewhere) {
  static const std::regex link(R"(\]\(([^)#]*)(?:#([^)]+))?\))");
  for (const char* name : kPages) {
    const std::string text = page(name);
    for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it) {
      const std::string target = (*it)[1].length() > 0 ? (*it)[1].str() : name;
      ASSERT_TRUE(std::filesystem::exists(ARMATURE_SOURCE_DIR "/docs/" + target)) << target;
      if ((*it)[2].matched)
        EXPECT_TRUE(anchors(target).contains((*it)[2].str())) << target << "#" << (*it)[2].str();
    }
  }
}

// "rows `a`, `b` and `c`" in the text, and the third column of the contents; a star stands for
// anything.
std::set<std::string> named_rows(const std::string& page_name) {
  std::set<std::string> rows;
  const std::string text = without_blocks(page(page_name));
  static const std::regex sentence(R"([Rr]ows?((?:,?\s+(?:and\s+)?`[a-z0-9*-]+`)+))");
  for (std::sregex_iterator it(text.begin(), text.end(), sentence), end; it != end; ++it)
    for (const std::string& name : code_spans((*it)[1].str())) rows.insert(name);
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with("| [")) continue;
    std::istringstream cells(line);
    std::string cell;
    for (int k = 0; k < 4; ++k) std::getline(cells, cell, '|');
    for (const std::string& name : code_spans(cell)) rows.insert(name);
  }
  return rows;
}

std::vector<Bound> all_rows() {
  Setting setting = sizes(20, 2, 1e6);
  setting.gap = 0.02;
  setting.epsilon = 0.01;
  return bounds(setting);
}

TEST(WardenPage, RowsAreItsOwnInTheTableOfBounds) {
  std::set<std::string> own;
  for (const Bound& bound : all_rows())
    if (bound.name.starts_with("warden-")) own.insert(bound.name);
  EXPECT_EQ(named_rows("warden.md"), own);
}

TEST(TheoryPage, RowsAreThoseOfTheTableOfBounds) {
  const std::set<std::string> named = named_rows("theory.md");
  std::set<std::string> met;
  for (const Bound& bound : all_rows()) {
    bool found = false;
    for (const std::string& name : named) {
      const std::regex pattern(std::regex_replace(name, std::regex(R"(\*)"), ".*"));
      if (!std::regex_match(bound.name, pattern)) continue;
      found = true;
      met.insert(name);
    }
    EXPECT_TRUE(found) << bound.name << " is not explained";
  }
  EXPECT_EQ(met, named) << "rows that do not exist";
}

TEST(TheoryPages, FilesAndTestsExist) {
  std::string sources;
  for (const SourceFile& file : files_under("tests", {"_test.cpp"}))
    for (const std::string& line : file.lines) sources += line + "\n";
  const std::filesystem::path root = ARMATURE_SOURCE_DIR;
  static const std::regex test_name(R"(([A-Z][A-Za-z]+)\.([A-Z][A-Za-z]+))");
  int tests = 0;
  std::vector<std::string> spans;
  for (const char* name : kPages)
    for (const std::string& span : code_spans(page(name))) spans.push_back(span);
  for (const std::string& span : spans) {
    std::smatch parts;
    if (std::regex_match(span, parts, test_name)) {
      ++tests;
      const std::string head = "(" + parts[1].str() + ", " + parts[2].str();
      EXPECT_TRUE(sources.find(head + ")") != std::string::npos ||
                  sources.find(head + ", ()") != std::string::npos)
          << span;
    } else if (span.ends_with("_test.cpp") && !span.starts_with("tests/")) {
      EXPECT_TRUE(std::filesystem::exists(root / "tests" / span)) << span;
    } else if (span.find('/') != std::string::npos && span.find(' ') == std::string::npos) {
      EXPECT_TRUE(std::filesystem::exists(root / span)) << span;
    }
  }
  EXPECT_GT(tests, 20);
}

// The items of the paper, in its order, each with a heading of its own.
TEST(TheoryPage, EveryItemOfThePaperHasItsHeading) {
  const std::string text = page("theory.md");
  std::size_t at = 0;
  for (const char* item :
       {"Definition 2.1", "Remark 2.2",      "Definition 3.1",  "Theorem 3.2",   "Algorithm 1",
        "Definition 3.3", "Proposition 3.4", "Theorem 3.5",     "Corollary 3.6", "Theorem 3.7",
        "Algorithm 2",    "Theorem 4.1",     "Corollary 4.2",   "Theorem 4.3",   "Remark 4.4",
        "Section 4.3",    "Definition 5.1",  "Theorem 5.2",     "Remark 5.3",    "Definition 5.4",
        "Theorem 5.5",    "Proposition A.1", "Proposition A.2", "Lemma B.1",     "Lemma B.2",
        "Lemma B.3",      "Corollary B.4",   "Lemma C.1",       "Lemma C.2",     "Theorem C.3",
        "Theorem C.4",    "Proposition E.1"}) {
    const std::size_t heading = text.find("\n### " + std::string(item) + ":", at);
    ASSERT_NE(heading, std::string::npos) << item;
    EXPECT_NE(text.find("| [" + std::string(item) + "](#"), std::string::npos)
        << item << " is not in the contents";
    at = heading;
  }
}

}  // namespace
}  // namespace armature::test
