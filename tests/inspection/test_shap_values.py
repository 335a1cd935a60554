# SPDX-License-Identifier: BSD-3-Clause
"""Shapley values: the definition by all subsets, sums, closed forms, errors and threads."""

import pickle
import sys
from copy import deepcopy
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.special import beta

import statfast as sf
from statfast.inspection import ShapExplanation, shap_values, tree_shap
from tests.reference.shapley import mean_of_mixtures, mean_of_tree, values_of_game

MODELS = {
    "tree": sf.DecisionTreeRegressor(random_state=0),
    "class tree": sf.DecisionTreeClassifier(max_depth=6, random_state=0),
    "forest": sf.RandomForestRegressor(n_estimators=5, random_state=0),
    "class forest": sf.RandomForestClassifier(n_estimators=5, random_state=0),
    "extra": sf.ExtraTreesClassifier(n_estimators=5, random_state=0),
    "boosting": sf.HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=5, random_state=0),
    "counts": sf.HistGradientBoostingRegressor("poisson", max_iter=5, random_state=0),
    "class boosting": sf.HistGradientBoostingClassifier(max_iter=4, random_state=0),
    "adaboost": sf.AdaBoostClassifier(
        sf.DecisionTreeClassifier(max_depth=3), n_estimators=5, random_state=0
    ),
    "isolation": sf.IsolationForest(n_estimators=5, random_state=0),
}


def sample(n=200, p=5, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).round(1)
    y = X[:, 0] * X[:, 1] + 2 * X[:, 2] + rng.normal(size=n)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def fit_model(name, n=200, missing=0.0, seed=0, **fitted):
    X, y = sample(n, missing=missing, seed=seed)
    model = deepcopy(MODELS[name])
    if name == "counts":
        y = np.floor(np.abs(y))
    elif "class" in name or name in ("extra", "adaboost"):
        y = (y > -1.0).astype(int) + (y > 1.0)
    return model.fit(X, y, **fitted), X


def answers_of(model, X, response):
    if response == "raw":
        raw = np.asarray(model.predict(X))
        return np.log(raw) if model.loss == "poisson" else raw
    if response == "depth":
        return np.log2(-model.score_samples(X))
    return np.asarray(getattr(model, response)(X))


def total_of(explanation):
    return explanation.base_values + explanation.values.sum(axis=1)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_sums_are_answers(name, missing):
    if name == "adaboost" and missing:
        pytest.skip("its rows have no missing values")
    model, X = fit_model(name, missing=missing)
    for background in (None, X[:20]):
        explanation = shap_values(model, X[:60], background)
        assert explanation.method == "tree"
        want = answers_of(model, X[:60], explanation.response)
        if explanation.response == "depth":  # scores are -2 ** (-depth / c)
            ratio = total_of(explanation) / want
            np.testing.assert_allclose(ratio, ratio[0], rtol=1e-12)
        else:
            np.testing.assert_allclose(
                total_of(explanation), want, rtol=1e-12, atol=1e-12 * np.abs(want).max()
            )


@given(
    n=st.integers(2, 60),
    seed=st.integers(0, 2**32 - 1),
    missing=st.sampled_from([0.0, 0.2]),
    weighted=st.booleans(),
    categories=st.booleans(),
    depth=st.sampled_from([1, 3, None]),
    classes=st.booleans(),
)
def test_trees_by_the_definition(n, seed, missing, weighted, categories, depth, classes):
    rng = np.random.default_rng(seed)
    X, y = sample(n, 4, seed, missing)
    rules = {"max_depth": depth, "random_state": 0}
    if categories:
        X[:, 3] = np.arange(n) % 6
        y += rng.normal(size=6)[np.arange(n) % 6] * 3
        rules["categorical_features"] = [3]
    weights = rng.integers(0, 4, n) + (np.arange(n) < 2) if weighted else None
    if classes:
        model = sf.DecisionTreeClassifier(**rules).fit(X, y > np.median(y), weights)
    else:
        model = sf.DecisionTreeRegressor(**rules).fit(X, y, weights)
    rows = X[:3]
    got = shap_values(model, rows)
    pairs = shap_values(model, rows, interactions=True)
    for i, row in enumerate(rows):
        game = partial(mean_of_tree, model.tree_, row)
        values, twos = values_of_game(game, 4)
        size = np.abs(model.tree_.value).max()
        np.testing.assert_allclose(
            got.values[i].reshape(4, -1), values[:, -got.values[i].size // 4 :], atol=1e-12 * size
        )
        np.testing.assert_allclose(
            pairs.values[i].reshape(4, 4, -1),
            twos[:, :, -got.values[i].size // 4 :],
            atol=1e-12 * size,
        )


@pytest.mark.parametrize("name", [name for name in MODELS if name != "isolation"])
def test_a_background_by_the_definition(name):
    model, X = fit_model(name)
    background = X[100:107]
    got = shap_values(model, X[:2], background)
    pairs = shap_values(model, X[:2], background, interactions=True)
    for i in range(2):
        game = partial(
            mean_of_mixtures, lambda rows: answers_of(model, rows, got.response), X[i], background
        )
        values, twos = values_of_game(game, 5)
        np.testing.assert_allclose(got.values[i], values, atol=1e-12 * np.abs(values).max())
        np.testing.assert_allclose(pairs.values[i], twos, atol=1e-12 * np.abs(values).max())


@pytest.mark.parametrize("name", ["boosting", "class boosting"])
@pytest.mark.parametrize("categories", [False, True])
def test_boosting_by_partial_dependence(name, categories):
    X, y = sample(missing=0.1)
    rules = {"max_iter": 4, "min_samples_leaf": 5, "random_state": 0}
    if categories:
        X[:, 1] = np.arange(len(X)) % 9
        y += np.cos(X[:, 1] * 5) * 3
        rules["categorical_features"] = [1]
    if name == "boosting":
        model = sf.HistGradientBoostingRegressor(**rules).fit(X, y)
    else:
        model = sf.HistGradientBoostingClassifier(**rules).fit(X, np.digitize(y, [-1, 1]))
    got = shap_values(model, X[:3])
    trees = model._boosted.trees
    rows = model._boosted.columns.numbers(X[:3], model)
    for i in range(3):

        def game(subset, row=rows[i : i + 1]):
            total, place = trees.first.copy(), {column: column for column in subset}
            for t, tree in enumerate(trees.trees):
                total[t % len(total)] += tree.dependence(row, place)[0]
            return np.squeeze(total)

        values, _ = values_of_game(game, 5)
        np.testing.assert_allclose(got.values[i], values, atol=1e-12)


def test_columns_again_on_a_path():
    x = np.arange(256.0)[:, None]
    X = np.column_stack([x, x % 16])
    model = sf.DecisionTreeRegressor().fit(X, np.sin(x[:, 0] * 12.9898) * 43)
    assert model.get_depth() > 8
    got = shap_values(model, X[::51])
    for row, found in zip(X[::51], got.values, strict=True):
        values, _ = values_of_game(partial(mean_of_tree, model.tree_, row), 2)
        np.testing.assert_allclose(found, values[:, 0], atol=1e-11)


def test_deep_trees():
    n = 3000
    X = np.eye(n, 40)[:, ::-1] + np.arange(n)[:, None] * (np.arange(40) == 7)
    model = sf.DecisionTreeRegressor().fit(X, 1.5 ** (np.arange(n) % 50) * (np.arange(n) % 7))
    chain = sf.DecisionTreeRegressor().fit(np.arange(400.0)[:, None], 2.0 ** np.arange(400))
    assert chain.get_depth() > 100
    for tree, rows in ((model, X[::37]), (chain, np.arange(0.0, 400, 7)[:, None])):
        want = tree.predict(rows)
        total = total_of(shap_values(tree, rows))
        np.testing.assert_allclose(total, want, atol=1e-12 * np.abs(tree.tree_.value).max())


@pytest.mark.parametrize("jobs", [2, 7])
@pytest.mark.parametrize("background", [False, True])
def test_the_same_bits_for_any_number_of_threads(jobs, background):
    model, X = fit_model("class forest", 700)
    other = X[:30] if background else None
    alone = shap_values(model, X, other, n_jobs=1)
    got = shap_values(model, X, other, n_jobs=jobs)
    np.testing.assert_array_equal(got.values, alone.values)
    part = shap_values(model, X[[5, 690]], other)
    np.testing.assert_array_equal(part.values, alone.values[[5, 690]])


@pytest.mark.parametrize("p", [3, 12, 30, 70])
def test_rows_of_large_trees_in_several_calls(p, monkeypatch):
    """Sums of pieces of a tree are in one order, whichever rows there are; patterns of few and of
    many columns."""
    monkeypatch.setattr(tree_shap, "STEPS_PER_CALL", 2e7)
    X, y = sample(900, p)
    y += X @ np.random.default_rng(1).normal(size=p) * 3
    model = sf.RandomForestRegressor(n_estimators=2, random_state=0).fit(X, y)
    alone = shap_values(model, X, n_jobs=1)
    np.testing.assert_allclose(
        total_of(alone), model.predict(X), atol=1e-12 * np.abs(model.predict(X)).max()
    )
    for jobs in (2, 7):
        np.testing.assert_array_equal(shap_values(model, X, n_jobs=jobs).values, alone.values)
    for part in (slice(1), slice(3, 50), slice(17, 800, 13)):
        np.testing.assert_array_equal(shap_values(model, X[part]).values, alone.values[part])
    pairs = shap_values(model, X[:40], interactions=True)
    np.testing.assert_allclose(pairs.values.sum(axis=2), alone.values[:40], atol=1e-11)


@pytest.mark.parametrize("name", ["forest", "class boosting"])
@pytest.mark.parametrize("pairs", [False, True])
def test_a_background_is_the_mean_of_its_rows(name, pairs):
    """Its rows are taken together, more than a word of bits has."""
    model, X = fit_model(name, missing=0.1)
    background = np.vstack([X[60:180], X[70:80]])
    got = shap_values(model, X[:4], background, interactions=pairs)
    each = [shap_values(model, X[:4], row[None], interactions=pairs) for row in background]
    want = np.mean([explanation.values for explanation in each], axis=0)
    np.testing.assert_allclose(got.values, want, atol=1e-12 * np.abs(want).max())
    base = np.mean([explanation.base_values for explanation in each], axis=0)
    np.testing.assert_allclose(got.base_values, base, rtol=1e-12)


@pytest.mark.parametrize("p", [5, 90])
@pytest.mark.parametrize("background", [None, 70, 600])
def test_rows_alone_have_the_bits_of_many(background, p):
    """Few rows are taken without patterns; long paths have more columns than a pattern has bits."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((700, p))
    model = sf.ExtraTreesRegressor(2, random_state=0).fit(X, X.sum(axis=1))
    other = None if background is None else X[:background]
    many = shap_values(model, X[600:], other)
    for row in (0, 41, 99):
        one = shap_values(model, X[600 + row : 601 + row], other)
        np.testing.assert_array_equal(one.values[0], many.values[row])
    want = model.predict(X[600:])
    np.testing.assert_allclose(total_of(many), want, rtol=1e-12, atol=1e-12 * np.abs(want).max())


def test_a_background_of_several_pieces_is_the_mean_of_them(monkeypatch):
    X, y = sample(400)
    model = sf.RandomForestRegressor(3, random_state=0).fit(X, y)
    want = shap_values(model, X[:40], X, interactions=True)
    monkeypatch.setattr(tree_shap, "MAX_ROWS_OF_BACKGROUND", 64)
    got = shap_values(model, X[:40], X, interactions=True)
    np.testing.assert_allclose(got.values, want.values, rtol=1e-10, atol=1e-13)


def test_a_background_of_large_trees_in_several_calls(monkeypatch):
    X, y = sample(400)
    model = sf.DecisionTreeRegressor(random_state=0).fit(X, y)
    want = shap_values(model, X[:5], X[:70])
    monkeypatch.setattr(tree_shap, "STEPS_PER_CALL", 1e4)
    got = shap_values(model, X[:5], X[:70])
    np.testing.assert_allclose(got.values, want.values, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(total_of(got), model.predict(X[:5]), rtol=1e-12)


def test_random_orders_have_the_same_bits_for_any_number_of_threads():
    X, y = sample(20, 8)
    model = sf.KNeighborsRegressor(3).fit(X, y)
    got = [shap_values(model, X, random_state=0, n_permutations=4, n_jobs=j) for j in (1, 2)]
    np.testing.assert_array_equal(got[0].values, got[1].values)


@pytest.mark.parametrize("form", ["float32", "fortran", "list", "sparse", "read-only"])
def test_containers(form):
    model, X = fit_model("forest")
    X = X[:30].astype(np.float32).astype(float)
    want = shap_values(model, X)
    rows = X.copy()
    if form == "float32":
        rows = X.astype(np.float32)
    elif form == "fortran":
        rows = np.asfortranarray(X)
    elif form == "list":
        rows = X.tolist()
    elif form == "sparse":
        rows = pytest.importorskip("scipy.sparse").csr_matrix(X)
    else:
        rows.flags.writeable = False
    got = shap_values(model, rows)
    np.testing.assert_array_equal(got.values, want.values)
    np.testing.assert_array_equal(got.data, want.data)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(library):
    frames = pytest.importorskip(library)
    X, y = sample(p=3)
    table = dict(zip("abc", X.T, strict=True))
    table["d"] = np.array(["red", "green", "blue"], dtype=object)[np.arange(len(X)) % 3]
    frame = frames.DataFrame(table)
    frame = (
        frame.astype({"d": "category"})
        if library == "pandas"
        else frame.with_columns(frames.col("d").cast(frames.Categorical))
    )
    rules = {"categorical_features": "from_dtype", "random_state": 0}
    model = sf.HistGradientBoostingRegressor(max_iter=5, **rules).fit(frame, y + np.arange(200) % 3)
    got = shap_values(model, frame[:10])
    assert got.feature_names == ["a", "b", "c", "d"]
    assert got.data[0, 3] == "red"
    np.testing.assert_allclose(total_of(got), model.predict(frame[:10]), rtol=1e-12)
    if library == "pandas":
        mixed = shap_values(model, frame[:3], frame[10:20], method="permutation")
        want = shap_values(model, frame[:3], frame[10:20])
        assert (mixed.method, want.method) == ("exact", "tree")
        np.testing.assert_allclose(mixed.values, want.values, atol=1e-12)


def test_weights_count_rows():
    X, y = sample(60)
    weights = np.arange(60) % 3
    rules = {"random_state": 0, "min_samples_leaf": 1}
    weighted = sf.DecisionTreeRegressor(**rules).fit(X, y, weights)
    repeated = sf.DecisionTreeRegressor(**rules).fit(X.repeat(weights, 0), y.repeat(weights))
    scaled = sf.DecisionTreeRegressor(**rules).fit(X, y, 8.0 * weights)
    want = shap_values(weighted, X)
    np.testing.assert_allclose(shap_values(repeated, X).values, want.values, atol=1e-12)
    np.testing.assert_allclose(shap_values(scaled, X).values, want.values, atol=1e-12)


def test_columns_in_another_order():
    X, y = sample(80)
    order = np.array([3, 0, 4, 1, 2])
    model = sf.HistGradientBoostingRegressor(max_iter=3, random_state=0).fit(X, y)
    other = sf.HistGradientBoostingRegressor(max_iter=3, random_state=0).fit(X[:, order], y)
    got = shap_values(other, X[:, order]).values
    np.testing.assert_allclose(got, shap_values(model, X).values[:, order], atol=1e-12)


def test_surrogates():
    X, y = sample(missing=0.2)
    model = sf.DecisionTreeRegressor(missing="surrogate", random_state=0, max_depth=5).fit(X, y)
    got = shap_values(model, X)
    assert got.method == "tree"
    np.testing.assert_allclose(total_of(got), model.predict(X), atol=1e-12)
    assert shap_values(model, X[:2], X[:5]).method == "exact"


def test_several_outputs():
    X, y = sample()
    model = sf.RandomForestRegressor(n_estimators=3, random_state=0).fit(
        X, np.column_stack([y, -y])
    )
    got = shap_values(model, X)
    np.testing.assert_allclose(got.values[:, :, 0], -got.values[:, :, 1], atol=1e-12)
    labels = np.column_stack([y > 0, np.digitize(y, [-1, 1])])
    model = sf.DecisionTreeClassifier(max_depth=4).fit(X, labels)
    got = shap_values(model, X)
    assert got.output_names == ["y0=0", "y0=1", "y1=0", "y1=1", "y1=2"]
    np.testing.assert_allclose(total_of(got), np.hstack(model.predict_proba(X)), atol=1e-12)


def test_a_leaf_alone():
    X, _ = sample()
    for model in (sf.DecisionTreeRegressor(), sf.HistGradientBoostingRegressor(max_iter=2)):
        got = shap_values(model.fit(X, np.full(len(X), 3.0)), X[:3])
        np.testing.assert_array_equal(got.values, np.zeros((3, 5)))
        np.testing.assert_allclose(got.base_values, 3.0)


@pytest.mark.parametrize(
    ("model", "response"),
    [
        (sf.LinearRegression(), "predict"),
        (sf.Ridge(), "predict"),
        (sf.LogisticRegression(C=1.0), "decision_function"),
        (sf.LinearDiscriminantAnalysis(), "decision_function"),
        (sf.PoissonRegressor(), "link"),
    ],
)
def test_linear_models(model, response):
    X, y = sample()
    y = np.abs(y).astype(int) if response == "link" else y
    y = np.digitize(y, [-1, 1]) if response == "decision_function" else y
    model.fit(X, y)
    got = shap_values(model, X)
    assert (got.method, got.response) == ("linear", response)
    want = (X - X.mean(axis=0))[:, :, None] * np.atleast_2d(model.coef_).T
    np.testing.assert_allclose(got.values.reshape(want.shape), want, atol=1e-12)
    answers = model.predict(X, type="link") if response == "link" else getattr(model, response)(X)
    np.testing.assert_allclose(total_of(got), answers, atol=1e-10)
    if response == "predict":
        asked = shap_values(model, X[:3], X, method="permutation")
        np.testing.assert_allclose(asked.values, got.values[:3], atol=1e-10)
        pairs = shap_values(model, X, interactions=True)
        np.testing.assert_array_equal(pairs.values.diagonal(axis1=1, axis2=2), got.values)


def test_random_orders_and_their_errors():
    X, y = sample(100, 9)
    model = sf.GaussianNB().fit(X, y > 0)
    exact = shap_values(model, X[:4], X[:20], n_permutations=30)
    assert (exact.method, exact.standard_errors) == ("exact", None)
    errors = []
    for seed in range(30):
        got = shap_values(model, X[:4], X[:20], n_permutations=6, random_state=seed)
        assert got.method == "permutation"
        np.testing.assert_allclose(total_of(got), model.predict_proba(X[:4]), atol=1e-12)
        errors.append(((got.values - exact.values) / got.standard_errors)[..., 1])
    assert np.mean(np.abs(errors) < 3.0) > 0.9
    assert np.mean(np.abs(errors) < 0.3) < 0.5


def test_names_and_parts():
    model, X = fit_model("class forest")
    got = shap_values(model, X[:10])
    assert got.shape == (10, 5, 3)
    assert len(got) == 10
    assert got.feature_names == ["x0", "x1", "x2", "x3", "x4"]
    assert got.output_names == ["0", "1", "2"]
    one = got[3, :, "2"]
    np.testing.assert_array_equal(one.values, got.values[3, :, 2])
    assert (one.output_names, one.shape, one.base_values) == ("2", (5,), got.base_values[3, 2])
    some = got[..., 1][:, ["x4", "x0"]]
    np.testing.assert_array_equal(some.values, got.values[:, [4, 0], 1])
    np.testing.assert_array_equal(some.data, X[:10, [4, 0]])
    assert some.feature_names == ["x4", "x0"]
    table = got.table()
    assert list(table.columns)[2] == "Mean |value| (1)"
    np.testing.assert_allclose(table[:, 2], np.abs(got.values[..., 1]).mean(axis=0))
    with pytest.raises(IndexError, match="take 3 keys"):
        got[0, 0, 0, 0]
    with pytest.raises(KeyError, match="x9"):
        got[:, "x9"]
    with pytest.raises(AttributeError, match="nothing"):
        _ = got.nothing


def test_an_explanation_of_shap(monkeypatch):
    """It is given what its plots read; ours stays of its own class."""
    model, X = fit_model("forest")
    got = shap_values(model, X[:3])

    class Explanation:
        def __init__(self, values, base_values, data, **more):
            self.__dict__.update(values=values, base_values=base_values, data=data, **more)

    monkeypatch.setitem(sys.modules, "shap", SimpleNamespace(Explanation=Explanation))
    twin = got.to_shap()
    assert type(twin) is Explanation
    assert twin.values is got.values
    assert twin.base_values is got.base_values
    assert twin.feature_names == got.feature_names
    assert not isinstance(got, Explanation)
    assert type(got[1]) is ShapExplanation
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(ImportError, match="needs the library shap"):
        got.to_shap()


@pytest.mark.parametrize("kind", ["HistGradientBoostingRegressor", "DecisionTreeRegressor",
                                  "RandomForestRegressor"])  # fmt: skip
@pytest.mark.parametrize("missing", [False, True])
def test_sparse_rows_have_the_values_of_dense_ones(kind, missing):
    """Of models that were fitted to either, with and without a background."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((200, 6))
    X[rng.random(X.shape) < 0.6] = 0.0
    y = 2.0 * X[:, 0] + X[:, 1] * X[:, 2]
    if missing:
        X[::7, 1] = np.nan
    few = {"random_state": 0}
    few |= {"max_iter": 8, "min_samples_leaf": 5} if kind.startswith("Hist") else {"max_depth": 5}
    few |= {"n_estimators": 5} if kind.startswith("Random") else {}
    dense = getattr(sf, kind)(**few).fit(X, y)
    sparse = getattr(sf, kind)(**few).fit(csr_array(X), y)
    for background in (None, X[20:40]):
        rows = None if background is None else csr_array(background)
        want = shap_values(dense, X[:20], background)
        assert np.abs(want.values).max() > 0.1
        for model in (dense, sparse):
            got = shap_values(model, csr_array(X[:20]), rows)
            np.testing.assert_array_equal(got.values, want.values)
            np.testing.assert_array_equal(got.data, X[:20])


def test_pickles():
    model, X = fit_model("forest")
    got = shap_values(model, X[:3])
    again = pickle.loads(pickle.dumps(got))
    assert type(again) is ShapExplanation
    np.testing.assert_array_equal(again.values, got.values)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"method": "kernel"}, ValueError, "method"),
        ({"response_method": "transform"}, ValueError, "response_method"),
        ({"method": "linear"}, ValueError, "coef_"),
        ({"method": "tree", "response_method": "decision_function"}, ValueError, "sums of trees"),
        ({"background": np.ones((4, 3))}, ValueError, "background"),
        ({"n_permutations": 1}, ValueError, "n_permutations"),
        ({"interactions": "yes"}, TypeError, "interactions"),
        ({"method": "permutation", "interactions": True, "n_permutations": 2}, ValueError, "Set"),
        ({"method": "permutation", "response_method": "predict"}, None, ""),
    ],
)
def test_bad_arguments(arguments, error, message):
    model, X = fit_model("class forest")
    if error is None:
        assert shap_values(model, X[:2], **arguments).response == "predict"
        return
    with pytest.raises(error, match=message):
        shap_values(model, X[:4], **arguments)


def test_bad_rows():
    model, X = fit_model("forest")
    with pytest.raises(ValueError, match="features"):
        shap_values(model, X[:, :3])
    with pytest.raises(ValueError, match="infinity"):
        shap_values(model, np.where(X > 2.0, np.inf, X))
    with pytest.raises(sf.NotFittedError):
        shap_values(sf.RandomForestRegressor(), X)
    names = np.array(["a", "b"])[(X[:, 0] > 0).astype(int)]
    words = sf.KNeighborsClassifier().fit(X, names)
    with pytest.raises(ValueError, match="labels"):
        shap_values(words, X[:3], response_method="predict")


@pytest.mark.parametrize("kind", [sf.Ridge, sf.KNeighborsRegressor])
def test_a_row_is_not_its_own_background(kind):
    X, y = sample(p=3)
    model = kind().fit(X, y)
    with pytest.raises(ValueError, match="Pass rows of the fit as background"):
        shap_values(model, X[:1])
    got = shap_values(model, X[:1], X)
    np.testing.assert_allclose(got.values[0], shap_values(model, X[:2], X).values[0], atol=1e-12)
    assert np.abs(got.values).max() > 0.01


@pytest.mark.parametrize("kind", [sf.Ridge, sf.KNeighborsRegressor, sf.DecisionTreeRegressor])
def test_no_rows_are_refused(kind):
    X, y = sample(p=3)
    model = kind().fit(X, y)
    with pytest.raises(ValueError, match="X has no rows"):
        shap_values(model, X[:0])
    with pytest.raises(ValueError, match="background has no rows"):
        shap_values(model, X[:4], X[:0])


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("kind", [sf.Ridge, sf.KNeighborsRegressor, sf.DecisionTreeRegressor])
def test_a_background_of_other_columns_is_refused(kind, library):
    frames = pytest.importorskip(library)
    X, y = sample(p=3)
    frame = frames.DataFrame(dict(zip("abc", X.T, strict=True)))
    model = kind().fit(frame, y)
    with pytest.raises(ValueError, match="column 0 is 'b', and 'a' in X"):
        shap_values(model, frame[:4], frame[["b", "a", "c"]])
    other = frames.DataFrame(dict(zip("abz", X.T, strict=True)))
    with pytest.raises(ValueError, match="column 2 is 'z', and 'c' in X"):
        shap_values(model, frame[:4], other)


@pytest.mark.parametrize("model", [sf.Ridge, sf.PCA().fit(np.eye(3)), None, len])
def test_what_is_no_model_is_named(model):
    with pytest.raises(TypeError, match=r"^model must be a fitted estimator"):
        shap_values(model, np.eye(3))


def test_rows_of_a_line_beyond_the_range_of_floats_are_refused():
    model = sf.Ridge().fit(np.eye(3), np.arange(3.0))
    with pytest.raises(ValueError, match="X times coef_ leaves the range of floats"):
        shap_values(model, np.full((4, 3), 1e308))


@pytest.mark.parametrize("classes", [False, True])
def test_wide_rows_and_long_paths(classes):
    """Rows share their patterns, or are taken one by one where those have too many bits; many
    columns at once, or those of a subtree alone."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((1500, 60))
    y = X[:, :40].sum(axis=1) + rng.standard_normal(1500)
    kind, target = sf.DecisionTreeRegressor, y
    if classes:
        kind, target = sf.DecisionTreeClassifier, np.digitize(y, [-4, 4])
    model = kind(random_state=0, max_features=1).fit(X, target)
    chain = sf.DecisionTreeRegressor().fit(np.tri(45), 3.0 ** np.arange(45))
    for tree, rows in ((model, X), (chain, np.tri(45))):
        want = answers_of(tree, rows, "predict_proba" if tree is model and classes else "predict")
        got = shap_values(tree, rows)
        size = np.abs(want).max()
        np.testing.assert_allclose(total_of(got), want, atol=1e-12 * size)
        pairs = shap_values(tree, rows[:40], interactions=True)
        np.testing.assert_allclose(
            pairs.values.sum(axis=2), shap_values(tree, rows[:40]).values, atol=1e-12 * size
        )
        alone = np.concatenate([shap_values(tree, rows[i : i + 1]).values for i in range(40)])
        np.testing.assert_array_equal(alone, got.values[:40])
    assert chain.get_depth() > 32


def test_long_paths_by_the_closed_form():
    """Nested intervals of one column each: an answer of a product game, at depth 44."""
    depth = 44
    X, y = np.tri(depth + 1, depth, -1), 3.0 ** np.arange(depth + 1)
    model = sf.DecisionTreeRegressor().fit(X, y)
    tree = model.tree_
    rows = np.random.default_rng(0).integers(0, 2, (6, depth)).astype(float)
    got = shap_values(model, rows)
    t, w = np.polynomial.legendre.leggauss(depth)
    t, w = (t + 1) / 2, w / 2
    for row, values in zip(rows, got.values, strict=True):
        want = np.zeros(depth)
        stack = [(0, {})]
        while stack:  # each leaf by itself: the integral of its product without one factor
            node, factors = stack.pop()
            if tree.children_left[node] < 0:
                for column, (z, o) in factors.items():
                    rest = [f * (1 - t) + p * t for c, (f, p) in factors.items() if c != column]
                    product = np.prod(rest, axis=0) if rest else np.ones_like(t)
                    want[column] += (o - z) * tree.value[node].item() * (w @ product)
                continue
            column, weight = int(tree.feature[node]), tree.weighted_n_node_samples
            for side, follows in (
                (tree.children_left[node], row[column] <= tree.threshold[node]),
                (tree.children_right[node], row[column] > tree.threshold[node]),
            ):
                z, o = factors.get(column, (1.0, 1.0))
                share = weight[side] / weight[node]
                stack.append((side, {**factors, column: (z * share, o * follows)}))
        np.testing.assert_allclose(values, want, atol=1e-12 * np.abs(tree.value).max())
    assert model.get_depth() > 32


@pytest.mark.parametrize("pairs", [False, True])
def test_long_paths_against_a_background(pairs):
    """A path of 80 columns, more than a word has bits, leaf by leaf."""
    depth = 80
    X, y = np.tri(depth + 1, depth, -1), 3.0 ** np.arange(depth + 1)
    model = sf.DecisionTreeRegressor().fit(X, y)
    assert model.get_depth() > 64
    rows = np.tri(depth, depth, -1)[[3, 40, 79]]
    rows[:, ::7] = 1.0 - rows[:, ::7]
    background = np.tri(depth, depth, -1)[[10, 50, 60, 75]]
    got = shap_values(model, rows, background, interactions=pairs)
    tree, want = model.tree_, np.zeros(got.values.shape)
    for row, total in zip(rows, want, strict=True):
        for other in background:
            stack = [(0, set(), set())]
            while stack:  # columns of which the row alone, or the other one alone, takes all ways
                node, asked, absent = stack.pop()
                left, right = tree.children_left[node], tree.children_right[node]
                if left < 0:
                    value = tree.value[node].item() / len(background)
                    add_product(total, sorted(asked), sorted(absent), value, pairs)
                    continue
                column, cut = int(tree.feature[node]), tree.threshold[node]
                ways = [left if x[column] <= cut else right for x in (row, other)]
                if ways[0] == ways[1]:
                    stack.append((ways[0], asked, absent))
                else:  # no column comes again on a path
                    stack.append((ways[0], asked | {column}, absent))
                    stack.append((ways[1], asked, absent | {column}))
    off = 1.0 - np.eye(depth) if pairs else 1.0
    assert np.count_nonzero(want * off) > depth
    np.testing.assert_allclose(got.values * off, want * off, rtol=1e-9)


def add_product(total, asked, absent, value, pairs):
    """Add the game that is `value` if columns are asked about and others are not, or 0."""
    a, b = len(asked), len(absent)
    gain = value * beta(a, b + 1) if asked else 0.0
    loss = value * beta(a + 1, b) if absent else 0.0
    if not pairs:
        total[asked] += gain
        total[absent] -= loss
        return
    for first, second, half in (
        (asked, asked, beta(a - 1, b + 1) / 2 if a > 1 else 0.0),
        (asked, absent, -beta(a, b) / 2 if a and b else 0.0),
        (absent, asked, -beta(a, b) / 2 if a and b else 0.0),
        (absent, absent, beta(a + 1, b - 1) / 2 if b > 1 else 0.0),
    ):
        for i in first:
            for j in second:
                total[i, j] += value * half
