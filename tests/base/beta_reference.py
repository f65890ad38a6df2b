#!/usr/bin/env python3
"""Writes beta_reference.txt: upper tails of Beta laws and their quantiles, at 60 digits (mpmath).

    python3 tests/base/beta_reference.py > tests/base/beta_reference.txt

Rows: tail ALPHA BETA X VALUE, quantile ALPHA BETA TAIL VALUE. Arguments stand for the doubles they are read as.
"""
from mpmath import beta, exp, log, log1p, mp, mpf, nstr, sqrt

mp.dps = 50
PAIRS = [(1, 1), (1, 2), (2, 1), (1.5, 2.25), (5, 1), (1, 40), (40, 1), (8.75, 30.5), (30.5, 8.75), (16, 16),
         (101, 1), (1, 1001), (400.5, 601.25), (901, 101), (5001, 5001)]


def lower(a, b, x):
    """P(X ≤ x), by a series of positive terms."""
    term = total = mpf(1)
    k = 0
    while term > total * mpf(10) ** -48:
        term *= (a + b + k) / (a + 1 + k) * x
        total += term
        k += 1
    return exp(a * log(x) + b * log1p(-x)) / (a * beta(a, b)) * total


def tail(a, b, x):
    a, b, x = mpf(a), mpf(b), mpf(x)
    return 1 - lower(a, b, x) if x < a / (a + b) else lower(b, a, 1 - x)


def quantile(a, b, level):
    """Halving, then Newton's steps: on the complement, which is what is small where doubles end."""
    low, high = mpf(0), mpf(1)
    for _ in range(24):
        middle = (low + high) / 2
        if tail(b, a, middle) < 1 - mpf(level):
            high = middle
        else:
            low = middle
    y = high
    for _ in range(200):
        density = exp((b - 1) * log(y) + (a - 1) * log1p(-y)) / beta(mpf(a), mpf(b))
        mass = 1 - tail(b, a, y)
        change = mass * log(mass / level) / (y * density)
        y *= exp(-change)
        if abs(change) < mpf(10) ** -40:
            break
    return 1 - y


for a, b in PAIRS:
    mean, deviation = a / (a + b), float(sqrt(mpf(a) * b / (mpf(a + b) ** 2 * (a + b + 1))))
    for z in [-3, -1, 0, 0.5, 2, 5, 9]:
        x = mean + z * deviation
        if 0 < x < 1:
            print("tail", repr(a), repr(b), repr(x), nstr(tail(a, b, x), 20))
    for level in [0.9, 0.5, 0.1, 1e-3, 1e-6, 1e-12]:
        print("quantile", repr(a), repr(b), repr(level), nstr(quantile(a, b, level), 20))
