# SPDX-License-Identifier: BSD-3-Clause
"""What a kernel machine is trained on: rows of numbers, strings, or a matrix of kernel values."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import checked_by
from statfast._typing import Array, Jobs, Matrix
from statfast._validation import (
    as_choice,
    as_csr,
    as_real,
    as_rows,
    compress_rows,
    is_sparse,
    not_fitted,
    rows_for,
    shown,
    slack_of,
    warn_user,
    wrong_type,
)
from statfast.kernels import Kernel, Linear, Polynomial, Precomputed, as_kernel
from statfast.kernels.named import NAMES, domain_of, gamma_of, has_gamma, require_kernel
from statfast.kernels.points import MATRIX, STRINGS, as_strings, require_symmetric
from statfast.svm.dual.gram import MatrixGram, gram_of
from statfast.svm.dual.gram_cache import Gram
from statfast.svm.dual.limits import Run
from statfast.svm.machines.sparse_values import require_sparse, sparse_values, training_matrix

MAX_VALUE = 1e150  # The squares of larger numbers may overflow when they are added up.
# Where the means of columns are more than so many times their ranges, polynomials see little but
# the means.
MIN_MEANS_OVER_RANGES = 10
MAX_COST = 1e100  # The largest cost, for which sums of products of two are finite.


def as_gamma(gamma: float | str, name: str) -> float | str:
    """Check the parameter gamma."""
    if isinstance(gamma, str):
        return as_choice(gamma, name, ("scale", "auto"))
    if not isinstance(gamma, Real):
        raise wrong_type(name, "'scale', 'auto' or a number", gamma)
    return as_real(gamma, name, 0.0)


KERNEL = checked_by(require_kernel, *NAMES[:5], Linear())
GAMMA = checked_by(as_gamma, "scale", "auto", 0.5)


@dataclass(frozen=True)
class TrainingPoints:
    """Checked training points with their kernel."""

    data: Any  # an ndarray of rows or of kernel values, CSR rows, or a list of strings
    kernel: Kernel
    weights: NDArray[np.float64] | None
    width: int

    def __len__(self) -> int:
        return len(self.data) if isinstance(self.data, list) else self.data.shape[0]

    @property
    def sparse(self) -> bool:
        """Whether the rows are sparse."""
        return is_sparse(self.data)

    def gram(self, cache_size: float | None, n_jobs: Jobs) -> Gram:
        """Their kernel matrix."""
        if self.sparse:
            return MatrixGram(training_matrix(self.kernel, self.data), n_jobs)
        return gram_of(self.kernel, self.for_gram(), cache_size=cache_size, n_jobs=n_jobs)

    def matrix_between(self, index: Array) -> Array:
        """The matrix of kernel values between the points of these numbers."""
        if self.sparse:
            return sparse_values(self.kernel, self.data[index], self.data[index])
        square = self.kernel.domain == MATRIX
        values = self.data[np.ix_(index, index)] if square else self.part(index)
        return self.kernel.matrix(values, n_jobs=1)

    def for_gram(self) -> Any:
        """The points as kernels check them."""
        if self.kernel.domain == STRINGS or type(self.kernel) is Precomputed:
            return self.data
        return np.ascontiguousarray(self.data, dtype=np.float64)

    def take(self, index: Array) -> Matrix | list[str] | None:
        """Some of the points as support vectors; None where only kernel values are known."""
        return None if self.kernel.domain == MATRIX else self.part(index)

    def part(self, index: Array) -> Matrix | list[str]:
        """Some of the points as new ones."""
        if self.kernel.domain == STRINGS:
            return [self.data[i] for i in index]
        if self.sparse:
            return self.data[index]
        return np.ascontiguousarray(self.data[index])

    def keys(self, rng: np.random.Generator) -> Array:
        """A number for each point, equal for equal points, of no meaning otherwise."""
        if self.kernel.domain == STRINGS:
            salt = rng.bytes(8)
            texts = (_bytes(text) for text in self.data)
            return np.array([crc32(salt + text) for text in texts], dtype=np.float64)
        if self.kernel.domain == MATRIX:
            return rng.permutation(len(self)).astype(np.float64)
        if self.sparse:
            return self.data @ rng.uniform(1, 2, self.width)
        key = np.zeros(len(self))
        for column, factor in zip(self.data.T, rng.uniform(1, 2, self.width), strict=True):
            key += factor * column.astype(np.float64)
        return key


def _bytes(text: str) -> Any:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Training:
    """Checked points, their kernel matrix, those with weight, and the solver with its limits."""

    points: TrainingPoints
    gram: Gram
    used: NDArray[np.intp]
    run: Run


def as_training_points(params, X, weights_of, sparse=False):
    """Check X, which may be `sparse`; `params` are the checked parameters of the kernel, and
    `weights_of(n)` gives the weights of n points."""
    domain = domain_of(params.kernel)
    if domain == STRINGS:
        data = as_strings(X, params.kernel)
    elif sparse and is_sparse(X):
        require_sparse(params.kernel)
        data = as_csr(X)
        refuse_huge(data.data)
    else:
        refuse_strings(X, params.kernel)
        data = as_rows(X)
        if domain == MATRIX:
            require_symmetric(data, "X, with kernel='precomputed',", slack_of(data))
        else:
            refuse_huge(data)
    weights = weights_of(len(data) if domain == STRINGS else data.shape[0])
    kernel = kernel_of(params, data)
    return TrainingPoints(data, kernel, weights, 1 if domain == STRINGS else data.shape[1])


def kernel_of(params: Any, data: Any) -> Kernel:
    """The kernel of checked parameters for these training points."""
    gamma = gamma_of(params.gamma, data) if has_gamma(params.kernel) else 1.0
    rows = None if is_sparse(data) else data
    return as_kernel(params.kernel, gamma=gamma, degree=params.degree, coef0=params.coef0, X=rows)


def as_new_points(estimator: Any, X: Any, sparse: bool = False) -> Matrix | list[str]:
    """Points, which may be `sparse` rows, to be answered by a fitted estimator."""
    expansion = estimator.__dict__.get("_expansion")
    if expansion is None:
        raise not_fitted(estimator)
    domain = expansion.kernel.domain
    if domain == STRINGS:
        return as_strings(X, expansion.kernel)
    if not isinstance(X, np.ndarray):
        refuse_strings(X, expansion.kernel)
    if not is_sparse(X):
        rows = rows_for(estimator, X)
        return as_csr(compress_rows(rows)) if is_sparse(expansion.vectors) else rows
    if domain == MATRIX or not sparse:
        return rows_for(estimator, X)  # for its sentence
    rows = as_csr(X)
    rows_for(estimator, np.zeros((1, rows.shape[1])))  # Refuses another width or other names.
    return rows


# ------------------------------------------------------------------ numbers
def as_costs(C: float, weights: Array, name: str = "C times the largest weight") -> Array:
    """C times weights, which may be those of classes too."""
    largest = C * float(weights.max())
    if largest > MAX_COST:
        raise ValueError(f"{name} must be at most {MAX_COST:g}; got {largest:.3g}. Lower it.")
    return C * weights


def refuse_huge(X: Array) -> None:
    """Squares have to be finite."""
    if X.size and X.dtype == np.float64 and (largest := max(X.max(), -X.min())) > MAX_VALUE:
        raise ValueError(
            f"X holds values as large as {largest:.3g}, whose squares overflow. Scale its columns."
        )


def warn_far(X, kernel):
    """Polynomials of rows far from 0 are trained without end: warn before."""
    if type(kernel) is not Polynomial or kernel.degree < 2:
        return
    means, ranges = X.mean(axis=0, dtype=np.float64), X.max(axis=0) - X.min(axis=0)
    if is_sparse(X):
        ranges = ranges.toarray()
    with np.errstate(over="ignore"):
        times = np.linalg.norm(means) / max(np.linalg.norm(ranges.astype(np.float64)), 1e-300)
    if MIN_MEANS_OVER_RANGES < times < 1e200:
        warn_user(
            f"The columns of X lie far from 0: their means are {times:.0f} times as long as their "
            f"ranges. Polynomials of degree {kernel.degree} tell such rows apart by their last "
            "digits, so that training hardly ends. Center and scale the columns of X."
        )


def refuse_strings(X: Any, kernel: Any) -> None:
    """A better sentence than that of the check of numbers, where a list of strings was passed."""
    dtype = getattr(X, "dtype", None)
    if getattr(dtype, "kind", "O") not in "OUST" or isinstance(X, str | bytes):
        return
    several = isinstance(X, list | tuple) or (isinstance(X, np.ndarray) and X.ndim > 0)
    if several and len(X) and isinstance(X[0], str | bytes):
        raise TypeError(
            f"X must hold rows of numbers for kernel={shown(kernel)}; got strings such as "
            f"{shown(X[0])}. Use a kernel on strings: kernel='spectrum', or for a function "
            "FunctionKernel(function, domain='strings')."
        )
