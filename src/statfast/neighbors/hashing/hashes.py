# SPDX-License-Identifier: BSD-3-Clause
"""The families of locality-sensitive hashes: drawn at random, applied to blocks of rows."""

from dataclasses import dataclass, replace

import numpy as np

from statfast._core import lsh, polytope

FAMILIES = ("p_stable", "hyperplane", "cross_polytope")
MOST_PARTS = 64  # of a table: the parts that a probe moves are bits of a word


@dataclass(frozen=True)
class Frame:
    """Where float32 sees the rows: x becomes (x - origin) scale."""

    origin: np.ndarray  # (d,) float32
    scale: float


@dataclass(frozen=True)
class Hashes:
    """Some tables' hash functions. A table's code is made of `parts` whole numbers."""

    family: str
    frame: Frame
    form: np.ndarray  # (tables, parts) uint64, odd: the linear form that makes a code of the parts
    directions: np.ndarray  # (tables, parts, d) float32; of cross-polytopes none
    shift: np.ndarray  # (tables, parts) float32, in widths
    signs: np.ndarray  # (tables, parts, 3, w) float32 of the rotations; others have none
    widths: np.ndarray  # (parts,) how many coordinates of a rotation count
    width: float = 1.0  # of a p-stable hash, in the units of the data

    @classmethod
    def draw(cls, family, frame, tables, length, width, rng):
        """Draw the hashes of so many tables of a length: projections, planes or bits."""
        d = len(frame.origin)
        form = rng.integers(0, 2**63, (tables, MOST_PARTS), np.uint64) * 2 + 1
        if family == "cross_polytope":
            widths = polytopes(length, d)
            parts, filled = len(widths), padded_width(d)
            signs = 2.0 * rng.integers(0, 2, (tables, parts, 3, filled), np.int8) - 1
            directions = shift = np.empty((tables, parts, 0), np.float32)
        else:
            parts, widths = length, np.empty(0, np.intp)
            directions = rng.standard_normal((tables, parts, d), np.float32)
            shift = rng.random((tables, parts), np.float32)
            signs = np.empty((tables, parts, 3, 0), np.float32)
        form = np.ascontiguousarray(form[:, :parts])
        signs = signs.astype(np.float32)
        return cls(family, frame, form, directions, shift, signs, widths, width)

    def part_of(self, tables, length, width):
        """The first tables, with the first parts of each."""
        widths = self.widths
        if self.family == "cross_polytope":
            widths = polytopes(length, len(self.frame.origin))
            length = len(widths)

        def first(array):
            return np.ascontiguousarray(array[:tables, :length])

        return replace(
            self, form=first(self.form), directions=first(self.directions), width=width,
            shift=first(self.shift), signs=first(self.signs), widths=widths,
        )  # fmt: skip

    @property
    def kind(self):
        return FAMILIES.index(self.family)

    @property
    def tables(self):
        return len(self.form)

    @property
    def rate(self):
        """What projections of scaled rows are multiplied by."""
        return 1.0 / (self.width * self.frame.scale) if self.family == "p_stable" else 1.0

    @property
    def most_steps(self):
        """How many neighbouring codes may be one step away."""
        of_a_part = {"p_stable": 2, "hyperplane": 1}.get(self.family, lsh.MOST_STEPS)
        return min(lsh.MOST_STEPS, of_a_part * self.form.shape[1])

    def panels(self):
        """The directions as `projected` wants them; none for rotations, which project nothing."""
        tables, parts, d = self.directions.shape
        if self.directions.size == 0:
            return np.empty(0, np.float32)
        return lsh.panels_of(self.directions.reshape(tables * parts, d))

    def projected(self, rows, panels):
        """The rows' dot products with all directions, (n, tables * parts)."""
        out = np.empty((len(rows), self.form.size), np.float32)
        lsh.project(rows, self.frame.origin, self.frame.scale, panels, out)
        return out

    def encode(self, rows, panels, first, out, projected=None):
        """Write the entries of rows `first`, `first + 1`, ... into out (tables, rows)."""
        if self.family == "cross_polytope":
            polytope.vertices(rows, *self._rotations(), first, out)
            return
        if projected is None:
            projected = self.projected(rows, panels)
        lsh.encode(self.kind, projected, self.rate, self.shift, self.form, first, out)

    def steps(self, rows, panels, steps, projected=None):
        """The codes of queries, and the steps to other codes: base, cost, move and part."""
        shape = len(rows), self.tables, steps
        out = (
            np.empty(shape[:2], np.uint64), np.empty(shape, np.float32),
            np.empty(shape, np.uint64), np.empty(shape, np.uint8),
        )  # fmt: skip
        if self.family == "cross_polytope":
            polytope.vertex_steps(rows, *self._rotations(), *out)
            return out
        if projected is None:
            projected = self.projected(rows, panels)
        lsh.steps_of(self.kind, projected, self.rate, self.shift, self.form, *out)
        return out

    def _rotations(self):
        signs = self.signs.reshape(-1, 3, self.signs.shape[-1])
        return self.frame.origin, self.frame.scale, signs, self.widths, self.form


def padded_width(d):
    """The power of two that a row is padded to before a rotation."""
    return 1 << max(0, int(d - 1).bit_length())


def polytopes(bits, d):
    """The coordinates counted in each of a table's cross-polytopes, to make so many bits."""
    filled = padded_width(d)
    most = filled.bit_length()  # bits of a vertex: one of 2 filled
    full, rest = divmod(bits, most)
    return np.array([filled] * full + ([1 << (rest - 1)] if rest else []), np.intp)
