# SPDX-License-Identifier: BSD-3-Clause
"""Classification by a list of rules."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    Classifier,
    Estimator,
    by_fit,
    count,
    fitted,
    flag,
    nothing,
    one_of,
    param,
    randomness,
    real,
    weighted_labels,
)
from statfast._typing import Array, ArrayLike, Rows, Seed, Weights
from statfast._validation import CategoryColumns, as_generator, column_names, not_fitted
from statfast.patterns.conditions.column_values import (
    column_values,
    rows_of_fit,
    rows_to_answer,
)
from statfast.patterns.conditions.condition import Condition
from statfast.patterns.conditions.conjunction import conjunction, covered_rows
from statfast.patterns.rule_lists.cn2 import (
    EVALUATIONS,
    CN2Settings,
    ordered_rules,
    unordered_rules,
)
from statfast.patterns.rule_lists.coded_table import CodedTable
from statfast.patterns.rule_lists.ripper import RipperSettings, ripper_rules
from statfast.patterns.rule_lists.rule_table import RuleTable, rule_table


class RuleListClassifier(Classifier, Estimator):
    """Classification by a list of rules, learned by CN2 or RIPPER.

    A rule is a conjunction of conditions on columns and a class: "if x2 > 4.95 and x3 > 1.75 then
    virginica". The first rule whose conditions hold decides; the last one, the default, has none.

    Parameters
    ----------
    algorithm : {"cn2", "ripper"}, default="cn2"
        "cn2" [1]_ searches for the best rule for any class by a beam of conjunctions, takes away
        the rows that it covers, and goes on until no rule is better than none and significant.
        "ripper" [3]_ makes rules for one class after the other, the least frequent first: it grows
        a rule on some of the rows by the gain of FOIL, prunes it on the others, stops by the length
        of a description of rules and errors, and then replaces rules one by one. It is quick on
        many rows, and its rules are fewer and shorter.
    ordered : bool, default=True
        Whether the first rule that holds decides. False, of "cn2" alone: rules are learned for
        each class against all others, and those that hold add up their counts [2]_.
    evaluation : {"laplace", "entropy"}, default="laplace"
        Of "cn2": how good a rule is. "laplace" is (n_c + 1) / (n + K) of n rows, n_c of the class,
        and K classes; "entropy" is the entropy of the classes, as in [1]_, for ordered rules alone.
    beam_width : int, default=5
        Of "cn2": conjunctions that are made more special at a time.
    significance_level : float, default=0.05
        Of "cn2": a rule is kept only if the likelihood ratio test of its classes against those of
        the rows left finds a smaller p value. 1 keeps all rules.
    n_optimizations : int, default=2
        Of "ripper": how often all rules are tried to be replaced.
    prune_fraction : float, default=0.3333333333333333
        Of "ripper": the share of the rows of each class, rounded down, on which rules are pruned.
    max_rules : int, optional
        Most rules, besides the default one. None does not limit them.
    max_depth : int, optional
        Most conditions of a rule while it grows. None does not limit them.
    min_size : int, default=1
        Fewest training rows that a rule covers while it grows, whatever their weight.
    n_bins : int, optional
        Numeric columns of more distinct values are cut near so many quantiles by weight. None cuts
        between any two neighboring values.
    missing : {"unmatched", "condition"}, default="unmatched"
        A missing value meets no condition on its column. "condition" adds the condition that the
        value is missing.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes, times those of rows; "balanced" is n / (K n_k).
    categorical_features : array-like of bool, int or str, "from_dtype" or None, \
            default="from_dtype"
        Columns of categories, each of which is a condition: by a mask, numbers, or names;
        "from_dtype" takes those that a data frame declares as such. At most 1024 categories a
        column. None for none.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the rows to prune on, for "ripper"; an integer makes the result
        reproducible. "cn2" draws nothing.

    Attributes
    ----------
    rules_ : RuleTable
        The rules, with the weight of each class among the training rows that they decide on.
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    is_categorical_ : ndarray of bool, shape (p,), or None
        Which columns hold categories; None if none does.
    n_features_in_ : int
        Number of columns, p.
    feature_names_in_ : ndarray of shape (p,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.tree.tree_rules : Rules of the leaves of a tree.
    SubgroupDiscovery : Rules that describe, and may overlap.

    Notes
    -----
    The class of a rule is that of the greatest weight among the training rows that it decides on;
    of "ripper", it may so be another than the one that the rule was grown for. Rules that decide on
    no row are left out. Where no row is left for the default rule, its counts are those of all
    rows. Probabilities are (n_c + 1) / (n + K) of these counts; with ``ordered=False``, of the sum
    of the counts of the rules that hold.

    **Ties**: of rules of equal quality the one that covers most, then the one with fewest
    conditions, then by columns; upper limits come before lower limits, and cuts and categories
    ascend. "ripper" takes the first of
    equal gains in this order, and the shortest of equally good beginnings of a rule. Classes of
    equal weight: the lowest label.

    **Weights** count as rows do, except for `min_size` and the draws of "ripper", which count rows.
    As Laplace's estimate, significance and description length know how many rows there are,
    multiplying all weights has the effect of more rows. A row of weight 0 is not there. Categories
    that the fit has not seen are missing.

    Cost: a pass over the covered rows and the p columns for each conjunction that is made more
    special, n p operations; of "cn2" there are up to `beam_width` for each condition of each rule.
    Memory: 4 n p bytes.

    References
    ----------
    .. [1] Clark, P. and Niblett, T. (1989). The CN2 induction algorithm. Machine Learning 3,
       261-283. https://doi.org/10.1007/BF00116835
    .. [2] Clark, P. and Boswell, R. (1991). Rule induction with CN2: some recent improvements.
       Machine Learning - EWSL-91, 151-163. https://doi.org/10.1007/BFb0017011
    .. [3] Cohen, W. W. (1995). Fast effective rule induction. International Conference on Machine
       Learning, 115-123. https://doi.org/10.1016/B978-1-55860-377-6.50023-2
    .. [4] Quinlan, J. R. (1990). Learning logical definitions from relations. Machine Learning 5,
       239-266. https://doi.org/10.1007/BF00117105

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.patterns import RuleListClassifier
    >>> iris = load_iris()
    >>> model = RuleListClassifier(max_depth=2).fit(iris.data, iris.target)
    >>> print(model.rules_.text(class_names=iris.target_names, show="counts"))
    if x2 <= 2.45 then setosa (counts = 50 / 0 / 0)
    else if x2 <= 4.75 and x3 <= 1.65 then versicolor (counts = 0 / 44 / 0)
    else if x2 > 4.85 and x3 > 1.75 then virginica (counts = 0 / 0 / 43)
    else if 6.35 < x0 <= 6.95 then versicolor (counts = 0 / 3 / 0)
    else virginica (counts = 0 / 3 / 7)
    >>> model.predict(iris.data[[0, 60, 120]])
    array([0, 1, 2])
    """

    algorithm: Literal["cn2", "ripper"] = param(
        one_of("cn2", "ripper"), default="cn2", kw_only=False
    )
    ordered: bool = param(flag, default=True)
    evaluation: Literal["laplace", "entropy"] = param(one_of(*EVALUATIONS), default="laplace")
    beam_width: int = param(count(), default=5)
    significance_level: float = param(real(0, 1, open_low=True), default=0.05)
    n_optimizations: int = param(count(0), default=2)
    prune_fraction: float = param(real(0, 1, open_low=True, open_high=True), default=1.0 / 3.0)
    max_rules: int | None = param(nothing | count(), default=None)
    max_depth: int | None = param(nothing | count(), default=None)
    min_size: int = param(count(), default=1)
    n_bins: int | None = param(nothing | count(2), default=None)
    missing: Literal["unmatched", "condition"] = param(
        one_of("unmatched", "condition"), default="unmatched"
    )
    class_weight: dict[Any, float] | Literal["balanced"] | None = param(by_fit, default=None)
    categorical_features: ArrayLike | None = param(by_fit, default="from_dtype")
    random_state: Seed = param(randomness, default=None)

    rules_: RuleTable = fitted()
    classes_: Array = fitted()
    is_categorical_: Any = fitted()
    _columns: CategoryColumns = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Learn the rules.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Rows; NaN is a missing value. Categories may be of any type that can be sorted.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; samples of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X holds an infinity, y is not one label for each row, ``ordered=False`` is asked of
            RIPPER or together with "entropy", or a parameter is out of its range.
        TypeError
            If X is not made of numbers, or a parameter is of the wrong type.
        """
        params = self._checked()
        if not params.ordered and (params.algorithm, params.evaluation) != ("cn2", "laplace"):
            raise ValueError(
                "ordered=False goes with algorithm='cn2' and evaluation='laplace' alone; got "
                f"{params.algorithm!r} and {params.evaluation!r}. Set ordered=True."
            )
        rng = as_generator(self.random_state)
        rows, columns = rows_of_fit(X, self.categorical_features)
        classes, codes, weights = weighted_labels(y, len(rows), sample_weight, self.class_weight)
        if weights is not None:
            used = np.flatnonzero(weights)
            rows, codes, weights = rows[used], codes[used], weights[used]
            weights = None if (weights == 1.0).all() else weights
        values = column_values(rows, columns, weights, params.n_bins)
        with_missing = params.missing == "condition"
        table = CodedTable(values, codes.astype(np.int32), len(classes), weights, with_missing)
        if params.algorithm == "ripper":
            coded = ripper_rules(table, _settings(RipperSettings, params), rng)
        else:
            settings = _settings(CN2Settings, params)
            coded = (ordered_rules if params.ordered else unordered_rules)(table, settings)
        conditions = [conjunction(table.condition(each) for each in rule) for rule in coded]
        counted = _counted(conditions, rows, table, params.ordered)
        names = column_names(X)
        labels = [f"x{j}" for j in range(rows.shape[1])] if names is None else names.tolist()
        return self._publish(
            X, n_features_in_=rows.shape[1], classes_=classes, _columns=columns,
            is_categorical_=columns.mask,
            rules_=rule_table(counted, classes, labels, params.ordered),
        )  # fmt: skip

    def predict(self, X: Rows) -> Array:
        """Predict the class of the first rule that holds, or of all that hold together.

        Parameters
        ----------
        X : array-like of shape (m, p)
            Rows; NaN is a missing value.

        Returns
        -------
        ndarray of shape (m,), dtype of `classes_`
        """
        best = self._counts(X).argmax(axis=1)
        return self.classes_.take(best)

    def predict_proba(self, X: Rows) -> Array:
        """Return class probabilities, (n_c + 1) / (n + K) of the training rows of the rule.

        Parameters
        ----------
        X : array-like of shape (m, p)
            Rows; NaN is a missing value.

        Returns
        -------
        ndarray of float64, shape (m, K)
        """
        counts = self._counts(X) + 1.0
        return counts / counts.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X: Rows) -> Array:
        """Return the logarithms of the class probabilities.

        Parameters
        ----------
        X : array-like of shape (m, p)
            Rows; NaN is a missing value.

        Returns
        -------
        ndarray of float64, shape (m, K)
        """
        return np.log(self.predict_proba(X))

    def apply(self, X: Rows) -> Array:
        """Return the first rule that holds for each row.

        Parameters
        ----------
        X : array-like of shape (m, p)
            Rows; NaN is a missing value.

        Returns
        -------
        ndarray of int64, shape (m,)
            Places in `rules_`; that of the default rule where no other holds.
        """
        return self._first(self._rows(X))

    def _first(self, rows: Array) -> Array:
        first = np.full(len(rows), len(self.rules_) - 1, np.int64)
        for place in range(len(self.rules_) - 2, -1, -1):
            first[covered_rows(self.rules_[place].conditions, rows)] = place
        return first

    def _rows(self, X: Any) -> Array:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        return rows_to_answer(self, self._columns, X)

    def _counts(self, X: Any) -> Array:
        """The class weights (m, K) that decide on rows."""
        rows = self._rows(X)
        counts = np.array([rule.counts for rule in self.rules_.rules])
        if self.rules_.ordered:
            return counts[self._first(rows)]
        total = np.zeros((len(rows), len(self.classes_)))
        met = np.zeros(len(rows), bool)
        for rule in self.rules_.rules[:-1]:
            covered = covered_rows(rule.conditions, rows)
            total[covered] += rule.counts
            met |= covered
        total[~met] = counts[-1]
        return total

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _settings(kind: Any, params: Any) -> Any:
    return kind(**{name: getattr(params, name) for name in kind.__dataclass_fields__})


def _counted(
    rules: list[tuple[Condition, ...]], rows: Array, table: CodedTable, ordered: bool
) -> list[tuple[tuple[Condition, ...], Array]]:
    """Rules with the class weights of the rows that they decide on, and the default rule."""
    left = np.ones(len(rows), bool)
    counted = []
    for conditions in rules:
        covered = covered_rows(conditions, rows)
        decided = covered & left if ordered else covered
        left &= ~covered
        if decided.any():
            counted.append((conditions, table.class_weights(np.flatnonzero(decided))))
    remaining = np.flatnonzero(left) if left.any() else np.arange(len(rows))
    return [*counted, ((), table.class_weights(remaining))]
