# SPDX-License-Identifier: BSD-3-Clause
"""What every kernel is: checked points in, a matrix out, and the operators of its algebra.

A kernel is an immutable value: equal to others of equal parameters, hashable, and shown as the
expression that makes it.
"""

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from statfast._validation import FLOATS, shown, slack_of
from statfast.kernels.fill import Fill, filled, overflow
from statfast.kernels.points import MATRIX, ROWS, as_points, require_alike, require_symmetric

SOME = 64  # points whose values with themselves are made at a time


class Kernel:
    """Base class of kernels: symmetric functions k(x, y) of two points.

    ``k1 + k2``, ``k1 * k2``, ``2.5 * k``, ``k ** 3`` and ``k.normalize()`` are kernels, and
    ``k(X, Y)`` is ``k.matrix(X, Y)``, so that kernels serve where a function is asked for.

    Notes
    -----
    `domain` says what the points are: "rows" of numbers, "strings", or the rows of a "matrix" of
    values made before. Only kernels on the same points can be combined.

    Examples
    --------
    >>> from statfast.kernels import Linear, RBF
    >>> kernel = 0.5 * RBF(gamma=2.0) + Linear() ** 2
    >>> kernel
    0.5 * RBF(gamma=2.0) + Linear() ** 2
    >>> kernel.positive_definite
    True
    >>> kernel.matrix([[0.0, 1.0], [1.0, 1.0]]).round(3)
    array([[1.5  , 1.068],
           [1.068, 4.5  ]])
    """

    __array_ufunc__ = None  # np.float64(2) * kernel is the kernel's affair
    domain: ClassVar[str] = ROWS
    _width: ClassVar[int] = 512  # columns of a block
    _binding = 4  # how tightly its text holds together: 1 a sum, 2 a product, 3 a power

    @property
    def positive_definite(self) -> bool | None:
        """True if every matrix of the kernel is positive semi-definite; None if not known."""
        return None

    def matrix(
        self, X: Any, Y: Any = None, *, dtype: Any = np.float64, n_jobs: int | None = None
    ) -> np.ndarray:
        """Return the Gram matrix between X and Y.

        Parameters
        ----------
        X : array-like of shape (n, d), or list of n strings
            Points.
        Y : array-like of shape (m, d), or list of m strings, optional
            Others; None takes X, and computes half of the matrix where that pays.
        dtype : {numpy.float64, numpy.float32}, default=numpy.float64
            float32 is the float64 matrix rounded once: half the memory.
        n_jobs : int, optional
            Threads; the values do not depend on it.

        Returns
        -------
        ndarray of shape (n, m)

        Raises
        ------
        ValueError
            If points hold NaN or infinity, have different widths, or values overflow.
        TypeError
            If strings are given where numbers are due, or the reverse.
        MemoryError
            If the matrix takes more than half the free memory.
        """
        try:
            kind = np.dtype(dtype).type
        except TypeError:
            kind = None
        if kind not in FLOATS:
            raise ValueError(f"dtype must be numpy.float64 or numpy.float32; got {shown(dtype)}.")
        if Y is None or Y is X:
            A = B = self._points_alone(X)
        else:
            A, B = self._points(X), self._points(Y, "Y")
        return self._matrix(A, B, kind, n_jobs)

    __call__ = matrix

    def diagonal(self, X: Any) -> np.ndarray:
        """Return k(x, x) for each point.

        Parameters
        ----------
        X : array-like of shape (n, d), or list of n strings
            Points.

        Returns
        -------
        ndarray of shape (n,)
            The diagonal of ``matrix(X)``, which is not made.

        Raises
        ------
        ValueError
            As for `matrix`.
        """
        A = self._points_alone(X)
        with np.errstate(over="ignore", invalid="ignore"):
            values = self._diagonal(A)
        if not np.isfinite(values).all():
            raise overflow(self, values, values)
        return values

    def normalize(self) -> "Kernel":
        """Return the normalized (cosine) kernel: k(x, y) / sqrt(k(x, x) k(y, y)).

        A point whose value with itself is 0, such as a row of zeros under `Linear`, has no
        direction: its values are 0.

        Returns
        -------
        Kernel
        """
        from statfast.kernels.algebra import Normalized

        return Normalized(self)

    # ------------------------------------------------------------ what a kernel has to say

    def _points(self, X, name="X"):
        return as_points(X, self.domain, self, name)

    def _points_alone(self, X):
        """Points to be compared with each other: a matrix of theirs is symmetric up to rounding."""
        A = self._points(X)
        if self.domain == MATRIX:
            require_symmetric(A, "X", slack_of(X))
        return A

    def _between(self, A, B) -> Fill:
        """What fills blocks of the matrix between checked points; B may be A."""
        raise NotImplementedError(
            f"{type(self).__name__} is a kernel without values. Choose another, such as RBF(), or "
            "FunctionKernel(function) for one of your own."
        )

    def _diagonal(self, A):
        """As `_between` has it, to the last bit."""
        out = np.empty(len(A))
        for first in range(0, len(A), SOME):
            some = A[first : first + SOME]
            all_of_it = slice(0, len(some))
            block = np.empty((len(some), len(some)))
            self._between(some, some)(all_of_it, all_of_it, block)
            out[first : first + SOME] = block.diagonal()
        return out

    def _settled(self, A) -> "Kernel":
        """The kernel with what it would take from the points (an alphabet) taken from these."""
        return self

    def _depth(self, A) -> int:
        """About how many multiplications a value takes the time of."""
        return A.shape[1] + 32

    def _matrix(self, A, B, dtype, n_jobs):
        symmetric = A is B
        if not symmetric:
            require_alike(A, B, self.domain, self)
        with np.errstate(over="ignore", invalid="ignore"):
            fill = self._settled([A, B])._between(A, B)
        return filled(
            fill, len(A), len(B), half=symmetric, width=self._width, depth=self._depth(A),
            dtype=dtype, n_jobs=n_jobs, kernel=self,
        )  # fmt: skip

    # ------------------------------------------------------------ the algebra

    def __add__(self, other):
        from statfast.kernels.algebra import Sum

        return Sum.of(self, other) if isinstance(other, Kernel) else NotImplemented

    def __radd__(self, other):  # of sum([k1, k2]), which begins with 0
        return self if isinstance(other, Real) and other == 0 else NotImplemented

    def __mul__(self, other):
        from statfast.kernels.algebra import Product, Scaled

        if isinstance(other, Kernel):
            return Product.of(self, other)
        return Scaled(other, self) if isinstance(other, Real) else NotImplemented

    __rmul__ = __mul__

    def __pow__(self, exponent):
        from statfast.kernels.algebra import Power

        return Power(self, exponent)
