#!/usr/bin/env python3
"""Writes discrete_reference.txt: logarithms of binomial and hypergeometric probabilities, from
differences of log-gammas at 100 digits (mpmath), where that is harmless.

    python3 tests/base/discrete_reference.py > tests/base/discrete_reference.txt

Rows: binomial TRIALS PROBABILITY SUCCESSES LOG, hypergeometric MARKED UNMARKED DRAWS DRAWN LOG.
A probability stands for the double it is read as.
"""
from mpmath import floor, log, log1p, loggamma, mp, mpf, nstr, sqrt

mp.dps = 100
SMALLEST_LOG = -690  # below, doubles end
COUNTS = [10, 10**3, 10**6, 10**9, 10**12, 2**53, 2**60]


def log_choose(n, k):
    return loggamma(mpf(n) + 1) - loggamma(mpf(k) + 1) - loggamma(mpf(n - k) + 1)


def places(mean, variance, low, high):
    """The mode's neighbourhood, 1 to 6 standard deviations to both sides, and the ends."""
    deviation = sqrt(variance)
    wanted = {low, low + 1, high - 1, high}
    for z in range(-6, 7):
        wanted.add(int(floor(mean + z * deviation)))
        wanted.add(int(floor(mean)) + z)
    return sorted(k for k in wanted if low <= k <= high)


def rows(kind, parameters, law, mean, variance, low, high):
    for k in places(mean, variance, low, high):
        value = law(k)
        if value > SMALLEST_LOG:
            print(kind, *parameters, k, nstr(value, 20))


def binomial(trials, probability):
    p = mpf(probability)
    law = lambda k: log_choose(trials, k) + k * log(p) + (trials - k) * log1p(-p)
    mean = trials * p
    rows("binomial", (trials, repr(probability)), law, mean, mean * (1 - p), 0, trials)


def hypergeometric(marked, unmarked, draws):
    total = marked + unmarked
    law = lambda k: (log_choose(marked, k) + log_choose(unmarked, draws - k)
                     - log_choose(total, draws))
    mean = mpf(marked) * draws / total
    variance = mean * unmarked / total * (total - draws) / (total - 1)
    rows("hypergeometric", (marked, unmarked, draws), law, mean, variance,
         max(0, draws - unmarked), min(draws, marked))


for trials in COUNTS:
    for probability in [1e-12, 1e-3, 0.3, 0.5, 0.9, 0.999]:
        binomial(trials, probability)
for total in COUNTS:
    for marked, draws in [(total // 2, total // 2), (3 * total // 10, total // 3),
                          (9 * total // 10, total // 7), (total // 3, 9 * total // 10),
                          (7, total // 2), (total // 2, total - 3)]:
        hypergeometric(marked, total - marked, draws)
hypergeometric(2**60, 2**60, 2**60)
hypergeometric(2**60, 2**60, 10**6)
