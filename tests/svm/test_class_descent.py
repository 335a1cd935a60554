# SPDX-License-Identifier: BSD-3-Clause
"""LinearSVC of all classes together: optimality, a slow twin, the peer's answers, weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from statfast import ConvergenceWarning, GridSearchCV, LinearSVC
from statfast.datasets import load_iris, load_wine

TIGHT = {"multi_class": "crammer_singer", "tol": 1e-8, "max_iter": 200_000, "random_state": 0}


def problem(n_classes, n=60, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.argmax(X @ rng.standard_normal((d, n_classes)) + rng.standard_normal((n, n_classes)), 1)
    y[:n_classes] = np.arange(n_classes)
    return X, y


def objective(model, X, y, cost, scale=1.0):
    """What is minimized; of two classes, which have one row of weights, half goes to each."""
    w, b = model.coef_, model.intercept_
    if len(w) == 1:
        w, b = np.vstack([-w / 2, w / 2]), np.append(-b / 2, b / 2)
    f, at = X @ w.T + b, (np.arange(len(y)), np.searchsorted(np.unique(y), y))
    margin = 1.0 + f - f[at][:, None]
    margin[at] = 0.0
    penalty = 0.5 * ((w**2).sum() + np.sum((b / scale) ** 2))
    return penalty + np.sum(cost * margin.max(axis=1))


def slow_twin(X, y, cost, sweeps=2000):
    """The dual by plain sweeps, each row's multipliers by sorted heights; weights (K, d + 1)."""
    Z = np.column_stack([X, np.ones(len(X))])
    K = y.max() + 1
    alpha, w = np.zeros((len(y), K)), np.zeros((K, Z.shape[1]))
    for _ in range(sweeps):
        for i, z in enumerate(Z):
            upper = np.where(np.arange(K) == y[i], cost[i], 0.0)
            gradient = w @ z + (np.arange(K) != y[i])
            height = gradient / (z @ z) + upper - alpha[i]
            falling = np.sort(height)[::-1]
            means = (np.cumsum(falling) - cost[i]) / np.arange(1, K + 1)
            low = means[np.flatnonzero(falling > means)[-1]]
            now = upper - np.maximum(height - low, 0.0)
            w += np.outer(now - alpha[i], z)
            alpha[i] = now
    return w


@pytest.mark.parametrize("n_classes", [2, 3, 7, 8, 9, 20])
def test_weights_are_the_twins(n_classes):
    X, y = problem(n_classes)
    cost = np.random.default_rng(1).uniform(0.2, 2.0, len(y))
    w = slow_twin(X, y, cost)
    if n_classes == 2:
        w = w[1:] - w[:1]
    model = LinearSVC(**TIGHT).fit(X, y, sample_weight=cost)
    assert model.coef_.shape == ((1, 5) if n_classes == 2 else (n_classes, 5))
    assert_allclose(model.coef_, w[:, :-1], atol=1e-5)
    assert_allclose(model.intercept_, w[:, -1], atol=1e-5)
    value = objective(model, X, y, cost)
    assert value == pytest.approx(model.primal_objective_[0], rel=1e-10)
    assert -1e-10 * value <= model.dual_gap_[0] <= 1e-6 * value
    assert (
        model.predict(X)
        == model.classes_[
            np.argmax(
                np.column_stack([-model.decision_function(X), model.decision_function(X)])
                if n_classes == 2
                else model.decision_function(X),
                axis=1,
            )
        ]
    ).all()


@pytest.mark.parametrize("data", [load_iris, load_wine])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fit_intercept": False},
        {"intercept_scaling": 3.0},
        {"C": 0.05},
        {"class_weight": {0: 2.0, 1: 0.5}},
    ],
)
def test_the_peer_agrees(data, options):
    svm = pytest.importorskip("sklearn.svm")
    X, y = data().data, data().target
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model, peer = LinearSVC(**TIGHT, **options).fit(X, y), svm.LinearSVC(**TIGHT, **options)
    peer.fit(X, y)
    assert_allclose(model.coef_, peer.coef_, atol=1e-4)
    assert_allclose(model.intercept_, np.broadcast_to(peer.intercept_, 3), atol=1e-4)
    cost = options.get("C", 1.0) * np.array(
        [options.get("class_weight", {}).get(k, 1.0) for k in y]
    )
    scale = options.get("intercept_scaling", 1.0)
    ours, theirs = (objective(m, X, y, cost, scale) for m in (model, peer))
    assert ours <= theirs * (1 + 1e-7)


def test_rows_may_be_of_any_kind():
    X, y = problem(4, n=120, d=7)
    X[np.random.default_rng(0).random(X.shape) < 0.5] = 0.0
    X[5] = 0.0
    first = LinearSVC(**TIGHT).fit(X, y)
    for other in (sparse.csr_array(X), np.asfortranarray(X), X[::-1][::-1]):
        assert_allclose(LinearSVC(**TIGHT).fit(other, y).coef_, first.coef_, atol=1e-5)
    single = X.astype(np.float32)
    assert_allclose(
        LinearSVC(**TIGHT).fit(single, y).coef_,
        LinearSVC(**TIGHT).fit(single.astype(np.float64), y).coef_,
        atol=1e-5,
    )
    bare = LinearSVC(**TIGHT, fit_intercept=False).fit(X, y)  # Its row of zeros has no curvature.
    assert bare.dual_gap_[0] <= 1e-6 * bare.primal_objective_[0]
    renamed = LinearSVC(**TIGHT).fit(X, np.array(["d", "b", "c", "a"])[y])
    assert_allclose(renamed.coef_, first.coef_[[3, 1, 2, 0]], atol=1e-5)


def test_weights_are_repeated_rows():
    X, y = problem(3, n=50)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = LinearSVC(**TIGHT).fit(X, y, sample_weight=weights)
    repeated = LinearSVC(**TIGHT).fit(X.repeat(weights, axis=0), y.repeat(weights))
    assert_allclose(weighted.coef_, repeated.coef_, atol=1e-5)
    plain = LinearSVC(**TIGHT).fit(X, y)
    assert plain.coef_.tobytes() == LinearSVC(**TIGHT).fit(X, y, np.ones(len(y))).coef_.tobytes()
    assert_allclose(
        LinearSVC(**TIGHT).fit(X, y, np.full(len(y), 3.0)).coef_,
        LinearSVC(**TIGHT, C=3.0).fit(X, y).coef_,
        atol=1e-5,
    )


def test_what_has_no_part_is_ignored_and_seeds_decide():
    X, y = problem(3)
    first = LinearSVC(**TIGHT).fit(X, y)
    for ignored in ({"penalty": "l1", "loss": "hinge"}, {"dual": False}, {"loss": "hinge"}):
        assert LinearSVC(**TIGHT, **ignored).fit(X, y).coef_.tobytes() == first.coef_.tobytes()
    with pytest.raises(ValueError, match="multi_class"):
        LinearSVC(multi_class="ovo").fit(X, y)


def test_limits_are_warned_of():
    X, y = problem(3)
    with pytest.warns(ConvergenceWarning, match="in 2 iterations"):
        model = LinearSVC(multi_class="crammer_singer", max_iter=2, tol=1e-9).fit(X, y)
    assert model.n_iter_ == 2
    assert not model.converged_


def test_searches_take_it():
    iris = load_iris()
    model = LinearSVC(multi_class="crammer_singer", random_state=0, max_iter=20_000)
    search = GridSearchCV(model, {"C": [0.1, 1.0]}, cv=3).fit(iris.data, iris.target)
    alone = [
        LinearSVC(**{**model.get_params(), "C": C}).fit(iris.data, iris.target) for C in (0.1, 1.0)
    ]
    assert search.best_estimator_.coef_.tobytes() in {m.coef_.tobytes() for m in alone}
    assert search.best_score_ > 0.9
