# SPDX-License-Identifier: BSD-3-Clause
"""LinearSVC of all classes together: optimality, the peer's answers, kinds of rows, weights."""

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


@pytest.mark.parametrize("n_classes", [2, 3, 7, 8, 9, 20])
@pytest.mark.parametrize("n_jobs", [1, 2, 7])
def test_the_gap_is_small_and_predictions_are_largest(n_classes, n_jobs):
    X, y = problem(n_classes)
    cost = np.random.default_rng(1).uniform(0.2, 2.0, len(y))
    model = LinearSVC(**TIGHT, n_jobs=n_jobs).fit(X, y, sample_weight=cost)
    assert model.coef_.shape == ((1, 5) if n_classes == 2 else (n_classes, 5))
    value = objective(model, X, y, cost)
    assert value == pytest.approx(model.primal_objective_[0], rel=1e-10)
    assert -1e-10 * value <= model.dual_gap_[0] <= 1e-6 * value
    values = model.decision_function(X)
    if n_classes == 2:
        values = np.column_stack([-values, values])
    assert (model.predict(X) == values.argmax(axis=1)).all()
    alone = LinearSVC(**TIGHT, n_jobs=1).fit(X, y, sample_weight=cost)
    assert model.coef_.tobytes() == alone.coef_.tobytes()


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
    with pytest.warns(ConvergenceWarning, match="before time_limit"):
        model = LinearSVC(**{**TIGHT, "time_limit": 0.0}).fit(X, y)
    assert np.isfinite(model.coef_).all()


def test_dense_rows_with_zeros_are_those_of_sparse_ones():
    X, y = problem(3, n=200, d=70)
    X[np.random.default_rng(0).random(X.shape) < 0.4] = 0.0
    dense = LinearSVC(**TIGHT).fit(X, y)
    assert dense.coef_.tobytes() == LinearSVC(**TIGHT).fit(sparse.csr_array(X), y).coef_.tobytes()
    single = LinearSVC(**TIGHT).fit(X.astype(np.float32), y)
    assert_allclose(single.coef_, dense.coef_, atol=1e-5)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_rows_beyond_one_call_of_the_kernel(monkeypatch, make):
    """Sweeps by pieces are those of one call."""
    from statfast.svm.linear import class_descent

    X, y = problem(3, n=300)
    whole = LinearSVC(**TIGHT).fit(make(X), y)
    monkeypatch.setattr(class_descent, "NUMBERS_OF_CALL", 1.0)
    pieces = LinearSVC(**TIGHT).fit(make(X), y)
    assert_allclose(pieces.coef_, whole.coef_, atol=1e-5)
    assert pieces.converged_


def test_extreme_sizes_are_refused_or_solved():
    X, y = problem(3)
    with pytest.raises(ValueError, match="overflow"):
        LinearSVC(**TIGHT).fit(X * 1e160, y)
    tiny = LinearSVC(**TIGHT).fit(X * 1e-160, y)
    assert np.isfinite(tiny.coef_).all()
    blank = LinearSVC(**TIGHT, fit_intercept=False).fit(np.zeros((4, 2)), [0, 1, 2, 2])
    assert (blank.coef_ == 0.0).all()
    assert blank.primal_objective_[0] == pytest.approx(4.0)
    assert blank.dual_gap_[0] == pytest.approx(0.0)


def test_searches_take_it():
    iris = load_iris()
    model = LinearSVC(multi_class="crammer_singer", random_state=0, max_iter=20_000)
    search = GridSearchCV(model, {"C": [0.1, 1.0]}, cv=3).fit(iris.data, iris.target)
    alone = [
        LinearSVC(**{**model.get_params(), "C": C}).fit(iris.data, iris.target) for C in (0.1, 1.0)
    ]
    assert search.best_estimator_.coef_.tobytes() in {m.coef_.tobytes() for m in alone}
    assert search.best_score_ > 0.9
