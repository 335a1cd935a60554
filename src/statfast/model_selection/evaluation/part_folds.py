# SPDX-License-Identifier: BSD-3-Clause
"""Cross-validation of rows in parts, of estimators whose fit is a sum.

Four rounds for any number of folds: a first one, the rows of each class in each part, the
statistics of all folds, and the scores of the rows held out by the models of their folds. The rows
of a fold are those of rows in memory: `KFold` and `StratifiedKFold` deal rows out by their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np

from statfast._engine import Stacked, Work, as_parts, end_fits, has_weight, rows_at
from statfast._estimator import (
    MERGED,
    SumFit,
    accuracy_sums,
    codes_among,
    copied,
    prepared_parts,
    r2_sums,
    require_finite_sums,
    require_sizes,
    shares_of_folds,
    statistics_of_part,
    sums_of_folds,
    without_row_attributes,
)
from statfast._typing import Array, Jobs, Weights
from statfast._validation import as_count, as_labels, as_weights, shown
from statfast.model_selection.evaluation.scoring import FoldScores, as_scorers, classifies
from statfast.model_selection.splitting.partitions import KFold, StratifiedKFold

# Scores that are means over rows, so that those of parts add up.
MEANS = (
    "accuracy", "neg_log_loss", "neg_brier_score", "neg_mean_squared_error",
    "neg_mean_absolute_error", "neg_mean_squared_log_error", "neg_mean_absolute_percentage_error",
    "neg_mean_poisson_deviance", "neg_mean_gamma_deviance",
)  # fmt: skip
ROOTS = {"neg_root_mean_squared_error": "neg_mean_squared_error"}


def validated_parts(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: Jobs = None,
    params: Any = None,
    sample_weight: Weights | None = None,
    return_train_score: bool = False,
    return_estimator: bool = False,
    return_indices: bool = False,
) -> Any:
    """`cross_validate` of rows in parts: what it returns."""
    unsupported = {
        "groups": groups, "n_jobs": n_jobs, "params": params,
        "return_train_score": return_train_score or None, "return_indices": return_indices or None,
    }  # fmt: skip
    for name, value in unsupported.items():
        if value is not None:
            raise ValueError(
                f"{name} is for rows in memory; got it with rows in parts. Leave it out."
            )
    model = copied(estimator)
    if not isinstance(model, SumFit) or not model._adds_up():
        raise TypeError(
            f"Cross-validation of rows in parts is of estimators whose fit is a sum; got "
            f"{type(model).__name__}. Pass a sample in memory."
        )
    scores = {name: _as_score(value, model) for name, value in _named(scoring, model).items()}
    parts = as_parts(X, y, sample_weight)
    try:
        start = perf_counter()
        models, rows_of_folds = _fit_folds(model, parts, cv)
        middle = perf_counter()
        scored = parts.total(
            Work(_scored, numbered=True),
            (
                [without_row_attributes(fitted) for fitted in models],
                rows_of_folds,
                [*scores.values()],
            ),
        )
        end, k = perf_counter(), len(models)
    finally:
        end_fits(parts)
    times = {"fit_time": (middle - start) / k, "score_time": (end - middle) / k}
    out = FoldScores({name: np.full(k, time) for name, time in times.items()}, MERGED)
    for number, (name, score) in enumerate(scores.items()):
        out[f"test_{name}"] = np.array([score.end(fold.sums[number]) for fold in scored.sums])
    if return_estimator:
        out["estimator"] = models
    return out


def _fit_folds(model: Any, parts: Any, cv: Any) -> Any:
    """The models of the folds, and which rows belong to each."""
    first, state, layout = prepared_parts(model, parts)
    k, by_class = _splits(cv, model)
    classes = np.sort(np.array([*first.classes])) if by_class else None
    counts = parts.total(Work(_counted, empty=True), classes).rows
    sizes = counts.sum(axis=0)
    if classes is None:
        as_count(k, "cv", 2, sizes[0], limit="the number of rows")
        order = np.zeros(1, np.intp)
    else:
        require_sizes(sizes, k)
        # The classes in the order of their first rows.
        place = [first.classes[label] for label in classes.tolist()]
        order = np.argsort(place)
    shares = shares_of_folds(sizes[order], k)[:, np.argsort(order)]
    shares = shares[shares.sum(axis=1) > 0]
    rows_of_folds = _RowsOfFolds(
        classes, np.cumsum(shares, axis=0), np.cumsum(counts, axis=0) - counts
    )
    merged = parts.total(Work(_summed, numbered=True), (model, state, layout, rows_of_folds))
    models = []
    for number, of_fit in enumerate(sums_of_folds(_require_weight(merged), len(shares))):
        if of_fit is None:
            raise ValueError(f"No row has a positive weight besides those of fold {number}.")
        require_finite_sums(of_fit, parts)
        models.append(copied(model)._solve(of_fit, state))
    return models, rows_of_folds


def _require_weight(merged: Any) -> Any:
    """Statistics of the folds, none of which may lack weight."""
    sums = [None] if merged is None else merged.sums
    empty = [number for number, of_fold in enumerate(sums) if of_fold is None]
    if empty:
        raise ValueError(
            f"sample_weight is zero for all rows of fold {empty[0]}. Pass fewer folds in cv."
        )
    return sums


def _splits(cv: Any, model: Any) -> Any:
    """The number of folds, and whether each has its share of each class."""
    if cv is None or (isinstance(cv, int | np.integer) and not isinstance(cv, bool)):
        by_class, k = classifies(model), 5 if cv is None else cv
    elif type(cv) in (KFold, StratifiedKFold) and not cv.shuffle:
        by_class, k = type(cv) is StratifiedKFold, cv.n_splits
    else:
        raise ValueError(
            f"cv must be an integer, KFold or StratifiedKFold without shuffling for rows in parts; "
            f"got {shown(cv)}. Pass an integer."
        )
    return as_count(k, "cv", 2), by_class


def _named(scoring: Any, model: Any) -> Any:
    """Names of the scores that are asked for; None is the estimator's own."""
    as_scorers(scoring, model)  # Refuses what is not a scorer.
    if isinstance(scoring, list | tuple | set):
        return {name: name for name in scoring}
    return scoring if isinstance(scoring, dict) else {"score": scoring}


def _as_score(name: str, model: Any) -> Any:
    if name is None and getattr(model, "_estimator_type", None) in ("classifier", "regressor"):
        name = "accuracy" if classifies(model) else "r2"
    if name != "r2" and name not in MEANS and name not in ROOTS:
        raise ValueError(
            f"scoring must be one of {', '.join(('r2', *MEANS, *ROOTS))} for rows in parts; got "
            f"{shown(name)}."
        )
    return _Score(name)


@dataclass(frozen=True)
class _Score:
    """A score by its name: sums of rows, and what they come to."""

    name: str

    def sums(self, columns: Any, model: Any) -> Any:
        if self.name == "r2":
            return r2_sums(columns, model)
        if self.name == "accuracy":
            return accuracy_sums(columns, model)
        X, y, weights = columns
        (scorer,) = as_scorers(ROOTS.get(self.name, self.name), model).values()
        weights = as_weights(weights, len(X))
        total_weight = float(len(X)) if weights is None else float(weights.sum())
        return np.array([total_weight * scorer(model, X, y, sample_weight=weights), total_weight])

    def end(self, sums: Any) -> Any:
        if self.name == "r2":
            return sums.explained()
        mean = float(sums[0] / sums[1])
        return -float(np.sqrt(-mean)) if self.name in ROOTS else mean


# ------------------------------------------------------------------ works


@dataclass(frozen=True)
class _RowsOfFolds:
    """How rows are dealt out: those of a class in their order, so many to each fold."""

    classes: Any  # None where all rows are of one
    ends: np.ndarray  # (folds, K): rows of a class up to a fold's last
    before: np.ndarray  # (parts, K): rows of a class in the parts before

    def places(self, columns: Any, number: Any) -> Any:
        """The rows of each fold in a part: slices or indices."""
        n = len(columns[0])
        codes = _codes(columns, self.classes)
        folds = np.empty(n, np.intp)
        for c, first in enumerate(self.before[number]):
            members = np.flatnonzero(codes == c)
            rank = first + np.arange(len(members))
            folds[members] = np.searchsorted(self.ends[:, c], rank, "right")
        if (np.diff(folds) >= 0).all():
            cuts = np.searchsorted(folds, np.arange(len(self.ends) + 1))
            return [slice(a, b) for a, b in pairwise(cuts)]
        return [np.flatnonzero(folds == k) for k in range(len(self.ends))]


def _codes(columns: Any, classes: Any) -> Any:
    if classes is None:
        return np.zeros(len(columns[0]), np.intp)
    return codes_among(classes, *as_labels(columns[1], len(columns[0])))


def _counted(columns: Any, classes: Any) -> Any:
    k = 1 if classes is None else len(classes)
    if not len(columns[0]):
        return Stacked(np.zeros((1, k), np.intp))
    return Stacked(np.bincount(_codes(columns, classes), minlength=k)[None])


@dataclass(frozen=True)
class _Folds:
    """Sums of each fold, or None; or of each score of a fold."""

    sums: list

    def __add__(self, other: _Folds) -> _Folds:
        return _Folds([_both(*pair) for pair in zip(self.sums, other.sums, strict=True)])


def _both(a: Any, b: Array) -> Any:
    if a is None or b is None:
        return b if a is None else a
    return a + b


def _of_folds(columns: Any, rows_of_folds: Any, number: Any) -> Iterator[Any]:
    """The columns of a part for each fold, or None without weight."""
    for places in rows_of_folds.places(columns, number):
        fold_columns = tuple(rows_at(column, places) for column in columns)
        yield fold_columns if len(fold_columns[0]) and has_weight(fold_columns[2]) else None


def _summed(columns: Any, sent_state: Any, number: Any) -> Any:
    model, state, layout, rows_of_folds = sent_state
    every = _of_folds(columns, rows_of_folds, number)
    return _Folds([rows and statistics_of_part(rows, (model, state, layout)) for rows in every])


def _scored(columns: Any, sent_state: Any, number: Any) -> Any:
    models, rows_of_folds, scores = sent_state
    pairs = zip(_of_folds(columns, rows_of_folds, number), models, strict=True)
    return _Folds([
        rows and _Folds([score.sums(rows, model) for score in scores]) for rows, model in pairs
    ])  # fmt: skip
