# SPDX-License-Identifier: BSD-3-Clause
"""What the suites ``kmedoids`` and ``silhouette`` ask of a library, each in its own words."""

import importlib

import numpy as np

from benchmarks.works import Work

MOST = 30_000  # rows whose matrix a peer may build


class Medoids(Work):
    """FasterPAM on a matrix, or from rows, of statfast."""

    def __init__(self, *, from_points=False):
        self.from_points = from_points

    def prepare(self, data, threads):
        KMedoids = importlib.import_module("statfast.cluster").KMedoids
        start = data["start"]
        metric = "euclidean" if self.from_points else "precomputed"
        self.X = data["X" if self.from_points else "D"]
        self.model = KMedoids(len(start), metric=metric, init=start, n_jobs=threads)

    def fit(self):
        self.model.fit(self.X)

    def answer(self):
        loss = f"loss {self.model.inertia_:.6g}"
        self.remark = f"{loss}, {self.model.n_swaps_} swaps in {self.model.n_iter_} passes"
        return {"medoids": self.model.medoid_indices_, "loss": np.array(self.model.inertia_)}


class PeerMedoids(Work):
    """The package kmedoids; from rows after scipy's cdist. One thread is its fastest."""

    def __init__(self, *, from_points=False):
        self.from_points = from_points

    def prepare(self, data, threads):
        self.kmedoids = importlib.import_module("kmedoids")
        self.X, self.D = data["X"], data.get("D")
        self.start = data["start"].astype(np.uint64)
        if len(self.X) > MOST:
            raise NotImplementedError("the matrix would not fit")

    def fit(self):
        if self.from_points:
            from scipy.spatial.distance import cdist

            self.D = cdist(self.X, self.X)
        self.found = self.kmedoids.fasterpam(self.D, self.start.copy(), n_cpu=1)

    def answer(self):
        return {"medoids": np.asarray(self.found.medoids), "loss": np.array(self.found.loss)}


class BanditMedoids(Work):
    """The package banditpam: PAM by samples, from rows and a start of its own; float32 inside."""

    remark = "from a start of its own"

    def prepare(self, data, threads):
        self.KMedoids = importlib.import_module("banditpam").KMedoids
        self.X, self.k = data["X"], len(data["start"])

    def fit(self):
        self.model = self.KMedoids(n_medoids=self.k, algorithm="BanditPAM")
        self.model.fit(self.X, "L2")

    def answer(self):
        loss = np.array(self.model.average_loss * len(self.X))
        return {"medoids": np.asarray(self.model.medoids).astype(np.intp), "loss": loss}


class Samples(Work):
    """CLARA: how much is lost by looking at samples alone."""

    def prepare(self, data, threads):
        CLARA = importlib.import_module("statfast.cluster").CLARA
        k = len(data["start"])
        self.X, self.model = data["X"], CLARA(k, random_state=0, n_jobs=threads)

    def fit(self):
        self.model.fit(self.X)

    def answer(self):
        self.remark = f"loss {self.model.inertia_:.6g}"
        return {"medoids": self.model.medoid_indices_, "loss": np.array(self.model.inertia_)}


class Silhouette(Work):
    """`silhouette_score` of a module."""

    def __init__(self, module):
        self.module = module

    def prepare(self, data, threads):
        self.score = importlib.import_module(self.module).silhouette_score
        self.data = data
        self.options = {"n_jobs": threads}

    def answer(self):
        score = self.score(self.data["X"], self.data["labels"], **self.options)
        return {"score": np.array(score)}


class MedoidsCheck:
    """The loss that the medoids give, beside the one they are said to give and statfast's own."""

    def __init__(self, data):
        self.X = data["X"]

    def __call__(self, answer):
        near = np.full(len(self.X), np.inf)
        for row in self.X[answer["medoids"].astype(np.intp)]:
            near = np.minimum(near, np.sqrt(np.square(self.X - row).sum(axis=1)))
        return {"loss error": abs(float(answer["loss"]) / near.sum() - 1)}


class SilhouetteCheck:
    """The score by sums over clusters, row by row, of a sample."""

    def __init__(self, data):
        X, labels = data["X"], data["labels"]
        widths = []
        clusters = np.unique(labels)
        for i in range(len(X)):
            apart = np.sqrt(np.square(X - X[i]).sum(axis=1))
            sums, sizes = np.bincount(labels, apart), np.bincount(labels)
            own = labels[i]
            inside = sums[own] / max(1, sizes[own] - 1)
            outside = min(sums[c] / sizes[c] for c in clusters if c != own)
            widths.append((outside - inside) / max(inside, outside) if sizes[own] > 1 else 0.0)
        self.score = float(np.mean(widths))

    def __call__(self, answer):
        return {"score error": abs(float(answer["score"]) - self.score)}
