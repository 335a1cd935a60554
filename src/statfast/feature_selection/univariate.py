# SPDX-License-Identifier: BSD-3-Clause
"""Selectors of the columns whose scores, each by itself, are the best."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from statfast._engine import Chunks
from statfast._estimator import FitState, SumFit, callable_, count, fitted, one_of, real
from statfast._estimator import param as param_
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import (
    as_choice,
    as_count,
    as_csr,
    as_real,
    as_rows,
    as_weights,
    column_names,
    is_sparse,
    warn_user,
)
from statfast.feature_selection.class_scores import CLASS_COUNTS, CLASS_MEANS, chi2, f_classif
from statfast.feature_selection.correlations import (
    CORRELATION,
    SLOPE,
    f_regression,
    r_regression,
)
from statfast.feature_selection.score_sums import ScoreSums, score_statistics
from statfast.feature_selection.selector import FeatureSelector, best_first, largest

SUMS_OF = {
    f_classif: CLASS_MEANS,
    chi2: CLASS_COUNTS,
    f_regression: SLOPE,
    r_regression: CORRELATION,
}
STATISTICS = {f_classif: "F", f_regression: "F", chi2: "Chi2", r_regression: "r"}


class UnivariateSelector(FeatureSelector, SumFit):
    """What selectors by a score of each column share; a subclass gives `_chosen`."""

    score_func: Callable[..., Any] = param_(callable_, default=f_classif, kw_only=False)

    scores_: NDArray[np.float64] = fitted()
    pvalues_: NDArray[np.float64] | None = fitted()

    _needs_p_values: ClassVar[bool] = False
    _statistics = staticmethod(score_statistics)
    _kept_sums = "_sums"

    def _chosen(self, scores: Array, p_values: Array | None) -> Array:
        """The mask of the features to keep, with the parameters checked."""
        raise NotImplementedError

    def fit(self, X: Rows, y: ArrayLike | None = None, sample_weight: Weights = None) -> Self:
        """Score the features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or Chunks
            Training samples; a score function of your own gets them as an array, or as CSR.
        y : array-like of shape (n,), optional
            Labels or numbers, as the score function wants them.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples, if the score function takes them; an integer weight equals a
            repeated sample.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is out of its range, if the score function gives no score for each
            column, or no p-values where they are needed; and what the score function refuses.
        TypeError
            If a parameter is of the wrong type, or weights are given to a score function that takes
            none.

        Warns
        -----
        UserWarning
            If more features are asked for than there are.
        """
        return self._fit_sum(X, y, sample_weight)

    # ------------------------------------------------------------ the protocol of sums
    def _score_sums(self) -> ScoreSums | None:
        """The sums that the score function is solved from; None for one of a user's."""
        try:
            return SUMS_OF.get(self._checked_value("score_func"))
        except TypeError:
            if callable(self.score_func):  # one that has no hash
                return None
            raise

    def _adds_up(self, columns: Any = None) -> bool:
        return self._score_sums() is not None

    def _has_labels(self) -> bool:
        sums = self._score_sums()
        return sums is not None and sums.has_labels

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> tuple[tuple[Any, ...], FitState]:
        self._checked()
        sums = self._score_sums()
        if sums is not None:
            return sums.prepare(X, y, sample_weight)
        if isinstance(X, Chunks):
            raise TypeError(
                f"{self._score_name()} needs all rows at once; got Chunks. Pass rows in memory, or "
                "one of f_classif, f_regression, r_regression and chi2."
            )
        rows = as_csr(X) if is_sparse(X) else as_rows(X)
        weights = as_weights(sample_weight, rows.shape[0])
        return (rows, y, weights), FitState(rows.shape[1], column_names(X))

    def _total(self, columns: tuple[Any, ...], state: FitState) -> Any:
        return state.more.total(columns, state)

    def _check_block(self, rows: Array, state: FitState) -> None:
        """Statistics refuse what is not finite themselves."""

    def _solve(self, sums: Any, state: FitState) -> Self:
        scores, p_values = state.more.solve(sums)
        return self._publish_scores(scores, p_values, state)

    def _fit_local(self, columns: tuple[Any, ...], state: FitState) -> Self | None:
        """By a score function of a user's."""
        if state.more is not None:
            return None
        rows, y, weights = columns
        options = {}
        if weights is not None:
            if "sample_weight" not in inspect.signature(self.score_func).parameters:
                raise TypeError(
                    f"{self._score_name()} takes no sample_weight; got weights. Leave them out."
                )
            options["sample_weight"] = weights
        answer = self.score_func(rows, y, **options)
        paired = isinstance(answer, tuple | list) and len(answer) == 2 and np.ndim(answer[0]) == 1
        scores, p_values = answer if paired else (answer, None)
        scores = self._as_scores(scores, "scores", state.n_features)
        if p_values is not None:
            p_values = self._as_scores(p_values, "p-values", state.n_features)
        return self._publish_scores(scores, p_values, state)

    def _as_scores(self, values: Any, name: str, d: int) -> NDArray[np.float64]:
        array = np.array(values, dtype=np.float64)
        if array.shape != (d,):
            raise ValueError(
                f"{self._score_name()} must give {name} of shape ({d},), one for each column of X; "
                f"got {array.shape}."
            )
        return array

    def _publish_scores(self, scores: Array, p_values: Array | None, state: FitState) -> Self:
        d = len(scores)
        if self._asks_for_p_values() and p_values is None:
            raise ValueError(
                f"{type(self).__name__} tests p-values, of which {self._score_name()} gives none. "
                "Use SelectKBest or SelectPercentile, or a score function that gives them."
            )
        self._warn_of_width(d)
        published = {**state.published(), "n_features_in_": d}  # Chunks know it after the pass.
        return self._publish(None, scores_=scores, pvalues_=p_values, **published)

    def _asks_for_p_values(self) -> bool:
        return self._needs_p_values

    def _warn_of_width(self, d: int) -> None:
        """Warn if more features are asked for than there are."""

    # ------------------------------------------------------------ the fitted selector
    def _support(self) -> NDArray[np.bool_]:
        support: NDArray[np.bool_] = self._chosen(self.scores_, self.pvalues_)
        return support

    def _score_name(self) -> str:
        return str(getattr(self.score_func, "__name__", None) or type(self.score_func).__name__)

    def _table(self) -> Any:
        try:
            name = STATISTICS.get(self.score_func, "Score")
        except TypeError:
            name = "Score"
        columns = {name: self.scores_}
        if self.pvalues_ is not None:
            columns["Pr(>Chi)" if name == "Chi2" else f"Pr(>{name})"] = self.pvalues_
        return [("Score function", self._score_name())], columns, best_first(self.scores_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


# ------------------------------------------------------------------ rules
def choose_best(scores: Array, n_features: int | str) -> NDArray[np.bool_]:
    """The best so many features, or all."""
    if n_features == "all":
        return np.ones(len(scores), bool)
    return largest(scores, int(n_features))


def choose_percentile(scores: Array, percentile: float) -> NDArray[np.bool_]:
    """The best percent of the features: those above the quantile, and of equals as many as fit."""
    if percentile in (0, 100):
        return np.full(len(scores), percentile == 100)
    limit = 0.25 * np.finfo(np.float64).max  # so that differences of scores do not overflow
    clean = np.nan_to_num(0.25 * scores, nan=-limit, posinf=limit, neginf=-limit)
    threshold = np.percentile(clean, 100.0 - percentile)
    support = clean > threshold
    room = int(len(scores) * percentile / 100.0) - int(support.sum())
    support[np.flatnonzero(clean == threshold)[: max(0, room)]] = True
    return support


def choose_by_false_positives(p_values: Array, alpha: float) -> NDArray[np.bool_]:
    """Each feature whose own test is significant."""
    return p_values < alpha


def choose_by_false_discoveries(p_values: Array, alpha: float) -> NDArray[np.bool_]:
    """The step-up rule of Benjamini and Hochberg."""
    d = len(p_values)
    ascending = np.sort(p_values)  # NaN comes last
    passed = ascending[ascending <= alpha * np.arange(1, d + 1) / d]
    return p_values <= passed[-1] if len(passed) else np.zeros(d, bool)


def choose_by_family_error(p_values: Array, alpha: float) -> NDArray[np.bool_]:
    """Bonferroni's rule."""
    return p_values < alpha / len(p_values)


def warn_of_few_columns(name: str, wanted: Any, d: int) -> None:
    if wanted != "all" and wanted > d:
        warn_user(f"{name}={wanted} is more than the {d} features of X: all of them are selected.")


class SelectKBest(UnivariateSelector):
    """Keep the k features with the highest scores.

    Parameters
    ----------
    score_func : callable, default=f_classif
        ``score_func(X, y)`` gives an array of scores (d,), or a pair of scores and p-values:
        `f_classif`, `chi2`, `mutual_info_classif`, `f_regression`, `r_regression`,
        `mutual_info_regression`, or one of your own.
    k : int or "all", default=10
        How many features.

    Attributes
    ----------
    scores_ : ndarray of shape (d,)
        Scores of the features.
    pvalues_ : ndarray of shape (d,), or None
        Their p-values; None if the score function gives none.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    SelectPercentile : A share of the features.
    SelectFdr : As many as are significant.
    RFE : Features that are good together.

    Notes
    -----
    Of equal scores the first are kept; NaN, of constant columns, counts as the lowest. `k` is read
    when rows are transformed, so that it may be changed after the fit. The scores of `f_classif`,
    `chi2`, `f_regression` and `r_regression` are solved from sums of one pass over the rows: they
    may be sparse, `Chunks`, parts or Dask collections. Cost: that of the score function; memory
    O(d) beside it.

    A feature that is useless by itself may be useful beside another, and scores see none of that.
    Select within a pipeline, so that rows held out have no say.

    References
    ----------
    .. [1] Guyon, I. and Elisseeff, A. (2003). An introduction to variable and feature selection.
       Journal of Machine Learning Research 3, 1157-1182.

    Examples
    --------
    >>> from statfast import SelectKBest
    >>> from statfast.datasets import load_iris
    >>> iris = load_iris()
    >>> selector = SelectKBest(k=2).fit(iris.data, iris.target)
    >>> selector.get_support(indices=True)
    array([2, 3])
    >>> selector.transform(iris.data).shape
    (150, 2)
    >>> print(selector.summary())
                                     SelectKBest
    ==============================================================================
    Features:                           4    Score function:             f_classif
    Selected:                           2
    ------------------------------------------------------------------------------
              F    Pr(>F)       Selected
    x2  1180.16  <2.2e-16  ***         1
    x3   960.01  <2.2e-16  ***         1
    x0   119.26  <2.2e-16  ***         0
    x1    49.16  <2.2e-16  ***         0
    ------------------------------------------------------------------------------
    Significance: 0 *** 0.001 ** 0.01 * 0.05 . 0.1
    ==============================================================================
    """

    k: int | str = param_(count(0) | one_of("all"), default=10)

    def _chosen(self, scores: Array, p_values: Array | None) -> Array:
        return choose_best(scores, self._checked_value("k"))

    def _warn_of_width(self, d: int) -> None:
        warn_of_few_columns("k", self.k, d)


class SelectPercentile(UnivariateSelector):
    """Keep a percentage of the features, those with the highest scores.

    Parameters
    ----------
    score_func : callable, default=f_classif
        ``score_func(X, y)`` gives an array of scores (d,), or a pair of scores and p-values.
    percentile : float, default=10
        Percent of the features, between 0 and 100.

    Attributes
    ----------
    scores_ : ndarray of shape (d,)
        Scores of the features.
    pvalues_ : ndarray of shape (d,), or None
        Their p-values; None if the score function gives none.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    SelectKBest : A number of features.

    Notes
    -----
    Kept are the features above the (100 - percentile)-th percentile of the scores, and of those
    that equal it the first, as many as there is room for; NaN counts as the lowest score.
    `percentile` is read when rows are transformed. Rows and cost are as for `SelectKBest`.

    References
    ----------
    .. [1] Guyon, I. and Elisseeff, A. (2003). An introduction to variable and feature selection.
       Journal of Machine Learning Research 3, 1157-1182.

    Examples
    --------
    >>> from statfast import SelectPercentile
    >>> from statfast.datasets import load_wine
    >>> from statfast.feature_selection import mutual_info_classif
    >>> wine = load_wine()
    >>> selector = SelectPercentile(mutual_info_classif, percentile=25)
    >>> selector.fit_transform(wine.data, wine.target).shape
    (178, 3)
    """

    percentile: float = param_(real(0, 100), default=10)

    def _chosen(self, scores: Array, p_values: Array | None) -> Array:
        return choose_percentile(scores, self._checked_value("percentile"))


class _ByTest(UnivariateSelector):
    """Selectors by p-values."""

    alpha: float = param_(real(0, 1), default=0.05)

    _needs_p_values = True
    _rule: ClassVar[Any]  # of p-values and alpha: the mask

    def _chosen(self, scores: Array, p_values: Array | None) -> Array:
        support: Array = type(self)._rule(p_values, self._checked_value("alpha"))
        return support

    def _table(self) -> Any:
        facts, columns, order = super()._table()
        return [*facts, ("alpha", float(self.alpha))], columns, order


class SelectFpr(_ByTest):
    """Keep the features whose own test is significant: a false positive rate.

    Parameters
    ----------
    score_func : callable, default=f_classif
        ``score_func(X, y)`` gives scores and p-values, (d,) each.
    alpha : float, default=0.05
        Features with a smaller p-value are kept.

    Attributes
    ----------
    scores_ : ndarray of shape (d,)
        Scores of the features.
    pvalues_ : ndarray of shape (d,)
        Their p-values.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    SelectFdr : A share of false ones among the selected.
    SelectFwe : A probability of any false one.

    Notes
    -----
    Of d useless features about alpha d are kept: it does not correct for many tests. NaN is never
    kept. `alpha` is read when rows are transformed. Rows and cost are as for `SelectKBest`.

    References
    ----------
    .. [1] Guyon, I. and Elisseeff, A. (2003). An introduction to variable and feature selection.
       Journal of Machine Learning Research 3, 1157-1182.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import SelectFpr
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 200)
    >>> X = rng.normal(size=(200, 100))
    >>> X[:, 0] += y
    >>> SelectFpr().fit(X, y).get_support(indices=True).tolist()
    [0, 9, 16, 38, 65, 75, 77]
    """

    _rule = staticmethod(choose_by_false_positives)


class SelectFdr(_ByTest):
    """Keep features so that of the selected a share of alpha is false, as is to be expected.

    Parameters
    ----------
    score_func : callable, default=f_classif
        ``score_func(X, y)`` gives scores and p-values, (d,) each.
    alpha : float, default=0.05
        The expected share of useless features among those selected is at most this.

    Attributes
    ----------
    scores_ : ndarray of shape (d,)
        Scores of the features.
    pvalues_ : ndarray of shape (d,)
        Their p-values.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    SelectFpr : Without a correction for many tests.
    SelectFwe : A probability of any false one.

    Notes
    -----
    Benjamini and Hochberg's step-up rule: with p-values p(1) <= ... <= p(d), all features up to the
    largest i with p(i) <= alpha i / d are kept. The promise is for tests that are independent, or
    depend positively. NaN is never kept. `alpha` is read when rows are transformed. Rows and cost
    are as for `SelectKBest`.

    References
    ----------
    .. [1] Benjamini, Y. and Hochberg, Y. (1995). Controlling the false discovery rate. Journal of
       the Royal Statistical Society B 57, 289-300.
       https://doi.org/10.1111/j.2517-6161.1995.tb02031.x

    Examples
    --------
    >>> import numpy as np
    >>> from statfast import SelectFdr
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 200)
    >>> X = rng.normal(size=(200, 100))
    >>> X[:, 0] += y
    >>> SelectFdr().fit(X, y).get_support(indices=True).tolist()
    [0]
    """

    _rule = staticmethod(choose_by_false_discoveries)


class SelectFwe(_ByTest):
    """Keep features so that with probability 1 - alpha none of them is false.

    Parameters
    ----------
    score_func : callable, default=f_classif
        ``score_func(X, y)`` gives scores and p-values, (d,) each.
    alpha : float, default=0.05
        The probability that any useless feature is selected is at most this.

    Attributes
    ----------
    scores_ : ndarray of shape (d,)
        Scores of the features.
    pvalues_ : ndarray of shape (d,)
        Their p-values.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    SelectFdr : Keeps more, some of which may be false.

    Notes
    -----
    Bonferroni's rule: features with a p-value below alpha / d are kept, whatever their dependence.
    NaN is never kept. `alpha` is read when rows are transformed. Rows and cost are as for
    `SelectKBest`.

    References
    ----------
    .. [1] Dunn, O. J. (1961). Multiple comparisons among means. Journal of the American Statistical
       Association 56, 52-64. https://doi.org/10.1080/01621459.1961.10482090

    Examples
    --------
    >>> from statfast import SelectFwe
    >>> from statfast.datasets import load_wine
    >>> from statfast.feature_selection import chi2
    >>> wine = load_wine()
    >>> len(SelectFwe(chi2, alpha=0.01).fit(wine.data, wine.target).get_support(indices=True))
    8
    """

    _rule = staticmethod(choose_by_family_error)


class GenericUnivariateSelect(UnivariateSelector):
    """Keep features by their scores, with a rule that can be chosen by a search.

    Parameters
    ----------
    score_func : callable, default=f_classif
        ``score_func(X, y)`` gives an array of scores (d,), or a pair of scores and p-values.
    mode : {"percentile", "k_best", "fpr", "fdr", "fwe"}, default="percentile"
        The rule: that of `SelectPercentile`, `SelectKBest`, `SelectFpr`, `SelectFdr` or
        `SelectFwe`.
    param : float, int or "all", default=1e-05
        Its parameter: percentile, k, or alpha.

    Attributes
    ----------
    scores_ : ndarray of shape (d,)
        Scores of the features.
    pvalues_ : ndarray of shape (d,), or None
        Their p-values; None if the score function gives none.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    SelectKBest : One of the rules.

    Notes
    -----
    As the selector of the rule. `mode` and `param` are read when rows are transformed.

    References
    ----------
    .. [1] Guyon, I. and Elisseeff, A. (2003). An introduction to variable and feature selection.
       Journal of Machine Learning Research 3, 1157-1182.

    Examples
    --------
    >>> from statfast import GenericUnivariateSelect
    >>> from statfast.datasets import load_wine
    >>> wine = load_wine()
    >>> selector = GenericUnivariateSelect(mode="k_best", param=3).fit(wine.data, wine.target)
    >>> selector.get_support(indices=True)
    array([ 6, 11, 12])
    """

    mode: str = param_(one_of("percentile", "k_best", "fpr", "fdr", "fwe"), default="percentile")
    param: Any = param_(real(0) | one_of("all"), default=1e-5)

    _RULES: ClassVar[dict[str, Callable[..., Array]]] = {
        "fpr": choose_by_false_positives,
        "fdr": choose_by_false_discoveries,
        "fwe": choose_by_family_error,
    }

    def _setting(self) -> Any:
        """The parameter, checked for the mode."""
        if self.mode == "k_best":
            if isinstance(self.param, str):
                return as_choice(self.param, "param", ("all",))
            return as_count(self.param, "param", low=0)
        return as_real(self.param, "param", 0, 100 if self.mode == "percentile" else 1)

    def _asks_for_p_values(self) -> bool:
        self._setting()
        return self.mode in self._RULES

    def _chosen(self, scores: Array, p_values: Array | None) -> Array:
        self._checked_value("mode")
        setting = self._setting()
        if self.mode in self._RULES:
            if p_values is None:
                raise ValueError(
                    f"mode={self.mode!r} tests p-values, of which {self._score_name()} gives none. "
                    "Use mode='k_best' or mode='percentile'."
                )
            return self._RULES[self.mode](p_values, setting)
        choose = choose_best if self.mode == "k_best" else choose_percentile
        return choose(scores, setting)

    def _warn_of_width(self, d: int) -> None:
        if self.mode == "k_best":
            warn_of_few_columns("param", self.param, d)
