# SPDX-License-Identifier: BSD-3-Clause
"""Small problems: the numbers, and the targets, weights and containers in which they may come."""

import functools
from contextlib import ExitStack, contextmanager
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse
from scipy.spatial.distance import cdist

N, D, K = 42, 4, 3
TEXTS = ("the cat sat", "a dog ran far", "no cat ran", "the dog and the cat", "far and far away")


class Problem:
    """Rows of whole numbers in three groups that overlap, which every dtype holds exactly.

    ``gaps`` are the places of missing values, where these are wanted.
    """

    def __init__(self, *, counts=False, gaps=False, classes=K):
        rng = np.random.default_rng(11)
        self.codes = rng.permutation(np.arange(N) % K) % classes
        centers = np.array([[2, 3, 2, 6], [5, 4, 2, 9], [6, 2, 7, 5]])
        X = centers[self.codes] + rng.integers(-3, 4, (N, D))
        X = np.clip(X, 0, None) if counts else X - np.array([0, 0, 4, 6])
        self.numbers = np.maximum(1, np.round(5 + X @ [0.6, -0.4, 0.5, 0.2] + rng.normal(size=N)))
        self.X = X.astype(float)
        if gaps:
            self.X[rng.random(X.shape) < 0.06] = np.nan
        shift = np.array([1, 0, 0, 1])
        self.new = np.concatenate([self.X[5:20], self.X[7:25:2] + shift])
        self.fractions = rng.integers(1, 9, N) / 8
        self.whole = rng.integers(1, 4, N).astype(float)
        self.texts = [f"{TEXTS[c]} {TEXTS[i % 5]}" for i, c in enumerate(self.codes)]


# ------------------------------------------------------------------ what stands for the rows
def square(X, new, kind):
    """Distances or products in place of the rows: for the fit, and of new rows to the fitted."""
    if kind == "metric":
        return cdist(X, X), cdist(new, X)
    return X @ X.T + 1.0, new @ X.T + 1.0


def permuted(n):
    return np.random.default_rng(n).permutation(n)


INDEXES = {
    "permuted index": permuted,
    "gapped index": lambda n: 3 * np.arange(n) + 7,
    "repeated index": lambda n: np.arange(n) // 3,
    "dates": lambda n: pd.date_range("2020-01-01", periods=n)[permuted(n)],
}


def pandas_frame(X, index=None):
    return pd.DataFrame(X, index=index, columns=[f"c{j}" for j in range(X.shape[1])])


def polars_frame(X):
    return pl.DataFrame({f"c{j}": x for j, x in enumerate(X.T)})


def nullable_frame(X):
    return pandas_frame(X).astype("Float64")


def whole_nullable_frame(X):
    made = pandas_frame(X).astype("Float64")
    return made.astype("Int64") if np.all(np.nan_to_num(X) % 1 == 0) else made


CONTAINERS = {
    "array": lambda X: X,
    "Fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "int32": lambda X: X.astype(np.int32) if np.isfinite(X).all() and np.all(X % 1 == 0) else X,
    "list": lambda X: X.tolist(),
    "pandas": pandas_frame,
    **{
        f"pandas, {name}": functools.partial(
            lambda X, make: pandas_frame(X, make(len(X))), make=made
        )
        for name, made in INDEXES.items()
        if name in ("permuted index", "repeated index")
    },
    "Int64": whole_nullable_frame,
    "polars": polars_frame,
    "arrow": lambda X: pa.table({f"c{j}": x for j, x in enumerate(X.T)}),
    "csr": sparse.csr_array,
}
OF_FLOAT32 = ("float32",)
# Containers of linear models -> the limits under which sparse rows are not treated as such, moved.
SPARSE_STRATEGIES = {
    "csr, never filled in": {"linear.design.design.MAX_FILLED": 0},
    "csr, by products alone": {
        "linear.design.design.MAX_FILLED": 0,
        "linear.least_squares.ridge.MIN_COLUMNS_FOR_PRODUCTS": 1,
        "linear.glm.matrix_free_fit.MIN_SPARSE_COLUMNS": 1,
    },
}
OF_SPARSE = ("csr", *SPARSE_STRATEGIES)


@contextmanager
def strategy(container):
    """The limits that a container asks for."""
    with ExitStack() as stack:
        for place, limit in SPARSE_STRATEGIES.get(container, {}).items():
            stack.enter_context(mock.patch(f"statfast.{place}", limit))
        yield


DOCUMENTS = {
    "list": list,
    "array": np.array,
    "objects": lambda texts: np.array(texts, dtype=object),
    "pandas": pd.Series,
    "pandas, permuted index": lambda texts: pd.Series(texts, index=permuted(len(texts))),
    "pandas string": lambda texts: pd.Series(texts, dtype="string"),
    "polars": pl.Series,
    "arrow": pa.array,
}

# ------------------------------------------------------------------ targets
NAMES = np.array(["elm", "ash", "oak"])  # not in order


def labels(values, dress=lambda y: y):
    """A target: of codes, the plain labels and the same as they come."""

    def made(problem):
        plain = np.asarray(values)[problem.codes]
        return plain, dress(plain)

    made.classes = min(len(values), K)
    return made


def series(index, dtype=None):
    return lambda y: pd.Series(
        y, index=None if index is None else INDEXES[index](len(y)), dtype=dtype
    )


def two_outputs(dress):
    def made(problem):
        plain = np.column_stack([problem.codes, problem.codes % 2])
        return plain, dress(plain)

    made.classes = K
    return made


CLASSES = {
    "names": labels(NAMES),
    "two names": labels(NAMES[:2]),
    "integers": labels([7, -1, 3]),
    "booleans": labels([False, True]),
    "numbers": labels([2.0, 0.0, 1.0]),
    "two numbers in a list": labels([0, 1], lambda y: y.tolist()),
    "objects": labels(NAMES, lambda y: y.astype(object)),
    "Categorical": labels(NAMES, lambda y: pd.Series(pd.Categorical(y, list(NAMES)))),
    "permuted index": labels([0, 1, 2], series("permuted index")),
    "gapped index": labels(NAMES, series("gapped index")),
    "repeated index": labels([0, 1, 2], series("repeated index")),
    "dates": labels(NAMES[:2], series("dates")),
    "nullable strings": labels(NAMES, series("permuted index", "string")),
    "nullable booleans": labels([True, False], series("repeated index", "boolean")),
    "polars": labels(NAMES, pl.Series),
    "arrow": labels([0, 1, 2], pa.array),
}
SEVERAL_CLASSES = {
    "two outputs": two_outputs(lambda Y: Y),
    "two outputs in a frame": two_outputs(
        lambda Y: pd.DataFrame(Y, columns=["a", "b"], index=permuted(len(Y)))
    ),
}


def two_labels(dress):
    def made(problem):
        plain = np.column_stack([problem.codes == 0, problem.codes % 2 == 1]).astype(int)
        return plain, dress(plain)

    made.classes = K
    return made


SEVERAL_LABELS = {
    "two labels": two_labels(lambda Y: Y),
    "two labels in a list": two_labels(lambda Y: Y.tolist()),
    "two labels in a frame": two_labels(
        lambda Y: pd.DataFrame(Y, columns=["a", "b"], index=permuted(len(Y)))
    ),
    "sparse labels": two_labels(sparse.csr_array),
}


def numbers(dress=lambda y: y, change=lambda y: y):
    def made(problem):
        plain = change(problem.numbers)
        return plain, dress(plain)

    made.classes = K
    return made


NUMBERS = {
    "counts": numbers(),
    "signed": numbers(change=lambda y: y - 6.5),
    "fractions": numbers(change=lambda y: y / 8),
    "integers": numbers(lambda y: y.astype(np.int64)),
    "list": numbers(lambda y: y.tolist()),
    "float32": numbers(lambda y: y.astype(np.float32)),
    "permuted index": numbers(series("permuted index")),
    "repeated index": numbers(series("repeated index")),
    "dates": numbers(series("dates")),
    "nullable": numbers(series("gapped index", "Int64")),
    "polars": numbers(pl.Series),
    "column": numbers(lambda y: pd.DataFrame({"y": y}, index=permuted(len(y)))),
}
SEVERAL_NUMBERS = {
    "two outputs": numbers(change=lambda y: np.column_stack([y, y % 4])),
    "two outputs in a frame": numbers(
        lambda Y: pd.DataFrame(Y, columns=["a", "b"], index=permuted(len(Y))),
        lambda y: np.column_stack([y, y % 4]),
    ),
}


# ------------------------------------------------------------------ weights
def weights(make, dress=lambda w: w):
    def made(problem):
        plain = make(problem)
        return plain, dress(plain if plain is not None else np.ones(N))

    return made


def without_a_class(problem):
    return problem.fractions * (problem.codes != 1)


WEIGHTS = {
    "none": lambda problem: (None, None),
    "ones": weights(lambda problem: None),  # as none
    "whole": weights(lambda problem: problem.whole, lambda w: w.astype(np.int64)),
    "fractions": weights(lambda problem: problem.fractions),
    "tiny": weights(lambda problem: 1e-6 * problem.fractions),
    "huge": weights(lambda problem: 1e6 * problem.fractions),
    "zeros": weights(lambda problem: problem.fractions * (np.arange(N) % 4 > 0)),
    "a class without": weights(without_a_class),
    "Series": weights(
        lambda problem: problem.fractions, lambda w: pd.Series(w, index=permuted(len(w)))
    ),
    "float32": weights(lambda problem: problem.fractions, lambda w: w.astype(np.float32)),
}


# ------------------------------------------------------------------ what else goes along
OFFSETS = {
    "none": weights(lambda problem: None, lambda w: None),
    "numbers": weights(lambda problem: problem.fractions / 4),
    "Series": weights(
        lambda problem: problem.fractions / 4, lambda w: pd.Series(w, index=permuted(len(w)))
    ),
}
GROUPS = {
    "none": weights(lambda problem: None, lambda w: None),
    "numbers": weights(lambda problem: np.arange(N) % 7),
    "Series": weights(
        lambda problem: np.arange(N) % 7,
        lambda g: pd.Series([f"g{i}" for i in g], index=permuted(len(g))),
    ),
}
