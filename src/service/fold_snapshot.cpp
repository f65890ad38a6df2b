// The fold as bytes, and back.
#include <fmt/format.h>

#include "service/fold.h"

namespace armature::service {
namespace {

constexpr const char* kOwner = "service fold";

// Texts one after the other, each after its length: a state has no lists of texts.
void add_text(std::string& all, const std::string& text) {
  all += fmt::format("{}:", text.size());
  all += text;
}
std::vector<std::string> texts_in(std::string_view all) {
  std::vector<std::string> texts;
  while (!all.empty()) {
    const std::size_t colon = all.find(':');
    std::size_t size = 0;
    for (const char c : all.substr(0, colon)) size = size * 10 + static_cast<std::size_t>(c - '0');
    if (colon == std::string_view::npos || size > all.size() - colon - 1)
      throw Error({"", "saved texts", "a length that does not fit", "what this program saved"});
    texts.emplace_back(all.substr(colon + 1, size));
    all.remove_prefix(colon + 1 + size);
  }
  return texts;
}

}  // namespace

// What is saved: one field list for saving, loading and digests. Keys are left out, for there may
// be a million of them; they are read from the log.
struct Fold::Saved {
  struct Open {
    std::uint64_t seq;
    std::uint32_t action;
    std::uint32_t epoch;
    std::uint64_t round;
    std::uint64_t decided;
    std::uint32_t reported;  // 1: a context, 2: a reward, 3: both
    std::uint32_t context;
    double reward;
  };
  struct Amended {
    std::uint64_t decision;
    std::uint32_t reported;
    std::uint32_t context;
    double reward;
  };
  std::uint64_t last_seq = 0;
  std::uint64_t last_time = 0;
  std::uint64_t epochs = 0;
  std::uint64_t state = 0;
  std::string state_reason;
  bool quarantined = false;
  std::string quarantine_reason;
  std::string build;
  std::vector<Open> open;
  std::vector<Amended> amended;
  std::uint64_t decisions = 0;
  std::uint64_t learned = 0;
  std::uint64_t forgotten = 0;
  std::uint64_t late = 0;
  std::uint64_t fallbacks = 0;
  std::uint64_t amended_since_epoch = 0;
  std::vector<std::uint64_t> decided;
  std::vector<Rewards> cells;
  std::vector<std::uint64_t> delays;
  History history;
  std::uint64_t shadows_ever = 0;
  std::string shadows;  // texts, one after the other
  bool has_book = false;
  std::string book;

  StateVisit fields() {
    return [this](StateVisitor& visitor) {
      visitor.field("last_seq", last_seq);
      visitor.field("last_time", last_time);
      visitor.field("epochs", epochs);
      visitor.field("state", state);
      visitor.field("state_reason", state_reason);
      visitor.field("quarantined", quarantined);
      visitor.field("quarantine_reason", quarantine_reason);
      visitor.field("build", build);
      visitor.list("open", open, [](ItemVisitor& part, Open& one) {
        part.field("seq", one.seq);
        part.field("action", one.action);
        part.field("epoch", one.epoch);
        part.field("round", one.round);
        part.field("decided", one.decided);
        part.field("reported", one.reported);
        part.field("context", one.context);
        part.field("reward", one.reward);
      });
      visitor.list("amended", amended, [](ItemVisitor& part, Amended& one) {
        part.field("decision", one.decision);
        part.field("reported", one.reported);
        part.field("context", one.context);
        part.field("reward", one.reward);
      });
      visitor.field("decisions", decisions);
      visitor.field("learned", learned);
      visitor.field("forgotten", forgotten);
      visitor.field("late", late);
      visitor.field("fallbacks", fallbacks);
      visitor.field("amended_since_epoch", amended_since_epoch);
      visitor.list("decided", decided);
      visitor.list("cells", cells, [](ItemVisitor& part, Rewards& one) {
        part.field("learned", one.learned);
        part.field("rewards", one.rewards);
        part.field("squares", one.squares);
      });
      visitor.list("delays", delays);
      history.visit_state(visitor);
      visitor.field("shadows_ever", shadows_ever);
      visitor.field("shadows", shadows);
      visitor.field("has_book", has_book);
      visitor.field("book", book);
    };
  }

  static std::uint32_t reported_parts(const std::optional<Context>& context,
                                      const std::optional<double>& reward) {
    return (context ? 1U : 0U) | (reward ? 2U : 0U);
  }
};

Fold::Saved Fold::saved() const {
  Saved saved;
  saved.last_seq = last_seq_;
  saved.last_time = static_cast<std::uint64_t>(last_time_);
  saved.epochs = epochs_.size();
  saved.state = static_cast<std::uint64_t>(state_);
  saved.state_reason = state_reason_;
  saved.quarantined = quarantined_;
  saved.quarantine_reason = quarantine_reason_;
  saved.build = build_;
  saved.open.reserve(open_.size());
  for (const auto& [seq, open] : open_)
    saved.open.push_back({seq, open.action, open.epoch, open.round,
                          static_cast<std::uint64_t>(open.decided),
                          Saved::reported_parts(open.context, open.reward),
                          open.context.value_or(0), open.reward.value_or(0)});
  for (const auto& [decision, one] : amendments_)
    saved.amended.push_back({decision, Saved::reported_parts(one.context, one.reward),
                             one.context.value_or(0), one.reward.value_or(0)});
  saved.decisions = decisions_;
  saved.learned = learned_;
  saved.forgotten = forgotten_;
  saved.late = late_;
  saved.fallbacks = fallbacks_;
  saved.amended_since_epoch = amended_since_epoch_;
  saved.decided = decided_;
  saved.cells = cells_;
  saved.delays = delays_;
  saved.history = history_;
  saved.shadows_ever = shadows_ever_;
  for (const Shadow& shadow : shadows_) add_text(saved.shadows, shadow.save());
  saved.has_book = book_.has_value();
  if (book_) saved.book = book_->save();
  return saved;
}

Snapshot Fold::snapshot() const {
  Saved now = saved();
  return {last_seq_, state_digest(now.fields()), false, save_state(kOwner, now.fields())};
}

std::uint64_t Fold::digest() const {
  Saved now = saved();
  return state_digest(now.fields());
}

Fold Fold::load(ExperimentFacts facts, LogReader& log, ExperimentId id, const Snapshot& snapshot,
                Policy policy) {
  Fold fold(std::move(facts), log, id, policy);
  for (const auto& epoch : log.epochs(id))
    if (epoch->first <= snapshot.seq) fold.add_epoch(epoch);
  Saved saved;
  saved.history = fold.history_;  // as wide as there are actions
  load_state(kOwner, snapshot.state, saved.fields());
  const std::uint64_t read = state_digest(saved.fields());
  const bool as_saved = fold.take(std::move(saved));
  if (fold.last_seq_ != snapshot.seq || read != snapshot.digest ||
      (as_saved && fold.digest() != snapshot.digest))
    throw Error({"", "snapshot", "another digest", "the one it was stored with"});
  fold.load_keys();
  return fold;
}

bool Fold::take(Saved&& saved) {
  const auto require = [](bool fits, const char* what) {
    if (!fits) throw Error({"", "snapshot", what, "one this program saved"});
  };
  require(saved.epochs == epochs_.size() && saved.epochs > 0, "other epochs");
  require(saved.state <= static_cast<std::uint64_t>(ExperimentState::kFinished), "no state");
  require(saved.decided.size() == actions_.size(), "other actions");
  require(saved.cells.size() == cells_.size(), "other cells");
  require(saved.delays.size() == kDelayBuckets, "other delays");
  last_seq_ = saved.last_seq;
  last_time_ = static_cast<Time>(saved.last_time);
  state_ = static_cast<ExperimentState>(saved.state);
  state_reason_ = std::move(saved.state_reason);
  quarantined_ = saved.quarantined;
  quarantine_reason_ = std::move(saved.quarantine_reason);
  build_ = std::move(saved.build);
  for (const Saved::Open& one : saved.open) {
    require(one.epoch >= 1 && one.epoch <= epochs_.size() &&
                one.action < epochs_[one.epoch - 1]->problem.actions() &&
                one.context < epochs_[one.epoch - 1]->problem.contexts(),
            "decisions that were never made");
    OpenDecision open;
    open.action = one.action;
    open.epoch = one.epoch;
    if (policy_ == Policy::kAtWork) open.round = one.round;
    open.decided = static_cast<Time>(one.decided);
    if ((one.reported & 1) != 0) open.context = one.context;
    if ((one.reported & 2) != 0) open.reward = one.reward;
    waiting_ += open.waiting() ? 1 : 0;
    open_.emplace_hint(open_.end(), one.seq, open);
  }
  for (const Saved::Amended& one : saved.amended) {
    Amendment& amendment = amendments_[one.decision];
    if ((one.reported & 1) != 0) amendment.context = one.context;
    if ((one.reported & 2) != 0) amendment.reward = one.reward;
  }
  decisions_ = saved.decisions;
  learned_ = saved.learned;
  forgotten_ = saved.forgotten;
  late_ = saved.late;
  fallbacks_ = saved.fallbacks;
  amended_since_epoch_ = saved.amended_since_epoch;
  decided_ = std::move(saved.decided);
  cells_ = std::move(saved.cells);
  delays_ = std::move(saved.delays);
  history_ = std::move(saved.history);
  shadows_ever_ = static_cast<std::uint32_t>(saved.shadows_ever);
  bool shadows_as_saved = true;
  for (const std::string& text : texts_in(saved.shadows)) {
    shadows_.push_back(Shadow::load(text, epoch().problem));
    shadows_as_saved = shadows_as_saved && shadows_.back().save() == text;
  }
  if (policy_ == Policy::kNone) return false;
  if (saved.has_book) {
    book_.emplace(DecisionBook::load(saved.book, epoch().problem));
    witnesses_ = book_->session().policy().witness_obstacle().empty();
  }
  return shadows_as_saved;
}

void Fold::load_keys() {
  log_->walk_keys(id_, last_seq_, [&](const KeyedDecision& keyed) {
    return keys_.add_older(keyed.key, keyed.seq, keyed.time);
  });
}

}  // namespace armature::service
