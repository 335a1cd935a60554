# SPDX-License-Identifier: BSD-3-Clause
"""How models are judged: held-out rows, rankings and scores."""

from __future__ import annotations

import time

import numpy as np

from statfast._tour.finding import Finding
from statfast.datasets import load_iris
from statfast.generative import LinearDiscriminantAnalysis
from statfast.metrics import ranking_error, score_decomposition
from statfast.model_selection import StratifiedKFold, cross_validate


def model_selection() -> Finding:
    """Ten folds of iris from merged statistics, beside the same folds fitted one by one."""
    iris = load_iris()
    model, folds = LinearDiscriminantAnalysis(), StratifiedKFold(10)

    start = time.perf_counter()
    validated = cross_validate(model, iris.data, iris.target, cv=folds)
    seconds = time.perf_counter() - start

    known = [
        model.fit(iris.data[train], iris.target[train]).score(iris.data[test], iris.target[test])
        for train, test in folds.split(iris.data, iris.target)
    ]
    scores = validated["test_score"].tolist()
    return Finding(
        f"Cross-validation by {validated.path}: LDA of iris, 10 folds",
        [f"accuracy: {np.mean(scores):.3f}, by refits of each fold {np.mean(known):.3f}"],
        scores == known,
        seconds,
    )


def evaluation() -> Finding:
    """The leaves of a scoring tree, ranked, and the parts of a score, against the known answers."""
    positive, leaf = [1, 0] * 3, [3, 3, 2, 2, 1, 1]
    counts, known, known_parts = [20, 5, 10, 5, 20, 40], "29/100", (0.75, 0.625, 0.125, 0.25)

    start = time.perf_counter()
    error = ranking_error(positive, leaf, sample_weight=counts, as_fraction=True)
    parts = score_decomposition([0, 0, 1, 1], [-1.0, 1.0, 1.0, 2.0])
    seconds = time.perf_counter() - start

    return Finding(
        "Evaluation: a tree of three leaves ranked, a score and its parts",
        [
            f"ranking error: {error}, known {known}; score: {parts.score:g} = "
            f"{parts.miscalibration:g} - {parts.discrimination:g} + {parts.uncertainty:g}",
        ],
        str(error) == known and bool(np.allclose(parts, known_parts, rtol=1e-14)),
        seconds,
    )
