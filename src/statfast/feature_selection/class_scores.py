# SPDX-License-Identifier: BSD-3-Clause
"""Scores of single columns for classes: the F test of equal means, and chi squared of counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._core.rows.column_moments import class_moments
from statfast._engine import checkpoint
from statfast._estimator import MomentsByClass, moments_by_class, require_sound_squares
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import require_counts, require_finite, shown, warn_user
from statfast.feature_selection.score_sums import ScoreSums

NUMBERS_IN_CACHE = 1 << 16  # numbers of rows that are read twice, the second time from the cache


def f_classif(
    X: Rows, y: ArrayLike, sample_weight: Weights = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """F test of each column: do the classes have the same mean (one-way analysis of variance)?

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d), or Chunks
        The samples.
    y : array-like of shape (n,)
        A label for each row, of K classes.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; an integer weight equals a repeated sample.

    Returns
    -------
    f_statistic : ndarray of shape (d,), float64
        Mean square between classes over mean square within them; infinity for a column that is
        constant within each class, NaN for one that is constant.
    p_values : ndarray of shape (d,), float64
        Probability of a larger F if all classes are normal with one mean and one variance.

    Raises
    ------
    ValueError
        If X is not a 2-d array of finite numbers whose squares neither overflow nor vanish, if y is
        not one label for each row, if there is one class, or if there are no more rows, by weight,
        than classes.

    Warns
    -----
    UserWarning
        If columns are constant.

    See Also
    --------
    f_regression : The F test for a target of numbers.
    chi2 : For counts.
    mutual_info_classif : Finds dependence of any kind, not of means alone.

    Notes
    -----
    One pass over the rows sums weights, means and squares about them for each class and column;
    blocks are merged by differences of means [2]_, so that columns far from zero keep all digits
    that their means have.
    With two classes F is the square of Student's t with pooled variance. Cost O(n d), memory
    O(K d) a thread.

    References
    ----------
    .. [1] Fisher, R. A. (1925). Statistical Methods for Research Workers. Oliver and Boyd.
    .. [2] Chan, T. F., Golub, G. H. and LeVeque, R. J. (1983). Algorithms for computing the sample
       variance. The American Statistician 37, 242-247. https://doi.org/10.2307/2683386

    Examples
    --------
    Petals tell the three species of iris better than sepals:

    >>> from statfast.datasets import load_iris
    >>> from statfast.feature_selection import f_classif
    >>> iris = load_iris()
    >>> F, p = f_classif(iris.data, iris.target)
    >>> F.round(1)
    array([ 119.3,   49.2, 1180.2,  960. ])
    >>> print(f"{p.min():.0e} to {p.max():.0e}")
    3e-91 to 4e-17
    """
    f_statistic, p_values = CLASS_MEANS.scores(X, y, sample_weight)
    return f_statistic, p_values


def chi2(
    X: Rows, y: ArrayLike, sample_weight: Weights = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Chi-squared statistic of each column of counts: does it depend on the class?

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d), or Chunks
        Counts or frequencies, such as of words: numbers that are not negative.
    y : array-like of shape (n,)
        A label for each row, of K classes.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; an integer weight equals a repeated sample.

    Returns
    -------
    chi2 : ndarray of shape (d,), float64
        Sum over classes of (observed - expected)^2 / expected, where the expected count of a class
        is its share of the rows times the sum of the column; NaN for a column of zeros.
    p_values : ndarray of shape (d,), float64
        Probability of a larger value of chi squared with K - 1 degrees of freedom.

    Raises
    ------
    ValueError
        If X is not a 2-d array of finite numbers, if one is negative, if y is not one label for
        each row, or if there is one class.

    See Also
    --------
    f_classif : For numbers that are not counts.

    Notes
    -----
    The test is of a column's counts alone, as if each of them came by itself: it is the test of
    goodness of fit to the shares of the classes, not that of a table of presence and absence. One
    pass; cost O(n d), or the number of nonzeros; memory O(K d) a thread.

    References
    ----------
    .. [1] Pearson, K. (1900). On the criterion that a given system of deviations ... The London,
       Edinburgh and Dublin Philosophical Magazine 50, 157-175.
       https://doi.org/10.1080/14786440009463897

    Examples
    --------
    The second word is as frequent in both classes, the third belongs to the second:

    >>> from statfast.feature_selection import chi2
    >>> counts = [[4, 1, 0], [3, 2, 0], [0, 1, 5], [1, 2, 6]]
    >>> statistic, p = chi2(counts, ["sport", "sport", "music", "music"])
    >>> statistic.round(3)
    array([ 4.5,  0. , 11. ])
    >>> p.round(3)
    array([0.034, 1.   , 0.001])
    """
    statistic, p_values = CLASS_COUNTS.scores(X, y, sample_weight)
    return statistic, p_values


# ------------------------------------------------------------------ analysis of variance
def class_mean_statistics(columns: tuple[Any, ...], state: Any) -> MomentsByClass:
    """Moments of a block of rows by class."""
    rows, codes, weights = columns
    moments = moments_by_class(rows, codes, weights, len(state.classes))
    require_sound_squares(rows, weights, moments.squares, moments.means)
    return moments


def solve_f_test(moments: MomentsByClass) -> tuple[Array, Array]:
    """F statistics and p-values; constant columns have NaN."""
    from scipy.special import fdtrc

    moments = moments.of_classes(moments.class_counts[:, 0] > 0.0)
    n_classes, total_weight = len(moments.means), float(moments.class_counts[:, 0].sum())
    if n_classes < 2:
        raise ValueError(
            "y must hold at least 2 classes; got one class in the rows with weight. Pass rows of "
            "another class too."
        )
    degrees = total_weight - n_classes
    if not degrees > 0.0:
        raise ValueError(
            f"X must have more rows, by sample_weight, than there are classes ({n_classes}); got "
            f"n_samples = {total_weight:g}. Pass more rows, or weights that count rows."
        )
    within = moments.squares.sum(axis=0)
    of_means = MomentsByClass(moments.class_counts, moments.means, np.zeros_like(moments.means))
    between = of_means.of_all_classes().squares[0]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        f_statistic = (between / (n_classes - 1)) / (within / degrees)
    constant = np.flatnonzero(np.isnan(f_statistic))
    if len(constant):
        warn_user(f"Features {shown(constant.tolist())} are constant: they have no F statistic.")
    return f_statistic, fdtrc(n_classes - 1, degrees, f_statistic)


CLASS_MEANS = ScoreSums(True, class_mean_statistics, solve_f_test)


# ------------------------------------------------------------------ counts
@dataclass(frozen=True)
class ClassCounts:
    """The weight of each class (K,), and what each counts in each column (K, d)."""

    class_weights: NDArray[np.float64]
    counts: NDArray[np.float64]

    def __add__(self, other: ClassCounts) -> ClassCounts:
        class_weights = self.class_weights + other.class_weights
        return ClassCounts(class_weights, self.counts + other.counts)


def class_count_statistics(columns: tuple[Any, ...], state: Any) -> ClassCounts:
    """Counts of a block of rows by class."""
    rows, codes, weights = columns
    n_classes, d = len(state.classes), rows.shape[1]
    class_weights, counts = np.zeros(n_classes), np.zeros((n_classes, d))
    if hasattr(rows, "indptr"):
        require_counts(rows)
        lengths = np.diff(rows.indptr)
        value_weights = 1.0 if weights is None else np.repeat(weights, lengths)
        places = np.repeat(codes * d, lengths) + rows.indices
        counts += np.bincount(places, value_weights * rows.data, n_classes * d).reshape(
            counts.shape
        )
        return ClassCounts(np.bincount(codes, weights, n_classes).astype(np.float64), counts)
    zeros, step = np.zeros_like(counts), max(1, NUMBERS_IN_CACHE // d)
    for start in range(0, len(rows), step):
        checkpoint()
        piece = slice(start, start + step)
        if rows.dtype.kind != "u" and not rows[piece].min() >= 0.0:
            require_finite(rows)
            require_counts(rows)
        piece_weights = None if weights is None else weights[piece]
        class_moments(rows[piece], codes[piece], piece_weights, zeros, class_weights, counts, None)
    if not np.isfinite(counts).all():
        require_finite(rows)
        raise ValueError("X holds counts so large that their sum overflows. Scale them down.")
    return ClassCounts(class_weights, counts)


def solve_chi_squared(sums: ClassCounts) -> tuple[Array, Array]:
    """Chi squared and p-values; columns of zeros have NaN."""
    from scipy.special import chdtrc

    present = sums.class_weights > 0.0
    class_weights, observed = sums.class_weights[present], sums.counts[present]
    shares = class_weights / class_weights.sum()
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        expected = shares[:, None] * observed.sum(axis=0)
        statistic = ((observed - expected) * ((observed - expected) / expected)).sum(axis=0)
    return statistic, chdtrc(len(class_weights) - 1, statistic)


CLASS_COUNTS = ScoreSums(True, class_count_statistics, solve_chi_squared)
