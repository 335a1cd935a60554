# SPDX-License-Identifier: BSD-3-Clause
"""Isotonic regression and calibrated classifiers: R's and scikit-learn's answers, optimality."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from statfast import (
    CalibratedClassifierCV,
    IsotonicRegression,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
)
from statfast.calibration import isotonic_regression
from statfast.datasets import load_iris
from tests.reference.rankings import isotonic

peer = pytest.importorskip("sklearn")


# ------------------------------------------------------------------ isotonic regression
def test_isoreg(shared_data):
    path = Path(shared_data("r")).parents[1] / "reference" / "pca_isotonic.json"
    if not path.exists():
        pytest.skip("reference/pca_isotonic.json is not beside the data")
    known = json.loads(path.read_text())["isotonic"]
    assert_allclose(isotonic_regression(known["y"]), known["fit"], rtol=1e-12)
    fit = IsotonicRegression().fit(np.arange(len(known["y"])), known["y"])
    assert_allclose(fit.predict(np.arange(len(known["y"]))), known["fit"], rtol=1e-12)


@st.composite
def sequences(draw):
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    x = rng.integers(0, 20, n).astype(float) if draw(st.booleans()) else rng.standard_normal(n)
    y = rng.standard_normal(n) + 0.1 * x
    w = rng.random(n) + 0.1 if draw(st.booleans()) else None
    return x, y, w


@given(sequences(), st.booleans())
def test_regression(rows, increasing):
    from sklearn.isotonic import IsotonicRegression as Theirs

    x, y, w = rows
    options = {"increasing": increasing, "out_of_bounds": "clip", "y_max": 1.5}
    ours, theirs = (
        kind(**options).fit(x, y, sample_weight=w) for kind in (IsotonicRegression, Theirs)
    )
    at = np.linspace(x.min() - 1, x.max() + 1, 200)
    assert_allclose(ours.predict(at), theirs.predict(at), rtol=1e-9, atol=1e-12)
    assert_allclose(ours.X_thresholds_, theirs.X_thresholds_)
    assert_allclose(ours.y_thresholds_, theirs.y_thresholds_, rtol=1e-9, atol=1e-12)
    order = np.argsort(x)
    weights = np.ones(len(y)) if w is None else w[order]
    values, sign = y[order], 1 if increasing else -1
    found = isotonic_regression(values, sample_weight=weights, increasing=increasing)
    assert_allclose(sign * found, isotonic(sign * values, weights), atol=1e-12)


@given(sequences())
def test_weight_is_a_repeated_row(rows):
    x, y, _ = rows
    w = np.arange(len(x)) % 3
    w[0] = 1
    one = IsotonicRegression(out_of_bounds="clip").fit(x, y, sample_weight=w)
    many = IsotonicRegression(out_of_bounds="clip").fit(np.repeat(x, w), np.repeat(y, w))
    at = np.linspace(-3, 20, 50)
    assert_allclose(one.predict(at), many.predict(at), rtol=1e-10, atol=1e-12)


def test_isotonic_protocol():
    x, y = np.array([3.0, 1, 2, 2]), np.array([4.0, 1, 3, 1])
    kept = x.copy(), y.copy()
    model = IsotonicRegression().fit(x, y)
    for same in (x[:, None], x.tolist(), x.astype(np.float32), x[::-1][::-1], x.astype(int)):
        again = IsotonicRegression().fit(same, y)
        assert_array_equal(again.y_thresholds_, model.y_thresholds_)
        assert again.n_features_in_ == 1
    assert_array_equal([x, y], kept)
    assert np.isnan(model.predict([0.0, 5.0])).all()
    assert model.predict(np.float32([2])).dtype == np.float32
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(x), model.predict(x))
    assert model.transform([1.5]) == model.predict([1.5]) == 1.5
    assert list(model.get_feature_names_out()) == ["isotonicregression0"]
    assert (
        IsotonicRegression(increasing="auto").fit(np.arange(20), -np.arange(20.0)).increasing_
        is False
    )
    with pytest.raises(ValueError, match="below or above the places"):
        model.set_params(out_of_bounds="raise").predict([9.0])
    with pytest.warns(UserWarning, match="spans zero"):
        IsotonicRegression(increasing="auto").fit([1, 2, 3, 4], [1, 3, 2, 1])


def test_isotonic_bad_input():
    model = IsotonicRegression()
    for X, y, why in (
        ([1, np.nan], [1, 2], "X contains NaN"), ([1, 2], [1, np.nan], "y contains NaN"),
        ([[1, 2], [3, 4]], [1, 2], "X has 2 features"), ([1, 2], [1, 2, 3], "one target per row"),
        ([1j, 2], [1, 2], "[Cc]omplex"), (["a", "b"], [1, 2], "must hold numbers"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=why):
            model.fit(X, y)
    with pytest.raises(ValueError, match="not fitted"):
        model.predict([1.0])
    with pytest.raises(ValueError, match="y_min must not be above y_max"):
        IsotonicRegression(y_min=2, y_max=1).fit([1, 2], [1, 2])
    with pytest.raises(TypeError, match="increasing must be"):
        IsotonicRegression(increasing="yes").fit([1, 2], [1, 2])
    with pytest.raises(ValueError, match="sample_weight must be positive"):
        isotonic_regression([1, 2], sample_weight=[0, 1])


# ------------------------------------------------------------------ calibrated classifiers
def problem(k, n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = np.array(["a", "b", "c"])[rng.integers(0, k, n)]
    X = rng.standard_normal((n, 4)) + 1.2 * np.unique(y, return_inverse=True)[1][:, None]
    return X, y, rng.random(n) + 0.2


@pytest.mark.once
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
@pytest.mark.parametrize("ensemble", [True, False, "auto"])
def test_as_scikit_learn(k, method, ensemble):
    from sklearn.calibration import CalibratedClassifierCV as Theirs
    from sklearn.naive_bayes import GaussianNB

    X, y, w = problem(k)
    for weights in (None, w):
        options = {"method": method, "ensemble": ensemble, "cv": 4}
        ours, theirs = (
            kind(GaussianNB(), **options).fit(X, y, sample_weight=weights)
            for kind in (CalibratedClassifierCV, Theirs)
        )
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-5)
        assert_array_equal(ours.classes_, theirs.classes_)
        assert len(ours.calibrated_classifiers_) == (1 if ensemble is False else 4)
        assert (ours.predict(X) == theirs.predict(X)).mean() > 0.99


def test_temperature_of_decision_values_is_a_maximum():
    from sklearn.calibration import CalibratedClassifierCV as Theirs

    for k in (2, 3):
        X, y, w = problem(k)
        learner = LogisticRegression(C=0.01).fit(X, y)  # shrunk: the factor is above 1
        ours, theirs = (
            kind(learner, method="temperature", cv=4).fit(X, y, sample_weight=w)
            for kind in (CalibratedClassifierCV, Theirs)
        )
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
        codes = np.unique(y, return_inverse=True)[1]
        whole = CalibratedClassifierCV(learner, method="temperature", cv="prefit").fit(X, y, w)
        (one,) = whole.calibrated_classifiers_
        assert_array_equal(whole.predict(X), learner.predict(X))  # of distinct scores
        values = learner.decision_function(X)
        values = np.column_stack([-values, values]) if k == 2 else values

        def loss(factor, values=values, codes=codes, w=w):
            table = factor * values
            whole = np.log(np.exp(table).sum(axis=1))
            return w @ (whole - table[np.arange(len(codes)), codes])

        best = one.calibrators[0]
        assert best > 1.0
        assert loss(best) < min(loss(best * 1.001), loss(best / 1.001))


def test_temperatures_have_ends():
    X, y = np.array([[-1.0], [-2.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    for sign, end in ((1.0, 10.0), (-1.0, -10.0)):
        learner = LogisticRegression(C=1.0).fit(sign * X, y)
        model = CalibratedClassifierCV(learner, method="temperature", cv="prefit").fit(X, y)
        assert_allclose(np.log(model.calibrated_classifiers_[0].calibrators[0]), end)


def test_kinds_of_folds():
    from sklearn.model_selection import KFold

    X, y, _ = problem(2)
    own = LinearDiscriminantAnalysis()
    folds = list(KFold(3).split(X))
    a = CalibratedClassifierCV(own, cv=KFold(3)).fit(X, y).predict_proba(X)
    assert_array_equal(a, CalibratedClassifierCV(own, cv=folds).fit(X, y).predict_proba(X))
    assert_array_equal(
        a, CalibratedClassifierCV(own, cv=folds, n_jobs=2).fit(X, y).predict_proba(X)
    )
    fitted = LinearDiscriminantAnalysis().fit(X[:150], y[:150])
    held = CalibratedClassifierCV(fitted, cv="prefit").fit(X[150:], y[150:])
    assert held.calibrated_classifiers_[0].estimator is fitted
    shares = held.predict_proba(X)
    assert_allclose(shares.sum(axis=1), 1)
    assert ((np.diff(fitted.decision_function(X)[np.argsort(shares[:, 1])])) >= -1e-9).all()


def test_calibration_helps():
    """Values of a machine are no probabilities: calibrated, they are near to what they say."""
    from statfast.metrics import calibration_curve, score_decomposition

    X, y, _ = problem(2, n=4000)
    model = CalibratedClassifierCV(LinearSVC(), method="isotonic").fit(X[:2000], y[:2000])
    p = model.predict_proba(X[2000:])[:, 1]
    assert score_decomposition(y[2000:], p, pos_label="b").miscalibration < 0.01
    true, said = calibration_curve(y[2000:], p, pos_label="b")
    assert np.abs(true - said).max() < 0.08
    default = CalibratedClassifierCV().fit(X[:300], y[:300])
    assert default.score(X[:300], y[:300]) > 0.9


def test_a_fold_without_a_class():
    X, y, _ = problem(3)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    first = y == "a"
    odd = np.arange(300) % 2 == 1
    folds = [tuple(map(np.flatnonzero, pair)) for pair in ((~first, first), (odd, ~odd))]
    for method in ("sigmoid", "isotonic", "temperature"):
        shares = (
            CalibratedClassifierCV(LogisticRegression(C=1.0), cv=folds, method=method)
            .fit(X, y)
            .predict_proba(X)
        )
        assert_allclose(shares.sum(axis=1), 1)
        assert np.isfinite(shares).all()


def test_calibrated_bad_input():
    iris = load_iris()
    X, y = iris.data, iris.target
    with pytest.raises(TypeError, match="estimator must be a classifier"):
        CalibratedClassifierCV(LogisticRegression).fit(X, y)
    with pytest.raises(ValueError, match="at least 2 classes"):
        CalibratedClassifierCV(LinearSVC()).fit(X[:10], y[:10])
    with pytest.raises(ValueError, match="method must be"):
        CalibratedClassifierCV(LinearSVC(), method="beta").fit(X, y)
    with pytest.raises(ValueError, match="cv must be"):
        CalibratedClassifierCV(LinearSVC(), cv="folds").fit(X, y)
    with pytest.raises(ValueError, match="hold out each row once"):
        CalibratedClassifierCV(
            LinearSVC(), ensemble=False, cv=[(np.arange(149), np.arange(0, 150, 2))]
        ).fit(X, y)
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Other

    with pytest.warns(UserWarning, match="does not take sample_weight"):
        CalibratedClassifierCV(Other()).fit(X, y, sample_weight=np.ones(150))
    fitted = LinearDiscriminantAnalysis().fit(X[:100], y[:100])
    with pytest.raises(ValueError, match="does not know"):
        CalibratedClassifierCV(fitted, cv="prefit").fit(X, y)


def test_isotonic_values_near_the_largest_number():
    y = [1.7e308, 1.6e308, 1.7e308, 1.2e308]
    fit = isotonic_regression(y)
    np.testing.assert_allclose(fit / 1e308, isotonic_regression(np.array(y) / 1e308), rtol=1e-14)
    model = IsotonicRegression().fit([0.0, 0.0, 1.0, 2.0], y)
    np.testing.assert_allclose(model.predict([0.0]), 1.55e308, rtol=1e-14)


def test_isotonic_places_too_near_to_tell_apart_are_those_of_the_fit():
    x = np.array([0.0, 1e-154, 2e-154])
    model = IsotonicRegression().fit(x, [2.5, 2.5, 2.5])
    assert (model.X_min_, model.X_max_) == (0.0, 2e-154)
    assert model.predict(x).tolist() == [2.5, 2.5, 2.5]


def test_isotonic_calibration_of_scores_that_differ_by_rounding():
    """They are one place: the last digit of a sum in another order decides nothing."""

    class Sums:
        classes_ = np.array([0, 1])
        n_features_in_ = 1

        def fit(self, X, y):
            return self

        def decision_function(self, X):
            return np.asarray(X)[:, 0]

    scores = np.array([0.3, 0.1 + 0.2, 0.3, 0.1 + 0.2, 1.0, 2.0])[:, None]
    assert len(np.unique(scores)) == 4
    y = [0, 1, 1, 0, 1, 1]
    model = CalibratedClassifierCV(Sums(), method="isotonic", cv="prefit").fit(scores, y)
    np.testing.assert_allclose(model.predict_proba(scores)[:, 1], [0.5] * 4 + [1.0] * 2)


def test_isotonic_regression_of_the_largest_numbers():
    most = np.finfo(np.float64).max
    fitted = isotonic_regression([-most, most, most])
    np.testing.assert_array_equal(fitted, [-most, most, most])
    np.testing.assert_allclose(isotonic_regression([most, 0.0]), most / 2)
