# SPDX-License-Identifier: BSD-3-Clause
"""What the suites of k-means ask of a library beyond a fixed number of iterations."""

from benchmarks.works import KMeans


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
