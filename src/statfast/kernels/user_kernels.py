# SPDX-License-Identifier: BSD-3-Clause
"""Kernels that others compute: a matrix made before, and a Python function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from statfast._typing import Array
from statfast._validation import as_choice, as_flag, shown, slack_of, wrong_type
from statfast.kernels.kernel import POINTS_OF_DIAGONAL, Kernel
from statfast.kernels.points import MATRIX, ROWS, STRINGS, require_symmetric


@dataclass(frozen=True)
class Precomputed(Kernel):
    """Precomputed kernel: X is the Gram matrix itself.

    ``matrix(X)`` takes a square, symmetric one, and ``matrix(X, Y)`` one of shape (n, m) between n
    points and the m of Y, of which only the number counts. Sums, products, multiples and powers
    work value by value.

    Examples
    --------
    >>> from statfast.kernels import Precomputed
    >>> (2 * Precomputed()).matrix([[2.0, 1.0], [1.0, 2.0]])
    array([[4., 2.],
           [2., 4.]])
    """

    domain: ClassVar[str] = MATRIX

    def _between(self, A: Array, B: Array) -> Callable[..., Any]:
        def fill(rows: slice, columns: slice, out: Array) -> None:
            out[...] = A[rows, columns]

        return fill

    def _diagonal(self, A: Array) -> Any:
        return A.diagonal().copy()

    def _depth(self, A: Array) -> int:
        return 1


@dataclass(frozen=True, repr=False)
class FunctionKernel(Kernel):
    """Kernel from a Python function of two arrays of samples, or two lists of strings.

    Attributes
    ----------
    function : callable
        ``function(X, Y)``: the (n, m) matrix between the rows of two float64 arrays of shapes
        (n, d) and (m, d), which are read-only, or between the strings of two lists. Called once
        for a matrix, in the thread of the caller.
    definite : bool, default=False
        Whether the function is known to be positive semi-definite.
    domain : {"rows", "strings"}, default="rows"
        What the function takes.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.kernels import FunctionKernel
    >>> def histograms(X, Y):
    ...     return np.minimum(X[:, None], Y).sum(axis=2)
    >>> kernel = FunctionKernel(histograms, definite=True)
    >>> kernel
    FunctionKernel(histograms, definite=True)
    >>> kernel.matrix([[1.0, 2.0], [3.0, 0.0]])
    array([[3., 1.],
           [1., 3.]])
    >>> def letters(X, Y):
    ...     return np.array([[len(set(x) & set(y)) for y in Y] for x in X])
    >>> FunctionKernel(letters, domain="strings").matrix(["abc", "cab", "bad"])
    array([[3., 3., 2.],
           [3., 3., 2.],
           [2., 2., 3.]])
    """

    function: Callable[[Any, Any], Any]
    definite: bool = False
    domain: str = ROWS  # type: ignore[misc]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise wrong_type("function", "a function of two arrays of rows", self.function)
        as_choice(self.domain, "domain", (ROWS, STRINGS))
        as_flag(self.definite, "definite")

    def __repr__(self) -> str:
        name = getattr(self.function, "__name__", None) or shown(self.function)
        definite = ", definite=True" if self.definite else ""
        domain = "" if self.domain == ROWS else f", domain={self.domain!r}"
        return f"FunctionKernel({name}{definite}{domain})"

    @property
    def positive_definite(self) -> bool | None:
        return True if self.definite else None

    def _between(self, A: Array, B: Array) -> Callable[..., Any]:
        matrix, slack = self._called(A, B)
        if A is B:
            require_symmetric(matrix, f"The matrix that {self} returned", slack)

        def fill(rows: slice, columns: slice, out: Array) -> None:
            out[...] = matrix[rows, columns]

        return fill

    def _diagonal(self, A: Array) -> Array:
        out = np.empty(len(A))
        for first in range(0, len(A), POINTS_OF_DIAGONAL):
            points = A[first : first + POINTS_OF_DIAGONAL]
            out[first : first + POINTS_OF_DIAGONAL] = self._called(points, points)[0].diagonal()
        return out

    def _called(self, A: Array, B: Array) -> tuple[Array, float]:
        """What the function returns, checked, and how far it may be from symmetric."""
        rows = _guarded(A)
        values = self.function(rows, rows if A is B else _guarded(B))
        try:
            if np.iscomplexobj(values):
                raise TypeError("complex numbers")
            matrix = np.asarray(values, np.float64)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"{self} must return a matrix of numbers; got {shown(values)} "
                f"({type(values).__name__})."
            ) from error
        if matrix.shape != (len(A), len(B)):
            raise ValueError(
                f"{self} must return one value for each point of X and of Y, shape "
                f"{(len(A), len(B))}; got shape {matrix.shape}."
            )
        if not np.isfinite(matrix).all():
            i, j = np.argwhere(~np.isfinite(matrix))[0]
            raise ValueError(
                f"{self} returned {matrix[i, j]}, first for point {i} of X and point {j} of Y. "
                "Return finite numbers."
            )
        return matrix, slack_of(values)

    def _depth(self, A: Array) -> int:
        return 1


def _guarded(points: Array) -> Array:
    """Points that a function of others cannot change."""
    if isinstance(points, list):
        return list(points)
    view = points.view()
    view.flags.writeable = False
    return view
