# SPDX-License-Identifier: BSD-3-Clause
"""Scores of all candidates on all folds, and the table of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from statfast._engine import count_steps
from statfast._estimator import Estimator, HeldOutAnswers, parameters_key
from statfast._typing import Array
from statfast.model_selection.evaluation.fold_strategies import FoldFits, candidate_is_pairwise
from statfast.model_selection.evaluation.scoring import Scores, methods_asked

_LISTED = 1000  # Up to so many folds, the scores of each fold are columns of the table.


@dataclass
class Scored:
    """Scores (candidates, folds) by name, and how the folds were fitted."""

    test: dict
    train: dict
    fit_times: np.ndarray  # (candidates, folds)
    score_times: np.ndarray
    strategy: str
    models: list  # The models of each fold, if they are asked for.

    @classmethod
    def joined(cls, rounds: list[Scored]) -> Scored:
        """Scores of the candidates of several rounds, one after the other."""
        first = rounds[0]

        def tables(kind: str) -> dict[str, Array]:
            named = [getattr(scored, kind) for scored in rounds]
            return {name: np.concatenate([s[name] for s in named]) for name in named[0]}

        fit_times, score_times = (
            np.concatenate([getattr(scored, f"{what}_times") for scored in rounds])
            for what in ("fit", "score")
        )
        ways = {way for scored in rounds for way in scored.strategy.split(", ")}
        strategy = ", ".join(sorted(ways))
        test, train = tables("test"), tables("train")
        return cls(test, train, fit_times, score_times, strategy, first.models)

    def table(self, candidates: list[Any]) -> dict[str, Any]:
        """scikit-learn's ``cv_results_``."""
        out = {}
        for what, times in (("fit", self.fit_times), ("score", self.score_times)):
            out[f"mean_{what}_time"] = times.mean(axis=1)
            out[f"std_{what}_time"] = times.std(axis=1)
        for name in sorted({key for params in candidates for key in params}):
            out[f"param_{name}"] = _values_of(name, candidates)
        out["params"] = candidates
        for kind, scores in (("test", self.test), ("train", self.train)):
            for name, values in scores.items():
                k = values.shape[1]
                for fold in range(k if k <= _LISTED else 0):
                    out[f"split{fold}_{kind}_{name}"] = values[:, fold]
                mean = out[f"mean_{kind}_{name}"] = values.mean(axis=1)
                out[f"std_{kind}_{name}"] = values.std(axis=1)
                if kind == "test":
                    ends = values.std(axis=1, ddof=1) / np.sqrt(k) if k > 1 else np.zeros(len(mean))
                    out[f"se_test_{name}"] = ends
                    filled = np.where(np.isnan(mean), -np.inf, mean)
                    above = (filled > filled[:, None]).sum(axis=1)
                    out[f"rank_test_{name}"] = (1 + above).astype(np.int32)
        return out


def _values_of(name: str, candidates: list[Any]) -> Array:
    """The values of a parameter: numbers where all are, masked where a candidate has none."""
    listed = [params[name] for params in candidates if name in params]
    plain = all(isinstance(value, bool | int | float | np.number | np.bool_) for value in listed)
    column = np.ma.masked_all(len(candidates), np.array(listed).dtype if plain else object)
    for c, params in enumerate(candidates):
        if name in params:
            column[c] = params[name]
    return column


def scored_candidates(
    estimator: Estimator,
    folds: Any,
    candidates: list[Any],
    scorers: dict[str, Any],
    error_score: float | str,
    *,
    with_train: bool = False,
    with_models: bool = False,
) -> Scored:
    """Score all candidates on the same folds."""
    n, k = len(candidates), len(folds)
    test = {name: np.full((n, k), nan) for name in scorers}
    train = {name: np.full((n, k), nan) for name in scorers} if with_train else {}
    fit_times, score_times, strategies = np.zeros((n, k)), np.zeros((n, k)), set()
    total, models = Scores(scorers, error_score), []
    methods = None if with_train or with_models else methods_asked(scorers, estimator)
    with count_steps(n * k) as step:
        for group in _groups(estimator, candidates):
            scores = Scores(scorers, error_score, len(group))
            fits = FoldFits(estimator, folds, [candidates[c] for c in group], methods, step)
            if not _left_out(scores, fits, folds):
                for fold, fitted in enumerate(fits):
                    scores.add(folds, fold, fitted, with_train)
                    if with_models:
                        models.append(fitted.models)
            strategies.add(fits.strategy)
            fit_times[group], score_times[group] = scores.fit_times, scores.score_times
            for place, c in enumerate(group):
                for name in scorers:
                    test[name][c] = scores.test[place][name]
                    if with_train:
                        train[name][c] = scores.train[place][name]
            total.failures += scores.failures
            total.fits += scores.fits
    total.warn()
    return Scored(test, train, fit_times, score_times, ", ".join(sorted(strategies)), models)


def _left_out(scores: Scores, fits: FoldFits, folds: Any) -> bool:
    """Whether the plan tells what each row, held out alone, is answered, and this is scored."""
    plan = fits.plan
    if not isinstance(plan, HeldOutAnswers):
        return False
    answers = plan.of_all_rows()
    if answers is None:
        return False
    added: bool = scores.add_left_out(folds, answers, plan.kind, fits.planning_seconds)
    return added


def _groups(estimator: Estimator, candidates: list[Any]) -> list[list[int]]:
    """Candidates that may share their work: those that take the same rows and are alike but in what
    is only solved for."""
    alike = estimator._solve_parameters if isinstance(estimator, Estimator) else None
    groups: dict[Any, Any] = {}
    for c, params in enumerate(candidates):
        values = () if alike is None else parameters_key(params, alike)
        groups.setdefault((candidate_is_pairwise(estimator, params), values), []).append(c)
    return list(groups.values())
