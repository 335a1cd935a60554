# SPDX-License-Identifier: BSD-3-Clause
"""Subgroups: conjunctions of conditions whose rows differ most in a target."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import (
    Estimator,
    Transformer,
    by_fit,
    count,
    fitted,
    flag,
    jobs,
    one_of,
    param,
    real,
)
from statfast._typing import Array, ArrayLike, Jobs, Rows, Weights
from statfast._validation import (
    CategoryColumns,
    as_weights,
    column_names,
    not_fitted,
    refuse_large,
    warn_user,
)
from statfast.patterns.conditions.column_values import (
    column_values,
    rows_of_fit,
    rows_to_answer,
)
from statfast.patterns.conditions.conjunction import conjunction, covered_rows, description
from statfast.patterns.subgroups.conditions_as_bits import INTERVALS, condition_bits
from statfast.patterns.subgroups.search import SubgroupProblem, search_all, search_beam
from statfast.patterns.subgroups.subgroup_table import SubgroupTable, subgroup_table
from statfast.patterns.subgroups.target import (
    DIRECTIONS,
    QUALITIES,
    TARGETS,
    check_target,
    order_rows,
    quality_numbers,
)

MAX_DEPTH = 32  # conditions of a conjunction
MAX_SUBGROUPS = 100_000


class SubgroupDiscovery(Transformer, Estimator):
    """Subgroups whose rows differ most from all rows in a class, or in the mean of a number.

    A subgroup is a conjunction of conditions on columns, such as "age > 40 and job = teacher". All
    conjunctions of up to `max_depth` conditions are searched, and the best by a measure of quality
    are kept; they may overlap, as they describe rows and do not divide them.

    Parameters
    ----------
    n_subgroups : int, default=10
        Most subgroups that are kept.
    quality : {"wracc", "t", "chi2"} or float, default="wracc"
        With n of N rows in the subgroup, and p and p0 the share of the class in it and in all rows
        (or the means): "wracc" is the weighted relative accuracy, n / N (p - p0); "t" is
        sqrt(n) (p - p0) / s with the standard deviation s of all rows (of a class, the square root
        of p0 (1 - p0)); "chi2" is Pearson's statistic of the table of subgroup and class, with the
        sign of p - p0; it needs a nominal target. A number a between 0 and 1 is (n / N)^a (p - p0):
        1 is "wracc", and smaller numbers prefer smaller subgroups that differ more.
    direction : {"higher", "lower", "both"}, default="higher"
        Whether the share, or mean, is to be higher than that of all rows, lower, or either.
    target : {"auto", "nominal", "numeric"}, default="auto"
        What y is. "auto" takes floats that are not all whole for numbers, if `pos_label` is None,
        and all else for labels.
    pos_label : label, optional
        The class whose share is looked at. None is the last of `classes_`.
    max_depth : int, default=3
        Most conditions of a subgroup, 1 to 32.
    search : {"exhaustive", "beam"}, default="exhaustive"
        "exhaustive": the best of all. "beam": only the best `beam_width` conjunctions of each
        depth are refined further, which may miss the best and takes a time that grows with depth
        in proportion.
    beam_width : int, default=100
        Conjunctions that a beam search refines.
    min_size : int, default=1
        Fewest rows of a subgroup, whatever their weight.
    min_quality : float, default=0.0
        Subgroups have more.
    n_bins : int, default=5
        Numeric columns of more distinct values are cut near the quantiles 1/n_bins, 2/n_bins, ...
        of the weight, in the middle of two neighboring values. Others are cut between all of their
        values.
    intervals : {"one-sided", "bins", "all"}, default="one-sided"
        Conditions on a numeric column: up to a cut, or above it, of which a subgroup may have one
        each; between neighboring cuts; or between any two cuts.
    missing : {"unmatched", "condition"}, default="unmatched"
        A missing value meets no condition on its column. "condition" adds the condition that the
        value is missing.
    distinct : bool, default=True
        Of subgroups with the same rows, keep the first one only.
    categorical_features : array-like of bool, int or str, "from_dtype" or None, \
            default="from_dtype"
        Columns of categories, each of which is a condition: by a mask, numbers, or names;
        "from_dtype" takes those that a data frame declares as such. At most 1024 categories a
        column. None for none.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Attributes
    ----------
    subgroups_ : SubgroupTable
        The subgroups, the best first: descriptions, sizes, shares or means, qualities, p values.
    n_conjunctions_ : float
        How many conjunctions of up to `max_depth` conditions there are.
    classes_ : ndarray of shape (K,), or None
        The labels, ascending; None of a numeric target.
    is_categorical_ : ndarray of bool, shape (p,), or None
        Which columns hold categories; None if none does.
    n_features_in_ : int
        Number of columns, p.
    feature_names_in_ : ndarray of shape (p,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    RuleListClassifier : Rules that classify, one after the other.
    statfast.plot.subgroups : A picture of the subgroups.

    Notes
    -----
    An exhaustive search leaves out refinements whose bound is too low: that of the best part of the
    rows, which is tight for all these qualities [3]_ [4]_. The answer is that without bounds.

    **Ties** of quality go to the fewest conditions, then to the first columns; of conditions on one
    column upper limits come before lower limits, and cuts and categories ascend.

    **Weights** count as rows do, except for `min_size`. A row of weight 0 is not there. **Missing
    values** count in sizes and shares of all rows. Categories that the fit has not seen are
    missing.

    The p values of `subgroups_` are those of a single test; `adjusted` multiplies them by
    `n_conjunctions_`.

    Cost: n / 64 word operations for each conjunction that is evaluated, or some nanoseconds for
    each of its rows if there are weights or the target is numeric; their number grows as the number
    of conditions to the power of `max_depth`, and is less by what bounds leave out. Memory: n / 8
    bytes for each condition.

    References
    ----------
    .. [1] Kloesgen, W. (1996). Explora: a multipattern and multistrategy discovery assistant. In
       Advances in Knowledge Discovery and Data Mining, 249-271. AAAI Press.
    .. [2] Wrobel, S. (1997). An algorithm for multi-relational discovery of subgroups. Principles
       of Data Mining and Knowledge Discovery, 78-87. https://doi.org/10.1007/3-540-63223-9_108
    .. [3] Grosskreutz, H., Rueping, S. and Wrobel, S. (2008). Tight optimistic estimates for fast
       subgroup discovery. Machine Learning and Knowledge Discovery in Databases, 440-456.
       https://doi.org/10.1007/978-3-540-87479-9_47
    .. [4] Morishita, S. and Sese, J. (2000). Traversing itemset lattices with statistical metric
       pruning. Symposium on Principles of Database Systems, 226-236.
       https://doi.org/10.1145/335168.335226

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.patterns import SubgroupDiscovery
    >>> iris = load_iris()
    >>> species = [iris.target_names[k] for k in iris.target]
    >>> model = SubgroupDiscovery(3, pos_label="versicolor", max_depth=2).fit(iris.data, species)
    >>> model.subgroups_.descriptions[0]
    'x2 <= 5.35 and x3 > 0.25'
    >>> model.subgroups_.target.round(3)
    array([0.581, 0.575, 0.696])
    >>> model.transform(iris.data[[0, 60, 120]])[:, 0]
    array([0., 1., 0.])
    """

    n_subgroups: int = param(count(high=MAX_SUBGROUPS), default=10, kw_only=False)
    quality: Literal["wracc", "t", "chi2"] | float = param(
        one_of(*QUALITIES) | real(0, 1), default="wracc"
    )
    direction: Literal["higher", "lower", "both"] = param(one_of(*DIRECTIONS), default="higher")
    target: Literal["auto", "nominal", "numeric"] = param(one_of(*TARGETS), default="auto")
    pos_label: Any = param(by_fit, default=None)
    max_depth: int = param(count(high=MAX_DEPTH), default=3)
    search: Literal["exhaustive", "beam"] = param(
        one_of("exhaustive", "beam"), default="exhaustive"
    )
    beam_width: int = param(count(high=MAX_SUBGROUPS), default=100)
    min_size: int = param(count(), default=1)
    min_quality: float = param(real(0), default=0.0)
    n_bins: int = param(count(2), default=5)
    intervals: Literal["one-sided", "bins", "all"] = param(one_of(*INTERVALS), default="one-sided")
    missing: Literal["unmatched", "condition"] = param(
        one_of("unmatched", "condition"), default="unmatched"
    )
    distinct: bool = param(flag, default=True)
    categorical_features: ArrayLike | None = param(by_fit, default="from_dtype")
    n_jobs: Jobs = param(jobs, default=None)

    subgroups_: SubgroupTable = fitted()
    n_conjunctions_: float = fitted()
    classes_: Any = fitted()
    is_categorical_: Any = fitted()
    _columns: CategoryColumns = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Search for subgroups.

        Parameters
        ----------
        X : array-like of shape (n, p)
            Rows; NaN is a missing value. Categories may be of any type that can be sorted.
        y : array-like of shape (n,)
            Labels, or numbers.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; samples of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X holds an infinity, y is not one label or number for each row, has one class or one
            value alone, `pos_label` is not a class, `quality` is "chi2" for numbers, or a parameter
            is out of its range.
        TypeError
            If X is not made of numbers, or a parameter is of the wrong type.
        MemoryError
            If the rows of all conditions take more than half the free memory.

        Warns
        -----
        UserWarning
            If no subgroup has more than `min_quality`.
        """
        params = self._checked()
        rows, columns = rows_of_fit(X, self.categorical_features)
        n = len(rows)
        weights = as_weights(sample_weight, n)
        target, used = check_target(y, n, weights, params.target, self.pos_label)
        used_rows = rows[used] if len(used) < n else rows
        problem = self._problem(params, used_rows, columns, target)
        if not problem.bits.conditions:
            found = []
        elif params.search == "beam":
            found = search_beam(problem, params.beam_width, self.n_jobs)
        else:
            found = search_all(problem, self.n_jobs)
        if not found:
            warn_user(
                f"no subgroup has a quality above min_quality ({params.min_quality:g}). Lower "
                "min_size, raise n_bins, or look in the other direction."
            )
        conditions = [
            conjunction(problem.bits.conditions[k] for k in subgroup.conditions)
            for subgroup in found
        ]
        names = column_names(X)
        labels = [f"x{j}" for j in range(rows.shape[1])] if names is None else names.tolist()
        table = subgroup_table(
            target,
            np.array([covered_rows(each, used_rows) for each in conditions], bool).reshape(
                len(found), len(used_rows)
            ),
            np.array([-subgroup.minus_quality for subgroup in found]),
            ([description(each, labels) for each in conditions], conditions),
            problem.bits.n_conjunctions(params.max_depth),
        )
        return self._publish(
            X, n_features_in_=rows.shape[1], classes_=target.classes, _columns=columns,
            is_categorical_=columns.mask, subgroups_=table,
            n_conjunctions_=problem.bits.n_conjunctions(params.max_depth),
        )  # fmt: skip

    def _problem(self, params: Any, rows: Array, columns: Any, target: Any) -> SubgroupProblem:
        kind, exponent, scale = quality_numbers(target, params.quality)
        order = order_rows(target, params.direction == "lower")
        values = column_values(rows, columns, target.weights, params.n_bins)
        refuse_large(
            1.0 * params.n_subgroups * len(rows),
            f"The rows of {params.n_subgroups} subgroups",
            "Lower n_subgroups.",
        )
        bits = condition_bits(values, order.place, params.intervals, params.missing == "condition")
        return SubgroupProblem(
            bits, order, kind, exponent, scale, params.direction == "both", target.total_weight,
            params.n_subgroups, params.max_depth, params.min_size, params.min_quality,
            params.distinct,
        )  # fmt: skip

    def transform(self, X: Rows) -> Any:
        """Mark the rows of the subgroups.

        Parameters
        ----------
        X : array-like of shape (m, p)
            Rows; NaN is a missing value.

        Returns
        -------
        ndarray of shape (m, subgroups), float32 of float32 rows, else float64
            1 where a row is in a subgroup, else 0; the table asked for by `set_output`, whose
            columns have the descriptions as their names.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        ValueError
            If X is not a 2-d array with the columns of the fitted one, or holds an infinity.
        """
        marks = self.covers(X)
        dtype = np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
        return marks.astype(dtype)

    def covers(self, X: Rows) -> NDArray[np.bool_]:
        """Mark the rows of the subgroups by truth values.

        Parameters
        ----------
        X : array-like of shape (m, p)
            Rows; NaN is a missing value.

        Returns
        -------
        ndarray of bool, shape (m, subgroups)
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        rows = rows_to_answer(self, self._columns, X)
        marks = np.empty((len(rows), len(self.subgroups_)), bool)
        for k, conditions in enumerate(self.subgroups_.conditions):
            marks[:, k] = covered_rows(conditions, rows)
        return marks

    def _named(self, names: list[str]) -> list[str]:
        return [description(conditions, names) for conditions in self.subgroups_.conditions]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags
