# SPDX-License-Identifier: BSD-3-Clause
"""Models of the other library made of what one has learned: parameters, names of columns, output.

Parameters go over where the other class has one of that name and takes the value. What is left out
matters to a fit alone: converters refuse what predictions depend on and the other does not have.
"""

from __future__ import annotations

import copy
import inspect
from importlib import import_module
from typing import Any

import numpy as np

# Parameters that change no answer of a fitted model.
OF_SPEED = ("algorithm", "copy", "leaf_size", "n_jobs", "random_state", "svd_solver", "verbose")
SENTINELS = ("warn", "deprecated")  # of scikit-learn, in place of values


class NotConverted(TypeError):
    """What of a model has no equal in the other library, in a sentence."""


def statfast_model(
    kind: Any,
    model: Any,
    *,
    parameters: dict[str, Any] | None = None,
    exact: bool = False,
    **learned: Any,
) -> Any:
    """An estimator of the class `kind` of statfast that has learned what `model` has.

    `parameters` take the place of those of the model. With `exact`, answers depend on parameters,
    and one whose value is not taken is refused.
    """
    made = statfast_unfitted(kind, model, parameters=parameters, exact=exact)
    names = getattr(model, "feature_names_in_", None)
    if names is not None and "feature_names_in_" not in learned:
        learned["feature_names_in_"] = names
    if "n_features_in_" not in learned:
        learned["n_features_in_"] = int(model.n_features_in_)
    return made._publish(None, **_copies(learned))


def statfast_unfitted(
    kind: Any, model: Any, *, parameters: dict[str, Any] | None = None, exact: bool = False
) -> Any:
    """An estimator of the class `kind` of statfast with the parameters of `model`."""
    accepted = {}
    values = {**model.get_params(deep=False), **(parameters or {})}
    for name, declared in kind._declared.items():
        if name not in values or (isinstance(values[name], str) and values[name] in SENTINELS):
            continue
        try:
            declared.check(values[name], name)
        except (TypeError, ValueError):
            _require_harmless(exact, model, name)
            continue
        accepted[name] = values[name]
    made = kind(**accepted)
    _copy_settings(model, made)
    return made


def sklearn_model(
    module: str,
    name: str,
    model: Any,
    *,
    parameters: dict[str, Any] | None = None,
    exact: bool = False,
    **learned: Any,
) -> Any:
    """An estimator of scikit-learn that has learned what `model`, of statfast, has."""
    made = sklearn_unfitted(module, name, model, parameters=parameters, exact=exact)
    learned.setdefault("n_features_in_", int(model.n_features_in_))
    if hasattr(model, "feature_names_in_"):
        learned["feature_names_in_"] = np.array(model.feature_names_in_, dtype=object)
    vars(made).update(_copies(learned))  # beside properties of older versions
    return made


def sklearn_unfitted(
    module: str,
    name: str,
    model: Any,
    *,
    parameters: dict[str, Any] | None = None,
    exact: bool = False,
) -> Any:
    """An estimator of scikit-learn with the parameters of `model`, of statfast."""
    kind = getattr(import_module(f"sklearn.{module}"), name)
    known = inspect.signature(kind).parameters
    values = {**model.get_params(deep=False), **(parameters or {})}
    taken = {k: v for k, v in values.items() if k in known and _is_taken(kind, k, v)}
    for key in sorted(values.keys() & known.keys() - taken.keys()):
        _require_harmless(exact, model, key)
    made = kind(**taken)
    _copy_settings(model, made)
    return made


def with_names(member: Any, names: Any) -> Any:
    """A member of statfast that knows its columns by these names, or by none."""
    made = copy.copy(member)
    state = vars(made)
    if "steps_" in state:
        (name, first), *others = made.steps_
        made.steps_ = [(name, with_names(first, names)), *others]
    for key in ("estimator_", "regressor_"):  # of a selector, of a transformed target
        if key in state and type(made).__name__ in (
            "SelectFromModel",
            "TransformedTargetRegressor",
        ):
            state[key] = with_names(state[key], names)
    if type(made).__name__ == "FeatureUnion":
        made.transformers_ = [
            (name, step if isinstance(step, str) else with_names(step, names))
            for name, step in made.transformers_
        ]
    if type(made).__name__ == "ColumnTransformer":
        made.transformers_ = [
            (name, step if isinstance(step, str) else with_names(step, part), columns)
            for name, step, columns in made.transformers_
            for part in [_names_at(names, made._plan[name][0])]
        ]
    if "calibrated_classifiers_" in state:
        made.calibrated_classifiers_ = [copy.copy(one) for one in made.calibrated_classifiers_]
        for member in made.calibrated_classifiers_:
            member.estimator = with_names(member.estimator, names)
    if "estimators_" in state:
        made.estimators_ = [with_names(inner, names) for inner in made.estimators_]
    if "_members" in state:  # of a bagging, each of some columns
        made._members = [
            with_names(inner, _names_at(names, columns))
            for inner, columns in zip(made._members, made.estimators_features_, strict=True)
        ]
    state.pop("feature_names_in_", None)
    known = [name for name in state.get("_fitted", ()) if name != "feature_names_in_"]
    if names is not None and known:
        made.feature_names_in_ = np.array(names, dtype=object)
        known.append("feature_names_in_")
    if "_fitted" in state:
        made._fitted = tuple(known)
    return made


def _names_at(names: Any, places: Any) -> Any:
    return None if names is None else np.asarray(names, object)[places]


def names_of(model: Any) -> Any:
    """The names of columns that a model was fitted to, or None."""
    return getattr(model, "feature_names_in_", None)


def as_array(rows: Any) -> Any:
    """Sparse rows as scipy's arrays, whose ``*`` is of numbers; dense ones as they are."""
    if not hasattr(rows, "tocsr"):
        return rows
    from scipy.sparse import csr_array

    made = csr_array(rows)
    made.sum_duplicates()
    return made


def _require_harmless(exact: bool, model: Any, name: str) -> None:
    """Refuse a parameter whose value the other library does not take, if answers depend on it."""
    if exact and name not in OF_SPEED:
        value = getattr(model, name)
        require(False, model, f"with {name}={value!r}", "The other library has no such setting.")


def _copies(learned: dict[str, Any]) -> dict[str, Any]:
    """Arrays of their own: scikit-learn changes some in place, where learning goes on."""
    return {key: v.copy() if type(v) is np.ndarray else v for key, v in learned.items()}


def _is_taken(kind: Any, name: str, value: Any) -> bool:
    """Whether a class of scikit-learn takes the value of a parameter."""
    from sklearn.utils._param_validation import (
        InvalidParameterError,
        validate_parameter_constraints,
    )

    if isinstance(value, np.random.Generator):
        return False
    constraints = getattr(kind, "_parameter_constraints", {})
    if name not in constraints:
        return not type(value).__module__.startswith("statfast.")
    try:
        validate_parameter_constraints(
            {name: constraints[name]}, {name: value}, caller_name=kind.__name__
        )
    except InvalidParameterError:
        return False
    return True


def _copy_settings(source: Any, made: Any) -> None:
    output = vars(source).get("_sklearn_output_config")
    if output:
        made._sklearn_output_config = dict(output)


def require(condition: bool, model: Any, what: str, fix: str) -> None:
    """Refuse what has no equal: `what` it is, and a fix."""
    if not condition:
        raise NotConverted(f"{type(model).__name__} {what} is not converted. {fix}")
