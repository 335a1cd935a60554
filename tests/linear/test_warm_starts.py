# SPDX-License-Identifier: BSD-3-Clause
"""Fits that go on from the one before: the same end, in fewer sweeps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from statfast import ElasticNet, HuberRegressor, Lasso, LogisticRegression, SeparationWarning

SHAPES = [(200, 12), (60, 150), (400, 700)]


def problem(n, d, seed=0, make=np.asarray):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 0.5 * rng.normal(size=(n, 1)) + 1.0
    if make is not np.asarray:
        X = np.where(rng.random((n, d)) < 0.1, X, 0.0)
    b = np.where(np.arange(d) < 6, rng.normal(size=d), 0.0)
    return make(X), X @ b + rng.normal(size=n), rng.uniform(0.5, 2.0, n)


def objective(model, X, y, w):
    X = X.toarray() if sparse.issparse(X) else X
    w = w / w.sum()
    ratio = getattr(model, "l1_ratio", 1.0)
    b = model.coef_
    return (
        w @ (y - X @ b - model.intercept_) ** 2 / 2
        + model.alpha * ratio * np.abs(b).sum()
        + model.alpha * (1 - ratio) / 2 * (b**2).sum()
    )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize(
    "params", [{}, {"positive": True}, {"fit_intercept": False}, {"standardize": True}], ids=str
)
@pytest.mark.parametrize("kind", [Lasso, ElasticNet])
def test_the_end_is_that_of_a_fit_from_scratch(shape, make, params, kind):
    X, y, w = problem(*shape, make=make)
    model = kind(alpha=0.3, warm_start=True, **params).fit(X, y, w)
    for alpha in (0.05, 0.2, 0.021):
        model.set_params(alpha=alpha).fit(X, y, w)
        cold = kind(alpha=alpha, **params).fit(X, y, w)
        assert model.converged_
        if not params.get("standardize"):
            bound = 2e-8 * w @ y**2 / w.sum()
            assert objective(model, X, y, w) <= objective(cold, X, y, w) + bound
        assert_allclose(model.predict(X), cold.predict(X), atol=2e-2 * np.abs(y).std())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_the_same_fit_again_takes_next_to_no_sweeps(shape, make):
    X, y, w = problem(*shape, 1, make)
    model = Lasso(alpha=0.01, warm_start=True).fit(X, y, w)
    first, coefs = model.n_iter_, model.coef_
    assert first > 3
    model.fit(X, y, w)
    assert model.n_iter_ <= 3
    assert_allclose(model.coef_, coefs, atol=1e-3)
    assert_array_equal(Lasso(alpha=0.01).fit(X, y, w).coef_, coefs)


def test_iterations_go_on_where_the_last_fit_stopped():
    X, y, _ = problem(60, 150, 2)
    model, values = Lasso(alpha=0.02, max_iter=5, warm_start=True), []
    for _ in range(60):
        with np.errstate(all="ignore"), pytest.MonkeyPatch.context() as patch:
            patch.setattr("statfast.linear.penalized.lasso.warn_not_converged", lambda *_: None)
            model.fit(X, y)
        values.append(objective(model, X, y, np.ones(60)))
    assert (np.diff(values) <= 1e-12).all()
    best = objective(Lasso(alpha=0.02, tol=1e-10).fit(X, y), X, y, np.ones(60))
    assert values[-1] == pytest.approx(best, rel=1e-3)


def test_other_shapes_start_from_scratch():
    X, y, _ = problem(200, 12, 3)
    model = ElasticNet(0.1, warm_start=True).fit(X, y)
    fewer = model.fit(X[:, :5], y).coef_
    assert_array_equal(fewer, ElasticNet(0.1).fit(X[:, :5], y).coef_)
    several = model.fit(X, np.column_stack([y, -y])).coef_
    assert_array_equal(several, ElasticNet(0.1).fit(X, np.column_stack([y, -y])).coef_)
    again = model.fit(X, np.column_stack([y, -y]))
    assert max(again.n_iter_) <= 3
    assert_allclose(again.coef_, several, atol=1e-3)


def test_scales_of_columns_and_targets():
    X, y, _ = problem(200, 12, 4)
    for power in (-300, 300):
        Z, t = np.ldexp(X, power), np.ldexp(y, power // 2)
        alpha = np.ldexp(0.05, power + power // 2)
        model = Lasso(alpha, warm_start=True).fit(Z, t)
        coefs = model.coef_
        assert_allclose(model.fit(Z, t).coef_, coefs, rtol=1e-2, atol=1e-3 * np.abs(coefs).max())
        assert model.n_iter_ <= 3


def test_warm_start_is_a_flag():
    X, y, _ = problem(200, 12, 5)
    with pytest.raises(TypeError, match="warm_start must be"):
        Lasso(warm_start="yes").fit(X, y)


LOGISTIC = [
    {},
    {"C": 2.0},
    {"C": 0.3, "l1_ratio": 1.0},
    {"C": 0.5, "l1_ratio": 0.4},
    {"method": "firth"},
    {"C": 2.0, "fit_intercept": False},
    {"C": 0.5, "l1_ratio": 1.0, "fit_intercept": False},
]


def labels_of(X, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    score = X[:, :1] @ np.linspace(-1, 1, n_classes)[None] + rng.gumbel(size=(len(X), n_classes))
    return np.array(["a", "b", "c"])[score.argmax(axis=1)]


@pytest.mark.parametrize("params", LOGISTIC, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("multi_class", ["multinomial", "ovr"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_logistic_regression_goes_on(params, n_classes, multi_class, kind):
    rng = np.random.default_rng(3)
    X = rng.normal([0.0, 3.0, 0.0, -1.0, 0.0], size=(400, 5))
    y = labels_of(X, n_classes)
    if kind is not np.asarray and params.get("method") == "firth":
        return
    how = {**params, "multi_class": multi_class, "reference": y[0], "tol": 1e-11}
    if n_classes > 2 and multi_class == "multinomial" and "C" in params:
        del how["reference"]
    model = LogisticRegression(**how, warm_start=True).fit(kind(X), y)
    coefs, first = model.coef_, int(model.n_iter_.max())
    again = model.fit(kind(X), y)
    assert int(again.n_iter_.max()) < max(first, 2)
    assert_allclose(again.coef_, coefs, atol=1e-6)
    # Another problem, from here, and one of another shape, from scratch.
    change = {"C": 1.2 * params["C"]} if "C" in params else {}
    rows = X + 0.05 * rng.normal(size=X.shape)
    cold = LogisticRegression(**{**how, **change}).fit(kind(rows), y)
    again = model.set_params(**change).fit(kind(rows), y)
    assert again.converged_
    assert_allclose(again.coef_, cold.coef_, atol=2e-5)
    assert_allclose(again.intercept_, cold.intercept_, atol=2e-5)
    narrow = model.fit(kind(rows[:, :3]), y).coef_
    assert_array_equal(
        narrow, LogisticRegression(**{**how, **change}).fit(kind(rows[:, :3]), y).coef_
    )


def test_logistic_regression_of_other_classes_starts_from_scratch():
    X = np.random.default_rng(3).normal(size=(300, 3))
    model = LogisticRegression(C=1.0, warm_start=True).fit(X, labels_of(X, 3))
    two = labels_of(X, 2)
    cold = LogisticRegression(C=1.0).fit(X, two)
    assert_array_equal(model.fit(X, two).coef_, cold.coef_)
    other = LogisticRegression(C=1.0, reference="b").fit(X, two)
    assert_array_equal(model.set_params(reference="b").fit(X, two).coef_, other.coef_)


def test_separated_classes_start_from_scratch():
    X = np.linspace(-1, 1, 40)[:, None]
    model = LogisticRegression(warm_start=True)
    for _ in range(2):
        with pytest.warns(SeparationWarning):
            model.fit(X, X[:, 0] > 0)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("size", [1.0, 1e150])
def test_huber_regression_goes_on(intercept, size):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4)) + 2.0
    y = (X @ [1.0, -1.0, 0.5, 0.0] + rng.standard_t(2, 300) + 3.0) * size
    how = {"fit_intercept": intercept, "alpha": 0.0}
    model = HuberRegressor(**how, warm_start=True).fit(X, y)
    coefs, first = model.coef_, model.n_iter_
    assert first > 2
    assert model.fit(X, y).n_iter_ <= 2
    assert_allclose(model.coef_, coefs, rtol=1e-6)
    y = y + 0.1 * size * rng.normal(size=300)
    cold = HuberRegressor(**how).fit(X, y)
    assert_allclose(model.fit(X, y).coef_, cold.coef_, rtol=1e-6)
    assert_allclose(model.scale_, cold.scale_, rtol=1e-6)
    cold.fit(X[:, :2], y)
    assert_array_equal(model.fit(X[:, :2], y).coef_, cold.coef_)
    # A scale of 0 is no start.
    line = X[:, 0]
    for _ in range(2):
        model.fit(X, line)
        assert_allclose(model.coef_, [1.0, 0.0, 0.0, 0.0], atol=1e-9)
