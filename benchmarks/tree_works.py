# SPDX-License-Identifier: BSD-3-Clause
"""What the suite ``kdtree`` asks of a library: build a tree and query it, each in its own words.

A library is a subclass of `Trees` that says how it builds, how it asks for neighbours, and how it
asks for those of the rows themselves; the works are made from these three.
"""

import importlib
import time

import numpy as np

from benchmarks.works import Work

SLOW_ELEMENTS = 2e6  # rows or queries times features from which scikit-learn is not waited for


class Trees:
    """A library's tree. `build` may return anything; `query` gives (distances, ids)."""

    remark = ""

    def __init__(self, threads):
        self.threads = threads

    @classmethod
    def allow(cls, n, m, d, work):
        """Raise NotImplementedError for what the library cannot do, or takes too long for."""

    def build(self, X, k):
        raise NotImplementedError

    def query(self, tree, Q, k):
        raise NotImplementedError

    def self_query(self, tree, X, k):
        """One neighbour more, and the first, which is the row itself, left out."""
        distances, ids = self.query(tree, X, k + 1)
        return distances[:, 1:], ids[:, 1:]

    def single(self, tree, k):
        """A function of one row of shape (d,), as quick as the library's own interface allows."""
        return lambda row: self.query(tree, row[None], k)


class Statfast(Trees):
    def __init__(self, threads):
        super().__init__(threads)
        self.KDTree = importlib.import_module("statfast.neighbors").KDTree

    def build(self, X, k):
        return self.KDTree(X, n_jobs=self.threads)

    def query(self, tree, Q, k):
        return tree.query(Q, k)

    def self_query(self, tree, X, k):
        return tree.self_query(k)

    def single(self, tree, k):
        query = tree.query
        return lambda row: query(row, k)


class Auto(Trees):
    """statfast's estimator, which chooses by itself."""

    def __init__(self, threads):
        super().__init__(threads)
        self.estimator = importlib.import_module("statfast.neighbors").NearestNeighbors

    def build(self, X, k):
        model = self.estimator(n_neighbors=k, algorithm="auto", n_jobs=self.threads).fit(X)
        self.remark = f"chose {model.algorithm_}"
        return model

    def query(self, tree, Q, k):
        return tree.kneighbors(Q)


class Scipy(Trees):
    def __init__(self, threads):
        super().__init__(threads)
        self.KDTree = importlib.import_module("scipy.spatial").cKDTree

    def build(self, X, k):
        return self.KDTree(X)

    def query(self, tree, Q, k):
        return tree.query(Q, k=range(1, k + 1), workers=self.threads)

    def single(self, tree, k):
        query = tree.query
        return lambda row: query(row, k)


class Pykdtree(Trees):
    """Its threads are those of OMP_NUM_THREADS."""

    def __init__(self, threads):
        super().__init__(threads)
        self.KDTree = importlib.import_module("pykdtree.kdtree").KDTree

    def build(self, X, k):
        return self.KDTree(X)

    def query(self, tree, Q, k):
        return tree.query(Q, k=k)


class Pynanoflann(Trees):
    def __init__(self, threads):
        super().__init__(threads)
        self.KDTree = importlib.import_module("pynanoflann").KDTree

    def build(self, X, k):
        tree = self.KDTree(n_neighbors=k)
        tree.fit(X)
        return tree

    def query(self, tree, Q, k):
        return tree.kneighbors(Q, n_neighbors=k, n_jobs=self.threads)

    def single(self, tree, k):
        return lambda row: tree.kneighbors(row[None], n_neighbors=k)


class Quitefastmst(Trees):
    """One function builds the tree and queries it. Its threads are those of OMP_NUM_THREADS."""

    def __init__(self, threads):
        super().__init__(threads)
        self.knn = importlib.import_module("quitefastmst").knn_euclid

    @classmethod
    def allow(cls, n, m, d, work):
        if not 2 <= d <= 20:
            raise NotImplementedError("its trees are for 2 to 20 features")
        if work == "one query":
            raise NotImplementedError("it has no tree to keep")

    def build(self, X, k):
        return X

    def query(self, tree, Q, k):
        return self.knn(tree, k=k, Y=Q, algorithm="kd_tree")

    def self_query(self, tree, X, k):
        return self.knn(X, k=k, algorithm="kd_tree")


class Sklearn(Trees):
    """scikit-learn and its Intel extension, by the estimator, as the bare tree has one thread."""

    path, most = "sklearn.neighbors", SLOW_ELEMENTS

    def __init__(self, threads):
        super().__init__(threads)
        self.module = importlib.import_module(self.path)

    @classmethod
    def allow(cls, n, m, d, work):
        if work != "one query" and max(n, m) * d > cls.most:
            raise NotImplementedError("several times as slow as scipy: minutes for the suite")

    def build(self, X, k):
        estimator = self.module.NearestNeighbors
        return estimator(n_neighbors=k, algorithm="kd_tree", n_jobs=self.threads).fit(X)

    def query(self, tree, Q, k):
        answer = tree.kneighbors(Q, k)
        if "sklearnex" in self.path and not hasattr(tree, "_onedal_estimator"):
            self.remark = "fell back to scikit-learn"
        return answer


class Sklearnex(Sklearn):
    path, most = "sklearnex.neighbors", np.inf


# --- the works ---


class TreeWork(Work):
    """A tree is built in `fit`; the neighbours of all queries are the answer."""

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
        return self._given(*self.trees.query(self.tree, self.Q, self.k))

    def _given(self, distances, ids):
        self.remark = self.trees.remark
        shape = len(self.Q), self.k  # some drop the last axis for one neighbour
        return {"ids": ids.reshape(shape), "distances": distances.reshape(shape)}


class SelfWork(TreeWork):
    """The neighbours of the fitted rows, each without itself."""

    asks = "self tree"

    def answer(self):
        return self._given(*self.trees.self_query(self.tree, self.X, self.k))


class SingleWork(TreeWork):
    """Queries one by one on a tree that was built before; its own clock gives seconds a query."""

    asks = "one query"

    def prepare(self, data, threads):
        super().prepare(data, threads)
        self.rows = list(self.Q)
        self.one = self.trees.single(self.trees.build(self.X, self.k), self.k)

    def fit(self):
        pass

    def answer(self):
        one, rows = self.one, self.rows
        start = time.perf_counter()
        found = [one(row) for row in rows]
        seconds = (time.perf_counter() - start) / len(rows)
        distances, ids = (np.asarray(part) for part in zip(*found, strict=True))
        return {"seconds": seconds} | self._given(distances, ids)
