# SPDX-License-Identifier: BSD-3-Clause
"""What every estimator promises, checked on all of them.

An estimator joins by being public; it needs an entry in the tables below only where its defaults
do not suit forty small rows.
"""

import importlib
import inspect
import pickle
import pkgutil
import re
import sys
import warnings

import numpy as np
import pytest
from scipy import sparse

import statfast
from statfast._engine import blocks
from statfast._estimator.base import Estimator
from statfast._estimator.mixins import Clusterer, Transformer
from statfast._estimator.regressor import Regressor
from statfast._validation.errors import NotFittedError
from statfast.generative import LinearDiscriminantAnalysis, MultivariateNormal
from statfast.linear import LinearRegression, LogisticRegression, Ridge
from statfast.preprocessing import StandardScaler

# Of documents, or with sparse answers: tests/text asks them what is asked here.
OF_TEXT = {
    "CountVectorizer",
    "HashingVectorizer",
    "LanguageModelClassifier",
    "NGramLanguageModel",
    "TfidfTransformer",
    "TfidfVectorizer",
}
OF_LABELS = {"LabelBinarizer", "LabelEncoder", "MultiLabelBinarizer"}  # of y alone, not of rows


def public_estimators():
    """All estimator classes that the flat namespace and the families offer, each once."""
    modules = [statfast] + [
        importlib.import_module(f"statfast.{module.name}")
        for module in pkgutil.iter_modules(statfast.__path__)
        if module.ispkg and not module.name.startswith("_")
    ]
    offered = [
        getattr(module, name) for module in modules for name in getattr(module, "__all__", ())
    ]
    found = {
        thing.__name__: thing
        for thing in offered
        if inspect.isclass(thing) and issubclass(thing, Estimator) and hasattr(thing, "fit")
    }
    return [found[name] for name in sorted(found) if name not in OF_TEXT | OF_LABELS]


OF_COMPONENTS = {"GaussianMixture"}  # whose probabilities are not of classes
ONE_COLUMN = {"IsotonicRegression"}  # not for rows of several: tests/calibration has its promises
OF_KERNELS = {"KernelCenterer"}  # of a square matrix: tests/preprocessing has its promises
# For targets of several outputs: tests/multioutput has their promises.
SEVERAL_OUTPUTS = {
    "ClassifierChain", "MultiOutputClassifier", "MultiOutputRegressor", "RegressorChain",
}  # fmt: skip
ESTIMATORS = [
    cls
    for cls in public_estimators()
    if cls.__name__ not in ONE_COLUMN | OF_KERNELS | SEVERAL_OUTPUTS
]


def lenient_f(X, y, sample_weight=None):
    """A score function of a user's: p-values so small that each test finds something."""
    f_statistic, p_values = statfast.f_classif(X, y, sample_weight)
    return f_statistic, 1e-3 * p_values


# Parameters for small data.
SMALL = {
    "CalibratedClassifierCV": {"estimator": LogisticRegression(C=1.0), "cv": 3},
    "ConformalClassifier": {"estimator": LogisticRegression(C=1.0), "method": "cv+", "cv": 3},
    "ConformalRegressor": {"method": "cv+", "cv": 3},
    "FunctionTransformer": {"validate": True, "feature_names_out": "one-to-one"},
    "ExtraTreesClassifier": {"n_estimators": 8, "random_state": 0},
    "ExtraTreesRegressor": {"n_estimators": 8, "random_state": 0},
    # Repeated rows are drawn apart; without samples, weights are those of trees.
    "RandomForestClassifier": {"n_estimators": 8, "bootstrap": False, "random_state": 0},
    "RandomForestRegressor": {"n_estimators": 8, "bootstrap": False, "random_state": 0},
    "BisectingKMeans": {"n_clusters": 3, "random_state": 0},
    "KMeans": {"n_clusters": 3, "random_state": 0},
    "MiniBatchKMeans": {"n_clusters": 3, "random_state": 0},
    "BayesClassifier": {"density": MultivariateNormal(shrinkage=0.1)},
    "CostSensitiveClassifier": {"estimator": LogisticRegression(C=1.0)},
    "GaussianMixture": {"n_components": 2, "covariance_type": "EEI", "random_state": 0},
    "CLARA": {"n_clusters": 3, "random_state": 0},
    "ColumnTransformer": {
        "transformers": [
            ("scale", StandardScaler(), slice(0, 2)),
            ("center", StandardScaler(with_std=False), slice(2, 9)),
        ],
        "remainder": "passthrough",
    },
    "FeatureUnion": {
        "transformer_list": [
            ("scale", StandardScaler()),
            ("center", StandardScaler(with_std=False)),
        ],
    },
    "MissingIndicator": {"features": "all"},
    "KBinsDiscretizer": {"encode": "onehot-dense"},
    "QuantileTransformer": {"n_quantiles": 5},
    "OneHotEncoder": {"sparse_output": False, "handle_unknown": "ignore"},
    "OrdinalEncoder": {"handle_unknown": "use_encoded_value", "unknown_value": -1},
    "TargetEncoder": {"shuffle": False},
    "NMF": {"n_components": 2, "max_iter": 2000, "random_state": 0},
    "RatingsFactorization": {"n_components": 2, "tol": 0.03},
    "TruncatedSVD": {"n_components": 2},
    "KMedoids": {"n_clusters": 3, "random_state": 0},
    "KMeansConstrained": {"n_clusters": 3, "random_state": 0},
    "KModes": {"n_clusters": 3, "random_state": 0},
    "KPrototypes": {"n_clusters": 3, "random_state": 0},
    "SphericalKMeans": {"n_clusters": 3, "random_state": 0},
    "TangentDistanceClassifier": {"image_shape": (1, -1)},  # their columns make no square images
    "GammaNB": {"smallest": 0.2},
    "LSHNeighbors": {"random_state": 0},
    "AdaBoostClassifier": {"n_estimators": 8},
    "AdaBoostRegressor": {"n_estimators": 8, "random_state": 0},
    "BaggingClassifier": {"random_state": 0},
    "EllipticEnvelope": {"random_state": 0},
    "MinCovDet": {"random_state": 0},
    "IsolationForest": {"n_estimators": 8, "random_state": 0},
    "BaggingRegressor": {"random_state": 0},
    "HistGradientBoostingClassifier": {"max_iter": 12, "min_samples_leaf": 1, "random_state": 0},
    "HistGradientBoostingRegressor": {"max_iter": 12, "min_samples_leaf": 1, "random_state": 0},
    "FixedThresholdClassifier": {"estimator": LogisticRegression(C=1.0)},
    "TunedThresholdClassifierCV": {
        "estimator": LogisticRegression(C=1.0),
        "cv": 0.4,
        "thresholds": 9,
        "random_state": 0,
    },
    "ClassifierChain": {"estimator": LogisticRegression(C=1.0)},
    "MultiOutputClassifier": {"estimator": LogisticRegression(C=1.0)},
    "MultiOutputRegressor": {"estimator": Ridge()},
    "RegressorChain": {"estimator": Ridge()},
    "StackingClassifier": {
        "estimators": [
            ("lda", LinearDiscriminantAnalysis()),
            ("logistic", LogisticRegression(C=1.0)),
        ],
        "cv": 3,
    },
    "StackingRegressor": {
        "estimators": [("ridge", Ridge()), ("line", LinearRegression())],
        "cv": 3,
    },
    "VotingClassifier": {
        "estimators": [
            ("lda", LinearDiscriminantAnalysis()),
            ("logistic", LogisticRegression(C=1.0)),
        ],
        "voting": "soft",
        "weights": [1.0, 2.0],
    },
    "VotingRegressor": {"estimators": [("ridge", Ridge()), ("line", LinearRegression())]},
    "GridSearchCV": {
        "estimator": LogisticRegression(C=1.0),
        "param_grid": {"C": [0.1, 1.0]},
        "cv": 3,
        "error_score": "raise",
    },
    "RandomizedSearchCV": {
        "estimator": LogisticRegression(C=1.0),
        "param_distributions": {"C": [0.1, 1.0]},
        "n_iter": 2,
        "cv": 3,
        "random_state": 0,
        "error_score": "raise",
    },
    "HalvingGridSearchCV": {
        "estimator": LogisticRegression(C=1.0),
        "param_grid": {"C": [0.1, 1.0]},
        "resource": "max_iter",
        "max_resources": 200,
        "min_resources": 100,
        "factor": 2,
        "cv": 3,
        "error_score": "raise",
    },
    "HalvingRandomSearchCV": {
        "estimator": LogisticRegression(C=1.0),
        "param_distributions": {"C": [0.1, 1.0]},
        "n_candidates": 2,
        "resource": "max_iter",
        "max_resources": 200,
        "min_resources": 100,
        "factor": 2,
        "cv": 3,
        "random_state": 0,
        "error_score": "raise",
    },
    "MixedNB": {"densities": "gaussian"},
    "OneVsOneClassifier": {"estimator": LogisticRegression(C=1.0)},
    "OneVsRestClassifier": {"estimator": LogisticRegression(C=1.0)},
    "OutputCodeClassifier": {
        "estimator": LogisticRegression(C=1.0),
        "random_state": 0,
        "code_size": None,
    },
    "ElasticNetCV": {"alphas": 20, "cv": 3},
    "RFE": {"estimator": LogisticRegression(C=1.0), "step": 0.4},
    "RFECV": {"estimator": LogisticRegression(C=1.0), "cv": 3, "step": 0.4},
    "SequentialFeatureSelector": {"estimator": LogisticRegression(C=1.0), "cv": 3, "tol": 0.05},
    "SelectFromModel": {"estimator": LogisticRegression(C=1.0)},
    "SelectKBest": {"k": 2},
    "SelectFdr": {"alpha": 1.0},
    "SelectFpr": {"alpha": 1.0},
    "SelectFwe": {"score_func": lenient_f, "alpha": 1.0},
    "GenericUnivariateSelect": {"mode": "k_best", "param": 2},
    "SelectPercentile": {"percentile": 50},
    "LassoCV": {"alphas": 20, "cv": 3},
    "MultiTaskElasticNetCV": {"alphas": 20, "cv": 3},
    "MultiTaskLassoCV": {"alphas": 20, "cv": 3},
    "LogisticRegressionCV": {"Cs": [0.1, 1.0], "cv": 3},
    "Pipeline": {
        "steps": [("scale", StandardScaler()), ("lda", LinearDiscriminantAnalysis())],
    },
    "LogisticRegression": {"C": 1.0},  # classes of rows so few are often separated
    # To a tolerance at which weights are seen to equal repetitions.
    "NuSVC": {"nu": 0.3, "probability": True, "tol": 1e-10, "random_state": 0},
    "MultivariateNormal": {"shrinkage": 0.1},  # there are fewer rows than columns
    "NuSVR": {"gamma": 0.3, "tol": 1e-10},
    "OneClassSVM": {"gamma": 0.3, "tol": 1e-10},
    "QuadraticDiscriminantAnalysis": {"reg_param": 0.1},  # classes have fewer rows than columns
    "RegularizedDiscriminantAnalysis": {"alpha": 0.3, "gamma": 0.1},
    "RegularizedDiscriminantAnalysisCV": {"alphas": [0.0, 0.3], "gammas": [0.1, 0.5]},
    "SVC": {"probability": True, "tol": 1e-10, "random_state": 0},
    "SVR": {"gamma": 0.3, "tol": 1e-10},
}

# What counts rows, and looks at no feature.
SEE_NO_FEATURES = {"DummyClassifier", "DummyRegressor"}

# Classifiers of two classes alone.
BINARY = {"FixedThresholdClassifier", "TunedThresholdClassifierCV"}

# Parameters for rows as far apart as those of `data`; scikit-learn's have unit variance.
WIDE = {
    "BernoulliNB": {"binarize": 30.0},
    "CategoricalNB": {"min_categories": 70},
    "RadiusNeighborsClassifier": {"radius": 20.0, "outlier_label": "most_frequent"},
    "RadiusNeighborsRegressor": {"radius": 20.0},
    "RadiusNeighborsTransformer": {"radius": 20.0},
}

# Estimators that take no negative numbers, and of these some no fractions.
COUNTS = {"CategoricalNB", "ComplementNB", "GammaNB", "MultinomialNB", "NMF", "PoissonNB"}

# Regressors whose responses are positive.
POSITIVE = {"GammaRegressor", "PoissonRegressor"}

# Estimators whose work grows with pairs of rows.
OF_PAIRS = {"KernelDensityNB", "KernelRidge", "LSHNeighbors", "NuSVC", "NuSVR", "SVC", "SVR"}

# Classifiers to which only the shares of the columns in a row matter.
SHARES = {"ComplementNB", "MultinomialNB"}

# Parameters of which only the truth value counts: nothing is nonsense to them.
FLAGS = {"verbose"}

# Estimators to which rows may come sparse though those of the fit were not.
SPARSE_AFTER_DENSE = {
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "IsolationForest",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Binarizer",
    "MaxAbsScaler",
    "Normalizer",
    "GenericUnivariateSelect",
    "RFE",
    "RFECV",
    "SelectFdr",
    "SelectFpr",
    "SelectFromModel",
    "SelectFwe",
    "SelectKBest",
    "SelectPercentile",
    "SequentialFeatureSelector",
    "VarianceThreshold",
    "SVC",
    "SVR",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "KernelRidge",
    "CalibratedClassifierCV",
    "ConformalClassifier",
    "ConformalRegressor",
    "BernoulliNB",
    "BisectingKMeans",
    "ComplementNB",
    "CostSensitiveClassifier",
    "DummyClassifier",
    "DummyRegressor",
    "ElasticNet",
    "FixedThresholdClassifier",
    "TransformedTargetRegressor",
    "ElasticNetCV",
    "GammaRegressor",
    "GaussianNB",
    "GeneralizedLinearModel",
    "GridSearchCV",
    "HalvingGridSearchCV",
    "HalvingRandomSearchCV",
    "HuberRegressor",
    "IncrementalPCA",
    "KMeans",
    "KMeansConstrained",
    "Lasso",
    "LassoCV",
    "LeastSquaresClassifier",
    "LinearRegression",
    "LinearSVC",
    "LinearSVR",
    "LogisticRegression",
    "LogisticRegressionCV",
    "MiniBatchKMeans",
    "MultiTaskElasticNet",
    "MultiTaskElasticNetCV",
    "MultiTaskLasso",
    "MultiTaskLassoCV",
    "MultinomialNB",
    "NMF",
    "NearestCentroid",
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "OutputCodeClassifier",
    "PoissonNB",
    "PoissonRegressor",
    "PolynomialFeatures",
    "PCA",
    "QuantileTransformer",
    "RandomizedSearchCV",
    "RatingsFactorization",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "SimpleImputer",
    "SphericalKMeans",
    "MissingIndicator",
    "StackingRegressor",
    "TruncatedSVD",
    "TunedThresholdClassifierCV",
    "TweedieRegressor",
    "VotingRegressor",
}

# Clusterings that label the fitted rows and no others: their own tests repeat these.
LABEL_ROWS = {"DBSCAN", "HDBSCAN"}

# Estimators whose weights are chances of rows to be drawn.
DRAW_ROWS = {"AdaBoostRegressor", "BaggingClassifier", "BaggingRegressor", "IsolationForest"}

# Values that would be nonsense to other parameters.
SENSE = [
    ("inv_kw_args", {}),
    ("memory", "nonsense"),  # a folder
    ("kw_args", {}),
    ("metric_params", {}),
    ("param_distributions", {}),  # the estimator as it is
    ("param_grid", {}),
    ("outlier_label", "nonsense"),
    ("reject_label", "nonsense"),
    ("transformer_weights", {}),
    ("verbose_feature_names_out", "nonsense"),  # a format
]

WEIGHTS = tuple(f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse"))

PLAIN_GAMMA = dict.fromkeys(
    WEIGHTS, "gamma='scale' is that of the rows without their weights, as in scikit-learn"
)

WHOLE = "leaves a row out with all of its weight, and each of repeated rows by itself"

# scikit-learn's checks that fail, with the reason: best empty.
EXPECTED_FAILURES = {
    "CategoricalNB": dict.fromkeys(
        (WEIGHTS[0], "check_classifiers_one_label_sample_weights"),
        "passes fractions, which are no categories, and are refused where scikit-learn cuts them",
    ),
    "BisectingKMeans": dict.fromkeys(
        WEIGHTS, "shuffles the weighted rows, and starts are drawn in the order in which rows come"
    ),
    "KMeans": dict.fromkeys(
        WEIGHTS,
        "shuffles the weighted rows, and k-means++ draws rows in the order in which they "
        "come; test_integer_weight_is_a_repeated_row keeps the order",
    ),
    **dict.fromkeys(
        ("KModes", "KPrototypes"),
        dict.fromkeys(
            WEIGHTS, "shuffles the weighted rows, of which equally dense ones start in their order"
        ),
    ),
    "SphericalKMeans": dict.fromkeys(
        WEIGHTS, "shuffles the weighted rows, and starts are drawn in the order in which rows come"
    ),
    "GaussianMixture": dict.fromkeys(
        WEIGHTS, "shuffles the weighted rows, and starts are drawn in the order in which rows come"
    ),
    "HDBSCAN": {"check_fit2d_1sample": "says that a cluster needs more rows than there are"},
    "NuSVC": {
        "check_class_weight_classifiers": (
            "gives a class so little weight that no machine has this nu, which is said"
        ),
        "check_estimator_sparse_tag": (
            "draws classes that no machine with this nu tells apart, which is said"
        ),
        **PLAIN_GAMMA,
    },
    "SVC": PLAIN_GAMMA,
    **{
        name: {"check_fit2d_1sample": "says that there are fewer rows than folds"}
        for name in (
            "GridSearchCV",
            "HalvingGridSearchCV",
            "HalvingRandomSearchCV",
            "RFECV",
            "RandomizedSearchCV",
            "SequentialFeatureSelector",
            "StackingRegressor",
        )
    },
    "BayesClassifier": {WEIGHTS[0]: "a class has one row, of which there is no covariance"},
    "MultivariateT": {WEIGHTS[0]: "there are fewer rows than columns, which leave no shape"},
    "RegularizedDiscriminantAnalysisCV": {WEIGHTS[0]: WHOLE},
    **{
        name: dict.fromkeys(WEIGHTS, "rows are drawn, of which there are more where some repeat")
        for name in DRAW_ROWS
    },
    "MiniBatchKMeans": dict.fromkeys(
        WEIGHTS, "batches are drawn among the rows, of which there are more where rows are repeated"
    ),
}

METHODS = [
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "transform",
    "kneighbors",
    "score_samples",
    "mahalanobis",
]


def small(cls, **params):
    return cls(**{**SMALL.get(cls.__name__, {}), **params})


def make(cls, **params):
    return small(cls, **{**WIDE.get(cls.__name__, {}), **params})


FITTED = {}


def fitted(cls, X, y):
    """A model fitted to the rows of `data`: once, then restored, which is far quicker."""
    if cls not in FITTED:
        FITTED[cls] = pickle.dumps(make(cls).fit(X, y))
    return pickle.loads(FITTED[cls])


def takes(cls, argument):
    return argument in inspect.signature(cls.fit).parameters


def regresses(cls):
    return issubclass(cls, Regressor)


def methods(model):
    return [name for name in METHODS if hasattr(model, name)]


def answers(model, X):
    """Everything the fitted model says about X: pairs of a label and an array, dense."""
    for name in methods(model):
        said = getattr(model, name)(X)
        for part, array in enumerate(said if isinstance(said, tuple) else (said,)):
            yield f"{name}[{part}]", array.toarray() if sparse.issparse(array) else array


def answers_and_statistics(model, X):
    """The same, and the numbers by which a selector chooses: answers show their order alone."""
    yield from answers(model, X)
    for name in ("scores_", "variances_"):
        if hasattr(model, name):
            yield name, getattr(model, name)
    if hasattr(model, "get_support") and hasattr(model, "estimator_"):
        yield "importances", np.atleast_2d(model.estimator_.coef_)


def assert_same_bits(first, second, X):
    for (name, a), (_, b) in zip(answers(first, X), answers(second, X), strict=True):
        assert a.dtype == b.dtype, name
        assert a.tobytes() == b.tobytes(), name


def assert_close(got, want, rtol):
    for (name, a), (_, b) in zip(got, want, strict=True):
        if b.dtype.kind == "f":
            large = np.abs(b[np.isfinite(b)]).max(initial=0)  # logarithms of 0 are -inf
            np.testing.assert_allclose(a, b, rtol, atol=rtol * large, err_msg=name)
        else:
            np.testing.assert_array_equal(a, b, err_msg=name)


def state(model):
    return dict(model.__dict__)


def assert_untouched(model, before):
    assert model.__dict__.keys() == before.keys()
    assert all(model.__dict__[name] is value for name, value in before.items())


@pytest.fixture
def data(request):
    """Three groups of rows, whole numbers that fit a byte, so that every dtype holds them.

    Their labels are names, of two classes for what takes no more, or for a regressor positive
    numbers.
    """
    rng = np.random.default_rng(7)
    centers = np.array([[8, 8, 8, 8], [30, 30, 8, 60], [60, 8, 60, 30]])
    y = np.repeat(["ash", "elm", "oak"], 15)[rng.permutation(45)]
    X = centers[np.searchsorted(["ash", "elm", "oak"], y)] + rng.integers(-6, 7, (45, 4))
    if request.node.callspec.params["cls"].__name__ in BINARY:
        y = np.where(y == "oak", "elm", y)
    if regresses(request.node.callspec.params["cls"]):
        y = np.unique(y, return_inverse=True)[1] * 10.0 + 10.0
    return X.astype(np.float64), y


def each(classes):
    return pytest.mark.parametrize("cls", classes, ids=lambda cls: cls.__name__)


each_estimator = each(ESTIMATORS)
each_classifier = each(
    [
        cls
        for cls in ESTIMATORS
        if hasattr(cls, "predict_proba") and cls.__name__ not in OF_COMPONENTS
    ]
)
each_clusterer = each([cls for cls in ESTIMATORS if issubclass(cls, Clusterer)])
each_weighted = each([cls for cls in ESTIMATORS if takes(cls, "sample_weight")])
each_threaded = each([cls for cls in ESTIMATORS if "n_jobs" in cls().get_params()])


def test_there_are_estimators():
    assert ESTIMATORS


@pytest.mark.filterwarnings("ignore")
@each_estimator
def test_what_libraries_read_that_take_estimators(cls, data):
    """Kinds in the old way and the new, parameters, copies, the fitted state and its names."""
    base = pytest.importorskip("sklearn.base")
    frames = pytest.importorskip("pandas")
    from sklearn.utils.validation import check_is_fitted

    X, y = data
    names = [f"column{j}" for j in range(X.shape[1])]
    model = base.clone(make(cls))
    kind = getattr(model, "_estimator_type", None)
    assert base.is_classifier(model) == (kind == "classifier")
    assert base.is_regressor(model) == (kind == "regressor")
    assert base.is_clusterer(model) == (kind == "clusterer")
    assert base.is_outlier_detector(model) == (kind == "outlier_detector")
    if cls().__sklearn_tags__().requires_fit:
        with pytest.raises(ValueError, match="not fitted"):
            check_is_fitted(model)
    model.fit(frames.DataFrame(X, columns=names), y)
    check_is_fitted(model)
    assert model.n_features_in_ == len(names)
    assert list(model.feature_names_in_) == names
    if kind == "classifier":
        assert list(model.classes_) == sorted(set(y))


# ---------------------------------------------------------------- scikit-learn's own checks


def scikit_learn_checks():
    """Pairs of an estimator and a check of it; old checks fail, or pass, for reasons of their own.

    Those before 1.7 draw other rows, for which an expected failure may pass, and subtract a float
    in place from the integers that they make for CategoricalNB.
    """
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    old = tuple(map(int, sys.modules["sklearn"].__version__.split(".")[:2])) < (1, 7)
    for cls in ESTIMATORS:
        expected = dict(EXPECTED_FAILURES.get(cls.__name__, {}))
        if old and cls.__name__ == "CategoricalNB":
            expected["check_positive_only_tag_during_fit"] = "the check of 1.6 is wrong"
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*does not inherit from")
            found = [check for _, check in checks.estimator_checks_generator(small(cls))]
        for check in found:
            name = check.func.__name__
            marks = ()
            if name in expected:
                marks = pytest.mark.xfail(reason=expected[name], strict=not old)
            yield pytest.param(small(cls), check, id=f"{cls.__name__}-{name}", marks=marks)


@pytest.mark.once
@pytest.mark.parametrize(("estimator", "check"), list(scikit_learn_checks()))
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_check(estimator, check):
    check(estimator)


# Checks that scikit-learn runs on its own classes alone.
FOR_CLUSTERERS = [
    "check_clusterer_compute_labels_predict",
    "check_clustering",
    "check_estimators_partial_fit_n_features",
]
FOR_NON_TRANSFORMERS = ["check_non_transformer_estimators_n_iter"]
FOR_TRANSFORMERS = [
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
    "check_get_feature_names_out_error",
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_global_output_transform_pandas",
    "check_global_set_output_transform_polars",
]
FOR_ALL = ["check_dataframe_column_names_consistency"]
OF_CATEGORIES = {"KModes"}  # which finds no clouds of numbers
FINDS_COLUMNS = {"ColumnTransformer"}  # by their names, in any order and among others


def gated_checks():
    for cls in ESTIMATORS:
        names = [] if cls.__name__ in FINDS_COLUMNS else list(FOR_ALL)
        if issubclass(cls, Clusterer):
            names += FOR_CLUSTERERS
            names.remove("check_clustering") if cls.__name__ in OF_CATEGORIES else None
            names += [] if hasattr(cls, "transform") else FOR_NON_TRANSFORMERS
        if issubclass(cls, Transformer):
            names += FOR_TRANSFORMERS
        yield from (pytest.param(cls, name, id=f"{cls.__name__}-{name}") for name in names)


@pytest.mark.parametrize(("cls", "name"), list(gated_checks()))
@pytest.mark.filterwarnings("ignore:X has feature names|X does not have valid feature names")
def test_scikit_learn_check_it_would_not_run(cls, name):
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    getattr(checks, name)(cls.__name__, small(cls))


@each_clusterer
def test_clustering_of_a_read_only_memory_map(cls):
    if cls.__name__ in OF_CATEGORIES:
        pytest.skip("of categories")
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    checks.check_clustering(cls.__name__, small(cls), readonly_memmap=True)


# ---------------------------------------------------------------- input of every kind


def misaligned(X):
    raw = np.empty(X.nbytes + 1, dtype=np.uint8)
    raw[1:] = X.reshape(-1).view(np.uint8)
    return raw[1:].view(X.dtype).reshape(X.shape)


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def memory_map(X, tmp_path):
    X.tofile(tmp_path / "X")
    return np.memmap(tmp_path / "X", X.dtype, "r", shape=X.shape)


def table(library, X):
    names = [f"c{j}" for j in range(X.shape[1])]
    if library == "pyarrow":
        return pytest.importorskip(library).table(dict(zip(names, X.T, strict=True)))
    made = pytest.importorskip(library).DataFrame
    return made(X, columns=names) if library == "pandas" else made(X, schema=names)


SAME_NUMBERS = {
    "read-only": lambda X, _: read_only(X),
    "memory map": memory_map,
    "every other column": lambda X, _: np.repeat(X, 2, axis=1)[:, ::2],
    "every other row": lambda X, _: np.repeat(X, 2, axis=0)[::2],
    "backwards": lambda X, _: X[::-1, ::-1].copy()[::-1, ::-1],
    "Fortran order": lambda X, _: np.asfortranarray(X),
    "misaligned": lambda X, _: misaligned(X),
    "other byte order": lambda X, _: X.astype(">f8"),
    "int64": lambda X, _: X.astype(np.int64),
    "object": lambda X, _: X.astype(object),
    "list": lambda X, _: X.tolist(),
    "pandas": lambda X, _: table("pandas", X),
    "polars": lambda X, _: table("polars", X),
    "pyarrow": lambda X, _: table("pyarrow", X),
}


@each_estimator
@pytest.mark.parametrize("kind", SAME_NUMBERS)
def test_same_bits_from_any_container(cls, kind, data, tmp_path):
    X, y = data
    given = SAME_NUMBERS[kind](X, tmp_path)
    plain, other = fitted(cls, X, y), make(cls).fit(given, y)
    for (name, a), (_, b) in zip(answers(plain, X), answers(other, given), strict=True):
        assert a.dtype == b.dtype, name
        assert a.tobytes() == b.tobytes(), name


@each_estimator
@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int16, np.float16])
def test_same_answer_from_any_dtype(cls, dtype, data):
    X, y = data
    other = X.astype(dtype)
    want = answers(fitted(cls, X, y), X)
    assert_close(answers(make(cls).fit(other, y), other), want, rtol=1e-5)


@each_estimator
def test_input_is_never_modified(cls, data):
    X, y = data
    weights = np.linspace(0, 2, len(y))
    kept = X.copy(), y.copy(), weights.copy()
    for order in "CF":
        given = np.array(X, order=order)
        model = make(cls)
        model.fit(given, y, **({"sample_weight": weights} if takes(cls, "sample_weight") else {}))
        list(answers(model, given))
        assert np.array_equal(given, kept[0])
    assert np.array_equal(y, kept[1])
    assert np.array_equal(weights, kept[2])


@each_classifier
@pytest.mark.parametrize("labels", [[3, 1, 7], [False, True, True], [-1.0, 0.0, 1.0], list("cab")])
def test_labels_of_any_dtype(cls, labels, data):
    X, y = data
    labels = labels[:2] if cls.__name__ in BINARY else labels
    mapped = np.array(labels)[np.unique(y, return_inverse=True)[1]]
    model = make(cls).fit(X, mapped)
    assert np.array_equal(model.classes_, np.unique(mapped))
    assert model.predict(X).dtype == mapped.dtype
    least = 0.4 if cls.__name__ in SHARES else 0.9
    least = 0.3 if cls.__name__ in SEE_NO_FEATURES else least
    assert model.score(X, mapped) == np.mean(model.predict(X) == mapped) > least


# ---------------------------------------------------------------- input refused


def spoiled(X, value):
    X = X.copy()
    X[3, 2] = value
    return X


BAD_X = {
    "NaN": lambda X: spoiled(X, np.nan),
    "infinity": lambda X: spoiled(X, -np.inf),
    "float32 NaN": lambda X: spoiled(X, np.nan).astype(np.float32),
    "no rows": lambda X: X[:0],
    "no columns": lambda X: X[:, :0],
    "1-d": lambda X: X[:, 0],
    "3-d": lambda X: X[None],
    "a number": lambda X: 3.0,
    "complex": lambda X: X * 1j,
    "objects": lambda X: np.full(X.shape, {}, dtype=object),
    "strings": lambda X: X.astype(str),
    "dates": lambda X: X.astype("M8[D]"),
    "ragged": lambda X: [[1.0, 2.0], [3.0]],
    "sparse array": sparse.csr_array,
    "sparse matrix": sparse.coo_matrix,
    "masked": lambda X: np.ma.masked_less(X, 20),
    "None": lambda X: None,
    "a string": lambda X: "X",
    "a generator": iter,
}


def takes_it(cls, kind):
    """Whether a kind of BAD_X is not bad for an estimator: sparse rows, or missing values."""
    tags = make(cls).__sklearn_tags__().input_tags
    if kind.startswith("sparse"):
        return tags.sparse
    missing = ("NaN", "float32 NaN", "infinity")
    if cls.__name__ in SEE_NO_FEATURES and kind in ("objects", "ragged", "1-d"):
        return True
    return (tags.allow_nan and kind in missing) or (tags.categorical and kind == "strings")


@each_estimator
@pytest.mark.parametrize("kind", BAD_X)
def test_bad_rows_at_fit(cls, kind, data):
    if takes_it(cls, kind):
        pytest.skip("takes such rows")
    X, y = data
    model = fitted(cls, X, y)
    before = state(model)
    with pytest.raises((ValueError, TypeError), match=r"\bX\b"):
        model.fit(BAD_X[kind](X), y)
    assert_untouched(model, before)
    with pytest.raises((ValueError, TypeError), match=r"\bX\b"):
        make(cls).fit(BAD_X[kind](X), y)


@each_estimator
@pytest.mark.parametrize("kind", BAD_X)
def test_bad_rows_after_fit(cls, kind, data):
    if (kind.startswith("sparse") and cls.__name__ in SPARSE_AFTER_DENSE) or (
        takes_it(cls, kind) and not kind.startswith("sparse")
    ):
        pytest.skip("takes such rows")
    X, y = data
    model = fitted(cls, X, y)
    before = state(model)
    for name in methods(model):
        optional = inspect.signature(getattr(model, name)).parameters["X"].default is None
        if kind == "None" and optional:
            continue
        with pytest.raises((ValueError, TypeError), match=r"\bX\b"):
            getattr(model, name)(BAD_X[kind](X))
    assert_untouched(model, before)


@each_estimator
def test_wrong_width_and_no_fit(cls, data):
    X, y = data
    for name in methods(fitted(cls, X, y)):
        if cls().__sklearn_tags__().requires_fit:
            with pytest.raises(NotFittedError, match=f"This {cls.__name__} instance"):
                getattr(make(cls), name)(X)
        words = f"X has 3 features, but {cls.__name__} is expecting 4 features as input"
        for narrow in (X[:1, :3], X[:, :3], X[:, :3].tolist()):
            with pytest.raises(ValueError, match=words):
                getattr(fitted(cls, X, y), name)(narrow)


BAD_Y = {
    "short": lambda y: y[:-1],
    "long": lambda y: np.append(y, y[:1]),
    "a scalar": lambda y: "ash",
    "2-d": lambda y: np.column_stack([y, y]),
    "NaN": lambda y: np.where(y == "ash", np.nan, 1.0),
    "continuous": lambda y: np.linspace(0, 1, len(y)),
    "complex": lambda y: np.full(len(y), 1j),
    "missing": lambda y: np.where(y == "ash", None, y),
    "mixed": lambda y: np.where(y == "ash", 1, y.astype(object)),
    "dates": lambda y: np.zeros(len(y), dtype="M8[D]"),
    "sparse": lambda y: sparse.csr_array(np.ones((len(y), 1))),
    "None": lambda y: None,
}


@each_classifier
@pytest.mark.parametrize("kind", BAD_Y)
def test_bad_labels(cls, kind, data):
    if kind == "2-d" and cls().__sklearn_tags__().target_tags.multi_output:
        pytest.skip("takes labels of several outputs")
    X, y = data
    model = fitted(cls, X, y)
    before = state(model)
    with pytest.raises((ValueError, TypeError), match=r"\by\b"):
        model.fit(X, BAD_Y[kind](y))
    assert_untouched(model, before)


BAD_WEIGHTS = {
    "short": lambda w: w[:-1],
    "2-d": lambda w: w[:, None],
    "negative": lambda w: w - 1.5,
    "all zero": lambda w: w * 0,
    "NaN": lambda w: w * np.nan,
    "infinity": lambda w: w * np.inf,
    "complex": lambda w: w * 1j,
    "strings": lambda w: w.astype(str),
    "a string": lambda w: "balanced",
}


@each_weighted
@pytest.mark.parametrize("kind", BAD_WEIGHTS)
def test_bad_weights(cls, kind, data):
    if kind == "negative" and cls.__name__ == "DBSCAN":
        pytest.skip("a negative weight keeps neighbors from being core rows")
    X, y = data
    model = fitted(cls, X, y)
    before = state(model)
    with pytest.raises((ValueError, TypeError), match="sample_weight"):
        model.fit(X, y, sample_weight=BAD_WEIGHTS[kind](np.ones(len(y))))
    assert_untouched(model, before)


def parameters():
    for cls in ESTIMATORS:
        for name in sorted(cls().get_params().keys() - FLAGS):
            for value in (object(), [], {}, "nonsense"):
                if (name, value) not in SENSE:
                    yield pytest.param(cls, name, value, id=f"{cls.__name__}-{name}-{value!s:.7}")


@pytest.mark.parametrize(("cls", "name", "value"), list(parameters()))
def test_nonsense_parameter(cls, name, value, data):
    X, y = data
    model = fitted(cls, X, y)
    before = state(model)
    model.set_params(**{name: value})
    with pytest.raises((ValueError, TypeError), match=rf"\b{name}\b"):
        list(answers(model.fit(X, y), X))
    if name != "n_jobs":  # threads are asked for by the methods, too
        model.set_params(**{name: before[name]})
        assert_untouched(model, before)


@each_threaded
@pytest.mark.parametrize("n_jobs", [0, 1.5, True, "all", np.nan])
def test_absurd_number_of_threads(cls, n_jobs, data):
    with pytest.raises((ValueError, TypeError), match="n_jobs"):
        list(answers(make(cls, n_jobs=n_jobs).fit(*data), data[0]))


# ---------------------------------------------------------------- answers


@pytest.mark.once
@each_threaded
def test_same_bits_for_any_number_of_threads(cls, monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)  # no work is too small for threads
    rng = np.random.default_rng(3)
    n = 2000 if cls.__name__ in OF_PAIRS else 5000
    y = rng.integers(0, 2 if cls.__name__ in BINARY else 3, n)
    X = rng.normal(size=(n, 12)) + y[:, None]
    if cls.__name__ in COUNTS:
        X = np.floor(4.0 * np.abs(X))
    y = y + 1 if cls.__name__ in POSITIVE else y
    some = {"radius": 4.0} if "radius" in cls().get_params() else {}  # not all rows
    models = [make(cls, n_jobs=threads, **some).fit(X, y) for threads in (1, 2, 7)]
    for other in models[1:]:
        assert_same_bits(models[0], other, X[:1000])
        for name, value in models[0].__dict__.items():
            if name.endswith("_") and isinstance(value, np.ndarray):
                assert value.tobytes() == other.__dict__[name].tobytes(), name


@each_estimator
def test_same_bits_in_every_run(cls, data):
    X, y = data
    again = make(cls).fit(X, y)
    list(answers(again, X))
    again.fit(X[:30], y[:30])
    assert_same_bits(make(cls).fit(X, y), again.fit(X, y), X)


@each_estimator
def test_same_bits_after_a_pickle(cls, data):
    X, y = data
    model = make(cls).fit(X, y)
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        assert_same_bits(model, pickle.loads(pickle.dumps(model, protocol)), X)


@each_estimator
def test_one_row_is_answered_like_many(cls, data):
    X, y = data
    model = fitted(cls, X, y)
    many = dict(answers(model, X))
    for i in (0, 17, 44):
        one = answers(model, X[i : i + 1])
        assert_close(one, ((name, array[i : i + 1]) for name, array in many.items()), rtol=1e-12)


@each_weighted
def test_integer_weight_is_a_repeated_row(cls, data):
    if cls.__name__ in DRAW_ROWS:
        pytest.skip("draws rows, of which there are more where some repeat")
    if cls.__name__ in LABEL_ROWS:
        pytest.skip("answers for its rows alone")
    if "cv" in make(cls).get_params():
        pytest.skip("folds are runs of rows, so repeated ones fall into others")
    X, y = data
    weights = np.arange(len(y)) % 4
    # Deep trees part these rows whatever their weights.
    short = {"max_depth": 1} if "max_depth" in cls().get_params() else {}
    if cls.__name__ in ("SVC", "NuSVC"):
        short = {"gamma": 0.3}  # "scale" is of the rows without their weights
    weighted = make(cls, **short).fit(X, y, sample_weight=weights)
    repeated = make(cls, **short).fit(X.repeat(weights, axis=0), y.repeat(weights))
    got, want = answers_and_statistics(weighted, X), answers_and_statistics(repeated, X)
    assert_close(got, want, rtol=1e-9)
    got = answers_and_statistics(weighted, X)
    plain = answers_and_statistics(make(cls, **short).fit(X, y), X)
    different = [not np.array_equal(a, b) for (_, a), (_, b) in zip(got, plain, strict=True)]
    assert any(different), "the weights changed nothing"


@pytest.mark.parametrize("times", [1e3, 1e9, 1e20])
@each_weighted
def test_a_row_without_weight_may_lie_anywhere(cls, times, data):
    if cls.__name__ in DRAW_ROWS:
        pytest.skip("draws rows, of which there are more where some repeat")
    if "cv" in make(cls).get_params():
        pytest.skip("folds are runs of rows, so repeated ones fall into others")
    if cls.__name__ == "CategoricalNB":
        pytest.skip("a column has the categories of all rows")
    X, y = data
    weights = np.arange(len(y)) % 4
    used = weights > 0
    far = np.where(used[:, None], X, times * X)
    short = {"gamma": 0.3} if cls.__name__ in ("SVC", "NuSVC") else {}
    weighted = make(cls, **short).fit(far, y, sample_weight=weights)
    alone = make(cls, **short).fit(X[used], y[used], sample_weight=weights[used])
    rtol = 1e-8 if cls.__name__ == "OneClassSVM" else 1e-9  # of values that are nearly 0
    assert_close(answers(weighted, X[used]), answers(alone, X[used]), rtol=rtol)


# ---------------------------------------------------------------- degenerate data

DEGENERATE = {
    "one row": lambda X, y: (X[:1], y[:1]),
    "two rows": lambda X, y: (X[:2], y[:2]),
    "one class": lambda X, y: (X, np.full(len(y), y[0])),
    "a class of one row": lambda X, y: (X, np.where(np.arange(len(y)) == 7, y.dtype.type(999), y)),
    "a class for each row": lambda X, y: (X, np.arange(len(y))),
    "one column": lambda X, y: (X[:, :1], y),
    "constant column": lambda X, y: (np.column_stack([X, np.full(len(y), 3.0)]), y),
    "duplicate columns": lambda X, y: (np.hstack([X, X]), y),
    "duplicate rows": lambda X, y: (np.vstack([X] * 5), np.tile(y, 5)),
    "all rows alike": lambda X, y: (np.full_like(X, 0.1), y),
    "more columns than rows": lambda X, y: (np.hstack([X**k for k in range(1, 21)]), y),
    "separable": lambda X, y: (np.unique(y, return_inverse=True)[1][:, None] * 100.0, y),
    "huge": lambda X, y: (X * 1e306, y),
    "tiny": lambda X, y: (X * 1e-310, y),
    "far away": lambda X, y: (X + 1e15, y),
    "huge float32": lambda X, y: ((X * 2e36).astype(np.float32), y),
    "huge and tiny": lambda X, y: (X * np.logspace(-300, 300, X.shape[1]), y),
}


# What a refusal may be about: an error from the inside of a kernel names none of these.
ARGUMENT = r"\b(X|y|rows|n_clusters|n_neighbors)\b"


@each_estimator
@pytest.mark.parametrize("kind", DEGENERATE)
@pytest.mark.filterwarnings("ignore::UserWarning")  # but a RuntimeWarning of numpy's is an error
def test_degenerate_data_is_answered_or_refused(cls, kind, data):
    """A sentence, or an answer without NaN: no crash, no numpy warning, no half fit."""
    X, y = DEGENERATE[kind](*data)
    model = make(cls)
    before = state(model)
    refusal, said = None, []
    try:
        model.fit(X, y)
        before = state(model)
        said = list(answers(model, X))
    except ValueError as error:
        refusal = str(error)
    assert refusal is None or re.search(ARGUMENT, refusal), refusal
    assert_untouched(model, before)
    for name, array in said:
        assert array.dtype.kind != "f" or not np.isnan(array).any(), name
