# SPDX-License-Identifier: BSD-3-Clause
"""Columns of categories: the best two sets, categories that are missing or new, tables, texts."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from statfast.tree import export_text, pruning_table, tree_rules
from tests.reference import cart, routes

KINDS = ("gini", "entropy", "error", "squared_error", "poisson")


def make(criterion, **params):
    numbers = criterion in ("squared_error", "absolute_error", "poisson")
    kind = DecisionTreeRegressor if numbers else DecisionTreeClassifier
    return kind(criterion=criterion, **params)


def rows_of_nodes(model, X):
    """The rows that pass each node, by what `split_categories` says."""
    tree = model.tree_
    rows = [np.zeros(0, int)] * tree.node_count
    rows[0] = np.arange(len(X))
    for node in np.flatnonzero(tree.children_left >= 0).tolist():
        x = X[rows[node], tree.feature[node]]
        sets = model.split_categories(node)
        if sets is None:
            known, left = ~np.isnan(x), x <= tree.threshold[node]
        else:
            assert not set(sets[0]) & set(sets[1])
            left = np.isin(x, sets[0])
            known = left | np.isin(x, sets[1])
        left = left | (~known & bool(tree.missing_go_to_left[node]))
        rows[tree.children_left[node]] = rows[node][left]
        rows[tree.children_right[node]] = rows[node][~left]
    return rows


@given(st.integers(0, 10**6), st.sampled_from(["gini", "entropy", "error", "squared_error"]),
       st.booleans(), st.integers(1, 2))  # fmt: skip
def test_sets_are_best_in_exact_fractions(seed, criterion, missing, min_leaf):
    """Two classes and numbers by their order, more classes by all pairs of sets."""
    rng = np.random.default_rng(seed)
    n, K = rng.integers(2, 16), rng.integers(2, 5)
    X = rng.integers(0, 6, (n, 2)).astype(float)
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    y, w = rng.integers(0, K, n), rng.integers(1, 4, n).astype(float)
    if criterion == "squared_error" or len(np.unique(y)) <= 2:
        min_leaf = 1  # the theorem of the order speaks of all sets, not of those allowed
    model = make(criterion, min_samples_leaf=int(min_leaf), categorical_features=[0, 1])
    model.fit(X, y, sample_weight=w)
    tree, rows = model.tree_, rows_of_nodes(model, X)
    weights, targets = cart.fractions_of(w), cart.fractions_of(y)
    np.testing.assert_array_equal(tree.n_node_samples, [len(own) for own in rows])
    for leaf in np.flatnonzero(tree.children_left < 0):
        assert (model.apply(X[rows[leaf]]) == leaf).all()
    for node in np.flatnonzero(tree.children_left >= 0).tolist():
        own = [[values[i] for i in rows[node]] for values in (weights, targets)]
        bests = [routes.best_split_of_categories(criterion, X[rows[node], j], *own, min_leaf)
                 for j in range(2)]  # fmt: skip
        left = sum(
            cart.impurity(criterion, [weights[i] for i in side], [targets[i] for i in side])
            for side in (rows[tree.children_left[node]], rows[tree.children_right[node]])
        )
        assert float(left) == pytest.approx(float(min(b for b in bests if b is not None)), abs=1e-9)


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_many_categories(criterion, outputs):
    """The prefixes of the order of means, or of their first principal component."""
    rng = np.random.default_rng(5)
    n, c, K = 4000, 40, 4
    X = rng.integers(0, c, (n, 1)).astype(float)
    effect = rng.normal(size=(c, 3))
    z = effect[X[:, 0].astype(int)] + rng.normal(size=(n, 3))
    if criterion == "squared_error":
        y = z[:, :outputs]
        means = np.array([y[X[:, 0] == k].mean(axis=0) for k in range(c)])
        channels = y
    else:
        y = np.column_stack([z.argmax(axis=1) + (z.min(axis=1) > 0), z[:, 0] > 0])[:, :outputs]
        y = y.astype(int)
        channels = np.concatenate([np.eye(own.max() + 1)[own] for own in y.T], axis=1)
        means = np.array([channels[X[:, 0] == k].mean(axis=0) for k in range(c)])
    count = np.bincount(X[:, 0].astype(int))
    center = means - count @ means / n
    axis = np.linalg.eigh((center.T * count) @ center)[1][:, -1]
    order = np.argsort(center @ axis, kind="stable")
    sums = np.array([channels[X[:, 0] == k].sum(axis=0) for k in order])
    left, nl = np.cumsum(sums, axis=0)[:-1], np.cumsum(count[order])[:-1]
    total = channels.sum(axis=0)

    def gains(sums, rows):
        if criterion == "entropy":
            part = np.where(sums > 0, sums * np.log2(np.where(sums > 0, sums, 1)), 0).sum(axis=1)
            return part - outputs * rows * np.log2(rows)
        return (sums**2).sum(axis=1) / rows

    best = (gains(left, nl) + gains(total - left, n - nl)).argmax()
    model = make(criterion, max_depth=1, categorical_features=[0])
    model.fit(X, y[:, 0] if outputs == 1 else y)
    got = {frozenset(own) for own in model.split_categories(0)}
    assert got == {frozenset(order[: best + 1].tolist()), frozenset(order[best + 1 :].tolist())}
    assert K == 4


def test_poisson_by_the_order_of_means():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 8, (500, 1)).astype(float)
    y = rng.poisson(np.exp(rng.normal(size=8))[X[:, 0].astype(int)]).astype(float)
    model = make("poisson", max_depth=1, categorical_features=[0]).fit(X, y)

    def left_over(left):
        return sum(
            (y[own] * np.log(np.where(y[own] > 0, y[own], 1) / y[own].mean())).sum()
            for own in (left, ~left)
        )

    left = np.isin(X[:, 0], model.split_categories(0)[0])
    assert left_over(left) == pytest.approx(min(map(left_over, routes.category_splits(X[:, 0]))))


def sample(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 12, n), rng.normal(size=n), rng.integers(0, 5, n)])
    y = (X[:, 0] % 3 == 0).astype(int) + (X[:, 1] > 0.3) + (rng.random(n) < 0.1)
    return X, y.astype(int)


@pytest.mark.parametrize("criterion", KINDS)
def test_same_tree_for_any_threads_dtype_and_layout(criterion):
    X, y = sample(5000)
    model = make(criterion, categorical_features=[0, 2], max_depth=8)
    want = model.fit(X.astype(np.float32), y).tree_
    for rows in (np.asfortranarray(X.astype(np.float32)), X.astype(np.float32).tolist()):
        for jobs in (1, 2, 7):
            got = model.set_params(n_jobs=jobs).fit(rows, y)
            assert got.tree_.threshold.tobytes() == want.threshold.tobytes()
            assert got.tree_.routes.sets.tobytes() == want.routes.sets.tobytes()
            assert got.tree_.value.tobytes() == want.value.tobytes()
    leaves = got.apply(X.astype(np.float32))
    assert (np.bincount(leaves, minlength=want.node_count) == np.where(
        want.children_left < 0, want.n_node_samples, 0)).all()  # fmt: skip


def test_new_and_absent_categories_go_where_missing_values_go():
    X = np.array([[0.0], [0.0], [1.0], [1.0], [1.0], [2.0], [2.0]])
    y = [0, 0, 1, 1, 1, 0, 0]
    model = DecisionTreeClassifier(categorical_features=[0]).fit(X, y)
    assert model.split_categories(0) == ([0.0, 2.0], [1.0])
    assert model.split_categories(1) is None
    assert model.tree_.missing_go_to_left[0] == 1  # none was missing: the larger side
    assert model.predict([[3.0], [np.nan], [-1.0], [0.5], [1e9], [1.0]]).tolist() == [0] * 5 + [1]
    X[3] = np.nan  # now a missing value is a category of its own
    model.fit(X, y)
    assert model.tree_.missing_go_to_left[0] == 0
    assert model.predict([[3.0], [np.nan], [0.0]]).tolist() == [1, 1, 0]
    # A category that the node has not seen, though the root has.
    X = np.array([[0.0, 0], [0, 0], [1, 0], [1, 0], [1, 0], [1, 1], [2, 1], [0, 2], [0, 2]])
    deep = DecisionTreeClassifier(categorical_features=[0, 1])
    deep.fit(X, [0, 0, 1, 1, 1, 2, 2, 3, 3])
    sets = [deep.split_categories(node) for node in range(deep.tree_.node_count)]
    assert min(len(left) + len(right) for left, right in filter(None, sets)) < 3
    assert deep.predict([[2.0, 0.0]])[0] in (0, 1)


def test_tables_and_strings():
    pandas = pytest.importorskip("pandas")
    X, y = sample()
    names = np.array(list("lkjihgfedcba"))
    frame = pandas.DataFrame({"kind": names[X[:, 0].astype(int)], "x": X[:, 1], "size": X[:, 2]})
    frame["kind"] = frame["kind"].astype("category")
    by_dtype = DecisionTreeClassifier(max_depth=4).fit(frame, y)
    assert by_dtype.is_categorical_.tolist() == [True, False, False]
    assert by_dtype.categories_[0].tolist() == sorted(names)
    assert by_dtype.categories_[1] is None
    plain = frame.astype({"kind": object})
    for wanted in (["kind"], [0], [True, False, False]):
        model = DecisionTreeClassifier(max_depth=4, categorical_features=wanted).fit(plain, y)
        np.testing.assert_array_equal(model.predict(frame), by_dtype.predict(plain))
    array = plain.to_numpy(dtype=object)
    model.set_params(categorical_features=[0]).fit(array, y)
    np.testing.assert_array_equal(model.predict(array), by_dtype.predict(plain))
    assert DecisionTreeClassifier(categorical_features=None).fit(X, y).categories_ is None
    with pytest.raises(ValueError, match="column 0, which is not categorical"):
        model.set_params(categorical_features=[1]).fit(plain, y)


@pytest.mark.parametrize("kind", [DecisionTreeRegressor, HistGradientBoostingRegressor])
def test_a_frame_of_any_library_declares_its_categories(kind):
    pandas, polars, arrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    texts, size = list("abcd" * 20), np.arange(80.0)
    y = size + 50.0 * np.isin(texts, ["a", "d"])
    wanted = {"kind": pandas.Categorical(texts), "size": size}
    tables = [
        pandas.DataFrame(wanted),
        polars.DataFrame({"kind": polars.Series(texts, dtype=polars.Categorical), "size": size}),
        arrow.table({"kind": arrow.array(texts).dictionary_encode(), "size": size}),
    ]
    models = [kind().fit(table, y) for table in tables]
    for model in models:
        assert model.is_categorical_.tolist() == [True, False]
        for table in tables:
            np.testing.assert_array_equal(model.predict(table), models[0].predict(tables[0]))


def test_text_rules_and_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({
        "kind": pandas.Categorical(["a", "b", "c", "d"] * 3), "x": np.arange(12.0)
    })  # fmt: skip
    y = [1, 0, 1, 0] * 2 + [1, 5, 1, 0]
    model = DecisionTreeClassifier(max_depth=2).fit(frame, y)
    assert export_text(model) == (
        "|--- kind in {a, c}\n|   |--- class: 1\n|--- kind in {b, d}\n|   |--- x <= 8.00\n"
        "|   |   |--- class: 0\n|   |--- x >  8.00\n|   |   |--- class: 0\n"
    )
    assert tree_rules(model) == [
        "kind in {a, c}: class: 1 (n = 6)",
        "kind in {b, d} and x <= 8: class: 0 (n = 4)",
        "kind in {b, d} and x > 8: class: 0 (n = 2)",
    ]


def test_the_picture_names_categories():
    figure = pytest.importorskip("matplotlib.figure")
    plot = pytest.importorskip("statfast.plot")
    X = np.arange(7.0)[:, None]
    y = [0, 1] * 3 + [0]
    model = DecisionTreeClassifier(max_depth=1, categorical_features=[0]).fit(X, y)
    shown = plot.tree(model, ax=figure.Figure().subplots())
    assert shown.texts[0].split("\n")[0] == "x0 in {0.0, 2.0, 4.0, 6.0}"
    X[6] = np.nan
    model.fit(X, y)
    shown = plot.tree(model, ax=figure.Figure().subplots())
    assert shown.texts[0].split("\n")[:2] == ["x0 in {0.0, 2.0, 4.0}", "missing: yes"]
    many = DecisionTreeClassifier(max_depth=1, categorical_features=[0])
    many.fit(np.arange(20.0)[:, None], np.arange(20) % 2)
    text = plot.tree(many, ax=figure.Figure().subplots()).texts[0]
    assert text.startswith("x0 in {0.0, 2.0, 4.0, \N{HORIZONTAL ELLIPSIS}}")


def test_prunings_best_first_and_pickles():
    X, y = sample()
    full = DecisionTreeClassifier(categorical_features=[0, 2]).fit(X, y)
    small = DecisionTreeClassifier(categorical_features=[0, 2], ccp_alpha=0.005).fit(X, y)
    assert 3 < small.tree_.node_count < full.tree_.node_count
    first = DecisionTreeClassifier(categorical_features=[0, 2], max_leaf_nodes=9).fit(X, y)
    assert first.get_n_leaves() == 9
    for model in (full, small, first):
        tree, rows = model.tree_, rows_of_nodes(model, X)
        np.testing.assert_array_equal(tree.n_node_samples, [len(own) for own in rows])
        for leaf in np.flatnonzero(tree.children_left < 0):
            assert (model.apply(X[rows[leaf]]) == leaf).all()
        again = pickle.loads(pickle.dumps(model))
        assert again.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
        assert again.split_categories(0) == model.split_categories(0)
    table = pruning_table(full, X, y, cv=np.arange(len(y)) % 5)
    assert table.pruned().score(X, y) > 0.8
    assert (table.pruned().categories_[0] == full.categories_[0]).all()


def test_what_is_refused():
    X, y = sample()
    mine = {"categorical_features": [0]}
    with pytest.raises(ValueError, match="criterion='absolute_error' does not go with categories"):
        DecisionTreeRegressor(criterion="absolute_error", **mine).fit(X, y)
    with pytest.raises(ValueError, match="monotonic_cst must be 0 for columns of categories"):
        DecisionTreeRegressor(monotonic_cst=[1, 0, 0], **mine).fit(X, y)
    many = np.arange(1500.0)[:, None]
    with pytest.raises(ValueError, match="1500 categories, more than the most that trees take"):
        DecisionTreeRegressor(**mine).fit(many, many[:, 0])
    with pytest.raises(ValueError, match="infinity"):
        DecisionTreeRegressor(**mine).fit(np.where(X < -1, np.inf, X), y)
    with pytest.raises(ValueError, match="node must be between 0"):
        DecisionTreeClassifier(**mine).fit(X, y).split_categories(10**6)


@pytest.mark.parametrize("kind", ["tree", "forest", "boosting"])
def test_columns_in_another_order_are_called_so(kind):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"k": pd.Categorical(rng.choice(list("abc"), 60)), "x": rng.normal(size=60)})
    y = rng.normal(size=60)
    model = {
        "tree": DecisionTreeRegressor(),
        "forest": RandomForestRegressor(3),
        "boosting": HistGradientBoostingRegressor(max_iter=2),
    }[kind].fit(X, y)
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(X[["x", "k"]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- z"):
        model.predict(X.rename(columns={"x": "z"}))
    with pytest.warns(UserWarning, match="valid feature names"):
        model.predict(X.to_numpy(dtype=object))
    unnamed = type(model)(**{**model.get_params(), "categorical_features": [0]})
    unnamed.fit(X.to_numpy(dtype=object), y)
    with pytest.raises(ValueError, match="X has 3 features"):
        unnamed.predict(np.c_[X.to_numpy(dtype=object), y.astype(object)])
    with pytest.raises(ValueError, match="X has 1 features"):
        unnamed.predict(X.to_numpy(dtype=object)[:, :1])
    if kind == "boosting":
        with pytest.raises(ValueError, match="X_val must have the columns of X in the same order"):
            model.fit(X, y, X_val=X[["x", "k"]], y_val=y)
