# SPDX-License-Identifier: BSD-3-Clause
"""Scores of all candidates on all folds, and the table of them."""

from dataclasses import dataclass
from math import nan

import numpy as np

from statfast._estimator import NotShared, Scorer, parameters_key, take_rows, with_params
from statfast._validation import warn_user
from statfast.model_selection.scoring import Scores, asks_more
from statfast.model_selection.ways import (
    CLOSED,
    candidate_is_pairwise,
    fitted_folds,
    shares_statistics,
)

_LISTED = 1000  # folds up to which the scores of each are columns of the table


@dataclass
class Scored:
    """Scores (candidates, folds) by name, and the way they were found."""

    test: dict
    train: dict
    fit_times: np.ndarray  # (candidates, folds)
    score_times: np.ndarray
    path: str

    def table(self, candidates):
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


def _values_of(name, candidates):
    """The values of a parameter: numbers where all are, masked where a candidate has none."""
    listed = [params[name] for params in candidates if name in params]
    plain = all(isinstance(value, bool | int | float | np.number | np.bool_) for value in listed)
    column = np.ma.masked_all(len(candidates), np.array(listed).dtype if plain else object)
    for c, params in enumerate(candidates):
        if name in params:
            column[c] = params[name]
    return column


def scored_candidates(
    estimator, folds, candidates, scorers, error_score, with_train=False, weighted=True
):
    """Score all candidates on the same folds; `weighted` says whether weights count in scores."""
    if not with_train:
        found = _left_out(estimator, folds, candidates, scorers)
        if found is not None:
            return found
    n, k = len(candidates), len(folds.pairs)
    weights = folds.weights if weighted else None
    test = {name: np.full((n, k), nan) for name in scorers}
    train = {name: np.full((n, k), nan) for name in scorers} if with_train else {}
    fit_times, score_times, paths = np.zeros((n, k)), np.zeros((n, k)), []
    together, complete = Scores(scorers, error_score), with_train or asks_more(scorers)
    for group in _groups(estimator, candidates):
        scores = Scores(scorers, error_score, len(group))
        path, fits = fitted_folds(estimator, folds, [candidates[c] for c in group], complete)
        for fold, fitted in enumerate(fits):
            scores.add(folds, fold, fitted, weights, with_train)
        paths.append(path)
        fit_times[group], score_times[group] = scores.fit_times, scores.score_times
        for place, c in enumerate(group):
            for name in scorers:
                test[name][c] = scores.test[place][name]
                if with_train:
                    train[name][c] = scores.train[place][name]
        together.failures += scores.failures
        together.fits += scores.fits
    together.tell()
    path = paths[0] if len(set(paths)) == 1 else ", ".join(sorted(set(paths)))
    return Scored(test, train, fit_times, score_times, path)


def _groups(estimator, candidates):
    """Candidates that may share their work: those that take the same rows and are alike but in what
    is only solved for."""
    solved, groups = getattr(estimator, "_solve_parameters", None), {}
    by_values = solved is not None or shares_statistics(estimator)
    for c, params in enumerate(candidates):
        values = parameters_key(params, solved or ()) if by_values else ()
        groups.setdefault((candidate_is_pairwise(estimator, params), values), []).append(c)
    return list(groups.values())


def _left_out(estimator, folds, candidates, scorers):
    """All candidates by formulas of leave-one-out, or None."""
    rows = folds.singles()
    if (
        rows is None
        or folds.arguments
        or not all(isinstance(s, Scorer) and s.each for s in scorers.values())
    ):
        return None
    if getattr(estimator, "_leave_one_out", None) is None:
        return None
    several = getattr(estimator, "_leave_one_out_many", None)
    y = np.asarray(take_rows(folds.y, rows))
    if y.ndim != 1:
        return None
    try:
        answers = None
        if several is not None:
            answers = several(folds.X, folds.y, folds.weights, "predict", candidates)
        if answers is None:
            answers = [
                with_params(estimator, params)._leave_one_out(
                    folds.X, folds.y, folds.weights, "predict"
                )
                for params in candidates
            ]
    except (NotShared, ValueError) as error:  # a fit without one of the rows fails
        reason = error.__cause__ or error
        warn_user(f"Leave-one-out by refits, as a formula could not be used: {reason}")
        return None
    if any(said is None for said in answers):
        return None
    test = {
        name: np.array([s.each(y, said[rows], None) for said in answers])
        for name, s in scorers.items()
    }
    if folds.weights is not None:
        for values in test.values():
            values[:, folds.weights[rows] == 0.0] = nan
    times = np.zeros((len(candidates), 1))
    return Scored(test, {}, times, times, CLOSED)
