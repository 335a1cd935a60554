# SPDX-License-Identifier: BSD-3-Clause
"""Baselines: what each strategy predicts, and that it is the best that sees no feature."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import statfast as sf
from statfast.decision.baselines import quantile_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = np.array(["ash", "elm", "oak"])[np.repeat([0, 1, 2], [10, 30, 20])]
STRATEGIES = ("most_frequent", "prior", "stratified", "uniform", "constant")


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("several", [False, True])
def test_classes_are_those_of_scikit_learn(strategy, several):
    peers = pytest.importorskip("sklearn.dummy")
    y = np.column_stack([Y, np.roll(Y, 7)]) if several else Y
    constant = (["oak", "ash"] if several else "oak") if strategy == "constant" else None
    settings = {"strategy": strategy, "constant": constant, "random_state": 0}
    weights = 1.0 + np.arange(60) % 4
    for more in ({}, {"sample_weight": weights}):
        ours = sf.DummyClassifier(**settings).fit(X, y, **more)
        peer = peers.DummyClassifier(**settings).fit(X, y, **more)
        for name in ("classes_", "class_prior_", "n_classes_", "n_outputs_"):
            assert np.array_equal(getattr(ours, name), getattr(peer, name)), name
        if strategy not in ("stratified", "uniform"):  # which draw other numbers
            np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
        if strategy != "stratified":
            np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=1e-12)
            with np.errstate(divide="ignore"):
                logs = peer.predict_log_proba(X)
            np.testing.assert_allclose(ours.predict_log_proba(X), logs, rtol=1e-12)
        assert ours.predict(X).shape == y.shape


def test_labels_drawn_have_their_shares_and_are_drawn_again():
    rows, y = np.zeros((30000, 1)), np.repeat(Y, 500)
    for strategy, shares in (("stratified", [1 / 6, 1 / 2, 1 / 3]), ("uniform", [1 / 3] * 3)):
        model = sf.DummyClassifier(strategy=strategy, random_state=1).fit(rows, y)
        drawn = model.predict(rows)
        found = [np.mean(drawn == label) for label in model.classes_]
        np.testing.assert_allclose(found, shares, atol=0.02)  # five standard deviations and more
        np.testing.assert_array_equal(drawn, model.predict(rows))
    model = sf.DummyClassifier(strategy="stratified", random_state=1).fit(rows, y)
    picked = model.classes_[model.predict_proba(rows).argmax(axis=1)]
    np.testing.assert_array_equal(picked, model.predict(rows))


def test_the_largest_prior_errs_least_and_ties_go_to_the_lowest():
    model = sf.DummyClassifier().fit(X, Y)
    assert model.score(X, Y) == model.score(None, Y) == 0.5
    constants = [
        sf.DummyClassifier(strategy="constant", constant=label).fit(X, Y).score(X, Y)
        for label in ("ash", "elm", "oak")
    ]
    assert max(constants) == model.score(X, Y)
    tied = sf.DummyClassifier(strategy="most_frequent").fit(X, np.repeat(["oak", "ash"], 30))
    assert set(tied.predict(X)) == {"ash"}
    weighted = sf.DummyClassifier().fit(X, Y, sample_weight=np.where(Y == "elm", 0.0, 1.0))
    assert weighted.classes_.tolist() == ["ash", "oak"]


@given(
    seed=st.integers(0, 10**6), share=st.sampled_from([0.0, 0.25, 0.5, 0.77, 1.0]),
    n=st.integers(1, 12),
)  # fmt: skip
def test_quantiles_with_weights_are_those_of_repeated_rows(seed, share, n):
    rng = np.random.default_rng(seed)
    values, times = rng.integers(0, 6, n).astype(float), rng.integers(0, 4, n)
    times[0] = max(times[0], 1)
    repeated = values.repeat(times)
    expected = np.quantile(repeated, share)
    assert quantile_of(values, share, times.astype(float)) == pytest.approx(expected, abs=1e-12)
    model = sf.DummyRegressor(strategy="quantile", quantile=share)
    model.fit(values[:, None], values, sample_weight=times)
    assert model.constant_[0, 0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("several", [False, True])
def test_numbers_are_those_of_scikit_learn(several):
    peers = pytest.importorskip("sklearn.dummy")
    y = RNG.normal(size=(60, 2) if several else 60)
    for settings in (
        {}, {"strategy": "median"}, {"strategy": "quantile", "quantile": 0.8},
        {"strategy": "constant", "constant": [1.0, 2.0] if several else 3.0},
    ):  # fmt: skip
        ours = sf.DummyRegressor(**settings).fit(X, y)
        peer = peers.DummyRegressor(**settings).fit(X, y)
        np.testing.assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-12)
        np.testing.assert_allclose(ours.constant_, peer.constant_, rtol=1e-12)
        assert ours.score(None, y) == pytest.approx(peer.score(None, y), abs=1e-12)
        numbers, spread = ours.predict(X, return_std=True)
        assert numbers.shape == spread.shape == y.shape
        assert not spread.any()


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_quantile_has_the_least_pinball_loss(share):
    y = RNG.exponential(size=41)
    loss = lambda c: np.mean(np.maximum(share * (y - c), (share - 1) * (y - c)))  # noqa: E731
    model = sf.DummyRegressor(strategy="quantile", quantile=share).fit(X[:41], y)
    best = minimize_scalar(loss, bounds=(y.min(), y.max()), method="bounded")
    assert loss(model.constant_[0, 0]) <= best.fun + 1e-3
    mean = sf.DummyRegressor().fit(X[:41], y)
    assert mean.score(X[:41], y) == pytest.approx(0.0, abs=1e-12)
    assert model.score(X[:41], y) < 0.0


def test_anything_that_has_rows():
    texts = [f"{label} tree" for label in Y]
    frame = [["a", None], ["b", 1.0]] * 30
    for rows in (texts, np.array(frame, dtype=object), np.full((60, 2), np.nan)):
        model = sf.DummyClassifier().fit(rows, Y)
        assert set(model.predict(rows)) == {"elm"}
        assert sf.cross_val_score(sf.DummyClassifier(), rows, Y, cv=5).tolist() == [0.5] * 5
    pickle.loads(pickle.dumps(model)).predict(frame)
    found = sf.model_selection.compare(
        {"lda": sf.LinearDiscriminantAnalysis(), "none": sf.DummyClassifier()}, X, Y
    )
    assert found is not None


REFUSED = [
    (sf.DummyClassifier, {"strategy": "best"}, "strategy must be"),
    (sf.DummyClassifier, {"strategy": "constant"}, "constant has to be specified"),
    (sf.DummyClassifier, {"strategy": "constant", "constant": "yew"}, "in the training data"),
    (sf.DummyClassifier, {"constant": ["ash", "elm"]}, "constant must be one class for each of 1"),
    (sf.DummyRegressor, {"strategy": "constant"}, "constant has to be specified"),
    (sf.DummyRegressor, {"strategy": "constant", "constant": [1, 2]}, "constant must have shape"),
    (sf.DummyRegressor, {"strategy": "quantile"}, "quantile has to be specified"),
    (sf.DummyRegressor, {"strategy": "quantile", "quantile": 1.5}, "quantile must be at most 1"),
]


@pytest.mark.parametrize(("cls", "settings", "message"), REFUSED)
def test_what_is_refused(cls, settings, message):
    target = Y if cls is sf.DummyClassifier else np.arange(60.0)
    with pytest.raises(ValueError, match=message):
        cls(**settings).fit(X, target)
