# SPDX-License-Identifier: BSD-3-Clause
"""Estimators by duck typing: copied unfitted, and asked whether they take weights."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np


def copied(estimator: Any) -> Any:
    """An unfitted estimator with the same parameters, estimators among them copied as well."""
    if not hasattr(estimator, "get_params"):
        return copy.deepcopy(estimator)
    if hasattr(estimator, "__sklearn_clone__"):
        return estimator.__sklearn_clone__()
    params = {name: _copied(value) for name, value in estimator.get_params(deep=False).items()}
    new = type(estimator)(**params)
    for name in _ASKED:
        if name in getattr(estimator, "__dict__", ()):
            setattr(new, name, copy.deepcopy(estimator.__dict__[name]))
    return new


def with_params(estimator: Any, params: Mapping[str, Any] | None) -> Any:
    """An unfitted copy with some parameters changed; estimators among their values are copied, too,
    as a user's own are to stay as they are, whoever sets parameters of theirs or fits them."""
    model = copied(estimator)
    if params:
        model.set_params(**{name: _copied(value) for name, value in params.items()})
    return model


def parameters_key(
    params: Mapping[str, Any], ignored: Collection[str] = ()
) -> tuple[tuple[str, Any], ...]:
    """A key of parameters: two have the same if their values, all but the ignored, surely are."""
    return tuple(
        (name, repr(value) if isinstance(value, _PLAIN) else id(value))
        for name, value in params.items()
        if name not in ignored
    )


_PLAIN = (str, bool, int, float, complex, type(None), np.number, np.bool_)
# Settings that the user has made on an estimator.
_ASKED = ("_sklearn_output_config", "_metadata_request")


def _copied(value: Any) -> Any:
    if isinstance(value, _PLAIN):
        return value
    if hasattr(value, "get_params") and not isinstance(value, type):
        return copied(value)
    if type(value) in (list, tuple):  # Such as the steps of a pipeline.
        return type(value)(_copied(part) for part in value)
    return copy.deepcopy(value)


class HandsWeightsOn:
    """Mixin of wrappers whose ``fit`` hands weights on to that of ``estimator``, or of several."""

    estimator: Any

    def _weighted_members(self) -> list[Any]:
        """The estimators that are to take weights."""
        return [self.estimator]


def takes_weights(estimator: Any) -> bool:
    """Whether ``fit`` has an argument sample_weight, and so that of an estimator to which a wrapper
    hands them on."""
    if isinstance(estimator, HandsWeightsOn):
        members = estimator._weighted_members()
        if not all(takes_weights(member) for member in members):
            return False
    try:
        parameters = inspect.signature(estimator.fit).parameters
    except (TypeError, ValueError):
        return False
    return "sample_weight" in parameters or any(
        p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()
    )
