# SPDX-License-Identifier: BSD-3-Clause
"""What instruction-set levels promise each other: ``docs/support.rst`` says it in words.

What is decided is the same on every level, and so are all bits of what is summed one number after
the other or in integers; sums and functions in vectors may differ in their last digits."""

import os
import subprocess
import sys

import numpy as np
import pytest

from statfast._core.tile import tiles

LEVELS = tiles.levels()

FITS = """
import sys

import numpy as np

import statfast as sf

rng = np.random.default_rng(7)
X = rng.standard_normal((600, 9)) + np.repeat(np.eye(3, 9) * 2, 200, axis=0)
y, t = np.repeat(np.arange(3), 200), X @ np.arange(9.0) + rng.standard_normal(600)
same, rounded, solved = {}, {}, {}
for algorithm in ("brute", "kd_tree", "ball_tree"):
    found = sf.NearestNeighbors(n_neighbors=5, algorithm=algorithm).fit(X).kneighbors(X[:99] + 0.01)
    same[f"{algorithm}: distances"], same[f"{algorithm}: neighbors"] = found
means = sf.KMeans(5, random_state=0).fit(X)
same["k-means: labels"], same["k-means: centers"] = means.labels_, means.cluster_centers_
medoids = sf.KMedoids(3, random_state=0).fit(X)
same["k-medoids"], same["their loss"] = medoids.medoid_indices_, medoids.inertia_
merged = sf.AgglomerativeClustering(3, compute_distances=True).fit(X)
same["merges"], rounded["heights"] = merged.children_, merged.distances_
genie = sf.AgglomerativeClustering(3, linkage="genie", compute_distances=True).fit(X)
same["genie"], rounded["heights of genie"] = genie.children_, genie.distances_
for columns in (2, 9):
    for metric in ("euclidean", "manhattan"):
        dense = sf.HDBSCAN(10, metric=metric).fit(np.hstack([X[:, :columns], X[:, : columns - 2]]))
        name = f"HDBSCAN of {columns} columns by {metric}"
        same[name], rounded[f"{name}: scores"] = dense.labels_, dense.outlier_scores_
for name in ("DecisionTree", "RandomForest"):
    same[f"{name}Regressor"] = getattr(sf, f"{name}Regressor")(random_state=0).fit(X, t).predict(X)
    trees = getattr(sf, f"{name}Classifier")(random_state=0).fit(X, y)
    same[f"{name}Classifier"] = trees.predict_proba(X)
ada = sf.AdaBoostClassifier(random_state=0).fit(X, y)
same["AdaBoost"], same["its weights"] = ada.predict(X), ada.estimator_weights_
for name in ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "GaussianNB"):
    model = getattr(sf, name)().fit(X, y)
    same[name], rounded[f"{name}: probabilities"] = model.predict(X), model.predict_proba(X)
for name in ("LogisticRegression", "SVC"):
    model = getattr(sf, name)().fit(X, y)
    same[name], solved[f"{name}: values"] = model.predict(X), model.decision_function(X)
for name in ("LinearRegression", "HistGradientBoostingRegressor"):
    rounded[name] = getattr(sf, name)().fit(X, t).predict(X)
solved["Lasso"] = sf.Lasso().fit(X, t).predict(X)
for file, kind in zip(sys.argv[1:], (same, rounded, solved), strict=True):
    np.savez(file, **kind)
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    def answers_on_level(level):
        files = [tmp_path_factory.mktemp("answers") / f"{kind}.npz" for kind in range(3)]
        command = [sys.executable, "-W", "ignore", "-c", FITS, *map(str, files)]
        subprocess.run(command, env=os.environ | {"STATFAST_ISA": level}, check=True)
        return [dict(np.load(file)) for file in files]

    return {level: answers_on_level(level) for level in LEVELS}


# A solver that stops at a tolerance may stop a step earlier.
@pytest.mark.once
@pytest.mark.parametrize("level", LEVELS[:-1])
def test_levels_give_the_same_answers(level, answers):
    for of_level, plain, error in zip(
        answers[level], answers[LEVELS[-1]], (0, 1e-12, 1e-6), strict=True
    ):
        for name, expected in plain.items():
            found, atol = of_level[name], error * np.abs(expected).max()
            np.testing.assert_allclose(found, expected, rtol=0, atol=atol, err_msg=name)
