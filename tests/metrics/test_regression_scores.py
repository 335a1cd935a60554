# SPDX-License-Identifier: BSD-3-Clause
"""Scores of predicted numbers: scikit-learn's answers, repeated rows, and bad input."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from statfast import UndefinedMetricWarning, metrics

peer = pytest.importorskip("sklearn.metrics")

SEVERAL = [
    "mean_squared_error", "root_mean_squared_error", "mean_absolute_error", "median_absolute_error",
    "mean_absolute_percentage_error", "mean_squared_log_error", "root_mean_squared_log_error",
    "mean_pinball_loss", "r2_score", "explained_variance_score", "d2_pinball_score",
    "d2_absolute_error_score",
]  # fmt: skip
SINGLE = [
    "mean_tweedie_deviance", "mean_poisson_deviance", "mean_gamma_deviance", "d2_tweedie_score",
]  # fmt: skip


def both(name, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [getattr(home, name)(*args, **kwargs) for home in (metrics, peer)]


@st.composite
def predicted(draw, outputs=3, n_min=2):
    n, t = draw(st.integers(n_min, 30)), draw(st.integers(1, outputs))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    true, pred = (np.exp(rng.standard_normal((n, t))) for _ in range(2))
    if draw(st.booleans()):
        true, pred = np.round(true), np.round(pred)
    weights = draw(
        st.sampled_from(
            [None, rng.random(n), np.maximum(rng.integers(0, 3, n), [1] + [0] * (n - 1))]
        )
    )
    return true, pred, weights


@given(
    predicted(), st.sampled_from(SEVERAL), st.sampled_from(["raw_values", "uniform_average", "w"])
)
def test_outputs(rows, name, multioutput):
    true, pred, w = rows
    if multioutput == "w":
        multioutput = "uniform_average" if true.shape[1] == 1 else np.arange(1.0, true.shape[1] + 1)
    ours, theirs = both(name, true, pred, sample_weight=w, multioutput=multioutput)
    assert type(ours) is type(theirs) or isinstance(theirs, np.floating | float)
    assert_allclose(ours, theirs, rtol=1e-10)


@given(predicted(outputs=1), st.sampled_from([0, 1, 1.5, 2, 3, -1]))
def test_deviances(rows, power):
    true, pred, w = (None if a is None else a + 0.1 for a in rows)
    true[0] += 0.5  # so that they vary
    for name in SINGLE:
        options = {"power": power} if "tweedie" in name else {}
        ours, theirs = both(name, true[:, 0], pred[:, 0], sample_weight=w, **options)
        assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@given(predicted(), st.booleans())
def test_explained(rows, force_finite):
    true, pred, _ = rows
    w = np.ones(len(true))  # with others, the mean of a constant is not exact in scikit-learn
    true[:, 0] = 3.0
    for name in ("r2_score", "explained_variance_score"):
        for multioutput in ("raw_values", "variance_weighted"):
            options = {"sample_weight": w, "multioutput": multioutput}
            ours, theirs = both(name, true, pred, **options)
            assert_allclose(ours, theirs, rtol=1e-10)
        ours, theirs = both(name, true, pred, force_finite=force_finite, multioutput="raw_values")
        assert_allclose(ours, theirs, rtol=1e-10)


@given(predicted(), st.sampled_from([n for n in SEVERAL if n != "max_error"]))
def test_weight_is_a_repeated_row(rows, name):
    true, pred, _ = rows
    w = np.arange(len(true)) % 3
    w[0] = 2
    score = getattr(metrics, name)
    repeated = score(np.repeat(true, w, 0), np.repeat(pred, w, 0))
    assert_allclose(score(true, pred, sample_weight=w), repeated, rtol=1e-10)


@given(predicted(outputs=1), st.sampled_from([0.1, 0.5, 0.9]))
def test_pinball(rows, alpha):
    true, pred, w = rows
    for name in ("mean_pinball_loss", "d2_pinball_score"):
        ours, theirs = both(name, true, pred, sample_weight=w, alpha=alpha)
        assert_allclose(ours, theirs, rtol=1e-10)
    assert metrics.max_error(true, pred) == np.abs(true - pred).max()


def test_kinds_of_input():
    true, pred = [3, -1, 2, 7], np.array([2, 0, 2, 8], dtype=np.int8)
    assert metrics.mean_squared_error(true, pred) == 0.75
    assert metrics.mean_squared_error(np.float32(true), pred) == 0.75
    assert metrics.mean_squared_error(np.array(true)[::-1], pred[::-1]) == 0.75
    assert np.isinf(metrics.mean_absolute_percentage_error([0.0], [1e308]))
    one, two = (
        metrics.r2_score([1e200, 2e200], [1e200, 2e200]),
        metrics.mean_absolute_error([1e300], [0]),
    )
    assert (one, two) == (1.0, 1e300)


BAD = [
    (("mean_squared_error", [1, np.nan], [1, 2]), "y_true contains NaN"),
    (("mean_squared_error", [1, 2], [1, np.inf]), "y_pred contains infinity"),
    (("mean_squared_error", [1, 2], [1]), "as many rows .*; got 2 and 1"),
    (("mean_squared_error", [[1, 2], [3, 4]], [1, 2]), "got \\(2, 2\\) and \\(2, 1\\)"),
    (("mean_squared_error", [], []), "minimum of 1 is required"),
    (("mean_squared_error", [1, 2], [[1, 2], [3, 4]]), "one value for each row and output"),
    (("mean_squared_log_error", [-1, 2], [1, 2]), "y_true must be greater than -1"),
    (("mean_poisson_deviance", [1, 2], [0, 2]), "y_pred must be positive"),
    (("mean_poisson_deviance", [-1, 2], [1, 2]), "y_true must not be negative"),
    (("mean_gamma_deviance", [0, 2], [1, 2]), "y_true must be positive"),
    (("max_error", [[1, 2]], [[1, 2]]), "max_error is for one output"),
    (("mean_squared_error", ["a", "b"], [1, 2]), "must hold numbers"),
    (("mean_squared_error", [1j, 2], [1, 2]), "[Cc]omplex"),
]


@pytest.mark.parametrize(("call", "why"), BAD)
def test_bad_input(call, why):
    with pytest.raises(ValueError, match=why):
        getattr(metrics, call[0])(*call[1:])


def test_more_bad_input():
    with pytest.raises(ValueError, match="power must not be between 0 and 1"):
        metrics.mean_tweedie_deviance([1, 2], [1, 2], power=0.5)
    with pytest.raises(ValueError, match="multioutput must have a weight"):
        metrics.mean_squared_error([1, 2], [1, 2], multioutput=[1])
    with pytest.raises(ValueError, match="alpha must be at most 1"):
        metrics.mean_pinball_loss([1, 2], [1, 2], alpha=2)
    with pytest.warns(UndefinedMetricWarning, match="less than two samples"):
        assert np.isnan(metrics.r2_score([1], [1]))


@pytest.mark.parametrize("number", [np.array(1.5), np.float64(2), 3.0])
def test_one_number_is_refused(number):
    for score in (metrics.mean_squared_error, metrics.mean_poisson_deviance):
        with pytest.raises((TypeError, ValueError), match="y_true"):
            score(number, [1.0])
        with pytest.raises((TypeError, ValueError), match="y_pred"):
            score([1.0], number)


SIZES = [2.0**-950, 2.0**-600, 2.0**600, 2.0**950]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "name",
    ["r2_score", "explained_variance_score", "d2_pinball_score", "d2_absolute_error_score"],
)
def test_shares_do_not_depend_on_the_unit(name, size):
    rng = np.random.default_rng(0)
    true = np.column_stack([rng.normal(size=(30, 2)), np.ones(30)])
    pred, weights = true + 0.3 * rng.normal(size=true.shape), rng.uniform(0.5, 2, 30)
    score = getattr(metrics, name)
    for more in ({}, {"multioutput": "raw_values"}, {"sample_weight": weights}):
        assert_allclose(score(size * true, size * pred, **more), score(true, pred, **more), 1e-12)
    if name in ("r2_score", "explained_variance_score"):
        weighted = {"multioutput": "variance_weighted"}
        assert_allclose(score(size * true, size * pred, **weighted), score(true, pred, **weighted))
    assert score(size * true, size * true) == 1.0


@pytest.mark.parametrize("size", SIZES)
def test_errors_are_in_the_unit_of_the_values(size):
    rng = np.random.default_rng(1)
    true = rng.normal(size=40)
    pred = true + rng.normal(size=40)
    for name in ("root_mean_squared_error", "mean_absolute_error", "median_absolute_error",
                 "mean_pinball_loss", "max_error"):  # fmt: skip
        score = getattr(metrics, name)
        assert_allclose(score(size * true, size * pred), size * score(true, pred), 1e-12)


def test_squares_beyond_the_largest_number_are_infinite():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert metrics.mean_squared_error([1e300, 0.0], [0.0, 0.0]) == np.inf
        assert metrics.r2_score([1.0, 2.0], [1e300, 0.0]) == -np.inf
        values = metrics.mean_squared_error([[1e300, 1]], [[0, 2]], multioutput="raw_values")
        assert values.tolist() == [np.inf, 1.0]
        assert metrics.mean_squared_error([[1e300, 1]], [[0, 2]], multioutput=[0.0, 1.0]) == 1.0
        far = metrics.mean_absolute_percentage_error(
            [1e-200, 1.0], [1e300, 2.0], sample_weight=[0.0, 1.0]
        )
        assert far == 1.0


def test_bad_weights_of_outputs_and_far_deviances():
    with pytest.raises(ValueError, match="multioutput must have a weight that is not 0"):
        metrics.r2_score(np.eye(3), np.eye(3), multioutput=[0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="deviance of power 3 is beyond float64"):
        metrics.mean_tweedie_deviance([1.0, 2.0], [1e-300, 1.0], power=3)
    with pytest.raises(ValueError, match="deviance of power 0 is beyond float64"):
        metrics.d2_tweedie_score([1e300, 2.0], [1.0, 1.0])
    assert np.isfinite(metrics.mean_gamma_deviance([1.7e308] * 30, [2.5] * 30))
