# SPDX-License-Identifier: BSD-3-Clause
"""Weights that leave no degrees of freedom: NaN inference and a warning, in every model that has
inference; as many rows with weights of that size are no such case."""

import warnings

import numpy as np
import pytest

from statfast import (
    GeneralizedLinearModel,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
)

N = 60
rng = np.random.default_rng(0)
X = rng.normal(size=(N, 2))
y = X @ [1.0, 2.0] + rng.normal(size=N)
count = rng.poisson(2.0, N)
three = rng.integers(0, 3, N)
shares = rng.random(N) + 0.1
shares /= shares.sum()

MODELS = {
    "least squares": (LinearRegression(), y),
    "gaussian": (GeneralizedLinearModel("gaussian"), y),
    "gamma": (GeneralizedLinearModel("gamma", "log"), count + 1.0),
    "poisson": (GeneralizedLinearModel("poisson"), count),
    "negative binomial": (GeneralizedLinearModel("negative_binomial"), count),
    "unpenalized regressor": (PoissonRegressor(alpha=0.0), count),
    "logistic": (LogisticRegression(), y > 0.0),
    "multinomial": (LogisticRegression(), three),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("total", [1.0, 3.0 - 1e-9])
def test_weights_that_sum_to_the_coefficients_or_less_leave_no_inference(name, total):
    model, target = MODELS[name]
    plain = model.fit(X, target).coef_
    assert np.isfinite(model.standard_errors_).all()
    with pytest.warns(UserWarning, match="sample_weight sums to .* weight_type"):
        model.fit(X, target, sample_weight=total * shares * 0.999)
    for found in (model.standard_errors_, model.p_values_, model.conf_int()):
        assert np.isnan(np.asarray(found, dtype=float)).all()
    assert np.isnan([model.df_residual_, model.aic_, model.log_likelihood_]).all()
    assert model.coef_.shape == plain.shape
    assert np.isfinite(model.coef_).all()
    assert "nan" in str(model.summary())
    assert "aliased" not in str(model.conf_int())
    assert np.isfinite(model.deviance_)
    model.fit(X, target, sample_weight=N * shares)  # and no warning
    assert np.isfinite(model.standard_errors_).all()
    assert model.df_residual_ > 0


@pytest.mark.filterwarnings("ignore:sample_weight sums to")
@pytest.mark.parametrize("target", [y > 0.0, three], ids=["two classes", "three classes"])
def test_nor_errors_of_probabilities_or_profiles(target):
    model = LogisticRegression().fit(X, target, sample_weight=shares)
    shown, errors = model.predict_proba(X, se=True)
    assert np.isfinite(shown).all()
    assert np.isnan(errors).all()
    ends = model.conf_int(method="profile", X=X, y=target, sample_weight=shares)
    assert np.isnan(np.asarray(ends)).all()


def test_each_class_against_the_rest_too():
    model = LogisticRegression(multi_class="ovr")
    with pytest.warns(UserWarning, match="sample_weight sums to 1, which leaves no degrees"):
        model.fit(X, three, sample_weight=shares)
    assert all(np.isnan(result.errors).all() for result in model.results_.values())


@pytest.mark.filterwarnings("ignore:LogisticRegression did not converge")
def test_firth_too():
    with pytest.warns(UserWarning, match="sample_weight sums to 2, which leaves no degrees"):
        model = LogisticRegression(method="firth").fit(X, y > 0.0, sample_weight=2.0 * shares)
    assert np.isnan(model.standard_errors_).all()


def test_several_targets_are_warned_of_once():
    with pytest.warns(UserWarning, match="no degrees of freedom beside 3") as said:
        model = LinearRegression().fit(X, np.column_stack([y, -y]), shares)
    assert len(said) == 1
    assert all(np.isnan(result.errors).all() for result in model.results_)


@pytest.mark.parametrize(
    ("kind", "more", "target"),
    [
        (LinearRegression, {}, y),
        (PoissonRegressor, {"alpha": 0.0}, count),
        (LogisticRegression, {}, y > 0.0),
        (LogisticRegression, {}, three),
    ],
)
def test_robust_errors_too(kind, more, target):
    with pytest.warns(UserWarning, match="weight_type"):
        model = kind(**more).fit(X, target, shares, cov_type="HC0")
    assert np.isnan(model.standard_errors_).all()
    assert np.isnan(model.p_values_).all()


@pytest.mark.parametrize("kind", [LinearRegression, GeneralizedLinearModel])
def test_analytic_weights_do_not_know_their_unit(kind):
    model = kind(weight_type="analytic")
    light = model.fit(X, y, shares)
    errors, df = light.standard_errors_, light.df_residual_
    heavy = model.fit(X, y, 1e6 * shares)
    np.testing.assert_allclose(heavy.standard_errors_, errors, rtol=1e-9)
    assert heavy.df_residual_ == df == N - 3


def test_penalized_fits_have_no_inference_to_lose():
    LogisticRegression(C=1.0).fit(X, three, sample_weight=shares)  # and no warning


def test_few_rows_are_no_matter_of_weights():
    model = LinearRegression().fit(X[:3], y[:3])  # and no warning
    assert model.df_residual_ == 0
    assert np.isnan(model.standard_errors_).all()


@pytest.mark.parametrize("kind", ["HC2", "HC3"])
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_rows_too_light_to_be_left_out_are_named(kind, classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = X @ [1.0, 2.0] + rng.normal(size=40)
    if classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    model = LogisticRegression() if classes else LinearRegression()
    weights = np.full(40, 3.0)
    model.fit(X, y, sample_weight=weights)
    assert np.isfinite(model.robust_covariance(X, y, sample_weight=weights, kind=kind)).all()
    for light in (np.full(40, 1e-6), np.where(np.arange(40) == 30, 1e-9, 1e-3)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # no degrees of freedom are left
            model.fit(X, y, sample_weight=light)
        with pytest.raises(ValueError, match="sample_weight counts rows: it sums to"):
            model.robust_covariance(X, y, sample_weight=light, kind=kind)
    if classes:  # far rows have posteriors without variance
        return
    light = np.where(np.arange(40) == np.argmax(X[:, 0] ** 2), 1e-9, 3.0)
    X[light < 1.0] *= 1e3  # a row that none of the others tells of
    model.fit(X, y, sample_weight=light)
    with pytest.raises(ValueError, match=r"row \d+ of weight 1e-09 would have a leverage"):
        model.robust_covariance(X, y, sample_weight=light, kind=kind)
