# SPDX-License-Identifier: BSD-3-Clause
"""What the suites of k-means ask of a library beyond a fixed number of iterations."""

import importlib

import numpy as np

from benchmarks.works import KMeans, Work


class Seeding(KMeans):
    """k-means++ and one iteration, by the estimator: the start alone is not public everywhere."""

    def prepare(self, data, threads):
        self.X = data["X"]
        self.model = self.estimator(
            n_clusters=data["k"],
            init="k-means++",
            n_init=1,
            max_iter=1,
            tol=0.0,
            random_state=0,
            threads=threads,
        )


class SuperKMeans(Work):
    """All rows (it would sample 256 a centre), as many iterations; it takes no start."""

    remark = "from a start of its own, in float32"

    def prepare(self, data, threads):
        self.kind = importlib.import_module("superkmeans").SuperKMeans
        self.X, (self.k, self.d) = data["X"], data["init"].shape
        self.options = {
            "hierarchical": False,
            "iters": data["iterations"],
            "sampling_fraction": 1.0,
            "max_points_per_cluster": len(self.X),
            "early_termination": False,
            "tol": 0.0,
            "n_threads": threads,
        }

    def fit(self):
        rows = self.X.astype(np.float32, copy=False)
        model = self.kind(self.k, self.d, **self.options)
        self.centres = model.train(rows)
        self.labels = model.assign_training_points(rows, self.centres)

    def answer(self):
        return {"centres": self.centres, "labels": self.labels.astype(np.int64)}
