# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``linkage``: hierarchies from a matrix, and from rows without one; spanning trees.

The answer is the heights of all merges, in rising order, and the merges as scipy numbers them; of
spanning trees the lengths. The checks compare with scipy's where it has the memory, else by
definition.
"""

import importlib
from functools import partial

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist

from benchmarks.harness.adapter import Adapter
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import F64, Problem
from benchmarks.harness.rows import rows_of
from benchmarks.harness.suite import Growth, Library, Suite

BUDGET = 6.0  # seconds of rounds for each library and problem
LIMIT = 150.0  # seconds of a library's first run
HOPELESS = 8.0  # a peer is ended after so many times the fastest peer's time
FASTCLUSTER_ROWS = 120_000  # for more rows its time is many minutes
SCIPY_ROWS = 6_000
GRAPH, PAIRS = 10, 6_000  # columns with a graph of neighbors; rows whose pairs scipy is asked for
MERGES = 150  # of Ward's that are looked at; half of them are the last
SURE = 1e-9  # relative: another cluster that is nearer by less may be so by rounding


# --- data and problems ---


def _matrix_data(seed, *, kind, n, d, method):
    X = rows_of(kind, np.random.default_rng(seed), n, d, F64)
    return {"y": pdist(X), "method": method}


def _rows_data(seed, *, kind, n, d, method):
    return {"X": rows_of(kind, np.random.default_rng(seed), n, d, F64), "method": method}


def _matrix(method, kind, n, d, **more):
    return Problem(
        f"{method} from a matrix, {kind} n={n} d={d}",
        "linkage matrix",
        partial(_matrix_data, kind=kind, n=n, d=d, method=method),
        nbytes=4.0 * n * (n - 1),
        budget=BUDGET,
        limit=LIMIT,
        hopeless=HOPELESS,
        **more,
    )


def _rows(method, kind, n, d, **more):
    task = {"single": "spanning tree", "ward": "ward rows"}.get(method, "linkage rows")
    return Problem(
        f"{method} from rows, {kind} n={n} d={d}",
        task,
        partial(_rows_data, kind=kind, n=n, d=d, method=method),
        nbytes=8.0 * n * d,
        budget=BUDGET,
        limit=LIMIT,
        hopeless=HOPELESS,
        **more,
    )


# --- adapters ---


class Hierarchy(Adapter):
    """A library's merges. `tree` gets a problem's data, and gives a linkage matrix or heights."""

    def prepare(self, data, threads):
        self.data, self.threads = data, threads
        self.load()

    def load(self):
        raise NotImplementedError

    def tree(self, **data):
        raise NotImplementedError

    def answer(self):
        found = self.tree(**self.data)
        if found.ndim == 1:
            return {"heights": np.sort(found)}
        return {"heights": np.sort(found[:, 2]), "merges": found[:, :2]}


class Statfast(Hierarchy):
    def load(self):
        self.cluster = importlib.import_module("statfast.cluster")

    def tree(self, method, y=None, X=None):
        data = X if y is None else y
        return self.cluster.linkage(data, method, n_jobs=self.threads)


class StatfastTree(Statfast):
    def answer(self):
        edges, lengths = self.cluster.minimum_spanning_tree(self.data["X"], n_jobs=self.threads)
        return {"heights": np.sort(lengths), "edges": edges}


class Fastcluster(Hierarchy):
    def load(self):
        self.module = importlib.import_module("fastcluster")
        if len(self.data.get("X", ())) > FASTCLUSTER_ROWS:
            raise NotImplementedError(f"it takes long for more than {FASTCLUSTER_ROWS} rows")

    def tree(self, method, y=None, X=None):
        if y is None:
            return self.module.linkage_vector(X, method)
        return self.module.linkage(y, method)


class Scipy(Hierarchy):
    def load(self):
        self.module = importlib.import_module("scipy.cluster.hierarchy")

    def tree(self, method, y):
        return self.module.linkage(y, method)


class Quitefastmst(Hierarchy):
    def load(self):
        self.module = importlib.import_module("quitefastmst")
        self.module.omp_set_num_threads(self.threads)

    def tree(self, X, method):
        return self.module.mst_euclid(X)[0]


class Genieclust(Hierarchy):
    """Without a limit of inequality it is single linkage. Threads: OMP_NUM_THREADS."""

    def load(self):
        self.module = importlib.import_module("genieclust")

    def tree(self, X, method):
        model = self.module.Genie(2, gini_threshold=1.0)  # a second fit would keep the tree
        return model.fit(X).distances_


class FastHdbscan(Hierarchy):
    """Its threads are those of NUMBA_NUM_THREADS; it works in float32."""

    def load(self):
        self.module = importlib.import_module("fast_hdbscan.hdbscan")

    def tree(self, X, method):
        return self.module.compute_minimum_spanning_tree(X, min_samples=1)[0][:, 2]


class ScipyRows(Scipy):
    """From rows: their distances first, which take n^2 memory."""

    def load(self):
        super().load()
        if len(self.data["X"]) > SCIPY_ROWS:
            raise NotImplementedError(f"its matrix of more than {SCIPY_ROWS} rows takes seconds")

    def tree(self, X, method):
        return self.module.linkage(X, method)


# --- the checks ---


class HeightsCheck(Check):
    """Heights, and which clusters there ever are, beside those of scipy."""

    def __init__(self, data):
        from scipy.cluster.hierarchy import linkage

        tree = linkage(data.get("X", data.get("y")), data["method"])
        self.heights = np.sort(tree[:, 2])
        self.clusters = clusters_of(tree)
        self.parts = {"heights": (len(tree),), "merges": (len(tree), 2)}

    def errors(self, answer):
        known = np.isin(clusters_of(answer["merges"]), self.clusters)
        return {
            "height error": float(np.abs(answer["heights"] / self.heights - 1).max()),
            "other clusters": float(1 - known.mean()),
        }


def clusters_of(merges):
    """A number for each cluster that the merges make: the sum of random ones of its rows."""
    n = len(merges) + 1
    sums = np.zeros(2 * n - 1, dtype=np.int64)
    sums[:n] = np.random.default_rng(0).integers(2**46, size=n)  # no sum of 100 000 overflows
    for new, (a, b) in enumerate(np.asarray(merges)[:, :2].astype(np.intp), start=n):
        if not 0 <= min(a, b) < max(a, b) < new:
            return np.zeros(n - 1, dtype=np.int64)
        sums[new] = sums[a] + sums[b]
    return sums[n:]


class WardCheck(Check):
    """Rows in any number: each height is that of the two clusters' centers and sizes, and of a
    sample of merges none of the other clusters of that time was nearer to either."""

    def __init__(self, data):
        self.X = data["X"]
        n = len(self.X)
        self.parts = {"heights": (n - 1,), "merges": (n - 1, 2)}

    def errors(self, answer):
        merges, n = np.asarray(answer["merges"]).astype(np.intp), len(self.X)
        if not _is_tree(merges):
            return {"height error": np.inf, "nearer clusters": 1.0}
        centers = np.concatenate([self.X, np.zeros((n - 1, self.X.shape[1]))])
        sizes = np.ones(2 * n - 1)
        for new, (a, b) in enumerate(merges, start=n):
            sizes[new] = sizes[a] + sizes[b]
            centers[new] = (sizes[a] * centers[a] + sizes[b] * centers[b]) / sizes[new]
        a, b = merges.T
        heights = _ward(centers[a], sizes[a], centers[b], sizes[b])
        end = np.full(2 * n - 1, n - 1)  # the merge that a cluster goes into
        end[merges] = np.arange(n - 1)[:, None]
        early = np.random.default_rng(0).choice(n - 1, min(MERGES // 2, n - 1), replace=False)
        sample = np.union1d(early, np.arange(max(0, n - 1 - MERGES // 2), n - 1))
        nearer = 0
        for step in sample:
            others = np.flatnonzero(end[: n + step] > step)
            for one in merges[step]:
                apart = _ward(centers[one], sizes[one], centers[others], sizes[others])
                nearer += bool((apart < heights[step] * (1 - SURE)).any())
        return {
            "height error": float(np.abs(answer["heights"] / np.sort(heights) - 1).max()),
            "nearer clusters": nearer / len(sample),
        }


def _is_tree(merges):
    """Whether each cluster but the last is merged once, and after it was made."""
    made = np.arange(len(merges)) + len(merges) + 1
    once = np.array_equal(np.sort(merges.ravel()), np.arange(2 * len(merges)))
    return once and bool((merges < made[:, None]).all())


def _ward(a, m, b, n):
    """The height at which clusters with these centers and sizes merge."""
    return np.sqrt(2 * m * n / (m + n) * ((a - b) ** 2).sum(axis=-1))


class LengthsCheck(Check):
    """The lengths of a minimum spanning tree; and whether edges, where given, are one."""

    def __init__(self, data):
        from scipy.cluster.hierarchy import linkage

        X = self.X = data["X"]
        sparse = X.shape[1] <= GRAPH or len(X) > PAIRS
        self.lengths = spanning_lengths(X) if sparse else np.sort(linkage(X, "single")[:, 2])
        self.parts = {"heights": (len(X) - 1,)}

    def errors(self, answer):
        error = float(np.abs(answer["heights"] / self.lengths - 1).max())
        edges = (
            {"wrong edges": self._wrong(np.asarray(answer["edges"]))} if "edges" in answer else {}
        )
        return {"height error": error} | edges

    def _wrong(self, edges):
        """Edges of other lengths than the tree's, and rows that are in another tree."""
        n = len(self.X)
        if edges.shape != (n - 1, 2) or edges.min() < 0 or edges.max() >= n:
            return n
        found = np.sort(np.sqrt(((self.X[edges[:, 0]] - self.X[edges[:, 1]]) ** 2).sum(axis=1)))
        trees = connected_components(coo_array((np.ones(n - 1), edges.T), shape=(n, n)))[0]
        return int((np.abs(found / self.lengths - 1) > 1e-10).sum()) + trees - 1


def spanning_lengths(X):
    """Lengths of the minimum spanning tree, rising."""
    return np.sort(spanning_tree(X).data)


def spanning_tree(X):
    """The minimum spanning tree as a sparse array of lengths: in few dimensions a part of the
    Delaunay graph, else of a graph of neighbors, if that is connected."""
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial import Delaunay, cKDTree

    n, d = X.shape
    if d <= 3:
        simplices = Delaunay(X).simplices
        ends = [(a, b) for a in range(d + 1) for b in range(a)]
        rows = np.concatenate([simplices[:, a] for a, _ in ends])
        columns = np.concatenate([simplices[:, b] for _, b in ends])
        pairs = np.unique(np.sort(np.stack([rows, columns], axis=1), axis=1), axis=0)
        rows, columns = pairs.T
    else:
        columns = cKDTree(X).query(X, 40)[1][:, 1:]
        rows, columns = np.repeat(np.arange(n), 39), columns.ravel()
    lengths = np.sqrt(((X[rows] - X[columns]) ** 2).sum(axis=1))
    tree = minimum_spanning_tree(csr_array((lengths, (rows, columns)), (n, n))).tocoo()
    if tree.nnz != n - 1:
        raise ValueError("the graph of neighbors is not connected")
    return tree


# --- the suite ---

REDUCIBLE = ("complete", "average", "weighted", "ward")
SIZES = ((5_000, 2), (10_000, 10), (20_000, 16))
ROUNDED_HEIGHTS = {"height error": 1e-10, "other clusters": 1e-3}
MATRIX_TASKS = ("linkage matrix", "linkage rows", "ward rows", "spanning tree")

SUITE = Suite(
    name="linkage",
    title="hierarchical clustering",
    family="hierarchical clustering",
    problems=[
        *(_matrix(m, "normal", n, d, group="rounds") for n, d in SIZES for m in REDUCIBLE),
        *(_matrix(m, "clusters", 10_000, 10, group="rounds") for m in REDUCIBLE),
        *(_matrix("single", "normal", n, d, group="single") for n, d in SIZES),
        *(
            _matrix(m, "normal", n, d, group="one")
            for n, d in SIZES
            for m in ("centroid", "median")
        ),
        *(
            _rows("single", "normal", n, d, group="spanning")
            for d in (2, 3, 5)
            for n in (30_000, 250_000, 1_000_000)
        ),
        _rows("ward", "normal", 20_000, 8, group="ward"),
        _rows("ward", "normal", 20_000, 16, group="ward"),
        _rows("ward", "clusters", 50_000, 8, group="ward"),
        _rows("ward", "normal", 100_000, 8, group="ward"),
        _rows("ward", "normal", 100_000, 16, group="ward"),
        # beyond
        _matrix("average", "normal", 5_000, 100, beyond=True),
        _matrix("centroid", "normal", 7_000, 5, beyond=True),
        _matrix("complete", "uniform", 500, 2, beyond=True),
        _rows("single", "clusters", 250_000, 2, beyond=True),
        _rows("single", "normal", 100_000, 8, beyond=True),
        _rows("single", "normal", 5_000, 64, beyond=True),
        _rows("centroid", "normal", 5_000, 8, beyond=True),
        _rows("median", "normal", 5_000, 32, beyond=True),
    ],
    quick=[
        _matrix("average", "normal", 600, 3, group="rounds"),
        _matrix("single", "normal", 600, 3, group="single"),
        _matrix("median", "normal", 600, 3, group="one"),
        _rows("single", "normal", 3_000, 2, group="spanning"),
        _rows("ward", "normal", 1_000, 4, group="ward"),
        _rows("single", "clusters", 2_000, 2, beyond=True),
        _rows("single", "normal", 500, 20, beyond=True),
        _rows("centroid", "normal", 500, 3, beyond=True),
    ],
    growth=Growth(100_000, lambda n: _rows("ward", "normal", n, 16, group="ward"), power=2),
    libraries={
        "statfast": Library(
            {
                **dict.fromkeys(("linkage matrix", "linkage rows", "ward rows"), Statfast),
                "spanning tree": StatfastTree,
            }
        ),
        "quitefastmst": Library({"spanning tree": Quitefastmst}),
        "genieclust": Library({"spanning tree": Genieclust}),
        "fast_hdbscan": Library({"spanning tree": FastHdbscan}, packages=("fast-hdbscan",)),
        "fastcluster": Library(dict.fromkeys(MATRIX_TASKS, Fastcluster)),
        "scipy": Library(
            {
                "linkage matrix": Scipy,
                **dict.fromkeys(("linkage rows", "ward rows", "spanning tree"), ScipyRows),
            }
        ),
    },
    checks={
        "linkage matrix": HeightsCheck,
        "linkage rows": HeightsCheck,
        "ward rows": WardCheck,
        "spanning tree": LengthsCheck,
    },
    tolerances={
        "linkage matrix": Tolerances(ROUNDED_HEIGHTS),
        "linkage rows": Tolerances(ROUNDED_HEIGHTS),
        "ward rows": Tolerances({"height error": 1e-10, "nearer clusters": 0.0}),
        "spanning tree": Tolerances({"height error": 1e-10}, ours={"wrong edges": 0.0}),
    },
    bars={
        "rounds": [
            Bar("complete, average, weighted, Ward from a matrix", mean=4.0),
            Bar("the same, memory", copies=1.0),
        ],
        "single": [Bar("single from a matrix", mean=3.0), Bar("the same, memory", copies=1.0)],
        "one": [
            Bar("centroid, median from a matrix", mean=1.0),
            Bar("the same, memory", copies=2.1),
        ],
        "spanning": [
            Bar("spanning tree of rows, d = 2, 3, 5", ("quitefastmst",), mean=1.3),
            Bar("the same, n = 30 000", ("fastcluster",), mean=20.0, only=" n=30000 "),
        ],
        "ward": [Bar("Ward from rows, d = 8, 16", ("fastcluster",), mean=5.0)],
        "": [Bar("other shapes")],
    },
)
