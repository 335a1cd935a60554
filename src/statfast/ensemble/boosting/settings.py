# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of gradient boosting, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import (
    as_choice,
    as_count,
    as_real,
    shown,
    wrong_type,
)
from statfast.ensemble.boosting.rounds import GrowthRules
from statfast.metrics import get_scorer


@dataclass(frozen=True)
class StoppingRules:
    """The rules of early stopping."""

    scoring: object  # "loss", None, a name, or a callable of (estimator, X, y)
    fraction: float | int | None  # of the rows, or their number, that is held out
    patience: int
    tol: float


def growth_rules(
    model: Any, mask: Any, width: int, names: Array | None, single: bool
) -> GrowthRules:
    """The rules of a tree, from the parameters of the estimator.

    Parameters
    ----------
    model : estimator
    mask : ndarray of bool, shape (width,), or None
        Categorical columns.
    width : int
    names : ndarray of str, or None
    single : bool
        Whether there is one raw prediction, so that monotone constraints have a meaning.
    """
    leaves = model.max_leaf_nodes
    depth = model.max_depth
    categorical = np.zeros(width, np.uint8) if mask is None else mask.astype(np.uint8)
    return GrowthRules(
        learning_rate=model._checked_value("learning_rate"),
        max_leaf_nodes=0 if leaves is None else model._checked_value("max_leaf_nodes"),
        max_depth=0 if depth is None else model._checked_value("max_depth"),
        min_samples_leaf=model._checked_value("min_samples_leaf"),
        l2=model._checked_value("l2_regularization"),
        fraction=model._checked_value("max_features"),
        monotone=_monotone(model.monotonic_cst, width, names, categorical, single),
        groups=_groups(model.interaction_cst, width),
        categorical=categorical,
    )


def stopping_rules(model: Any, n: int) -> StoppingRules | None:
    """The rules of early stopping, or None if there is none."""
    early_stopping = model.early_stopping
    if isinstance(early_stopping, str):
        as_choice(early_stopping, "early_stopping", ("auto",))
        early_stopping = n > 10_000
    elif not isinstance(early_stopping, bool | np.bool_):
        raise wrong_type("early_stopping", "'auto', True or False", early_stopping)
    fraction = model.validation_fraction
    if isinstance(fraction, Integral) and not isinstance(fraction, bool):
        fraction = as_count(fraction, "validation_fraction")
    elif fraction is not None:
        fraction = as_real(fraction, "validation_fraction", 0.0, 1.0, open_low=True, open_high=True)
    scoring = model.scoring
    if not (scoring is None or callable(scoring) or isinstance(scoring, str)):
        raise wrong_type("scoring", "'loss', the name of a score, None or a callable", scoring)
    if isinstance(scoring, str) and scoring != "loss":
        get_scorer(scoring)
    rules = StoppingRules(
        scoring=scoring,
        fraction=fraction,
        patience=model._checked_value("n_iter_no_change"),
        tol=model._checked_value("tol"),
    )
    return rules if early_stopping else None


def checked_rounds_and_bins(model: Any) -> tuple[int, int]:
    """Check all parameters; returns ``max_iter`` and ``max_bins``."""
    params = model._checked()
    return params.max_iter, params.max_bins


def _monotone(
    monotonic_cst: int | list[int] | None,
    width: int,
    names: Array | None,
    categorical: Array,
    single: bool,
) -> Array | None:
    if monotonic_cst is None:
        return None
    if isinstance(monotonic_cst, Mapping):
        if names is None:
            raise ValueError(
                "monotonic_cst names columns, but X has no names. Pass a data frame, or a list "
                "with one constraint for each column."
            )
        unknown = sorted(set(map(str, monotonic_cst)) - set(names.tolist()))
        if unknown:
            raise ValueError(
                f"monotonic_cst names {shown(unknown[0])}, which is not a column of X. Drop it."
            )
        monotonic_cst = [monotonic_cst.get(name, 0) for name in names.tolist()]
    try:
        signs = np.asarray(monotonic_cst)
        signs = signs if signs.dtype.kind in "biuf" else np.empty((0, 0))
    except ValueError:
        signs = np.empty((0, 0))
    if signs.shape != (width,):
        raise ValueError(
            f"monotonic_cst must have one of -1, 0 and 1 for each column of X ({width}); got "
            f"{shown(monotonic_cst)}."
        )
    if not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(f"monotonic_cst must be -1, 0 or 1; got {shown(signs.tolist())}.")
    if not signs.any():
        return None
    if not single:
        raise ValueError(
            "monotonic_cst is not supported for more than two classes: it holds for the "
            "probability of the second of two. Set it to None."
        )
    if (signs.astype(bool) & categorical.astype(bool)).any():
        raise ValueError("monotonic_cst must be 0 for categorical columns, which have no order.")
    return signs.astype(np.int8)


def _groups(interaction_cst, width):
    """Groups of columns that may meet on a path, as rows of flags; the rest is one more group."""
    if interaction_cst is None:
        return None
    if isinstance(interaction_cst, str):
        as_choice(interaction_cst, "interaction_cst", ("pairwise", "no_interactions"))
        if width == 1:
            return None
        size = 2 if interaction_cst == "pairwise" else 1
        interaction_cst = list(combinations(range(width), size))
    wanted = (
        f"None, 'pairwise', 'no_interactions' or groups of columns by number (0 to {width - 1})"
    )
    try:
        sets = [set(group) for group in interaction_cst]
    except TypeError as error:
        raise wrong_type("interaction_cst", wanted, interaction_cst) from error
    flags = np.zeros((len(sets) + 1, width), np.uint8)
    for row, group in zip(flags, sets, strict=False):
        for column in group:
            if isinstance(column, bool) or not isinstance(column, Integral):
                raise wrong_type("interaction_cst", wanted, interaction_cst)
            if not 0 <= column < width:
                raise ValueError(f"interaction_cst must be {wanted}; got column {column}.")
            row[column] = 1
    if not sets:
        raise ValueError(f"interaction_cst must be {wanted}; got no group. Pass None for none.")
    flags[-1] = 1 - flags.max(axis=0)
    return flags[flags.any(axis=1)]
