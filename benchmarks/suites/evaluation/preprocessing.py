# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``preprocessing``: bins, splines, quantiles and powers of columns, products of sparse
columns, means of the target by category, imputation by near rows."""

from functools import partial

import numpy as np

from benchmarks.harness.adapter import Adapter, named
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, scaled_difference
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite

BYTES_OF_NUMBER = 8.0
FOLDS = 5
LEVELS = 50  # of each column of categories
MISSING = 0.05  # of the values to impute
NEIGHBORS = 5
QUANTILES, KNOTS, DEGREE = 1000, 5, 3  # the defaults
HELD = 0.03  # of the entries of sparse rows

# --- data and problems ---


def _numbers(n, d, seed):
    return {"X": np.random.default_rng(seed).standard_normal((n, d))}


def _skewed(n, d, seed):
    """Numbers of both signs, of which those above zero are longer."""
    X = np.random.default_rng(seed).standard_normal((n, d))
    return {"X": np.where(X > 0, np.expm1(X), X)}


def _gaps(n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X[rng.random((n, d)) < MISSING] = np.nan
    return {"X": X}


def _sparse(n, d, seed):
    from scipy.sparse import random_array

    rng = np.random.default_rng(seed)
    X = random_array((n, d), density=HELD, format="csr", random_state=rng)
    X.sort_indices()
    return {"X": X}


def _categories(n, d, seed, words):
    """Columns of codes or words, and a target that leans to the first."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, LEVELS, (n, d))
    names = np.array([f"level {k}" for k in range(LEVELS)], dtype=object)
    y = codes[:, 0] + rng.standard_normal(n)
    return {"X": names[codes] if words else codes, "codes": codes, "y": y}


def _problem(task, n, d, **more):
    made = {
        "bins": _numbers,
        "splines": _numbers,
        "quantiles": _numbers,
        "powers": _skewed,
        "codes": partial(_categories, words=False),
        "words": partial(_categories, words=True),
        "neighbors": _gaps,
        "products": _sparse,
    }[task]
    name, nbytes = f"{task} n={n} d={d}", BYTES_OF_NUMBER * n * d
    return Problem(name, task, partial(made, n, d), nbytes=nbytes, **more)


# --- adapters ---


class Transformed(Adapter):
    """A transformer, fitted and applied to the same rows."""

    def __init__(self, path, **params):
        self.path, self.params = path, params

    def prepare(self, data, threads):
        self.model = named(self.path)(**self.params)
        self.data = data

    def fit(self):
        self.rows = self.model.fit_transform(self.data["X"])

    def answer(self):
        return {"rows": np.asarray(self.rows, dtype=np.float64)}


class TransformedSparse(Transformed):
    """The same of sparse rows. The answer is timed, so that nothing is put in order there."""

    def answer(self):
        return csr_arrays(self.rows)


class CrossFitted(Transformed):
    """An encoder by the target, in folds of consecutive rows."""

    def prepare(self, data, threads):
        n = len(data["y"])
        tests = np.array_split(np.arange(n), FOLDS)
        folds = [(np.setdiff1d(np.arange(n), test, assume_unique=True), test) for test in tests]
        self.model = named(self.path)(cv=folds)
        self.data = data

    def fit(self):
        self.rows = self.model.fit_transform(self.data["X"], self.data["y"])


# --- checks ---


def csr_arrays(rows):
    """What sparse rows store, their columns, and where rows begin."""
    return {"rows": rows.data, "columns": rows.indices, "starts": rows.indptr}


def products(data):
    """A one, the columns, and the product of each two, in order."""
    from scipy.sparse import csc_array, csr_array, hstack

    X = csc_array(data["X"])
    pairs = [X[:, [j]].multiply(X[:, j:]) for j in range(X.shape[1])]
    return csr_arrays(csr_array(hstack([np.ones((X.shape[0], 1)), X, *pairs])))


def bins(data):
    """The number of quantiles, the middles of steps, that each value reaches."""
    X = data["X"]
    edges = np.quantile(X, [0.2, 0.4, 0.6, 0.8], axis=0, method="averaged_inverted_cdf")
    return {"rows": (edges[:, None] <= X).sum(axis=0).astype(np.float64)}


def splines(data):
    """The recursion of the definition, all splines of a column at a time."""
    out = []
    for x in data["X"].T:
        inner = np.linspace(x.min(), x.max(), KNOTS)
        steps = np.arange(1, DEGREE + 1) * (inner[1] - inner[0])
        t = np.concatenate([inner[0] - steps[::-1], inner, inner[-1] + steps])
        values = ((t[:-1] <= x[:, None]) & (x[:, None] < t[1:])).astype(float)
        values[x == inner[-1], DEGREE + KNOTS - 2] = 1.0
        values[x == inner[-1], DEGREE + KNOTS - 1] = 0.0
        for k in range(1, DEGREE + 1):
            rising = (x[:, None] - t[: -k - 1]) / (t[k:-1] - t[: -k - 1]) * values[:, :-1]
            falling = (t[k + 1 :] - x[:, None]) / (t[k + 1 :] - t[1:-k]) * values[:, 1:]
            values = rising + falling
        out.append(values)
    return {"rows": np.hstack(out)}


def shares(data):
    """Shares of the distribution, linear between quantiles."""
    X, at = data["X"], np.linspace(0, 1, QUANTILES)
    quantiles = np.quantile(X, at, axis=0)
    columns = [np.interp(x, q, at) for x, q in zip(X.T, quantiles.T, strict=True)]
    return {"rows": np.column_stack(columns)}


def powers(data):
    """The curves of powers that scipy finds most likely, standardized."""
    from scipy.stats import yeojohnson

    made = np.column_stack([yeojohnson(x)[0] for x in data["X"].T])
    return {"rows": (made - made.mean(axis=0)) / made.std(axis=0)}


def means_of_folds(data):
    """Means by category of the other folds, each fold by itself."""
    codes, y = data["codes"], data["y"]
    out = np.empty(codes.shape)
    for test in np.array_split(np.arange(len(y)), FOLDS):
        rest = np.ones(len(y), dtype=bool)
        rest[test] = False
        center, spread = y[rest].mean(), y[rest].var()
        for j in range(codes.shape[1]):
            given = np.empty(LEVELS)
            for level in range(LEVELS):
                values = y[rest & (codes[:, j] == level)]
                share = 0.0
                if len(values):
                    between = spread * len(values)
                    share = between / (between + values.var())
                given[level] = share * values.mean() + (1 - share) * center if share else center
            out[test, j] = given[codes[test, j]]
    return {"rows": out}


def imputed(data):
    """Each gap by the definition, with all distances of a row by differences."""
    X = data["X"]
    out, has = X.copy(), ~np.isnan(X)
    for i in np.flatnonzero(~has.all(axis=1)):
        both = has & has[i]
        squares = np.where(both, X - np.where(has[i], X[i], 0.0), 0.0) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = squares.sum(axis=1) / both.sum(axis=1)
        for j in np.flatnonzero(~has[i]):
            donors = np.flatnonzero(has[:, j] & ~np.isnan(apart))
            near = donors[np.argsort(apart[donors], kind="stable")[:NEIGHBORS]]
            out[i, j] = X[near, j].mean()
    return {"rows": out}


OURS, PEERS, IMPUTERS = "statfast.preprocessing.", "sklearn.preprocessing.", "sklearn.impute."


def _library(path, imputers):
    return Library({
        "bins": partial(Transformed, path + "KBinsDiscretizer", encode="ordinal", subsample=None),
        "splines": partial(Transformed, path + "SplineTransformer"),
        "quantiles": partial(Transformed, path + "QuantileTransformer", subsample=10**9),
        "powers": partial(Transformed, path + "PowerTransformer"),
        "codes": partial(CrossFitted, path + "TargetEncoder"),
        "words": partial(CrossFitted, path + "TargetEncoder"),
        "neighbors": partial(Transformed, imputers + "KNNImputer"),
        "products": partial(TransformedSparse, path + "PolynomialFeatures"),
    })  # fmt: skip


SUITE = Suite(
    name="preprocessing",
    title="bins, splines, quantiles, powers and products of columns, target encoding, imputation",
    family="preprocessing, selection",
    problems=[
        _problem("bins", 1_000_000, 20, group="bins"),
        _problem("splines", 500_000, 10, group="splines"),
        _problem("quantiles", 1_000_000, 10, group="quantiles"),
        _problem("powers", 500_000, 10, group="powers"),
        _problem("codes", 1_000_000, 10, group="codes"),
        _problem("words", 300_000, 10, group="words"),
        _problem("neighbors", 10_000, 20, group="neighbors"),
        _problem("neighbors", 5_000, 100, group="neighbors"),
        _problem("products", 100_000, 200, group="products"),
    ],
    quick=[
        _problem("splines", 20_000, 4), _problem("quantiles", 20_000, 4),
        _problem("powers", 10_000, 3), _problem("bins", 20_000, 5), _problem("codes", 20_000, 4),
        _problem("words", 10_000, 4), _problem("neighbors", 500, 6),
        _problem("products", 500, 30),
    ],
    growth=Growth(500_000, lambda n: _problem("powers", n, 10, group="powers")),
    libraries={"statfast": _library(OURS, OURS), "scikit-learn": _library(PEERS, IMPUTERS)},
    checks={
        "bins": Check.of_twin(bins, {"error": scaled_difference}),
        "splines": Check.of_twin(splines, {"error": scaled_difference}),
        "quantiles": Check.of_twin(shares, {"error": scaled_difference}),
        "powers": Check.of_twin(powers, {"error": scaled_difference}),
        "codes": Check.of_twin(means_of_folds, {"error": scaled_difference}),
        "words": Check.of_twin(means_of_folds, {"error": scaled_difference}),
        "neighbors": Check.of_twin(imputed, {"error": scaled_difference}),
        "products": Check.of_twin(products, {"error": scaled_difference}),
    },
    tolerances={
        **{
            task: Tolerances({"error": 1e-8})
            for task in ("bins", "splines", "quantiles", "codes", "words", "neighbors", "products")
        },
        # The peer's power is known to the root of rounding, as the likelihood is flat there.
        "powers": Tolerances({"error": 1e-5}),
    },
    bars={
        "bins": [Bar("5 bins of each of 20 columns of 1e6 rows")],
        "splines": [Bar("cubic splines of 10 columns of 500 000 rows", least=1.5)],
        "quantiles": [Bar("1000 quantiles of 10 columns of 1e6 rows", least=1.5)],
        "powers": [Bar("Yeo-Johnson powers of 10 columns of 500 000 rows", least=1.5)],
        "codes": [Bar("cross-fitted means of 10 columns of codes, 1e6 rows", least=3.0)],
        "words": [Bar("cross-fitted means of 10 columns of words, 300 000 rows", least=3.0)],
        "neighbors": [Bar("imputation by 5 neighbors", least=5.0)],
        "products": [Bar("products of two of 200 columns of 100 000 sparse rows", least=1.5)],
    },
)  # fmt: skip
