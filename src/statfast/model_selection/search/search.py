# SPDX-License-Identifier: BSD-3-Clause
"""The search for parameters: candidates are scored on the same folds, which share their work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import nan
from time import perf_counter
from typing import Any, ClassVar, Literal, Self

import numpy as np

from statfast._estimator import (
    ANSWERS,
    RULES,
    Estimator,
    HandsWeightsOn,
    Route,
    RoutesMetadata,
    by_fit,
    checked_by,
    delegated,
    fitted,
    flag,
    jobs,
    one_of,
    param,
    with_params,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Weights
from statfast._validation import (
    not_fitted,
    rows_for,
    shown,
    warn_user,
)
from statfast.model_selection.evaluation.candidate_scores import Scored, scored_candidates
from statfast.model_selection.evaluation.scoring import (
    arguments_of_call,
    as_error_score,
    as_scorers,
    groups_argument,
    plan_of_fits,
    route_of_splitter,
    routes_of_scores,
    threaded_copy,
)
from statfast.model_selection.search.grids import all_candidates

TRANSFORMS = ("transform", "inverse_transform")
NO_BEST = "This search has refit=False, and so no best estimator to ask. Pass refit=True."


def as_refit(refit: Any, name: str = "refit") -> Any:
    """What decides which candidate is fitted to all samples, as far as scores need not be known."""
    if not (isinstance(refit, bool | str) or callable(refit) or refit is None):
        raise TypeError(
            f"{name} must be True, False, the name of a score or a function of cv_results_; got "
            f"{shown(refit)}."
        )
    return refit


@dataclass(frozen=True)
class Evaluated:
    """The candidates of a search and their scores."""

    candidates: list[dict[str, Any]]
    scored: Scored
    columns: dict[str, Any] = field(default_factory=dict[str, Any])  # more of `cv_results_`
    attributes: dict[str, Any] = field(default_factory=dict[str, Any])  # more of the search


class ParameterSearch(HandsWeightsOn, RoutesMetadata, Estimator):
    """What the searches share: the fit, and the best estimator's methods."""

    scoring: str | Callable[..., Any] | list[Any] | dict[Any, Any] | None = param(
        by_fit, default=None
    )
    n_jobs: Jobs = param(jobs, default=None)
    refit: bool | str | Callable[..., Any] = param(checked_by(as_refit, True, False), default=True)
    cv: Any = param(by_fit, default=None)
    rule: Literal["min", "1se"] = param(one_of(*RULES), default="min")
    error_score: float | Literal["raise"] = param(
        checked_by(as_error_score, nan, "raise"), default=nan
    )
    return_train_score: bool = param(flag, default=False)

    cv_results_: dict[str, Any] = fitted()
    best_estimator_: Any = fitted()
    best_params_: dict[str, Any] = fitted()
    best_index_: int = fitted()
    best_score_: float = fitted()
    scorer_: Any = fitted()
    n_splits_: int = fitted()
    multimetric_: bool = fitted()
    path_: str = fitted()
    refit_time_: float = fitted()
    classes_: Array = fitted()

    # The candidates of a search that tries all of them on all rows.
    _candidates: ClassVar[Callable[..., list[dict[str, Any]]]]

    def fit(
        self,
        X: Rows,
        y: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        sample_weight: Weights = None,
        **params: Any,
    ) -> Self:
        """Evaluate all candidates, and fit the best to all samples.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : array-like of shape (n,), optional
            Class labels or target values.
        groups : array-like of shape (n,), optional
            Group of each sample, for splitters that keep groups together.
        sample_weight : array-like of shape (n,), optional
            Weights of fits and scores.
        **params : object
            Further arguments of the estimator's ``fit``, as those of `cross_validate`.

        Returns
        -------
        self
        """
        settings, estimator = self._checked(), threaded_copy(self.estimator, self.n_jobs)
        scorers = as_scorers(settings.scoring, estimator)
        rated = self._rated(scorers)
        folds = plan_of_fits(estimator, X, y, self.cv, groups, params, sample_weight, scorers)
        search = self._evaluated(estimator, folds, scorers, settings)
        candidates, scored = search.candidates, search.scored
        results = search.columns | scored.table(candidates)
        fitted = search.attributes | {
            "cv_results_": results,
            "scorer_": scorers.get("score", scorers),
            "n_splits_": len(folds.pairs),
            "multimetric_": "score" not in scorers,
            "path_": scored.strategy,
        }
        best = self._best(results, rated)
        if best is not None:
            fitted |= {"best_index_": best, "best_params_": candidates[best]}
            if rated is not None and not callable(self.refit):
                fitted["best_score_"] = float(results[f"mean_test_{rated}"][best])
        if best is not None and self.refit is not False and self.refit is not None:
            model, start = with_params(estimator, candidates[best]), perf_counter()
            more = dict(folds.arguments)
            if folds.weights is not None:
                more["sample_weight"] = folds.weights
            if (name := groups_argument(estimator)) is not None and groups is not None:
                more.setdefault(name, groups)
            model.fit(*((X,) if y is None else (X, y)), **more)
            fitted |= {"best_estimator_": model, "refit_time_": perf_counter() - start}
            if hasattr(model, "classes_"):
                fitted["classes_"] = model.classes_
        shape = np.shape(folds.X)
        width = shape[1] if len(shape) > 1 else None
        return self._publish(X, n_features_in_=width, **fitted)

    def _routes(self) -> list[Route]:
        calls = {method: (method,) for method in ("fit", *ANSWERS[:-1], *TRANSFORMS)}
        routes = [Route("estimator", self.estimator, calls)]
        routes += routes_of_scores(self.estimator, as_scorers(self.scoring, self.estimator))
        return routes + route_of_splitter(self.cv)

    def _evaluated(
        self,
        estimator: Any,
        folds: Any,
        scorers: dict[str, Any],
        settings: Any,
    ) -> Evaluated:
        """The candidates and their scores: here, all candidates on all rows."""
        candidates = self._candidates()
        scored = self._scored(estimator, folds, candidates, scorers, settings)
        return Evaluated(candidates, scored)

    def _scored(
        self,
        estimator: Any,
        folds: Any,
        candidates: list[Any],
        scorers: Any,
        settings: Any,
    ) -> Scored:
        for candidate in candidates:
            # Raises an error for a parameter that the estimator does not have.
            with_params(estimator, candidate)
        return scored_candidates(
            estimator, folds, candidates, scorers, settings.error_score,
            with_train=settings.return_train_score,
        )  # fmt: skip

    def _rated(self, scorers: dict[str, Any]) -> str | None:
        """The name of the score that decides, or None."""
        if "score" in scorers and len(scorers) == 1:
            if isinstance(self.refit, str) and self.refit != "score":
                raise ValueError(f"refit must be True or False for one score; got {self.refit!r}.")
            return "score"
        if isinstance(self.refit, str) and self.refit in scorers:
            return self.refit
        if self.refit is True or isinstance(self.refit, str):
            raise ValueError(
                f"For several scores, refit must name one of {[*scorers]}, or be False; got "
                f"{self.refit!r}."
            )
        return None

    def _best(self, results: dict[str, Any], rated: Any) -> int | None:
        if callable(self.refit):
            best = self.refit(results)
            if isinstance(best, bool) or not isinstance(best, int | np.integer):
                raise TypeError(f"refit must return an index; got {shown(best)}.")
            if not 0 <= best < len(results["params"]):
                raise IndexError("best_index_ index out of range")
            return int(best)
        if rated is None:
            return None
        mean = results[f"mean_test_{rated}"]
        if np.isnan(mean).all():
            raise ValueError(
                "No candidate has a score: all are nan. Pass error_score='raise' to see why."
            )
        if np.isnan(mean).any():
            warn_user(
                f"One or more of the test scores are non-finite: {int(np.isnan(mean).sum())} of "
                f"{len(mean)} candidates are left out of the choice."
            )
        best = int(np.nanargmax(mean))
        if self.rule == "min":
            return best
        error = results[f"se_test_{rated}"][best]
        return int(np.argmax(mean >= mean[best] - error))

    def _delegate(self) -> Any:
        if self.refit is False or self.refit is None:
            raise AttributeError(NO_BEST)
        return self.__dict__.get("best_estimator_", self.estimator)

    def _asked(self, X: Any, method: str) -> Callable[..., Any]:
        if "best_estimator_" not in self.__dict__:
            if self.__sklearn_is_fitted__():
                raise AttributeError(NO_BEST)
            raise not_fitted(self)
        shape = np.shape(X) if isinstance(X, list | np.ndarray) and _regular(X) else ()
        width = self.n_features_in_
        if len(shape) == 2 and width is not None and all(shape) and shape[1] != width:
            rows_for(self, np.zeros((1, shape[1])))  # Refuses rows of another width.
        return getattr(self.best_estimator_, method)

    @delegated("predict")
    def predict(self, X: Rows) -> Array:
        """Predict by the best estimator.

        Parameters
        ----------
        X : array-like
            Samples to predict.

        Returns
        -------
        ndarray
        """
        return self._asked(X, "predict")(X)

    @delegated("predict_proba")
    def predict_proba(self, X: Rows) -> Array:
        """Probabilities of the classes by the best estimator.

        Parameters
        ----------
        X : array-like
            Samples to predict.

        Returns
        -------
        ndarray
        """
        return self._asked(X, "predict_proba")(X)

    @delegated("predict_log_proba")
    def predict_log_proba(self, X: Rows) -> Array:
        """Logarithms of the probabilities of the classes by the best estimator.

        Parameters
        ----------
        X : array-like
            Samples to predict.

        Returns
        -------
        ndarray
        """
        return self._asked(X, "predict_log_proba")(X)

    @delegated("decision_function")
    def decision_function(self, X: Rows) -> Array:
        """Scores of the best estimator.

        Parameters
        ----------
        X : array-like
            Samples to predict.

        Returns
        -------
        ndarray
        """
        return self._asked(X, "decision_function")(X)

    @delegated("score_samples")
    def score_samples(self, X: Rows) -> Array:
        """Scores of single samples by the best estimator, say by how usual they are.

        Parameters
        ----------
        X : array-like
            Samples to score.

        Returns
        -------
        ndarray
        """
        return self._asked(X, "score_samples")(X)

    @delegated("transform")
    def transform(self, X: Rows) -> Any:
        """Transform by the best estimator.

        Parameters
        ----------
        X : array-like
            Samples to transform.

        Returns
        -------
        ndarray
        """
        return self._asked(X, "transform")(X)

    @delegated("inverse_transform")
    def inverse_transform(self, X: Rows) -> Any:
        """Bring transformed samples back by the best estimator.

        Parameters
        ----------
        X : array-like
            Transformed samples.

        Returns
        -------
        ndarray
        """
        # Transformed samples may have another width, so that X is not checked.
        self._asked(None, "fit")
        return self.best_estimator_.inverse_transform(X)

    def score(
        self, X: Rows, y: ArrayLike | None = None, sample_weight: Weights = None, **params: Any
    ) -> float:
        """Score the best estimator, by the score that chose it.

        Parameters
        ----------
        X : array-like
            Test samples.
        y : array-like of shape (n,), optional
            True labels or target values.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.
        **params : object
            Other arguments of the score.

        Returns
        -------
        float
        """
        self._asked(X, "fit")
        name, scorer = "score", self.scorer_
        if isinstance(scorer, dict):
            name = self.refit if isinstance(self.refit, str) else next(iter(scorer))
            scorer = scorer[name]
        metadata = {"sample_weight": sample_weight, **params}
        more = arguments_of_call(self, name, metadata)
        return scorer(self.best_estimator_, X, y, **more)

    _estimator_type = property(lambda self: self.estimator._estimator_type)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = self.estimator.__sklearn_tags__()
            for name in (
                "estimator_type", "target_tags", "transformer_tags", "classifier_tags",
                "regressor_tags", "input_tags",
            ):  # fmt: skip
                setattr(tags, name, getattr(inner, name))
        return tags


class GridSearchCV(ParameterSearch):
    """Exhaustive search over a grid of parameter values, by cross-validation.

    Parameters
    ----------
    estimator : estimator
        By scikit-learn's protocol; copies of it are fitted.
    param_grid : dict or list of dict
        Lists of values by the names of parameters, or several such dicts.
    scoring : str, callable, list or dict, optional
        Names of ``statfast.metrics.get_scorer_names``, or functions of (estimator, X, y). None is
        the estimator's own ``score``.
    n_jobs : int, optional
        Threads of each fit, if the estimator has a parameter of this name.
    refit : bool, str or callable, default=True
        Fit the best to all samples; of several scores the name of that which decides. A function of
        `cv_results_` gives the index of the best.
    cv : int, splitter or iterable of (train, test), optional
        None is 5 folds; an integer is `KFold` or, for classifiers, `StratifiedKFold`.
    rule : {"min", "1se"}, default="min"
        Take the candidate of the best mean score ("min": of least loss), the first of equals; or
        "1se": the first one in the grid whose mean is within a standard error of the best, so list
        values from the simplest model to the most complex.
    error_score : float or "raise", default=nan
        What a failed fit scores; a warning says so, and the other candidates are not lost.
    return_train_score : bool, default=False
        Also return scores on the training samples.

    Attributes
    ----------
    cv_results_ : dict
        scikit-learn's columns, an entry for each candidate, and ``se_test_score``, the standard
        error of the mean over folds. Scores of single folds up to 1000 of them; `error_score`
        (nan) where a fit or a score fails.
    best_estimator_ : estimator
        Fitted to all samples.
    best_params_ : dict
        Parameters of the best candidate.
    best_index_ : int
        Index of the best candidate in `cv_results_`.
    best_score_ : float
        Mean score of the best over the folds. It is a maximum, and so too high for new samples:
        validate the search itself, by `cross_validate`.
    scorer_ : callable or dict
        Scorer used.
    n_splits_ : int
        Number of folds.
    multimetric_ : bool
        Whether there are several scores.
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
        By ``fit``: if the grid is empty or names parameters that there are not, the folds do not
        fit the rows, or no candidate has a score.
    TypeError
        By ``fit``: if an argument is of the wrong type.

    Notes
    -----
    Candidates that differ only in what is solved for, such as the penalty of `Ridge`, share the
    statistics of the folds, and one product predicts for all of them. Others are refitted.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen & C. Stone (1984), "Classification and Regression Trees",
    section 3.4.3: the one-standard-error rule.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import Ridge
    >>> from statfast.model_selection import GridSearchCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 5))
    >>> search = GridSearchCV(Ridge(), {"alpha": [100.0, 10.0, 1.0, 0.1]}, cv=5)
    >>> search.fit(X, X[:, 0] + rng.standard_normal(60)).best_params_, search.path_
    ({'alpha': 10.0}, 'merged statistics')
    """

    estimator: Any = param(by_fit, default=None, kw_only=False)
    param_grid: dict[Any, Any] | list[dict[str, Any]] | None = param(
        by_fit, default=None, kw_only=False
    )

    def _candidates(self) -> list[Any]:
        return all_candidates(self.param_grid)


def _regular(X: Array | list[list[float]]) -> bool:
    try:
        np.shape(X)
    except ValueError:
        return False
    return True
