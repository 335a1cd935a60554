# SPDX-License-Identifier: BSD-3-Clause
"""Penalized models of numbers of any size: the answer of moderate ones, or a refusal."""

import numpy as np
import pytest
from scipy import sparse

from statfast import (
    ConvergenceWarning,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeCV,
    enet_path,
    lasso_path,
    logistic_path,
)

SIZES = [1e-300, 1e-165, 1e-160, 1e-130, 1e155, 1e170, 1e303]
KINDS = [np.asarray, np.asfortranarray, sparse.csr_array]


def problem(seed=0, n=40):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3)) + np.array([0.0, 1.0, 0.0])
    return X, X[:, 0] - 0.5 * X[:, 1] + 0.7 * rng.standard_normal(n) + 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [True, False])
def test_standardized_columns_of_any_size(kind, intercept):
    X, y = problem()
    labels = y > np.median(y)
    more = {"standardize": True, "tol": 1e-13, "fit_intercept": intercept}
    for fit in (
        lambda Z: lasso_path(Z, y, alphas=4, **more).coefs,
        lambda Z: enet_path(Z, y, alphas=[0.3, 0.1], **more).coefs,
        lambda Z: Lasso(0.1, **more).fit(Z, y).coef_[:, None],
        lambda Z: ElasticNetCV(alphas=3, cv=2, **more).fit(Z, y).coef_[:, None],
        lambda Z: logistic_path(Z, labels, alphas=2, **more).coefs,
    ):
        want = fit(kind(X))
        assert want.any()
        sizes = np.array([1.0, 1.0, 1.0])
        for size in SIZES:  # the first column alone, then all
            sizes[0] = size
            np.testing.assert_allclose(fit(kind(X * sizes)) * sizes[:, None], want, rtol=1e-9)
            np.testing.assert_allclose(fit(kind(X * size)) * size, want, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_one_size(kind):
    """Penalties of the grid have their size, too."""
    X, y = problem()
    labels, more = y > np.median(y), {"alphas": 3, "tol": 1e-13}
    for fit in (
        lambda Z: lasso_path(Z, y, **more).coefs,
        lambda Z: LassoCV(cv=2, **more).fit(Z, y).coef_[:, None],
        lambda Z: logistic_path(Z, labels, **more).coefs,
    ):
        want = fit(kind(X))
        assert want.any()
        for size in SIZES:
            np.testing.assert_allclose(fit(kind(X * size)) * size, want, rtol=1e-9)
    want = enet_path(kind(X), y, alphas=[0.3, 0.1], tol=1e-13)
    much = enet_path(kind(X * 1e80), y * 1e80, alphas=[0.3e160, 0.1e160], tol=1e-13)
    assert np.abs(much.coefs).max() < 2 * np.abs(y).max()  # the ridge part grows less
    for size in (1e-300, 1e-170, 1e-100, 1e100):
        found = lasso_path(kind(X), y * size, alphas=[0.1 * size], tol=1e-13)
        one = lasso_path(kind(X), y, alphas=[0.1], tol=1e-13)
        np.testing.assert_allclose(found.coefs / size, one.coefs, rtol=1e-9)
        np.testing.assert_allclose(found.intercepts / size, one.intercepts, rtol=1e-9)
    assert want.coefs.any()


def test_penalties_times_many_rows():
    """An alpha near the largest number, times the number of rows, is none."""
    X, y = problem(n=300)
    want = logistic_path(X, y > 1, alphas=2, eps=0.1).coefs
    found = logistic_path(X * 1e307, y > 1, alphas=2, eps=0.1)
    assert found.alphas[0] > 1.79e308 / 300
    np.testing.assert_allclose(found.coefs * 1e307, want, rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_sizes_too_different(kind):
    """Without standardization one that vanishes beside the others has no coefficient, or none that
    can be told."""
    X, y = problem()
    few = lasso_path(kind(X[:, :2]), y, alphas=[0.1])
    sizes = [1.0, 1.0, 1e-170]
    np.testing.assert_array_equal(
        lasso_path(kind(X * sizes), y, alphas=[0.1]).coefs, [*few.coefs, [0.0]]
    )
    labels = y > np.median(y)
    for path, target in ((lasso_path, y), (logistic_path, labels)):
        with pytest.raises(ValueError, match="squares vanish"):
            path(kind(X * sizes), target, alphas=[0.1, 0.0])
        constant = np.column_stack([np.ones(40), 1e-170 * X[:, 0]])
        with pytest.raises(ValueError, match="squares vanish"):
            path(kind(constant), target)


def test_what_float64_does_not_hold_is_refused():
    X, y = problem()
    for model in (Lasso(1e-301, standardize=True), Ridge(0.0)):
        with pytest.raises(ValueError, match="out of the range of float64"):
            model.fit(X * 1e140, y * 1e-300)
    with pytest.raises(ValueError, match="out of the range of float64"):
        lasso_path(X * 1e-200, y * 1e-200)  # the penalties
    with pytest.raises(ValueError, match="out of the range of float64"):
        lasso_path(X * 1e-300, y * 1e100, standardize=True)  # the coefficients
    for model in (LassoCV(), RidgeCV(50), RidgeCV(50, criterion="gcv")):
        with pytest.raises(ValueError, match="y holds values so small"):
            model.fit(X, y * 1e-150)
    with pytest.raises(ValueError, match="overflow"):
        Lasso().fit(X, y * 1e160)


@pytest.mark.parametrize("criterion", ["loo", "gcv"])
def test_penalties_of_ridge_follow_the_columns(criterion):
    X, y = problem()
    want = RidgeCV(50, criterion=criterion).fit(X, y)
    for size in (1e-149, 1e-100, 1e-52, 1e100, 1e140):
        model = RidgeCV(50, criterion=criterion).fit(X * size, y)
        np.testing.assert_allclose(model.coef_ * size, want.coef_, rtol=1e-9)
        np.testing.assert_allclose(model.alphas_ / size / size, want.alphas_, rtol=1e-9)
    model = RidgeCV(50, criterion=criterion).fit(np.ones((6, 2)), y[:6])  # nothing to choose by
    assert not model.coef_.any()


@pytest.mark.parametrize("targets", [1, 2])
def test_many_rows_of_small_numbers(targets):
    """Cross products of such columns vanish, or lose digits."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30_000, 8))
    y = X[:, :targets] + rng.standard_normal((30_000, targets))
    y = y[:, 0] if targets == 1 else y
    for model in (LinearRegression(), Ridge(0.0)):
        want = model.fit(X, y).coef_
        for x_size, y_size in ((1e-100, 1e-250), (1e-145, 1.0)):
            found = model.fit(X * x_size, y * y_size).coef_
            np.testing.assert_allclose(found * x_size / y_size, want, rtol=1e-9)
        with pytest.raises(ValueError, match="squares vanish"):
            model.fit(X * 1e-160, y)


@pytest.mark.parametrize("multi_class", ["multinomial", "ovr"])
@pytest.mark.parametrize("intercept", [True, False])
def test_logistic_regression_of_columns_of_any_size(multi_class, intercept):
    X, y = problem(n=80)
    codes = np.digitize(y, np.quantile(y, [0.33, 0.66]))
    more = {"l1_ratio": 1.0, "multi_class": multi_class, "fit_intercept": intercept}
    want = LogisticRegression(C=2.0, **more).fit(X, codes).coef_
    for size in SIZES:
        model = LogisticRegression(C=2.0 / size, **more)
        if size < 1e-145 and multi_class == "multinomial":
            with pytest.raises(ValueError, match="squares vanish"):
                model.fit(X * size, codes)
        else:
            found = model.fit(X * size, codes).coef_
            np.testing.assert_allclose(found * size, want, rtol=1e-5)


@pytest.mark.parametrize("sizes", [[1e-5, 1.0, 1e5], [1e5, 1.0, 1e-5], [1e-3, 1.0, 1e3]])
def test_multinomial_columns_of_different_sizes(sizes):
    """Small curvature is no dependence: the subgradient conditions hold for each column."""
    X, y = problem(n=80)
    X, codes = X * sizes, np.digitize(y, np.quantile(y, [0.33, 0.66]))
    model = LogisticRegression(C=1e3, l1_ratio=1.0, tol=1e-13).fit(X, codes)
    off = (codes[:, None] == np.arange(3)) - model.predict_proba(X)
    gradient, b, l1 = off.T @ X, model.coef_, 1e-3
    assert model.converged_
    slack = 1e-6 * l1 + 1e-9 * np.abs(X).sum(0)  # and what rounding is measured by
    assert (np.abs(gradient) <= l1 + slack).all()
    assert (np.abs(gradient - l1 * np.sign(b)) <= np.where(b == 0, 2 * l1, 0.0) + slack).all()


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_a_grid_where_nothing_correlates(intercept, kind):
    """By rounding alone a penalty would be next to nothing, and folds be fitted without any."""
    X = np.array([[1.0, 2.0], [-1.0, -2.0], [1.0, 2.0], [-1.0, -2.0]] * 3)
    y = np.tile([1, 1, 0, 0], 3)
    assert not (X.T @ (y - 0.5)).any()
    path = logistic_path(kind(X), y, l1_ratio=0.5, fit_intercept=intercept)
    assert path.alphas.min() > 1e-4
    assert not path.coefs.any()
    tenths = X * 0.1 + 0.7  # sums that are zero but for rounding
    path = lasso_path(kind(tenths), y + 0.1)
    assert path.alphas[0] > 1e-3
    assert not path.coefs.any()
    assert ElasticNetCV(cv=3).fit(kind(tenths), y + 0.1).alphas_.min() > 1e-5


def test_a_logistic_path_ends_where_it_does_not_converge():
    X, y = problem()
    more = {"alphas": [0.1, 1e-3, 1e-4, 1e-5], "tol": 1e-10}
    whole = logistic_path(X, y > 1, **more)
    steps = int(whole.n_iters[0])
    assert (whole.n_iters[1:3] > 0).all()
    labels = X[:, 0] > 0  # separated: ever larger coefficients
    with pytest.warns(ConvergenceWarning, match="smaller penalties were not tried"):
        path = logistic_path(X, labels, max_iter=steps, **more)
    last = path.n_iters.argmin() - 1
    assert (path.n_iters[: last + 1] > 0).all()
    assert (path.n_iters[last + 1 :] == 0).all()
    assert (path.coefs[:, last:] == path.coefs[:, [last]]).all()
    want = logistic_path(X, labels, **more)
    for a, alpha in enumerate(more["alphas"]):  # the gaps are those of the coefficients given
        eta = X @ path.coefs[:, a] + path.intercepts[a]
        value = np.logaddexp(0, eta) - labels * eta
        best = X @ want.coefs[:, a] + want.intercepts[a]
        least = np.logaddexp(0, best) - labels * best
        fall = value.mean() - least.mean()
        fall += alpha * (np.abs(path.coefs[:, a]).sum() - np.abs(want.coefs[:, a]).sum())
        assert fall <= path.dual_gaps[a] + 1e-9


def test_parameters_of_a_grid():
    X, y = problem()
    for path, target in ((lasso_path, y), (logistic_path, y > 1)):
        with pytest.raises(ValueError, match="alphas must be between 1 and"):
            path(X, target, alphas=2**63)
        with pytest.raises(ValueError, match="out of the range of float64"):
            path(X, target, eps=5e-324)
    for wrong in (["half"], [None], np.array([[0.5]]), np.array("half"), [True]):
        with pytest.raises(TypeError, match="l1_ratio must be a number"):
            ElasticNetCV(l1_ratio=wrong).fit(X, y)
    with pytest.raises(ValueError, match="l1_ratio must be at most"):
        ElasticNetCV(l1_ratio=[0.5, 2]).fit(X, y)


def test_weights_of_very_different_size():
    """Shares of the classes, squares and penalties stay numbers."""
    X, y = problem(n=12)
    codes = np.arange(12) % 2
    large = np.where(np.arange(12) == 3, 1e100, 1e-100)
    model = LogisticRegression(C=1e-3, l1_ratio=1.0).fit(X, codes, large)
    assert not model.coef_.any()  # the other class weighs too little
    for ratio in (1.0, 0.0):
        model = LogisticRegression(C=1e-300, l1_ratio=ratio)
        model.fit(X * 1e-48, np.arange(12) % 3, large)
        assert np.abs(model.coef_).max() < 1e-100
    assert np.isfinite(logistic_path(X, codes, sample_weight=large, alphas=3).coefs).all()
    with pytest.raises(ValueError, match=r"y must hold two classes; got 1: \[1\]"):
        logistic_path(X, codes, sample_weight=codes)
    model = LassoCV(cv=3).fit(X, y * 1e117, np.where(codes, 1e94, 1e-88))
    assert np.isfinite(model.mse_path_).all()
    # A row of weight 0 is left out, whatever it holds.
    wide, w = X.copy(), np.ones(12)
    wide[5], w[5] = 1e145, 0.0
    rest = w > 0
    some, few = RidgeCV(alphas=[1.0, 0.1]).fit(wide, y, w), RidgeCV(alphas=[1.0, 0.1])
    np.testing.assert_allclose(some.errors_, few.fit(X[rest], y[rest]).errors_, rtol=1e-9)


def test_generalized_cross_validation_needs_rows():
    X, y = problem(n=6)
    with pytest.raises(ValueError, match="needs more rows, by weight, than degrees of freedom"):
        RidgeCV(criterion="gcv").fit(X[:1], y[:1])
    errors = RidgeCV([1e3, 0.0], criterion="gcv").fit(X[:4], y[:4]).errors_
    assert np.isfinite(errors[0])
    assert errors[1] == np.inf


def test_predictions_too_large_for_the_type_of_the_rows():
    X, y = problem()
    for model in (Lasso(0.0), Ridge(), LinearRegression()):
        model.fit(X, y * 1e60)
        with pytest.raises(ValueError, match=r"The prediction contains infinity.*float32"):
            model.predict(X.astype(np.float32))
        assert np.isfinite(model.predict(X)).all()
    model = Lasso(0.0).fit(sparse.csr_array(X), y * 1e60)
    with pytest.raises(ValueError, match="The prediction contains"):
        model.predict(sparse.csr_array(X * 1e300))


def test_steps_of_separated_classes_stay_long():
    """Weights of responses that are right fall with the coefficients, and the steps do not."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12, 8)) * (rng.random((12, 8)) < 0.3)
    labels = rng.random(12) < 0.4
    path = logistic_path(X, labels, alphas=[0.02, 1e-9, 1e-11], fit_intercept=False, tol=1e-7)
    assert path.n_iters.max() < 40
    assert (path.dual_gaps <= 1e-7 * np.log(2)).all()
