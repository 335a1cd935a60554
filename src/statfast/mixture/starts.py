# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a mixture, wherever they lie, and where EM starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._engine import Chunks, Parts, RowSource, Work, source_of
from statfast._estimator import (
    ROW_DTYPES,
    ColumnMoments,
    array,
    column_moments,
    first_round,
    one_of,
)
from statfast._typing import Weights
from statfast._validation import as_rows, as_weights, refuse_large, shown, to_array
from statfast.cluster import KMeans
from statfast.generative.normal.covariance_factor import as_covariance
from statfast.mixture.covariance_models import CovarianceModel
from statfast.mixture.em import NormalComponents, assign, assign_shares, maximize

NAMES = ("kmeans", "k-means++", "random", "random_from_data")
INIT_PARAMS = one_of(*NAMES) | array
MAX_ORIGIN = 1e37  # of a column, in float32
MAX_SUM_ERROR = 1e-6  # of probabilities that are to sum to 1


@dataclass(frozen=True)
class MixtureRows:
    """The rows of a fit, and what a first pass finds."""

    source: RowSource  # of columns (rows, weights)
    rows: Any  # ndarray, Chunks or Parts
    weights: NDArray[np.float64] | None  # None also of parts, where they lie with the rows
    moments: ColumnMoments
    n_jobs: int | None

    @property
    def origin(self) -> NDArray[np.float32]:
        """The mean of the rows, as exact as float32 is; 0 where that has no such numbers."""
        mean = self.moments.mean
        return np.where(np.abs(mean) < MAX_ORIGIN, mean, 0.0).astype(np.float32)

    @property
    def width(self) -> int:
        return len(self.moments.mean)


def check_rows(X: Any, sample_weight: Any, n_jobs: int | None) -> MixtureRows:
    """Check all rows in a pass, and count them."""
    if isinstance(X, Parts):
        first_round(X, False)
        source: RowSource = X.prepared(prepare_part)
        rows, weights = X, None
    else:
        rows = X if isinstance(X, Chunks) else as_rows(X, keep=ROW_DTYPES, finite=False, n_min=2)
        n = None if isinstance(rows, Chunks) else len(rows)
        weights = weights_of(sample_weight, n)
        source = source_of((rows, weights), n_jobs)
    moments = source.total(Work(moments_of_block))
    if moments is None or not moments.total_weight > 0.0:
        raise ValueError("sample_weight must hold a positive weight; got none.")
    return MixtureRows(source, rows, weights, moments, n_jobs)


def weights_of(sample_weight: Weights, n: Any) -> Any:
    """Checked weights; those beside `Chunks` are compared with the rows in the pass."""
    if sample_weight is None:
        return None
    if n is None:
        n = len(np.atleast_1d(to_array(sample_weight, "sample_weight", "a list of numbers")))
    return as_weights(sample_weight, n)


def prepare_part(columns: tuple[Any, ...]) -> tuple[Any, ...]:
    """Rows and weights of a part."""
    X, _, weights = columns
    return X, as_weights(weights, len(X))


def moments_of_block(columns: tuple[Any, ...], _: Any) -> ColumnMoments:
    """The moments of the columns of a block, which refuse what is not finite."""
    X, weights = columns
    return column_moments(X, weights)


# ------------------------------------------------------------------ starts


@dataclass(frozen=True)
class FixedStart:
    """Checked parameters `weights_init`, `means_init` and `precisions_init`; None where not set."""

    weights: NDArray[np.float64] | None
    means: NDArray[np.float64] | None
    whiteners: NDArray[np.float64] | None


def as_fixed_start(checked: Any, model: CovarianceModel, d: int) -> FixedStart:
    """Check the parameters that set a part of the start."""
    n_components = checked.n_components
    weights = means = whiteners = None
    if checked.weights_init is not None:
        weights = as_table(checked.weights_init, "weights_init", (n_components,))
        if (weights < 0.0).any() or abs(weights.sum() - 1.0) > MAX_SUM_ERROR:
            raise ValueError(
                "weights_init must be probabilities that sum to 1; got a sum of "
                f"{weights.sum():g} and a least of {weights.min():g}. Divide them by their sum."
            )
        weights = weights / weights.sum()
    if checked.means_init is not None:
        means = as_table(checked.means_init, "means_init", (n_components, d))
    if checked.precisions_init is not None:
        whiteners = whiteners_of_precisions(checked.precisions_init, model, n_components, d)
    return FixedStart(weights, means, whiteners)


def as_table(values: Any, name: Any, shape: Any) -> Any:
    """A finite array of a known shape."""
    table = np.asarray(to_array(values, name, "an array of numbers"), dtype=np.float64)
    if table.shape != shape:
        raise ValueError(f"{name} must have shape {shape}; got {table.shape}. Reshape it.")
    if not np.isfinite(table).all():
        raise ValueError(f"{name} must be finite; got NaN or infinity. Replace them.")
    return table


def whiteners_of_precisions(precisions: Any, model: Any, n_components: Any, d: int) -> Any:
    """Inverse Cholesky factors of covariances whose inverses are given in the form of the model."""
    shape = {
        "full": (n_components, d, d), "tied": (d, d), "diag": (n_components, d),
        "spherical": (n_components,),
    }[model.form]  # fmt: skip
    table = as_table(precisions, "precisions_init", shape)
    if model.diagonal:
        if not (table > 0.0).all():
            raise ValueError(
                f"precisions_init must be positive; got {table.min():g}. Pass one over variances."
            )
        return np.sqrt(np.broadcast_to(table.reshape(n_components, -1), (n_components, d)))
    each = np.broadcast_to(table, (n_components, d, d))
    checked = [as_covariance(matrix, "precisions_init") for matrix in each]
    try:
        # P = L'L with L lower is the Cholesky factor of P with rows and columns reversed.
        factors = [np.linalg.cholesky(P[::-1, ::-1])[::-1, ::-1].T for P in checked]
    except np.linalg.LinAlgError:
        raise ValueError(
            "precisions_init must be positive definite; got a matrix without an inverse. Pass "
            "inverse covariances."
        ) from None
    return np.ascontiguousarray(factors)


def start_of(
    data: MixtureRows, checked: Any, model: CovarianceModel, fixed: FixedStart, seed: int
) -> NormalComponents:
    """The components that a run of EM starts from."""
    n_components = checked.n_components
    if fixed.weights is not None and fixed.means is not None and fixed.whiteners is not None:
        return NormalComponents(fixed.weights, fixed.means, fixed.whiteners, origin=data.origin)
    init, about = checked.init_params, fixed.means
    if about is None and (not isinstance(init, str) or init == "random"):
        about = np.repeat(data.moments.mean[None], n_components, axis=0)
        shares = shares_of(init, data, n_components, seed)
        state = data.moments.mean, n_components, model.diagonal
        sums = source_of((data.rows, data.weights, shares), data.n_jobs).total(
            Work(assign_shares), state
        )
    else:
        if about is None:
            about = centers_of(data, init, n_components, seed)
        sums = data.source.total(Work(assign), (about, data.moments.mean, model.diagonal))
    start = maximize(sums, about, model, checked.reg_covar)
    weights = start.weights if fixed.weights is None else fixed.weights
    means = start.means if fixed.means is None else fixed.means
    whiteners = start.whiteners if fixed.whiteners is None else fixed.whiteners
    return NormalComponents(weights, means, whiteners, start.orientation, data.origin)


def centers_of(data: Any, init: Any, n_components: Any, seed: Any) -> Any:
    """Centers of k-means, at rest or after a step from drawn rows."""
    settings: dict[str, Any] = {"n_init": 1, "random_state": seed, "n_jobs": data.n_jobs}
    if init != "kmeans":
        settings |= {"max_iter": 1, "init": "random" if init == "random_from_data" else init}
    model = KMeans(n_components, **settings)
    if isinstance(data.rows, Parts):
        model._fit_source(data.rows, data.rows)
    else:
        model.fit(data.rows, sample_weight=data.weights)
    return model.cluster_centers_.astype(np.float64)


def shares_of(init: Any, data: Any, n_components: Any, seed: Any) -> Any:
    """Responsibilities (n, K): drawn, those of labels, or those that are given."""
    if isinstance(data.rows, Chunks | Parts):
        raise ValueError(
            'init_params must be "kmeans", "k-means++" or "random_from_data" for rows that are not '
            "in memory; got responsibilities of each row. Change it, or set means_init."
        )
    n = data.rows.shape[0]
    refuse_large(8 * n * n_components, "The responsibilities of all rows", 'Use "kmeans".')
    if isinstance(init, str):
        shares = np.random.default_rng(seed).random((n, n_components))
        return shares / shares.sum(axis=1, keepdims=True)
    table = np.asarray(to_array(init, "init_params", "labels or responsibilities"))
    if table.ndim == 1:
        return shares_of_labels(table, n, n_components)
    shares = as_table(table, "init_params", (n, n_components))
    sums = shares.sum(axis=1)
    if (shares < 0.0).any() or (np.abs(sums - 1.0) > MAX_SUM_ERROR).any():
        raise ValueError(
            "init_params must hold responsibilities that sum to 1 in each row; got sums from "
            f"{sums.min():g} to {sums.max():g}. Divide them by the sums."
        )
    return shares


def shares_of_labels(labels: Any, n: Any, n_components: Any) -> Any:
    """Responsibilities of 1 for the labels 0, ..., K - 1."""
    if len(labels) != n:
        raise ValueError(f"init_params must hold a label for each of {n} rows; got {len(labels)}.")
    codes = labels.astype(np.intp, casting="unsafe") if labels.dtype.kind in "iufb" else None
    if codes is None or (codes != labels).any() or codes.min() < 0 or codes.max() >= n_components:
        raise ValueError(
            f"init_params must hold labels from 0 to {n_components - 1}, one less than "
            f"n_components; got {shown(labels.tolist())}. Number them from 0."
        )
    return np.eye(n_components)[codes]
