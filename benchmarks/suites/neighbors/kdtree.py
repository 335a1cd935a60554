# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``kdtree``: search in few dimensions, build and query together.

Rows and queries are drawn together, so that queries come in random order unless a problem says
otherwise. The time of a slow peer is bounded: see `budget` and `hopeless` in
benchmarks/harness/problem.py. A library is a subclass of `Trees` that says how it builds, how it
asks for neighbors, and how it asks for those of the rows themselves; the adapters are made from
these three.
"""

import time
from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, named
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Tolerances
from benchmarks.harness.problem import F32, F64, Problem
from benchmarks.harness.rows import KINDS, rows_of
from benchmarks.harness.suite import Growth, Library, Suite
from benchmarks.suites.neighbors.knn import LOOSE, OURS, ROUNDED, STRICT, NeighborsCheck

BUDGET = 2.0  # seconds of rounds for each library and problem
HOPELESS = 2.5  # times the fastest peer's first run; see also run.MIN_SECONDS_ALLOWED
LIMIT = 90.0  # seconds of a library's first run
WORST_LIMIT = 8.0  # the same, where libraries may never come back
PROBES = 20  # queries that show that a tree was built
SINGLES = 5_000  # queries that come one by one
SLOW_ELEMENTS = 2e6  # rows or queries times features from which scikit-learn is not waited for


# --- data and problems ---


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


def _problem(name, task, make, dtype, **more):
    bounds = {"budget": BUDGET, "hopeless": HOPELESS, "limit": LIMIT} | more
    return Problem(f"{name} {dtype}", task, make, dtype, **bounds)


def _cross(kind, n, d, k, dtype, *, m=None, task="tree", label="", ordered=False, **more):
    m = m or min(n, 100_000)
    name = f"{label or kind} {n}x{m}x{d} k={k}" + (" sorted queries" if ordered else "")
    make = partial(_cross_data, kind, n, m, d, k, dtype, ordered)
    return _problem(name, task, make, dtype, **more)


def _self(kind, n, d, k, dtype, **more):
    make = partial(_self_data, kind, n, d, k, dtype)
    return _problem(f"self {kind} n={n} d={d} k={k}", "self tree", make, dtype, **more)


def _build(kind, n, d, dtype, **more):
    label = f"build {kind}"
    return _cross(kind, n, d, 1, dtype, m=PROBES, label=label, **more)


def _single(n, d, k, dtype, *, m=SINGLES, **more):
    label = "one by one, uniform"
    return _cross("uniform", n, d, k, dtype, m=m, task="one query", label=label, **more)


def _auto(kind, n, d, k, dtype, **more):
    return _cross(kind, n, d, k, dtype, m=20_000, task="auto", label=f"auto {kind}", **more)


def _worst(n, m, dtype="float64"):
    """The hard kinds, each to be compared with uniform rows of the same shape."""
    uniform = _cross("uniform", n, 3, 4, dtype, m=m, label="usual uniform", beyond=True)
    kinds = ("equal", "line", "outlier", "grid", "duplicates", "half")
    more = {"group": "worst", "baseline": uniform.name, "limit": WORST_LIMIT}
    hard = (_cross(kind, n, 3, 4, dtype, m=m, label=f"worst {kind}", **more) for kind in kinds)
    return [uniform, *hard]


# --- the libraries' trees ---


class Trees:
    """A library's tree. `build` may return anything; `query` gives (distances, ids)."""

    path, remark = "", ""  # of what builds it

    def __init__(self, threads):
        self.threads, self.make = threads, named(self.path)

    @classmethod
    def allow(cls, n, m, d, task):
        """Raise NotImplementedError for what the library cannot do, or takes too long for."""

    def build(self, X, k):
        return self.make(X)

    def query(self, tree, Q, k):
        return tree.query(Q, k=k)

    def self_query(self, tree, X, k):
        """One neighbor more, and the first, which is the row itself, left out."""
        distances, ids = self.query(tree, X, k + 1)
        return distances[:, 1:], ids[:, 1:]

    def single(self, tree, k):
        """A function of one row of shape (d,), as quick as the library's own interface allows."""
        return lambda row: self.query(tree, row[None], k)


class Statfast(Trees):
    path = "statfast.neighbors.KDTree"

    def build(self, X, k):
        return self.make(X, n_jobs=self.threads)

    def self_query(self, tree, X, k):
        return tree.self_query(k)

    def single(self, tree, k):
        query = tree.query
        return lambda row: query(row, k)


class Auto(Trees):
    """statfast's estimator, which chooses by itself."""

    path = "statfast.neighbors.NearestNeighbors"

    def build(self, X, k):
        model = self.make(n_neighbors=k, algorithm="auto", n_jobs=self.threads).fit(X)
        self.remark = f"chose {model.algorithm_}"
        return model

    def query(self, tree, Q, k):
        return tree.kneighbors(Q)


class Scipy(Trees):
    path = "scipy.spatial.cKDTree"

    def query(self, tree, Q, k):
        return tree.query(Q, k=range(1, k + 1), workers=self.threads)

    def single(self, tree, k):
        query = tree.query
        return lambda row: query(row, k)


class Pykdtree(Trees):
    """Its threads are those of OMP_NUM_THREADS."""

    path = "pykdtree.kdtree.KDTree"


class Pynanoflann(Trees):
    path = "pynanoflann.KDTree"

    def build(self, X, k):
        tree = self.make(n_neighbors=k)
        tree.fit(X)
        return tree

    def query(self, tree, Q, k):
        return tree.kneighbors(Q, n_neighbors=k, n_jobs=self.threads)

    def single(self, tree, k):
        return lambda row: tree.kneighbors(row[None], n_neighbors=k)


class Quitefastmst(Trees):
    """One function builds the tree and queries it. Its threads are those of OMP_NUM_THREADS."""

    path = "quitefastmst.knn_euclid"

    @classmethod
    def allow(cls, n, m, d, task):
        if not 2 <= d <= 20:
            raise NotImplementedError("its trees are for 2 to 20 features")
        if task == "one query":
            raise NotImplementedError("it has no tree to keep")

    def build(self, X, k):
        return X

    def query(self, tree, Q, k):
        return self.make(tree, k=k, Y=Q, algorithm="kd_tree")

    def self_query(self, tree, X, k):
        return self.make(X, k=k, algorithm="kd_tree")


class Sklearn(Trees):
    """scikit-learn and its Intel extension, by the estimator, as the bare tree has one thread."""

    path, most = "sklearn.neighbors.NearestNeighbors", SLOW_ELEMENTS

    @classmethod
    def allow(cls, n, m, d, task):
        if task != "one query" and max(n, m) * d > cls.most:
            raise NotImplementedError("several times as slow as scipy: minutes for the suite")

    def build(self, X, k):
        return self.make(n_neighbors=k, algorithm="kd_tree", n_jobs=self.threads).fit(X)

    def query(self, tree, Q, k):
        answer = tree.kneighbors(Q, k)
        if "sklearnex" in self.path and not hasattr(tree, "_onedal_estimator"):
            self.remark = "fell back to scikit-learn"
        return answer


class Sklearnex(Sklearn):
    path, most = "sklearnex.neighbors.NearestNeighbors", np.inf


# --- adapters ---


class TreeQueries(Adapter):
    """A tree is built in `fit`; the neighbors of all queries are the answer."""

    asks = "tree"

    def __init__(self, trees):
        self.make = trees

    def prepare(self, data, threads):
        self.X, self.Q, self.k = data["X"], data.get("Q", data["X"]), data["k"]
        self.make.allow(len(self.X), len(self.Q), self.X.shape[1], self.asks)
        self.trees = self.make(threads)

    def fit(self):
        self.tree = self.trees.build(self.X, self.k)

    def answer(self):
        return self._neighbors(*self.trees.query(self.tree, self.Q, self.k))

    def _neighbors(self, distances, ids):
        self.remark = self.trees.remark
        shape = len(self.Q), self.k  # some drop the last axis for one neighbor
        return {"ids": ids.reshape(shape), "distances": distances.reshape(shape)}


class SelfQueries(TreeQueries):
    """The neighbors of the fitted rows, each without itself."""

    asks = "self tree"

    def answer(self):
        return self._neighbors(*self.trees.self_query(self.tree, self.X, self.k))


class SingleQueries(TreeQueries):
    """Queries one by one on a tree that was built before; its own clock gives seconds a query."""

    asks = "one query"

    def prepare(self, data, threads):
        super().prepare(data, threads)
        self.rows = list(self.Q)
        self.single_query = self.trees.single(self.trees.build(self.X, self.k), self.k)

    def fit(self):
        pass

    def answer(self):
        query, rows = self.single_query, self.rows
        start = time.perf_counter()
        answers = [query(row) for row in rows]
        seconds = (time.perf_counter() - start) / len(rows)
        distances, ids = (np.asarray(part) for part in zip(*answers, strict=True))
        return {"seconds": seconds} | self._neighbors(distances, ids)


def _library(trees, auto=None):
    """The task "auto" is to race statfast's choice against the trees."""
    return Library(
        {
            "tree": partial(TreeQueries, trees),
            "auto": partial(TreeQueries, auto or trees),
            "self tree": partial(SelfQueries, trees),
            "one query": partial(SingleQueries, trees),
        }
    )


# --- the suite ---

TASKS = ("tree", "auto", "self tree", "one query")
TREES = ("pykdtree", "pynanoflann", "scipy")
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

SUITE = Suite(
    name="kdtree",
    title="k nearest neighbors in few dimensions (build + query)",
    family="nearest neighbors: k-d tree",
    problems=[
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
        _single(100_000, 3, 1, F64, group="one"),
        *_worst(1_000_000, 100_000),
        # beyond
        _build(C, 1_000_000, 8, F64, beyond=True),
        _single(100_000, 3, 10, F32, beyond=True),
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
    ],
    quick=[
        _cross(U, 2_000, 3, 4, F64, group="cross"),
        _cross(C, 2_000, 2, 10, F32, ordered=True, beyond=True),
        _cross("surface", 1_000, 3, 1, F32, beyond=True),
        _cross("offset", 1_000, 3, 4, F64, beyond=True),
        _self(U, 2_000, 3, 4, F64, group="self"),
        _auto("normal", 5_000, 10, 5, F64, group="auto"),
        _cross(U, 5_000, 3, 100, F64, m=100, group="many"),
        _build(U, 5_000, 3, F64, group="build"),
        _single(2_000, 3, 1, F64, m=50, group="one"),
        *_worst(3_000, 300),
    ],
    growth=Growth(1_000_000, lambda n: _self("normal", n, 3, 10, F64, group="self")),
    libraries={
        "statfast": _library(Statfast, Auto),
        "pykdtree": _library(Pykdtree),
        "pynanoflann": _library(Pynanoflann),
        "quitefastmst": _library(Quitefastmst),
        "scikit-learn": _library(Sklearn),
        "scikit-learn-intelex": _library(Sklearnex),
        "scipy": _library(Scipy),
    },
    checks=dict.fromkeys(TASKS, NeighborsCheck),
    tolerances=dict.fromkeys(TASKS, Tolerances(STRICT, ROUNDED, LOOSE, ours=OURS)),
    bars={
        "cross": [
            Bar("other rows, d = 2 to 8, k = 1 to 16", TREES, mean=2.5, least=1.5),
            Bar("the same"),
        ],
        "self": [
            Bar("the rows themselves, d = 2 to 5", ("quitefastmst",), mean=1.5),
            Bar("the same", ("pykdtree",), mean=2.5),
        ],
        "auto": [Bar('`algorithm="auto"`, normal, d = 10 to 16', least=2.0)],
        "many": [Bar("k = 100 and 1000, d = 3", ("pykdtree",), least=4.0)],
        "build": [Bar("build alone, n = 1e6, d = 3", ("pykdtree",), least=1.3)],
        "one": [Bar("one query at a time, n = 1e5, d = 3", ("scipy",), seconds=4e-6)],
        "worst": [Bar("worst cases, beside uniform rows", slower=3.0), Bar("the same")],
        "": [Bar("other shapes")],
    },
)
