# SPDX-License-Identifier: BSD-3-Clause
"""Whether a function is a kernel: what the eigenvalues of its matrix say on given points.

J. Mercer 1909, Functions of positive and negative type, doi:10.1098/rsta.1909.0016.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._engine import interruptible
from statfast._validation import as_real, refuse_large, warn_user
from statfast.kernels.kernel import Kernel
from statfast.kernels.named import kernel_for

POINTS_NAMED = 3  # The points that the message names.


@dataclass(frozen=True, eq=False, repr=False)
class MercerCheck:
    """Result of `mercer_check`; prints as a sentence.

    Attributes
    ----------
    kernel : Kernel
        What was checked.
    smallest : float
        The smallest eigenvalue of the kernel matrix K.
    largest : float
        The largest.
    direction : ndarray of shape (n,)
        The unit eigenvector c of the smallest, one number a point, the largest in size positive:
        c'Kc = smallest. Where that is negative, a squared length would be.
    tol : float
        How far below 0 the smallest may be, as a fraction of the largest eigenvalue.
    positive : bool
        The verdict: no eigenvalue is below -tol times the largest in size.

    Examples
    --------
    >>> from statfast.kernels import RBF, mercer_check
    >>> check = mercer_check(RBF(gamma=0.1), [[0.0], [1.0], [2.0]])
    >>> check.positive, round(check.smallest, 3), round(check.largest, 3)
    (True, 0.012, 2.658)
    """

    kernel: Kernel
    smallest: float
    largest: float
    direction: np.ndarray
    tol: float
    positive: bool

    def __bool__(self) -> bool:
        return self.positive

    def __str__(self) -> str:
        n = len(self.direction)
        points = "this point" if n == 1 else f"these {n} points"
        if self.positive:
            known = "" if self.kernel.positive_definite else "; on others it may not be"
            return (
                f"{self.kernel} is positive semi-definite on {points}: its eigenvalues lie between "
                f"{self.smallest:.3g} and {self.largest:.3g}{known}."
            )
        order = np.argsort(-np.abs(self.direction), kind="stable")[:POINTS_NAMED]
        most = ", ".join(f"{self.direction[at]:.2g} of point {at}" for at in order)
        return (
            f"{self.kernel} is not positive semi-definite on {points}: its smallest eigenvalue is "
            f"{self.smallest:.3g} (the largest is {self.largest:.3g}), in the direction of {most}"
            f"{' ...' if n > POINTS_NAMED else ''}."
        )

    __repr__ = __str__


def mercer_check(
    kernel: Any, X: Any, *, tol: float = 1e-10, gamma: Any = "scale", degree: Any = 3,
    coef0: Any = 0.0, n_jobs: int | None = None,
) -> MercerCheck:  # fmt: skip
    """Mercer's condition on data: whether a Gram matrix is positive semi-definite.

    Parameters
    ----------
    kernel : str, Kernel or callable
        A name ("linear", "poly", "rbf", "sigmoid", "laplacian", "spectrum", "precomputed"), a
        kernel object, or a function of two arrays of samples.
    X : array-like of shape (n, d), list of n strings, or matrix of shape (n, n) if precomputed
        Points.
    tol : float, default=1e-10
        An eigenvalue counts as negative below -tol times the largest in size, to allow for
        rounding.
    gamma : {"scale", "auto"} or float, default="scale"
        For a named kernel: 1 / (d var), with the variance of all values of X; 1 / d; or a number.
    degree : int, default=3
        Degree of "poly", and the length of the substrings of "spectrum".
    coef0 : float, default=0.0
        Of "poly" and "sigmoid".
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    MercerCheck

    Warns
    -----
    UserWarning
        If it is not: then an optimum of a support vector machine need not be one.

    Notes
    -----
    A yes holds for these points alone. `Kernel.positive_definite` says whether it holds for all.
    The eigenvalues come from LAPACK, in about 10 n^3 operations and the memory of six matrices:
    some thousand points are enough.

    Examples
    --------
    >>> from statfast.kernels import RBF, mercer_check
    >>> mercer_check(RBF(), [[0.0], [1.0], [2.0]])
    RBF(gamma=1.0) is positive semi-definite on these 3 points: its eigenvalues lie
    between 0.489 and 1.53.
    """
    tol = as_real(tol, "tol", 0)
    chosen = kernel_for(kernel, gamma, degree, coef0, X)
    points = chosen._points_alone(X)
    refuse_large(48 * len(points) ** 2, "The check of that many points", "Pass a sample of them.")
    matrix = chosen._matrix(points, points, np.float64, n_jobs)
    values, vectors = interruptible(np.linalg.eigh, (matrix + matrix.T) / 2)
    smallest, largest = float(values[0]), float(values[-1])
    bound = tol * max(abs(smallest), abs(largest))
    direction = vectors[:, 0].copy()
    # The sign of a direction is arbitrary: its largest entry is made positive.
    if direction[np.abs(direction).argmax()] < 0:
        direction = -direction
    check = MercerCheck(chosen, smallest, largest, direction, tol, bool(smallest >= -bound))
    if not check.positive:
        warn_user(str(check))
    return check
