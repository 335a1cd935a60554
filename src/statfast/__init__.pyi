# SPDX-License-Identifier: BSD-3-Clause
"""What type checkers and editors see of the names that ``__init__`` loads on use."""

from statfast import audit as audit
from statfast import base as base
from statfast import calibration as calibration
from statfast import cluster as cluster
from statfast import compose as compose
from statfast import conformal as conformal
from statfast import covariance as covariance
from statfast import cross_decomposition as cross_decomposition
from statfast import datasets as datasets
from statfast import decision as decision
from statfast import decomposition as decomposition
from statfast import discriminant_analysis as discriminant_analysis
from statfast import dummy as dummy
from statfast import ensemble as ensemble
from statfast import exceptions as exceptions
from statfast import feature_extraction as feature_extraction
from statfast import feature_selection as feature_selection
from statfast import frozen as frozen
from statfast import gaussian_process as gaussian_process
from statfast import generative as generative
from statfast import impute as impute
from statfast import inspection as inspection
from statfast import interchange as interchange
from statfast import isotonic as isotonic
from statfast import kernel_approximation as kernel_approximation
from statfast import kernel_ridge as kernel_ridge
from statfast import kernels as kernels
from statfast import linear as linear
from statfast import linear_model as linear_model
from statfast import manifold as manifold
from statfast import metrics as metrics
from statfast import mixture as mixture
from statfast import model_selection as model_selection
from statfast import multiclass as multiclass
from statfast import multioutput as multioutput
from statfast import naive_bayes as naive_bayes
from statfast import neighbors as neighbors
from statfast import neural_network as neural_network
from statfast import patterns as patterns
from statfast import pipeline as pipeline
from statfast import plot as plot
from statfast import preprocessing as preprocessing
from statfast import random_projection as random_projection
from statfast import semi_supervised as semi_supervised
from statfast import svm as svm
from statfast import text as text
from statfast import tree as tree
from statfast._engine import Chunks as Chunks
from statfast._engine import Parts as Parts
from statfast._engine import progress_bar as progress_bar
from statfast._engine import set_progress as set_progress
from statfast._estimator import Estimator as Estimator
from statfast._validation import CollinearityWarning as CollinearityWarning
from statfast._validation import ConvergenceWarning as ConvergenceWarning
from statfast._validation import DataConversionWarning as DataConversionWarning
from statfast._validation import FitFailedWarning as FitFailedWarning
from statfast._validation import NotFittedError as NotFittedError
from statfast._validation import SeparationWarning as SeparationWarning
from statfast._validation import UndefinedMetricWarning as UndefinedMetricWarning
from statfast.calibration import CalibratedClassifierCV as CalibratedClassifierCV
from statfast.calibration import IsotonicRegression as IsotonicRegression
from statfast.cluster import CLARA as CLARA
from statfast.cluster import DBSCAN as DBSCAN
from statfast.cluster import HDBSCAN as HDBSCAN
from statfast.cluster import AgglomerativeClustering as AgglomerativeClustering
from statfast.cluster import BisectingKMeans as BisectingKMeans
from statfast.cluster import KMeans as KMeans
from statfast.cluster import KMeansConstrained as KMeansConstrained
from statfast.cluster import KMeansStatistics as KMeansStatistics
from statfast.cluster import KMedoids as KMedoids
from statfast.cluster import KModes as KModes
from statfast.cluster import KPrototypes as KPrototypes
from statfast.cluster import MiniBatchKMeans as MiniBatchKMeans
from statfast.cluster import SphericalKMeans as SphericalKMeans
from statfast.cluster import choose_n_clusters as choose_n_clusters
from statfast.cluster import cluster_stability as cluster_stability
from statfast.cluster import cophenet as cophenet
from statfast.cluster import cophenetic as cophenetic
from statfast.cluster import cophenetic_correlation as cophenetic_correlation
from statfast.cluster import cut_tree as cut_tree
from statfast.cluster import dbscan as dbscan
from statfast.cluster import fcluster as fcluster
from statfast.cluster import gap_statistic as gap_statistic
from statfast.cluster import inconsistency as inconsistency
from statfast.cluster import inconsistent as inconsistent
from statfast.cluster import kmeans_plusplus as kmeans_plusplus
from statfast.cluster import leaves_list as leaves_list
from statfast.cluster import linkage as linkage
from statfast.cluster import minimum_spanning_tree as minimum_spanning_tree
from statfast.cluster import optimal_leaf_ordering as optimal_leaf_ordering
from statfast.conformal import ConformalClassifier as ConformalClassifier
from statfast.conformal import ConformalRegressor as ConformalRegressor
from statfast.conformal import coverage_report as coverage_report
from statfast.decision import BayesClassifier as BayesClassifier
from statfast.decision import CostSensitiveClassifier as CostSensitiveClassifier
from statfast.decision import DummyClassifier as DummyClassifier
from statfast.decision import DummyRegressor as DummyRegressor
from statfast.decomposition import NMF as NMF
from statfast.decomposition import PCA as PCA
from statfast.decomposition import IncrementalPCA as IncrementalPCA
from statfast.decomposition import PrincipalComponentRegression as PrincipalComponentRegression
from statfast.decomposition import RatingsFactorization as RatingsFactorization
from statfast.decomposition import TruncatedSVD as TruncatedSVD
from statfast.decomposition import choose_components as choose_components
from statfast.decomposition import reconstruction_errors as reconstruction_errors
from statfast.ensemble import AdaBoostClassifier as AdaBoostClassifier
from statfast.ensemble import AdaBoostRegressor as AdaBoostRegressor
from statfast.ensemble import BaggingClassifier as BaggingClassifier
from statfast.ensemble import BaggingRegressor as BaggingRegressor
from statfast.ensemble import ExtraTreesClassifier as ExtraTreesClassifier
from statfast.ensemble import ExtraTreesRegressor as ExtraTreesRegressor
from statfast.ensemble import HistGradientBoostingClassifier as HistGradientBoostingClassifier
from statfast.ensemble import HistGradientBoostingRegressor as HistGradientBoostingRegressor
from statfast.ensemble import IsolationForest as IsolationForest
from statfast.ensemble import RandomForestClassifier as RandomForestClassifier
from statfast.ensemble import RandomForestRegressor as RandomForestRegressor
from statfast.ensemble import StackingClassifier as StackingClassifier
from statfast.ensemble import StackingRegressor as StackingRegressor
from statfast.ensemble import VotingClassifier as VotingClassifier
from statfast.ensemble import VotingRegressor as VotingRegressor
from statfast.ensemble import majority_error as majority_error
from statfast.feature_selection import RFE as RFE
from statfast.feature_selection import RFECV as RFECV
from statfast.feature_selection import BestSubsets as BestSubsets
from statfast.feature_selection import GenericUnivariateSelect as GenericUnivariateSelect
from statfast.feature_selection import SelectFdr as SelectFdr
from statfast.feature_selection import SelectFpr as SelectFpr
from statfast.feature_selection import SelectFromModel as SelectFromModel
from statfast.feature_selection import SelectFwe as SelectFwe
from statfast.feature_selection import SelectKBest as SelectKBest
from statfast.feature_selection import SelectPercentile as SelectPercentile
from statfast.feature_selection import SequentialFeatureSelector as SequentialFeatureSelector
from statfast.feature_selection import SizeScores as SizeScores
from statfast.feature_selection import VarianceThreshold as VarianceThreshold
from statfast.feature_selection import best_subset as best_subset
from statfast.feature_selection import chi2 as chi2
from statfast.feature_selection import f_classif as f_classif
from statfast.feature_selection import f_regression as f_regression
from statfast.feature_selection import mutual_info_classif as mutual_info_classif
from statfast.feature_selection import mutual_info_regression as mutual_info_regression
from statfast.feature_selection import r_regression as r_regression
from statfast.generative import OAS as OAS
from statfast.generative import BernoulliNB as BernoulliNB
from statfast.generative import CategoricalNB as CategoricalNB
from statfast.generative import ComplementNB as ComplementNB
from statfast.generative import EllipticEnvelope as EllipticEnvelope
from statfast.generative import EmpiricalCovariance as EmpiricalCovariance
from statfast.generative import GammaNB as GammaNB
from statfast.generative import GaussianNB as GaussianNB
from statfast.generative import KernelDensityNB as KernelDensityNB
from statfast.generative import LedoitWolf as LedoitWolf
from statfast.generative import LinearDiscriminantAnalysis as LinearDiscriminantAnalysis
from statfast.generative import MinCovDet as MinCovDet
from statfast.generative import MixedNB as MixedNB
from statfast.generative import MultinomialNB as MultinomialNB
from statfast.generative import MultivariateNormal as MultivariateNormal
from statfast.generative import MultivariateT as MultivariateT
from statfast.generative import PoissonNB as PoissonNB
from statfast.generative import QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis
from statfast.generative import RegularizedDiscriminantAnalysis as RegularizedDiscriminantAnalysis
from statfast.generative import (
    RegularizedDiscriminantAnalysisCV as RegularizedDiscriminantAnalysisCV,
)
from statfast.generative import ShrunkCovariance as ShrunkCovariance
from statfast.generative import box_m as box_m
from statfast.generative import manova as manova
from statfast.interchange import from_sklearn as from_sklearn
from statfast.interchange import load as load
from statfast.interchange import save as save
from statfast.interchange import to_sklearn as to_sklearn
from statfast.linear import ElasticNet as ElasticNet
from statfast.linear import ElasticNetCV as ElasticNetCV
from statfast.linear import GammaRegressor as GammaRegressor
from statfast.linear import GeneralizedLinearModel as GeneralizedLinearModel
from statfast.linear import HuberRegressor as HuberRegressor
from statfast.linear import Lasso as Lasso
from statfast.linear import LassoCV as LassoCV
from statfast.linear import LeastSquaresClassifier as LeastSquaresClassifier
from statfast.linear import LinearRegression as LinearRegression
from statfast.linear import LogisticRegression as LogisticRegression
from statfast.linear import LogisticRegressionCV as LogisticRegressionCV
from statfast.linear import MultiTaskElasticNet as MultiTaskElasticNet
from statfast.linear import MultiTaskElasticNetCV as MultiTaskElasticNetCV
from statfast.linear import MultiTaskLasso as MultiTaskLasso
from statfast.linear import MultiTaskLassoCV as MultiTaskLassoCV
from statfast.linear import PoissonRegressor as PoissonRegressor
from statfast.linear import RegularizationPath as RegularizationPath
from statfast.linear import Ridge as Ridge
from statfast.linear import RidgeClassifier as RidgeClassifier
from statfast.linear import RidgeClassifierCV as RidgeClassifierCV
from statfast.linear import RidgeCV as RidgeCV
from statfast.linear import StepwiseResult as StepwiseResult
from statfast.linear import TweedieRegressor as TweedieRegressor
from statfast.linear import add1 as add1
from statfast.linear import anova as anova
from statfast.linear import drop1 as drop1
from statfast.linear import enet_path as enet_path
from statfast.linear import glm_path as glm_path
from statfast.linear import lasso_path as lasso_path
from statfast.linear import logistic_path as logistic_path
from statfast.linear import ridge_path as ridge_path
from statfast.linear import step as step
from statfast.linear import vif as vif
from statfast.mixture import GaussianMixture as GaussianMixture
from statfast.mixture import choose_mixture as choose_mixture
from statfast.model_selection import Bootstrap as Bootstrap
from statfast.model_selection import (
    FixedThresholdClassifier as FixedThresholdClassifier,
)
from statfast.model_selection import GridSearchCV as GridSearchCV
from statfast.model_selection import GroupKFold as GroupKFold
from statfast.model_selection import GroupShuffleSplit as GroupShuffleSplit
from statfast.model_selection import HalvingGridSearchCV as HalvingGridSearchCV
from statfast.model_selection import HalvingRandomSearchCV as HalvingRandomSearchCV
from statfast.model_selection import KFold as KFold
from statfast.model_selection import LeaveOneGroupOut as LeaveOneGroupOut
from statfast.model_selection import LeaveOneOut as LeaveOneOut
from statfast.model_selection import LeavePGroupsOut as LeavePGroupsOut
from statfast.model_selection import LeavePOut as LeavePOut
from statfast.model_selection import ParameterGrid as ParameterGrid
from statfast.model_selection import ParameterSampler as ParameterSampler
from statfast.model_selection import PredefinedSplit as PredefinedSplit
from statfast.model_selection import RandomizedSearchCV as RandomizedSearchCV
from statfast.model_selection import RepeatedKFold as RepeatedKFold
from statfast.model_selection import RepeatedStratifiedKFold as RepeatedStratifiedKFold
from statfast.model_selection import ShuffleSplit as ShuffleSplit
from statfast.model_selection import StratifiedGroupKFold as StratifiedGroupKFold
from statfast.model_selection import StratifiedKFold as StratifiedKFold
from statfast.model_selection import StratifiedShuffleSplit as StratifiedShuffleSplit
from statfast.model_selection import TimeSeriesSplit as TimeSeriesSplit
from statfast.model_selection import (
    TunedThresholdClassifierCV as TunedThresholdClassifierCV,
)
from statfast.model_selection import cross_val_predict as cross_val_predict
from statfast.model_selection import cross_val_score as cross_val_score
from statfast.model_selection import cross_validate as cross_validate
from statfast.model_selection import learning_curve as learning_curve
from statfast.model_selection import permutation_test_score as permutation_test_score
from statfast.model_selection import train_test_split as train_test_split
from statfast.model_selection import validation_curve as validation_curve
from statfast.multiclass import OneVsOneClassifier as OneVsOneClassifier
from statfast.multiclass import OneVsRestClassifier as OneVsRestClassifier
from statfast.multiclass import OutputCodeClassifier as OutputCodeClassifier
from statfast.multioutput import ClassifierChain as ClassifierChain
from statfast.multioutput import MultiOutputClassifier as MultiOutputClassifier
from statfast.multioutput import MultiOutputRegressor as MultiOutputRegressor
from statfast.multioutput import RegressorChain as RegressorChain
from statfast.neighbors import BallTree as BallTree
from statfast.neighbors import KDTree as KDTree
from statfast.neighbors import KernelDensity as KernelDensity
from statfast.neighbors import KNeighborsClassifier as KNeighborsClassifier
from statfast.neighbors import KNeighborsRegressor as KNeighborsRegressor
from statfast.neighbors import KNeighborsTransformer as KNeighborsTransformer
from statfast.neighbors import LocalOutlierFactor as LocalOutlierFactor
from statfast.neighbors import LSHNeighbors as LSHNeighbors
from statfast.neighbors import NearestCentroid as NearestCentroid
from statfast.neighbors import NearestNeighbors as NearestNeighbors
from statfast.neighbors import RadiusNeighborsClassifier as RadiusNeighborsClassifier
from statfast.neighbors import RadiusNeighborsRegressor as RadiusNeighborsRegressor
from statfast.neighbors import RadiusNeighborsTransformer as RadiusNeighborsTransformer
from statfast.neighbors import TangentDistanceClassifier as TangentDistanceClassifier
from statfast.neighbors import kneighbors_graph as kneighbors_graph
from statfast.neighbors import neighbors_density as neighbors_density
from statfast.neighbors import radius_neighbors_graph as radius_neighbors_graph
from statfast.neighbors import sort_graph_by_row_values as sort_graph_by_row_values
from statfast.neighbors import tangent_distance as tangent_distance
from statfast.patterns import RuleListClassifier as RuleListClassifier
from statfast.patterns import SubgroupDiscovery as SubgroupDiscovery
from statfast.patterns import association_rules as association_rules
from statfast.patterns import frequent_itemsets as frequent_itemsets
from statfast.pipeline import ColumnTransformer as ColumnTransformer
from statfast.pipeline import FeatureUnion as FeatureUnion
from statfast.pipeline import Pipeline as Pipeline
from statfast.pipeline import TransformedTargetRegressor as TransformedTargetRegressor
from statfast.pipeline import make_column_selector as make_column_selector
from statfast.pipeline import make_column_transformer as make_column_transformer
from statfast.pipeline import make_pipeline as make_pipeline
from statfast.pipeline import make_union as make_union
from statfast.preprocessing import Binarizer as Binarizer
from statfast.preprocessing import FunctionTransformer as FunctionTransformer
from statfast.preprocessing import KBinsDiscretizer as KBinsDiscretizer
from statfast.preprocessing import KernelCenterer as KernelCenterer
from statfast.preprocessing import KNNImputer as KNNImputer
from statfast.preprocessing import LabelBinarizer as LabelBinarizer
from statfast.preprocessing import LabelEncoder as LabelEncoder
from statfast.preprocessing import MaxAbsScaler as MaxAbsScaler
from statfast.preprocessing import MinMaxScaler as MinMaxScaler
from statfast.preprocessing import MissingIndicator as MissingIndicator
from statfast.preprocessing import MultiLabelBinarizer as MultiLabelBinarizer
from statfast.preprocessing import Normalizer as Normalizer
from statfast.preprocessing import OneHotEncoder as OneHotEncoder
from statfast.preprocessing import OrdinalEncoder as OrdinalEncoder
from statfast.preprocessing import PiecewiseLinearFeatures as PiecewiseLinearFeatures
from statfast.preprocessing import PolynomialFeatures as PolynomialFeatures
from statfast.preprocessing import PowerTransformer as PowerTransformer
from statfast.preprocessing import QuantileTransformer as QuantileTransformer
from statfast.preprocessing import RobustScaler as RobustScaler
from statfast.preprocessing import SimpleImputer as SimpleImputer
from statfast.preprocessing import SplineTransformer as SplineTransformer
from statfast.preprocessing import StandardScaler as StandardScaler
from statfast.preprocessing import TargetEncoder as TargetEncoder
from statfast.svm import SVC as SVC
from statfast.svm import SVR as SVR
from statfast.svm import KernelRidge as KernelRidge
from statfast.svm import LinearSVC as LinearSVC
from statfast.svm import LinearSVR as LinearSVR
from statfast.svm import NuSVC as NuSVC
from statfast.svm import NuSVR as NuSVR
from statfast.svm import OneClassSVM as OneClassSVM
from statfast.text import CountVectorizer as CountVectorizer
from statfast.text import HashingVectorizer as HashingVectorizer
from statfast.text import LanguageModelClassifier as LanguageModelClassifier
from statfast.text import NGramLanguageModel as NGramLanguageModel
from statfast.text import TfidfTransformer as TfidfTransformer
from statfast.text import TfidfVectorizer as TfidfVectorizer
from statfast.tree import DecisionTreeClassifier as DecisionTreeClassifier
from statfast.tree import DecisionTreeRegressor as DecisionTreeRegressor

__version__: str

__all__ = [
    "CLARA",
    "DBSCAN",
    "HDBSCAN",
    "NMF",
    "OAS",
    "PCA",
    "RFE",
    "RFECV",
    "SVC",
    "SVR",
    "AdaBoostClassifier",
    "AdaBoostRegressor",
    "AgglomerativeClustering",
    "BaggingClassifier",
    "BaggingRegressor",
    "BallTree",
    "BayesClassifier",
    "BernoulliNB",
    "BestSubsets",
    "Binarizer",
    "BisectingKMeans",
    "Bootstrap",
    "CalibratedClassifierCV",
    "CategoricalNB",
    "Chunks",
    "ClassifierChain",
    "CollinearityWarning",
    "ColumnTransformer",
    "ComplementNB",
    "ConformalClassifier",
    "ConformalRegressor",
    "ConvergenceWarning",
    "CostSensitiveClassifier",
    "CountVectorizer",
    "DataConversionWarning",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "DummyClassifier",
    "DummyRegressor",
    "ElasticNet",
    "ElasticNetCV",
    "EllipticEnvelope",
    "EmpiricalCovariance",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "FeatureUnion",
    "FitFailedWarning",
    "FixedThresholdClassifier",
    "FunctionTransformer",
    "GammaNB",
    "GammaRegressor",
    "GaussianMixture",
    "GaussianNB",
    "GeneralizedLinearModel",
    "GenericUnivariateSelect",
    "GridSearchCV",
    "GroupKFold",
    "GroupShuffleSplit",
    "HalvingGridSearchCV",
    "HalvingRandomSearchCV",
    "HashingVectorizer",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "HuberRegressor",
    "IncrementalPCA",
    "IsolationForest",
    "IsotonicRegression",
    "KBinsDiscretizer",
    "KDTree",
    "KFold",
    "KMeans",
    "KMeansConstrained",
    "KMeansStatistics",
    "KMedoids",
    "KModes",
    "KNNImputer",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "KNeighborsTransformer",
    "KPrototypes",
    "KernelCenterer",
    "KernelDensity",
    "KernelDensityNB",
    "KernelRidge",
    "LSHNeighbors",
    "LabelBinarizer",
    "LabelEncoder",
    "LanguageModelClassifier",
    "Lasso",
    "LassoCV",
    "LeastSquaresClassifier",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "LeavePGroupsOut",
    "LeavePOut",
    "LedoitWolf",
    "LinearDiscriminantAnalysis",
    "LinearRegression",
    "LinearSVC",
    "LinearSVR",
    "LocalOutlierFactor",
    "LogisticRegression",
    "LogisticRegressionCV",
    "MaxAbsScaler",
    "MinCovDet",
    "MinMaxScaler",
    "MiniBatchKMeans",
    "MissingIndicator",
    "MixedNB",
    "MultiLabelBinarizer",
    "MultiOutputClassifier",
    "MultiOutputRegressor",
    "MultiTaskElasticNet",
    "MultiTaskElasticNetCV",
    "MultiTaskLasso",
    "MultiTaskLassoCV",
    "MultinomialNB",
    "MultivariateNormal",
    "MultivariateT",
    "NGramLanguageModel",
    "NearestCentroid",
    "NearestNeighbors",
    "Normalizer",
    "NotFittedError",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "OneHotEncoder",
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "OrdinalEncoder",
    "OutputCodeClassifier",
    "ParameterGrid",
    "ParameterSampler",
    "Parts",
    "PiecewiseLinearFeatures",
    "Pipeline",
    "PoissonNB",
    "PoissonRegressor",
    "PolynomialFeatures",
    "PowerTransformer",
    "PredefinedSplit",
    "PrincipalComponentRegression",
    "QuadraticDiscriminantAnalysis",
    "QuantileTransformer",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RadiusNeighborsTransformer",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RandomizedSearchCV",
    "RatingsFactorization",
    "RegressorChain",
    "RegularizationPath",
    "RegularizedDiscriminantAnalysis",
    "RegularizedDiscriminantAnalysisCV",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "Ridge",
    "RidgeCV",
    "RidgeClassifier",
    "RidgeClassifierCV",
    "RobustScaler",
    "RuleListClassifier",
    "SelectFdr",
    "SelectFpr",
    "SelectFromModel",
    "SelectFwe",
    "SelectKBest",
    "SelectPercentile",
    "SeparationWarning",
    "SequentialFeatureSelector",
    "ShrunkCovariance",
    "ShuffleSplit",
    "SimpleImputer",
    "SizeScores",
    "SphericalKMeans",
    "SplineTransformer",
    "StackingClassifier",
    "StackingRegressor",
    "StandardScaler",
    "StepwiseResult",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "SubgroupDiscovery",
    "TangentDistanceClassifier",
    "TargetEncoder",
    "TfidfTransformer",
    "TfidfVectorizer",
    "TimeSeriesSplit",
    "TransformedTargetRegressor",
    "TruncatedSVD",
    "TunedThresholdClassifierCV",
    "TweedieRegressor",
    "UndefinedMetricWarning",
    "VarianceThreshold",
    "VotingClassifier",
    "VotingRegressor",
    "add1",
    "anova",
    "association_rules",
    "best_subset",
    "box_m",
    "chi2",
    "choose_components",
    "choose_mixture",
    "choose_n_clusters",
    "cluster_stability",
    "cophenet",
    "cophenetic",
    "cophenetic_correlation",
    "coverage_report",
    "cross_val_predict",
    "cross_val_score",
    "cross_validate",
    "cut_tree",
    "dbscan",
    "drop1",
    "enet_path",
    "f_classif",
    "f_regression",
    "fcluster",
    "frequent_itemsets",
    "from_sklearn",
    "gap_statistic",
    "glm_path",
    "inconsistency",
    "inconsistent",
    "kmeans_plusplus",
    "kneighbors_graph",
    "lasso_path",
    "learning_curve",
    "leaves_list",
    "linkage",
    "load",
    "logistic_path",
    "majority_error",
    "make_column_selector",
    "make_column_transformer",
    "make_pipeline",
    "make_union",
    "manova",
    "minimum_spanning_tree",
    "mutual_info_classif",
    "mutual_info_regression",
    "neighbors_density",
    "optimal_leaf_ordering",
    "permutation_test_score",
    "progress_bar",
    "r_regression",
    "radius_neighbors_graph",
    "reconstruction_errors",
    "ridge_path",
    "save",
    "set_progress",
    "sort_graph_by_row_values",
    "step",
    "tangent_distance",
    "to_sklearn",
    "train_test_split",
    "validation_curve",
    "vif",
]
