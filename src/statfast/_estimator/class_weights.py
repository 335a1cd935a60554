# SPDX-License-Identifier: BSD-3-Clause
"""Weights of rows, of which some are those of their classes."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from statfast._estimator.parameters.copies import takes_weights, with_params
from statfast._typing import Array
from statfast._validation import (
    as_choice,
    as_labels,
    as_real,
    as_weights,
    shown,
    warn_user,
    wrong_type,
)


def weighted_labels(
    y: Any, n: int | None, sample_weight: Any = None, class_weight: Any = None, *, least: int = 1
) -> tuple[Array, Array, Array | None]:
    """Check labels and weights, and leave out the classes whose rows all have weight 0.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels.
    n : int or None
        Rows of the data matrix; None where they are not counted yet.
    sample_weight : array-like of shape (n,) or None
        Weights of the samples; None is 1 for all.
    class_weight : dict, "balanced" or None
        What they are multiplied by.
    least : int
        How many classes there must be.

    Returns
    -------
    classes : ndarray of shape (K,), the labels of rows with weight, sorted
    codes : ndarray of intp, shape (n,), with ``classes[codes] == y`` where rows have weight
        Rows of a class that is left out have the code 0: it does not matter, as their weight is 0.
    weights : ndarray of shape (n,), or None if all are 1
    """
    classes, codes = as_labels(y, n)
    weights = as_weights(sample_weight, len(codes))
    weights = times_classes(weights, class_weight, classes, codes)
    classes, codes = classes_with_weight(classes, codes, weights)
    require_several(classes, least)
    return classes, codes, weights


def classes_with_weight(classes: Array, codes: Array, weights: Array | None) -> tuple[Array, Array]:
    """Classes of which a row has weight, and codes among them: 0 for rows of other classes."""
    if weights is None:
        return classes, codes
    present = np.bincount(codes, weights > 0.0, len(classes)) > 0.0
    if present.all():
        return classes, codes
    if not present.any():
        raise ValueError("class_weight leaves no row any weight. Give some class weight.")
    places = np.where(present, np.cumsum(present) - 1, 0)
    return classes[present], places[codes]


def without_unweighted(
    weights: Array | None, class_weight: Any, classes: Array, codes: Array
) -> tuple[Array | None, Any]:
    """Sample weights of 0 for the rows of classes that `class_weight` gives 0, and the rest of
    it; both as they are where there are none."""
    if not isinstance(class_weight, Mapping):
        return weights, class_weight
    none = {
        label for label, factor in class_weight.items() if isinstance(factor, Real) and factor == 0
    }
    if not none:
        return weights, class_weight
    lost = np.array([label in none for label in classes.tolist()])
    weights = np.where(lost[codes], 0.0, 1.0 if weights is None else weights)
    rest = {label: factor for label, factor in class_weight.items() if label not in none}
    return weights, rest or None


# ------------------------------------------------------------------ of an estimator that is wrapped
def weights_by_label(estimator: Any) -> dict[str, Any]:
    """The parameters ``class_weight`` of an estimator, and of those inside, that name labels."""
    if not hasattr(estimator, "get_params"):
        return {}
    return {
        name: value
        for name, value in estimator.get_params(deep=True).items()
        if name.split("__")[-1] == "class_weight" and isinstance(value, Mapping)
    }


def with_weights_by_code(estimator: Any, classes: Array) -> Any:
    """An estimator that is fitted to codes in place of labels: its class weights name codes."""
    weights = weights_by_label(estimator)
    if not weights or classes.tolist() == [*range(len(classes))]:
        return estimator
    coded = {}
    for name, class_weight in weights.items():
        factors = class_factors(class_weight, classes, np.ones(len(classes)))
        coded[name] = dict(enumerate(factors.tolist()))
    return with_params(estimator, coded)


def without_class_weights(estimator: Any) -> tuple[Any, Any]:
    """An estimator without class weights that name labels, and these, for a wrapper that fits it
    to sides of its own making: it is to multiply the weights of rows."""
    class_weight = weights_by_label(estimator).get("class_weight")
    if class_weight is None or not takes_weights(estimator):
        return estimator, None
    return with_params(estimator, {"class_weight": None}), class_weight


def require_no_labels(estimator: Any, classes: Array) -> None:
    """Refuse class weights that name labels where an estimator is fitted to 0 and 1."""
    weights = weights_by_label(estimator)
    if weights and classes.tolist() != [0, 1]:
        name, class_weight = next(iter(weights.items()))
        raise ValueError(
            f"{name} of the estimator names labels, {shown([*class_weight])}, but classifiers of "
            "two sides are fitted to 0 and 1. Pass sample_weight, or class_weight='balanced'."
        )


def require_several(classes: Array, least: int = 2) -> None:
    """Refuse labels of fewer classes."""
    if len(classes) < least:
        raise ValueError(
            f"y must hold at least {least} classes; got one class, {shown(classes.tolist()[0])}. "
            "Pass rows of another class too."
        )


def times_classes(
    weights: Array | None, class_weight: Any, classes: Array, codes: Array
) -> Array | None:
    """The same, of rows among which classes may be missing."""
    if class_weight is None:
        return weights
    factors = class_factors(class_weight, classes, np.bincount(codes, weights, len(classes)))
    return times_factors(weights, factors, codes)


def times_factors(weights: Array | None, factors: Array, codes: Array) -> Array:
    """Sample weights, None for ones, times the factor of each row's class."""
    return factors[codes] if weights is None else factors[codes] * weights


def class_factors(class_weight: Any, classes: Array, totals: Array) -> Array:
    """What the weights of the rows of each class are multiplied by; `mass` is their sum so far."""
    if isinstance(class_weight, str):
        as_choice(class_weight, "class_weight", (None, "balanced"))
        present = totals > 0.0
        factors = totals.sum() / (present.sum() * np.where(present, totals, 1.0))
    elif isinstance(class_weight, Mapping):
        if not class_weight:
            raise ValueError("class_weight must name classes; got {}. Pass None for none.")
        known = dict.fromkeys(classes.tolist())
        for label in class_weight:
            if label not in known:  # This may be a class of which a fold has no row.
                warn_user(
                    f"class_weight names {shown(label)}, which is not a class of y "
                    f"({shown(classes.tolist())}): it weights nothing."
                )
        pairs = [(label, class_weight.get(label, 1.0)) for label in classes.tolist()]
        factors = np.array([as_real(w, f"class_weight[{shown(k)}]", 0.0) for k, w in pairs])
    else:
        raise wrong_type("class_weight", "None, 'balanced' or a dict", class_weight)
    return factors
