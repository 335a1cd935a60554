# SPDX-License-Identifier: BSD-3-Clause
"""EM for a mixture of normal distributions: one pass over the rows is the E step and the sums of
the M step.

Of few columns, log densities and sums are products with quadratic features of the rows about a
common origin, while that costs few digits (`feature_coefficients`). Else log densities are products
with the inverse Cholesky factors, in tiles of rows, and scatters are summed about the means of the
E step: at convergence the new means are there too, so that nothing cancels, wherever the components
lie. Dempster, Laird & Rubin 1977, doi:10.1111/j.2517-6161.1977.tb01600.x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.generative import feature_sums, normal_scores, quadratic_scores
from statfast._core.rows.column_moments import class_moments
from statfast._core.rows.pooled_scatter import class_scatter
from statfast._engine import RowSource, Work, checkpoint, interruptible
from statfast._estimator import log_sum_exp
from statfast._linalg import triangle_inverse
from statfast._validation import shown
from statfast.mixture.covariance_models import CovarianceModel

EPSILON = np.finfo(np.float64).eps
LOG_TWO_PI = float(np.log(2.0 * np.pi))
NUMBERS_OF_PIECE = 1 << 15  # of rows and of their scores: they stay in the second-level cache
MIN_ROWS_OF_PIECE = 64
MAX_ROWS_OF_PIECE = 4096
MAX_COLUMNS_OF_FEATURES = 16  # of rows whose products of columns are features
# Squared deviations of components from the common origin that may be lost in rounding: beyond,
# features cost more than five of sixteen digits.
MAX_SQUARES_OF_FEATURES = 1e5
DEVIATIONS_OF_ROWS = 3.0  # from their component, about


@cache
def lower_places(d: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows and the columns of the numbers of a lower triangle (d, d)."""
    return np.tril_indices(d)


class CollapsedComponent(np.linalg.LinAlgError):
    """A component without rows, or whose covariance is singular."""


@dataclass(frozen=True)
class NormalComponents:
    """A mixture of K normal distributions of d columns, ready for the E step."""

    weights: NDArray[np.float64]  # (K,), summing to 1
    means: NDArray[np.float64]  # (K, d)
    whiteners: NDArray[np.float64]  # inverse Cholesky factors (K, d, d), or their diagonals (K, d)
    orientation: NDArray[np.float64] | None = None  # common axes, from which the next M step starts
    origin: NDArray[np.float32] | None = None  # (d,) near all rows, about which features are made

    @property
    def diagonal(self) -> bool:
        return self.whiteners.ndim == 2

    @cached_property
    def rule(self) -> tuple[Any, ...]:
        """What the kernel takes between the rows and the scores."""
        d = self.means.shape[1]
        pivots = self.whiteners
        if not self.diagonal:
            pivots = np.diagonal(self.whiteners, axis1=1, axis2=2)
        with np.errstate(divide="ignore"):
            heights = np.log(self.weights) + np.log(pivots).sum(axis=1) - 0.5 * d * LOG_TWO_PI
        if self.diagonal:
            return self.means, 0.5 * self.whiteners**2, heights
        near = np.where(np.abs(self.means) < 1e37, self.means, 0.0).astype(np.float32)
        offsets = np.einsum("krd,kd->kr", self.whiteners, self.means - near)
        return self.whiteners, offsets, near, heights, True

    @cached_property
    def feature_coefficients(self) -> NDArray[np.float64] | None:
        """The log joint densities as linear functions of the features of a row, (K, F).

        These are products of columns (a >= b), or squares alone of diagonal models, the columns,
        and 1, all about the origin. None where rounding would cost digits, as of components far
        from the origin in units of their deviations, or where columns are many.
        """
        d = self.means.shape[1]
        if self.origin is None or (d > MAX_COLUMNS_OF_FEATURES and not self.diagonal):
            return None
        with np.errstate(over="ignore", invalid="ignore"):  # which are above the bound
            coefficients, largest = self._features_about(self.origin)
        return coefficients if (largest < MAX_SQUARES_OF_FEATURES).all() else None

    def _features_about(
        self, origin: NDArray[Any]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The coefficients (K, F) about a point, and the largest size of their terms (K,)."""
        d = self.means.shape[1]
        shifts = self.means - origin
        if self.diagonal:
            precisions, heights = self.whiteners**2, self.rule[2]
            linear = precisions * shifts
            sizes = np.abs(shifts) + DEVIATIONS_OF_ROWS / self.whiteners
            largest = (precisions * sizes**2).sum(axis=1)
            products = -0.5 * precisions
        else:
            precisions, heights = self.whiteners.transpose(0, 2, 1) @ self.whiteners, self.rule[3]
            linear = np.einsum("kij,kj->ki", precisions, shifts)
            deviations = np.linalg.norm(np.linalg.inv(self.whiteners), axis=2)
            sizes = np.abs(shifts) + DEVIATIONS_OF_ROWS * deviations
            largest = np.einsum("ki,kij,kj->k", sizes, np.abs(precisions), sizes)
            below, beside = lower_places(d)
            products = np.where(below == beside, -0.5, -1.0) * precisions[:, below, beside]
        constant = heights - 0.5 * (linear * shifts).sum(axis=1)
        return np.ascontiguousarray(np.column_stack([products, linear, constant])), largest

    @property
    def about(self) -> NDArray[np.float64]:
        """The points (K, d) about which a pass sums."""
        if self.feature_coefficients is None or self.origin is None:
            return self.means
        return np.repeat(self.origin[None].astype(np.float64), len(self.means), axis=0)

    def log_joint(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Logarithm of weight times density of each component, (m, K), of contiguous rows."""
        out = np.empty((len(rows), len(self.weights)))
        kernel = normal_scores if self.diagonal else quadratic_scores
        kernel.scores(rows, *self.rule, out)
        return out


@dataclass
class MixtureSums:
    """What a pass adds up; those of two blocks add to those of both."""

    total_weight: float
    log_likelihood: float  # by weight
    log_certainty: float  # the sum of the logarithms of the largest posteriors, by weight
    counts: NDArray[np.float64]  # (K,) posteriors by weight
    sums: NDArray[np.float64]  # (K, d) of rows less the means of the E step
    scatters: NDArray[np.float64]  # (K, d, d) about those means, lower triangles; or (K, d)

    @classmethod
    def zeros(cls, *shape: int) -> MixtureSums:
        """Those of no rows; scatters have this shape."""
        return cls(0.0, 0.0, 0.0, np.zeros(shape[0]), np.zeros(shape[:2]), np.zeros(shape))

    def __iadd__(self, other: MixtureSums) -> MixtureSums:
        self.total_weight += other.total_weight
        self.log_likelihood += other.log_likelihood
        self.log_certainty += other.log_certainty
        self.counts += other.counts
        self.sums += other.sums
        self.scatters += other.scatters
        return self

    def __add__(self, other: MixtureSums) -> MixtureSums:
        copied = replace(
            self, counts=self.counts.copy(), sums=self.sums.copy(), scatters=self.scatters.copy()
        )
        copied += other
        return copied


# ------------------------------------------------------------------ passes over the rows


def expect(columns: tuple[Any, ...], components: NormalComponents) -> MixtureSums:
    """The E step on a block of rows and weights, and its sums for the M step."""
    if components.feature_coefficients is not None:
        return expect_by_features(columns, components)
    total = MixtureSums.zeros(*components.whiteners.shape)
    for rows, weights in cut_pieces(columns, components):
        log_joint = components.log_joint(rows)
        responsibilities = add_likelihood(total, log_joint, weights)
        add_moments(total, rows, responsibilities, components.means)
    return total


def expect_by_features(columns: tuple[Any, ...], components: NormalComponents) -> MixtureSums:
    """The same by quadratic features, with sums about the origin."""
    coefficients: Any = components.feature_coefficients
    n_components, d = components.means.shape
    sums, scalars = np.zeros_like(coefficients), np.zeros(3)
    for rows, weights in cut_pieces(columns, components):
        scalars += feature_sums.expect(
            rows, weights, components.origin, coefficients, components.diagonal, sums
        )
    products, linear, counts = sums[:, : -d - 1], sums[:, -d - 1 : -1], sums[:, -1]
    scatters = products
    if not components.diagonal:
        scatters = np.zeros((n_components, d, d))
        scatters[:, *lower_places(d)] = products
    likelihood, certainty, total_weight = scalars.tolist()
    return MixtureSums(
        total_weight, likelihood, certainty, counts.copy(), linear.copy(), scatters.copy()
    )


def measure(columns: tuple[Any, ...], components: NormalComponents) -> MixtureSums:
    """The log-likelihood of a block of rows and weights, without sums for an M step."""
    total = MixtureSums.zeros(len(components.weights), 0)
    for rows, weights in cut_pieces(columns, components):
        add_likelihood(total, components.log_joint(rows), weights)
    return total


def assign(columns: tuple[Any, ...], state: tuple[Any, ...]) -> MixtureSums:
    """Sums for an M step in which each row belongs to the nearest of some centers."""
    centers, origin, diagonal = state
    n_components, d = centers.shape
    total = MixtureSums.zeros(*((n_components, d) if diagonal else (n_components, d, d)))
    shifted = centers - origin
    heights = 0.5 * (shifted**2).sum(axis=1)
    for rows, weights in cut_pieces(columns, None, n_components):
        codes = (heights - (rows - origin) @ shifted.T).argmin(axis=1)
        add_moments(total, rows, one_hot(codes, n_components, weights), centers)
    return total


def assign_shares(columns: tuple[Any, ...], state: tuple[Any, ...]) -> MixtureSums:
    """Sums for an M step with responsibilities that are a third column, (m, K)."""
    origin, n_components, diagonal = state
    d = len(origin)
    total = MixtureSums.zeros(*((n_components, d) if diagonal else (n_components, d, d)))
    about = np.repeat(origin[None], n_components, axis=0)
    X, weights, responsibilities = columns
    step = rows_of_piece(d, n_components)
    for start in range(0, len(X), step):
        checkpoint()
        where = slice(start, start + step)
        shares = responsibilities[where].T
        shares = np.ascontiguousarray(shares if weights is None else shares * weights[where])
        add_moments(total, X[where], shares, about)
    return total


def cut_pieces(
    columns: tuple[Any, ...], components: Any, n_components: Any = None
) -> Iterator[Any]:
    """Pairs of rows and weights, few enough for caches and for Ctrl-C."""
    X, weights = columns
    n_components = len(components.weights) if n_components is None else n_components
    step = rows_of_piece(X.shape[1], n_components)
    for start in range(0, len(X), step):
        checkpoint()
        where = slice(start, start + step)
        yield X[where], None if weights is None else weights[where]


def rows_of_piece(d: int, n_components: Any) -> Any:
    fitting = NUMBERS_OF_PIECE // (d + n_components)
    return min(max(MIN_ROWS_OF_PIECE, fitting), MAX_ROWS_OF_PIECE)


def one_hot(codes: Any, n_components: Any, weights: Any) -> Any:
    """Responsibilities (K, m) of rows that belong to one component each, by weight."""
    out = np.zeros((n_components, len(codes)))
    out[codes, np.arange(len(codes))] = 1.0 if weights is None else weights
    return out


def add_likelihood(total: Any, log_joint: Any, weights: Any) -> Any:
    """Add the likelihood of a piece; returns the posteriors by weight, (K, m)."""
    top = log_joint.max(axis=1)
    log_joint -= top[:, None]
    np.exp(log_joint, out=log_joint)
    sums = log_joint.sum(axis=1)
    logs = np.log(sums)
    scale = 1.0 / sums if weights is None else weights / sums
    if weights is None:
        total.total_weight += len(sums)
        total.log_likelihood += float((top + logs).sum())
        total.log_certainty -= float(logs.sum())  # The largest posterior is 1 / sum.
    else:
        total.total_weight += float(weights.sum())
        total.log_likelihood += float(weights @ (top + logs))
        total.log_certainty -= float(weights @ logs)
    return np.ascontiguousarray((log_joint * scale[:, None]).T)


def add_moments(total: Any, rows: Any, responsibilities: Any, means: Any) -> None:
    """Add the moments of a piece about the means, by the responsibilities (K, m)."""
    codes = np.zeros(len(rows), np.intp)
    add = class_moments if total.scatters.ndim == 2 else class_scatter
    for k, share in enumerate(responsibilities):
        one = slice(k, k + 1)
        scatter = total.scatters[one] if total.scatters.ndim == 2 else total.scatters[k]
        add(rows, codes, share, means[one], total.counts[one], total.sums[one], scatter)


# ------------------------------------------------------------------ the M step


def maximize(
    sums: MixtureSums, about: NDArray[np.float64], model: CovarianceModel, reg_covar: float,
    orientation: NDArray[np.float64] | None = None,
) -> NormalComponents:  # fmt: skip
    """The components of greatest likelihood for the sums of a pass about some points (K, d).

    `reg_covar` is added to the variances before the constraints of the model, which it so leaves
    in force. Raises `CollapsedComponent`.
    """
    counts, d = sums.counts, about.shape[1]
    require_rows_of_components(counts)
    moved = sums.sums / counts[:, None]
    if model.diagonal:
        scatters = (sums.scatters - counts[:, None] * moved**2).clip(0.0)
        scatters += reg_covar * counts[:, None]
    else:
        scatters = sums.scatters - counts[:, None, None] * moved[:, :, None] * moved[:, None, :]
        below, beside = lower_places(d)
        scatters[:, beside, below] = scatters[:, below, beside]
        diagonals = np.einsum("kjj->kj", scatters)
        diagonals += reg_covar * counts[:, None]
    covariances, orientation = model.solve(counts, scatters, orientation)
    whiteners = whiten_components(covariances, counts)
    return NormalComponents(counts / counts.sum(), about + moved, whiteners, orientation)


def whiten_components(covariances: Any, counts: Any) -> Any:
    """Inverse Cholesky factors of covariances, or the inverse deviations of diagonal ones."""
    variances = covariances
    if covariances.ndim == 3:
        variances = np.diagonal(covariances, axis1=1, axis2=2)
    sound = np.isfinite(covariances).reshape(len(counts), -1).all(axis=1)
    sound &= (variances > np.finfo(np.float64).tiny).all(axis=1)
    if not sound.all():
        raise collapsed(np.flatnonzero(~sound), counts)
    spread = np.sqrt(variances)
    if covariances.ndim == 2:
        return 1.0 / spread
    d, whiteners = covariances.shape[1], np.zeros_like(covariances)
    correlations = covariances / spread[:, :, None] / spread[:, None, :]
    for k, correlation in enumerate(correlations):
        if k and np.array_equal(covariances[k], covariances[k - 1]):
            whiteners[k] = whiteners[k - 1]
            continue
        try:
            root = triangle_inverse(interruptible(np.linalg.cholesky, correlation), lower=True)
        except np.linalg.LinAlgError:
            raise collapsed([k], counts) from None
        if not (root**2).sum() < 1.0 / (4.0 * d * EPSILON):  # It bounds the least eigenvalue.
            raise collapsed([k], counts)
        whiteners[k] = root / spread[k]
    return whiteners


def require_rows_of_components(counts: Any) -> None:
    """Refuse components that hold no rows except for rounding."""
    empty = np.flatnonzero(~(counts > 10.0 * EPSILON * counts.sum()))
    if len(empty):
        raise CollapsedComponent(
            f"{names_of(empty)} lost all rows. Lower n_components (got {len(counts)}), or start "
            "elsewhere (init_params, random_state, n_init)."
        )


def collapsed(which: Any, counts: Any) -> Any:
    """The exception for components whose covariance has no inverse."""
    held = ", ".join(f"{counts[k]:.3g}" for k in which[:5])
    return CollapsedComponent(
        f"{names_of(which)} collapsed: the covariance of its {held} rows has no inverse. Lower "
        "n_components, raise reg_covar, choose a covariance_type with fewer parameters, or drop "
        "columns that are constant or collinear."
    )


def names_of(which: Any) -> Any:
    """Components by their numbers, as a sentence begins."""
    which = [int(k) for k in which]
    return f"Component {which[0]}" if len(which) == 1 else f"Components {shown(which)}"


# ------------------------------------------------------------------ the iteration


@dataclass(frozen=True)
class EMRun:
    """The end of a run of EM, and its log-likelihoods (mean by weight) before each M step."""

    components: NormalComponents
    lower_bounds: list[float]
    converged: bool


def iterate(
    rows: RowSource, components: NormalComponents, model: CovarianceModel, reg_covar: float, *,
    tol: float, max_iter: int, report: Callable[[int, float, float], Any] | None,
) -> EMRun:  # fmt: skip
    """E and M steps until the mean log-likelihood rises by less than `tol`."""
    shape = components.whiteners.shape
    work = Work(
        expect, row_cost=4.0 * components.whiteners.size + 40.0 * shape[0],
        min_rows=max(1024, 4 * shape[1]),
    )  # fmt: skip
    lower_bounds: list[float] = []
    change = np.inf
    for number in range(1, max_iter + 1):
        sums = rows.total(work, components)
        lower_bounds.append(mean_log_likelihood(sums))
        solved = maximize(sums, components.about, model, reg_covar, components.orientation)
        components = replace(solved, origin=components.origin)
        change = lower_bounds[-1] - lower_bounds[-2] if number > 1 else np.inf
        if report is not None:
            report(number, lower_bounds[-1], change)
        if abs(change) < tol:
            break
    return EMRun(components, lower_bounds, bool(abs(change) < tol))


def mean_log_likelihood(sums: Any) -> Any:
    """The log-likelihood for a unit of weight; refuses rows beyond all components."""
    mean = sums.log_likelihood / sums.total_weight
    if not np.isfinite(mean):
        raise ValueError(
            "X holds rows so far from all components that their densities are not numbers. Divide "
            "its columns by their size."
        )
    return mean


def posteriors(log_joint: NDArray[np.float64]) -> NDArray[np.float64]:
    """Posteriors (m, K) of log densities."""
    return np.exp(log_joint - log_sum_exp(log_joint)[:, None])
