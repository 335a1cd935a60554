# SPDX-License-Identifier: BSD-3-Clause
"""Weights, offset and exposure of a fit in all that takes its rows again: models keep none.

Each method is compared with a direct computation, with statsmodels, and with the same thing said
otherwise: an exposure is the offset of its logarithm, a weight is a number of equal rows.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from statfast.linear import (
    GeneralizedLinearModel,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    add1,
    anova,
    drop1,
    step,
    vif,
)

RNG = np.random.default_rng(9)
N = 60
X = RNG.normal(size=(N, 2))
TIME = RNG.uniform(0.2, 5.0, N)
RATE = np.exp(0.4 + 0.5 * X[:, 0])
COUNTS = RNG.poisson(RATE * TIME * RNG.gamma(2.0, 0.5, N)).astype(float)
AMOUNTS = RATE * TIME * RNG.gamma(3.0, 1 / 3, N)
LABELS = np.where(X[:, 0] + RNG.normal(size=N) > 0, "yes", "no")
WEIGHTS = RNG.integers(0, 4, N).astype(float)
SHIFT = RNG.normal(size=N)


def table(result):
    return np.concatenate([np.asarray(c, dtype=float) for c in result.columns.values()])


def of_steps(model, *rows, **more):
    return table(step(model, *rows, **more).path)


METHODS = {  # what takes rows again, as numbers
    "deviance residuals": lambda m, *rows, **more: m.residuals(*rows, **more),
    "Pearson residuals": lambda m, *rows, **more: m.residuals(*rows, kind="pearson", **more),
    "response residuals": lambda m, *rows, **more: m.residuals(*rows, kind="response", **more),
    "influence": lambda m, *rows, **more: np.concatenate([
        m.influence(*rows, **more).leverage, m.influence(*rows, **more).cooks_distance,
        m.influence(*rows, **more).standardized,
    ]),
    "HC0": lambda m, *rows, **more: m.robust_covariance(*rows, kind="HC0", **more),
    "HC3": lambda m, *rows, **more: m.robust_covariance(*rows, **more),
    "clusters": lambda m, *rows, **more: m.robust_covariance(
        *rows, groups=np.arange(len(rows[0])) % 9, **more
    ),
    "profile": lambda m, *rows, **more: np.asarray(
        m.conf_int(method="profile", X=rows[0], y=rows[1], **more)
    ),
    "anova": lambda m, *rows, **more: table(anova(m, *rows, **more)),
    "anova of type 2": lambda m, *rows, **more: table(anova(m, *rows, type=2, **more)),
    "drop1": lambda m, *rows, **more: table(drop1(m, *rows, **more)),
    "add1": lambda m, *rows, **more: table(add1(m, *rows, **more)),
    "step": of_steps,
    "vif": lambda m, *rows, **more: table(vif(m, *rows, **more)),
}  # fmt: skip
FAMILIES = {"poisson": COUNTS, "negative_binomial": COUNTS, "quasipoisson": COUNTS,
            "gamma": AMOUNTS, "inverse_gaussian": AMOUNTS}  # fmt: skip
COPIES = ("HC0", "profile", "anova", "anova of type 2", "drop1", "add1", "step", "vif")


def unless_quasi(family, method):
    if family == "quasipoisson" and method == "step":
        pytest.skip("a quasi family has no AIC")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("family", FAMILIES)
def test_an_exposure_is_the_offset_of_its_logarithm(family, method):
    unless_quasi(family, method)
    y, model = FAMILIES[family], GeneralizedLinearModel(family, "log")
    answer = METHODS[method]
    by_offset = answer(model.fit(X, y, offset=np.log(TIME)), X, y, offset=np.log(TIME))
    model.fit(X, y, exposure=TIME)
    assert_allclose(answer(model, X, y, exposure=TIME), by_offset, rtol=1e-6, atol=1e-9)
    assert_allclose(answer(model, X, y, offset=np.log(TIME)), by_offset, rtol=1e-6, atol=1e-9)
    both = {"offset": SHIFT, "exposure": TIME / np.exp(SHIFT)}
    model.fit(X, y, **both)
    assert_allclose(answer(model, X, y, **both), by_offset, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "had", [("offset",), ("exposure",), ("offset", "exposure"), ("sample_weight",)]
)
def test_what_the_fit_had_is_asked_for_and_not_taken_for_none(method, had):
    values = {"offset": SHIFT, "exposure": TIME, "sample_weight": WEIGHTS}
    given = {name: values[name] for name in had}
    model = GeneralizedLinearModel("poisson").fit(X, COUNTS, **given)
    if method == "response residuals" and had == ("sample_weight",):
        METHODS[method](model, X, COUNTS)  # in which weights have no part
        return
    for left_out in had:
        rest = {name: value for name, value in given.items() if name != left_out}
        with pytest.raises(ValueError, match=f"was fitted with.*{left_out}.*Pass .*{left_out}"):
            METHODS[method](model, X, COUNTS, **rest)
    METHODS[method](model, X, COUNTS, **given)


def test_the_same_number_for_all_rows_may_be_given():
    model = GeneralizedLinearModel("poisson").fit(X, COUNTS, exposure=TIME)
    ones = model.residuals(X, COUNTS, exposure=1.0)
    assert_allclose(ones, model.residuals(X, COUNTS, offset=np.zeros(N)))
    model.fit(X, COUNTS, np.ones(N), np.zeros(N), np.ones(N))  # as good as none
    model.influence(X, COUNTS)


@pytest.mark.parametrize("method", COPIES)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_weight_is_a_number_of_rows(family, method):
    unless_quasi(family, method)
    y, more = FAMILIES[family], {"offset": SHIFT, "exposure": TIME}
    model = GeneralizedLinearModel(family, "log").fit(X, y, WEIGHTS, **more)
    ours = METHODS[method](model, X, y, sample_weight=WEIGHTS, **more)
    k = np.repeat(np.arange(N), WEIGHTS.astype(int))
    more = {name: values[k] for name, values in more.items()}
    whole = METHODS[method](model.fit(X[k], y[k], **more), X[k], y[k], **more)
    assert_allclose(ours, whole, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("method", COPIES)
@pytest.mark.parametrize("cls", [LinearRegression, LogisticRegression])
def test_a_weight_is_a_number_of_rows_of_other_models(cls, method):
    if cls is LinearRegression and method == "profile":
        pytest.skip("of least squares it is Wald's")
    y = AMOUNTS if cls is LinearRegression else LABELS
    ours = METHODS[method](cls().fit(X, y, WEIGHTS), X, y, sample_weight=WEIGHTS)
    k = np.repeat(np.arange(N), WEIGHTS.astype(int))
    assert_allclose(ours, METHODS[method](cls().fit(X[k], y[k]), X[k], y[k]), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_weights_of_least_squares_are_asked_for(method):
    model = LinearRegression().fit(X, AMOUNTS, WEIGHTS)
    if method == "response residuals":
        return
    with pytest.raises(ValueError, match="was fitted with sample_weight"):
        METHODS[method](model, X, AMOUNTS)


@pytest.mark.parametrize("method", METHODS)
def test_the_offset_of_two_classes(method):
    model = LogisticRegression().fit(X, LABELS, offset=SHIFT)
    with pytest.raises(ValueError, match="was fitted with offset"):
        METHODS[method](model, X, LABELS)
    ones = (LABELS == "yes").astype(float)
    twin = GeneralizedLinearModel("binomial").fit(X, ones, offset=SHIFT)
    ours = METHODS[method](model, X, LABELS, offset=SHIFT)
    assert_allclose(ours, METHODS[method](twin, X, ones, offset=SHIFT), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("how", ["offset", "exposure"])
@pytest.mark.parametrize("family", ["poisson", "gamma"])
def test_definitions_with_weights(family, how):
    y, w = FAMILIES[family], WEIGHTS + 0.5
    more = {how: np.log(TIME) if how == "offset" else TIME}
    model = GeneralizedLinearModel(family, "log", weight_type="analytic").fit(X, y, w, **more)
    mu = np.exp(model.intercept_ + X @ model.coef_) * TIME
    variance = mu if family == "poisson" else mu**2
    pearson = (y - mu) * np.sqrt(w / variance)
    assert_allclose(model.residuals(X, y, "pearson", w, **more), pearson, rtol=1e-8)
    assert_allclose((pearson**2).sum(), model.pearson_chi2_, rtol=1e-8)
    deviance = model.residuals(X, y, "deviance", w, **more)
    assert_allclose((deviance**2).sum(), model.deviance_, rtol=1e-8)
    assert_allclose(model.residuals(X, y, "working", **more), (y - mu) / mu, rtol=1e-8)
    Z = np.column_stack([np.ones(N), X])
    work = w * mu**2 / variance
    bread = np.linalg.inv(Z.T @ (work[:, None] * Z))
    leverage = work * ((Z @ bread) * Z).sum(axis=1)
    found = model.influence(X, y, w, **more)
    assert_allclose(found.leverage, leverage, rtol=1e-6)
    scores = (w * (y - mu) * mu / variance)[:, None] * Z
    known = bread @ scores.T @ scores @ bread
    assert_allclose(model.robust_covariance(X, y, "HC0", w, **more), known, rtol=1e-6)
    robust = GeneralizedLinearModel(family, "log", weight_type="analytic")
    robust.fit(X, y, w, **more, cov_type="HC0")
    assert_allclose(robust.covariance_, known, rtol=1e-6)


def test_counts_over_times_as_statsmodels():
    theirs = pytest.importorskip("statsmodels.api")
    design = theirs.add_constant(X)
    fit = theirs.GLM(COUNTS, design, theirs.families.Poisson(), exposure=TIME).fit()
    model = GeneralizedLinearModel("poisson").fit(X, COUNTS, exposure=TIME)
    assert_allclose(model.deviance_, fit.deviance, rtol=1e-8)
    assert_allclose(model.null_deviance_, fit.null_deviance, rtol=1e-6)
    again = {"exposure": TIME}
    assert_allclose(model.residuals(X, COUNTS, "pearson", **again), fit.resid_pearson, rtol=1e-6)
    assert_allclose(model.residuals(X, COUNTS, **again), fit.resid_deviance, rtol=1e-6)
    whole = drop1(model, X, COUNTS, **again)
    assert_allclose(whole.columns["Deviance"][0], fit.deviance, rtol=1e-8)
    for j in range(2):
        less = theirs.GLM(
            COUNTS, np.delete(design, j + 1, axis=1), theirs.families.Poisson(), exposure=TIME
        ).fit()
        assert_allclose(whole.columns["LRT"][j + 1], less.deviance - fit.deviance, rtol=1e-6)
    hats = fit.get_influence().hat_matrix_diag
    assert_allclose(model.influence(X, COUNTS, **again).leverage, hats, rtol=1e-6)
    robust = theirs.GLM(COUNTS, design, theirs.families.Poisson(), exposure=TIME).fit(
        cov_type="HC0"
    )
    ours = model.robust_covariance(X, COUNTS, "HC0", **again)
    assert_allclose(np.sqrt(ours.diagonal()), robust.bse, rtol=1e-5)


def test_a_term_of_counts_whose_theta_is_estimated_is_tested_by_likelihoods():
    """Deviances, each at its own theta, hardly differ."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 2))
    y = rng.negative_binomial(2.0, 2.0 / (2.0 + np.exp(1.0 + rows[:, 0]))).astype(float)
    model = GeneralizedLinearModel("negative_binomial")
    whole, less = model.fit(rows, y), GeneralizedLinearModel("negative_binomial")
    less.fit(rows[:, 1:], y)
    known = 2 * (whole.log_likelihood_ - less.log_likelihood_)
    assert known > 100 > 20 > less.deviance_ - whole.deviance_
    several = anova(less, whole)
    for name, found in (
        ("Deviance", several.columns["Deviance"][1]),
        ("drop1", drop1(whole, rows, y).columns["LRT"][1]),
        ("add1", add1(whole, rows, y, start=["x1"]).columns["LRT"][1]),
        ("type 2", anova(whole, rows, y, type=2).columns["LRT"][0]),
        ("in order", anova(whole, rows[:, ::-1], y).columns["Deviance"][2]),
    ):
        assert_allclose(found, known, rtol=1e-6, err_msg=name)
    assert_allclose(several.columns["theta"], [less.theta_, whole.theta_], rtol=1e-8)
    assert several.columns["P>|Chi2|"][1] < 1e-20
    aic = drop1(whole, rows, y).columns["AIC"]  # theta is a parameter
    assert_allclose(aic[0], 2 * 4 - 2 * whole.log_likelihood_, rtol=1e-9)
    assert_allclose(aic[1], 2 * 3 - 2 * less.log_likelihood_, rtol=1e-6)
    assert "x0" in step(model, rows, y, start="none").terms


def test_counts_without_more_variance_are_tested_as_poisson():
    rng = np.random.default_rng(0)
    y = rng.binomial(5, 1 / (1 + np.exp(-X[:, 0]))).astype(float)
    with pytest.warns(UserWarning, match="theta has no finite estimate"):
        model = GeneralizedLinearModel("negative_binomial").fit(X, y)
    limit = GeneralizedLinearModel("poisson").fit(X, y)
    for ask in (drop1, add1):  # without another warning
        ours, theirs = ask(model, X, y).columns, ask(limit, X, y).columns
        for name in ("Df", "LRT", "P>|Chi2|"):
            assert_allclose(ours[name], theirs[name], rtol=1e-6, atol=1e-9)
        assert_allclose(ours["AIC"], theirs["AIC"] + 2, rtol=1e-9)


def test_a_theta_that_is_given_is_held():
    held = GeneralizedLinearModel("negative_binomial", theta=2.0)
    whole, less = held.fit(X, COUNTS), GeneralizedLinearModel("negative_binomial", theta=2.0)
    less.fit(X[:, 1:], COUNTS)
    fall = less.deviance_ - whole.deviance_
    assert_allclose(anova(less, whole).columns["Deviance"][1], fall, rtol=1e-9)
    assert_allclose(fall, 2 * (whole.log_likelihood_ - less.log_likelihood_), rtol=1e-9)
    other = GeneralizedLinearModel("negative_binomial", theta=3.0).fit(X[:, 1:], COUNTS)
    free = GeneralizedLinearModel("negative_binomial").fit(X[:, 1:], COUNTS)
    for wrong in (other, free):
        with pytest.raises(ValueError, match="of one family and link"):
            anova(wrong, whole)


@pytest.mark.parametrize("family", ["gamma", "inverse_gaussian", "quasipoisson", "tweedie"])
def test_an_estimated_dispersion_is_that_of_the_largest_model(family):
    """F of R's anova.glm, worked out from statsmodels' deviances."""
    theirs = pytest.importorskip("statsmodels.api").families
    y = FAMILIES.get(family, AMOUNTS)
    link = theirs.links.Log()
    kind = {
        "gamma": theirs.Gamma(link),
        "inverse_gaussian": theirs.InverseGaussian(link),
        "quasipoisson": theirs.Poisson(link),
        "tweedie": theirs.Tweedie(link, 1.5),
    }[family]
    glm = pytest.importorskip("statsmodels.api").GLM
    design = np.column_stack([np.ones(N), X])
    large, small = (glm(y, design[:, :k], kind).fit(scale="X2", tol=1e-12) for k in (3, 2))
    f = (small.deviance - large.deviance) / large.scale
    models = [GeneralizedLinearModel(family, "log").fit(X[:, :k], y) for k in (1, 2)]
    table = anova(*models)
    assert_allclose(table.columns["F"][1], f, rtol=1e-5)
    assert_allclose(drop1(models[1], X, y).columns["F"][2], f, rtol=1e-5)
    assert_allclose(add1(models[1], X, y, start=["x0"]).columns["F"][1], f, rtol=1e-5)
    chi2 = anova(*models, test="chi2").columns["P>|Chi2|"][1]
    from scipy.stats import chi2 as law

    assert_allclose(chi2, law.sf(f, 1), rtol=1e-5)


def test_terms_of_several_classes():
    """They were taken for those of least squares."""
    noise = np.random.default_rng(1).normal(size=N)
    labels = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + noise, [-0.5, 0.5])]
    whole, less = LogisticRegression().fit(X, labels), LogisticRegression().fit(X[:, :1], labels)
    table = anova(whole, X, labels)
    fall = less.deviance_ - whole.deviance_
    assert_allclose(table.columns["Deviance"][2], fall, rtol=1e-6)
    assert_allclose(table.columns["Df"], [np.nan, 2, 2])
    assert_allclose(drop1(whole, X, labels).columns["LRT"][2], fall, rtol=1e-6)
    with pytest.raises(ValueError, match="of one family and link"):
        anova(LinearRegression().fit(X[:, :1], AMOUNTS), whole)
    with pytest.raises(ValueError, match="got a multinomial one"):
        vif(whole)


def test_predictions_of_an_exposure():
    model = PoissonRegressor(alpha=0.0).fit(X, COUNTS, exposure=TIME)
    plain = GeneralizedLinearModel("poisson").fit(X, COUNTS, offset=np.log(TIME))
    for one, more in ((model, {"exposure": TIME}), (plain, {"offset": np.log(TIME)})):
        with pytest.warns(UserWarning, match=f"Pass {next(iter(more))}"):
            one.predict(X)
        with pytest.warns(UserWarning, match="fitted with an offset"):
            one.score(X, COUNTS)
        rates = np.exp(one.intercept_ + X @ one.coef_)
        assert_allclose(one.predict(X, **more), rates * TIME, rtol=1e-9)
        mean, deviance = COUNTS.mean(), plain._family().deviance
        known = 1 - deviance(COUNTS, rates * TIME).sum() / deviance(COUNTS, mean).sum()
        assert_allclose(one.score(X, COUNTS, **more), known, rtol=1e-8)
    means, ends = plain.predict(X, exposure=TIME, interval="prediction")
    assert ((ends[:, 0] <= means) & (means <= ends[:, 1] + 1)).all()
    assert (ends == plain.predict(X, offset=np.log(TIME), interval="prediction")[1]).all()


def test_rows_follow_a_model_or_have_names():
    model = GeneralizedLinearModel("poisson").fit(X, COUNTS, WEIGHTS, exposure=TIME)
    rows = {"X": X, "y": COUNTS, "sample_weight": WEIGHTS, "exposure": TIME}
    for ask in (anova, drop1, add1, step, vif):
        named, placed = ask(model, **rows), ask(model, X, COUNTS, WEIGHTS, None, TIME)
        assert str(named) == str(placed)
    assert_allclose(table(vif(model)), table(vif(model, **rows)), rtol=1e-9)
    fresh = GeneralizedLinearModel("poisson")
    assert_allclose(table(vif(fresh, **rows)), table(vif(model)), rtol=1e-9)
    for ask in (anova, drop1, add1, step):
        with pytest.raises(ValueError, match="X is missing, and models keep no rows"):
            ask(model)
        with pytest.raises(ValueError, match="y is missing, and models keep no rows"):
            ask(model, X)
    with pytest.raises(TypeError, match="Pass each once"):
        anova(model, X, COUNTS, X=X)
    with pytest.raises(ValueError, match="single model"):
        anova(model, model, X, COUNTS)
    least = LinearRegression().fit(X, AMOUNTS)
    assert str(anova(least)) == str(anova(least, X, AMOUNTS))
    with pytest.raises(ValueError, match="must be those of the fit"):
        anova(least, X, COUNTS)


def in_frame(values):
    pandas = pytest.importorskip("pandas")
    index = np.random.default_rng(0).permutation(len(values))
    return (pandas.DataFrame if values.ndim == 2 else pandas.Series)(values, index)


def in_polars(values):
    polars = pytest.importorskip("polars")
    if values.ndim == 1:
        return polars.Series(values.tolist())
    return polars.DataFrame({f"x{j}": column for j, column in enumerate(values.T)})


def in_arrow(values):
    arrow = pytest.importorskip("pyarrow")
    if values.ndim == 1:
        return arrow.array(values.tolist())
    return arrow.table({f"x{j}": column for j, column in enumerate(values.T)})


def in_sparse(values):
    return csr_array(values) if values.ndim == 2 else values


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("held", [np.ndarray.tolist, in_frame, in_polars, in_arrow, in_sparse])
def test_rows_in_all_containers_go_together_by_place(held, method):
    parts = X, COUNTS, WEIGHTS + 1, SHIFT, TIME
    names = "sample_weight", "offset", "exposure"
    answer, model = METHODS[method], GeneralizedLinearModel("poisson")
    known = answer(model.fit(*parts), X, COUNTS, **dict(zip(names, parts[2:], strict=True)))
    rows, y, *more = (held(part) for part in parts)
    model.fit(rows, y, *more)
    more = dict(zip(names, more, strict=True))
    if method == "clusters":  # whose labels are counted by len
        found = model.robust_covariance(rows, y, groups=np.arange(N) % 9, **more)
    else:
        found = answer(model, rows, y, **more)
    assert_allclose(found, known, rtol=1e-6, atol=1e-8)
