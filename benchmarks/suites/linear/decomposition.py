# SPDX-License-Identifier: BSD-3-Clause
"""The suites ``decomposition`` and ``ratings``: principal components and low-rank factors."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, Estimator
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, row_blocks
from benchmarks.harness.problem import F32, SIZES, Problem
from benchmarks.harness.suite import Growth, Library, Suite

# --- principal components: data and problems ---


def _pca_data(n, d, k, dtype, far, seed):
    """Forty directions that fade, noise, and a mean; or far from the origin."""
    rng = np.random.default_rng(seed)
    rank = min(n, d, 40)
    X = rng.standard_normal((n, rank)) * np.linspace(6.0, 1.0, rank)
    X = X @ rng.standard_normal((rank, d)) / np.sqrt(rank) + 3.0
    X += rng.standard_normal((n, d))
    return {"X": (X + far).astype(dtype), "k": k}


def _pca(n, d, k, dtype="float64", *, far=0.0, group=None):
    name = f"PCA {n}x{d} k={k}{' far' if far else ''} {dtype}"
    make = partial(_pca_data, n, d, k, dtype, far)
    flops = n * d * min(n, d) + 2.0 * n * d * k  # half a Gram matrix, then the scores
    nbytes, beyond = n * d * SIZES[dtype], group is None
    return Problem(name, "pca", make, dtype, flops, nbytes, 2.0, beyond, group or "", hopeless=20.0)


class Components(Estimator):
    def prepare(self, data, threads):
        self.X = data["X"]
        self.model = self.estimator(threads=threads, n_components=data["k"])

    def fit(self):
        self.scores = self.model.fit_transform(self.X)

    def answer(self):
        return {
            "components": self.model.components_,
            "singular values": self.model.singular_values_,
            "scores": np.asarray(self.scores),
        }


class ComponentCheck(Check):
    """By the Gram matrix of the smaller side of centered rows, made in float64."""

    def __init__(self, data):
        X, k = data["X"], data["k"]
        rows = X.astype(np.float64)
        rows -= rows[0].copy()
        rows -= rows.mean(axis=0)
        rows -= rows.mean(axis=0)
        self.rows = rows
        n, d = rows.shape
        gram = rows.T @ rows if d <= n else rows @ rows.T
        from scipy.linalg import eigh

        values = eigh(gram, eigvals_only=True, subset_by_index=(len(gram) - k, len(gram) - 1))
        self.s = np.sqrt(values[::-1])
        self.parts = {"components": (k, d), "singular values": (k,), "scores": (n, k)}

    def errors(self, answer):
        V = np.asarray(answer["components"], dtype=np.float64)
        scores = self.rows @ V.T
        image = (self.rows.T @ scores).T
        said = np.asarray(answer["singular values"], dtype=np.float64)
        apart = np.sqrt(((image - self.s[:, None] ** 2 * V) ** 2).sum(axis=1))
        return {
            "singular value error": float(abs(said / self.s - 1).max()),
            "residual": float(apart.max() / self.s[0] ** 2),
            "orthogonality": float(abs(V @ V.T - np.eye(len(V))).max()),
            "score error": float(abs(answer["scores"] - scores).max() / abs(scores).max()),
        }


SK = "sklearn.decomposition.PCA"
EX = "sklearnex.decomposition.PCA"
NAMES = ("singular value error", "residual", "orthogonality", "score error")
STRICT = dict(zip(NAMES, (1e-10, 1e-8, 1e-8, 1e-7), strict=True))
ROUNDED = dict.fromkeys(NAMES, 1e-5)
LOOSE = dict.fromkeys(NAMES, 1e-3)


def _peer(path, solver):
    return Library({"pca": partial(Components, path, threaded=False, svd_solver=solver)})


SHAPES = [(200_000, 50, 10), (1_000_000, 20, 10), (100_000, 500, 10), (5_000, 5_000, 20),
          (500, 20_000, 10)]  # fmt: skip
MIN_SPEEDUPS = {"200000x50": 4.0, "1000000x20": 3.0, "100000x500": 2.0, "5000x5000": 2.0,
         "500x20000": 1.5}  # fmt: skip
DECOMPOSITION = Suite(
    name="decomposition",
    title="principal components (fit_transform)",
    family="components, ratings",
    problems=[
        *(_pca(*shape, group="pca") for shape in SHAPES),
        *(_pca(*shape, F32, group="pca") for shape in SHAPES),
        _pca(200_000, 50, 10, far=1e8),
        _pca(1_000, 10, 3),
        _pca(20_000, 2_000, 10),
    ],
    quick=[_pca(2_000, 20, 4), _pca(60, 300, 4, F32), _pca(400, 30, 3, far=1e8)],
    growth=Growth(100_000, lambda n: _pca(n, 500, 10, group="pca")),
    libraries={
        "statfast": Library({"pca": partial(Components, "statfast.PCA")}),
        "scikit-learn": _peer(SK, "auto"),
        "scikit-learn (arpack)": _peer(SK, "arpack"),
        "scikit-learn (randomized)": _peer(SK, "randomized"),
        "scikit-learn-intelex": _peer(EX, "auto"),
        "scikit-learn (covariance)": _peer(SK, "covariance_eigh"),
    },
    checks={"pca": ComponentCheck},
    tolerances={"pca": Tolerances(STRICT, ROUNDED, LOOSE)},
    bars={
        "pca": [Bar(f"PCA {name}", least=least, only=name) for name, least in MIN_SPEEDUPS.items()]
    },
)

# --- ratings ---


def _ratings_data(n, m, count, k, seed):
    """Ratings by planted factors and biases, with noise; some items are rated far more."""
    rng = np.random.default_rng(seed)
    users = rng.integers(0, n, count)
    items = (m * rng.random(count) ** 2).astype(np.int64)
    pairs = np.unique(users * m + items)
    users, items = pairs // m, pairs % m
    U, V = rng.standard_normal((n, k)) / k**0.25, rng.standard_normal((m, k)) / k**0.25
    b, c = 0.3 * rng.standard_normal(n), 0.3 * rng.standard_normal(m)
    values = 3.5 + b[users] + c[items] + 0.5 * rng.standard_normal(len(pairs))
    for rows in row_blocks(len(pairs), 2 * k):
        values[rows] += (U[users[rows]] * V[items[rows]]).sum(axis=1)
    truth = {"users": U, "items": V, "user biases": b, "item biases": c, "mean": np.array([3.5])}
    return {"users": users, "items": items, "values": values, "shape": (n, m), "k": k,
            "truth": truth}  # fmt: skip


def _ratings(n, m, count, k, *, beyond=False):
    name = f"ratings {n}x{m}, {count:g} known, k={k}"
    make = partial(_ratings_data, n, m, count, k)
    flops = 15 * 2 * (count * (k + 1.0) ** 2 + (n + m) * k**3 / 3.0)
    return Problem(name, "ratings", make, "float64", flops, 0.0, 2.0, beyond, "ratings")


PENALTY, ITERATIONS = 0.05, 15


class OurFactors(Adapter):
    def prepare(self, data, threads):
        from scipy.sparse import coo_array

        from statfast import RatingsFactorization

        pairs = data["values"], (data["users"], data["items"])
        self.X = coo_array(pairs, shape=data["shape"]).tocsr()
        self.model = RatingsFactorization(
            data["k"], regularization=PENALTY, max_iter=ITERATIONS, tol=1e-6, n_jobs=threads
        )

    def fit(self):
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the number of iterations is given
            self.model.fit(self.X)

    def answer(self):
        m = self.model
        return {"users": m.user_factors_, "items": m.item_factors_, "user biases": m.user_biases_,
                "item biases": m.item_biases_, "mean": np.array([m.mean_])}  # fmt: skip


class Cmfrec(Adapter):
    def __init__(self, **options):
        self.options = options

    def prepare(self, data, threads):
        from cmfrec import CMF
        from scipy.sparse import coo_matrix

        pairs = data["values"], (data["users"], data["items"])
        self.X = coo_matrix(pairs, shape=data["shape"])
        self.model = CMF(k=data["k"], lambda_=PENALTY, scale_lam=True, niter=ITERATIONS,
                         nthreads=threads, verbose=False, random_state=0,
                         **self.options)  # fmt: skip

    def fit(self):
        self.model.fit(self.X)

    def answer(self):
        m = self.model
        parts = m.A_, m.B_, m.user_bias_, m.item_bias_, [m.glob_mean_]
        names = "users", "items", "user biases", "item biases", "mean"
        return {name: np.asarray(part, float) for name, part in zip(names, parts, strict=True)}


class RatingsCheck(Check):
    """The objective by definition, against that of the factors by which the ratings were made."""

    def __init__(self, data):
        self.data, (n, m), k = data, data["shape"], data["k"]
        self.parts = {"users": (n, k), "items": (m, k), "user biases": (n,), "item biases": (m,),
                      "mean": (1,)}  # fmt: skip
        self.planted = self.objective(data["truth"])

    def objective(self, a):
        users, items, total = self.data["users"], self.data["items"], 0.0
        for rows in row_blocks(len(users), 2 * self.data["k"]):
            u, i = users[rows], items[rows]
            said = (a["users"][u] * a["items"][i]).sum(axis=1)
            said += a["mean"][0] + a["user biases"][u] + a["item biases"][i]
            total += ((self.data["values"][rows] - said) ** 2).sum()
        for who, side, bias in ((users, "users", "user biases"), (items, "items", "item biases")):
            counts = np.bincount(who, minlength=len(a[bias]))
            total += PENALTY * (counts * ((a[side] ** 2).sum(axis=1) + a[bias] ** 2)).sum()
        return total

    def errors(self, answer):
        return {"objective": float(self.objective(answer) / self.planted - 1.0)}


RATINGS = Suite(
    name="ratings",
    title="factorization of ratings (alternating least squares, 15 iterations)",
    family="components, ratings",
    problems=[
        _ratings(100_000, 10_000, 10_000_000, 10),
        _ratings(100_000, 10_000, 10_000_000, 50),
    ],
    quick=[_ratings(400, 150, 20_000, 4)],
    growth=Growth(100_000, lambda n: _ratings(n, n // 10, 100 * n, 50)),
    libraries={
        "statfast": Library({"ratings": OurFactors}),
        "cmfrec": Library({"ratings": partial(Cmfrec, use_cg=True)}),
        "cmfrec (Cholesky)": Library({"ratings": partial(Cmfrec, use_cg=False)}),
    },
    checks={"ratings": RatingsCheck},
    tolerances={"ratings": Tolerances({"objective": 0.0}, {"objective": 0.0}, {"objective": 0.0})},
    bars={"ratings": [Bar("1e7 ratings, k = 10 and 50", least=2.0)]},
)
