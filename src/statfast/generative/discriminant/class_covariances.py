# SPDX-License-Identifier: BSD-3-Clause
"""From class covariances to a quadratic rule, and what a singular covariance says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._engine import interruptible
from statfast._estimator import copied, information_criteria, takes_weights
from statfast._typing import Array, Jobs
from statfast._validation import shape_of, shown, warn_user, wrong_type
from statfast.generative.normal.class_moments import ClassScatters, class_scatters
from statfast.generative.normal.covariance_factor import as_covariance
from statfast.generative.normal.likelihood import class_log_likelihood
from statfast.generative.normal.whitening import Whitening, list_columns, whiten

REMEDY = (
    "Drop columns, pass more rows, regularize (reg_param, shrinkage, or "
    "RegularizedDiscriminantAnalysis), or leave such directions out with allow_singular=True."
)


def whiten_classes(
    classes: Array,
    means: Array,
    covariances: Array,
    tol: float,
    names: Array | None,
    allow_singular: bool,
) -> list[Whitening]:
    """The whitening of each class; a singular covariance is refused unless it is allowed."""
    size = np.abs(means).max(axis=0)
    whites = [whiten(covariance, size, tol) for covariance in covariances]
    for label, white in zip(classes.tolist(), whites, strict=True):
        if len(white.constant) == 0 and white.n_lost == 0:
            continue
        constant = list_columns(white.constant, names) if len(white.constant) else ""
        lost = f"it is constant in {constant}" if constant else ""
        if white.n_lost:
            collinear = list_columns(white.collinear, names)
            more = f"{white.n_lost} direction(s) of {collinear} are collinear"
            lost = f"{lost}, and {more}" if lost else more
        if not allow_singular:
            raise np.linalg.LinAlgError(
                f"The covariance of the class {shown(label)} is singular: {lost}. {REMEDY}"
            )
        if white.root.shape[1] == 0:
            raise np.linalg.LinAlgError(
                f"No column of X varies within the class {shown(label)}, so it has no covariance. "
                "Leave its rows out."
            )
        warn_user(f"Left out of the density of the class {shown(label)}: {lost}.")
    return whites


def quadratic_rule(
    priors: Array, means: Array, whites: list[Whitening]
) -> tuple[Array, Array, Array, Array, bool]:
    """The rule whose scores are log prior - log det S / 2 - (x - m)' S^-1 (x - m) / 2."""
    n_classes, d = means.shape
    rank = max(white.root.shape[1] for white in whites)
    factors = np.zeros((n_classes, rank, d))
    for factor, white in zip(factors, whites, strict=True):
        factor[: white.root.shape[1]] = white.root.T
    origins, offsets = origins_of(means, factors)
    heights = np.log(priors) - 0.5 * np.array([white.log_det for white in whites])
    triangular = rank == d and not np.triu(factors, 1).any()
    return factors, offsets, origins, heights, triangular


def origins_of(means: Array, factors: Array) -> tuple[Array, Array]:
    """What is taken off the rows before the product, as exact as float32 is, and what is after."""
    near = np.where(np.abs(means) < 1e37, means, 0.0).astype(np.float32)
    return near, np.einsum("krd,kd->kr", factors, means - near)


def attributes_of_classes(
    total: ClassScatters,
    priors: Array,
    covariances: Array,
    whites: list[Whitening],
    n_parameters: Any,
    stored: bool,
) -> dict[str, Any]:
    """The fitted attributes of normal classes with covariances of their own."""
    axes = [interruptible(np.linalg.eigh, covariance) for covariance in covariances]
    fitted = {
        "class_count_": total.class_counts,
        "priors_": priors,
        "means_": total.means,
        "rotations_": [vectors[:, ::-1] for _, vectors in axes],
        "scalings_": [variances[::-1].clip(0.0) for variances, _ in axes],
        "log_determinants_": np.array([white.log_det for white in whites]),
        "n_parameters_": n_parameters,
        "_rule": quadratic_rule(priors, total.means, whites),
    }
    likelihood = class_log_likelihood(total, priors, whites)
    fitted |= information_criteria(likelihood, n_parameters, total.class_counts.sum())
    if stored:
        fitted["covariance_"] = list(covariances)
    return fitted


def require_rows(classes: Array, class_counts: Array, unbiased: bool) -> None:
    """Refuse a class whose weight leaves its covariance without a degree of freedom."""
    if unbiased and not (class_counts > 1.0).all():
        label = classes.tolist()[class_counts.argmin()]
        raise ValueError(
            f"Every class in y needs more than one row; the class {shown(label)} has "
            f'{class_counts.min():g}. Pass more of its rows, leave it out, or use method="mle".'
        )


# ------------------------------------------------------------------ by the user's estimator


@dataclass(frozen=True)
class EstimatedScatters(ClassScatters):
    """Means of the classes, and covariances from an estimator, times the weights of the classes."""

    actual: NDArray[np.float64]  # (K, d, d) scatters of the rows, without shrinkage.

    @property
    def sample_scatters(self) -> NDArray[np.float64]:
        return self.actual

    def of_classes(self, classes: Any) -> EstimatedScatters:
        return EstimatedScatters(
            self.class_counts[classes], self.means[classes], self.scatters[classes],
            self.actual[classes],
        )  # fmt: skip


def require_estimator(model: Any, solvers: str) -> None:
    """Check the parameter `covariance_estimator` against the others."""
    estimator = model.covariance_estimator
    if estimator is None:
        return
    if isinstance(estimator, type) or not callable(getattr(estimator, "fit", None)):
        raise wrong_type("covariance_estimator", "None or an estimator with fit", estimator)
    if model.solver == "svd":
        raise ValueError(
            f'covariance_estimator needs solver={solvers}; got solver="svd". Change it.'
        )
    if model.shrinkage is not None:
        raise ValueError(
            f"covariance_estimator and shrinkage={model.shrinkage!r} exclude each other. Leave one "
            "of them out."
        )


def estimate_scatters(
    X: Any, codes: Array, weights: Array, state: Any, n_jobs: Jobs
) -> EstimatedScatters:
    """Moments whose covariances are those of `state.more`, fitted to the rows of each class."""
    total = class_scatters(X, codes, weights, len(state.classes), n_jobs=n_jobs)
    d, scatters = X.shape[1], np.zeros_like(total.scatters)
    for k in np.flatnonzero(total.class_counts > 0.0):
        estimator = copied(state.more)
        members = codes == k if weights is None else (codes == k) & (weights > 0.0)
        weighted = {} if weights is None else {"sample_weight": weights[members]}
        name = type(estimator).__name__
        if weighted and not takes_weights(estimator):
            raise TypeError(f"sample_weight is not taken by {name}.fit. Leave it out.")
        estimator.fit(np.asarray(X[members], dtype=np.float64), **weighted)
        covariance = getattr(estimator, "covariance_", None)
        if shape_of(covariance) != (d, d):
            raise ValueError(
                f"covariance_estimator must have covariance_ of shape {(d, d)} when fitted; "
                f"{name} has {shown(covariance)}. Pass one of rows, such as MultivariateNormal."
            )
        scatters[k] = as_covariance(covariance, f"covariance_ of {name}") * total.class_counts[k]
    return EstimatedScatters(total.class_counts, total.means, scatters, total.scatters)
