# SPDX-License-Identifier: BSD-3-Clause
"""Generative models: normal classes, naive Bayes and language models."""

from __future__ import annotations

import time

import numpy as np

from statfast._tour.finding import Finding, beside, cross_table
from statfast.datasets import load_wine
from statfast.generative import LinearDiscriminantAnalysis, MixedNB
from statfast.generative import QuadraticDiscriminantAnalysis as QuadraticRule
from statfast.text import NGramLanguageModel


def discriminant_analysis() -> Finding:
    """Wine cultivars from two measurements, against the published tables."""
    wine = load_wine()
    X = wine.data[:, [wine.feature_names.index(name) for name in ("alcohol", "flavanoids")]]
    known = [[56, 3, 0], [4, 60, 7], [0, 0, 48]]
    known_quadratic = 167, 166  # the latter by R, which keeps the priors of all rows
    shares = np.bincount(wine.target) / len(wine.target)

    start = time.perf_counter()
    predicted = LinearDiscriminantAnalysis().fit(X, wine.target).predict(X)
    model = QuadraticRule(method="moment", priors=shares).fit(X, wine.target)
    predictions = model.predict(X), model.leave_one_out(X, wine.target, method="predict")
    seconds = time.perf_counter() - start

    table = cross_table(wine.target, predicted)
    quadratic = tuple(int((labels == wine.target).sum()) for labels in predictions)
    return Finding(
        "Discriminant analysis: wine by alcohol and flavanoids, 178 x 2, 3 cultivars",
        [
            *beside("cultivar", wine.target_names, "classified as", table, known),
            "by quadratic rules {}, with each left out {}; known {}, {}".format(
                *quadratic, *known_quadratic
            ),
            f"correct: {table.trace()} of 178, known 164",
        ],
        table.tolist() == known and quadratic == known_quadratic,
        seconds,
    )


def naive_bayes() -> Finding:
    """Who survived the Titanic, by class, sex and age (R's ``Titanic``), against e1071."""
    kinds = [(c, s, a) for a in ("child", "adult") for s in "mf" for c in ("1", "2", "3", "crew")]
    died = [0, 0, 35, 0, 0, 0, 17, 0, 118, 154, 387, 670, 4, 13, 89, 3]
    survived = [5, 11, 13, 0, 1, 13, 14, 0, 57, 14, 75, 192, 140, 80, 76, 20]
    X, y = np.array(kinds * 2, dtype=object), np.repeat([0, 1], 16)
    known = [0.303940701063754, 0.900729937509144]

    start = time.perf_counter()
    model = MixedNB(alpha=0.0).fit(X, y, sample_weight=np.array(died + survived, dtype=float))
    asked = np.array([("3", "m", "child"), ("1", "f", "adult")], dtype=object)
    chances = model.predict_proba(asked)[:, 1]
    seconds = time.perf_counter() - start

    return Finding(
        "Naive Bayes: survival on the Titanic, 2201 people by class, sex and age",
        [
            "boy of 3rd class {:.6f}, woman of 1st {:.6f}; known {:.6f}, {:.6f}".format(
                *chances, *known
            ),
        ],
        bool(np.allclose(chances, known, rtol=1e-12)),
        seconds,
    )


def language_models() -> Finding:
    """Trigrams of two short texts, against the model that KenLM writes of them."""
    known = [-0.37712017, -0.20102891]

    start = time.perf_counter()
    model = NGramLanguageModel(order=3).fit(["a a b a", "b a a b"])
    asked = [("a", ["<s>"]), ("b", ["a", "a"])]
    scores = [model.log_score(word, context) / np.log(10.0) for word, context in asked]
    seconds = time.perf_counter() - start

    return Finding(
        "Language model: modified Kneser-Ney trigrams of two texts",
        [
            "log10 P(a|<s>): {:.6f}, P(b|a a): {:.6f}; known {:.6f}, {:.6f}".format(
                *scores, *known
            ),
        ],
        bool(np.allclose(scores, known, rtol=0.0, atol=1e-7)),
        seconds,
    )
