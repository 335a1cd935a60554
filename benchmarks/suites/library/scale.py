# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``scale``: fits to rows that a cluster of Dask's keeps, beside ours to an array.

Rows are made block by block from the problem's seed, on the workers where they are to lie there, so
that no process sends them. The cluster is of this machine: a worker of one thread for each thread
that the others have. Rows are in the workers' memory before the clock starts.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from logging import ERROR

import numpy as np

from benchmarks.harness.adapter import Adapter, named
from benchmarks.harness.check import Check, Tolerances, difference
from benchmarks.harness.problem import F32, F64, SIZES, Problem
from benchmarks.harness.suite import Growth, Library, Suite
from benchmarks.suites.cluster.kmeans import KMeansCheck, lloyd, nearest_centers
from tests.reference.naive_bayes import posteriors

BLOCKS = 16
SAMPLE = 1_000  # rows whose posteriors are asked for
COMPONENTS = 10
CLASSES = 5
STEPS = 20  # iterations of k-means
NAPS, NAP = 64, 0.1  # parts that are slept over, and seconds of each

# --- data and problems ---


@dataclass(frozen=True)
class Block:
    """Rows and labels of one block, made when called; k groups, classes or components."""

    kind: str
    n: int
    d: int
    k: int
    dtype: str
    seed: int
    number: int

    def __call__(self):
        n, d, k, dtype = self.n, self.d, self.k, self.dtype
        rng = np.random.default_rng((self.seed, BLOCKS))  # what all blocks share
        centers = rng.standard_normal((k, d))
        mix = np.eye(d) + 0.3 * rng.standard_normal((d, d)) / np.sqrt(d)
        rng = np.random.default_rng((self.seed, self.number))
        m = n // BLOCKS
        y = rng.integers(k, size=m)
        rows = rng.standard_normal((m, d), dtype=np.dtype(dtype))
        if self.kind == "logistic":
            chance = 1.0 / (1.0 + np.exp(-(rows @ centers[0] / np.sqrt(d) - 0.5)))
            return rows, (rng.random(m) < chance).astype(np.float64)
        if self.kind == "kmeans":
            return rows + 3 * centers[y].astype(dtype), y
        rows = rows @ mix.astype(dtype)
        if self.kind == "pca":  # variances that tell the first components apart
            rows[:, :k] *= np.linspace(5.0, 2.0, k, dtype=dtype)
            return rows, y
        return rows + 2 * centers[y].astype(dtype) / np.sqrt(d).astype(dtype), y


def _data(kind, n, d, k, dtype, seed):
    parts = [Block(kind, n, d, k, dtype, seed, number) for number in range(BLOCKS)]
    return {"parts": parts, "shape": (n // BLOCKS * BLOCKS, d), "k": k, "dtype": dtype}


def _problem(task, n, d, k, dtype):
    kind = task.partition(" ")[0]
    name = f"{kind if kind != 'empty' else task} {n}x{d} {dtype}" + (
        f" k={k}" if kind == "kmeans" else ""
    )
    flops, passes = {
        "kmeans": (2.0 * n * k * d * STEPS, STEPS),
        "lda": (n * d * (d + 1.0), 1.0),
        "pca": (n * d * (d + 1.0), 1.0),
    }.get(kind, (0.0, 1.0))
    make = partial(_data, kind, n, d, k, dtype)
    return Problem(name, task, make, dtype, flops, n * d * SIZES[dtype], passes)


def _sleepers(workers):
    name = f"{NAPS} naps of {NAP:g} s, {workers} workers"
    make = partial(_workers, workers)
    return Problem(name, "sleeping round", make, F64)


def _workers(workers, seed):
    return {"workers": workers, "shape": (NAPS, 1)}


# --- adapters: the rows are an array, or a collection of Dask's ---


class Here(Adapter):
    """Ours, with the rows in an array."""

    def prepare(self, data, threads):
        self.data, self.threads = data, threads
        self.take(data["parts"], data["shape"], data["dtype"])

    def take(self, parts, shape, dtype):
        self.X, labels = np.empty(shape, dtype), []
        for number, part in enumerate(parts):
            rows, y = part()
            self.X[number * len(rows) : (number + 1) * len(rows)] = rows
            labels.append(y)
        self.y = np.concatenate(labels)


class There(Here):
    """Ours and others, with the rows on the workers of the default client, or of a new one."""

    needs = ("distributed", "dask.array")

    def take(self, parts, shape, dtype):
        for module in self.needs:
            __import__(module)
        import dask.array as da
        import distributed
        from dask import delayed

        try:
            client = distributed.default_client()
        except ValueError:
            cluster = distributed.LocalCluster(
                n_workers=self.threads, threads_per_worker=1, dashboard_address=None,
                silence_logs=ERROR,
            )  # fmt: skip
            client = distributed.Client(cluster)
        pairs = client.persist([delayed(part, pure=False)() for part in parts])
        distributed.wait(pairs)
        m, kind = shape[0] // len(parts), parts[0]()[1].dtype
        X = [da.from_delayed(pair[0], (m, shape[1]), dtype) for pair in pairs]
        y = [da.from_delayed(pair[1], (m,), kind) for pair in pairs]
        self.X, self.y = client.persist([da.concatenate(X), da.concatenate(y)])
        distributed.wait([self.X, self.y])


class _KMeans:
    path = "statfast.KMeans"

    def fit(self):
        init = start(self.data)
        self.model = named(self.path)(len(init), init=init, n_init=1, max_iter=STEPS, tol=0.0)
        self.model.fit(self.X)

    def answer(self):
        return {"centers": self.model.cluster_centers_}


class _Logistic:
    def fit(self):
        self.model = named("statfast.LogisticRegression")().fit(self.X, self.y)

    def answer(self):
        return {"coefficients": np.r_[self.model.intercept_, self.model.coef_.ravel()]}


class _Lda:
    def fit(self):
        self.model = named("statfast.LinearDiscriminantAnalysis")().fit(self.X, self.y)

    def answer(self):
        return {"posteriors": self.model.predict_proba(sample(self.data))}


class _Pca:
    path, options = "statfast.PCA", {}

    def fit(self):
        self.model = named(self.path)(COMPONENTS, **self.options).fit(self.X)

    def answer(self):
        both = {"components": "components_", "variances": "explained_variance_"}
        return {name: np.asarray(getattr(self.model, attribute)) for name, attribute in
                both.items()}  # fmt: skip


class _Round:
    """A round that does nothing but count."""

    def fit(self):
        if not hasattr(self, "parts"):
            from statfast._engine import as_parts

            given = named("statfast.Parts")([self.X]) if isinstance(self.X, np.ndarray) else self.X
            self.parts = as_parts(given)
        self.rows = self.parts.total(work_of(rows_of_part), None)

    def answer(self):
        return {"rows": self.rows}


def rows_of_part(columns, state):
    return len(columns[0])


def work_of(function):
    return named("statfast._engine.Work")(function)


class SleepingHere(Adapter):
    """A round whose work is to sleep: what so many workers, threads of an executor, add to it."""

    def prepare(self, data, threads):
        pool = ThreadPoolExecutor(data["workers"])
        self.parts = named("statfast.Parts")([np.zeros((1, 1))] * NAPS, executor=pool)
        self.parts.total(work_of(rows_of_part), None)

    def fit(self):
        self.rows = self.parts.total(work_of(nap), NAP)

    def answer(self):
        return {"rows": self.rows}


class Sleeping(SleepingHere):
    """The same of workers of Dask's, whose scheduler and messages are as elsewhere."""

    def prepare(self, data, threads):
        import dask.array as da
        import distributed
        from dask import delayed

        from statfast._engine import as_parts

        client = distributed.Client(
            distributed.LocalCluster(
                n_workers=data["workers"], threads_per_worker=1, processes=False,
                dashboard_address=":0", silence_logs=ERROR,
            )
        )  # fmt: skip
        places = list(client.scheduler_info(n_workers=-1)["workers"])
        blocks = [
            client.persist(
                da.from_delayed(delayed(np.zeros, pure=False)((1, 1)), (1, 1), np.float64),
                workers=[places[number % len(places)]],
            )
            for number in range(NAPS)
        ]
        distributed.wait(blocks)
        self.parts = as_parts(da.concatenate(blocks))
        self.parts.total(work_of(rows_of_part), None)


def nap(columns, seconds):
    time.sleep(seconds)
    return len(columns[0])


def _adapter(task, place, **more):
    """An adapter of a task for rows that lie in a place."""
    return type(place.__name__, (task, place), more)


class DaskGlm(There):
    """Newton's method of dask-glm, with a column of ones."""

    needs = ("dask_glm.algorithms", "distributed")

    def fit(self):
        import dask.array as da

        ones = da.ones((len(self.X), 1), chunks=(self.X.chunks[0], 1))
        rows = da.concatenate([ones, self.X], axis=1).rechunk({1: -1})
        self.coefficients = named("dask_glm.algorithms.newton")(rows, self.y, tol=1e-10)

    def answer(self):
        return {"coefficients": np.asarray(self.coefficients)}


# --- checks: block by block ---


def start(data):
    """The first rows, in float64: k of them."""
    return data["parts"][0]()[0][: data["k"]].astype(np.float64)


def sample(data):
    return data["parts"][0]()[0][:SAMPLE]


def blocks(data):
    for part in data["parts"]:
        rows, y = part()
        yield rows.astype(np.float64), y


class CentersCheck(KMeansCheck):
    """Of centers alone: labels stay with their rows. Steps of Lloyd's algorithm in float64."""

    def __init__(self, data):
        self.X = np.concatenate([part()[0] for part in data["parts"]])
        self.parts = {"centers": (data["k"], self.X.shape[1])}
        self.inertia = nearest_centers(self.X, lloyd(self.X, start(data), STEPS))[1].sum()

    def errors(self, answer):
        best = nearest_centers(self.X, answer["centers"])[1].sum()
        return {"inertia excess": abs(float(best / self.inertia - 1))}


class GradientCheck(Check):
    """The largest of the scores over n, which are 0 where the likelihood is greatest."""

    def __init__(self, data):
        self.data = data
        self.parts = {"coefficients": (data["shape"][1] + 1,)}

    def errors(self, answer):
        b = np.asarray(answer["coefficients"], np.float64)
        total = np.zeros(len(b))
        for rows, y in blocks(self.data):
            apart = y - 1.0 / (1.0 + np.exp(-(rows @ b[1:] + b[0])))
            total += np.r_[apart.sum(), apart @ rows]
        return {"gradient": float(abs(total).max() / self.data["shape"][0])}


def sample_posteriors(data):
    """Posteriors of some rows, by means and the pooled covariance of all."""
    (n, d), k = data["shape"], data["k"]
    counts, sums, products = np.zeros(k), np.zeros((k, d)), np.zeros((d, d))
    origin = sample(data).astype(np.float64).mean(axis=0)
    for rows, y in blocks(data):
        rows = rows - origin
        products += rows.T @ rows
        for c in range(k):
            counts[c] += np.count_nonzero(y == c)
            sums[c] += rows[y == c].sum(axis=0)
    means = sums / counts[:, None]
    slopes = np.linalg.solve((products - sums.T @ means) / (n - k), means.T)
    scores = (sample(data) - origin) @ slopes - 0.5 * (means.T * slopes).sum(axis=0)
    return {"posteriors": posteriors(scores + np.log(counts / n))}


class VariancesCheck(Check):
    """By the covariance matrix of all rows."""

    def __init__(self, data):
        n, d = data["shape"]
        total, products = np.zeros(d), np.zeros((d, d))
        for rows, _ in blocks(data):
            total += rows.sum(axis=0)
            products += rows.T @ rows
        self.covariance = (products - np.outer(total, total / n)) / (n - 1)
        self.variances = np.linalg.eigvalsh(self.covariance)[::-1][:COMPONENTS]
        self.parts = {"components": (COMPONENTS, d), "variances": (COMPONENTS,)}

    def errors(self, answer):
        V = np.asarray(answer["components"], np.float64)
        apart = V @ self.covariance - self.variances[:, None] * V
        return {
            "variance error": float(abs(answer["variances"] / self.variances - 1).max()),
            "residual": float(np.linalg.norm(apart, axis=1).max() / self.variances[0]),
            "orthogonality": float(abs(V @ V.T - np.eye(len(V))).max()),
        }


def number_of_rows(data):
    return {"rows": np.float64(data["shape"][0])}


ROWS = Check.of_twin(number_of_rows, {"rows missing": difference})


# --- the suite ---

TASKS = {
    "kmeans in parts": _KMeans,
    "logistic in parts": _Logistic,
    "lda in parts": _Lda,
    "pca in parts": _Pca,
    "empty round": _Round,
}
NOT_THE_ARRAY = "beside statfast (Dask), not the array"
SUITE = Suite(
    name="scale",
    title="rows on a cluster of this machine (Dask), beside an array",
    problems=[
        _problem("kmeans in parts", 4_000_000, 16, 64, F32),
        _problem("logistic in parts", 4_000_000, 20, 1, F64),
        _problem("lda in parts", 4_000_000, 100, CLASSES, F32),
        _problem("pca in parts", 4_000_000, 100, COMPONENTS, F32),
        _problem("empty round", 16_000, 16, 1, F32),
        *(_sleepers(workers) for workers in (1, 2, 4, 8, 16, 32, 64)),
    ],
    quick=[
        _problem("kmeans in parts", 4_000, 8, 8, F32),
        _problem("logistic in parts", 4_000, 5, 1, F64),
        _problem("lda in parts", 4_000, 20, CLASSES, F32),
        _problem("pca in parts", 4_000, 20, COMPONENTS, F32),
        _problem("empty round", 1_600, 4, 1, F32),
    ],
    growth=Growth(4_000_000, lambda n: _problem("kmeans in parts", n, 16, 64, F32)),
    libraries={
        "statfast": Library(
            {name: _adapter(task, Here) for name, task in TASKS.items()}
            | {"sleeping round": SleepingHere}
        ),
        "statfast (Dask)": Library(
            {name: _adapter(task, There) for name, task in TASKS.items()}
            | {"sleeping round": Sleeping},
            packages=("dask", "distributed"),
        ),
        "dask-ml": Library(
            {
                "kmeans in parts": _adapter(
                    _KMeans, There, path="dask_ml.cluster.KMeans", needs=("dask_ml.cluster",)
                ),
                "pca in parts": _adapter(
                    _Pca, There, path="dask_ml.decomposition.PCA", needs=("dask_ml.decomposition",),
                    options={"svd_solver": "tsqr"},
                ),
            },
            not_a_peer=NOT_THE_ARRAY,
        ),
        "dask-glm": Library({"logistic in parts": DaskGlm}, not_a_peer=NOT_THE_ARRAY),
    },
    checks={
        "kmeans in parts": CentersCheck,
        "logistic in parts": GradientCheck,
        "lda in parts": Check.of_twin(sample_posteriors, {"posterior error": difference}),
        "pca in parts": VariancesCheck,
        "empty round": ROWS,
        "sleeping round": ROWS,
    },
    tolerances={
        "kmeans in parts": Tolerances({"inertia excess": 1e-6}, loose={"inertia excess": 1e-3}),
        "logistic in parts": Tolerances({"gradient": 1e-10}),
        "lda in parts": Tolerances({"posterior error": 1e-4}, loose={"posterior error": 0.01}),
        "pca in parts": Tolerances(
            {"variance error": 1e-5, "residual": 1e-5, "orthogonality": 1e-5},
            loose=dict.fromkeys(("variance error", "residual", "orthogonality"), 1e-3),
        ),
        "empty round": Tolerances({"rows missing": 0.0}),
        "sleeping round": Tolerances({"rows missing": 0.0}),
    },
    bars={},
)  # fmt: skip
