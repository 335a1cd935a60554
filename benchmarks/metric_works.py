# SPDX-License-Identifier: BSD-3-Clause
"""Brute force beyond Euclidean rows of floats: bytes, bits, sparse rows and other metrics."""

import numpy as np

from benchmarks.works import FaissNeighbors, Neighbors, Work


def _of(data, dtype):
    return data | {name: data[name].astype(dtype) for name in ("X", "Q")}


class ByteNeighbors(Neighbors):
    """Bytes for a library that computes with floats: given as float32, at no cost to it."""

    remark = "given as float32"

    def prepare(self, data, threads):
        super().prepare(_of(data, np.float32), threads)


class FaissBytes(FaissNeighbors):
    remark = "given as float32"

    def prepare(self, data, threads):
        super().prepare(_of(data, np.float32), threads)


class MetricNeighbors(Neighbors):
    """An estimator's `metric`."""

    def prepare(self, data, threads):
        self.options = self.options | {"metric": data["metric"]}
        super().prepare(data, threads)


class HammingNeighbors(MetricNeighbors):
    """scikit-learn wants truth values for its compiled loop; they are made at no cost to it."""

    remark = "given as bool"

    def prepare(self, data, threads):
        super().prepare(_of(data, bool), threads)


FAISS = {"manhattan": "METRIC_L1", "chebyshev": "METRIC_Linf", "cosine": None}


class FaissMetric(Work):
    """Its index of that metric; cosine is the product of rows that it normalises itself."""

    def prepare(self, data, threads):
        import faiss

        faiss.omp_set_num_threads(threads)
        self.faiss, self.X, self.Q, self.k = faiss, data["X"], data["Q"], data["k"]
        self.metric = FAISS[data["metric"]]

    def _normal(self, rows):
        rows = rows.copy()
        self.faiss.normalize_L2(rows)
        return rows

    def fit(self):
        d = self.X.shape[1]
        if self.metric is None:
            self.index = self.faiss.IndexFlatIP(d)
            self.index.add(self._normal(self.X))
        else:
            self.index = self.faiss.IndexFlat(d, getattr(self.faiss, self.metric))
            self.index.add(self.X)

    def answer(self):
        if self.metric is None:
            products, ids = self.index.search(self._normal(self.Q), self.k)
            return {"ids": ids, "distances": 1 - products}
        distances, ids = self.index.search(self.Q, self.k)
        return {"ids": ids, "distances": distances}


class FaissHamming(Work):
    """Bits are packed in `fit` and `answer`, as ours are."""

    def prepare(self, data, threads):
        import faiss

        faiss.omp_set_num_threads(threads)
        self.faiss, self.X, self.Q, self.k = faiss, data["X"], data["Q"], data["k"]

    def fit(self):
        packed = np.packbits(self.X, axis=1)
        self.index = self.faiss.IndexBinaryFlat(8 * packed.shape[1])
        self.index.add(packed)

    def answer(self):
        counts, ids = self.index.search(np.packbits(self.Q, axis=1), self.k)
        return {"ids": ids, "distances": counts / self.X.shape[1]}
