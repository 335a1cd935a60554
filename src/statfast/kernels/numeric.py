# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of rows of numbers, by scikit-learn's names and parameters.

All come from products, squared distances or Manhattan distances made tile by tile in float64; what
is left to do to a block is done in place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb, factorial
from typing import Any

import numpy as np

from statfast._core.distance import dissimilarity, pairwise
from statfast._core.tile import tiles
from statfast._distance import MANHATTAN, extent_of, origin_of, packed, scale_of
from statfast._typing import Array, Rows
from statfast._validation import MAX_POWER, as_count, as_real, refuse_large
from statfast.kernels.fill import overflow
from statfast.kernels.kernel import Kernel, raise_to

BIGGEST = float(np.finfo(np.float64).max)


class Numeric(Kernel):
    """Kernels whose parameters are numbers, set for good."""

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Linear(Numeric):
    """Linear kernel: k(x, y) = x.y

    Examples
    --------
    >>> from statfast.kernels import Linear
    >>> Linear().matrix([[1, 2], [3, 4]])
    array([[ 5., 11.],
           [11., 25.]])
    """

    @property
    def positive_definite(self) -> bool | None:
        return True

    def _between(self, A: Array, B: Array) -> Callable[..., Any]:
        return products(A, B)

    def _depth(self, A: Array) -> int:
        return A.shape[1]


@dataclass(frozen=True)
class Polynomial(Numeric):
    """Polynomial kernel: k(x, y) = (gamma x.y + coef0)^degree

    Attributes
    ----------
    degree : int, default=3
        At least 1.
    gamma : float, default=1.0
        Not negative.
    coef0 : float, default=0.0
        0 makes it homogeneous: products of exactly `degree` columns. A negative one makes it a
        function that need not be positive semi-definite.

    Examples
    --------
    The kernel is the product of explicit images, here x1^2, sqrt(2) x1 x2 and x2^2:

    >>> from statfast.kernels import Polynomial
    >>> kernel, X = Polynomial(degree=2), [[1, 2], [3, 4]]
    >>> kernel.features(X).round(3)
    array([[ 1.   ,  2.828,  4.   ],
           [ 9.   , 16.971, 16.   ]])
    >>> kernel.matrix(X)
    array([[ 25., 121.],
           [121., 625.]])
    """

    degree: int = 3
    gamma: float = 1.0
    coef0: float = 0.0

    def __post_init__(self) -> None:
        self._set(
            degree=as_count(self.degree, "degree", high=MAX_POWER),
            gamma=as_real(self.gamma, "gamma", 0),
            coef0=as_real(self.coef0, "coef0"),
        )

    @property
    def positive_definite(self) -> bool | None:
        return True if self.coef0 >= 0 else None

    def _between(self, A: Array, B: Array) -> Callable[..., Any]:
        inner = products(A, B)

        def fill(rows: slice, columns: slice, out: Array) -> None:
            inner(rows, columns, out)
            out *= self.gamma
            out += self.coef0
            raise_to(out, self.degree)

        return fill

    def features(self, X: Rows) -> Array:
        """Return the explicit feature map: phi(x) with phi(x).phi(y) = k(x, y).

        Parameters
        ----------
        X : array-like of shape (n, d)
            Samples.

        Returns
        -------
        ndarray of shape (n, D)
            The monomials of `degree`, or up to it if coef0 > 0, in the order of
            ``itertools.combinations_with_replacement``, highest degree first, each times the root
            of its multinomial coefficient. D = C(d + degree - 1, degree), or C(d + degree, degree).

        Raises
        ------
        ValueError
            If coef0 is negative: then there is no such image; if values overflow.
        MemoryError
            If the images take more than half the free memory.
        """
        rows: Any = self._points(X)
        if self.coef0 < 0:
            raise ValueError(
                f"{self} has no explicit image, as coef0 is negative. Choose coef0 >= 0."
            )
        n, d = rows.shape
        lowest = 0 if self.coef0 > 0 else self.degree
        degrees = range(self.degree, lowest - 1, -1)
        wide = min(comb(d + self.degree - (lowest > 0), self.degree), 1 << 62)
        refuse_large(8 * n * wide, f"The image of {n} rows in {wide} columns", "Use the kernel.")
        out = np.empty((n, wide))
        at = 0
        for power in degrees:
            shared = comb(self.degree, power) * self.gamma**power
            shared *= self.coef0 ** (self.degree - power)
            for columns in combinations_with_replacement(range(d), power):
                times = factorial(power)
                for column in set(columns):
                    times //= factorial(columns.count(column))
                with np.errstate(over="ignore", invalid="ignore"):
                    np.prod(rows[:, columns], axis=1, out=out[:, at])
                    out[:, at] *= np.sqrt(shared * times)
                at += 1
        if not np.isfinite(out).all():
            raise overflow(self, out, out)
        return out


@dataclass(frozen=True)
class Sigmoid(Numeric):
    """Sigmoid kernel: k(x, y) = tanh(gamma x.y + coef0), not positive semi-definite in general.

    Attributes
    ----------
    gamma : float, default=1.0
        Not negative.
    coef0 : float, default=0.0
        Any number.

    Examples
    --------
    >>> from statfast.kernels import Sigmoid
    >>> Sigmoid(coef0=-1.0).matrix([[0.5], [2.0]]).round(3)
    array([[-0.635,  0.   ],
           [ 0.   ,  0.995]])
    """

    gamma: float = 1.0
    coef0: float = 0.0

    def __post_init__(self) -> None:
        self._set(gamma=as_real(self.gamma, "gamma", 0), coef0=as_real(self.coef0, "coef0"))

    def _between(self, A: Array, B: Array) -> Callable[..., Any]:
        inner = products(A, B)

        def fill(rows: slice, columns: slice, out: Array) -> None:
            inner(rows, columns, out)
            out *= self.gamma
            out += self.coef0
            np.tanh(out, out=out)

        return fill


@dataclass(frozen=True)
class ConstantKernel(Numeric):
    """Constant kernel: k(x, y) is the same number for all points.

    Added to another kernel it gives a machine a penalized intercept, as a column of ones does.

    Attributes
    ----------
    constant_value : float, default=1.0
        The number, not negative.

    Examples
    --------
    >>> from statfast.kernels import ConstantKernel, Linear
    >>> (Linear() + ConstantKernel(4.0)).matrix([[1, 2], [3, 4]])
    array([[ 9., 15.],
           [15., 29.]])
    """

    constant_value: float = 1.0

    def __post_init__(self) -> None:
        self._set(constant_value=as_real(self.constant_value, "constant_value", 0))

    @property
    def positive_definite(self) -> bool | None:
        return True

    def _between(self, A: Array, B: Array) -> Callable[..., Any]:
        return lambda rows, columns, out: out.fill(self.constant_value)

    def _diagonal(self, A: Array) -> Array:
        return np.full(len(A), self.constant_value)

    def _depth(self, A: Array) -> int:
        return 1


class Decaying(Numeric):
    """exp(-gamma distance): 1 of a point with itself."""

    gamma: float

    def __post_init__(self) -> None:
        self._set(gamma=as_real(self.gamma, "gamma", 0))

    @property
    def positive_definite(self) -> bool | None:
        return True

    def normalize(self) -> Kernel:
        """The kernel itself, whose values of points with themselves are 1.

        Returns
        -------
        Kernel
        """
        return self

    def _diagonal(self, A: Array) -> Array:
        return np.ones(len(A))


@dataclass(frozen=True)
class RBF(Decaying):
    """Gaussian (RBF) kernel: ``k(x, y) = exp(-gamma |x - y|^2)``.

    Squared distances come from products about the mean of the rows; those of which more than four
    digits would cancel are summed again by differences, so that equal rows have exactly 1.

    Attributes
    ----------
    gamma : float, default=1.0
        Not negative; 1 / (2 sigma^2) for a standard deviation sigma.

    Examples
    --------
    >>> from statfast.kernels import RBF
    >>> RBF(gamma=0.5).matrix([[0.0], [1.0], [3.0]]).round(4)
    array([[1.    , 0.6065, 0.0111],
           [0.6065, 1.    , 0.1353],
           [0.0111, 0.1353, 1.    ]])
    """

    gamma: float = 1.0

    def _between(self, A: Array, B: Array) -> Callable[..., Any]:
        if self.gamma == 0:
            return lambda rows, columns, out: out.fill(1.0)
        A, B, scale = together(A, B)
        # Divided twice, as the square of the scale may overflow where the result does not.
        gamma = min(self.gamma / scale / scale, BIGGEST)
        if gamma == 0:  # The scale of distances is below 1e-500.
            return lambda rows, columns, out: out.fill(1.0)
        origin = origin_of(extent_of(B).mean)

        def fill(rows: slice, columns: slice, out: Array) -> None:
            pairwise.matrix("rbf", A[rows], B[columns], origin, gamma, out)

        return fill


@dataclass(frozen=True)
class Laplacian(Decaying):
    """Laplacian kernel: ``k(x, y) = exp(-gamma |x - y|_1)``, from Manhattan distances.

    Attributes
    ----------
    gamma : float, default=1.0
        Not negative.

    Examples
    --------
    >>> from statfast.kernels import Laplacian
    >>> Laplacian(gamma=1.0).matrix([[0.0, 0.0], [1.0, 1.0]]).round(4)
    array([[1.    , 0.1353],
           [0.1353, 1.    ]])
    """

    gamma: float = 1.0

    def _between(self, A: Array, B: Array) -> Callable[..., Any]:
        if self.gamma == 0:
            return lambda rows, columns, out: out.fill(1.0)
        padded = np.zeros((len(A) + dissimilarity.SPARE_ROWS, A.shape[1]))
        padded[: len(A)] = A
        panels = packed(B)

        def fill(rows: slice, columns: slice, out: Array) -> None:
            start, stop = (
                columns.start // dissimilarity.PANEL_POINTS,
                -(-columns.stop // dissimilarity.PANEL_POINTS),
            )
            made = np.empty(out.shape)
            dissimilarity.store(
                padded[rows.start :],
                len(made),
                panels[start:stop],
                MANHATTAN,
                dissimilarity.PLAIN,
                made,
            )
            made *= -self.gamma
            tiles.map("exp", made.reshape(-1), made.reshape(-1))
            out[...] = made

        return fill

    def _depth(self, A: Array) -> int:
        return 2 * A.shape[1] + 32


def products(A: Array, B: Array) -> Callable[..., Any]:
    """What fills blocks with x.y, each summed in the order of the columns."""
    none = np.zeros(A.shape[1], np.float32)

    def fill(rows: slice, columns: slice, out: Array) -> None:
        pairwise.matrix("product", A[rows], B[columns], none, 0.0, out)

    return fill


def together(A: Array, B: Array) -> tuple[Array, Array, float]:
    """Rows, times a power of two where the squares of differences would overflow or vanish; and
    that factor."""
    ends = [extent_of(rows) for rows in ([A] if A is B else [A, B])]
    low, high = min(end.low.min() for end in ends), max(end.high.max() for end in ends)
    with np.errstate(over="ignore"):
        width = float(high) - float(low)
    if 1e-120 < width < 1e120 or width == 0:
        return A, B, 1.0
    scale = scale_of(max(abs(low), abs(high)))
    moved = A * scale
    return moved, moved if A is B else B * scale, scale
