# SPDX-License-Identifier: BSD-3-Clause
"""The suites ``latency``, one row through `predict`, and ``import``."""

import importlib
import json
import subprocess
import sys
from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, Estimator
from benchmarks.harness.check import Check, Tolerances, difference
from benchmarks.harness.problem import F32, Problem
from benchmarks.harness.suite import Growth, Library, Suite

KNN = 5


# --- one row ---


def _latency_data(n, d, groups, dtype, seed):
    """Groups so far apart that every right answer is the group of the row."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % groups
    centers = 100.0 * rng.standard_normal((groups, d))
    rows = (centers[y] + rng.standard_normal((n, d))).astype(dtype)
    return {"X": rows, "y": y, "init": rows[:groups], "row": rows[n - 1 :].copy()}


def _latency(model, n, d, groups, dtype="float64", *, beyond=False):
    name = f"{model} predict, 1 row of {d}, fitted on {n}, {dtype}"
    make = partial(_latency_data, n, d, groups, dtype)
    return Problem(name, f"predict {model}", make, dtype, beyond=beyond)


class Predict(Estimator):
    """One row through `predict` of a model that was fitted before; defaults, as a user has them."""

    def prepare(self, data, threads):
        X, y, self.row = data["X"], data["y"], data["row"]
        name = self.path.rpartition(".")[2]
        given = {}
        if name == "KMeans":
            given = {"n_clusters": len(data["init"]), "init": data["init"], "n_init": 1}
        elif name == "KNeighborsClassifier":
            given = {"n_neighbors": KNN}
        model = self.estimator(**given)
        model.fit(X) if name == "KMeans" else model.fit(X, y)
        self.predict = model.predict

    def answer(self):
        return {"labels": self.predict(self.row)}


def label_of_group(data):
    """The label of the one row, which is that of its group."""
    return {"labels": data["y"][-1:]}


def _models(**paths):
    return Library({f"predict {model}": partial(Predict, path) for model, path in paths.items()})


TASKS = ("predict KMeans", "predict LDA", "predict kNN")
PROBLEMS_OF_100_ROWS = [_latency(model, 100, 4, 3) for model in ("KMeans", "LDA", "kNN")]
LATENCY = Suite(
    name="latency",
    title="one row through `predict`",
    family="one row through predict",
    problems=[
        *PROBLEMS_OF_100_ROWS,
        *(_latency(model, 5_000, 33, 20, beyond=True) for model in ("KMeans", "LDA", "kNN")),
        *(_latency(model, 100, 4, 3, F32, beyond=True) for model in ("KMeans", "LDA", "kNN")),
    ],
    quick=PROBLEMS_OF_100_ROWS,
    growth=Growth(5_000, lambda n: _latency("kNN", n, 33, 20, beyond=True)),
    libraries={
        "statfast": _models(
            KMeans="statfast.cluster.KMeans",
            LDA="statfast.generative.LinearDiscriminantAnalysis",
            kNN="statfast.neighbors.KNeighborsClassifier",
        ),
        "scikit-learn": _models(
            KMeans="sklearn.cluster.KMeans",
            LDA="sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
            kNN="sklearn.neighbors.KNeighborsClassifier",
        ),
        "scikit-learn-intelex": _models(
            KMeans="sklearnex.cluster.KMeans", kNN="sklearnex.neighbors.KNeighborsClassifier"
        ),
    },
    checks=dict.fromkeys(TASKS, Check.of_twin(label_of_group, {"wrong labels": difference})),
    tolerances=dict.fromkeys(TASKS, Tolerances({"wrong labels": 0.0})),
    bars={},
)


# --- import ---


class Import(Adapter):
    """A new process each time; what numpy and scipy.linalg need is loaded before the clock."""

    program = """
import json, os, sys, time, numpy, scipy.linalg
def threads():
    return len(os.listdir("/proc/self/task")) if os.path.exists("/proc/self/task") else 0
before = threads()
start = time.perf_counter()
import {modules}
seconds = time.perf_counter() - start
started = threads() - before
print(json.dumps(dict(seconds=seconds, started=started, loaded=sorted(sys.modules))))
"""

    def __init__(self, *modules):
        self.modules = modules

    def prepare(self, data, threads):
        for module in self.modules:
            importlib.import_module(module)  # absent or broken: said here, and the disk is warm
        self.command = [sys.executable, "-c", self.program.format(modules=", ".join(self.modules))]

    def answer(self):
        run = subprocess.run(self.command, capture_output=True, text=True, check=True)
        return json.loads(run.stdout.splitlines()[-1]) | {"asked": self.modules}


class ImportCheck(Check):
    """Whether what was asked for is loaded, and what came along; that numpy and scipy.linalg load
    is not counted."""

    heavy = ("sklearn", "pandas", "polars", "pyarrow", "matplotlib", "scipy.stats", "joblib")

    def __init__(self, data):
        self.parts = {"seconds": (), "started": ()}

    def errors(self, answer):
        loaded, asked = set(answer["loaded"]), answer["asked"]
        return {
            "modules missing": len(set(asked) - loaded) if asked else 1,
            "heavy packages": len(loaded.intersection(self.heavy)),
            "threads started": int(answer["started"]),
        }


def _modules(*modules, packages=()):
    return Library({"import": partial(Import, *modules)}, packages)


IMPORT = Suite(
    name="import",
    title="`import` after numpy and scipy.linalg",
    problems=[Problem("import after numpy and scipy.linalg", "import", lambda seed: {})],
    quick=[Problem("import after numpy and scipy.linalg", "import", lambda seed: {})],
    libraries={
        "statfast": _modules("statfast"),
        "scikit-learn": _modules(
            "sklearn.neighbors", "sklearn.cluster", "sklearn.discriminant_analysis"
        ),
        "scikit-learn-intelex": _modules(
            "sklearnex.neighbors", "sklearnex.cluster", packages=("scikit-learn-intelex", "daal")
        ),
        "faiss": _modules("faiss", packages=("faiss-cpu",)),
    },
    checks={"import": ImportCheck},
    tolerances={
        "import": Tolerances(
            {"modules missing": 0.0}, ours={"heavy packages": 0.0, "threads started": 0.0}
        )
    },
    bars={},
    sizes=True,
)
