# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the arguments of trees and forests: rows, targets, weights and parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, frexp, log2, sqrt
from numbers import Integral
from typing import Any, Literal

import numpy as np

from statfast._estimator import (
    Estimator,
    by_fit,
    classes_with_weight,
    count,
    fitted,
    jobs,
    nothing,
    param,
    randomness,
    real,
    times_classes,
)
from statfast._typing import Array, ArrayLike, Jobs, Seed, Weights
from statfast._validation import (
    FLOATS,
    CategoryColumns,
    as_choice,
    as_count,
    as_csr,
    as_labels,
    as_real,
    as_rows,
    as_targets,
    as_weights,
    categorical_mask,
    explain_nonfinite,
    find_columns,
    is_sparse,
    label_columns,
    require_finite,
    rows_for,
    shown,
)
from statfast.tree.growing.grow_tree import TreeRules
from statfast.tree.structure.dense_blocks import DenseBlocks

ROW_TYPES = (*FLOATS, np.uint8)
MAX_EXACT_SUM = 2.0**31  # sums of integer weights below are exact, and two of them fit 64 bits
MAX_DEPTH = 2**31 - 2
MIN_PRODUCT, MAX_PRODUCT = 1e-290, 1e290  # products of a weight and a target, or its square
MAX_CATEGORIES = 1024  # of a column: a set of them takes up to 128 bytes in a node
MAX_TABLE_SUM = 1 << 24  # entropies of integers up to this are in a table
MAX_UNIT_FRACTION = 12  # the unit of weights is the least one divided by 1, 2, ..., 12
MAX_RELATIVE_ROUNDING = 2.0**-50  # relative error of a quotient of computed weights: 8 roundings
CLASSIFICATION = ("gini", "entropy", "log_loss", "error")
REGRESSION = ("squared_error", "friedman_mse", "absolute_error", "poisson")


class GrowthParameters(Estimator):
    """The parameters of the growth of trees and forests, and their fitted attributes."""

    max_depth: int | None = param(nothing | count(), default=None)
    min_samples_split: float = param(by_fit, default=2)
    min_samples_leaf: float = param(by_fit, default=1)
    min_weight_fraction_leaf: float = param(real(0, 0.5), default=0.0)
    max_features: float | Literal["sqrt", "log2"] | None = param(by_fit, default=None)
    max_leaf_nodes: int | None = param(nothing | count(2), default=None)
    min_impurity_decrease: float = param(real(0), default=0.0)
    ccp_alpha: float = param(real(0), default=0.0)
    monotonic_cst: ArrayLike | None = param(by_fit, default=None)
    categorical_features: ArrayLike | None = param(by_fit, default="from_dtype")
    random_state: Seed = param(randomness, default=None)
    n_jobs: Jobs = param(jobs, default=None)

    max_features_: int = fitted()
    n_outputs_: int = fitted()
    is_categorical_: Any = fitted()
    categories_: Any = fitted()


# ------------------------------------------------------------------ rows
def rows_to_fit(X: Any) -> Any:
    """Check the rows of a fit, dense or `DenseBlocks`; NaN stands for a missing value."""
    if is_sparse(X):
        return DenseBlocks(as_csr(X, allow_nan=True))
    rows = as_rows(X, keep=ROW_TYPES, finite=False)
    _refuse_infinity(rows)
    return rows


def rows_to_answer(estimator: Estimator, X: Any) -> Any:
    """Check rows for a fitted estimator, dense or `DenseBlocks`; NaN stands for a missing value."""
    columns = getattr(estimator, "_columns", None)
    if columns is None:
        rows = rows_for(estimator, X, keep=ROW_TYPES, finite=False, sparse=True)
        if is_sparse(rows):
            return DenseBlocks(rows)
    else:
        require_dense(X, "columns that hold categories")
        rows = columns.numbers(X, estimator)
    _refuse_infinity(rows)
    return rows


def require_dense(X: Any, purpose: str, name: str = "X") -> None:
    """Refuse sparse rows for a purpose that takes all values."""
    if is_sparse(X) or isinstance(X, DenseBlocks):
        raise TypeError(
            f"{name} must be dense for {purpose}; got a sparse matrix. Pass {name}.toarray()."
        )


def require_no_categories(X: Any, categorical_features: Any) -> None:
    """Refuse categorical columns of sparse rows; "from_dtype" finds none in them."""
    if isinstance(categorical_features, str) or categorical_features is None:
        categorical_mask(X, categorical_features, 0)
    elif categorical_mask(X, categorical_features, X.shape[1]).any():
        require_dense(X, "categorical_features")


def rows_with_categories(
    X: Any, categorical_features: Any
) -> tuple[Any, CategoryColumns | None, bool]:
    """Rows of a fit with categories as codes, their columns, and whether values are missing."""
    if is_sparse(X):
        rows = rows_to_fit(X)
        require_no_categories(rows, categorical_features)
        return rows, None, bool(np.isnan(rows.rows.data).any())
    columns = find_columns(X, categorical_features, MAX_CATEGORIES, "the most that trees take")
    rows = columns.numbers(X)
    missing = _refuse_infinity(rows)
    return rows, columns if columns.mask is not None else None, missing


def _refuse_infinity(rows: Array) -> bool:
    """Refuse infinity; returns whether any value is missing."""
    if rows.dtype.kind != "f":
        return False
    try:
        require_finite(rows)
    except ValueError:
        if np.isinf(rows).any():
            explain_nonfinite(np.where(np.isnan(rows), 0, rows), "X")
        return True
    return False


def published_columns(columns: CategoryColumns | None, missing: bool) -> dict[str, Any]:
    """The fitted attributes that describe columns of categories, and missing values."""
    if columns is None:
        none = {"_columns": None, "is_categorical_": None, "categories_": None}
        return {**none, "_saw_missing": missing}
    return {
        "_saw_missing": missing,
        "_columns": columns,
        "is_categorical_": columns.mask,
        "categories_": list(columns.categories),
    }


def category_counts(fitted: dict[str, Any]) -> Array | None:
    """The number of categories of each column, for `ranked_columns`; None if no column has any."""
    columns = fitted["_columns"]
    if columns is None:
        return None
    return np.array(
        [0 if levels is None else len(levels) for levels in columns.categories], np.int32
    )


# ------------------------------------------------------------------ targets
@dataclass(frozen=True)
class ClassTargets:
    """Labels of one output or several, as codes."""

    classes: list  # of each output
    label: np.ndarray  # (n, outputs) int32
    flat: bool  # y was 1-d

    @property
    def counts(self) -> list[int]:
        """The number of classes of each output."""
        return [len(classes) for classes in self.classes]


def class_targets(y: Any, n: int) -> ClassTargets:
    """Check labels of shape (n,) or (n, outputs)."""
    several = label_columns(y)
    if several is None:
        classes, codes = as_labels(y, n)
        return ClassTargets([classes], codes.astype(np.int32)[:, None], True)
    labeled = [as_labels(column, n) for column in several]
    label = np.ascontiguousarray(np.column_stack([codes for _, codes in labeled]), np.int32)
    return ClassTargets([classes for classes, _ in labeled], label, False)


def number_targets(y: Any, n: int, criterion: Any) -> tuple[Array, bool]:
    """Check numbers to predict; for Poisson deviance they must not be negative."""
    as_choice(criterion, "criterion", REGRESSION)
    targets, flat = as_targets(y, n)
    if criterion == "poisson":
        if (targets < 0).any():
            raise ValueError(
                "y must not be negative for criterion='poisson'; got "
                f"{targets.min()}. Choose another criterion."
            )
        if not (targets.sum(axis=0) > 0).all():
            raise ValueError(
                "y must have a positive sum for criterion='poisson'; got zeros alone. "
                "Choose another criterion."
            )
    return targets, flat or targets.shape[1] == 1  # a column is one output, as in scikit-learn


# ------------------------------------------------------------------ weights
@dataclass(frozen=True)
class RowWeights:
    """Weights of rows, with those of their classes.

    The unit of weights does not matter to trees: weights are divided by it, and are integers where
    they are multiples of a unit.
    """

    weight: np.ndarray | None  # in units; None if all are 1
    rows: np.ndarray  # (m,) int32, the rows with weight
    integral: bool
    total: float  # in units
    cases: np.ndarray | None = None  # (n,) int64, weights of rows for surrogates, if others
    unit: float = 1.0

    @property
    def table(self) -> int:
        """The largest sum of weights in a table of entropies; 0 if a table is not worth its
        memory."""
        return int(self.total) if self.integral and self.total <= MAX_TABLE_SUM else 0

    @property
    def as_passed(self) -> Any:
        """The weights as they were passed, except for rounding; None if all are 1."""
        return self.weight if self.weight is None or self.unit == 1.0 else self.weight * self.unit

    @property
    def has_weight(self) -> Any:
        """Whether each row has weight, (n,) or one value for all."""
        return np.True_ if self.weight is None else self.weight > 0.0

    def without(self, out: Array) -> RowWeights:
        """The weights with 0 where `out` (n,) is true."""
        weight = np.where(out, 0.0, 1.0 if self.weight is None else self.weight)
        rows = np.flatnonzero(weight).astype(np.int32)
        return replace(self, weight=weight, rows=rows, total=float(weight.sum()))


def row_weights(sample_weight: Weights, n: int) -> RowWeights:
    """Check weights; returns `RowWeights`."""
    return scaled_weights(as_weights(sample_weight, n), n)


def weighted_targets(
    y: Any, n: int, sample_weight: Weights, class_weight: Any
) -> tuple[ClassTargets, RowWeights]:
    """Check labels and weights: (ClassTargets, RowWeights); classes without weight are left out.

    `class_weight` may be a list of one for each output.
    """
    targets, weight = class_targets(y, n), as_weights(sample_weight, n)
    if class_weight is not None:
        per_output = len(targets.classes) > 1 and not isinstance(class_weight, str)
        if per_output and (
            not isinstance(class_weight, list) or len(class_weight) != len(targets.classes)
        ):
            raise ValueError(
                "class_weight must be 'balanced' or a list of one dict for each of the "
                f"{len(targets.classes)} outputs; got {shown(class_weight)}."
            )
        for output, classes in enumerate(targets.classes):
            output_weight = class_weight[output] if per_output else class_weight
            weight = times_classes(weight, output_weight, classes, targets.label[:, output])
    if weight is not None:
        with_weight = [
            classes_with_weight(classes, codes, weight)
            for classes, codes in zip(targets.classes, targets.label.T, strict=True)
        ]
        label = np.ascontiguousarray(np.column_stack([codes for _, codes in with_weight]), np.int32)
        targets = ClassTargets([classes for classes, _ in with_weight], label, targets.flat)
    return targets, scaled_weights(weight, n)


def scaled_weights(weight: Array | None, n: int, cases: Any = None) -> RowWeights:
    """`RowWeights` of checked weights, or of None."""
    if weight is None:
        return RowWeights(None, np.arange(n, dtype=np.int32), n < MAX_EXACT_SUM, float(n))
    weight = np.ascontiguousarray(weight, dtype=np.float64)
    rows, unit = np.flatnonzero(weight).astype(np.int32), _whole_unit(weight)
    if unit is None:
        unit = 2.0 ** frexp(weight.max())[1]  # so that sums of products neither overflow nor vanish
        return RowWeights(weight / unit, rows, False, float(weight.sum()) / unit, cases, unit)
    whole = np.rint(weight / unit)
    if len(rows) == n and (whole == 1.0).all():
        whole = None
    total = float(n if whole is None else whole.sum())
    return RowWeights(whole, rows, True, total, cases, unit)


def _whole_unit(weight: Array) -> float | None:
    """The unit of which all weights are integer multiples, except for rounding, with an exact sum.

    None if there is none among the fractions of the least weight.
    """
    positive = weight[weight > 0]
    least = positive.min()
    with np.errstate(over="ignore"):
        multiples = positive / least
    if not multiples.sum() < MAX_EXACT_SUM:
        return None
    for parts in range(1, MAX_UNIT_FRACTION + 1):
        if _are_whole(multiples[:64] * parts) and _are_whole(multiples * parts):
            unit = least / parts
            break
    else:
        unit = 1.0 if (positive == np.floor(positive)).all() else 0.0
    return unit if unit and positive.sum() / unit < MAX_EXACT_SUM else None


def _are_whole(numbers: Array) -> bool:
    return bool((np.abs(numbers - np.rint(numbers)) <= MAX_RELATIVE_ROUNDING * numbers).all())


def altered_weights(weights: RowWeights, factor: Array) -> RowWeights:
    """Weights times factors of priors; surrogates use the weights themselves."""
    n = len(factor)
    weight = np.ones(n) if weights.weight is None else weights.weight
    scale = 1.0 if weights.integral else 2.0 ** (60 - frexp(weight.sum())[1])
    altered = scaled_weights(weight * factor, n, np.rint(weight * scale).astype(np.int64))
    return replace(altered, unit=altered.unit * weights.unit)


def require_range(targets: Array, criterion: str, weights: RowWeights) -> None:
    """Refuse numbers whose weighted sums, or those of their squares, overflow or vanish."""
    power = 0.5 if criterion in ("squared_error", "friedman_mse") else 1.0
    low = (MIN_PRODUCT / min(1.0, weights.total / len(weights.rows))) ** power
    high = (MAX_PRODUCT / max(1.0, weights.total)) ** power
    with np.errstate(over="ignore"):
        ranges = np.ptp(targets, axis=0)
    if ((ranges > 0) & ((ranges < low) | (ranges > high))).any() or np.abs(
        targets
    ).max() > MAX_PRODUCT:
        raise ValueError(
            f"y must be constant, or have extremes between {low:.0e} and {high:.0e} apart, for "
            f"criterion={criterion!r} and these weights; got {targets.min():g} and "
            f"{targets.max():g}. Rescale y."
        )


# ------------------------------------------------------------------ parameters
def growth_rules(
    model: Any,
    n: int,
    p: int,
    total: float,
    *,
    classes: int | None = None,
    outputs: int = 1,
) -> TreeRules:
    """Check the parameters of a tree or forest; returns them as `TreeRules`."""
    criterion = model._checked_value("criterion")
    min_leaf = _share(model.min_samples_leaf, "min_samples_leaf", n, 1)
    min_split = _share(model.min_samples_split, "min_samples_split", n, 2)
    depth, leaves = model.max_depth, model.max_leaf_nodes
    fraction = model._checked_value("min_weight_fraction_leaf")
    return TreeRules(
        criterion=criterion,
        max_features=_feature_count(model.max_features, p),
        max_depth=MAX_DEPTH if depth is None else min(model._checked_value("max_depth"), MAX_DEPTH),
        min_split=max(min_split, 2 * min_leaf),
        min_leaf=min_leaf,
        min_weight=fraction * total,
        min_decrease=model._checked_value("min_impurity_decrease"),
        max_leaves=0 if leaves is None else model._checked_value("max_leaf_nodes"),
        monotone=_monotone(model.monotonic_cst, p, criterion, classes, outputs),
    )


def _share(value: float, name: str, n: int, least: int) -> int:
    """A number of rows, or their share."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return min(as_count(value, name, low=least), n + least)
    share = as_real(value, name, 0.0, 1.0, open_low=True)
    return max(least, ceil(share * n))


def _feature_count(value: float | str | None, p: int) -> int:
    if value is None:
        return p
    if isinstance(value, str):
        as_choice(value, "max_features", ("sqrt", "log2"))
        return max(1, int(sqrt(p) if value == "sqrt" else log2(p)))
    if isinstance(value, Integral) and not isinstance(value, bool):
        return min(as_count(value, "max_features"), p)
    return max(1, int(as_real(value, "max_features", 0.0, 1.0, open_low=True) * p))


def _monotone(
    value: Any, p: int, criterion: str, classes: int | None, outputs: int
) -> Array | None:
    if value is None:
        return None
    try:
        signs = np.asarray(value)
        valid = signs.ndim == 1 and bool(np.isin(signs, (-1, 0, 1)).all())
    except (TypeError, ValueError):
        valid = False
    if not valid:
        raise ValueError(
            f"monotonic_cst must be None or a list of -1, 0 and 1; got {shown(value)}. Give one "
            "number for each column."
        )
    if len(signs) != p:
        raise ValueError(
            f"monotonic_cst must have one number for each of the {p} columns of X; got "
            f"{len(signs)}."
        )
    if outputs > 1 or (classes is not None and classes > 2) or criterion == "absolute_error":
        raise ValueError(
            "monotonic_cst constrains the probability of the second of two classes, or a mean; got "
            "more classes or outputs, or medians. Pass None."
        )
    if classes == 1 or not signs.any():  # nothing to constrain
        return None
    return np.ascontiguousarray(signs, np.int8)


def routed_rules(model: Any, rules: TreeRules, columns: CategoryColumns | None) -> TreeRules:
    """The rules with the treatment of missing values; refuses rules that categories exclude."""
    surrogate = model._checked_value("missing") == "surrogate"
    most = model._checked_value("max_surrogates")
    if surrogate:
        _refuse_beside(rules, "missing='surrogate'")
        if rules.randomized:
            raise ValueError(
                "splitter='random' does not go with missing='surrogate', as it draws the side of "
                "missing values. Set splitter='best'."
            )
    require_categories(rules, columns)
    return replace(rules, known_only=surrogate, surrogates=most if surrogate else 0)


def require_categories(rules: TreeRules, columns: CategoryColumns | None) -> None:
    """Refuse rules that cannot be combined with columns of categories."""
    mask = None if columns is None else columns.mask
    if mask is not None:
        _refuse_beside(rules, "categories")
    if mask is not None and rules.monotone is not None and rules.monotone[mask].any():
        column = np.flatnonzero(mask & (rules.monotone != 0))[0]
        raise ValueError(
            f"monotonic_cst must be 0 for columns of categories; got {rules.monotone[column]} for "
            f"column {column}."
        )


def _refuse_beside(rules: TreeRules, name: str) -> None:
    if rules.criterion == "absolute_error":
        raise ValueError(
            f"criterion='absolute_error' does not go with {name}. Choose another criterion."
        )
