# SPDX-License-Identifier: BSD-3-Clause
"""Discriminants, naive Bayes and mixtures of both libraries."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast import generative, mixture
from statfast._estimator import MomentsByClass, UnknownSums
from statfast.generative.discriminant.class_covariances import quadratic_rule
from statfast.generative.naive_bayes.bernoulli import FittedPresence
from statfast.generative.naive_bayes.categorical import CategoryCounts, FittedCategories
from statfast.generative.naive_bayes.counts import FittedComplement, FittedCounts
from statfast.generative.naive_bayes.density import BayesSums, Sums
from statfast.generative.naive_bayes.gaussian import FittedNormal
from statfast.generative.normal.discriminant_rules import with_all_classes
from statfast.generative.normal.whitening import Whitening
from statfast.interchange.scikit_learn.shared_parameters import (
    require,
    sklearn_model,
    statfast_model,
)
from statfast.mixture.covariance_models import model_named

MIN_ALPHA = 1e-10  # of scikit-learn, where force_alpha is False


# ------------------------------------------------------------------ discriminants
def read_lda(model: Any) -> Any:
    """Linear discriminant analysis."""
    coef, intercept = np.atleast_2d(model.coef_), np.ravel(model.intercept_)
    learned = {
        name: getattr(model, name)
        for name in ("classes_", "priors_", "means_", "xbar_", "covariance_")
        if hasattr(model, name)
    }
    if hasattr(model, "scalings_"):
        n_components = model._max_components
        scalings = model.scalings_
        shift = model.xbar_ @ scalings if model.solver == "svd" else np.zeros(scalings.shape[1])
        learned |= {
            "scalings_": scalings,
            "explained_variance_ratio_": model.explained_variance_ratio_[:n_components],
            "_projection": (scalings[:, :n_components].T.copy(), -shift[:n_components]),
        }
    return statfast_model(
        generative.LinearDiscriminantAnalysis, model, coef_=coef, intercept_=intercept,
        _rule=with_all_classes(coef, intercept), _moments=UnknownSums(), **learned,
    )  # fmt: skip


def write_lda(model: Any) -> Any:
    """Linear discriminant analysis."""
    n_components = len(model.explained_variance_ratio_)
    center = getattr(model, "xbar_", np.zeros(model.n_features_in_))
    return sklearn_model(
        "discriminant_analysis", "LinearDiscriminantAnalysis", model,
        parameters={"solver": "svd", "shrinkage": None},
        classes_=model.classes_, priors_=model.priors_, means_=model.means_, xbar_=center,
        coef_=model.coef_, intercept_=model.intercept_, scalings_=model._projection[0].T.copy(),
        explained_variance_ratio_=model.explained_variance_ratio_, _max_components=n_components,
        _n_features_out=n_components,
    )  # fmt: skip


def read_qda(model: Any) -> Any:
    """Quadratic discriminant analysis."""
    d, nowhere = model.n_features_in_, np.zeros(0, np.intp)
    whites = [
        Whitening(R / np.sqrt(S), np.ones(d), nowhere, nowhere, 0, float(np.log(S).sum()))
        for R, S in zip(model.rotations_, model.scalings_, strict=True)
    ]
    return statfast_model(
        generative.QuadraticDiscriminantAnalysis, model, classes_=model.classes_,
        priors_=model.priors_, means_=model.means_, rotations_=model.rotations_,
        scalings_=model.scalings_, _rule=quadratic_rule(model.priors_, model.means_, whites),
        log_determinants_=np.array([white.log_det for white in whites]), _moments=UnknownSums(),
    )  # fmt: skip


def write_qda(model: Any) -> Any:
    """Quadratic discriminant analysis."""
    return sklearn_model(
        "discriminant_analysis", "QuadraticDiscriminantAnalysis", model, classes_=model.classes_,
        priors_=model.priors_, means_=model.means_, rotations_=model.rotations_,
        scalings_=model.scalings_,
    )  # fmt: skip


# ------------------------------------------------------------------ naive Bayes
def read_gaussian(model: Any) -> Any:
    """Normal columns."""
    means, variance, epsilon = model.theta_.copy(), model.var_.copy(), float(model.epsilon_)
    counts = np.repeat(model.class_count_[:, None], means.shape[1], axis=1)
    moments = MomentsByClass(counts, means, (variance - epsilon).clip(0.0) * counts)
    return _bayes(
        model, "GaussianNB", FittedNormal(moments, variance, epsilon), moments,
        np.log(model.class_prior_), class_prior_=model.class_prior_,
    )  # fmt: skip


def read_counts(model: Any) -> Any:
    """Counts, presence, and complements."""
    name, table = type(model).__name__, model.feature_count_.T.copy()
    alpha, counts = _alpha(model), model.class_count_
    if name == "MultinomialNB":
        fitted: Any = FittedCounts(table, alpha)
    elif name == "ComplementNB":
        fitted = FittedComplement(table, alpha, model.norm)
    else:
        seen = np.broadcast_to(counts, table.shape).copy()
        fitted = FittedPresence(table, seen, alpha, model.binarize)
    tables = (table,) if name != "BernoulliNB" else (table, seen)
    start = model.class_log_prior_
    if name == "ComplementNB" and len(counts) > 1:
        start = np.zeros(len(counts))
    return _bayes(model, name, fitted, Sums(tables), start, class_log_prior_=model.class_log_prior_)


def read_categorical(model: Any) -> Any:
    """Categories by number."""
    tables = [count.T.copy() for count in model.category_count_]
    fitted = FittedCategories(tables, _alpha(model), "error")
    return _bayes(
        model, "CategoricalNB", fitted, CategoryCounts(tuple(tables)), model.class_log_prior_,
        class_log_prior_=model.class_log_prior_,
    )  # fmt: skip


def _alpha(model: Any) -> Any:
    return model.alpha if model.force_alpha else np.maximum(model.alpha, MIN_ALPHA)


def _bayes(model: Any, name: str, fitted: Any, sums: Any, start: Any, **priors: Any) -> Any:
    kind = getattr(generative, name)
    learned = {
        "classes_": model.classes_, "class_count_": model.class_count_.copy(),
        **fitted.attributes(),
        "_joint": (fitted, np.where(model.class_count_ > 0.0, start, -np.inf)),
        "_sums": BayesSums(model.class_count_.copy(), sums), **priors,
    }  # fmt: skip
    made = statfast_model(kind, model, **learned, _fitted_density=None)
    made._fitted_density = made._density(model.n_features_in_)
    return made


def write_bayes(model: Any) -> Any:
    """All kinds of naive Bayes that scikit-learn has."""
    learned = {
        name: vars(model)[name]
        for name in (
            "classes_", "class_count_", "class_prior_", "class_log_prior_", "theta_", "var_",
            "epsilon_", "feature_count_", "feature_log_prob_", "feature_all_", "category_count_",
            "n_categories_",
        )
        if name in vars(model)
    }  # fmt: skip
    require(
        "feature_log_prob_" in learned or "theta_" in learned, model, "of this kind",
        "Fit one that scikit-learn has.",
    )  # fmt: skip
    return sklearn_model("naive_bayes", type(model).__name__, model, **learned)


# ------------------------------------------------------------------ mixtures
MIXTURE = (
    "weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_", "converged_",
    "n_iter_", "lower_bound_", "lower_bounds_",
)  # fmt: skip
FORMS = ("full", "tied", "diag", "spherical")


def read_mixture(model: Any) -> Any:
    """A mixture of normal densities, without its likelihood."""
    learned = {name: getattr(model, name) for name in MIXTURE if hasattr(model, name)}
    learned.setdefault("lower_bounds_", [float(model.lower_bound_)])  # until 1.5
    names = ("log_likelihood_", "aic_", "bic_", "icl_", "_total_weight", "_spread")
    unknown: dict[str, Any] = dict.fromkeys(names, np.nan)
    n_components, d = model.means_.shape
    shape = model_named(model.covariance_type)
    return statfast_model(
        mixture.GaussianMixture, model, exact=True, **learned, **unknown,
        n_parameters_=n_components * (d + 1) - 1 + shape.n_parameters(n_components, d),
        _orientation=None,
    )  # fmt: skip


def write_mixture(model: Any) -> Any:
    """A mixture of normal densities."""
    word = model.covariance_type
    require(
        word in FORMS, model, f"with covariance_type={word!r}",
        f"scikit-learn has {', '.join(FORMS)}: fit one of these.",
    )  # fmt: skip
    return sklearn_model(
        "mixture", "GaussianMixture", model, **{name: getattr(model, name) for name in MIXTURE}
    )


CONVERSIONS_BY_CLASS = {  # functions that read it, and write it
    "LinearDiscriminantAnalysis": (read_lda, write_lda),
    "QuadraticDiscriminantAnalysis": (read_qda, write_qda),
    "GaussianNB": (read_gaussian, write_bayes),
    **dict.fromkeys(("MultinomialNB", "BernoulliNB", "ComplementNB"), (read_counts, write_bayes)),
    "CategoricalNB": (read_categorical, write_bayes),
    "GaussianMixture": (read_mixture, write_mixture),
}
