# SPDX-License-Identifier: BSD-3-Clause
"""What the suite ``svc-predict`` asks of a library: decision values of a model fitted before.

Every library trains its own model, to a tolerance at which all have the same; the values of a
sample of rows are checked against LIBSVM's in scikit-learn.
"""

import time

import numpy as np

from benchmarks.works import Estimator

SAMPLE = 200


class Values(Estimator):
    """All rows at once."""

    def prepare(self, data, threads):
        self.Q = data["Q"]
        model = self.estimator(threads=threads, decision_function_shape="ovo", **data["params"])
        self.model = model.fit(data["X"], data["y"])
        self.note_fallback(self.model)

    def answer(self):
        return {"values": self.model.decision_function(self.Q)}


class SingleValues(Values):
    """Rows one by one; its own clock gives seconds a row."""

    def answer(self):
        one, rows = self.model.decision_function, [row[None] for row in self.Q]
        start = time.perf_counter()
        values = [one(row) for row in rows]
        seconds = (time.perf_counter() - start) / len(rows)
        return {"seconds": seconds, "values": np.concatenate(values)}


class ValuesCheck:
    """The largest difference from LIBSVM's values on a sample, relative to the largest value."""

    def __init__(self, data):
        from sklearn.svm import SVC

        model = SVC(decision_function_shape="ovo", **data["params"]).fit(data["X"], data["y"])
        self.want = model.decision_function(data["Q"][:SAMPLE])

    def __call__(self, answer):
        values = np.asarray(answer["values"])[:SAMPLE].reshape(self.want.shape)
        error = np.abs(values - self.want).max() / np.abs(self.want).max()
        return {"value error": float(error)}
