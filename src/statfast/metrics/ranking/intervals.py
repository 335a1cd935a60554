# SPDX-License-Identifier: BSD-3-Clause
"""How sure an area under the ROC curve is: intervals, tests of two, and bands."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from statfast._core.metrics import resample
from statfast._engine import each, grid, interruptible
from statfast._linalg import mirrored
from statfast._typing import Array, ArrayLike, Jobs, Seed
from statfast._validation import (
    as_choice,
    as_count,
    as_flag,
    as_generator,
    as_real,
    as_vector,
)
from statfast.metrics.ranking.sorted_pass import as_scores, order_of
from statfast.metrics.ranking.two_classes import rows_for_ranking

ROWS_PER_BLOCK = 1 << 15  # The placements of so many rows are multiplied at a time.
NUMBERS_OF_CALL = 1 << 21  # Rows that a kernel call draws; Ctrl-C is looked for between two calls.


class AUCInterval(NamedTuple):
    """Area under the ROC curve with a confidence interval.

    Attributes
    ----------
    auc : float
        The area.
    low, high : float
        Ends of the interval.
    standard_error : float
        Of the area.
    level : float
        Confidence level of the interval, between 0 and 1.
    method : str
        How the interval was found; "exact" where the area is 0 or 1.

    Examples
    --------
    >>> from statfast.metrics import auc_interval
    >>> interval = auc_interval([0, 0, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8])
    >>> round(interval.auc, 4), interval.level
    (0.9375, 0.95)
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.76, 1.0)
    """

    auc: float
    low: float
    high: float
    standard_error: float
    level: float
    method: str


class AUCTest(NamedTuple):
    """Result of a test of two areas under ROC curves.

    Attributes
    ----------
    statistic : float
        Difference over its standard error: normal for paired curves, else Student's t.
    p_value : float
        Of no difference.
    auc1, auc2 : float
        The areas.
    difference : float
        The first less the second.
    standard_error : float
        Of it.
    low, high : float
        Interval of it.
    level : float
        Confidence level of the interval, between 0 and 1.
    df : float
        Degrees of freedom; infinite for paired curves.

    Examples
    --------
    >>> from statfast.metrics import auc_test
    >>> y = [0, 0, 0, 1, 0, 1, 1, 1]
    >>> test = auc_test(y, [1, 2, 3, 5, 4, 6, 7, 8], [3, 1, 6, 4, 2, 5, 8, 7])
    >>> round(test.auc1, 4), round(test.auc2, 4)
    (1.0, 0.875)
    >>> round(test.difference, 4), round(test.p_value, 2)
    (0.125, 0.39)
    """

    statistic: float
    p_value: float
    auc1: float
    auc2: float
    difference: float
    standard_error: float
    low: float
    high: float
    level: float
    df: float


class ROCBand(NamedTuple):
    """Confidence band of a ROC curve.

    Attributes
    ----------
    fpr : ndarray of shape (g,)
        False positive rates.
    tpr : ndarray of shape (g,)
        Height of the curve at these.
    low, high : ndarray of shape (g,)
        Ends of the interval of each height by itself.
    level : float
        Confidence level of the interval, between 0 and 1.

    Examples
    --------
    >>> from statfast.metrics import roc_band
    >>> y, scores = [0, 0, 1, 0, 1, 1, 0, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> band = roc_band(y, scores, fpr=[0.25, 0.5], random_state=0)
    >>> band.tpr, band.low, band.high
    (array([0.75, 1.  ]), array([0.  , 0.25]), array([1., 1.]))
    """

    fpr: np.ndarray
    tpr: np.ndarray
    low: np.ndarray
    high: np.ndarray
    level: float


def auc_interval(
    y_true: ArrayLike, y_score: ArrayLike, *, level: float = 0.95,
    method: Literal["delong", "logit", "bootstrap"] = "delong", n_resamples: int = 2000,
    stratified: bool = True, random_state: Seed = None, pos_label: Any = None,
    n_jobs: int | None = None,
) -> AUCInterval:  # fmt: skip
    """Confidence interval of the area under the ROC curve.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Scores, higher where a row is rather positive.
    level : float, default=0.95
        Confidence level of the interval, between 0 and 1.
    method : {"delong", "logit", "bootstrap"}, default="delong"
        DeLong's normal interval, cut at 0 and 1; the same on the logit scale, which needs no cut;
        or quantiles of bootstrap replicates.
    n_resamples : int, default=2000
        Bootstrap replicates.
    stratified : bool, default=True
        Whether a replicate has as many rows of each class as there are.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the bootstrap; an integer makes the result reproducible.
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    AUCInterval

    Raises
    ------
    ValueError
        If there is not one score, without NaN, for each label, rows of one class only, or a single
        row of a class whose area is neither 0 nor 1.

    Notes
    -----
    Where the ranking is without error, DeLong's variance and the bootstrap's are 0, which says
    nothing. The interval is then exact: of the pairs that share no row, as many as the smaller
    class has rows, all are in order, and the interval is Clopper and Pearson's of so many.

    Cost: one sort; the placements of DeLong follow from one more pass. A replicate of the bootstrap
    draws rows in sorted order and is one pass over the distinct scores.

    References
    ----------
    DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the areas under two or
    more correlated receiver operating characteristic curves: a nonparametric approach. Biometrics
    44, 837-845. doi:10.2307/2531595

    Sun, X. and Xu, W. (2014). Fast implementation of DeLong's algorithm for comparing the areas
    under correlated receiver operating characteristic curves. IEEE Signal Processing Letters 21,
    1389-1393. doi:10.1109/LSP.2014.2337313

    Examples
    --------
    >>> from statfast.metrics import auc_interval
    >>> result = auc_interval([0, 0, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8])
    >>> result.auc, round(result.low, 4), result.high
    (0.9375, 0.7643, 1.0)
    """
    as_choice(method, "method", ("delong", "logit", "bootstrap"))
    level = as_real(level, "level", 0, 1, open_low=True, open_high=True)
    scores, labels = rows_for_ranking(y_true, y_score, pos_label)
    if method == "bootstrap":
        areas, _ = _replicates(
            scores, labels, n_resamples, stratified, random_state, np.empty(0), n_jobs
        )
        auc = _areas_and_covariance([scores], labels, only_areas=True)[0]
        if auc in (0.0, 1.0):
            return _exact(auc, labels, level)
        areas = areas[~np.isnan(areas)]
        low, high = np.quantile(areas, [(1 - level) / 2, (1 + level) / 2])
        return AUCInterval(auc, float(low), float(high), float(areas.std(ddof=1)), level, method)
    (auc,), ((variance,),) = _areas_and_covariance([scores], labels)
    if auc in (0.0, 1.0):
        return _exact(auc, labels, level)
    _require_two(labels)
    error = float(variance) ** 0.5
    half_width = _normal_quantile(level) * error
    if method == "delong":
        return AUCInterval(
            auc, max(0.0, auc - half_width), min(1.0, auc + half_width), error, level, method
        )
    middle, half_width = np.log(auc / (1 - auc)), half_width / (auc * (1 - auc))
    low, high = (1 / (1 + np.exp(-end)) for end in (middle - half_width, middle + half_width))
    return AUCInterval(auc, float(low), float(high), error, level, method)


def auc_test(
    y_true: ArrayLike, y_score1: ArrayLike, y_score2: ArrayLike, *,
    y_true2: ArrayLike | None = None, level: float = 0.95,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided", pos_label: Any = None,
) -> AUCTest:  # fmt: skip
    """DeLong's test of whether two areas under ROC curves differ.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score1, y_score2 : array-like of shape (n,)
        Scores of the same samples by two models; or, with `y_true2`, of other samples.
    y_true2 : array-like of shape (m,), optional
        Labels of the samples of `y_score2`, if these are others: the test is then not paired.
    level : float, default=0.95
        Confidence level of the interval of the difference, between 0 and 1.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Whether the first area is not the same, greater, or less.
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1.

    Returns
    -------
    AUCTest

    Raises
    ------
    ValueError
        As `auc_interval`, or if a class has one row only.

    Notes
    -----
    Where the difference has no variance, as of two scores in the same order, the statistic is 0 and
    the p-value 1 if the areas are the same, and infinite and 0 if not.

    References
    ----------
    DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the areas under two or
    more correlated receiver operating characteristic curves: a nonparametric approach. Biometrics
    44, 837-845. doi:10.2307/2531595

    Examples
    --------
    >>> from statfast.metrics import auc_test
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> result = auc_test(y, [1, 2, 3, 5, 4, 6, 7, 8], [3, 1, 6, 4, 2, 5, 8, 7])
    >>> round(result.statistic, 4), round(result.p_value, 4)
    (1.1078, 0.2679)
    """
    as_choice(alternative, "alternative", ("two-sided", "greater", "less"))
    level = as_real(level, "level", 0, 1, open_low=True, open_high=True)
    first, labels = rows_for_ranking(y_true, y_score1, pos_label)
    _require_two(labels)
    df = np.inf
    if y_true2 is None:
        second = as_scores(y_score2, len(labels), name="y_score2")
        (auc1, auc2), cov = _areas_and_covariance([first, second], labels)
        variance = max(cov[0, 0] + cov[1, 1] - 2 * cov[0, 1], 0.0)
        if variance <= 1e-14 * (cov[0, 0] + cov[1, 1]):
            variance = 0.0  # The placements are equal except for rounding.
    else:
        second, second_labels = rows_for_ranking(y_true2, y_score2, pos_label)
        _require_two(second_labels)
        (auc1,), ((first_variance,),) = _areas_and_covariance([first], labels)
        (auc2,), ((second_variance,),) = _areas_and_covariance([second], second_labels)
        variance = first_variance + second_variance
        below = first_variance**2 / (len(labels) - 1) + second_variance**2 / (
            len(second_labels) - 1
        )
        df = float(variance**2 / below) if below > 0 else np.inf
    return _tested(auc1, auc2, float(variance) ** 0.5, df, level, alternative)


def _tested(
    auc1: float, auc2: float, error: float, df: float, level: float, alternative: str
) -> AUCTest:
    from scipy.special import ndtr, ndtri, stdtr, stdtrit

    difference = auc1 - auc2
    if error > 0:
        statistic = difference / error
    else:
        statistic = 0.0 if difference == 0 else float(np.copysign(np.inf, difference))
    finite = df < np.inf

    def below(x: float) -> float:
        if not np.isfinite(x):
            return float(x > 0)
        return float(stdtr(df, x) if finite else ndtr(x))

    p = {
        "two-sided": 2 * below(-abs(statistic)),
        "greater": below(-statistic),
        "less": below(statistic),
    }[alternative]
    if error == 0 and difference == 0:
        p = 1.0
    upper = (1 + level) / 2
    half = float(stdtrit(df, upper) if finite else ndtri(upper)) * error
    return AUCTest(
        statistic, p, auc1, auc2, difference, error, difference - half, difference + half,
        level, df,
    )  # fmt: skip


def roc_band(
    y_true: ArrayLike, y_score: ArrayLike, *, fpr: ArrayLike | None = None, level: float = 0.95,
    n_resamples: int = 2000, stratified: bool = True, random_state: Seed = None,
    pos_label: Any = None, n_jobs: int | None = None,
) -> ROCBand:  # fmt: skip
    """Bootstrap confidence band of a ROC curve.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_score : array-like of shape (n,)
        Scores, higher where a row is rather positive.
    fpr : array-like of shape (g,), optional
        Where; None takes 101 places between 0 and 1.
    level : float, default=0.95
        Confidence level at each place by itself, between 0 and 1.
    n_resamples : int, default=2000
        Bootstrap replicates.
    stratified : bool, default=True
        Whether a replicate has as many rows of each class as there are.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the bootstrap; an integer makes the result reproducible.
    pos_label : label, optional
        The positive class. None takes 1 where labels are 0 and 1, or -1 and 1.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits for
        any number.

    Returns
    -------
    ROCBand

    Raises
    ------
    ValueError
        If there is not one score, without NaN, for each label, rows of one class only, or `fpr` is
        not rising between 0 and 1.

    Examples
    --------
    >>> from statfast.metrics import roc_band
    >>> band = roc_band([0, 1, 0, 1], [1, 2, 3, 4], fpr=[0, 0.5, 1], random_state=0)
    >>> band.tpr
    array([0.5, 1. , 1. ])
    """
    level = as_real(level, "level", 0, 1, open_low=True, open_high=True)
    grid = np.linspace(0, 1, 101) if fpr is None else as_vector(fpr, "fpr").copy()
    if not (grid[0] >= 0 and grid[-1] <= 1) or (np.diff(grid) < 0).any():
        raise ValueError("fpr must hold rising rates between 0 and 1. Sort them.")
    scores, labels = rows_for_ranking(y_true, y_score, pos_label)
    areas, heights = _replicates(
        scores, labels, n_resamples, stratified, random_state, grid, n_jobs
    )
    heights = heights[~np.isnan(areas)]
    low, high = np.quantile(heights, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return ROCBand(grid, _curve_at(scores, labels, grid), low, high, level)


def _curve_at(scores: Array, labels: Array, grid: Array) -> Array:
    """Heights of the curve of all rows: a replicate in which each row is drawn once."""
    order = order_of(scores)
    ones = order.sums(labels.astype(np.float64))
    zeros = np.diff(order.ends, prepend=0) - ones
    fp, tp = np.cumsum(zeros), np.cumsum(ones)
    at = np.searchsorted(fp, grid * fp[-1], side="right")
    inside = at < len(fp)
    at = np.minimum(at, len(fp) - 1)
    part = (grid * fp[-1] - (fp[at] - zeros[at])) / np.where(zeros[at] > 0, zeros[at], 1)
    return np.where(inside, (tp[at] - ones[at] + part * ones[at]) / tp[-1], 1.0)


def _replicates(
    scores: Array,
    labels: Array,
    n_resamples: Any,
    stratified: bool,
    random_state: Seed,
    grid: Array,
    n_jobs: Jobs,
) -> tuple[Array, Array]:
    """Areas of bootstrap replicates, and heights of their curves at a grid."""
    n_resamples = as_count(n_resamples, "n_resamples", low=2)
    order = order_of(scores)
    sizes = np.diff(order.ends, prepend=0)
    codes = np.repeat(np.arange(len(sizes), dtype=np.uint32) * np.uint32(2), sizes)
    codes += labels[order.rows]
    first = 0
    if as_flag(stratified, "stratified"):
        first = int(labels.sum())
        codes = np.concatenate([codes[codes % 2 == 1], codes[codes % 2 == 0]])
    seeds = as_generator(random_state).integers(0, 2**64, n_resamples, dtype=np.uint64)
    areas, heights = np.empty(n_resamples), np.empty((n_resamples, len(grid)))
    step = max(1, NUMBERS_OF_CALL // len(codes))

    def work(start: int) -> None:
        piece = slice(start, start + step)
        counts = np.empty(2 * len(sizes), dtype=np.uint32)
        resample.replicates(codes, first, seeds[piece], counts, grid, areas[piece], heights[piece])

    step = min(step, -(-n_resamples // 8))
    each(work, range(0, n_resamples, step), n_jobs=n_jobs, effort=4.0 * n_resamples * len(codes))
    return areas, heights


def _areas_and_covariance(columns: list[Array], labels: Array, only_areas: bool = False) -> Any:
    """Areas of scores of the same rows, and their covariance by DeLong."""
    n, ones = len(labels), int(labels.sum())
    zeros = n - ones
    orders = [order_of(scores) for scores in columns]
    placed = np.empty((len(orders), n), dtype=np.int64)

    def place(k: int) -> int:
        order = orders[k]
        interruptible(resample.placements, order.rows, order.ends, labels, zeros, placed[k])
        return int(placed[k] @ labels)  # The sum of the placements of the positive rows.

    sums = each(place, range(len(orders)), effort=20.0 * placed.size)
    areas = [twice_area / (2 * ones * zeros) for twice_area in sums]
    if only_areas:
        return areas
    centers = np.array([[2 * ones * area for area in areas], [2 * zeros * area for area in areas]])
    blocks = grid(n, ROWS_PER_BLOCK, ROWS_PER_BLOCK)

    def multiply(rows: slice) -> Array:
        out = np.zeros((2, len(areas), len(areas)))
        resample.products(np.ascontiguousarray(placed[:, rows]), labels[rows], centers, out)
        return out

    below, above = sum(each(multiply, blocks, effort=10.0 * placed.size))
    covariance = above / (4.0 * zeros**2 * max(ones - 1, 1) * ones)
    covariance += below / (4.0 * ones**2 * max(zeros - 1, 1) * zeros)
    return areas, mirrored(covariance)


def _require_two(labels: Array) -> None:
    ones = int(labels.sum())
    if min(ones, len(labels) - ones) < 2:
        raise ValueError(
            "y_true must hold at least two rows of each class, whose variance is asked for. Pass "
            "more rows."
        )


def _exact(auc: Any, labels: Array, level: float) -> AUCInterval:
    ones = int(labels.sum())
    bound = ((1 - level) / 2) ** (1 / min(ones, len(labels) - ones))
    low, high = (bound, 1.0) if auc == 1.0 else (0.0, 1 - bound)
    return AUCInterval(auc, low, high, 0.0, level, "exact")


def _normal_quantile(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))
