#include "figures/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/mathematics.h"

namespace armature::figures {
namespace {

constexpr double kMostDecades = 8;  // of a logarithmic axis: more would press all differences flat
constexpr double kMargin = 0.04;    // of an axis's length, at its ends
constexpr double kNarrowest = 1.1;  // ratio of the ends of a logarithmic axis, at least
constexpr double kFarApart =
    20;  // ratio from which a logarithmic axis shows more than a linear one
constexpr std::size_t kFewValues = 8;          // have ticks of their own
constexpr double kLetter = 7, kLetterGap = 9;  // pixels of a label, and between two

double bent(const Axis& axis, double value) {
  switch (axis.scale) {
    case Scale::kLog:
      return portable::log10(value);
    case Scale::kSymlog:
      return std::copysign(portable::log1p(std::abs(value) / axis.constant), value);
    case Scale::kLinear:
      break;
  }
  return value;
}

double unbent(const Axis& axis, double value) {
  switch (axis.scale) {
    case Scale::kLog:
      return portable::pow(10, value);
    case Scale::kSymlog:
      return std::copysign(axis.constant * (portable::exp(std::abs(value)) - 1), value);
    case Scale::kLinear:
      break;
  }
  return value;
}

std::string superscript(int number) {
  static const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number))) text += digits[digit - '0'];
  return text;
}

// 0, 0.5, 1: about four steps of 1, 2 or 5 times a power of ten.
std::vector<double> linear_ticks(double low, double high) {
  const double raw = (high - low) / 4;
  const double power = portable::pow(10, std::floor(portable::log10(raw)));
  const double lead = raw / power;
  const double step = (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
  std::vector<double> values;
  const double first = std::ceil(low / step - 1e-9);
  constexpr int kMost = 20;  // beyond 2^53 steps, adding one to a double changes nothing
  for (int i = 0; i < kMost && (first + i) * step <= high + 1e-9 * step; ++i)
    values.push_back(first + i == 0 ? 0 : (first + i) * step);  // never -0
  return values;
}

// Every power of ten times these.
std::vector<double> multiples(double low, double high, const std::vector<double>& leads) {
  const int first = static_cast<int>(std::floor(portable::log10(low) - 1e-9));
  const int last = static_cast<int>(std::floor(portable::log10(high) + 1e-9));
  std::vector<double> values;
  for (int k = first; k <= last; ++k)
    for (const double lead : leads)
      if (const double value = lead * portable::pow(10, k);
          value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
        values.push_back(value);
  return values;
}

// Powers of ten; where there is hardly one, 2 and 5 times as well; where there are many, some.
std::vector<double> log_ticks(double low, double high) {
  const int first = static_cast<int>(std::ceil(portable::log10(low) - 1e-9));
  const int last = static_cast<int>(std::floor(portable::log10(high) + 1e-9));
  std::vector<double> values;
  if (last - first >= 2) {
    const int stride = (last - first) / 6 + 1;
    for (int k = first; k <= last; k += stride) values.push_back(portable::pow(10, k));
    return values;
  }
  for (const std::vector<double>& leads : {std::vector<double>{1, 2, 5}, {1, 2, 3, 4, 6, 8}}) {
    values = multiples(low, high, leads);
    if (values.size() >= 3) break;
  }
  // Within less than a step of those, any axis is as good as linear.
  return values.size() >= 2 ? values : linear_ticks(low, high);
}

bool is_power_of_ten(double value) {
  const double exponent = portable::log10(value);
  return value > 0 && std::abs(exponent - std::round(exponent)) < 1e-9;
}

std::string with_power(double value) {
  const int exponent = static_cast<int>(std::floor(portable::log10(std::abs(value)) + 1e-12));
  const std::string lead = fmt::format("{:.3g}", value / portable::pow(10, exponent));
  return (lead == "1" ? "" : lead + "·") + "10" + superscript(exponent);
}

std::string plain(double value) {
  if (std::abs(value) >= 1e9) return with_power(value);
  if (std::abs(value) >= 1e6) return fmt::format("{:.4g}M", value / 1e6);
  if (std::abs(value) >= 1e4) return fmt::format("{:.4g}k", value / 1e3);
  return fmt::format("{:.4g}", value);
}

double letters(const std::string& text) {
  return static_cast<double>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;  // of UTF-8, what begins a letter
  }));
}

// The stretch of kMostDecades with the most of these logarithms, the upper one of equals.
std::pair<double, double> fullest_stretch(std::vector<double> logarithms) {
  std::sort(logarithms.begin(), logarithms.end());
  std::size_t first = 0, best_first = 0, best_last = 0;
  for (std::size_t last = 0; last < logarithms.size(); ++last) {
    while (logarithms[last] - logarithms[first] > kMostDecades) ++first;
    if (last - first >= best_last - best_first) best_first = first, best_last = last;
  }
  return {logarithms[best_first], logarithms[best_last]};
}

}  // namespace

Axis exact(std::string title, Scale scale, const std::vector<double>& values) {
  Axis axis{std::move(title), scale, 0, 1};
  std::vector<double> shown;
  for (const double value : values)
    if (std::isfinite(value) && (scale != Scale::kLog || value > 0)) shown.push_back(value);
  if (shown.empty()) return scale == Scale::kLog ? Axis{axis.title, scale, 1, 10} : axis;
  const auto [least, most] = std::minmax_element(shown.begin(), shown.end());
  axis.low = *least;
  axis.high = *most;
  if (axis.high > axis.low) return axis;
  if (scale == Scale::kLog) return {axis.title, scale, axis.low / 2, axis.high * 2};
  if (axis.low == 0) return {axis.title, scale, 0, 1};
  const double around = std::abs(axis.low) / 2;
  return {axis.title, scale, axis.low - around, axis.high + around};
}

Axis fitted(std::string title, Scale scale, const std::vector<double>& values) {
  Axis axis = exact(std::move(title), scale, values);
  if (scale == Scale::kLog && portable::log10(axis.high / axis.low) > kMostDecades) {
    std::vector<double> logarithms;
    for (const double value : values)
      if (std::isfinite(value) && value > 0) logarithms.push_back(portable::log10(value));
    const auto [low, high] = fullest_stretch(std::move(logarithms));
    axis.low = portable::pow(10, low);
    axis.high = portable::pow(10, high);
  }
  if (scale == Scale::kLog && axis.high < kNarrowest * axis.low) {
    axis.low /= kNarrowest;
    axis.high *= kNarrowest;
  }
  if (scale != Scale::kLog && axis.low > 0) axis.low = 0;
  const Axis tight = axis;
  axis.high = value_at(tight, 1 + kMargin);
  if (scale == Scale::kLog || axis.low < 0) axis.low = value_at(tight, -kMargin);
  return axis;
}

std::vector<PanelAxis> shared(const std::string& title, Scale scale,
                              const std::vector<std::vector<double>>& values, double least_filled) {
  std::vector<double> all;
  for (const std::vector<double>& panel : values) all.insert(all.end(), panel.begin(), panel.end());
  const Axis common = fitted(title, scale, all);
  std::vector<PanelAxis> axes;
  for (const std::vector<double>& panel : values) {
    double least = INFINITY, most = -INFINITY;
    for (const double value : panel) {
      if (side_of(common, value) != 0) continue;
      least = std::min(least, value);
      most = std::max(most, value);
    }
    if (scale != Scale::kLog) least = std::min(least, 0.0);
    // Values that are as good as equal are as well shown anywhere; those outside are not.
    const bool apart = least > most || most > kNarrowest * least;
    const bool filled =
        least <= most && place_of(common, most) - place_of(common, least) >= least_filled;
    const bool own = values.size() > 1 && !panel.empty() && apart && !filled;
    axes.push_back({own ? fitted(title, scale, panel) : common, own});
  }
  // What only one panel is left to share need not reach to the others' values.
  const auto shares = [](const PanelAxis& axis) { return !axis.own; };
  if (const auto left = std::find_if(axes.begin(), axes.end(), shares);
      std::count_if(axes.begin(), axes.end(), shares) == 1)
    left->axis = fitted(title, scale, values[static_cast<std::size_t>(left - axes.begin())]);
  return axes;
}

Scale scale_for(const std::vector<double>& values) {
  double least = INFINITY, most = 0;
  for (const double value : values) {
    if (value < 0) return Scale::kLinear;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (least == 0) return most > kFarApart ? Scale::kSymlog : Scale::kLinear;
  return most > kFarApart * least ? Scale::kLog : Scale::kLinear;
}

double place_of(const Axis& axis, double value) {
  const double low = bent(axis, axis.low);
  return (bent(axis, value) - low) / (bent(axis, axis.high) - low);
}

double value_at(const Axis& axis, double place) {
  const double low = bent(axis, axis.low);
  return unbent(axis, low + place * (bent(axis, axis.high) - low));
}

int side_of(const Axis& axis, double value) {
  if (axis.scale == Scale::kLog && value <= 0) return -1;
  // Room for the rounding of a value that is itself an end of its axis.
  const double place = place_of(axis, value);
  return place < -1e-9 ? -1 : place > 1 + 1e-9 ? 1 : 0;
}

double kept_inside(const Axis& axis, double value) {
  const int side = side_of(axis, value);
  return side < 0 ? axis.low : side > 0 ? axis.high : value;
}

std::vector<double> ticks(const Axis& axis) {
  if (!axis.chosen_ticks.empty()) return axis.chosen_ticks;
  if (axis.scale == Scale::kLinear) return linear_ticks(axis.low, axis.high);
  if (axis.scale == Scale::kLog) return log_ticks(axis.low, axis.high);
  std::vector<double> values = {0};
  // On a long axis the first power of ten is too near to 0.
  const double first = axis.high > 1e4 * axis.constant ? 10 * axis.constant : axis.constant;
  for (const double value : log_ticks(first, std::max(10 * first, axis.high)))
    if (value <= axis.high) values.push_back(value);
  return values;
}

namespace {

double apart(const Axis& axis, double pixels, double left, double right) {
  const double needed =
      kLetter * (letters(tick_label(axis, left)) + letters(tick_label(axis, right))) / 2 +
      kLetterGap;
  return (place_of(axis, right) - place_of(axis, left)) * pixels - needed;
}

bool all_fit(const Axis& axis, double pixels) {
  const std::vector<double> values = ticks(axis);
  for (std::size_t i = 1; i < values.size(); ++i)
    if (apart(axis, pixels, values[i - 1], values[i]) < 0) return false;
  return true;
}

// Both ends stay, and between them what does not touch its left neighbour or the right end.
void thin_out(Axis& axis, double pixels) {
  const std::vector<double> values = ticks(axis);
  if (values.size() < 2) return;
  std::vector<double> kept = {values.front()};
  for (std::size_t i = 1; i + 1 < values.size(); ++i)
    if (apart(axis, pixels, kept.back(), values[i]) >= 0 &&
        apart(axis, pixels, values[i], values.back()) >= 0)
      kept.push_back(values[i]);
  if (apart(axis, pixels, kept.back(), values.back()) >= 0) kept.push_back(values.back());
  axis.chosen_ticks = std::move(kept);
}

}  // namespace

Axis labelled_across(Axis axis, double pixels, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::erase_if(values, [&](double value) { return side_of(axis, value) != 0; });
  if (values.size() >= 2 && values.size() <= kFewValues) {
    axis.chosen_ticks = std::move(values);
    thin_out(axis, pixels);
    return axis;
  }
  if (axis.scale == Scale::kLog && !all_fit(axis, pixels)) {
    for (const std::vector<double>& leads : {std::vector<double>{1, 3}, {1}}) {
      std::vector<double> coarser = multiples(axis.low, axis.high, leads);
      if (coarser.size() < 2) break;
      axis.chosen_ticks = std::move(coarser);
      if (all_fit(axis, pixels)) return axis;
    }
  }
  if (!all_fit(axis, pixels)) thin_out(axis, pixels);
  return axis;
}

std::string short_number(double value) {
  if (value == 0) return "0";
  if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
  const int exponent = static_cast<int>(std::floor(portable::log10(std::abs(value)) + 1e-12));
  const double unit = portable::pow(10, exponent - 2);
  const double rounded = std::round(value / unit) * unit;
  return std::abs(rounded) < 1e-4 ? with_power(rounded) : plain(rounded);
}

std::string tick_label(const Axis& axis, double value) {
  const std::vector<double> all = ticks(axis);
  const bool powers = axis.scale != Scale::kLinear &&
                      std::all_of(all.begin(), all.end(),
                                  [](double tick) { return tick == 0 || is_power_of_ten(tick); });
  if (!powers || !is_power_of_ten(value)) return plain(value);
  const int exponent = static_cast<int>(std::lround(portable::log10(value)));
  if (exponent == 0) return "1";
  return exponent == 1 ? "10" : "10" + superscript(exponent);
}

Json along(const Axis& axis, const std::string& field) {
  static const char* names[] = {"linear", "log", "symlog"};
  const std::vector<double> values = ticks(axis);
  std::string labels = "''";
  for (const double value : values)
    labels = fmt::format("datum.value == {} ? '{}' : {}", value, tick_label(axis, value), labels);
  Json scale = {{"type", names[static_cast<int>(axis.scale)]},
                {"domain", {axis.low, axis.high}},
                {"nice", false}};
  if (axis.scale == Scale::kLinear) scale["zero"] = false;
  if (axis.room > 0) scale["padding"] = axis.room;
  if (axis.scale == Scale::kSymlog) scale["constant"] = axis.constant;
  return {{"field", field},
          {"type", "quantitative"},
          {"title", axis.title},
          {"scale", std::move(scale)},
          // Which labels have room was settled above; under its tick each is read right.
          {"axis",
           {{"values", values},
            {"labelExpr", labels},
            {"labelOverlap", false},
            {"labelFlush", false}}}};
}

namespace {

// Neighbours that must stay together: `size` places from `start`, `distance` apart.
struct Cluster {
  double start;
  std::size_t size;
};

}  // namespace

std::vector<double> spread_apart(const std::vector<double>& wanted, double distance, double low,
                                 double high) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<Cluster> clusters;
  for (const std::size_t index : order) {
    clusters.push_back({wanted[index], 1});
    while (true) {
      Cluster& last = clusters.back();
      const double length = static_cast<double>(last.size - 1) * distance;
      last.start = std::max(low, std::min(last.start, high - length));
      if (clusters.size() < 2) break;
      Cluster& before = clusters[clusters.size() - 2];
      const double reach = static_cast<double>(before.size) * distance;
      if (before.start + reach <= last.start) break;
      // Both give way in proportion to how many they are.
      const double n = static_cast<double>(before.size), m = static_cast<double>(last.size);
      before.start = (n * before.start + m * (last.start - reach)) / (n + m);
      before.size += last.size;
      clusters.pop_back();
    }
  }
  std::vector<double> places(wanted.size());
  std::size_t next = 0;
  for (const Cluster& cluster : clusters)
    for (std::size_t i = 0; i < cluster.size; ++i)
      places[order[next++]] = cluster.start + static_cast<double>(i) * distance;
  return places;
}

}  // namespace armature::figures
