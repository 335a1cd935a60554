# SPDX-License-Identifier: BSD-3-Clause
"""What every kernel is: checked points in, a matrix out; and the kernels that are made of kernels.

A kernel is an immutable value: equal to others of equal parameters, hashable, and shown as the
expression that makes it.

Sums, products, positive multiples, powers and normalizations of positive semi-definite kernels are
positive semi-definite again (of products, that is Schur's theorem), and no other way of combining
kernels is offered.

J. Shawe-Taylor & N. Cristianini 2004, Kernel Methods for Pattern Analysis, section 3.4,
doi:10.1017/CBO9780511809682.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np

from statfast._typing import Array
from statfast._validation import (
    FLOATS,
    MAX_POWER,
    as_count,
    as_real,
    shown,
    slack_of,
    wrong_type,
)
from statfast.kernels.fill import Fill, filled, overflow
from statfast.kernels.points import MATRIX, ROWS, as_points, require_alike, require_symmetric

POINTS_OF_DIAGONAL = 64  # So many values of points with themselves are made at a time.


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
    >>> kernel.matrix([[0.0, 1.0], [1.0, 1.0]]).round(3)
    array([[1.5  , 1.068],
           [1.068, 4.5  ]])
    """

    __array_ufunc__ = None  # Lets `__rmul__` handle np.float64(2) * kernel.
    domain: ClassVar[str] = ROWS
    _width: ClassVar[int] = 512  # The columns of a block of the matrix.
    _binding = 4  # The precedence of the kernel's text: 1 a sum, 2 a product, 3 a power.

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
            Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
            for any number.

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

    def normalize(self) -> Kernel:
        """Return the normalized (cosine) kernel: k(x, y) / sqrt(k(x, x) k(y, y)).

        A point whose value with itself is 0, such as a row of zeros under `Linear`, has no
        direction: its values are 0.

        Returns
        -------
        Kernel
        """
        return Normalized(self)

    # ------------------------------------------------------------ what a kernel has to say

    def _points(self, X: Any, name: str = "X") -> Array | list[str]:
        return as_points(X, self.domain, self, name)

    def _points_alone(self, X):
        """Points to be compared with each other: a matrix of theirs is symmetric up to rounding."""
        A = self._points(X)
        if self.domain == MATRIX:
            require_symmetric(A, "X", slack_of(X))
        return A

    def _between(self, A: Any, B: Any) -> Fill:
        """What fills blocks of the matrix between checked points; B may be A."""
        raise NotImplementedError(
            f"{type(self).__name__} is a kernel without values. Choose another, such as RBF(), or "
            "FunctionKernel(function) for one of your own."
        )

    def _diagonal(self, A: Array) -> Array:
        """As `_between` has it, to the last bit."""
        out = np.empty(len(A))
        for first in range(0, len(A), POINTS_OF_DIAGONAL):
            points = A[first : first + POINTS_OF_DIAGONAL]
            all_of_it = slice(0, len(points))
            block = np.empty((len(points), len(points)))
            self._between(points, points)(all_of_it, all_of_it, block)
            out[first : first + POINTS_OF_DIAGONAL] = block.diagonal()
        return out

    def _fitted_to(self, A: Any) -> Kernel:
        """The kernel with what it would take from the points (an alphabet) taken from these."""
        return self

    def _depth(self, A: Any) -> int:
        """About how many multiplications a value takes the time of."""
        return A.shape[1] + 32

    def _matrix(self, A: Any, B: Any, dtype: type[Any], n_jobs: Any) -> Array:
        symmetric = A is B
        if not symmetric:
            require_alike(A, B, self.domain, self)
        with np.errstate(over="ignore", invalid="ignore"):
            fill = self._fitted_to([A, B])._between(A, B)
        return filled(
            fill, len(A), len(B), half=symmetric, width=self._width, depth=self._depth(A),
            dtype=dtype, n_jobs=n_jobs, kernel=self,
        )  # fmt: skip

    # ------------------------------------------------------------ the algebra

    def __add__(self, other: Any) -> Sum:
        return Sum.combine(self, other) if isinstance(other, Kernel) else NotImplemented

    def __radd__(self, other: Any) -> Any:  # sum([k1, k2]) begins with 0.
        return self if isinstance(other, Real) and other == 0 else NotImplemented

    def __mul__(self, other):
        if isinstance(other, Kernel):
            return Product.combine(self, other)
        return Scaled(other, self) if isinstance(other, Real) else NotImplemented

    __rmul__ = __mul__

    def __pow__(self, exponent: Any) -> Any:
        return Power(self, exponent)


def _text(kernel: Any, binding: Any) -> Any:
    """The text of a part, in parentheses where it would fall apart."""
    return repr(kernel) if kernel._binding > binding else f"({kernel!r})"


def as_one(kernel: Kernel) -> Kernel:
    """Check the kernel that another is made of."""
    if not isinstance(kernel, Kernel):
        raise wrong_type("kernel", "a kernel, such as RBF()", kernel)
    return kernel


class Composed(Kernel):
    """A kernel made of kernels (its `parts`), value by value."""

    @property
    def parts(self) -> tuple[Kernel, ...]:
        raise NotImplementedError

    def __post_init__(self) -> None:
        first = as_one(self.parts[0])
        for part in self.parts[1:]:
            if as_one(part).domain != first.domain:
                raise TypeError(
                    f"Kernels can be combined if they take the same points; {first} takes "
                    f"{first.domain}, {part} {part.domain}. Choose kernels of one kind."
                )

    @property
    def domain(self) -> str:
        return self.parts[0].domain

    @property
    def _width(self) -> int:
        return max(part._width for part in self.parts)

    @property
    def positive_definite(self) -> bool | None:
        return True if all(part.positive_definite for part in self.parts) else None

    def _depth(self, A: Any) -> int:
        return sum(part._depth(A) for part in self.parts)

    def _fitted_to(self, A: Any) -> Self:
        parts = tuple(part._fitted_to(A) for part in self.parts)
        return self if parts == self.parts else self._with_parts(parts)

    def _with_parts(self, parts: Any) -> Any:
        """The same of other parts."""
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class Several(Composed):
    """Sums and products: what folds values of kernels, one after the other."""

    kernels: tuple[Kernel, ...]
    _fold: ClassVar[Any]

    @classmethod
    def combine(cls, *kernels: Any) -> Any:
        """Of these, and of the parts of those that are of this kind already."""
        return cls(sum((k.kernels if isinstance(k, cls) else (k,) for k in kernels), ()))

    @property
    def parts(self) -> Any:
        return self.kernels

    def _with_parts(self, parts: Any) -> Any:
        return type(self)(parts)

    def _between(self, A: Any, B: Any) -> Callable[..., Any]:
        first, *rest = [kernel._between(A, B) for kernel in self.kernels]

        def fill(rows: slice, columns: slice, out: Array) -> None:
            first(rows, columns, out)
            part = np.empty(out.shape)
            for fill_next in rest:
                fill_next(rows, columns, part)
                self._fold(out, part, out=out)

        return fill

    def _diagonal(self, A: Array) -> Any:
        out, *rest = [kernel._diagonal(A) for kernel in self.kernels]
        for values in rest:
            out = self._fold(out, values)
        return out


class Sum(Several):
    """k1 + k2 + ...: the images of a point side by side."""

    _binding = 1
    _fold = np.add

    def __repr__(self) -> str:
        return " + ".join(_text(kernel, 1) for kernel in self.kernels)


class Product(Several):
    """k1 k2 ...: all products of coordinates of the images."""

    _binding = 2
    _fold = np.multiply

    def __repr__(self) -> str:
        return " * ".join(_text(kernel, 2) for kernel in self.kernels)


class Transformed(Composed):
    """What is made of one kernel."""

    kernel: Kernel

    @property
    def parts(self) -> Any:
        return (self.kernel,)

    def _between(self, A: Array, B: Array) -> Any:
        inner = self.kernel._between(A, B)

        def fill(rows: Any, columns: Any, out: Array) -> None:
            inner(rows, columns, out)
            self._apply(out)

        return fill

    def _diagonal(self, A: Array) -> Any:
        out = np.array(self.kernel._diagonal(A))
        self._apply(out)
        return out

    def _apply(self, values: Array) -> Any:
        """Change values of the kernel in place."""
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class Scaled(Transformed):
    """A positive multiple."""

    factor: float
    kernel: Kernel
    _binding = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        factor, kernel = as_real(self.factor, "factor", 0, open_low=True), self.kernel
        if isinstance(kernel, Scaled):
            factor = as_real(factor * kernel.factor, "factor", 0, open_low=True)
            kernel = kernel.kernel
        object.__setattr__(self, "factor", factor)
        object.__setattr__(self, "kernel", kernel)

    def __repr__(self) -> str:
        return f"{self.factor!r} * {_text(self.kernel, 2)}"

    def _with_parts(self, parts: Any) -> Any:
        return Scaled(self.factor, *parts)

    def _apply(self, values: Array) -> None:
        values *= self.factor


@dataclass(frozen=True, repr=False)
class Power(Transformed):
    """A power with a whole exponent: a product of equal kernels."""

    kernel: Kernel
    exponent: int
    _binding = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.exponent, Integral):
            raise TypeError(
                f"exponent must be an integer; got {shown(self.exponent)}. Powers with fractions "
                "need not be kernels."
            )
        object.__setattr__(self, "exponent", as_count(self.exponent, "exponent", high=MAX_POWER))

    def __repr__(self) -> str:
        return f"{_text(self.kernel, 3)} ** {self.exponent}"

    def _with_parts(self, parts):
        return Power(*parts, self.exponent)

    def _apply(self, values: Array) -> None:
        raise_to(values, self.exponent)


@dataclass(frozen=True, repr=False)
class Normalized(Transformed):
    """The cosine of the images."""

    kernel: Kernel

    def __repr__(self) -> str:
        return f"{_text(self.kernel, 3)}.normalize()"

    def normalize(self) -> Self:
        return self

    def _with_parts(self, parts: Any) -> Any:
        return Normalized(*parts)

    def _between(self, A: Array, B: Array) -> Callable[..., Any]:
        if self.domain == MATRIX and A is not B:
            raise ValueError(
                f"{self} needs the value of each point of X with itself, which a matrix between "
                "X and Y does not hold. Normalize the matrix before."
            )
        inner = self.kernel._between(A, B)
        halves_of_rows = _halves(self._squares(A, "X"))
        halves_of_columns = halves_of_rows if A is B else _halves(self._squares(B, "Y"))

        def fill(rows: slice, columns: slice, out: Array) -> None:
            inner(rows, columns, out)
            # By powers of two first, which rounds nothing and leaves roots of moderate numbers:
            # those of x^2 are x, so that a point and its like have exactly 1.
            out *= halves_of_rows[1][rows, None]
            out *= halves_of_columns[1][columns]
            out /= np.sqrt(
                np.multiply.outer(halves_of_rows[0][rows], halves_of_columns[0][columns])
            )

        return fill

    def _diagonal(self, A: Array) -> Any:
        return (self._squares(A, "X") > 0) * 1.0

    def _squares(self, A: Array, name: str) -> Array:
        squares = self.kernel._diagonal(A)
        if not np.isfinite(squares).all():
            raise ValueError(f"Values of {self.kernel} overflow float64. Scale {name} down.")
        if (squares < 0).any():
            at = int((squares < 0).argmax())
            raise ValueError(
                f"{self.kernel} cannot be normalized: its value of point {at} of {name} with "
                f"itself is {squares[at]}. Choose a positive semi-definite kernel."
            )
        return squares


def _halves(squares: Array) -> tuple[Array, Array]:
    """Numbers as m 4^e with 1/4 <= m < 1: m, and 2^-e (0 for the number 0)."""
    exponent = np.frexp(squares)[1]
    exponent = (exponent + (exponent & 1)) // 2
    moderate = np.ldexp(np.ldexp(squares, -exponent), -exponent)
    empty = squares == 0
    moderate[empty] = 1.0
    return moderate, np.where(empty, 0.0, np.ldexp(1.0, -exponent))


@np.errstate(over="ignore", under="ignore")  # Callers check the values.
def raise_to(values: Array, exponent: int) -> None:
    """values **= exponent by squarings, which pow would take ten times as long for."""
    bits = f"{exponent:b}"[1:]
    base = values.copy() if "1" in bits else None
    for bit in bits:
        values *= values
        if bit == "1":
            values *= base
