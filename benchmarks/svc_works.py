# SPDX-License-Identifier: BSD-3-Clause
"""What the suite ``svc`` asks of a library, and how its answer is checked."""

import importlib

import numpy as np

from benchmarks.works import Work

TOL = 1e-3
CACHE = 2_000.0  # megabytes for everyone
FINER = 1e-2  # of the tolerance: what the best dual is found with


class Machine(Work):
    """A package's ``SVC``; the answer is its expansion, y_i alpha_i at support vectors."""

    def __init__(self, module, threaded=False):
        self.module, self.threaded = module, threaded  # whether it takes `n_jobs`

    def prepare(self, data, threads):
        self.X, self.y = data["X"], data["y"]
        more = {"n_jobs": threads} if self.threaded else {}
        estimator = importlib.import_module(self.module).SVC
        self.model = estimator(C=data["C"], gamma=data["gamma"], tol=TOL, cache_size=CACHE, **more)

    def fit(self):
        self.model.fit(self.X, self.y)

    def answer(self):
        return {
            "support": np.asarray(self.model.support_),
            "coef": np.asarray(self.model.dual_coef_, np.float64)[0],
        }


class ThunderMachine(Machine):
    """ThunderSVM's, whose coefficients are positive for the class it meets first."""

    def __init__(self):
        super().__init__("thundersvm", threaded=True)

    def answer(self):
        found = super().answer()
        return {**found, "coef": self.y[0] * found["coef"]}


class DualCheck:
    """The dual value of an answer beside the best one, and how far it is from feasible.

    The best is that of our solver at a hundredth of the tolerance, and its own duality gap says
    how good it is.
    """

    def __init__(self, data):
        from statfast.kernels import RBF
        from statfast.svm.dual import solve
        from statfast.svm.gram import gram_of

        self.data = data
        X, y, n = data["X"], data["y"], len(data["y"])
        found = solve(
            gram_of(RBF(data["gamma"]), X), -np.ones(n), y, np.full(n, data["C"]), tol=FINER * TOL
        )
        self.best = -found.dual
        self.unsure = abs(found.dual + found.primal)

    def __call__(self, answer):
        y, C, support = self.data["y"], self.data["C"], answer["support"]
        b = answer["coef"]
        if not np.isfinite(b).all() or len(b) != len(support):
            return {"dual shortfall": np.inf}
        alpha = b * y[support]
        outside = max(0.0, float(-alpha.min()), float(alpha.max() - C), abs(float(b.sum())))
        value = alpha.sum() - 0.5 * self._square(self.data["X"][support], b)
        return {
            "dual shortfall": float((self.best - value) / abs(self.best)),
            "outside": outside / C,
            "gap of the best": self.unsure / abs(self.best),
        }

    def _square(self, S, b):
        """b'Kb, a block of rows at a time."""
        norms, total = (S**2).sum(axis=1), 0.0
        for start in range(0, len(S), 512):
            rows = slice(start, start + 512)
            square = norms[rows, None] + norms - 2 * S[rows] @ S.T
            total += b[rows] @ np.exp(-self.data["gamma"] * np.maximum(square, 0)) @ b
        return float(total)
