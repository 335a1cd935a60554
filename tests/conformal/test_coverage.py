# SPDX-License-Identifier: BSD-3-Clause
"""Reports of coverage: exact binomial intervals, by group and by size."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from statfast.conformal import coverage_report
from statfast.conformal.coverage import binomial_interval


def at_least(count, n, p):
    """The probability of so many successes or more, exactly."""
    p = Fraction(p)
    return float(sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(count, n + 1)))


@pytest.mark.parametrize(("count", "n"), [(0, 5), (3, 7), (9, 10), (20, 20), (41, 50)])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_binomial_intervals_are_exact(count, n, confidence):
    low, high = binomial_interval(np.array([count]), np.array([n]), confidence)
    tail = (1 - confidence) / 2
    if count:
        assert_allclose(at_least(count, n, low[0]), tail, rtol=1e-9)
    else:
        assert low[0] == 0
    if count < n:
        assert_allclose(1 - at_least(count + 1, n, high[0]), tail, rtol=1e-9)
    else:
        assert high[0] == 1


def test_intervals_by_group_and_width():
    y = np.arange(8.0)
    ends = np.column_stack([y - 1, y + np.array([1, 2, 3, 4] * 2)])
    ends[[0, 5], 0] = y[[0, 5]] + 0.5
    ends[7, 1] = np.inf
    report = coverage_report(y, ends, groups=["a", "b"] * 4, n_sizes=2)
    assert report.names == ["all", "group a", "group b", "width to 3", "width to inf"]
    assert_array_equal(report.rows, [8, 4, 4, 4, 4])
    assert_allclose(report.coverage, [0.75, 0.75, 0.75, 0.5, 1.0])
    assert report.infinite == 1
    assert str(report).startswith(" " * 10)
    frame = pytest.importorskip("pandas") and report.to_frame()
    assert list(frame.columns) == ["Coverage", "Lower", "Upper", "Rows", "Size"]


def test_sets_by_size():
    sets = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0], [1, 1, 0]], bool)
    report = coverage_report(["u", "w", "u", "v"], sets, classes=["u", "v", "w"])
    assert report.names == ["all", "size 0", "size 1", "size 2"]
    assert_allclose(report.coverage, [0.5, 0.0, 1.0, 0.5])
    assert_allclose(report.size, [1.25, 0, 1, 2])
    assert report.infinite == 0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (([1.0], [[1.0, 0.0]]), "lower ends"),
        (([1.0], [[np.nan, 0.0]]), "lower ends"),
        (([1.0], [1.0, 2.0]), "shape"),
        (([1.0], [[1.0, 2.0, 3.0]]), "two ends"),
        (([1.0, 2.0], [[1.0, 2.0]]), "y"),
        (([1], [[True, False]]), "classes must be given"),
        (([1], [[True, False]], [1, 1]), "all different"),
        (([3], [[True, False]], [1, 2]), "not in classes"),
        (([1.0], [[1.0, 2.0]], [1, 2]), "of bool"),
    ],
)
def test_what_is_refused(arguments, text):
    y, predicted, *classes = arguments
    with pytest.raises(ValueError, match=text):
        coverage_report(y, predicted, classes=classes[0] if classes else None)
