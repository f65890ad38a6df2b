// Elementary functions against 60-digit references, at the edges, where results are exact; and
// their bits, which are the same with every compiler on every machine.
#include "base/mathematics.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <sstream>

namespace armature {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmallest = 0x1p-1074;

struct Function {
  std::function<double(double, double)> value;
  int arguments;
  double bound;  // the header's
};

const std::map<std::string, Function>& functions() {
  const auto of_one = [](double (*f)(double)) { return [f](double x, double) { return f(x); }; };
  static const std::map<std::string, Function> table = {
      {"log", {of_one(portable::log), 1, 0.51}},
      {"log1p", {of_one(portable::log1p), 1, 0.52}},
      {"exp", {of_one(portable::exp), 1, 0.51}},
      {"log2", {of_one(portable::log2), 1, 0.51}},
      {"log10", {of_one(portable::log10), 1, 0.51}},
      {"cbrt", {of_one(portable::cbrt), 1, 0.53}},
      {"pow", {portable::pow, 2, 0.54}},
      {"hypot", {portable::hypot, 2, 1.5}},
      {"atan", {of_one(portable::atan), 1, 4}}};
  return table;
}

double from_hexadecimal(const std::string& text) {
  std::uint64_t bits = 0;
  std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  return std::bit_cast<double>(bits);
}

// Of a double's last place.
double unit(double x) {
  const int exponent = x == 0 ? -1021 : std::max(-1021, std::ilogb(x) + 1);
  return std::ldexp(1.0, exponent - 53);
}

// ---- Errors ------------------------------------------------------------------------------------

struct Row {
  std::string name;
  double x = 0;
  double y = 0;
  double nearest = 0;
  double rest = 0;  // the value is nearest + rest·unit

  double error_of(double found) const { return std::abs((found - nearest) / unit(nearest) - rest); }
};

std::vector<Row> reference() {
  std::ifstream file(std::string(ARMATURE_SOURCE_DIR) + "/tests/base/mathematics_reference.txt");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string x, y, nearest;
    Row row;
    words >> row.name >> x;
    if (functions().at(row.name).arguments == 2) words >> y;
    words >> nearest >> row.rest;
    row.x = from_hexadecimal(x);
    row.y = from_hexadecimal(y);
    row.nearest = from_hexadecimal(nearest);
    rows.push_back(row);
  }
  return rows;
}

TEST(Mathematics, IsWithinItsBoundsOfTheReference) {
  std::map<std::string, std::pair<int, double>> seen;  // rows and the largest error
  for (const Row& row : reference()) {
    const Function& function = functions().at(row.name);
    const double error = row.error_of(function.value(row.x, row.y));
    EXPECT_LE(error, function.bound) << row.name << " " << row.x << " " << row.y;
    auto& [rows, worst] = seen[row.name];
    ++rows;
    worst = std::max(worst, error);
  }
  for (const auto& [name, function] : functions()) {
    EXPECT_GE(seen[name].first, 1000) << name;
    EXPECT_GT(seen[name].second, 0.49) << name << ": nothing rounds better than that";
  }
}

// ---- Edges -------------------------------------------------------------------------------------

TEST(Mathematics, LogarithmsAtTheEdges) {
  for (const char* name : {"log", "log2", "log10"}) {
    const auto f = [&](double x) { return functions().at(name).value(x, 0); };
    EXPECT_EQ(f(0), -kInfinity) << name;
    EXPECT_EQ(f(-0.0), -kInfinity) << name;
    EXPECT_EQ(f(kInfinity), kInfinity) << name;
    EXPECT_TRUE(std::isnan(f(-1)) && std::isnan(f(-kInfinity)) && std::isnan(f(kNan))) << name;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(f(1)), 0u) << name << ": +0";
  }
  EXPECT_EQ(portable::log1p(-1), -kInfinity);
  EXPECT_EQ(portable::log1p(kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(portable::log1p(-1.5)) && std::isnan(portable::log1p(kNan)));
  EXPECT_TRUE(std::signbit(portable::log1p(-0.0)));
}

TEST(Mathematics, ExponentialsAtTheEdges) {
  EXPECT_EQ(portable::exp(0), 1);
  EXPECT_EQ(portable::exp(kInfinity), kInfinity);
  EXPECT_EQ(portable::exp(-kInfinity), 0);
  EXPECT_TRUE(std::isnan(portable::exp(kNan)));
  EXPECT_EQ(portable::exp(709.79), kInfinity);
  EXPECT_LT(portable::exp(709.78), kInfinity);
  EXPECT_EQ(portable::exp(-745.13), kSmallest);
  EXPECT_EQ(portable::exp(-745.14), 0);
  EXPECT_EQ(portable::exp(1e300), kInfinity);
  EXPECT_EQ(portable::exp(-1e300), 0);
}

TEST(Mathematics, PowersAtTheEdges) {
  for (const double x : {0.0, 1.0, -3.0, kInfinity, kNan}) EXPECT_EQ(portable::pow(x, 0), 1) << x;
  for (const double y : {2.0, -0.5, kInfinity, kNan}) EXPECT_EQ(portable::pow(1, y), 1) << y;
  for (const double x : {0.3, -7.0, 1e300, kSmallest, kInfinity})
    EXPECT_EQ(portable::pow(x, 1), x) << x;
  EXPECT_EQ(portable::pow(0, 2.5), 0);
  EXPECT_EQ(portable::pow(0, -1), kInfinity);
  EXPECT_EQ(portable::pow(-0.0, -3), -kInfinity);
  EXPECT_EQ(portable::pow(-2, 3), -8);
  EXPECT_EQ(portable::pow(-2, 4), 16);
  EXPECT_TRUE(std::isnan(portable::pow(-2, 0.5)));
  EXPECT_EQ(portable::pow(-1, kInfinity), 1);
  EXPECT_EQ(portable::pow(0.5, kInfinity), 0);
  EXPECT_EQ(portable::pow(0.5, -kInfinity), kInfinity);
  EXPECT_EQ(portable::pow(10, 309), kInfinity);
  EXPECT_EQ(portable::pow(10, -400), 0);
  EXPECT_EQ(portable::pow(1.5, 1e-300), 1);
  EXPECT_EQ(portable::pow(2, 1e300), kInfinity);
}

TEST(Mathematics, RootsLengthsAndAnglesAtTheEdges) {
  EXPECT_EQ(portable::cbrt(-27), -3);
  EXPECT_TRUE(std::signbit(portable::cbrt(-0.0)));
  EXPECT_EQ(portable::cbrt(-kInfinity), -kInfinity);
  EXPECT_TRUE(std::isnan(portable::cbrt(kNan)));
  EXPECT_EQ(portable::hypot(0, 0), 0);
  EXPECT_EQ(portable::hypot(-3, 4), 5);
  EXPECT_EQ(portable::hypot(3e300, 4e300), 5e300);
  EXPECT_EQ(portable::hypot(3 * kSmallest, 4 * kSmallest), 5 * kSmallest);
  EXPECT_EQ(portable::hypot(kNan, -kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(portable::hypot(kNan, 1)) && std::isnan(portable::hypot(1, kNan)));
  EXPECT_EQ(portable::atan(0), 0);
  EXPECT_EQ(portable::atan(-kInfinity), -std::acos(0));
  EXPECT_TRUE(std::isnan(portable::atan(kNan)));
}

// ---- Exact results -----------------------------------------------------------------------------

TEST(Mathematics, WholePowersAndTheirRootsAreExact) {
  for (double n = 1; n <= 200'000; ++n) {
    ASSERT_EQ(portable::pow(n, 2), n * n) << n;
    ASSERT_EQ(portable::pow(n, 3), n * n * n) << n;
    ASSERT_EQ(portable::cbrt(n * n * n), n) << n;
    ASSERT_EQ(portable::pow(n * n, 0.5), n) << n;
    ASSERT_EQ(portable::pow(n * n, 1.5), n * n * n) << n;
  }
}

TEST(Mathematics, PowersOfTwoAndTenAreExactAndSoAreTheirLogarithms) {
  for (int k = -1074; k <= 1023; ++k) {
    EXPECT_EQ(portable::pow(2, k), std::ldexp(1, k));
    EXPECT_EQ(portable::log2(std::ldexp(1, k)), k);
  }
  for (int k = -22; k <= 22; ++k) {
    const double power = std::stod("1e" + std::to_string(k));
    EXPECT_EQ(portable::pow(10, k), power);
    EXPECT_EQ(portable::log10(power), k);
  }
}

// ---- The same bits -----------------------------------------------------------------------------

// Arguments from whole numbers alone, results mixed into one number: what this machine makes of it
// must be what every other does.
std::uint64_t digest_of(const Function& function) {
  std::uint64_t digest = 0;
  std::uint64_t state = 1;
  const auto next = [&] { return state = state * 6364136223846793005u + 1442695040888963407u; };
  const auto number = [&] {  // of either sign, 2^-20 to 2^20
    const std::uint64_t exponent = 1003 + (next() >> 32) % 40;
    const std::uint64_t sign = next() >> 63;
    return std::bit_cast<double>(sign << 63 | exponent << 52 | next() >> 12);
  };
  for (int i = 0; i < 200'000; ++i) {
    const double x = number();
    const double value = function.value(i % 4 == 0 ? x : std::abs(x), number());
    const auto bits = std::isnan(value) ? 1 : std::bit_cast<std::uint64_t>(value);
    digest = (digest ^ bits) * 0x9e3779b97f4a7c15u;
    digest ^= digest >> 29;
  }
  return digest;
}

TEST(Mathematics, HasTheSameBitsEverywhere) {
  const std::map<std::string, std::uint64_t> expected = {
      {"log", 0x691b30568ed97386},  {"log1p", 0x887b8495d8b1ad15}, {"exp", 0xbbb10b4352a39edd},
      {"log2", 0xcac14f3dcca44959}, {"log10", 0xeb6f5287b749528e}, {"cbrt", 0x0cf9ab03b9905720},
      {"pow", 0x9602b7c11b36e9c9},  {"hypot", 0x88de26a91b2af75a}, {"atan", 0x68b4675f5762060e}};
  for (const auto& [name, function] : functions())
    EXPECT_EQ(digest_of(function), expected.at(name)) << name;
}

}  // namespace
}  // namespace armature
