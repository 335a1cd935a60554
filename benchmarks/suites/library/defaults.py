# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``defaults``: what scikit-learn has under the same name, called as a user calls it.

Default arguments, ``fit``, then ``predict``, ``transform`` or ``kneighbors`` of the same rows. The
checks say that an answer is one, by what the data were made with; how exact it is, the suites of
the families ask. In small calls it is the overhead that is measured: checks, paths and folds in
Python, threads that are woken for a millisecond of work.
"""

from functools import partial
from itertools import combinations_with_replacement

import numpy as np

from benchmarks.harness.adapter import Adapter, named
from benchmarks.harness.bars import Bar
from benchmarks.harness.check import Check, Tolerances, difference
from benchmarks.harness.problem import Problem
from benchmarks.harness.suite import Growth, Library, Suite

# --- what has a twin ---

# scikit-learn's module: task: names.
TWINS = {
    "sklearn.ensemble": {
        "classes": "AdaBoostClassifier BaggingClassifier ExtraTreesClassifier "
        "HistGradientBoostingClassifier RandomForestClassifier",
        "numbers": "AdaBoostRegressor BaggingRegressor ExtraTreesRegressor "
        "HistGradientBoostingRegressor RandomForestRegressor",
    },
    "sklearn.tree": {"classes": "DecisionTreeClassifier", "numbers": "DecisionTreeRegressor"},
    "sklearn.cluster": {"groups": "AgglomerativeClustering BisectingKMeans KMeans MiniBatchKMeans"},
    "sklearn.naive_bayes": {
        "classes": "BernoulliNB CategoricalNB ComplementNB GaussianNB MultinomialNB"
    },
    "sklearn.discriminant_analysis": {
        "classes": "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis"
    },
    "sklearn.calibration": {"classes": "CalibratedClassifierCV"},
    "sklearn.isotonic": {"numbers": "IsotonicRegression"},
    "sklearn.linear_model": {
        "classes": "LogisticRegression LogisticRegressionCV RidgeClassifier RidgeClassifierCV",
        "numbers": "ElasticNet ElasticNetCV GammaRegressor HuberRegressor Lasso LassoCV "
        "LinearRegression PoissonRegressor Ridge RidgeCV TweedieRegressor",
    },
    "sklearn.kernel_ridge": {"numbers": "KernelRidge"},
    "sklearn.neighbors": {
        "classes": "KNeighborsClassifier NearestCentroid RadiusNeighborsClassifier",
        "numbers": "KNeighborsRegressor RadiusNeighborsRegressor",
        "neighbors": "NearestNeighbors",
    },
    "sklearn.svm": {
        "classes": "LinearSVC NuSVC SVC",
        "numbers": "LinearSVR NuSVR SVR",
        "one class": "OneClassSVM",
    },
    "sklearn.multiclass": {
        "classes": "OneVsOneClassifier OneVsRestClassifier OutputCodeClassifier"
    },
    "sklearn.decomposition": {"components": "IncrementalPCA PCA TruncatedSVD"},
    "sklearn.preprocessing": {
        "columns": "MaxAbsScaler MinMaxScaler Normalizer OrdinalEncoder PolynomialFeatures "
        "RobustScaler StandardScaler",
        "sparse columns": "OneHotEncoder",
    },
    "sklearn.impute": {"columns": "SimpleImputer"},
    "sklearn.feature_extraction.text": {"sparse columns": "TfidfTransformer"},
}
MODULES = {n: m for m, tasks in TWINS.items() for names in tasks.values() for n in names.split()}
TASKS = {n: t for tasks in TWINS.values() for t, names in tasks.items() for n in names.split()}
NO_ESTIMATOR = "it has no default estimator"
OF_LABELS = "it takes labels alone"
OF_DOCUMENTS = "it takes documents: see the suite `text`"
OF_GRAPHS = "it is `NearestNeighbors`, whose answer it stores as a sparse graph"
OF_COVARIANCES = "see the suite `covariance`"
OF_SCORES = "see the suite `feature_selection`"
LEFT_OUT = {
    "ClassifierChain": NO_ESTIMATOR,
    "ColumnTransformer": "it does nothing by default",
    "CountVectorizer": OF_DOCUMENTS,
    "DummyClassifier": "it looks at no column",
    "DummyRegressor": "it looks at no column",
    "Binarizer": "one comparison of numpy",
    "FixedThresholdClassifier": NO_ESTIMATOR,
    "FunctionTransformer": "it does nothing by default",
    "LabelBinarizer": OF_LABELS,
    "LabelEncoder": OF_LABELS,
    "MultiLabelBinarizer": OF_LABELS,
    "GaussianMixture": "see the suite `mixture`",
    "GenericUnivariateSelect": OF_SCORES,
    "GridSearchCV": NO_ESTIMATOR,
    "HalvingGridSearchCV": NO_ESTIMATOR,
    "HalvingRandomSearchCV": NO_ESTIMATOR,
    "HashingVectorizer": OF_DOCUMENTS,
    "KBinsDiscretizer": "see the suite `preprocessing`",
    "PowerTransformer": "see the suite `preprocessing`",
    "QuantileTransformer": "see the suite `preprocessing`",
    "SplineTransformer": "see the suite `preprocessing`",
    "KNNImputer": "see the suite `preprocessing`",
    "KernelCenterer": "it takes a kernel matrix: means of numpy",
    "MissingIndicator": "it looks for missing values alone",
    "KNeighborsTransformer": OF_GRAPHS,
    "RadiusNeighborsTransformer": OF_GRAPHS,
    "KernelDensity": "see the suite `density`",
    "DBSCAN": "see the suite `density_clusters`",
    "HDBSCAN": "see the suite `density_clusters`",
    "LocalOutlierFactor": "see the suite `outliers`",
    "IsolationForest": "see the suite `isolation`",
    "EllipticEnvelope": OF_COVARIANCES,
    "EmpiricalCovariance": OF_COVARIANCES,
    "LedoitWolf": OF_COVARIANCES,
    "MinCovDet": OF_COVARIANCES,
    "OAS": OF_COVARIANCES,
    "ShrunkCovariance": OF_COVARIANCES,
    "MultiOutputClassifier": NO_ESTIMATOR,
    "MultiOutputRegressor": NO_ESTIMATOR,
    "MultiTaskElasticNet": "see the suite `lasso`",
    "MultiTaskElasticNetCV": "see the suite `lasso`",
    "MultiTaskLasso": "see the suite `lasso`",
    "MultiTaskLassoCV": "see the suite `lasso`",
    "NMF": "see the suite `nmf`",
    "FeatureUnion": "it has no default transformers",
    "Pipeline": "it has no default steps",
    "TransformedTargetRegressor": "it is its regressor by default",
    "RFE": NO_ESTIMATOR,
    "RFECV": NO_ESTIMATOR,
    "SequentialFeatureSelector": NO_ESTIMATOR,
    "RandomizedSearchCV": NO_ESTIMATOR,
    "RegressorChain": NO_ESTIMATOR,
    "SelectFdr": OF_SCORES,
    "SelectFpr": OF_SCORES,
    "SelectFromModel": NO_ESTIMATOR,
    "SelectFwe": OF_SCORES,
    "SelectKBest": OF_SCORES,
    "SelectPercentile": OF_SCORES,
    "StackingClassifier": NO_ESTIMATOR,
    "StackingRegressor": NO_ESTIMATOR,
    "TargetEncoder": "see the suite `preprocessing`",
    "TfidfVectorizer": OF_DOCUMENTS,
    "TunedThresholdClassifierCV": NO_ESTIMATOR,
    "VarianceThreshold": OF_SCORES,
    "VotingClassifier": NO_ESTIMATOR,
    "VotingRegressor": NO_ESTIMATOR,
}
SHAPES = ((200, 5), (3_000, 20), (30_000, 20))
# At 30 000 rows scikit-learn takes more than 20 s, or n^2 numbers of memory.
SLOW = {
    "AgglomerativeClustering", "KernelRidge", "NuSVC", "NuSVR", "OneClassSVM",
    "RandomForestRegressor", "SVC", "SVR",
}  # fmt: skip
OVER_CLASSIFIERS = {"OneVsOneClassifier", "OneVsRestClassifier", "OutputCodeClassifier"}
COUNTS = {"ComplementNB", "MultinomialNB", "TfidfTransformer"}
CODES = {"CategoricalNB", "OneHotEncoder", "OrdinalEncoder"}
LEVELS = 5  # of each column of codes
MISSING = 0.05  # of the numbers to impute


# --- data and problems ---


def _data(name, n, d, seed):
    """Normal columns, and a linear rule with noise; counts and codes lean to the classes."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    slope = rng.standard_normal(d)
    rule = X @ slope / np.linalg.norm(slope)
    noise = rng.standard_normal(n)
    if TASKS[name] == "classes":
        y = (rule + 0.5 * noise > 0).astype(np.int64)
    elif name == "PoissonRegressor":
        y = rng.poisson(np.exp(0.5 * rule)).astype(np.float64)
    elif name == "GammaRegressor":
        y = np.maximum(rng.gamma(2.0, np.exp(0.5 * rule) / 2.0), 1e-9)
    else:
        y = 3.0 * rule + noise
    lean = np.outer(y if TASKS[name] == "classes" else np.zeros(n), slope > np.median(slope))
    if name in COUNTS:
        X = rng.poisson(1.0 + 2.0 * lean).astype(np.float64)
    elif name in CODES:
        X = np.minimum(rng.integers(0, LEVELS, (n, d)) + lean, LEVELS - 1).astype(np.float64)
    elif name == "SimpleImputer":
        X[rng.random((n, d)) < MISSING] = np.nan
    elif name == "IsotonicRegression":
        X, y = X[:, 0].copy(), 3.0 * X[:, 0] + noise
    return {"name": name, "X": X, "y": y}


def _problem(name, n, d, **more):
    return Problem(
        f"{name} {n} x {d}", TASKS[name], partial(_data, name, n, d), nbytes=8.0 * n * d,
        budget=4.0, **more,
    )  # fmt: skip


# --- adapters ---


class Call(Adapter):
    """A new estimator with its defaults, its fit, and its answer for the same rows."""

    def __init__(self, library):
        self.library = library

    def _class(self, name, module):
        return named(f"statfast.{name}" if self.library == "statfast" else f"{module}.{name}")

    def prepare(self, data, threads):
        name, self.X, self.y = data["name"], data["X"], data["y"]
        self.kind = self._class(name, MODULES[name])
        self.arguments = ()
        if name in OVER_CLASSIFIERS:
            self.arguments = (self._class("LogisticRegression", "sklearn.linear_model")(),)

    def fit(self):
        self.model = self.kind(*self.arguments).fit(self.X, self.y)

    def answer(self):
        return {"answer": self.model.predict(self.X)}


class Neighbors(Call):
    def answer(self):
        distances, ids = self.model.kneighbors(self.X)
        return {"ids": ids, "distances": distances}


class Labels(Call):
    def answer(self):
        return {"labels": self.model.labels_}


class Columns(Call):
    def answer(self):
        return {"columns": self.model.transform(self.X)}


class SparseColumns(Call):
    def answer(self):
        table = self.model.transform(self.X)
        return {"values": table.data, "places": table.indices}


# --- checks ---


def responses(data):
    return {"answer": data["y"]}


def wrong_beyond_the_rule(answer, y):
    """Errors beyond those of the rule that the labels were made with, 15 %."""
    return (answer != y).mean() - 0.15


def squares_left(answer, y):
    """The squares left over those that the mean leaves."""
    return ((answer - y) ** 2).mean() / y.var()


class OneClassCheck(Check):
    """Half of the rows are outside, by the default of nu, and those are farther from the mean."""

    def __init__(self, data):
        self.far = ((data["X"] - data["X"].mean(axis=0)) ** 2).sum(axis=1)
        self.parts = {"answer": self.far.shape}

    def errors(self, answer):
        out = np.asarray(answer["answer"]) < 0
        nearer = not 0 < out.sum() < len(out) or self.far[out].mean() < self.far[~out].mean()
        return {"share outside": abs(float(out.mean()) - 0.5), "nearer": float(nearer)}


class GroupsCheck(Check):
    """The squares within groups, over the least that these groups have with rows dealt out."""

    def __init__(self, data):
        self.X = data["X"] - data["X"].mean(axis=0)
        self.groups = 2 if data["name"] == "AgglomerativeClustering" else 8  # scikit-learn's
        self.parts = {"labels": (len(self.X),)}
        self.names = {"labels": self.groups}

    def errors(self, answer):
        labels, rng = np.asarray(answer["labels"]), np.random.default_rng(0)
        dealt = min(self._within(rng.permutation(labels)) for _ in range(20))
        size = np.bincount(labels, minlength=self.groups)
        return {
            "squares within": float(self._within(labels) / dealt),
            "empty": float((size == 0).sum()),
        }

    def _within(self, labels):
        sums = np.zeros((self.groups, self.X.shape[1]))
        np.add.at(sums, labels, self.X)
        size = np.maximum(np.bincount(labels, minlength=self.groups), 1)
        return (self.X**2).sum() - (sums**2).sum(axis=1) @ (1.0 / size)


class NeighborsCheck(Check):
    """Of some rows the five nearest by brute force, of which each is its own first."""

    def __init__(self, data):
        X = data["X"]
        self.sampled = np.arange(0, len(X), max(1, len(X) // 50))
        d2 = np.array([((X - X[i]) ** 2).sum(axis=1) for i in self.sampled])
        self.ids = np.argsort(d2, axis=1, kind="stable")[:, :5]
        self.distances = np.sqrt(np.take_along_axis(d2, self.ids, axis=1))
        self.parts = {"ids": (len(X), 5), "distances": (len(X), 5)}
        self.names = {"ids": len(X)}

    def errors(self, answer):
        off = np.abs(answer["distances"][self.sampled] - self.distances).max()
        wrong = (np.asarray(answer["ids"])[self.sampled] != self.ids).sum()
        return {"wrong neighbors": float(wrong), "distance error": float(off)}


class ComponentsCheck(Check):
    """The squares of the scores, over the most that so many directions hold."""

    def __init__(self, data):
        X = data["X"]
        plain = data["name"] == "TruncatedSVD"  # two directions, of rows that are not centered
        values = np.linalg.svd(X if plain else X - X.mean(axis=0), compute_uv=False) ** 2
        k = 2 if plain else min(X.shape)
        self.most = values[:k].sum()
        self.parts = {"columns": (len(X), k)}

    def errors(self, answer):
        return {
            "squares missed": abs(float((np.asarray(answer["columns"]) ** 2).sum() / self.most - 1))
        }


def _products(X):
    pairs = [c for k in range(3) for c in combinations_with_replacement(range(X.shape[1]), k)]
    return np.column_stack([X[:, list(pair)].prod(axis=1) for pair in pairs])


def _robust(X):
    low, middle, high = np.percentile(X, [25, 50, 75], axis=0)
    return (X - middle) / (high - low)


def _one_hot(X):
    levels = [np.unique(column) for column in X.T]
    return np.column_stack([c[:, None] == found for c, found in zip(X.T, levels, strict=True)])


def _tf_idf(X):
    weighted = X * (np.log((1 + len(X)) / (1 + (X > 0).sum(axis=0))) + 1)
    length = np.linalg.norm(weighted, axis=1, keepdims=True)
    return weighted / np.where(length > 0, length, 1.0)


BY_DEFINITION = {
    "MinMaxScaler": lambda X: (X - X.min(axis=0)) / np.ptp(X, axis=0),
    "OneHotEncoder": _one_hot,
    "OrdinalEncoder": lambda X: X,  # all levels are there
    "PolynomialFeatures": _products,
    "MaxAbsScaler": lambda X: X / np.abs(X).max(axis=0),
    "Normalizer": lambda X: X / np.sqrt((X * X).sum(axis=1, keepdims=True)),
    "RobustScaler": _robust,
    "SimpleImputer": lambda X: np.where(np.isnan(X), np.nanmean(X, axis=0), X),
    "StandardScaler": lambda X: (X - X.mean(axis=0)) / X.std(axis=0),
    "TfidfTransformer": _tf_idf,
}


def columns(data):
    return {"columns": BY_DEFINITION[data["name"]](data["X"])}


def sparse_columns(data):
    """The same of CSR rows: the numbers that are not zero, and their columns, row by row."""
    table = columns(data)["columns"].astype(np.float64)
    return {"values": table[table != 0], "places": np.nonzero(table)[1]}


def number_of_others(array, expected):
    return np.count_nonzero(array != expected)


# --- the suite ---


def _library(name):
    adapters = dict.fromkeys(("classes", "numbers", "one class"), Call)
    adapters |= {"groups": Labels, "neighbors": Neighbors, "sparse columns": SparseColumns}
    adapters |= {"components": Columns, "columns": Columns}
    return Library({task: partial(adapter, name) for task, adapter in adapters.items()})


SUITE = Suite(
    name="defaults",
    title="defaults, as a user calls them: fit and answer",
    family="default arguments, fit and answer",
    problems=[
        _problem(name, n, d, group=f"{n} rows")
        for name in sorted(TASKS)
        for n, d in SHAPES
        if not (name in SLOW and n == SHAPES[-1][0])
    ],
    quick=[_problem(name, *SHAPES[0]) for name in sorted(TASKS)],
    growth=Growth(30_000, lambda n: _problem("ExtraTreesRegressor", n, 20)),
    libraries={"statfast": _library("statfast"), "scikit-learn": _library("scikit-learn")},
    checks={
        "classes": Check.of_twin(responses, {"wrong beyond the rule": wrong_beyond_the_rule}),
        "numbers": Check.of_twin(responses, {"squares left": squares_left}),
        "one class": OneClassCheck,
        "groups": GroupsCheck,
        "neighbors": NeighborsCheck,
        "components": ComponentsCheck,
        "columns": Check.of_twin(columns, {"error": difference}),
        "sparse columns": Check.of_twin(
            sparse_columns,
            {"error": (difference, "values"), "moved": (number_of_others, "places")},
        ),
    },
    tolerances={
        "classes": Tolerances({"wrong beyond the rule": 0.2}),
        "numbers": Tolerances({"squares left": 1.0}),
        "one class": Tolerances({"share outside": 0.1, "nearer": 0.0}),
        "groups": Tolerances({"squares within": 0.99, "empty": 0.0}),
        "neighbors": Tolerances({"wrong neighbors": 0.0, "distance error": 1e-7}),
        "components": Tolerances({"squares missed": 0.1}, ours={"squares missed": 1e-3}),
        "columns": Tolerances({"error": 1e-9}),
        "sparse columns": Tolerances({"error": 1e-9, "moved": 0.0}),
    },
    bars={f"{n} rows": [Bar(f"{n} x {d}", mean=3.0, least=1.0)] for n, d in SHAPES},
)
