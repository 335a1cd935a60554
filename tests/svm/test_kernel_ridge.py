# SPDX-License-Identifier: BSD-3-Clause
"""Kernel ridge regression: its system, and what each row is predicted to be without its fold."""

import warnings
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast import KernelRidge, Ridge
from statfast.kernels import RBF, Linear, Precomputed, Spectrum, kernel_matrix
from statfast.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
    cross_val_predict,
    cross_validate,
    leave_one_out,
)
from statfast.svm.ridge.held_out import PenaltyGrid, held_out
from tests.reference import kernel_ridge, refits

TWICE = RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)
NAMES = ("linear", "poly", "rbf", "sigmoid", "laplacian", "cosine")


def problem(seed=0, n=60, d=3, targets=1):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    Y = np.sin(X @ rng.standard_normal((d, targets))) + 0.1 * rng.standard_normal((n, targets))
    return X, (Y[:, 0] if targets == 1 else Y), rng


# ------------------------------------------------------------------ the fit
@given(
    st.integers(0, 2**32), st.integers(2, 40), st.integers(1, 4), st.integers(1, 3),
    st.booleans(), st.booleans(),
)  # fmt: skip
def test_multipliers_are_those_of_the_system(seed, n, d, targets, weighted, several):
    X, Y, rng = problem(seed, n, d, targets)
    weights = rng.integers(0, 3, n).astype(float) if weighted else None
    if weighted:
        weights[0] = 2.0
    alpha = 10.0 ** rng.uniform(-2, 2, targets) if several else 10.0 ** rng.uniform(-2, 2)
    model = KernelRidge(alpha, kernel="rbf").fit(X, Y, weights)
    K = kernel_matrix("rbf", X, gamma=1 / d)
    alphas = np.broadcast_to(alpha, targets)
    mass = np.ones(n) if weights is None else weights
    want = kernel_ridge.multipliers(K, Y.reshape(n, -1), mass, alphas)
    scale = np.abs(want).max() + 1e-300
    np.testing.assert_allclose(model.dual_coef_.reshape(n, -1), want, rtol=0, atol=1e-10 * scale)
    new = rng.standard_normal((5, d))
    said = kernel_matrix("rbf", new, X, gamma=1 / d) @ want
    np.testing.assert_allclose(
        model.predict(new).reshape(5, -1), said, rtol=0, atol=1e-9 * max(1.0, np.abs(said).max())
    )


@pytest.mark.parametrize("kernel", [*NAMES, "polynomial"])
def test_scikit_learn(kernel):
    theirs = pytest.importorskip("sklearn.kernel_ridge").KernelRidge
    X, Y, rng = problem(1, 80, 4, 2)
    weights, new = rng.uniform(0.1, 3, 80), rng.standard_normal((30, 4))
    more = {"gamma": 0.02, "coef0": 0.3} if kernel == "sigmoid" else {}
    got = KernelRidge([0.5, 2.0], kernel=kernel, **more).fit(X, Y, weights)
    want = theirs([0.5, 2.0], kernel=kernel, **more).fit(X, Y, weights)
    np.testing.assert_allclose(got.dual_coef_, want.dual_coef_, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(got.predict(new), want.predict(new), rtol=1e-9, atol=1e-10)
    np.testing.assert_array_equal(got.X_fit_, want.X_fit_)


def test_linear_kernel_is_ridge_through_the_origin():
    X, y, rng = problem(2, 50, 3)
    weights = rng.uniform(0, 2, 50)
    ours = KernelRidge(0.7).fit(X, y, weights)
    same = Ridge(0.7, fit_intercept=False).fit(X, y, weights)
    np.testing.assert_allclose(ours.predict(X), same.predict(X), rtol=1e-9, atol=1e-12)


def test_all_that_a_kernel_may_be():
    X, y, rng = problem(3)
    new = rng.standard_normal((7, 3))
    want = KernelRidge(0.1, kernel="rbf", gamma=0.4).fit(X, y).predict(new)
    K, across = RBF(0.4).matrix(X), RBF(0.4).matrix(new, X)
    for kernel, rows, others in (
        (RBF(0.4), X, new),
        (partial(kernel_matrix, "rbf", gamma=0.4), X, new),
        ("precomputed", K, across),
        (Precomputed(), K, across),
    ):
        model = KernelRidge(0.1, kernel=kernel).fit(rows, y)
        np.testing.assert_allclose(model.predict(others), want, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(model.X_fit_, K)
    words = ["abab", "baba", "ccdd", "cdcd"]
    model = KernelRidge(0.01, kernel="spectrum", degree=2).fit(words, [1.0, 1.0, -1.0, -1.0])
    assert (model.predict(["bab", "dcd"]) * [1, -1] > 0.5).all()
    assert model.kernel_ == Spectrum(2)
    assert model.X_fit_ == words


def test_gamma_by_name():
    X, y, _ = problem(4)
    for name, number in (("scale", 1 / (3 * X.var())), ("auto", 1 / 3), (None, 1 / 3)):
        assert KernelRidge(kernel="rbf", gamma=name).fit(X, y).kernel_.gamma == pytest.approx(
            number
        )


@pytest.mark.parametrize("n", [40, 1200])  # our factor, and LAPACK's
def test_singular_systems_take_the_shortest_solution(n):
    X, y, _ = problem(5, n, 2)
    X[1] = X[0]
    with pytest.warns(UserWarning, match="alpha=0 on its diagonal is singular"):
        model = KernelRidge(0.0).fit(X, y)
    want = np.linalg.lstsq(X @ X.T, y, rcond=None)[0]
    np.testing.assert_allclose(model.dual_coef_, want, rtol=0, atol=1e-8 * np.abs(want).max())
    assert model.dual_coef_[0] == pytest.approx(model.dual_coef_[1])
    below = -Linear().matrix(X)
    with pytest.warns(UserWarning, match="indefinite"):  # which has an inverse, all the same
        model = KernelRidge(0.5, kernel="precomputed").fit(below, y)
    np.testing.assert_allclose((below + 0.5 * np.eye(n)) @ model.dual_coef_, y, atol=1e-6)


def test_large_systems_and_threads():
    X, y, _ = problem(6, 1300, 5)
    answers = [KernelRidge(kernel="rbf", n_jobs=k).fit(X, y) for k in (1, 2, 7)]
    for model in answers[1:]:
        np.testing.assert_array_equal(model.dual_coef_, answers[0].dual_coef_)
        np.testing.assert_array_equal(model.predict(X), answers[0].predict(X))
    K = RBF(0.2).matrix(X) + np.eye(1300)
    np.testing.assert_allclose(K @ answers[0].dual_coef_, y, rtol=0, atol=1e-11)


def test_float32():
    X, y, _ = problem(7)
    small = X.astype(np.float32)
    model = KernelRidge(kernel="rbf").fit(small, y)
    assert model.predict(small).dtype == model.X_fit_.dtype == np.float32
    want = KernelRidge(kernel="rbf").fit(small.astype(float), y).predict(small.astype(float))
    np.testing.assert_allclose(model.predict(small), want, rtol=1e-6, atol=1e-7)
    said = cross_val_predict(KernelRidge(kernel="rbf"), small, y, cv=4)
    assert said.dtype == np.float32


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"alpha": -1.0}, ValueError, "alpha must not be negative; got -1"),
        ({"alpha": [1.0, 2.0]}, ValueError, r"one for each target \(1\)"),
        ({"alpha": np.nan}, ValueError, "alpha"),
        ({"alpha": "1"}, TypeError, "alpha"),
        ({"alpha": None}, TypeError, "alpha"),
        ({"kernel": "cubic"}, ValueError, "kernel must be one of"),
        ({"kernel": "rbf", "gamma": -1.0}, ValueError, "gamma"),
        ({"kernel": "poly", "degree": 0}, ValueError, "degree"),
        ({"kernel": "poly", "coef0": np.inf}, ValueError, "coef0"),
    ],
)
def test_bad_parameters(params, error, message):
    X, y, _ = problem()
    with pytest.raises(error, match=message):
        KernelRidge(**params).fit(X, y)


def test_bad_rows():
    X, y, _ = problem()
    model = KernelRidge().fit(X, y)
    with pytest.raises(ValueError, match="symmetric"):
        KernelRidge(kernel="precomputed").fit(np.arange(16.0).reshape(4, 4), y[:4])
    with pytest.raises(ValueError, match="one target"):
        model.fit(X, y[1:])
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, 1:])
    with pytest.raises(ValueError, match="overflow"), np.errstate(over="ignore"):
        KernelRidge(1e-300, kernel="precomputed").fit(1e-300 * np.eye(60), 1e200 * y)


# ------------------------------------------------------------------ rows held out
@st.composite
def folded(draw):
    n, d = draw(st.integers(8, 40)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    X = rng.standard_normal((n, d))
    y = rng.standard_normal((n, draw(st.integers(1, 2))))
    if draw(st.booleans()):
        X[rng.integers(n)] += 1e9
    if draw(st.booleans()):
        y[rng.integers(n)] = 1e9
    if draw(st.booleans()):
        X[: n // 2] = X[n - n // 2 :]  # repeated rows, in other folds
    weights = rng.integers(0, 3, n).astype(float) if draw(st.booleans()) else None
    k = draw(st.sampled_from([2, 3, 5, n]))
    groups = rng.integers(0, k, n) if draw(st.booleans()) else None
    alphas = 10.0 ** rng.uniform(-6, 2, draw(st.sampled_from([1, 7])))
    return X, y, weights, groups, k, draw(st.sampled_from(["rbf", "linear", "poly"])), alphas


@given(folded())
def test_rows_held_out_are_those_of_refits(drawn):
    X, Y, weights, groups, k, name, alphas = drawn
    n = len(X)
    if groups is not None and len(np.unique(groups)) < 2:
        return
    cv = KFold(k) if groups is None else LeaveOneGroupOut()
    pairs = list(cv.split(X, Y, groups))
    mass = np.ones(n) if weights is None else weights
    if any(not mass[train].any() for train, _ in pairs):
        return
    K = kernel_matrix(name, X, gamma=1 / X.shape[1], coef0=1.0)
    root = None if weights is None else np.sqrt(weights)
    alphas = np.unique(alphas)
    try:
        found = held_out(K, Y, root, alphas.tolist(), [test for _, test in pairs])
    except ArithmeticError:  # no factor: then there are refits
        return
    for alpha, got in zip(alphas, found, strict=True):
        try:
            want, room = kernel_ridge.held_out(K, Y, mass, [alpha] * Y.shape[1], pairs)
        except np.linalg.LinAlgError:  # alpha is lost beside repeated rows of 1e9
            continue
        sure = room < 1e9 * np.abs(Y).max()
        room = 1e-13 * room + (1e-10 * np.abs(Y).max() if len(alphas) > 1 else 0.0)
        assert (np.abs(got - want) <= room[:, None])[sure].all()


def test_repeated_rows_lose_no_digits():
    """Of a row that is the other's twin, and so told by it to the last digit."""
    X = np.arange(40.0)[:, None]
    X[33] = X[4]
    y = np.cos(X[:, 0])
    y[4] += 1.0
    K = RBF(1.0).matrix(X)
    (got,) = held_out(K, y[:, None], None, [1e-12], [np.array([i]) for i in range(40)])
    np.testing.assert_allclose(got[[4, 33], 0], y[[33, 4]], rtol=0, atol=1e-10)


def test_a_grid_of_penalties_by_eigenvalues():
    X, y, rng = problem(9, 50, 2)
    K, Y, s = RBF(0.5).matrix(X), y[:, None], np.sqrt(rng.uniform(0.5, 2, 50))
    for root in (None, s):
        grid = PenaltyGrid(K, Y, root)
        for ends in (np.arange(51), np.array([0, 13, 30, 50])):
            folds = [np.arange(a, b) for a, b in pairwise(ends)]
            (want,) = held_out(K, Y, root, [0.1], folds)
            np.testing.assert_allclose(grid.held_out(0.1, ends), want, rtol=0, atol=1e-11)
            assert grid.held_out(1e-6, ends) is None  # as digits would be lost
    assert PenaltyGrid(K, Y, np.append(s[1:], 0.0)).held_out(0.1, np.arange(51)) is None


def test_names_of_the_ways():
    X, y, _ = problem(10, 40)
    rbf = KernelRidge(kernel="rbf")

    def strategy(cv, model=rbf, **more):
        return cross_validate(model, X, y, cv=cv, **more).path

    assert strategy(5) == strategy(TWICE) == "closed form"
    assert strategy(ShuffleSplit(4, test_size=0.3, random_state=0)) == "closed form"
    assert strategy(LeaveOneOut(), scoring="neg_mean_squared_error") == "closed form"
    assert leave_one_out(rbf, X, y).path == "closed form"
    assert strategy(TimeSeriesSplit(3)) == "refit"  # whose folds are not fitted on all others
    assert strategy(5, return_estimator=True) == strategy(
        5, KernelRidge(kernel="rbf", gamma="scale")
    )
    assert strategy(5, KernelRidge(kernel="rbf", gamma="scale")) == "refit"
    with pytest.warns(UserWarning, match="singular"):
        assert strategy(5, KernelRidge(0.0)) == "refit"


@pytest.mark.parametrize("cv", [4, TWICE, LeaveOneOut()])
def test_search_equals_refits(cv):
    X, Y, rng = problem(11, 45, 3, 2)
    for y, alphas in ((Y[:, 0], np.logspace(-4, 2, 7)), (Y, [[0.1, 2.0], [1.0, 1.0]])):
        if y.ndim == 2 and isinstance(cv, LeaveOneOut):
            continue
        grid = {"alpha": list(alphas), "gamma": [0.1, 1.0]}
        weights = rng.uniform(0, 2, 45)
        model = KernelRidge(kernel="rbf")
        fit = {"scoring": "neg_mean_squared_error", "cv": cv, "refit": False}
        got = GridSearchCV(model, grid, **fit).fit(X, y, sample_weight=weights)
        plain = {f"estimator__{name}": values for name, values in grid.items()}
        want = GridSearchCV(refits.Plain(model), plain, **fit).fit(X, y, sample_weight=weights)
        assert (got.path_, want.path_) == ("closed form", "refit")
        scores = [s.cv_results_["mean_test_score"] for s in (got, want)]
        np.testing.assert_allclose(*scores, rtol=1e-9)


def test_a_candidate_that_fails_leaves_the_others():
    X, y, _ = problem(12)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = GridSearchCV(KernelRidge(), {"alpha": [1.0, -1.0]}, cv=3).fit(X, y)
    assert found.path_ == "closed form"
    assert found.best_params_ == {"alpha": 1.0}
    assert np.isnan(found.cv_results_["mean_test_score"]).tolist() == [False, True]
    assert any("alpha must not be negative" in str(w.message) for w in said)


def test_matrices_of_kernel_values_are_cut_for_folds():
    X, y, _ = problem(13)
    want = cross_val_predict(KernelRidge(0.1, kernel="rbf", gamma=0.5), X, y, cv=4)
    got = cross_val_predict(KernelRidge(0.1, kernel="precomputed"), RBF(0.5).matrix(X), y, cv=4)
    np.testing.assert_allclose(got, want, rtol=1e-12)
