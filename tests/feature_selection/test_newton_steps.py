# SPDX-License-Identifier: BSD-3-Clause
"""Candidates of a selection that are chosen by Newton steps, before they are fitted."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import statfast as sf
from statfast.feature_selection import SequentialFeatureSelector
from statfast.feature_selection.score_tests import leaders, newton_gains
from statfast.feature_selection.subset_scores import SubsetScores
from statfast.model_selection.evaluation.scoring import as_one_scorer, plan_of_fits

rng = np.random.default_rng(3)
X = rng.normal(size=(240, 5)) + 0.4 * rng.normal(size=(240, 1)) + [0.0, 5.0, 0.0, 0.0, -2.0]
ETA = 0.8 * X[:, 0] - 0.6 * X[:, 3]
TARGETS = {
    "two": np.array(["no", "yes"])[(ETA + rng.logistic(size=240) > 0).astype(int)],
    "three": np.digitize(ETA + rng.logistic(size=240), [-1.0, 1.0]),
    "counts": rng.poisson(np.exp(0.5 * ETA)).astype(float),
    "sizes": rng.gamma(3.0, np.exp(0.5 * ETA)),
}
MODELS = {
    "logistic": (sf.LogisticRegression(), "two"),
    "ridge": (sf.LogisticRegression(C=0.3), "two"),
    "origin": (sf.LogisticRegression(fit_intercept=False), "two"),
    "poisson": (sf.PoissonRegressor(alpha=0.0), "counts"),
    "poisson ridge": (sf.PoissonRegressor(alpha=0.2), "counts"),
    "gamma": (sf.GeneralizedLinearModel("gamma", link="log"), "sizes"),
    "probit": (sf.GeneralizedLinearModel("binomial", link="probit"), "two"),
}


def twin(name, model, rows, y, weights, selected, j):
    """g'H^-1 g at the fit of the selected columns, with a zero for column j."""
    intercept = model.fit_intercept
    Z = np.column_stack([np.ones(len(rows))] * intercept + [rows[:, [*selected, j]]])
    coef = np.append(np.append(np.ravel(model.intercept_)[:intercept], np.ravel(model.coef_)), 0.0)
    eta, penalty = Z @ coef, np.zeros(Z.shape[1])
    if name in ("logistic", "ridge", "origin"):
        mean = 1 / (1 + np.exp(-eta))
        slope = variance = mean * (1 - mean)
        if name == "ridge":
            penalty[1:] = 1 / model.C
        y = (y == "yes").astype(float)
    elif name == "probit":
        from scipy.stats import norm

        mean, slope = norm.cdf(eta), norm.pdf(eta)
        variance = mean * (1 - mean)
    else:
        mean = slope = np.exp(eta)
        variance = mean if name.startswith("poisson") else mean**2
        if name == "poisson ridge":
            penalty[1:] = 0.2 * weights.sum()
    gradient = Z.T @ (weights * (y - mean) * slope / variance) - penalty * coef
    H = (Z * (weights * slope**2 / variance)[:, None]).T @ Z + np.diag(penalty)
    return gradient @ np.linalg.solve(H, gradient)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", list(MODELS))
def test_gains_are_those_of_a_step_by_all_second_derivatives(name, weighted):
    model, target = MODELS[name]
    y = (TARGETS["two"] == "yes").astype(float) if name == "probit" else TARGETS[target]
    weights = rng.integers(0, 3, 240).astype(float) if weighted else None
    folds = plan_of_fits(model, X, y, sf.KFold(3), None, {}, weights, {})
    selected, rest = [0, 1], [2, 3, 4]
    expected = np.zeros(3)
    for k in range(3):
        rows = folds.train(k)
        w = np.ones(len(rows)) if weights is None else weights[rows]
        fitted = type(model)(**model.get_params()).fit(X[rows][:, selected], y[rows], w)
        expected += [twin(name, fitted, X[rows], y[rows], w, selected, j) for j in rest]
    assert_allclose(newton_gains(model, folds, selected, rest), expected, rtol=1e-5)


@pytest.mark.parametrize("name", list(MODELS)[:3])
def test_losses_are_wald_statistics(name):
    model, target = MODELS[name]
    y = TARGETS[target]
    folds = plan_of_fits(model, X, y, sf.KFold(3), None, {}, None, {})
    expected = np.zeros(3)
    for k in range(3):
        rows = folds.train(k)
        fitted = type(model)(**model.get_params()).fit(X[rows][:, [4, 0, 1]], y[rows])
        Z = np.column_stack([np.ones(len(rows))] * model.fit_intercept + [X[rows][:, [4, 0, 1]]])
        p = fitted.predict_proba(X[rows][:, [4, 0, 1]])[:, 1]
        H = (Z * (p * (1 - p))[:, None]).T @ Z
        H[-3:, -3:] += 0.0 if np.isinf(model.C) else np.eye(3) / model.C
        expected += np.ravel(fitted.coef_) ** 2 / np.linalg.inv(H).diagonal()[-3:]
    assert_allclose(newton_gains(model, folds, [4, 0, 1], None), expected, rtol=1e-6)


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("target", ["two", "three", "counts"])
def test_scores_are_of_fits_and_all_refits_are_none(direction, target):
    model = sf.PoissonRegressor() if target == "counts" else sf.LogisticRegression()
    scoring = None if target == "counts" else "neg_log_loss"
    more = {"direction": direction, "n_features_to_select": 2, "cv": 4, "scoring": scoring}
    y = TARGETS[target]
    few = SequentialFeatureSelector(model, n_refits=2, **more).fit(X, y)
    assert "newton steps" in few.path_
    chosen = few.get_support(indices=True)
    known = sf.cross_val_score(model, X[:, chosen], y, cv=4, scoring=scoring)
    assert_allclose(few.size_scores_.scores[few.size_scores_.n_features == 2][0], known, rtol=1e-9)
    assert_array_equal(chosen, [0, 3])
    every = SequentialFeatureSelector(model, n_refits=5, **more).fit(X, y)
    plain = SequentialFeatureSelector(model, **more).fit(X, y)
    assert every.path_ == plain.path_
    assert_array_equal(every.size_scores_.scores, plain.size_scores_.scores)


def test_candidates_that_are_not_fitted_have_no_score():
    model, y = sf.LogisticRegression(), TARGETS["two"]
    scorer = as_one_scorer(None, model)
    folds = plan_of_fits(model, X, y, 4, None, {}, None, {"score": scorer})
    scores = SubsetScores(model, folds, scorer, 1).with_each([1], [0, 2, 3, 4])
    assert np.isnan(scores).all(axis=1).tolist() == [False, True, True, True]
    assert leaders(np.array([2.0, 5.0, 5.0, 1.0]), 2, largest=True).tolist() == [1, 2]
    assert leaders(np.array([2.0, 1.0, 1.0, 1.0]), 2, largest=False).tolist() == [1, 2]


def test_floating_nested_and_copies():
    wide = np.column_stack([X, X[:, 0], np.ones(240)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector = SequentialFeatureSelector(
            sf.LogisticRegression(C=1.0), n_features_to_select="best", n_refits=2, floating=True,
            nested=True, cv=4,
        ).fit(wide, TARGETS["two"])  # fmt: skip
    table = selector.size_scores_
    assert np.isfinite(table.scores).all()
    assert np.isfinite(table.nested).all()


@pytest.mark.parametrize("kind", ["pandas", "Int64", "polars", "arrow", "csr", "float32", "named"])
@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_tables_of_any_kind_choose_the_same_candidates(direction, kind):
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    names = list("abcde")
    whole = np.rint(3.0 * X)
    frame = pd.DataFrame(whole, columns=names)
    rows = {
        "pandas": frame, "Int64": frame.astype("Int64"), "polars": pl.DataFrame(whole, names),
        "arrow": pa.table(dict(frame.items())), "csr": sparse.csr_array(whole),
        "float32": whole.astype(np.float32), "named": frame.astype(np.float32),
    }[kind]  # fmt: skip
    y = TARGETS["two"]
    models = [
        SequentialFeatureSelector(
            sf.LogisticRegression(C=1.0), n_features_to_select=2, n_refits=1, cv=3,
            direction=direction,
        ).fit(table, y)
        for table in (whole, rows)
    ]  # fmt: skip
    assert all("newton steps" in model.path_ for model in models)
    assert_array_equal(models[0].get_support(), models[1].get_support())


@pytest.mark.parametrize(
    "model",
    [sf.KNeighborsClassifier(3), sf.LogisticRegression(C=1.0, l1_ratio=0.5),
     sf.LogisticRegression(class_weight="balanced"), sf.LogisticRegression(method="firth")],
)  # fmt: skip
def test_other_estimators_fit_all_candidates(model):
    few = SequentialFeatureSelector(model, n_features_to_select=2, n_refits=1, cv=3)
    every = SequentialFeatureSelector(model, n_features_to_select=2, cv=3)
    few.fit(X[:90], TARGETS["two"][:90])
    every.fit(X[:90], TARGETS["two"][:90])
    assert "newton" not in few.path_
    assert_array_equal(few.size_scores_.scores, every.size_scores_.scores)


def test_what_is_refused():
    with pytest.raises(ValueError, match="n_refits"):
        SequentialFeatureSelector(sf.LogisticRegression(), n_refits=0).fit(X, TARGETS["two"])
