# SPDX-License-Identifier: BSD-3-Clause
"""Kernels by name, as estimators take them."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, TypeAlias

import numpy as np

from statfast._distance import scale_of
from statfast._typing import Matrix
from statfast._validation import (
    MAX_REPEATS,
    as_count,
    as_real,
    as_rows,
    did_you_mean,
    is_sparse,
    shown,
    wrong_type,
)
from statfast.kernels.kernel import Kernel
from statfast.kernels.numeric import RBF, Laplacian, Linear, Polynomial, Sigmoid
from statfast.kernels.points import MATRIX, ROWS, STRINGS
from statfast.kernels.strings import Spectrum
from statfast.kernels.user_kernels import FunctionKernel, Precomputed

AnyKernel: TypeAlias = str | Kernel | Callable[..., Any]
NAMES = ("linear", "poly", "rbf", "sigmoid", "laplacian", "spectrum", "precomputed")
KERNELS_WITH_GAMMA = ("poly", "rbf", "sigmoid", "laplacian")  # The named kernels that have a gamma.
NUMBERS_OF_BLOCK = 1 << 18


def as_kernel(
    kernel: Any, *, gamma: Any = "scale", degree: Any = 3, coef0: Any = 0.0, X: Any = None
) -> Kernel:
    """Kernel object from the `kernel` parameter of an estimator.

    Parameters
    ----------
    kernel : str, Kernel or callable
        "linear", "poly", "rbf", "sigmoid", "laplacian", "spectrum" or "precomputed"; a kernel,
        which the other parameters do not change; or a function of two arrays of rows, whose
        (n, m) matrix it returns.
    gamma : "scale", "auto" or float, default="scale"
        Of "poly", "rbf", "sigmoid" and "laplacian": 1 / (d var(X)) with the variance of all values
        of X (1 if they are all equal), 1 / d, or a number.
    degree : int, default=3
        Of "poly"; of "spectrum" the length k of the substrings.
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    X : checked points, optional
        The fitted ones, from which gamma (and an alphabet not given) is taken.

    Returns
    -------
    Kernel

    Raises
    ------
    ValueError
        If the name is unknown, or a parameter of the kernel is out of range.
    TypeError
        If kernel is none of these, or a parameter of the wrong type.

    Examples
    --------
    >>> from statfast.kernels import as_kernel
    >>> as_kernel("rbf", gamma=0.5)
    RBF(gamma=0.5)
    >>> as_kernel("poly", degree=2, gamma=1.0, coef0=1.0)
    Polynomial(degree=2, gamma=1.0, coef0=1.0)
    """
    require_kernel(kernel, "kernel")
    if isinstance(kernel, Kernel):
        return kernel if X is None else kernel._fitted_to([X])
    if callable(kernel):
        return FunctionKernel(kernel)
    if kernel == "linear":
        return Linear()
    if kernel == "precomputed":
        return Precomputed()
    if kernel == "spectrum":
        return Spectrum(as_count(degree, "degree", high=MAX_REPEATS))
    rate = gamma_of(gamma, X if X is None else as_rows(X))
    if kernel == "poly":
        return Polynomial(degree, rate, coef0)
    if kernel == "sigmoid":
        return Sigmoid(rate, coef0)
    return RBF(rate) if kernel == "rbf" else Laplacian(rate)


def require_kernel(kernel: Any, name: str) -> Any:
    """A name, a kernel or a function; what stands for no kernel is refused."""
    wanted = f"one of {', '.join(map(repr, NAMES))}, a kernel or a function of two arrays"
    if isinstance(kernel, str):
        if kernel not in NAMES:
            hint = did_you_mean(kernel, NAMES)
            raise ValueError(f"{name} must be {wanted}; got {shown(kernel)}.{hint}")
    elif isinstance(kernel, type):
        text = kernel.__name__
        raise TypeError(f"{name} must be {wanted}; got the class {text}. Pass {text}(), say.")
    elif not isinstance(kernel, Kernel) and not callable(kernel):
        raise wrong_type(name, wanted, kernel)
    return kernel


def domain_of(kernel: Any) -> str:
    """What points the kernel of a parameter takes."""
    named = {"precomputed": MATRIX, "spectrum": STRINGS}
    return named.get(kernel, ROWS) if isinstance(kernel, str) else getattr(kernel, "domain", ROWS)


def has_gamma(kernel: Any) -> bool:
    """Whether gamma is a parameter of the kernel of a parameter."""
    return isinstance(kernel, str) and kernel in KERNELS_WITH_GAMMA


def gamma_of(gamma: Any, X: np.ndarray | None) -> float:
    """A number, or what the names stand for."""
    if not isinstance(gamma, str):
        return as_real(gamma, "gamma", 0)
    if gamma not in ("scale", "auto"):
        raise ValueError(f"gamma must be 'scale', 'auto' or a number; got {shown(gamma)}.")
    if X is None:
        raise ValueError(f"gamma={gamma!r} is made of the fitted rows. Give a number.")
    rows = X if is_sparse(X) else np.asarray(X)
    if gamma == "auto":
        return 1.0 / rows.shape[1]
    low, high = float(rows.min()), float(rows.max())
    if low == high:
        return 1.0
    scale = scale_of(max(abs(low), abs(high)))
    spread = _variance(rows, scale)
    scaled = scale / (rows.shape[1] * spread) * scale if spread else 1.0
    if 0.0 < scaled < inf:
        return scaled
    raise ValueError(
        f"gamma='scale' is beyond float64, as all values of X lie between {low:.3g} and "
        f"{high:.3g}. Scale its columns, or give a number."
    )


def _variance(rows: Matrix, scale: float) -> float:
    """The variance of all values times a power of two, without a copy of all."""
    if is_sparse(rows):
        values, size = rows.data * scale, rows.shape[0] * rows.shape[1]
        middle = values.sum() / size
        rest = (size - len(values)) * middle**2
        return float((np.square(values - middle).sum() + rest) / size)
    step = max(1, NUMBERS_OF_BLOCK // rows.shape[1])
    blocks = [slice(start, start + step) for start in range(0, len(rows), step)]

    def mean(of: Callable[..., Any]) -> float:
        total = 0.0
        for block in blocks:
            # Blocks are copied to row order whatever the layout of X, so that a data frame gives
            # the same bits.
            total += of(np.multiply(rows[block], scale, dtype=np.float64, order="C")).sum()
        return float(total / rows.size)

    middle = mean(lambda x: x)
    return mean(lambda x: np.square(x - middle))


def kernel_for(
    kernel: Any, gamma: float | str, degree: Any, coef0: float, X: Any, name: str = "X"
) -> Kernel:
    """The kernel of a parameter, for points that are not checked yet."""
    rows = None
    if has_gamma(kernel) and isinstance(gamma, str):
        rows = Linear()._points(X, name)
    return as_kernel(kernel, gamma=gamma, degree=degree, coef0=coef0, X=rows)


def kernel_matrix(
    kernel: Any, X: Any, Y: Any = None, *, gamma: Any = "scale", degree: Any = 3, coef0: Any = 0.0,
    dtype: Any = np.float64, n_jobs: int | None = None,
) -> np.ndarray:  # fmt: skip
    """Gram matrix of a kernel between all points of X and of Y.

    Parameters
    ----------
    kernel : str, Kernel or callable
        A name ("linear", "poly", "rbf", "sigmoid", "laplacian", "spectrum", "precomputed"), a
        kernel, or a function of two arrays of rows.
    X : array-like of shape (n, d), or list of n strings
        Points.
    Y : array-like of shape (m, d), or list of m strings, optional
        Others; None takes X, and computes half of the matrix where that pays.
    gamma : "scale", "auto" or float, default="scale"
        For a named kernel: 1 / (d var), with the variance of all values of Y, or of X without
        one; 1 / d; or a number.
    degree : int, default=3
        Of "poly", and the length of the substrings of "spectrum".
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    dtype : {numpy.float64, numpy.float32}, default=numpy.float64
        float32 is the float64 matrix rounded once: half the memory.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    ndarray of shape (n, m)

    Raises
    ------
    ValueError
        If points hold NaN or infinity, have different widths, values overflow, or a parameter is
        out of range.
    TypeError
        If strings are given where numbers are due, or the reverse.
    MemoryError
        If the matrix takes more than half the free memory.

    Notes
    -----
    Costs n m d multiplications and additions, half of them without Y, and the memory of the
    matrix. Ctrl-C is heard between blocks.

    Examples
    --------
    >>> from statfast.kernels import kernel_matrix
    >>> kernel_matrix("rbf", [[0.0], [1.0], [3.0]], gamma=0.5).round(4)
    array([[1.    , 0.6065, 0.0111],
           [0.6065, 1.    , 0.1353],
           [0.0111, 0.1353, 1.    ]])
    >>> kernel_matrix("spectrum", ["abab", "baba"], degree=2)
    array([[5., 4.],
           [4., 5.]])
    """
    named = "X" if Y is None else "Y"
    chosen = kernel_for(kernel, gamma, degree, coef0, X if Y is None else Y, named)
    return chosen.matrix(X, Y, dtype=dtype, n_jobs=n_jobs)
