# SPDX-License-Identifier: BSD-3-Clause
"""Thresholds that are fixed, and those that cross-validation finds: definition, peers, refusals."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import statfast as sf
from statfast.metrics import balanced_accuracy_score, choose_threshold, f1_score
from tests.reference import thresholds as twin

NAMES = np.array(["no", "yes"])


def sample(seed=0, n=80, share=0.3):
    rng = np.random.default_rng(seed)
    codes = (np.arange(n) < share * n).astype(int)
    X = rng.normal(size=(n, 2)) + 0.9 * codes[:, None]
    order = rng.permutation(n)
    return X[order], codes[order]


@given(
    seed=st.integers(0, 10**6), threshold=st.sampled_from([0.1, 0.5, 0.9]), first=st.booleans(),
    decisions=st.booleans(),
)  # fmt: skip
def test_a_fixed_threshold_is_that_of_the_definition(seed, threshold, first, decisions):
    X, codes = sample(seed)
    y = NAMES[codes]
    method = "decision_function" if decisions else "auto"
    model = sf.FixedThresholdClassifier(
        sf.LinearDiscriminantAnalysis(), threshold=threshold, response_method=method,
        pos_label="no" if first else None,
    ).fit(X, y)  # fmt: skip
    plain = sf.LinearDiscriminantAnalysis().fit(X, y)
    scores = plain.decision_function(X) if decisions else plain.predict_proba(X)[:, 1]
    if first:
        scores = -scores if decisions else plain.predict_proba(X)[:, 0]
    expected = np.where(scores >= threshold, *(NAMES if first else NAMES[::-1]))
    np.testing.assert_array_equal(model.predict(X), expected)
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))


def test_default_thresholds_are_those_of_the_estimator():
    X, y = sample()
    lda, machine = sf.LinearDiscriminantAnalysis(), sf.LinearSVC(random_state=0)
    for estimator in (lda, machine):
        model = sf.FixedThresholdClassifier(estimator).fit(X, y)
        np.testing.assert_array_equal(model.predict(X), estimator.fit(X, y).predict(X))
    assert not hasattr(sf.FixedThresholdClassifier(machine), "predict_proba")
    assert not hasattr(sf.FixedThresholdClassifier(sf.GaussianNB()), "decision_function")


@given(seed=st.integers(0, 10**6), n_thresholds=st.sampled_from([5, 40]), names=st.booleans())
def test_the_tuned_threshold_is_that_of_the_definition(seed, n_thresholds, names):
    X, codes = sample(seed)
    classes = NAMES if names else np.array([0, 1])
    y, pairs = classes[codes], list(sf.StratifiedKFold(4).split(X, codes))
    model = sf.TunedThresholdClassifierCV(
        sf.LinearDiscriminantAnalysis(), cv=4, thresholds=n_thresholds, store_cv_results=True
    ).fit(X, y)
    held = twin.scores_of_folds(sf.LinearDiscriminantAnalysis(), X, y, pairs, "predict_proba")
    cuts, values = twin.interpolated(held, balanced_accuracy_score, classes, n_thresholds)
    np.testing.assert_allclose(model.cv_results_["thresholds"], cuts, rtol=1e-8)
    # Between two thresholds a row may change sides by rounding.
    assert (np.abs(model.cv_results_["scores"] - values) < 1e-6).mean() > 0.9
    assert model.best_score_ == model.cv_results_["scores"].max()
    assert model.best_threshold_ == cuts[values.argmax()] or values.max() - values[
        np.abs(cuts - model.best_threshold_).argmin()
    ] == pytest.approx(0.0, abs=1e-6)
    assert model.strategy_ == "merged statistics"
    shares = sf.LinearDiscriminantAnalysis().fit(X, y).predict_proba(X)[:, 1]
    np.testing.assert_array_equal(
        model.predict(X), np.where(shares >= model.best_threshold_, classes[1], classes[0])
    )


@given(seed=st.integers(0, 10**6), cost=st.sampled_from([(1.0, 1.0), (1.0, 7.0), (4.0, 1.0)]))
def test_a_criterion_tries_all_cuts(seed, cost):
    X, y = sample(seed)
    pairs = list(sf.StratifiedKFold(5).split(X, y))
    model = sf.TunedThresholdClassifierCV(
        sf.GaussianNB(), criterion="cost", cost=cost
    ).fit(X, y)  # fmt: skip
    held = twin.scores_of_folds(sf.GaussianNB(), X, y, pairs, "predict_proba")
    assert model.best_threshold_ == pytest.approx(twin.cheapest(held, [0, 1], cost), rel=1e-9)
    point = choose_threshold(
        np.concatenate([h[0] for h in held]), np.concatenate([h[1] for h in held]), "cost",
        cost=cost,
    )  # fmt: skip
    assert model.best_score_ == pytest.approx(point.value, rel=1e-9)


@pytest.mark.parametrize("cv", [None, 3, 0.3])
@pytest.mark.parametrize("scoring", ["balanced_accuracy", "f1", "neg_brier_score", "accuracy"])
@pytest.mark.parametrize("response", ["auto", "decision_function"])
def test_the_tuned_threshold_is_that_of_scikit_learn(cv, scoring, response):
    selection = pytest.importorskip("sklearn.model_selection")
    from sklearn.linear_model import LogisticRegression

    if scoring == "neg_brier_score":
        with pytest.raises(ValueError, match="scoring must be a score of predicted labels"):
            sf.TunedThresholdClassifierCV(LogisticRegression(), scoring=scoring).fit(*sample())
        return
    X, y = sample(4)
    for thresholds in (30, [0.2, 0.4, 0.9]):
        settings = {
            "scoring": scoring, "cv": cv, "thresholds": thresholds, "random_state": 0,
            "store_cv_results": True, "response_method": response,
        }  # fmt: skip
        ours = sf.TunedThresholdClassifierCV(LogisticRegression(), **settings).fit(X, y)
        peer = selection.TunedThresholdClassifierCV(LogisticRegression(), **settings).fit(X, y)
        assert ours.best_threshold_ == pytest.approx(peer.best_threshold_, rel=1e-12)
        assert ours.best_score_ == pytest.approx(peer.best_score_, rel=1e-12)
        for key in ("thresholds", "scores"):
            np.testing.assert_allclose(ours.cv_results_[key], peer.cv_results_[key], rtol=1e-12)
        np.testing.assert_array_equal(ours.predict(X), peer.predict(X))


def test_what_is_kept_without_a_refit():
    X, y = sample()
    nb = sf.GaussianNB().fit(X[:40], y[:40])
    model = sf.TunedThresholdClassifierCV(nb, cv="prefit", refit=False).fit(X[40:], y[40:])
    assert model.estimator_ is nb
    assert model.strategy_ == "prefit"
    share = sf.TunedThresholdClassifierCV(sf.GaussianNB(), cv=0.25, refit=False, random_state=3)
    ((train, _),) = sf.StratifiedShuffleSplit(1, test_size=0.25, random_state=3).split(X, y)
    np.testing.assert_array_equal(
        share.fit(X, y).predict_proba(X), sf.GaussianNB().fit(X[train], y[train]).predict_proba(X)
    )
    with pytest.raises(ValueError, match="refit must be False with cv='prefit'"):
        sf.TunedThresholdClassifierCV(nb, cv="prefit").fit(X, y)
    with pytest.raises(ValueError, match="refit must be True where cv has several folds"):
        sf.TunedThresholdClassifierCV(nb, cv=3, refit=False).fit(X, y)


def test_scores_of_the_users_and_positive_labels():
    X, codes = sample()
    y = NAMES[codes]

    def right(estimator, X, y):
        return f1_score(y, estimator.predict(X), pos_label="yes")

    by_function = sf.TunedThresholdClassifierCV(sf.GaussianNB(), scoring=right).fit(X, y)
    by_name = sf.TunedThresholdClassifierCV(sf.GaussianNB(), scoring="f1", pos_label="yes")
    assert by_function.best_threshold_ == by_name.fit(X, y).best_threshold_
    first = sf.TunedThresholdClassifierCV(sf.GaussianNB(), scoring="f1", pos_label="no").fit(X, y)
    assert set(first.predict(X)) <= {"no", "yes"}
    shares = sf.GaussianNB().fit(X, y).predict_proba(X)[:, 0]
    expected = np.where(shares >= first.best_threshold_, "no", "yes")
    np.testing.assert_array_equal(first.predict(X), expected)
    with pytest.raises(ValueError, match="pos_label='maybe' is not a valid label"):
        sf.TunedThresholdClassifierCV(sf.GaussianNB(), pos_label="maybe").fit(X, y)
    with pytest.raises(ValueError, match="pos_label='maybe' is not a valid label"):
        sf.FixedThresholdClassifier(sf.GaussianNB(), pos_label="maybe").fit(X, y)


@pytest.mark.parametrize("criterion", [None, "youden", "accuracy"])
def test_weights_are_repeated_rows(criterion):
    X, y = sample(n=60)
    times = np.arange(60) % 3
    fold = np.arange(60) // 20
    places = np.arange(60).repeat(times)

    def folds(of):
        return [(np.flatnonzero(of != k), np.flatnonzero(of == k)) for k in range(3)]

    make = sf.TunedThresholdClassifierCV(sf.GaussianNB(), criterion=criterion, thresholds=20)
    weighted = make.set_params(cv=folds(fold)).fit(X, y, sample_weight=times)
    found = weighted.best_threshold_, weighted.best_score_
    repeated = make.set_params(cv=folds(fold[places])).fit(X[places], y[places])
    assert found == pytest.approx((repeated.best_threshold_, repeated.best_score_), rel=1e-9)


def test_containers_pickles_and_searches():
    pd = pytest.importorskip("pandas")
    X, codes = sample()
    y = NAMES[codes]
    frame = pd.DataFrame(X, columns=["a", "b"], index=np.arange(len(y))[::-1])
    pipeline = sf.make_pipeline(sf.StandardScaler(), sf.LogisticRegression(C=1.0))
    model = sf.TunedThresholdClassifierCV(pipeline).fit(frame, pd.Series(y, index=frame.index))
    assert model.feature_names_in_.tolist() == ["a", "b"]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    rows = sparse.csr_array(X)
    logistic = sf.TunedThresholdClassifierCV(sf.LogisticRegression(C=1.0))
    of_sparse = logistic.fit(rows, y).predict(rows)
    np.testing.assert_array_equal(of_sparse, logistic.fit(X, y).predict(X))
    search = sf.GridSearchCV(
        sf.FixedThresholdClassifier(pipeline),
        {"threshold": [0.2, 0.5], "estimator__logisticregression__C": [0.1, 1.0]}, cv=3,
        error_score="raise",
    ).fit(frame, y)  # fmt: skip
    assert search.best_params_["threshold"] in (0.2, 0.5)


def test_what_is_refused():
    X, y = sample()
    three = np.arange(80) % 3
    for model in (sf.FixedThresholdClassifier, sf.TunedThresholdClassifierCV):
        with pytest.raises(ValueError, match="Only binary classification is supported"):
            model(sf.GaussianNB()).fit(X, three)
        with pytest.raises(TypeError, match="estimator must be a classifier with fit"):
            model().fit(X, y)
        with pytest.raises(TypeError, match="estimator must have predict_proba or decision"):
            model(sf.Ridge()).fit(X, y)
        with pytest.raises(TypeError, match="does not take it"):
            model(sf.KNeighborsClassifier()).fit(X, y, sample_weight=np.ones(80))
    with pytest.raises(ValueError, match="makes constant predictions"):
        sf.TunedThresholdClassifierCV(sf.GaussianNB(), cv=sf.LeaveOneOut()).fit(X, y)
    left_out = sf.TunedThresholdClassifierCV(
        sf.GaussianNB(), cv=sf.LeaveOneOut(), criterion="youden"
    ).fit(X, y)  # fmt: skip
    assert left_out.strategy_ == "closed form"
    with pytest.raises(TypeError, match="scoring must be a name or a function here"):
        sf.TunedThresholdClassifierCV(sf.GaussianNB(), scoring=["f1"]).fit(X, y)
    with pytest.raises(ValueError, match="cv must be less than 1"):
        sf.TunedThresholdClassifierCV(sf.GaussianNB(), cv=1.5).fit(X, y)
    with pytest.raises(ValueError, match="each fold of cv has to fit rows of both"):
        sf.TunedThresholdClassifierCV(
            sf.DecisionTreeClassifier(), cv=[(np.flatnonzero(y == 1), np.arange(5))]
        ).fit(X, y)
