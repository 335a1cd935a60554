# SPDX-License-Identifier: BSD-3-Clause
"""Every column of R's data sets by all others, raw and standardized, at the defaults: no warning
but of separation, which is true, and the conditions of the optimum are met."""

import csv
import warnings

import numpy as np
import pytest

from statfast import SeparationWarning
from statfast.linear import (
    ElasticNet,
    GammaRegressor,
    HuberRegressor,
    Lasso,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    TweedieRegressor,
)

pytestmark = pytest.mark.once


def tables(folder):
    """Name and columns of numbers, no more than seven, of each table with enough rows."""
    for path in sorted(folder.glob("*.csv")):
        with open(path, newline="") as file:
            names, *rows = list(csv.reader(file))
        columns = []
        for name, values in zip(names, zip(*rows, strict=True), strict=True):
            try:
                column = np.array(values, dtype=float)
            except ValueError:
                continue
            if name.lower() not in ("", "rownames") and np.ptp(column) > 0:
                columns.append(column)
        if len(columns) > 1:
            yield np.column_stack(columns[:7])


def problems(folder):
    for table in tables(folder):
        for j in range(table.shape[1]):
            X = np.delete(table, j, axis=1)
            yield X, table[:, j]
            yield (X - X.mean(axis=0)) / X.std(axis=0), table[:, j]


def pull_of(model, X, y, power):
    """The gradient of half the mean deviance less the penalty, beside that of its terms."""
    mean = model.predict(X)
    s = (y - mean) / mean ** (power - 1)
    Z = X - X.mean(axis=0)
    terms = np.abs(s[:, None] * Z).mean(axis=0) + np.abs(s).mean() * np.abs(Z).max(axis=0)
    return np.abs((s @ Z) / len(y) - model.alpha * model.coef_) / terms


@pytest.mark.parametrize(
    ("model", "power"),
    [
        (PoissonRegressor(), 1.0),
        (GammaRegressor(), 2.0),
        (GammaRegressor(alpha=1e-4), 2.0),
        (TweedieRegressor(power=1.5), 1.5),
        (TweedieRegressor(power=3), 3.0),
    ],
)
def test_penalized_generalized_linear_models(model, power, shared_data):
    count = 0
    for X, y in problems(shared_data("r")):
        if (y > 0).all():
            model.fit(X, y)  # warnings are errors
            assert pull_of(model, X, y, power).max() < 1e-7
            count += 1
    assert count > 100


@pytest.mark.parametrize("model", [HuberRegressor(), Ridge(), Lasso(), ElasticNet()])
def test_regressors(model, shared_data):
    for X, y in problems(shared_data("r")):
        model.fit(X, y)
        r = y - model.predict(X)
        Z, size = X - X.mean(axis=0), y.std()
        if isinstance(model, Lasso | ElasticNet):
            share = getattr(model, "l1_ratio", 1.0)
            g = Z.T @ r / len(y) - model.alpha * (1 - share) * model.coef_
            bound = model.alpha * share
            slack = 1e-3 * (Z.std(axis=0) * size)
            on = model.coef_ != 0
            assert (np.abs(g) <= bound + slack).all()
            assert (np.abs(g - bound * np.sign(model.coef_)) <= slack)[on].all()
        elif isinstance(model, Ridge):
            g = Z.T @ r - model.alpha * model.coef_
            assert (np.abs(g) <= 1e-7 * len(y) * Z.std(axis=0) * size).all()
        elif model.scale_ > 0:
            pull = np.clip(r / model.scale_, -model.epsilon, model.epsilon)
            g = Z.T @ pull - model.alpha * model.coef_
            assert (np.abs(g) <= 1e-5 * len(y) * Z.std(axis=0)).all()


@pytest.mark.parametrize("how", [{}, {"C": 1.0}, {"method": "firth"}])
def test_classes(how, shared_data):
    count = 0
    for X, y in problems(shared_data("r")):
        if not 2 <= len(np.unique(y)) <= 6 or len(y) < 20:
            continue
        model = LogisticRegression(**how)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, y.astype(int))
        assert {one.category for one in caught} <= ({SeparationWarning} if not how else set())
        count += 1
        if caught or how == {"method": "firth"}:
            continue
        marks = y.astype(int)[:, None] == model.classes_
        left = (marks - model.predict_proba(X)).T @ (X - X.mean(axis=0))
        if len(model.classes_) == 2:
            left = left[1:]
        spread = len(y) * X.std(axis=0)
        assert (np.abs(left - model.coef_ / model.C) <= 1e-6 * spread).all()
    assert count > 5
