# SPDX-License-Identifier: BSD-3-Clause
"""What support vector machines refuse, and the sentence it is refused with."""

import numpy as np
import pandas as pd
import pytest

from statfast import ConvergenceWarning
from statfast.datasets import load_iris
from statfast.kernels import RBF, FunctionKernel
from statfast.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from statfast.svm.dual import gram_cache
from statfast.svm.dual.solver import _Descent

IRIS = load_iris()
X, y = IRIS.data, IRIS.target
WORDS = ["aab", "abb", "bab", "bba"]


def not_finite(A, B):
    K = A @ B.T
    K[0, 0] = np.nan
    return K


@pytest.mark.parametrize(
    ("kind", "params", "words"),
    [
        (SVC, {"C": 0.0}, "C must be greater than 0"),
        (SVC, {"C": -np.inf}, "C must be greater than 0"),
        (SVC, {"C": np.nan}, "C must be finite"),
        (SVR, {"C": np.inf}, "C must be finite"),
        (SVR, {"epsilon": -1.0}, "epsilon must be at least 0"),
        (NuSVC, {"nu": 0.0}, "nu must be greater than 0"),
        (NuSVR, {"nu": 1.5}, "nu must be at most 1"),
        (OneClassSVM, {"nu": 0}, "nu must be greater than 0"),
        (SVC, {"kernel": "gauss"}, "kernel must be one of 'linear', "),
        (SVC, {"gamma": -0.1}, "gamma must be at least 0"),
        (SVC, {"gamma": "wide"}, "gamma must be 'scale' or 'auto'"),
        (SVC, {"degree": 0, "kernel": "poly"}, "degree must be at least 1"),
        (SVC, {"tol": 0.0}, "tol must be greater than 0"),
        (SVC, {"max_iter": 0}, "max_iter must be at least 1"),
        (SVC, {"time_limit": -1.0}, "time_limit must be at least 0"),
        (SVC, {"cache_size": 0}, "cache_size must be greater than 0"),
        (SVC, {"class_weight": {2: -1.0}}, r"class_weight\[2\] must be at least 0.0; got -1"),
        (SVC, {"break_ties": True, "decision_function_shape": "ovo"}, "break_ties must be False"),
        (SVC, {"kernel": "precomputed"}, r"X, .* must be a square matrix"),
        (SVC, {"kernel": not_finite}, r"FunctionKernel\(not_finite\) returned nan"),
        (SVC, {"kernel": FunctionKernel(lambda A, B: 0.0)}, "one value for each point"),
    ],
)
def test_parameters(kind, params, words):
    with pytest.raises(ValueError, match=words):
        kind(**params).fit(X, y)


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (RBF, r"got the class RBF\. Pass RBF\(\), say"),
        (lambda A, B: np.full((len(A), len(B)), 1j), "must return a matrix of numbers"),
        (None, "kernel must be one of"),
    ],
)
def test_what_is_no_kernel(kernel, words):
    with pytest.raises(TypeError, match=words):
        SVC(kernel=kernel).fit(X, y)


def test_labels_name_their_weights():
    names = np.array(["a", "b", "c"])[y]
    with pytest.raises(ValueError, match=r"class_weight\['b'\] must be at least 0"):
        SVC(class_weight={"b": -1.0}).fit(X, names)


def test_limits_of_any_type():
    model = SVC(C=np.float32(np.inf), kernel="linear", max_iter=np.int64(-1)).fit(X[:100], y[:100])
    assert model.fit_status_ == 0
    assert model.dual_gap_[0] < 1e-2


def test_numbers_too_large_and_too_small():
    heavy = np.full(150, 1e100)
    for model in (SVC(C=2.0), SVR(C=2.0), NuSVR(C=2.0)):
        with pytest.raises(ValueError, match=r"C times the largest weight must be at most 1e\+100"):
            model.fit(X, y, sample_weight=heavy)
    with pytest.raises(ValueError, match="The largest weight must be at most 1e"):
        NuSVC(class_weight={0: 2.0}).fit(X, y, sample_weight=heavy)
    with pytest.raises(ValueError, match=r"C times .* got 1e\+200\. Lower it"):
        SVC(C=1e200).fit(X, y)
    for scale in (1e-7, 1e-10, 1e-30, 1e-100, 1e-160):
        with pytest.raises(ValueError, match="Kernel values must be at least 1e-11 somewhere"):
            NuSVC(kernel="linear").fit(X * scale, y)
    two, small = X[:100], X[:100] * 1e-6
    values = NuSVC(kernel="linear", nu=0.3).fit(small, y[:100]).decision_function(small)
    as_usual = NuSVC(kernel="linear", nu=0.3).fit(two, y[:100]).decision_function(two)
    np.testing.assert_allclose(values, as_usual, atol=1e-9)


def test_targets_that_are_all_zero():
    model = NuSVR().fit(X, np.zeros(150))
    assert model.fit_status_ == 0
    assert not model.predict(X).any()
    assert model.epsilon_ == 0.0


def test_polynomials_of_rows_far_from_zero():
    far, params = X + 1e3, {"kernel": "poly", "max_iter": 1}
    words = r"X lie far from 0: their means are 2.* Polynomials of degree 2"
    with (
        pytest.warns(UserWarning, match=words),
        pytest.warns(ConvergenceWarning, match="or center and scale the columns of X"),
    ):
        SVC(**params, degree=2).fit(far, y)
    for kind in (SVC(kernel="poly"), SVR(kernel="poly"), SVC(kernel="poly", degree=1)):
        kind.set_params(max_iter=-1).fit(X if kind.degree > 1 else far, y)


def test_a_rate_beyond_float64():
    with pytest.raises(ValueError, match=r"gamma='scale' is beyond float64, as all values of X"):
        SVC().fit(X * 1e-200, y)
    SVC(gamma=1.0).fit(X * 1e-200, y)
    assert SVC().fit(np.full((6, 2), 0.1), [0, 1] * 3).kernel_ == RBF(1.0)


@pytest.mark.parametrize(("name", "wrong"), [("decision_function_shape", "all"), ("break_ties", 3)])
def test_parameters_of_predictions(name, wrong):
    model = SVC().fit(X, y).set_params(**{name: wrong})
    for method in (model.predict, model.decision_function):
        with pytest.raises((TypeError, ValueError), match=f"{name} must be"):
            method(X)


def test_kernel_matrices():
    K = X @ X.T
    K[3, 4] += 1.0
    with pytest.raises(ValueError, match=r"X, .* must be symmetric; got .* at row 3, column 4"):
        SVC(kernel="precomputed").fit(K, y)
    K[3, 4] = np.nan
    with pytest.raises(ValueError, match="X contains NaN, first at row 3, column 4"):
        SVC(kernel="precomputed").fit(K, y)
    model = SVC(kernel="precomputed").fit(X @ X.T, y)
    with pytest.raises(ValueError, match="X has 149 features, but SVC is expecting 150"):
        model.predict((X @ X.T)[:, 1:])


def test_nu_that_cannot_be():
    with pytest.raises(ValueError, match=r"nu must be at most 0\.3333, .* infeasible: lower nu"):
        NuSVC(nu=0.5).fit(X[:60], y[:60])
    NuSVC(nu=1 / 3).fit(X[:60], y[:60])


def test_rows_that_cannot_be_told_apart():
    with pytest.raises(ValueError, match="rows of two classes of y cannot be separated"):
        NuSVC().fit(np.ones((10, 2)), np.arange(10) % 2)


@pytest.mark.parametrize(("kernel", "nu"), [("linear", 0.5), ("rbf", 0.01), ("rbf", 0.3)])
def test_hulls_that_meet_are_found_out_soon(kernel, nu):
    """Steps towards a margin of zero would go on and on, as the tolerance is a part of it."""
    rows = np.random.default_rng(0).standard_normal((600, 3))
    with pytest.raises(ValueError, match=r"separated with nu=.*: the margin is zero, or"):
        NuSVC(kernel=kernel, nu=nu, max_iter=2_000_000).fit(rows, np.arange(600) % 2)
    NuSVC(kernel=kernel, nu=0.99, max_iter=10_000).fit(rows, np.arange(600) % 2)


@pytest.mark.parametrize("kind", [SVC, NuSVC])
def test_labels(kind):
    with pytest.raises(ValueError, match="y must hold at least 2 classes; got one class, 'a'"):
        kind().fit(X, ["a"] * 150)
    with pytest.raises(ValueError, match="y must hold at least 2 classes; got one class, 2"):
        kind().fit(X, y, sample_weight=y == 2)


def test_targets():
    with pytest.raises(ValueError, match="y should be a 1d array"):
        SVR().fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="y contains NaN"):
        SVR().fit(X, np.where(y == 1, np.nan, 0.0))


def test_strings_and_numbers():
    for rows in (WORDS, np.array(WORDS), tuple(WORDS)):
        with pytest.raises(
            TypeError, match="X must hold rows of numbers for kernel='rbf'; got str"
        ):
            SVC().fit(rows, [0, 0, 1, 1])
    with pytest.raises((TypeError, ValueError), match=r"X must be a list of strings"):
        SVC(kernel="spectrum").fit(X, y)
    with pytest.raises(TypeError, match=r"X must be a list of strings"):
        SVC(kernel="spectrum").fit("aabb", [0, 0, 1, 1])
    with pytest.raises(TypeError, match=r"X must be a list of strings"):
        SVC(kernel="spectrum", degree=1).fit(["a", b"b"], [0, 1])
    for table in (pd.DataFrame({"word": WORDS}), np.array(WORDS)[:, None]):
        with pytest.raises(ValueError, match=r"X must be a list of strings.* shape \(4, 1\)"):
            OneClassSVM(kernel="spectrum").fit(table)
    model = SVC(kernel="spectrum", degree=1).fit(WORDS, [0, 1, 0, 1])
    with pytest.raises((TypeError, ValueError), match="X must be a list of strings"):
        model.predict(X[:2])
    with pytest.raises(TypeError, match="X must hold rows of numbers"):
        SVC().fit(X, y).predict(WORDS)


def test_letters_that_are_halves_of_a_pair():
    texts = ["ab\ud800", "bb", "a", "ba"] * 5
    model = SVC(kernel="spectrum", degree=1, probability=True, random_state=0)
    assert np.isfinite(model.fit(texts, [0, 1, 0, 1] * 5).predict_proba(texts)).all()


@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
def test_values_beyond_float32(kernel):
    rows = X * 1e25
    with pytest.raises(ValueError, match="beyond float32, in which its matrix is kept"):
        SVC(kernel=kernel).fit(rows @ rows.T if kernel == "precomputed" else rows, y)


def test_rows_beyond_the_range_of_float32():
    rows, labels = X[:100] * 1e100, y[:100]
    model = SVC().fit(rows, labels)
    assert model.score(rows, labels) == 1.0


def test_rows_without_weight_are_not_there():
    weights = np.where(np.arange(150) % 3 == 0, 0.0, 1.0)
    model = SVC(gamma=0.3, tol=1e-8).fit(X, y, sample_weight=weights)
    other = SVC(gamma=0.3, tol=1e-8).fit(X[weights > 0], y[weights > 0])
    np.testing.assert_allclose(model.decision_function(X), other.decision_function(X), atol=1e-7)
    assert (weights[model.support_] > 0).all()


def test_a_matrix_beyond_the_memory_is_made_in_rows(monkeypatch):
    whole = SVC(gamma=0.3, C=10.0, tol=1e-8).fit(X, y)
    monkeypatch.setattr(gram_cache, "MIN_CACHED_ROWS", 8)
    rows = SVC(gamma=0.3, C=10.0, tol=1e-8, cache_size=1e-3).fit(X, y)
    np.testing.assert_allclose(rows.decision_function(X), whole.decision_function(X), atol=1e-6)


def test_a_power_beyond_all_numbers_is_told_of():
    X, y = np.arange(1.0, 13.0).reshape(6, 2), [0, 1] * 3
    with pytest.raises(ValueError, match="overflow float64"):
        SVC(kernel="poly", degree=10**9).fit(X, y)


def test_probabilities_of_a_parameter_that_is_neither():
    assert not hasattr(SVC(probability=np.ones(2)), "predict_proba")
    assert hasattr(SVC(probability=np.True_), "predict_proba")


def test_values_that_float32_does_not_hold_are_refused():
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = SVR().fit(X, X[:, 0] * 1e100)
    assert np.isfinite(model.predict(X)).all()
    with pytest.raises(ValueError, match="The prediction contains infinity"):
        model.predict(X.astype(np.float32))


def test_a_single_object_is_no_row():
    with pytest.raises((TypeError, ValueError), match=r"\bX\b"):
        SVC().fit(np.array({}, dtype=object), [0, 1])


def test_a_multiplier_of_rounding_is_none():
    """What is next to nothing is not free, which would put the offset at an end of its interval."""
    descent = object.__new__(_Descent)
    one = np.ones(3)
    descent.sign, descent.upper, descent.low, descent.high = one, one, 0 * one, one
    descent.groups, descent.group, descent.c = 1, np.zeros(3, np.int32), 0 * one
    descent.steps, descent.reason, descent.b = 0, "tol", np.array([1.0, 1e-17, 0.0])
    found = descent.solution(np.array([-1.0, 1.0, 3.0]), 0.0, True)
    assert found.alpha.tolist() == [1.0, 0.0, 0.0]
    assert found.rho == 0.0


def test_a_tube_too_wide():
    with pytest.raises(ValueError, match=r"epsilon must be at most 1e\+200"):
        SVR(epsilon=1.7e308).fit(X, X[:, 0])


@pytest.mark.parametrize("target", [np.full(150, 1.7e308), X[:, 0] * 1e250])
@pytest.mark.parametrize("kind", [SVR, NuSVR])
def test_targets_too_large(kind, target):
    with pytest.raises(ValueError, match=r"y must be within 1e\+200 of 0; got .*\. Scale it"):
        kind().fit(X, target)


def test_a_matrix_whose_diagonal_alone_float32_holds():
    K = np.eye(6)
    K[0, 5] = K[5, 0] = 4e201
    for machine in (SVR(kernel="precomputed"), SVC(kernel="precomputed")):
        with pytest.raises(ValueError, match=r"values such as 4e\+201, beyond float32"):
            machine.fit(K, [0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize("model", [SVC(), SVR(), OneClassSVM(), NuSVC(), NuSVR()])
def test_a_cache_beyond_all_memory_is_that_of_all_rows(model, monkeypatch):
    monkeypatch.setattr(gram_cache, "MIN_CACHED_ROWS", 8)
    monkeypatch.setattr(gram_cache, "MIN_POINTS_OF_SQUARE", 8)
    expected = model.fit(X, y).predict(X)
    np.testing.assert_array_equal(model.set_params(cache_size=1e308).fit(X, y).predict(X), expected)
