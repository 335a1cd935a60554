# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``spectrum``: kernel matrices of strings, and beyond, of rows."""

import importlib
from collections import Counter
from functools import partial

import numpy as np
from scipy.sparse import csr_array

from benchmarks.harness.adapter import Adapter
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import Problem
from benchmarks.harness.rows import rows_of
from benchmarks.harness.suite import Growth, Library, Suite

BUDGET = 3.0  # seconds of rounds for each library and problem
ALPHABETS = {"DNA": "ACGT", "protein": "ACDEFGHIKLMNPQRSTVWY"}
SAMPLED = 40  # rows of a matrix that are checked


# --- data and problems ---


def _strings_data(seed, *, kind, n, length, k):
    """Letters drawn one by one; of proteins some are several times as frequent as others."""
    rng = np.random.default_rng(seed)
    letters = list(ALPHABETS[kind])
    shares = None if kind == "DNA" else rng.dirichlet(np.full(len(letters), 8.0))
    drawn = rng.choice(letters, size=(n, length), p=shares)
    return {"strings": ["".join(row) for row in drawn], "k": k}


def _rows_data(seed, *, kernel, n, d):
    X = rows_of("normal", np.random.default_rng(seed), n, d, "float64")
    return {"X": X, "kernel": kernel, "gamma": 1.0 / d}


def _strings(kind, n, length, k, **more):
    return Problem(
        f"spectrum k={k} of {n} {kind} strings of {length}",
        "string kernel",
        partial(_strings_data, kind=kind, n=n, length=length, k=k),
        budget=BUDGET,
        **more,
    )


def _rows(kernel, n, d, **more):
    return Problem(
        f"{kernel} n={n} d={d}",
        "kernel matrix",
        partial(_rows_data, kernel=kernel, n=n, d=d),
        flops=2.0 * n * n * d,
        budget=BUDGET,
        beyond=True,
        **more,
    )


# --- adapters ---


class Matrix(Adapter):
    """Makes a matrix from a problem's data."""

    def prepare(self, data, threads):
        self.data, self.threads = data, threads
        self.load()

    def load(self):
        raise NotImplementedError

    def matrix(self, **data):
        raise NotImplementedError

    def answer(self):
        return {"matrix": self.matrix(**self.data)}


class StatfastStrings(Matrix):
    def load(self):
        self.kernels = importlib.import_module("statfast.kernels")

    def matrix(self, strings, k):
        return self.kernels.Spectrum(k).matrix(strings, n_jobs=self.threads)


class SklearnStrings(Matrix):
    """Counts of n-grams as a sparse matrix, times itself."""

    def load(self):
        self.text = importlib.import_module("sklearn.feature_extraction.text")

    def matrix(self, strings, k):
        counter = self.text.CountVectorizer(analyzer="char", ngram_range=(k, k), lowercase=False)
        counts = counter.fit_transform(strings)
        return (counts @ counts.T).toarray()


class ScipyStrings(Matrix):
    """The same with substrings as whole numbers, counted by sorting."""

    def load(self):
        pass

    def matrix(self, strings, k):
        length = len(strings[0])  # of all of them
        letters = np.frombuffer("".join(strings).encode(), np.uint8).reshape(-1, length)
        number = np.unique(letters, return_inverse=True)[1].reshape(letters.shape)
        size, windows = int(number.max()) + 1, length - k + 1
        code = sum(number[:, i : i + windows] * size ** (k - 1 - i) for i in range(k))
        pair = (np.arange(len(strings))[:, None] * size**k + code).ravel()
        pair, times = np.unique(pair, return_counts=True)
        counts = csr_array((times, divmod(pair, size**k)), shape=(len(strings), size**k))
        return (counts @ counts.T).toarray()


class StatfastRows(Matrix):
    def load(self):
        self.kernels = importlib.import_module("statfast.kernels")

    def matrix(self, X, kernel, gamma):
        return self.kernels.kernel_matrix(kernel, X, gamma=gamma, coef0=1.0, n_jobs=self.threads)


class SklearnRows(Matrix):
    def load(self):
        self.module = importlib.import_module("sklearn.metrics.pairwise")

    def matrix(self, X, kernel, gamma):
        given = {} if kernel == "linear" else {"gamma": gamma}
        given |= {"coef0": 1.0} if kernel == "poly" else {}
        return self.module.pairwise_kernels(X, metric=kernel, **given)


# --- the checks ---


class MatrixCheck(Check):
    """A sample of rows whole, and of all rows the same columns: the matrix is symmetric."""

    def __init__(self, n):
        self.rows = np.linspace(0, n - 1, SAMPLED).astype(int)
        self.parts = {"matrix": (n, n)}

    def _both(self, answer):
        matrix = np.asarray(answer["matrix"])
        return np.stack([matrix[self.rows], matrix[:, self.rows].T])


class StringCheck(MatrixCheck):
    """Counters, string by string."""

    def __init__(self, data):
        strings, k = data["strings"], data["k"]
        super().__init__(len(strings))
        count = [Counter(s[i : i + k] for i in range(len(s) - k + 1)) for s in strings]
        some = (count[row] for row in self.rows)
        self.expected = [[sum(n * b[w] for w, n in a.items()) for b in count] for a in some]

    def errors(self, answer):
        return {"wrong values": int((self._both(answer) != self.expected).sum())}


class RowCheck(MatrixCheck):
    """Definitions, by differences and numpy's sums."""

    def __init__(self, data):
        X, kernel, gamma = data["X"], data["kernel"], data["gamma"]
        super().__init__(len(X))
        some = X[self.rows, None]
        if kernel in ("linear", "poly"):
            product = (some * X).sum(axis=2)
            self.expected = product if kernel == "linear" else (gamma * product + 1) ** 3
        else:
            apart = (some - X) ** 2 if kernel == "rbf" else abs(some - X)
            self.expected = np.exp(-gamma * apart.sum(axis=2))

    def errors(self, answer):
        off = abs(self._both(answer) - self.expected).max() / abs(self.expected).max()
        return {"value error": float(off)}


# --- the suite ---

SUITE = Suite(
    name="spectrum",
    title="kernel matrices: the spectrum kernel of strings; kernels of rows",
    problems=[
        _strings("DNA", 2_000, 500, 4, group="spectrum"),
        _strings("protein", 2_000, 500, 4, group="spectrum"),
        _strings("DNA", 2_000, 500, 8, beyond=True),
        _strings("protein", 2_000, 500, 2, beyond=True),
        *(_rows(kernel, 4_000, 100) for kernel in ("linear", "poly", "rbf", "laplacian")),
        _rows("rbf", 4_000, 10),
        _rows("rbf", 500, 20),
    ],
    quick=[
        _strings("DNA", 200, 50, 4, group="spectrum"),
        _strings("protein", 100, 50, 3, beyond=True),
        *(_rows(kernel, 300, 7) for kernel in ("linear", "poly", "rbf", "laplacian")),
    ],
    growth=Growth(2_000, lambda n: _strings("DNA", n, 500, 8, beyond=True), power=2),
    libraries={
        "statfast": Library({"string kernel": StatfastStrings, "kernel matrix": StatfastRows}),
        "scikit-learn": Library({"string kernel": SklearnStrings, "kernel matrix": SklearnRows}),
        "scipy": Library({"string kernel": ScipyStrings}),
    },
    checks={"string kernel": StringCheck, "kernel matrix": RowCheck},
    tolerances={
        "string kernel": Tolerances({"wrong values": 0.0}),
        "kernel matrix": Tolerances({"value error": 1e-13}),
    },
    bars={
        "spectrum": [Bar("spectrum kernel, 2000 strings of 500 letters, k = 4", seconds=1.0)],
        "": [Bar("other strings, and kernels of rows")],
    },
)
