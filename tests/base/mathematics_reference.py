#!/usr/bin/env python3
"""Writes mathematics_reference.txt: elementary functions at 60 digits (mpmath).

    python3 tests/base/mathematics_reference.py > tests/base/mathematics_reference.txt

Rows: FUNCTION X [Y] NEAREST REST. X, Y and NEAREST are the bits of doubles; the value is NEAREST plus REST units of
its last place.
"""
import random
import struct

from mpmath import atan, cbrt, exp, floor, hypot, log, log1p, mp, mpf, power

mp.dps = 60
SMALLEST, LARGEST = 2.0**-1074, 1.7976931348623157e308
draw = random.Random(1)


def bits(x):
    return struct.pack(">d", x).hex()


def unit(x):
    """Of the last place of a double."""
    exponent = struct.unpack(">Q", struct.pack(">d", abs(x)))[0] >> 52
    return mpf(2) ** (max(exponent, 1) - 1075)


def nearest(value):
    """The double nearest to it: float() rounds twice where doubles are subnormal."""
    if abs(value) >= mpf(2) ** -1021:
        return float(value)
    return float(int(floor(value / mpf(2) ** -1074 + mpf(1) / 2))) * SMALLEST


def row(name, function, *arguments):
    value = function(*map(mpf, arguments))
    if abs(value) > LARGEST:
        return
    rounded = nearest(value)
    rest = (value - mpf(rounded)) / unit(rounded)
    print(name, *map(bits, arguments), bits(rounded), f"{float(rest):.4f}")


def any_positive():
    """All magnitudes alike, subnormal ones too."""
    return struct.unpack(">d", struct.pack(">Q", draw.randrange(1, 0x7FF << 52)))[0]


def near(centre, farthest):
    """At all distances alike."""
    return centre + draw.choice([-1, 1]) * 2.0 ** draw.uniform(-54, farthest)


def signed(x):
    return draw.choice([-1, 1]) * x


POSITIVE = [SMALLEST, 3 * SMALLEST, 2.0**-1022, 2.0**-1022 - SMALLEST, LARGEST, 1.0, 1 + 2.0**-52, 1 - 2.0**-53,
            0.6875, 0.6875 - 2.0**-53, 1.375, 1.375 - 2.0**-52, 1 + 2.0**-7, 1 - 2.0**-8, 0.5, 2.0, 10.0, 1e18]


def logarithms(name, function, count):
    for x in POSITIVE:
        row(name, function, x)
    for _ in range(count):
        row(name, function, any_positive())
        row(name, function, near(1, -4))
        row(name, function, draw.uniform(0.5, 2))
        row(name, function, float(draw.randrange(1, 10**9)))


logarithms("log", log, 700)
logarithms("log2", lambda x: log(x) / log(2), 300)
logarithms("log10", lambda x: log(x) / log(10), 300)
for x in [SMALLEST, -SMALLEST, 2.0**-53, -(2.0**-53), 2.0**-40, -0.5, 1 / 3, 2.0**-53 - 1, 1.0, LARGEST]:
    row("log1p", log1p, x)
for _ in range(500):
    row("log1p", log1p, near(0, -1))
    row("log1p", log1p, draw.uniform(-0.99, 1))
    row("log1p", log1p, any_positive())
    row("log1p", log1p, -1 + 2.0 ** draw.uniform(-52, 0))

for x in [SMALLEST, -SMALLEST, 2.0**-54, -(2.0**-54), 1.0, -1.0, 709.782712893384, -708.3964185322641,
          -708.3964185322642, -745.1332191019411, -745.1332191019412, -744.4400719213812]:
    row("exp", exp, x)
for _ in range(600):
    row("exp", exp, draw.uniform(-708, 709))
    row("exp", exp, draw.uniform(-1, 1))
    row("exp", exp, draw.uniform(-745.2, -700))
    row("exp", exp, near(0, -1))
    row("exp", exp, draw.randrange(-1000, 1000) * 0.0027076061740622863)  # where the table's steps meet

for x in POSITIVE:
    row("cbrt", cbrt, x)
for _ in range(600):
    row("cbrt", cbrt, any_positive())
    row("cbrt", cbrt, draw.uniform(0, 100))
    row("cbrt", cbrt, float(draw.randrange(1, 10**15)))

for x, y in [(2.0, 1023.0), (2.0, -1074.0), (10.0, 18.0), (1e18, 2 / 3), (1 - 2.0**-53, 2.0**62), (1 + 2.0**-52, 2.0**61)]:
    row("pow", power, x, y)
for _ in range(500):
    row("pow", power, draw.uniform(0, 100), draw.uniform(-10, 10))
    row("pow", power, 10 ** draw.uniform(0, 18), draw.choice([-0.25, 0.25, 0.5, 0.75, 1.5, draw.random()]))
    x = any_positive()
    row("pow", power, x, float(draw.uniform(-744, 709) / log(x)))
    x = near(1, -3)
    if x not in (0, 1):
        row("pow", power, x, float(draw.uniform(-744, 709) / log(x)))
    row("pow", power, 10.0, float(draw.randrange(-320, 309)))

for _ in range(500):
    x = any_positive()
    row("hypot", hypot, signed(x), signed(min(x * draw.uniform(0, 2), LARGEST)))
    row("hypot", hypot, draw.uniform(0, 2), draw.uniform(-1, 1))

for x in [SMALLEST, 1.0, 1 + 2.0**-52, 1 - 2.0**-53, LARGEST]:
    row("atan", atan, x)
for _ in range(700):
    row("atan", atan, signed(any_positive()))
    row("atan", atan, draw.uniform(-4, 4))
    row("atan", atan, draw.uniform(0, 13))
