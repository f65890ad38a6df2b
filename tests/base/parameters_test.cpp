#include "armature/parameters.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/refusal.h"

namespace armature {
namespace {

using test::refusal;
using Values = std::vector<std::pair<std::string, std::string>>;

// ---- The text form -----------------------------------------------------------------------------

TEST(TextForm, NameAlone) {
  const TextForm form = TextForm::parse("round-robin");
  EXPECT_EQ(form.name, "round-robin");
  EXPECT_TRUE(form.values.empty());
}

TEST(TextForm, ValuesInTheOrderWritten) {
  const TextForm form = TextForm::parse("ucb:scale=0.5,delta=1e-3");
  EXPECT_EQ(form.name, "ucb");
  EXPECT_EQ(form.values, (Values{{"scale", "0.5"}, {"delta", "1e-3"}}));
}

TEST(TextForm, ParenthesesBelongToTheValue) {
  const TextForm form = TextForm::parse("db:base=(c-ucb:scale=0.5,ties=random)+ucb,delta=0.1");
  EXPECT_EQ(form.values, (Values{{"base", "(c-ucb:scale=0.5,ties=random)+ucb"}, {"delta", "0.1"}}));
}

TEST(TextForm, ParenthesesNest) {
  const TextForm form = TextForm::parse("a:b=(c:d=(e:f=1,g=2),h=3),i=4");
  EXPECT_EQ(form.values, (Values{{"b", "(c:d=(e:f=1,g=2),h=3)"}, {"i", "4"}}));
}

TEST(TextForm, QuotesAreStripped) {
  EXPECT_EQ(TextForm::parse("a:b=\"1,2\",c=3").values, (Values{{"b", "1,2"}, {"c", "3"}}));
  EXPECT_EQ(TextForm::parse("a:b=\"(\"").values, (Values{{"b", "("}}));
  EXPECT_EQ(TextForm::parse("a:b=\"\"").values, (Values{{"b", ""}}));
}

TEST(TextForm, ValuesMayHoldColonsAndEquals) {
  EXPECT_EQ(TextForm::parse("a:b=c:d=e").values, (Values{{"b", "c:d=e"}}));
}

TEST(TextForm, PrintQuotesOnlyWhereNeeded) {
  EXPECT_EQ((TextForm{"a", {}}).print(), "a");
  EXPECT_EQ((TextForm{"a", {{"b", "1"}, {"c", "(x,y)"}}}).print(), "a:b=1,c=(x,y)");
  EXPECT_EQ((TextForm{"a", {{"b", "1,2"}, {"c", ")("}, {"d", ""}}}).print(),
            "a:b=\"1,2\",c=\")(\",d=\"\"");
}

TEST(TextForm, Refusals) {
  const auto parsing = [](const char* text) { return refusal([&] { TextForm::parse(text); }); };
  EXPECT_EQ(parsing(""), "text form: got '', expected name or name:key=value,…");
  EXPECT_EQ(parsing("a b"), "text form: got 'a b', expected name or name:key=value,…");
  EXPECT_EQ(parsing(":b=1"), "text form: got ':b=1', expected name or name:key=value,…");
  EXPECT_EQ(parsing("a:"), "text form: got '' in 'a:', expected key=value");
  EXPECT_EQ(parsing("a:b"), "text form: got 'b' in 'a:b', expected key=value");
  EXPECT_EQ(parsing("a:=1"), "text form: got '' in 'a:=1', expected key=value");
  EXPECT_EQ(parsing("a:b=1,"), "text form: got '' in 'a:b=1,', expected key=value");
  EXPECT_EQ(parsing("a:b,c=1"), "text form: got 'b,c' in 'a:b,c=1', expected key=value");
  EXPECT_EQ(parsing("a:b="), "text form: got 'b=' in 'a:b=', expected a value after '='");
  EXPECT_EQ(parsing("a:b=,c=1"), "text form: got 'b=' in 'a:b=,c=1', expected a value after '='");
  EXPECT_EQ(parsing("a:b=1,b=2"),
            "text form: got 'b' twice in 'a:b=1,b=2', expected each key once");
  EXPECT_EQ(parsing("a:b=(1"), "text form: got 'a:b=(1', expected every '(' and '\"' closed");
  EXPECT_EQ(parsing("a:b=\"1"), "text form: got 'a:b=\"1', expected every '(' and '\"' closed");
  EXPECT_EQ(parsing("a:b=1)"), "text form: got 'a:b=1)', expected a '(' before each ')'");
  EXPECT_EQ(parsing("a:b=x\"1\""),
            "text form: got 'a:b=x\"1\"', expected quotes around a whole value");
  EXPECT_EQ(parsing("a:b=\"1\"\"2\""),
            "text form: got 'a:b=\"1\"\"2\"', expected quotes around a whole value");
}

// Any value without a quote in it survives; quotes have no escape and cannot come out of a parse.
TEST(TextForm, PrintedFormsParseBack) {
  EXPECT_TRUE(rc::check("parse(print(form)) == form", [] {
    const auto letters = rc::gen::nonEmpty(
        rc::gen::container<std::string>(rc::gen::elementOf(std::string("abcXYZ019-_"))));
    const auto anything =
        rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab1.,()=: +-_")));
    TextForm form{*letters, {}};
    for (const std::string& key : *rc::gen::unique<std::vector<std::string>>(letters))
      form.values.emplace_back(key, *anything);
    const TextForm back = TextForm::parse(form.print());
    RC_ASSERT(back.name == form.name);
    RC_ASSERT(back.values == form.values);
  }));
}

TEST(TextForm, AnyTextParsesOrIsRefused) {
  EXPECT_TRUE(rc::check("no other exception, and print is a fixed point", [] {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab1,,(()))==::\"\"")));
    try {
      const std::string printed = TextForm::parse("n:" + text).print();
      RC_ASSERT(TextForm::parse(printed).print() == printed);
    } catch (const Error&) {
    }
  }));
}

// ---- Parameters --------------------------------------------------------------------------------

TEST(Parameter, ExpectationsInWords) {
  EXPECT_EQ(Parameter::real("x").expectation(), "a number");
  EXPECT_EQ(Parameter::real("x").open(0, 1).expectation(), "a number in (0,1)");
  EXPECT_EQ(Parameter::real("x").closed(0, 0.5).expectation(), "a number in [0,0.5]");
  EXPECT_EQ(Parameter::real("x").half_open(0, 2).expectation(), "a number in [0,2)");
  EXPECT_EQ(Parameter::real("x").above(0).expectation(), "a number above 0");
  EXPECT_EQ(Parameter::integer("x").at_least(1).expectation(), "a whole number of at least 1");
  EXPECT_EQ(Parameter::integer("x").or_word("last").or_word("none").expectation(),
            "a whole number or 'last' or 'none'");
  EXPECT_EQ(Parameter::choice("x", {"a", "b"}).expectation(), "one of a, b");
}

bool accepts(const Parameter& parameter, const std::string& value) {
  return refusal([&] { parameter.canonical(value, "owner"); }) == "(accepted)";
}

TEST(Parameter, RangesIncludeWhatTheySay) {
  const Parameter closed = Parameter::real("x").closed(0, 1);
  EXPECT_TRUE(accepts(closed, "0"));
  EXPECT_TRUE(accepts(closed, "1"));
  EXPECT_FALSE(accepts(closed, "1.0000001"));
  EXPECT_FALSE(accepts(closed, "-0.0000001"));
  const Parameter open = Parameter::real("x").open(0, 1);
  EXPECT_FALSE(accepts(open, "0"));
  EXPECT_FALSE(accepts(open, "1"));
  EXPECT_TRUE(accepts(open, "1e-300"));
  const Parameter half_open = Parameter::real("x").half_open(0, 2);
  EXPECT_TRUE(accepts(half_open, "0"));
  EXPECT_FALSE(accepts(half_open, "2"));
  EXPECT_FALSE(accepts(Parameter::real("x").above(3), "3"));
  EXPECT_TRUE(accepts(Parameter::real("x").above(3), "3.1"));
  EXPECT_TRUE(accepts(Parameter::integer("x").at_least(3), "3"));
  EXPECT_FALSE(accepts(Parameter::integer("x").at_least(3), "2"));
}

TEST(Parameter, CanonicalForms) {
  const Parameter real = Parameter::real("x");
  EXPECT_EQ(real.canonical("0.50", "owner"), "0.5");
  EXPECT_EQ(real.canonical("2^-1", "owner"), "0.5");
  EXPECT_EQ(real.canonical("5e-1", "owner"), "0.5");
  const Parameter integer = Parameter::integer("x").or_word("last");
  EXPECT_EQ(integer.canonical("1e3", "owner"), "1000");
  EXPECT_EQ(integer.canonical("1_000", "owner"), "1000");
  EXPECT_EQ(integer.canonical("last", "owner"), "last");
  EXPECT_EQ(Parameter::choice("x", {"a", "b"}).canonical("b", "owner"), "b");
}

TEST(Parameter, Refusals) {
  const auto told = [](const Parameter& parameter, const char* value) {
    return refusal([&] { parameter.canonical(value, "policy ucb"); });
  };
  EXPECT_EQ(told(Parameter::real("delta").open(0, 1), "2"),
            "policy ucb: delta: got 2, expected a number in (0,1)");
  EXPECT_EQ(told(Parameter::real("delta").open(0, 1), "nan"),
            "policy ucb: delta: got 'nan', expected a number in (0,1), or a formula: sqrt(…) or "
            "log(…) at character 1");
  EXPECT_EQ(told(Parameter::integer("arm").at_least(0), "1.5"),
            "policy ucb: arm: got 1.5, expected a whole number of at least 0");
  EXPECT_EQ(told(Parameter::choice("ties", {"lowest", "random"}), "randon"),
            "policy ucb: ties: got randon, expected one of lowest, random; did you mean 'random'?");
  EXPECT_EQ(told(Parameter::choice("ties", {"lowest", "random"}), "0"),
            "policy ucb: ties: got 0, expected one of lowest, random");
}

constexpr FormulaVariables kSizes{20, 5, 10000};

TEST(Parameter, FormulasStandForTheirWorth) {
  const Parameter real = Parameter::real("x").open(0, 1);
  EXPECT_EQ(real.canonical("1/4", "owner"), "0.25");
  EXPECT_EQ(real.canonical("sqrt(Z/A)", "owner", kSizes), "0.5");
  const Parameter integer = Parameter::integer("x").at_least(0).or_word("last");
  EXPECT_EQ(integer.canonical("7/2", "owner"), "4");  // rounded
  EXPECT_EQ(integer.canonical("A-1", "owner", kSizes), "19");
  EXPECT_EQ(integer.canonical("2^40*2", "owner"), "2199023255552");
  EXPECT_EQ(integer.canonical("last", "owner", kSizes), "last");  // a word is no formula
}

TEST(Parameter, BadFormulasAreRefusedWithTheirPlace) {
  const auto told = [](const Parameter& parameter, const char* value) {
    return refusal([&] { parameter.canonical(value, "policy p", kSizes); });
  };
  const Parameter real = Parameter::real("x").open(0, 1);
  const Parameter integer = Parameter::integer("n");
  EXPECT_EQ(told(real, "A/10"), "policy p: x: got 'A/10', which is 2, expected a number in (0,1)");
  EXPECT_EQ(told(real, "1/0"),
            "policy p: x: got '1/0', expected a number in (0,1), or a formula: a finite value");
  EXPECT_EQ(told(real, "(1"),
            "policy p: x: got '(1', expected a number in (0,1), or a formula: a closing "
            "parenthesis at character 3");
  EXPECT_EQ(told(integer, "2^64*2"),
            "policy p: n: got '2^64*2', which is 3.6893488147419103e+19, expected a whole number");
  EXPECT_EQ(told(integer, "0-2"), "policy p: n: got '0-2', which is -2, expected a whole number");
  EXPECT_EQ(refusal([&] { real.canonical("1/T", "policy p"); }),
            "policy p: x: got '1/T', expected a number in (0,1), or a formula: something other "
            "than T, which is not known here, at character 3");
}

// Numbers beyond 2^53 stay what was written.
TEST(Parameter, IntegersKeepAllBits) {
  EXPECT_EQ(Parameter::integer("x").canonical("18446744073709551615", "owner"),
            "18446744073709551615");
}

// ---- Arguments ---------------------------------------------------------------------------------

std::vector<Parameter> declared() {
  return {Parameter::integer("actions").defaults_to("20").at_least(2),
          Parameter::real("gap").automatic("1/T").closed(0, 1),
          Parameter::real("scale").defaults_to("1.0").above(0),
          Parameter::choice("ties", {"lowest", "random"}),
          Parameter::integer("arm").defaults_to("last").or_word("last").or_word("none")};
}

Arguments arguments(const std::string& text) {
  return {"family f", TextForm::parse(text), declared()};
}

TEST(Arguments, Defaults) {
  const Arguments defaults = arguments("f");
  EXPECT_EQ(defaults.owner(), "family f");
  EXPECT_EQ(defaults.integer("actions"), 20u);
  EXPECT_EQ(defaults.real_if("gap"), std::nullopt);
  EXPECT_EQ(defaults.real("scale"), 1);
  EXPECT_EQ(defaults.word("ties"), "lowest");
  EXPECT_TRUE(defaults.is_word("arm", "last"));
  EXPECT_EQ(defaults.integer_if("arm"), std::nullopt);
  for (const char* name : {"actions", "gap", "scale", "ties", "arm"})
    EXPECT_FALSE(defaults.given(name)) << name;
  EXPECT_EQ(defaults.canonical(), "f");
}

TEST(Arguments, GivenValues) {
  const Arguments given = arguments("f:arm=3,ties=random,gap=0.25,actions=5");
  EXPECT_EQ(given.integer("actions"), 5u);
  EXPECT_EQ(given.real_if("gap"), 0.25);
  EXPECT_TRUE(given.is_word("ties", "random"));
  EXPECT_FALSE(given.is_word("arm", "last"));
  EXPECT_EQ(given.integer("arm"), 3u);
  EXPECT_TRUE(given.given("gap"));
  EXPECT_FALSE(given.given("scale"));
}

TEST(Arguments, CanonicalIsInDeclaredOrderWithoutDefaults) {
  EXPECT_EQ(arguments("f:arm=none,scale=1e0,gap=0.50,actions=2e1").canonical(),
            "f:gap=0.5,arm=none");
}

TEST(Arguments, CanonicalIsAFixedPoint) {
  for (const char* text :
       {"f", "f:gap=2^-3", "f:arm=0,actions=1_000", "f:ties=random,scale=0.10"}) {
    const std::string canonical = arguments(text).canonical();
    EXPECT_EQ(arguments(canonical).canonical(), canonical) << text;
  }
}

TEST(Arguments, UnknownParameter) {
  EXPECT_EQ(refusal([] { arguments("f:action=3"); }),
            "family f: got unknown parameter 'action', expected one of actions, gap, scale, ties, "
            "arm; did you mean 'actions'?");
  EXPECT_EQ(refusal([] { Arguments("policy p", TextForm::parse("p:x=1"), {}); }),
            "policy p: got unknown parameter 'x', expected no parameters");
}

TEST(Arguments, BadValue) {
  EXPECT_EQ(refusal([] { arguments("f:actions=1"); }),
            "family f: actions: got 1, expected a whole number of at least 2");
}

TEST(Arguments, RejectNamesTheValue) {
  EXPECT_EQ(refusal([] { arguments("f:arm=7").reject("arm", "an arm from 1 to 4"); }),
            "family f: arm: got 7, expected an arm from 1 to 4");
  EXPECT_EQ(refusal([] { arguments("f").reject("gap", "less"); }),
            "family f: gap: got the default, expected less");
}

TEST(Arguments, UndeclaredNamesAreABug) {
  EXPECT_DEATH(arguments("f").real("nothing"), "only declared parameters are asked for");
  EXPECT_DEATH(arguments("f").real("gap"), "the parameter has a number");
}

TEST(Parameter, AChoiceOfNothingIsABug) {
  EXPECT_DEATH(Parameter::choice("x", {}), "something to choose from");
}

}  // namespace
}  // namespace armature
