# SPDX-License-Identifier: BSD-3-Clause
"""Successive halving: many candidates on few resources, and the best of them on more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, floor, log
from typing import Any, Literal

import numpy as np

from statfast._estimator import (
    by_fit,
    checked_by,
    count,
    fitted,
    flag,
    one_of,
    param,
    randomness,
    real,
    removed,
)
from statfast._typing import Array, Seed
from statfast._validation import MAX_REPEATS, as_count, shown
from statfast.model_selection.evaluation.candidate_scores import Scored
from statfast.model_selection.evaluation.scoring import classifies, known_classes
from statfast.model_selection.search.grids import ParameterSampler, all_candidates
from statfast.model_selection.search.search import Evaluated, ParameterSearch
from statfast.model_selection.splitting.splitter import as_shuffler

ROWS = "n_samples"  # The resource that is not a parameter of the estimator.


def as_resource(resource: Any, name: str = "resource") -> str:
    if not isinstance(resource, str):
        raise TypeError(
            f"{name} must be 'n_samples' or the name of a parameter; got {shown(resource)}."
        )
    return resource


@dataclass(frozen=True)
class Schedule:
    """How many candidates are tried in each iteration, and on how much."""

    n_candidates: int
    factor: float
    min_resources: int  # of the first iteration
    max_resources: int
    n_required: int  # iterations that leave at most `factor` candidates at the end
    n_possible: int  # iterations from the least to the most resources
    aggressive: bool

    @classmethod
    def planned(
        cls, n_candidates: int, factor: float, least: int, most: int, exhaust: bool,
        aggressive: bool,
    ) -> Schedule:  # fmt: skip
        """The schedule; `exhaust` raises the least resources so that the last iteration has all
        that there are."""
        required = 1 + floor(log(n_candidates, factor))
        if exhaust:
            least = max(least, int(most // factor ** (required - 1)))
        possible = 1 + floor(log(most // least, factor))
        return cls(n_candidates, factor, least, most, required, possible, aggressive)

    @property
    def n_iterations(self) -> int:
        return self.n_required if self.aggressive else min(self.n_possible, self.n_required)

    def resources(self, iteration: int) -> int:
        """Resources of each candidate; those of the first iterations are the least for as long as
        more iterations are wanted than are possible."""
        power = iteration
        if self.aggressive:
            power = max(0, iteration - self.n_required + self.n_possible)
        return min(int(self.factor**power * self.min_resources), self.max_resources)

    def kept(self, n_candidates: int) -> int:
        """How many candidates go on to the next iteration."""
        return ceil(n_candidates / self.factor)


class HalvingSearch(ParameterSearch):
    """What the searches by successive halving share."""

    factor: float = param(real(1, open_low=True), default=3)
    resource: str = param(checked_by(as_resource, ROWS), default=ROWS)
    max_resources: int | Literal["auto"] = param(count() | one_of("auto"), default="auto")
    min_resources: int | Literal["exhaust", "smallest"] = param(
        count() | one_of("exhaust", "smallest"), default="exhaust"
    )
    aggressive_elimination: bool = param(flag, default=False)
    cv: Any = param(by_fit, default=5)
    return_train_score: bool = param(flag, default=True)
    random_state: Seed = param(randomness, default=None)
    rule: Literal["min"] = removed(fixed="min")

    n_resources_: list[int] = fitted()
    n_candidates_: list[int] = fitted()
    n_remaining_candidates_: int = fitted()
    max_resources_: int = fitted()
    min_resources_: int = fitted()
    n_iterations_: int = fitted()
    n_required_iterations_: int = fitted()
    n_possible_iterations_: int = fitted()

    def _candidates_of(self, least: int, most: int) -> list[dict[str, Any]]:
        """The candidates of the first iteration, by the least and the most resources."""
        raise NotImplementedError

    def _evaluated(
        self, estimator: Any, folds: Any, scorers: dict[str, Any], settings: Any
    ) -> Evaluated:
        as_shuffler(self.random_state)  # Refuses what is none, though no rows may be drawn.
        schedule, candidates = self._scheduled(estimator, folds, settings)
        rounds: list[Scored] = []
        tried: list[dict[str, Any]] = []
        n_candidates, n_resources = [], []
        for iteration in range(schedule.n_iterations):
            resources = schedule.resources(iteration)
            of_round = folds
            if self.resource == ROWS:
                of_round = self._fewer_rows(folds, resources / _n_weighted(folds))
            else:
                candidates = [params | {self.resource: resources} for params in candidates]
            scored = self._scored(estimator, of_round, candidates, scorers, settings)
            rounds.append(scored)
            tried += candidates
            n_candidates.append(len(candidates))
            n_resources.append(resources)
            (scores,) = scored.test.values()
            best = _best_places(scores.mean(axis=1), schedule.kept(len(candidates)))
            candidates = [candidates[place] for place in best]
        columns = {
            "iter": np.repeat(np.arange(len(rounds)), n_candidates),
            "n_resources": np.repeat(n_resources, n_candidates),
        }
        attributes = {
            "n_resources_": n_resources,
            "n_candidates_": n_candidates,
            "n_remaining_candidates_": len(candidates),
            "max_resources_": schedule.max_resources,
            "min_resources_": schedule.min_resources,
            "n_iterations_": schedule.n_iterations,
            "n_required_iterations_": schedule.n_required,
            "n_possible_iterations_": schedule.n_possible,
        }
        return Evaluated(tried, Scored.joined(rounds), columns, attributes)

    def _scheduled(
        self, estimator: Any, folds: Any, settings: Any
    ) -> tuple[Schedule, list[dict[str, Any]]]:
        """The schedule, and the candidates of the first iteration."""
        if self.resource != ROWS and self.resource not in estimator.get_params():
            raise ValueError(
                f"Cannot use resource={self.resource!r}, which is not a parameter of "
                f"{type(estimator).__name__}. Name one of its own, or pass 'n_samples'."
            )
        most = self._most_resources(folds)
        least = self._least_resources(estimator, folds)
        if least > most:
            raise ValueError(
                f"min_resources_={least} is greater than max_resources_={most}. Lower "
                "min_resources, or pass more rows."
            )
        candidates = self._candidates_of(least, most)
        if any(self.resource in params for params in candidates):
            raise ValueError(
                f"Cannot use parameter {self.resource} as the resource, since it is one of the "
                "searched parameters. Take it out of them."
            )
        schedule = Schedule.planned(
            len(candidates), settings.factor, least, most, self.min_resources == "exhaust",
            settings.aggressive_elimination,
        )  # fmt: skip
        return schedule, candidates

    def _most_resources(self, folds: Any) -> int:
        if self.resource != ROWS:
            if self.max_resources == "auto":
                raise ValueError(
                    "max_resources='auto' is for resource='n_samples'; got "
                    f"resource={self.resource!r}. Pass a number."
                )
            return int(self.max_resources)
        n = _n_weighted(folds)
        if self.max_resources == "auto":
            return n
        return as_count(self.max_resources, "max_resources", 1, n, limit="the number of rows")

    def _least_resources(self, estimator: Any, folds: Any) -> int:
        """Those given, or the fewest for which each fold has rows, of each class where there are
        classes."""
        if self.min_resources not in ("smallest", "exhaust"):
            return int(self.min_resources)
        if self.resource != ROWS:
            return 1
        least = 2 * len(folds.pairs)
        if classifies(estimator):
            least *= len(known_classes(folds.y, folds.n, folds.weights))
        return least

    def _fewer_rows(self, folds: Any, share: float) -> Any:
        """The folds with a share of the rows that they fit, and of those that they hold out."""
        pairs = []
        for k, (_, test) in enumerate(folds.pairs):
            held = test if folds.weights is None else test[folds.weights[test] > 0.0]
            drawn = [self._drawn(rows, share) for rows in (folds.train(k), held)]
            if not all(map(len, drawn)):
                raise ValueError(
                    f"An iteration of {round(share * _n_weighted(folds))} rows leaves a fold "
                    "without rows to fit or to hold out. Raise min_resources."
                )
            pairs.append(tuple(drawn))
        return replace(folds, pairs=pairs)

    def _drawn(self, rows: Array, share: float) -> Array:
        order = np.arange(len(rows))
        as_shuffler(self.random_state).shuffle(order)
        return rows[order[: int(share * len(rows))]]

    def _rated(self, scorers: dict[str, Any]) -> str | None:
        if [*scorers] != ["score"]:
            raise ValueError(
                f"scoring must be one score here, by which candidates are left out; got "
                f"{shown([*scorers])}. Name one."
            )
        return super()._rated(scorers)

    def _best(self, results: dict[str, Any], rated: Any) -> int | None:
        """The best of the last iteration, unless a function decides."""
        if callable(self.refit) or rated is None:
            return super()._best(results, rated)
        last = np.flatnonzero(results["iter"] == results["iter"].max())
        mean = f"mean_test_{rated}"
        best = super()._best({mean: results[mean][last]}, rated)
        return None if best is None else int(last[best])


class HalvingGridSearchCV(HalvingSearch):
    """Grid search by successive halving: all combinations on few rows, the best of them on more.

    Parameters
    ----------
    estimator : estimator
        By scikit-learn's protocol; copies of it are fitted.
    param_grid : dict or list of dict
        Lists of values by the names of parameters; all combinations are tried.
    factor : float, default=3
        Above 1: an iteration keeps 1 / `factor` of the candidates, rounded up, and gives each of
        them `factor` times as much.
    resource : str, default="n_samples"
        What grows: "n_samples", the rows of folds, or a parameter of the estimator that is a
        positive integer, such as ``n_estimators``.
    max_resources : int or "auto", default="auto"
        The most that any candidate gets; "auto" is all rows, and for another resource a number
        must be passed.
    min_resources : int, "exhaust" or "smallest", default="exhaust"
        What each candidate of the first iteration gets: "smallest" is 1 or, of rows, two for each
        fold (and class of a classifier); "exhaust" raises that until the last iteration
        gets `max_resources`, or as near to it as integers allow.
    aggressive_elimination : bool, default=False
        Where there are more candidates than resources allow to be divided by `factor` again and
        again, repeat the first iterations with the least resources until they are few enough.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the rows that an iteration draws; an integer makes the result
        reproducible. An integer draws the same as in scikit-learn.
    scoring : str or callable, optional
        A name of ``statfast.metrics.get_scorer_names``, or a function of (estimator, X, y). None is
        the estimator's own ``score``.
    n_jobs : int, optional
        Threads of each fit, if the estimator has a parameter of this name; None leaves that to it.
    refit : bool or callable, default=True
        Fit the best candidate of the last iteration to all samples. A function of `cv_results_`
        returns the index of the one to fit.
    cv : int, splitter or iterable of (train, test), default=5
        None is 5 folds; an integer is `KFold` or, for classifiers, `StratifiedKFold`. The folds
        are made once; an iteration draws from the rows of each.
    error_score : float or "raise", default=nan
        What a failed fit scores; a warning says so. Candidates without a score leave first.
    return_train_score : bool, default=True
        Also return scores on the training samples.

    Attributes
    ----------
    cv_results_ : dict
        As that of `GridSearchCV`, of the candidates of all iterations, with two more columns:
        "iter", the number of the iteration, and "n_resources". Ranks are among all of them.
    n_resources_ : list of int
        What each candidate gets in each iteration.
    n_candidates_ : list of int
        Number of candidates in each iteration.
    n_remaining_candidates_ : int
        Number of candidates that would go on after the last iteration.
    max_resources_ : int
        The most that any candidate may get.
    min_resources_ : int
        What each candidate of the first iteration gets.
    n_iterations_ : int
        Number of iterations.
    n_required_iterations_ : int
        Number of iterations after which at most `factor` candidates are left.
    n_possible_iterations_ : int
        Number of iterations from `min_resources_` to `max_resources_`.
    best_estimator_ : estimator
        Fitted to all samples.
    best_params_ : dict
        Parameters of the best candidate.
    best_index_ : int
        Index of the best candidate in `cv_results_`.
    best_score_ : float
        Mean score of the best over the folds of the last iteration. It is a maximum, and so too
        high for new samples: validate the search itself, by `cross_validate`.
    scorer_ : callable
        Scorer used.
    n_splits_ : int
        Number of folds.
    multimetric_ : bool
        False: one score decides.
    path_ : str
        How the folds were fitted: "merged statistics", "closed form", "shared structure" or
        "refit".
    refit_time_ : float
        Seconds of the final fit.
    classes_ : ndarray
        Class labels of the best estimator.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: as `GridSearchCV`; also if there is more than one score, `min_resources` is
        above `max_resources`, a fold is left without rows, `resource` is not a parameter of the
        estimator or is searched itself.
    TypeError
        By ``fit``: if an argument is of the wrong type.

    See Also
    --------
    HalvingRandomSearchCV : Of candidates that are drawn.
    GridSearchCV : All candidates on all rows.

    Notes
    -----
    With N candidates and the most resources R, the search costs about log(N) / log(`factor`) times
    what one candidate costs on R, where the time of a fit is proportional to its resource. It may
    leave out a candidate that would be best on all rows, as one whose scores grow late.

    The schedule is scikit-learn's, and so are the rows drawn for the same integer as
    `random_state`. Of candidates of equal score, the last ones go on.

    References
    ----------
    K. Jamieson & A. Talwalkar (2016), "Non-stochastic best arm identification and hyperparameter
    optimization". AISTATS, PMLR 51, 240-248.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import Ridge
    >>> from statfast.model_selection import HalvingGridSearchCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((900, 5))
    >>> y = X[:, 0] + rng.standard_normal(900)
    >>> alphas = [0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6]
    >>> search = HalvingGridSearchCV(Ridge(), {"alpha": alphas}, random_state=0).fit(X, y)
    >>> search.n_candidates_, search.n_resources_
    ([9, 3, 1], [100, 300, 900])
    """

    estimator: Any = param(by_fit, default=None, kw_only=False)
    param_grid: dict[Any, Any] | list[dict[str, Any]] | None = param(
        by_fit, default=None, kw_only=False
    )

    def _candidates_of(self, least: int, most: int) -> list[dict[str, Any]]:
        return all_candidates(self.param_grid)


class HalvingRandomSearchCV(HalvingSearch):
    """Randomized search by successive halving: drawn candidates on few rows, the best on more.

    Parameters
    ----------
    estimator : estimator
        By scikit-learn's protocol; copies of it are fitted.
    param_distributions : dict or list of dict
        Lists of values, or distributions with ``rvs``, by the names of parameters.
    n_candidates : int or "exhaust", default="exhaust"
        Candidates to draw; without replacement if all values are listed. "exhaust" is so many that
        the last iteration gets about as much as there is: `max_resources` over `min_resources`.
    factor : float, default=3
        Above 1: an iteration keeps 1 / `factor` of the candidates, rounded up, and gives each of
        them `factor` times as much.
    resource : str, default="n_samples"
        What grows: "n_samples", the rows of folds, or a parameter of the estimator that is a
        positive integer, such as ``n_estimators``.
    max_resources : int or "auto", default="auto"
        The most that any candidate gets; "auto" is all rows, and for another resource a number
        must be passed.
    min_resources : int, "exhaust" or "smallest", default="smallest"
        What each candidate of the first iteration gets: "smallest" is 1 or, of rows, two for each
        fold (and class of a classifier); "exhaust" raises that until the last iteration
        gets `max_resources`, or as near to it as integers allow.
    aggressive_elimination : bool, default=False
        Where there are more candidates than resources allow to be divided by `factor` again and
        again, repeat the first iterations with the least resources until they are few enough.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the candidates, and of the rows that an iteration draws; an integer
        makes the result reproducible. An integer draws the same as in scikit-learn.
    scoring : str or callable, optional
        A name of ``statfast.metrics.get_scorer_names``, or a function of (estimator, X, y). None is
        the estimator's own ``score``.
    n_jobs : int, optional
        Threads of each fit, if the estimator has a parameter of this name; None leaves that to it.
    refit : bool or callable, default=True
        Fit the best candidate of the last iteration to all samples. A function of `cv_results_`
        returns the index of the one to fit.
    cv : int, splitter or iterable of (train, test), default=5
        None is 5 folds; an integer is `KFold` or, for classifiers, `StratifiedKFold`. The folds
        are made once; an iteration draws from the rows of each.
    error_score : float or "raise", default=nan
        What a failed fit scores; a warning says so. Candidates without a score leave first.
    return_train_score : bool, default=True
        Also return scores on the training samples.

    Attributes
    ----------
    cv_results_ : dict
        As that of `GridSearchCV`, of the candidates of all iterations, with two more columns:
        "iter", the number of the iteration, and "n_resources". Ranks are among all of them.
    n_resources_ : list of int
        What each candidate gets in each iteration.
    n_candidates_ : list of int
        Number of candidates in each iteration.
    n_remaining_candidates_ : int
        Number of candidates that would go on after the last iteration.
    max_resources_ : int
        The most that any candidate may get.
    min_resources_ : int
        What each candidate of the first iteration gets.
    n_iterations_ : int
        Number of iterations.
    n_required_iterations_ : int
        Number of iterations after which at most `factor` candidates are left.
    n_possible_iterations_ : int
        Number of iterations from `min_resources_` to `max_resources_`.
    best_estimator_ : estimator
        Fitted to all samples.
    best_params_ : dict
        Parameters of the best candidate.
    best_index_ : int
        Index of the best candidate in `cv_results_`.
    best_score_ : float
        Mean score of the best over the folds of the last iteration. It is a maximum, and so too
        high for new samples: validate the search itself, by `cross_validate`.
    scorer_ : callable
        Scorer used.
    n_splits_ : int
        Number of folds.
    multimetric_ : bool
        False: one score decides.
    path_ : str
        How the folds were fitted: "merged statistics", "closed form", "shared structure" or
        "refit".
    refit_time_ : float
        Seconds of the final fit.
    classes_ : ndarray
        Class labels of the best estimator.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError
        By ``fit``: as `GridSearchCV`; also if there is more than one score, `min_resources` is
        above `max_resources`, a fold is left without rows, `resource` is not a parameter of the
        estimator or is searched itself, or `n_candidates` and `min_resources` are both "exhaust".
    TypeError
        By ``fit``: if an argument is of the wrong type.

    Warns
    -----
    UserWarning
        If all values are listed, and are fewer combinations than `n_candidates`.

    See Also
    --------
    HalvingGridSearchCV : Of all combinations.
    RandomizedSearchCV : All candidates on all rows.

    Notes
    -----
    As `HalvingGridSearchCV`.

    References
    ----------
    K. Jamieson & A. Talwalkar (2016), "Non-stochastic best arm identification and hyperparameter
    optimization". AISTATS, PMLR 51, 240-248.

    L. Li, K. Jamieson, G. DeSalvo, A. Rostamizadeh & A. Talwalkar (2018), "Hyperband: a novel
    bandit-based approach to hyperparameter optimization". JMLR 18(185), 1-52.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from statfast import LogisticRegression
    >>> from statfast.datasets import load_iris
    >>> from statfast.model_selection import HalvingRandomSearchCV
    >>> iris = load_iris()
    >>> search = HalvingRandomSearchCV(
    ...     LogisticRegression(), {"C": loguniform(1e-2, 1e2)}, min_resources=50, random_state=0
    ... )
    >>> search.fit(iris.data, iris.target).n_candidates_, search.n_resources_
    ([3, 1], [50, 150])
    """

    estimator: Any = param(by_fit, default=None, kw_only=False)
    param_distributions: dict[Any, Any] | list[dict[str, Any]] | None = param(
        by_fit, default=None, kw_only=False
    )
    n_candidates: int | Literal["exhaust"] = param(
        count(high=MAX_REPEATS) | one_of("exhaust"), default="exhaust"
    )
    min_resources: int | Literal["exhaust", "smallest"] = param(
        count() | one_of("exhaust", "smallest"), default="smallest"
    )

    def _candidates_of(self, least: int, most: int) -> list[dict[str, Any]]:
        n: Any = self.n_candidates
        if n == "exhaust":
            if self.min_resources == "exhaust":
                raise ValueError(
                    "n_candidates and min_resources cannot be both set to 'exhaust'. Pass a number "
                    "for one of them."
                )
            n = most // least
        distributions: Any = self.param_distributions
        return list(ParameterSampler(distributions, n, random_state=self.random_state))


def _n_weighted(folds: Any) -> int:
    """The number of rows with weight."""
    return folds.n if folds.weights is None else int((folds.weights > 0.0).sum())


def _best_places(scores: Array, n: int) -> Array:
    """The places of the n best scores, from the worst to the best; nan is worst, and the last of
    equals is best."""
    order = np.argsort(scores, kind="stable")
    return np.roll(order, np.isnan(scores).sum())[-n:]
