# SPDX-License-Identifier: BSD-3-Clause
"""Input that is wrong: rows, targets, and sparse matrices whose parts contradict each other."""

import numpy as np
from scipy import sparse

from tests.fuzz.inputs import FORMATS, choose


def with_value(value):
    def spoiled(X, rng):
        X = np.array(X, dtype=float)
        if X.size:
            X.flat[rng.integers(X.size)] = value
        return X

    return spoiled


ANYTHING = {
    "NaN": with_value(np.nan),
    "infinity": with_value(np.inf),
    "-infinity": with_value(-np.inf),
    "float32 NaN": lambda X, rng: with_value(np.nan)(X, rng).astype(np.float32),
    "complex": lambda X, _: np.asarray(X) * 1j,
    "strings": lambda X, _: np.asarray(X).astype(str),
    "dates": lambda X, _: np.zeros(np.shape(X), dtype="M8[D]"),
    "objects": lambda X, _: np.full(np.shape(X), {}, dtype=object),
    "missing": lambda X, rng: np.where(rng.random(np.shape(X)) < 0.3, None, X),
    "masked": lambda X, _: np.ma.masked_greater(X, 0),
    "None": lambda X, _: None,
    "a string": lambda X, _: "X",
    "bytes": lambda X, _: b"X",
    "a number": lambda X, _: 3.0,
    "a dict": lambda X, _: {"X": 1},
    "a set": lambda X, _: {1.0, 2.0},
    "an object": lambda X, _: object(),
    "a function": lambda X, _: len,
    "a generator": lambda X, _: iter(np.asarray(X)),
    "empty list": lambda X, _: [],
    "list of empty": lambda X, _: [[]],
    "ragged": lambda X, _: [[1.0, 2.0], [3.0]],
    "0-d": lambda X, _: np.array(1.5),
    "3-d": lambda X, _: np.asarray(X)[None, ..., None] if np.ndim(X) < 2 else np.asarray(X)[None],
    "transposed": lambda X, _: np.asarray(X).T,
    "first row": lambda X, _: np.asarray(X)[:1],
    "no rows": lambda X, _: np.asarray(X)[:0],
    "no columns": lambda X, _: np.asarray(X)[..., :0],
    "a row less": lambda X, _: np.asarray(X)[:-1],
    "a column less": lambda X, _: np.asarray(X)[..., :-1],
    "twice": lambda X, _: np.concatenate([np.asarray(X)] * 2),
    "flat": lambda X, _: np.asarray(X).ravel(),
    "column": lambda X, _: np.asarray(X).reshape(-1, 1),
    "two columns": lambda X, _: np.column_stack([np.asarray(X)] * 2),
    "negative": lambda X, _: -np.abs(np.asarray(X, dtype=float)) - 1,
    "zero": lambda X, _: np.zeros(np.shape(X)),
    "huge": lambda X, _: np.full(np.shape(X), 1.7e308),
    "tiny": lambda X, _: np.full(np.shape(X), 5e-324),
    "records": lambda X, _: np.zeros(len(X), dtype=[("a", float), ("b", int)]),
    "structured strings": lambda X, _: np.array(["a", "b"]),
    "float16": lambda X, _: np.clip(np.asarray(X, dtype=float), -6e4, 6e4).astype(np.float16),
}


def corrupt(X, rng):
    """A sparse matrix that is not one."""
    S = (sparse.csr_array if rng.random() < 0.6 else sparse.csc_array)(X)
    if S.nnz == 0 or rng.random() < 0.2:
        return sparse_of_other_kinds(S, rng)
    S.data, S.indices, S.indptr = S.data.copy(), S.indices.copy(), S.indptr.copy()
    at = int(rng.integers(S.nnz))
    row = int(rng.integers(len(S.indptr)))
    faults = {
        "index beyond": lambda: S.indices.__setitem__(at, 10**7),
        "index just beyond": lambda: S.indices.__setitem__(at, max(S.shape)),
        "index negative": lambda: S.indices.__setitem__(at, -1),
        "indptr falls": lambda: S.indptr.__setitem__(row, S.nnz + 7),
        "indptr negative": lambda: S.indptr.__setitem__(row, -3),
        "indptr starts late": lambda: S.indptr.__setitem__(0, 1),
        "indptr ends late": lambda: S.indptr.__setitem__(-1, S.nnz + 1000),
        "indptr short": lambda: setattr(S, "indptr", S.indptr[:-1]),
        "data short": lambda: setattr(S, "data", S.data[: S.nnz // 2]),
        "indices short": lambda: setattr(S, "indices", S.indices[: S.nnz // 2]),
        "indices 64": lambda: setattr(S, "indices", S.indices.astype(np.int64) + 2**40),
        "indices float": lambda: setattr(S, "indices", S.indices + 0.5),
        "data NaN": lambda: S.data.__setitem__(at, np.nan),
        "data complex": lambda: setattr(S, "data", S.data * 1j),
        "data strings": lambda: setattr(S, "data", S.data.astype(object)),
        "shape": lambda: setattr(S, "_shape", (S.shape[0] + 50, S.shape[1] + 50)),
    }
    choose(rng, list(faults.values()))()
    return S


def sparse_of_other_kinds(S, rng):
    kind = choose(rng, FORMATS)
    S = S.asformat(kind)
    if kind == "coo" and S.nnz:
        S.coords = (S.coords[0] + 10**6, S.coords[1])
    elif kind == "lil" and S.shape[0]:
        S.rows[0], S.data[0] = [10**6], [1.0]
    elif kind == "bsr" and S.nnz:
        S.indices = S.indices - 5
    return S


def spoiled(X, rng, *, rows=True):
    """X made wrong in one way; the wrong kind is drawn too."""
    if rows and np.ndim(X) == 2 and rng.random() < 0.25:
        return corrupt(np.nan_to_num(X), rng)
    with np.errstate(all="ignore"):
        return choose(rng, list(ANYTHING.values()))(X, rng)
