# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of rows: their matrices against slow twins, far from 0 and at every scale."""

import contextlib
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast._validation import memory
from statfast.kernels import (
    RBF,
    ConstantKernel,
    FunctionKernel,
    Kernel,
    Laplacian,
    Linear,
    Mismatch,
    Polynomial,
    Precomputed,
    Sigmoid,
    Spectrum,
    as_kernel,
    kernel_matrix,
)
from tests.data import normal_rows
from tests.reference import kernels as twin

TWINS = [
    (Linear(), twin.linear),
    (Polynomial(2), lambda X, Y: twin.polynomial(X, Y, 2, 1.0, 0.0)),
    (Polynomial(5, 0.3, 1.5), lambda X, Y: twin.polynomial(X, Y, 5, 0.3, 1.5)),
    (Sigmoid(0.2, -0.5), lambda X, Y: twin.sigmoid(X, Y, 0.2, -0.5)),
    (RBF(0.4), lambda X, Y: twin.rbf(X, Y, 0.4)),
    (ConstantKernel(1.7), lambda X, Y: np.full((len(X), len(Y)), 1.7)),
    (Laplacian(0.4), lambda X, Y: twin.laplacian(X, Y, 0.4)),
]
KERNELS = [kernel for kernel, _ in TWINS]
DEFINITE = [kernel for kernel in KERNELS if kernel.positive_definite]
each_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=repr)


@settings(max_examples=25)
@given(
    at=st.integers(0, len(TWINS) - 1),
    n=st.integers(1, 150),
    m=st.integers(1, 90),
    d=st.integers(1, 20),
    seed=st.integers(0, 2**32 - 1),
)
def test_matrices_are_those_of_the_definitions(at, n, m, d, seed):
    kernel, slow = TWINS[at]
    X, Y = normal_rows(n, d, seed), normal_rows(m, d, seed + 1)
    Y[: m // 3] = X[np.arange(m // 3) % n]
    sizes = 1 + abs(twin.linear(abs(X), abs(Y)))
    for K, expected in ((kernel.matrix(X, Y), slow(X, Y)), (kernel.matrix(X), slow(X, X))):
        limit = 1e-15 * (d + 16) * (1 + abs(expected))
        if isinstance(kernel, Polynomial):
            limit = limit * np.max(sizes + twin.linear(abs(X), abs(X)).max()) ** kernel.degree
        assert (abs(K - expected) <= limit * 8).all()
    assert np.array_equal(kernel(X, Y), kernel.matrix(X, Y))


@pytest.mark.parametrize("d", [5, 70])  # the whole is computed, and half of it
@each_kernel
def test_half_a_matrix_is_the_whole_and_every_part_of_it_the_same(kernel, d):
    X = normal_rows(700, d) / np.sqrt(d)
    K = kernel.matrix(X)
    assert np.array_equal(K, K.T)
    assert np.array_equal(K, kernel.matrix(X, X.copy()))
    assert np.array_equal(K[123:200], kernel.matrix(X[123:200], X))
    some = [5, 3, 600]
    assert np.array_equal(K[some], kernel.matrix(X[some], X))
    assert np.array_equal(K.diagonal(), kernel.diagonal(X))


@pytest.mark.parametrize(
    "kernel",
    [
        *KERNELS,
        2.0 * RBF(0.1) * Linear() + Laplacian(0.3) ** 3,
        Polynomial(3, 1.0, 1.0).normalize(),
    ],
    ids=repr,
)
def test_the_same_bits_on_any_number_of_threads(kernel):
    X, Y = normal_rows(900, 30), normal_rows(700, 30, 1)
    for args in ((X,), (X, Y)):
        one = kernel.matrix(*args, n_jobs=1)
        for n_jobs in (2, 7):
            assert np.array_equal(one, kernel.matrix(*args, n_jobs=n_jobs))


@each_kernel
def test_float32_is_rounded_once(kernel):
    X = normal_rows(300, 4)
    K = kernel.matrix(X, dtype=np.float32)
    assert K.dtype == np.float32
    assert np.array_equal(K, kernel.matrix(X).astype(np.float32))
    assert np.array_equal(kernel.matrix(X.astype(np.float32)).dtype, np.float64)


def test_tight_clusters_far_apart_keep_their_digits():
    rng = np.random.default_rng(1)
    centers = rng.standard_normal((8, 3)) * 1e6
    X = np.round((centers[rng.integers(8, size=200)] + rng.standard_normal((200, 3))) * 256) / 256
    expected = twin.rbf(X, X, 0.5)  # the differences are exact
    np.testing.assert_allclose(RBF(0.5).matrix(X), expected, rtol=1e-13, atol=0)
    spread = X / 100 + rng.standard_normal((200, 3))  # not mended, but for the nearest
    np.testing.assert_allclose(
        RBF(1e-6).matrix(spread), twin.rbf(spread, spread, 1e-6), rtol=1e-9, atol=1e-12
    )
    K = RBF(1e3).matrix(X)
    assert np.array_equal(K.diagonal(), np.ones(200))


@pytest.mark.parametrize("scale", [1e-200, 1e-150, 1e-30, 1e30, 1e140, 1e150, 1e300])
def test_rbf_and_laplacian_at_every_scale(scale):
    X = normal_rows(60, 3)
    gamma = 0.5 / scale / scale
    if 0 < gamma < np.inf:
        np.testing.assert_allclose(RBF(gamma).matrix(X * scale), RBF(0.5).matrix(X), rtol=1e-12)
    np.testing.assert_allclose(
        Laplacian(0.5 / scale).matrix(X * scale), Laplacian(0.5).matrix(X), rtol=1e-12
    )
    K = RBF(1.0).matrix(X * scale)
    assert np.array_equal(K, np.eye(60) if scale > 1 else np.ones((60, 60)))


@pytest.mark.parametrize("kind", [RBF, Laplacian])
def test_gamma_zero_and_constant_rows_give_ones(kind):
    assert np.array_equal(kind(0).matrix(normal_rows(70, 2)), np.ones((70, 70)))
    assert np.array_equal(kind(3.0).matrix(np.full((70, 2), 1e200)), np.ones((70, 70)))
    assert np.array_equal(kind(1e308).matrix(np.arange(70.0)[:, None]), np.eye(70))


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(3), Polynomial(3).normalize()], ids=repr)
def test_values_beyond_float64_are_refused(kernel):
    with pytest.raises(ValueError, match=r"overflow float64. Scale"):
        kernel.matrix(np.full((3, 2), 1e155))
    with pytest.raises(ValueError, match=r"too large for float32. Pass dtype=np.float64"):
        Linear().matrix(np.full((3, 2), 1e30), dtype=np.float32)


def test_linear_of_huge_rows_can_be_normalized():
    X = normal_rows(40, 3)
    K = Linear().normalize().matrix(X)
    for power in (498, -498):
        assert np.array_equal(Linear().normalize().matrix(X * 2.0**power), K)


# ------------------------------------------------------------------ explicit images


@pytest.mark.parametrize(
    ("degree", "gamma", "coef0"), [(2, 1.0, 0.0), (3, 0.5, 2.0), (1, 2.0, 0.0)]
)
def test_polynomials_are_products_of_explicit_images(degree, gamma, coef0):
    X, Y = normal_rows(20, 4), normal_rows(15, 4, 1)
    kernel = Polynomial(degree, gamma, coef0)
    images = kernel.features(X) @ kernel.features(Y).T
    np.testing.assert_allclose(images, kernel.matrix(X, Y), rtol=1e-11, atol=1e-13)


def test_the_quadratic_map():
    X = normal_rows(30, 2)
    x1, x2 = X.T
    quadratic = np.column_stack([x1**2, np.sqrt(2) * x1 * x2, x2**2])
    np.testing.assert_allclose(Polynomial(2).features(X), quadratic, rtol=1e-15)
    np.testing.assert_allclose(quadratic @ quadratic.T, Polynomial(2).matrix(X), atol=1e-13)
    np.testing.assert_allclose((X @ X.T) ** 2, Polynomial(2).matrix(X), atol=1e-13)


def test_there_is_no_image_of_an_indefinite_polynomial_nor_room_for_a_large_one(monkeypatch):
    with pytest.raises(ValueError, match="no explicit image, as coef0 is negative"):
        Polynomial(2, coef0=-1).features(normal_rows(3, 2))
    monkeypatch.setattr(memory, "free_memory", lambda: 1 << 30)
    with pytest.raises(MemoryError, match="Use the kernel"):
        Polynomial(6).features(normal_rows(50, 40))


# ------------------------------------------------------------------ given by others


def test_functions_are_called_with_two_arrays():
    calls = []

    def dot(X, Y):
        calls.append((X.shape, Y.shape))
        return X @ Y.T

    X, Y = normal_rows(9, 2), normal_rows(4, 2, 1)
    assert np.array_equal(FunctionKernel(dot).matrix(X.tolist(), Y), X @ Y.T)
    assert calls == [((9, 2), (4, 2))]
    np.testing.assert_allclose(kernel_matrix(dot, X), X @ X.T)
    np.testing.assert_allclose(FunctionKernel(dot).diagonal(X), (X**2).sum(axis=1))
    assert FunctionKernel(dot).positive_definite is None
    assert FunctionKernel(dot, definite=True).positive_definite


@pytest.mark.parametrize(
    ("function", "error", "match"),
    [
        (lambda X, Y: X, ValueError, r"one value for each point of X and of Y, shape \(4, 4\)"),
        (lambda X, Y: np.full((4, 4), np.nan), ValueError, "returned nan, first for point 0 of X"),
        (lambda X, Y: np.diag([1, 1, np.inf, 1]), ValueError, "returned inf, first for point 2"),
        (lambda X, Y: "no", TypeError, "must return a matrix of numbers; got 'no'"),
        (lambda X, Y: np.arange(16.0).reshape(4, 4), ValueError, "must be symmetric; got 1.0 at"),
    ],
)
def test_what_functions_return_is_checked(function, error, match):
    with pytest.raises(error, match=match):
        FunctionKernel(function).matrix(normal_rows(4, 2))


def test_matrices_made_before():
    K = Linear().matrix(normal_rows(6, 3))
    assert np.array_equal(Precomputed().matrix(K), K)
    assert Precomputed().matrix(K) is not K
    assert np.array_equal(Precomputed().diagonal(K), K.diagonal())
    cross = Linear().matrix(normal_rows(4, 3, 1), normal_rows(6, 3))
    assert np.array_equal(Precomputed().matrix(cross, K), cross)
    assert np.array_equal((2 * Precomputed() + Precomputed()).matrix(cross, K), 3 * cross)
    expected = Linear().normalize().matrix(normal_rows(6, 3))
    assert np.array_equal(Precomputed().normalize().matrix(K), expected)


@pytest.mark.parametrize(
    ("args", "match"),
    [
        ((np.ones((3, 4)),), r"X must be a square matrix; got shape \(3, 4\)"),
        (([[1.0, 2.0], [3.0, 1.0]],), "X must be symmetric; got 2.0 at row 0, column 1 and 3.0"),
        ((np.ones((3, 4)), np.eye(5)), "one column for each of the 5 points of Y"),
        (([[np.nan]],), "X contains NaN"),
    ],
)
def test_wrong_matrices_are_refused(args, match):
    with pytest.raises(ValueError, match=match):
        Precomputed().matrix(*args)


def test_a_cross_matrix_cannot_be_normalized():
    with pytest.raises(ValueError, match="Normalize the matrix before"):
        Precomputed().normalize().matrix(np.ones((2, 3)), np.eye(3))


# ------------------------------------------------------------------ by name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("linear", Linear()),
        ("poly", Polynomial(4, 0.5, 2.0)),
        ("rbf", RBF(0.5)),
        ("sigmoid", Sigmoid(0.5, 2.0)),
        ("laplacian", Laplacian(0.5)),
        ("spectrum", Spectrum(4)),
        ("precomputed", Precomputed()),
        (RBF(3.0), RBF(3.0)),
        (len, FunctionKernel(len)),
    ],
)
def test_kernels_by_name(name, expected):
    assert as_kernel(name, gamma=0.5, degree=4, coef0=2.0) == expected


def test_gamma_is_the_same_number_from_any_layout_of_the_rows():
    rng = np.random.default_rng(0)
    for _ in range(20):  # sums in another order have the same bits now and then
        X = rng.normal(size=(48, 4))
        want = as_kernel("rbf", gamma="scale", X=X).gamma
        assert as_kernel("rbf", gamma="scale", X=np.asfortranarray(X)).gamma == want
        assert as_kernel("rbf", gamma="scale", X=np.repeat(X, 2, axis=1)[:, ::2]).gamma == want


@pytest.mark.parametrize("scale", [1.0, 1e-150, 1e150])
def test_gamma_from_the_rows(scale):
    X = normal_rows(50, 4)
    assert as_kernel("rbf", gamma="auto", X=X) == RBF(0.25)
    found = as_kernel("rbf", X=X * scale).gamma * scale * scale
    assert found == pytest.approx(1 / (4 * X.var()), rel=1e-9)
    assert as_kernel("rbf", X=np.full((3, 2), 0.1)) == RBF(1.0)
    for far in (1e-200, 1e200):
        with pytest.raises(ValueError, match=r"gamma='scale' is beyond float64, as all values"):
            as_kernel("rbf", X=X * far)
    with pytest.raises(ValueError, match=r"made of the fitted rows\. Give a number"):
        as_kernel("rbf")


def test_gamma_of_a_matrix_is_that_of_its_columns():
    X, Y = normal_rows(30, 4), normal_rows(20, 4, 1)
    assert np.array_equal(kernel_matrix("rbf", X, Y), RBF(1 / (4 * Y.var())).matrix(X, Y))
    assert np.array_equal(kernel_matrix("poly", X), Polynomial(3, 1 / (4 * X.var())).matrix(X))


def test_scikit_learn_has_the_same_matrices():
    pairwise = pytest.importorskip("sklearn.metrics.pairwise")
    X, Y = normal_rows(40, 6), normal_rows(30, 6, 1)
    for name in ("linear", "poly", "rbf", "sigmoid", "laplacian"):
        given = {} if name == "linear" else {"gamma": 0.3}
        more = {"coef0": 0.7} if name in ("poly", "sigmoid") else {}
        theirs = pairwise.pairwise_kernels(X, Y, metric=name, **given, **more)
        np.testing.assert_allclose(kernel_matrix(name, X, Y, **given, **more), theirs, rtol=1e-11)
    svm = pytest.importorskip("sklearn.svm")
    y = X[:, 0] > 0
    ours = svm.SVC(kernel=RBF(0.3)).fit(X, y)
    theirs = svm.SVC(kernel="rbf", gamma=0.3).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(Y), theirs.decision_function(Y), atol=1e-9)


# ------------------------------------------------------------------ values


@each_kernel
def test_kernels_are_values(kernel):
    again = pickle.loads(pickle.dumps(kernel))
    assert again == kernel
    assert hash(again) == hash(kernel)
    assert eval(repr(kernel)) == kernel
    assert kernel != RBF(0.123)
    with pytest.raises(AttributeError):
        kernel.gamma = 7.0


def test_parameters_are_numbers_of_python():
    assert repr(RBF(np.float32(2))) == "RBF(gamma=2.0)"
    assert repr(Polynomial(np.int64(2), 1)) == "Polynomial(degree=2, gamma=1.0, coef0=0.0)"
    assert {RBF(2), RBF(2.0)} == {RBF(np.float64(2))}


# ------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: RBF(-1), ValueError, "gamma must be at least 0; got -1. Raise gamma"),
        (lambda: ConstantKernel(-1.0), ValueError, "constant_value must be at least 0; got -1"),
        (lambda: Laplacian(np.nan), ValueError, "gamma must be finite"),
        (lambda: RBF("scale"), TypeError, "gamma must be a number; got 'scale'"),
        (lambda: Polynomial(0), ValueError, "degree must be at least 1; got 0"),
        (lambda: Polynomial(2.5), TypeError, "degree must be an integer; got 2.5"),
        (lambda: Sigmoid(coef0=np.inf), ValueError, "coef0 must be finite"),
        (lambda: Spectrum(0), ValueError, "k must be at least 1"),
        (lambda: Mismatch(3, 3), ValueError, r"m must be between 0 and k - 1 \(2\); got 3"),
        (lambda: FunctionKernel(3), TypeError, "function must be a function of two arrays"),
        (lambda: FunctionKernel(len, domain="matrix"), ValueError, "domain must be 'rows' or"),
        (lambda: as_kernel(RBF), TypeError, r"got the class RBF\. Pass RBF\(\), say"),
        (lambda: as_kernel("gauss"), ValueError, "kernel must be one of 'linear', 'poly'.*'gauss'"),
        (lambda: as_kernel(None), TypeError, "kernel must be one of .*; got None"),
        (lambda: as_kernel("rbf", gamma="wide"), ValueError, "gamma must be 'scale', 'auto' or a"),
        (lambda: as_kernel("poly", gamma=-1), ValueError, "gamma must be at least 0; got -1"),
        (lambda: Linear().matrix([[1.0]], dtype=int), ValueError, "dtype must be numpy.float64 or"),
        (lambda: Linear().matrix([[1.0]], dtype=""), ValueError, "dtype must be .*; got ''"),
        (lambda: Linear().matrix([[1.0]], dtype={}), ValueError, "dtype must be numpy.float64 or"),
        (lambda: Mismatch(40, 6), ValueError, "k=40 and m=6 would need a sum of more than 1000000"),
    ],
)
def test_wrong_parameters_are_named(make, error, match):
    with pytest.raises(error, match=match):
        make()


@pytest.mark.parametrize(
    ("args", "error", "match"),
    [
        (([[1.0, np.nan]],), ValueError, "X contains NaN, first at row 0, column 1"),
        (([[1.0]], [[np.inf]]), ValueError, "Y contains infinity"),
        (([[1.0, 2.0]], [[1.0]]), ValueError, "must have the same columns; got 2 and 1"),
        (
            (["ab", "cd"],),
            TypeError,
            r"X holds strings, and RBF\(gamma=1.0\) takes rows",
        ),
        ((np.array(["ab"]),), TypeError, "Choose a kernel on strings, such as Spectrum"),
        ((np.empty((0, 2)),), ValueError, "a minimum of 1 is required"),
        (([1.0, 2.0],), ValueError, "Expected 2D array"),
    ],
)
def test_wrong_points_are_named(args, error, match):
    with pytest.raises(error, match=match):
        RBF().matrix(*args)


def test_functions_cannot_change_their_points():
    X = normal_rows(5, 2)
    for kernel, points in (
        (FunctionKernel(lambda A, B: A.__imul__(2.0) @ B.T), X),
        (FunctionKernel(lambda A, B: A.sort() or np.ones((2, 2)), domain="strings"), ["b", "a"]),
    ):
        before = list(points)
        with contextlib.suppress(ValueError):
            kernel.matrix(points)
        np.testing.assert_array_equal(points, before)
    with pytest.raises(ValueError, match="read-only"):
        FunctionKernel(lambda A, B: A.__imul__(2.0) @ B.T).matrix(X)
    with pytest.raises(NotImplementedError, match="Kernel is a kernel without values"):
        Kernel().matrix(X)


def test_a_matrix_beyond_memory_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 1 << 30)
    X = np.zeros((20_000, 1))
    with pytest.raises(MemoryError, match=r"The 20000 x 20000 kernel matrix needs 3.0 GiB"):
        RBF().matrix(X)


def test_input_is_left_alone():
    X = np.asfortranarray(normal_rows(50, 3))
    X.setflags(write=False)
    before = X.copy()
    for kernel in [*KERNELS, FunctionKernel(twin.linear), Linear().normalize()]:
        kernel.matrix(X)
        kernel.matrix(X[::2], X)
    assert np.array_equal(X, before)


def test_diagonals_and_images_that_overflow_are_refused():
    rows = [[1e300, 0.0], [1.0, 2.0]]
    for kernel in (Linear(), Polynomial(2, 1.0, 1.0), Polynomial(2) + RBF()):
        with pytest.raises(ValueError, match=r"Values of .* overflow float64"):
            kernel.diagonal(rows)
    with pytest.raises(ValueError, match=r"Values of .* overflow float64"):
        Polynomial(2).features(rows)


def test_the_rows_that_gamma_is_made_of_are_checked():
    for points in (["ab", "c"], {1, 2}, [[1.0, np.nan]]):
        with pytest.raises((TypeError, ValueError), match=r"\bX\b"):
            as_kernel("rbf", X=points)


def test_whether_a_function_is_definite_is_a_flag():
    with pytest.raises(TypeError, match="definite must be True or False"):
        FunctionKernel(np.inner, definite=np.array([True, False]))
