#include "figures/share.h"

#include <algorithm>

namespace armature::figures {
namespace {

std::vector<std::string> learners_of(const ShareFigure& input) {
  std::vector<std::string> names;
  for (const SharePanel& panel : input.panels)
    for (const LearnerShare& learner : panel.learners)
      if (std::find(names.begin(), names.end(), learner.learner) == names.end())
        names.push_back(learner.learner);
  return names;
}

Json panel_spec(SharePanel panel, const Json& colours, const PanelSize& size) {
  const Axis across = labelled_across(exact("round t", Scale::kLog, panel.rounds), size.width);
  // An area over one round would not be seen: it fills the axis.
  if (panel.rounds.size() == 1) {
    panel.rounds = {across.low, across.high};
    for (LearnerShare& learner : panel.learners) learner.share.resize(2, learner.share.front());
  }
  Json rows = Json::array();
  for (std::size_t l = 0; l < panel.learners.size(); ++l)
    for (std::size_t i = 0; i < panel.rounds.size(); ++i)
      rows.push_back({{"learner", panel.learners[l].learner},
                      {"order", l},
                      {"round", panel.rounds[i]},
                      {"share", panel.learners[l].share[i]}});
  const Axis up{"share of plays", Scale::kLinear, 0, 1};
  Json y = along(up, "share");
  y["stack"] = "zero";
  y["axis"]["format"] = "%";
  y["axis"].erase("labelExpr");
  y["axis"]["values"] = {0, 0.5, 1};
  // Titles are long, a policy's name and a world's: broken early, they keep out of their
  // neighbours.
  const PanelSize narrow{size.width - 50, size.height, size.columns};
  return {{"title", panel_title(panel.title, narrow)},
          {"width", size.width},
          {"height", size.height},
          {"data", {{"values", std::move(rows)}}},
          {"mark", {{"type", "area"}, {"opacity", 0.85}, {"line", false}, {"clip", true}}},
          {"encoding",
           {{"x", along(across, "round")},
            {"y", y},
            {"order", {{"field", "order"}, {"type", "quantitative"}}},
            {"color", colours},
            {"tooltip",
             {shown_text("learner", "learner"), shown_number("round", "round"),
              shown_number("share", "share of plays")}}}}};
}

}  // namespace

Figure share_figure(const ShareFigure& input) {
  PanelSize size = panel_size(input.panels.size());
  size.height *= 0.7;  // a share needs less height than a regret
  constexpr std::size_t kMostPerRow = 4;
  if (input.panels.size() > input.per_row && input.per_row > 1 && input.per_row <= kMostPerRow)
    size.columns = input.per_row;
  const Json colours = area_looks(input.learners, learners_of(input), "learner");
  std::vector<Json> panels;
  for (const SharePanel& panel : input.panels) panels.push_back(panel_spec(panel, colours, size));
  return assemble(input.heading, std::move(panels), size);
}

}  // namespace armature::figures
