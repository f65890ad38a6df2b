#!/usr/bin/env python3
"""Writes bounds_reference.csv: every bound at chosen settings, to 30 digits.

Straight from the formulas of the paper, the specification (section 7), docs/sentry.md and
docs/warden.md, with mpmath at 60 digits and none of the library's code. Run it in this folder; read
the diff.
"""
import csv
import sys
from mpmath import mp, mpf, sqrt, log, exp, cbrt, ceil, floor, e as EULER

mp.dps = 60


def log2_floored(t):
    return max(mpf(1), log(t) / log(2))


def guarded(t):
    return log(max(t, mpf(2)))


def plus(x):
    return max(x, mpf(0))


class Setting:
    def __init__(self, A, Z, T, delta=None, rank=None, gap=None, epsilon=None, r2=None,
                 delay=None):
        self.given = (A, Z, T, delta, rank, gap, epsilon, r2, delay)
        self.A, self.Z, self.T = mpf(A), mpf(Z), mpf(T)
        # Decimal options are read as doubles, so the reference starts from the same doubles.
        number = lambda text: None if text is None else mpf(float(text))
        self.delta_given = number(delta)
        self.delta = self.delta_given or 1 / max(self.T, mpf(2))
        self.d = mpf(rank) if rank else min(self.A, self.Z)
        self.gap, self.epsilon, self.delay = number(gap), number(epsilon), number(delay)
        least = sqrt(self.A * self.T)
        corner = min(max(mpf(1), sqrt(self.A / self.Z)), max(mpf(1), self.T / least))
        self.R2 = number(r2) or least * corner
        self.Z2 = self.R2 / least

    def expected(self):
        A, Z, T, _, rank, gap, epsilon, r2, _ = self.given
        return Setting(A, Z, T, None, rank, gap, epsilon, r2)


def L(k, s):
    return log(2 * k * s.T / s.delta)


def d_ucb(s):
    return sqrt(8 * s.A * L(s.A, s))


def d_cucb(s, four=4):
    return sqrt(L(s.Z, s)) * (sqrt(8 * s.Z) + sqrt(four * log(s.T / s.delta)))


def support(d):
    return 4 * d * (plus(log(log(d))) if d > 2 else 0) + 16


def L_P(s):
    return log(2 * s.A * log2_floored(s.T) / s.delta)


def d_pe(s):
    m1, lp = support(s.d), L_P(s)
    rounds = regret = best = mpf(0)
    phase = 1
    while rounds < s.T:
        m = m1 * mpf(2) ** (phase - 1)
        rate = mpf(1) if phase == 1 else min(mpf(1), 8 * sqrt(s.d * lp / (m / 2)))
        length = min(m + m1, s.T - rounds)
        rounds += length
        regret += rate * length
        best = max(best, regret / sqrt(rounds))
        phase += 1
    return best


def pe_gap(s):
    m1, lp = support(s.d), L_P(s)
    x = 64 * s.d * lp / (m1 * s.gap**2)
    last = 1 if x < 1 else 2 + int(floor(log(x) / log(2)))
    total = 2 * m1
    for phase in range(2, last + 1):
        before = m1 * mpf(2) ** (phase - 2)
        total += (2 * before + m1) * min(mpf(1), 8 * sqrt(s.d * lp / before))
    return total


def rate_log(s):
    return plus(log(s.A * guarded(s.T) / s.delta))


def balanced(s, star, other):
    (ds, zs), (dj, zj) = star, other
    ell = log(2 * guarded(s.T) / s.delta)
    return 1 + sqrt(s.T) * (ds + 2 * zs * ds + dj / (4 * zj)
                            + sqrt(zs * ds * dj / zj) * (1 + 6 * sqrt(ell) / ds) + 6 * sqrt(2 * ell))


def sentry(s, out, prefix, anytime, schedule):
    T, A, Z = s.T, s.A, s.Z
    delta = (s.delta_given or mpf(0.05)) if anytime else s.delta
    if anytime:
        ell = lambda k: mpf("1.445") * (log(log(2 * T)) + mpf("0.72") * log(mpf("10.4") * k / delta))
    else:
        ell = lambda k: log(2 * k * T / delta)
    a, z, m = ell(A), ell(Z), ell(mpf(1) / 2)
    allowance = cbrt(A) * cbrt(T) ** 2
    near = mp.nint(allowance)  # cube roots of cubes are whole numbers, whatever the last digit
    allowance = near if abs(allowance - near) < mpf(10) ** -30 else allowance
    E = max(mpf(1), ceil(min(T, allowance)))
    f = E / T
    D_C = sqrt(z) * (sqrt(8 * Z) + sqrt(m))
    ucb = sqrt(8 * A * a * T)
    if schedule == "first":
        S, explored = plus(T - E) * sqrt(A * (2 * a + 1) / E), min(T, E)
    elif schedule == "spread":
        S, explored = 2 * (1 - f) * sqrt(A * (2 * a + 1) * T / f), E
    else:
        S = mpf(3) / 2 * cbrt(A) * sqrt(2 * a + 1) * plus(cbrt(T) ** 2 - cbrt(A) ** 2)
        explored = min(T, ceil(allowance))
    causal = D_C * sqrt(T) + sqrt(8 * A * a * explored)
    out[prefix + "-any"] = ucb + S
    out[prefix + "-benign"] = min(causal, ucb)
    if s.epsilon is not None:
        out[prefix + "-epsilon"] = min(causal + s.epsilon * (1 + sqrt(z / 2)) * T,
                                       ucb + s.epsilon / 2 * T)
    if s.gap is None:
        return
    open_gap = 2 * sqrt(A * (2 * a + 1) / E)
    G = {"first": 0 if s.gap >= open_gap else plus(T - E) * min(mpf(1), open_gap),
         "spread": 8 * (1 - f) * A * (2 * a + 1) / (f * s.gap),
         "free": 12 * A * (2 * a + 1) ** mpf("1.5") / s.gap**2}[schedule]
    out[prefix + "-gap"] = (A - 1) * (8 * a / s.gap + s.gap) + G
    out[prefix + "-benign-gap"] = (A - 1) * (2 * a / s.gap + s.gap)


class MossTail:
    """docs/warden.md, Lemma 2: a step function above the tail of the shortfall, and its integral."""
    FAR, POWER = mpf(10) ** 5, 2 * (12 * sqrt(mpf(2)) - 16)

    def __init__(self):
        mp.dps = 25  # the table is long
        self.edges, self.tails = [], []
        edge = 1.0  # edges are defined as doubles
        while edge < 1 + 1e5:
            self.edges.append(mpf(edge - 1))
            self.tails.append(max(self.summed(self.edges[-1]), self.closed(self.FAR)))
            edge *= 1.004
        mp.dps = 60
        self.after = [self.closed_integral(self.FAR)]
        for k in range(len(self.edges) - 1, -1, -1):
            end = self.edges[k + 1] if k + 1 < len(self.edges) else self.FAR
            self.after.append(self.after[-1] + (end - self.edges[k]) * self.tails[k])
        self.after.reverse()

    def closed(self, y):
        return exp(-2 * y * y) + mpf("1.84") * y ** -self.POWER

    def closed_integral(self, y):
        return exp(-2 * y * y) / (4 * y) + mpf("1.84") * y ** (1 - self.POWER) / (self.POWER - 1)

    def summed(self, y):
        path = lambda u: u * y + sqrt(u * log(1 / u) / 2)
        total = exp(-2 * y * y)
        for k in range(80):
            right = mpf(2) ** -k
            left = right / 2
            slope = (path(right) - path(left)) / (right - left)
            start = path(left) - slope * left
            # least of (start + slope·u)²/u on [left, right]
            at = right if slope <= 0 else min(max(start / slope, left), right)
            total += exp(-2 * (start + slope * at) ** 2 / at)
        return min(mpf(1), total)

    def tail(self, y):
        return self.closed(y) if y >= self.FAR else self.tails[self.index(y)]

    def excess(self, y):
        if y >= self.FAR:
            return self.closed_integral(y)
        k = self.index(y)
        return self.after[k] - (y - self.edges[k]) * self.tails[k]

    def index(self, y):
        return max(k for k, edge in enumerate(self.edges) if edge <= y)


MOSS = MossTail()


def warden(s, out):
    """docs/warden.md, section 3, in expectation at δ = 1/T."""
    A, Z, T = s.A, s.Z, s.T
    delta, kappa = 1 / max(T, mpf(2)), mpf(50)
    ell = lambda n: mpf("1.445") * (log(log(2 * n)) + mpf("0.72") * log(mpf("10.4") * A / delta))
    r = max(mpf(1) / 2, min(sqrt(Z * T) / (6 * A), sqrt(T / A) / 2))
    root = sqrt(T / A)
    P = lambda x: exp(-8 * r * x) + MOSS.tail(x * root)
    above = lambda x: exp(-8 * r * x) / (8 * r) + MOSS.excess(x * root) / root
    m = kappa * r**2 - 1
    h = r / m + sqrt(ell(m) / (2 * m))
    c1 = MOSS.excess(mpf(0))
    out["warden-any"] = (T / (8 * r) + (c1 + sqrt(mp.pi) + sqrt(18 * ell(T))) * sqrt(A * T) + A
                         + T * h + delta * T)
    g = sqrt(2 / kappa) / r
    E = kappa * A * r**2
    out["warden-benign"] = (
        sqrt(Z * T) * (c1 + sqrt(mp.pi) + mpf(1) / 2 + sqrt(mp.pi / 8) + sqrt(log(Z) / 2)) + Z
        + (A - 1) * (2 * r + 2 + 2 / g) + E * (g + 2 * above(g / 2)) + 1 + 3 * delta * T)
    b = max(mpf(2), T / Z)
    if s.epsilon is not None:
        out["warden-epsilon"] = (out["warden-benign"]
                                 + s.epsilon * T * (3 + sqrt(log(b) / 2)) / 2)
    if s.gap is None:
        return
    x = s.gap / 2
    beyond = x * P(x) + above(x)
    a = ell(T)
    plays = max(2 * (3 * sqrt(a) + sqrt(plus(log(T / (18 * A * a))))) ** 2, 32 * a)
    out["warden-gap"] = ((A - 1) * (plays / s.gap + s.gap) + 2 * T * beyond + delta * T
                         + (0 if s.gap >= 4 * h else T * min(mpf(1), 4 * h)))
    watch = min(2 * r + 2 + 2 / s.gap,
                (8 * max(mpf(1), log(T / (8 * A))) + 8) / s.gap + s.gap)
    out["warden-benign-gap"] = ((A - 1) * (8 * a / s.gap + s.gap + watch)
                                + 2 * E * beyond + 1 + 3 * delta * T
                                + 4 * T / sqrt(b) * MOSS.excess(s.gap * sqrt(b) / 4))


def smallest_whole(holds, most=10**18):
    if holds(1):
        return 1
    if not holds(most):
        return None
    low, high = 1, most
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high


def zones(s, out):
    A, Z, T = s.A, s.Z, s.T
    out["epsilon-harmless"] = 1 / sqrt(T)
    out["epsilon-worthless"] = sqrt((A - 1) / T) / 5
    out["price-of-adaptivity"] = sqrt(A / Z)
    out["frontier-lower-from"] = 641**2 * A
    out["frontier-lower-sharp-from"] = 320**2 * A
    out["hac-ucb-from"] = 25 * A**2
    for name, four in (("c-ucb-crossing", 4), ("c-ucb-sharp-crossing", 1)):
        causal = d_cucb(s, four) ** 2
        out[name] = smallest_whole(lambda k: 8 * k * L(mpf(k), s) > causal)
    at = lambda t: Setting(s.given[0], s.given[1], t)
    out["ucb-horizon"] = smallest_whole(lambda t: d_ucb(at(t)) * sqrt(mpf(t)) < t)
    out["c-ucb-horizon"] = smallest_whole(lambda t: d_cucb(at(t), 1) * sqrt(mpf(t)) < t)
    out["sentry-threshold"] = d_cucb(s, 1) ** 2 * T / (8 * A * L(A, s))


def lower(s, out):
    A, Z, T, R2 = s.A, s.Z, s.T, s.R2
    if A >= 2 and R2 <= T / 641:
        out["frontier-lower"] = (A - 1) * (log(mpf(2)) / 512) * T / R2
    if A >= 2 and R2 < T / 320:
        out["frontier-lower-sharp"] = ((A - 1) * T / (256 * EULER * R2) if R2 < T / (320 * EULER)
                                       else mpf(5) / 4 * (A - 1) * log(T / (320 * R2)))
    if A >= 3 and Z >= 2:
        safe = lambda gap: ((A - 2) * log(T * gap / R2) - (A - 1) * log(mpf(2))) / gap
        K = lambda gap: 1 / ((mpf(3) / 4 + 2 * gap) * (mpf(1) / 4 - 2 * gap)) + mpf(16) / 3
        last = mpf(1) / 40
        worst = min(last, EULER * 2 ** ((A - 1) / (A - 2)) * R2 / T)
        if safe(last) > 0:
            out["frontier-lower-direct"] = safe(worst) / K(last)
        if s.gap is not None and s.gap < mpf(1) / 8 and safe(s.gap) > 0:
            out["safe-gap-lower"] = safe(s.gap) / K(s.gap)
    printed = sqrt((A - 1) / T) / 40  # Δ of the paper
    best = sqrt((A - 1) / (128 * T))
    if A > 1:
        out["zero-knowledge-lower"] = T * printed / 8 * exp(-64 * T * printed**2 / (A - 1))
        out["zero-knowledge-lower-sharp"] = T * best / 8 * exp(-64 * T * best**2 / (A - 1))
    else:
        out["zero-knowledge-lower"] = out["zero-knowledge-lower-sharp"] = mpf(0)
    out["minimax-benign"] = sqrt(Z * T)
    out["minimax-any"] = sqrt(A * T)


def balancing(s, out):
    A, Z, T = s.A, s.Z, s.T
    price = sqrt(plus(log(guarded(T) / s.delta)))
    c, p, u = (d_cucb(s), mpf(1)), (d_pe(s), mpf(1)), (d_ucb(s), s.Z2)
    out["db-benign"] = (2 * c[0] + price + u[0] / u[1]) * sqrt(T)
    out["db-any"] = (u[0] + price + u[0] * u[1] + c[0]) * sqrt(T)
    R1 = max(sqrt(Z * T), A * T / s.R2)
    out["db-dial-benign"] = (c[0] + price + u[0] * R1 / sqrt(A * T)) * sqrt(T)
    out["db-dial-any"] = (c[0] + price + u[0] * s.R2 / sqrt(A * T)) * sqrt(T)
    out["db-corrected-benign"] = balanced(s, c, u)
    out["db-corrected-any"] = balanced(s, u, c)
    out["db-pe-corrected-benign"] = balanced(s, p, u)
    out["db-pe-corrected-any"] = balanced(s, u, p)
    kappa = u[0] * c[1] / (c[0] * u[1])
    out["db-printed-benign"] = (c[0] + u[0] * sqrt(kappa / (1 + kappa))) * sqrt(T) + 1
    out["frontier-upper-benign"] = R1 * guarded(T)
    out["frontier-upper-any"] = s.R2 * guarded(T)


def delayed(s, out):
    """docs/theory.md, late outcomes: what each round of delay adds to the rows for prompt outcomes."""
    A, Z, T, D = s.A, s.Z, s.T, s.delay
    a, z = L(A, s), L(Z, s)
    contexts = Z + Z * sqrt(z / 2)
    K = sqrt(mpf(27)) * (z + 2 * log(Z / s.delta) / mpf("1.5936")) / z
    out["ucb-delay"] = out["ucb"] + A * D
    out["ucb-delay-ignore"] = out["ucb"] + (A - 1) * D
    out["c-ucb-delay"] = out["c-ucb-sharp"] + (contexts + K) * D
    out["c-ucb-delay-ignore"] = out["c-ucb-sharp"] + contexts * D
    near = mp.nint(cbrt(A) * cbrt(T) ** 2)
    E = min(T, near if abs(near**3 - A * T**2) < mpf(10) ** -20 else ceil(cbrt(A) * cbrt(T) ** 2))
    explored = d_cucb(s, 1) * sqrt(T) + d_ucb(s) * sqrt(min(T, E))
    out["sentry-delay-benign"] = min(explored + (A + contexts + K) * D, out["ucb"] + (A + K) * D)
    g = lambda e: sqrt(A * (2 * a + 1) / e)
    rest = E - A * D
    open_ignore = g(rest) if rest > 0 else mp.inf
    open_count = open_ignore
    if D > 0 and rest > 0:
        last = min(rest / 2, sqrt(2 * rest * D / g(rest)))
        open_count = g(rest - last) + D / last
    out["sentry-delay-any"] = out["ucb"] + A * D + (0 if T == E else (T - E) * open_count)
    out["sentry-delay-any-ignore"] = (out["ucb"] + (A - 1) * D
                                      + (0 if T == E else (T - E) * open_ignore))


def table(s):
    A, Z, T, delta = s.A, s.Z, s.T, s.delta
    root = sqrt(T)
    out = {
        "ucb": d_ucb(s) * root,
        "ucb-expected": d_ucb(s.expected()) * root + 1,
        "c-ucb": d_cucb(s) * root,
        "c-ucb-sharp": d_cucb(s, 1) * root,
        "c-ucb-expected": d_cucb(s.expected()) * root + 2,
        "hac-ucb-benign": sqrt(Z * T),
        "hac-ucb-any": T ** mpf("0.75") * sqrt(A * guarded(T)),
        "hac-ucb-expected-benign": (sqrt(T) + 4 * sqrt(Z * T * guarded(T)) + guarded(T) * sqrt(2 * T)
                                    + mpf(7) / 2 * A + 2 * Z + 1),
        "hac-ucb-expected-any": (sqrt(T) + 4 * sqrt(Z * T * guarded(T)) + guarded(T) * sqrt(2 * T)
                                 + mpf(7) / 2 * A + 1 + 4 * sqrt(A * T * guarded(T))
                                 + 2 * T * sqrt(guarded(T) / (sqrt(T) / A + mpf(1) / 2))),
        "pe": d_pe(s) * root,
        "pe-rate": sqrt(s.d * rate_log(s) * T),
        "pe-expected": d_pe(s.expected()) * root + 1,
    }
    if s.gap is not None:
        out["ucb-gap"] = (A - 1) * (2 * L(A, s) / s.gap + s.gap)
        out["pe-gap"] = pe_gap(s)
        out["pe-gap-closed"] = 2 * support(s.d) + mpf("655.5") * s.d * L_P(s) / s.gap
        out["pe-gap-rate"] = s.d * rate_log(s) / s.gap
    if s.epsilon is not None:
        out["c-ucb-epsilon"] = (sqrt(plus(log(Z * T / delta)))
                                * (sqrt(Z) + sqrt(plus(log(T / delta)))) * root + s.epsilon * T)
        out["pe-epsilon"] = (sqrt(s.d * rate_log(s) * T)
                             + s.epsilon * T * sqrt(s.d) * guarded(T))
    balancing(s, out)
    sentry(s, out, "sentry-first", False, "first")
    sentry(s, out, "sentry-spread", False, "spread")
    sentry(s, out, "sentry-free", False, "free")
    sentry(s, out, "sentry-anytime-first", True, "first")
    sentry(s, out, "sentry-anytime-free", True, "free")
    warden(s, out)
    if s.delay is not None:
        delayed(s, out)
    lower(s, out)
    zones(s, out)
    return out


SETTINGS = [
    Setting(20, 2, 10**6),
    Setting(20, 2, 10**6, gap="0.1", epsilon="0.001", r2="100000"),
    Setting(20, 2, 10**5, delta="0.05", gap="1", epsilon="2"),
    Setting(200, 5, 10**7, rank=3, gap="0.02", epsilon="0"),
    Setting(1000, 2, 10**9, gap="0.5", r2="1500000"),
    Setting(1, 1, 1, gap="0.5", epsilon="0.5"),
    Setting(2, 2, 2, gap="0.25"),
    Setting(3, 50, 10**4, delta="0.9", gap="0.3", epsilon="0.7"),
    Setting(7, 3, 640**2 * 7, r2=str(640 * 7)),
    Setting(50, 2, 10**9, r2="2000000"),
    Setting(10**6, 2, 10**12, gap="0.001"),
    Setting(10**9, 10**9, 10**18, gap="1e-09", epsilon="0.1"),
    Setting(10**9, 2, 10**18, delta="1e-250", gap="1e-150"),
    Setting(2, 10**9, 17, gap="0.01", epsilon="1"),
    Setting(20, 2, 10**6, delay="0"),
    Setting(20, 2, 10**6, delay="10"),
    Setting(20, 2, 10**6, delay="10000"),
    Setting(200, 5, 10**7, delta="0.01", delay="1"),
    Setting(1, 1, 1, delay="1000000000"),
    Setting(7, 3, 10**12, delay="1234"),
    Setting(20, 2, 10**15, gap="0.1"),
]

if __name__ == "__main__":
    with open("bounds_reference.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow("actions contexts horizon delta rank gap epsilon r2 delay name value".split())
        for setting in SETTINGS:
            inputs = ["" if x is None else x for x in setting.given]
            for name, value in table(setting).items():
                no_double = value is None or value > mpf(sys.float_info.max)
                writer.writerow(inputs + [name, "" if no_double else mp.nstr(mpf(value), 30)])
