# SPDX-License-Identifier: BSD-3-Clause
"""How far two answers are apart, whatever they are made of.

Numbers differ by the largest absolute difference as a share of the largest number of scikit-learn's
answer; labels, words and flags by the share of entries that are not the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

MAX_ROUNDING = 1e-6  # The share up to which numbers count as equal,
MAX_ROUNDING_FLOAT32 = 1e-3  # and where either answer is of float32.
_ATTRIBUTES = (  # what fitted models are read by, where both have them
    "alpha_", "best_params_", "best_score_", "bin_edges_", "categories_", "classes_", "coef_",
    "components_", "core_sample_indices_", "covariance_", "data_max_", "data_min_",
    "explained_variance_", "explained_variance_ratio_", "feature_importances_", "idf_",
    "intercept_", "labels_", "lambdas_", "location_", "mean_", "means_", "n_features_in_",
    "pvalues_", "quantiles_", "ranking_", "scale_", "scores_", "singular_values_", "statistics_",
    "support_", "theta_", "var_", "variances_", "vocabulary_", "X_thresholds_", "y_thresholds_",
)  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """How far two answers are apart, and where, if they have parts."""

    size: float
    where: str = ""
    matters: bool = False

    def within(self, name: str) -> Difference:
        """The same difference, of a named part."""
        return Difference(self.size, f"{name} {self.where}".strip(), self.matters)


NONE = Difference(0.0)


def fitted_attributes(model: Any) -> dict[str, Any]:
    """What a fitted model is read by."""
    values = {}
    for name in _ATTRIBUTES:
        try:
            values[name] = getattr(model, name)
        except Exception:
            continue
    return values


def difference(expected: Any, ours: Any, *, clusters: bool = False) -> Difference:
    """How far an answer is from scikit-learn's; ``clusters``: up to the numbers of clusters."""
    if expected is None and ours is None:
        return NONE
    if isinstance(expected, Mapping) and isinstance(ours, Mapping):
        return _of_mappings(expected, ours, clusters)
    if _are_sparse(expected, ours):
        return _of_sparse(expected, ours)
    if _are_uneven(expected) or _are_uneven(ours):
        return _of_sequences(expected, ours, clusters)
    return _of_arrays(_as_array(expected), _as_array(ours), clusters)


def _worst(differences: list[Difference]) -> Difference:
    return max(differences, key=lambda one: (one.matters, one.size), default=NONE)


def _of_mappings(
    expected: Mapping[Any, Any], ours: Mapping[Any, Any], clusters: bool
) -> Difference:
    common = [key for key in expected if key in ours]
    parts = []
    for key in common:
        part = difference(expected[key], ours[key], clusters=clusters and key == "labels_")
        parts.append(part.within(str(key)))
    return _worst(parts)


def _are_uneven(value: Any) -> bool:
    """Whether it is a sequence of arrays, such as those of several outputs."""
    if isinstance(value, tuple):
        return True
    if isinstance(value, list):
        return any(np.ndim(item) for item in value if not isinstance(item, str))
    return isinstance(value, np.ndarray) and value.dtype == object and value.ndim == 1 and any(
        isinstance(item, np.ndarray | list | tuple) for item in value
    )  # fmt: skip


def _of_sequences(expected: Any, ours: Any, clusters: bool) -> Difference:
    if not (hasattr(ours, "__len__") and hasattr(expected, "__len__")) or len(expected) != len(
        ours
    ):
        return Difference(np.inf, "another number of parts", True)
    return _worst([
        difference(one, other, clusters=clusters) for one, other in zip(expected, ours, strict=True)
    ])  # fmt: skip


def _are_sparse(*values: Any) -> bool:
    from scipy.sparse import issparse

    return any(issparse(value) for value in values)


def _of_sparse(expected: Any, ours: Any) -> Difference:
    from scipy.sparse import csr_array

    if np.shape(expected) != np.shape(ours):
        return Difference(np.inf, f"shape {np.shape(ours)} for {np.shape(expected)}", True)
    one, other = csr_array(expected, copy=True), csr_array(ours, copy=True)  # arithmetic sorts them
    scale = abs(one).max() if one.nnz else 0.0
    apart = abs(one.astype(float) - other.astype(float))
    largest = apart.max() if apart.nnz else 0.0
    share = float(largest / scale) if scale else float(largest)
    return Difference(share, "", not share <= _rounding(one, other))


def _rounding(*arrays: Any) -> float:
    low = any(array.dtype.kind == "f" and array.dtype.itemsize < 8 for array in arrays)
    return MAX_ROUNDING_FLOAT32 if low else MAX_ROUNDING


def _as_array(value: Any) -> np.ndarray:
    return np.asarray(value)


def _of_arrays(expected: np.ndarray, ours: np.ndarray, clusters: bool) -> Difference:
    if expected.shape != ours.shape:
        squeezed = np.squeeze(expected), np.squeeze(ours)
        if squeezed[0].shape != squeezed[1].shape:
            return Difference(np.inf, f"shape {ours.shape} for {expected.shape}", True)
        expected, ours = squeezed
    if not expected.size:
        return NONE
    if clusters and expected.ndim == 1 and expected.dtype.kind in "iu" and ours.dtype.kind in "iu":
        ours = _renumbered(expected, ours)
    if expected.dtype.kind in "fc" and ours.dtype.kind in "fciu":
        return _of_numbers(expected, ours)
    if expected.dtype.kind in "iu" and ours.dtype.kind == "f":
        return _of_numbers(expected.astype(float), ours)
    same = np.array([
        bool(np.all(one == other)) or (one != one and other != other)
        for one, other in zip(expected.ravel(), ours.ravel(), strict=True)
    ])  # fmt: skip
    n = int((~same).sum())
    return Difference(n / same.size, f"{n} of {same.size}" if n else "", n > 0)


def _of_numbers(expected: np.ndarray, ours: np.ndarray) -> Difference:
    rounding = _rounding(expected, ours)
    finite = np.isfinite(expected)
    if not np.array_equal(finite, np.isfinite(ours)) or not np.array_equal(
        expected[~finite], ours[~finite], equal_nan=True
    ):
        return Difference(np.inf, "other infinite or missing values", True)
    if not finite.any():
        return NONE
    one, other = expected[finite].astype(complex), ours[finite].astype(complex)
    scale = np.abs(one).max()
    apart = np.abs(one - other).max()
    # A share of nothing would be infinite: residues of rounding stand for 0.
    share = float(apart / scale) if scale > 1e-12 else float(apart)
    return Difference(share, "", not share <= rounding)


def _renumbered(expected: np.ndarray, ours: ArrayLike) -> np.ndarray:
    """Our clusters by the numbers there, such that most rows agree; -1 is noise and stays."""
    from scipy.optimize import linear_sum_assignment

    labels, codes = np.unique(ours, return_inverse=True)
    wanted, targets = np.unique(expected, return_inverse=True)
    counts = np.zeros((labels.size, wanted.size))
    np.add.at(counts, (codes, targets), 1.0)
    noise = np.outer(labels == -1, wanted == -1)
    counts += noise * expected.size
    own, other = linear_sum_assignment(-counts)
    # A cluster without partner gets a number that is nobody's.
    numbers = np.full(labels.size, expected.max() + 1 + labels.size) + np.arange(labels.size)
    numbers[own] = wanted[other]
    return numbers[codes]
