# SPDX-License-Identifier: BSD-3-Clause
"""Scalers, encoders, imputers, components, neighbors and clusters of both libraries.

What a transformer learns of rows that it would learn of a few made up ones, it learns of these:
an encoder of a table with each category, an imputer of the row of its statistics. Neighbors are
those of the rows, which both libraries keep.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast import cluster, decomposition, neighbors, preprocessing
from statfast._estimator import ColumnMoments, copied
from statfast._typing import Array
from statfast.interchange.scikit_learn.shared_parameters import (
    require,
    sklearn_model,
    statfast_model,
)
from statfast.preprocessing.scaling.ranges import Extremes

SCALERS = {
    "StandardScaler": ("mean_", "var_", "scale_", "n_samples_seen_"),
    "MinMaxScaler": ("data_min_", "data_max_", "data_range_", "scale_", "min_", "n_samples_seen_"),
    "MaxAbsScaler": ("max_abs_", "scale_", "n_samples_seen_"),
    "RobustScaler": ("center_", "scale_"),
}
OF_ONE_ROW = ("Normalizer", "Binarizer", "PolynomialFeatures", "FunctionTransformer")
ENCODERS = ("OneHotEncoder", "OrdinalEncoder")
NEIGHBORS = ("KNeighborsClassifier", "KNeighborsRegressor", "NearestNeighbors")


def _learned(model: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(model, name) for name in names if hasattr(model, name)}


def read_scaler(model: Any) -> Any:
    """A scaler, with what ``partial_fit`` goes on from."""
    name = type(model).__name__
    learned = _learned(model, SCALERS[name])
    if name == "StandardScaler" and learned.get("var_") is not None:
        n = np.max(model.n_samples_seen_)
        learned["_moments"] = ColumnMoments(float(n), model.mean_, model.var_ * n, float(n))
    elif name == "MinMaxScaler":
        learned["_extremes"] = Extremes(model.n_samples_seen_, model.data_min_, model.data_max_)
    elif name == "MaxAbsScaler":
        learned["_extremes"] = Extremes(model.n_samples_seen_, -model.max_abs_, model.max_abs_)
    return statfast_model(getattr(preprocessing, name), model, exact=True, **learned)


def write_scaler(model: Any) -> Any:
    """A scaler."""
    name = type(model).__name__
    return sklearn_model("preprocessing", name, model, exact=True, **_learned(model, SCALERS[name]))


def _taught(unfitted: Any, model: Any, rows: Any) -> Any:
    """An estimator that was fitted to made up rows, with the names of the columns of `model`."""
    unfitted.fit(rows)
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        unfitted.feature_names_in_ = names
        if "_fitted" in vars(unfitted):
            unfitted._fitted = (*unfitted._fitted, "feature_names_in_")
    return unfitted


def _one_row(model: Any) -> Array:
    return np.ones((1, model.n_features_in_))


def read_by_one_row(model: Any) -> Any:
    """A transformer that knows the number of columns alone."""
    kind = getattr(preprocessing, type(model).__name__)
    return _taught(copied(statfast_model(kind, model, exact=True)), model, _one_row(model))


def write_by_one_row(model: Any) -> Any:
    """A transformer that knows the number of columns alone."""
    made = sklearn_model("preprocessing", type(model).__name__, model, exact=True)
    return _taught(made, model, _one_row(model))


def _table_of(model: Any) -> Array:
    """Rows in which each category of each column is, in its order."""
    categories = model.categories_
    rows = max(map(len, categories))
    columns = [np.concatenate([c, np.repeat(c[:1], rows - len(c))]) for c in categories]
    if len({column.dtype for column in columns}) == 1 and columns[0].dtype.kind != "O":
        return np.column_stack(columns)
    table = np.empty((rows, len(columns)), dtype=object)
    for j, column in enumerate(columns):
        table[:, j] = column.tolist()
    return table


def _require_no_rare(model: Any) -> None:
    limits = (model.min_frequency, model.max_categories)
    require(
        limits == (None, None), model, "with min_frequency or max_categories",
        "Fit it without, or merge categories before.",
    )  # fmt: skip


def read_encoder(model: Any) -> Any:
    """Codes or indicators of categories."""
    _require_no_rare(model)
    kind = getattr(preprocessing, type(model).__name__)
    return _taught(copied(statfast_model(kind, model, exact=True)), model, _table_of(model))


def write_encoder(model: Any) -> Any:
    """Codes or indicators of categories."""
    _require_no_rare(model)
    made = sklearn_model("preprocessing", type(model).__name__, model, exact=True)
    return _taught(made, model, _table_of(model))


def _require_plain_imputer(model: Any) -> None:
    require(
        not model.add_indicator and not callable(model.strategy), model,
        "with add_indicator, or a function as its strategy,",
        "Use a MissingIndicator beside it.",
    )  # fmt: skip


def _row_of_statistics(model: Any) -> Array:
    return np.atleast_2d(model.statistics_)


def read_imputer(model: Any) -> Any:
    """Statistics in the place of missing values."""
    _require_plain_imputer(model)
    made = copied(statfast_model(preprocessing.SimpleImputer, model, exact=True))
    return _taught(made, model, _row_of_statistics(model))


def write_imputer(model: Any) -> Any:
    """Statistics in the place of missing values."""
    _require_plain_imputer(model)
    made = sklearn_model("impute", "SimpleImputer", model, exact=True)
    return _taught(made, model, _row_of_statistics(model))


# ------------------------------------------------------------------ components
PCA = (
    "components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_",
    "n_components_", "n_samples_", "noise_variance_",
)  # fmt: skip


def read_pca(model: Any) -> Any:
    """Principal components."""
    root = np.sqrt(model.explained_variance_)
    projection = model.components_
    if model.whiten:
        tiny = np.finfo(root.dtype).eps
        projection = projection / np.maximum(root, tiny)[:, None]
    return statfast_model(
        decomposition.PCA, model, **_learned(model, PCA),
        _projection=np.ascontiguousarray(projection), scale_=None, residuals_=None, sdev_=root,
        loadings_=model.components_.T, _deviation=np.sqrt(model.get_covariance().diagonal()),
    )  # fmt: skip


def write_pca(model: Any) -> Any:
    """Principal components."""
    require(
        model.scale_ is None, model, "of scaled columns",
        "Fit a pipeline of a StandardScaler and a PCA.",
    )  # fmt: skip
    return sklearn_model("decomposition", "PCA", model, **_learned(model, PCA))


# ------------------------------------------------------------------ neighbors and clusters
def read_neighbors(model: Any) -> Any:
    """The search among the same rows."""
    name = type(model).__name__
    made = copied(statfast_model(getattr(neighbors, name), model, exact=True))
    if name == "NearestNeighbors":
        made.fit(model._fit_X)
    elif name == "KNeighborsRegressor":
        made.fit(model._fit_X, model._y)
    else:
        made.fit(model._fit_X, _labels(model.classes_, model._y))
    return _named(made, model)


def _labels(classes: Any, codes: Array) -> Array:
    """Labels from their codes, of one output or of several."""
    if isinstance(classes, list):
        return np.column_stack([c[codes[:, k]] for k, c in enumerate(classes)])
    return classes[np.ravel(codes)]


def _named(made: Any, model: Any) -> Any:
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        made.feature_names_in_ = names
        if "_fitted" in vars(made):
            made._fitted = (*made._fitted, "feature_names_in_")
    return made


def write_neighbors(model: Any) -> Any:
    """The search among the same rows."""
    name = type(model).__name__
    require(
        model._metric.scale == 1.0 and model._metric.factor is None, model,
        "with a metric that changes rows", "Change the rows, and take euclidean distances.",
    )  # fmt: skip
    require(
        getattr(model, "ties", "lowest") == "lowest", model, "with another vote than ties='lowest'",
        "Fit it with ties='lowest'.",
    )  # fmt: skip
    made = sklearn_model("neighbors", name, model, exact=True)
    rows = model._rows
    if name == "NearestNeighbors":
        made.fit(rows)
    elif name == "KNeighborsRegressor":
        targets = model._targets
        made.fit(rows, targets[:, 0] if model._flat else targets)
    else:
        classes = model.classes_ if model.outputs_2d_ else [model.classes_]
        codes = model._codes if model.outputs_2d_ else [model._codes]
        labels = [c[code] for c, code in zip(classes, codes, strict=True)]
        made.fit(rows, np.column_stack(labels) if model.outputs_2d_ else labels[0])
    return _named(made, model)


KMEANS = ("cluster_centers_", "labels_", "inertia_", "n_iter_")


def read_kmeans(model: Any) -> Any:
    """Centers of clusters."""
    return statfast_model(cluster.KMeans, model, **_learned(model, KMEANS), converged_=True)


def write_kmeans(model: Any) -> Any:
    """Centers of clusters."""
    made = sklearn_model("cluster", "KMeans", model, **_learned(model, KMEANS))
    made._n_threads = 1
    return made


READ = {
    **dict.fromkeys(SCALERS, read_scaler),
    **dict.fromkeys(OF_ONE_ROW, read_by_one_row),
    **dict.fromkeys(ENCODERS, read_encoder),
    "SimpleImputer": read_imputer,
    "PCA": read_pca,
    **dict.fromkeys(NEIGHBORS, read_neighbors),
    "KMeans": read_kmeans,
}
WRITE = {
    **dict.fromkeys(SCALERS, write_scaler),
    **dict.fromkeys(OF_ONE_ROW, write_by_one_row),
    **dict.fromkeys(ENCODERS, write_encoder),
    "SimpleImputer": write_imputer,
    "PCA": write_pca,
    **dict.fromkeys(NEIGHBORS, write_neighbors),
    "KMeans": write_kmeans,
}
