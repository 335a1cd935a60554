# SPDX-License-Identifier: BSD-3-Clause
"""The problems of the suite ``kdtree``: search in few dimensions, build and query together.

Rows and queries are drawn together, so that queries come in random order unless a problem says
otherwise. The time of a slow peer is bounded: see `budget` and `hopeless` in problem.py.
"""

from functools import partial

import numpy as np

from benchmarks.problem import Problem, rows_of

BUDGET = 2.0  # seconds of rounds for each library and problem
HOPELESS = 2.5  # times the fastest peer's first run; see also run.FLOOR
LIMIT = 90.0  # seconds of a library's first run
WORST_LIMIT = 8.0  # the same, where libraries may never come back
PROBES = 20  # queries that show that a tree was built
SINGLES = 5_000  # queries that come one by one
F32, F64 = "float32", "float64"


# --- rows ---


def _surface(rng, n):
    """Points of a laser scanner above hilly ground: a surface in space, denser near the middle."""
    angle, reach = rng.uniform(0, 2 * np.pi, n), rng.exponential(20.0, n)
    x, y = reach * np.cos(angle), reach * np.sin(angle)
    ground = 3 * np.sin(x / 17) * np.cos(y / 11) + 0.5 * np.sin(x / 3 + y / 5)
    return np.column_stack([x, y, ground + 0.01 * rng.standard_normal(n)])


def _repeated(rng, n, d, distinct):
    """Rows of which there are only so many different ones."""
    return rng.random((distinct, d))[rng.integers(distinct, size=n)]


def _half(rng, n, d):
    """Half of the rows are one point, the others are uniform."""
    rows = rng.random((n, d))
    rows[rng.permutation(n)[: n // 2]] = 0.5
    return rows


def _aslant(rng, n, d):
    """Correlated columns: rows near a slanting space of four dimensions."""
    return rng.random((n, 4)) @ rng.standard_normal((4, d)) + 0.05 * rng.standard_normal((n, d))


KINDS = {
    "surface": lambda rng, n, d: _surface(rng, n),
    "equal": lambda rng, n, d: np.full((n, d), 0.5),
    "line": lambda rng, n, d: np.outer(rng.random(n), np.arange(1.0, d + 1)),
    "outlier": lambda rng, n, d: rng.random((n, d)),
    "grid": lambda rng, n, d: rng.integers(round(n ** (1 / d)), size=(n, d)).astype(float),
    "duplicates": lambda rng, n, d: _repeated(rng, n, d, 1_000),
    "half": _half,
    "offset": lambda rng, n, d: 1e8 + rng.random((n, d)),
    "aslant": _aslant,
}
AT_THE_ROWS = {"equal", "line", "grid", "duplicates", "half"}  # half of the queries are rows too


def _rows(kind, rng, n, d, dtype):
    if kind in KINDS:
        return KINDS[kind](rng, n, d).astype(dtype)
    return rows_of(kind, rng, n, d, dtype)


def _morton(rows):
    """The order of the rows along the Z curve of their bounding box."""
    low, high = rows.min(0), rows.max(0)
    d = rows.shape[1]
    bits = min(16, 64 // d)
    cells = ((rows - low) / (high - low) * (2**bits - 1)).astype(np.uint64)
    code = np.zeros(len(rows), dtype=np.uint64)
    for bit in range(bits):
        for j in range(d):
            code |= (cells[:, j] >> bit & 1) << (bit * d + j)
    return np.argsort(code, kind="stable")


def _cross_data(kind, n, m, d, k, dtype, ordered, seed):
    rng = np.random.default_rng(seed)
    both = _rows(kind, rng, n + m, d, dtype)
    rows, queries = both[:n], both[n:].copy()
    if kind in AT_THE_ROWS:
        near = rng.uniform(rows.min(0) - 0.1, rows.max(0) + 0.1, size=(m, d))
        queries[::2] = near[::2].astype(dtype)
    if kind == "outlier":
        rows[n // 3] = 1e9
    if ordered:
        queries = queries[_morton(queries)]
    return {"X": rows, "Q": queries, "k": k}


def _self_data(kind, n, d, k, dtype, seed):
    return {"X": _rows(kind, np.random.default_rng(seed), n, d, dtype), "k": k}


# --- problems ---


def _problem(name, work, make, dtype, **more):
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    return Problem(f"{name} {dtype}", work, make, dtype, **bounds)


def _cross(kind, n, d, k, dtype, *, m=None, work="tree", label="", ordered=False, **more):
    m = m or min(n, 100_000)
    name = f"{label or kind} {n}x{m}x{d} k={k}" + (" sorted queries" if ordered else "")
    make = partial(_cross_data, kind, n, m, d, k, dtype, ordered)
    return _problem(name, work, make, dtype, **more)


def _self(kind, n, d, k, dtype, **more):
    make = partial(_self_data, kind, n, d, k, dtype)
    return _problem(f"self {kind} n={n} d={d} k={k}", "self tree", make, dtype, **more)


def _build(kind, n, d, dtype, **more):
    label = f"build {kind}"
    return _cross(kind, n, d, 1, dtype, m=PROBES, label=label, **more)


def _one(n, d, k, dtype, *, m=SINGLES, **more):
    label = "one by one, uniform"
    return _cross("uniform", n, d, k, dtype, m=m, work="one query", label=label, **more)


def _auto(kind, n, d, k, dtype, **more):
    return _cross(kind, n, d, k, dtype, m=20_000, work="auto", label=f"auto {kind}", **more)


def _worst(n, m, dtype="float64"):
    """The hard kinds, each to be compared with uniform rows of the same shape."""
    uniform = _cross("uniform", n, 3, 4, dtype, m=m, label="usual uniform", beyond=True)
    kinds = ("equal", "line", "outlier", "grid", "duplicates", "half")
    more = {"group": "worst", "baseline": uniform.name, "limit": WORST_LIMIT}
    hard = (_cross(kind, n, 3, 4, dtype, m=m, label=f"worst {kind}", **more) for kind in kinds)
    return [uniform, *hard]


U, C = "uniform", "clusters"
CROSS = [
    # every d with every n; both kinds, all k and both dtypes within each
    (U, 10_000, 2, 1, F64),
    (C, 10_000, 2, 16, F32),
    (C, 100_000, 2, 4, F32),
    (U, 1_000_000, 2, 10, F64),
    (C, 1_000_000, 2, 1, F32),
    (C, 10_000, 3, 10, F32),
    (U, 100_000, 3, 1, F64),
    (C, 100_000, 3, 16, F64),
    (U, 1_000_000, 3, 4, F32),
    (U, 1_000_000, 3, 1, F64),
    (C, 1_000_000, 3, 10, F64),
    (U, 10_000, 4, 4, F32),
    (C, 100_000, 4, 1, F64),
    (U, 100_000, 4, 10, F32),
    (C, 1_000_000, 4, 16, F32),
    (U, 1_000_000, 4, 4, F64),
    (C, 10_000, 6, 1, F64),
    (U, 100_000, 6, 16, F32),
    (C, 100_000, 6, 10, F64),
    (C, 1_000_000, 6, 4, F32),
    (U, 10_000, 8, 10, F64),
    (C, 100_000, 8, 4, F32),
    (U, 100_000, 8, 1, F64),
    (C, 1_000_000, 8, 1, F64),
]

PROBLEMS = [
    *(_cross(*shape, group="cross") for shape in CROSS),
    _cross(U, 1_000_000, 8, 10, F32, m=20_000, group="cross"),  # seconds for a peer as it is
    *(
        _self(*shape, group="self")
        for shape in (
            (U, 200_000, 2, 10, F32),
            (U, 1_000_000, 2, 1, F64),
            (C, 200_000, 3, 1, F64),
            ("normal", 1_000_000, 3, 10, F64),
            (C, 500_000, 4, 4, F32),
            ("normal", 200_000, 5, 10, F64),
            (U, 1_000_000, 5, 1, F32),
        )
    ),
    *(_auto("normal", 200_000, d, 10, F64, group="auto") for d in (10, 12, 16)),
    _cross(U, 1_000_000, 3, 100, F64, m=20_000, group="many"),
    _cross(C, 100_000, 3, 100, F32, group="many"),
    _cross(U, 100_000, 3, 1_000, F64, m=10_000, group="many"),
    _cross(C, 1_000_000, 3, 1_000, F32, m=10_000, group="many"),
    _build(U, 1_000_000, 3, F64, group="build"),
    _build(U, 1_000_000, 3, F32, group="build"),
    _one(100_000, 3, 1, F64, group="one"),
    *_worst(1_000_000, 100_000),
    # beyond
    _build(C, 1_000_000, 8, F64, beyond=True),
    _one(100_000, 3, 10, F32, beyond=True),
    _cross(U, 1_000, 3, 1, F64, beyond=True),
    _cross("normal", 1_000, 8, 10, F32, beyond=True),
    _cross(U, 1_000_000, 1, 4, F64, beyond=True),
    _cross(U, 100_000, 5, 4, F64, beyond=True),
    _cross("normal", 100_000, 6, 10, F64, beyond=True),
    _cross(C, 100_000, 10, 10, F64, beyond=True),
    _cross("surface", 1_000_000, 3, 1, F64, beyond=True),
    _cross("surface", 1_000_000, 3, 16, F32, beyond=True),
    _cross(U, 1_000_000, 3, 4, F64, ordered=True, beyond=True),
    _cross("offset", 100_000, 3, 4, F64, beyond=True),
    _cross("aslant", 100_000, 8, 10, F64, beyond=True),
    _cross("aslant", 100_000, 16, 10, F32, beyond=True),
    _self("surface", 1_000_000, 3, 10, F64, beyond=True),
    _self("normal", 100_000, 8, 10, F64, beyond=True),
    _auto(C, 200_000, 16, 10, F64, beyond=True),
    _auto(U, 200_000, 3, 10, F32, beyond=True),
]

QUICK = [
    _cross(U, 2_000, 3, 4, F64, group="cross"),
    _cross(C, 2_000, 2, 10, F32, ordered=True, beyond=True),
    _cross("surface", 1_000, 3, 1, F32, beyond=True),
    _cross("offset", 1_000, 3, 4, F64, beyond=True),
    _self(U, 2_000, 3, 4, F64, group="self"),
    _auto("normal", 5_000, 10, 5, F64, group="auto"),
    _cross(U, 5_000, 3, 100, F64, m=100, group="many"),
    _build(U, 5_000, 3, F64, group="build"),
    _one(2_000, 3, 1, F64, m=50, group="one"),
    *_worst(3_000, 300),
]
