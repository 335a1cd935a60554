# SPDX-License-Identifier: BSD-3-Clause
"""Nonnegative factors: optimality, plain updates, exact least squares, scikit-learn's objective."""

import itertools
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import nnls
from statfast._core.decomposition.nonnegative import sweep_rows

from statfast.decomposition import NMF
from statfast.decomposition.nonnegative.divergence import row_divergences
from statfast.decomposition.nonnegative.row_blocks import RowBlock
from tests.reference import nonnegative as slow

PENALTIES = [
    {},
    {"alpha_W": 1e-3},
    {"alpha_W": 1e-3, "l1_ratio": 1.0},
    {"alpha_W": 1e-3, "alpha_H": 1e-2, "l1_ratio": 0.5},
    {"alpha_W": 1e-2, "alpha_H": 1e-3, "l1_ratio": 0.3},
]
LOSSES = ["frobenius", "kullback-leibler", "itakura-saito", 0.5, 1.5, 3.0]
BETAS = {"frobenius": 2, "kullback-leibler": 1, "itakura-saito": 0}


def table(seed=0, n=30, d=12, k=3, noise=0.1):
    rng = np.random.default_rng(seed)
    return rng.gamma(0.5, size=(n, k)) @ rng.gamma(0.5, size=(k, d)) + noise * rng.random((n, d))


def strengths(params):
    """Strengths of both penalties and the share of l1, as the twin takes them."""
    alpha_W = params.get("alpha_W", 0.0)
    return alpha_W, params.get("alpha_H", alpha_W), params.get("l1_ratio", 0.0)


# ------------------------------------------------------------------ the kernel


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 20))
def test_sweeps_end_at_nonnegative_least_squares(seed, k, d):
    rng = np.random.default_rng(seed)
    H, x = rng.normal(size=(k, d)), rng.normal(size=d)
    W = np.zeros((1, k))
    sweep_rows(H @ H.T + 1e-3 * np.eye(k), (H @ x)[None], 100_000, 1e-14, W)
    ridge = np.vstack([H.T, np.sqrt(1e-3) * np.eye(k)])
    want, _ = nnls(ridge, np.concatenate([x, np.zeros(k)]))
    assert_allclose(W[0], want, atol=1e-9 * max(1.0, np.abs(want).max()))


def test_a_coordinate_without_curvature_stays():
    W = np.array([[2.0, 3.0]])
    sweep_rows(np.diag([4.0, 0.0]), np.array([[4.0, 0.0]]), 5, 0.0, W)
    assert W.tolist() == [[1.0, 3.0]]


# ------------------------------------------------------------------ coordinate descent


@pytest.mark.parametrize("params", PENALTIES, ids=str)
@pytest.mark.parametrize("init", ["random", "nndsvd", "nndsvda", "nndsvdar"])
def test_conditions_of_optimality(params, init):
    X = table()
    model = NMF(3, init=init, tol=1e-12, max_iter=100_000, random_state=0, **params)
    W = model.fit_transform(X)
    assert (W >= 0).all()
    assert (model.components_ >= 0).all()
    assert slow.violation(X, W, model.components_, *strengths(params)) < 1e-7


@pytest.mark.parametrize("params", PENALTIES, ids=str)
def test_objective_is_that_of_scikit_learn_or_less(params):
    decomposition = pytest.importorskip("sklearn.decomposition")
    X = table(1, n=40, d=15, k=4)
    settings = {"n_components": 4, "tol": 1e-8, "max_iter": 50_000, "init": "nndsvda", **params}
    ours, theirs = NMF(**settings), decomposition.NMF(**settings)
    values = []
    for model in (ours, theirs):
        W = model.fit_transform(X)
        added = slow.penalty(W, model.components_, *strengths(params))
        values.append(slow.divergence(X, W @ model.components_, 2) + added)
    assert values[0] <= values[1] * (1 + 1e-5)


def test_rows_are_exact_least_squares():
    X = table(2)
    model = NMF(3, random_state=0).fit(X)
    W = model.transform(X)
    for row, w in zip(X, W, strict=True):
        want, _ = nnls(model.components_.T, row)
        assert_allclose(w, want, atol=1e-6)
    assert_array_equal(model.transform(X[3:7]), W[3:7])


def test_an_exact_product_is_found_again():
    rng = np.random.default_rng(0)
    W = np.vstack([np.eye(3), rng.random((20, 3))])
    H = np.hstack([np.eye(3), rng.random((3, 6))])
    model = NMF(3, tol=1e-10, max_iter=20_000)
    assert_allclose(model.fit_transform(W @ H) @ model.components_, W @ H, atol=1e-6)
    assert model.reconstruction_err_ < 1e-5


def test_error_is_the_norm_of_the_residuals():
    X = table(3)
    model = NMF(2, random_state=0)
    W = model.fit_transform(X)
    want = np.linalg.norm(X - W @ model.components_)
    assert model.reconstruction_err_ == pytest.approx(want, rel=1e-12)
    assert_allclose(model.inverse_transform(W), W @ model.components_, rtol=1e-14)


# ------------------------------------------------------------------ multiplicative updates


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("params", PENALTIES[:4], ids=str)
def test_updates_are_those_of_the_definition(loss, params):
    X, rng = table(4), np.random.default_rng(1)
    W, H = rng.random((30, 3)) + 0.1, rng.random((3, 12)) + 0.1
    model = NMF(3, solver="mu", beta_loss=loss, init="custom", tol=0.0, max_iter=4, **params).fit(
        X, W=W, H=H
    )
    for _ in range(4):
        W, H = slow.updated(X, W, H, BETAS.get(loss, loss), *strengths(params))
    assert_allclose(model.components_, H, rtol=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_divergence_never_rises(loss):
    X = table(5)
    beta = BETAS.get(loss, loss)
    values = []
    for iterations in (1, 2, 5, 20, 100):
        model = NMF(
            3, solver="mu", beta_loss=loss, init="random", tol=0.0, max_iter=iterations,
            random_state=3,
        )  # fmt: skip
        W = model.fit_transform(X)
        values.append(slow.divergence(X, W @ model.components_, beta))
        want = np.sqrt(2 * values[-1])
        assert model.reconstruction_err_ == pytest.approx(want, rel=1e-8)
    assert all(b <= a * (1 + 1e-3) for a, b in itertools.pairwise(values))


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler", 1.5])
def test_sparse_tables_are_dense_ones_by_updates(loss):
    X = np.where(table(6) > 0.4, table(6), 0.0)
    settings = {"solver": "mu", "beta_loss": loss, "init": "random", "random_state": 0}
    dense = NMF(3, max_iter=30, tol=0.0, **settings)
    W = dense.fit_transform(X)
    other = NMF(3, max_iter=30, tol=0.0, **settings)
    assert_allclose(other.fit_transform(sparse.csr_matrix(X)), W, rtol=1e-8, atol=1e-12)
    assert other.reconstruction_err_ == pytest.approx(dense.reconstruction_err_, rel=1e-9)


@pytest.mark.parametrize("alpha_H", [0.0, 1e-3, 0.1])
@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler", 1.5])
def test_updates_of_sparse_tables_know_the_penalty_of_each_factor(loss, alpha_H):
    X, rng = np.where(table(15) > 0.4, table(15), 0.0), np.random.default_rng(2)
    W, H = rng.random((30, 3)) + 0.1, rng.random((3, 12)) + 0.1
    params = {"alpha_W": 1e-2, "alpha_H": alpha_H, "l1_ratio": 0.3}
    model = NMF(
        3, solver="mu", beta_loss=loss, init="custom", tol=0.0, max_iter=4, **params
    ).fit(sparse.csr_matrix(X), W=W, H=H)  # fmt: skip
    for _ in range(4):
        W, H = slow.updated(X, W, H, BETAS.get(loss, loss), *strengths(params))
    assert_allclose(model.components_, H, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:NMF did not converge")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_rows_by_updates_do_not_know_their_companions(loss, make):
    X = table(16, n=200)
    if loss not in ("itakura-saito", 0.5):
        X = np.where(X > 0.3, X, 0.0)
    model = NMF(3, solver="mu", beta_loss=loss, init="random", random_state=0, max_iter=50)
    W = model.fit_transform(make(X))
    assert_array_equal(np.vstack([model.transform(make(X[i : i + 1])) for i in range(20)]), W[:20])
    order = np.random.default_rng(0).permutation(200)[:77]
    loud = np.vstack([X[order], 1e6 * X[:5]])
    assert_array_equal(model.transform(make(loud))[:77], W[order])


@pytest.mark.filterwarnings("ignore:NMF did not converge")
@pytest.mark.parametrize("loss", LOSSES)
def test_rows_by_updates_end_near_their_best(loss):
    X, beta = table(17), BETAS.get(loss, loss)
    model = NMF(3, solver="mu", beta_loss=loss, init="random", random_state=0, max_iter=300)
    H = model.fit(X).components_
    W = model.set_params(tol=1e-9, max_iter=5000).transform(X)
    again, _ = slow.updated(X, W, H, beta)
    assert slow.divergence(X, W @ H, beta) <= slow.divergence(X, again @ H, beta) * (1 + 1e-6)


# ------------------------------------------------------------------ the squared error of sparse X


def exact_squares(X, W, H):
    """|X - W H|^2 in fractions, rounded at the end."""
    W, H = ([[Fraction(v) for v in row] for row in factor.tolist()] for factor in (W, H))
    total = Fraction(0)
    for x, w in zip(X.tolist(), W, strict=True):
        for j, value in enumerate(x):
            entry = sum((a * h[j] for a, h in zip(w, H, strict=True)), Fraction(0))
            total += (Fraction(value) - entry) ** 2
    return float(total)


@given(
    st.integers(0, 10**6),
    st.integers(1, 4),
    st.sampled_from([0.0, 1e-14, 1e-10, 1e-6, 1e-2, 1.0]),
    st.floats(0.0, 1.0),
)
def test_squared_errors_of_sparse_rows_have_all_digits(seed, k, noise, share):
    rng = np.random.default_rng(seed)
    W, H = rng.random((9, k)), rng.random((k, 7))
    W[rng.random(W.shape) < share / 2], H[rng.random(H.shape) < share / 2] = 0.0, 0.0
    W, H = np.round(W, 3), np.round(H, 3)
    X = (W @ H) * (1 + noise * rng.random((9, 7))) * (rng.random((9, 7)) < 1 - share / 4)
    got = 2.0 * row_divergences(RowBlock(0, 9, sparse.csr_matrix(X)), W, H.T.copy(), 2.0).sum()
    want, rounding = exact_squares(X, W, H), 4e-16 * np.linalg.norm(X)
    assert abs(np.sqrt(got) - np.sqrt(want)) <= 1e-12 * np.sqrt(want) + rounding


def test_the_error_of_a_nearly_exact_product_is_that_of_its_residuals():
    rng = np.random.default_rng(0)
    W, H = np.eye(3)[rng.integers(3, size=300)], rng.random((3, 40)) * (rng.random((3, 40)) < 0.3)
    X = W @ H
    X[X > 0] *= 1 + 1e-9 * rng.random((X > 0).sum())
    model = NMF(3, init="custom", tol=0.0, max_iter=50)
    got = model.fit_transform(sparse.csr_matrix(X), W=W, H=H)
    want = np.linalg.norm(X - got @ model.components_)
    assert 1e-10 < want < 1e-7
    assert model.reconstruction_err_ == pytest.approx(want, rel=1e-6)


# ------------------------------------------------------------------ containers, types, threads


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_tables_are_dense_ones(container):
    X = np.where(table(7) > 0.4, table(7), 0.0)
    dense, other = (NMF(3, tol=1e-9, max_iter=5000, init="nndsvda") for _ in range(2))
    W = dense.fit_transform(X)
    assert_allclose(other.fit_transform(container(X)), W, atol=1e-5)
    assert other.reconstruction_err_ == pytest.approx(dense.reconstruction_err_, rel=1e-7)


@pytest.mark.parametrize("solver", ["cd", "mu"])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix])
def test_same_bits_for_any_number_of_threads(solver, make):
    X = make(table(8, n=900, d=40, k=5))
    fits = [
        NMF(5, solver=solver, max_iter=10, tol=0.0, init="random", random_state=0, n_jobs=jobs)
        for jobs in (1, 2, 7)
    ]
    answers = [model.fit_transform(X) for model in fits]
    for model, W in zip(fits[1:], answers[1:], strict=True):
        assert_array_equal(W, answers[0])
        assert_array_equal(model.components_, fits[0].components_)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8, int])
def test_types_and_layouts(order, dtype):
    X = np.round(40 * table(9)).astype(dtype, order=order)
    model = NMF(3, init="nndsvda", tol=1e-9, max_iter=5000)
    W = model.fit_transform(X)
    wanted = np.float32 if dtype is np.float32 else np.float64
    assert (W.dtype, model.components_.dtype) == (wanted, wanted)
    known = NMF(3, init="nndsvda", tol=1e-9, max_iter=5000).fit(X.astype(np.float64))
    assert_allclose(model.reconstruction_err_, known.reconstruction_err_, rtol=1e-5)


def test_rows_may_come_in_any_order():
    X = table(10)
    order = np.random.default_rng(0).permutation(len(X))
    settings = {"init": "nndsvda", "tol": 1e-10, "max_iter": 50_000}
    W = NMF(3, **settings).fit_transform(X)
    assert_allclose(NMF(3, **settings).fit_transform(X[order]), W[order], atol=1e-5)


def test_scaled_tables_have_scaled_factors():
    X = table(11)
    W = NMF(3, init="nndsvd").fit_transform(X)
    for power in (-40, 40):
        scaled = NMF(3, init="nndsvd").fit_transform(np.ldexp(X, 2 * power))
        assert_allclose(np.ldexp(scaled, -power), W, rtol=1e-10)


def test_empty_rows_and_columns_have_no_factors():
    X = np.zeros((6, 5))
    X[:3, :2] = 1.0
    model = NMF(2, random_state=0, max_iter=2000)
    W = model.fit_transform(X)
    assert_allclose(W @ model.components_, X, atol=1e-3)
    nothing = NMF(2, random_state=0).fit(np.zeros((4, 3)))
    assert nothing.transform(np.zeros((2, 3))).tolist() == [[0.0, 0.0]] * 2
    assert nothing.reconstruction_err_ == 0.0


def test_more_components_than_columns():
    model = NMF(8, random_state=0, max_iter=3000).fit(table(12, d=5))
    assert model.components_.shape == (8, 5)
    assert NMF(random_state=0, max_iter=3000).fit(table(12, d=5)).n_components_ == 5


def test_names_copies_and_pickles():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(table(13, d=4), columns=list("abcd"))
    model = NMF(2, random_state=0).fit(X)
    assert model.feature_names_in_.tolist() == list("abcd")
    assert model.get_feature_names_out().tolist() == ["nmf0", "nmf1"]
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.transform(X), model.transform(X))
    shown = NMF(2, random_state=0).set_output(transform="pandas").fit_transform(X)
    assert list(shown.columns) == ["nmf0", "nmf1"]


def test_custom_starts_are_not_changed():
    X, rng = table(14), np.random.default_rng(0)
    W, H = rng.random((30, 2)), rng.random((2, 12))
    before = W.copy(), H.copy()
    model = NMF(init="custom", max_iter=5, tol=0.0)
    model.fit_transform(X, W=W, H=H)
    assert model.n_components_ == 2
    assert_array_equal(W, before[0])
    assert_array_equal(H, before[1])


def test_iterations_that_end_early_are_told():
    with pytest.warns(UserWarning, match="NMF did not converge in 2 iterations"):
        NMF(3, max_iter=2, random_state=0).fit(table())


@pytest.mark.parametrize(
    ("params", "X", "fit", "error", "message"),
    [
        ({}, [[1.0, -1.0]], {}, ValueError, "X must not be negative; got -1.0"),
        ({}, [[1e200, 1.0]], {}, ValueError, "powers of 2 overflow"),
        (
            {"solver": "mu", "beta_loss": 10.0}, [[1e40, 1.0]], {}, ValueError,
            "powers of 10 overflow",
        ),
        ({"solver": "mu", "beta_loss": 1e300}, [[1.0, 1.0]], {}, ValueError, "at most 20"),
        ({"n_components": 0}, [[1.0, 2.0]], {}, ValueError, "n_components must be"),
        ({"n_components": 3, "init": "nndsvd"}, [[1.0, 2.0]], {}, ValueError, r"min\(n, d\) = 1"),
        ({"init": "magic"}, [[1.0]], {}, ValueError, "init must be"),
        ({"solver": "cd", "beta_loss": 1.0}, [[1.0]], {}, ValueError, "Pass solver='mu'"),
        ({"beta_loss": "magic"}, [[1.0]], {}, ValueError, "beta_loss must be 'frobenius'"),
        ({"solver": "mu", "beta_loss": 0}, [[0.0]], {}, ValueError, "X must be positive"),
        ({"alpha_W": -1.0}, [[1.0]], {}, ValueError, "alpha_W must be"),
        ({"l1_ratio": 2.0}, [[1.0]], {}, ValueError, "l1_ratio must be"),
        ({"init": "custom"}, [[1.0]], {}, ValueError, "W must be passed with init='custom'"),
        ({}, [[1.0]], {"W": [[1.0]]}, ValueError, "W and H are for init='custom'"),
        (
            {"init": "custom", "n_components": 1}, [[1.0]], {"W": [[1.0, 2.0]], "H": [[1.0]]},
            ValueError, r"W must have shape \(1, 1\)",
        ),
        (
            {"init": "custom", "n_components": 1}, [[1.0]], {"W": [[-1.0]], "H": [[1.0]]},
            ValueError, "W must not be negative",
        ),
    ],
)  # fmt: skip
def test_wrong_input(params, X, fit, error, message):
    with pytest.raises(error, match=message):
        NMF(**params).fit(X, **fit)


def test_wrong_rows_afterwards():
    model = NMF(2, random_state=0).fit(table(d=4))
    with pytest.raises(ValueError, match="Negative values in data passed to NMF"):
        model.transform([[1.0, 2.0, -3.0, 4.0]])
    with pytest.raises(ValueError, match="4 features"):
        model.transform([[1.0]])
    with pytest.raises(ValueError, match="a column for each of 2 components; got 3"):
        model.inverse_transform([[1.0, 2.0, 3.0]])
    with pytest.raises(ValueError, match="is not fitted"):
        NMF().transform([[1.0]])


def test_ragged_starts_are_refused_by_a_sentence():
    with pytest.raises(ValueError, match=r"^H "):
        NMF(init="custom").fit_transform(np.ones((4, 3)), H=[[1.0, 2.0], [3.0]])
