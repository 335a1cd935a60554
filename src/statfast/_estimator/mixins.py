# SPDX-License-Identifier: BSD-3-Clause
"""What classifiers, clusterers and transformers have in common."""

import sys
from functools import wraps

import numpy as np

from statfast._validation import as_choice, as_labels, as_weights, not_fitted


class Classifier:
    """Mixin: ``score`` is accuracy, and scikit-learn is told that this is a classifier."""

    def score(self, X, y, sample_weight=None):
        """Accuracy: the fraction of rows, by weight, given their own label.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
            True labels.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float
        """
        predicted = self.predict(X)
        labels, codes = as_labels(y, len(predicted))
        weights = as_weights(sample_weight, len(predicted))
        return float(np.average(predicted == labels[codes], weights=weights))

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        tags.target_tags.required = True
        return tags


class Clusterer:
    """Mixin: ``fit_predict``, and scikit-learn is told that this is a clusterer."""

    def fit_predict(self, X, y=None, **fit_params):
        """Fit, and return the cluster of each row.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : ignored
        **fit_params : object
            Passed to ``fit``, such as ``sample_weight``.

        Returns
        -------
        ndarray of shape (n,)
            ``labels_``.
        """
        fitted = self.fit(X, **fit_params)
        return fitted.labels_ if "labels_" in vars(fitted) else fitted.predict(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "clusterer"
        return tags


class Transformer:
    """Mixin: ``fit_transform``, ``set_output`` and names for the columns of ``transform``.

    A subclass defines ``transform`` (returning an ndarray, wrapped here as the user asked) and
    either a property ``_n_features_out`` or a method ``_out_names``.
    """

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        for name in ("transform", "fit_transform"):
            if name in cls.__dict__:
                setattr(cls, name, _in_container(cls.__dict__[name]))

    def fit_transform(self, X, y=None, **fit_params):
        """Fit, and transform the same rows.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,), optional
        **fit_params : object
            Passed to ``fit``, such as ``sample_weight``.

        Returns
        -------
        ndarray of shape (n, m), or the table asked for by `set_output`
        """
        return self.fit(X, y, **fit_params).transform(X)

    def set_output(self, *, transform=None):
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

    def get_feature_names_out(self, input_features=None):
        """Names of the columns of ``transform``.

        Parameters
        ----------
        input_features : array-like of str, optional
            Checked against the names seen by ``fit``; not used otherwise.

        Returns
        -------
        ndarray of str
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        if input_features is not None:
            given = np.asarray(input_features, dtype=object)
            seen = getattr(self, "feature_names_in_", None)
            if seen is not None and not np.array_equal(given, seen):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(given) != self.n_features_in_:
                raise ValueError(
                    "input_features should have length equal to number of features "
                    f"({self.n_features_in_}), got {len(given)}"
                )
        return np.asarray(self._out_names(), dtype=object)

    def _out_names(self):
        prefix = type(self).__name__.lower()
        return [f"{prefix}{i}" for i in range(self._n_features_out)]

    def __sklearn_tags__(self):
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags(preserves_dtype=["float64", "float32"])
        return tags


# ---------------------------------------------------------------- tables out

_CONTAINERS = ("default", "pandas", "polars")


def _in_container(method):
    """``method``, its ndarray turned into the table `Transformer.set_output` asked for."""

    @wraps(method)
    def wrapped(self, X, *args, **kwargs):
        return _as_table(self, method(self, X, *args, **kwargs), X)

    return wrapped


def _as_table(estimator, out, X):
    container = _container(estimator)
    if container == "default" or not isinstance(out, np.ndarray):
        return out
    names = estimator.get_feature_names_out()
    if container == "polars":
        import polars

        return polars.DataFrame(out, schema=names.tolist(), orient="row")
    import pandas

    index = X.index if isinstance(X, pandas.DataFrame | pandas.Series) else None
    return pandas.DataFrame(out, index=index, columns=names, copy=False)


def _container(estimator):
    config = estimator.__dict__.get("_sklearn_output_config")
    if config:
        return config["transform"]
    sklearn = sys.modules.get("sklearn")
    if sklearn is None:
        return "default"
    return as_choice(sklearn.get_config()["transform_output"], "transform_output", _CONTAINERS)
