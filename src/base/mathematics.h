// Elementary functions that give the same bits on every machine: nothing but additions, products,
// quotients and square roots of doubles in a written order, and operations on their bits. The C
// library's own differ in the last bit between versions, and on one machine with and without fused
// multiply-add; a last bit decides between actions. docs/exactness.md says what is promised.
//
// Everything that ends in a result uses these; a test in tests/house refuses the others. Square
// roots, rounding and remainders are exact or correctly rounded everywhere and stay std's.
#pragma once

namespace armature::portable {

// Errors in units of the last place, over all doubles; 0.5 would be perfect rounding. Zeros,
// infinities, NaN and arguments outside the domain give what IEEE 754 recommends.
double log(double x);    // 0.51
double log1p(double x);  // 0.52
double exp(double x);    // 0.51, also where results are subnormal

// Through logarithms of twice the precision: results that are doubles come out exactly.
double log2(double x);           // 0.51
double log10(double x);          // 0.51
double cbrt(double x);           // 0.53
double pow(double x, double y);  // 0.54

double hypot(double x, double y);  // 1.5
double atan(double x);             // 4

}  // namespace armature::portable
