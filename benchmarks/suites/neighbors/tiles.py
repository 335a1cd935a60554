# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``tiles``: the tile product with arg-min on one thread, and the two rates beside it."""

import importlib

import numpy as np

from benchmarks.harness.adapter import Adapter
from benchmarks.harness.check import Check, Tolerances
from benchmarks.harness.problem import F32, F64, Problem
from benchmarks.harness.suite import Growth, Library, Suite

FMA_SECONDS = 0.1
BOTH = (F32, F64)


def _tile(m, n, d, dtype, *, beyond=False):
    def make(seed):
        rng = np.random.default_rng(seed)
        A, B = (rng.standard_normal((rows, d), dtype=dtype) for rows in (m, n))
        return {"A": A, "B": B}

    return Problem(f"tile {m}x{n}x{d} {dtype}", "tile", make, dtype, 2.0 * m * n * d, beyond=beyond)


class Tile(Adapter):
    """The nearest row of B for every row of A, both laid out for the micro-kernel beforehand."""

    def prepare(self, data, threads):
        self.tiles = importlib.import_module("statfast._core.tile.tiles")
        A, B = data["A"], data["B"]
        self.depth, single = A.shape[1], A.dtype == np.float32
        rows, columns = self.tiles.tile_shape("f" if single else "d")
        self.count = len(A)
        self.B = _padded(B, rows)
        self.start, norm = (np.empty(len(self.B), dtype=A.dtype) for _ in range(2))
        self.tiles.measure(self.B, self.depth, self.start, norm)
        self.start[len(B) :] = -np.inf  # the rows that only fill up the last tile
        A = _padded(A, columns)
        self.panels = np.empty(A.size, dtype=A.dtype)
        self.tiles.pack(A, self.panels)
        self.best = np.empty(len(A), dtype=A.dtype)
        self.index = np.empty(len(A), dtype=np.int32 if single else np.int64)

    def answer(self):
        self.best.fill(-np.inf)
        self.tiles.largest(self.B, self.start, self.panels, self.depth, self.best, self.index)
        return {"nearest": self.index[: self.count]}


def _padded(rows, multiple):
    """The rows, and as many rows of zeros as make their number a multiple."""
    return np.pad(rows, ((0, -len(rows) % multiple), (0, 0)))


class FmaLoop(Adapter):
    """The register-only loop, timed in the same rounds: the peak under the same clock."""

    def prepare(self, data, threads):
        self.tiles = importlib.import_module("statfast._core.tile.tiles")
        (m, K), n = data["A"].shape, len(data["B"])
        self.kind, self.flops = data["A"].dtype.char, 2.0 * m * n * K

    def answer(self):
        return {"seconds": self.flops / self.tiles.fma_peak(self.kind, FMA_SECONDS)}


class Matmul(Adapter):
    remark = "matmul, no arg-min"

    def prepare(self, data, threads):
        self.A, self.B = data["A"], data["B"].T
        self.out = np.empty((len(data["A"]), len(data["B"])), dtype=data["A"].dtype)

    def answer(self):
        np.matmul(self.A, self.B, out=self.out)
        return {}


class TileCheck(Check):
    """How much farther the given rows are than the nearest."""

    def __init__(self, data):
        A, B = data["A"].astype(np.float64), data["B"].astype(np.float64)
        self.d2 = (A**2).sum(1)[:, None] - 2.0 * (A @ B.T) + (B**2).sum(1)
        self.parts, self.names = {"nearest": (len(A),)}, {"nearest": len(B)}

    def errors(self, answer):
        given = np.take_along_axis(self.d2, answer["nearest"][:, None].astype(np.intp), 1)[:, 0]
        scale = self.d2.max()
        return {"excess distance": float((given - self.d2.min(1)).max() / scale)}


SUITE = Suite(
    name="tiles",
    title="tile product with arg-min, one thread (peer: numpy's matmul alone)",
    problems=[
        *(_tile(2048, 2048, d, t) for t in BOTH for d in (64, 128, 256, 512, 784)),
        *(_tile(2048, 2048, d, t, beyond=True) for t in BOTH for d in (3, 10, 33, 200, 1500)),
        *(_tile(1000, 300, 96, t, beyond=True) for t in BOTH),
    ],
    quick=[_tile(256, 256, 64, t) for t in BOTH],
    growth=Growth(2048, lambda n: _tile(n, 2048, 1500, F64, beyond=True)),
    libraries={
        "statfast": Library({"tile": Tile}),
        "numpy": Library({"tile": Matmul}, rate=True),
        "FMA loop": Library(
            {"tile": FmaLoop},
            packages=("statfast",),
            not_a_peer="the limit, not a product",
            rate=True,
            limit=True,
        ),
    },
    checks={"tile": TileCheck},
    tolerances={"tile": Tolerances({"excess distance": 1e-12}, {"excess distance": 1e-4})},
    bars={},
    threads=1,
)
