#include "service/shadow.h"

namespace armature::service {
namespace {

constexpr const char* kOwner = "service shadow";
// Epochs count upwards from 1, shadows from here: no two share a stream.
constexpr std::uint32_t kFirstReplication = std::uint32_t{1} << 31;

}  // namespace

// What it was doing is half done: its session is thrown away. Not caught is what another time would
// go well (memory that ran out): it would not fail again in replay.
template <class Work>
void Shadow::guarded(const Work& work) {
  if (!failure_.empty()) return;
  try {
    work();
  } catch (const Error& error) {
    fail(error.what());
  } catch (const CheckFailure& failure) {
    fail(failure.what());
  }
}

void Shadow::fail(const std::string& why) {
  failure_ = why.empty() ? "failed" : why;
  session_.reset();
  own_.clear();
  asked_ = agreed_ = 0;
}

void Shadow::begin(PolicySession session) {
  session_.emplace(std::move(session));
  policy_ = session_->policy().text();
  witnesses_ = session_->policy().witness_obstacle().empty();
}

Shadow::Shadow(const std::string& policy, const Problem& problem, std::uint64_t seed,
               std::uint32_t number)
    : policy_(policy), number_(number) {
  guarded([&] { begin(PolicySession(policy, problem, seed, kFirstReplication + number)); });
}

void Shadow::teach(Arm action, Outcome outcome) {
  guarded([&] {
    if (witnesses_) return session_->witness(action, outcome);
    const Decision own = session_->choose();
    if (own.arm == action)
      session_->observe(own, outcome);
    else
      session_->forget(own);
  });
}

void Shadow::decided(Sequence decision, Arm action) {
  guarded([&] {
    const Decision own = session_->choose();
    ++asked_;
    const bool agrees = own.arm == action;
    agreed_ += agrees ? 1 : 0;
    if (agrees && !witnesses_)
      own_.emplace_hint(own_.end(), decision, own);
    else
      session_->forget(own);
  });
}

void Shadow::learned(Sequence decision, std::optional<Arm> action, Outcome outcome) {
  guarded([&] {
    if (witnesses_) {
      if (action) session_->witness(*action, outcome);
    } else if (const auto own = own_.find(decision); own != own_.end()) {
      session_->observe(own->second, outcome);
      own_.erase(own);
    }
  });
}

void Shadow::forgotten(Sequence decision) {
  guarded([&] {
    const auto own = own_.find(decision);
    if (own == own_.end()) return;
    session_->forget(own->second);
    own_.erase(own);
  });
}

// Looking and saving change nothing, so who cannot be shown is at work nevertheless; but it is
// told.
ShadowSummary Shadow::summary() const {
  ShadowSummary summary{policy_, asked_, agreed_, {}, failure_};
  if (!session_) return summary;
  try {
    summary.diagnostics = session_->policy().diagnostics();
  } catch (const Error& error) {
    summary.failure = error.what();
  } catch (const CheckFailure& failure) {
    summary.failure = failure.what();
  }
  return summary;
}

struct Shadow::Saved {
  struct Own {
    Sequence decision;
    Arm arm;
    std::uint64_t ticket;
  };
  std::string policy;
  std::uint64_t number = 0;
  std::string failure;
  std::uint64_t asked = 0;
  std::uint64_t agreed = 0;
  std::vector<Own> own;  // by decision
  std::string session;

  StateVisit fields() {
    return [this](StateVisitor& visitor) {
      visitor.field("policy", policy);
      visitor.field("number", number);
      visitor.field("failure", failure);
      visitor.field("asked", asked);
      visitor.field("agreed", agreed);
      visitor.list("own", own, [](ItemVisitor& part, Own& one) {
        part.field("decision", one.decision);
        part.field("arm", one.arm);
        part.field("ticket", one.ticket);
      });
      visitor.field("session", session);
    };
  }
};

std::string Shadow::save() const {
  Saved saved{policy_, number_, failure_, asked_, agreed_, {}, ""};
  if (session_) try {
      saved.session = session_->save();
      for (const auto& [decision, own] : own_) saved.own.push_back({decision, own.arm, own.ticket});
    } catch (const CheckFailure& failure) {
      saved = {policy_, number_, failure.what(), 0, 0, {}, ""};
    }
  return save_state(kOwner, saved.fields());
}

Shadow Shadow::load(std::string_view bytes, const Problem& problem) {
  Saved saved;
  load_state(kOwner, bytes, saved.fields());
  Shadow shadow;
  shadow.policy_ = saved.policy;
  shadow.number_ = static_cast<std::uint32_t>(saved.number);
  shadow.failure_ = saved.failure;
  shadow.asked_ = saved.asked;
  shadow.agreed_ = saved.agreed;
  shadow.guarded([&] {
    shadow.begin(PolicySession::load(saved.session, problem));
    for (const Saved::Own& one : saved.own)
      shadow.own_.emplace_hint(shadow.own_.end(), one.decision, Decision{one.arm, one.ticket});
    if (shadow.own_.size() != shadow.session_->outstanding())
      throw Error({"", "saved shadow", "decisions that were never made", "one this program saved"});
  });
  return shadow;
}

}  // namespace armature::service
