# SPDX-License-Identifier: BSD-3-Clause
"""Rows and targets, their layouts and containers, and how they are spoiled."""

import tempfile
from functools import cached_property

import numpy as np
from scipy import sparse

import statfast


def choose(rng, options):
    """One of a sequence; numpy's own choice would make an array of them."""
    return options[int(rng.integers(len(options)))]


class Data:
    """What a case is about: n rows of d columns in k groups, and targets of every kind.

    ``large`` sizes reach the kernels that small ones do not. ``calm`` data are such as most things
    are made for: as a matrix of float64, of size 1, with a target that depends on it.
    """

    def __init__(self, rng, *, large=False, calm=False):
        self.rng, self.calm = rng, calm
        if calm:
            self.n, self.d = 40, 2
        elif large:
            self.n, self.d = int(rng.integers(600, 2500)), int(rng.integers(2, 17))
        else:
            most = choose(rng, (4, 20, 40, 40, 80))
            self.n, self.d = int(rng.integers(1, most + 1)), int(rng.integers(1, 13))
            if rng.random() < 0.02:
                self.n, self.d = (0, self.d) if rng.random() < 0.5 else (self.n, 0)
        self.k = 2 if calm else int(rng.integers(1, 6))
        self.codes = rng.integers(0, self.k, self.n)
        self.kind = "groups" if calm else choose(rng, list(STRUCTURES))
        self.centers = rng.normal(size=(self.k, self.d)) * (1 if calm else 3)
        self.scale = 1.0 if calm else scale(rng)
        self.X = self.made(self.codes)

    def made(self, codes):
        X = self.centers[codes] + self.rng.normal(size=(len(codes), self.d))
        with np.errstate(all="ignore"):
            X = STRUCTURES[self.kind](X, self.rng) * self.scale
        return np.nan_to_num(X, posinf=1e308, neginf=-1e308)

    def more(self):
        """Other rows of the same kind, some of them among the fitted ones."""
        m = int(self.rng.integers(1, 600 if self.n > 500 else 12))
        Q = self.made(self.rng.integers(0, self.k, m))
        if self.n and self.rng.random() < 0.5:
            Q[::2] = self.X[self.rng.integers(0, self.n, len(Q[::2]))]
        return Q

    @cached_property
    def trend(self):
        """A linear function of the rows, of size 1, with noise."""
        size = np.abs(self.X).max(initial=0) or 1.0
        b = self.rng.normal(size=self.d)
        return (self.X / size) @ b + 0.3 * self.rng.normal(size=self.n)

    def target(self, kind):
        """Labels, or numbers that a family of distributions takes."""
        rng, n = self.rng, self.n
        if kind in ("labels", "two labels"):
            names = choose(rng, LABELS)[: max(self.k, 2) if kind == "labels" else 2]
            codes = self.codes if rng.random() < 0.8 else rng.integers(0, len(names), n)
            return np.array(names)[codes % len(names)]
        mean = np.exp(np.clip(self.trend, -3, 3))
        return {
            "numbers": lambda: self.trend if self.calm else self.trend * scale(rng),
            "counts": lambda: rng.poisson(mean).astype(float),
            "binary": lambda: (self.trend > 0).astype(float),
            "positive": lambda: rng.gamma(2.0, mean / 2.0),
            "shares": lambda: rng.uniform(size=n),
            "several": lambda: np.column_stack([self.trend, mean]),
            "indicators": self.indicators,
            "constant": lambda: np.full(n, 2.5),
        }[kind]()

    def indicators(self):
        """Which of some labels each row bears."""
        rng = self.rng
        bears = rng.random((self.n, max(self.k, 2))) < choose(rng, (0.1, 0.5, 0.9))
        bears[np.arange(self.n), self.codes] |= rng.random() < 0.5
        return bears.astype(choose(rng, (int, bool, float)))

    def weights(self):
        rng, n = self.rng, self.n
        kinds = {
            "counts": lambda: rng.integers(0, 4, n).astype(float),
            "ones": lambda: np.ones(n),
            "uniform": lambda: rng.uniform(0.1, 2.0, n),
            "ints": lambda: rng.integers(1, 5, n),
            "float32": lambda: rng.uniform(0.1, 2.0, n).astype(np.float32),
            "wild": lambda: 10.0 ** rng.uniform(-200, 200, n),
            "tiny": lambda: np.full(n, 1e-300),
            "huge": lambda: np.full(n, 1e300),
            "one": lambda: (np.arange(n) == 0).astype(float),
            "list": lambda: rng.uniform(0.1, 2.0, n).tolist(),
        }
        return kinds["uniform" if self.calm else choose(rng, list(kinds))]()

    def dressed(self, X, *, plain=0.5, bags=True):
        """X as it may come: another layout, dtype or container of the same numbers."""
        u = 0.0 if self.calm else self.rng.random()
        if u < plain:
            return X
        if bags and X.ndim == 2 and u > 1 - 0.3 * (1 - plain):
            made = sparse_rows if self.rng.random() < 0.8 else chunks
            return made(X, self.rng)
        return choose(self.rng, list(LAYOUTS.values()))(X)


LABELS = [
    list("abcde"),
    [0, 1, 2, 3, 4],
    [-1.0, 0.0, 1.0, 2.0, 2.5e6],
    [False, True],
    ["", "two words", "é", "naïve", "x" * 50],
    [2**62, -(2**62), 5, 6, 7],
    [3, 1, 7, 9, 11],
]


def scale(rng):
    """Mostly 1; sometimes anything from 1e-300 to 1e300."""
    u = rng.random()
    if u < 0.72:
        return 1.0
    if u < 0.86:
        return float(10.0 ** rng.integers(-8, 9))
    return float(
        10.0 ** choose(rng, (-300, -200, -162, -154, -100, -50, 50, 100, 154, 160, 200, 300))
    )


def spread(X, rng):
    """Columns of very different size."""
    return X * 10.0 ** rng.integers(-9, 10, X.shape[1])


STRUCTURES = {
    "groups": lambda X, _: X,
    "lattice": lambda X, _: np.round(X),
    "binary": lambda X, _: (X > 0).astype(float),
    "alike": lambda X, _: np.full_like(X, 0.1),
    "few distinct": lambda X, rng: X[rng.integers(0, max(1, len(X) // 5), len(X))] if len(X) else X,
    "constant column": lambda X, _: X * (np.arange(X.shape[1]) > 0) + 0.3,
    "twin columns": lambda X, _: X[:, np.arange(X.shape[1]) // 2],
    "zeros": lambda X, rng: X * (rng.random(X.shape) < 0.3),
    "all zeros": lambda X, _: np.zeros_like(X),
    "heavy tails": lambda X, _: X**5,
    "far away": lambda X, _: X + 1e8,
    "spread": spread,
    "angles": lambda X, _: np.clip(X / 4, -1.5, 1.5),
    "positive": lambda X, _: np.abs(X),
}


# ------------------------------------------------------------------ the same numbers, other shapes
def misaligned(X):
    raw = np.empty(X.nbytes + 1, dtype=np.uint8)
    raw[1:] = np.ascontiguousarray(X).reshape(-1).view(np.uint8)
    return raw[1:].view(X.dtype).reshape(X.shape)


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def memory_map(X):
    if X.size == 0:
        return X
    with tempfile.NamedTemporaryFile() as file:
        X.tofile(file.name)
        return np.memmap(file.name, X.dtype, "r", shape=X.shape)


def frame(library):
    def made(X):
        try:
            module = __import__(library)
        except ImportError:
            return X
        if X.ndim == 1:
            return module.array(X) if library == "pyarrow" else module.Series(X)
        columns = {f"c{j}": np.ascontiguousarray(x) for j, x in enumerate(X.T)}
        return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)

    return made


def fitting(dtype):
    """To this dtype, unless it cannot hold the numbers."""

    def made(X):
        with np.errstate(all="ignore"):
            other = X.astype(dtype)
            same = np.isfinite(other.astype(float)).all() and np.allclose(
                other.astype(float), X, 1, 1
            )
        return other if same else X

    return made


LAYOUTS = {
    "Fortran": np.asfortranarray,
    "every other column": lambda X: np.repeat(X, 2, axis=-1)[..., ::2],
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "columns backwards": lambda X: X[..., ::-1].copy()[..., ::-1],
    "rows backwards": lambda X: X[::-1].copy()[::-1],
    "read-only": read_only,
    "misaligned": misaligned,
    "memory map": memory_map,
    "padded rows": lambda X: np.hstack([X, X])[:, : X.shape[1]] if X.ndim == 2 else X,
    "other byte order": lambda X: X.astype(">f8"),
    "list": lambda X: X.tolist(),
    "tuple": lambda X: tuple(map(tuple, X.tolist())) if X.ndim == 2 else tuple(X.tolist()),
    "object": lambda X: X.astype(object),
    **{name: frame(name) for name in ("pandas", "polars", "pyarrow")},
    **{name: fitting(name) for name in ("f4", "f2", "i8", "i4", "i2", "u1", "bool", "longdouble")},
}
FORMATS = ("csr", "csc", "coo", "lil", "dok", "dia", "bsr")


def sparse_rows(X, rng):
    """A sound sparse matrix, if not always a tidy one."""
    kind = choose(rng, FORMATS)
    made = getattr(sparse, f"{kind}_{choose(rng, ('array', 'matrix'))}")(X)
    odd = choose(rng, ("", "", "unsorted", "int64", "float32", "int", "doubled", "stored zeros"))
    if odd == "float32" and np.abs(X).max(initial=0) < 1e30:
        made = made.astype(np.float32)
    elif odd == "int" and np.abs(X).max(initial=0) < 1e9:
        made = made.astype(np.int64)
    elif kind in ("csr", "csc"):
        if odd == "int64":
            made.indices, made.indptr = made.indices.astype(np.int64), made.indptr.astype(np.int64)
        elif odd == "unsorted" and made.nnz:
            made.indices, made.data = made.indices[::-1].copy(), made.data[::-1].copy()
            made.indptr = made.nnz - made.indptr[::-1].copy()
            made.indptr = made.indptr.astype(made.indices.dtype)
        elif odd == "stored zeros":
            made.data[::3] = 0
    elif odd == "doubled" and kind == "coo" and made.nnz:
        both = (np.tile(made.data / 2, 2), (np.tile(made.row, 2), np.tile(made.col, 2)))
        made = sparse.coo_array(both, shape=made.shape)
    return made


def chunks(X, rng):
    cuts = np.sort(rng.integers(0, len(X) + 1, 2))
    return statfast.Chunks([part for part in np.split(X, cuts) if len(part)])
