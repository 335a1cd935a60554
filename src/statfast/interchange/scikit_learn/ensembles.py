# SPDX-License-Identifier: BSD-3-Clause
"""Ensembles of models that are converted each: AdaBoost, bagging, voting and stacking.

Members of scikit-learn's voting and stacking classifiers know the places of labels, ours the
labels: the classes of converted members are called by the others.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from statfast import ensemble
from statfast._estimator import ByName, copied
from statfast._typing import Array
from statfast.ensemble.bagging.model import BaggingDraws
from statfast.interchange.scikit_learn.shared_parameters import (
    names_of,
    require,
    sklearn_model,
    statfast_model,
    with_names,
)

Convert = Callable[[Any], Any]
DROP = "drop"
OF_BAGGING = ("classes_", "n_classes_", "oob_score_")
OF_LABELS = ("AdaBoostClassifier", "StackingClassifier", "VotingClassifier")


# ------------------------------------------------------------------ AdaBoost
def _adaboost(model: Any, members: list[Any]) -> dict[str, Any]:
    """What both libraries publish of the members and their weights."""
    count = len(members)
    learned = {
        "estimators_": members,
        "estimator_weights_": np.array(model.estimator_weights_[:count], np.float64),
        "estimator_errors_": np.array(model.estimator_errors_[:count], np.float64),
        "estimator_": copied(members[0]),
    }
    if hasattr(model, "classes_"):
        learned |= {"classes_": model.classes_, "n_classes_": len(model.classes_)}
    return learned


def _read_adaboost(model: Any, convert: Convert) -> Any:
    require(
        getattr(model, "algorithm", "SAMME") != "SAMME.R", model, "with algorithm='SAMME.R'",
        "Fit it with algorithm='SAMME'.",
    )  # fmt: skip
    # Members there are given arrays, whose columns have no names.
    members = [with_names(convert(member), names_of(model)) for member in model.estimators_]
    learned = _adaboost(model, members)
    if hasattr(model, "classes_"):
        learned |= {"_seen": None, "alphas_": learned["estimator_weights_"] / 2.0}
    else:
        learned["_seen"] = [None] * len(learned["estimators_"])
    base = learned["estimator_"]
    return statfast_model(
        getattr(ensemble, type(model).__name__), model, parameters={"estimator": base}, **learned
    )


def _write_adaboost(model: Any, convert: Convert) -> Any:
    import sklearn.ensemble
    from sklearn.base import clone

    require(
        not any(model._seen or []), model, "of members that know some rows alone",
        "Fit it to members that take rows of features.",
    )  # fmt: skip
    members = [convert(with_names(member, None)) for member in model.estimators_]
    learned = {**_adaboost(model, model.estimators_), "estimators_": members}
    learned["estimator_"] = clone(members[0])
    parameters: dict[str, Any] = {"estimator": clone(members[0])}
    kind = getattr(sklearn.ensemble, type(model).__name__)
    if kind().get_params().get("algorithm") == "SAMME.R":  # the default until 1.5
        parameters["algorithm"] = "SAMME"
    return sklearn_model(
        "ensemble", type(model).__name__, model, parameters=parameters,
        **learned,
    )  # fmt: skip


# ------------------------------------------------------------------ bagging
def _read_bagging(model: Any, convert: Convert) -> Any:
    """Members know places of labels in both libraries."""
    _require_one_output(model)
    width, names = int(model.n_features_in_), names_of(model)
    members = [
        with_names(convert(member), None if names is None else names[columns])
        for member, columns in zip(model.estimators_, model.estimators_features_, strict=True)
    ]
    everything = np.arange(width)
    kept = [
        None if np.array_equal(columns, everything) else np.asarray(columns)
        for columns in model.estimators_features_
    ]
    draws = BaggingDraws(
        0, 0, width, 0, int(model._max_features), bool(model.bootstrap),
        bool(model.bootstrap_features), None, None, kept=kept,
    )  # fmt: skip
    learned = {name: getattr(model, name) for name in OF_BAGGING if hasattr(model, name)}
    base = copied(members[0])
    parameters = {"estimator": None if model.estimator is None else base, "warm_start": False}
    return statfast_model(
        getattr(ensemble, type(model).__name__), model, parameters=parameters, estimator_=base,
        _members=members, _draws=draws, **learned,
    )  # fmt: skip


def _write_bagging(model: Any, convert: Convert) -> Any:
    from sklearn.base import clone

    require(
        model._draws.seen is None, model, "of members that know some rows alone",
        "Fit it to members that take rows of features.",
    )  # fmt: skip
    members = [convert(with_names(member, None)) for member in model.estimators_]
    columns = model.estimators_features_
    base = clone(members[0])
    learned = {name: getattr(model, name) for name in OF_BAGGING if hasattr(model, name)}
    return sklearn_model(
        "ensemble", type(model).__name__, model, parameters={"estimator": base},
        estimator_=clone(base), estimators_=members, _max_features=len(columns[0]),
        estimators_features_=[np.asarray(places) for places in columns], **learned,
    )  # fmt: skip


# ------------------------------------------------------------------ names of classes
def renamed(model: Any, old: Array, new: Array) -> Any:
    """A fitted classifier of statfast that calls its classes otherwise, in the same order.

    What is not a classifier stays as it is.
    """
    if not hasattr(model, "classes_"):
        return model
    made = copy.copy(model)
    name = type(model).__name__
    if name == "Pipeline":
        *steps, (last, final) = model.steps_
        made.steps_ = [*steps, (last, renamed(final, old, new))]
    if name in OF_LABELS:
        made.estimators_ = [renamed(member, old, new) for member in model.estimators_]
    if name == "StackingClassifier":
        made.final_estimator_ = renamed(model.final_estimator_, old, new)
        made._labels = new
    made.classes_ = new[np.searchsorted(old, model.classes_)]
    return made


def _require_one_output(model: Any) -> None:
    require(
        not isinstance(getattr(model, "classes_", None), list), model, "of several outputs",
        "Convert one for each output.",
    )  # fmt: skip


# ------------------------------------------------------------------ voting and stacking
def _named(model: Any, members: list[Any]) -> tuple[list[str], list[tuple[str, Any]]]:
    """The names of all members that are not dropped, and of all with these in their order."""
    left = iter(members)
    pairs = [
        (name, DROP if isinstance(member, str) else next(left)) for name, member in model.estimators
    ]
    return [name for name, member in pairs if member is not DROP], pairs


def _read_members(model: Any, convert: Convert) -> tuple[list[Any], dict[str, Any], list[Any]]:
    """Members, what ensembles of them publish, and the parameter `estimators`."""
    _require_one_output(model)
    members = [convert(member) for member in model.estimators_]
    learned: dict[str, Any] = {}
    if hasattr(model, "classes_"):
        learned["classes_"] = model.classes_
        members = _of_labels(model, members)
    names, pairs = _named(model, members)
    learned |= {"estimators_": members, "named_estimators_": ByName(pairs), "_names": names}
    unfitted = [(name, m if m is DROP else copied(m)) for name, m in pairs]
    return members, learned, unfitted


def _of_labels(model: Any, members: list[Any]) -> list[Any]:
    """Members that call the classes by their labels.

    Those that were fitted before, to the labels, do so; what they predict is no place, as which
    scikit-learn takes it.
    """
    places = np.arange(len(model.classes_))
    methods = getattr(model, "stack_method_", ["predict"] * len(members))
    require(
        all(
            _knows(member, places) or (_knows(member, model.classes_) and method != "predict")
            for member, method in zip(members, methods, strict=True)
        ),
        model, "with members that were fitted to other labels before",
        "Fit it without cv='prefit', or with stack_method='predict_proba'.",
    )  # fmt: skip
    return [
        renamed(member, places, model.classes_) if _knows(member, places) else member
        for member in members
    ]


def _knows(member: Any, classes: Array) -> bool:
    """Whether a member is a regressor, or has these classes."""
    known = getattr(member, "classes_", classes)
    return np.shape(known) == np.shape(classes) and bool(np.all(known == classes))


def _read_voting(model: Any, convert: Convert) -> Any:
    weights = np.ones(len(model.estimators)) if model.weights is None else np.array(model.weights)
    require(bool((weights >= 0.0).all()), model, "with negative weights", "Drop these members.")
    kept = [not isinstance(member, str) for _, member in model.estimators]
    _, learned, unfitted = _read_members(model, convert)
    return statfast_model(
        getattr(ensemble, type(model).__name__), model, exact=True,
        parameters={"estimators": unfitted}, _member_weights=weights[kept].astype(np.float64),
        **learned,
    )  # fmt: skip


def _read_stacking(model: Any, convert: Convert) -> Any:
    members, learned, unfitted = _read_members(model, convert)
    final = convert(model.final_estimator_)
    if "classes_" in learned:
        final = renamed(final, np.arange(len(model.classes_)), model.classes_)
    parameters = {"estimators": unfitted}
    if model.final_estimator is not None:
        parameters["final_estimator"] = copied(final)
    return statfast_model(
        getattr(ensemble, type(model).__name__), model, parameters=parameters,
        final_estimator_=final, stack_method_=list(model.stack_method_),
        strategies_=["by scikit-learn"] * len(members), _labels=learned.get("classes_"),
        _widths=list(model._n_feature_outs), **learned,
    )  # fmt: skip


def _write_members(model: Any, convert: Convert) -> tuple[dict[str, Any], list[Any]]:
    """What ensembles of scikit-learn publish of their members, and the parameter `estimators`."""
    from sklearn.base import clone
    from sklearn.utils import Bunch

    members, learned = model.estimators_, {}
    if hasattr(model, "classes_"):
        learned["classes_"] = model.classes_
        places = np.arange(len(model.classes_))
        members = [renamed(member, model.classes_, places) for member in members]
    members = [convert(member) for member in members]
    _, pairs = _named(model, members)
    learned |= {"estimators_": members, "named_estimators_": Bunch(**dict(pairs))}
    return learned, [(name, m if m is DROP else clone(m)) for name, m in pairs]


def _write_voting(model: Any, convert: Convert) -> Any:
    from sklearn.preprocessing import LabelEncoder

    learned, unfitted = _write_members(model, convert)
    if "classes_" in learned:
        learned["le_"] = LabelEncoder().fit(model.classes_)
    return sklearn_model(
        "ensemble", type(model).__name__, model, parameters={"estimators": unfitted}, **learned
    )


def _write_stacking(model: Any, convert: Convert) -> Any:
    from sklearn.base import clone
    from sklearn.preprocessing import LabelEncoder

    learned, unfitted = _write_members(model, convert)
    final = model.final_estimator_
    if "classes_" in learned:
        final = renamed(final, model.classes_, np.arange(len(model.classes_)))
        learned["_label_encoder"] = LabelEncoder().fit(model.classes_)
    final = convert(final)
    parameters = {"estimators": unfitted}
    if model.final_estimator is not None:
        parameters["final_estimator"] = clone(final)
    return sklearn_model(
        "ensemble", type(model).__name__, model, parameters=parameters, final_estimator_=final,
        stack_method_=list(model.stack_method_), _n_feature_outs=list(model._widths), **learned,
    )  # fmt: skip


CONVERSIONS_BY_CLASS = {  # functions that read it, and write it
    **dict.fromkeys(("AdaBoostClassifier", "AdaBoostRegressor"), (_read_adaboost, _write_adaboost)),
    **dict.fromkeys(("BaggingClassifier", "BaggingRegressor"), (_read_bagging, _write_bagging)),
    **dict.fromkeys(("VotingClassifier", "VotingRegressor"), (_read_voting, _write_voting)),
    **dict.fromkeys(("StackingClassifier", "StackingRegressor"), (_read_stacking, _write_stacking)),
}
