# SPDX-License-Identifier: BSD-3-Clause
"""How often intervals and sets hold the truth: in all, by group, and by their size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import CoefficientTable, Tabled
from statfast._typing import Array, ArrayLike
from statfast._validation import as_count, as_real, as_targets, shown, to_array
from statfast.conformal.held_out_rows import LEVEL, as_categories

SIZES = 4  # groups of widths of intervals, of about as many rows


@dataclass(frozen=True, repr=False)
class CoverageReport(Tabled):
    """Result of `coverage_report`: a line for all rows, each group, and each size.

    Attributes
    ----------
    names : list of str
        What each line is of: "all", "group a", "size 1" or "width to 2.5".
    coverage : ndarray of shape (lines,)
        Fraction of the rows whose interval or set holds the truth; NaN without rows.
    lower, upper : ndarray of shape (lines,)
        Ends of the exact binomial interval of the coverage (Clopper and Pearson).
    rows : ndarray of int, shape (lines,)
        How many rows a line is of.
    size : ndarray of shape (lines,)
        Mean width of the intervals, or number of labels in the sets.
    infinite : int
        Intervals with an infinite end.

    Examples
    --------
    >>> from statfast.conformal import coverage_report
    >>> y, intervals = [1.0, 2.0, 6.0], [[0.0, 2.0], [1.0, 3.0], [2.0, 4.0]]
    >>> coverage_report(y, intervals, groups=["a", "b", "b"], n_sizes=1)
                Coverage    Lower   Upper  Rows  Size
    all           0.6667  0.09430  0.9916     3     2
    group a       1.0000  0.02500  1.0000     1     2
    group b       0.5000  0.01258  0.9874     2     2
    width to 2    0.6667  0.09430  0.9916     3     2
    """

    names: list[str]
    coverage: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    rows: NDArray[np.int64]
    size: NDArray[np.float64]
    infinite: int

    def table(self) -> CoefficientTable:
        """Return the lines as a table.

        Returns
        -------
        CoefficientTable
        """
        columns = {
            "Coverage": self.coverage, "Lower": self.lower, "Upper": self.upper,
            "Rows": self.rows, "Size": self.size,
        }  # fmt: skip
        return CoefficientTable(self.names, columns)


def coverage_report(
    y: ArrayLike,
    predicted: ArrayLike,
    *,
    classes: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_sizes: int = SIZES,
    confidence: float = 0.95,
) -> CoverageReport:
    """Count how often intervals hold targets, or sets hold labels, of rows that were not fitted.

    Parameters
    ----------
    y : array-like of shape (m,)
        Targets or labels.
    predicted : array-like of shape (m, 2), or of bool of shape (m, K)
        Ends of intervals, or sets of labels.
    classes : array-like of shape (K,), optional
        The labels of the columns of sets, as `classes_` of the model; sets need them.
    groups : array-like of shape (m,), optional
        A group for each row, such as its label; each has a line.
    n_sizes : int, default=4
        Lines for widths of intervals, which are cut at quantiles; sets have one for each number of
        labels.
    confidence : float, default=0.95
        Of the binomial intervals.

    Returns
    -------
    CoverageReport

    Raises
    ------
    ValueError
        If shapes do not match, ends are NaN or turned round, or labels are not among `classes`.

    Notes
    -----
    A line whose interval lies below the level says that fewer rows are held than were promised. Of
    few lines in a hundred this happens by chance alone. Coverage by size or by group is not what
    conformal prediction promises, unless it was fitted with groups.

    References
    ----------
    C. J. Clopper & E. S. Pearson (1934), "The use of confidence or fiducial limits illustrated in
    the case of the binomial". doi:10.1093/biomet/26.4.404

    Examples
    --------
    >>> from statfast.conformal import coverage_report
    >>> report = coverage_report([1.0, 2.0, 6.0], [[0.0, 2.0], [1.0, 3.0], [2.0, 4.0]], n_sizes=1)
    >>> report.coverage.round(3), report.lower.round(3), report.upper.round(3)
    (array([0.667, 0.667]), array([0.094, 0.094]), array([0.992, 0.992]))
    """
    confidence = LEVEL(confidence, "confidence")
    n_sizes = as_count(n_sizes, "n_sizes")
    table = to_array(predicted, "predicted", "an array-like of ends (m, 2) or of sets (m, K)")
    if table.ndim != 2:
        raise ValueError(f"predicted must be of shape (m, 2) or (m, K); got {table.shape}.")
    if table.dtype == bool:
        holds, sizes = _of_sets(y, table, classes)
        lines = [(f"size {k}", sizes == k) for k in range(int(sizes.max(initial=0.0)) + 1)]
        lines, infinite = [(name, mark) for name, mark in lines if mark.any()], 0
    else:
        if classes is not None:
            raise ValueError("classes are of sets, which are of bool; predicted holds numbers.")
        holds, sizes = _of_intervals(y, table)
        lines, infinite = _by_width(sizes, n_sizes), int(np.isinf(table).any(axis=1).sum())
    by_group = as_categories(groups, len(holds))
    if by_group is not None:
        lines = [(f"group {g}", by_group == g) for g in np.unique(by_group)] + lines
    lines = [("all", np.ones(len(holds), dtype=bool)), *lines]
    rows = np.array([mark.sum() for _, mark in lines], dtype=np.int64)
    held = np.array([(holds & mark).sum() for _, mark in lines], dtype=np.int64)
    with np.errstate(invalid="ignore"):
        mean = [sizes[mark].mean() if mark.any() else np.nan for _, mark in lines]
        coverage = np.where(rows > 0, held / np.maximum(rows, 1), np.nan)
    lower, upper = binomial_interval(held, rows, confidence)
    return CoverageReport(
        [name for name, _ in lines], coverage, lower, upper, rows, np.array(mean), infinite
    )


def binomial_interval(count: Array, n: Array, confidence: float) -> tuple[Array, Array]:
    """Ends of the probabilities of which `count` or more, or no more, of n are likely enough."""
    from scipy.special import betaincinv

    tail = 0.5 * (1.0 - as_real(confidence, "confidence", 0.0, 1.0))
    low = np.where(count > 0, betaincinv(np.maximum(count, 1), n - count + 1.0, tail), 0.0)
    high = np.where(count < n, betaincinv(count + 1.0, np.maximum(n - count, 1), 1.0 - tail), 1.0)
    return low, high


def _of_intervals(y: Any, ends: Array) -> tuple[Array, Array]:
    """Whether each interval holds its target, and their widths."""
    if ends.shape[1] != 2 or ends.dtype.kind not in "iuf":
        raise ValueError(
            f"predicted must hold two ends for each row, or sets of bool; got shape {ends.shape} "
            f"of {ends.dtype}."
        )
    targets, _ = as_targets(y, len(ends))
    if targets.shape[1] != 1:
        raise ValueError(f"y must be one target; got {targets.shape[1]}.")
    low, high = ends.astype(np.float64).T
    if np.isnan(ends).any() or (low > high).any():
        row = int(np.argmax(~(low <= high)))
        raise ValueError(
            f"predicted must hold lower ends, then upper ones; got {shown(ends[row].tolist())} at "
            f"row {row}."
        )
    return (low <= targets[:, 0]) & (targets[:, 0] <= high), high - low


def _of_sets(y: Any, sets: Array, classes: Any) -> tuple[Array, Array]:
    """Whether each set holds its label, and how many labels there are in each."""
    if classes is None:
        raise ValueError("classes must be given for sets of labels. Pass classes_ of the model.")
    labels = to_array(classes, "classes", "an array-like of labels").tolist()
    truth = to_array(y, "y", "a 1d array-like of labels")
    if len(labels) != sets.shape[1] or len(set(labels)) < len(labels):
        raise ValueError(
            f"classes must be one label for each column of the sets ({sets.shape[1]}), all "
            f"different; got {shown(labels)}."
        )
    if truth.ndim != 1 or len(truth) != len(sets):
        raise ValueError(f"y must have one label for each of {len(sets)} sets; got {truth.shape}.")
    place = {label: c for c, label in enumerate(labels)}
    unknown = [label for label in truth.tolist() if label not in place]
    if unknown:
        raise ValueError(f"y holds {shown(unknown[0])}, which is not in classes.")
    columns = np.array([place[label] for label in truth.tolist()], dtype=np.intp)
    return sets[np.arange(len(sets)), columns], sets.sum(axis=1).astype(np.float64)


def _by_width(widths: Array, n_sizes: int) -> list[tuple[str, Array]]:
    """Groups of about as many intervals, by width; equal widths are together."""
    if not len(widths):
        return []
    cuts = np.unique(
        np.sort(widths)[[-(-len(widths) * k // n_sizes) - 1 for k in range(1, n_sizes + 1)]]
    )
    lines, low = [], -np.inf
    for high in cuts:
        lines.append((f"width to {high:.4g}", (widths > low) & (widths <= high)))
        low = high
    return [(name, mark) for name, mark in lines if mark.any()]
