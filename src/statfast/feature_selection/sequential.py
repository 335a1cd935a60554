# SPDX-License-Identifier: BSD-3-Clause
"""Sequential selection: one column more or less in each step, by the score on rows held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from statfast._engine import checkpoint
from statfast._estimator import (
    Estimator,
    Folds,
    HandsWeightsOn,
    by_fit,
    checked_by,
    count,
    fitted,
    flag,
    handed,
    jobs,
    nothing,
    one_of,
    param,
    real,
    with_tags_of,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Weights
from statfast._validation import as_count, as_real, shown
from statfast.feature_selection.elimination import as_table
from statfast.feature_selection.importances import as_learner, holds_missing, trained
from statfast.feature_selection.selector import FeatureSelector
from statfast.feature_selection.subset_scores import (
    SizeScores,
    SubsetScores,
    best_place,
    choose_size,
    inner_folds,
    require_two_columns,
    unit_of,
)
from statfast.model_selection.evaluation.scoring import (
    as_one_scorer,
    plan_of_fits,
    threaded_copy,
)

SIZES = ("auto", "best")


def as_size(value: Any, name: str) -> Any:
    """Check a number of columns, a share of them, or one of `SIZES`."""
    if isinstance(value, str):
        if value not in SIZES:
            raise ValueError(f"{name} must be a number, 'auto' or 'best'; got {shown(value)}.")
        return value
    if isinstance(value, float | np.floating):
        return as_real(value, name, 0, 1, open_low=True)
    return as_count(value, name)


@dataclass
class SizePath:
    """The sets of columns that steps came to, by their size, and their scores."""

    sets: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    scores: dict[int, Array] = field(default_factory=dict[int, Array])

    def note(self, columns: list[int], scores: Array) -> None:
        """Keep a set."""
        self.sets[len(columns)], self.scores[len(columns)] = columns, scores

    def is_better(self, columns: list[int], scores: Array, unit: float) -> bool:
        """Whether a set has a higher mean than the one of this size that is kept, if any."""
        before = self.scores.get(len(columns))
        return before is None or best_place(np.array([before.mean(), scores.mean()]), unit) == 1


@dataclass(frozen=True)
class SequentialSearch:
    """A sequential search: its direction, where it ends, and what it has to gain."""

    forward: bool
    floating: bool
    last: int  # the number of columns where it ends
    gain: float | None  # Ends where the mean score does not rise by so much.
    unit: float  # See `unit_of`.

    def run(self, scores: SubsetScores, d: int) -> SizePath:
        """The steps from no column, or from all of them."""
        steps, selected = SizePath(), [] if self.forward else list(range(d))
        if not self.forward:
            steps.note(selected, scores.scores_of(selected))
        before = -np.inf
        while len(selected) != self.last:
            checkpoint()
            new, of_new = self._step(scores, selected, d, self.forward)
            mean = float(of_new.mean())
            if self.gain is not None and mean - before < self.gain:
                break
            before = mean
            if steps.is_better(new, of_new, self.unit):
                steps.note(new, of_new)
            selected = self._float(scores, steps, new, d) if self.floating else new
            before = float(steps.scores[len(selected)].mean())
        return steps

    def _step(
        self, scores: SubsetScores, selected: list[int], d: int, forward: bool
    ) -> tuple[list[int], Array]:
        """The best set of one column more or less, and its scores."""
        if forward:
            taken = set(selected)
            rest = [j for j in range(d) if j not in taken]
            found = scores.with_each(selected, rest)
            place = best_place(found.mean(axis=1), self.unit)
            return sorted([*selected, rest[place]]), found[place]
        found = scores.without_each(selected)
        place = best_place(found.mean(axis=1), self.unit)
        return [j for j in selected if j != selected[place]], found[place]

    def _float(
        self, scores: SubsetScores, steps: SizePath, selected: list[int], d: int
    ) -> list[int]:
        """Steps back, as long as they find better sets of their size."""
        selected = steps.sets[len(selected)]
        least, most = (2, d) if self.forward else (0, d - 1)
        while least < len(selected) if self.forward else len(selected) < most:
            back, of_back = self._step(scores, selected, d, not self.forward)
            if not steps.is_better(back, of_back, self.unit):
                break
            steps.note(back, of_back)
            selected = back
        return selected


class SequentialFeatureSelector(FeatureSelector, HandsWeightsOn, Estimator):
    """Sequential feature selection: in each step the column that the cross-validated score wants.

    Parameters
    ----------
    estimator : estimator
        What is fitted to some of the columns.
    n_features_to_select : int, float, "auto" or "best", default="auto"
        How many features are selected, fewer than there are, or which share of them. "auto" stops
        where the score does not rise by `tol`; without `tol` it is half of them. "best" goes all
        the way, and takes the number that `rule` names.
    tol : float, optional
        Least gain of a step, for "auto"; it may be negative for ``direction="backward"``.
    direction : {"forward", "backward"}, default="forward"
        Add features to none, or take features from all.
    scoring : str or callable, optional
        A name of ``statfast.metrics.get_scorer_names``, or a function of (estimator, X, y). None
        is the estimator's own ``score``.
    cv : int, splitter or iterable of (train, test), default=5
        None is 5 folds; an integer is `KFold` or, for classifiers, `StratifiedKFold`.
    n_jobs : int, optional
        Threads of each fit, if the estimator has a parameter of this name; None leaves that to it.
    floating : bool, default=False
        Whether after each step features go back, one by one, as long as this gives a better set
        of that size than has been found before [1]_.
    rule : {"min", "1se"}, default="min"
        The number of features, for "best": that of the highest mean score, or the least within a
        standard error of it.
    nested : bool, default=False
        Whether to select once more inside of each fold, for scores on rows that had no part in the
        selection.
    n_refits : int, optional
        An approximation for `LogisticRegression` and `GeneralizedLinearModel`: the number
        of candidates that are fitted and scored in each step, the most promising by one Newton step
        of the models of the selected features. The sets may differ from those of None, which scores
        all.

    Attributes
    ----------
    support_ : ndarray of bool, shape (d,)
        The mask of the selected features.
    n_features_to_select_ : int
        Number of selected features.
    size_scores_ : SizeScores
        Scores by the number of features, with their standard errors, the best number and the least
        within a standard error, and the nested scores; it prints as a table and has ``plot()``.
    cv_results_ : dict of ndarray
        The same as arrays: "n_features", ascending, "mean_test_score", "std_test_score",
        "se_test_score" and "split0_test_score" to that of the last fold.
    path_ : str
        How models were fitted: "merged statistics" where the rows are read once for all of them;
        else as `cross_validate` says.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    RFECV : Follows importances; a fit for each number of features and fold.
    best_subset : The best of all sets, for least squares.

    Notes
    -----
    **Without refits.** `LinearRegression`, `Ridge`, `LinearDiscriminantAnalysis`,
    `QuadraticDiscriminantAnalysis`, `GaussianNB`, `LeastSquaresClassifier` and `RidgeClassifier`
    are fitted from sums over the rows, so that the sums of the folds, of all features, give the
    models of any of them. For least squares and ridge of one target, scored by "r2" or squared
    errors, a step is a sweep of the triangular factors of the folds: O(d^2) a fold for all
    candidates together, and rows are not read again. The sets and scores are those of refits,
    except for rounding, which the condition of the columns magnifies alike; candidates that are
    nearly dependent on the selected ones are solved by themselves. The accuracy of normal classes
    changes by a term of each row for a column more or less, given the selected ones, so that no
    candidate predicts; it takes a float64 copy of the rows. Of other estimators, each candidate is
    cross-validated by itself.

    **Newton steps**, with `n_refits`: score tests [3]_ of the columns that are not selected, or
    Wald tests of those that are, summed over the rows that folds fit, choose the candidates of a
    step; all scores that are given are of fits. The first column is chosen among all. `path_` has
    "newton steps" where they chose; other estimators, and l1 penalties, fit all candidates.

    **Ties**: of candidates whose mean scores differ by less than 1e-10 of them (of 1, for "r2"),
    the lowest column is taken.

    A score that chose something is too high for it: `nested` scores are honest. They cost as much
    again for each fold. Features are not scaled.

    References
    ----------
    .. [1] Pudil, P., Novovicova, J. and Kittler, J. (1994). Floating search methods in feature
       selection. Pattern Recognition Letters 15, 1119-1125.
       https://doi.org/10.1016/0167-8655(94)90127-9
    .. [2] Cawley, G. C. and Talbot, N. L. C. (2010). On over-fitting in model selection and
       subsequent selection bias in performance evaluation. JMLR 11, 2079-2107.
    .. [3] Rao, C. R. (1948). Large sample tests of statistical hypotheses concerning several
       parameters. Mathematical Proceedings of the Cambridge Philosophical Society 44, 50-57.
       https://doi.org/10.1017/S0305004100023987

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import LinearRegression, SequentialFeatureSelector
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 6))
    >>> y = 3 * X[:, 1] - 2 * X[:, 4] + rng.normal(size=100)
    >>> selector = SequentialFeatureSelector(
    ...     LinearRegression(), n_features_to_select="best", rule="1se", nested=True
    ... ).fit(X, y)
    >>> selector.get_support(indices=True), selector.path_
    (array([1, 4]), 'merged statistics')
    >>> round(selector.size_scores_.nested_score[0], 2)
    0.91
    """

    estimator: Any = param(by_fit, default=None, kw_only=False)
    n_features_to_select: float | Literal["auto", "best"] = param(
        checked_by(as_size, "auto", 1, 0.5, "best"), default="auto"
    )
    tol: float | None = param(nothing | real(), default=None)
    direction: Literal["forward", "backward"] = param(
        one_of("forward", "backward"), default="forward"
    )
    scoring: str | Callable[..., Any] | None = param(by_fit, default=None)
    cv: Any = param(by_fit, default=5)
    n_jobs: Jobs = param(jobs, default=None)
    floating: bool = param(flag, default=False)
    rule: Literal["min", "1se"] = param(one_of("min", "1se"), default="min")
    nested: bool = param(flag, default=False)
    n_refits: int | None = param(nothing | count(), default=None)

    support_: NDArray[np.bool_] = fitted()
    n_features_to_select_: int = fitted()
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
        """Select features.

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
            If a parameter is out of its range, there are fewer than two features, no more than
            are to be selected, the folds do not fit the rows, or all fits of a candidate fail.
        TypeError
            If a parameter is of the wrong type, if the estimator has no ``fit``, or takes no
            weights and gets some.

        Warns
        -----
        FitFailedWarning
            If some fits of a candidate fail, whose mean score is NaN then, below all others.
        """
        checked = self._checked()
        as_learner(self.estimator)
        rows = as_table(handed(X))
        require_two_columns(self, rows)
        d = rows.shape[1]
        if checked.tol is not None and checked.tol < 0 and checked.direction == "forward":
            raise ValueError(
                f"tol must be strictly positive when doing forward selection; got {checked.tol}. "
                'Raise it, or pass direction="backward".'
            )
        estimator = threaded_copy(self.estimator, self.n_jobs)
        scorer = as_one_scorer(self.scoring, estimator)
        folds = plan_of_fits(
            estimator, rows, y, self.cv, groups, fit_params, sample_weight, {"score": scorer}
        )
        if isinstance(rows, np.ndarray) and not _is_finite(rows):
            # Whether the estimator takes such rows, and what is wrong if not, says a fit.
            trained(estimator, rows, y, folds.weights, folds.arguments)
        selected, table = self._selected(estimator, folds, scorer, d)
        support = np.zeros(d, dtype=bool)
        support[selected] = True
        return self._publish(
            X, support_=support, n_features_to_select_=len(selected), size_scores_=table,
            cv_results_=table._results(), path_=table.path, n_features_in_=d,
            _takes_missing=holds_missing(rows),
        )  # fmt: skip

    def _selected(
        self, estimator: Any, folds: Folds, scorer: Any, d: int
    ) -> tuple[list[int], SizeScores]:
        """The selected columns, and the scores by their number."""
        scores = SubsetScores(estimator, folds, scorer, self._checked_value("n_refits"))
        search = self._search(d, unit_of(scores.of_squares))
        steps = search.run(scores, d)
        sizes = np.array(sorted(steps.sets), dtype=np.intp)
        values = np.array([steps.scores[size] for size in sizes])
        best, within = choose_size(sizes, values, search.unit)
        if self.n_features_to_select == "best":
            size = within if self.rule == "1se" else best
        else:
            size = int(sizes[-1] if search.forward else sizes[0])
        nested, paths = None, scores.paths
        if self.nested:
            nested, paths = np.empty(len(folds)), set(paths)
            for k in range(len(folds)):
                inside = inner_folds(folds, k)
                columns, table = _unnested(self)._selected(estimator, inside, scorer, d)
                nested[k] = scores.scores_of(columns)[k]
                paths |= {table.path}
        path = ", ".join(sorted(paths))
        return steps.sets[size], SizeScores(sizes, values, best, within, size, path, nested)

    def _search(self, d: int, unit: float) -> SequentialSearch:
        """Where the steps lead to, of d columns."""
        wanted, forward = self._checked_value("n_features_to_select"), self.direction == "forward"
        tol = self._checked_value("tol")
        gain = None
        if wanted == "best":
            last = d if forward else 1
        elif wanted == "auto" and tol is not None:
            last, gain = (d - 1 if forward else 1), tol
        elif wanted == "auto":
            last = d // 2 if forward else d - d // 2
        elif isinstance(wanted, int):
            if wanted >= d:
                raise ValueError(
                    f"n_features_to_select must be < n_features ({d}); got {wanted}. Lower it."
                )
            last = wanted
        else:
            last = max(1, int(wanted * d))
        return SequentialSearch(forward, bool(self.floating), last, gain, unit)

    # ------------------------------------------------------------ the fitted selector
    def _support(self) -> NDArray[np.bool_]:
        return self.support_

    def _table(self) -> Any:
        facts = [("Estimator", type(self.estimator).__name__), ("Direction", self.direction)]
        return facts + self.size_scores_._facts(), {}, np.arange(len(self.support_))

    def __sklearn_tags__(self) -> Any:
        tags = with_tags_of(super().__sklearn_tags__(), self.estimator)
        ask = getattr(self.estimator, "__sklearn_tags__", None)
        if ask is not None and not isinstance(self.estimator, type):
            tags.target_tags = ask().target_tags
        return tags


def _is_finite(rows: Array) -> bool:
    """Whether an array holds finite numbers alone."""
    if rows.dtype.kind in "iub":
        return True
    return rows.dtype.kind == "f" and bool(np.isfinite(rows).all())


def _unnested(selector: Any) -> Any:
    """The same selector without nested scores."""
    new = type(selector)(**selector.get_params(deep=False))
    new.nested = False
    return new
