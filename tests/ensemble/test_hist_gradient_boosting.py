# SPDX-License-Identifier: BSD-3-Clause
"""Gradient boosting on histograms: a slow twin, scikit-learn's answers, and what is promised."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._engine import blocks
from statfast.ensemble import HistGradientBoostingClassifier as Classifier
from statfast.ensemble import HistGradientBoostingRegressor as Regressor
from statfast.ensemble.boosting.early_stopping import hold_out
from tests.reference import boosting as twin


def sample(n=1500, seed=0, missing=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    X[rng.random(X.shape) < missing] = np.nan
    X[:, 5] = rng.integers(0, 8, n)
    clean = np.nan_to_num(X)
    y = clean[:, 0] * clean[:, 1] + np.sin(2 * clean[:, 2]) + 0.5 * (X[:, 5] % 3)
    return X, y + 0.5 * rng.normal(size=n), rng.random(n) + 0.1


# ------------------------------------------------------------------ the slow twin
@given(
    seed=st.integers(0, 10**6),
    signs=st.sampled_from([None, (1, 0, -1)]),
    l2=st.sampled_from([0, 2]),
)
def test_one_tree_is_the_best_of_all_splits(seed, signs, l2):
    rng = np.random.default_rng(seed)
    n = 60
    codes = rng.integers(0, 6, (n, 3))
    X = codes.astype(float)
    lost = rng.random(X.shape) < 0.2
    lost[:, 0] = False
    X[lost] = np.nan
    y = rng.normal(size=n) + codes[:, 0]
    w = rng.random(n) + 0.5
    model = Regressor(
        max_iter=1, max_leaf_nodes=6, min_samples_leaf=5, learning_rate=1.0, l2_regularization=l2,
        monotonic_cst=signs,
    ).fit(X, y, w)  # fmt: skip
    first = np.average(y, weights=w)
    want = twin.grow(
        np.where(lost, 255, codes), w * (first - y), w, max_leaf_nodes=6, min_samples_leaf=5,
        l2=l2, monotone=signs,
    )  # fmt: skip
    np.testing.assert_allclose(model.predict(X) - first, want, rtol=1e-7, atol=1e-9)


# ------------------------------------------------------------------ scikit-learn's answers
RULES = [
    {},
    {"max_leaf_nodes": None, "max_depth": 5},
    {"l2_regularization": 2.0, "min_samples_leaf": 3},
    {"max_bins": 11},
    {"monotonic_cst": [1, -1, 0, 0, 0, 0]},
    {"interaction_cst": [{0, 1}, {2, 3, 4}]},
    {"interaction_cst": "no_interactions"},
    {"categorical_features": [5]},
]


@pytest.mark.once
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_regression_is_scikit_learns(rules):
    """With weights of rows and large leaves, so that no two splits are equally good."""
    twins = pytest.importorskip("sklearn.ensemble")
    X, y, w = sample()
    kept = {"min_samples_leaf": 30, **rules, "max_iter": 25}
    want = twins.HistGradientBoostingRegressor(**kept).fit(X, y, w).predict(X)
    np.testing.assert_allclose(Regressor(**kept).fit(X, y, w).predict(X), want, atol=1e-5)


@pytest.mark.once
@pytest.mark.parametrize("loss", ["absolute_error", "quantile", "poisson", "gamma"])
def test_losses_are_scikit_learns(loss):
    twins = pytest.importorskip("sklearn.ensemble")
    X, y, w = sample(3000)
    y = np.exp(y / 2) if loss in ("poisson", "gamma") else y
    level = {"quantile": 0.3} if loss == "quantile" else {}
    made = [
        cls(loss, **level, max_iter=12, min_samples_leaf=60)
        for cls in (Regressor, twins.HistGradientBoostingRegressor)
    ]
    ours, theirs = (model.fit(X, y, w).predict(X) for model in made)
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize(
    ("n_classes", "rules"), [(2, {}), (2, {"class_weight": {0: 2.0, 1: 0.5}}), (4, {})]
)
def test_classification_is_scikit_learns(n_classes, rules):
    twins = pytest.importorskip("sklearn.ensemble")
    X, y, w = sample()
    labels = np.digitize(y, [0.3, 1.0, 1.5][: n_classes - 1])
    kept = {**rules, "max_iter": 12, "min_samples_leaf": 60}
    theirs = twins.HistGradientBoostingClassifier(**kept).fit(X, labels, w)
    ours = Classifier(**kept).fit(X, labels, w)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.999
    assert ours.n_trees_per_iteration_ == theirs.n_trees_per_iteration_


def test_many_rows_are_scikit_learns():
    """More rows than a part of a step has."""
    twins = pytest.importorskip("sklearn.ensemble")
    X, y, w = sample(60_000, missing=0.0)
    rules = {"max_iter": 3, "max_leaf_nodes": 60, "early_stopping": False}
    want = twins.HistGradientBoostingRegressor(**rules).fit(X, y, w).predict(X)
    np.testing.assert_allclose(Regressor(**rules).fit(X, y, w).predict(X), want, atol=1e-4)


# ------------------------------------------------------------------ sums without an order
@pytest.fixture(scope="module")
def large():
    X, y, _ = sample(50_000)
    return X, y > 0.4


@pytest.mark.parametrize("n_jobs", [2, 7])
def test_same_bits_for_any_number_of_threads(large, n_jobs, monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    rules = {"max_iter": 4, "max_leaf_nodes": 80, "random_state": 0}
    one = Classifier(**rules, n_jobs=1).fit(*large).decision_function(large[0])
    other = Classifier(**rules, n_jobs=n_jobs).fit(*large).decision_function(large[0])
    assert one.tobytes() == other.tobytes()


def test_the_order_of_rows_changes_no_bit(large):
    X, y = large
    order = np.random.default_rng(1).permutation(len(y))
    rules = {"max_iter": 3, "max_leaf_nodes": 40, "early_stopping": False}
    one = Classifier(**rules).fit(X, y).decision_function(X)
    other = Classifier(**rules).fit(X[order], y[order]).decision_function(X)
    assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("p", [7, 8, 9, 15, 20, 24, 28, 47, 64, 65, 130])
def test_constant_columns_change_no_bit(large, p):
    """Columns are summed in groups of up to 8, whose number and width depend on how many there
    are; the rows are so many that some nodes are summed in parts, and others in batches."""
    X, y = large[0][:9000], large[1][:9000]
    wide = np.ones((len(X), p))
    wide[:, np.linspace(0, p - 1, X.shape[1]).astype(int)] = X
    rules = {"max_iter": 3, "max_leaf_nodes": 40, "early_stopping": False}
    one = Classifier(**rules).fit(X, y).decision_function(X)
    assert one.tobytes() == Classifier(**rules).fit(wide, y).decision_function(wide).tobytes()


def test_more_columns_than_a_step_has_parts():
    """65 528 columns are 8191 planes, and a step has 4095 parts."""
    rng = np.random.default_rng(0)
    X = np.zeros((60, 65_528))
    X[:, [0, 40_000, -1]] = rng.standard_normal((60, 3))
    y = X[:, 0] + 2 * X[:, 40_000] + 4 * X[:, -1]
    rules = {"max_iter": 2, "max_leaf_nodes": 3, "min_samples_leaf": 5, "early_stopping": False}
    few = X[:, [0, 40_000, -1]]
    known = Regressor(**rules).fit(few, y).predict(few)
    assert known.tobytes() == Regressor(**rules).fit(X, y).predict(X).tobytes()


def test_any_scale_of_targets():
    X, y, w = sample(400)
    model = Regressor(max_iter=5).fit(X, y, w)
    want, shares = model.predict(X), model.feature_importances_
    for factor in (1e-290, 1e290):
        for heavy in (1e-90, 1e5):
            got = model.fit(X, y * factor, w * heavy).predict(X) / factor
            np.testing.assert_allclose(got, want, atol=1e-6)
            np.testing.assert_allclose(model.feature_importances_, shares, atol=1e-6)


def test_gradients_that_overflow_are_refused():
    X, _, w = sample(400)
    with pytest.raises(ValueError, match=r"^y, or sample_weight"):
        Regressor().fit(X, np.where(np.arange(400) % 4, -1.7e308, 1.7e308), w * 1e99)


# ------------------------------------------------------------------ rules
def test_monotone_predictions():
    X, y, _ = sample(missing=0.0)
    model = Regressor(monotonic_cst={"c0": 1, "c1": -1})
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(6)])
    model.fit(frame, y)
    for column, sign in (("c0", 1), ("c1", -1)):
        for row in (3, 70, 500):
            line = frame.iloc[[row] * 200].copy()
            line[column] = np.linspace(-3, 3, 200)
            steps = np.diff(model.predict(line)) * sign
            assert steps.min() >= 0.0
            assert steps.max() >= 0.0


def test_interactions_that_are_not_allowed_do_not_happen():
    X, y, _ = sample()
    model = Regressor(interaction_cst=[{0, 1}, {1, 2}]).fit(X, y)
    seen = set()
    for tree in model._boosted.trees.trees:
        column = tree.steps["column"] & np.uint32((1 << 30) - 1)
        paths = {0: frozenset()}
        for k in range(len(column)):
            path = paths[k]
            if not tree.is_leaf[k]:
                path = path | {int(column[k])}
                left = int(tree.steps["left"][k])
                paths[left] = paths[left + 1] = path
            seen.add(path)
    assert frozenset({0, 1}) in seen
    assert all(path <= {0, 1} or path <= {1, 2} or path <= {3, 4, 5} for path in seen)


def test_columns_drawn_for_each_node():
    X, y, _ = sample()
    drawn = [Regressor(max_features=0.3, random_state=s).fit(X, y).predict(X) for s in (0, 0, 1)]
    assert drawn[0].tobytes() == drawn[1].tobytes()
    assert not np.array_equal(drawn[0], drawn[2])
    one = Regressor(max_features=1e-9, max_leaf_nodes=2, max_iter=40, random_state=0).fit(X, y)
    roots = {int(t.steps["column"][0] & ((1 << 30) - 1)) for t in one._boosted.trees.trees}
    assert len(roots) >= 5


def test_importances():
    X, y, _ = sample(missing=0.0)
    shares = Regressor(max_iter=30).fit(X, y).feature_importances_
    assert shares.sum() == pytest.approx(1.0)
    assert set(np.argsort(shares)[-2:]) <= {0, 1, 2}
    assert shares[3] < 0.1


# ------------------------------------------------------------------ missing values, categories
def test_missing_values_go_where_they_gain():
    X = np.array([[0.0]] * 30 + [[1.0]] * 30 + [[np.nan]] * 30)
    y = np.repeat([0.0, 1.0, 1.0], 30)
    model = Regressor(max_iter=1, learning_rate=1.0, max_leaf_nodes=2).fit(X, y)
    np.testing.assert_allclose(model.predict([[0.0], [1.0], [np.nan]]), [0, 1, 1], atol=1e-9)
    alone = Regressor(max_iter=1, learning_rate=1.0, max_leaf_nodes=2).fit(
        X, np.repeat([0.0, 0.0, 1.0], 30)
    )
    np.testing.assert_allclose(alone.predict([[0.0], [np.inf], [np.nan]]), [0, 0, 1], atol=1e-9)


def test_missing_values_that_come_later_go_with_most_rows():
    X = np.repeat([[0.0], [1.0]], [70, 30], axis=0)
    model = Regressor(max_iter=1, learning_rate=1.0).fit(X, X[:, 0])
    np.testing.assert_allclose(model.predict([[np.nan]]), [0.0], atol=1e-9)


@pytest.mark.parametrize("m", [1, 15, 16, 17, 300])
def test_rows_go_down_alike_whatever_is_beside_them(m):
    X, y, _ = sample(missing=0.05)
    model = Regressor(max_iter=20).fit(X, y)
    whole = X[~np.isnan(X).any(axis=1)][:m]
    alone = model.predict(whole)
    beside = model.predict(np.vstack([whole, np.full((1, X.shape[1]), np.nan)]))
    np.testing.assert_array_equal(beside[:-1], alone)
    np.testing.assert_array_equal([model.predict(row[None])[0] for row in whole[:20]], alone[:20])
    np.testing.assert_array_equal(list(model.staged_predict(whole))[-1], alone)
    by_hand = model._boosted.trees.first[0] + np.zeros(len(whole))
    for own in model._boosted.trees.trees:
        for i, x in enumerate(whole):
            node = 0
            while not own.is_leaf[node]:
                step = own.steps[node]
                right = x[step["column"] & np.uint32((1 << 30) - 1)] > step["threshold"]
                node = int(step["left"]) + int(right)
            by_hand[i] += own.values[node]
    np.testing.assert_array_equal(by_hand, alone)


def test_a_column_of_missing_values_changes_nothing():
    X, y, _ = sample()
    more = np.column_stack([X, np.full(len(X), np.nan)])
    want = Regressor(max_iter=5).fit(X, y).predict(X)
    assert Regressor(max_iter=5).fit(more, y).predict(more).tobytes() == want.tobytes()


def test_categories_of_a_table():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    kind = rng.choice(list("abcdef"), 900)
    X = pd.DataFrame({"kind": pd.Categorical(kind), "x": rng.normal(size=900)})
    y = np.isin(kind, ["b", "e"]) * 5.0
    model = Regressor(max_iter=1, learning_rate=1.0, max_leaf_nodes=2).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-6)  # one split, by the set {b, e}
    assert model.is_categorical_.tolist() == [True, False]
    unseen = X.iloc[:2].assign(kind=pd.Categorical(["z", None]))
    common = model.predict(X[~np.isin(kind, ["b", "e"])].iloc[:1])
    np.testing.assert_array_equal(model.predict(unseen), common.repeat(2))
    by_name = Regressor(
        max_iter=1, learning_rate=1.0, max_leaf_nodes=2, categorical_features=["kind"]
    )
    plain = X.assign(kind=kind)
    np.testing.assert_array_equal(by_name.fit(plain, y).predict(plain), model.predict(X))
    with pytest.raises(ValueError, match="names 'size'"):
        by_name.set_params(categorical_features=["size"]).fit(plain, y)
    with pytest.raises(ValueError, match="encode it"):
        Regressor(categorical_features=None).fit(plain, y)


def test_too_many_categories():
    X = np.arange(300.0)[:, None]
    with pytest.raises(ValueError, match=r"300 categories, more than max_bins \(255\)"):
        Regressor(categorical_features=[0]).fit(X, X[:, 0])


# ------------------------------------------------------------------ rounds
def test_early_stopping_ends_when_scores_do_not_improve():
    X, y, _ = sample(missing=0.0)
    rules = {"max_iter": 400, "early_stopping": True, "learning_rate": 0.3, "random_state": 0}
    model = Regressor(**rules).fit(X, y)
    scores = model.validation_score_
    assert len(scores) == len(model.train_score_) == model.n_iter_ + 1 < 401
    assert model.do_early_stopping_
    assert max(scores[-10:]) <= scores[-11] + 1e-7
    again = Regressor(**rules, scoring="neg_mean_squared_error").fit(X, y)
    np.testing.assert_allclose(again.validation_score_, 2 * scores, rtol=1e-9)
    unbounded = Regressor(**{**rules, "max_iter": 30}, validation_fraction=None).fit(X, y)
    assert unbounded.n_iter_ == 30  # the rows of the fit improve with each round
    assert len(unbounded.validation_score_) == 0


def test_scores_of_given_rows():
    X, y, w = sample(missing=0.0)
    label, new = y > 0.4, slice(1000, None)
    model = Classifier(max_iter=10, scoring="accuracy").fit(
        X[:1000], label[:1000], X_val=X[new], y_val=label[new], sample_weight_val=w[new]
    )
    assert model.do_early_stopping_
    assert model.validation_score_[-1] == pytest.approx(model.score(X[new], label[new], w[new]))
    ranked = Classifier(max_iter=10, scoring="roc_auc").fit(
        X[:1000], label[:1000], X_val=X[new], y_val=label[new]
    )
    shares = ranked.predict_proba(X[new])[:, 1]
    pairs = shares[label[new]][:, None] - shares[~label[new]]
    assert ranked.validation_score_[-1] == pytest.approx(((pairs > 0) + (pairs == 0) / 2).mean())
    said = Classifier(max_iter=10, scoring=lambda m, X, y: m.score(X, y)).fit(
        X[:1000], label[:1000], X_val=X[new], y_val=label[new]
    )
    plain = Classifier(max_iter=10, scoring=None).fit(
        X[:1000], label[:1000], X_val=X[new], y_val=label[new]
    )
    np.testing.assert_allclose(said.validation_score_, plain.validation_score_, rtol=1e-12)
    with pytest.raises(ValueError, match="early_stopping is False"):
        Classifier(early_stopping=False).fit(X, label, X_val=X, y_val=label)
    with pytest.raises(ValueError, match="y_val"):
        Classifier().fit(X, label, X_val=X)
    with pytest.raises(ValueError, match="X_val"):
        Classifier().fit(X, label, y_val=label)


def test_rows_held_out_are_spread_over_the_classes():
    y = np.repeat([0.0, 1.0, 2.0], [800, 199, 1])
    fitted, held = hold_out(y, 1000, 0.1, True, np.random.default_rng(0))
    assert len(fitted) + len(held) == 1000
    assert not set(fitted) & set(held)
    assert np.abs(np.bincount(y[held].astype(int), minlength=3) - [80, 20, 0]).max() <= 1
    with pytest.raises(ValueError, match="validation_fraction leaves no rows"):
        hold_out(y, 1000, 1000, True, np.random.default_rng(0))


def test_a_warm_start_goes_on():
    X, y, _ = sample()
    for cls, target in ((Regressor, y), (Classifier, np.digitize(y, [0, 1]))):
        rules = {"max_features": 0.5, "random_state": 3, "early_stopping": True, "tol": 0.0}
        whole = cls(max_iter=12, **rules).fit(X, target)
        model = cls(max_iter=5, warm_start=True, **rules).fit(X, target)
        model.set_params(max_iter=12).fit(X, target)
        assert model.predict(X).tobytes() == whole.predict(X).tobytes()
        np.testing.assert_array_equal(model.validation_score_, whole.validation_score_)
        with pytest.raises(ValueError, match=r"max_iter must be at least the rounds done already"):
            model.set_params(max_iter=2).fit(X, target)


def test_stages_end_in_the_prediction():
    X, y, _ = sample()
    model = Classifier(max_iter=7).fit(X, np.digitize(y, [0, 1]))
    for stage in ("predict", "predict_proba", "decision_function"):
        stages = list(getattr(model, f"staged_{stage}")(X))
        assert len(stages) == 7
        np.testing.assert_array_equal(stages[-1], getattr(model, stage)(X))
    regressor = Regressor(max_iter=7).fit(X, y)
    errors = [np.mean((said - y) ** 2) for said in regressor.staged_predict(X)]
    assert (np.diff(errors) < 0).all()


# ------------------------------------------------------------------ losses
@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_the_loss_falls_with_each_round(loss):
    X, y, _ = sample()
    label = y > 0.4
    model = Classifier(loss, max_iter=20, early_stopping=True, validation_fraction=None).fit(
        X, label
    )
    assert (np.diff(model.train_score_) > 0).all()
    raw = model.decision_function(X)
    sign = np.where(label, 1, -1)
    want = np.exp(-sign * raw) if loss == "exponential" else np.logaddexp(0, -sign * raw)
    assert model.train_score_[-1] == pytest.approx(-want.mean())


def test_exponential_loss_is_half_the_log_odds():
    """A stump on one binary column is, in the end, the observed log-odds of its two values."""
    X = np.repeat([[0.0], [0.0], [1.0], [1.0]], [80, 20, 30, 70], axis=0)
    y = np.repeat([0, 1, 0, 1], [80, 20, 30, 70])
    model = Classifier("exponential", max_iter=200).fit(X, y)
    want = np.log([20 / 80, 70 / 30])
    np.testing.assert_allclose(2 * model.decision_function([[0.0], [1.0]]), want, atol=1e-6)
    np.testing.assert_allclose(model.predict_proba([[0.0], [1.0]])[:, 1], [0.2, 0.7], atol=1e-6)
    with pytest.raises(ValueError, match="for two classes"):
        Classifier("exponential").fit(X, np.arange(200) % 3)


def test_domains_of_losses():
    X, y, _ = sample(200)
    with pytest.raises(ValueError, match=r"^y must be positive for loss='gamma'"):
        Regressor("gamma").fit(X, y)
    with pytest.raises(ValueError, match=r"^y must be non-negative"):
        Regressor("poisson").fit(X, y)
    with pytest.raises(ValueError, match=r"^quantile must be given"):
        Regressor("quantile").fit(X, y)


def test_one_class_is_predicted_for_all():
    X, _, _ = sample(100)
    model = Classifier().fit(X, np.full(100, "ash"))
    assert set(model.predict(X)) == {"ash"}
    assert model.predict_proba(X).tolist() == [[1.0]] * 100
    assert model.n_iter_ == 0


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"monotonic_cst": [1, 0]}, "one of -1, 0 and 1 for each column"),
        ({"monotonic_cst": [2, 0, 0, 0, 0, 0]}, "must be -1, 0 or 1"),
        ({"monotonic_cst": [1] * 6, "categorical_features": [5]}, "categorical"),
        ({"interaction_cst": [{0, 9}]}, "column 9"),
        ({"categorical_features": [True]}, "one flag for each column"),
        ({"max_bins": 256}, "max_bins must be"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes must be"),
        ({"scoring": "nonsense"}, "scoring must be"),
        ({"validation_fraction": 1.0, "early_stopping": True}, "validation_fraction must be"),
    ],
    ids=str,
)
def test_rules_refused(rules, words):
    X, y, _ = sample(200)
    with pytest.raises(ValueError, match=words):
        Regressor(**rules).fit(X, y)


def test_no_warning_of_numpy():
    X, y, _ = sample(300)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Classifier(max_iter=300, min_samples_leaf=1).fit(X, y > 0).predict_proba(X)


@pytest.mark.parametrize(("loss", "q"), [("absolute_error", 0.5), ("quantile", 0.9)])
def test_scores_of_rounds_are_their_definitions(loss, q):
    X, y, w = sample()
    more = {"quantile": q} if loss == "quantile" else {}
    model = Regressor(loss, max_iter=5, early_stopping=True, validation_fraction=None, **more)
    model.fit(X, y, sample_weight=w)
    apart = y - model.predict(X)
    losses = np.abs(apart) if loss == "absolute_error" else apart * (q - (apart < 0))
    assert model.train_score_[-1] == pytest.approx(-np.average(losses, weights=w))


def test_a_score_of_rounds_sees_the_labels():
    X, y, _ = sample(missing=0.0)
    label = np.where(y > 0.4, "yes", "no")
    model = Classifier(max_iter=5, scoring="accuracy").fit(
        X[:1000], label[:1000], X_val=X[1000:], y_val=label[1000:]
    )
    assert model.validation_score_[-1] == model.score(X[1000:], label[1000:])
    asked = Classifier(max_iter=5, scoring=lambda model, X, y: np.mean(model.predict(X) == y))
    asked.fit(X[:1000], label[:1000], X_val=X[1000:], y_val=label[1000:])
    np.testing.assert_allclose(asked.validation_score_, model.validation_score_)


def test_importances_count_columns_whose_missing_values_go_left():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 1] > 0, 1.0, -1.0)
    X[y < 0, 1] = np.where(rng.random((y < 0).sum()) < 0.5, np.nan, X[y < 0, 1])
    found = Regressor(max_iter=3).fit(X, y).feature_importances_
    assert found.argmax() == 1
    assert found.sum() == pytest.approx(1.0)


def test_gamma_targets_are_positive():
    with pytest.raises(ValueError, match="y must be positive"):
        Regressor("gamma").fit(np.arange(4.0)[:, None], [0.0, 1.0, 2.0, 3.0])
