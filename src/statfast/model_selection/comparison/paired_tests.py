# SPDX-License-Identifier: BSD-3-Clause
"""Tests between models from their scores on the same folds, or their errors on the same rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, nan, sqrt
from typing import Literal

import numpy as np

from statfast._estimator import CoefficientTable, Tabled
from statfast._typing import Array, ArrayLike
from statfast._validation import (
    as_choice,
    as_count,
    as_flag,
    as_names,
    as_real,
    as_rows,
    as_vector,
)


@dataclass(frozen=True, repr=False)
class TestResult(Tabled):
    """Result of a test of two or more models.

    Attributes
    ----------
    name : str
        Name of the test.
    statistic : float
        Infinite where all differences are the same and not 0.
    df : tuple of float
        Degrees of freedom; empty where there are none.
    p_value : float
        Two-sided.
    estimate : float, default=nan
        Mean difference, the first less the second; nan where the test has none.
    interval : tuple of float
        Confidence, or credible, interval of the difference; empty where there is none. Ends
        beyond the largest float64 are infinite.
    more : dict
        Further results of the test, by name.

    Examples
    --------
    >>> from statfast.model_selection import corrected_t_test
    >>> differences = [0.06, 0.02, 0.05, 0.06, 0.03]  # of two scores, in each of five folds
    >>> result = corrected_t_test(differences, test_share=0.25)
    >>> round(result.statistic, 2), round(result.p_value, 3)
    (3.61, 0.023)
    >>> tuple(round(end, 3) for end in result.interval)
    (0.01, 0.078)
    """

    __test__ = False  # This class is not a test of pytest's.

    name: str
    statistic: float
    df: tuple
    p_value: float
    estimate: float = nan
    interval: tuple = ()
    more: dict = field(default_factory=dict)

    def table(self) -> CoefficientTable:
        """One row: the statistic, its degrees of freedom, the difference with its interval, and p.

        Returns
        -------
        CoefficientTable
        """
        columns = {"Statistic": self.statistic}
        columns |= {("df", "df2")[k]: number for k, number in enumerate(self.df)}
        if self.estimate == self.estimate:
            columns["Difference"] = self.estimate
        if self.interval:
            columns |= dict(zip(("Lower", "Upper"), self.interval, strict=True))
        columns["P>|stat|"] = self.p_value
        return CoefficientTable([self.name], {key: np.array([v]) for key, v in columns.items()})


def corrected_t_test(
    differences: ArrayLike, *, test_share: float, level: float = 0.95
) -> TestResult:
    """Corrected resampled t test of score differences (Nadeau and Bengio 2003).

    Parameters
    ----------
    differences : array-like of shape (J,)
        Scores of one model less those of another on the same folds.
    test_share : float
        Rows held out for each row fitted: 1 / (K - 1) for K folds, however often repeated.
    level : float, default=0.95
        Confidence level of the interval, between 0 and 1.

    Returns
    -------
    TestResult
        With J - 1 degrees of freedom.

    Raises
    ------
    ValueError
        If there are fewer than two differences, or a share or level out of its range.

    Notes
    -----
    Training parts overlap, so that the variance of the mean is not s^2 / J but about
    s^2 (1 / J + test_share) [1]_; for repeated folds [2]_.

    References
    ----------
    .. [1] C. Nadeau & Y. Bengio (2003), "Inference for the generalization error".
       doi:10.1023/A:1024068626366
    .. [2] R. Bouckaert & E. Frank (2004), "Evaluating the replicability of significance tests for
       comparing learning algorithms". doi:10.1007/978-3-540-24775-3_3

    Examples
    --------
    >>> from statfast.model_selection import corrected_t_test
    >>> test = corrected_t_test([0.02, 0.01, 0.03, 0.0, 0.02], test_share=0.25)
    >>> round(test.statistic, 4), test.df
    (2.0919, (4,))
    """
    from scipy.special import stdtr, stdtrit

    d, size = _sized(as_vector(differences, "differences", n_min=2))
    share = as_real(test_share, "test_share", 0.0, open_low=True)
    level = as_real(level, "level", 0.0, 1.0, open_low=True, open_high=True)
    J, mean = len(d), float(d.mean())
    error = float(d.std(ddof=1)) * sqrt(1.0 / J + share)
    statistic = _ratio(mean, error)
    p = 2.0 * float(stdtr(J - 1, -abs(statistic)))
    half = float(stdtrit(J - 1, 0.5 + level / 2)) * error
    interval = ((mean - half) * size, (mean + half) * size)
    return TestResult("Corrected resampled t test", statistic, (J - 1,), p, mean * size, interval)


def bayesian_t_test(
    differences: ArrayLike, *, test_share: float, rope: float = 0.0, level: float = 0.95
) -> TestResult:
    """Bayesian correlated t test of two models.

    Parameters
    ----------
    differences : array-like of shape (J,)
        Scores of one model less those of another on the same folds.
    test_share : float
        Rows held out for each row fitted.
    rope : float, default=0.0
        Region of practical equivalence: differences within it count as none.
    level : float, default=0.95
        Probability of the credible interval, between 0 and 1.

    Returns
    -------
    TestResult
        Its ``more`` has the probabilities "first", "equal" and "second"; `p_value` is nan.

    Raises
    ------
    ValueError
        If there are fewer than two differences, or an argument is out of its range.

    Notes
    -----
    The posterior of the mean is a t distribution with J - 1 degrees of freedom and squared scale
    s^2 (1 / J + rho / (1 - rho)), rho the share of all rows that is held out [1]_.

    References
    ----------
    .. [1] G. Corani & A. Benavoli (2015), "A Bayesian approach for comparing cross-validated
       algorithms on multiple data sets". doi:10.1007/s10994-015-5486-z

    Examples
    --------
    >>> from statfast.model_selection import bayesian_t_test
    >>> test = bayesian_t_test([0.02, 0.01, 0.03, 0.0, 0.02], test_share=0.25, rope=0.01)
    >>> {name: round(p, 3) for name, p in test.more.items()}
    {'first': 0.762, 'equal': 0.225, 'second': 0.014}
    """
    from scipy.special import stdtr

    plain = corrected_t_test(differences, test_share=test_share, level=level)
    rope = as_real(rope, "rope", 0.0)
    d, size = _sized(as_vector(differences, "differences", n_min=2))
    error, mean, rope = (
        float(d.std(ddof=1)) * sqrt(1.0 / len(d) + test_share),
        d.mean(),
        rope / size,
    )
    below = float(stdtr(plain.df[0], _ratio(-rope - mean, error)))
    above = float(stdtr(plain.df[0], -_ratio(rope - mean, error)))
    probabilities = {"first": above, "equal": max(0.0, 1.0 - above - below), "second": below}
    return TestResult(
        "Bayesian correlated t test", plain.statistic, plain.df, nan, plain.estimate,
        plain.interval, probabilities,
    )  # fmt: skip


def five_by_two_test(differences: ArrayLike, *, kind: Literal["f", "t"] = "f") -> TestResult:
    """5 x 2 cross-validated t test or F test of two models.

    Parameters
    ----------
    differences : array-like of shape (5, 2)
        Scores of one model less those of another: a row for each replication.
    kind : {"f", "t"}, default="f"
        Alpaydin's combined F test [2]_, or Dietterich's t test [1]_, which takes the mean from the
        first fold alone.

    Returns
    -------
    TestResult

    Raises
    ------
    ValueError
        If `differences` has another shape.

    References
    ----------
    .. [1] T. Dietterich (1998), "Approximate statistical tests for comparing supervised
       classification learning algorithms". doi:10.1162/089976698300017197
    .. [2] E. Alpaydin (1999), "Combined 5x2 cv F test for comparing supervised classification
       learning algorithms". doi:10.1162/089976699300016007

    Examples
    --------
    >>> from statfast.model_selection import five_by_two_test
    >>> d = [[0.03, 0.02], [0.01, 0.04], [0.02, 0.02], [0.05, 0.01], [0.03, 0.0]]
    >>> round(five_by_two_test(d).p_value, 4)
    0.2159
    """
    from scipy.special import fdtrc, stdtr

    as_choice(kind, "kind", ("f", "t"))
    d = as_rows(differences, name="differences", keep=(np.float64,))
    if d.shape != (5, 2):
        raise ValueError(f"differences must be of shape (5, 2); got shape {d.shape}.")
    d, size = _sized(d)
    variances = float(((d - d.mean(axis=1, keepdims=True)) ** 2).sum())
    mean = float(d.mean())
    if kind == "t":
        t = _ratio(float(d[0, 0]), sqrt(variances / 5.0))
        return TestResult("5x2cv t test", t, (5,), 2.0 * float(stdtr(5, -abs(t))), mean * size)
    f = _ratio(float((d**2).sum()), 2.0 * variances)
    return TestResult("5x2cv F test", f, (10, 5), float(fdtrc(10, 5, f)), mean * size)


def mcnemar_test(first_only: int, second_only: int, *, method: str = "exact") -> TestResult:
    """McNemar's test of two classifiers on the same samples.

    Parameters
    ----------
    first_only : int
        Samples that the first alone gets right.
    second_only : int
        Samples that the second alone gets right.
    method : str, default="exact"
        "exact": binomial; "midp": less half the probability of what was seen, less conservative
        [2]_; "corrected" or "chi2": chi-squared, with or without a continuity correction.

    Returns
    -------
    TestResult

    Raises
    ------
    ValueError
        If a count is negative, or `method` is none of these.

    References
    ----------
    .. [1] Q. McNemar (1947), "Note on the sampling error of the difference between correlated
       proportions or percentages". doi:10.1007/BF02295996
    .. [2] M. Fagerland, S. Lydersen & P. Laake (2013), "The McNemar test for binary matched-pairs
       data". doi:10.1186/1471-2288-13-91

    Examples
    --------
    >>> from statfast.model_selection import mcnemar_test
    >>> test = mcnemar_test(121, 59, method="corrected")
    >>> round(test.statistic, 4), round(test.p_value, 9)
    (20.6722, 5.45e-06)
    """
    from scipy.special import bdtr, chdtrc

    b = as_count(first_only, "first_only", 0)
    c = as_count(second_only, "second_only", 0)
    as_choice(method, "method", ("exact", "midp", "corrected", "chi2"))
    n, less = b + c, min(b, c)
    if method in ("exact", "midp"):
        p = 1.0 if n == 0 else min(1.0, 2.0 * float(bdtr(less, n, 0.5)))
        if method == "midp" and n:
            here = float(bdtr(less, n, 0.5)) - (float(bdtr(less - 1, n, 0.5)) if less else 0.0)
            p = min(1.0, p - here) if b != c else 1.0 - here
        return TestResult(f"McNemar's test ({method})", float(less), (), p)
    shift = 1.0 if method == "corrected" else 0.0
    statistic = (abs(b - c) - shift) ** 2 / n if n else 0.0
    if method == "corrected" and abs(b - c) < 1:
        statistic = 0.0
    return TestResult(
        f"McNemar's test ({method})", float(statistic), (1,), float(chdtrc(1, statistic))
    )


def friedman_test(
    scores: ArrayLike, *, names: list[str] | None = None, greater_is_better: bool = True
) -> TestResult:
    """Friedman test of several models, with Nemenyi's and Holm's post-hoc tests.

    Parameters
    ----------
    scores : array-like of shape (N, k)
        Of k models on N data sets (or folds, which are not independent: p values are then low).
    names : list of str, optional
        Of the models.
    greater_is_better : bool, default=True
        Whether larger scores are better.

    Returns
    -------
    TestResult
        Friedman's chi-squared, corrected for ties. Its ``more`` has "ranks" (k,), the mean ranks,
        1 the best; "iman_davenport" (F, p value); "nemenyi" (k, k) p values of all pairs;
        "critical_difference" of mean ranks at level 0.05; "holm" (k, k), p values of pairs by
        normal differences of ranks, adjusted by Holm's method; "table", a printed table.

    Raises
    ------
    ValueError
        If there are fewer than 2 data sets or models, or NaN.

    References
    ----------
    J. Demšar (2006), "Statistical comparisons of classifiers over multiple data sets". JMLR 7,
    1-30.

    Examples
    --------
    >>> from statfast.model_selection import friedman_test
    >>> test = friedman_test([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8]])
    >>> round(test.statistic, 4), test.more["ranks"].round(3)
    (4.6667, array([1.   , 2.333, 2.667]))
    """
    from scipy.special import chdtrc, fdtrc, ndtr
    from scipy.stats import rankdata, studentized_range

    X = as_rows(scores, name="scores", keep=(np.float64,))
    if min(X.shape) < 2:
        raise ValueError(
            f"scores must be of at least 2 data sets and 2 models; got shape {X.shape}. Pass more."
        )
    N, k = X.shape
    listed = [f"model {j + 1}" for j in range(k)]
    if names is not None:
        listed = as_names(names, "names")
    if len(listed) != k:
        raise ValueError(f"names must have one name for each of {k} models; got {len(listed)}.")
    ranks = rankdata(-X if as_flag(greater_is_better, "greater_is_better") else X, axis=1)
    mean = ranks.mean(axis=0)
    spread = float(((ranks - (k + 1) / 2.0) ** 2).sum())
    between = float(N * ((mean - (k + 1) / 2.0) ** 2).sum())
    chi = N * (k - 1) * between / spread if spread else 0.0
    f = _ratio((N - 1) * chi, N * (k - 1) - chi)
    gaps = np.abs(mean[:, None] - mean) / sqrt(k * (k + 1) / (6.0 * N))
    nemenyi = np.minimum(studentized_range.sf(gaps * sqrt(2.0), k, np.inf), 1.0)
    critical = studentized_range.isf(0.05, k, np.inf) / sqrt(2.0) * sqrt(k * (k + 1) / (6.0 * N))
    holm = np.ones((k, k))
    upper = np.triu_indices(k, 1)
    holm[upper] = _holm(2.0 * ndtr(-gaps[upper]))
    holm = np.minimum(holm, holm.T)
    pairs = [f"{listed[i]} - {listed[j]}" for i, j in zip(*upper, strict=True)]
    table = CoefficientTable(pairs, {
        "Difference of ranks": (mean[:, None] - mean)[upper],
        "P>|q| (Nemenyi)": nemenyi[upper], "P>|z| (Holm)": holm[upper],
    })  # fmt: skip
    return TestResult("Friedman's test", chi, (k - 1,), float(chdtrc(k - 1, chi)), more={
        "ranks": mean, "iman_davenport": (f, float(fdtrc(k - 1, (k - 1) * (N - 1), f))),
        "nemenyi": nemenyi, "critical_difference": float(critical), "holm": holm, "table": table,
    })  # fmt: skip


def _holm(p: Array) -> Array:
    """p values adjusted by Holm's method."""
    order = np.argsort(p, kind="stable")
    out = np.empty(len(p))
    out[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return out


def _sized(d: Array) -> tuple[Array, float]:
    """Differences of size 1, whose squares neither overflow nor vanish, and their size."""
    size = float(np.abs(d).max()) or 1.0
    return d / size, size


def _ratio(above: float, below: float) -> float:
    if below > 0:
        return above / below
    return 0.0 if above == 0 else inf if above > 0 else -inf
