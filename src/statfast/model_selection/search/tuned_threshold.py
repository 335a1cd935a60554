# SPDX-License-Identifier: BSD-3-Clause
"""The decision threshold that is best of rows held out, by a score or by a criterion of ranks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from inspect import signature
from numbers import Real
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    Answers,
    Scorer,
    by_fit,
    checked_by,
    count,
    fitted,
    flag,
    jobs,
    nothing,
    one_of,
    pair,
    param,
    randomness,
    real,
    require_weight,
    take_rows,
    width_of,
    with_params,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Seed, Weights
from statfast._validation import MAX_REPEATS, as_choice, as_vector, shown
from statfast.metrics import choose_threshold, get_scorer
from statfast.metrics.ranking.thresholds import CRITERIA
from statfast.model_selection.evaluation.fold_strategies import FoldFits, rows_of_fold
from statfast.model_selection.evaluation.scoring import as_number, as_plan
from statfast.model_selection.search.fixed_threshold import (
    ThresholdClassifier,
    fitted_copy,
    labels_of,
    positive_label,
    positive_scores,
)
from statfast.model_selection.splitting.resampling import StratifiedShuffleSplit

PREFIT = "prefit"


@dataclass(frozen=True)
class HeldOutScores:
    """What a model of one fold says of the rows that it holds out."""

    y: Array
    scores: Array  # of the positive class
    weights: Array | None


def as_thresholds(thresholds: Any, name: Any) -> Any:
    """How many thresholds are tried, or which."""
    if hasattr(thresholds, "__len__") and not isinstance(thresholds, str | bytes | dict):
        return as_vector(thresholds, name)
    return count(high=MAX_REPEATS)(thresholds, name)


class TunedThresholdClassifierCV(ThresholdClassifier):
    """Binary classifier with the threshold that cross-validation finds best.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``fit`` and ``predict_proba`` or ``decision_function``. It is copied, not
        fitted itself, unless `cv` is "prefit". Its parameters are parameters of this one:
        ``estimator__C``.
    scoring : str or callable, default="balanced_accuracy"
        What the threshold is to make large: a score of predicted labels, by its name in
        ``statfast.metrics.get_scorer_names`` or as a function of (estimator, X, y). Not looked at
        where there is a `criterion`.
    thresholds : int or array-like of shape (T,), default=100
        So many thresholds, at equal distances from the least to the largest score; or those to try.
        Not looked at where there is a `criterion`, for which every score is tried.
    cv : int, float, splitter, iterable or "prefit", optional
        Folds. None is 5 folds, and an integer so many, with the proportions of the classes in each;
        a number between 0 and 1 holds out that share of the samples, once. "prefit": the estimator
        is fitted already, and all samples are for the threshold.
    refit : bool, default=True
        Whether the estimator is fitted to all samples. False takes that of the only fold, or the
        fitted one of "prefit".
    n_jobs : int, optional
        Threads of each fit, if the estimator has a parameter of this name; None leaves that to it.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the samples held out, where `cv` is a share; an integer makes the
        result reproducible.
    store_cv_results : bool, default=False
        Whether to keep thresholds and scores in `cv_results_`.
    criterion : {"youden", "closest", "accuracy", "f", "cost", "tpr", "fpr"}, optional
        One of `statfast.metrics.choose_threshold`, of the scores of all rows held out, in place of
        `scoring`.
    cost : pair of float, default=(1.0, 1.0)
        Of a false positive and of a false negative, for the criterion "cost".
    prevalence : float, optional
        Fraction of positives where the threshold is to be used, for "cost", "accuracy" and "f";
        None takes that of the samples.
    beta : float, default=1.0
        How many times recall counts as much as precision, for "f".
    target : float, optional
        The rate to be reached, for "tpr" and "fpr".
    pos_label : label, optional
        The positive class. None is that of `scoring`, else the second of `classes_`.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        The scores; "auto" is the first of these that the estimator has.

    Attributes
    ----------
    best_threshold_ : float
        The score from which on the positive class is predicted.
    best_score_ : float
        The mean score over the folds at this threshold, or the value of the criterion.
    cv_results_ : dict
        "thresholds" and "scores", ndarrays of shape (T,), if `store_cv_results`.
    strategy_ : str
        How folds were fitted: "merged statistics", "shared structure", "refit"; or "prefit".
    classes_ : ndarray of shape (2,)
        The labels, ascending.
    estimator_ : estimator
        The fitted classifier.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    FixedThresholdClassifier : A threshold of the user's.
    CostSensitiveClassifier : The threshold that follows from costs and probabilities.

    Notes
    -----
    By a score: each fold has its thresholds, from its least to its largest score; between them its
    scores are interpolated, and their mean over the folds is largest at the best threshold, the
    **lowest** of equals. By a criterion: the scores of all rows held out are ranked together, and
    every cut between them is tried, of equals the **highest** threshold is taken.

    Cost: the fits of folds, and T scores of each fold; a criterion sorts n scores. Weights count in
    fits and scores alike; samples of weight 0 are left out.

    References
    ----------
    .. [1] Provost, F. and Fawcett, T. (2001). Robust classification for imprecise environments.
       Machine Learning 42, 203-231. doi:10.1023/A:1007601015854

    Examples
    --------
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_iris
    >>> from statfast.model_selection import TunedThresholdClassifierCV
    >>> iris = load_iris()
    >>> X, y = iris.data[50:, :2], iris.target[50:]
    >>> model = TunedThresholdClassifierCV(LinearDiscriminantAnalysis(), scoring="f1").fit(X, y)
    >>> round(model.best_threshold_, 2), round(model.best_score_, 2), model.strategy_
    (0.48, 0.72, 'merged statistics')
    >>> dear = TunedThresholdClassifierCV(
    ...     LinearDiscriminantAnalysis(), criterion="cost", cost=(1, 10)
    ... ).fit(X, y)
    >>> round(dear.best_threshold_, 2)
    0.22
    """

    estimator: Any = param(by_fit, default=None, kw_only=False)
    scoring: Any = param(by_fit, default="balanced_accuracy")
    thresholds: int | ArrayLike = param(checked_by(as_thresholds, 100, 7), default=100)
    cv: Any = param(by_fit, default=None)
    refit: bool = param(flag, default=True)
    n_jobs: Jobs = param(jobs, default=None)
    random_state: Seed = param(randomness, default=None)
    store_cv_results: bool = param(flag, default=False)
    criterion: Literal["youden", "closest", "accuracy", "f", "cost", "tpr", "fpr"] | None = param(
        one_of(None, *CRITERIA), default=None
    )
    cost: tuple[float, float] = param(pair(0.0), default=(1.0, 1.0))
    prevalence: float | None = param(nothing | real(0.0, 1.0), default=None)
    beta: float = param(real(0.0), default=1.0)
    target: float | None = param(nothing | real(0.0, 1.0), default=None)
    pos_label: Any = param(by_fit, default=None)

    best_threshold_: float = fitted()
    best_score_: float = fitted()
    cv_results_: dict[str, Any] = fitted()
    strategy_: str = fitted()

    def fit(
        self,
        X: Rows,
        y: ArrayLike,
        sample_weight: Weights = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Find the threshold, and fit the estimator to all samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or what the estimator takes
            Training samples.
        y : array-like of shape (n,)
            A label for each row, of two classes.
        sample_weight : array-like of shape (n,), optional
            Passed to the estimator, which has to take it, and to the scores.
        groups : array-like of shape (n,), optional
            Group of each sample, for splitters that keep groups together.

        Returns
        -------
        self : TunedThresholdClassifierCV

        Raises
        ------
        ValueError
            If there are not two classes, `scoring` has no such name or is not a score of labels,
            `refit` does not go with `cv`, all scores of a fold are the same, or the estimator
            refuses the rows.
        TypeError
            If the estimator has no such scores, or is given weights that it does not take.
        """
        params = self._checked()
        rows, labels, classes, weights = self._checked_rows(X, y, sample_weight)
        method = self._method_asked()
        scorer = None if params.criterion else as_label_scorer(self.scoring, self.pos_label)
        positive = self._positive_of(scorer, classes)
        held, model, strategy = self._held_out(
            params, rows, labels, weights, groups, method, positive
        )
        if params.criterion:
            thresholds, values, best = self._by_criterion(params, held, positive)
        else:
            thresholds, values = mean_scores(held, scorer, params.thresholds, classes, positive)
            best = int(values.argmax())
        if model is None:
            model = fitted_copy(self._with_threads(), rows, labels, weights)
        results = {}
        if params.store_cv_results:
            results["cv_results_"] = {"thresholds": thresholds, "scores": values}
        return self._publish(
            X, classes_=classes, estimator_=model, best_threshold_=float(thresholds[best]),
            best_score_=float(values[best]), strategy_=strategy, _response=method,
            _positive=positive, _threshold=float(thresholds[best]),
            n_features_in_=width_of(rows, model), **results,
        )  # fmt: skip

    def _with_threads(self) -> Any:
        """The estimator, with the threads that were asked for."""
        known = hasattr(self.estimator, "get_params")
        if (
            self.n_jobs is None
            or not known
            or "n_jobs" not in self.estimator.get_params(deep=False)
        ):
            return self.estimator
        return with_params(self.estimator, {"n_jobs": self.n_jobs})

    def _positive_of(self, scorer: Any, classes: Any) -> Any:
        """The positive class: the user's, that of the score, or the second."""
        label = self.pos_label
        if label is None and isinstance(scorer, Scorer):
            label = scorer.arguments.get("pos_label")
        return classes.tolist()[1] if label is None else positive_label(label, classes)

    def _held_out(
        self,
        params: Any,
        rows: Any,
        labels: Any,
        weights: Any,
        groups: Any,
        method: Any,
        positive: Any,
    ) -> Any:
        """Scores of rows held out by each fold; the model, unless it is refitted; the strategy."""
        cv, classes = self.cv, np.unique(labels)
        if isinstance(cv, str):
            as_choice(cv, "cv", (PREFIT,))
            if params.refit:
                raise ValueError(
                    "refit must be False with cv='prefit', as the estimator is fitted; got True."
                )
            scores = positive_scores(self.estimator, method, rows, positive, classes)
            return [HeldOutScores(labels, scores, weights)], self.estimator, PREFIT
        if isinstance(cv, Real) and not isinstance(cv, bool | int | np.integer):
            share = real(0, 1, open_low=True, open_high=True)(cv, "cv")
            cv = StratifiedShuffleSplit(1, test_size=share, random_state=self.random_state)
        estimator = self._with_threads()
        folds = as_plan(self, rows, labels, cv, groups, weights)
        folds.arguments.clear()  # groups are for the splitter
        if not params.refit and len(folds) > 1:
            raise ValueError(
                f"refit must be True where cv has several folds; got False and {len(folds)} folds. "
                "Pass a share of the samples as cv."
            )
        fits = FoldFits(estimator, folds, methods=frozenset({method}) if params.refit else None)
        held = []
        for (_, test), fold in zip(folds.pairs, fits, strict=True):
            model = fold.only_model()
            if weights is not None:
                require_weight(weights[test])
                test = test[weights[test] > 0.0]
            scores = positive_scores(model, method, rows_of_fold(fold.X, test), positive, classes)
            held.append(HeldOutScores(labels[test], scores, take_rows(weights, test)))
        return held, None if params.refit else model, fits.strategy

    def _by_criterion(self, params: Any, held: Any, positive: Any) -> Any:
        """The threshold that is best for all rows held out: the only one of the results."""
        y, scores = (np.concatenate([getattr(h, name) for h in held]) for name in ("y", "scores"))
        weights = None
        if held[0].weights is not None:
            weights = np.concatenate([h.weights for h in held])
        point = choose_threshold(
            y, scores, params.criterion, cost=params.cost, prevalence=params.prevalence,
            beta=params.beta, target=params.target, pos_label=positive, sample_weight=weights,
        )  # fmt: skip
        return np.array([point.threshold]), np.array([point.value]), 0


def as_label_scorer(scoring: Any, pos_label: Any) -> Any:
    """A score of predicted labels, by its name or as a function; the positive class is the user's
    where there is one."""
    if not (isinstance(scoring, str) or callable(scoring)):
        raise TypeError(
            f"scoring must be a name or a function here; got {shown(scoring)}. Name one of "
            "statfast.metrics.get_scorer_names()."
        )
    scorer = get_scorer(scoring)
    if isinstance(scorer, Scorer) and scorer.response != "predict":
        raise ValueError(
            f"scoring must be a score of predicted labels, which a threshold changes; {scoring!r} "
            f"asks for {scorer.response}. Pass 'balanced_accuracy'."
        )
    if pos_label is None or not isinstance(scorer, Scorer):
        return scorer
    if "pos_label" not in signature(scorer.function).parameters:
        return scorer
    return replace(scorer, arguments={**scorer.arguments, "pos_label": pos_label})


def mean_scores(held: Any, scorer: Any, thresholds: Any, classes: Any, positive: Any) -> Any:
    """Thresholds, and the mean over the folds of the score at each: (T,) both."""
    curves = []
    for fold in held:
        if isinstance(thresholds, int):
            low, high = fold.scores.min(), fold.scores.max()
            if np.isclose(low, high):
                raise ValueError(
                    "The provided estimator makes constant predictions: all scores of the rows of "
                    f"X that a fold holds out are {shown(low)}, and no threshold parts them. Pass "
                    "fewer folds, or another estimator."
                )
            cuts = np.linspace(low, high, thresholds)
        else:
            cuts = np.sort(thresholds)
        curves.append((cuts, [score_at(fold, cut, scorer, classes, positive) for cut in cuts]))
    if not isinstance(thresholds, int):
        return curves[0][0], np.mean([values for _, values in curves], axis=0)
    low, high = min(cuts[0] for cuts, _ in curves), max(cuts[-1] for cuts, _ in curves)
    common = np.linspace(low, high, thresholds)
    return common, np.mean([np.interp(common, *curve) for curve in curves], axis=0)


def score_at(fold: Any, threshold: Any, scorer: Any, classes: Any, positive: Any) -> Any:
    """The score of the labels that a threshold gives the rows of a fold."""
    labels = labels_of(fold.scores, threshold, classes, positive)
    model = Answers({"predict": labels}, classes)
    weighted = {} if fold.weights is None else {"sample_weight": fold.weights}
    return as_number(scorer(model, fold.scores[:, None], fold.y, **weighted), "scoring")
