# SPDX-License-Identifier: BSD-3-Clause
"""What both conformal models check and do: the estimator, the held-out rows, and their groups."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from statfast._estimator import (
    Check,
    Folds,
    RankRule,
    as_square,
    columns_of,
    copied,
    count_rows,
    is_pairwise,
    real,
    rows_needed,
    take_rows,
    takes_weights,
)
from statfast._typing import Array, Weights
from statfast._validation import (
    as_choice,
    as_estimator,
    as_weights,
    shown,
    to_array,
    warn_user,
)
from statfast.model_selection.evaluation.fold_strategies import FoldFits
from statfast.model_selection.evaluation.scoring import as_plan
from statfast.model_selection.evaluation.validate import require_partition

PREFIT = "prefit"
CALIBRATION_SHARE = 0.25  # of the rows, where none is asked for
LEVEL: Check = real(0.0, 1.0, open_low=True, open_high=True)


@dataclass(frozen=True)
class RowsOfFit:
    """Checked rows of weight, targets or codes of labels, and what goes with each."""

    X: Any
    y: Array
    weights: Array | None
    categories: Array | None
    places: Array  # (n,) among all rows of the fit, which are columns of values between rows

    def __len__(self) -> int:
        return len(self.y)

    def take(self, places: Array) -> RowsOfFit:
        """Some of the rows."""
        X, y, weights, categories = (
            take_rows(part, places) for part in (self.X, self.y, self.weights, self.categories)
        )
        return RowsOfFit(X, y, weights, categories, self.places[places])


def as_categories(categories: Any, n: int) -> Array | None:
    """The category of each row, an array; None is None."""
    if categories is None:
        return None
    values = to_array(categories, "categories", "an array-like, a value for each row")
    if values.ndim != 1 or len(values) != n:
        raise ValueError(
            f"categories must hold one value for each of the {n} rows; got an array of shape "
            f"{values.shape}."
        )
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError("categories must not be NaN. Give rows without one a category of theirs.")
    return values.astype(str) if values.dtype == object else values


def rows_of_fit(
    owner: Any, estimator: Any, X: Any, y: Array, weights: Array | None, categories: Any
) -> RowsOfFit:
    """The rows of a fit of the conformal model `owner`, with the estimator in it."""
    if is_pairwise(estimator):
        X = as_square(X, owner)
    n = len(y)
    return RowsOfFit(X, y, weights, as_categories(categories, n), np.arange(n))


def whole_fit(estimator: Any, rows: RowsOfFit, y: Array) -> FoldModel:
    """A copy that is fitted to rows; `y` are what is fitted."""
    seen = rows.places if is_pairwise(estimator) else None
    return FoldModel(fitted_member(estimator, columns_of(rows.X, seen), y, rows.weights), seen)


def with_weight(rows: RowsOfFit) -> tuple[RowsOfFit, Array | None]:
    """The rows of weight, and their places; None for all."""
    if rows.weights is None or rows.weights.all():
        return rows, None
    kept = np.flatnonzero(rows.weights)
    return rows.take(kept), kept


def as_member(estimator: Any, default: Any, method: str) -> Any:
    """The estimator, or a model that stands for none."""
    member = default() if estimator is None else as_estimator(estimator)
    return as_estimator(member, method=method)


def fitted_member(estimator: Any, X: Any, y: Array, weights: Array | None) -> Any:
    """A copy that is fitted to rows."""
    model = copied(estimator)
    if weights is not None and takes_weights(model):
        return model.fit(X, y, sample_weight=weights)
    return model.fit(X, y)


def warn_unweighted(estimator: Any, weights: Array | None) -> None:
    """Say so where an estimator does not take the weights."""
    if weights is not None and not takes_weights(estimator):
        warn_user(
            f"{type(estimator).__name__}.fit does not take sample_weight, which is used for the "
            "held-out rows alone."
        )


def split_rows(cv: Any, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Places of the rows that are fitted, and of those that are held out, drawn at random."""
    share = CALIBRATION_SHARE if cv is None else cv
    if not isinstance(share, Real) or isinstance(share, bool | int | np.integer):
        raise TypeError(
            "cv must be a share of the rows, such as 0.25, or 'prefit' with a method that holds "
            f"rows out once; got {shown(cv)}. Choose method='cv+' for folds."
        )
    share = real(0.0, 1.0, open_low=True, open_high=True)(share, "cv")
    if n < 2:
        raise ValueError(f"X must have at least 2 rows to hold some out; got {n}. Pass more rows.")
    order = rng.permutation(n)
    held = min(int(np.ceil(share * n)), n - 1)
    return np.sort(order[held:]), np.sort(order[:held])


def split_member(
    estimator: Any, rows: RowsOfFit, y: Array, cv: Any, rng: np.random.Generator
) -> tuple[FoldModel, RowsOfFit, Array]:
    """A copy that is fitted to some rows, the others, and their places; `y` are what is fitted."""
    train, test = split_rows(cv, len(rows), rng)
    return whole_fit(estimator, rows.take(train), y[train]), rows.take(test), test


def is_prefit(cv: Any) -> bool:
    """Whether the estimator is fitted already."""
    return isinstance(cv, str) and as_choice(cv, "cv", (PREFIT,)) == PREFIT


@dataclass(frozen=True)
class FoldModel:
    """The model of a fold; `seen` are the columns it asks for, of values between rows."""

    model: Any
    seen: Array | None

    def answers(self, rows: Any, method: str) -> Array:
        """What a method says of rows."""
        return np.asarray(getattr(self.model, method)(columns_of(rows, self.seen)))


def models_of_folds(
    estimator: Any, rows: RowsOfFit, y: Array, cv: Any
) -> tuple[list[FoldModel], list[Array], str]:
    """The models of folds, the rows of weight that each holds out, and how they were fitted.

    Folds are those of all rows; `y` are targets or labels. Rows that are held out are counted among
    those of weight.
    """
    folds = as_plan(estimator, rows.X, y, cv, None, None)
    require_partition(folds, "A conformal model")
    rows, kept = with_weight(rows)
    pairs = folds.pairs
    if kept is not None:
        place = np.full(folds.n, -1)
        place[kept] = np.arange(len(kept))
        places = [
            (None if train is None else place[train], place[test]) for train, test in folds.pairs
        ]
        pairs = [
            (None if train is None else train[train >= 0], test[test >= 0])
            for train, test in places
            if (test >= 0).any()
        ]
    weights = rows.weights if takes_weights(estimator) else None
    pairwise = is_pairwise(estimator)
    X = columns_of(rows.X, rows.places) if pairwise else rows.X
    folds = Folds(X, take_rows(y, kept), weights, len(rows), pairs)
    fits = FoldFits(estimator, folds)
    models = []
    for k, fold in enumerate(fits):
        models.append(
            FoldModel(fold.only_model(), rows.places[folds.train(k)] if pairwise else None)
        )
    return models, [test for _, test in folds.pairs], fits.strategy


# ------------------------------------------------------------------ what is asked of new points
@dataclass(frozen=True)
class Question:
    """Checked arguments of a call: the level, and what belongs to each of m new points."""

    level: float
    weights: Array | None
    categories: Array | None
    m: int


def as_question(
    model: Any, level: float | None, sample_weight: Weights, categories: Any, rows: Any
) -> Question:
    """Check the arguments of a call of a fitted model."""
    m = count_rows(rows)
    level = LEVEL(model.level if level is None else level, "level")
    known = model._held_rows.categories is not None
    if known and categories is None:
        raise ValueError("categories must be given, as at fit: a value for each row.")
    if not known and categories is not None:
        raise ValueError("categories were not given at fit. Leave them out, or fit with them.")
    return Question(level, as_weights(sample_weight, m), as_categories(categories, m), m)


def parts_of_question(
    question: Question, held: Array | None, weights: Array | None
) -> list[tuple[Array | None, Array | None, RankRule]]:
    """Points and held-out rows of each category, None for all, and the rule for them.

    `held` are the categories of the held-out rows.
    """
    if held is None or question.categories is None:
        return [(None, None, RankRule(question.level, weights, question.weights))]
    parts: list[tuple[Array | None, Array | None, RankRule]] = []
    for category in np.unique(question.categories):
        points = np.flatnonzero(question.categories == category)
        rows = np.flatnonzero(held == category)
        rule = RankRule(
            question.level, take_rows(weights, rows), take_rows(question.weights, points)
        )
        parts.append((points, rows, rule))
    return parts


def warn_unbounded(level: float, n: int, answer: str, place: str = "") -> None:
    """Say that there are too few held-out rows for a level, and how many it takes."""
    need = rows_needed(level)
    if n < need:
        warn_user(
            f"level={level:g} needs at least {need} held-out rows{place}; there are {n}: {answer}. "
            "Lower level, or hold out more rows."
        )
    else:
        warn_user(
            f"sample_weight of some points is so large beside that of the held-out rows{place} "
            f"that level={level:g} is not reached: {answer}. Lower level."
        )
