# SPDX-License-Identifier: BSD-3-Clause
"""Generalized linear models beside R's numbers: optimality, weights, input of every kind."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from statfast import Chunks, ConvergenceWarning, LinearRegression, NotFittedError
from statfast.linear import GeneralizedLinearModel, LogisticRegression
from statfast.linear.glm import irls_sums
from statfast.linear.glm.families import as_family
from statfast.linear.glm.links import LINKS, as_link

PAIRS = [
    ("gaussian", None), ("gaussian", "log"), ("binomial", None), ("binomial", "probit"),
    ("binomial", "cloglog"), ("binomial", "cauchit"), ("binomial", "log"), ("poisson", None),
    ("poisson", "sqrt"), ("poisson", "identity"), ("gamma", None), ("gamma", "log"),
    ("gamma", 0.5), ("inverse_gaussian", None), ("inverse_gaussian", "log"), ("quasi", "log"),
    ("quasibinomial", None), ("quasipoisson", None),
]  # fmt: skip


def data(family, link, n=400, p=3, seed=0):
    """Responses of the family whose means follow the link."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, p))
    chosen = as_link(as_family(family).link if link is None else link)
    b = np.array([1.0, 0.3, -0.2, 0.1])[: p + 1]
    if chosen.name in ("logit", "probit", "cauchit", "cloglog") or (family, link) == (
        "binomial",
        "log",
    ):
        b = b - [2.0 if chosen.name == "log" else 1.0, *np.zeros(p)]
    mu = chosen.mean(b[0] + X @ b[1:])
    draw = {
        "binomial": lambda: (rng.random(n) < mu).astype(float),
        "poisson": lambda: rng.poisson(mu).astype(float),
        "gamma": lambda: rng.gamma(5.0, mu / 5.0),
        "inverse_gaussian": lambda: rng.wald(mu, 5 * mu),
    }
    kind = family.removeprefix("quasi") or "gamma"
    return X, draw.get(kind, lambda: mu + 0.1 * rng.standard_normal(n))()


def score(model, X, y, weights=None):
    """Gradient of the likelihood in the coefficients, the intercept first."""
    family, link = as_family(model.family), as_link(model._link)
    eta = model.intercept_ + X @ model.coef_
    mu = link.mean(eta)
    s = (y - mu) * link.slope(eta, mu) / family.variance(mu) * (1 if weights is None else weights)
    return np.append(s.sum(), X.T @ s)


@pytest.mark.parametrize(("family", "link"), PAIRS)
def test_gradient_is_zero(family, link):
    X, y = data(family, link)
    model = GeneralizedLinearModel(family, link).fit(X, y)
    assert model.converged_
    error = model.covariance_ / model.dispersion_
    g = score(model, X, y)
    assert np.sqrt(g @ error @ g) < 1e-7 * np.sqrt(len(y))


@pytest.mark.parametrize(("family", "link"), PAIRS)
def test_a_weight_is_a_row_repeated(family, link):
    X, y = data(family, link, n=150)
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = GeneralizedLinearModel(family, link).fit(X, y, weights)
    repeated = GeneralizedLinearModel(family, link).fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    for name in ("coef_", "standard_errors_", "deviance_", "null_deviance_", "df_residual_",
                 "dispersion_", "log_likelihood_"):  # fmt: skip
        assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-7, err_msg=name)
    for kind in ("HC0", "HC1", "HC3"):
        assert_allclose(
            weighted.robust_covariance(X, y, kind, weights),
            repeated.robust_covariance(np.repeat(X, weights, axis=0), np.repeat(y, weights), kind),
            rtol=1e-5, atol=1e-12,
        )  # fmt: skip


@pytest.mark.parametrize(("family", "link"), [("binomial", None), ("poisson", "sqrt")])
def test_threads_do_not_matter(family, link):
    X, y = data(family, link, n=30000)
    fits = [GeneralizedLinearModel(family, link, n_jobs=n).fit(X, y) for n in (1, 2, 7)]
    for other in fits[1:]:
        assert_array_equal(other.coef_, fits[0].coef_)
        assert_array_equal(other.covariance_, fits[0].covariance_)


@pytest.mark.parametrize(("family", "link"), [("poisson", None), ("binomial", "probit")])
def test_rows_of_every_kind(family, link, tmp_path):
    X, y = data(family, link, n=9000)
    X[np.abs(X) < 0.5] = 0.0
    model = GeneralizedLinearModel(family, link).fit(X, y)
    X.tofile(tmp_path / "X")
    mapped = np.memmap(tmp_path / "X", X.dtype, "r", shape=X.shape)
    chunks = Chunks([X[:4000], X[4000:4100], X[4100:]])
    for rows in (csr_array(X), mapped, chunks, X.astype(np.float32)):
        other = GeneralizedLinearModel(family, link).fit(rows, y)
        rtol = 1e-5 if getattr(rows, "dtype", None) == np.float32 else 1e-8
        assert_allclose(other.coef_, model.coef_, rtol=rtol)
        assert_allclose(other.standard_errors_, model.standard_errors_, rtol=rtol)
        assert_allclose(other.deviance_, model.deviance_, rtol=rtol)
    assert_allclose(model.predict(csr_array(X)), model.predict(X), rtol=1e-12)


def test_a_sample_of_many_rows_does_not_change_the_answer():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40000, 4)) * [1, 10, 0.1, 1] + [0, 1e4, 0, -5]
    eta = 0.5 * X[:, 0] + 0.1 * (X[:, 1] - 1e4)
    order = np.argsort(y := (rng.random(40000) < 1 / (1 + np.exp(-eta))).astype(float))
    for some in (slice(None), order):  # also sorted by the response
        model = LogisticRegression().fit(X[some], y[some])
        mu = model.predict_proba(X)[:, 1]
        Z = np.column_stack([np.ones(len(X)), X - X.mean(axis=0)])
        g = Z.T @ (y - mu)
        assert np.abs(g / np.sqrt(((Z * (mu * (1 - mu))[:, None]) * Z).sum(0))).max() < 1e-6


@pytest.mark.parametrize("kind", ["plain", "huge", "tiny", "near"])
def test_half_the_digits_of_the_information_are_enough_on_the_way(monkeypatch, kind):
    rng = np.random.default_rng(9)
    X = rng.standard_normal((4000, 70))
    if kind == "huge":
        X[:, 5] *= 1e30
    elif kind == "tiny":
        X[:, 5] *= 1e-30
    elif kind == "near":
        X[:, 5] = X[:, 4] + 1e-3 * X[:, 5]
    y = (X[:, 0] + rng.logistic(size=4000) > 0).astype(float)
    models = [LogisticRegression(n_jobs=k).fit(X, y) for k in (1, 2, 7)]
    for other in models[1:]:
        np.testing.assert_array_equal(other.coef_, models[0].coef_)
        np.testing.assert_array_equal(other.covariance_, models[0].covariance_)
    seen, plain = [], irls_sums.ModelRows.sums_at

    def in_full(rows, b, *, hessian=True, rough=False, observed=False):
        seen.append(rough)
        return plain(rows, b, hessian=hessian)

    monkeypatch.setattr(irls_sums.ModelRows, "sums_at", in_full)
    slow = LogisticRegression().fit(X, y)
    assert any(seen)
    size = X.std(0)
    np.testing.assert_allclose(models[0].coef_ * size, slow.coef_ * size, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(models[0].standard_errors_, slow.standard_errors_, rtol=1e-9)


def test_exposure_is_the_offset_of_its_logarithm():
    X, y = data("poisson", None)
    time = np.random.default_rng(2).uniform(1, 5, len(y))
    exposed = GeneralizedLinearModel("poisson").fit(X, y, exposure=time)
    offset = GeneralizedLinearModel("poisson").fit(X, y, offset=np.log(time))
    assert_array_equal(exposed.coef_, offset.coef_)
    assert_allclose(exposed.predict(X, offset=np.log(time)).sum(), y.sum())
    with pytest.raises(ValueError, match=r"exposure must be positive; got 0\.0 at row 3"):
        GeneralizedLinearModel("poisson").fit(X, y, exposure=np.where(np.arange(len(y)) == 3, 0, 1))
    with pytest.raises(ValueError, match="exposure goes with the link 'log'"):
        GeneralizedLinearModel().fit(X, y, exposure=time)


def test_negative_binomial():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((500, 2))
    mu = np.exp(0.5 + X @ [0.4, -0.3])
    y = rng.negative_binomial(2.0, 2.0 / (2.0 + mu)).astype(float)
    free = GeneralizedLinearModel("negative_binomial").fit(X, y)
    assert 1.5 < free.theta_ < 2.8
    likelihoods = [
        GeneralizedLinearModel("negative_binomial", theta=theta).fit(X, y).log_likelihood_
        for theta in (0.99 * free.theta_, free.theta_, 1.01 * free.theta_)
    ]
    assert np.argmax(likelihoods) == 1
    assert_allclose(free.log_likelihood_, likelihoods[1], rtol=1e-12)
    api = pytest.importorskip("statsmodels.api")
    theirs = api.NegativeBinomial(y, api.add_constant(X)).fit(disp=0, gtol=1e-10, maxiter=200)
    assert_allclose(free.log_likelihood_, theirs.llf, rtol=1e-8)
    assert_allclose(free.coef_, theirs.params[1:3], rtol=1e-4)
    assert_allclose(1 / free.theta_, theirs.params[3], rtol=1e-4)


def test_counts_that_vary_no_more_than_poisson():
    X = np.linspace(0, 1, 40)[:, None]
    y = np.round(np.exp(1 + X[:, 0]))
    with pytest.warns(UserWarning, match="theta has no finite estimate"):
        model = GeneralizedLinearModel("negative_binomial").fit(X, y)
    assert_allclose(model.coef_, GeneralizedLinearModel("poisson").fit(X, y).coef_, rtol=1e-5)


@pytest.mark.filterwarnings("ignore:The .* link function does not respect the domain")
@pytest.mark.filterwarnings("ignore:divide by zero encountered in power")
@pytest.mark.parametrize(("family", "link"), PAIRS)
def test_as_statsmodels(family, link):
    api = pytest.importorskip("statsmodels.api")
    theirs = {"gaussian": "Gaussian", "binomial": "Binomial", "poisson": "Poisson",
              "gamma": "Gamma", "inverse_gaussian": "InverseGaussian"}  # fmt: skip
    links = {"log": "Log", "probit": "Probit", "cloglog": "CLogLog", "cauchit": "Cauchy",
             "identity": "Identity", "sqrt": "Sqrt"}  # fmt: skip
    if family not in theirs or not (link is None or link in links):
        pytest.skip("not in statsmodels, or of another name")
    X, y = data(family, link, seed=4)
    kind = getattr(api.families, theirs[family])
    kind = kind() if link is None else kind(getattr(api.families.links, links[link])())
    want = api.GLM(y, api.add_constant(X), family=kind).fit(tol=1e-13, maxiter=200)
    model = GeneralizedLinearModel(family, link).fit(X, y)
    assert_allclose(np.append(model.intercept_, model.coef_), want.params, rtol=2e-6)
    assert_allclose(model.standard_errors_, want.bse, rtol=2e-5)
    assert_allclose(model.deviance_, want.deviance, rtol=1e-9)
    found = model.predict(X[:5], se=True, interval="confidence")
    frame = want.get_prediction(api.add_constant(X)[:5]).summary_frame()
    assert_allclose(found[0], frame["mean"], rtol=2e-6)
    assert_allclose(found[1], frame["mean_se"], rtol=2e-5)
    if model.dispersion_ == 1 and family != "gaussian":
        assert_allclose(found[2][:, 0], frame["mean_ci_lower"], rtol=1e-4)


@pytest.mark.parametrize("name", LINKS)
def test_links_are_inverses_and_slopes_are_derivatives(name):
    link = LINKS[name]
    mu = np.linspace(0.05, 0.95, 19)
    eta = link.link(mu)
    assert_allclose(link.mean(eta), mu, rtol=1e-12)
    step = 1e-6
    assert_allclose(
        link.slope(eta, mu), (link.mean(eta + step) - link.mean(eta - step)) / (2 * step), rtol=1e-6
    )


# ------------------------------------------------------------------ what cannot be estimated


def test_collinear_and_constant_columns_are_named_and_left_out():
    pandas = pytest.importorskip("pandas")
    X, y = data("poisson", None)
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    frame["sum"] = frame.a + frame.b
    frame["five"] = 5.1
    with pytest.warns(UserWarning, match="depend on those before them, or are constant: sum, five"):
        model = GeneralizedLinearModel("poisson").fit(frame, y)
    plain = GeneralizedLinearModel("poisson").fit(X, y)
    assert_allclose(model.coef_, [*plain.coef_, 0, 0], rtol=1e-9)
    assert_allclose(model.standard_errors_[:4], plain.standard_errors_, rtol=1e-9)
    assert np.isnan(model.standard_errors_[4:]).all()
    assert model.df_residual_ == plain.df_residual_
    assert "(aliased)" in str(model.summary())
    assert_array_equal(model.aliased_, [False] * 4 + [True] * 2)


def test_columns_that_are_nearly_collinear_are_kept():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((200, 2))
    X[:, 1] = X[:, 0] + 1e-7 * X[:, 1]
    y = rng.poisson(np.exp(0.3 * X[:, 0])).astype(float)
    model = GeneralizedLinearModel("poisson").fit(X, y)
    turned = GeneralizedLinearModel("poisson").fit(
        np.column_stack([X[:, 0], (X[:, 1] - X[:, 0]) * 1e7]), y
    )
    # Coefficients of 1e7 leave the predictor 1e-16 * 1e7 = 1e-9.
    assert_allclose(model.deviance_, turned.deviance_, rtol=1e-9)
    assert_allclose(model.coef_[1] * 1e-7, turned.coef_[1], rtol=1e-6)
    assert_allclose(model.standard_errors_[2] * 1e-7, turned.standard_errors_[2], rtol=1e-6)


def test_more_columns_than_rows():
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((6, 9)), rng.standard_normal(6)
    with pytest.warns(UserWarning, match="x5, x6, x7, x8"):
        model = GeneralizedLinearModel().fit(X, y)
    assert_allclose(model.predict(X), y, atol=1e-8)
    assert np.isnan(model.dispersion_)
    assert np.isnan(model.standard_errors_).all()
    str(model.summary())


def test_a_likelihood_without_maximum_is_said():
    X = np.array([[0.0], [0], [1], [1], [1], [0]])
    with pytest.warns(UserWarning, match="no finite maximum"):
        model = GeneralizedLinearModel("poisson").fit(X, [3, 4, 0, 0, 0, 2.0])
    with pytest.raises(ValueError, match="no finite maximum"):
        model.standard_errors_  # noqa: B018
    with pytest.warns(UserWarning, match="completely separated by"):
        LogisticRegression().fit(np.arange(10.0)[:, None], np.arange(10) > 4)
    with pytest.warns(UserWarning, match="completely separated by"):  # in part
        LogisticRegression().fit([[0.0], [0], [1], [1], [1], [0]], [0, 1, 1, 1, 1, 0])


def test_too_few_passes():
    X, y = data("gamma", "log")
    with pytest.warns(ConvergenceWarning, match="did not converge in 2 iterations"):
        GeneralizedLinearModel("gamma", "log", max_iter=2).fit(X, y)


@pytest.mark.parametrize(
    ("family", "y", "words"),
    [
        ("gamma", [1, 2, -3, 4.0], "y must be positive for the family 'gamma'; got -3.0"),
        ("inverse_gaussian", [1, 2, 0, 4.0], "y must be positive for the family"),
        ("poisson", [1, 2, -3, 4.0], "y must not be negative for the family 'poisson'"),
        ("binomial", [0, 1, 2, 1.0], "y must lie between 0 and 1 for the family 'binomial'"),
    ],
)
def test_responses_out_of_range(family, y, words):
    with pytest.raises(ValueError, match=words):
        GeneralizedLinearModel(family).fit([[1.0], [2], [2.5], [4]], y)


@pytest.mark.parametrize(
    ("family", "y", "words"),
    [
        ("poisson", [1, 2, 0.5, 4], "y holds values that are not integers"),
        ("binomial", [0, 1, 0.5, 0.3], "numbers of successes that are not integers"),
    ],
)
def test_responses_that_are_doubtful(family, y, words):
    with pytest.warns(UserWarning, match=words):
        GeneralizedLinearModel(family).fit([[1.0], [2], [1.5], [4]], y)


def test_sentences():
    X, y = data("poisson", None)
    with pytest.raises(ValueError, match="family must be one of 'gaussian'"):
        GeneralizedLinearModel("normal").fit(X, y)
    with pytest.raises(ValueError, match="link must be one of"):
        GeneralizedLinearModel(link="cube").fit(X, y)
    with pytest.raises(ValueError, match="theta is for 'negative_binomial'"):
        GeneralizedLinearModel("poisson", theta=1.0).fit(X, y)
    with pytest.raises(ValueError, match=r"offset must have shape \(400,\)"):
        GeneralizedLinearModel("poisson").fit(X, y, offset=[1.0, 2.0])
    with pytest.raises(ValueError, match="penalized fit"):
        LogisticRegression(C=1.0).fit(X, y > 2).conf_int()
    with pytest.raises(ValueError, match="reference must be one of the classes"):
        LogisticRegression(reference="x").fit(X, y > 2)


def test_summary_of_a_penalized_fit_has_no_errors():
    X, y = data("binomial", None)
    text = str(LogisticRegression(C=1.0).fit(X, y).summary())
    assert "Std. error" not in text
    assert "penalized fit" in text


def test_ridge_meets_its_conditions():
    X, y = data("binomial", None)
    model = LogisticRegression(C=0.1).fit(X, y)
    left = y - model.predict_proba(X)[:, 1]
    assert_allclose(X.T @ left, model.coef_[0] / 0.1, atol=1e-8)
    assert_allclose(left.sum(), 0, atol=1e-8)
    sklearn = pytest.importorskip("sklearn.linear_model")
    theirs = sklearn.LogisticRegression(C=0.1, tol=1e-12, max_iter=1000).fit(X, y)
    assert_allclose(model.coef_, theirs.coef_, rtol=1e-5)


def test_class_weights_are_weights():
    X, y = data("binomial", None)
    balanced = LogisticRegression(class_weight="balanced").fit(X, y)
    share = y.mean()
    factors = np.where(y > 0, 0.5 / share, 0.5 / (1 - share))
    assert_allclose(balanced.coef_, LogisticRegression().fit(X, y, factors).coef_, rtol=1e-9)
    doubled = LogisticRegression(class_weight={1.0: 2}).fit(X, y)
    assert_allclose(doubled.coef_, LogisticRegression().fit(X, y, 1 + y).coef_, rtol=1e-9)


def test_three_classes_by_one_against_the_rest():
    X, y = data("poisson", None)
    codes = np.minimum(y.astype(int), 2)
    model = LogisticRegression(multi_class="ovr").fit(X, codes)
    second = LogisticRegression().fit(X, codes == 1)
    assert_allclose(model.coef_[1], second.coef_[0], rtol=1e-9)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    assert model.results_["1"].deviance == pytest.approx(second.deviance_)


def test_odds_ratios():
    X, y = data("binomial", None)
    model = LogisticRegression().fit(X, y)
    table = model.odds_ratios()
    assert_allclose(table.columns["exp(coef)"][1:], np.exp(model.coef_[0]))
    assert_allclose(table.columns["2.5 %"], np.exp(model.conf_int()[:, 0]))
    assert_allclose(table.columns["% change"], 100 * (table.columns["exp(coef)"] - 1))


def test_ratios_are_of_the_links_that_give_them_a_meaning():
    X, y = data("poisson", None)
    model = GeneralizedLinearModel("poisson").fit(X, y)
    table = model.rate_ratios(0.9)
    assert_allclose(table.columns["exp(coef)"], np.exp([model.intercept_, *model.coef_]))
    assert_allclose(table.columns["5 %"], np.exp(model.conf_int(level=0.9)[:, 0]))
    with pytest.raises(ValueError, match="odds_ratios is of the logit link; got link='log'"):
        model.odds_ratios()
    hits = GeneralizedLinearModel("binomial").fit(X, y > y.mean())
    want = LogisticRegression().fit(X, y > y.mean()).odds_ratios()
    assert_allclose(np.asarray(hits.odds_ratios()), np.asarray(want), rtol=1e-6)
    with pytest.raises(ValueError, match="rate_ratios is of the log link; got link='logit'"):
        hits.rate_ratios()
    assert not hasattr(GeneralizedLinearModel, "terms_")
    with pytest.raises(NotFittedError):
        GeneralizedLinearModel("poisson").rate_ratios()
    steep = GeneralizedLinearModel("gamma", "log").fit(X[:, :1] * 1e-4, np.exp(X[:, 0]) + 0.1)
    assert steep.rate_ratios().columns["exp(coef)"][1] == np.inf  # and numpy does not warn


def test_names_of_statsmodels_are_answered_with_ours():
    X, y = data("poisson", None)
    model = GeneralizedLinearModel("poisson").fit(X, y)
    for theirs, ours in (("bse", "standard_errors_"), ("pvalues", "p_values_"), ("llf", "log_l")):
        assert not hasattr(model, theirs)
        with pytest.raises(AttributeError, match=f"no attribute '{theirs}'. Did you mean {ours}"):
            getattr(model, theirs)
    least, penalized = LinearRegression(), LogisticRegression(C=1.0).fit(X, y > 1)
    for fit, name, error, said in (
        (model, "rsquared", AttributeError, r"no attribute 'rsquared'$"),
        (LinearRegression().fit(X, y), "rsquared", AttributeError, "Did you mean r_squared_"),
        (least, "p_values_", NotFittedError, "not fitted"),  # what is there keeps its own error
        (penalized, "p_values_", ValueError, "penalized"),
    ):
        with pytest.raises(error, match=said):
            getattr(fit, name)


def test_robust_covariance_as_statsmodels():
    api = pytest.importorskip("statsmodels.api")
    X, y = data("poisson", None)
    model = GeneralizedLinearModel("poisson").fit(X, y)
    poisson = api.GLM(y, api.add_constant(X), family=api.families.Poisson())
    want = poisson.fit(cov_type="HC0", tol=1e-12).cov_params()
    assert_allclose(model.robust_covariance(X, y, "HC0"), want, rtol=1e-6, atol=1e-9)
    linear = GeneralizedLinearModel().fit(X, y)
    for kind in ("HC0", "HC1", "HC2", "HC3"):
        want = api.OLS(y, api.add_constant(X)).fit(cov_type=kind)
        assert_allclose(linear.robust_covariance(X, y, kind), want.cov_params(), rtol=1e-8)
    text = str(linear.summary(covariance=linear.robust_covariance(X, y)))
    assert "from the covariance given" in text


@pytest.mark.parametrize("scale", [1e-160, 1e-15, 1e100])
def test_targets_of_every_scale(scale):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=50)
    coef = GeneralizedLinearModel().fit(X, y * scale).coef_
    assert_allclose(coef / scale, GeneralizedLinearModel().fit(X, y).coef_, rtol=1e-10)


@pytest.mark.parametrize(("family", "link"), [("gamma", "inverse"), ("poisson", "sqrt")])
def test_intervals_of_means_hold_the_mean(family, link):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 3))
    eta = 0.5 + np.abs(X[:, 0])
    y = rng.gamma(1.0, 1 / eta) if family == "gamma" else rng.poisson(eta**2).astype(float)
    model = GeneralizedLinearModel(family, link).fit(np.abs(X), y)
    mean, ends = model.predict(3 * np.abs(X), interval="confidence")
    assert (ends[:, 0] <= mean).all()
    assert (mean <= ends[:, 1]).all()


@pytest.mark.parametrize("size", [1e-130, 1e-155])
def test_columns_of_tiny_numbers_are_not_separated(size):
    rng = np.random.default_rng(11)
    X = rng.standard_normal((400, 2))
    y = (X @ [1.0, -1.0] + rng.logistic(size=400) > 0).astype(int)
    X = np.column_stack([X, rng.standard_normal(400)])
    small = X * [size, 1.0, size]
    want, model = LogisticRegression().fit(X, y), LogisticRegression().fit(small, y)
    assert_allclose(model.coef_ * [size, 1.0, size], want.coef_, rtol=1e-9)
    if size > 1e-150:
        assert_allclose(model.p_values_, want.p_values_, rtol=1e-7)
    assert_allclose(model.predict_proba(small), want.predict_proba(X), rtol=1e-9)


def test_variances_that_overflow_are_refused():
    rng = np.random.default_rng(12)
    X, y = rng.standard_normal((50, 2)), rng.integers(0, 2, 50)
    model = LogisticRegression().fit(X * 1e-165, y)
    assert_allclose(model.coef_ * 1e-165, LogisticRegression().fit(X, y).coef_, rtol=1e-8)
    with pytest.raises(ValueError, match="so small that the variances"):
        model.standard_errors_  # noqa: B018


def test_offsets_of_rows_of_different_length_are_refused():
    X, y = data("poisson", "log")
    with pytest.raises(ValueError, match="offset should be a 1-d array of numbers"):
        GeneralizedLinearModel("poisson").fit(X, y, offset=[[1.0, 2.0], [3.0]])
    with pytest.raises(TypeError, match="se must be True or False"):
        GeneralizedLinearModel("poisson").fit(X, y).predict(X, se=[1, 2])


@pytest.mark.parametrize("family", ["gaussian", "quasi", "gamma"])
@pytest.mark.parametrize("size", [1e-170, 1e-300, 1e150, 1e300])
def test_responses_whose_squares_are_no_numbers_are_refused(family, size):
    X, y = data("gamma", "log")
    with pytest.raises(ValueError, match=r"The largest size in y must be between 1e-160 and"):
        GeneralizedLinearModel(family).fit(X, y * size)


def test_offsets_beyond_all_use_are_refused():
    X, y = data("poisson", "log")
    with pytest.raises(ValueError, match=r"offset must be within 1e\+100 of 0"):
        GeneralizedLinearModel("poisson").fit(X, y, offset=np.full(len(y), 1.7e308))


def test_a_robust_covariance_that_overflows_is_refused():
    X = np.random.default_rng(0).standard_normal((30, 2)) * 1e-154
    model = GeneralizedLinearModel().fit(X, X[:, 0] * 1e154 + np.arange(30.0))
    with pytest.raises(ValueError, match="so small that variances are not numbers"):
        model.robust_covariance(X, X[:, 0] * 1e154 + np.arange(30.0))


def test_residuals_of_responses_whose_squares_overflow_are_refused():
    X, y = data("poisson", "log")
    model = GeneralizedLinearModel().fit(X, y)
    for method in (model.residuals, model.influence, model.robust_covariance):
        with pytest.raises(ValueError, match="The largest size in y must be between"):
            method(X, y * 1e160)


def test_profiles_of_a_perfect_fit_have_no_width():
    X, _ = data("poisson", "log")
    y = np.full(len(X), 2.0)
    model = GeneralizedLinearModel().fit(X, y)
    ends = model.conf_int(X=X, y=y, method="profile")
    assert_allclose(ends[:, 0], ends[:, 1], rtol=1e-6, atol=1e-6)


def test_a_power_beyond_all_floats_is_refused():
    X, y = data("poisson", "log")
    for link in (10**400, np.inf):
        with pytest.raises(ValueError, match="link must be finite"):
            GeneralizedLinearModel("poisson", link).fit(X, y)
