// The small language of a study's numbers: arithmetic in |A|, |Z| and T, and evenly spaced lists.
#pragma once

#include <string>
#include <vector>

namespace armature {

/// What a formula may speak of; NaN: not of this.
struct FormulaVariables {
  double actions = 0;   // A
  double contexts = 0;  // Z
  double horizon = 0;   // T
};

/// Numbers, A, Z, T, + - * /, parentheses, sqrt(x) and log(x). Throws Error that names the place.
double evaluate_formula(const std::string& text, const FormulaVariables& variables);

/// The values that linspace(low,high,count) or geomspace(low,high,count) stands for; any other text
/// stands for itself.
std::vector<std::string> expand_list(const std::string& text);

}  // namespace armature
