# SPDX-License-Identifier: BSD-3-Clause
"""AdaBoost: the toy of its authors, scikit-learn's answers, exact stumps, bounds and margins."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast._engine import blocks
from statfast._validation import FitFailedWarning
from statfast.datasets import load_iris
from statfast.ensemble import AdaBoostClassifier, AdaBoostRegressor
from statfast.ensemble.adaboost.stumps import StumpRounds
from statfast.linear import LogisticRegression
from statfast.svm import SVC, LinearSVC
from statfast.tree import DecisionTreeClassifier, DecisionTreeRegressor


def sample(n=1500, k=2, seed=0, p=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).astype(np.float32).astype(float)
    y = X[:, 0] + X[:, 1] ** 2 - 0.5 * X[:, 2] + 0.5 * rng.normal(size=n)
    return X, np.digitize(y, np.quantile(y, np.arange(1, k) / k))


# ------------------------------------------------------------------ known answers
def test_votes_of_the_toy():
    """Errors 3/10, 3/14 and 3/22: each stump errs on three points that the others get right."""
    member = Sequence([[0, 1, 2], [3, 4, 5], [6, 7, 8]])
    y = np.array([0, 1] * 5)
    X = np.arange(10.0)[:, None]
    model = AdaBoostClassifier(member, n_estimators=3, random_state=0)
    Sequence.turn, Sequence.truth = 0, y
    model.fit(X, y)
    np.testing.assert_allclose(model.estimator_errors_, [3 / 10, 3 / 14, 3 / 22], rtol=1e-12)
    np.testing.assert_allclose(model.alphas_.round(5), [0.42365, 0.64964, 0.92290], atol=1.1e-5)
    assert model.training_errors_[-1] == 0.0
    want = [2 * np.sqrt(e * (1 - e)) for e in (3 / 10, 3 / 14, 3 / 22)]
    np.testing.assert_allclose(model.error_bounds_, np.cumprod(want), rtol=1e-12)


def test_stumps_of_the_toy():
    """Ten points that three stumps part, with the same errors."""
    X = np.array([[4, 6, 2, 7, 3, 5, 9, 0, 8, 1], [2, 9, 3, 6, 0, 4, 8, 7, 5, 1]], float).T
    stump = DecisionTreeClassifier(max_depth=1, criterion="error")
    model = AdaBoostClassifier(stump, n_estimators=3).fit(X, np.tile([1, 0], 5))
    np.testing.assert_allclose(model.estimator_errors_, [3 / 10, 3 / 14, 3 / 22], rtol=1e-12)
    assert model.training_errors_[-1] == 0.0


class Sequence:
    """A classifier that errs on given rows, others with each fit."""

    turn, truth = 0, None

    def __init__(self, wrong):
        self.wrong = wrong

    def get_params(self, deep=True):
        return {"wrong": self.wrong}

    def fit(self, X, y, sample_weight=None):
        self.at = Sequence.turn
        Sequence.turn += 1
        return self

    def predict(self, X):
        rows = X[:, 0].astype(int)
        return np.where(np.isin(rows, self.wrong[self.at]), 1 - self.truth[rows], self.truth[rows])


# ------------------------------------------------------------------ stumps
@given(
    seed=st.integers(0, 10**6), k=st.integers(2, 5), n=st.sampled_from([30, 700]),
    criterion=st.sampled_from(["gini", "error"]),
)  # fmt: skip
def test_a_stump_is_the_best_of_all_splits(seed, k, n, criterion):
    """In fractions, on few values, and on more of them than a column has codes."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (n, 2)).astype(float) if n < 100 else rng.normal(size=(n, 2))
    label = rng.integers(0, k, n).astype(np.int32)
    weight = rng.integers(0, 6, n).astype(float)
    weight[0] = 1.0
    rounds = StumpRounds(X, label, np.arange(k), DecisionTreeClassifier(criterion=criterion), 1)
    j, rank, tree, _, error = rounds.find(weight / weight.sum())
    best = max(
        (score(X[:, c] <= cut, label, weight, k, criterion), -c, -cut)
        for c in range(2)
        for cut in np.unique(X[weight > 0, c])
    )
    if best[0] < 0:
        assert rank == -1
        return
    goes = X[:, j] <= tree.threshold[0]
    got = score(goes, label, weight, k, criterion)
    assert abs(float(got - best[0])) <= 1e-9 * float(best[0])
    said = np.array([tree.value[1 if left else 2, 0].argmax() for left in goes])
    assert error == pytest.approx(weight[said != label].sum() / weight.sum(), abs=1e-9)


def score(goes, label, weight, k, criterion):
    total = Fraction(0)
    for side in (goes, ~goes):
        mass = [Fraction(float(weight[side & (label == c)].sum())) for c in range(k)]
        if sum(mass) == 0:
            return Fraction(-1)
        total += max(mass) if criterion == "error" else sum(m * m for m in mass) / sum(mass)
    return total


def test_stumps_are_those_of_trees():
    X, y = sample(3000, 3)
    quick = AdaBoostClassifier(n_estimators=12).fit(X, y)
    trees = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=1, min_samples_leaf=2), n_estimators=12
    )
    trees.fit(X, y)  # not the quick way, with a rule that changes no split here
    for a, b in zip(quick.estimators_, trees.estimators_, strict=True):
        assert a.tree_.feature.tolist() == b.tree_.feature.tolist()
        np.testing.assert_array_equal(a.tree_.threshold, b.tree_.threshold)
        np.testing.assert_allclose(a.tree_.value, b.tree_.value, rtol=1e-9)
        np.testing.assert_allclose(a.tree_.impurity, b.tree_.impurity, rtol=1e-9)
        np.testing.assert_array_equal(a.tree_.n_node_samples, b.tree_.n_node_samples)
    np.testing.assert_allclose(quick.training_errors_, trees.training_errors_, atol=1e-12)
    np.testing.assert_allclose(quick.feature_importances_, trees.feature_importances_, rtol=1e-9)


def test_wide_ranks():
    """More distinct values than 16 bits hold."""
    X, y = sample(70_000, p=3)
    X = X + 1e-9 * np.arange(70_000)[:, None]
    model = AdaBoostClassifier(n_estimators=2).fit(X, y)
    tree = DecisionTreeClassifier(max_depth=1).fit(X, y)
    np.testing.assert_array_equal(model.estimators_[0].tree_.threshold, tree.tree_.threshold)


@pytest.mark.parametrize("n_jobs", [2, 7])
def test_same_bits_for_any_number_of_threads(n_jobs, monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    X, y = sample(40_000, 3)
    one = AdaBoostClassifier(n_estimators=5, n_jobs=1).fit(X, y)
    other = AdaBoostClassifier(n_estimators=5, n_jobs=n_jobs).fit(X, y)
    assert one.decision_function(X).tobytes() == other.decision_function(X).tobytes()


# ------------------------------------------------------------------ scikit-learn's answers
@pytest.mark.parametrize("k", [2, 3, 5])
def test_classes_are_scikit_learns(k):
    twins = pytest.importorskip("sklearn.ensemble")
    X, y = sample(2000, k)
    w = np.random.default_rng(1).random(2000) + 0.1
    for rate in (1.0, 0.3):
        theirs = twins.AdaBoostClassifier(n_estimators=15, learning_rate=rate).fit(X, y, w)
        ours = AdaBoostClassifier(n_estimators=15, learning_rate=rate).fit(X, y, w)
        np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
        np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-9)
        for name in ("decision_function", "predict_proba", "predict"):
            np.testing.assert_allclose(getattr(ours, name)(X), getattr(theirs, name)(X), atol=1e-9)
        np.testing.assert_allclose(
            ours.feature_importances_, theirs.feature_importances_, atol=1e-9
        )
        stages = zip(ours.staged_score(X, y), theirs.staged_score(X, y), strict=True)
        assert all(a == pytest.approx(b, abs=1e-12) for a, b in stages)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_a_regression_is_a_weighted_median(loss):
    X, _ = sample(400)
    y = X[:, 0] ** 2 + X[:, 1]
    model = AdaBoostRegressor(loss=loss, n_estimators=9, random_state=0).fit(X, y)
    said = np.array([member.predict(X) for member in model.estimators_])
    for i in (0, 7, 200):
        order = np.argsort(said[:, i])
        votes = np.cumsum(model.estimator_weights_[order])
        want = said[order[np.searchsorted(votes, votes[-1] / 2)], i]
        assert model.predict(X[i : i + 1])[0] == pytest.approx(want)
    assert model.score(X, y) > 0.8
    stages = list(model.staged_predict(X))
    np.testing.assert_array_equal(stages[-1], model.predict(X))
    assert len(list(model.staged_score(X, y))) == len(model.estimators_)
    errors, w = model.estimator_errors_, model.estimator_weights_
    np.testing.assert_allclose(w, np.log((1 - errors) / errors))


def test_a_perfect_member_ends_it():
    X = np.arange(10.0)[:, None]
    model = AdaBoostClassifier().fit(X, X[:, 0] > 4)
    assert len(model.estimators_) == 1
    assert model.training_errors_.tolist() == [0.0]
    regressor = AdaBoostRegressor(DecisionTreeRegressor(), random_state=0).fit(X, np.ones(10))
    assert len(regressor.estimators_) == 1
    assert regressor.estimator_weights_.tolist() == [1.0]


# ------------------------------------------------------------------ what is promised
@pytest.mark.parametrize("base", [None, DecisionTreeClassifier(max_depth=2), LogisticRegression()])
@pytest.mark.parametrize("method", ["reweight", "resample"])
def test_errors_stay_below_their_bound(base, method):
    X, y = sample(600)
    model = AdaBoostClassifier(base, n_estimators=10, method=method, random_state=0).fit(X, y)
    assert (model.training_errors_ <= model.error_bounds_ + 1e-12).all()
    assert model.training_errors_[-1] == pytest.approx(1.0 - model.score(X, y))
    margins = model.margins(X, y)
    assert ((margins > 0) == (model.predict(X) == y)).all()
    assert (np.abs(margins) <= 1.0 + 1e-12).all()
    np.testing.assert_allclose(model.margins(X, 1 - y), -margins, atol=1e-12)


def test_resampling_needs_no_weights():
    class Plain:
        def get_params(self, deep=True):
            return {}

        def fit(self, X, y):
            self.means = np.array([X[y == c].mean(axis=0) for c in (0, 1)])
            return self

        def predict(self, X):
            return ((X[:, None] - self.means) ** 2).sum(axis=2).argmin(axis=1)

    X, y = sample(400)
    with pytest.raises(TypeError, match=r"^estimator must take sample_weight"):
        AdaBoostClassifier(Plain()).fit(X, y)
    model = AdaBoostClassifier(Plain(), method="resample", n_estimators=5, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.6
    again = AdaBoostClassifier(Plain(), method="resample", n_estimators=5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.estimator_weights_, again.estimator_weights_)


def test_worse_than_chance_is_refused():
    X = np.array([[0.0], [0.0]] * 10)
    with pytest.raises(ValueError, match="better than chance"):
        AdaBoostClassifier().fit(X, [0, 1] * 10)
    with pytest.raises(TypeError, match=r"^estimator must have fit and predict"):
        AdaBoostClassifier(DecisionTreeClassifier).fit(X, [0, 1] * 10)


def test_missing_values_take_the_way_of_trees():
    X, y = sample(500)
    X[::7, 0] = np.nan
    model = AdaBoostClassifier(n_estimators=5).fit(X, y)
    assert model.score(X, y) > 0.7
    with pytest.raises(ValueError, match="infinity"):
        AdaBoostClassifier().fit(np.where(np.isnan(X), np.inf, X), y)


def test_rows_without_weight_stay_out():
    X, y = sample(600)
    w = (np.arange(600) % 3 > 0).astype(float)
    model = AdaBoostClassifier(n_estimators=6).fit(X, y, w)
    without = AdaBoostClassifier(n_estimators=6).fit(X[w > 0], y[w > 0])
    np.testing.assert_allclose(model.decision_function(X), without.decision_function(X), atol=1e-9)
    for a, b in zip(model.estimators_, without.estimators_, strict=True):
        np.testing.assert_array_equal(a.tree_.threshold, b.tree_.threshold)
        np.testing.assert_array_equal(a.tree_.n_node_samples, b.tree_.n_node_samples)


class Recorder(DecisionTreeClassifier):
    """A tree that remembers the weights it was fitted to."""

    def fit(self, X, y, sample_weight=None):
        self.fit_weights = sample_weight
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("method", ["reweight", "resample"])
def test_members_are_given_weights_that_sum_to_the_rows_with_weight(method):
    X, y = sample(90, k=3)
    for times in (1.0, 1e-6, 1e6):
        member = Recorder(max_depth=1, criterion="entropy")
        model = AdaBoostClassifier(member, n_estimators=4, method=method, random_state=0)
        model.fit(X, y, times * (np.arange(90) % 3))
        totals = [member.fit_weights.sum() for member in model.estimators_]
        np.testing.assert_allclose(totals, 60.0, rtol=1e-12)
        if method == "resample":
            assert all(
                (member.fit_weights == np.floor(member.fit_weights)).all()
                for member in model.estimators_
            )


@pytest.mark.parametrize("method", ["reweight", "resample"])
@pytest.mark.parametrize("member", [SVC(), LinearSVC(), LogisticRegression(C=1.0)])
def test_members_that_are_regularized_learn(member, method):
    iris = load_iris()
    X = (iris.data - iris.data.mean(axis=0)) / iris.data.std(axis=0)
    alone = type(member)(**member.get_params()).fit(X, iris.target).score(X, iris.target)
    model = AdaBoostClassifier(member, n_estimators=5, method=method, random_state=0)
    assert model.fit(X, iris.target).score(X, iris.target) > alone - 0.05


@pytest.mark.parametrize("cls", [AdaBoostClassifier, AdaBoostRegressor])
def test_rows_without_weight_are_not_drawn_and_count_as_none(cls):
    X, y = sample(90)
    w, kept = np.arange(90) % 3 * 1.0, np.arange(90) % 3 > 0
    more = {"method": "resample"} if cls is AdaBoostClassifier else {}
    drawn = cls(n_estimators=4, random_state=0, **more).fit(X, y, w)
    alone = cls(n_estimators=4, random_state=0, **more).fit(X[kept], y[kept], w[kept])
    np.testing.assert_allclose(drawn.estimator_weights_, alone.estimator_weights_, rtol=1e-12)
    np.testing.assert_array_equal(drawn.predict(X), alone.predict(X))


def test_margins_of_labels_of_another_type():
    X, y = np.arange(6.0)[:, None], np.array([False, False, True, True, False, True])
    model = AdaBoostClassifier(n_estimators=2).fit(X, y)
    assert (model.margins(X, ["no"] * 6) < 0.0).all()


@pytest.mark.parametrize("kind", [AdaBoostClassifier, AdaBoostRegressor])
def test_estimator_is_what_members_are_copies_of(kind):
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = kind(n_estimators=2, random_state=0).fit(X, np.arange(40) % 2)
    assert not model.estimator_.__sklearn_is_fitted__()
    assert model.estimator_.max_depth == (1 if kind is AdaBoostClassifier else 3)
    assert type(model.estimators_[0]) is type(model.estimator_)
    own = model.estimator_.__class__(max_depth=2)
    model = kind(own, n_estimators=2, random_state=0).fit(X, np.arange(40) % 2)
    assert model.estimator_ is not own
    assert model.estimator_.max_depth == 2


class _Tires:
    """Mixin: a member that can be fitted so often, and then no more."""

    fits_to_come = 3

    def fit(self, X, y, sample_weight=None):
        type(self).fits_to_come -= 1
        if type(self).fits_to_come < 0:
            raise ValueError("the weights suit me no more.")
        return super().fit(X, y, sample_weight)


class _TiringClassifier(_Tires, DecisionTreeClassifier):
    pass


class _TiringRegressor(_Tires, DecisionTreeRegressor):
    pass


@pytest.mark.parametrize("kind", ["reweight", "resample", "regression"])
def test_members_before_one_that_cannot_be_fitted_are_kept(kind, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + rng.normal(size=80)
    if kind == "regression":
        make, member = AdaBoostRegressor, _TiringRegressor(max_depth=2)
    else:
        y = (y > 0).astype(int)
        make, member = (
            lambda *a, **m: AdaBoostClassifier(*a, method=kind, **m),
            _TiringClassifier(max_depth=2),
        )

    def fitted(n_fits, n_rounds):
        monkeypatch.setattr(type(member), "fits_to_come", n_fits)
        return make(member, n_estimators=n_rounds, random_state=0).fit(X, y)

    with pytest.warns(FitFailedWarning, match="ends after 3 of 10 rounds.*suit me no more"):
        short = fitted(3, 10)
    whole = fitted(3, 3)
    assert len(short.estimators_) == 3
    assert np.array_equal(short.estimator_weights_, whole.estimator_weights_)
    assert np.array_equal(short.predict(X), whole.predict(X))
    with pytest.raises(ValueError, match="suit me no more"):
        fitted(0, 10)


def test_errors_of_members_keep_their_digits():
    # Where targets lie far from zero, float32 has none of them.
    X = np.arange(40.0)[:, None]
    y = np.round(np.sin(X[:, 0]), 3)
    errors = [
        AdaBoostRegressor(DecisionTreeRegressor(max_depth=3), n_estimators=4, random_state=0)
        .fit(X, y + shift)
        .estimator_errors_
        for shift in (0.0, 1e9)
    ]
    np.testing.assert_allclose(errors[1], errors[0], rtol=1e-4)


def test_rates_beyond_the_range_of_weights_are_refused():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    with pytest.raises(ValueError, match="learning_rate must leave weights of rows finite"):
        AdaBoostClassifier(learning_rate=1e6).fit(X, y)
