// All players, and the way from a kind that is known at run time to the type that plays it.
#pragma once

#include <variant>

#include "cuda/players/balancing.h"
#include "cuda/players/causal.h"
#include "cuda/players/hac_ucb.h"
#include "cuda/players/index.h"
#include "cuda/players/sentry.h"
#include "cuda/players/trivial.h"
#include "cuda/players/warden.h"

namespace armature::cuda {

enum class Kind {
  kFixed,
  kRoundRobin,
  kUniform,
  kIndex20,
  kIndex32,
  kIndex1024,
  kCausal,
  kBalancing20,
  kBalancing1024,
  kSentry20,
  kSentry1024,
  kWarden20,
  kWarden1024,
  kHacUcb20,
  kHacUcb1024,
};
using Setting =
    std::variant<FixedSetting, RoundRobinSetting, UniformSetting, IndexSetting, CausalSetting,
                 BalancingSetting, SentrySetting, WardenSetting, HacUcbSetting>;

template <template <class> class Player_>
struct PlayerOf {
  template <class Machine>
  using Player = Player_<Machine>;
};

/// act(PlayerOf<…>{}) with the player of this kind.
template <class Act>
auto with_player(Kind kind, const Act& act) {
  switch (kind) {
    case Kind::kFixed:
      return act(PlayerOf<FixedPlayer>{});
    case Kind::kRoundRobin:
      return act(PlayerOf<RoundRobinPlayer>{});
    case Kind::kUniform:
      return act(PlayerOf<UniformPlayer>{});
    case Kind::kIndex20:
      return act(PlayerOf<IndexPlayer20>{});
    case Kind::kIndex32:
      return act(PlayerOf<IndexPlayer32>{});
    case Kind::kIndex1024:
      return act(PlayerOf<IndexPlayer1024>{});
    case Kind::kBalancing20:
      return act(PlayerOf<BalancingPlayer20>{});
    case Kind::kBalancing1024:
      return act(PlayerOf<BalancingPlayer1024>{});
    case Kind::kSentry20:
      return act(PlayerOf<SentryPlayer20>{});
    case Kind::kSentry1024:
      return act(PlayerOf<SentryPlayer1024>{});
    case Kind::kWarden20:
      return act(PlayerOf<WardenPlayer20>{});
    case Kind::kWarden1024:
      return act(PlayerOf<WardenPlayer1024>{});
    case Kind::kHacUcb20:
      return act(PlayerOf<HacUcbPlayer20>{});
    case Kind::kHacUcb1024:
      return act(PlayerOf<HacUcbPlayer1024>{});
    case Kind::kCausal:
      break;
  }
  return act(PlayerOf<CausalPlayer>{});
}

}  // namespace armature::cuda
