# SPDX-License-Identifier: BSD-3-Clause
"""What the suite ``spectrum`` asks of a library, a kernel matrix, and what checks it."""

import importlib
from collections import Counter

import numpy as np
from scipy.sparse import csr_array

from benchmarks.works import Work

SAMPLED = 40  # rows of a matrix that are checked


class Matrix(Work):
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


class StringCheck:
    """Counters, string by string."""

    def __init__(self, data):
        strings, k = data["strings"], data["k"]
        count = [Counter(s[i : i + k] for i in range(len(s) - k + 1)) for s in strings]
        self.rows = np.linspace(0, len(strings) - 1, SAMPLED).astype(int)
        some = (count[row] for row in self.rows)
        self.expected = [[sum(n * b[w] for w, n in a.items()) for b in count] for a in some]

    def __call__(self, answer):
        return {"wrong values": int((answer["matrix"][self.rows] != self.expected).sum())}


class RowCheck:
    """Definitions, by differences and numpy's sums."""

    def __init__(self, data):
        X, kernel, gamma = data["X"], data["kernel"], data["gamma"]
        self.rows = np.linspace(0, len(X) - 1, SAMPLED).astype(int)
        some = X[self.rows, None]
        if kernel in ("linear", "poly"):
            product = (some * X).sum(axis=2)
            self.expected = product if kernel == "linear" else (gamma * product + 1) ** 3
        else:
            apart = (some - X) ** 2 if kernel == "rbf" else abs(some - X)
            self.expected = np.exp(-gamma * apart.sum(axis=2))

    def __call__(self, answer):
        off = abs(answer["matrix"][self.rows] - self.expected).max() / abs(self.expected).max()
        return {"value error": float(off)}
