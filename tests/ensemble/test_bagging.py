# SPDX-License-Identifier: BSD-3-Clause
"""Bagging: what is drawn, means and votes, rows left out, and why voting works."""

from math import comb

import numpy as np
import pytest
from scipy import sparse

from statfast.ensemble import BaggingClassifier, BaggingRegressor, majority_error
from statfast.linear import LinearRegression, LogisticRegression
from statfast.neighbors import KNeighborsClassifier
from statfast.tree import DecisionTreeClassifier, DecisionTreeRegressor


def sample(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    y = X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.normal(size=n)
    return X, y, np.array(["ash", "elm", "oak"])[np.digitize(y, [0, 1])]


def test_members_are_fits_to_what_was_drawn():
    X, y, labels = sample()
    model = BaggingClassifier(n_estimators=4, max_features=0.6, max_samples=100, random_state=1)
    model.fit(X, labels)
    codes = np.searchsorted(model.classes_, labels)
    shares = np.zeros((300, 3))
    for rows, columns in zip(model.estimators_samples_, model.estimators_features_, strict=True):
        assert len(rows) == 100
        assert len(set(columns)) == 3
        member = DecisionTreeClassifier().fit(X[rows][:, columns], codes[rows])
        shares += member.predict_proba(X[:, columns])
    np.testing.assert_allclose(model.predict_proba(X), shares / 4)
    regressor = BaggingRegressor(LinearRegression(), n_estimators=4, random_state=1).fit(X, y)
    said = [LinearRegression().fit(X[r], y[r]).predict(X) for r in regressor.estimators_samples_]
    np.testing.assert_allclose(regressor.predict(X), np.mean(said, axis=0), rtol=1e-9)


def test_share_of_rows_in_a_bootstrap():
    X, y, _ = sample(2000)
    model = BaggingRegressor(LinearRegression(), n_estimators=20, random_state=0).fit(X, y)
    share = np.mean([len(np.unique(rows)) / 2000 for rows in model.estimators_samples_])
    assert share == pytest.approx(1 - (1 - 1 / 2000) ** 2000, abs=0.005)
    whole = BaggingRegressor(LinearRegression(), n_estimators=2, bootstrap=False).fit(X, y)
    assert all(len(np.unique(rows)) == 2000 for rows in whole.estimators_samples_)


@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix", "coo_array", "bsr_array"])
@pytest.mark.parametrize("dtype", [object, "S3", "M8[s]"])
def test_sparse_rows_that_are_no_numbers(kind, dtype):
    S = getattr(sparse, kind)(np.eye(12))
    S.data = S.data.astype(int).astype(dtype)
    model = BaggingClassifier(LogisticRegression(), n_estimators=2, max_features=0.5)
    with pytest.raises(TypeError, match="X must hold numbers; got dtype"):
        model.fit(S, np.arange(12) % 2)


def test_rows_left_out():
    X, y, labels = sample()
    model = BaggingClassifier(n_estimators=30, oob_score=True, random_state=0).fit(X, labels)
    shares, counts = np.zeros((300, 3)), np.zeros(300)
    for member, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(300), rows)
        shares[out] += member.predict_proba(X[out])
        counts[out] += 1
    np.testing.assert_allclose(model.oob_decision_function_, shares / counts[:, None])
    right = model.classes_[shares.argmax(axis=1)] == labels
    assert model.oob_score_ == pytest.approx(right.mean())
    with pytest.warns(UserWarning, match="never left out"):
        few = BaggingRegressor(n_estimators=2, oob_score=True, random_state=0).fit(X, y)
    never = np.isnan(few.oob_prediction_)
    drawn = [np.isin(np.arange(300), rows) for rows in few.estimators_samples_]
    np.testing.assert_array_equal(never, drawn[0] & drawn[1])
    known = ~never
    left = ((y[known] - few.oob_prediction_[known]) ** 2).sum()
    want = 1 - left / ((y[known] - y[known].mean()) ** 2).sum()
    assert few.oob_score_ == pytest.approx(want)
    with pytest.raises(ValueError, match="oob_score is of rows left out"):
        BaggingRegressor(bootstrap=False, oob_score=True).fit(X, y)


def test_a_warm_start_ends_where_one_fit_does():
    X, y, _ = sample()
    whole = BaggingRegressor(n_estimators=7, random_state=3).fit(X, y)
    model = BaggingRegressor(n_estimators=3, random_state=3, warm_start=True).fit(X, y)
    first = model.estimators_[0]
    model.set_params(n_estimators=7).fit(X, y)
    assert model.estimators_[0] is first
    assert model.predict(X).tobytes() == whole.predict(X).tobytes()
    with pytest.raises(ValueError, match="n_estimators must be at least"):
        model.set_params(n_estimators=2).fit(X, y)


def test_votes_of_members_without_probabilities():
    class Nearest:
        def get_params(self, deep=True):
            return {}

        def fit(self, X, y):
            self.model = KNeighborsClassifier(1).fit(X, y)
            return self

        def predict(self, X):
            return self.model.predict(X)

    X, _, labels = sample()
    model = BaggingClassifier(Nearest(), n_estimators=5, random_state=0).fit(X, labels)
    votes = model.predict_proba(X) * 5
    np.testing.assert_allclose(votes, np.rint(votes), atol=1e-12)
    assert model.score(X, labels) > 0.85


@pytest.mark.parametrize("n_classes", [2, 3])
def test_decisions_are_the_mean_of_those_of_members(n_classes):
    X, y, labels = sample()
    labels = labels if n_classes == 3 else np.where(y > 0, "ash", "elm")
    base = LogisticRegression(C=1.0)
    models = [
        BaggingClassifier(base, 7, max_features=0.6, random_state=0, n_jobs=jobs).fit(X, labels)
        for jobs in (1, 2, 7)
    ]
    model, X = models[0], X.astype(np.float32).astype(float)
    pairs = zip(model.estimators_, model.estimators_features_, strict=True)
    want = np.mean([member.decision_function(X[:, columns]) for member, columns in pairs], axis=0)
    assert want.shape == ((300,) if n_classes == 2 else (300, 3))
    np.testing.assert_allclose(model.decision_function(X), want, rtol=1e-12, atol=1e-12)
    for other in models:
        for rows in (X, np.asfortranarray(X), X[::-1][::-1]):
            np.testing.assert_array_equal(other.decision_function(rows), model.decision_function(X))
    narrow = model.decision_function(X.astype(np.float32))  # linear models answer in its precision
    np.testing.assert_allclose(narrow, want, atol=1e-5)


def test_decisions_where_the_estimator_has_them():
    X, _, labels = sample(60)
    linear = BaggingClassifier(LogisticRegression(C=1.0), max_samples=8, random_state=0)
    assert hasattr(linear, "decision_function")
    for without in (BaggingClassifier(), BaggingClassifier().fit(X, labels)):
        with pytest.raises(AttributeError, match="DecisionTreeClassifier has none"):
            without.decision_function(X)
    with pytest.raises(ValueError, match="not fitted"):
        linear.decision_function(X)
    labels[1:] = np.where(labels[1:] == "oak", "elm", labels[1:])
    labels[0] = "oak"
    with pytest.raises(ValueError, match="members that know all 3 classes; one has seen 2"):
        linear.fit(X, labels).decision_function(X)


@pytest.mark.parametrize("kind", [BaggingClassifier, BaggingRegressor])
def test_members_know_the_names_of_their_columns(kind, recwarn):
    pandas = pytest.importorskip("pandas")
    X, y, labels = sample()
    frame = pandas.DataFrame(X, columns=list("vwxyz"))
    model = kind(n_estimators=4, max_features=3, oob_score=False, random_state=0)
    model.fit(frame, labels if kind is BaggingClassifier else y)
    said = model.predict(frame)
    assert not recwarn.list
    for member, columns in zip(model.estimators_, model.estimators_features_, strict=True):
        names = frame.columns[columns]
        assert list(member.feature_names_in_) == list(names)
        assert member.predict(frame[names]).shape == said.shape
    assert not recwarn.list
    theirs = pytest.importorskip("sklearn.tree")
    estimator = getattr(theirs, kind.__name__.replace("Bagging", "DecisionTree"))()
    model = kind(estimator, n_estimators=2).fit(frame, y > 0)
    assert list(model.estimators_[0].feature_names_in_) == list("vwxyz")
    assert model.predict(frame).shape == (300,)
    assert not recwarn.list


def test_weights_are_chances():
    X, y, _ = sample()
    w = (np.arange(300) < 40).astype(float)
    model = BaggingRegressor(n_estimators=5, random_state=0).fit(X, y, w)
    assert all(rows.max() < 40 for rows in model.estimators_samples_)
    assert all(len(rows) == 40 for rows in model.estimators_samples_)  # those of weight 0 are none
    half = BaggingRegressor(max_samples=0.5, random_state=0).fit(X, y, w)
    assert len(half.estimators_samples_[0]) == 20


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6, 1e99])
def test_a_share_of_the_samples_does_not_know_the_unit_of_the_weights(unit):
    X, y, _ = sample()
    w = unit * (1.0 + np.arange(300) % 3)
    model = BaggingRegressor(n_estimators=3, max_samples=0.5, random_state=0).fit(X, y, w)
    assert all(len(rows) == 150 for rows in model.estimators_samples_)


def test_classes_that_a_member_has_not_seen():
    X, _, labels = sample(40)
    labels[:] = "elm"
    labels[0] = "ash"
    model = BaggingClassifier(LogisticRegression(C=1.0), n_estimators=3, max_samples=39)
    model.set_params(estimator=DecisionTreeClassifier(), bootstrap=True, random_state=0)
    shares = model.fit(X, labels).predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_the_same_for_any_number_of_threads():
    X, y, _ = sample()
    said = [BaggingRegressor(random_state=0, n_jobs=j).fit(X, y).predict(X) for j in (1, 2, 7)]
    assert said[0].tobytes() == said[1].tobytes() == said[2].tobytes()


def test_several_outputs():
    X, y, _ = sample()
    both = np.column_stack([y, -y])
    model = BaggingRegressor(DecisionTreeRegressor(max_depth=3), random_state=0).fit(X, both)
    assert model.predict(X).shape == (300, 2)
    assert model.score(X, both) > 0.6


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"max_samples": 301, "bootstrap": False}, "max_samples must be at most"),
        ({"max_features": 6}, "max_features must be"),
        ({"max_samples": 1.5}, "max_samples must be"),
    ],
)
def test_rules_refused(rules, words):
    X, y, _ = sample()
    with pytest.raises(ValueError, match=words):
        BaggingRegressor(**rules).fit(X, y)


def test_samples_beyond_memory_are_refused():
    X, y, _ = sample()
    with pytest.raises((MemoryError, ValueError), match="max_samples"):
        BaggingRegressor(max_samples=2**62).fit(X, y, np.ones(len(y)))


@pytest.mark.parametrize("voters", [1, 2, 3, 10, 21])
def test_majority_error_is_the_binomial_tail(voters):
    for p in (0.0, 0.3, 0.5, 0.9, 1.0):
        term = [comb(voters, k) * p**k * (1 - p) ** (voters - k) for k in range(voters + 1)]
        want = sum(t for k, t in enumerate(term) if 2 * k > voters)
        want += sum(t for k, t in enumerate(term) if 2 * k == voters) / 2
        assert majority_error(voters, p) == pytest.approx(want, abs=1e-14)
    np.testing.assert_allclose(majority_error(3, [0.1, 0.2]), [0.028, 0.104])
    with pytest.raises(ValueError, match=r"^p must be between 0 and 1"):
        majority_error(voters, 1.1)
    with pytest.raises(TypeError, match=r"^p must be"):
        majority_error(voters, "half")


def test_sums_that_overflow():
    class Huge:
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.full(len(X), 1.5e308)

    model = BaggingRegressor(Huge(), n_estimators=3).fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match="estimator predicts numbers so large that their sum"):
        model.predict([[0.5]])


def test_members_that_predict_no_class():
    class Odd:
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.full(len(X), 9)

    model = BaggingClassifier(Odd(), n_estimators=2).fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(ValueError, match="estimator must predict one of the 2 classes"):
        model.predict([[0.5]])


def test_scores_of_rows_left_out_of_any_size():
    X, y, _ = sample()
    scores = [
        BaggingRegressor(LinearRegression(), 40, oob_score=True, random_state=0)
        .fit(X, y * scale)
        .oob_score_
        for scale in (1.0, 2.0**400, 2.0**-600)
    ]
    assert scores[1] == pytest.approx(scores[0])
    assert scores[2] == pytest.approx(scores[0])


@pytest.mark.parametrize("cls", [BaggingClassifier, BaggingRegressor])
def test_no_row_is_left_out(cls):
    model = cls(n_estimators=3, oob_score=True, random_state=0)
    with pytest.warns(UserWarning, match="never left out") as seen:
        model.fit(np.arange(4.0)[:, None], [0, 1, 0, 1], sample_weight=[1.0, 0.0, 0.0, 0.0])
    assert len(seen) == 1
    assert np.isnan(model.oob_score_)


@pytest.mark.parametrize("name", ["fit", "predict"])
def test_a_member_has_fit_and_predict(name):
    class Half:
        pass

    setattr(Half, name, lambda self, *rows: self)
    with pytest.raises(TypeError, match="must have fit and predict"):
        BaggingClassifier(estimator=Half()).fit([[0.0], [1.0]], [0, 1])
