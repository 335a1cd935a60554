# SPDX-License-Identifier: BSD-3-Clause
"""Scorers: what to ask of an estimator, and how to rate what it says; greater is better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import Any, Self

import numpy as np

from statfast._typing import Array
from statfast._validation import as_estimator, as_weights, shape_of, shown, to_array

RESPONSES = ("predict", "predict_proba", "positive", "threshold")


@dataclass(frozen=True)
class Scorer:
    """A score of an estimator, called as ``scorer(estimator, X, y, sample_weight=None)``.

    Attributes
    ----------
    function : callable
        ``function(y, response, **arguments)``.
    response : str
        What the estimator is asked: "predict", "predict_proba", "positive" (the probability of the
        second of two classes, or of the one that `arguments` name as ``pos_label``) or "threshold"
        (its decision values or, without them, as "positive").
        Of several classes "positive" and "threshold" are all columns; of several labels a row, a
        column for each label.
    sign : int
        -1 if less of `function` is better.
    arguments : dict
        Of `function`.
    name : str
    each : callable or None
        ``each(y, response, classes)``: the scores of single rows, if a score of one row is that.
    requests : dict
        The requests made by `set_score_request`.
    """

    function: Callable[..., Any]
    response: str = "predict"
    sign: int = 1
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    name: str = ""
    each: Callable[..., Any] | None = None
    requests: dict[str, Any] = field(default_factory=dict[str, Any], repr=False)

    def __call__(
        self, estimator: Any, X: Any, y: Any = None, sample_weight: Any = None, **arguments: Any
    ) -> Any:
        more = self.arguments | arguments
        answers = self.asked(estimator, X)
        if sample_weight is not None:
            if not _takes_weights(self.function):
                raise ValueError(
                    f"{self!r} takes no sample_weight. Leave it out, or choose another scoring."
                )
            more |= {
                name: with_weight(value, answers, sample_weight)[0]
                for name, value in arguments.items()
                if np.ndim(value) and len(value) == len(answers)
            }
            y, answers, more["sample_weight"] = with_weight(y, answers, sample_weight)
        classes = self.response != "predict" and answers.ndim == 2 and len(shape_of(y)) < 2
        if classes and "labels" not in more:
            more["labels"] = estimator.classes_
        return self.sign * self.function(y, answers, **more)

    def asked(self, estimator: Any, X: Any) -> Array:
        """What the estimator says of the rows."""
        method = self.method(estimator)
        ask = getattr(estimator, method, None)
        if ask is None:
            raise AttributeError(
                f"{self!r} asks for {method}, which {shown(estimator)} has not. Choose another "
                "scoring."
            )
        answers = ask(X)
        if isinstance(answers, list) and method == "predict_proba":
            return _of_labels(answers, estimator.classes_)
        answers = np.asarray(answers)
        if self.response not in ("positive", "threshold"):
            return answers
        first = self._rates_first(estimator)
        if method == "predict_proba":
            return answers[:, 1 - first] if answers.ndim == 2 and answers.shape[1] == 2 else answers
        return -answers if first and answers.ndim == 1 else answers

    def _rates_first(self, estimator: Any) -> bool:
        """Whether the function's ``pos_label`` is the first of the estimator's two classes."""
        classes = getattr(estimator, "classes_", None)
        label = self.arguments.get("pos_label")
        if label is None or classes is None or len(classes) != 2:
            return False
        return bool(classes[0] == label)

    def method(self, estimator: Any) -> str:
        """Which method of the estimator is asked."""
        if self.response == "threshold":
            known = getattr(estimator, "decision_function", None)
            return "predict_proba" if known is None else "decision_function"
        return "predict_proba" if self.response == "positive" else self.response

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Request arguments of the function, for scikit-learn's metadata routing.

        Parameters
        ----------
        **requests : bool, None or str
            For each argument, such as ``sample_weight=True``: whether it is passed, or the name
            under which it is.

        Returns
        -------
        Scorer
            This one.
        """
        self.requests.clear()
        self.requests.update(requests)
        return self

    def get_metadata_routing(self) -> Any:
        """What the scorer requests from scikit-learn's meta-estimators.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
        """
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        unasked = dict.fromkeys(_names_of_arguments(self.function))
        for name, alias in (self.requests or unasked).items():
            request.score.add_request(param=name, alias=alias)
        return request

    def __repr__(self) -> str:
        name = self.name or getattr(self.function, "__name__", repr(self.function))
        return f"Scorer({name})"


def _names_of_arguments(function: Callable[..., Any]) -> list[str]:
    """The arguments of a score beside targets and answers."""
    try:
        parameters = list(signature(function).parameters.values())
    except (TypeError, ValueError):
        return []
    named = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    return [parameter.name for parameter in parameters[2:] if parameter.kind in named]


def _takes_weights(function: Callable[..., Any]) -> bool:
    """Whether a score has an argument sample_weight, or takes any, or does not tell."""
    try:
        parameters = signature(function).parameters
    except (TypeError, ValueError):
        return True
    return "sample_weight" in parameters or any(
        p.kind is p.VAR_KEYWORD for p in parameters.values()
    )


def with_weight(y: Any, answers: Array, sample_weight: Any) -> tuple[Any, Array, Array]:
    """Targets, answers and weights of the rows that have weight: others are not there to rate."""
    weights = as_weights(sample_weight, len(answers))
    assert weights is not None
    if (weights > 0.0).all():
        return y, answers, weights
    kept = np.flatnonzero(weights)
    return to_array(y, "y", "an array of targets")[kept], answers[kept], weights[kept]


def weighted_mean(values: Array, sample_weight: Any) -> float:
    """The mean of a value of each row; rows without weight may have any, such as infinity."""
    if sample_weight is None:
        return float(values.mean(dtype=np.float64))
    _, kept, weights = with_weight(values, values, sample_weight)
    return float(np.average(kept, weights=weights))


def _of_labels(answers: list[Any], classes: Sequence[Any]) -> Array:
    """The probability of each of several labels a row, from a table of probabilities for each."""
    tables = [np.asarray(table) for table in answers]
    return np.column_stack([
        table[:, -1] if table.shape[1] > 1 or known[0] else 1.0 - table[:, 0]
        for table, known in zip(tables, classes, strict=True)
    ])  # fmt: skip


def by_score(
    estimator: Any, X: Any, y: Any = None, sample_weight: Any = None, **arguments: Any
) -> Any:
    """The estimator's own ``score``, the scorer for ``scoring=None``: by weight if it takes any."""
    score = as_estimator(estimator, method="score").score
    weighted = sample_weight is not None and _takes_weights(score)
    more = arguments | ({"sample_weight": sample_weight} if weighted else {})
    if y is not None:
        return score(X, y, **more)
    targets = signature(score).parameters.get("y")
    if targets is not None and targets.default is targets.empty:
        raise ValueError(f"y must be passed to the score of {type(estimator).__name__}; got None.")
    return score(X, **more)


@dataclass(frozen=True)
class Answers:
    """What an estimator says of some rows, known before it is asked: stands for it in a scorer."""

    answers: dict[str, Any]  # The answers by method.
    classes_: Any = None
    kind: Any = None  # the class of the estimator, whose ``score`` is asked for

    def score(self, X: Any, y: Any, sample_weight: Any = None, **arguments: Any) -> Any:
        """The estimator's own score of these answers."""
        weighted = sample_weight is not None and _takes_weights(self.kind.score)
        more = arguments | ({"sample_weight": sample_weight} if weighted else {})
        return self.kind.score(self, X, y, **more)

    def __getattr__(self, method: str) -> Any:
        answers = object.__getattribute__(self, "answers")
        if method not in answers:
            raise AttributeError(method)
        return lambda X: answers[method]
