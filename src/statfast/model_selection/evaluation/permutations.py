# SPDX-License-Identifier: BSD-3-Clause
"""A permutation test: are scores better than those of targets that are dealt out at random?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from inspect import unwrap
from typing import Any

import numpy as np

from statfast._estimator import (
    ANY,
    Answers,
    Estimator,
    Folds,
    Regressor,
    Scorer,
    as_folds,
    by_score,
    ignoring_sklearn_arguments,
)
from statfast._typing import Array, ArrayLike, Rows, Seed, Weights
from statfast._validation import MAX_REPEATS, as_count
from statfast.metrics import get_scorer
from statfast.model_selection.evaluation.candidate_scores import scored_candidates
from statfast.model_selection.evaluation.fold_strategies import (
    FoldFits,
    overrides_fit_or_answers,
    rows_of_fold,
    with_arguments,
)
from statfast.model_selection.evaluation.scoring import (
    as_number,
    as_one_scorer,
    classifies,
    plan_of_fits,
    threaded_copy,
)
from statfast.model_selection.splitting.fold_arguments import check_cv
from statfast.model_selection.splitting.splitter import as_shuffler

# Targets that are fitted at once have at most so many values, 64 MB.
_VALUES_AT_ONCE = 1 << 23
# Mean scores that differ by less than this share of the largest are equal except for rounding.
_EQUAL = 1e-12


@ignoring_sklearn_arguments(verbose=ANY)
def permutation_test_score(
    estimator: Any,
    X: Rows,
    y: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    cv: Any = None,
    n_permutations: int = 100,
    n_jobs: int | None = None,
    random_state: Seed = 0,
    scoring: str | Callable[..., Any] | None = None,
    params: dict[Any, Any] | None = None,
    sample_weight: Weights = None,
) -> tuple[float, Array, float]:
    """Test whether a cross-validated score is better than chance, by permuted targets.

    The null hypothesis is that targets do not depend on the samples, so that any order of them is
    equally likely.

    Parameters
    ----------
    estimator : estimator
        With ``fit``, by scikit-learn's protocol; copies of it are fitted.
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,) or (n, T)
        Class labels or target values.
    groups : array-like of shape (n,), optional
        Group of each sample, for splitters that keep groups together. Targets are permuted within
        groups alone.
    cv : int, splitter or iterable of (train, test), optional
        None is 5 folds; an integer is `KFold` or, for classifiers, `StratifiedKFold`. A splitter
        is asked again for each permutation, with the permuted targets.
    n_permutations : int, default=100
        Number of permutations, at most 1 000 000.
    n_jobs : int, optional
        Threads of each fit, if the estimator has a parameter of this name; None leaves that to it.
    random_state : int, RandomState, Generator or None, default=0
        Seed or generator of the permutations; an integer makes the result reproducible. An integer
        draws the same as in scikit-learn.
    scoring : str or callable, optional
        Names of ``statfast.metrics.get_scorer_names``, or functions of (estimator, X, y). None is
        the estimator's own ``score``.
    params : dict, optional
        Arguments of ``fit``; see `cross_validate`. They stay with their samples.
    sample_weight : array-like of shape (n,), optional
        Weights of fits and scores, which stay with their samples. Targets of samples of weight 0
        are not permuted.

    Returns
    -------
    score : float
        Mean score over the folds, of the targets as they are.
    permutation_scores : ndarray of shape (n_permutations,), float64
        The same of permuted targets.
    pvalue : float
        (C + 1) / (n_permutations + 1), where C permutations score at least as well, except for
        rounding: the targets as they are count as one of them, so that it is
        1 / (n_permutations + 1) at least.

    Raises
    ------
    ValueError
        If `n_permutations` is out of its range, or as `cross_validate`. What a fit or a score
        raises is raised.
    TypeError
        If an argument is of the wrong type; also if `scoring` names several scores.

    See Also
    --------
    cross_val_score : The scores of the folds.

    Notes
    -----
    Cost: that of n_permutations + 1 cross-validations. Where folds do not depend on the targets,
    and the fit to several targets is the fit to each of them, as of `LinearRegression`, `Ridge`,
    `KernelRidge` and `KNeighborsRegressor`, also after scalers, many permutations are fitted at
    once: what depends on X alone is done once.

    References
    ----------
    M. Ojala & G. C. Garriga (2010), "Permutation tests for studying classifier performance". JMLR
    11, 1833-1863.

    Examples
    --------
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_iris
    >>> from statfast.model_selection import permutation_test_score
    >>> iris = load_iris()
    >>> score, of_permuted, pvalue = permutation_test_score(
    ...     LinearDiscriminantAnalysis(), iris.data, iris.target, n_permutations=99
    ... )
    >>> round(score, 2), bool(of_permuted.max() < 0.6), pvalue
    (0.98, True, 0.01)
    """
    model = threaded_copy(estimator, n_jobs)
    scorer = as_one_scorer(scoring, model)
    times = as_count(n_permutations, "n_permutations", high=MAX_REPEATS)
    rng = as_shuffler(random_state)
    if y is None:
        raise ValueError("y must be passed, as its values are permuted; got None.")
    if hasattr(cv, "__iter__"):
        cv = check_cv(cv)  # An iterable may be read once only.
    folds = plan_of_fits(model, X, y, cv, groups, params, sample_weight, {"score": scorer})
    test = _Test(model, scorer, folds)
    score = test.score_of(folds)
    splitter = check_cv(cv, folds.y, classifier=classifies(model))
    of_permuted = np.array(test.scores(_permuted(folds, splitter, times, rng)))
    rounding = _EQUAL * np.abs([score, *of_permuted]).max()
    as_good = int((of_permuted >= score - rounding).sum())
    return score, of_permuted, (as_good + 1.0) / (times + 1)


def _permuted(
    folds: Folds, splitter: Any, times: int, rng: Any
) -> Iterator[Folds]:  # fmt: skip
    """The folds of permuted targets."""
    weights, y, by_group = folds.weights, folds.y, folds.row_groups
    assert y is not None
    rows = np.arange(folds.n) if weights is None else np.flatnonzero(weights)
    members = [np.arange(len(rows))]
    if by_group is not None:
        codes = np.unique(by_group[rows], return_inverse=True)[1].reshape(-1)
        members = [np.flatnonzero(codes == code) for code in range(codes.max() + 1)]
    for _ in range(times):
        places = np.arange(folds.n)
        for among in members:
            places[rows[among]] = rows[rng.permutation(among)]
        targets = y[places]
        pairs = as_folds(splitter, folds.X, targets, folds.n, groups=by_group)
        yield replace(folds, y=targets, pairs=pairs)


class _Test:
    """What is fitted and scored, and the folds of the targets as they are."""

    def __init__(self, model: Any, scorer: Callable[..., Any], folds: Folds) -> None:
        self.model, self.scorer, self.folds = model, scorer, folds
        self.for_each = _scorer_of_predictions(scorer, model)  # None: each is fitted by itself.
        if folds.y is None or folds.y.ndim != 1 or folds.y.dtype.kind not in "biuf":
            self.for_each = None

    def score_of(self, folds: Folds) -> float:
        """The mean score over some folds."""
        (scores,) = scored_candidates(
            self.model, folds, [{}], {"score": self.scorer}, "raise"
        ).test.values()
        return float(scores[0].mean())

    def scores(self, permuted: Iterator[Folds]) -> list[float]:
        """The mean scores of permuted targets."""
        scores: list[float] = []
        waiting: list[Array] = []
        for folds in permuted:
            if self.for_each is None or not _same_folds(folds, self.folds):
                scores += [*self._scores_at_once(waiting), self.score_of(folds)]
                waiting = []
                continue
            waiting.append(folds.y)  # type: ignore[arg-type]
            if (len(waiting) + 1) * folds.n > _VALUES_AT_ONCE:
                scores += self._scores_at_once(waiting)
                waiting = []
        return scores + self._scores_at_once(waiting)

    def _scores_at_once(self, targets: list[Array]) -> list[float]:
        """The mean scores of targets that are fitted as the columns of a table."""
        if not targets:
            return []
        folds = replace(self.folds, y=np.column_stack(targets))
        means = np.zeros(len(targets))
        fits = FoldFits(self.model, folds, methods=frozenset({"predict"}))
        for (_, test), fitted in zip(folds.pairs, fits, strict=True):
            rows = rows_of_fold(fitted.X, test)
            model = with_arguments(folds, fitted.only_model(), test)
            predicted = np.asarray(model.predict(rows)).reshape(len(test), -1)
            arguments = folds.arguments_of_score("score", test)
            for column, y in enumerate(targets):
                answers = Answers({"predict": predicted[:, column]})
                value = self.for_each(answers, rows, y[test], **arguments)
                means[column] += as_number(value, "score") / len(folds)
        return [float(mean) for mean in means]


def _scorer_of_predictions(scorer: Any, model: Any) -> Any:
    """The scorer that rates predictions of single targets, where the fit to a table of targets is
    the fit to each of them; else None."""
    if not isinstance(model, Estimator) or overrides_fit_or_answers(model):
        return None
    if not model._fits_targets_independently():
        return None
    if scorer is by_score:
        steps = getattr(model, "steps", None)
        last: Any = type(model if steps is None else steps[-1][1])
        # `dispatch_methods` wraps the method.
        return get_scorer("r2") if unwrap(last.score) is Regressor.score else None
    return scorer if isinstance(scorer, Scorer) and scorer.response == "predict" else None


def _same_folds(folds: Folds, reference: Folds) -> bool:
    if len(folds) != len(reference):
        return False
    return all(
        (a is b or (a is not None and b is not None and np.array_equal(a, b)))
        and np.array_equal(held, reference_held)
        for (a, held), (b, reference_held) in zip(folds.pairs, reference.pairs, strict=True)
    )
