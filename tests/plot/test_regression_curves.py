# SPDX-License-Identifier: BSD-3-Clause
"""Curves of predictions are the models' predictions, and bands their intervals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

import statfast as sf
from statfast.datasets import load_iris
from statfast.plot import regression_curve

IRIS = load_iris()
X, Y = IRIS.data[:, :3], IRIS.data[:, 3]
LENGTHS, LABELS = IRIS.data[50:, 2:3], np.array(IRIS.target_names)[IRIS.target[50:]]


def lines(ax):
    return {line.get_label(): line for line in ax.lines if line.get_linestyle() != "None"}


def bands(ax):
    return [c for c in ax.collections if c.get_paths()]


def test_one_model_has_its_bands(ax):
    model = sf.LinearRegression().fit(X, Y)
    shown = regression_curve(model, X, Y, feature=2, level=0.9, ax=ax, resolution=100)
    at = X.mean(axis=0)
    at[2] = shown.x[70]
    (curve,), ((name, ends),) = shown.curves.values(), shown.ends.items()
    for kind in ("confidence", "prediction"):
        mean, interval = model.predict([at], interval=kind, level=0.9)
        assert curve[70] == pytest.approx(mean[0])
        assert_allclose(ends[kind][70], interval[0])
    assert np.all(np.diff(ends["confidence"]) < np.diff(ends["prediction"]))
    assert name == "LinearRegression"
    assert_array_equal(lines(ax)[name].get_xydata(), np.column_stack([shown.x, curve]))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("feature 2", "target")
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["90 % confidence", "90 % prediction", "LinearRegression"]
    assert len(bands(ax)) == 2


def test_conformal_bands(ax):
    model = sf.ConformalRegressor(sf.Ridge(), method="cv+").fit(X, Y)
    shown = regression_curve(model, X, Y, feature=2, level=0.8, ax=ax, resolution=50)
    at = X.mean(axis=0)
    at[2] = shown.x[30]
    ends = model.predict([at], interval="conformal", level=0.8)[1]
    assert list(shown.ends["ConformalRegressor"]) == ["conformal"]
    assert_allclose(shown.ends["ConformalRegressor"]["conformal"][30], ends[0])
    assert len(bands(ax)) == 1


def test_several_models(ax):
    models = {
        "line": sf.LinearRegression().fit(X, Y),
        "gamma": sf.GeneralizedLinearModel("gamma", link="log").fit(X, Y),
        "neighbors": sf.KNeighborsRegressor(5).fit(X, Y),
        "tree": sf.DecisionTreeRegressor(max_depth=2).fit(X, Y),
    }
    shown = regression_curve(models, X, Y, feature=1, ax=ax, linewidth=3)
    rows = np.tile(X.mean(axis=0), (300, 1))
    rows[:, 1] = shown.x
    for name, model in models.items():
        assert_allclose(shown.curves[name], model.predict(rows))
    assert {name: list(ends) for name, ends in shown.ends.items()} == {
        "line": ["confidence"], "gamma": ["confidence"], "neighbors": ["conformal"], "tree": [],
    }  # fmt: skip
    drawn = lines(ax)
    assert list(drawn) == [
        "line, 95 % confidence", "gamma, 95 % confidence", "neighbors, 95 % conformal", "tree"
    ]  # fmt: skip
    assert len({line.get_color() for line in drawn.values()}) == 4
    assert {line.get_linewidth() for line in drawn.values()} == {3}
    both = regression_curve(models, X, Y, intervals=["prediction"], ax=Figure().subplots())
    assert list(both.ends["gamma"]) == ["prediction"]
    none = regression_curve(models["line"], X, Y, intervals=[], ax=Figure().subplots())
    assert none.ends == {"LinearRegression": {}}


class Threshold:
    """A classifier that only decides."""

    classes_ = np.array(["versicolor", "virginica"])

    def predict(self, rows):
        return np.where(np.asarray(rows)[:, 0] > 5, "virginica", "versicolor")


def test_classifiers_show_the_probability_of_the_second_class(ax):
    model = sf.LogisticRegression().fit(LENGTHS, LABELS)
    shown = regression_curve({"logistic": model, "length > 5": Threshold()}, LENGTHS, LABELS, ax=ax)
    p, ends = model.predict_proba(shown.x[:, None], interval="confidence")
    assert_allclose(shown.curves["logistic"], p[:, 1])
    assert_allclose(shown.ends["logistic"]["confidence"], ends[:, 1])
    assert_array_equal(shown.curves["length > 5"], shown.x > 5)
    assert ax.get_ylabel() == "probability of virginica"
    points = {line.get_label(): line for line in ax.lines if line.get_linestyle() == "None"}
    assert list(points) == ["versicolor", "virginica"]
    assert_array_equal(np.unique(points["virginica"].get_ydata()), [1])
    assert_array_equal(
        np.sort(points["versicolor"].get_xdata()), np.sort(LENGTHS[LABELS == "versicolor", 0])
    )


def test_a_penalized_classifier_has_no_band_unless_asked(ax):
    model = sf.LogisticRegression(C=1.0).fit(LENGTHS, LABELS)
    assert regression_curve(model, LENGTHS, LABELS, ax=ax).ends == {"LogisticRegression": {}}
    with pytest.raises(ValueError, match="penal"):
        regression_curve(model, LENGTHS, LABELS, intervals=["confidence"])


def test_least_squares_beside_logistic(ax):
    codes = (LABELS == "virginica").astype(int)
    models = {
        "a": sf.LogisticRegression().fit(LENGTHS, codes),
        "b": sf.LinearRegression().fit(LENGTHS, codes),
    }
    shown = regression_curve(models, LENGTHS, codes, ax=ax)
    assert_allclose(shown.curves["b"], models["b"].predict(shown.x[:, None]))
    named = {"a": sf.LogisticRegression().fit(LENGTHS, LABELS), "b": models["b"]}
    with pytest.raises(ValueError, match="y must be 0 and 1 where regressors \\(b\\)"):
        regression_curve(named, LENGTHS, LABELS)


def test_names_of_a_frame(ax):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = sf.LinearRegression().fit(frame, Y)
    regression_curve(model, frame, Y, feature="b", ax=ax)
    assert ax.get_xlabel() == "b"


LINE = sf.LinearRegression().fit(X, Y)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"model": 3}, TypeError, "model must be a fitted model with predict, or a dict of them"),
        ({"model": {}}, TypeError, "model must be a fitted model, or a dict of one or more"),
        ({"model": {"a": LINE, "b": 3}}, TypeError, "or a dict of them; got 3"),
        ({"model": sf.LassoCV(cv=3).fit(X, Y), "intervals": ["confidence"]}, TypeError,
         "model must be a model with intervals"),
        ({"model": sf.GaussianNB().fit(X, IRIS.target), "y": IRIS.target}, ValueError,
         "model must have two classes to be a curve; got 3"),
        ({"model": sf.LinearRegression().fit(X, IRIS.data[:, 2:])}, ValueError,
         "model must have one target; got 2"),
        ({"y": Y[:3]}, ValueError, "y must have 150 targets, as X; got 3"),
        ({"y": np.full(150, np.nan)}, ValueError, "y contains NaN"),
        ({"X": X * np.inf}, ValueError, "X contains"),
        ({"feature": 3}, ValueError, "feature must be between 0 and the last column"),
        ({"feature": "a"}, ValueError, "feature must be one of"),
        ({"intervals": True}, TypeError, "intervals must be a list of 'confidence'"),
        ({"intervals": ["credible"]}, ValueError, "intervals must be 'confidence'"),
        ({"level": 1.0}, ValueError, "level must be less than 1"),
        ({"resolution": 1}, ValueError, "resolution must be at least 2"),
    ],
)  # fmt: skip
def test_arguments_refused(ax, change, error, words):
    given = {"model": LINE, "X": X, "y": Y, "ax": ax, **change}
    with pytest.raises(error, match=words):
        regression_curve(given.pop("model"), given.pop("X"), given.pop("y"), **given)


def test_classes_that_do_not_agree(ax):
    a = sf.GaussianNB().fit(LENGTHS, LABELS)
    b = sf.GaussianNB().fit(LENGTHS, LABELS == "virginica")
    with pytest.raises(ValueError, match="model must have the same two classes each"):
        regression_curve({"a": a, "b": b}, LENGTHS, LABELS, ax=ax)
    with pytest.raises(ValueError, match="y must hold the classes of the model"):
        regression_curve(a, LENGTHS, np.repeat("rose", 100), ax=ax)
