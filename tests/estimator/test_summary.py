# SPDX-License-Identifier: BSD-3-Clause
"""Result tables as text, as HTML and as data frames."""

import numpy as np
import pytest

from statfast._estimator.tables import CoefficientTable, Summary

TABLE = CoefficientTable(
    ["(Intercept)", "age", "copy"],
    {
        "Estimate": np.array([0.48062, -0.02955, np.nan]),
        "Std. error": np.array([1.19690, 0.03703, np.nan]),
        "P>|z|": np.array([0.688, 1e-20, np.nan]),
    },
)
SUMMARY = Summary("A <fit>", [("Observations", 189), ("Deviance", 201.28479505588)], TABLE, ["So."])


def test_text():
    lines = str(SUMMARY).splitlines()
    assert lines[0].strip() == "A <fit>"
    assert lines[2].split() == ["Observations:", "189", "Deviance:", "201.2848"]
    assert lines[4].split() == ["Estimate", "Std.", "error", "P>|z|"]
    assert lines[5].split() == ["(Intercept)", "0.48062", "1.19690", "0.6880"]
    assert lines[6].split() == ["age", "-0.02955", "0.03703", "<2.2e-16", "***"]
    assert lines[7].split() == ["copy", "(aliased)"]
    assert lines[-2] == "So."
    assert repr(SUMMARY) == str(SUMMARY)


def test_columns_are_aligned():
    lines = str(TABLE).splitlines()
    ends = {
        line.index(text) + len(text)
        for line, text in zip(lines, ["Estimate", "0.48062"], strict=False)
    }
    assert len(ends) == 1


def test_html_is_escaped():
    text = SUMMARY._repr_html_()
    assert "A &lt;fit&gt;" in text
    assert "<td>-0.02955</td>" in text
    assert "P&gt;|z|" in text


def test_frame_holds_the_numbers_unrounded():
    pytest.importorskip("pandas")
    frame = SUMMARY.to_frame()
    assert frame.loc["age", "P>|z|"] == 1e-20
    assert list(frame.columns) == list(TABLE.columns)


def test_several_tables_have_headings():
    pytest.importorskip("pandas")
    both = Summary("Classes", [], {"oak": TABLE, "elm": TABLE})
    assert str(both).count("(Intercept)") == 2
    assert "oak" in str(both)
    assert both.to_frame().loc[("elm", "age"), "Estimate"] == -0.02955


@pytest.mark.parametrize(
    "values", [[0.0, 0.0], [1e9, 1.0], [1e-9, 2e-9], [np.inf, 1.0], [np.nan, 3]]
)
def test_numbers_of_any_size(values):
    table = CoefficientTable(["a", "b"], {"x": np.array(values), "y": np.array([1.0, 2.0])})
    assert len(str(table).splitlines()) == 3


def test_stars():
    p = np.array([0.0, 0.0009, 0.001, 0.0099, 0.01, 0.049, 0.05, 0.099, 0.1, 1.0])
    table = CoefficientTable([str(number) for number in p], {"x": p, "P>|t|": p})
    stars = [row[-1] for row in table.cells()[1:]]
    assert stars == ["***", "***", "**", "**", "*", "*", ".", ".", "", ""]


def test_long_notes_are_wrapped():
    table = CoefficientTable(["a"], {"Estimate": np.array([1.0])})
    note = "word " * 40
    text = str(Summary("Title", [("n", 1)], table, [note.strip()]))
    assert max(map(len, text.splitlines())) == 78
    assert text.count("word") == 40


def results():
    """A result of each kind that prints as a table: its rows, columns, and what it says first."""
    import statfast as sf
    from statfast.datasets import load_iris
    from statfast.inspection import permutation_importance
    from statfast.model_selection import bootstrap_error

    X, y = load_iris(return_X_y=True)
    tree = sf.DecisionTreeClassifier(random_state=0).fit(X, y)
    path = tree.cost_complexity_pruning_path(X, y)
    error = bootstrap_error(tree, X, y, random_state=0)
    importance = permutation_importance(tree, X, y, random_state=0)
    choice = sf.choose_components(X, random_state=0)
    return {
        "path": (path, path.ccp_alphas, "ccp_alphas", " "),
        "bootstrap": (error, [error.error], "Estimate", " "),
        "importance": (importance, importance.importances_mean, "Mean", " "),
        "components": (choice, choice.eigenvalues, "eigenvalues", "Components: 2 by share"),
    }


@pytest.mark.parametrize("name", ["path", "bootstrap", "importance", "components"])
def test_results_are_tables(name):
    result, values, heading, first = results()[name]
    text = repr(result)
    assert text == str(result)
    assert text.startswith(first)
    assert heading in text
    assert "array(" not in text
    assert "<table" in result._repr_html_()
    pytest.importorskip("pandas")
    frame = result.to_frame()
    np.testing.assert_array_equal(frame[heading][: len(values)], values)
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    assert result.plot(ax=axes).ax_ is axes


def test_long_tables_are_cut():
    from statfast import choose_components

    X = np.random.default_rng(0).normal(size=(60, 30))
    lines = repr(choose_components(X, n_permutations=0)).splitlines()
    assert lines[-1] == "... and 10 more rows"
    assert len(lines) == 2 + 1 + 20 + 1
