# SPDX-License-Identifier: BSD-3-Clause
"""What curves of scores are drawn of: labels with scores, models with rows, or several by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import shown, unusable_model, wrong_type
from statfast.metrics.ranking.two_classes import binary_codes, rows_for_ranking


@dataclass(frozen=True)
class Ranking:
    """Rows with their scores, and the labels 0 and 1; ``crisp`` scores are decisions."""

    name: str | None
    codes: Array
    scores: Array
    crisp: bool

    def decision_rates(self) -> tuple[float, float]:
        """Shares of the negatives and of the positives whose decision is positive."""
        low, high = self.scores.min(), self.scores.max()
        positive = self.scores > (low if low < high else 0.5)  # Decisions may be all the same.
        return float(positive[self.codes == 0].mean()), float(positive[self.codes == 1].mean())


def rankings_of(truth: Any, scores: Any, y: Any, pos_label: Any) -> list[Ranking]:
    """One ranking without a name, or several of a dict of models or of scores."""
    if isinstance(truth, Mapping):
        if y is None:
            raise TypeError(
                f"y must be passed with models; got {shown(y)}. Pass the rows as scores, and their "
                "labels as y."
            )
        named = {name: (model, scores, y) for name, model in truth.items()}
    elif isinstance(scores, Mapping):
        if y is not None:
            raise TypeError(
                "y must be left out where scores are a dict; pass the labels as truth, or models."
            )
        named = {name: (truth, one, None) for name, one in scores.items()}
    else:
        codes, values = ranking_of(truth, scores, y, pos_label)
        return [Ranking(None, codes, values, y is not None and not has_scores(truth))]
    if not named:
        raise wrong_type("scores" if y is None else "truth", "a dict of one or more", named)
    rankings = []
    for name, (model, values, labels) in named.items():
        codes, values = ranking_of(model, values, labels, pos_label)
        decides = len(np.unique(values)) == 2 or (labels is not None and not has_scores(model))
        rankings.append(Ranking(str(name), codes, values, decides))
    return rankings


def ranking_of(truth: Any, scores: Any, y: Any, pos_label: Any) -> tuple[Array, Array]:
    """Labels as 0 and 1, and scores: given, or those of a model."""
    if y is not None:
        codes, values = asked(truth, scores, y, pos_label)
        rows = rows_for_ranking(codes, values, 1)
    else:
        rows = rows_for_ranking(truth, scores, pos_label)
    return rows[1], rows[0]


def has_scores(model: Any) -> bool:
    """Whether a classifier gives more than decisions."""
    return hasattr(model, "predict_proba") or hasattr(model, "decision_function")


def asked(model: Any, X: Any, y: Any, pos_label: Any) -> tuple[Array, Array]:
    """Labels as 0 and 1, and the scores of the positive class of a model, or its decisions."""
    if isinstance(model, type) or not hasattr(model, "predict"):
        raise TypeError(
            f"truth must be a fitted classifier where y is passed; got {shown(model)}. Leave y "
            "out, or pass a model."
        )
    if not hasattr(model, "classes_"):
        raise unusable_model(model, "a fitted classifier", "truth")
    classes = list(model.classes_)
    if len(classes) != 2:
        raise ValueError(f"The model must have two classes; it has {len(classes)}.")
    positive = classes[1] if pos_label is None else pos_label
    if positive not in classes:
        raise ValueError(f"pos_label={pos_label!r} is not a class of the model: {classes}.")
    if hasattr(model, "predict_proba"):
        scores = np.asarray(model.predict_proba(X))[:, classes.index(positive)]
    elif hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=float)
        scores = scores if positive == classes[1] else -scores
    else:
        scores = (np.asarray(model.predict(X)) == positive).astype(float)
    return binary_codes(y, positive, usual=False), scores
