# SPDX-License-Identifier: BSD-3-Clause
"""Kernel machines of both libraries: support vectors and their coefficients.

Probabilities of three classes and more are coupled to convergence by statfast, and to some three
digits by libsvm, which scikit-learn calls.
"""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np

from statfast import svm
from statfast._estimator import is_pairwise
from statfast.interchange.scikit_learn.shared_parameters import (
    as_array,
    require,
    sklearn_model,
    statfast_model,
)
from statfast.kernels import RBF, Laplacian, Linear, Polynomial, Precomputed, Sigmoid
from statfast.svm.machines.expansion import Expansion
from statfast.svm.ridge.kernel_ridge import RidgeExpansion

CLASSIFIERS = ("SVC", "NuSVC")
REGRESSORS = ("SVR", "NuSVR")
ONE_CLASS = "OneClassSVM"
WORDS = {Linear: "linear", RBF: "rbf", Polynomial: "poly", Sigmoid: "sigmoid"}
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
        "support_": model.support_, "support_vectors_": as_array(model.support_vectors_),
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
    vectors = None if model.kernel == "precomputed" else learned["support_vectors_"]
    learned["_expansion"] = Expansion(
        kernel, vectors, np.asarray(model.support_, np.intp), tuple(parts), coef
    )
    return statfast_model(getattr(svm, name), model, **learned)


def write_machine(model: Any) -> Any:
    """A machine with its support vectors."""
    name, kernel = type(model).__name__, model.kernel_
    word = "precomputed" if is_pairwise(model) else WORDS.get(type(kernel), "")
    require(
        word != "", model, f"with the kernel {kernel!r}",
        "Fit it with kernel='precomputed', and pass matrices.",
    )  # fmt: skip
    sparse = hasattr(model.support_vectors_, "tocsr")
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
        "support_": np.asarray(model.support_, np.int32), "fit_status_": 0,
        "_sparse": sparse, "support_vectors_": _vectors(model.support_vectors_, sparse),
        "shape_fit_": model.shape_fit_, "_gamma": gamma,
        "dual_coef_": _coefficients(model.dual_coef_, sparse),
        "_dual_coef_": _coefficients(sign * model.dual_coef_, sparse),
        "intercept_": model.intercept_, "_intercept_": sign * np.asarray(model.intercept_),
        "_n_support": np.asarray(counts, np.int32), "n_iter_": model.n_iter_,
        "class_weight_": getattr(model, "class_weight_", np.empty(0)),
        "_effective_probability": bool(getattr(model, "probability", False)),
        "_num_iter": model.n_iter_, "_probA": np.empty(0), "_probB": np.empty(0),
    }  # fmt: skip
    if name in CLASSIFIERS:
        learned["classes_"] = model.classes_
        if model.probability:
            learned |= {"_probA": model.probA_, "_probB": model.probB_}
    if name == ONE_CLASS:
        learned["offset_"] = model.offset_
    return sklearn_model("svm", name, model, parameters=parameters, **learned)


def _vectors(vectors: Any, sparse: bool) -> Any:
    """Support vectors as libsvm reads them."""
    if not sparse:
        return np.ascontiguousarray(vectors, np.float64)
    from scipy.sparse import csr_matrix

    made = csr_matrix(vectors, dtype=np.float64)
    made.sort_indices()
    made.indices, made.indptr = (a.astype(np.int32) for a in (made.indices, made.indptr))
    return made


def _coefficients(coef: Any, sparse: bool) -> Any:
    """Dual coefficients; sparse ones store zeros, too, as libsvm reads what is stored."""
    if not sparse:
        return np.ascontiguousarray(coef)
    from scipy.sparse import csr_matrix

    rows, columns = coef.shape
    places = np.tile(np.arange(columns, dtype=np.int32), rows)
    starts = np.arange(rows + 1, dtype=np.int32) * columns
    return csr_matrix((np.ravel(coef).astype(np.float64), places, starts), shape=coef.shape)


# ------------------------------------------------------------------ kernel ridge regression
WORDS_OF_RIDGE = {**WORDS, Laplacian: "laplacian"}


def read_ridge(model: Any) -> Any:
    """Kernel ridge regression."""
    words = {word: kernel for kernel, word in WORDS_OF_RIDGE.items()}
    word = "poly" if model.kernel == "polynomial" else model.kernel
    require(
        word == "precomputed" or (isinstance(word, str) and word in words), model,
        f"with kernel={model.kernel!r}", f"Fit it with one of {', '.join(words)}.",
    )  # fmt: skip
    require(
        word != "poly" or float(model.degree).is_integer(), model,
        f"with degree={model.degree!r}", "Fit it with a whole degree.",
    )  # fmt: skip
    rows = as_array(model.X_fit_)
    gamma = 1.0 / rows.shape[1] if model.gamma is None else float(model.gamma)
    kernel: Any = Precomputed()
    if word != "precomputed":
        kind = words[word]
        names = [field.name for field in fields(kind)]
        values = {"gamma": gamma, "coef0": float(model.coef0), "degree": int(model.degree)}
        kernel = kind(**{k: v for k, v in values.items() if k in names})
    coef = np.asarray(model.dual_coef_, float)
    count = len(coef)
    vectors = None if word == "precomputed" else rows
    expansion = RidgeExpansion(
        kernel, vectors, np.arange(count), (slice(0, count),), np.atleast_2d(coef.T).copy()
    )
    return statfast_model(
        svm.KernelRidge, model, dual_coef_=coef, X_fit_=rows, kernel_=kernel,
        _expansion=expansion, _flat=coef.ndim == 1, _stored=None,
    )  # fmt: skip


def write_ridge(model: Any) -> Any:
    """Kernel ridge regression."""
    kernel = model.kernel_
    word = "precomputed" if is_pairwise(model) else WORDS_OF_RIDGE.get(type(kernel), "")
    require(
        word != "", model, f"with the kernel {kernel!r}",
        "Fit it with kernel='precomputed', and pass matrices.",
    )  # fmt: skip
    parameters = {"kernel": word}
    for key in ("gamma", "degree", "coef0"):
        if hasattr(kernel, key):
            parameters[key] = getattr(kernel, key)
    return sklearn_model(
        "kernel_ridge", "KernelRidge", model, parameters=parameters, dual_coef_=model.dual_coef_,
        X_fit_=model.X_fit_,
    )  # fmt: skip


CONVERSIONS_BY_CLASS = {  # functions that read it, and write it
    **dict.fromkeys(KINDS, (read_machine, write_machine)),
    "KernelRidge": (read_ridge, write_ridge),
}
