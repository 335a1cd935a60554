# SPDX-License-Identifier: BSD-3-Clause
"""Fitted models of scikit-learn as those of statfast, and back."""

from __future__ import annotations

from functools import partial
from typing import Any

from statfast._estimator import Estimator
from statfast._validation import not_fitted, shown, wrong_type
from statfast.interchange.scikit_learn import (
    boosting,
    compositions,
    densities,
    ensembles,
    kernel_machines,
    linear_models,
    transformers,
    trees,
    words_and_labels,
    wrappers,
)
from statfast.interchange.scikit_learn.refusals import refusal
from statfast.interchange.scikit_learn.shared_parameters import NotConverted

_MODULES: tuple[Any, ...] = (
    linear_models, densities, transformers, words_and_labels, kernel_machines, trees, boosting,
)  # fmt: skip
# Of models of models, which are converted each.
_OF_MODELS: tuple[Any, ...] = (compositions, ensembles, wrappers)
_OF_STEPS = ("FeatureUnion", "Pipeline")  # which keep what is fitted as a parameter: it is asked


def from_sklearn(fitted: Any) -> Any:
    """Convert a fitted model of scikit-learn to one of statfast that predicts the same.

    Nothing is fitted again. Predictions agree to 1e-12, labels are equal.

    Parameters
    ----------
    fitted : estimator of scikit-learn
        A linear, logistic or generalized linear model, a support vector machine, kernel ridge
        regression, a k-nearest neighbors estimator, ``KMeans``, a discriminant analysis, a naive
        Bayes classifier, ``GaussianMixture``, ``PCA``, ``TruncatedSVD``, a scaler, an encoder,
        ``SimpleImputer``, a vectorizer of words, a selector of columns, a decision tree or forest,
        histogram gradient boosting; or AdaBoost, bagging, voting, stacking, a pipeline and the like
        of these. :doc:`/howto/models_in_and_out` has a table.

    Returns
    -------
    estimator
        Of the class of the same name, with the parameters that both have, the names of columns and
        `set_output`. ``ExtraTreeClassifier`` becomes ``DecisionTreeClassifier(splitter="random")``.

    Raises
    ------
    TypeError
        If its class, or a setting that its answers depend on, has no counterpart in statfast. The
        message says which.
    NotFittedError
        If it is not fitted.

    See Also
    --------
    to_sklearn : The way back.

    Notes
    -----
    scikit-learn's trees compare rows in float32. Their thresholds become the largest float64
    numbers whose float32 is not above them, so that each row takes the same path.

    What scikit-learn does not keep is missing: standard errors and summaries of linear models,
    likelihoods of discriminants, out-of-bag rows of forests. Fit with statfast for them. Neighbors
    at the same distance are taken by the lowest row, and probabilities of an ``SVC`` are coupled to
    convergence, those of scikit-learn to about three digits.

    Cost: a copy of what the model has learned; neighbors are indexed again.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from statfast import from_sklearn
    >>> from statfast.datasets import load_iris
    >>> data = load_iris()
    >>> fitted = RandomForestClassifier(20, random_state=0).fit(data.data, data.target)
    >>> fitted.predict_proba(data.data[70:72]).round(2)
    array([[0. , 0.6, 0.4],
           [0. , 1. , 0. ]])
    >>> model = from_sklearn(fitted)
    >>> model.predict_proba(data.data[70:72]).round(2)
    array([[0. , 0.6, 0.4],
           [0. , 1. , 0. ]])
    """
    if isinstance(fitted, Estimator):
        raise TypeError(f"fitted is {shown(fitted)}, a model of statfast already. Use it as it is.")
    kind = type(fitted)
    if not _is_of_sklearn(kind):
        if not any(map(_is_of_sklearn, kind.__mro__)):
            raise wrong_type("fitted", "a fitted model of scikit-learn", fitted)
        raise NotConverted(
            f"{kind.__name__} is not converted: it is derived from a class of scikit-learn, and "
            "may predict differently. Fit that class."
        )
    if kind.__name__ not in READ:
        raise NotConverted(refusal(kind.__name__, "from_sklearn"))
    if kind.__name__ not in _OF_STEPS and not _learned(fitted):
        raise not_fitted(fitted)
    return READ[kind.__name__](fitted)


def to_sklearn(model: Any) -> Any:
    """Convert a fitted model of statfast to one of scikit-learn that predicts the same.

    The result is scikit-learn's own class, fitted: what reads its trees, coefficients or support
    vectors (``sklearn.inspection``, ``sklearn.tree.plot_tree``, skl2onnx, shap) reads it.

    Parameters
    ----------
    model : estimator of statfast
        Of a class that `from_sklearn` makes.

    Returns
    -------
    estimator of scikit-learn
        Of the class of the same name, with the parameters that both have, the names of columns and
        `set_output`. A logistic regression with ``multi_class="ovr"`` and several classes becomes a
        ``OneVsRestClassifier``.

    Raises
    ------
    TypeError
        If its class, or a setting that its answers depend on, has no counterpart in scikit-learn:
        splits of categories (but of boosting), surrogates, a priori probabilities of trees, your
        own kernels. The message says which, and what to do.
    NotFittedError
        If it is not fitted.

    See Also
    --------
    from_sklearn : The way in.

    Notes
    -----
    Predictions agree to 1e-12, and labels are equal, except for what scikit-learn computes
    otherwise: its trees round rows to float32, so that a row whose value is a threshold, or lies
    nearer to it than float32 can resolve, may take the other branch; and those of `from_sklearn`.
    Rows of float32 take the same path in both.

    scikit-learn is imported here, and nowhere else but in `from_sklearn`.

    Examples
    --------
    >>> from sklearn.tree import export_text
    >>> from statfast import DecisionTreeClassifier, to_sklearn
    >>> from statfast.datasets import load_iris
    >>> data = load_iris()
    >>> model = DecisionTreeClassifier(max_depth=1).fit(data.data, data.target)
    >>> print(export_text(to_sklearn(model), feature_names=data.feature_names))
    |--- petal_length <= 2.45
    |   |--- class: 0
    |--- petal_length >  2.45
    |   |--- class: 1
    <BLANKLINE>
    """
    if not isinstance(model, Estimator):
        if _is_of_sklearn(type(model)):
            raise TypeError(
                f"model is {shown(model)}, a model of scikit-learn already. Use it as it is."
            )
        raise wrong_type("model", "an estimator of statfast", model)
    name = type(model).__name__
    if not type(model).__module__.startswith("statfast."):
        raise NotConverted(
            f"model is of your own class {name}, which may predict differently from the class of "
            "statfast that it is derived from, and is not converted. Fit that class."
        )
    if name not in WRITE:
        raise NotConverted(refusal(name, "to_sklearn"))
    if not model.__sklearn_is_fitted__():
        raise not_fitted(model)
    return WRITE[name](model)


def _is_of_sklearn(kind: type) -> bool:
    return kind.__module__.startswith("sklearn.")


def _learned(fitted: Any) -> bool:
    """Whether an estimator of scikit-learn is fitted."""
    return any(name.endswith("_") and not name.startswith("__") for name in vars(fitted))


# Of each class of scikit-learn, the functions that read and write it; or None: the same of another
# class of statfast.
_CONVERSIONS = {
    name: pair for module in _MODULES for name, pair in module.CONVERSIONS_BY_CLASS.items()
} | {
    name: (partial(read, convert=from_sklearn), partial(write, convert=to_sklearn))
    for module in _OF_MODELS
    for name, (read, write) in module.CONVERSIONS_BY_CLASS.items()
}
READ = {name: read for name, (read, _) in _CONVERSIONS.items()}
WRITE = {name: write for name, (_, write) in _CONVERSIONS.items() if write}
