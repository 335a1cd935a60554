# SPDX-License-Identifier: BSD-3-Clause
"""The five machines: conditions of optimality, the slow twin, scikit-learn, weights, limits."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from statfast import ConvergenceWarning
from statfast.datasets import load_iris
from statfast.kernels import RBF, FunctionKernel, Linear, Precomputed, Spectrum
from statfast.kernels.kernel import Composed
from statfast.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from statfast.svm.dual import problems, solver
from statfast.svm.machines import svc
from statfast.svm.machines.votes import scores, votes
from tests.reference import svm as twin

IRIS = load_iris()
TIGHT = {"tol": 1e-10}
KINDS = {
    "rbf": {},
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "coef0": 1.0, "gamma": 0.1},
    "laplacian": {"kernel": "laplacian", "gamma": 0.3},
}


def cloud(seed, n=60, d=3, classes=2):
    """Rows of overlapping classes, their labels, and targets."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    X = rng.normal(size=(n, d)) + y[:, None]
    return X, y, np.sin(X[:, 0]) + 0.1 * rng.normal(size=n)


def reference_solver(K):
    def solve(linear, sign, upper, **more):
        if not sign.any():
            return solve_both(linear, upper, **more)
        return twin.solve(twin.Whole(K), linear, sign, upper, **{"tol": 1e-10, **more})

    def solve_both(linear, upper, point, **more):
        """Multipliers of both signs, as the differences of two for each row."""
        n = len(linear)
        sign, linear = np.repeat([1.0, -1.0], n), np.concatenate([linear, -linear])
        both = solve(linear, sign, np.tile(upper, 2), point=np.tile(point, 2))
        up, down = np.split(both.alpha, 2)
        return both._replace(alpha=up - down, gradient=both.gradient[:n])

    solve.tol = 1e-10
    return solve


def same(machine, model, K, points):
    """Whether the model has the values of the slow machine on all rows."""
    coef = np.zeros(len(K))
    np.add.at(coef, machine.rows, machine.coef)
    want = K @ coef - machine.rho
    np.testing.assert_allclose(points, want, atol=1e-7 * max(1.0, np.abs(want).max()))
    assert machine.primal == pytest.approx(model.primal_objective_[0], rel=1e-7, abs=1e-9)
    assert machine.dual == pytest.approx(model.dual_objective_[0], rel=1e-7, abs=1e-9)


# ------------------------------------------------------------------ against the slow twin
@given(seed=st.integers(0, 2**32 - 1), C=st.sampled_from([0.1, 1.0, 30.0]))
@settings(max_examples=8)
@pytest.mark.parametrize("kind", KINDS)
def test_classification_as_the_twin(kind, seed, C):
    X, y, _ = cloud(seed, n=40)
    model = SVC(C=C, **KINDS[kind], **TIGHT).fit(X, y)
    K = model.kernel_.matrix(X)
    sign = np.where(y == 0, 1.0, -1.0)
    machine = problems.c_svc(reference_solver(K), np.arange(40), sign, np.full(40, C))
    same(machine, model, K, -model.decision_function(X))


@given(seed=st.integers(0, 2**32 - 1), nu=st.sampled_from([0.5, 0.8]))
@settings(max_examples=4)
def test_nu_machines_as_the_twin(seed, nu):
    X, y, t = cloud(seed, n=40)
    rows, ones = np.arange(40), np.ones(40)
    model = NuSVC(nu=nu, **TIGHT).fit(X, y)
    K = model.kernel_.matrix(X)
    solve = reference_solver(K)
    machine = problems.nu_svc(solve, rows, np.where(y == 0, 1.0, -1.0), ones, nu)
    same(machine, model, K, -model.decision_function(X))
    model = NuSVR(nu=nu, C=3.0, **TIGHT).fit(X, t)
    same(problems.nu_svr(solve, rows, t, 3 * ones, nu), model, K, model.predict(X))
    model = OneClassSVM(nu=nu, **TIGHT).fit(X)
    same(problems.one_class(solve, rows, ones, nu), model, K, model.decision_function(X))


@given(seed=st.integers(0, 2**32 - 1), epsilon=st.sampled_from([0.0, 0.1, 0.5]))
@settings(max_examples=8)
def test_regression_as_the_twin(seed, epsilon):
    X, _, t = cloud(seed, n=40)
    model = SVR(epsilon=epsilon, **TIGHT).fit(X, t)
    K = model.kernel_.matrix(X)
    machine = problems.svr(reference_solver(K), np.arange(40), t, np.ones(40), epsilon)
    same(machine, model, K, model.predict(X))


# ------------------------------------------------------------------ optimality
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_conditions_of_a_classifier(kind, C):
    X, y, _ = cloud(0, n=300)
    model = SVC(C=C, **KINDS[kind]).fit(X, y)
    margin = np.where(y == 1, 1, -1) * model.decision_function(X)
    groups = model.multipliers_[0]
    tol = 2 * model.tol
    assert (margin[groups.zero] >= 1 - tol).all()
    assert np.abs(margin[groups.free] - 1).max() <= tol
    assert (margin[groups.bound] <= 1 + tol).all()
    assert np.array_equal(np.sort(np.concatenate(groups)), np.arange(300))
    alpha = np.abs(model.dual_coef_[0])
    assert alpha.max() <= C
    assert abs(model.dual_coef_.sum()) < 1e-9 * alpha.sum()
    assert model.kkt_violation_[0] <= model.tol
    K = model.kernel_.matrix(model.support_vectors_)
    norm2 = model.dual_coef_[0] @ K @ model.dual_coef_[0]
    assert model.margin_[0] == pytest.approx(2 / np.sqrt(norm2))
    loss = C * np.maximum(0, 1 - margin).sum()
    assert model.primal_objective_[0] == pytest.approx(norm2 / 2 + loss, rel=1e-9)
    assert model.dual_objective_[0] == pytest.approx(alpha.sum() - norm2 / 2, rel=1e-9)
    assert -1e-9 <= model.dual_gap_[0] <= 1e-2 * model.primal_objective_[0]
    assert model.fit_status_ == 0
    assert model.shape_fit_ == X.shape


def test_conditions_of_a_regression():
    X, _, t = cloud(1, n=300)
    model = SVR(C=2.0, epsilon=0.1).fit(X, t)
    left = np.abs(t - model.predict(X))
    groups = model.multipliers_[0]
    assert (left[groups.zero] <= 0.1 + 2e-3).all()
    assert np.abs(left[groups.free] - 0.1).max() <= 2e-3
    assert (left[groups.bound] >= 0.1 - 2e-3).all()


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize(("n", "d", "kernel"), [(60, 200, "linear"), (150, 3, "rbf")])
def test_conditions_of_a_regression_without_a_tube(n, d, kernel, C):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = X[:, 0] + rng.normal(size=n)
    weights = rng.uniform(0.5, 2.0, n)
    weights[:5] = 0.0
    model = SVR(kernel=kernel, gamma=0.3, epsilon=0.0, C=C, tol=1e-8).fit(X, y, weights)
    assert model.fit_status_ == 0
    coef = np.zeros(n)
    coef[model.support_] = model.dual_coef_[0]
    left, most = y - model.predict(X), C * weights
    assert abs(coef.sum()) <= 1e-10 * most.sum()
    assert (np.abs(coef) <= most * (1.0 + 1e-12)).all()
    assert (left[coef < most] <= 1e-7).all()
    assert (left[coef > -most] >= -1e-7).all()
    again = SVR(**model.get_params()).fit(X[5:], y[5:], weights[5:])
    np.testing.assert_allclose(again.predict(X), model.predict(X), atol=1e-6)


@pytest.mark.parametrize("nu", [0.5, 0.7])
def test_nu_bounds_errors_and_support_vectors(nu):
    X, y, t = cloud(2, n=300)
    model = NuSVC(nu=nu, tol=1e-8).fit(X, y)
    margin = np.where(y == 1, 1, -1) * model.decision_function(X)
    assert (margin < 1 - 1e-2).mean() <= nu <= len(model.support_) / 300 + 1e-12
    same_C = SVC(C=model.C_[0], gamma=model.kernel_.gamma, tol=1e-8).fit(X, y)
    values = same_C.decision_function(X)
    np.testing.assert_allclose(model.decision_function(X), values, atol=1e-6)
    model = NuSVR(nu=nu).fit(X, t)
    outside = np.abs(t - model.predict(X)) > model.epsilon_ + 2e-3
    assert outside.mean() <= nu <= len(model.support_) / 300 + 1e-12
    model = OneClassSVM(nu=nu).fit(X)
    assert (model.decision_function(X) < -1e-2).mean() <= nu <= len(model.support_) / 300 + 1e-12


def test_the_margin_of_two_points():
    model = SVC(kernel="linear", C=np.inf, **TIGHT).fit([[0.0, 0.0], [3.0, 4.0]], ["a", "b"])
    assert model.margin_[0] == pytest.approx(5.0)
    np.testing.assert_allclose(model.coef_, [[0.24, 0.32]])
    np.testing.assert_allclose(model.intercept_, [-1.0])
    assert model.multipliers_[0].free.tolist() == [0, 1]


def test_a_hard_margin_is_the_limit_of_large_costs():
    X, y = IRIS.data[:100], IRIS.target[:100]
    hard, soft = (SVC(C=C, kernel="linear", tol=1e-8).fit(X, y) for C in (np.inf, 1e6))
    np.testing.assert_allclose(hard.coef_, soft.coef_, rtol=1e-5)
    assert hard.dual_gap_[0] == pytest.approx(0, abs=1e-6)
    for tol in (1e-1, 1e-3):  # w made longer is feasible: no primal value is below the dual
        X, y, _ = cloud(16)
        model = SVC(C=np.inf, gamma=1.0, tol=tol).fit(X, y)
        assert 0 <= model.dual_gap_[0] <= 3 * tol * model.dual_objective_[0]
    with pytest.warns(ConvergenceWarning):
        model = SVC(C=np.inf, gamma=1.0, max_iter=1).fit(X, y)
    assert model.dual_gap_[0] > 0


@pytest.mark.parametrize("kernel", ["laplacian", "linear", "poly", "sigmoid"])
def test_no_margin_between_equal_rows_or_by_an_indefinite_kernel(kernel):
    rows, labels = np.ones((4, 2)), [0, 1, 0, 1]
    if kernel == "sigmoid":
        rows, labels, _ = cloud(18)
    with pytest.raises(ValueError, match="not separable by this kernel"):
        SVC(C=np.inf, kernel=kernel, gamma=1.0, coef0=1.0).fit(rows, labels)


def test_a_hard_margin_far_from_the_origin():
    X, y = IRIS.data[:100], IRIS.target[:100]
    near, far = (SVC(C=np.inf, kernel="linear").fit(X + away, y) for away in (0.0, 1e4))
    np.testing.assert_allclose(near.coef_, far.coef_, atol=2e-3)
    np.testing.assert_array_equal(far.predict(X + 1e4), y)


@pytest.mark.parametrize("kernel", ["linear", RBF(0.01)])
def test_a_hard_margin_is_refused_where_there_is_none(kernel):
    X, y, _ = cloud(3)
    with pytest.raises(ValueError, match=r"or by a margin of less than 3e-4 of the largest image"):
        SVC(C=np.inf, kernel="linear").fit([[0.0], [1e-5], [1.0]], [0, 1, 1])
    X[7], y[7] = X[8], 1 - y[8]
    with pytest.raises(ValueError, match="C must be finite, as the classes of y are not separable"):
        SVC(C=np.inf, kernel=kernel).fit(X, y)


# ------------------------------------------------------------------ scikit-learn
sk = pytest.importorskip("sklearn.svm")


@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear", "sigmoid"])
@pytest.mark.filterwarnings("ignore:SVC. Sigmoid")
def test_attributes_as_scikit_learn_has_them(kernel):
    X, y, _ = cloud(5, n=120, classes=3)
    given = {"kernel": kernel, "gamma": 0.1, "coef0": 0.5 if kernel == "poly" else 0.0, "tol": 1e-8}
    for classes in (3, 2):
        A, b = X[y < classes], y[y < classes]
        ours, theirs = SVC(**given).fit(A, b), sk.SVC(**given).fit(A, b)
        np.testing.assert_array_equal(ours.support_, theirs.support_)
        np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
        np.testing.assert_array_equal(ours.support_vectors_, theirs.support_vectors_)
        for name in ("dual_coef_", "intercept_"):
            mine, other = getattr(ours, name), getattr(theirs, name)
            assert mine.shape == other.shape
            np.testing.assert_allclose(mine, other, atol=1e-4)
        if kernel == "linear":
            np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        for shape in ("ovr", "ovo"):
            pair = ours.set_params(decision_function_shape=shape).decision_function(X)
            other = theirs.set_params(decision_function_shape=shape).decision_function(X)
            np.testing.assert_allclose(pair, other, atol=1e-4)


def test_votes_and_scores():
    theirs = pytest.importorskip("sklearn.utils.multiclass")._ovr_decision_function
    values = np.vstack([[1.0, -2.0, 3.0], np.random.default_rng(0).normal(size=(50, 3))])
    np.testing.assert_allclose(scores(values, 3), theirs(values < 0, -values, 3), atol=1e-15)
    assert votes(values, 3)[0].tolist() == [1, 1, 1]
    assert scores(values, 3)[0].argmax() == 1


def test_broken_ties_as_scikit_learn():
    X, y, _ = cloud(6, n=21, d=2, classes=4)
    ours, theirs = (kind(gamma=1e3, break_ties=True, tol=1e-8).fit(X, y) for kind in (SVC, sk.SVC))
    new = np.random.default_rng(0).normal(1.5, 2.0, size=(500, 2))
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))


def test_class_weights_as_scikit_learn():
    X, y, _ = cloud(7, n=150, classes=3)
    for weights in ("balanced", {0: 3.0, 2: 0.5}):
        ours, theirs = (k(class_weight=weights, tol=1e-8).fit(X, y) for k in (SVC, sk.SVC))
        np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_)
        np.testing.assert_allclose(
            ours.decision_function(X), theirs.decision_function(X), atol=1e-5
        )


# ------------------------------------------------------------------ kernels and points
def test_precomputed_functions_and_objects_are_the_same():
    X, y, _ = cloud(8, n=80, classes=3)
    named = SVC(gamma=0.3, **TIGHT).fit(X, y)
    K = RBF(0.3).matrix(X)
    models = {
        "object": (SVC(kernel=RBF(0.3), **TIGHT).fit(X, y), X),
        "function": (SVC(kernel=RBF(0.3).matrix, **TIGHT).fit(X, y), X),
        "matrix": (SVC(kernel="precomputed", **TIGHT).fit(K, y), K),
        "twice": (SVC(kernel=2.0 * RBF(0.3), C=0.5, **TIGHT).fit(X, y), X),
    }
    for name, (model, rows) in models.items():
        values = model.decision_function(rows)
        np.testing.assert_allclose(values, named.decision_function(X), atol=1e-6, err_msg=name)
    assert models["matrix"][0].support_vectors_.shape == (0, 0)
    assert models["matrix"][0].__sklearn_tags__().input_tags.pairwise


@pytest.mark.parametrize("encode", [str, str.encode])
def test_strings(encode):
    rng = np.random.default_rng(9)
    alphabet = np.array(list("ACGT"))
    texts = [
        "".join(rng.choice(alphabet, 40, p=p)) for p in ([0.4, 0.1, 0.1, 0.4], [0.25] * 4) * 30
    ]
    y = np.arange(60) % 2
    texts = [encode(text) for text in texts]
    model = SVC(kernel="spectrum", degree=2, probability=True).fit(texts, y)
    other = SVC(kernel=Spectrum(2)).fit(texts, y)
    np.testing.assert_array_equal(model.decision_function(texts), other.decision_function(texts))
    assert model.score(texts, y) > 0.9
    assert isinstance(model.support_vectors_, list)
    assert model.predict_proba(texts[:3]).shape == (3, 2)
    np.testing.assert_array_equal(
        OneClassSVM(kernel="spectrum").fit(texts).predict(texts[:5]).shape, 5
    )


def test_functions_of_strings():
    texts, y = ["abab", "bab", "cdc", "ddc", "", "ccc"] * 4, [0, 0, 1, 1, 0, 1] * 4
    kernel = FunctionKernel(Spectrum(2).matrix, domain="strings")
    model = SVC(kernel=kernel, probability=True, random_state=0, **TIGHT).fit(texts, y)
    named = SVC(kernel="spectrum", degree=2, probability=True, random_state=0, **TIGHT)
    np.testing.assert_allclose(
        model.predict_proba(texts), named.fit(texts, y).predict_proba(texts), rtol=1e-9
    )
    with pytest.raises((TypeError, ValueError), match="X must be a list of strings"):
        model.predict([[1.0, 2.0]])


@pytest.mark.parametrize("kernel", ["precomputed", Precomputed(), 2.0 * Precomputed()])
def test_matrices_are_cut_on_both_sides(kernel):
    select = pytest.importorskip("sklearn.model_selection")
    X, y, _ = cloud(18, n=60)
    C = 0.5 if isinstance(kernel, Composed) else 1.0
    found = select.cross_val_score(SVC(C=C, kernel=kernel, **TIGHT), RBF(0.3).matrix(X), y, cv=3)
    want = select.cross_val_score(SVC(gamma=0.3, **TIGHT), X, y, cv=3)
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-500, 2.0**500, 2.0**1000])
def test_scores_at_every_scale(scale):
    X, _, t = cloud(19)
    near = NuSVR().fit(X, t)
    far = NuSVR().fit(X, t)
    far.predict = lambda X: scale * near.predict(X)
    assert far.score(X, scale * t) == near.score(X, t)
    assert far.score(X, np.full(60, scale)) == 0.0


def test_float32_rows_keep_their_type():
    X, y, t = cloud(10)
    X = X.astype(np.float32)
    assert SVC().fit(X, y).decision_function(X).dtype == np.float32
    assert SVR().fit(X, t).predict(X).dtype == np.float32
    assert SVC().fit(X, y).support_vectors_.dtype == np.float32


def test_kernels_made_of_matrices():
    X, y, _ = cloud(17, n=2100)
    K = RBF(0.3).matrix(X)
    model = SVC(kernel=2.0 * Precomputed(), C=0.5).fit(K, y)
    plain = SVC(kernel=RBF(0.3)).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(K[:9]), plain.decision_function(X[:9]), atol=5e-3
    )
    model = SVC(kernel=Precomputed().normalize()).fit(4.0 * K, y)
    assert model.dual_objective_[0] == pytest.approx(plain.dual_objective_[0], rel=1e-5)
    with pytest.raises(ValueError, match="Normalize the matrix before"):
        model.predict(4.0 * K)


# ------------------------------------------------------------------ limits
def test_a_limit_leaves_a_usable_model():
    X, y, t = cloud(11, n=400)
    for kind, target in ((SVC, y), (NuSVC, y), (SVR, t), (NuSVR, t), (OneClassSVM, None)):
        with pytest.warns(ConvergenceWarning, match=rf"{kind.__name__} was stopped .* gap of"):
            model = kind(max_iter=1, tol=1e-8).fit(X, target)
        assert model.fit_status_ == 1
        assert np.isfinite(model.predict(X)).all()
        assert model.kkt_violation_[0] > model.tol
    # A one-class machine that is far from its end is not made to hold everything.
    assert (model.predict(X) < 0).any()
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        model = SVC(time_limit=0.0, C=1e4).fit(X, y)
    assert model.predict(X).shape == (400,)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("kind", [SVC, SVR, NuSVR])
def test_costs_without_end_are_told(kind, kernel, monkeypatch):
    """Of noise with a huge cost no end is in sight: steps are bounded if nobody says how many."""
    rng = np.random.default_rng(0)
    X, noise = rng.standard_normal((40, 1)), rng.standard_normal(40)
    y = np.where(noise > 0, 1, -1) if kind is SVC else noise
    limits = solver.WorkingSetLimits(max_steps=3000, max_steps_per_variable=10)
    monkeypatch.setattr(solver, "WORKING_SET", limits)
    sentence = rf"{kind.__name__} was stopped \(steps\) after 3000 steps .*lower C, .* max_iter"
    with pytest.warns(ConvergenceWarning, match=sentence):
        model = kind(C=1e8, kernel=kernel).fit(X, y)
    assert model.fit_status_ == 1
    assert np.isfinite(model.predict(X)).all()
    assert model.dual_gap_[0] > 0
    most = 50 if kind is SVR or kind is NuSVR else 100
    limits = solver.WorkingSetLimits(max_steps=3000, max_steps_per_variable=most)
    monkeypatch.setattr(solver, "WORKING_SET", limits)
    with pytest.warns(ConvergenceWarning, match="after 4000 steps"):
        kind(C=1e8, kernel=kernel).fit(X, y)
    with pytest.warns(ConvergenceWarning, match=r"\(max_iter\) after 5000 steps"):
        kind(C=1e8, kernel=kernel, max_iter=5000).fit(X, y)


def test_a_limit_within_the_cross_validation_is_told():
    X, y, _ = cloud(11, n=400)
    found = []

    def short(*args, **more):
        machine = problems.c_svc(*args, **more)
        found.append(machine)
        return replace(machine, converged=len(found) != 3)

    with (
        mock.patch.object(svc, "c_svc", short),
        pytest.warns(ConvergenceWarning, match=r"SVC: 1 of the machines of the cross-validation"),
    ):
        model = SVC(C=10.0, probability=True, random_state=0).fit(X, y)
    assert model.fit_status_ == 1
    assert len(found) == 6


def test_a_callback_hears_how_far_the_fit_is():
    X, y, _ = cloud(12, n=600)
    heard = []
    SVC(C=1e3, tol=1e-9, callback=heard.append).fit(X, y)
    assert heard
    assert heard[0].machine == heard[0].machines == 1
    assert all(one.gap >= 0 for one in heard)
    with pytest.raises(TypeError, match="callback must be a function or None; got True"):
        SVC(callback=True).fit(X, y)


def test_several_machines_share_what_they_know():
    X, y, _ = cloud(13, n=90, classes=3)
    model = SVC(decision_function_shape="ovo", **TIGHT).fit(X, y)
    for p, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        some = (y == i) | (y == j)
        one = SVC(gamma=model.kernel_.gamma, **TIGHT).fit(X[some], y[some] == i)
        np.testing.assert_allclose(
            model.decision_function(X)[:, p], one.decision_function(X), atol=1e-8
        )
    assert model.margin_.shape == model.dual_gap_.shape == model.n_iter_.shape == (3,)


def test_linear_values_are_those_of_coef():
    X, y, t = cloud(14, n=90, classes=3)
    model = SVC(kernel=Linear(), decision_function_shape="ovo").fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(X), X @ model.coef_.T + model.intercept_, atol=1e-12
    )
    model = SVR(kernel="linear").fit(X, t)
    np.testing.assert_allclose(model.predict(X), X @ model.coef_[0] + model.intercept_, atol=1e-12)
    for away in (1e4, 1e6):
        far = SVR(kernel="linear").fit(X + away, t)
        np.testing.assert_allclose(far.predict(X + away), model.predict(X), atol=5e-3)
    with pytest.raises(AttributeError, match="kernel='linear'"):
        _ = SVC().fit(X, y).coef_


# ------------------------------------------------------------------ at limits and ties


def test_nu_at_its_upper_limit_and_just_beyond():
    for few in (10, 30, 50):
        labels = np.r_[np.zeros(few), np.ones(100 - few)]
        rows = np.random.default_rng(few).normal(size=(100, 2)) + labels[:, None]
        most = 2 * few / 100
        model = NuSVC(nu=most).fit(rows, labels)
        assert model.n_support_[0] == few  # the smaller class is within the margin, all of it
        if most < 1:
            with pytest.raises(ValueError, match=f"nu must be at most {most:.4g}"):
                NuSVC(nu=most * (1 + 1e-9)).fit(rows, labels)


def test_a_value_of_0_is_of_the_first_class():
    for kernel in ("linear", "rbf"):
        model = SVC(kernel=kernel).fit([[-1.0], [1.0]], ["left", "right"])
        assert model.decision_function([[0.0]]) == 0.0
        assert model.predict([[0.0], [1e-9], [-1e-9]]).tolist() == ["left", "right", "left"]


def test_a_row_on_the_boundary_is_inside():
    rows = np.random.default_rng(0).normal(size=(40, 2))
    model = OneClassSVM(nu=0.2).fit(rows)
    for row in rows[:5]:
        score = model.score_samples([row])[0]
        for offset, label in (
            (score, 1),
            (np.nextafter(score, 9), -1),
            (np.nextafter(score, 0), 1),
        ):
            model.offset_ = np.array([offset])
            assert model.predict([row]) == label


def test_weights_of_classes_are_told_without_those_of_rows():
    rng = np.random.default_rng(1)
    rows, labels = rng.normal(size=(60, 2)), np.arange(60) % 3
    weights = rng.uniform(0.2, 5.0, 60)
    weights[:3] = 0.0  # the first row of every class is left out
    given = {0: 2.0, 2: 0.25}
    for kind in (SVC(), NuSVC(nu=0.1)):
        model = kind.set_params(class_weight=given).fit(rows, labels, sample_weight=weights)
        np.testing.assert_allclose(model.class_weight_, [2.0, 1.0, 0.25], rtol=1e-15)
        mass = np.bincount(labels, weights)
        model = kind.set_params(class_weight="balanced").fit(rows, labels, sample_weight=weights)
        np.testing.assert_allclose(model.class_weight_, mass.sum() / (3 * mass), rtol=1e-14)
