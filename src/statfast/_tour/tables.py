# SPDX-License-Identifier: BSD-3-Clause
"""Tables: columns of names beside columns of numbers, and columns that are worth keeping."""

from __future__ import annotations

import time

import numpy as np

from statfast._tour.finding import Finding
from statfast.datasets import load_iris, load_wine
from statfast.feature_selection import SequentialFeatureSelector, f_classif
from statfast.linear import LinearRegression
from statfast.model_selection import KFold, cross_val_score
from statfast.pipeline import ColumnTransformer, Pipeline
from statfast.preprocessing import OneHotEncoder


def tables() -> Finding:
    """Length of sepals by the other measurements and the species, against R's ``lm``."""
    iris = load_iris()
    names = np.array(iris.target_names, dtype=object)[iris.target]
    table = np.column_stack([iris.data[:, 1:].astype(object), names])
    known = [2.17127, 0.49589, 0.82924, -0.31516, -0.72356, -1.02350]

    start = time.perf_counter()
    columns = ColumnTransformer(
        [("numbers", "passthrough", [0, 1, 2]), ("species", OneHotEncoder(drop="first"), [3])]
    )
    model = Pipeline([("columns", columns), ("model", LinearRegression())])
    model.fit(table, iris.data[:, 0])
    seconds = time.perf_counter() - start

    fit = model["model"]
    coef = np.append(fit.intercept_, fit.coef_).round(5).tolist()
    return Finding(
        "A table of numbers and names: iris, sepal length by the other columns",
        [f"versicolor {coef[4]:.5f}, virginica {coef[5]:.5f}; known {known[4]}, {known[5]:.5f}"],
        coef == known,
        seconds,
    )


def feature_selection() -> Finding:
    """F tests of the columns of iris, against R's analysis of variance."""
    iris = load_iris()
    known = [119.2645, 49.1600, 1180.1612, 960.0071]

    start = time.perf_counter()
    f_statistic, _ = f_classif(iris.data, iris.target)
    seconds = time.perf_counter() - start

    rounded = f_statistic.round(4).tolist()
    return Finding(
        "Choosing features: iris, F tests of the four measurements",
        [f"F of petal lengths {rounded[2]:.4f}, of widths {rounded[3]:.4f}; known {known[2]:.4f}, "
         f"{known[3]:.4f}"],
        rounded == known,
        seconds,
    )  # fmt: skip


def selection() -> Finding:
    """All steps of a forward selection from one pass over the rows, beside cross-validation."""
    wine = load_wine()
    X, y = wine.data[:, 1:], wine.data[:, 0]
    model, folds = LinearRegression(), KFold(10, shuffle=True, random_state=0)

    start = time.perf_counter()
    selector = SequentialFeatureSelector(model, n_features_to_select="best", rule="1se", cv=folds)
    selector.fit(X, y)
    seconds = time.perf_counter() - start

    chosen = selector.get_support(indices=True)
    known = cross_val_score(model, X[:, chosen], y, cv=folds).mean()
    sizes = selector.size_scores_
    score = float(sizes.means[sizes.n_features == sizes.selected][0])
    names = ", ".join(np.array(wine.feature_names)[1:][chosen].tolist())
    return Finding(
        f"Selecting features by {selector.path_}: alcohol of wine by 12 columns, 10 folds",
        [f"{names}: R squared {score:.4f}, by refits {known:.4f}"],
        bool(np.isclose(score, known, rtol=1e-10)),
        seconds,
    )
