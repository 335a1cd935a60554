# SPDX-License-Identifier: BSD-3-Clause
"""What a problem is, and the kinds of rows that problems are made of."""

import math
import os
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SIZES = {"float32": 4, "float64": 8, "uint8": 1}
HANG = 900.0  # seconds; what takes longer is ended


@dataclass(frozen=True)
class Problem:
    """One row of a suite."""

    name: str
    work: str  # what the libraries are asked for: a key of libraries.LIBRARIES[...].works
    make: Callable[[int], dict]  # seed -> the work's inputs
    dtype: str = "float64"
    flops: float = 0.0  # of the plain algorithm, multiplications and additions apart
    nbytes: float = 0.0  # of the rows it reads
    passes: float = 1.0  # over those rows
    beyond: bool = False  # not one of the shapes that carry a bar
    group: str = ""  # of the bars it counts for: a key of bars.BARS[suite]
    baseline: str = ""  # the problem whose time it is compared with
    budget: float = math.inf  # seconds of timed rounds that each library gets
    hopeless: float = math.inf  # a peer is ended after so many times the fastest peer's time
    limit: float = HANG  # seconds; a library that takes longer is ended

    def data(self) -> dict:
        return self.make(zlib.crc32(self.name.encode()))


def _noise(kind, rng, n, d, dtype):
    if kind == "uniform":
        return rng.random((n, d), dtype=dtype)
    return rng.standard_normal((n, d), dtype=dtype)


# Distance of the groups' centres from the origin, per axis: blobs overlap, clusters do not.
SPREAD = {"blobs": 1.0, "clusters": 10.0}


def rows_of(kind, rng, n, d, dtype, groups=20):
    """Rows of one kind: normal, uniform, blobs (overlapping), clusters (far apart)."""
    rows = _noise(kind, rng, n, d, dtype)
    if kind in SPREAD:
        centres = SPREAD[kind] * rng.standard_normal((groups, d), dtype=dtype)
        rows += centres[np.arange(n) % groups]
    return rows


def mnist():
    """MNIST's four arrays from ``$STATFAST_DATA``, or from shared/data beside this repository."""
    from statfast.datasets import load_mnist

    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return load_mnist(Path(os.environ.get("STATFAST_DATA", beside)) / "mnist")
