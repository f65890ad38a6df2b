#include "study/figure_kinds.h"

#include "armature/error.h"

// One row per kind of figure. The reason why there is nothing to show reaches the reader only where
// a study asked for the kind by name: of the kinds drawn by default it goes without saying.
namespace armature {

const std::vector<FigureFacts>& figure_kinds() {
  // A key stands only with the kinds that have a use for it; with any other it is refused, not
  // ignored.
  static const std::vector<FigureFacts> table = {
      {FigureKind::kRegret, "regret", {"scale", "theory"}, "no policy has any regret"},
      {FigureKind::kFinal,
       "final",
       {"x", "scale", "theory"},
       "it needs two horizons, or a number that is varied"},
      {FigureKind::kRatio, "ratio", {}, "no two policies met in one world"},
      {FigureKind::kBox, "box", {}, "no replication is finished"},
      {FigureKind::kShare,
       "share",
       {},
       "no policy here balances base learners, or their shares were not recorded"},
      {FigureKind::kPulls, "pulls", {}, "no replication is finished"},
      {FigureKind::kPlane,
       "plane",
       {},
       "no policy has regret in a benign and in a worst-case instance of one size"},
      {FigureKind::kTime, "time", {}, "published results keep no computing times"},
  };
  return table;
}

const FigureFacts& facts_of(FigureKind kind) {
  for (const FigureFacts& facts : figure_kinds())
    if (facts.kind == kind) return facts;
  ARMATURE_CHECK(false, "every kind of figure has its facts");
  return figure_kinds().front();
}

std::vector<FigureRequest> figures_asked_for(const Study& study) {
  if (!study.figures.empty()) return study.figures;
  std::vector<FigureRequest> all;
  for (const FigureFacts& facts : figure_kinds()) all.push_back({.kind = facts.kind});
  return all;
}

}  // namespace armature
