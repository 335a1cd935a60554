# SPDX-License-Identifier: BSD-3-Clause
"""Families of locality-sensitive hashes, which are drawn at random and applied to blocks of
rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from statfast._core.hashing import hashes as lsh
from statfast._distance import Float32Frame
from statfast._typing import Array

FAMILIES = ("p_stable", "hyperplane")
MAX_PARTS = 64  # parts of a code, as the parts that a probe moves are bits of a word


@dataclass(frozen=True)
class Hashes:
    """The hash functions of tables; the code of a table is made of `parts` whole numbers."""

    family: str
    frame: Float32Frame
    form: np.ndarray  # (tables, parts) uint64, odd: the linear form of the parts that is the code
    directions: np.ndarray  # (tables, parts, d) float32
    shift: np.ndarray  # (tables, parts) float32, in widths
    width: float = 1.0  # of a p-stable hash, in the units of the data

    @classmethod
    def draw(
        cls,
        family: str,
        frame: Float32Frame,
        tables: int,
        length: int,
        width: float,
        rng: np.random.Generator,
    ) -> Self:
        """Draw the hashes of `tables` tables with `length` parts: projections or planes."""
        d = len(frame.origin)
        form = rng.integers(0, 2**63, (tables, length), np.uint64) * 2 + 1
        directions = rng.standard_normal((tables, length, d), np.float32)
        shift = rng.random((tables, length), np.float32)
        return cls(family, frame, form, directions, shift, width)

    def part_of(self, tables: int, length: int, width: float) -> Hashes:
        """The first tables, with the first parts of each."""

        def first(array: Array) -> Array:
            return np.ascontiguousarray(array[:tables, :length])

        return replace(
            self, form=first(self.form), directions=first(self.directions),
            shift=first(self.shift), width=width,
        )  # fmt: skip

    @property
    def kind(self) -> int:
        return FAMILIES.index(self.family)

    @property
    def tables(self) -> int:
        return len(self.form)

    @property
    def length(self) -> int:
        return self.form.shape[1]

    @property
    def rate(self) -> float:
        """The factor of projections of scaled rows."""
        return 1.0 / (self.width * self.frame.scale) if self.family == "p_stable" else 1.0

    @property
    def most_steps(self) -> int:
        """The number of neighboring codes that may be one step away."""
        return min(lsh.MAX_STEPS, (2 if self.family == "p_stable" else 1) * self.length)

    def panels(self) -> Array:
        """The directions in the form that `projected` takes."""
        tables, parts, d = self.directions.shape
        return lsh.panels_of(self.directions.reshape(tables * parts, d))

    def projected(self, rows: Array, panels: Any) -> Array:
        """The rows' dot products with all directions, (n, tables * parts)."""
        out = np.empty((len(rows), self.form.size), np.float32)
        lsh.project(rows, self.frame.origin, self.frame.scale, panels, out)
        return out

    def encode(
        self,
        rows: Array,
        panels: Array | None,
        first: int,
        out: Array,
        projected: Array | None = None,
    ) -> None:
        """Write the entries of rows `first`, `first + 1`, ... into out (tables, rows)."""
        if projected is None:
            projected = self.projected(rows, panels)
        lsh.encode(self.kind, projected, self.rate, self.shift, self.form, first, out)

    def steps(
        self, rows: Array, panels: Array | None, steps: int, projected: Array | None = None
    ) -> tuple[Array, Array, Array, Array]:
        """The codes of queries, and the steps to other codes: base, cost, move and part."""
        shape = len(rows), self.tables, steps
        out = (
            np.empty(shape[:2], np.uint64), np.empty(shape, np.float32),
            np.empty(shape, np.uint64), np.empty(shape, np.uint8),
        )  # fmt: skip
        if projected is None:
            projected = self.projected(rows, panels)
        lsh.steps_of(self.kind, projected, self.rate, self.shift, self.form, *out)
        return out
