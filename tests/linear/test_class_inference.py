# SPDX-License-Identifier: BSD-3-Clause
"""Inference of logistic models of several classes: row by row, robust, profiles, probabilities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.special import chdtri, expit, logit, ndtri

from statfast._validation.errors import SeparationWarning
from statfast.datasets import load_iris
from statfast.linear import GeneralizedLinearModel, LogisticRegression
from statfast.linear.design.formula import FitRows
from statfast.linear.logistic.class_influence import SoftmaxParts
from statfast.linear.logistic.multinomial_profile import multinomial_intervals
from tests.linear.test_multinomial import problem
from tests.reference import class_inference as slow
from tests.reference.multinomial import design, posteriors

ROBUST = ["HC0", "HC1", "HC2", "HC3"]
KINDS = ["response", "pearson", "deviance", "working"]


def coefficients_of(model):
    """The coefficients but those of the first class, the intercept first."""
    return np.column_stack([model.intercept_, model.coef_])[1:]


@pytest.fixture(scope="module")
def fitted():
    X, y = problem(90, 2, 3)
    a = np.random.default_rng(1).integers(0, 4, 90).astype(float)
    return X, y, a, LogisticRegression(tol=1e-13).fit(X, y, a)


# ------------------------------------------------------------ row by row
@pytest.mark.parametrize("kind", KINDS)
def test_residuals_are_those_of_the_indicator_of_each_class(fitted, kind):
    X, y, a, model = fitted
    p, ones = model.predict_proba(X), np.eye(3)[y]
    own = np.where(ones == 1, p, 1 - p)
    want = {
        "response": ones - p,
        "pearson": np.sqrt(a)[:, None] * (ones - p) / np.sqrt(p * (1 - p)),
        "deviance": np.sqrt(a)[:, None] * np.sign(ones - p) * np.sqrt(-2 * np.log(own)),
        "working": (ones - p) / (p * (1 - p)),
    }[kind]
    assert_allclose(model.residuals(X, y, kind, a), want, rtol=1e-9, atol=1e-12)


def test_influence_is_that_of_newtons_step_without_the_row(fitted):
    X, y, a, model = fitted
    Z, found = design(X), model.influence(X, y, a)
    distance, _ = slow.one_step(Z, y, a, coefficients_of(model))
    assert_allclose(found.cooks_distance, distance, rtol=1e-8, atol=1e-15)
    blocks = slow.hat_blocks(Z, y, a, coefficients_of(model))
    assert_allclose(np.linalg.eigvalsh(found.hat), np.linalg.eigvalsh(blocks), atol=1e-12)
    assert_allclose(found.leverage, np.trace(blocks, axis1=1, axis2=2), atol=1e-12)
    assert_allclose(found.leverage.sum(), 6)
    assert_allclose(found.fitted, model.predict_proba(X))
    assert_allclose(found.linear_predictor, model.decision_function(X))


def test_residuals_are_standardized_by_what_the_fit_leaves_of_the_variance(fitted):
    X, y, a, model = fitted
    found, Z = model.influence(X, y, a), design(X)
    inverse = np.linalg.inv(slow.information(Z, y, a, coefficients_of(model)))
    left = []
    for w, (D, V, _) in zip(a, slow.rows_of(Z, y, coefficients_of(model)), strict=True):
        turn = np.vstack([-np.ones(2), np.eye(2)])  # of the first class, by minus the sum
        left.append((turn @ (V - w * V @ D @ inverse @ D.T @ V) @ turn.T).diagonal())
    want = np.sqrt(a)[:, None] * (np.eye(3)[y] - model.predict_proba(X)) / np.sqrt(left)
    assert_allclose(found.standardized_pearson, want, rtol=1e-8, atol=1e-12)
    pearson, deviance = (model.residuals(X, y, kind, 1.0) for kind in ("pearson", "deviance"))
    assert_allclose(found.standardized, want * deviance / pearson, rtol=1e-8)


def test_cooks_distance_is_near_that_of_a_fit_without_the_row():
    X, y = problem(150, 2, 3)
    model = LogisticRegression(tol=1e-12).fit(X, y)
    found = model.influence(X, y).cooks_distance
    whole = slow.information(design(X), y, np.ones(150), coefficients_of(model))
    for i in np.argsort(found)[[-1, -2, -3, 75]]:
        rest = np.delete(np.arange(150), i)
        moved = (
            coefficients_of(LogisticRegression().fit(X[rest], y[rest])) - coefficients_of(model)
        ).ravel()
        assert_allclose(found[i], moved @ whole @ moved / 6, rtol=0.3)  # one step, not the fit


def test_two_classes_by_the_formulas_of_several():
    X, y = problem(80, 2, 2)
    a = np.random.default_rng(0).integers(0, 3, 80).astype(float)
    for reference in (0, 1):
        model = LogisticRegression(reference=reference).fit(X, y, a)
        binary = model._parts(FitRows(X, y, a))
        scores = np.insert(binary.eta, reference, 0.0, axis=1)
        both = SoftmaxParts(X, np.eye(2)[y], a, scores, True, [model._result], reference)
        one, two = binary.influence(), both.influence()
        assert_allclose(two.hat[:, 0, 0], one.leverage, rtol=1e-11)
        assert_allclose(two.leverage, one.leverage, rtol=1e-11)
        assert_allclose(two.cooks_distance, one.cooks_distance, rtol=1e-10)
        assert_allclose(two.fitted[:, 1 - reference], one.fitted, rtol=1e-12)
        for name in ("standardized", "standardized_pearson"):
            for k, sign in ((reference, -1.0), (1 - reference, 1.0)):
                assert_allclose(getattr(two, name)[:, k], sign * getattr(one, name), rtol=1e-10)
        for kind in KINDS:
            want = binary.residuals(kind)[:, 0]
            assert_allclose(both.residuals(kind)[:, 1 - reference], want, rtol=1e-11)
            assert_allclose(both.residuals(kind)[:, reference], -want, rtol=1e-11)
        copies = np.where(a > 0, a, 1.0)[:, None]
        for kind in ROBUST:
            assert_allclose(both.scores(kind, copies), binary.scores(kind, copies), rtol=1e-10)


def test_the_reference_changes_no_influence():
    X, y = problem(100, 2, 4)
    first = LogisticRegression(tol=1e-12).fit(X, y)
    last = LogisticRegression(reference=3, tol=1e-12).fit(X, y)
    one, two = first.influence(X, y), last.influence(X, y)
    for name in ("leverage", "cooks_distance", "standardized", "standardized_pearson"):
        assert_allclose(getattr(one, name), getattr(two, name), rtol=1e-8)
    turn = np.kron(np.insert(np.eye(3)[:2], 0, 0.0, axis=0) - [0, 0, 1.0], np.eye(3))
    for kind in ROBUST:
        want = turn @ first.robust_covariance(X, y, kind) @ turn.T
        assert_allclose(last.robust_covariance(X, y, kind), want, rtol=1e-8, atol=1e-12)


def test_one_against_the_rest_is_each_class_beside_the_other():
    X, y = problem(90, 2, 3)
    a = np.random.default_rng(2).integers(1, 4, 90).astype(float)
    model = LogisticRegression(multi_class="ovr").fit(X, y, a)
    alone = [LogisticRegression().fit(X, y == k, a) for k in range(3)]
    found = model.influence(X, y, a)
    assert found.hat is None
    for k, one in enumerate(alone):
        want = one.influence(X, y == k, a)
        for name in ("fitted", "linear_predictor", "leverage", "cooks_distance", "standardized",
                     "standardized_pearson"):  # fmt: skip
            assert_allclose(getattr(found, name)[:, k], getattr(want, name), rtol=1e-9)
        for kind in KINDS:
            got = model.residuals(X, y, kind, a)[:, k]
            assert_allclose(got, one.residuals(X, y == k, kind, a), rtol=1e-9)
        for kind in ROBUST:
            block = model.robust_covariance(X, y, kind, a).reshape(3, 3, 3, 3)[k, :, k]
            want = one.robust_covariance(X, y == k, kind, a)
            assert_allclose(block, want, rtol=1e-9, atol=1e-14)
    for arguments in ({}, {"method": "profile", "X": X, "y": y, "sample_weight": a}):
        want = []
        for k, one in enumerate(alone):
            own = {**arguments, "y": y == k} if arguments else {}
            want.append(one.conf_int(level=0.9, **own))
        assert_allclose(model.conf_int(level=0.9, **arguments), np.concatenate(want), rtol=1e-7)
    assert model.coef_names_[3:5].tolist() == ["1: (Intercept)", "1: x0"]
    # Models of the same rows vary together.
    Z, ones = design(X), np.eye(3)[y]
    left = ones - expit(model.decision_function(X))
    score = (left[:, :, None] * Z[:, None]).reshape(90, 9)
    meat = (a[:, None] * score).T @ score
    bread = np.zeros((9, 9))
    for k, one in enumerate(alone):
        bread[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = one.covariance_
    robust = model.robust_covariance(X, y, "HC0", a)
    assert_allclose(robust, bread @ meat @ bread, rtol=1e-7, atol=1e-12)
    errors = model.summary(covariance=robust).table["2"].columns["Std. error"]
    assert_allclose(errors, np.sqrt(robust.diagonal()[6:]))


# ------------------------------------------------------------ robust covariances
@pytest.mark.parametrize("kind", ROBUST)
def test_robust_covariance_is_the_sandwich_of_the_scores(fitted, kind):
    X, y, a, model = fitted
    on = np.flatnonzero(a)
    want = slow.sandwich(kind, design(X)[on], y[on], a[on], coefficients_of(model))
    assert_allclose(model.robust_covariance(X, y, kind, a), want, rtol=1e-8, atol=1e-12)
    X, y = np.repeat(X, a.astype(int), axis=0), np.repeat(y, a.astype(int))
    assert_allclose(model.robust_covariance(X, y, kind, 1.0), want, rtol=1e-8, atol=1e-12)
    text = str(model.summary(covariance=want))
    assert "from the covariance given" in text


def test_robust_covariance_as_statsmodels():
    discrete = pytest.importorskip("statsmodels.discrete.discrete_model")
    X, y = problem(200, 3, 3)
    model = LogisticRegression(tol=1e-12).fit(X, y)
    want = discrete.MNLogit(y, design(X)).fit(cov_type="HC0", disp=0, method="newton")
    assert_allclose(model.robust_covariance(X, y, "HC0"), want.cov_params(), rtol=1e-7)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("kind", ["multinomial", "ovr"])
def test_class_weights_are_weights_of_rows(classes, kind):
    X, y = problem(120, 2, classes)
    factors = np.array([2.0, 1.0, 3.0])
    heavy = LogisticRegression(class_weight=dict(enumerate(factors[:classes])), multi_class=kind)
    heavy.fit(X, y)
    plain = LogisticRegression(multi_class=kind).fit(X, y, factors[y])
    for kind in ROBUST:
        want = plain.robust_covariance(X, y, kind, factors[y])
        assert_allclose(heavy.robust_covariance(X, y, kind), want, rtol=1e-9, atol=1e-14)
    one, two = heavy.influence(X, y), plain.influence(X, y, factors[y])
    assert_allclose(one.leverage, two.leverage)
    assert_allclose(one.cooks_distance, two.cooks_distance)
    some = y == 0  # not all classes need be there
    assert_allclose(heavy.residuals(X[some], y[some]), heavy.residuals(X, y)[some])


@pytest.mark.parametrize("kind", ["multinomial", "ovr"])
def test_rows_of_every_kind(kind):
    X, y = problem(100, 3, 3)
    X = np.round(X, 1) * (np.arange(300).reshape(100, 3) % 4 > 0)
    model = LogisticRegression(multi_class=kind).fit(X, y)
    sparse = LogisticRegression(multi_class=kind).fit(csr_array(X), y)
    for got, want in (
        (sparse.influence(csr_array(X), y).cooks_distance, model.influence(X, y).cooks_distance),
        (sparse.robust_covariance(csr_array(X), y), model.robust_covariance(X, y)),
        (model.residuals(np.asfortranarray(X), y), model.residuals(X, y)),
        (sparse.conf_int(method="profile", X=csr_array(X), y=y),
         model.conf_int(method="profile", X=X, y=y)),
    ):  # fmt: skip
        assert_allclose(got, want, rtol=1e-6, atol=1e-9)


def test_columns_far_from_zero_lose_no_digits():
    X, y = problem(100, 2, 3)
    near, far = LogisticRegression().fit(X, y), LogisticRegression().fit(X + 1e6, y)
    rtol = 1e-6
    assert_allclose(far.influence(X + 1e6, y).leverage, near.influence(X, y).leverage, rtol=rtol)
    want = near.predict_proba(X, se=True)[1]
    assert_allclose(far.predict_proba(X + 1e6, se=True)[1], want, rtol=rtol)
    ends = np.asarray(far.conf_int(method="profile", X=X + 1e6, y=y)).reshape(2, 3, 2)[:, 1:]
    want = np.asarray(near.conf_int(method="profile", X=X, y=y)).reshape(2, 3, 2)[:, 1:]
    assert_allclose(ends, want, rtol=rtol)


def test_aliased_columns_have_no_robust_errors_and_no_intervals():
    X, y = problem(90, 2, 3)
    wide = np.column_stack([X[:, 0], X[:, 0] * 2 + 1, X[:, 1]])
    model = LogisticRegression().fit(X, y)
    with pytest.warns(UserWarning, match="depend on those before them"):
        aliased = LogisticRegression().fit(wide, y)
    kept = np.array([0, 1, 3, 4, 5, 7])
    cov = aliased.robust_covariance(wide, y)
    assert np.isnan(cov[2]).all()
    assert_allclose(cov[np.ix_(kept, kept)], model.robust_covariance(X, y), rtol=1e-7)
    ends = aliased.conf_int(method="profile", X=wide, y=y)
    assert np.isnan(ends[[2, 6]]).all()
    assert_allclose(ends[kept], model.conf_int(method="profile", X=X, y=y), rtol=1e-6)
    want = model.predict_proba(X, se=True, covariance=model.robust_covariance(X, y))[1]
    assert_allclose(aliased.predict_proba(wide, se=True, covariance=cov)[1], want, rtol=1e-7)
    assert_allclose(aliased.influence(wide, y).leverage, model.influence(X, y).leverage, rtol=1e-8)


# ------------------------------------------------------------ profiles
@pytest.mark.parametrize("intercept", [True, False])
def test_profile_intervals_are_where_the_deviance_has_risen(intercept):
    X, y = problem(60, 2, 3)
    X[:, 1] += 3 * intercept  # the intercept is that of rows as they are
    a = np.random.default_rng(0).integers(1, 3, 60).astype(float)
    model = LogisticRegression(fit_intercept=intercept).fit(X, y, a)
    ends = model.conf_int(level=0.9, method="profile", X=X, y=y, sample_weight=a)
    Z, shape = design(X, intercept), (2, 2 + intercept)
    for index, (low, high) in enumerate(ends):
        for end in (low, high):
            deviance = slow.held_deviance(Z, y, a, shape, index, end)
            assert_allclose(deviance - model.deviance_, chdtri(1, 0.1), rtol=1e-6)
        assert low < model._result.coef[index] < high


def test_profiles_of_two_classes_by_the_method_of_several():
    X, y = problem(80, 2, 2)
    model = LogisticRegression().fit(X, y)
    want = model.conf_int(method="profile", X=X, y=y)
    found = multinomial_intervals(X, y, None, 0, True, model._result, ndtri(0.975), None)
    assert_allclose(found, want, rtol=1e-7)


def test_one_coefficient_has_a_profile():
    X, y = problem(40, 1, 2)
    model = LogisticRegression(fit_intercept=False).fit(X, y)
    found = multinomial_intervals(X, y, None, 0, False, model._result, ndtri(0.975), None)
    assert_allclose(found, model.conf_int(method="profile", X=X, y=y), rtol=1e-7)


@pytest.mark.parametrize("threads", [2, 7])
def test_the_same_bits_for_any_number_of_threads(threads):
    X, y = problem(9000, 2, 3)
    one = LogisticRegression(n_jobs=1).fit(X, y)
    some = LogisticRegression(n_jobs=threads).fit(X, y)
    assert_array_equal(
        some.conf_int(method="profile", X=X, y=y), one.conf_int(method="profile", X=X, y=y)
    )
    assert_array_equal(some.robust_covariance(X, y), one.robust_covariance(X, y))
    assert_array_equal(some.predict_proba(X, se=True)[1], one.predict_proba(X, se=True)[1])


# ------------------------------------------------------------ probabilities
@pytest.mark.parametrize("reference", [None, 1])
def test_probabilities_of_two_classes_as_generalized_linear_models(reference):
    X, y = problem(80, 2, 2)
    model = LogisticRegression(reference=reference).fit(X, y)
    p, errors, ends = model.predict_proba(X, se=True, interval="confidence", level=0.9)
    other = GeneralizedLinearModel("binomial").fit(X, y)
    want = other.predict(X, se=True, interval="confidence", level=0.9)
    for k, mean, limits in ((1, want[0], want[2]), (0, 1 - want[0], 1 - want[2][:, ::-1])):
        assert_allclose(p[:, k], mean, rtol=1e-9)
        assert_allclose(errors[:, k], want[1], rtol=1e-8)
        assert_allclose(ends[:, k], limits, rtol=1e-8)
    assert_array_equal(model.predict_proba(X), p)


@pytest.mark.parametrize("robust", [False, True])
@pytest.mark.parametrize("kind", ["multinomial", "ovr"])
def test_errors_of_probabilities_are_by_the_delta_method(kind, robust):
    X, y = problem(120, 2, 3)
    model = LogisticRegression(multi_class=kind, reference=1).fit(X, y)
    covariance = model.robust_covariance(X, y) if robust or kind == "ovr" else "model"
    p, errors, ends = model.predict_proba(
        X[:20], se=True, interval="confidence", covariance=covariance
    )
    Z = design(X[:20])
    estimates = np.column_stack([model.intercept_, model.coef_])
    if kind == "multinomial":
        estimates = np.delete(estimates, 1, axis=0)

    def shares(flat):
        coef = flat.reshape(-1, 3)
        if kind == "multinomial":
            return posteriors(Z, np.insert(coef, 1, 0.0, axis=0))
        share = expit(Z @ coef.T)
        return share / share.sum(axis=1, keepdims=True)

    cov = model.covariance_ if covariance is not None and kind != "ovr" else covariance
    cov = covariance if not isinstance(covariance, str) else cov
    assert_allclose(shares(estimates.ravel()), p, rtol=1e-12)
    jacobian = slow.slopes(shares, estimates.ravel())
    want = np.sqrt(np.einsum("ikm,ml,ikl->ik", jacobian, cov, jacobian))
    assert_allclose(errors, want, rtol=1e-6)
    jacobian = slow.slopes(lambda b: logit(shares(b)), estimates.ravel())
    wide = ndtri(0.975) * np.sqrt(np.einsum("ikm,ml,ikl->ik", jacobian, cov, jacobian))
    want = expit(logit(p)[..., None] + np.stack([-wide, wide], axis=-1))
    assert_allclose(ends, want, rtol=1e-6)


def test_probabilities_at_the_ends_have_errors_and_intervals():
    X, y = problem(120, 2, 3)
    model = LogisticRegression().fit(X, y)
    far = np.array([[2000.0, -1000.0], [0.0, 0.0], [-3000.0, 500.0]])
    p, errors, ends = model.predict_proba(far, se=True, interval="confidence")
    assert p[0].max() == 1.0
    assert np.isfinite(errors).all()
    assert ((ends >= 0) & (ends <= 1)).all()
    assert ((ends[..., 0] <= p) & (p <= ends[..., 1])).all()
    half, errors = model.predict_proba(X.astype(np.float32), se=True)
    assert half.dtype == np.float32
    assert_allclose(errors, model.predict_proba(X, se=True)[1], rtol=1e-4)


# ------------------------------------------------------------ what is refused
@pytest.mark.parametrize("kind", ["multinomial", "ovr"])
@pytest.mark.parametrize("classes", [2, 3])
def test_penalized_fits_are_refused_with_the_sentence_of_all(kind, classes):
    X, y = problem(60, 2, classes)
    model = LogisticRegression(C=1.0, multi_class=kind).fit(X, y)
    words = "penalized fit has no standard errors"
    for ask in (
        lambda: model.influence(X, y),
        lambda: model.robust_covariance(X, y),
        lambda: model.conf_int(method="profile", X=X, y=y),
        lambda: model.conf_int(),
        lambda: model.predict_proba(X, se=True),
        lambda: model.predict_proba(X, interval="confidence"),
    ):
        with pytest.raises(ValueError, match=words):
            ask()
    assert model.residuals(X, y).shape == ((60,) if classes == 2 else (60, 3))


def test_firths_fits_have_what_they_had_for_two_classes():
    X, y = problem(60, 1, 3)
    for kind in ("multinomial", "ovr"):
        model = LogisticRegression(method="firth", multi_class=kind).fit(X, y)
        table = model.profile(X, y).columns
        ends = model.conf_int(method="profile", X=X, y=y)
        assert_allclose(ends, np.column_stack([table["2.5 %"], table["97.5 %"]]))
        assert np.isfinite(model.influence(X, y).cooks_distance).all()
        cov = model.robust_covariance(X, y)
        assert np.isfinite(model.predict_proba(X, se=True, covariance=cov)[1]).all()


def test_fits_without_maximum_are_refused():
    iris = load_iris()
    with pytest.warns(SeparationWarning):
        model = LogisticRegression().fit(iris.data[:, :2], iris.target)
    with pytest.raises(ValueError, match="no finite maximum"):
        model.predict_proba(iris.data[:, :2], se=True)
    with pytest.raises(ValueError, match="no finite maximum"):
        model.influence(iris.data[:, :2], iris.target)


def test_sentences():
    X, y = problem(60, 2, 3)
    ovr = LogisticRegression(multi_class="ovr").fit(X, y)
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match=r"Pass covariance=model\.robust_covariance"):
        ovr.predict_proba(X, se=True)
    with pytest.raises(ValueError, match=r"covariance must be 'model' or of shape \(6, 6\)"):
        model.predict_proba(X, se=True, covariance=np.eye(3))
    with pytest.raises(ValueError, match=r"covariance must be 'model' or of shape \(9, 9\)"):
        ovr.summary(covariance=np.eye(3))
    with pytest.raises(ValueError, match=r"covariance must be 'model' or of shape \(6, 6\)"):
        model.summary(covariance=np.eye(3))
    with pytest.raises(ValueError, match="interval must be None or 'confidence'"):
        model.predict_proba(X, interval="prediction")
    with pytest.raises(ValueError, match="y holds 7, which is not a class of the fit"):
        model.influence(X, np.where(y == 2, 7, y))
    with pytest.raises(ValueError, match="models keep no rows"):
        ovr.conf_int(method="profile")
    with pytest.raises(ValueError, match="offset is for two classes"):
        model.influence(X, y, offset=np.zeros(60))
    with pytest.raises(ValueError, match="offset is for two classes"):
        model.conf_int(method="profile", X=X, y=y, offset=np.zeros(60))
    with pytest.warns(UserWarning, match="leaves no degrees of freedom"):
        few = LogisticRegression().fit([[0.0], [1], [2], [3]], [0, 1, 0, 1], [1, 0.3, 0.3, 0.3])
    with pytest.raises(ValueError, match=r"observations there are than coefficients: 1\.9 - 2"):
        few.robust_covariance([[0.0], [1], [2], [3]], [0, 1, 0, 1], "HC1", [1, 0.3, 0.3, 0.3])
