# SPDX-License-Identifier: BSD-3-Clause
"""Generalized linear models against R's glm: coefficients, errors, tests, criteria, residuals."""

import csv
import gzip
import json
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

from statfast.linear import GeneralizedLinearModel, LogisticRegression


@pytest.fixture(scope="module")
def reference(shared_data):
    return json.loads(shared_data("..", "reference", "glm.json").read_text("utf-8"))


def table(path, delimiter=","):
    read = partial(gzip.open, mode="rt") if path.suffix == ".gz" else open
    with read(path, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter=delimiter, skipinitialspace=True))
    columns = {name.strip(): [row[name] for row in rows] for name in rows[0] if name.strip()}
    return {name: numbers(values) for name, values in columns.items()}


def numbers(values):
    try:
        return np.array(values, dtype=float)
    except ValueError:
        return np.array(values)


def stack(*columns):
    return np.column_stack([np.asarray(column, dtype=float) for column in columns])


def levels(values, *, first=None):
    """Indicators of all but the first level, as R's treatment contrasts."""
    names = sorted(set(values.tolist())) if first is None else first
    return [values == name for name in names[1:]]


def chosen(t, names):
    return stack(*(t[name] for name in names.split()))


def birthwt(find):
    t = table(find("r", "MASS_birthwt.csv"))
    rest = "smoke ptl ht ui ftv"
    X = stack(t["age"], t["lwt"], t["race"] == 2, t["race"] == 3, *chosen(t, rest).T)
    return X, t["low"], {}


def birthwt_vr(find):
    t = table(find("r", "MASS_birthwt.csv"))
    X = stack(
        t["age"], t["lwt"], t["race"] == 2, t["race"] == 3, t["smoke"] > 0, t["ptl"] > 0,
        t["ht"] > 0, t["ui"] > 0, t["ftv"] == 1, t["ftv"] >= 2,
    )  # fmt: skip
    return X, t["low"], {}


def menarche(find):
    t = table(find("r", "MASS_menarche.csv"))
    return t["Age"][:, None], t["Menarche"] / t["Total"], {"sample_weight": t["Total"]}


def pima(find, part="train"):
    t = table(find("r", f"MASS_Pima.{part[:2]}.csv"))
    return chosen(t, "npreg glu bp skin bmi ped age"), t["type"] == "Yes", {}


def saheart(find, names):
    t = table(find("esl", "SAheart.csv"))
    t["famhist"] = t["famhist"] == "Present"
    return chosen(t, names), t["chd"], {}


def baby(find):
    lines = find("misc", "baby.dat").read_text("utf-8").split("\n")
    rows = np.array([line.split() for line in lines[1:] if line.strip()], dtype=float)
    return rows[:, 1:], rows[:, 0], {}


def default(find, names):
    t = table(find("islr", "Default.csv.gz"))
    t["student"] = t["student"] == "Yes"
    return chosen(t, names), t["default"] == "Yes", {}


def smarket(find):
    t = table(find("islr", "Smarket.csv"))
    return chosen(t, "Lag1 Lag2 Lag3 Lag4 Lag5 Volume"), t["Direction"] == "Up", {}


def warpbreaks(find, *, product):
    t = table(find("r", "datasets_warpbreaks.csv"))
    b, medium, high = t["wool"] == "B", t["tension"] == "M", t["tension"] == "H"
    both = [b & medium, b & high] if product else []
    return stack(b, medium, high, *both), t["breaks"], {}


def esoph(find, *, offset):
    t = table(find("r", "datasets_esoph.csv"))
    names = (
        ("agegp", ["25-34", "35-44", "45-54", "55-64", "65-74", "75+"]),
        ("alcgp", ["0-39g/day", "40-79", "80-119", "120+"]),
        ("tobgp", ["0-9g/day", "10-19", "20-29", "30+"]),
    )
    X = stack(*([order.index(v) + 1 for v in t[name]] for name, order in names))
    total = t["ncases"] + t["ncontrols"]
    if offset:
        return X, t["ncases"], {"exposure": total}
    return X, t["ncases"] / total, {"sample_weight": total}


def infert(find):
    t = table(find("r", "datasets_infert.csv"))
    return chosen(t, "spontaneous induced"), t["case"], {}


def clotting(find, lot):
    t = table(find("r", "stats_glm_clotting.csv"))
    return np.log(t["u"])[:, None], t[lot], {}


def dobson(find):
    counts = np.array([18, 17, 15, 20, 10, 20, 25, 13, 12.0])
    outcome, treatment = np.tile([1, 2, 3], 3), np.repeat([1, 2, 3], 3)
    return stack(outcome == 2, outcome == 3, treatment == 2, treatment == 3), counts, {}


def swiss(find):
    t = table(find("r", "datasets_swiss.csv"))
    names = "Agriculture Examination Education Catholic Infant.Mortality"
    return chosen(t, names), t["Fertility"], {}


ESL = "sbp tobacco ldl famhist obesity alcohol age"
FULL = "sbp tobacco ldl adiposity famhist typea obesity alcohol age"
CASES = {
    "birthwt_binomial": (birthwt, "binomial", None),
    "birthwt_VR_binomial": (birthwt_vr, "binomial", None),
    "menarche_binomial_logit": (menarche, "binomial", None),
    "menarche_binomial_probit": (menarche, "binomial", "probit"),
    "menarche_binomial_cloglog": (menarche, "binomial", "cloglog"),
    "Pima_tr_binomial": (pima, "binomial", None),
    "SAheart_binomial_ESL": (partial(saheart, names=ESL), "binomial", None),
    "SAheart_binomial_full": (partial(saheart, names=FULL), "binomial", None),
    "SAheart_binomial_stepwise_ESL": (
        partial(saheart, names="tobacco ldl famhist age"), "binomial", None,
    ),
    "baby_binomial": (baby, "binomial", None),
    "Default_balance_binomial": (partial(default, names="balance"), "binomial", None),
    "Default_full_binomial": (partial(default, names="student balance income"), "binomial", None),
    "Smarket_binomial": (smarket, "binomial", None),
    "warpbreaks_poisson": (partial(warpbreaks, product=True), "poisson", None),
    "warpbreaks_poisson_additive": (partial(warpbreaks, product=False), "poisson", None),
    "warpbreaks_quasipoisson": (partial(warpbreaks, product=False), "quasipoisson", None),
    "esoph_poisson_offset": (partial(esoph, offset=True), "poisson", None),
    "esoph_binomial": (partial(esoph, offset=False), "binomial", None),
    "infert_binomial": (infert, "binomial", None),
    "clotting_gamma_lot1": (partial(clotting, lot="lot1"), "gamma", None),
    "clotting_gamma_lot2": (partial(clotting, lot="lot2"), "gamma", None),
    "clotting_gamma_log": (partial(clotting, lot="lot1"), "gamma", "log"),
    "dobson_poisson": (dobson, "poisson", None),
    "inverse_gaussian_clotting": (partial(clotting, lot="lot1"), "inverse_gaussian", None),
    "swiss_gaussian": (swiss, "gaussian", None),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_as_r(name, reference, shared_data):
    make, family, link = CASES[name]
    X, y, more = make(shared_data)
    y = y.astype(float)
    want = reference[name]
    model = GeneralizedLinearModel(family, link, weight_type="analytic").fit(X, y, **more)
    coef = np.append(model.intercept_, model.coef_)
    size = np.array(want["se"])  # what is zero but for rounding is zero beside its error
    assert_allclose(coef, want["coef"], rtol=1e-8, atol=1e-8 * size.min())
    assert_allclose(model.standard_errors_, want["se"], rtol=1e-8)
    assert_allclose(model.statistics_, want["stat"], rtol=1e-8, atol=1e-8)
    assert_allclose(model.p_values_, want["p"], rtol=1e-6)
    scale = np.outer(size, size)
    assert_allclose(model.covariance_ / scale, np.array(want["vcov"]) / scale, rtol=0, atol=1e-8)
    for attribute, key in (
        ("deviance_", "deviance"), ("null_deviance_", "null_deviance"), ("aic_", "aic"),
        ("bic_", "bic"), ("log_likelihood_", "loglik"), ("dispersion_", "dispersion"),
        ("pearson_chi2_", "pearson_chisq"),
    ):  # fmt: skip
        if want.get(key) not in (None, "NA"):
            assert_allclose(getattr(model, attribute), want[key], rtol=1e-8, err_msg=key)
    assert model.df_residual_ == want["df_residual"]
    assert model.df_null_ == want["df_null"]


@pytest.mark.parametrize("name", CASES)
def test_residuals_and_influence_as_r(name, reference, shared_data):
    make, family, link = CASES[name]
    X, y, more = make(shared_data)
    y = y.astype(float)
    want = reference[name]
    model = GeneralizedLinearModel(family, link, weight_type="analytic").fit(X, y, **more)
    given = {"sample_weight": more.get("sample_weight")}
    scale = np.ones(5)
    if "exposure" in more:
        given["offset"] = np.log(more["exposure"])
    elif family == "binomial" and "sample_weight" not in more:
        given = {}
    offset = given.get("offset")
    influence = model.influence(X, y, **given)
    means = model.predict(X, offset=offset)
    assert_allclose(influence.fitted, means, rtol=1e-12)
    assert_allclose(means[:5] * scale, want["fitted_first5"], rtol=1e-8)
    for kind in ("deviance", "pearson"):
        found = model.residuals(X, y, kind, **given)[:5]
        assert_allclose(found, want[f"{kind}_resid_first5"], rtol=1e-7, atol=1e-9)
    assert_allclose(influence.leverage[:5], want["hat_first5"], rtol=1e-8)
    assert_allclose(influence.cooks_distance[:5], want["cooks_first5"], rtol=1e-7)
    assert_allclose(influence.leverage.sum(), len(want["coef"]), rtol=1e-9)


def test_logistic_regression_is_the_binomial_model(reference, shared_data):
    X, y, _ = baby(shared_data)
    labels = np.where(y > 0, "yes", "no")
    model = LogisticRegression().fit(X, labels)
    want = reference["baby_binomial"]
    assert_allclose(np.append(model.intercept_, model.coef_), want["coef"], rtol=1e-8)
    assert_allclose(model.standard_errors_, want["se"], rtol=1e-8)
    assert_allclose(model.aic_, want["aic"], rtol=1e-10)
    turned = LogisticRegression(reference="yes").fit(X, labels)
    assert_allclose(turned.coef_, -model.coef_, rtol=1e-12)
    assert_allclose(turned.predict_proba(X), model.predict_proba(X), rtol=1e-10)
    assert_allclose(turned.influence(X, labels).leverage, model.influence(X, labels).leverage)


def test_pima_is_predicted_as_r_does(reference, shared_data):
    want = reference["Pima_tr_binomial"]
    X, y, _ = pima(shared_data)
    Q, truth, _ = pima(shared_data, "test")
    model = LogisticRegression().fit(X, y)
    proba = model.predict_proba(Q)[:, 1]
    assert_allclose(proba[:5], want["test_prob_first5"], rtol=1e-8)
    assert 1 - model.score(Q, truth) == pytest.approx(want["test_error"], abs=1e-12)
    loglik = model.predict_log_proba(Q)[np.arange(len(Q)), truth.astype(int)].sum()
    assert_allclose(loglik, want["test_loglik"], rtol=1e-8)
