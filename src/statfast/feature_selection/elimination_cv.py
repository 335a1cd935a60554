# SPDX-License-Identifier: BSD-3-Clause
"""Recursive elimination, of which cross-validation chooses the number of columns that are left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import (
    MERGED,
    Folds,
    FoldTask,
    by_fit,
    count,
    delegated,
    fitted,
    flag,
    handed,
    jobs,
    one_of,
    param,
    removed,
    take_columns,
    take_rows,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Weights
from statfast._validation import warn_user
from statfast.feature_selection.column_subsets import ColumnSweeps, SubsetSums, subset_sums
from statfast.feature_selection.elimination import RFE, Elimination, as_table
from statfast.feature_selection.importances import as_learner, holds_missing, trained
from statfast.feature_selection.subset_scores import (
    SizeScores,
    choose_size,
    inner_folds,
    require_two_columns,
    unit_of,
)
from statfast.metrics import get_scorer
from statfast.model_selection.evaluation.fold_strategies import (
    REFIT,
    overrides_fit_or_answers,
    with_arguments,
)
from statfast.model_selection.evaluation.scoring import (
    as_number,
    as_one_scorer,
    classifies,
    methods_asked,
    of_squares,
    plan_of_fits,
    threaded_copy,
)


@dataclass(frozen=True)
class SweptFit:
    """What an elimination asks of a fit that sweeps have made."""

    coef_: NDArray[np.float64]
    mean_square: float  # on the rows held out


class FoldEliminations:
    """The eliminations of each fold, by merged statistics where these give the fits."""

    def __init__(self, selector: RFECV, estimator: Any, folds: Folds, scorer: Any) -> None:
        self.selector, self.estimator, self.folds = selector, estimator, folds
        self.scorer = scorer
        self.width = folds.X.shape[1]
        self.sums: SubsetSums | None = None
        if not overrides_fit_or_answers(estimator):
            # What a function is that tells importances, nobody knows.
            plain = isinstance(selector.importance_getter, str)
            methods = methods_asked({"score": scorer}, estimator) if plain else None
            self.sums = subset_sums(estimator, FoldTask(folds, methods=methods))
        alike = folds.is_scored_as_fitted("score")
        self.of_squares = of_squares(scorer, estimator) if alike else None
        known = self.sums is not None and selector.importance_getter in ("auto", "coef_")
        self.sweeps: ColumnSweeps | None = None
        if self.sums is not None and known and self.of_squares is not None:
            self.sweeps = self.sums.sweeps()

    @property
    def path(self) -> str:
        """How models were fitted."""
        return REFIT if self.sums is None else MERGED

    def of_fold(self, k: int, wanted: int) -> tuple[list[Elimination], Array]:
        """The steps in the rows that a fold fits, and their scores on those that it holds out."""
        fit, score = self._fit_of_fold(k), self._score_of_fold(k)
        steps, scores = [], []
        for step in self.selector._eliminate(fit, self.width, wanted):
            scores.append(score(step.model, step.remaining))
            steps.append(replace(step, model=None))
        return steps, np.array(scores)

    def score(self, k: int, columns: Array) -> float:
        """The score of a fold's model of some columns."""
        return self._score_of_fold(k)(self._fit_of_fold(k)(columns), columns)

    def _fit_of_fold(self, k: int) -> Callable[[Array], Any]:
        """A function that fits some columns of the rows that a fold fits."""
        sums = self.sums
        if sums is None:
            return self._fit_of(self.folds.train(k))

        def fit_sums(remaining: Array) -> Any:
            swept = None if self.sweeps is None else self.sweeps.coefficients(k, remaining.tolist())
            if swept is not None:
                return SweptFit(*swept)
            model = sums.model(k, remaining)
            if isinstance(model, Exception):
                raise model
            return model

        return fit_sums

    def _score_of_fold(self, k: int) -> Callable[[Any, Array], float]:
        """A function that scores a model of some columns on the rows that a fold holds out."""
        folds, test = self.folds, self.folds.pairs[k][1]
        held = take_rows(folds.X if self.sums is None else self.sums.X, test)
        y = take_rows(folds.y, test)
        arguments = folds.arguments_of_score("score", test)

        def score(model: Any, columns: Array) -> float:
            if isinstance(model, SweptFit):
                assert self.of_squares is not None
                assert self.sweeps is not None
                return float(self.of_squares(model.mean_square, self.sweeps.variances[k]))
            asked, rows = with_arguments(folds, model, test), take_columns(held, columns.tolist())
            return as_number(self.scorer(asked, rows, y, **arguments), "scoring")

        return score

    def of_all(self, wanted: int) -> Elimination:
        """The last step in all rows, and the model that is fitted to them."""
        fit_rows = self._fit_of(np.arange(self.folds.n))
        fit = fit_rows if self.sums is None else self.sums.model_of_all
        *_, last = self.selector._eliminate(fit, self.width, wanted)
        return last if self.sums is None else replace(last, model=fit_rows(last.remaining))

    def _fit_of(self, places: Array) -> Callable[[Array], Any]:
        """A function that fits some columns of some rows."""
        folds = self.folds
        rows, y = take_rows(folds.X, places), take_rows(folds.y, places)
        arguments = folds.arguments_of(places)
        weights = arguments.pop("sample_weight", None)

        def fit_columns(remaining: Array) -> Any:
            columns = take_columns(rows, remaining.tolist())
            return trained(self.estimator, columns, y, weights, arguments)

        return fit_columns


class RFECV(RFE):
    """Recursive feature elimination that cross-validates the number of features.

    Parameters
    ----------
    estimator : object
        What is fitted, and then has ``coef_`` or ``feature_importances_``.
    min_features_to_select : int, default=1
        The least number of features, which is scored even if the steps do not meet it.
    cv : int, splitter or iterable of (train, test), optional
        None is 5 folds; an integer is `KFold` or, for classifiers, `StratifiedKFold`.
    scoring : str or callable, optional
        A name of ``statfast.metrics.get_scorer_names``, or a function of (estimator, X, y). None
        is "accuracy" for classifiers, else "r2".
    n_jobs : int, optional
        Threads of each fit, if the estimator has a parameter of this name; None leaves that to it.
    rule : {"min", "1se"}, default="min"
        The number of features: that of the highest mean score, or the least within a standard
        error of it.
    nested : bool, default=False
        Whether to select once more inside of each fold, for scores on rows that had no part in the
        selection.
    step : int or float, default=1
        How many features each step removes, or which share of all of them (at least one).
    verbose : int, default=0
        If not 0, each fit prints the number of features before it.
    importance_getter : str or callable, default="auto"
        "auto" takes ``coef_`` or ``feature_importances_``; else the name of an attribute, with dots
        for attributes of attributes, or a function of the fitted model.

    Attributes
    ----------
    estimator_ : object
        The estimator fitted to the selected features.
    n_features_ : int
        Number of selected features.
    ranking_ : ndarray of int, shape (d,)
        1 for selected features, 2 for those removed last, and so on.
    support_ : ndarray of bool, shape (d,)
        The mask of the selected features.
    size_scores_ : SizeScores
        Scores by the number of features, with their standard errors, the best number and the least
        within a standard error, and the nested scores; it prints as a table and has ``plot()``.
    cv_results_ : dict of ndarray
        The same as arrays, with one entry for each number of features, ascending: "n_features",
        "mean_test_score", "std_test_score", "se_test_score" and, of each fold, "split0_test_score",
        "split0_ranking" and "split0_support", the latter two of shape (S, d).
    path_ : str
        How models were fitted: "merged statistics" where the rows are read once for all of them,
        or "refit".
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    RFE : To a given number of features.
    SequentialFeatureSelector : Follows scores in each step.

    Notes
    -----
    In each fold, features are eliminated by the rows that it fits, and each step is scored on the
    rows that it holds out; then features are eliminated by all rows, to the number that is chosen.
    Where the fit is a sum over the rows (as in `SequentialFeatureSelector`), no row is fitted
    again: the sums of the folds, of all features, give the models of those that remain. Other
    estimators are fitted to the rows of each fold in each step.

    Of equal importances the last column goes first, of equal scores the least number of features
    is taken: equal within 1e-10 of them (of 1, for "r2"). The scores by number are those of
    features that were eliminated without the rows that are scored; that of the number that is
    chosen by them is still too high. `nested` scores are honest, and cost as much again for each
    fold. Coefficients depend on the units of the columns: scale these first.

    References
    ----------
    .. [1] Guyon, I., Weston, J., Barnhill, S. and Vapnik, V. (2002). Gene selection for cancer
       classification using support vector machines. Machine Learning 46, 389-422.
       https://doi.org/10.1023/A:1012487302797
    .. [2] Ambroise, C. and McLachlan, G. J. (2002). Selection bias in gene extraction on the basis
       of microarray gene-expression data. PNAS 99, 6562-6566.
       https://doi.org/10.1073/pnas.102102699

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import RFECV, LinearRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> y = 3 * X[:, 1] - 2 * X[:, 4] + rng.normal(size=100)
    >>> selector = RFECV(LinearRegression(), rule="1se").fit(X, y)
    >>> selector.get_support(indices=True), selector.path_
    (array([1, 4]), 'merged statistics')
    >>> selector.cv_results_["mean_test_score"].round(2)[:3]
    array([0.61, 0.91, 0.91])
    """

    n_features_to_select: float | None = removed()
    min_features_to_select: int = param(count(), default=1)
    cv: Any = param(by_fit, default=None)
    scoring: str | Callable[..., Any] | None = param(by_fit, default=None)
    n_jobs: Jobs = param(jobs, default=None)
    rule: Literal["min", "1se"] = param(one_of("min", "1se"), default="min")
    nested: bool = param(flag, default=False)

    size_scores_: SizeScores = fitted()
    cv_results_: dict[str, Any] = fitted()
    path_: str = fitted()

    def fit(
        self,
        X: Rows,
        y: ArrayLike | None = None,
        sample_weight: Weights = None,
        *,
        groups: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Eliminate features in each fold, choose their number, and eliminate them in all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or data frame
            Training samples, of two features or more.
        y : array-like of shape (n,), optional
            Labels or numbers, as the estimator wants them.
        sample_weight : array-like of shape (n,), optional
            Weights of fits and scores.
        groups : array-like of shape (n,), optional
            Group of each sample, for splitters that keep groups together.
        **fit_params : object
            Further arguments of the estimator's ``fit``, as those of `cross_validate`.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is out of its range, there are fewer than two features, the folds do not
            fit the rows, or a fitted estimator has no importance for each column.
        TypeError
            If a parameter is of the wrong type, if the estimator has no ``fit``, or takes no
            weights and gets some.

        Warns
        -----
        UserWarning
            If `min_features_to_select` is more features than there are.
        """
        checked = self._checked()
        as_learner(self.estimator)
        rows = as_table(handed(X))
        require_two_columns(self, rows)
        d = rows.shape[1]
        if checked.min_features_to_select > d:
            warn_user(
                f"min_features_to_select={checked.min_features_to_select} is more than the {d} "
                "features of X: all of them are selected."
            )
        estimator = threaded_copy(self.estimator, self.n_jobs)
        scorer = self._scorer()
        folds = plan_of_fits(
            estimator, rows, y, self.cv, groups, fit_params, sample_weight, {"score": scorer}
        )
        table, by_fold, last, results = self._eliminations(estimator, folds, scorer)
        if self.nested:
            table = replace(table, nested=self._nested(by_fold))
        return self._publish(
            X, **last.attributes(), size_scores_=table, cv_results_=results, path_=table.path,
            _takes_missing=holds_missing(rows),
        )  # fmt: skip

    def _eliminations(
        self, estimator: Any, folds: Folds, scorer: Any
    ) -> tuple[SizeScores, FoldEliminations, Elimination, dict[str, Any]]:
        """Scores by number of features, and the elimination in all rows, to the one chosen."""
        d, least = folds.X.shape[1], self._checked_value("min_features_to_select")
        by_fold = FoldEliminations(self, estimator, folds, scorer)
        paths = [by_fold.of_fold(k, min(least, d)) for k in range(len(folds))]
        sizes = np.array([len(step.remaining) for step in paths[0][0]][::-1], dtype=np.intp)
        scores = np.array([values[::-1] for _, values in paths]).T
        unit = unit_of(of_squares(scorer, estimator))
        best, within = choose_size(sizes, scores, unit)
        size = within if self.rule == "1se" else best
        table = SizeScores(sizes, scores, best, within, size, by_fold.path)
        results = table._results()
        for name in ("ranking", "support"):
            results |= {
                f"split{k}_{name}": np.array([getattr(step, name) for step in steps[::-1]])
                for k, (steps, _) in enumerate(paths)
            }
        return table, by_fold, by_fold.of_all(size), results

    def _nested(self, by_fold: FoldEliminations) -> NDArray[np.float64]:
        """Scores of each fold by what is selected without it."""
        folds, scores = by_fold.folds, np.empty(len(by_fold.folds))
        for k in range(len(folds)):
            inside = inner_folds(folds, k)
            _, _, last, _ = self._eliminations(by_fold.estimator, inside, by_fold.scorer)
            scores[k] = by_fold.score(k, last.remaining)
        return scores

    def _scorer(self) -> Any:
        if self.scoring is None:
            return get_scorer("accuracy" if classifies(self.estimator) else "r2")
        return as_one_scorer(self.scoring, self.estimator)

    def _table(self) -> Any:
        facts, columns, order = super()._table()
        return [*facts, *self.size_scores_._facts()], columns, order

    @delegated("score")
    def score(
        self, X: Rows, y: ArrayLike, sample_weight: Weights = None, **score_params: Any
    ) -> float:
        """Return the score of the estimator, by the selected features and by `scoring`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or data frame
            Samples of all features.
        y : array-like of shape (m,)
            Labels or numbers.
        sample_weight : array-like of shape (m,), optional
            Weights of the samples; None is 1 for all.
        **score_params : object
            Further arguments of the score.

        Returns
        -------
        float
        """
        rows, options = self._selected(X), dict(score_params)
        if sample_weight is not None:
            options["sample_weight"] = sample_weight
        return float(self._scorer()(self.estimator_, rows, y, **options))
