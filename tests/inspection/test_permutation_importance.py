# SPDX-License-Identifier: BSD-3-Clause
"""Permutation importance: known values, any score, any container."""

import numpy as np
import pytest

from statfast import LinearRegression
from statfast.inspection import permutation_importance
from statfast.metrics import get_scorer
from statfast.tree import DecisionTreeClassifier


def sample(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, 3 * X[:, 0] - X[:, 1]


def test_importances_of_a_linear_model():
    """The mean squared error grows by 2 b^2 var(x), on average over permutations."""
    X, y = sample()
    model = LinearRegression().fit(X, y)
    found = permutation_importance(
        model, X, y, scoring="neg_mean_squared_error", n_repeats=200, random_state=0
    )
    want = 2 * np.array([9, 1, 0, 0]) * X.var(axis=0)
    np.testing.assert_allclose(found.importances_mean, want, rtol=0.02, atol=1e-12)
    low, high = found.interval(0.999).T
    assert (low <= want + 1e-9).all()
    assert (want <= high + 1e-9).all()
    assert found["importances"].shape == (4, 200)
    np.testing.assert_allclose(found.importances_std, found.importances.std(axis=1))


def test_it_is_the_score_less_that_of_a_permuted_column():
    X, y = sample()
    label = np.where(y > 0, "yes", "no")
    model = DecisionTreeClassifier(max_depth=3).fit(X, label)
    kept = X.copy()
    found = permutation_importance(model, X, label, n_repeats=3, random_state=0)
    np.testing.assert_array_equal(X, kept)
    assert found.score == model.score(X, label)
    unused = model.feature_importances_ == 0
    assert (found.importances[unused] == 0).all()
    again = permutation_importance(model, X, label, n_repeats=3, random_state=0, n_jobs=2)
    assert again.importances.tobytes() == found.importances.tobytes()
    asked = []

    def watch(model, rows, truth):
        asked.append(np.asarray(rows).copy())
        return 0.0

    permutation_importance(model, X, label, scoring=watch, n_repeats=1, n_jobs=1)
    for j, rows in enumerate(asked[1:]):
        others = np.arange(4) != j
        np.testing.assert_array_equal(rows[:, others], X[:, others])
        np.testing.assert_array_equal(np.sort(rows[:, j]), np.sort(X[:, j]))
        assert not np.array_equal(rows[:, j], X[:, j])


def test_several_scores_weights_and_samples():
    X, y = sample()
    model = LinearRegression().fit(X, y)
    w = (np.arange(400) < 100).astype(float)
    found = permutation_importance(model, X, y, scoring=["r2", "neg_mean_squared_error"])
    assert list(found) == ["r2", "neg_mean_squared_error"]
    named = permutation_importance(model, X, y, scoring={"R2": get_scorer("r2")}, random_state=0)
    assert named["R2"].score == pytest.approx(1.0)
    weighted = permutation_importance(
        model,
        X,
        y,
        scoring="neg_mean_squared_error",
        sample_weight=w,
        n_repeats=100,
        random_state=0,
    )
    assert weighted.importances_mean[0] > 0
    part = permutation_importance(model, X, y, max_samples=50, random_state=0)
    assert part.importances_mean.argmax() == 0
    with pytest.raises(ValueError, match="max_samples must be"):
        permutation_importance(model, X, y, max_samples=401)
    with pytest.raises(ValueError, match=r"^y must have"):
        permutation_importance(model, X, y[:-1])
    with pytest.raises((TypeError, ValueError), match="scoring"):
        permutation_importance(model, X, y, scoring=3)


def test_data_frames():
    pd = pytest.importorskip("pandas")
    X, y = sample()
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(400)[::-1])
    model = LinearRegression().fit(frame, y)
    found = permutation_importance(model, frame, y, random_state=0)
    plain = permutation_importance(LinearRegression().fit(X, y), X, y, random_state=0)
    assert found.names == list("abcd")
    np.testing.assert_allclose(found.importances, plain.importances)
    assert frame["a"].tolist() == X[:, 0].tolist()


def test_what_is_no_model_or_target():
    X, y = sample(20)
    model = LinearRegression().fit(X, y)
    for wrong in (3, LinearRegression, None):
        with pytest.raises(TypeError, match="estimator must be an estimator with score"):
            permutation_importance(wrong, X, y)
    for wrong in (slice(None), 3.0, iter(y), np.array(2.0)):
        with pytest.raises((TypeError, ValueError), match="y "):
            permutation_importance(model, X, wrong)
    with pytest.raises(ValueError, match="y must be passed to the score of LinearRegression"):
        permutation_importance(model, X, None)
    with pytest.raises(AttributeError, match="asks for predict_proba, which LinearRegression"):
        permutation_importance(model, X, y > 0, scoring="neg_log_loss")
