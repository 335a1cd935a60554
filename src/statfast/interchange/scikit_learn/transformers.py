# SPDX-License-Identifier: BSD-3-Clause
"""Scalers, encoders, imputers, components, neighbors, clusters and selectors of both libraries.

What a transformer learns of rows that it would learn of a few made up ones, it learns of these:
an encoder of a table with each category, an imputer of the row of its statistics. Neighbors are
those of the rows, which both libraries keep.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast import (
    calibration,
    cluster,
    decomposition,
    feature_selection,
    neighbors,
    preprocessing,
)
from statfast._estimator import ColumnMoments, UnknownSums, copied
from statfast._typing import Array
from statfast.interchange.scikit_learn.shared_parameters import (
    require,
    sklearn_model,
    sklearn_unfitted,
    statfast_model,
)
from statfast.preprocessing.encoding.categories import EncodedCounts
from statfast.preprocessing.scaling.ranges import Extremes

SCALERS = {
    "StandardScaler": ("mean_", "var_", "scale_", "n_samples_seen_"),
    "MinMaxScaler": ("data_min_", "data_max_", "data_range_", "scale_", "min_", "n_samples_seen_"),
    "MaxAbsScaler": ("max_abs_", "scale_", "n_samples_seen_"),
    "RobustScaler": ("center_", "scale_"),
}
OF_ONE_ROW = ("Normalizer", "Binarizer", "PolynomialFeatures", "FunctionTransformer")
ENCODERS = ("OneHotEncoder", "OrdinalEncoder")
COUNT_OF_FREQUENT = 1 << 40  # rows, more than any limit of rare categories
NEIGHBORS = ("KNeighborsClassifier", "KNeighborsRegressor", "NearestNeighbors")


def _learned(model: Any, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(model, name) for name in names if hasattr(model, name)}


def read_scaler(model: Any) -> Any:
    """A scaler, with what ``partial_fit`` goes on from."""
    name = type(model).__name__
    learned = _learned(model, SCALERS[name])
    if name == "StandardScaler":
        n, d = np.max(model.n_samples_seen_), model.n_features_in_
        mean, variance = learned.get("mean_"), learned.get("var_")  # None where not asked for
        mean = np.zeros(d) if mean is None else mean
        squares = np.zeros(d) if variance is None else variance * n
        learned["_moments"] = ColumnMoments(float(n), mean, squares, float(n))
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


def _is_ordinal(model: Any) -> bool:
    return type(model).__name__ == "OrdinalEncoder"


def _require_one_gap(model: Any) -> None:
    """Refuse None among ordinal categories: a category there, and missing here."""
    require(
        not (_is_ordinal(model) and any(None in c.tolist() for c in model.categories_)), model,
        "with None among its categories", "Replace None by a word or by NaN before the fit.",
    )  # fmt: skip


def _is_rare(model: Any) -> bool:
    """Whether rare categories are together."""
    return model.min_frequency is not None or model.max_categories is not None


def _counts_of(model: Any) -> list[Array]:
    """Counts of categories by which both libraries call the same ones rare.

    Frequent ones are in all of COUNT_OF_FREQUENT rows, and rare ones in none.
    """
    return [
        np.where(np.isin(np.arange(len(values)), _places(values, rare)), 0, COUNT_OF_FREQUENT)
        for values, rare in zip(model.categories_, model.infrequent_categories_, strict=True)
    ]


def _places(values: Array, rare: Any) -> list[int]:
    """The places of rare categories, which are not missing ones where None stands."""
    known = [] if rare is None else rare.tolist()
    nan = any(value != value for value in known)
    return [
        k for k, value in enumerate(values.tolist())
        if value in known or (nan and value != value)
    ]  # fmt: skip


def read_encoder(model: Any) -> Any:
    """Codes or indicators of categories."""
    _require_one_gap(model)
    kind = getattr(preprocessing, type(model).__name__)
    made = copied(statfast_model(kind, model, exact=True))
    if not _is_rare(model):
        return _taught(made, model, _table_of(model))
    names = getattr(model, "feature_names_in_", None)
    values = [np.array(v, dtype=v.dtype) for v in model.categories_]
    made._solved(EncodedCounts(COUNT_OF_FREQUENT, values, _counts_of(model)), names)
    made._counts = UnknownSums()
    return made


def write_encoder(model: Any) -> Any:
    """Codes or indicators of categories."""
    _require_one_gap(model)
    made = sklearn_model("preprocessing", type(model).__name__, model, exact=True)
    table = _table_of(model)
    if not _is_rare(model):
        return _taught(made, model, table)
    # Without limits all categories of the table are learned; the groups come after.
    settings = made.get_params()
    without: dict[str, Any] = {"min_frequency": None, "max_categories": None}
    if _is_ordinal(model):
        without |= {"handle_unknown": "error", "unknown_value": None, "dtype": np.float64}
        without["encoded_missing_value"] = np.nan
    else:
        without["drop"] = None
    _taught(made.set_params(**without), model, table).set_params(**settings)
    made._check_infrequent_enabled()
    gaps = {
        j: len(values) - 1
        for j, values in enumerate(model.categories_)
        if _is_ordinal(model) and values[-1] != values[-1]
    }
    made._fit_infrequent_category_mapping(COUNT_OF_FREQUENT, _counts_of(model), gaps)
    if not _is_ordinal(model):
        made._set_drop_idx()
        made._n_features_outs = made._compute_n_features_outs()
    return made


def _require_plain_imputer(model: Any) -> None:
    require(
        not model.add_indicator and not callable(model.strategy), model,
        "with add_indicator, or a function as its strategy,",
        "Use a MissingIndicator beside it.",
    )  # fmt: skip


def _row_of_statistics(model: Any) -> Array:
    return np.atleast_2d(model.statistics_)


def read_imputer(model: Any) -> Any:
    """Statistics in place of missing values."""
    _require_plain_imputer(model)
    made = copied(statfast_model(preprocessing.SimpleImputer, model, exact=True))
    _taught(made, model, _row_of_statistics(model))
    if model.strategy == "mean":
        made._totals = UnknownSums()
    return made


def write_imputer(model: Any) -> Any:
    """Statistics in place of missing values."""
    _require_plain_imputer(model)
    made = sklearn_model("impute", "SimpleImputer", model, exact=True)
    return _taught(made, model, _row_of_statistics(model))


# ------------------------------------------------------------------ components
SVD = ("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_")


def read_svd(model: Any) -> Any:
    """A truncated singular value decomposition."""
    return statfast_model(
        decomposition.TruncatedSVD, model, **_learned(model, SVD),
        _projection=np.ascontiguousarray(model.components_),
    )  # fmt: skip


def write_svd(model: Any) -> Any:
    """A truncated singular value decomposition."""
    return sklearn_model("decomposition", "TruncatedSVD", model, **_learned(model, SVD))


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
        _moments=UnknownSums(),
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


# ------------------------------------------------------------------ columns that are selected
BY_SCORE = (
    "GenericUnivariateSelect", "SelectFdr", "SelectFpr", "SelectFwe", "SelectKBest",
    "SelectPercentile",
)  # fmt: skip


def require_same_columns(model: Any, made: Any) -> Any:
    """The converted selector, if it selects the same columns, of equal scores too."""
    require(
        np.array_equal(model.get_support(), made.get_support()), model,
        "by scores of which some are equal", "Ask for more columns, or fewer.",
    )  # fmt: skip
    return made


def _function_of(library: Any, function: Any) -> dict[str, Any]:
    """The function of that name in the other library, as a parameter."""
    named = getattr(library, getattr(function, "__name__", ""), None)
    home = getattr(function, "__module__", "").partition(".")[0]
    return {"score_func": named if named and home in ("sklearn", "statfast") else function}


def read_by_score(model: Any) -> Any:
    """Columns by a score of each."""
    made = statfast_model(
        getattr(feature_selection, type(model).__name__), model, exact=True,
        parameters=_function_of(feature_selection, model.score_func),
        scores_=np.array(model.scores_, float), pvalues_=getattr(model, "pvalues_", None),
    )  # fmt: skip
    return require_same_columns(model, made)


def write_by_score(model: Any) -> Any:
    """Columns by a score of each."""
    import sklearn.feature_selection

    made = sklearn_model(
        "feature_selection", type(model).__name__, model, exact=True, scores_=model.scores_,
        parameters=_function_of(sklearn.feature_selection, model.score_func),
        pvalues_=model.pvalues_,
    )  # fmt: skip
    return require_same_columns(model, made)


def read_by_variance(model: Any) -> Any:
    """Columns that vary."""
    variances = np.array(model.variances_, float)
    return statfast_model(
        feature_selection.VarianceThreshold, model, exact=True, variances_=variances
    )


def write_by_variance(model: Any) -> Any:
    """Columns that vary."""
    return sklearn_model(
        "feature_selection", "VarianceThreshold", model, exact=True, variances_=model.variances_
    )


# ------------------------------------------------------------------ monotone functions
def read_isotonic(model: Any) -> Any:
    """A monotone function between its thresholds."""
    places = np.asarray(model.X_thresholds_)
    require(
        places.dtype == np.float64, model, "of float32 places, to which it rounds new ones,",
        "Fit it to places in float64.",
    )  # fmt: skip
    return statfast_model(
        calibration.IsotonicRegression, model, exact=True, n_features_in_=1,
        X_min_=float(model.X_min_), X_max_=float(model.X_max_), X_thresholds_=places,
        y_thresholds_=np.asarray(model.y_thresholds_, float),
        increasing_=bool(model.increasing_),
    )  # fmt: skip


def write_isotonic(model: Any) -> Any:
    """A monotone function between its thresholds."""
    made = sklearn_unfitted("isotonic", "IsotonicRegression", model, exact=True)
    made.X_thresholds_ = np.array(model.X_thresholds_, float)
    made.y_thresholds_ = np.array(model.y_thresholds_, float)
    made.X_min_, made.X_max_ = float(model.X_min_), float(model.X_max_)
    made.increasing_ = bool(model.increasing_)
    made._build_f(made.X_thresholds_, made.y_thresholds_)
    return made


CONVERSIONS_BY_CLASS = {  # functions that read it, and write it
    **dict.fromkeys(SCALERS, (read_scaler, write_scaler)),
    **dict.fromkeys(OF_ONE_ROW, (read_by_one_row, write_by_one_row)),
    **dict.fromkeys(ENCODERS, (read_encoder, write_encoder)),
    "SimpleImputer": (read_imputer, write_imputer),
    "PCA": (read_pca, write_pca),
    **dict.fromkeys(NEIGHBORS, (read_neighbors, write_neighbors)),
    "KMeans": (read_kmeans, write_kmeans),
    **dict.fromkeys(BY_SCORE, (read_by_score, write_by_score)),
    "VarianceThreshold": (read_by_variance, write_by_variance),
    "TruncatedSVD": (read_svd, write_svd),
    "IsotonicRegression": (read_isotonic, write_isotonic),
}
