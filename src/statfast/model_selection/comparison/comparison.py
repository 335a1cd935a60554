# SPDX-License-Identifier: BSD-3-Clause
"""Models compared on the same folds: their scores with intervals, and tests of all pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from inspect import signature
from itertools import combinations
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import (
    CoefficientTable,
    Drawn,
    Scorer,
    html_table,
    picture,
    weighted_labels,
)
from statfast._typing import Array, ArrayLike, Axes, DataFrame, Rows, Seed, Weights
from statfast._validation import as_choice, as_estimator, as_label, as_real, shown, wrong_type
from statfast.metrics import auc_test, get_scorer
from statfast.model_selection.comparison.paired_tests import (
    TestResult,
    bayesian_t_test,
    corrected_t_test,
    five_by_two_test,
    friedman_test,
    mcnemar_test,
)
from statfast.model_selection.evaluation.scoring import (
    as_plan,
    classifies,
    known_classes,
    with_groups,
)
from statfast.model_selection.evaluation.validate import cross_validate, held_out_answers
from statfast.model_selection.splitting.fold_arguments import FixedFolds
from statfast.model_selection.splitting.partitions import (
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)


@dataclass(frozen=True, repr=False)
class Comparison:
    """Result of `compare`: scores of several models on the same folds.

    Attributes
    ----------
    names : list of str
        Names of the models.
    scores : ndarray of shape (k, J)
        Of each model on each fold.
    means : ndarray of shape (k,)
        Means.
    intervals : ndarray of shape (k, 2)
        Of the mean scores, corrected for the overlap of training parts.
    tests : dict
        By pair of names: the test of the difference of scores.
    bayes : dict
        By pair: the Bayesian correlated t test, whose `p_value` is nan.
    mcnemar : dict
        By pair: of classifiers, by their errors on held-out samples; else empty. `estimate` is nan.
    delong : dict
        By pair: of classifiers of two classes that have scores, by areas under ROC curves.
    friedman : TestResult or None
        Of three models or more, with folds as blocks: as these are not independent, a guide only.
    paths : list of str
        How the folds of each model were fitted.

    Examples
    --------
    >>> from statfast import KNeighborsClassifier, LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_wine
    >>> from statfast.model_selection import compare
    >>> wine = load_wine()
    >>> models = {"LDA": LinearDiscriminantAnalysis(), "3-NN": KNeighborsClassifier(3)}
    >>> result = compare(models, wine.data, wine.target, cv=5)
    >>> result
    LDA      0.9717  [0.9193, 1.0242]
    3-NN     0.7029  [0.5379, 0.8678]
    <BLANKLINE>
                Difference  t or F   P>|t|     First better  Second better  P
    (McNemar)
    LDA - 3-NN      0.2689   4.340  0.0122  *        0.9930       0.005404
    9.059e-14
    >>> result.tests["LDA", "3-NN"].interval
    (0.096885718132794, 0.44089205964498396)
    """

    names: list
    scores: NDArray[np.float64]
    means: NDArray[np.float64]
    intervals: NDArray[np.float64]
    tests: dict
    bayes: dict
    mcnemar: dict
    delong: dict
    friedman: TestResult | None
    paths: list

    def table(self) -> CoefficientTable:
        """Return all pairwise tests as a table.

        Returns
        -------
        CoefficientTable
        """
        pairs = list(self.tests)
        columns = {
            "Difference": np.array([self.tests[p].estimate for p in pairs]),
            "t or F": np.array([self.tests[p].statistic for p in pairs]),
            "P>|t|": np.array([self.tests[p].p_value for p in pairs]),
        }
        if self.bayes:
            columns["First better"] = np.array([self.bayes[p].more["first"] for p in pairs])
            columns["Second better"] = np.array([self.bayes[p].more["second"] for p in pairs])
        if self.mcnemar:
            columns["P (McNemar)"] = np.array([self.mcnemar[p].p_value for p in pairs])
        if self.delong:
            columns["P (DeLong)"] = np.array([self.delong[p].p_value for p in pairs])
        return CoefficientTable([f"{a} - {b}" for a, b in pairs], columns)

    def to_frame(self) -> DataFrame:
        """Return the scores and intervals as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        columns = {"mean": self.means, "low": self.intervals[:, 0], "high": self.intervals[:, 1]}
        return pandas.DataFrame(columns, index=self.names)

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Drawn:
        """Draw the mean scores with their intervals.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Of the points.

        Returns
        -------
        ComparisonDisplay
        """
        return picture("comparison")(self, ax=ax, **style)

    def __str__(self) -> str:
        wide = max(map(len, self.names))
        lines = [
            f"{name.ljust(wide)}  {mean:9.4f}  [{low:.4f}, {high:.4f}]"
            for name, mean, (low, high) in zip(self.names, self.means, self.intervals, strict=True)
        ]
        return "\n".join([*lines, "", str(self.table())])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = zip(self.names, self.means, self.intervals, strict=True)
        cells = [["", "Mean", "Interval"]]
        for name, mean, (low, high) in rows:
            cells.append([name, f"{mean:.4f}", f"[{low:.4f}, {high:.4f}]"])
        return html_table(cells) + self.table()._repr_html_()


def compare(
    models: dict[Any, Any] | list[Any],
    X: Rows,
    y: ArrayLike,
    *,
    cv: Any = None,
    scoring: str | Callable[..., Any] | None = None,
    pos_label: Any = None,
    groups: ArrayLike | None = None,
    sample_weight: Weights = None,
    method: str = "corrected_t",
    rope: float = 0.01,
    level: float = 0.95,
    random_state: Seed = None,
) -> Comparison:
    """Compare models on the same folds, with corrected tests.

    Parameters
    ----------
    models : dict or list of estimators
        By names, or those of their classes.
    X : array-like of shape (n, d)
        Samples.
    y : array-like of shape (n,)
        Class labels or target values.
    cv : int, splitter or iterable of (train, test), optional
        None is ten times ten folds.
    scoring : str or callable, optional
        Names of ``statfast.metrics.get_scorer_names``, or functions of (estimator, X, y). None is
        the estimator's own ``score``.
    pos_label : label, optional
        The class that is positive, of two, for a score that rates one class, such as "f1" or
        "precision". None leaves that to the score: 1 of the labels 0 and 1.
    groups : array-like of shape (n,), optional
        Group of each sample, for splitters that keep groups together, and for those of searches
        that are compared.
    sample_weight : array-like of shape (n,), optional
        Weights of fits and scores. Samples of weight 0 are left out.
    method : str, default="corrected_t"
        Test of scores: "corrected_t"; or "5x2cv_f" or "5x2cv_t", for which `cv` is five times two
        folds.
    rope : float, default=0.01
        Differences of scores within it count as none in the Bayesian test.
    level : float, default=0.95
        Confidence level of the intervals, between 0 and 1.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the folds; an integer makes the result reproducible.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If there are fewer than two models, names repeat, an argument is out of its range, or
        `pos_label` is none of two labels.
    TypeError
        If `models` is not a dict or list, or `pos_label` is given beside a function.

    Notes
    -----
    McNemar's and DeLong's tests take predictions for the samples held out by one partition of the
    rows. p values are not adjusted for the number of pairs.

    References
    ----------
    C. Nadeau & Y. Bengio (2003), "Inference for the generalization error".
    doi:10.1023/A:1024068626366

    Examples
    --------
    >>> from statfast import LinearDiscriminantAnalysis, KNeighborsClassifier
    >>> from statfast.datasets import load_wine
    >>> from statfast.model_selection import compare
    >>> wine = load_wine()
    >>> models = {"LDA": LinearDiscriminantAnalysis(), "3-NN": KNeighborsClassifier(3)}
    >>> result = compare(models, wine.data, wine.target, cv=5)
    >>> result.means.round(2), result.tests["LDA", "3-NN"].p_value < 0.05
    (array([0.97, 0.7 ]), True)
    """
    names, listed = _named(models)
    as_choice(method, "method", ("corrected_t", "5x2cv_f", "5x2cv_t"))
    level = as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
    as_real(rope, "rope", 0.0)
    labels = all(classifies(model) for model in listed)
    if method != "corrected_t":
        kind = RepeatedStratifiedKFold if labels else RepeatedKFold
        cv = kind(n_splits=2, n_repeats=5, random_state=random_state)
    elif cv is None:
        kind = RepeatedStratifiedKFold if labels else RepeatedKFold
        cv = kind(n_splits=10, n_repeats=10, random_state=random_state)
    plan = as_plan(listed[0], X, y, cv, groups, sample_weight)
    if pos_label is not None:
        scoring = _rating(scoring, _as_positive(pos_label, plan, labels))
    pairs = [(plan.train(k), test) for k, (_, test) in enumerate(plan.pairs)]
    if len(pairs) < 2:
        raise ValueError(f"cv must give at least 2 folds; got {len(pairs)}. Pass cv=5.")
    if not all(len(train) for train, _ in pairs):
        raise ValueError("cv must leave rows to fit in each fold; got none in one. Pass cv=5.")
    share = float(np.mean([len(test) / len(train) for train, test in pairs]))
    validated = [
        cross_validate(
            model,
            X,
            y,
            groups=groups,
            cv=FixedFolds(plan.pairs),
            scoring=scoring,
            sample_weight=sample_weight,
            error_score="raise",
        )
        for model in listed
    ]
    scores = np.array([result["test_score"] for result in validated])
    for name, values in zip(names, scores, strict=True):
        if not np.isfinite(values).all():
            raise ValueError(
                f"Scores to be compared must be finite; that of {name!r} on a fold is "
                f"{values[~np.isfinite(values)][0]}. Choose another scoring, or larger folds."
            )
    tests, bayes = {}, {}
    for a, b in combinations(range(len(names)), 2):
        pair, d = (names[a], names[b]), scores[a] - scores[b]
        if method == "corrected_t":
            tests[pair] = corrected_t_test(d, test_share=share, level=level)
        else:
            tests[pair] = five_by_two_test(d.reshape(5, 2), kind=method[-1])  # type: ignore[arg-type]
        bayes[pair] = bayesian_t_test(d, test_share=share, rope=rope, level=level)
    mcnemar, delong = _on_rows(names, listed, plan, labels, groups)
    alone = [corrected_t_test(s, test_share=share, level=level) for s in scores]
    friedman = friedman_test(scores.T, names=names) if len(names) > 2 else None
    return Comparison(
        names, scores, scores.mean(axis=1), np.array([t.interval for t in alone]), tests, bayes,
        mcnemar, delong, friedman, [result.path for result in validated],
    )  # fmt: skip


def _as_positive(pos_label: int | str, plan: Any, labels: bool) -> int:
    """A label that is one of two."""
    if not labels:
        raise ValueError("pos_label is for classifiers: leave it out for regressors.")
    pos_label = as_label(pos_label, "pos_label")
    classes = known_classes(plan.y, plan.n, plan.weights).tolist()
    if len(classes) != 2 or pos_label not in classes:
        raise ValueError(
            f"pos_label must be one of two labels of y; got {shown(pos_label)}, where y holds "
            f"{shown(classes)}. Name one, or leave it out."
        )
    return pos_label


def _rating(scoring: Any, pos_label: int) -> Any:
    """A score of the models, told which class is positive if it takes that."""
    if scoring is None:
        return None
    scorer = get_scorer(scoring)
    if not isinstance(scorer, Scorer):
        raise TypeError(
            f"pos_label is for scores by name, and of make_scorer; got the function "
            f"{shown(scoring)}. Name the class in it."
        )
    if "pos_label" not in signature(scorer.function).parameters:
        return scorer
    return replace(scorer, arguments=scorer.arguments | {"pos_label": pos_label})


def _named(models: dict[str, Any] | list[Any]) -> tuple[list[str], list[Any]]:
    if isinstance(models, Mapping):
        names, listed = [str(name) for name in models], list(models.values())
    elif isinstance(models, list | tuple):
        listed = list(models)
        names = [type(model).__name__ for model in listed]
        if len(set(names)) < len(names):
            names = [f"{name} {place + 1}" for place, name in enumerate(names)]
    else:
        raise wrong_type("models", "a dict or a list of estimators", models)
    if len(listed) < 2:
        raise ValueError(f"models must hold at least two to compare; got {len(listed)}.")
    for model in listed:
        as_estimator(model, "models", wanted="estimators")
    return names, listed


def _on_rows(names, models, plan, labels, groups):
    """McNemar's and DeLong's tests of all pairs, by rows held out once."""
    if not labels:
        return {}, {}
    partition = _one_partition(plan)
    folds = [with_groups(partition, model, groups) for model in models]
    y = np.asarray(plan.y)
    kept = slice(None) if plan.weights is None else np.flatnonzero(plan.weights)
    right = [
        (held_out_answers(model, model_folds, "predict")[0] == y)[kept]
        for model, model_folds in zip(models, folds, strict=True)
    ]
    mcnemar, delong = {}, {}
    classes, codes, _ = weighted_labels(plan.y, plan.n, plan.weights)
    two = len(classes) == 2
    values = [
        _values(model, model_folds) if two else None
        for model, model_folds in zip(models, folds, strict=True)
    ]
    for a, b in combinations(range(len(names)), 2):
        pair = names[a], names[b]
        mcnemar[pair] = mcnemar_test(
            int((right[a] & ~right[b]).sum()), int((right[b] & ~right[a]).sum())
        )
        if two and values[a] is not None and values[b] is not None:
            test = auc_test(codes[kept], values[a][kept], values[b][kept])
            delong[pair] = TestResult(
                "DeLong's test", float(test.statistic), (), float(test.p_value), nan
            )
    return mcnemar, delong if len(delong) == len(mcnemar) else {}


def _values(model: Any, folds: Any) -> Array | None:
    for method in ("decision_function", "predict_proba"):
        if hasattr(model, method):
            answers = held_out_answers(model, folds, method)[0]
            return answers if answers.ndim == 1 else answers[:, -1]
    return None


def _one_partition(plan: Any) -> Any:
    """The first folds that hold out each row once, or others that do."""
    seen = np.zeros(plan.n, dtype=np.intp)
    for k, (_, test) in enumerate(plan.pairs):
        seen[test] += 1
        if seen.min() == 1 and seen.max() == 1:
            return replace(plan, pairs=plan.pairs[: k + 1])
    k = min(10, plan.n)
    codes = np.unique(np.asarray(plan.y), return_counts=True)[1]
    splitter = StratifiedKFold(k) if codes.max() >= k else KFold(k)
    tests = splitter._tests(plan.n, plan.y, None)
    return replace(plan, pairs=[(None, test) for test in tests])
