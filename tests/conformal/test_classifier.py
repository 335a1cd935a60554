# SPDX-License-Identifier: BSD-3-Clause
"""Sets of labels around classifiers."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom

import statfast as sf
from statfast.conformal import ConformalClassifier
from tests.conformal.replicates import CLASSIFICATIONS, replicate
from tests.reference.conformal import aps_score, bound

rng = np.random.default_rng(3)
CODES = rng.integers(0, 3, 120)
X = rng.normal(size=(120, 2)) + 1.2 * np.eye(3)[CODES][:, :2]
LABELS = np.array(["ash", "elm", "oak"])
y = LABELS[CODES]
NEW = rng.normal(size=(15, 2)) + 0.5
SCORES = ("lac", "aps", "raps")


def score(name, shares, label, u=0.0):
    if name == "lac":
        return 1 - shares[label]
    order = sorted(range(len(shares)), key=lambda c: (-shares[c], c))
    more = 0.3 * max(0, order.index(label) + 1 - 1) if name == "raps" else 0.0
    return aps_score(shares, label, u) + more


def classifier(name, **settings):
    settings = {"penalty": 0.3, "penalty_rank": 1, "randomized": False, **settings}
    return ConformalClassifier(sf.GaussianNB(), conformity_score=name, **settings)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("level", [0.5, 0.85])
@pytest.mark.parametrize("by_class", [False, True])
def test_prefit_sets_are_the_twins(name, level, by_class):
    bayes = sf.GaussianNB().fit(X[:60], y[:60])
    model = classifier(name, cv="prefit", by_class=by_class).set_params(estimator=bayes)
    sets = model.fit(X[60:], y[60:]).predict_set(NEW, level=level)
    held, new = bayes.predict_proba(X[60:]), bayes.predict_proba(NEW)
    codes = CODES[60:]
    scores = np.array([score(name, p, c) for p, c in zip(held, codes, strict=True)])
    for c in range(3):
        q = bound(scores[codes == c] if by_class else scores, level)
        expected = [score(name, p, c) <= q + 1e-12 for p in new]
        assert_array_equal(sets[:, c], expected)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("weighted", [False, True])
def test_folds_are_the_twins(name, weighted):
    folds = [(np.setdiff1d(np.arange(120), t), t) for t in np.array_split(rng.permutation(120), 4)]
    weights = rng.integers(1, 4, 120).astype(float) if weighted else None
    model = classifier(name, method="cv+", cv=folds, level=0.8).fit(X, y, weights)
    sets = model.predict_set(NEW)
    below = np.zeros((15, 3))
    for train, test in folds:
        w = {} if weights is None else {"sample_weight": weights[train]}
        bayes = sf.GaussianNB().fit(X[train], y[train], **w)
        held, new = bayes.predict_proba(X[test]), bayes.predict_proba(NEW)
        for p, i in zip(held, test, strict=True):
            own = score(name, p, CODES[i])
            mass = 1.0 if weights is None else weights[i]
            for j in range(15):
                for c in range(3):
                    below[j, c] += mass * (own < score(name, new[j], c) - 1e-12)
    total = 120 if weights is None else weights.sum()
    assert_array_equal(sets, below < np.ceil(0.8 * (total + 1) - 1e-9))


@pytest.mark.parametrize("name", SCORES)
def test_randomized_scores(name):
    settings = {"cv": 0.5, "random_state": 5, "randomized": True}
    model = classifier(name, **settings).fit(X, y)
    sets = model.predict_set(NEW)
    assert_array_equal(sets, model.predict_set(NEW))
    whole = classifier(name, **settings | {"randomized": False}).fit(X, y).predict_set(NEW)
    assert sets.sum() <= whole.sum()
    if name == "lac":
        assert_array_equal(sets, whole)


@pytest.mark.parametrize("name", CLASSIFICATIONS)
def test_coverage(name):
    """Of new rows, over samples: not below the level but by chance of one in a million."""
    hits, _ = replicate(name, n_samples=40, n_new=1, level=0.8)
    assert binom.cdf(hits.sum(), 40, 0.8) > 1e-6


def test_relations():
    model = classifier("lac", method="cv+", level=0.8)
    plain = model.fit(X, y).predict_set(NEW)
    assert_array_equal(model.fit(X, y, np.ones(120)).predict_set(NEW), plain)
    assert_array_equal(
        model.fit(X, y, np.full(120, 3.0)).predict_set(NEW, sample_weight=np.full(15, 3.0)), plain
    )
    renamed = model.fit(X, CODES)
    assert_array_equal(renamed.predict_set(NEW), plain)
    assert_array_equal(renamed.classes_, [0, 1, 2])
    assert_array_equal(pickle.loads(pickle.dumps(renamed)).predict_set(NEW), plain)
    assert_allclose(renamed.predict_proba(NEW), sf.GaussianNB().fit(X, y).predict_proba(NEW))
    assert_array_equal(renamed.predict(NEW), sf.GaussianNB().fit(X, CODES).predict(NEW))


def test_groups():
    groups = np.arange(120) % 2
    bayes = sf.GaussianNB().fit(X, y)
    model = classifier("lac", cv="prefit", level=0.8).set_params(estimator=bayes)
    sets = model.fit(X, y, categories=groups).predict_set(NEW, categories=np.arange(15) % 2)
    for g in (0, 1):
        q = bound(1 - bayes.predict_proba(X)[np.arange(120), CODES][groups == g], 0.8)
        mine = np.arange(15) % 2 == g
        assert_array_equal(sets[mine], 1 - bayes.predict_proba(NEW)[mine] <= q + 1e-12)


@pytest.mark.parametrize("method", ["split", "cv+"])
@pytest.mark.parametrize("weighted", [False, True])
def test_distances_that_were_computed_before(method, weighted):
    """Columns are rows of the fit, those of weight 0 too."""
    apart = np.abs(X[:, None] - X).sum(axis=2)
    new = np.abs(NEW[:, None] - X).sum(axis=2)
    weights = np.arange(120) % 4 * 1.0 if weighted else None
    settings = {"method": method, "random_state": 0}
    rows, distances = (
        ConformalClassifier(sf.KNeighborsClassifier(9, metric=metric), **settings)
        for metric in ("manhattan", "precomputed")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Neighbors take no weights.
        rows.fit(X, y, weights)
        distances.fit(apart, y, weights)
    assert_array_equal(distances.predict_set(new), rows.predict_set(NEW))
    assert_array_equal(distances.predict_proba(new), rows.predict_proba(NEW))


def test_too_few_rows_and_unseen_classes():
    bayes = sf.GaussianNB().fit(X, y)
    five = [np.flatnonzero(c == CODES)[k] for c, k in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]]
    model = ConformalClassifier(bayes, cv="prefit").fit(X[five], y[five])
    with pytest.warns(UserWarning, match="needs at least 9 held-out rows; there are 5"):
        assert model.predict_set(NEW).all()
    two = CODES < 2
    by_class = ConformalClassifier(bayes, cv="prefit", by_class=True)
    with pytest.warns(UserWarning, match="'oak' the first, have no held-out row: it is in all"):
        by_class.fit(X[two], y[two])
    with pytest.warns(UserWarning, match="there are 0: it is in all sets"):
        assert by_class.predict_set(NEW)[:, 2].all()
    with pytest.warns(UserWarning, match="nothing is known"):
        ConformalClassifier(bayes, cv="prefit").fit(X[two], y[two])
    with pytest.raises(ValueError, match="'yew', which the fitted estimator does not know"):
        ConformalClassifier(bayes, cv="prefit").fit(X, np.append(y[:-1], "yew"))


def test_a_class_that_a_fold_has_not_seen():
    labels = np.append(y[:-1], "yew")
    model = ConformalClassifier(sf.GaussianNB(), method="cv+", cv=sf.KFold(4)).fit(X, labels)
    assert model.predict_set(NEW).shape == (15, 4)


@pytest.mark.parametrize(
    ("settings", "error", "text"),
    [
        ({"cv": 5}, TypeError, "share of the rows"),
        ({"method": "cv+", "cv": "prefit"}, ValueError, "goes with"),
        ({"conformity_score": "mass"}, ValueError, "conformity_score"),
        ({"penalty": -1.0}, ValueError, "penalty"),
        ({"estimator": sf.LinearSVC()}, TypeError, "predict_proba"),
    ],
)
def test_what_is_refused(settings, error, text):
    with pytest.raises(error, match=text):
        ConformalClassifier(**settings).fit(X, y)
