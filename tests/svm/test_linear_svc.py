# SPDX-License-Identifier: BSD-3-Clause
"""LinearSVC: optimality, peers' answers, weights, limits."""

import gzip
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from statfast import ConvergenceWarning, LinearSVC, LinearSVR
from statfast.datasets import load_iris, load_wine
from statfast.svm.linear import newton as linear_newton
from statfast.svm.linear.model import warn_stopped
from tests.data import signed_labels
from tests.reference import linear_svm as twin

LOSSES = ["hinge", "squared_hinge"]
each_loss = pytest.mark.parametrize("loss", LOSSES)
each_dual = pytest.mark.parametrize("dual", [False, True])


def standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def objective(model, X, y, cost=1.0, scale=1.0, k=0):
    """The primal objective of a fitted machine, by the twin."""
    w = np.append(model.coef_[k], model.intercept_[k] / scale)
    Z = twin.with_constant(X, scale)
    return twin.primal(w, Z, y, np.full(len(X), cost), model.loss == "squared_hinge")


@given(
    n=st.integers(2, 40), d=st.integers(1, 6), squared=st.booleans(), C=st.sampled_from([0.1, 9]),
    scale=st.sampled_from([1.0, 3.0]), seed=st.integers(0, 99),
)  # fmt: skip
@settings(max_examples=25)
def test_objective_is_the_twins(n, d, squared, C, scale, seed):
    X, y = signed_labels(n, d, seed=seed)
    y[0], y[1] = 1, -1
    Z, cost = twin.with_constant(X, scale), np.full(n, float(C))
    w, beta = twin.solve_dual(Z, y, cost, squared, sweeps=300)
    lower = twin.dual(beta, Z, y, cost, squared)
    loss = LOSSES[squared]
    direct = LinearSVC(loss=loss, C=C, intercept_scaling=scale, dual=False).fit(X, y)
    assert direct.solver_ == ("newton" if squared else "interior point")
    value = objective(direct, X, y, C, scale)
    assert value == pytest.approx(direct.primal_objective_[0], rel=1e-10)
    assert lower <= value * (1 + 1e-10)
    assert value <= twin.primal(w, Z, y, cost, squared) * (1 + 1e-9)
    assert -1e-10 * value <= direct.dual_gap_[0] <= 1e-8 * value
    descent = LinearSVC(
        loss=loss, C=C, intercept_scaling=scale, dual=True, tol=1e-6, random_state=seed,
        max_iter=20_000,
    ).fit(X, y)  # fmt: skip
    assert descent.solver_ == "descent"
    assert descent.primal_objective_[0] == pytest.approx(value, rel=1e-4)
    assert -1e-10 * value <= descent.dual_gap_[0] <= 1e-3 * value


@each_loss
@each_dual
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_dense_sparse_and_float32_agree(loss, dual, fit_intercept):
    X, y = signed_labels(300, 7)
    X[np.abs(X) < 0.5] = 0.0
    X[5] = 0.0
    X = np.round(X, 2).astype(np.float32).astype(float)
    given = {"loss": loss, "dual": dual, "fit_intercept": fit_intercept, "random_state": 1}
    dense = LinearSVC(**given, tol=1e-8, max_iter=50_000).fit(X, y)
    for other in (sparse.csr_array(X), sparse.coo_matrix(X), X.astype(np.float32), X[::-1, ::-1]):
        back = slice(None, None, -1 if other.shape == X.shape and other is not X else 1)
        flipped = isinstance(other, np.ndarray) and other.dtype == float
        labels = y[::-1] if flipped else y
        model = LinearSVC(**given, tol=1e-8, max_iter=50_000).fit(other, labels)
        coef = model.coef_[:, back] if flipped else model.coef_
        np.testing.assert_allclose(coef, dense.coef_, rtol=2e-5, atol=2e-6)
        values = model.decision_function(other)
        assert values.dtype == (np.float32 if other.dtype == np.float32 else np.float64)
    if not fit_intercept:
        assert dense.intercept_ == 0.0


@each_loss
def test_the_multipliers_meet_their_conditions(loss):
    """No row inside its margin is without loss, and the objective is at its lower bound."""
    X, y = signed_labels(5_000, 20, seed=3)
    model = LinearSVC(loss=loss).fit(X, y)
    assert model.converged_
    assert abs(model.dual_gap_[0]) <= 1e-11 * model.primal_objective_[0]
    w = np.append(model.coef_[0], model.intercept_[0])
    Z = twin.with_constant(X)
    rng = np.random.default_rng(0)
    for size in (1e-2, 1e-4):
        step = size * rng.standard_normal((20, len(w)))
        near = [twin.primal(w + s, Z, y, np.ones(len(X)), loss == "squared_hinge") for s in step]
        assert min(near) > model.primal_objective_[0]


@each_loss
def test_no_worse_than_liblinear(loss):
    svm = pytest.importorskip("sklearn.svm")
    for X, y, C in ((*signed_labels(400, 8), 1.0), (*signed_labels(100, 30, seed=5), 10.0)):
        peer = svm.LinearSVC(loss=loss, C=C, tol=1e-8, max_iter=1_000_000, random_state=0).fit(X, y)
        model = LinearSVC(loss=loss, C=C).fit(X, y)
        assert model.primal_objective_[0] <= objective(peer, X, y, C) * (1 + 1e-9)
        np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-3, atol=1e-4)


def test_against_liblinear_on_a9a(shared_data):
    """The published training set: 32561 rows of the census."""
    svm = pytest.importorskip("sklearn.svm")
    from sklearn.datasets import load_svmlight_file

    with gzip.open(shared_data("libsvm", "a9a.gz")) as file:
        X, y = load_svmlight_file(file, n_features=123)
    X = sparse.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)
    model = LinearSVC().fit(X, y)
    peer = svm.LinearSVC(dual=False).fit(X, y)
    assert model.solver_ == "newton"
    assert model.primal_objective_[0] <= objective(peer, X.toarray(), y)
    assert model.score(X, y) == pytest.approx(0.8486, abs=2e-3)


@each_loss
def test_several_classes_are_told_one_from_the_rest(loss):
    wine = load_wine()
    X, y = standardized(wine.data), np.array(["oak", "ash", "elm"])[wine.target]
    model = LinearSVC(loss=loss).fit(X, y)
    assert model.coef_.shape == (3, 13)
    for k, label in enumerate(model.classes_):
        one = LinearSVC(loss=loss).fit(X, np.where(y == label, 1, -1))
        np.testing.assert_allclose(model.coef_[k], one.coef_[0], rtol=1e-7, atol=1e-9)
        assert model.dual_gap_[k] <= 1e-8 * model.primal_objective_[k]
    scores = model.decision_function(X)
    assert np.array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])


@each_loss
@each_dual
def test_weights_are_repetitions_and_zeros_are_absent(loss, dual):
    X, y = signed_labels(60, 3)
    weights = np.arange(60) % 4
    given = {"loss": loss, "dual": dual, "tol": 1e-9, "max_iter": 100_000, "random_state": 0}
    weighted = LinearSVC(**given).fit(X, y, sample_weight=weights)
    repeated = LinearSVC(**given).fit(X.repeat(weights, axis=0), y.repeat(weights))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6 if dual else 1e-9)
    plain = LinearSVC(**given).fit(X, y)
    assert not np.allclose(weighted.coef_, plain.coef_, rtol=1e-3)


def test_class_weights_are_weights():
    svm = pytest.importorskip("sklearn.svm")
    X, y = signed_labels(150, 4)
    for of in ("balanced", {1: 3.0, -1: 0.5}):
        model = LinearSVC(class_weight=of).fit(X, y)
        peer = svm.LinearSVC(class_weight=of, tol=1e-10, dual=False, max_iter=10_000).fit(X, y)
        np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-5)


@each_loss
def test_known_answer_of_two_points(loss):
    """x = 1 and -1 with labels of the same sign: w = 1 ends the hinge; the square stops before."""
    X, y = np.array([[1.0], [-1.0]]), [1, -1]
    model = LinearSVC(loss=loss, fit_intercept=False).fit(X, y)
    assert model.coef_[0, 0] == pytest.approx(1.0 if loss == "hinge" else 0.8, abs=1e-12)


@each_dual
def test_many_columns(dual):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 300)), rng.integers(2, size=40)
    model = LinearSVC(loss="hinge", dual=dual, tol=1e-6, random_state=0).fit(X, y)
    assert model.converged_
    assert model.dual_gap_[0] <= 1e-4 * model.primal_objective_[0]
    assert LinearSVC().fit(X, y).solver_ == "descent"


def test_duplicate_rows_and_columns():
    X, y = signed_labels(50, 3)
    one = LinearSVC(loss="hinge", C=5.0).fit(X, y)
    many = LinearSVC(loss="hinge").fit(np.vstack([X] * 5), np.tile(y, 5))
    np.testing.assert_allclose(one.coef_, many.coef_, rtol=1e-6)
    twice = LinearSVC(loss="hinge").fit(np.hstack([X, X]), y)
    np.testing.assert_allclose(twice.coef_[:, :3], twice.coef_[:, 3:], rtol=1e-9, atol=1e-12)


def test_scales():
    """Columns of any size: the direct methods do not mind."""
    X, y = signed_labels(300, 4)
    for loss in LOSSES:
        model = LinearSVC(loss=loss).fit(X * [1e-4, 1.0, 1e3, 1e6] + [0, 5, 0, 1e6], y)
        assert model.dual_gap_[0] <= 1e-6 * model.primal_objective_[0]


def test_random_state_and_threads_give_the_same_bits():
    X, y = signed_labels(3_000, 12)
    first = LinearSVC(dual=True, random_state=3).fit(X, y)
    assert first.coef_.tobytes() == LinearSVC(dual=True, random_state=3).fit(X, y).coef_.tobytes()
    assert first.coef_.tobytes() != LinearSVC(dual=True, random_state=4).fit(X, y).coef_.tobytes()
    labels = load_iris().target
    for loss in LOSSES:
        found = {
            LinearSVC(loss=loss, n_jobs=jobs).fit(load_iris().data, labels).coef_.tobytes()
            for jobs in (1, 2, 7)
        }
        assert len(found) == 1


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"max_iter": 1, "loss": "hinge"}, "in 1 iterations.*above the least.*max_iter"),
        ({"max_iter": 2, "dual": True}, "in 2 iterations.*above the least"),
        ({"time_limit": 1e-9, "dual": True}, "before time_limit.*Raise time_limit"),
        ({"time_limit": 0}, "before time_limit"),
    ],
)
def test_limits_leave_a_model_and_tell_the_gap(params, words):
    X, y = signed_labels(500, 5)
    with pytest.warns(ConvergenceWarning, match=words):
        model = LinearSVC(**params, random_state=0).fit(X, y)
    assert not model.converged_
    assert model.dual_gap_[0] > 0
    assert model.predict(X).shape == (500,)


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"C": 0}, ValueError, "C must be greater than 0"),
        ({"C": np.inf}, ValueError, "C must be finite"),
        ({"loss": "logistic"}, ValueError, "loss must be 'hinge' or 'squared_hinge'"),
        ({"dual": "never"}, TypeError, "dual must be True or False or 'auto'"),
        ({"time_limit": -1}, ValueError, "time_limit must be at least 0"),
        ({"intercept_scaling": -1}, ValueError, "intercept_scaling"),
        ({"intercept_scaling": 5e-324}, ValueError, "intercept_scaling must be at least 1e-50"),
        ({"intercept_scaling": 1e200}, ValueError, "intercept_scaling must be at most 1e[+]50"),
    ],
)
def test_wrong_parameters(params, error, words):
    with pytest.raises(error, match=words):
        LinearSVC(**params).fit(*signed_labels(20))


@pytest.mark.parametrize("scale", [1e-50, 1e50])
@pytest.mark.parametrize("dual", [True, False])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.filterwarnings("ignore:LinearSVC")
def test_scales_of_the_intercept_at_their_limits(loss, dual, scale):
    X, y = signed_labels(20)
    model = LinearSVC(loss=loss, dual=dual, intercept_scaling=scale).fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()


def test_wrong_data():
    X, y = signed_labels(20)
    with pytest.raises(ValueError, match="at least 2 classes; got one class, 1"):
        LinearSVC().fit(X, np.ones(20))
    with pytest.raises(ValueError, match=r"X holds numbers so large.*Scale its columns"):
        LinearSVC().fit(X * 1e200, y)
    with pytest.raises(ValueError, match="at least 2 classes; got one class, 1"):
        LinearSVC().fit(X, y, sample_weight=(y > 0) * 1.0)
    bad = sparse.csr_array(X)
    bad.data[3] = np.nan
    with pytest.raises(ValueError, match="X contains NaN, first at row 0, column 3"):
        LinearSVC().fit(bad, y)
    with pytest.raises(ValueError, match="expecting 5 features"):
        LinearSVC().fit(X, y).predict(sparse.csr_array(X[:, :3]))


@pytest.mark.parametrize("kind", ["overlapping", "separable", "sorted", "rare"])
def test_many_rows_begin_at_the_solution_of_a_sample(kind, monkeypatch):
    X, y = signed_labels(9_000, 4, noise=0.0 if kind == "separable" else 2.0)
    if kind == "sorted":
        X, y = X[np.argsort(y)], np.sort(y)
    if kind == "rare":  # the sample may have none
        keep = (y < 0) | (np.arange(9_000) % 1_000 == 1)
        X, y = np.vstack([X[keep]] * 2), np.tile(y[keep], 2)
    some = LinearSVC(C=0.1).fit(X, y)
    assert some.dual_gap_[0] <= 1e-12 * some.primal_objective_[0]
    monkeypatch.setattr(linear_newton, "MIN_ROWS_FOR_SAMPLE", 10**9)
    whole = LinearSVC(C=0.1).fit(X, y)
    np.testing.assert_allclose(some.coef_, whole.coef_, rtol=1e-8, atol=1e-12)
    hinge = LinearSVC(loss="hinge", C=0.1).fit(X, y)
    assert hinge.dual_gap_[0] <= 1e-8 * hinge.primal_objective_[0]


@pytest.mark.parametrize(
    ("reason", "fix"),
    [
        ("before time_limit", "Raise time_limit."),
        ("in 9 iterations", "Raise max_iter or tol, or scale the columns of X."),
        ("in 9 iterations, as rounding hides the rest", "Center and scale the columns of X, or"),
    ],
)
def test_the_warning_says_what_helps(reason, fix):
    solution = SimpleNamespace(converged=False, reason=reason, primal=2.0, gap=0.5)
    with pytest.warns(ConvergenceWarning, match=f"{reason}: its objective 2 .* {fix}"):
        warn_stopped(LinearSVC(), solution)


def test_most_hinge_problems_end_at_their_very_optimum():
    """Once the rows on the margin are known, equations give the rest but for rounding. Where the
    interior point comes within 1e-12 first, that is where it stops."""
    gaps = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(400, 6))
        y = np.sign(X[:, 0] + rng.normal(size=400))
        for C in (0.01, 1.0):
            model = LinearSVC(loss="hinge", C=C, tol=1e-12).fit(X, y)
            gaps.append(abs(model.dual_gap_[0]) / model.primal_objective_[0])
    assert max(gaps) <= 1e-12
    assert np.mean(np.array(gaps) <= 4e-15) >= 0.8


def test_no_bound_that_is_no_number():
    X, y = signed_labels(60, 4)
    with pytest.raises(ValueError, match="numbers so large, for this C"):
        LinearSVC(penalty="l1", C=1e300).fit(1e20 * np.repeat(X, 400, axis=1), y)
    with pytest.raises(ValueError, match="numbers so large, for this C"):
        LinearSVC(C=1e150).fit(1e20 * X, y)
    with pytest.raises(ValueError, match="numbers so large, for this C"):
        LinearSVR(loss="squared_epsilon_insensitive", C=1e150).fit(1e20 * X, y)
