# SPDX-License-Identifier: BSD-3-Clause
"""How far two clusterings agree: pairs of rows (Rand), and bits they tell of each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from statfast._estimator import ignoring_sklearn_arguments
from statfast._typing import Array, ArrayLike, Weights
from statfast._validation import as_choice, as_labels, as_real, as_weights, refuse_large
from statfast.metrics.clustering.checked_labels import is_noise

AVERAGES: dict[str, Callable[..., Any]] = {
    "min": min,
    "geometric": lambda a, b: (a * b) ** 0.5,
    "arithmetic": lambda a, b: (a + b) / 2,
    "max": max,
}


@ignoring_sklearn_arguments(eps=(None,), sparse=(False,))
def contingency_matrix(
    labels_true: ArrayLike,
    labels_pred: ArrayLike,
    sample_weight: Weights = None,
    *,
    noise_label: Any = None,
) -> Array:
    """Contingency matrix: counts of pairs of labels.

    Parameters
    ----------
    labels_true : array-like of shape (n,)
        Labels of one clustering, which give the rows of the table, sorted.
    labels_pred : array-like of shape (n,)
        Labels of the other, which give its columns.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples, not negative; None is 1 for all. Counts are then sums of these.
    noise_label : label, optional
        The label of noise, such as -1: samples with this label in either clustering are left out.
        None counts it as one more cluster, as scikit-learn does.

    Returns
    -------
    ndarray of shape (number of labels, number of labels), float64

    Raises
    ------
    ValueError
        If there is not one label of each kind for each row, or all are left out.
    MemoryError
        If the table would take more than half the free memory. The scores need no such table.

    Examples
    --------
    >>> from statfast.metrics import contingency_matrix
    >>> contingency_matrix(["a", "a", "b"], [1, 2, 2])
    array([[1., 1.],
           [0., 1.]])
    """
    cells = cells_of(labels_true, labels_pred, sample_weight, noise_label)
    m, k = cells.shape
    refuse_large(8 * m * k, f"The table of {m} x {k} labels", "Compare fewer clusters.")
    table = np.zeros((m, k))
    table[cells.i, cells.j] = cells.counts
    return table


def rand_score(labels_true: ArrayLike, labels_pred: ArrayLike, *, noise_label: Any = None) -> float:
    """Rand index: the fraction of pairs of samples on which two clusterings agree.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Labels of either clustering.
    noise_label : label, optional
        The label of noise, such as -1: samples with this label in either clustering are left out.
        None counts it as one more cluster, as scikit-learn does.

    Returns
    -------
    float
        Between 0 and 1; 1 for fewer than two samples.

    Raises
    ------
    ValueError
        If there is not one label of each kind for each row, or all are left out.

    References
    ----------
    Rand, W. M. (1971). Objective criteria for the evaluation of clustering methods. Journal of the
    American Statistical Association 66, 846-850. doi:10.1080/01621459.1971.10482356

    Examples
    --------
    >>> from statfast.metrics import rand_score
    >>> rand_score([0, 0, 1, 1], [0, 0, 1, 2])
    0.8333333333333334
    """
    both, rows, columns, pairs = _pairs(cells_of(labels_true, labels_pred, noise_label=noise_label))
    return 1.0 if pairs == 0 else float((pairs + 2 * both - rows - columns) / pairs)


def adjusted_rand_score(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, noise_label: Any = None
) -> float:
    """Adjusted Rand index: 0 on average for random labels, 1 for identical clusterings.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Labels of either clustering.
    noise_label : label, optional
        The label of noise, such as -1: samples with this label in either clustering are left out.
        None counts it as one more cluster, as scikit-learn does.

    Returns
    -------
    float
        At most 1; 1 where both are one cluster, or both have each row alone; 0 where only one of
        them is so, as random labels of these sizes tell as much.

    Raises
    ------
    ValueError
        If there is not one label of each kind for each row, or all are left out.

    References
    ----------
    Hubert, L. and Arabie, P. (1985). Comparing partitions. Journal of Classification 2, 193-218.
    doi:10.1007/BF01908075

    Examples
    --------
    >>> from statfast.metrics import adjusted_rand_score
    >>> round(adjusted_rand_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.5714
    """
    both, rows, columns, pairs = _pairs(cells_of(labels_true, labels_pred, noise_label=noise_label))
    if rows == columns == both:
        return 1.0
    expected = rows * columns / pairs
    return float((both - expected) / ((rows + columns) / 2 - expected))


@ignoring_sklearn_arguments(contingency=(None,))
def mutual_info_score(
    labels_true: ArrayLike,
    labels_pred: ArrayLike,
    sample_weight: Weights = None,
    *,
    noise_label: Any = None,
) -> float:
    """Mutual information of two clusterings, in nats.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Labels of either clustering.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples, not negative; None is 1 for all.
    noise_label : label, optional
        The label of noise, such as -1: samples with this label in either clustering are left out.
        None counts it as one more cluster, as scikit-learn does.

    Returns
    -------
    float
        Not negative.

    Raises
    ------
    ValueError
        If there is not one label of each kind for each row, or all are left out.

    Examples
    --------
    >>> from statfast.metrics import mutual_info_score
    >>> round(mutual_info_score([0, 0, 1, 1], [0, 0, 1, 1]), 4)
    0.6931
    """
    return _information(cells_of(labels_true, labels_pred, sample_weight, noise_label))[0]


def normalized_mutual_info_score(
    labels_true: ArrayLike,
    labels_pred: ArrayLike,
    *,
    average_method: Literal["arithmetic", "geometric", "min", "max"] = "arithmetic",
    noise_label: Any = None,
) -> float:
    """Normalized mutual information: over an average of the two entropies.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Labels of either clustering.
    average_method : {"arithmetic", "geometric", "min", "max"}, default="arithmetic"
        Which average.
    noise_label : label, optional
        The label of noise, such as -1: samples with this label in either clustering are left out.
        None counts it as one more cluster, as scikit-learn does.

    Returns
    -------
    float
        Between 0 and 1; 1 where both are one cluster.

    Raises
    ------
    ValueError
        If there is not one label of each kind for each row, or all are left out.

    Examples
    --------
    >>> from statfast.metrics import normalized_mutual_info_score
    >>> round(normalized_mutual_info_score([0, 0, 1, 1], [1, 1, 0, 0]), 4)
    1.0
    """
    average = AVERAGES[as_choice(average_method, "average_method", AVERAGES)]
    cells = cells_of(labels_true, labels_pred, noise_label=noise_label)
    if cells.shape == (1, 1):
        return 1.0
    mutual, true, pred = _information(cells)
    return 0.0 if mutual == 0 else min(1.0, mutual / average(true, pred))


def adjusted_mutual_info_score(
    labels_true: ArrayLike,
    labels_pred: ArrayLike,
    *,
    average_method: Literal["arithmetic", "geometric", "min", "max"] = "arithmetic",
    noise_label: Any = None,
) -> float:
    """Adjusted mutual information: 0 on average for random labels, 1 for identical clusterings.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Labels of either clustering.
    average_method : {"arithmetic", "geometric", "min", "max"}, default="arithmetic"
        Which average of the entropies is the most it can be.
    noise_label : label, optional
        The label of noise, such as -1: samples with this label in either clustering are left out.
        None counts it as one more cluster, as scikit-learn does.

    Returns
    -------
    float
        At most 1; 1 where both are one cluster, or both have each row alone; 0 where only one of
        them is so, as random labels of these sizes tell as much.

    Raises
    ------
    ValueError
        If there is not one label of each kind for each row, or all are left out.

    Notes
    -----
    Cost: O(n + k_1 k_2 + the numbers of rows that two clusters can share).

    References
    ----------
    Vinh, N. X., Epps, J. and Bailey, J. (2010). Information theoretic measures for clusterings
    comparison. Journal of Machine Learning Research 11, 2837-2854.

    Examples
    --------
    >>> from statfast.metrics import adjusted_mutual_info_score
    >>> round(adjusted_mutual_info_score([0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 2, 2]), 4)
    0.5024
    """
    average = AVERAGES[as_choice(average_method, "average_method", AVERAGES)]
    cells = cells_of(labels_true, labels_pred, noise_label=noise_label)
    n = int(cells.counts.sum())
    if cells.shape in ((1, 1), (n, n)):
        return 1.0
    if {1, n} & {*cells.shape}:
        return 0.0
    mutual, true, pred = _information(cells)
    expected = _expected(cells.rows, cells.columns, n)
    span = max(average(true, pred) - expected, np.finfo(np.float64).eps)
    return min(1.0, float((mutual - expected) / span))


def homogeneity_completeness_v_measure(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, beta: float = 1.0, noise_label: Any = None
) -> tuple[float, float, float]:
    """Homogeneity, completeness and V-measure of a clustering.

    Parameters
    ----------
    labels_true : array-like of shape (n,)
        Classes.
    labels_pred : array-like of shape (n,)
        Clusters.
    beta : float, default=1.0
        Weight of completeness in the V-measure, not negative.
    noise_label : label, optional
        The label of noise, such as -1: samples with this label in either clustering are left out.
        None counts it as one more cluster, as scikit-learn does.

    Returns
    -------
    homogeneity, completeness, v_measure : float
        Between 0 and 1; the last is (1 + beta) h c / (beta h + c).

    Raises
    ------
    ValueError
        If there is not one label of each kind for each row, all are left out, or beta is negative.

    References
    ----------
    Rosenberg, A. and Hirschberg, J. (2007). V-measure: a conditional entropy-based external cluster
    evaluation measure. EMNLP-CoNLL 2007, 410-420.

    Examples
    --------
    >>> from statfast.metrics import homogeneity_completeness_v_measure
    >>> scores = homogeneity_completeness_v_measure([0, 0, 1, 1], [0, 0, 1, 2])
    >>> [round(score, 4) for score in scores]
    [1.0, 0.6667, 0.8]
    """
    beta = as_real(beta, "beta", low=0)
    mutual, true, pred = _information(cells_of(labels_true, labels_pred, noise_label=noise_label))
    homogeneity = min(1.0, mutual / true) if true else 1.0
    completeness = min(1.0, mutual / pred) if pred else 1.0
    below = beta * homogeneity + completeness
    v = (1 + beta) * homogeneity * completeness / below if below else 0.0
    return homogeneity, completeness, v


def homogeneity_score(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, noise_label: Any = None
) -> float:
    """Homogeneity: whether each cluster holds members of one class only.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters.
    noise_label : label, optional
        The label of noise, such as -1: samples with this label in either clustering are left out.
        None counts it as one more cluster, as scikit-learn does.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from statfast.metrics import homogeneity_score
    >>> round(homogeneity_score([0, 0, 1, 1], [0, 1, 2, 3]), 4)
    1.0
    """
    return homogeneity_completeness_v_measure(labels_true, labels_pred, noise_label=noise_label)[0]


def completeness_score(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, noise_label: Any = None
) -> float:
    """Completeness: whether all members of a class are in one cluster.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters.
    noise_label : label, optional
        The label of noise, such as -1: samples with this label in either clustering are left out.
        None counts it as one more cluster, as scikit-learn does.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from statfast.metrics import completeness_score
    >>> completeness_score([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    return homogeneity_completeness_v_measure(labels_true, labels_pred, noise_label=noise_label)[1]


def v_measure_score(
    labels_true: ArrayLike, labels_pred: ArrayLike, *, beta: float = 1.0, noise_label: Any = None
) -> float:
    """V-measure: the harmonic mean of homogeneity and completeness.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes and clusters.
    beta : float, default=1.0
        Weight of completeness.
    noise_label : label, optional
        The label of noise, such as -1: samples with this label in either clustering are left out.
        None counts it as one more cluster, as scikit-learn does.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from statfast.metrics import v_measure_score
    >>> round(v_measure_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8
    """
    return homogeneity_completeness_v_measure(
        labels_true, labels_pred, beta=beta, noise_label=noise_label
    )[2]


class _Cells(NamedTuple):
    """The cells of a contingency table that hold rows, and its sums."""

    counts: np.ndarray
    i: np.ndarray
    j: np.ndarray
    rows: np.ndarray
    columns: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.columns)


def cells_of(
    labels_true: Any, labels_pred: Any, sample_weight: Any = None, noise_label: Any = None
) -> _Cells:
    """The cells of the contingency table of labels, checked, without those of noise."""
    n = len(np.atleast_1d(np.asarray(labels_true, dtype=object)))
    if n == 0:
        raise ValueError("labels_true must hold at least one label; got none. Pass some.")
    true, rows = as_labels(labels_true, n, name="labels_true")
    pred, columns = as_labels(labels_pred, n, name="labels_pred")
    weights = as_weights(sample_weight, n)
    noise = is_noise(true, noise_label)[rows] | is_noise(pred, noise_label)[columns]
    if noise.any():
        kept = np.flatnonzero(~noise)
        if not len(kept):
            raise ValueError(
                "labels_true and labels_pred have no sample in a cluster of both; all are noise of "
                "either. Compare other clusterings, or pass noise_label=None."
            )
        true, rows = np.unique(rows[kept], return_inverse=True)
        pred, columns = np.unique(columns[kept], return_inverse=True)
        weights = None if weights is None else as_weights(weights[kept], len(kept))
    held, at = np.unique(rows * len(pred) + columns, return_inverse=True)
    i, j = np.divmod(held, len(pred))
    counts = np.bincount(at, weights).astype(np.float64)
    sums = np.bincount(i, counts, len(true)), np.bincount(j, counts, len(pred))
    return _Cells(counts, i, j, *sums)


def _pairs(cells: _Cells) -> tuple[float, float, float, float]:
    """Pairs of rows together in both, in the first, in the second; and all."""
    both, rows, columns = (
        float((sizes * (sizes - 1)).sum() / 2)
        for sizes in (cells.counts, cells.rows, cells.columns)
    )
    n = cells.counts.sum()
    return both, rows, columns, float(n * (n - 1) / 2)


def _entropy(sizes: Array) -> float:
    share = sizes[sizes > 0] / sizes.sum()
    return float(-(share * np.log(share)).sum()) if len(share) > 1 else 0.0


def _information(cells: _Cells) -> tuple[float, float, float]:
    """The mutual information and the two entropies."""
    held = cells.counts > 0
    shared, i, j = cells.counts[held], cells.i[held], cells.j[held]
    rows, columns, n = cells.rows, cells.columns, shared.sum()
    terms = shared / n * (np.log(shared) + np.log(n) - np.log(rows[i]) - np.log(columns[j]))
    terms[np.abs(terms) < np.finfo(np.float64).eps] = 0.0
    mutual = 0.0 if 1 in cells.shape else max(0.0, float(terms.sum()))
    return mutual, _entropy(rows), _entropy(columns)


def _expected(rows: Array, columns: Array, n: int) -> float:
    """The mean mutual information of random labels of these sizes.

    Two clusters of a and b rows share s, with mean m = a b / n, by the hypergeometric distribution.
    Its chances come as products of their ratios from the mode outwards, over their sum; and as the
    mean of s - m is 0, that of s log(s / m) is taken over s log(s / m) - s + m, which is nowhere
    negative: nothing cancels.
    """
    from scipy.special import xlog1py

    sizes, times = np.unique(rows, return_counts=True)
    column_sizes, as_often = np.unique(columns, return_counts=True)
    total = 0.0
    for a, how in zip(sizes, times, strict=True):
        for b, often in zip(column_sizes, as_often, strict=True):
            shared = np.arange(max(0, a + b - n), min(a, b) + 1)
            up = (a - shared) * (b - shared) / ((shared + 1) * (n - a - b + shared + 1))
            # The ratios of terms fall, so that the largest term is where they pass 1.
            mode = np.count_nonzero(up[:-1] > 1)
            below = np.cumprod(1 / up[:mode][::-1])[::-1]
            chance = np.concatenate([below, [1.0], np.cumprod(up[mode:-1])])
            excess = (shared * n - a * b) / (a * b)
            gained = (xlog1py(1 + excess, excess) - excess) @ chance / chance.sum()
            total += how * often * float(gained) * a * b / n**2
    return total
