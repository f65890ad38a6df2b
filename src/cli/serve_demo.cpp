#include "cli/serve_demo.h"

#include <algorithm>
#include <chrono>
#include <future>

#include "armature/random.h"

namespace armature::cli {
namespace {

// Nobody's own: what the crowd does must never go into an experiment that somebody needs.
constexpr const char* kName = "demo-mail";
constexpr std::chrono::milliseconds kMoment{100};
constexpr std::size_t kMailsAMoment = 4;
constexpr double kNeverSeen = 0.1;  // of mails: nobody ever reports on them
constexpr double kPatience = 30;    // moments until a user comes back, on average
constexpr std::uint64_t kSeed = 20;

// Who clicks usually buys; but "last-chance" makes nearly everybody click, and few of them buy.
Instance demo_world() {
  constexpr double kSeen[4][3] = {
      {0.70, 0.20, 0.10}, {0.45, 0.30, 0.25}, {0.50, 0.30, 0.20}, {0.10, 0.20, 0.70}};
  constexpr double kBought[4][3] = {
      {0.02, 0.10, 0.90}, {0.02, 0.10, 0.90}, {0.02, 0.10, 0.90}, {0.01, 0.02, 0.05}};
  Matrix marginals(4, 3);
  std::vector<RewardLaw> laws;
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t z = 0; z < 3; ++z) {
      marginals(a, z) = kSeen[a][z];
      laws.push_back(RewardLaw::bernoulli(kBought[a][z]));
    }
  Instance::Parts parts = Instance::general("mail", std::move(marginals), laws);
  parts.action_names = {"plain", "coupon", "bundle", "last-chance"};
  parts.context_names = {"ignored", "opened", "clicked"};
  return Instance(std::move(parts));
}

service::Create demo_experiment(const Instance& world) {
  service::Creation creation;
  creation.facts.name = kName;
  creation.facts.seed = kSeed;
  creation.facts.settings.deadline = 20 * service::kSecond;
  creation.facts.settings.fallback = "plain";
  creation.facts.settings.floor = 0.02;
  creation.problem = world.problem(100'000);
  creation.policy = "sentry:schedule=spread";
  return {std::move(creation)};
}

}  // namespace

DemoCrowd::DemoCrowd(service::Service& service)
    : service_(service),
      world_(demo_world()),
      tables_(world_),
      users_(tables_, kSeed, 0),
      habits_({kSeed, 1, Purpose::kFeedback}) {
  // Refused where there is another one of this name; ours goes on where it was.
  const service::Answer answer = service_.ask(demo_experiment(world_));
  if (const auto* refusal = std::get_if<service::Refusal>(&answer)) throw *refusal;
  if (!std::get<service::Created>(answer).repeated)
    service_.ask(service::AddShadow{kName, "c-ucb"});
  thread_ = std::thread([this] { live(); });
}

DemoCrowd::~DemoCrowd() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void DemoCrowd::live() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kMoment, [this] { return stopping_; })) {
    lock.unlock();
    ++moment_;
    come_back();
    send_mails();
    lock.lock();
  }
}

std::vector<service::Answer> DemoCrowd::ask_all(std::vector<service::Request> requests) {
  std::promise<std::vector<service::Answer>> answers;
  service_.submit_all(std::move(requests), [&](std::vector<service::Answer> told) {
    answers.set_value(std::move(told));
  });
  return answers.get_future().get();
}

void DemoCrowd::send_mails() {
  for (const service::Answer& answer :
       ask_all(std::vector<service::Request>(kMailsAMoment, service::Decide{kName, "", ""}))) {
    const auto* decided = std::get_if<service::Decided>(&answer);
    if (decided == nullptr) continue;  // paused without a fallback, full, stopping: another time
    // By name: somebody may have opened an epoch with other actions, which this crowd never saw.
    const auto& mails = world_.parts().action_names;
    const auto mail = std::find(mails.begin(), mails.end(), decided->action);
    if (mail == mails.end()) continue;
    const Outcome outcome = users_.play(static_cast<Arm>(mail - mails.begin()));
    if (bernoulli(habits_, kNeverSeen)) continue;
    const auto wait = static_cast<std::uint64_t>(kPatience * 2 * habits_.open_uniform());
    coming_back_.emplace(moment_ + 1 + wait, Mail{decided->decision, outcome});
  }
}

// First what was seen, a little later what came of it: most services learn of them apart.
void DemoCrowd::come_back() {
  std::vector<service::Request> reports;
  while (!coming_back_.empty() && coming_back_.begin()->first <= moment_) {
    Mail mail = std::move(coming_back_.begin()->second);
    coming_back_.erase(coming_back_.begin());
    if (mail.seen_told) {
      reports.push_back(service::Report{kName, mail.decision, std::nullopt, mail.outcome.reward});
      continue;
    }
    reports.push_back(service::Report{
        kName, mail.decision, world_.parts().context_names[mail.outcome.context], std::nullopt});
    mail.seen_told = true;
    coming_back_.emplace(moment_ + 5, std::move(mail));
  }
  if (!reports.empty()) ask_all(std::move(reports));
}

}  // namespace armature::cli
