# SPDX-License-Identifier: BSD-3-Clause
"""Results print as tables, and have their numbers as a data frame and as a plot."""

import dataclasses

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
