# SPDX-License-Identifier: BSD-3-Clause
"""The rows that problems are made of: drawn, of many kinds, and read from files."""

import bz2
import gzip
import os
from itertools import islice
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

OPENERS = {".gz": gzip.open, ".bz2": bz2.open}


def data_folder() -> Path:
    """``$STATFAST_DATA``, or shared/data beside this repository."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    return Path(os.environ.get("STATFAST_DATA", beside))


def mnist():
    """MNIST's four arrays."""
    from statfast.datasets import load_mnist

    return load_mnist(data_folder() / "mnist")


def read_libsvm(name, n=None, columns=None):
    """The first n rows of a file in LIBSVM's format, sparse, and their labels."""
    path = data_folder() / "libsvm" / name
    with OPENERS.get(path.suffix, open)(path, "rt") as lines:
        rows = [line.split() for line in islice(lines, n)]
    y = np.array([float(row[0]) for row in rows])
    pairs = [pair.split(":") for row in rows for pair in row[1:]]
    column = np.array([int(at) for at, _ in pairs]) - 1
    value = np.array([float(value) for _, value in pairs])
    start = np.concatenate([[0], np.cumsum([len(row) - 1 for row in rows])])
    return csr_matrix((value, column, start), shape=(len(y), columns or column.max() + 1)), y


# --- drawn ---


def _noise(kind, rng, n, d, dtype):
    if kind == "uniform":
        return rng.random((n, d), dtype=dtype)
    return rng.standard_normal((n, d), dtype=dtype)


# Distance of the groups' centers from the origin, per axis: blobs overlap, clusters do not.
SPREAD = {"blobs": 1.0, "clusters": 10.0}


def rows_of(kind, rng, n, d, dtype, groups=20):
    """Rows of one kind: normal, uniform, blobs (overlapping), clusters (far apart)."""
    rows = _noise(kind, rng, n, d, dtype)
    if kind in SPREAD:
        centers = SPREAD[kind] * rng.standard_normal((groups, d), dtype=dtype)
        rows += centers[np.arange(n) % groups]
    return rows


def _surface(rng, n):
    """Points of a laser scanner above hilly ground: a surface in space, denser near the middle."""
    angle, radius = rng.uniform(0, 2 * np.pi, n), rng.exponential(20.0, n)
    x, y = radius * np.cos(angle), radius * np.sin(angle)
    ground = 3 * np.sin(x / 17) * np.cos(y / 11) + 0.5 * np.sin(x / 3 + y / 5)
    return np.column_stack([x, y, ground + 0.01 * rng.standard_normal(n)])


def _repeated(rng, n, d, distinct):
    """Rows of which there are only so many different ones."""
    return rng.random((distinct, d))[rng.integers(distinct, size=n)]


def _half(rng, n, d):
    """Half of the rows are one point, the others are uniform."""
    rows = rng.random((n, d))
    rows[rng.permutation(n)[: n // 2]] = 0.5
    return rows


def _aslant(rng, n, d):
    """Correlated columns: rows near a slanting space of four dimensions."""
    return rng.random((n, 4)) @ rng.standard_normal((4, d)) + 0.05 * rng.standard_normal((n, d))


KINDS = {
    "surface": lambda rng, n, d: _surface(rng, n),
    "equal": lambda rng, n, d: np.full((n, d), 0.5),
    "line": lambda rng, n, d: np.outer(rng.random(n), np.arange(1.0, d + 1)),
    "outlier": lambda rng, n, d: rng.random((n, d)),
    "grid": lambda rng, n, d: rng.integers(round(n ** (1 / d)), size=(n, d)).astype(float),
    "duplicates": lambda rng, n, d: _repeated(rng, n, d, 1_000),
    "half": _half,
    "offset": lambda rng, n, d: 1e8 + rng.random((n, d)),
    "aslant": _aslant,
}
AT_THE_ROWS = {"equal", "line", "grid", "duplicates", "half"}  # half of the queries are rows too
