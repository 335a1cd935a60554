# SPDX-License-Identifier: BSD-3-Clause
"""What things are given in the calm rounds, in which every public name has an answer.

A setting of a table stands in the place of a drawn one. Calm rounds come in pairs: what depends on
the estimator inside is asked for in one of the two.
"""

import numpy as np
from scipy import sparse

from tests.fuzz import made
from tests.fuzz.values import quiet

UNPENALIZED = {"alpha": 0.0}
DRAWN = {"bootstrap": True, "oob_score": True}
TABLE = {"y": [1.0, 2.0, 3.0, 5.0, 4.0, 7.0], "a": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]}
FORMULA = {"formula": "y ~ a", "data": TABLE, "sample_weight": None, "exposure": None}
SETS = {"y": [["a"], ["b", "a"], []]}
CLASSES = {"y": [0, 1, 0, 1, 1, 0, 1, 0] * 3, "a": list(range(24))}
FORMULA_OF_CLASSES = FORMULA | {"data": CLASSES}
SETTINGS = {
    "AssociationRules.for_basket": {"basket": [0]},
    "AssociationRules.measure": {"name": "lift"},
    "AssociationRules.sort": {"measure": "lift"},
    "CategoricalNB": {"unseen": "ignore"},
    "CodeMatrix": {"matrix": np.array([[1, -1, 1], [-1, 1, -1]], np.int8), "classes": ["a", "b"]},
    "CodeMatrix.distances": {"signs": np.ones((4, 3))},
    "ConformalClassifier": {"cv": 0.3},
    "ConformalRegressor": {"cv": 0.3},
    "CountVectorizer.decode": {"doc": "a b"},
    "Display": {"draw": quiet},
    "ExtraTreesClassifier": DRAWN,
    "ExtraTreesRegressor": DRAWN | {"store_leaves": True},
    "FoldScores": {"scores": {"accuracy": np.array([0.5, 0.7])}},
    "FunctionTransformer": {"feature_names_out": "one-to-one"},
    "GammaRegressor": UNPENALIZED,
    "GammaRegressor.from_formula": FORMULA,
    "GeneralizedLinearModel": {"family": "poisson"},
    "GeneralizedLinearModel.from_formula": FORMULA,
    "HashingVectorizer.decode": {"doc": "a b"},
    "HalvingGridSearchCV": {"min_resources": 20},
    "HalvingRandomSearchCV": {"min_resources": 20},
    "KMeansStatistics": {"k": 2, "d": 2},
    "KNeighborsClassifier.leave_one_out": {"ks": [1, 3]},
    "KNeighborsClassifier.tune_n_neighbors": {"ks": [1, 3]},
    "KNeighborsRegressor.leave_one_out": {"ks": [1, 3]},
    "KNeighborsRegressor.tune_n_neighbors": {"ks": [1, 3]},
    "LinearRegression.from_formula": FORMULA,
    "LocalOutlierFactor": {"novelty": True},
    "LogisticRegression": {"C": np.inf},
    "LogisticRegression.from_formula": FORMULA_OF_CLASSES,
    "LogisticRegressionCV.from_formula": FORMULA_OF_CLASSES,
    "MixedNB": {"densities": "gaussian"},
    "MultiLabelBinarizer.fit": SETS,
    "MultiLabelBinarizer.fit_transform": SETS,
    "MultiLabelBinarizer.transform": SETS,
    "MultivariateNormal.conditional": {"columns": [0], "values": [0.5]},
    "MultivariateNormal.marginal": {"columns": [0]},
    "MultivariateNormal.of": {"mean": [0.0, 1.0], "covariance": np.eye(2)},
    "MultivariateT.conditional": {"columns": [0], "values": [0.5]},
    "MultivariateT.marginal": {"columns": [0]},
    "MultivariateT.of": {"location": [0.0, 1.0], "shape": np.eye(2), "df": 3.0},
    "NuSVC": {"probability": True, "nu": 0.1},
    "OneHotEncoder": {"handle_unknown": "ignore"},
    "OrdinalEncoder": {"handle_unknown": "use_encoded_value", "unknown_value": -1},
    "Parts": {"parts": [np.eye(3), np.ones((2, 3))], "y": None, "sample_weight": None,
              "columns": None},
    "PoissonRegressor": UNPENALIZED,
    "PoissonRegressor.from_formula": FORMULA,
    "RatingsFactorization.held_out_errors": {"cv": 2},
    "RatingsFactorization.ratings": {"users": [0], "items": [0]},
    "RatingsFactorization.recommend": {"n": 1},
    "RandomForestRegressor": {"store_leaves": True},
    "SVC": {"probability": True},
    "SimpleImputer": {"add_indicator": True},
    "TangentDistanceClassifier": {"image_shape": (1, 2)},
    "TfidfVectorizer.decode": {"doc": "a b"},
    "TweedieRegressor": UNPENALIZED | {"power": 1.5, "link": "log"},
    "TweedieRegressor.from_formula": FORMULA,
    "VotingClassifier": {"voting": "soft"},
    "anova": {"X": None, "y": None},
    "association_rules": {"min_threshold": 0.0, "metric": "confidence"},
    "coverage_report": {"y": [1.0, 2.0, 3.0], "predicted": [[0, 2], [1, 3], [4, 5]],
                        "groups": None},
    "cut_tree": {"n_clusters": 2},
    "dcg_score": {"y_true": [[1.0, 0.0, 2.0]], "y_score": [[0.1, 0.2, 0.3]], "sample_weight": None},
    "fcluster": {"t": 2, "criterion": "maxclust"},
    "frequent_itemsets": {"min_support": 0.2},
    "images": {"shape": (1, 2)},
    "log_likelihood": {"emp_cov": np.eye(2), "precision": np.eye(2)},
    "metric_check": {"d": "euclidean"},
    "ndcg_score": {"y_true": [[1.0, 0.0, 2.0]], "y_score": [[0.1, 0.2, 0.3]],
                   "sample_weight": None},
    "plot.partial_dependence": {"features": 0},
    "reconstructions": {"shape": (1, 2)},
    "set_progress": {"hook": None},
    "shrunk_covariance": {"emp_cov": np.eye(2)},
    "sort_graph_by_row_values": {"graph": sparse.csr_array(np.array([[0, 2.0, 1], [1, 0, 3]]))},
    "tangent_distance": {"image_shape": (1, 2)},
}  # fmt: skip
# Names that have no answer in these rounds, and why.
UNANSWERED = {
    "Kernel.diagonal": "has no values: kernels are its subclasses",
    "Kernel.matrix": "has no values: kernels are its subclasses",
    "MultiOutputRegressor.partial_fit": "no regressor of statfast has it",
    "TweedieRegressor.odds_ratios": "its link is not the logit",
}
# In the second round of each pair.
SECOND = {
    "GeneralizedLinearModel": {"family": "binomial"},
    "LocalOutlierFactor": {"novelty": False},
    "LogisticRegression": {"method": "firth"},
}
# Rows of another kind than real numbers.
ROWS = {
    "CategoricalNB": "counts",
    "GammaNB": "positive",
    "Mismatch": "strings",
    "OneHotEncoder": "counts",
    "OrdinalEncoder": "counts",
    "Precomputed": "square",
    "RatingsFactorization": "counts",
    "Spectrum": "strings",
    "chi2": "counts",
}
TARGETS = {
    "ClassifierChain": "indicators",
    "GammaRegressor": "positive",
    "MultiOutputClassifier": "indicators",
    "MultiOutputRegressor": "several",
    "PoissonRegressor": "counts",
    "RegressorChain": "several",
    "TweedieRegressor": "positive",
    "f_regression": "numbers",
    "mean_gamma_deviance": "positive",
    "mean_poisson_deviance": "positive",
    "glm_path": "counts",
    "mutual_info_regression": "numbers",
    "r_regression": "numbers",
}


def estimator(drawing, thing):
    """One that knows most answers in one of two rounds, and another kind of them in the other."""
    if thing.name in made.FITTED_ALONE or thing.name in made.TREES_ALONE:
        return made.learner(drawing, thing)
    second = drawing.turn % 2
    if "param_grid" in thing.parameters or "param_distributions" in thing.parameters:
        return made.new(drawing, ("LogisticRegression", "PCA")[second])
    if thing.name == "SelectFromModel":
        return made.new(drawing, ("LogisticRegression", "LinearDiscriminantAnalysis")[second])
    numbers = drawing.target_kind not in ("labels", "two labels", "indicators", None)
    names = ("Ridge", "DecisionTreeRegressor") if numbers else ("LogisticRegression", "GaussianNB")
    return made.new(drawing, names[second])


def grid(drawing, thing):
    return {"n_components": [1, 2]} if drawing.turn % 2 else {"C": [0.1, 1.0]}


# Given in the calm rounds wherever a parameter has the name.
VALUES = {
    "comp_cov": lambda drawing, thing: np.eye(2),
    "data": lambda drawing, thing: drawing.common,
    "density": lambda drawing, thing: made.new(drawing, "MultivariateNormal"),
    "estimator": estimator,
    "final_estimator": estimator,
    "param_distributions": grid,
    "param_grid": grid,
    "param_name": lambda drawing, thing: "tol",
    "param_range": lambda drawing, thing: [1e-3, 1e-5],
}
