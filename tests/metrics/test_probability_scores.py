# SPDX-License-Identifier: BSD-3-Clause
"""Scores of probabilities: scikit-learn's answers, identities, known answers, and bad input."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from statfast import UndefinedMetricWarning, metrics

peer = pytest.importorskip("sklearn.metrics")


@st.composite
def forecasts(draw, k_max=4):
    n, k = draw(st.integers(2, 50)), draw(st.integers(2, k_max))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    y = rng.integers(0, k, n)
    p = rng.random((n, k)).round(2) + 0.01
    p /= p.sum(axis=1, keepdims=True)
    if draw(st.booleans()):
        p = p.astype(np.float32)
    w = draw(st.sampled_from([None, rng.random(n) + 0.01]))
    return y, p, w


def both(name, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [getattr(home, name)(*args, **kwargs) for home in (metrics, peer)]


@given(forecasts())
def test_classes(rows):
    y, p, w = rows
    options = {"sample_weight": w, "labels": np.arange(p.shape[1])}
    rtol = 1e-10 if p.dtype == np.float64 else 1e-5
    for name in ("log_loss", "brier_score_loss"):
        assert_allclose(*both(name, y, p, **options), rtol=rtol)
    if len(np.unique(y)) > 1:
        for name in ("d2_log_loss_score", "d2_brier_score"):
            assert_allclose(*both(name, y, p, **options), rtol=10 * rtol, atol=rtol)
    assert_allclose(*both("brier_score_loss", y, p, scale_by_half=True, **options), rtol=rtol)
    halved = metrics.brier_score_loss(y, p, scale_by_half=True, **options)
    assert metrics.squared_probability_error(y, p, **options) == pytest.approx(halved)
    each = metrics.squared_probability_error(y, p, labels=options["labels"], average=False)
    assert_allclose(each, ((p - np.eye(p.shape[1])[y]) ** 2).sum(axis=1) / 2, rtol=1e-4, atol=1e-7)


@given(forecasts(k_max=2))
def test_two_classes(rows):
    y, p, w = rows
    y[:2] = 0, 1
    names = np.array(["no", "yes"])[y]
    rtol = 1e-10 if p.dtype == np.float64 else 1e-5
    p = np.clip(p[:, 1], 0, 1)
    for name in ("log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score"):
        assert_allclose(*both(name, y, p, sample_weight=w), rtol=10 * rtol, atol=rtol)
    brier = metrics.brier_score_loss(names, p, pos_label="yes", sample_weight=w)
    assert brier == pytest.approx(metrics.brier_score_loss(y, p, sample_weight=w))
    from sklearn.calibration import calibration_curve

    for strategy in ("uniform", "quantile"):
        options = {"n_bins": 4, "strategy": strategy}
        for a, b in zip(metrics.calibration_curve(y, p, **options),
                        calibration_curve(y, p, **options), strict=True):  # fmt: skip
            assert_allclose(a, b, rtol=1e-6)
    true, said = metrics.calibration_curve(y, p, strategy="isotonic", sample_weight=w)
    assert (np.diff(true) > 0).all()
    assert (np.diff(said) > 0).all()


@given(forecasts(k_max=2), st.sampled_from(["squared", "log"]))
def test_decompositions(rows, loss):
    y, p, w = rows
    y[:2] = 0, 1
    p = p[:, 1].astype(float).round(1).clip(0.05, 0.95)
    weights = np.ones(len(y)) if w is None else w
    for method in ("isotonic", "groups"):
        parts = metrics.score_decomposition(y, p, loss=loss, method=method, sample_weight=w)
        total = parts.miscalibration - parts.discrimination + parts.uncertainty
        assert parts.score == pytest.approx(total)
        assert parts.miscalibration > -1e-12
        assert parts.discrimination > -1e-12
        want = metrics.brier_score_loss if loss == "squared" else metrics.log_loss
        assert parts.score == pytest.approx(want(y, p, sample_weight=w))
    if loss == "squared":  # Murphy's formulas
        mean, total = weights @ y / weights.sum(), weights.sum()
        groups = [(v, weights[p == v].sum(), np.average(y[p == v], weights=weights[p == v]))
                  for v in np.unique(p)]  # fmt: skip
        reliability = sum(m * (v - o) ** 2 for v, m, o in groups) / total
        resolution = sum(m * (o - mean) ** 2 for v, m, o in groups) / total
        assert parts.miscalibration == pytest.approx(reliability)
        assert parts.discrimination == pytest.approx(resolution)
        assert parts.uncertainty == pytest.approx(mean * (1 - mean))
    binned = metrics.score_decomposition(y, p, loss=loss, method="groups", n_bins=1)
    assert binned.discrimination == pytest.approx(0, abs=1e-12)


@given(forecasts())
def test_hinge(rows):
    y, p, w = rows
    k = p.shape[1]
    values = 4 * p.astype(float) - 1
    if k == 2:
        if len(np.unique(y)) == 2:
            values = values[:, 0]
            assert_allclose(*both("hinge_loss", 2 * y - 1, values, sample_weight=w), rtol=1e-12)
        return
    ours, theirs = both("hinge_loss", y, values, labels=np.arange(k), sample_weight=w)
    assert_allclose(ours, theirs, rtol=1e-12)


def test_the_hinge_of_the_largest_numbers():
    most = np.finfo(np.float64).max
    assert metrics.hinge_loss([0, 0, 1], np.full(3, 1.5e308)) == pytest.approx(1e308)
    assert metrics.hinge_loss([0, 1, 2], np.diag(np.full(3, -most))) == most


def test_margins():
    z = np.linspace(-3, 3, 61)
    want = {
        "zero_one": np.where(z <= 0, 1.0, 0.0), "hinge": np.maximum(0, 1 - z),
        "logistic": np.log2(1 + np.exp(-z)), "exponential": np.exp(-z), "squared": (1 - z) ** 2,
    }  # fmt: skip
    for loss, values in want.items():
        assert_allclose(metrics.margin_loss(z, loss), values, rtol=1e-13)
        assert (metrics.margin_loss(z, loss) >= want["zero_one"] - 1e-12).all()
    assert metrics.margin_loss(-1e4, "exponential") == np.inf
    assert metrics.margin_loss(-1e4) == pytest.approx(1e4 / np.log(2))
    with pytest.raises(ValueError, match="margin contains NaN"):
        metrics.margin_loss([np.nan])


def test_the_catalogue():
    """Half the squared distance, as the catalog's other values have it."""
    for p, true, known in (
        ((0.2, 0.6, 0.2), 2, 0.24 / 2), ((0.7, 0.1, 0.2), 1, 0.07), ((0.7, 0.1, 0.2), 3, 0.57),
        ((0, 1, 0), 1, 1.0), ((0.99, 0, 0.01), 1, 0.0001), ((0.99, 0, 0.01), 3, 0.9801),
    ):  # fmt: skip
        found = metrics.squared_probability_error([true], [p], labels=[1, 2, 3])
        assert found == pytest.approx(known, rel=1e-12)


def test_pima(shared_data):
    path = Path(shared_data("r")).parents[1] / "reference" / "roc.json"
    if not path.exists():
        pytest.skip("reference/roc.json is not beside the data")
    known = json.loads(path.read_text())
    y, p = (np.array(known["pima_logistic"][key]) for key in ("y", "score"))
    assert metrics.brier_score_loss(y, p) == pytest.approx(known["brier"], rel=1e-13)
    assert metrics.log_loss(y, p) == pytest.approx(known["log_loss"], rel=1e-13)
    parts = metrics.score_decomposition(y, p)
    assert_allclose(
        parts, [0.1393105939805769, 0.008808517628609, 0.090021584556728, 0.220523660908695],
        rtol=1e-12,
    )  # fmt: skip
    parts = metrics.score_decomposition(y, p, loss="log")
    assert_allclose(
        parts[1:], [0.042143989725387, 0.234423072700533, 0.632977667113527], rtol=1e-12
    )


BAD = [
    (([0, 1], [0.5, 1.5]), {}, "greater than 1"),
    (([0, 1], [0.5, -0.5]), {}, "lower than 0"),
    (([0, 1], [0.5]), {}, "same length"),
    (([0, 1], [0.5, np.nan]), {}, "NaN"),
    (([0, 0], [0.5, 0.5]), {}, "only one label"),
    (([0, 1, 2], [[0.5, 0.5]] * 3), {}, "different number of classes"),
    (([0, 1], [0.5, 0.5]), {"labels": [0, 2]}, "not in labels"),
    (([0, 1], [0.5, 0.5]), {"sample_weight": [0, 0]}, "zero for every row"),
]


@pytest.mark.parametrize(("args", "kwargs", "why"), BAD)
def test_bad_input(args, kwargs, why):
    with pytest.raises(ValueError, match=why):
        metrics.log_loss(*args, **kwargs)


def test_warnings():
    with pytest.warns(UserWarning, match="do not sum to one"):
        metrics.log_loss([0, 1], [[0.5, 0.1], [0.5, 0.5]])
    with pytest.warns(UserWarning, match="in sorted order"):
        metrics.log_loss(["b", "a"], [[0.5, 0.5], [0.5, 0.5]], labels=["b", "a"])
    with pytest.warns(UndefinedMetricWarning, match="less than two samples"):
        assert np.isnan(metrics.d2_log_loss_score([1], [0.5], labels=[0, 1]))
    with pytest.raises(ValueError, match="greater than 1"):
        metrics.score_decomposition([0, 1], [2.0, 0.5], loss="log")


def test_an_infinite_loss_without_weight_counts_for_nothing():
    found = metrics.score_decomposition(
        [1, 1, 0], [0.5, 0.5, 1.0], sample_weight=[1.0, 1.0, 0.0], loss="log"
    )
    assert_allclose(found.score, np.log(2))
