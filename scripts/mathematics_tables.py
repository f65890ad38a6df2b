#!/usr/bin/env python3
"""Writes src/base/mathematics_tables.h: tables and polynomials of base/mathematics.cpp (mpmath).

    python3 scripts/mathematics_tables.py > src/base/mathematics_tables.h

Logarithm. z in [0.6875, 1.375) lies in one of 128 intervals, which the leading bits of z number. With c its middle and
1/c rounded to 8 bits, (z - c)/c and r = z/c - 1 have no rounding errors; log z = -log(1/c) + log1p(r). The interval at
1 and the one below have 1/c = 1, so that nothing cancels near 1. -log(1/c) and log 2 are sums of two numbers, the
first of them multiples of 2^-42: exponent * log 2 + (-log(1/c)) has no rounding error either.

Exponential. x = (128 m + j) log(2)/128 + r: exp x = 2^m * 2^(j/128) * exp r.

Polynomials interpolate at Chebyshev's points; each error is printed beside its polynomial.
"""
from mpmath import cos, exp, expm1, floor, log, log1p, mp, mpf, nint, nstr, pi

mp.dps = 60
INTERVALS = 128
LOWEST = mpf(0.6875)  # where the logarithm's intervals begin


def literal(value):
    return float(value).hex()


def split(value, unit):
    """value = first + second, first a multiple of unit."""
    first = nint(value / unit) * unit
    return first, mpf(float(value - first))


def logarithm_interval(i):
    """[low, high) by its number: 80 of width 2^-8 below 1, 48 of width 2^-7 above."""
    below = 80
    if i < below:
        return LOWEST + mpf(i) / 256, LOWEST + mpf(i + 1) / 256
    return 1 + mpf(i - below) / 128, 1 + mpf(i - below + 1) / 128


def inverse_of(low, high):
    if low <= 1 <= high:
        return mpf(1)
    middle = (low + high) / 2
    unit = mpf(2) ** (-7 if middle < 1 else -8)
    return nint(1 / middle / unit) * unit


def logarithm_rows():
    for i in range(INTERVALS):
        low, high = logarithm_interval(i)
        middle, inverse = (low + high) / 2, inverse_of(low, high)
        first, second = split(-log(inverse), mpf(2) ** -42)
        most = max(abs(low * inverse - 1), abs(high * inverse - 1))
        assert most <= mpf(2) ** -7, (i, most)
        assert first == 0 or abs(first) >= most, i  # the order in which the parts are added
        yield inverse, middle * inverse - 1, first, second


def solve(nodes, values):
    """Coefficients of the polynomial through these points (Newton's divided differences)."""
    n, divided = len(nodes), list(values)
    for level in range(1, n):
        for i in range(n - 1, level - 1, -1):
            divided[i] = (divided[i] - divided[i - 1]) / (nodes[i] - nodes[i - level])
    coefficients = [mpf(0)] * n
    for i in range(n - 1, -1, -1):
        shifted = [mpf(0)] + coefficients[:-1]
        coefficients = [s - nodes[i] * c for s, c in zip(shifted, coefficients)]
        coefficients[0] += divided[i]
    return coefficients


def polynomial(name, terms, radius, function, weight, comment):
    """sum of c_k r^k near function(r); the error that counts is multiplied by weight(r)."""
    nodes = [radius * cos(pi * (2 * k + 1) / (2 * terms)) for k in range(terms)]
    coefficients = [mpf(float(c)) for c in solve(nodes, [function(x) for x in nodes])]
    points = [radius * (mpf(k) / 500 - 1) for k in range(1001) if k != 500]
    value = lambda x: sum(c * x**k for k, c in enumerate(coefficients))
    error = max(abs((value(x) - function(x)) * weight(x)) for x in points)
    print(f"// {comment}: error below 2^{nstr(log(error) / log(2), 4)}.")
    print(f"constexpr double {name}[] = {{")
    for coefficient in coefficients:
        print(f"    {literal(coefficient)},")
    print("};")


def logarithm_remainder(r):
    return (log1p(r) - r + r * r / 2) / r**3 if r else mpf(1) / 3


def table(type_name, name, rows):
    print(f"constexpr {type_name} {name}[] = {{")
    for row in rows:
        print("    {" + ", ".join(literal(value) for value in row) + "},")
    print("};")


def pair(name, value):
    first = mpf(float(value))
    print(f"constexpr Pair {name} = {{{literal(first)}, {literal(value - first)}}};")


print("// Written by scripts/mathematics_tables.py, where it is explained. Not to be edited.")
print("#pragma once\n\n// clang-format off\nnamespace armature::portable {\n")
print("struct Pair {\n  double high = 0;  // the value rounded\n  double low = 0;   // what is missing\n};")
print("struct LogarithmRow {\n  double inverse;  // 1/c, rounded\n  double offset;   // c*inverse - 1")
print("  double high;     // -log(inverse)\n  double low;\n};")
print("struct ExponentialRow {\n  double power;  // 2^(j/128)\n  double low;    // relative to it\n};\n")
log2_high, log2_low = split(log(2), mpf(2) ** -42)
print(f"constexpr Pair kLog2 = {{{literal(log2_high)}, {literal(log2_low)}}};")
step_high, step_low = split(log(2) / INTERVALS, mpf(2) ** -42)
print(f"constexpr Pair kStep = {{{literal(step_high)}, {literal(step_low)}}};  // log(2)/128")
print(f"constexpr double kSteps = {literal(INTERVALS / log(2))};  // 128/log(2)")
pair("kPerLog2", 1 / log(2))
pair("kPerLog10", 1 / log(10))
pair("kThird", mpf(1) / 3)
print()
radius = mpf(2) ** -7
polynomial("kLogarithm", 6, radius, logarithm_remainder, lambda r: abs(r) ** 3,
           "(log1p(r) - r + r^2/2)/r^3 for |r| < 2^-7; times r^3")
polynomial("kLongLogarithm", 8, radius, logarithm_remainder, lambda r: abs(r) ** 2,
           "The same; times r^2, which is relative to log1p(r)")
polynomial("kExponential", 4, log(2) / 256 * (1 + mpf(2) ** -20), lambda r: (expm1(r) - r) / r**2,
           lambda r: r**2, "(exp(r) - 1 - r)/r^2 for |r| < log(2)/256; times r^2")
print()
table("LogarithmRow", "kLogarithms", logarithm_rows())


def exponential_rows():
    for j in range(INTERVALS):
        power = exp(log(2) * j / INTERVALS)
        rounded = mpf(float(power))
        yield rounded, (power - rounded) / rounded


table("ExponentialRow", "kPowers", exponential_rows())
print("\n}  // namespace armature::portable\n// clang-format on")
