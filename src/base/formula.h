// The small language of numbers: arithmetic in |A|, |Z| and T, and evenly spaced lists.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "armature/parameters.h"

namespace armature {

/// Numbers, A, Z, T, + - * / ^, parentheses, sqrt(x) and log(x). Throws Error that names the place.
double evaluate_formula(const std::string& text, const FormulaVariables& variables);

/// A number as people write it (0.25, 1e-3, 2^-10), or what a formula is worth. Throws Error.
double real_value(const std::string& text, const FormulaVariables& variables = {});
/// A whole number (42, 1e12, 2^53), or what a formula is worth, rounded. Throws Error.
std::uint64_t whole_value(const std::string& text, const FormulaVariables& variables = {});

/// The values that linspace(low,high,count) or geomspace(low,high,count) stands for, formulas where
/// an end is one; any other text stands for itself.
std::vector<std::string> expand_list(const std::string& text);

}  // namespace armature
