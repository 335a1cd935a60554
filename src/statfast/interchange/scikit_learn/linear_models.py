# SPDX-License-Identifier: BSD-3-Clause
"""Linear models of both libraries: coefficients and intercepts, and what a prediction makes of
them."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast import linear, svm
from statfast._typing import Array
from statfast.interchange.scikit_learn.shared_parameters import (
    require,
    sklearn_model,
    statfast_model,
)
from statfast.linear.inference.inference import Result

NO_INFERENCE = (
    "The model comes from scikit-learn, which keeps no standard errors. Fit it with statfast for "
    "them."
)
REGRESSORS = (
    "ElasticNet", "ElasticNetCV", "HuberRegressor", "Lasso", "LassoCV", "LinearRegression",
    "MultiTaskElasticNet", "MultiTaskElasticNetCV", "MultiTaskLasso", "MultiTaskLassoCV", "Ridge",
    "RidgeCV",
)  # fmt: skip
GLMS = ("GammaRegressor", "PoissonRegressor", "TweedieRegressor")
# What both libraries publish under the same name and with the same meaning.
SHARED = ("alpha_", "l1_ratio_", "n_iter_", "dual_gap_", "best_score_", "scale_", "outliers_")


def _shared(model: Any) -> dict[str, Any]:
    return {name: vars(model)[name] for name in SHARED if name in vars(model)}


def _names(model: Any) -> list[str]:
    names = getattr(model, "feature_names_in_", None)
    return [f"x{j}" for j in range(model.n_features_in_)] if names is None else list(names)


def bare_result(model: Any, title: str, coef: Array, intercept: Array | float) -> Result:
    """The inference of a model of which coefficients alone are known."""
    names, rows = _names(model), np.atleast_2d(coef)
    values = np.column_stack([np.broadcast_to(intercept, len(rows)), rows])
    nothing, several = float("nan"), len(rows) > 1
    return Result(
        title, tuple(
            f"{k}: {name}" if several else name
            for k in range(len(rows)) for name in ("(Intercept)", *names)
        ),
        values.ravel(), None, np.zeros(values.size, bool), nothing, False, nothing, nothing,
        nothing, nothing, nothing, nothing, refusal=NO_INFERENCE,
    )  # fmt: skip


def _numbers(coef: Any) -> Array:
    """Coefficients as an array, which scikit-learn may have made sparse."""
    return coef.toarray() if hasattr(coef, "toarray") else np.asarray(coef)


def read_regressor(model: Any) -> Any:
    """Least squares, and penalized."""
    name = type(model).__name__
    coef, intercept = _numbers(model.coef_), model.intercept_
    if coef.ndim == 2:
        intercept = np.array(np.broadcast_to(intercept, len(coef)), float)
    learned = {"coef_": coef, "intercept_": intercept, **_shared(model)}
    if name == "LinearRegression":
        result = bare_result(model, "Linear regression", coef, intercept)
        learned |= {
            "rank_": getattr(model, "rank_", None), "results_": [result], "_result": result,
            "_row_arguments": (), "_factor": None, "n_iter_": None,
        }  # fmt: skip
    elif name.startswith("Ridge"):
        learned |= {"solver_": getattr(model, "solver_", "svd"), "df_": float("nan")}
    else:
        learned["converged_"] = True
    return statfast_model(getattr(linear, name), model, **learned)


def read_ridge_classifier(model: Any) -> Any:
    """Ridge regression of indicators of the classes."""
    require(
        np.ndim(model.classes_) == 1 and len(model.intercept_) != 2, model,
        "of several outputs", "Convert one for each output.",
    )  # fmt: skip
    return statfast_model(
        getattr(linear, type(model).__name__), model, classes_=model.classes_,
        coef_=np.atleast_2d(_numbers(model.coef_)), intercept_=np.ravel(model.intercept_),
        df_=float("nan"),
        solver_="svd", n_iter_=None, **{k: v for k, v in _shared(model).items() if k != "n_iter_"},
    )  # fmt: skip


def _posterior(model: Any) -> str:
    """How scores of the classes become probabilities."""
    n_classes, choice = len(model.classes_), getattr(model, "multi_class", "auto")
    if n_classes > 2:
        return "ovr" if choice == "ovr" or model.solver == "liblinear" else "softmax"
    require(
        choice != "multinomial", model, "of two classes with multi_class='multinomial'",
        "Fit without it: the model of two classes has one score.",
    )  # fmt: skip
    return "sigmoid"


def read_logistic(model: Any) -> Any:
    """Logistic regression."""
    posterior = _posterior(model)
    coef, intercept = _numbers(model.coef_), np.ravel(model.intercept_)
    learned = {k: v for k, v in _shared(model).items() if k != "l1_ratio_"}
    for name in ("C_", "Cs_"):
        if hasattr(model, name):
            learned[name] = getattr(model, name)
    return statfast_model(
        getattr(linear, type(model).__name__), model,
        parameters={"multi_class": "ovr" if posterior == "ovr" else "multinomial"},
        classes_=model.classes_, coef_=coef,
        intercept_=np.broadcast_to(intercept, len(coef)).copy(),
        converged_=True, _posterior=posterior, _turned=False, _reference=0,
        _has_intercept=bool(model.fit_intercept), _row_arguments=(),
        _result=bare_result(model, "Logistic regression", coef, intercept), **learned,
    )  # fmt: skip


def read_linear_machine(model: Any) -> Any:
    """Linear support vector machines."""
    coef = _numbers(model.coef_)
    learned = {
        "coef_": coef, "n_iter_": model.n_iter_, "converged_": True, "solver_": "liblinear",
        "intercept_": np.array(np.broadcast_to(model.intercept_, len(np.atleast_2d(coef))), float),
    }  # fmt: skip
    if hasattr(model, "classes_"):
        learned["classes_"] = model.classes_
    return statfast_model(getattr(svm, type(model).__name__), model, **learned)


def read_glm(model: Any) -> Any:
    """Poisson, gamma and Tweedie regression."""
    kind: Any = getattr(linear, type(model).__name__)
    coef, intercept = np.asarray(model.coef_, np.float64), float(model.intercept_)
    made = statfast_model(
        kind, model, exact=True, coef_=coef, intercept_=intercept, n_iter_=int(model.n_iter_),
        theta_=float("nan"), converged_=True, _row_arguments=(), _link="log",
        _result=bare_result(model, "Generalized linear model", coef, intercept),
    )  # fmt: skip
    made._link = made._formulas()[1].name
    return made


# ------------------------------------------------------------------ to scikit-learn
def write_regressor(model: Any) -> Any:
    """Least squares, and penalized."""
    name = type(model).__name__
    learned = {"coef_": model.coef_, "intercept_": model.intercept_, **_shared(model)}
    if name == "LinearRegression":
        learned["rank_"] = model.rank_
        learned.pop("n_iter_", None)
    elif name.startswith("Ridge"):
        learned["solver_"] = "auto"
    return sklearn_model("linear_model", name, model, **learned)


def write_ridge_classifier(model: Any) -> Any:
    """Ridge regression of indicators of the classes."""
    from sklearn.preprocessing import LabelBinarizer

    codes = LabelBinarizer(pos_label=1, neg_label=-1).fit(model.classes_)
    return sklearn_model(
        "linear_model", type(model).__name__, model, coef_=model.coef_,
        intercept_=np.ravel(model.intercept_), _label_binarizer=codes, classes_=model.classes_,
        **_shared(model),
    )  # fmt: skip


def write_glm(model: Any) -> Any:
    """Poisson, gamma and Tweedie regression."""
    require(
        model._link in ("log", "identity"), model, f"with link={model._link!r}",
        "Fit it with link='log' or 'identity'.",
    )  # fmt: skip
    of_power = type(model).__name__ == "TweedieRegressor"
    parameters = {"link": model._link} if of_power else {}
    made = sklearn_model(
        "linear_model", type(model).__name__, model, exact=True, parameters=parameters,
        coef_=model.coef_, intercept_=float(model.intercept_), n_iter_=int(model.n_iter_),
    )  # fmt: skip
    made._base_loss = made._get_loss()
    return made


def write_logistic(model: Any) -> Any:
    """Logistic regression."""
    if model._posterior == "ovr":
        return _write_one_vs_rest(model)
    # Until 1.7 there is a multi_class, by which two classes could have another model.
    sign = -1.0 if model._turned else 1.0
    learned = {name: vars(model)[name] for name in ("C_", "Cs_", "n_iter_") if name in vars(model)}
    return sklearn_model(
        "linear_model", type(model).__name__, model,
        parameters={"multi_class": "deprecated"}, classes_=model.classes_,
        coef_=sign * model.coef_, intercept_=sign * np.ravel(model.intercept_), **learned,
    )  # fmt: skip


def _write_one_vs_rest(model: Any) -> Any:
    """A model for each class: scikit-learn has them as another class."""
    from sklearn.base import clone
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import LabelBinarizer

    n_iter = np.broadcast_to(getattr(model, "n_iter_", 0), len(model.classes_))
    strength = np.broadcast_to(getattr(model, "C_", getattr(model, "C", 1.0)), len(model.classes_))
    members = [
        sklearn_model(
            "linear_model", "LogisticRegression", model,
            parameters={"multi_class": "deprecated", "C": float(strength[k]), "class_weight": None},
            classes_=np.array([0, 1]), coef_=model.coef_[k : k + 1],
            intercept_=np.ravel(model.intercept_)[k : k + 1], n_iter_=n_iter[k : k + 1],
        )
        for k in range(len(model.classes_))
    ]  # fmt: skip
    made = OneVsRestClassifier(clone(members[0]), n_jobs=model.n_jobs)
    made.label_binarizer_ = LabelBinarizer(sparse_output=True).fit(model.classes_)
    made.estimators_, made.n_features_in_ = members, model.n_features_in_
    vars(made).setdefault("classes_", model.classes_)  # a property until 1.8
    if hasattr(model, "feature_names_in_"):
        made.feature_names_in_ = np.array(model.feature_names_in_, dtype=object)
    return made


def write_linear_machine(model: Any) -> Any:
    """Linear support vector machines."""
    learned = {"coef_": model.coef_, "intercept_": model.intercept_, "n_iter_": model.n_iter_}
    if hasattr(model, "classes_"):
        learned["classes_"] = model.classes_
    return sklearn_model("svm", type(model).__name__, model, **learned)


RIDGE_CLASSIFIERS = ("RidgeClassifier", "RidgeClassifierCV")
LOGISTIC = ("LogisticRegression", "LogisticRegressionCV")
CONVERSIONS_BY_CLASS = {  # functions that read it, and write it
    **dict.fromkeys(REGRESSORS, (read_regressor, write_regressor)),
    **dict.fromkeys(RIDGE_CLASSIFIERS, (read_ridge_classifier, write_ridge_classifier)),
    **dict.fromkeys(LOGISTIC, (read_logistic, write_logistic)),
    **dict.fromkeys(("LinearSVC", "LinearSVR"), (read_linear_machine, write_linear_machine)),
    **dict.fromkeys(GLMS, (read_glm, write_glm)),
}
