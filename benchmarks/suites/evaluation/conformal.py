# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``conformal``: intervals of the jackknife+, by closed forms and by refits.

MAPIE fits again without each row. In one process, as its processes take longer to be sent their
work. 20 000 rows would take it minutes: they are timed for statfast alone.
"""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, named
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, scaled_difference
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite

LEVEL, POINTS = 0.9, 1000
TASKS = ("jackknife+", "many rows")

# --- data and problems ---


def _line(n, d, seed):
    rng = np.random.default_rng(seed)
    X, slopes = rng.standard_normal((n, d)), rng.standard_normal(d)
    new = rng.standard_normal((POINTS, d))
    return {"X": X, "y": X @ slopes + rng.standard_t(4, n), "new": new}


def _problem(n, d, group, task="jackknife+"):
    return Problem(
        f"least squares {n}x{d}, {POINTS} points", task, partial(_line, n, d),
        group=group, budget=3.0, hopeless=2000.0, limit=240.0,
    )  # fmt: skip


# --- adapters ---


class JackknifePlus(Adapter):
    """Intervals of new points by the errors of rows that are left out."""

    def prepare(self, data, threads):
        self.data = data
        self.model = named("statfast.ConformalRegressor")(
            named("statfast.LinearRegression")(n_jobs=threads), method="jackknife+", n_jobs=threads
        )

    def fit(self):
        self.model.fit(self.data["X"], self.data["y"])

    def answer(self):
        ends = self.model.predict(self.data["new"], interval="conformal", level=LEVEL)[1]
        return {"ends": ends}


class Refits(JackknifePlus):
    """MAPIE's, which fits all rows but each in turn."""

    def prepare(self, data, threads):
        self.data = data
        self.model = named("mapie.regression.CrossConformalRegressor")(
            named("sklearn.linear_model.LinearRegression")(), confidence_level=LEVEL,
            method="plus", cv=named("sklearn.model_selection.LeaveOneOut")(),
            n_jobs=None,
        )  # fmt: skip

    def fit(self):
        self.model.fit_conformalize(self.data["X"], self.data["y"])

    def answer(self):
        return {"ends": self.model.predict_interval(self.data["new"])[1][:, :, 0]}


# --- checks ---


def _ends(data):
    """Ends by leverages, a point at a time."""
    X = np.column_stack([np.ones(len(data["X"])), data["X"]])
    new = np.column_stack([np.ones(POINTS), data["new"]])
    Q, R = np.linalg.qr(X)
    residuals = data["y"] - Q @ (Q.T @ data["y"])
    errors = residuals / (1.0 - (Q**2).sum(axis=1))
    shift = np.linalg.solve(R.T, new.T).T
    k = int(np.ceil(LEVEL * (len(X) + 1) - 1e-9))
    ends = np.empty((POINTS, 2))
    for point, (row, value) in enumerate(zip(shift, shift @ (Q.T @ data["y"]), strict=True)):
        values = value - (Q @ row) * errors
        ends[point, 0] = -np.partition(np.abs(errors) - values, k - 1)[k - 1]
        ends[point, 1] = np.partition(values + np.abs(errors), k - 1)[k - 1]
    return {"ends": ends}


# --- the suite ---

SUITE = Suite(
    name="conformal",
    title="conformal intervals without refits (fit + intervals of 1000 points)",
    family="cross-validation",
    problems=[
        _problem(1_000, 10, "few rows"), _problem(4_000, 10, "jackknife+"),
        _problem(20_000, 20, "many rows", "many rows"),
    ],
    quick=[_problem(150, 4, "few rows"), _problem(300, 4, "many rows", "many rows")],
    growth=Growth(20_000, lambda n: _problem(n, 20, "many rows", "many rows")),
    libraries={
        "statfast": Library({"jackknife+": JackknifePlus, "many rows": JackknifePlus}),
        "mapie": Library({"jackknife+": Refits}, packages=("MAPIE",)),
    },
    checks=dict.fromkeys(TASKS, Check.of_twin(_ends, {"ends": scaled_difference})),
    tolerances=dict.fromkeys(TASKS, Tolerances({"ends": 1e-8})),
    bars={
        "jackknife+": [Bar("jackknife+ of 4000 rows", ("mapie",), least=1000.0)],
        "few rows": [Bar("jackknife+ of 1000 rows", ("mapie",), least=100.0)],
        "many rows": [Bar("jackknife+ of 20 000 rows", seconds=1.0)],
    },
)  # fmt: skip
