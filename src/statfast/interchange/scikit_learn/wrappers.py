# SPDX-License-Identifier: BSD-3-Clause
"""Models that have others at work: one for each class or output, calibrated, side by side, and
those that select columns for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from statfast import calibration, feature_selection, multiclass, multioutput, pipeline
from statfast._estimator import copied
from statfast.calibration.calibrated import CalibratedClassifier
from statfast.interchange.scikit_learn.shared_parameters import (
    names_of,
    require,
    sklearn_model,
    sklearn_unfitted,
    statfast_model,
    statfast_unfitted,
    with_names,
)
from statfast.interchange.scikit_learn.transformers import require_same_columns

Convert = Callable[[Any], Any]
OUTPUTS = ("MultiOutputClassifier", "MultiOutputRegressor")


# ------------------------------------------------------------------ classes and outputs
def read_one_vs_rest(model: Any, convert: Convert) -> Any:
    """A model for each class."""
    require(
        not model.multilabel_, model, "of several labels a row", "Convert the model of each label."
    )
    require(
        all(hasattr(member, "get_params") for member in model.estimators_), model,
        "with a class that all rows have, or none,", "Leave the class out.",
    )  # fmt: skip
    kind = multiclass.OneVsRestClassifier
    members = [convert(member) for member in model.estimators_]
    parameters = {"estimator": copied(members[0])}
    code = statfast_unfitted(kind, model, parameters=parameters)._code(model.classes_)
    return statfast_model(
        kind, model, parameters=parameters, classes_=model.classes_, estimators_=members,
        n_classes_=len(model.classes_), code_=code, _seen=[None] * len(members),
        _column_weights=np.ones(code.n_classifiers),
        n_features_in_=int(members[0].n_features_in_),
    )  # fmt: skip


def write_one_vs_rest(model: Any, convert: Convert) -> Any:
    """A model for each class."""
    from sklearn.base import clone
    from sklearn.preprocessing import LabelBinarizer

    require(
        not model.multilabel_ and not model.ordered, model,
        "of several labels a row, or with ordered=True,", "Convert the model of each column.",
    )  # fmt: skip
    require(
        all(seen is None for seen in model._seen), model, "of members that know some rows alone",
        "Fit it to members that take rows of features.",
    )  # fmt: skip
    members = [convert(member) for member in model.estimators_]
    return sklearn_model(
        "multiclass", "OneVsRestClassifier", model, parameters={"estimator": clone(members[0])},
        estimators_=members, classes_=model.classes_,
        label_binarizer_=LabelBinarizer(sparse_output=True).fit(model.classes_),
    )  # fmt: skip


def read_outputs(model: Any, convert: Convert) -> Any:
    """A model for each output."""
    members = [convert(member) for member in model.estimators_]
    learned: dict[str, Any] = {"estimators_": members}
    if hasattr(model, "classes_"):
        learned["classes_"] = list(model.classes_)
    return statfast_model(
        getattr(multioutput, type(model).__name__), model,
        parameters={"estimator": copied(members[0])}, **learned,
        n_features_in_=int(members[0].n_features_in_),
    )  # fmt: skip


def write_outputs(model: Any, convert: Convert) -> Any:
    """A model for each output."""
    from sklearn.base import clone

    members = [convert(member) for member in model.estimators_]
    learned: dict[str, Any] = {"estimators_": members}
    if hasattr(model, "classes_"):
        learned["classes_"] = list(model.classes_)
    return sklearn_model(
        "multioutput", type(model).__name__, model, parameters={"estimator": clone(members[0])},
        **learned,
    )  # fmt: skip


# ------------------------------------------------------------------ calibration
def _require_known_calibration(model: Any) -> None:
    require(
        model.method != "temperature", model, "with method='temperature'",
        "Its logarithms of small probabilities are others there: fit it with statfast, or with "
        "method='sigmoid'.",
    )  # fmt: skip


def _converted_of_same_scores(model: Any, member: Any, convert: Convert) -> Any:
    """The classifier of a calibrated one, which both libraries ask for scores of one kind."""
    made = convert(member)
    require(
        hasattr(made, "decision_function") == hasattr(member, "decision_function"), model,
        f"of {type(member).__name__}, of whose scores one library calibrates those of "
        "decision_function, the other probabilities,", "Fit it by the library that is to use it.",
    )  # fmt: skip
    return made


def read_calibrated(model: Any, convert: Convert) -> Any:
    """Classifiers whose scores are calibrated."""
    _require_known_calibration(model)
    models = []
    for member in model.calibrated_classifiers_:
        classifier = _converted_of_same_scores(model, member.estimator, convert)
        curves = [
            (float(curve.a_), float(curve.b_))
            if member.method == "sigmoid"
            else (np.array(curve.X_thresholds_, float), np.array(curve.y_thresholds_, float))
            for curve in member.calibrators
        ]
        models.append(CalibratedClassifier(classifier, curves, member.classes, member.method))
    parameters = {} if model.estimator is None else {"estimator": copied(models[0].estimator)}
    return statfast_model(
        calibration.CalibratedClassifierCV, model, parameters=parameters, classes_=model.classes_,
        calibrated_classifiers_=models, n_features_in_=int(models[0].estimator.n_features_in_),
    )  # fmt: skip


def write_calibrated(model: Any, convert: Convert) -> Any:
    """Classifiers whose scores are calibrated."""
    from sklearn import calibration as theirs
    from sklearn.base import clone

    _require_known_calibration(model)
    members = model.calibrated_classifiers_
    require(
        all(member.seen is None and None not in member.calibrators for member in members), model,
        "of members that know some rows or classes alone", "Fit it with stratified folds.",
    )  # fmt: skip
    made = []
    for member in members:
        curves = []
        for first, second in member.calibrators:
            if member.method == "sigmoid":
                curve = theirs._SigmoidCalibration()
                curve.a_, curve.b_ = float(first), float(second)
            else:
                curve = theirs.IsotonicRegression(out_of_bounds="clip")
                curve.X_thresholds_, curve.y_thresholds_ = np.array(first), np.array(second)
                curve.X_min_, curve.X_max_ = float(first[0]), float(first[-1])
                curve.increasing_ = True
                curve._build_f(curve.X_thresholds_, curve.y_thresholds_)
            curves.append(curve)
        made.append(
            theirs._CalibratedClassifier(
                _converted_of_same_scores(model, member.estimator, convert),
                curves,
                classes=member.classes,
                method=member.method,
            )
        )
    parameters = {} if model.estimator is None else {"estimator": clone(made[0].estimator)}
    return sklearn_model(
        "calibration", "CalibratedClassifierCV", model, parameters=parameters,
        classes_=model.classes_, calibrated_classifiers_=made,
    )  # fmt: skip


# ------------------------------------------------------------------ targets and columns
def read_target(model: Any, convert: Convert) -> Any:
    """A regressor of a target that was transformed."""
    regressor, transformer = convert(model.regressor_), convert(model.transformer_)
    parameters = {"regressor": copied(regressor)}
    if model.transformer is not None:
        parameters["transformer"] = copied(transformer)
    return statfast_model(
        pipeline.TransformedTargetRegressor, model, parameters=parameters, regressor_=regressor,
        transformer_=transformer, _is_flat=model._training_dim == 1,
        n_features_in_=int(regressor.n_features_in_),
    )  # fmt: skip


def write_target(model: Any, convert: Convert) -> Any:
    """A regressor of a target that was transformed."""
    from sklearn.base import clone

    regressor, transformer = convert(model.regressor_), convert(model.transformer_)
    parameters = {"regressor": clone(regressor)}
    if model.transformer is not None:
        parameters["transformer"] = clone(transformer)
    return sklearn_model(
        "compose", "TransformedTargetRegressor", model, parameters=parameters,
        regressor_=regressor, transformer_=transformer, _training_dim=1 if model._is_flat else 2,
    )  # fmt: skip


def read_union(model: Any, convert: Convert) -> Any:
    """Transformers side by side."""
    fitted = [(n, t if isinstance(t, str) else convert(t)) for n, t in model.transformer_list]
    unfitted = [(n, t if isinstance(t, str) else copied(t)) for n, t in fitted]
    made = statfast_unfitted(
        pipeline.FeatureUnion, model, exact=True, parameters={"transformer_list": unfitted}
    )
    learned = {} if names_of(model) is None else {"feature_names_in_": names_of(model)}
    return made._publish(
        None, n_features_in_=getattr(model, "n_features_in_", None), transformers_=fitted,
        sparse_output_=any(_gives_sparse(step) for _, step in fitted), **learned,
        _n_features_out=len(model.get_feature_names_out()),
    )  # fmt: skip


def _gives_sparse(step: Any) -> bool:
    """Whether a transformer gives sparse rows of dense ones."""
    if type(step).__name__ == "Pipeline":
        return _gives_sparse(step.steps_[-1][1])
    words = type(step).__name__ in ("CountVectorizer", "TfidfTransformer", "TfidfVectorizer")
    return words or bool(
        getattr(step, "sparse_output", False) or getattr(step, "sparse_output_", False)
    )


def write_union(model: Any, convert: Convert) -> Any:
    """Transformers side by side."""
    fitted = [(n, t if isinstance(t, str) else convert(t)) for n, t in model.transformers_]
    return sklearn_unfitted(
        "pipeline", "FeatureUnion", model, exact=True, parameters={"transformer_list": fitted}
    )


# ------------------------------------------------------------------ columns that are selected
def read_selector(model: Any, convert: Convert) -> Any:
    """Columns by what a model says of them."""
    name, inner = type(model).__name__, convert(model.estimator_)
    if name == "RFE" and names_of(model) is not None:  # which is given arrays there
        inner = with_names(inner, names_of(model)[model.support_])
    learned: dict[str, Any] = {"estimator_": inner, "_takes_missing": True}
    if name == "RFE":
        learned |= {
            "n_features_": int(model.n_features_), "ranking_": model.ranking_,
            "support_": model.support_,
        }  # fmt: skip
    elif hasattr(model, "max_features_"):
        learned["max_features_"] = int(model.max_features_)
    made = statfast_model(
        getattr(feature_selection, name), model, exact=True, **learned,
        parameters={"estimator": copied(inner)},
    )  # fmt: skip
    return require_same_columns(model, made)


def write_selector(model: Any, convert: Convert) -> Any:
    """Columns by what a model says of them."""
    from sklearn.base import clone

    name = type(model).__name__
    inner = convert(with_names(model.estimator_, None) if name == "RFE" else model.estimator_)
    learned: dict[str, Any] = {"estimator_": inner}
    if name == "RFE":
        learned |= {
            "n_features_": int(model.n_features_), "ranking_": model.ranking_,
            "support_": model.support_,
        }  # fmt: skip
    elif hasattr(model, "max_features_"):
        learned["max_features_"] = int(model.max_features_)
    parameters = {"estimator": clone(inner), "prefit": False}
    made = sklearn_model(
        "feature_selection", name, model, exact=True, parameters=parameters, **learned
    )
    return require_same_columns(model, made)


CONVERSIONS_BY_CLASS = {  # functions that read it, and write it
    "OneVsRestClassifier": (read_one_vs_rest, write_one_vs_rest),
    **dict.fromkeys(OUTPUTS, (read_outputs, write_outputs)),
    "CalibratedClassifierCV": (read_calibrated, write_calibrated),
    "TransformedTargetRegressor": (read_target, write_target),
    "FeatureUnion": (read_union, write_union),
    **dict.fromkeys(("RFE", "SelectFromModel"), (read_selector, write_selector)),
}
