#include "base/formula.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "base/refusal.h"
#include "base/text.h"

namespace armature {
namespace {

using test::contains;
using test::refusal;

constexpr FormulaVariables kVariables{20, 5, 10000};

double value_of(const std::string& text) { return evaluate_formula(text, kVariables); }

TEST(Formula, ByHand) {
  EXPECT_EQ(value_of("4*sqrt(A/T)"), 4 * std::sqrt(20.0 / 10000));
  EXPECT_EQ(value_of("A*Z"), 100);
  EXPECT_EQ(value_of("1-2-3"), -4);   // from the left
  EXPECT_EQ(value_of("24/4/3"), 2);   // from the left
  EXPECT_EQ(value_of("1+2*3"), 7);    // products first
  EXPECT_EQ(value_of("(1+2)*3"), 9);  // unless in parentheses
  EXPECT_EQ(value_of("-A+-(-Z)"), -15);
  EXPECT_EQ(value_of("--3"), 3);
  EXPECT_EQ(value_of("2*-3"), -6);
  EXPECT_EQ(value_of(" log( T ) / 2 "), std::log(10000.0) / 2);
  EXPECT_EQ(value_of("1e-2*1E+2"), 1);
  EXPECT_EQ(value_of("sqrt(sqrt(16))"), 2);
  EXPECT_EQ(value_of("2*3^2"), 18);   // powers before products…
  EXPECT_EQ(value_of("-2^2"), -4);    // …and before the sign…
  EXPECT_EQ(value_of("2^3^2"), 512);  // …from the right
  EXPECT_EQ(value_of("4^-0.5"), 0.5);
  EXPECT_EQ(value_of("1_000*A"), 20000);
}

// A formula as text beside its value, computed directly in the same order.
struct Written {
  std::string text;
  double value;
};

Written random_formula(int depth) {
  const int shape = depth == 0 ? *rc::gen::inRange(0, 4) : *rc::gen::inRange(0, 11);
  if (shape == 0) return {"A", kVariables.actions};
  if (shape == 1) return {"Z", kVariables.contexts};
  if (shape == 2) return {"T", kVariables.horizon};
  if (shape == 3) {
    const double number = *rc::gen::inRange(0, 100000) / 64.0;
    return {print_real(number), number};
  }
  const Written one = random_formula(depth - 1);
  if (shape == 4) return {"-(" + one.text + ")", -one.value};
  if (shape == 5) return {"sqrt(" + one.text + ")", std::sqrt(one.value)};
  if (shape == 6) return {"log( " + one.text + ")", std::log(one.value)};
  const Written other = random_formula(depth - 1);
  const auto both = [&](char sign) {
    return fmt::format("({}) {} ({})", one.text, sign, other.text);
  };
  if (shape == 7) return {both('+'), one.value + other.value};
  if (shape == 8) return {both('-'), one.value - other.value};
  if (shape == 9) return {both('*'), one.value * other.value};
  return {both('/'), one.value / other.value};
}

TEST(Formula, IsWorthWhatADirectEvaluationGives) {
  EXPECT_TRUE(rc::check("formula", [] {
    const Written written = random_formula(5);
    if (std::isfinite(written.value)) {
      RC_ASSERT(value_of(written.text) == written.value);
    } else {
      RC_ASSERT(contains(refusal([&] { value_of(written.text); }), "expected a finite value"));
    }
  }));
}

struct Bad {
  const char* text;
  const char* place;
};

TEST(Formula, WhatIsNoneIsRefusedWithItsPlace) {
  for (const Bad& bad : std::vector<Bad>{{"", "at character 1"},
                                         {" ", "at character 2"},
                                         {"1+", "at character 3"},
                                         {"*2", "at character 1"},
                                         {"(1", "closing parenthesis at character 3"},
                                         {"1)", "an operator or the end at character 2"},
                                         {"2A", "an operator or the end at character 2"},
                                         {"1 2", "an operator or the end at character 3"},
                                         {"B+1", "A, Z, T, sqrt(…) or log(…) at character 1"},
                                         {"1+a", "at character 3"},
                                         {"exp(1)", "at character 1"},
                                         {"sqrt", "at character 1"},
                                         {"sqrt 4", "at character 1"},
                                         {"sqrt()", "at character 6"},
                                         {"AZ", "at character 1"},
                                         {"2^", "at character 3"},
                                         {"^2", "at character 1"},
                                         {"1__0", "a number at character"},
                                         {"2**3", "at character 3"},
                                         {"1e", "a number at character"},
                                         {"1.2.3", "a number at character"},
                                         {"+1", "at character 1"},
                                         {"A%2", "at character 2"},
                                         {"max(A,Z)", "at character 1"},
                                         {"1,5", "at character 2"},
                                         {"A\n", "at character 2"},
                                         {"A\t+1", "at character 2"},
                                         {"0x10", "at character 2"},
                                         {"nan", "at character 1"},
                                         {"inf", "at character 1"},
                                         {"√2", "at character 1"}}) {
    const std::string message = refusal([&] { value_of(bad.text); });
    EXPECT_TRUE(contains(message, bad.place)) << bad.text << "\n" << message;
    EXPECT_TRUE(contains(message, shown(bad.text, 120))) << message;
  }
}

TEST(Formula, MustBeFinite) {
  for (const char* text : {"1/0", "0/0", "sqrt(-1)", "log(0)", "1e308*10", "log(-T)"})
    EXPECT_TRUE(contains(refusal([&] { value_of(text); }), "expected a finite value")) << text;
}

TEST(Formula, OfSomethingUnknownSaysSo) {
  const FormulaVariables only_horizon{std::nan(""), std::nan(""), 100};
  EXPECT_EQ(evaluate_formula("sqrt(T)", only_horizon), 10);
  const std::string message = refusal([&] { evaluate_formula("T/A", only_horizon); });
  EXPECT_TRUE(contains(message, "A, which is not known here, at character 3")) << message;
}

TEST(Formula, TooDeepIsRefusedNotCrashed) {
  for (const char open : {'(', '-'}) {
    const std::string message = refusal([&] { value_of(std::string(1'000'000, open) + "1"); });
    EXPECT_TRUE(contains(message, "fewer nested parentheses and signs")) << open;
  }
  std::string tower = "1";
  for (int i = 0; i < 1'000'000; ++i) tower += "^1";
  EXPECT_TRUE(contains(refusal([&] { value_of(tower); }), "fewer nested parentheses and signs"));
  EXPECT_EQ(value_of(std::string(90, '(') + "A" + std::string(90, ')')), 20);
}

TEST(Formula, AnyTextIsAFormulaOrRefused) {
  EXPECT_TRUE(rc::check("any text", [] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string("AZT+-*/() .0123456789esqrtlog^,")));
    const std::string message = refusal([&] { RC_ASSERT(std::isfinite(value_of(text))); });
    RC_ASSERT(message == "(accepted)" || contains(message, "at character") ||
              contains(message, "a finite value"));
  }));
}

TEST(Values, ArePlainNumbersOrFormulas) {
  EXPECT_EQ(real_value("0.25"), 0.25);
  EXPECT_EQ(real_value("1/4"), 0.25);
  EXPECT_EQ(real_value("A/4", kVariables), 5);
  EXPECT_EQ(whole_value("18446744073709551615"), UINT64_MAX);  // all 64 bits
  EXPECT_EQ(whole_value("2^20"), 1u << 20);
  EXPECT_EQ(whole_value("2^20/2"), 1u << 19);
  EXPECT_EQ(whole_value("sqrt(T)/3", kVariables), 33u);  // rounded…
  EXPECT_EQ(whole_value("5/2"), 3u);                     // …halves upwards
  EXPECT_EQ(whole_value("0-1/4"), 0u);
}

TEST(Values, ThatAreNoneAreRefused) {
  for (const char* text : {"2.5", "-1", "0-1", "2^64", "1e300*10", "2^32*2^32", "1/0"})
    EXPECT_NE(refusal([&] { whole_value(text); }), "(accepted)") << text;
  EXPECT_TRUE(contains(refusal([] { whole_value("2.5"); }), "a whole number below 2^64"));
  EXPECT_TRUE(contains(refusal([] { real_value("1/x"); }), "sqrt(…) or log(…) at character 3"));
  EXPECT_FALSE(contains(refusal([] { real_value("1/x"); }), "T, "));  // nothing is known here
}

using List = std::vector<std::string>;

TEST(List, Linspace) {
  EXPECT_EQ(expand_list("linspace(0,1,5)"), (List{"0", "0.25", "0.5", "0.75", "1"}));
  EXPECT_EQ(expand_list("linspace( 1 , -1 , 3 )"), (List{"1", "0", "-1"}));
  EXPECT_EQ(expand_list("linspace(0.1,0.3,2)"), (List{"0.1", "0.3"}));  // ends as written
}

TEST(List, Geomspace) {
  const List values = expand_list("geomspace(1,1e4,5)");
  ASSERT_EQ(values.size(), 5u);
  for (int i = 0; i < 5; ++i)
    EXPECT_NEAR(*parse_real(values[static_cast<std::size_t>(i)]), std::pow(10, i),
                1e-9 * std::pow(10, i));
  EXPECT_EQ(values.front(), "1");
  EXPECT_EQ(values.back(), "10000");
}

// Ends that speak of sizes: every value is a formula, and the ratios come out equal.
TEST(List, GeomspaceBetweenFormulas) {
  const List values = expand_list("geomspace(sqrt(A/T)/3, 1/4, 4)");
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ(values.front(), "sqrt(A/T)/3");
  EXPECT_EQ(values.back(), "1/4");
  FormulaVariables sizes;
  sizes.actions = 20;
  sizes.horizon = 1e6;
  const double low = std::sqrt(20 / 1e6) / 3;
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(real_value(values[i], sizes),
                low * std::pow(0.25 / low, static_cast<double>(i) / 3), 1e-15);
  const List even = expand_list("linspace(0,A,3)");
  ASSERT_EQ(even.size(), 3u);
  EXPECT_EQ(real_value(even[1], sizes), 10);
  EXPECT_EQ(even.back(), "A");
}

TEST(List, OtherTextStandsForItself) {
  for (const char* text : {"0.3", "4*sqrt(A/T)", "paper", "", "linspace", "linspace(0,1,3) "})
    EXPECT_EQ(expand_list(text), List{text});
}

TEST(List, WhatIsNoneIsRefused) {
  for (const char* text :
       {"linspace()", "linspace(0,1)", "linspace(0,1,1)", "linspace(0,1,2.5)", "linspace(0,1,3,4)",
        "linspace(a,1,3)", "linspace(0,1,1e9)", "linspace(0,nan,3)", "geomspace(0,1,3)",
        "geomspace(1,-1,3)", "geomspace(-2,-1,3)"})
    EXPECT_TRUE(contains(refusal([&] { expand_list(text); }), "space(low,high,count)")) << text;
}

}  // namespace
}  // namespace armature
