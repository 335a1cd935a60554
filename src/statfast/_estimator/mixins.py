# SPDX-License-Identifier: BSD-3-Clause
"""What classifiers, clusterers and transformers have in common."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, Literal, Self

import numpy as np

from statfast._estimator.class_weights import classes_with_weight
from statfast._typing import Array, ArrayLike, Rows, Weights
from statfast._validation import (
    as_choice,
    as_labels,
    as_weights,
    is_sparse,
    not_fitted,
    shown,
    to_array,
    wrong_type,
)


class Classifier:
    """Mixin: ``score`` is accuracy, and scikit-learn is told that this is a classifier."""

    predict: Callable[..., Any]

    _estimator_type = "classifier"  # This attribute is read by libraries that do not know tags.

    def score(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> float:
        """Return the (weighted) accuracy.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Test samples.
        y : array-like of shape (n,)
            True labels.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; None is 1 for all.

        Returns
        -------
        float
        """
        predicted = self.predict(X)
        if predicted.ndim > 1:
            raise ValueError(
                f"score is of one output; {type(self).__name__} was fitted to "
                f"{predicted.shape[1]}. Score the columns of predict one by one."
            )
        return accuracy(predicted, y, sample_weight)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        tags.target_tags.required = True
        return tags


def accuracy(predicted: Array, y: Any, sample_weight: Any) -> float:
    """The fraction of rows, by weight, whose label is the predicted one."""
    labels, codes = as_labels(y, len(predicted))
    weights = as_weights(sample_weight, len(predicted))
    return float(np.average(predicted == labels[codes], weights=weights))


def known_classes(estimator: Any, classes: Any, least: int = 1) -> Array:
    """The classes of all calls of ``partial_fit``, (K,): those passed, or those it has.

    Raises ValueError for none on the first call, others on a later one, or fewer than `least`.
    """
    known = estimator.__dict__.get("classes_")
    if classes is None:
        if known is None:
            raise ValueError(
                "classes must be passed on the first call to partial_fit; got None. "
                "Pass all labels that will ever come."
            )
        return known
    if not hasattr(classes, "__len__") or getattr(classes, "ndim", 1) == 0:
        raise wrong_type("classes", "a list of labels", classes)
    named, _ = as_labels(classes, None, name="classes")
    if known is not None and not np.array_equal(named, known):
        raise ValueError(
            f"classes must be those of the first call ({shown(known.tolist())}); got "
            f"{shown(named.tolist())}. Leave it out, or fit a new estimator."
        )
    if len(named) < least:
        raise ValueError(
            f"classes must hold at least {least} classes; got {shown(named.tolist())}. Name them "
            "all."
        )
    return named


def codes_among(known: Array, labels: Array, codes: Array, weights: Array | None = None) -> Array:
    """Codes of `labels` as codes of the known classes; ValueError for one that is not there.

    One whose rows all have weight 0 may be missing: it has the code 0.
    """
    place = {label: k for k, label in enumerate(known.tolist())}
    if weights is not None and not place.keys() >= set(labels.tolist()):
        labels, codes = classes_with_weight(labels, codes, weights)
    for label in labels.tolist():
        if label not in place:
            raise ValueError(
                f"y holds the class {shown(label)}, which is not among classes "
                f"({shown(known.tolist())}). Name every class in the first call."
            )
    return np.array([place[label] for label in labels.tolist()], np.intp)[codes]


def require_same_labels(estimator: Any, classes: Any) -> None:
    """Refuse labels other than those of the fit that a warm start goes on from.

    `classes` is an array, a list of one for each output, or None of a regression.
    """
    if classes is None:
        return
    before, after = (
        [output.tolist() for output in (labels if isinstance(labels, list) else [labels])]
        for labels in (estimator.classes_, classes)
    )
    if before == after:
        return
    old, new = next(pair for pair in zip(before, after, strict=True) if pair[0] != pair[1])
    raise ValueError(
        f"y must have the labels of the fit before with warm_start ({shown(old)}); got "
        f"{shown(new)}. Set warm_start=False."
    )


class Clusterer:
    """Mixin: ``fit_predict``, and scikit-learn is told that this is a clusterer."""

    fit: Callable[..., Any]

    _estimator_type = "clusterer"

    def fit_predict(self, X: Rows, y: object = None, **fit_params: Any) -> Array:
        """Fit, and return the cluster of each sample.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : ignored
            Not used; present for the interface.
        **fit_params : object
            Passed to ``fit``, such as ``sample_weight``.

        Returns
        -------
        ndarray of shape (n,)
            ``labels_``.
        """
        fitted = self.fit(X, **fit_params)
        return fitted.labels_ if "labels_" in vars(fitted) else fitted.predict(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.estimator_type = "clusterer"
        return tags


class Transformer:
    """Mixin: ``fit_transform``, ``set_output`` and names for the columns of ``transform``.

    A subclass defines ``transform`` (returning an ndarray, wrapped here as the user asked) and
    either a property ``_n_features_out``, or a method ``_named``, which makes the names of columns
    from those of the columns it was fitted to.
    """

    fit: Callable[..., Any]
    __sklearn_is_fitted__: Callable[..., Any]
    n_features_in_: Any
    _n_features_out: Any
    # Whether NaN that it takes is in what it gives, too: imputers give other values for it.
    _passes_nan: ClassVar[bool] = True

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in ("transform", "fit_transform"):
            if name in cls.__dict__:
                setattr(cls, name, _in_container(cls.__dict__[name]))

    def fit_transform(self, X: Rows, y: ArrayLike | None = None, **fit_params: Any) -> Any:
        """Fit, and transform the same samples.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Training samples.
        y : array-like of shape (n,), optional
            Class labels or target values.
        **fit_params : object
            Passed to ``fit``, such as ``sample_weight``.

        Returns
        -------
        ndarray of shape (n, m), or the table asked for by `set_output`
        """
        return self.fit(X, y, **fit_params).transform(X)

    def set_output(
        self, *, transform: Literal["default", "pandas", "polars"] | None = None
    ) -> Self:
        """Choose what ``transform`` and ``fit_transform`` return.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            ndarray, or a table with named columns. None changes nothing.

        Returns
        -------
        self
        """
        if transform is not None:
            as_choice(transform, "transform", _CONTAINERS)
            self._sklearn_output_config = {"transform": transform}
        return self

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> Array:
        """Return the names of the output features.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns; None takes those of the fit. They must be the same, where it had
            names.

        Returns
        -------
        ndarray of str
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        if input_features is not None:
            features = to_array(input_features, "input_features", "a list of names")
            features = np.atleast_1d(features.astype(object))
            seen = getattr(self, "feature_names_in_", None)
            if seen is not None and not np.array_equal(features, seen):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(features) != self.n_features_in_:
                raise ValueError(
                    "input_features should have length equal to number of features "
                    f"({self.n_features_in_}), got {len(features)}"
                )
            names = [str(name) for name in features] if seen is None else list(seen)
        else:
            names = self._names_in()
        return np.asarray(self._named(names), dtype=object)

    def _names_in(self) -> list[str]:
        names = self.__dict__.get("feature_names_in_")
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)

    def _named(self, names: list[str]) -> Any:
        prefix = type(self).__name__.lower()
        return [f"{prefix}{i}" for i in range(self._n_features_out)]

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.transformer_tags = TransformerTags(preserves_dtype=["float64", "float32"])
        return tags


# ---------------------------------------------------------------- tables out

_CONTAINERS = ("default", "pandas", "polars")


def name_of_rows(method: Callable[..., Any]) -> str:
    """The name of the first argument of a method: X, T or raw_documents."""
    return inspect.unwrap(method).__code__.co_varnames[1]


def _in_container(method: Callable[..., Any]) -> Callable[..., Any]:
    """``method``, its ndarray turned into the table `Transformer.set_output` asked for."""

    rows = name_of_rows(method)

    @wraps(method)
    def wrapped(self: Any, *args: Any, **options: Any) -> Any:
        X = args[0] if args else options.get(rows)
        return _as_table(self, method(self, *args, **options), X)

    return wrapped


def _as_table(estimator: Any, out: Any, X: Any) -> Any:
    container = output_container(estimator)
    if container != "default" and is_sparse(out):
        raise ValueError(
            f"{container.capitalize()} output does not support sparse data. Pass "
            'sparse_output=False, or call set_output(transform="default").'
        )
    if container == "default" or not isinstance(out, np.ndarray):
        return out
    names = estimator.get_feature_names_out()
    if container == "polars":
        import polars

        return polars.DataFrame(out, schema=names.tolist(), orient="row")
    import pandas

    index = X.index if isinstance(X, pandas.DataFrame | pandas.Series) else None
    return pandas.DataFrame(out, index=index, columns=names, copy=False)


def output_container(estimator: Any) -> str:
    """What `Transformer.set_output`, or scikit-learn's configuration, asked for."""
    config = estimator.__dict__.get("_sklearn_output_config")
    if config:
        return config["transform"]
    sklearn = sys.modules.get("sklearn")
    if sklearn is None:
        return "default"
    return as_choice(sklearn.get_config()["transform_output"], "transform_output", _CONTAINERS)
