# SPDX-License-Identifier: BSD-3-Clause
"""Partial dependence: the definition row by row, scikit-learn's answers, and grids."""

import numpy as np
import pytest

from statfast import LinearDiscriminantAnalysis, LinearRegression
from statfast.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from statfast.inspection import partial_dependence
from statfast.tree import DecisionTreeRegressor


def sample(n=250, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 3] = rng.integers(0, 5, n)
    return X, X[:, 0] * X[:, 1] + X[:, 2] + 0.5 * X[:, 3], rng.random(n)


def test_the_definition():
    X, y, w = sample()
    model = DecisionTreeRegressor(max_depth=5).fit(X, y)
    found = partial_dependence(
        model, X, [0, 3], sample_weight=w, grid_resolution=7, kind="both", method="brute"
    )
    assert found.average.shape == (1, 7, 5)
    assert found.individual.shape == (1, 250, 7, 5)
    for i, a in enumerate(found.grid_values[0]):
        for j, b in enumerate(found.grid_values[1]):
            rows = X.copy()
            rows[:, 0], rows[:, 3] = a, b
            said = model.predict(rows)
            np.testing.assert_array_equal(found.individual[0, :, i, j], said)
            assert found.average[0, i, j] == pytest.approx(np.average(said, weights=w))


@pytest.mark.parametrize("method", ["brute", "recursion"])
@pytest.mark.parametrize("features", [[0], [1, 2]])
def test_it_is_scikit_learns(method, features):
    sk = pytest.importorskip("sklearn.inspection")
    twins = pytest.importorskip("sklearn.ensemble")
    X, y, _ = sample(400)
    for label, mine, theirs in (
        (y, HistGradientBoostingRegressor, twins.HistGradientBoostingRegressor),
        (y > 0, HistGradientBoostingClassifier, twins.HistGradientBoostingClassifier),
        (y // 2, HistGradientBoostingClassifier, twins.HistGradientBoostingClassifier),
    ):
        rules = {"max_iter": 3, "min_samples_leaf": 40}
        other = theirs(**rules).fit(X, label)
        want = sk.partial_dependence(other, X, features, method=method, grid_resolution=9)
        model = mine(**rules).fit(X, label)
        got = partial_dependence(model, X, features, method=method, grid_resolution=9)
        for a, b in zip(got.grid_values, want.grid_values, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
        assert got.average.shape == want.average.shape
        if label is y:  # classes have splits that gain as much as others
            np.testing.assert_allclose(got.average, want.average, atol=1e-6)
        again = partial_dependence(other, X, features, method="brute", grid_resolution=9)
        brute = sk.partial_dependence(other, X, features, method="brute", grid_resolution=9)
        np.testing.assert_allclose(again.average, brute.average, rtol=1e-12)


def test_recursion_of_categories_and_missing_values():
    """Of a tree on one column alone it is the tree itself."""
    X, y, _ = sample()
    one = X[:, 3:].copy()
    one[::9] = np.nan
    model = HistGradientBoostingRegressor(categorical_features=[0], max_iter=4).fit(one, y)
    grid = np.array([[0.0], [3.0], [4.0], [np.nan]])
    raw = model._compute_partial_dependence_recursion(grid, np.array([0]))
    np.testing.assert_allclose(raw[0] + model._boosted.trees.first[0], model.predict(grid))


def test_data_frames_stay_data_frames():
    pd = pytest.importorskip("pandas")
    X, y, _ = sample()
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["kind"] = pd.Categorical(np.array(list("xyz"))[np.arange(250) % 3])
    frame["whole"] = np.arange(250)
    model = HistGradientBoostingRegressor(max_iter=5).fit(frame, y)
    found = partial_dependence(model, frame, "kind", method="brute")
    assert found.grid_values[0].tolist() == ["x", "y", "z"]
    for value, mean in zip("xyz", found.average[0], strict=True):
        rows = frame.copy()
        rows["kind"] = pd.Categorical([value] * 250, categories=list("xyz"))
        assert mean == pytest.approx(model.predict(rows).mean())
    assert partial_dependence(model, frame, "whole", method="brute").average.shape == (1, 100)
    assert frame["kind"].tolist()[:3] == ["x", "y", "z"]


def test_several_classes_and_threads():
    X, y, _ = sample()
    model = LinearDiscriminantAnalysis().fit(X, np.digitize(y, [-1, 1]))
    found = [partial_dependence(model, X, 2, n_jobs=j) for j in (1, 2)]
    assert found[0].average.shape == (3, 100)
    assert found[0].labels == [0, 1, 2]
    np.testing.assert_allclose(found[0].average.sum(axis=0), 1.0)
    assert found[0].average.tobytes() == found[1].average.tobytes()


def test_own_grids():
    X, y, _ = sample()
    model = LinearRegression().fit(X, y)
    found = partial_dependence(model, X, [1], custom_values={1: [5.0, 7.0]})
    assert found.grid_values[0].tolist() == [5.0, 7.0]
    want = model.predict(np.column_stack([X[:, :1], np.full(250, 5.0), X[:, 2:]])).mean()
    assert found.average[0, 0] == pytest.approx(want)
    kept = X.copy()
    partial_dependence(model, X, [1, 2], grid_resolution=3)
    np.testing.assert_array_equal(X, kept)


@pytest.mark.parametrize(
    ("features", "rules", "words"),
    [
        (9, {}, "features must be columns"),
        ("a", {}, "features names"),
        ([], {}, "features must name"),
        ([0, 0], {}, "different columns"),
        (0, {"percentiles": (0.9, 0.1)}, "percentiles must rise"),
        (0, {"method": "recursion"}, "method='recursion'"),
        (0, {"response_method": "predict_proba"}, "response_method must be"),
        (0, {"custom_values": {0: []}}, "custom_values must be"),
        (0, {"kind": "nonsense"}, "kind must be"),
    ],
)
def test_refused(features, rules, words):
    X, y, _ = sample()
    with pytest.raises(ValueError, match=words):
        partial_dependence(LinearRegression().fit(X, y), X, features, **rules)


def test_not_fitted():
    with pytest.raises(ValueError, match="not fitted"):
        partial_dependence(LinearRegression(), np.ones((4, 2)), 0)


def test_dependence_on_a_category_is_that_of_the_trees():
    """Categories of any kind go by their names, on the scale of all other columns."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    n = 300
    number = rng.choice([10, 20, 35], n)
    kind = np.array(["low", "mid", "top"])[np.searchsorted([10, 20, 35], number)]
    x = rng.normal(size=n)
    y = (number == 20) * 3.0 + x
    for values in (kind, number, number.astype(float)):
        X = pd.DataFrame({"x": x, "kind": pd.Categorical(values)})
        for model, target in (
            (HistGradientBoostingRegressor(max_iter=4), y),
            (HistGradientBoostingClassifier(max_iter=4), y > 1),
        ):
            found = partial_dependence(model.fit(X, target), X, "kind")
            assert (found.method, found.response) == ("recursion", "raw")
            alone = type(model)(max_iter=4).fit(X[["kind"]], target)
            own = partial_dependence(alone, X[["kind"]], 0)
            rows = pd.DataFrame({"kind": pd.Categorical(own.grid_values[0])})
            np.testing.assert_allclose(
                own.average[0] + alone._boosted.trees.first[0], alone._raw(rows)[:, 0]
            )
            both = partial_dependence(model, X, ["x", "kind"], grid_resolution=4)
            assert both.average.shape == (1, 4, len(own.grid_values[0]))
            brute = partial_dependence(model, X, "kind", method="brute")
            assert brute.average.argmax() == found.average.argmax()


def test_what_is_averaged_has_its_name():
    X, y, _ = sample()
    model = HistGradientBoostingClassifier(max_iter=3).fit(X, y > 0)
    raw = partial_dependence(model, X, 0, grid_resolution=3)
    assert (raw.response, raw.method) == ("raw", "recursion")
    for wanted in ("predict_proba", "decision_function", "predict"):
        found = partial_dependence(
            model, X, 0, grid_resolution=3, response_method=wanted, method="brute"
        )
        assert found.response == wanted
    assert partial_dependence(model, X, 0, method="brute").response == "predict_proba"
    number = HistGradientBoostingRegressor(max_iter=3).fit(X, y)
    assert partial_dependence(number, X, 0, method="brute").response == "predict"
    heads = [list(partial_dependence(number, X, 0, method=how).table().columns) for how in METHODS]
    assert heads == [["Average"], ["Raw average"]]
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    for found, label in (
        (raw, "mean raw prediction, less the first, class True"),
        (partial_dependence(model, X, 0, method="brute"), "mean probability, class True"),
        (partial_dependence(number, X, 0, method="brute"), "mean prediction"),
    ):
        axes = Figure().subplots()
        found.plot(ax=axes)
        assert axes.get_ylabel().replace("\n", " ") == label  # wrapped to fit


METHODS = ("brute", "recursion")


def test_a_class_is_no_fitted_model():
    with pytest.raises(TypeError, match="estimator must be a fitted estimator; got the class"):
        partial_dependence(LinearRegression, np.eye(3), 0)
