# SPDX-License-Identifier: BSD-3-Clause
"""The solver of the dual: beside its slow twin and LIBSVM, and by the conditions of optimality."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast._engine import blocks
from statfast.kernels import (
    RBF,
    FunctionKernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
)
from statfast.svm.dual import gram_cache, solver
from statfast.svm.dual.gram import KernelGram, TileGram, gram_of
from statfast.svm.dual.gram_cache import Gram
from statfast.svm.dual.solver import solve
from tests.reference import svm as twin

KERNELS = [
    Linear(), RBF(0.4), Polynomial(3, 0.5, 1.0), Sigmoid(0.1, -0.5), Laplacian(0.3),
    2.0 * RBF(0.3) + Linear(),
]  # fmt: skip


def classes(seed, n, d):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = np.where(X[:, 0] + 0.7 * rng.standard_normal(n) > 0.2, 1.0, -1.0)
    y[:2] = 1, -1
    return X, y


def classify(gram, y, C, **more):
    n = len(y)
    return solve(gram, -np.ones(n), y, np.full(n, float(C)), **more)


def require_optimal(solution, K, linear, sign, upper, tol, groups="one", start=None):
    """Feasible, the gradient that of the float64 matrix, and the conditions to tol."""
    a = solution.alpha
    assert (a >= 0).all()
    assert (a <= upper).all()
    size = np.abs(a).sum() * np.abs(K).max() + np.abs(linear).max()
    Q = sign[:, None] * sign * K
    np.testing.assert_allclose(solution.gradient, Q @ a + linear, atol=1e-11 * size)
    some = twin.members(sign, groups)
    start = np.zeros(len(a)) if start is None else start
    for of in some:
        np.testing.assert_allclose(
            (sign * a)[of].sum(), (sign * start)[of].sum(), atol=1e-10 * size
        )
    gap = twin.violation(a, Q @ a + linear, sign, upper, groups)
    np.testing.assert_allclose(max(gap, 0.0), solution.gap, atol=1e-11 * size)
    assert solution.gap <= tol
    assert solution.converged
    assert solution.reason == "tol"
    value = 0.5 * a @ Q @ a + linear @ a
    np.testing.assert_allclose(solution.dual, value, atol=1e-10 * size)
    assert -solution.primal <= solution.dual + 1e-10 * size


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(2, 70), which=st.integers(0, len(KERNELS) - 1),
    C=st.sampled_from([0.1, 1.0, 50.0]), tol=st.sampled_from([1e-2, 1e-3, 1e-5]),
)  # fmt: skip
def test_classes(seed, n, which, C, tol):
    X, y = classes(seed, n, 3)
    kernel = KERNELS[which]
    K = kernel.matrix(X)
    solution = classify(gram_of(kernel, X), y, C, tol=tol)
    require_optimal(solution, K, -np.ones(n), y, np.full(n, C), tol)
    if kernel.positive_definite:
        slow = twin.solve(twin.Whole(K), -np.ones(n), y, np.full(n, C), tol=tol / 10)
        assert solution.dual <= slow.dual + tol * (C * n) ** 0.5 * 5
        assert slow.dual >= -solution.primal - 1e-9 * (1 + abs(slow.dual))


def shrink_sets(monkeypatch):
    """Have active and working sets so small that problems of the tests have many rounds."""
    active = solver.ActiveSetLimits(size=48, max_size=48, rowwise_max_size=0)
    monkeypatch.setattr(solver, "ACTIVE_SET", active)
    monkeypatch.setattr(solver, "WORKING_SET", solver.WorkingSetLimits(min_size=16))


@pytest.fixture
def small_sets(monkeypatch):
    shrink_sets(monkeypatch)
    monkeypatch.setattr(Gram, "side", 48)


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_rounds(kernel, C):
    X, y = classes(4, 300, 4)
    solution = classify(gram_of(kernel, X), y, C)
    require_optimal(solution, kernel.matrix(X), -np.ones(300), y, np.full(300, C), 1e-3)


@pytest.mark.parametrize("fits", [True, False], ids="fits={}".format)
@pytest.mark.parametrize("C", [0.1, 30.0])
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_all_at_once(kernel, C, fits, monkeypatch):
    """Where many are free all become active, and the square of all is made once, if it fits."""
    shrink_sets(monkeypatch)
    monkeypatch.setattr(Gram, "side", 300 if fits else 299)
    X, y = classes(4, 300, 4)
    gram, made = gram_of(kernel, X), []
    block = gram.block
    monkeypatch.setattr(gram, "block", lambda index: made.append(len(index)) or block(index))
    solution = classify(gram, y, C, tol=1e-4)
    require_optimal(solution, kernel.matrix(X), -np.ones(300), y, np.full(300, C), 1e-4)
    free = np.count_nonzero((solution.alpha > 0) & (solution.alpha < C))
    assert made.count(300) <= fits
    if free > 120 and fits:
        assert made[-1] == 300
    again = classify(gram_of(kernel, X), y, C, start=solution.alpha, tol=1e-6)
    require_optimal(
        again, kernel.matrix(X), -np.ones(300), y, np.full(300, C), 1e-6, start=solution.alpha
    )


def test_two_variables_a_point_are_not_all_active(monkeypatch):
    """Regression: three quarters of their square would be copies."""
    shrink_sets(monkeypatch)
    rng = np.random.default_rng(0)
    X, one = rng.standard_normal((200, 10)), np.ones(200)
    t = np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * rng.standard_normal(200)
    linear, sign = np.concatenate([0.01 - t, 0.01 + t]), np.concatenate([one, -one])
    gram, made, point = gram_of(RBF(0.5), X), [], np.tile(np.arange(200), 2)
    block = gram.block
    monkeypatch.setattr(gram, "block", lambda index: made.append(len(index)) or block(index))
    upper = np.full(400, 5.0)
    solution = solve(gram, linear, sign, upper, point=point, tol=1e-4)
    K = RBF(0.5).matrix(X)[np.ix_(point, point)]
    require_optimal(solution, K, linear, sign, upper, 1e-4)
    assert np.count_nonzero(solution.alpha) > 150
    assert max(made) < 400


def test_a_square_shares_its_memory_with_rows():
    X, kernel = np.arange(2100.0).reshape(700, 3), Laplacian(0.3)
    gram = gram_of(kernel, X, cache_size=100)
    alone = gram.side
    assert 4 * alone**2 <= 100 * 2**20 <= 4.1 * alone**2
    rows = gram_of(kernel, X, cache_size=100)
    rows.hold(np.arange(3))
    assert 4 * (alone**2 - rows.side**2) >= 4 * 700**2
    assert gram_of(kernel, X, cache_size=1).side == gram_cache.MIN_POINTS_OF_SQUARE
    assert gram_of(Precomputed(), np.eye(9)).side < 2**20


@pytest.mark.parametrize("part", [0.02, 0.5, 1.0], ids="part={}".format)
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_row_by_row(kernel, part, monkeypatch):
    """Rows made when they are wanted, until they are too many."""
    active = solver.ActiveSetLimits(size=48, rowwise_support_share=2, rowwise_max_share=part)
    working = solver.WorkingSetLimits(min_size=16, rowwise_min_size=16)
    monkeypatch.setattr(solver, "ACTIVE_SET", active)
    monkeypatch.setattr(solver, "WORKING_SET", working)
    X, y = classes(4, 300, 4)
    made, hold = [], Gram.hold
    monkeypatch.setattr(Gram, "hold", lambda self, index: made.extend(index) or hold(self, index))
    for C in (0.1, 3.0):
        made.clear()
        solution = classify(gram_of(kernel, X), y, C)
        require_optimal(solution, kernel.matrix(X), -np.ones(300), y, np.full(300, C), 1e-3)
        assert len(set(made)) == len(made) <= part * 300
        assert (part < 0.05) == (not made)
        if made:
            steps = solution.n_iter // 3
            solution = classify(gram_of(kernel, X), y, C, max_iter=steps)
            assert (solution.reason, solution.n_iter) == ("max_iter", steps)


@pytest.mark.usefixtures("small_sets")
def test_the_nu_problem():
    X, y = classes(5, 200, 3)
    nu, K = 0.4, RBF(0.5).matrix(X)
    start = np.zeros(200)
    for sign in (1, -1):  # as LIBSVM starts: the first of each class, filled up
        of = np.flatnonzero(y == sign)
        left = nu * 200 / 2
        start[of] = np.clip(left - np.arange(len(of)), 0, 1)
    zero, one = np.zeros(200), np.ones(200)
    solution = solve(gram_of(RBF(0.5), X), zero, y, one, start=start, groups="each", tol=1e-4)
    require_optimal(solution, K, zero, y, one, 1e-4, "each", start)
    slow = twin.solve(twin.Whole(K), zero, y, one, start=start, groups="each", tol=1e-5)
    np.testing.assert_allclose([solution.rho, solution.r], [slow.rho, slow.r], atol=1e-3)
    np.testing.assert_allclose(solution.dual, slow.dual, rtol=1e-5)


@pytest.mark.usefixtures("small_sets")
def test_two_variables_a_point():
    """Support vector regression: 2 l variables on l points."""
    rng = np.random.default_rng(6)
    X = rng.uniform(-2, 2, (90, 2))
    target = np.sin(2 * X[:, 0]) + 0.1 * rng.standard_normal(90)
    linear = np.concatenate([0.1 - target, 0.1 + target])
    sign, point = np.repeat([1.0, -1.0], 90), np.tile(np.arange(90), 2)
    upper = np.full(180, 5.0)
    solution = solve(gram_of(RBF(1.0), X), linear, sign, upper, point=point, tol=1e-4)
    K = RBF(1.0).matrix(X)[np.ix_(point, point)]
    require_optimal(solution, K, linear, sign, upper, 1e-4)
    assert (np.minimum(solution.alpha[:90], solution.alpha[90:]) == 0).all()


def test_one_class_and_a_start():
    X, _ = classes(7, 120, 3)
    start = np.zeros(120)
    start[:36] = 1
    zero, one = np.zeros(120), np.ones(120)
    solution = solve(gram_of(RBF(0.3), X), zero, one, one, start=start, tol=1e-5)
    require_optimal(solution, RBF(0.3).matrix(X), zero, one, one, 1e-5, start=start)
    again = solve(gram_of(RBF(0.3), X), zero, one, one, start=solution.alpha, tol=1e-5)
    assert again.n_iter == 0
    np.testing.assert_array_equal(again.alpha, solution.alpha)


@pytest.mark.parametrize("C", [1e2, 1e4])
def test_large_c(C, monkeypatch):
    limits = solver.WorkingSetLimits(multiply_adds_per_clock=2e5)
    monkeypatch.setattr(solver, "WORKING_SET", limits)
    X, y = classes(8, 400, 4)
    solution = classify(gram_of(RBF(0.25), X), y, C)
    require_optimal(solution, RBF(0.25).matrix(X), -np.ones(400), y, np.full(400, C), 1e-3)


def test_duplicates_and_ties():
    X = np.repeat(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), 40, axis=0)
    y = np.tile([1.0, -1.0], 60)
    solution = classify(gram_of(RBF(1.0), X), y, 1.0)
    require_optimal(solution, RBF(1.0).matrix(X), -np.ones(120), y, np.ones(120), 1e-3)


@pytest.mark.parametrize("sparse", [0, 2])  # whether rows are made one by one
def test_the_same_bits_on_any_threads(sparse, monkeypatch):
    active = solver.ActiveSetLimits(size=512, max_size=512, rowwise_support_share=sparse)
    monkeypatch.setattr(solver, "ACTIVE_SET", active)
    monkeypatch.setattr(solver, "WORKING_SET", solver.WorkingSetLimits(min_size=256))
    monkeypatch.setattr(Gram, "side", 512)
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    X, y = classes(9, 1500, 6)
    far = X + np.where(np.arange(1500)[:, None] == 7, 200.0, 0.0)
    answers = []
    for threads in (1, 2, 7):
        for kernel, rows in ((RBF(0.2), X), (RBF(0.2), far), (Laplacian(0.2), X)):
            answers.append(classify(gram_of(kernel, rows, n_jobs=threads), y, 3.0))
    for one, other in zip(answers[:-3], answers[3:], strict=True):
        np.testing.assert_array_equal(one.alpha, other.alpha)
        np.testing.assert_array_equal(one.gradient, other.gradient)
        assert one[2:] == other[2:]


def test_limits_leave_a_usable_answer():
    X, y = classes(10, 600, 5)
    gram, C = gram_of(RBF(0.2), X), 1e4
    few = classify(gram, y, C, max_iter=50, tol=1e-6)
    assert not few.converged
    assert few.reason == "max_iter"
    assert few.n_iter == 50
    assert few.gap > 1e-6
    K = RBF(0.2).matrix(X)
    np.testing.assert_allclose(few.gradient, y * (K @ (y * few.alpha)) - 1, atol=1e-7)
    late = classify(gram, y, C, time_limit=0.0, tol=1e-9)
    assert late.reason == "time_limit"
    assert not late.converged


def test_callback(small_sets):
    seen = []
    X, y = classes(11, 300, 4)
    classify(gram_of(RBF(0.2), X), y, 10.0, callback=lambda *of: seen.append(of))
    assert len(seen) > 2
    steps, gaps = np.array(seen).T
    assert (np.diff(steps) >= 0).all()
    assert gaps[-1] < gaps[0]

    def stop(steps, gap):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        classify(gram_of(RBF(0.2), X), y, 10.0, callback=stop)


def test_hard_margins():
    rng = np.random.default_rng(12)
    X = rng.standard_normal((200, 2))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    X[:, 0] += 0.5 * y
    solution = classify(gram_of(Linear(), X), y, np.inf, hard=True)
    require_optimal(solution, X @ X.T, -np.ones(200), y, np.full(200, np.inf), 1e-3)
    margins = y * (X @ X.T @ (y * solution.alpha) - solution.rho)
    assert margins.min() > 1 - 2e-3
    y[:3] = -y[:3]
    assert classify(gram_of(Linear(), X), y, np.inf, hard=True).reason == "inseparable"


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_rows_beyond_float32(scale):
    X, y = classes(13, 60, 3)
    gram = gram_of(RBF(0.4 / scale**2), X * scale)
    assert isinstance(gram, KernelGram)
    solution = classify(gram, y, 1.0)
    require_optimal(solution, RBF(0.4).matrix(X), -np.ones(60), y, np.ones(60), 1e-3)


def test_rows_with_outliers():
    """Float32 would lose what is near one row to the outlier's distance from all."""
    X, y = classes(13, 200, 3)
    for away, kind in ((3e2, TileGram), (3e4, KernelGram)):
        X[0] += away
        gram, K = gram_of(RBF(0.2), X), RBF(0.2).matrix(X)
        assert type(gram) is kind
        np.testing.assert_allclose(gram.block(np.arange(200))[:, :200], K, atol=6e-8)
        solution = classify(gram, y, 100.0)
        require_optimal(solution, K, -np.ones(200), y, np.full(200, 100.0), 1e-3)


def test_functions_and_matrices():
    X, y = classes(14, 150, 3)
    K = RBF(0.3).matrix(X)
    plain = classify(gram_of(RBF(0.3), X), y, 2.0, tol=1e-5)

    def function(A, B):
        return np.exp(-0.3 * ((A[:, None] - B) ** 2).sum(axis=2))

    for gram in (gram_of(Precomputed(), K), gram_of(FunctionKernel(function), X)):
        solution = classify(gram, y, 2.0, tol=1e-5)
        require_optimal(solution, K, -np.ones(150), y, np.full(150, 2.0), 1e-5)
        np.testing.assert_allclose(solution.dual, plain.dual, rtol=1e-7)


@pytest.mark.parametrize(("C", "gamma"), [(1.0, 0.1), (100.0, 0.05)])
def test_no_worse_than_libsvm(C, gamma):
    sklearn = pytest.importorskip("sklearn.svm")
    X, y = classes(15, 900, 8)
    solution = classify(gram_of(RBF(gamma), X), y, C)
    theirs = sklearn.SVC(C=C, gamma=gamma, tol=1e-3).fit(X, y)
    b = np.zeros(900)
    b[theirs.support_] = theirs.dual_coef_[0]
    value = 0.5 * b @ RBF(gamma).matrix(X) @ b - np.abs(b).sum()
    assert solution.dual <= value + 1e-6 * abs(value)
    np.testing.assert_allclose(solution.rho, -theirs.intercept_[0], atol=2e-3)


# ------------------------------------------------------------------ rows far from 0
@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize("away", [1e3, 1e5])
@pytest.mark.parametrize("kind", ["tiles", "sum", "matrix"])
def test_images_far_from_the_origin(kind, away):
    """Of a linear kernel the dual is the same wherever the rows are."""
    X, y = classes(16, 200, 4)
    far = X + away
    grams = {
        "tiles": lambda: gram_of(Linear(), far),
        "sum": lambda: gram_of(0.5 * Linear() + 0.5 * Linear(), far),
        "matrix": lambda: gram_of(Precomputed(), far @ far.T),
    }
    near = classify(gram_of(Linear(), X), y, 1.0, tol=1e-4)
    solution = classify(grams[kind](), y, 1.0, tol=1e-4)
    assert solution.reason == "tol"
    np.testing.assert_allclose(solution.dual, near.dual, rtol=1e-5)
    f = far @ ((y * solution.alpha) @ (far - away)) - solution.rho
    want = X @ (X.T @ (y * near.alpha)) - near.rho
    np.testing.assert_allclose(f, want, atol=3e-3)


@pytest.mark.parametrize("kernel", [Polynomial(2, 0.1, 1.0), Sigmoid(1e-5, 0.0)], ids=repr)
def test_other_kernels_of_rows_far_from_the_origin(kernel):
    X, y = classes(17, 150, 2)
    gram = gram_of(kernel, X + 100.0)
    assert isinstance(gram, KernelGram)
    solution = classify(gram, y, 1e-3)
    require_optimal(solution, kernel.matrix(X + 100.0), -np.ones(150), y, np.full(150, 1e-3), 1e-3)


def test_sums_that_are_not_zero_far_from_the_origin():
    X, _ = classes(18, 90, 3)
    X += [1e3, 0.0, -1e3]
    gram = gram_of(Linear(), X)
    assert gram.origin.any()
    index, w = np.array([3, 50, 7]), np.array([1.0, 2.0, -0.5])
    exact = gram.exact(index, w)
    np.testing.assert_allclose(exact, X @ (X[index].T @ w), rtol=1e-12)
    some = np.array([9, 4])
    np.testing.assert_allclose(gram.exact(index, w, some), exact[some], rtol=1e-14)
    zero, one = np.zeros(90), np.ones(90)
    start = np.repeat([1.0, 0.0], [45, 45])
    solution = solve(gram, zero, one, one, start=start, tol=1e-3)
    require_optimal(solution, X @ X.T, zero, one, one, 1e-3, start=start)


def test_clusters_far_apart():
    X, y = classes(19, 300, 5)
    X += np.where(np.arange(300) % 2, 500.0, -500.0)[:, None]
    solution = classify(gram_of(RBF(0.1), X), y, 1.0)
    require_optimal(solution, RBF(0.1).matrix(X), -np.ones(300), y, np.ones(300), 1e-3)


# ------------------------------------------------------------------ ends
def test_what_does_not_move_is_looked_at_in_float64(monkeypatch, small_sets):
    """A solver that moves nothing more ends the work, though its sums are of float32."""
    calls = []
    descend = solver.smo.descend

    def stuck(*arguments):
        calls.append(1)
        return descend(*arguments) if len(calls) < 3 else (1.0, 0, 1, False, 0)

    monkeypatch.setattr(solver.smo, "descend", stuck)
    X, y = classes(21, 300, 4)
    solution = classify(gram_of(RBF(0.2), X), y, 10.0)
    assert solution.reason == "precision"
    assert len(calls) < 10


def test_a_cost_beyond_float32_ends_by_itself(monkeypatch):
    """What the matrix in float32 does not tell is not worked on, so that a stall is soon seen."""
    monkeypatch.setattr(solver, "TOLERANCES", solver.Tolerances(idle_rounds=1))
    rng = np.random.default_rng(0)
    X, sign = rng.normal(size=(24, 1)), np.where(rng.integers(0, 2, 24), 1.0, -1.0)
    solution = solve(gram_of(RBF(1.0), X), -np.ones(24), sign, np.full(24, 1e9), max_iter=4_000_000)
    assert solution.reason == "precision"
