# SPDX-License-Identifier: BSD-3-Clause
"""Kernel machines of both libraries: support vectors and their coefficients.

Probabilities of three classes and more are coupled to convergence by statfast, and to some three
digits by libsvm, which scikit-learn calls.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from statfast import svm
from statfast._estimator import is_pairwise
from statfast.interchange.scikit_learn.shared_parameters import (
    require,
    sklearn_model,
    statfast_model,
)
from statfast.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid
from statfast.svm.machines.expansion import Expansion

CLASSIFIERS = ("SVC", "NuSVC")
REGRESSORS = ("SVR", "NuSVR")
ONE_CLASS = "OneClassSVM"
KINDS = (*CLASSIFIERS, *REGRESSORS, ONE_CLASS)


def _kernel(model: Any) -> Any:
    """The kernel of a machine of scikit-learn."""
    gamma, shift = float(model._gamma), float(model.coef0)
    if model.kernel == "linear":
        return Linear()
    if model.kernel == "rbf":
        return RBF(gamma)
    if model.kernel == "poly":
        return Polynomial(degree=int(model.degree), gamma=gamma, coef0=shift)
    if model.kernel == "sigmoid":
        return Sigmoid(gamma=gamma, coef0=shift)
    require(
        model.kernel == "precomputed", model, "with a function as its kernel",
        "Fit a machine of statfast with a Kernel.",
    )  # fmt: skip
    return Precomputed()


def read_machine(model: Any) -> Any:
    """A machine with its support vectors."""
    name, kernel = type(model).__name__, _kernel(model)
    count = len(model.support_)
    coef = np.asarray(
        model.dual_coef_.toarray() if hasattr(model.dual_coef_, "toarray") else model.dual_coef_
    )
    parts = [slice(0, count)]
    learned = {
        "support_": model.support_, "support_vectors_": model.support_vectors_,
        "fit_status_": model.fit_status_, "shape_fit_": model.shape_fit_, "kernel_": kernel,
        "n_support_": model.n_support_, "dual_coef_": coef, "n_iter_": model.n_iter_,
        "intercept_": np.atleast_1d(model.intercept_),
    }  # fmt: skip
    if name in CLASSIFIERS:
        if len(model.classes_) > 2:
            ends = np.append(0, np.cumsum(model.n_support_)).tolist()
            parts = [slice(a, b) for a, b in pairwise(ends)]
        learned |= {"classes_": model.classes_, "class_weight_": model.class_weight_}
        if model.probability is True:
            learned |= {"probA_": model._probA, "probB_": model._probB}
    if name == ONE_CLASS:
        learned["offset_"] = np.atleast_1d(model.offset_)
    vectors = None if model.kernel == "precomputed" else model.support_vectors_
    learned["_expansion"] = Expansion(
        kernel, vectors, np.asarray(model.support_, np.intp), tuple(parts), coef
    )
    return statfast_model(getattr(svm, name), model, **learned)


def write_machine(model: Any) -> Any:
    """A machine with its support vectors."""
    name, kernel = type(model).__name__, model.kernel_
    names = {Linear: "linear", RBF: "rbf", Polynomial: "poly", Sigmoid: "sigmoid"}
    word = "precomputed" if is_pairwise(model) else names.get(type(kernel), "")
    require(
        word != "", model, f"with the kernel {kernel!r}",
        "Fit it with kernel='precomputed', and pass matrices.",
    )  # fmt: skip
    sparse = hasattr(model.support_vectors_, "tocsr")
    require(not sparse, model, "of sparse rows", "Fit it to dense rows.")
    parameters = {"kernel": word}
    for key in ("degree", "coef0"):
        if hasattr(kernel, key):
            parameters[key] = getattr(kernel, key)
    gamma = float(getattr(kernel, "gamma", 0.0) or 0.0)
    two = name in CLASSIFIERS and len(model.classes_) == 2
    sign = -1.0 if two else 1.0
    counts = model.n_support_
    if name not in CLASSIFIERS:
        counts = np.array([len(model.support_), 0])
    learned = {
        "support_": np.asarray(model.support_, np.int32), "fit_status_": 0, "_sparse": False,
        "support_vectors_": np.ascontiguousarray(model.support_vectors_, np.float64),
        "shape_fit_": model.shape_fit_, "_gamma": gamma, "dual_coef_": model.dual_coef_,
        "_dual_coef_": np.ascontiguousarray(sign * model.dual_coef_),
        "intercept_": model.intercept_, "_intercept_": sign * np.asarray(model.intercept_),
        "_n_support": np.asarray(counts, np.int32), "n_iter_": model.n_iter_,
        "class_weight_": getattr(model, "class_weight_", np.empty(0)),
        "_num_iter": model.n_iter_, "_probA": np.empty(0), "_probB": np.empty(0),
    }  # fmt: skip
    if name in CLASSIFIERS:
        learned["classes_"] = model.classes_
        if model.probability:
            learned |= {"_probA": model.probA_, "_probB": model.probB_}
    if name == ONE_CLASS:
        learned["offset_"] = model.offset_
    return sklearn_model("svm", name, model, parameters=parameters, **learned)


READ = dict.fromkeys(KINDS, read_machine)
WRITE = dict.fromkeys(KINDS, write_machine)
