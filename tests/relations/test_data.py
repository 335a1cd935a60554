# SPDX-License-Identifier: BSD-3-Clause
"""Rows, columns, classes and weights that come in another way, and mean the same."""

import numpy as np
import pandas as pd
import pytest

from tests.contract import test_contract as contract
from tests.relations.problems import agree, answers, on_problems, problem

# Steps of two fits differ by rounding; what they are stopped by is 1e-8 or less, but for these.
ROUNDING = 1e-6
SETTINGS = {
    "LinearSVC": {"tol": 1e-9},
    "LinearSVR": {"tol": 1e-9},
    "ElasticNetCV": {"tol": 1e-12},
    "LassoCV": {"tol": 1e-12},
    "MultiTaskElasticNetCV": {"tol": 1e-12},
    "MultiTaskLassoCV": {"tol": 1e-12},
    "BernoulliNB": {"binarize": 1.0},
    "RadiusNeighborsClassifier": {"radius": 4.0},
    "RadiusNeighborsRegressor": {"radius": 20.0},
}


def make(cls, **params):
    return contract.make(cls, **{**SETTINGS.get(cls.__name__, {}), **params})


DRAWS = "draws among rows or columns, in the order in which they come"
FOLDS = "folds are runs of rows"
HAVE_ORDER = {
    **dict.fromkeys(
        (
            "AdaBoostRegressor", "BaggingClassifier", "BaggingRegressor", "BisectingKMeans",
            "CLARA",
            "EllipticEnvelope", "MinCovDet",
            "ExtraTreesClassifier", "ExtraTreesRegressor", "GaussianMixture", "IsolationForest",
            "KMeans", "KMeansConstrained",
            "LSHNeighbors",
            "MiniBatchKMeans", "SphericalKMeans", "RandomForestClassifier", "RandomForestRegressor",
            "RatingsFactorization", "TruncatedSVD", "OutputCodeClassifier",
        ),
        DRAWS,
    ),
    **dict.fromkeys(
        (
            "CalibratedClassifierCV", "ConformalClassifier", "ConformalRegressor",
            "ElasticNetCV", "GridSearchCV", "HalvingGridSearchCV",
            "HalvingRandomSearchCV", "LassoCV", "LogisticRegressionCV", "MultiTaskElasticNetCV",
            "RFECV", "SequentialFeatureSelector",
            "MultiTaskLassoCV", "RandomizedSearchCV",
            "StackingClassifier", "StackingRegressor", "TunedThresholdClassifierCV",
        ),
        FOLDS,
    ),
    "IncrementalPCA": "batches are runs of rows",
    "NuSVC": "probabilities are calibrated on folds",
    "SVC": "probabilities are calibrated on folds",
    "AgglomerativeClustering": "clusters are numbered in the order of the rows",
    "HDBSCAN": "clusters are numbered in the order of the rows",
    "DBSCAN": "clusters are numbered in the order of the rows",
    "KMedoids": "starts and clusters have the order of the rows",
    "KModes": "starts and clusters have the order of the rows",
    "KPrototypes": "starts and clusters have the order of the rows",
    "NearestNeighbors": "answers are numbers of rows",
    "KNeighborsTransformer": "columns are fitted rows",
    "RadiusNeighborsTransformer": "columns are fitted rows",
}  # fmt: skip
OF_COLUMNS = {
    **dict.fromkeys(
        (
            "BisectingKMeans", "ExtraTreesClassifier", "ExtraTreesRegressor", "IsolationForest",
            "LSHNeighbors",
            "RandomForestClassifier", "RandomForestRegressor", "RatingsFactorization",
            "TruncatedSVD", "AdaBoostRegressor", "BaggingClassifier", "BaggingRegressor",
        ),
        DRAWS,
    ),
    **dict.fromkeys(
        (
            "MinMaxScaler", "StandardScaler", "RobustScaler", "SimpleImputer", "OneHotEncoder",
            "OrdinalEncoder", "PiecewiseLinearFeatures", "PolynomialFeatures", "ColumnTransformer",
            "FeatureUnion",
            "Binarizer", "FunctionTransformer", "MaxAbsScaler", "Normalizer",
            "PowerTransformer", "QuantileTransformer", "SplineTransformer",
            "KBinsDiscretizer", "TargetEncoder", "KNNImputer", "MissingIndicator",
        ),
        "answers have columns of their own",
    ),
    **dict.fromkeys(
        (
            "GenericUnivariateSelect", "RFE", "RFECV", "SelectFdr", "SelectFpr",
            "SelectFromModel", "SelectFwe", "SelectKBest", "SelectPercentile",
            "SequentialFeatureSelector", "VarianceThreshold",
        ),
        "answers are columns, in their order; tests/feature_selection permutes scores",
    ),
    **dict.fromkeys(
        ("DecisionTreeClassifier", "DecisionTreeRegressor", "AdaBoostClassifier",
         "HistGradientBoostingClassifier", "HistGradientBoostingRegressor"),
        "of two columns that split the rows alike the first is taken",
    ),
    "SubgroupDiscovery": "of equally good subgroups that on the first columns comes first",
    "TangentDistanceClassifier": "columns are neighbors in an image",
    "CategoricalNB": "rows of few categories tie, and rounding decides",
    "NuSVC": "rows are dealt out to the folds of the calibration by their first columns",
    "SVC": "rows are dealt out to the folds of the calibration by their first columns",
    "PCA": "signs follow the largest loading, of which rounding may choose another",
    "IncrementalPCA": "signs follow the largest loading, of which rounding may choose another",
}  # fmt: skip


def those(classes, but=()):
    found = [cls for cls in classes if cls.__name__ not in but]
    return pytest.mark.parametrize("cls", found, ids=lambda cls: cls.__name__)


CLASSIFIERS = [
    cls for cls in contract.ESTIMATORS if cls().__sklearn_tags__().estimator_type == "classifier"
]


INDEXES = {
    "permuted": lambda n, rng: rng.permutation(n),
    "gapped": lambda n, rng: 5 * np.arange(n) + 3,
    "repeated": lambda n, rng: rng.integers(0, 5, n),
    "dates": lambda n, rng: pd.date_range("2021-03-01", periods=n)[rng.permutation(n)],
    "names": lambda n, rng: [f"row {i}" for i in rng.permutation(n)],
}


@those(contract.ESTIMATORS)
@pytest.mark.parametrize("kind", INDEXES)
def test_a_frame_is_its_array_whatever_its_index(cls, kind):
    """Rows, target and weights each have an index of their own, which says nothing."""
    rng = np.random.default_rng(len(kind))
    X, y = problem(cls, 5)
    names = [f"c{j}" for j in range(X.shape[1])]

    def index():
        return INDEXES[kind](len(y), rng)

    frame = pd.DataFrame(X, columns=names, index=index())
    weights = rng.integers(1, 4, len(y)).astype(float)
    weighted = contract.takes(cls, "sample_weight")
    plain = make(cls).fit(X, y, **({"sample_weight": weights} if weighted else {}))
    series = {"sample_weight": pd.Series(weights, index=index())} if weighted else {}
    other = make(cls).fit(frame, pd.Series(y, index=index()), **series)
    agree(answers(other, frame), answers(plain, X), 0)
    if hasattr(plain, "score"):
        target = pd.Series(y, index=index())
        assert other.score(frame, target) == plain.score(X, y)


@those(contract.ESTIMATORS, HAVE_ORDER)
@on_problems
def test_order_of_the_rows_says_nothing(cls, seed):
    X, y = problem(cls, seed)
    order = np.random.default_rng(seed).permutation(len(y))
    frame, target = pd.DataFrame(X), pd.Series(y)
    first = make(cls).fit(X, y)
    second = make(cls).fit(frame.iloc[order], target.iloc[order])
    agree(of_values(answers(second, frame)), of_values(answers(first, X)), ROUNDING)


def of_values(answers):
    """Answers but for numbers of rows."""
    return [(name, array) for name, array in answers if name != "kneighbors[1]"]


@those(contract.ESTIMATORS)
@on_problems
def test_rows_that_are_asked_for_in_another_order(cls, seed):
    X, y = problem(cls, seed)
    order = np.random.default_rng(seed).permutation(len(y))
    model = make(cls).fit(X, y)
    turned = [(name, array[order]) for name, array in answers(model, X)]
    agree(answers(model, X[order]), turned, 1e-12)


@those(contract.ESTIMATORS, OF_COLUMNS)
@on_problems
def test_order_of_the_columns_says_nothing(cls, seed):
    X, y = problem(cls, seed)
    order = np.random.default_rng(seed).permutation(X.shape[1])
    X = np.ascontiguousarray(X)
    first = make(cls).fit(X, y)
    turned = np.ascontiguousarray(X[:, order])
    agree(answers(make(cls).fit(turned, y), turned), answers(first, X), ROUNDING)


@those(contract.ESTIMATORS)
def test_names_of_the_columns_say_nothing(cls):
    X, y = problem(cls, 3)
    frame = pd.DataFrame(X, columns=["sepal", "petal", "a", "b"])
    other = pd.DataFrame(X, columns=["x y", "class", "None", "10"])
    first = make(cls).fit(frame, y)
    agree(answers(make(cls).fit(other, y), other), answers(first, frame), 0)


@those(contract.ESTIMATORS, contract.FINDS_COLUMNS)
def test_columns_in_another_order_than_at_the_fit_are_refused(cls):
    X, y = problem(cls, 3)
    frame = pd.DataFrame(X, columns=["sepal", "petal", "a", "b"])
    model = make(cls).fit(frame, y)
    for name in contract.methods(model):
        with pytest.raises(ValueError, match="feature names"):
            getattr(model, name)(frame[["petal", "sepal", "a", "b"]])


NAMES = {
    "whole numbers": [3, 10, 200],
    "numbers": [-1.0, 0.0, 7.0],
    "other names": ["A", "Zoe", "b"],
}


@those(CLASSIFIERS)
@pytest.mark.parametrize("kind", NAMES)
def test_other_names_of_the_classes_in_the_same_order(cls, kind):
    X, y = problem(cls, 11)
    labels, codes = np.unique(y, return_inverse=True)
    names = np.array(NAMES[kind])[: len(labels)]
    first, second = make(cls).fit(X, y), make(cls).fit(X, names[codes])
    np.testing.assert_array_equal(second.classes_, names)
    for (name, a), (_, b) in zip(answers(second, X), answers(first, X), strict=True):
        want = names[np.searchsorted(first.classes_, b)] if b.dtype.kind in "US" else b
        np.testing.assert_array_equal(a, want, err_msg=name)


# Of classes that have as many votes the first is taken, or draws go through the classes in order.
TIES = {
    **dict.fromkeys(
        ("AdaBoostClassifier", "BaggingClassifier", "DecisionTreeClassifier",
         "ExtraTreesClassifier", "HistGradientBoostingClassifier", "KNeighborsClassifier",
         "OneVsOneClassifier", "RadiusNeighborsClassifier", "RandomForestClassifier",
         "TangentDistanceClassifier", "RegularizedDiscriminantAnalysisCV"),
        "of classes that are as good the first is taken",
    ),
    "DummyClassifier": "of classes of as many rows the first is taken",
    "FixedThresholdClassifier": "the second class is the positive one",
    "TunedThresholdClassifierCV": "the second class is the positive one",
    "OutputCodeClassifier": "a row of the code belongs to each class in order",
    "NuSVC": "folds of the calibration are drawn class by class",
    "SVC": "folds of the calibration are drawn class by class",
}  # fmt: skip
OF_CLASSES = ("predict_proba[0]", "predict_log_proba[0]", "decision_function[0]")


@those(CLASSIFIERS, TIES)
@on_problems
def test_order_of_the_classes_says_nothing(cls, seed):
    X, y = problem(cls, seed)
    turned = {"ash": "zinnia", "elm": "elm", "oak": "acorn"}
    back = {new: old for old, new in turned.items()}
    first, second = make(cls).fit(X, y), make(cls).fit(X, np.array([turned[name] for name in y]))
    want = dict(answers(first, X))
    for name, got in answers(second, X):
        if name in OF_CLASSES:
            got = got[:, ::-1]
        elif got.dtype.kind in "US":
            got = np.array([back[label] for label in got])
        else:
            continue  # scores of components have an order of their own
        agree([(name, got)], [(name, want[name])], ROUNDING)


# What is computed from float32 rows has its rounding, times what the problem multiplies it with;
# rows of these problems lie within some ten units, and few systems have a condition above 100.
OF_FLOAT32 = 2e-4


@those(contract.ESTIMATORS)
@on_problems
def test_float32_is_float64_of_the_same_numbers(cls, seed):
    X, y = problem(cls, seed)
    short = X.astype(np.float32)
    first, second = make(cls).fit(X, y), make(cls).fit(short, y)
    for (name, a), (_, b) in zip(answers(second, short), answers(first, X), strict=True):
        if b.dtype.kind == "f":
            agree([(name, a)], [(name, b)], OF_FLOAT32)
        else:
            assert np.mean(np.asarray(a != b)) <= 0.05, name  # rows that nearly tie
