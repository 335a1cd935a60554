# SPDX-License-Identifier: BSD-3-Clause
"""Kernels made of kernels, what stays positive semi-definite, and Mercer's condition."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from statfast._validation import memory
from statfast.kernels import (
    RBF,
    FunctionKernel,
    Laplacian,
    Linear,
    MercerCheck,
    Mismatch,
    Polynomial,
    Precomputed,
    Sigmoid,
    Spectrum,
    mercer_check,
)
from tests.reference import kernels as twin

X = np.random.default_rng(0).standard_normal((60, 4))
Y = np.random.default_rng(1).standard_normal((45, 4))
A, B, C = RBF(0.3), Polynomial(2, 0.5, 1.0), Laplacian(0.2)

leaves = st.sampled_from([Linear(), A, B, C, Polynomial(3), RBF(0.0)])
composed = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] + pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] * pair[1]),
        st.tuples(st.sampled_from([0.25, 3.0]), inner).map(lambda pair: pair[0] * pair[1]),
        st.tuples(inner, st.integers(1, 3)).map(lambda pair: pair[0] ** pair[1]),
        inner.map(lambda kernel: kernel.normalize()),
    ),
    max_leaves=4,
)


def test_the_algebra_is_that_of_matrices():
    K = {kernel: kernel.matrix(X, Y) for kernel in (A, B, C)}
    for made, expected in [
        (A + B, K[A] + K[B]),
        (A + B + C, K[A] + K[B] + K[C]),
        (A * B, K[A] * K[B]),
        (A * B * C, K[A] * K[B] * K[C]),
        (2.5 * A, 2.5 * K[A]),
        (A * 2.5, 2.5 * K[A]),
        (np.float64(2.5) * A, 2.5 * K[A]),
        (A**1, K[A]),
        (B**5, K[B] ** 5),
        (2 * (A + 3 * B) ** 2 * C, 2 * (K[A] + 3 * K[B]) ** 2 * K[C]),
    ]:
        np.testing.assert_allclose(made.matrix(X, Y), expected, rtol=1e-14, err_msg=repr(made))


def test_normalized_is_the_cosine_of_the_images():
    for kernel in (Linear(), B, A + B):
        K = kernel.matrix(X, Y)
        expected = twin.normalized(K, kernel.diagonal(X), kernel.diagonal(Y))
        np.testing.assert_allclose(kernel.normalize().matrix(X, Y), expected, rtol=1e-14)
        assert np.array_equal(kernel.normalize().matrix(X).diagonal(), np.ones(len(X)))
    rows = np.vstack([X, np.zeros((1, 4))])
    K = Linear().normalize().matrix(rows)
    assert not K[-1].any()
    assert not K[:, -1].any()
    assert np.array_equal(Linear().normalize().diagonal(rows), K.diagonal())


@settings(max_examples=40)
@given(kernel=composed)
def test_composed_kernels_stay_positive_semidefinite(kernel):
    assert kernel.positive_definite
    K = kernel.matrix(X)
    assert np.array_equal(K, K.T)
    assert np.array_equal(K.diagonal(), kernel.diagonal(X))
    values = np.linalg.eigvalsh(K)
    assert values[0] >= -1e-12 * values[-1]
    assert mercer_check(kernel, X)


@settings(max_examples=40)
@given(kernel=composed)
def test_composed_kernels_are_values_and_print_as_they_are_made(kernel):
    assert eval(repr(kernel)) == kernel
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert hash(eval(repr(kernel))) == hash(kernel)
    assert kernel != kernel + Linear()
    assert np.array_equal(eval(repr(kernel)).matrix(X, Y), kernel.matrix(X, Y))


def test_what_is_not_guaranteed_is_said():
    assert Sigmoid().positive_definite is None
    assert Polynomial(coef0=-1).positive_definite is None
    assert Precomputed().positive_definite is None
    for unknown in (A + Sigmoid(), A * Sigmoid(), 2 * Sigmoid(), Sigmoid() ** 2):
        assert unknown.positive_definite is None
    assert (Spectrum(3) + Mismatch(4, 1, 4)).normalize().positive_definite


def test_builtin_sum():
    assert sum([A, B, C]) == A + B + C


def test_texts():
    assert repr(A + 2 * B) == "RBF(gamma=0.3) + 2.0 * " + repr(B)
    assert repr(2 * (A + B)) == f"2.0 * ({A} + {B})"
    assert repr((A + B) ** 2 * C) == f"({A} + {B}) ** 2 * {C}"
    assert repr((A + B).normalize()) == f"({A} + {B}).normalize()"
    assert repr(2 * (3 * A)) == f"6.0 * {A}"
    assert A.normalize() is A
    assert B.normalize().normalize() == B.normalize()


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: -2 * A, ValueError, "factor must be greater than 0; got -2. Raise factor"),
        (lambda: 0 * A, ValueError, "must be greater than 0"),
        (lambda: np.nan * A, ValueError, "factor must be finite"),
        (lambda: 1e200 * (1e200 * A), ValueError, "must be finite"),
        (lambda: A**0, ValueError, "exponent must be at least 1; got 0. Raise exponent"),
        (lambda: A**0.5, TypeError, "must be an integer; got 0.5. Powers with fractions"),
        (lambda: A + 1, TypeError, "unsupported operand"),
        (lambda: 1 + A, TypeError, "unsupported operand"),
        (lambda: A - B, TypeError, "unsupported operand"),
        (lambda: True * A, TypeError, "must be a number; got True"),
        (lambda: np.ones(3) * A, TypeError, "unsupported operand"),
        (lambda: A + Spectrum(3), TypeError, "takes rows, .* strings. Choose kernels of one kind"),
        (lambda: A * Precomputed(), TypeError, "takes rows, .* matrix"),
    ],
)
def test_what_makes_no_kernel_is_refused(make, error, match):
    with pytest.raises(error, match=match):
        make()


def test_a_negative_diagonal_cannot_be_normalized():
    with pytest.raises(ValueError, match="its value of point 0 of X with itself is -1"):
        Sigmoid(1.0, -100.0).normalize().matrix([[1.0], [2.0]])


# ------------------------------------------------------------------ Mercer's condition


def test_an_indefinite_kernel_warns_and_shows_where():
    with pytest.warns(UserWarning, match=r"is not positive semi-definite on these 60 points"):
        found = mercer_check(Sigmoid(1.0, -1.0), X)
    assert not found
    assert not found.positive
    K = Sigmoid(1.0, -1.0).matrix(X)
    assert found.direction @ K @ found.direction == pytest.approx(found.smallest, rel=1e-10)
    assert np.linalg.norm(found.direction) == pytest.approx(1)
    assert found.smallest == pytest.approx(np.linalg.eigvalsh(K)[0], rel=1e-10)
    assert found.largest == pytest.approx(np.linalg.eigvalsh(K)[-1], rel=1e-10)
    text = str(found)
    assert text.endswith(" ...).") or "in the direction of" in text
    assert f"of point {abs(found.direction).argmax()}" in text


def test_a_definite_kernel_says_whether_it_always_is():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = mercer_check("rbf", X)
        given = mercer_check(FunctionKernel(twin.linear), X)
    assert isinstance(found, MercerCheck)
    assert "on others it may not be" not in str(found)
    assert "on others it may not be" in repr(given)
    assert found.kernel == RBF(1 / (4 * X.var()))


def test_the_two_by_two_matrix_that_is_none():
    K = np.array([[1.0, 2.0], [2.0, 1.0]])
    with pytest.warns(UserWarning, match=r"smallest eigenvalue is -1 \(the largest is 3\)"):
        found = mercer_check("precomputed", K)
    np.testing.assert_allclose(abs(found.direction), np.sqrt(0.5))
    assert mercer_check("precomputed", K, tol=0.5)
    assert mercer_check("precomputed", np.zeros((3, 3)))
    assert "this point" in str(mercer_check(Linear(), [[2.0]]))


@pytest.mark.parametrize(
    "kernel", ["linear", "poly", "rbf", "laplacian", "sigmoid", "precomputed", "spectrum"]
)
@pytest.mark.parametrize("wrong", [sparse.csr_array(np.eye(3)), None, 3.0, "ab", [[1.0], [1.0, 2]]])
def test_no_points(kernel, wrong):
    with pytest.raises((TypeError, ValueError), match=r"\bX\b"):
        mercer_check(kernel, wrong)


def test_the_check_of_too_many_points_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 1 << 30)
    with pytest.raises(MemoryError, match="Pass a sample of them"):
        mercer_check("linear", np.zeros((20_000, 1)))
    with pytest.raises(ValueError, match="tol must be at least 0"):
        mercer_check("linear", X, tol=-1)
