// Numbers as people type them: options of the command, fields of a page's request.
#pragma once

#include <cstdint>
#include <string>

#include "armature/parameters.h"

namespace armature {

inline constexpr std::uint64_t kMostRounds = 1'000'000'000'000'000'000;

/// A number given as text (1e6, 2^20, 1_000_000, 1e6/4), checked against its range; `known` is what
/// a formula may speak of. Complaints call it by its option, "--horizon".
std::uint64_t whole_number(const std::string& option, const std::string& text, std::uint64_t low,
                           std::uint64_t high, const FormulaVariables& known = {});
/// A real number or a formula in the same way; the caller knows its range and says it in words.
double real_number(const std::string& option, const std::string& text, const std::string& expected,
                   const FormulaVariables& known = {});

}  // namespace armature
