# SPDX-License-Identifier: BSD-3-Clause
"""What a user gives as scoring, and the scores of models on rows held out."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from dataclasses import replace
from inspect import signature, unwrap
from math import nan
from time import perf_counter
from typing import Any

import numpy as np

from statfast._estimator import (
    Answers,
    Classifier,
    Estimator,
    Folds,
    Regressor,
    Route,
    Scorer,
    SumFit,
    as_folds,
    as_groups,
    by_score,
    html_table,
    routed,
    router_of,
    routing_is_on,
    take_rows,
    weighted_labels,
    with_params,
)
from statfast._typing import Array, Jobs
from statfast._validation import (
    FitFailedWarning,
    as_count,
    as_estimator,
    as_real,
    as_weights,
    shown,
    warn_user,
    wrong_type,
)
from statfast.metrics import get_scorer
from statfast.model_selection.evaluation.fold_strategies import (
    require_weights,
    rows_of_fold,
    with_arguments,
)
from statfast.model_selection.splitting.fold_arguments import check_cv
from statfast.model_selection.splitting.splitter import as_placed, as_placed_rows, n_rows

# Scores that are functions of the mean squared errors of candidates and the variance of the
# targets.
_OF_SQUARES = {
    "neg_mean_squared_error": lambda squares, variance: -squares,
    "neg_root_mean_squared_error": lambda squares, variance: -np.sqrt(squares),
    "r2": lambda squares, variance: 1.0 - squares / variance,
}


def of_squares(scorer: Any, model: Any) -> Callable[[Any, Any], Any] | None:
    """A score as a function of mean squared errors and the variance of the targets, if it is."""
    name = getattr(scorer, "name", "")
    if scorer is by_score:
        # `dispatch_methods` wraps the method.
        plain = unwrap(getattr(type(model), "score", by_score)) is Regressor.score
        name = "r2" if plain else ""
    return _OF_SQUARES.get(name)


def is_accuracy(scorer: Any, model: Any) -> bool:
    """Whether a score is the share of right labels."""
    return _is_score_of_class(scorer, type(model)) or getattr(scorer, "name", "") == "accuracy"


def _is_score_of_class(scorer: Any, kind: type) -> bool:
    """Whether it is the accuracy that classifiers of a class have for ``score``."""
    return scorer is by_score and unwrap(getattr(kind, "score", by_score)) is Classifier.score


def as_scorers(scoring: Any, estimator: Estimator) -> dict[str, Any]:
    """Scorers by their names; a single one is called "score"."""
    if scoring is None:
        if not hasattr(estimator, "score"):
            raise TypeError(
                f"scoring must be given for {type(estimator).__name__}, which has no score. Name "
                "one of statfast.metrics.get_scorer_names()."
            )
        return {"score": by_score}
    if isinstance(scoring, str) or callable(scoring):
        return {"score": get_scorer(scoring)}
    if isinstance(scoring, Mapping):
        named = dict(scoring)
    elif isinstance(scoring, list | tuple | set):
        if not all(isinstance(name, str) for name in scoring):
            raise wrong_type("scoring", "a list of names; a dict for functions", scoring)
        named = {name: name for name in scoring}
        if len(named) < len(scoring):
            raise ValueError(f"scoring names a score twice: {shown(scoring)}. Drop it.")
    else:
        raise wrong_type("scoring", "a name, a function, or a list or dict of them", scoring)
    if not named or not all(isinstance(name, str) for name in named):
        raise ValueError(f"scoring must name at least one score, by strings; got {shown(scoring)}.")
    return {name: get_scorer(value) for name, value in named.items()}


def as_one_scorer(scoring: Any, estimator: Any) -> Any:
    """The scorer of what gives one score."""
    if not (scoring is None or isinstance(scoring, str) or callable(scoring)):
        raise TypeError(
            f"scoring must be a name or a function here; got {type(scoring).__name__}. Call "
            "cross_validate for several scores."
        )
    (scorer,) = as_scorers(scoring, estimator).values()
    return scorer


def threaded_copy(estimator: Any, n_jobs: Jobs) -> Any:
    """A copy, with its number of threads, of what must be an estimator."""
    known = as_estimator(estimator).get_params(deep=False)
    hand_on = n_jobs is not None and "n_jobs" in known
    return with_params(estimator, {"n_jobs": n_jobs} if hand_on else {})


def methods_asked(scorers: dict[str, Any], estimator: Estimator) -> frozenset[Any] | None:
    """The methods that scores ask models for; None where they may ask for anything, as functions
    may."""
    if not all(isinstance(scorer, Scorer) or scorer is by_score for scorer in scorers.values()):
        return None

    def method(scorer: Any) -> str:
        if scorer is by_score:
            return "predict" if _is_score_of_class(scorer, type(estimator)) else "score"
        name: str = scorer.method(estimator)
        return name

    return frozenset(map(method, scorers.values()))


def as_error_score(error_score: float | str, name: str = "error_score") -> float | str:
    """A number to stand for a failed fit, or "raise"."""
    if isinstance(error_score, str):
        if error_score != "raise":
            raise ValueError(f"{name} must be a number or 'raise'; got {shown(error_score)}.")
        return error_score
    if isinstance(error_score, float | np.floating) and np.isnan(error_score):
        return nan
    return as_real(error_score, name)


def kind_of_estimator(estimator: Any) -> Any:
    """ "classifier", "regressor" or the like, as an estimator says of itself, or None."""
    kind = getattr(estimator, "_estimator_type", None)
    if kind is None and hasattr(estimator, "__sklearn_tags__"):
        try:
            kind = estimator.__sklearn_tags__().estimator_type
        except ImportError:
            kind = None
    return "classifier" if kind is None and hasattr(estimator, "predict_proba") else kind


def classifies(estimator: Estimator) -> bool:
    """Whether an estimator says that it is a classifier."""
    return kind_of_estimator(estimator) == "classifier"


def as_plan(
    estimator: Estimator,
    X: Any,
    y: Any,
    cv: Any,
    groups: Any,
    weights: Any,
    arguments: dict[Any, Any] | None = None,
) -> Folds:
    """The folds, checked: of a classifier integers are stratified, except for several labels a row.

    Whatever has labels for its rows loses them here, as folds are places of rows. `arguments` are
    those of fits.
    """
    X, y = as_placed_rows(X), as_placed(y, "y")
    n = n_rows(X)
    require_targets(estimator, y)
    if n == 0:
        raise ValueError("X has 0 sample(s) while a minimum of 2 is required. Pass more rows.")
    if y is not None and n_rows(y) != n:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[n, n_rows(y)]}. Pass "
            "one y for each row of X."
        )
    groups = as_groups(groups, n)
    if cv is None or (isinstance(cv, int | np.integer) and not isinstance(cv, bool)):
        k = 5 if cv is None else as_count(cv, "cv", 2, n, limit="the number of rows")
        cv = check_cv(k, y, classifier=classifies(estimator))
    pairs = as_folds(cv, X, y, n, groups=groups)
    by_row = as_arguments(estimator, arguments or {}, n)
    if groups is not None and (name := groups_argument(estimator)) is not None:
        by_row.setdefault(name, groups)
    return Folds(X, y, as_weights(weights, n), n, pairs, by_row, row_groups=groups)


def plan_of_fits(
    estimator: Estimator,
    X: Any,
    y: Any,
    cv: Any,
    groups: Any,
    params: dict[str, None] | None,
    sample_weight: Any,
    scorers: dict[str, Any] | None = None,
    fits: tuple[str, ...] = ("fit",),
) -> Folds:
    """The folds, with the arguments of their fits (methods named by `fits`) and of scores."""
    if not isinstance(params, Mapping | None):
        raise wrong_type("params", "a dict", params)
    arguments = dict(params or {})
    weights = arguments.pop("sample_weight", None)
    if weights is not None and sample_weight is not None:
        raise ValueError("Weights were passed twice, in params and as sample_weight. Drop one.")
    by_name = arguments.pop("groups", None)
    if by_name is not None and groups is not None:
        raise ValueError("Groups were passed twice, in params and as groups. Drop one.")
    groups = by_name if groups is None else groups
    weights = sample_weight if weights is None else weights
    if routing_is_on():
        given = {"sample_weight": weights, **arguments}
        arguments, of_scores, by_name = _asked_for(estimator, scorers or {}, cv, given, fits)
        groups = by_name if groups is None else groups
        weights = arguments.pop("sample_weight", None)
    else:
        rated = {} if sample_weight is None else {"sample_weight": weights}
        of_scores = {name: dict(rated) for name in scorers or {}}
    require_weights(estimator, weights)
    folds = as_plan(estimator, X, y, cv, groups, weights, arguments)
    for of_score in of_scores.values():
        for name, value in of_score.items():
            of_score[name] = _as_score_argument(name, value, folds.n)
    return replace(folds, of_scores=of_scores)


def _asked_for(
    estimator: Any, scorers: dict[str, Any], cv: Any, metadata: dict[str, Any],
    fits: tuple[str, ...],
) -> tuple[dict[str, Any], dict[str, dict[str, Any]], Any]:  # fmt: skip
    """The arguments of fits, those of each score, and the groups of folds, where scikit-learn's
    metadata routing is on: what the estimator, the scorers and the splitter have asked for."""
    routes = [Route("estimator", estimator, {"fit": fits}), *routes_of_scores(estimator, scorers)]
    splitter = route_of_splitter(cv)
    arguments = routed(router_of("cross-validation", [*routes, *splitter]), "fit", metadata)
    of_scores = {name: dict(arguments[_route_of(name)]["score"]) for name in scorers}
    groups = arguments["splitter"]["split"].get("groups") if splitter else None
    return dict(arguments["estimator"][fits[-1]]), of_scores, groups


def route_of_splitter(cv: Any) -> list[Route]:
    """The splitter as a part of what makes folds, if it asks for metadata at all."""
    asks = hasattr(cv, "get_metadata_routing")
    return [Route("splitter", cv, {"fit": ("split",)})] if asks else []


def routes_of_scores(estimator: Any, scorers: dict[str, Any]) -> list[Route]:
    """The scorers as parts of what fits and scores; the estimator stands for its own score."""
    calls = {"fit": ("score",), "score": ("score",)}
    return [
        Route(_route_of(name), estimator if scorer is by_score else scorer, calls)
        for name, scorer in scorers.items()
    ]


def arguments_of_call(owner: Any, name: str, metadata: dict[str, Any]) -> dict[str, Any]:
    """What the scorer of a search or the like is called with: where scikit-learn's routing is on,
    what it has asked for."""
    given = {key: value for key, value in metadata.items() if value is not None}
    if not (given and routing_is_on()):
        return given
    return dict(routed(owner, "score", given)[_route_of(name)]["score"])


def _route_of(name: str) -> str:
    return f"scorer ({name})"


def _as_score_argument(name: str, value: Any, n: int) -> Any:
    if name == "sample_weight":
        return as_weights(value, n)
    listed = hasattr(value, "__len__") and not isinstance(value, str | bytes | Mapping)
    return as_placed(value, name) if listed and n_rows(value) == n else value


def with_groups(folds: Folds, estimator: Any, groups: Any) -> Folds:
    """These folds with groups as the one argument of fits, for an estimator that takes them."""
    name = None if groups is None else groups_argument(estimator)
    arguments = {} if name is None else {name: as_placed(groups, "groups")}
    return replace(folds, arguments=arguments)


def as_arguments(estimator: Any, arguments: dict[Any, Any], n: int) -> dict[Any, Any]:
    """Arguments of ``fit``, which must take them; those with a value for each row as arrays."""
    taken = signature(estimator.fit).parameters
    takes_any = any(p.kind is p.VAR_KEYWORD for p in taken.values())
    checked = {}
    for name, value in arguments.items():
        if name not in taken and not takes_any:
            raise TypeError(
                f"params names {name!r}, which {type(estimator).__name__}.fit does not take. Drop "
                "it."
            )
        listed = hasattr(value, "__len__") and not isinstance(value, str | bytes | Mapping)
        checked[name] = as_placed(value, name) if listed and n_rows(value) == n else value
    return checked


def groups_argument(estimator: Any) -> Any:
    """The argument by which ``fit`` is told the groups of rows that a search inside keeps together,
    or None."""
    if hasattr(estimator, "cv"):
        taken = signature(estimator.fit).parameters
        # Searches of scikit-learn pass on all arguments.
        searches = hasattr(estimator, "refit") and "params" in taken
        return "groups" if "groups" in taken or searches else None
    steps = getattr(estimator, "steps", None)
    if isinstance(steps, list | tuple) and steps and isinstance(steps[-1], list | tuple):
        inner = groups_argument(steps[-1][-1])
        return inner and f"{steps[-1][0]}__{inner}"
    return None


def require_targets(estimator: Any, y: Array | None) -> None:
    """Refuse y=None where a fit needs targets."""
    if y is None:
        parameter = signature(estimator.fit).parameters.get("y")
        if parameter is not None and parameter.default is parameter.empty:
            raise ValueError(
                f"{type(estimator).__name__} requires y to be passed, but the target y is None. "
                "Pass the targets."
            )


class FoldScores(dict):
    """Result of `cross_validate`: a dict of arrays, and how the folds were fitted.

    Parameters
    ----------
    scores : dict
        Scores and times by name.
    path : str
        "merged statistics", "closed form", "shared structure" or "refit".

    Attributes
    ----------
    path : str
        How the folds were fitted.

    Examples
    --------
    >>> from statfast import LinearRegression, cross_validate
    >>> X, y = [[0.0], [1.0], [2.0], [4.0]], [0.0, 1.0, 3.0, 4.0]
    >>> result = cross_validate(LinearRegression(), X, y, cv=2)
    >>> sorted(result), result.path
    (['fit_time', 'score_time', 'test_score'], 'merged statistics')
    """

    def __init__(self, scores: dict[str, Any], path: str) -> None:
        if not isinstance(scores, dict):
            raise wrong_type("scores", "a dict", scores)
        super().__init__(scores)
        self.path = path

    def _repr_html_(self) -> str:
        """A row for each fold, and the way they were fitted."""
        numbers = {
            name: values
            for name, values in self.items()
            if isinstance(values, np.ndarray) and values.ndim == 1
        }
        rows = zip(*numbers.values(), strict=True)
        cells = [[str(fold), *(f"{value:.4g}" for value in row)] for fold, row in enumerate(rows)]
        return html_table([["fold", *numbers], *cells]) + f"<p>{html.escape(self.path)}</p>"


class Scores:
    """Scores of the folds as they come; of fits that failed there is one warning, at the end."""

    def __init__(self, scorers, error_score, n_candidates=1):
        self.scorers, self.error_score = scorers, error_score
        self.test = [{name: [] for name in scorers} for _ in range(n_candidates)]
        self.train = [{name: [] for name in scorers} for _ in range(n_candidates)]
        self.fit_times: Any = []
        self.score_times: Any = []
        self.failures = []
        self.fits = 0

    def add(self, folds: Any, k: int, fitted: Any, with_train: bool = False) -> None:
        """Score the models of a fold."""
        test = folds.pairs[k][1]
        rows = rows_of_fold(fitted.X, test)
        self.fit_times.append(fitted.seconds / len(fitted.models))
        start = perf_counter()
        known = self._of_squares(folds, fitted, rows)
        models = fitted.models if known else self._asked_at_once(fitted.models, rows)
        for error in (model for model in models if isinstance(model, Exception)):
            if self.error_score == "raise":
                raise error
            self.failures.append(error)
        self.fits += len(models)
        if known:
            for name, values in known.items():
                for by_name, value in zip(self.test, values, strict=True):
                    by_name[name].append(float(value))
        else:
            self._score(self.test, models, folds, test, rows)
        self.score_times.append((perf_counter() - start) / len(models))
        if with_train:
            train = folds.train(k)
            rows = rows_of_fold(fitted.X, train)
            self._score(self.train, fitted.models, folds, train, rows)

    def add_left_out(self, folds: Any, answers: Any, kind: type, seconds: Any) -> Any:
        """Score what each row, held out alone, is answered by each candidate, of a class `kind`, at
        once.

        Returns False where scores of single rows are not to be had so.
        """
        rows, y = folds.left_out_rows, np.asarray(folds.y)
        scorers: dict[str, Any] = {
            name: get_scorer("accuracy") if _is_score_of_class(scorer, kind) else scorer
            for name, scorer in self.scorers.items()
        }
        by_row = all(isinstance(s, Scorer) and s.each for s in scorers.values())
        if any(given.keys() - {"sample_weight"} for given in folds.of_scores.values()):
            return False
        if rows is None or not by_row or y.ndim != 1:
            return False
        start, y = perf_counter(), y[rows]
        for by_name, answer in zip(self.test, answers, strict=True):
            for name, scorer in scorers.items():
                values = scorer.each(y, answer[rows], None)
                weights = folds.weights_of_score(name)
                if weights is not None:  # Rows of weight 0 have no score.
                    values[weights[rows] == 0.0] = nan
                by_name[name] = values
        count = len(rows) * len(answers)
        self.fits += count
        self.fit_times = np.full(len(rows), seconds / count)
        self.score_times = np.full(len(rows), (perf_counter() - start) / count)
        return True

    def _of_squares(self, folds: Folds, fitted: Any, rows: Any) -> Any:
        """Scores (C,) by name of many candidates, by the statistics of the rows held out; None
        where these do not tell them."""
        models = fitted.models
        # Rows in float32 would round predictions.
        single = not isinstance(rows, np.ndarray) or rows.dtype != np.float64
        if fitted.held is None or single or not _can_be_asked_together(models, SumFit):
            return None
        # The statistics are weighted as the fits are.
        if not all(map(folds.is_scored_as_fitted, self.scorers)):
            return None
        functions = {key: of_squares(scorer, models[0]) for key, scorer in self.scorers.items()}
        if None in functions.values():
            return None
        squares = models[0]._mean_squares(models, fitted.held)
        if squares is None:
            return None
        return {key: function(*squares) for key, function in functions.items() if function}

    def _asked_at_once(self, models: list[Any], rows: Any) -> list[Any]:
        """What linear models of many candidates predict: one product."""
        predictions_alone = all(
            isinstance(s, Scorer) and s.response == "predict" for s in self.scorers.values()
        )
        if not predictions_alone or not _can_be_asked_together(models, Estimator):
            return models
        values = models[0]._predict_together(models, rows)
        if values is None:
            return models
        return [Answers({"predict": predicted}) for predicted in values]

    def _score(
        self,
        scores: list[dict[str, list[Any]]],
        models: list[Any],
        folds: Folds,
        places: Array,
        rows: Any,
    ) -> None:
        """Add the scores of each model on some rows, which are those at `places`."""
        y = take_rows(folds.y, places)
        arguments = {name: folds.arguments_of_score(name, places) for name in self.scorers}
        for by_name, model in zip(scores, models, strict=True):
            if not isinstance(model, Exception):
                model = with_arguments(folds, model, places)
            self._add(by_name, model, rows, y, arguments)

    def _add(
        self,
        by_name: dict[str, list[float]],
        model: Any,
        rows: Any,
        y: Array,
        arguments: dict[str, dict[str, Any]],
    ) -> None:
        for name, scorer in self.scorers.items():
            value = self.error_score
            if not isinstance(model, Exception):
                try:
                    value = as_number(scorer(model, rows, y, **arguments[name]), name)
                except Exception as raised:
                    if self.error_score == "raise":
                        raise
                    warn_user(
                        f"Scoring failed. The score on this train-test partition for these "
                        f"parameters will be set to {self.error_score}. Details: {name}: "
                        f"{type(raised).__name__}: {raised}"
                    )
            by_name[name].append(value)

    def warn(self) -> None:
        """Warn of fits that failed, or raise the first one's error if all did."""
        if not self.failures:
            return
        first = self.failures[0]
        sentence = f"{type(first).__name__}: {first}"
        if len(self.failures) == self.fits:
            raise ValueError(
                f"All the {self.fits} fits failed. It is very likely that your model is "
                f"misconfigured. The first error: {sentence} Pass error_score='raise' for its "
                "traceback."
            ) from first
        warn_user(
            f"{len(self.failures)} fits failed out of a total of {self.fits}. Their scores will be "
            f"set to {self.error_score}. The first error: {sentence}",
            FitFailedWarning,
        )


def _can_be_asked_together(models: list[Any], kind: type[Any]) -> bool:
    """Whether models of several candidates are all of a class that may answer for all of them."""
    return len(models) > 1 and all(isinstance(model, kind) for model in models)


def as_number(value: float, name: str) -> float:
    """A score as a float."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(
            f"scoring must return a number, got {shown(value)} ({type(value).__name__}) instead. "
            f"(scorer={name})"
        )
    return float(value)


def known_classes(y: Array, n: int, weights: Array | None = None) -> Array:
    """The distinct labels of all rows with weight."""
    return weighted_labels(y, n, weights)[0]
