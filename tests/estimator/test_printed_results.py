# SPDX-License-Identifier: BSD-3-Clause
"""Results print as tables, and have their numbers as a data frame and as a plot."""

import dataclasses
import html
import re

import numpy as np
import pytest

import statfast
from statfast import decomposition, inspection, model_selection
from statfast.datasets import load_iris
from statfast.generative import MultivariateNormal, box_m
from statfast.tree import split_table

# What is no table of numbers: data, kernels, arrays of a tree, and displays, which are pictures.
NOT_TABLES = {
    "Dataset", "FunctionKernel", "Precomputed", "Laplacian", "Linear", "Polynomial", "RBF",
    "ConstantKernel",
    "Sigmoid", "Mismatch", "Spectrum", "NormalEllipsoid", "TreeStructure", "LeftOutAnswers",
    "FoldScores",
    "CodeMatrix", "MercerCheck", "MetricCheck", "Condition", "ClassificationRule",
}  # fmt: skip
FAMILIES = [getattr(statfast, name) for name in statfast._FAMILIES if name != "plot"]


def test_every_result_has_a_frame():
    kinds = {getattr(family, name) for family in FAMILIES for name in family.__all__}
    results = [kind for kind in kinds if dataclasses.is_dataclass(kind)]
    tables = {kind for kind in results if kind.__name__ not in NOT_TABLES}
    assert len(tables) > 20
    for kind in tables:
        assert hasattr(kind, "to_frame"), kind
        # a dataclass's own repr, which lists its arrays, is wrapped against recursion
        assert not hasattr(kind.__repr__, "__wrapped__"), kind


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def results(X, y):
    lda = statfast.LinearDiscriminantAnalysis()
    model = statfast.GaussianNB().fit(X, y)
    tree = statfast.DecisionTreeClassifier(max_depth=2).fit(X, y)
    bayes = statfast.decision.BayesClassifier(MultivariateNormal()).fit(X, y)
    shown = inspection.partial_dependence
    return {
        "0 components": decomposition.reconstruction_errors(X),
        "net variance": model_selection.bias_variance(lda, X, y, n_rounds=5, random_state=0),
        "nested": model_selection.nested_cv_interval(lda, X, y, n_repeats=2, random_state=0),
        "P>|stat|": model_selection.corrected_t_test([0.1, 0.3, -0.2], test_share=0.5),
        "Bayes error": bayes.bayes_error(100, random_state=0),
        "Box's M": box_m(X, y),
        "x0=": shown(model, X, [0], grid_resolution=3),
        "x0=4.6, x1=": shown(model, X, [0, 1], grid_resolution=3),
        "Mean |value| (0)": inspection.shap_values(tree, X),
        "primary": split_table(tree, X, y),
        "0 : 1": model.explain(X[:3]),
    }


def test_results_print_as_tables(iris):
    pytest.importorskip("pandas")
    for words, result in results(*iris).items():
        text = repr(result)
        assert words in text, text
        assert "array(" not in text
        assert str(result) == text
        assert "<table>" in result._repr_html_()
        assert len(result.to_frame()) >= 1


def test_numbers_of_the_tables_are_those_of_the_results(iris):
    found = list(results(*iris).values())
    np.testing.assert_array_equal(np.asarray(found[0].table())[:, 0], found[0].mean)
    two = found[7]
    np.testing.assert_array_equal(np.asarray(two.table())[:, 1], two.average[1].ravel())


def test_every_result_is_a_table_in_a_notebook(iris):
    """Of all that is printed as lines, with the same numbers and words."""
    kinds = {getattr(family, name) for family in FAMILIES for name in family.__all__}
    results = {kind for kind in kinds if dataclasses.is_dataclass(kind)}
    shown = {kind for kind in results if kind.__name__ not in NOT_TABLES}
    assert not [kind for kind in shown if not hasattr(kind, "_repr_html_")]
    X, y = iris
    search = {"random_state": 0, "n_boot": 5}
    models = {"<LDA>": statfast.LinearDiscriminantAnalysis(), "NB": statfast.GaussianNB()}
    for result in (
        statfast.cluster.choose_n_clusters(X, ks=[2, 3], random_state=0),
        statfast.cluster.gap_statistic(X, k_max=2, **search),
        statfast.cluster.cluster_stability(X, 3, **search),
        statfast.mixture.choose_mixture(
            X, n_components=[1, 2], covariance_types=["EII", "VVV"], random_state=0
        ),
        statfast.lasso_path(X, y, alphas=3),
        statfast.tree.pruning_table(statfast.DecisionTreeClassifier(random_state=0), X, y),
        model_selection.compare(models, X, y),
        statfast.linear.step(statfast.LinearRegression().fit(X, y), X, y),
    ):
        text, page = str(result), result._repr_html_()
        assert repr(result) == text
        assert "<table>" in page
        assert "<LDA>" not in page
        words = [html.unescape(w) for w in re.sub(r"<[^>]*>", " ", page).split()]
        assert not set(text.split()) - set(words)


def test_scores_of_folds_are_a_table_in_a_notebook(iris):
    X, y = iris
    result = statfast.cross_validate(statfast.LinearRegression(), X, y, return_estimator=True)
    page = result._repr_html_()
    assert page.count("<tr>") == 6
    assert f"<td>{result['test_score'][2]:.4g}</td>" in page
    assert "merged statistics" in page
