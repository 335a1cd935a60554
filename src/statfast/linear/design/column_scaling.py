# SPDX-License-Identifier: BSD-3-Clause
"""Columns so small or so large that squares would overflow or vanish: powers of two, which round
nothing, bring them to about 1 before they are used.

Where columns are standardized each has a power of its own. Else all have one, for which penalties
make up: with X' = u X and b = u b', the penalties l1 |b| and l2 |b|^2 are l1 u |b'| and
l2 u^2 |b'|^2. A column far smaller than the largest is then left out, which is right where l1 is
more than its product with any residuals can be, and refused elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from statfast._linalg import power_of_two
from statfast._typing import Array, Matrix
from statfast._validation import refuse_large

# The squares of a column that is a smaller share of the others are not numbers, or lack digits.
MIN_COLUMN = 1e-130
SIZES_UNSCALED = 1e-60, 1e60  # Columns whose largest is between these sizes are let be.
# With weights about 1, this penalty leaves coefficients of 0 for columns between these sizes.
MAX_PENALTY = 1e200
MAX_POWER = 1000  # The largest power of two by which columns are divided.
TINY = np.finfo(float).tiny
VANISHED = "X holds columns so small that their squares vanish. Divide them by their size."
OUT_OF_RANGE = (
    "The coefficients for X and y of such sizes are out of the range of float64. Divide X or y by "
    "its size."
)


def largest_of(X: Matrix, columns: Array) -> Array:
    """The greatest absolute values of some of the columns, dense or CSC."""
    if not hasattr(X, "indptr"):
        return np.abs(X[:, columns]).max(axis=0).astype(np.float64)
    chosen = X[:, columns]
    out = np.zeros(len(columns))
    np.maximum.at(
        out, np.repeat(np.arange(len(columns)), np.diff(chosen.indptr)), np.abs(chosen.data)
    )
    return out


def powers_for(X: Matrix, squares: Array, standardize: bool) -> Array | None:
    """Powers of two (p,) to divide the columns by, of which X has the given sums of squares; None
    where there is no need."""
    powers = np.zeros(len(squares), dtype=int)
    if standardize:
        odd = np.flatnonzero(~((squares > MIN_COLUMN**2) & (squares < MIN_COLUMN**-2)))
        size = largest_of(X, odd)
        far = ((size > 0) & (size < MIN_COLUMN)) | ~(squares[odd] < MIN_COLUMN**-2)
        powers[odd[far]] = np.frexp(size[far])[1]
    elif not SIZES_UNSCALED[0] ** 2 < squares.max() < SIZES_UNSCALED[1] ** 2:
        powers[:] = power_of_two(largest_of(X, np.arange(len(squares))).max())
    return powers.clip(-MAX_POWER, MAX_POWER) if powers.any() else None


def divide_columns(X: Matrix, powers: Array) -> Matrix:
    """A copy of X, its columns over powers of two."""
    factor = np.ldexp(1.0, -powers)
    if not hasattr(X, "indptr"):
        refuse_large(8 * X.size, "A copy of X with scaled columns", "Divide them by their size.")
        return X * factor
    out = X.copy()
    out.data *= np.repeat(factor, np.diff(X.indptr))
    return out


def times_powers(coefs: Array, power: Array | int) -> Array:
    """Coefficients times powers of two; refused where those are not float64 numbers."""
    with np.errstate(over="ignore", under="ignore"):
        out = np.ldexp(coefs, power)
    if not np.isfinite(out).all() or ((np.abs(out) < TINY) & (coefs != 0)).any():
        raise ValueError(OUT_OF_RANGE)
    return out


class ScaledColumns:
    """Mixin of columns X (n, p) with `squares` (p,): their powers of two, and what those mean."""

    # What subclasses declare, or a fit sets.
    X: Any
    squares: Any
    scale: Any
    square: Any
    weights: Any
    n: Any
    n_jobs: Any
    correlate: Callable[..., Any]
    combine: Callable[..., Any]

    powers = None  # (p,) powers of two by which the columns are divided
    power = 0  # The power of all columns, where penalties have to make up for it.
    vanished = 0.0  # The size of the largest column left out, as its squares vanish.

    def with_powers(self, standardize: bool, remade: Callable[..., Any]) -> ScaledColumns | Self:
        """These columns, or those that ``remade`` makes of X with columns of a better size."""
        powers = powers_for(self.X, self.squares, standardize)
        if powers is None:
            columns = self
        else:
            columns = remade(divide_columns(self.X, powers))
            columns.powers, columns.power = powers, 0 if standardize else int(powers[0])
        if not standardize:
            small = np.flatnonzero(columns.squares < MIN_COLUMN**2)
            size = largest_of(columns.X, small)
            columns.vanished = size[size < MIN_COLUMN].max(initial=0.0)
        return columns

    def correlate_tasks(self, r: Array, index: Any = None) -> Array:
        """`correlate` of several residuals (T, n): (T, p), or (T, k) of k columns."""
        return np.array([self.correlate(task, index) for task in r])

    def combine_tasks(self, index: Array, coef: Array) -> Array:
        """`combine` of coefficients (T, k) of several tasks: (T, n)."""
        return np.array([self.combine(index, task) for task in coef])

    def uncentered(self, weights: Array | None) -> Self:
        """Standardized columns about 0: not centered, but divided by their standard deviations."""
        columns = type(self)(self.X, weights, False, False, self.n_jobs)  # type: ignore[call-arg]
        columns.scale, columns.powers = self.scale, self.powers
        # The reciprocal of a constant column's deviation is infinite; it is multiplied by 0.
        with np.errstate(over="ignore", invalid="ignore"):
            columns.square = np.nan_to_num(columns.squares * self.scale**2)
        return columns

    def penalties(
        self,
        l1: Array | float,
        l2: Array | float,
        n: float = 1,
        power: int = 0,
        heavy: float = MAX_PENALTY,
    ) -> tuple[Array | float, Array | float]:
        """`n` times the penalties, for these columns and y over a power of two: numbers or arrays
        of them."""
        with np.errstate(over="ignore", under="ignore"):
            l1 = np.ldexp(np.ldexp(l1, -self.power), -power)
            l2 = np.ldexp(np.ldexp(l2, -self.power), -self.power)
            return np.minimum(n * l1, heavy), np.minimum(n * l2, heavy)

    def unscale_coefs(self, coefs: Array, power: int = 0) -> Array:
        """Coefficients (p, A) of X as it was given, y over a power of two; refused where those are
        no float64 numbers."""
        return times_powers(coefs, power if self.powers is None else power - self.powers[:, None])

    def scale_coefs(self, coefs: Array, power: int = 0) -> Array:
        """The way back, of coefficients (p,)."""
        with np.errstate(over="ignore"):
            return np.ldexp(coefs, -power if self.powers is None else self.powers - power)

    def refuse_vanished(self, l1: Any, total: float) -> None:
        """Raise ValueError if a column left out might have a product with the residuals above l1,
        whose absolute values sum to no more than `total`."""
        if self.vanished * total > l1:
            raise ValueError(VANISHED)
