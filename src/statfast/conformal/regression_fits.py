# SPDX-License-Identifier: BSD-3-Clause
"""Fits that give intervals: those without a row or a fold, by members of a bootstrap, or quantiles.

Of each held-out row i, with the fit m without it, the interval of a new point x is m(x) minus and
plus the error of row i; ends of the conformal interval have a rank among those of all rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from statfast._engine import checkpoint
from statfast._estimator import (
    Estimator,
    LeftOutFits,
    ProductFits,
    RankRule,
    columns_of,
    conformal_ends,
    copied,
    count_rows,
    is_pairwise,
    take_rows,
)
from statfast._typing import Array, Jobs
from statfast._validation import refuse_large, shown, warn_user
from statfast.conformal.held_out_rows import (
    FoldModel,
    RowsOfFit,
    fitted_member,
    models_of_folds,
    whole_fit,
    with_weight,
)
from statfast.model_selection.evaluation.fold_strategies import overrides_fit_or_answers
from statfast.model_selection.splitting.leaving_out import LeaveOneOut


def as_predictions(values: Any, m: int) -> Array:
    """One prediction of each of m points."""
    values = np.asarray(values, dtype=np.float64)
    if values.shape not in ((m,), (m, 1)):
        raise ValueError(
            f"estimator must predict one number for each row; got an array of shape {values.shape}."
        )
    return values.reshape(m)


# ------------------------------------------------------------------ folds
@dataclass(frozen=True)
class FitsOfFolds:
    """Models of folds, each of which holds out some of the rows."""

    models: list[FoldModel]
    answers: Array
    fit_of_row: Array

    def predict(self, rows: Any) -> Array:
        """What each model predicts of rows, (b, models)."""
        m = count_rows(rows)
        return np.column_stack([as_predictions(f.answers(rows, "predict"), m) for f in self.models])

    def ends(
        self, rows: Any, errors: Array, rule: RankRule, of_rows: Array | None, n_jobs: Jobs
    ) -> Array:
        fits = self.fit_of_row if of_rows is None else self.fit_of_row[of_rows]
        predicted = self.predict(rows)

        def bounds(where: slice) -> tuple[Array, Array]:
            answers = predicted[where][:, fits]
            return answers - errors, answers + errors

        return conformal_ends(bounds, len(predicted), len(errors), rule, n_jobs)


def fits_of_folds(estimator: Any, rows: RowsOfFit, cv: Any) -> tuple[FitsOfFolds, str]:
    """The fits without each fold, and how they were made."""
    models, tests, strategy = models_of_folds(estimator, rows, rows.y, cv)
    rows, _ = with_weight(rows)
    answers, fit_of_row = np.empty(len(rows)), np.empty(len(rows), dtype=np.intp)
    for k, (model, test) in enumerate(zip(models, tests, strict=True)):
        held = model.answers(take_rows(rows.X, test), "predict")
        answers[test], fit_of_row[test] = as_predictions(held, len(test)), k
        checkpoint()
    return FitsOfFolds(models, answers, fit_of_row), strategy


def fits_without_rows(
    estimator: Any, rows: RowsOfFit
) -> tuple[FoldModel, LeftOutFits | FitsOfFolds, str]:
    """The fit to all rows, and those without each: by a closed form where there is one, else one by
    one."""
    if not isinstance(estimator, Estimator) or overrides_fit_or_answers(estimator):
        return whole_fit(estimator, rows, rows.y), *fits_of_folds(estimator, rows, LeaveOneOut())
    storing, params = copied(estimator), estimator.get_params(deep=False)
    kept = {name: params[name] for name in ("store_left_out",) if name in params}
    whole = whole_fit(storing.set_params(**dict.fromkeys(kept, True)), rows, rows.y)
    whole.model.set_params(**kept)
    fits = whole.model._left_out_fits()
    if fits is not None:
        return whole, fits, "closed form"
    return whole, *fits_of_folds(estimator, rows, LeaveOneOut())


# ------------------------------------------------------------------ bootstraps
@dataclass(frozen=True)
class BootstrapFits(ProductFits):
    """For each row the mean of the members of a fitted ensemble that have not seen it.

    It is that of all members and a product of what these differ by from it.
    """

    ensemble: Any
    unseen: Array  # (members, n)
    answers: Array

    @cached_property
    def row_scores(self) -> Array:
        """(n, members)"""
        count = self.unseen.sum(axis=0)
        return self.unseen.T / np.where(count > 0, count, 1)[:, None] - 1.0 / len(self.unseen)

    @cached_property
    def factors(self) -> Array:
        """(n,)"""
        return np.full(self.unseen.shape[1], -1.0)

    def project(self, rows: Any) -> tuple[Array, Array]:
        members = answers_of_members(self.ensemble, rows)
        means = members.mean(axis=1)
        return means, members - means[:, None]


def answers_of_members(ensemble: Any, rows: Any) -> Array:
    """What each member predicts of rows, (b, members)."""
    if isinstance(ensemble, Estimator):
        answers = ensemble._answers_of_members(rows)
        if answers is not None:
            return answers
    members = ensemble.estimators_
    columns = getattr(ensemble, "estimators_features_", [None] * len(members))
    m = count_rows(rows)
    return np.column_stack([
        as_predictions(member.predict(columns_of(rows, seen)), m)
        for member, seen in zip(members, columns, strict=True)
    ])  # fmt: skip


def fits_of_bootstrap(ensemble: Any, rows: RowsOfFit) -> BootstrapFits:
    """The fits by members that have not seen a row, of an ensemble that was fitted to the rows."""
    drawn = getattr(ensemble, "estimators_samples_", None)
    if drawn is None or not hasattr(ensemble, "estimators_") or is_pairwise(ensemble):
        raise TypeError(
            "method='jackknife+ab' needs an ensemble that knows the rows of its members, such as "
            f"a forest or BaggingRegressor; got {shown(ensemble)}. Wrap it in BaggingRegressor."
        )
    n = len(rows)
    refuse_large(9 * n * len(drawn), "The rows that members have not seen", "Fit fewer members.")
    unseen = np.ones((len(drawn), n), dtype=bool)
    for mark, places in zip(unseen, drawn, strict=True):
        if len(places) and max(places) >= n:
            raise ValueError(
                f"X must hold the rows that the ensemble was fitted to; got {n} rows, fewer than "
                "those. Pass these."
            )
        mark[places] = False
    seen_by_all = ~unseen.any(axis=0)
    if seen_by_all.any():
        warn_user(
            f"{seen_by_all.sum()} of {n} rows are in the samples of all members: their errors "
            "count as infinite. Raise n_estimators, or let samples be drawn (bootstrap=True)."
        )
    answers = np.full(n, np.nan)
    fits = BootstrapFits(ensemble, unseen, answers)
    step = max(1, (1 << 20) // len(drawn))
    for start in range(0, n, step):
        where = np.arange(start, min(start + step, n))
        means, scores = fits.project(take_rows(rows.X, where))
        answers[where] = means + np.einsum("bt,bt->b", scores, fits.row_scores[where])
        checkpoint()
    answers[seen_by_all] = np.nan
    return fits


# ------------------------------------------------------------------ quantiles
@dataclass(frozen=True)
class QuantileFits:
    """Lower and upper quantiles: a model for each, or one that gives all."""

    low: Any
    high: Any
    middle: Any

    def quantiles(self, rows: Any, level: float) -> tuple[Array, Array]:
        """Both quantiles of points, the lower not above the upper."""
        m = count_rows(rows)
        if self.high is None:
            pair = np.asarray(self.low.predict_quantiles(rows, tails(level)), dtype=np.float64)
            low, high = pair[:, 0], pair[:, 1]
        else:
            low, high = (as_predictions(f.predict(rows), m) for f in (self.low, self.high))
        return np.minimum(low, high), np.maximum(low, high)

    def predict(self, rows: Any) -> Array:
        """The median, or what the one model predicts."""
        return as_predictions((self.middle or self.low).predict(rows), count_rows(rows))


def tails(level: float) -> list[float]:
    """The quantiles that leave out half of what is beyond a level on each side."""
    return [(1.0 - level) / 2.0, 1.0 - (1.0 - level) / 2.0]


def quantile_fits(estimator: Any, rows: RowsOfFit, level: float) -> QuantileFits:
    """Models of quantiles, fitted to rows."""
    if hasattr(estimator, "predict_quantiles"):
        model = copied(estimator)
        if "store_leaves" in model.get_params(deep=False):
            model.set_params(store_leaves=True)
        return QuantileFits(fitted_member(model, rows.X, rows.y, rows.weights), None, None)
    known = estimator.get_params(deep=False) if hasattr(estimator, "get_params") else {}
    names = [name for name in ("quantile", "alpha") if name in known]
    if not names or (names == ["alpha"] and known.get("loss") != "quantile"):
        raise TypeError(
            "method='cqr' needs an estimator of quantiles, such as "
            "HistGradientBoostingRegressor(loss='quantile', quantile=0.5) or "
            f"RandomForestRegressor(); got {shown(estimator)}. Choose another method or estimator."
        )
    settings = {"loss": "quantile"} if "loss" in known else {}
    models = [
        fitted_member(copied(estimator).set_params(**settings, **{names[0]: q}), rows.X, rows.y,
                      rows.weights)
        for q in (*tails(level), 0.5)
    ]  # fmt: skip
    return QuantileFits(*models)
