# SPDX-License-Identifier: BSD-3-Clause
"""Exact, fast statistical learning on numpy and scipy alone.

Families are loaded when they are first used (scientific-python.org/specs/spec-0001):
``import statfast`` is quick, and ``statfast.cluster``, ``statfast.plot`` and the names below are at
hand after it.
"""

from importlib import import_module

__version__ = "0.1.0"

_FAMILIES = (
    "calibration",
    "cluster",
    "datasets",
    "decision",
    "decomposition",
    "ensemble",
    "generative",
    "inspection",
    "kernels",
    "linear",
    "metrics",
    "mixture",
    "model_selection",
    "multiclass",
    "neighbors",
    "pipeline",
    "plot",
    "preprocessing",
    "svm",
    "text",
    "tree",
)
_HOMES = {
    "_engine": (
        "Chunks",
        "Parts",
        "progress_bar",
        "set_progress",
    ),
    "_estimator": ("Estimator",),
    "_validation": (
        "CollinearityWarning",
        "ConvergenceWarning",
        "DataConversionWarning",
        "NotFittedError",
        "SeparationWarning",
        "UndefinedMetricWarning",
    ),
    "calibration": (
        "CalibratedClassifierCV",
        "IsotonicRegression",
    ),
    "cluster": (
        "CLARA",
        "AgglomerativeClustering",
        "BisectingKMeans",
        "KMeans",
        "KMedoids",
        "KMeansStatistics",
        "MiniBatchKMeans",
        "choose_n_clusters",
        "cluster_stability",
        "cophenet",
        "cophenetic",
        "cophenetic_correlation",
        "cut_tree",
        "fcluster",
        "gap_statistic",
        "inconsistency",
        "inconsistent",
        "kmeans_plusplus",
        "leaves_list",
        "linkage",
        "minimum_spanning_tree",
        "optimal_leaf_ordering",
    ),
    "ensemble": (
        "AdaBoostClassifier",
        "AdaBoostRegressor",
        "BaggingClassifier",
        "BaggingRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
        "HistGradientBoostingClassifier",
        "HistGradientBoostingRegressor",
        "RandomForestClassifier",
        "RandomForestRegressor",
        "StackingClassifier",
        "StackingRegressor",
        "VotingClassifier",
        "VotingRegressor",
        "majority_error",
    ),
    "decomposition": (
        "NMF",
        "PCA",
        "IncrementalPCA",
        "PrincipalComponentRegression",
        "RatingsFactorization",
        "TruncatedSVD",
        "choose_components",
        "reconstruction_errors",
    ),
    "decision": (
        "BayesClassifier",
        "CostSensitiveClassifier",
    ),
    "generative": (
        "BernoulliNB",
        "CategoricalNB",
        "ComplementNB",
        "GammaNB",
        "GaussianNB",
        "KernelDensityNB",
        "LinearDiscriminantAnalysis",
        "MixedNB",
        "MultinomialNB",
        "PoissonNB",
        "MultivariateNormal",
        "QuadraticDiscriminantAnalysis",
        "RegularizedDiscriminantAnalysis",
        "RegularizedDiscriminantAnalysisCV",
        "box_m",
        "manova",
    ),
    "linear": (
        "ElasticNet",
        "ElasticNetCV",
        "GammaRegressor",
        "GeneralizedLinearModel",
        "HuberRegressor",
        "Lasso",
        "LassoCV",
        "LeastSquaresClassifier",
        "LinearRegression",
        "LogisticRegression",
        "LogisticRegressionCV",
        "PiecewiseLinearFeatures",
        "PoissonRegressor",
        "PolynomialFeatures",
        "RegularizationPath",
        "Ridge",
        "RidgeCV",
        "StepwiseResult",
        "TweedieRegressor",
        "add1",
        "anova",
        "drop1",
        "enet_path",
        "lasso_path",
        "logistic_path",
        "ridge_path",
        "step",
        "vif",
    ),
    "mixture": (
        "GaussianMixture",
        "choose_mixture",
    ),
    "model_selection": (
        "Bootstrap",
        "GridSearchCV",
        "GroupKFold",
        "KFold",
        "LeaveOneGroupOut",
        "LeaveOneOut",
        "PredefinedSplit",
        "RandomizedSearchCV",
        "RepeatedKFold",
        "RepeatedStratifiedKFold",
        "ShuffleSplit",
        "StratifiedGroupKFold",
        "StratifiedKFold",
        "StratifiedShuffleSplit",
        "TimeSeriesSplit",
        "cross_val_predict",
        "cross_val_score",
        "cross_validate",
        "learning_curve",
        "train_test_split",
        "validation_curve",
    ),
    "multiclass": (
        "OneVsOneClassifier",
        "OneVsRestClassifier",
        "OutputCodeClassifier",
    ),
    "neighbors": (
        "BallTree",
        "KDTree",
        "KNeighborsClassifier",
        "KNeighborsRegressor",
        "LSHNeighbors",
        "NearestNeighbors",
        "RadiusNeighborsClassifier",
        "RadiusNeighborsRegressor",
        "TangentDistanceClassifier",
        "tangent_distance",
    ),
    "pipeline": (
        "ColumnTransformer",
        "Pipeline",
        "make_column_selector",
        "make_column_transformer",
        "make_pipeline",
    ),
    "preprocessing": (
        "MinMaxScaler",
        "OneHotEncoder",
        "OrdinalEncoder",
        "RobustScaler",
        "SimpleImputer",
        "StandardScaler",
    ),
    "svm": (
        "SVC",
        "SVR",
        "KernelRidge",
        "LinearSVC",
        "LinearSVR",
        "NuSVC",
        "NuSVR",
        "OneClassSVM",
    ),
    "text": (
        "CountVectorizer",
        "HashingVectorizer",
        "LanguageModelClassifier",
        "NGramLanguageModel",
        "TfidfTransformer",
        "TfidfVectorizer",
    ),
    "tree": (
        "DecisionTreeClassifier",
        "DecisionTreeRegressor",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(set(_HOME_OF) - {"Estimator"})  # the base of all, for those who extend


def __getattr__(name):
    if name in _FAMILIES:
        return import_module(f"statfast.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'statfast' has no attribute {name!r}")
    found = getattr(import_module(f"statfast.{_HOME_OF[name]}"), name)
    globals()[name] = found
    return found


def __dir__():
    return sorted({*globals(), *__all__, *_FAMILIES})
