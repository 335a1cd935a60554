# SPDX-License-Identifier: BSD-3-Clause
"""What the suite ``linkage`` asks of a library: the heights of all merges, in rising order."""

import importlib

import numpy as np

from benchmarks.works import Work

FASTCLUSTER_ROWS = 120_000  # for more rows its time is many minutes
SCIPY_ROWS = 6_000


class Hierarchy(Work):
    """A library's merges. `heights` gets a problem's data."""

    def prepare(self, data, threads):
        self.data, self.threads = data, threads
        self.load()

    def load(self):
        raise NotImplementedError

    def heights(self, **data):
        raise NotImplementedError

    def answer(self):
        return {"heights": np.sort(self.heights(**self.data))}


class Statfast(Hierarchy):
    def load(self):
        self.cluster = importlib.import_module("statfast.cluster")

    def heights(self, method, y=None, X=None):
        data = X if y is None else y
        return self.cluster.linkage(data, method, n_jobs=self.threads)[:, 2]


class StatfastTree(Statfast):
    def heights(self, X, method):
        return self.cluster.minimum_spanning_tree(X, n_jobs=self.threads)[1]


class Fastcluster(Hierarchy):
    def load(self):
        self.module = importlib.import_module("fastcluster")
        if len(self.data.get("X", ())) > FASTCLUSTER_ROWS:
            raise NotImplementedError(f"it takes long for more than {FASTCLUSTER_ROWS} rows")

    def heights(self, method, y=None, X=None):
        if y is None:
            return self.module.linkage_vector(X, method)[:, 2]
        return self.module.linkage(y, method)[:, 2]


class Scipy(Hierarchy):
    def load(self):
        self.module = importlib.import_module("scipy.cluster.hierarchy")

    def heights(self, method, y):
        return self.module.linkage(y, method)[:, 2]


class Quitefastmst(Hierarchy):
    def load(self):
        self.module = importlib.import_module("quitefastmst")
        self.module.omp_set_num_threads(self.threads)

    def heights(self, X, method):
        return self.module.mst_euclid(X)[0]


class Genieclust(Hierarchy):
    """Without a limit of inequality it is single linkage. Threads: OMP_NUM_THREADS."""

    def load(self):
        self.module = importlib.import_module("genieclust")

    def heights(self, X, method):
        model = self.module.Genie(2, gini_threshold=1.0)  # a second fit would keep the tree
        return model.fit(X).distances_


class FastHdbscan(Hierarchy):
    """Its threads are those of NUMBA_NUM_THREADS; it works in float32."""

    def load(self):
        self.tree = importlib.import_module("fast_hdbscan.hdbscan").compute_minimum_spanning_tree

    def heights(self, X, method):
        return self.tree(X, min_samples=1)[0][:, 2]


class ScipyRows(Scipy):
    """From rows: their distances first, which take n^2 memory."""

    def load(self):
        super().load()
        if len(self.data["X"]) > SCIPY_ROWS:
            raise NotImplementedError(f"its matrix of more than {SCIPY_ROWS} rows takes seconds")

    def heights(self, X, method):
        return self.module.linkage(X, method)[:, 2]
