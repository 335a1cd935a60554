# SPDX-License-Identifier: BSD-3-Clause
"""Naive Bayes against its definition, scikit-learn and R; what it refuses, and what it explains."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse, stats

import statfast as sf
from statfast._engine import blocks
from statfast.datasets import load_iris
from statfast.generative.naive_bayes.gaussian import NormalDensity
from tests.model_selection.closed_form import left_out
from tests.reference import naive_bayes as twin

IRIS = load_iris()
rng_of = np.random.default_rng


def counts(seed, n=60, d=5, classes=3):
    rng = rng_of(seed)
    X = rng.poisson(1.5, (n, d)) * 1.0
    return X, rng.permutation(np.arange(n) % classes), rng.integers(1, 4, n) / 2.0


# ------------------------------------------------------------------ by definition

DENSITIES = {
    "GaussianNB": (
        {"var_smoothing": 0.01},
        lambda X, w: lambda j, v, u: twin.normal(v, u, 0.01 * largest_variance(X, w)),
    ),
    "BernoulliNB": ({"alpha": 0.5}, lambda X, w: lambda j, v, u: twin.presence(v, u, 0.5)),
    "CategoricalNB": (
        {"alpha": 2.0},
        lambda X, w: lambda j, v, u: twin.category(v, u, 2.0, int(X[:, j].max()) + 1),
    ),
    "KernelDensityNB": (
        {"bandwidth": 0.7},
        lambda X, w: lambda j, v, u: twin.kernels(v, u, 0.7),
    ),
    "PoissonNB": (
        {"alpha": 0.0},
        lambda X, w: lambda j, v, u: lambda x: stats.poisson.logpmf(x, np.average(v, weights=u)),
    ),
}


def largest_variance(X, w):
    return np.average((X - np.average(X, axis=0, weights=w)) ** 2, axis=0, weights=w).max()


@pytest.mark.once
@pytest.mark.parametrize("name", DENSITIES)
@settings(max_examples=25)
@given(seed=st.integers(0, 10**6))
def test_joint_densities_by_definition(name, seed):
    X, y, w = counts(seed)
    params, density = DENSITIES[name]
    want = twin.joint(X, y, w, X, density(X, w))
    for make in (np.asarray, sparse.csr_array):
        if make is not np.asarray and name in ("CategoricalNB", "KernelDensityNB"):
            continue
        model = getattr(sf, name)(**params).fit(make(X), y, sample_weight=w)
        assert_allclose(model.predict_joint_log_proba(make(X)), want, rtol=1e-9)
        assert_allclose(model.predict_proba(make(X)), twin.posteriors(want), rtol=1e-8)
        assert_allclose(np.exp(model.predict_log_proba(make(X))), twin.posteriors(want), rtol=1e-8)
        assert_array_equal(model.predict(make(X)), want.argmax(axis=1))


def test_gamma_is_the_maximum_likelihood_fit_of_scipy():
    rng = rng_of(0)
    X = np.concatenate([rng.gamma(2.5, 3.0, (200, 2)), rng.gamma(40.0, 0.1, (100, 2))])
    y = np.repeat([0, 1], [200, 100])
    model = sf.GammaNB().fit(X, y)
    for k in (0, 1):
        for j in (0, 1):
            shape, _, scale = stats.gamma.fit(X[y == k, j], floc=0.0)
            assert_allclose([model.shape_[k, j], model.scale_[k, j]], [shape, scale], rtol=1e-6)
    joint = model.predict_joint_log_proba(X[:20])
    want = stats.gamma.logpdf(X[:20, None], model.shape_, scale=model.scale_).sum(axis=2)
    assert_allclose(joint, want + np.log(model.class_prior_), rtol=1e-10)


def test_gamma_columns_that_hardly_vary_keep_their_digits():
    rng = rng_of(1)
    z = rng.normal(size=400)
    X = (1.0 + 1e-5 * (z - z.mean()))[:, None]
    shape = sf.GammaNB().fit(X, np.zeros(400)).shape_[0, 0]
    assert_allclose(shape, 1e10 / z.var(), rtol=1e-3) if shape < 1e9 else None
    assert shape == pytest.approx(1e9, rel=1e-6)  # the most that there is
    X = (1.0 + 1e-3 * (z - z.mean()))[:, None]
    assert_allclose(sf.GammaNB().fit(X, np.zeros(400)).shape_[0, 0], 1e6 / z.var(), rtol=1e-3)


def test_columns_far_from_the_origin():
    X, y = IRIS.data + 1e9, IRIS.target
    near, far = (
        sf.GaussianNB(var_smoothing=0).fit(X - 1e9, y),
        sf.GaussianNB(var_smoothing=0).fit(X, y),
    )
    assert_allclose(far.var_, near.var_, rtol=1e-12)  # of the rounded rows
    # The means themselves are rounded to what float64 holds there, 1e-7.
    assert_allclose(far.predict_log_proba(X), near.predict_log_proba(X - 1e9), 1e-6, 1e-6)


def test_an_outlier_first_costs_no_digits():
    X = np.concatenate([[[1e8]], rng_of(2).normal(size=(500, 1))])
    codes = np.ones(501, np.intp)
    codes[0] = 0
    density = NormalDensity(0.0, False)
    blocks_of = [
        density.statistics(X[s], codes[s] * 0, None, 1) for s in (slice(50), slice(50, 501))
    ]
    moments = blocks_of[0] + blocks_of[1]
    assert_allclose(moments.squares / moments.class_counts, X.var(axis=0)[None], rtol=1e-12)
    rest = density.statistics(X[1:] + 1e8, codes[1:] * 0, None, 1)
    assert_allclose(rest.squares / rest.class_counts, (X[1:] + 1e8).var(axis=0)[None], rtol=1e-9)


def test_a_column_that_has_not_varied_yet_says_nothing():
    model = sf.GaussianNB().partial_fit([[1.0]], [0], classes=[0, 1])
    assert_allclose(model.predict_proba([[5.0]]), [[1.0, 0.0]])
    model.partial_fit([[2.0], [8.0], [9.0]], [0, 1, 1])
    want = sf.GaussianNB().fit([[1.0], [2.0], [8.0], [9.0]], [0, 0, 1, 1])
    assert_allclose(model.predict_proba([[5.0]]), want.predict_proba([[5.0]]))


# ------------------------------------------------------------------ scikit-learn's answers

TWINS = {
    "GaussianNB": [{}, {"var_smoothing": 0.1}, {"priors": [0.2, 0.3, 0.5]}],
    "MultinomialNB": [{}, {"alpha": [0.1, 0.2, 0.3, 0.4, 0.5]}, {"fit_prior": False}],
    "ComplementNB": [{}, {"norm": True}, {"alpha": 0.1}],
    "BernoulliNB": [{}, {"binarize": 1.0}, {"class_prior": [0.2, 0.3, 0.5]}],
    "CategoricalNB": [{}, {"min_categories": 20}, {"alpha": 0.1}],
}
ATTRIBUTES = (
    "class_count_", "class_prior_", "class_log_prior_", "theta_", "feature_count_", "feature_all_",
    "feature_log_prob_", "category_count_", "n_categories_", "classes_",
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "params"), [(name, params) for name in TWINS for params in TWINS[name]]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learns_answers(name, params, weighted):
    theirs = pytest.importorskip("sklearn.naive_bayes")
    X, y, w = counts(5)
    weights = w if weighted else None
    if weighted and "var_smoothing" in params:
        pytest.skip("scikit-learn's epsilon_ is that of unweighted rows")
    ours = getattr(sf, name)(**params).fit(X, y, sample_weight=weights)
    peer = getattr(theirs, name)(**params).fit(X, y, sample_weight=weights)
    near = 1e-7 if name == "GaussianNB" and weighted else 1e-12  # epsilon_ is unweighted there
    for method in ("predict_proba", "predict_log_proba", "predict_joint_log_proba"):
        assert_allclose(getattr(ours, method)(X), getattr(peer, method)(X), near, 1e-13)
    for attribute in ATTRIBUTES:
        assert hasattr(ours, attribute) == hasattr(peer, attribute)
        if hasattr(peer, attribute):
            one, other = getattr(ours, attribute), getattr(peer, attribute)
            for a, b in zip(one, other, strict=True):
                assert_allclose(a, b, 1e-12, 1e-13)


@pytest.mark.parametrize("name", TWINS)
def test_defaults_are_scikit_learns(name):
    theirs = getattr(pytest.importorskip("sklearn.naive_bayes"), name)().get_params()
    ours = getattr(sf, name)().get_params()
    assert theirs.items() <= ours.items()


# ------------------------------------------------------------------ R's answers


def test_e1071_on_iris(shared_data):
    want = json.loads(shared_data("..", "reference", "naivebayes.json").read_text("utf-8"))["iris"]
    tables = np.array(list(want["tables_mean_sd"].values()))  # (d, K, 2)
    model = sf.GaussianNB(var_smoothing=0.0).fit(IRIS.data, IRIS.target)
    assert_allclose(model.theta_, tables[:, :, 0].T, rtol=1e-12)
    assert_allclose(np.sqrt(model.var_ * 50 / 49), tables[:, :, 1].T, rtol=1e-12)
    found = np.zeros((3, 3), int)
    np.add.at(found, (IRIS.target, model.predict(IRIS.data)), 1)
    assert found.tolist() == want["confusion_true_by_predicted"]["counts"]
    apart = IRIS.data[:5, None] - model.theta_
    joint = (-np.log(model.var_) / 2 - 49 / 50 * apart**2 / model.var_ / 2).sum(axis=2)
    assert_allclose(twin.posteriors(joint), want["posterior_first5"], rtol=1e-9)


def test_e1071_on_iris_with_missing_values(shared_data):
    path = shared_data("..", "reference", "naivebayes_more.json")
    want = json.loads(path.read_text("utf-8"))["iris_missing"]
    X = IRIS.data.copy()
    X[np.array(want["missing_rows_column2"]) - 1, 1] = np.nan
    model = sf.GaussianNB(var_smoothing=0.0, missing="ignore").fit(X, IRIS.target)
    tables = np.array(list(want["tables"].values()))
    seen = np.full((3, 4), 50.0)
    seen[:, 1] = 49.0
    assert_allclose(model.theta_, tables[:, :, 0].T, rtol=1e-12)
    assert_allclose(np.sqrt(model.var_ * seen / (seen - 1)), tables[:, :, 1].T, rtol=1e-12)
    query = X[np.array(want["missing_rows_column2"]) - 1]
    # R's posteriors have divisor n - 1, and leave out the column that is missing.
    terms = stats.norm.logpdf(query[:, None], tables[:, :, 0].T, tables[:, :, 1].T)
    assert_allclose(twin.posteriors(np.nansum(terms, axis=2)), want["raw"], rtol=1e-9)
    ours = stats.norm.logpdf(query[:, None], model.theta_, np.sqrt(model.var_))
    assert_allclose(model.predict_proba(query), twin.posteriors(np.nansum(ours, axis=2)), rtol=1e-9)


TITANIC = {  # counts of R's datasets::Titanic: class, sex, age, survived
    ("1st", "Male", "Child"): (0, 5), ("2nd", "Male", "Child"): (0, 11),
    ("3rd", "Male", "Child"): (35, 13), ("Crew", "Male", "Child"): (0, 0),
    ("1st", "Female", "Child"): (0, 1), ("2nd", "Female", "Child"): (0, 13),
    ("3rd", "Female", "Child"): (17, 14), ("Crew", "Female", "Child"): (0, 0),
    ("1st", "Male", "Adult"): (118, 57), ("2nd", "Male", "Adult"): (154, 14),
    ("3rd", "Male", "Adult"): (387, 75), ("Crew", "Male", "Adult"): (670, 192),
    ("1st", "Female", "Adult"): (4, 140), ("2nd", "Female", "Adult"): (13, 80),
    ("3rd", "Female", "Adult"): (89, 76), ("Crew", "Female", "Adult"): (3, 20),
}  # fmt: skip


@pytest.mark.parametrize(("alpha", "name"), [(0.0, "raw"), (3.0, "raw_laplace3")])
def test_e1071_on_titanic(shared_data, alpha, name):
    path = shared_data("..", "reference", "naivebayes_more.json")
    want = json.loads(path.read_text("utf-8"))["titanic"]
    X = np.array([key for key in TITANIC for _ in range(2)], dtype=object)
    weights = np.array([w for pair in TITANIC.values() for w in pair], dtype=float)
    y = np.tile(["No", "Yes"], len(TITANIC))
    model = sf.MixedNB(alpha=alpha).fit(X, y, sample_weight=weights)
    assert model.densities_ == ["categorical"] * 3
    query = np.array(list(want["query"].values()), dtype=object).T
    assert_allclose(model.predict_proba(query), want[name], rtol=1e-12)
    frame = pytest.importorskip("pandas").DataFrame(X, columns=["Class", "Sex", "Age"])
    again = sf.MixedNB(alpha=alpha).fit(frame, y, sample_weight=weights)
    asked = type(frame)(query, columns=frame.columns)
    assert_array_equal(again.predict_proba(asked), model.predict_proba(query))


def test_laplace_of_the_catalogue():
    """(1 + ones) / (2 + rows of the class), and (1 + n_k) / (K + n) for the classes."""
    X, y = [[1], [1], [0], [0]], [1, 1, 1, 0]
    model = sf.BernoulliNB(class_prior="laplace").fit(X, y)
    assert_allclose(np.exp(model.feature_log_prob_.ravel()), [1 / 3, 3 / 5])
    assert_allclose(np.exp(model.class_log_prior_), [2 / 6, 4 / 6])


# ------------------------------------------------------------------ sums


ADDITIVE = {
    "GaussianNB": {}, "MultinomialNB": {}, "ComplementNB": {}, "BernoulliNB": {"binarize": 1.0},
    "CategoricalNB": {"min_categories": 30}, "PoissonNB": {}, "GammaNB": {"smallest": 0.5},
    "KernelDensityNB": {}, "MixedNB": {"densities": ["kernel", "poisson", "categorical",
                                                     "multinomial", "multinomial"]},
}  # fmt: skip


@pytest.mark.parametrize("name", ADDITIVE)
def test_partial_fits_add_up(name):
    X, y, w = counts(7)
    whole = getattr(sf, name)(**ADDITIVE[name]).fit(X, y, sample_weight=w)
    part = getattr(sf, name)(**ADDITIVE[name])
    for some in (slice(0, 20), slice(20, 21), slice(21, 60)):
        part.partial_fit(X[some], y[some], classes=[0, 1, 2], sample_weight=w[some])
    assert_allclose(
        part.predict_joint_log_proba(X), whole.predict_joint_log_proba(X), rtol=1e-9, atol=1e-9
    )
    again = pickle.loads(pickle.dumps(part)).partial_fit(X, y)  # goes on after a pickle
    assert again.class_count_.sum() == pytest.approx(w.sum() + 60)


@pytest.mark.parametrize("name", ADDITIVE)
def test_a_class_that_partial_fit_has_not_met(name):
    X, y, _ = counts(8)
    model = getattr(sf, name)(**ADDITIVE[name])
    model.partial_fit(X[y < 2], y[y < 2], classes=[0, 1, 2])
    p = model.predict_proba(X)
    assert np.isfinite(p).all()
    assert (p[:, 2] == 0.0).all()
    assert_allclose(p[:, :2].sum(axis=1), 1.0)


@pytest.mark.parametrize("name", ADDITIVE)
def test_leave_one_out_is_that_of_refits(name):
    X, y, w = counts(9, n=30)
    X = np.minimum(X, 3.0)
    params = {**ADDITIVE[name]}
    params |= {"bandwidth": 0.5} if name in ("KernelDensityNB", "MixedNB") else {}
    for weights in (None, w):
        model = getattr(sf, name)(**params)
        for method in ("predict_proba", "predict_log_proba", "predict"):
            found = left_out(model, X, y, weights, method)
            assert found is not None
            for i in range(len(y)):
                rest = np.arange(len(y)) != i
                share = None if weights is None else weights[rest]
                model.fit(X[rest], y[rest], sample_weight=share)
                want = getattr(model, method)(X[i : i + 1])[0]
                assert_allclose(found[i], want, rtol=1e-10, atol=1e-12)


def test_leave_one_out_with_an_outlier_and_a_class_of_one_row():
    rng = rng_of(3)
    X, y = rng.normal(size=(25, 3)), np.arange(25) % 2
    X[4, 1] = 1e9
    y[7] = 2
    model = sf.GaussianNB()
    found = left_out(model, X, y, None, "predict_proba")
    for i in range(25):
        rest = np.arange(25) != i
        want = np.zeros(3)
        model.fit(X[rest], y[rest])
        want[model.classes_] = model.predict_proba(X[i : i + 1])[0]
        assert_allclose(found[i], want, rtol=1e-9, atol=1e-12)


def test_leave_one_out_where_a_category_is_lost():
    X = [[0], [0], [1], [5]]
    assert left_out(sf.CategoricalNB(), X, [0, 1, 0, 1], None, "predict") is None


def test_a_class_of_no_weight_is_left_out():
    X, y, _ = counts(10)
    model = sf.MultinomialNB().fit(X, y, sample_weight=(y != 1) * 1.0)
    assert model.classes_.tolist() == [0, 2]
    want = sf.MultinomialNB().fit(X[y != 1], y[y != 1]).predict_proba(X)
    assert_allclose(model.predict_proba(X), want, rtol=1e-12)


@pytest.mark.parametrize("name", ["GaussianNB", "MultinomialNB", "BernoulliNB", "PoissonNB"])
def test_chunks_and_threads(name, monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    rng = rng_of(4)
    X, y = rng.poisson(2.0, (3000, 6)) * 1.0, rng.integers(0, 3, 3000)
    models = [getattr(sf, name)(n_jobs=jobs).fit(X, y) for jobs in (1, 2, 7)]
    given = [sf.Chunks([X[:1000], X[1000:1100], X[1100:]]), X]
    chunked = getattr(sf, name)().fit(given[0], y)
    want = models[0].predict_joint_log_proba(X)
    for model in models[1:]:
        assert model.predict_joint_log_proba(X).tobytes() == want.tobytes()
    assert_allclose(chunked.predict_joint_log_proba(X), want, rtol=1e-12)
    with pytest.raises(ValueError, match=r"\bX\b"):
        getattr(sf, name)().fit(sf.Chunks([X[:10]]), y)


@pytest.mark.parametrize("name", ["MultinomialNB", "BernoulliNB", "ComplementNB"])
def test_sparse_threads_have_the_same_bits(name, monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    X = sparse.random_array((4000, 50), density=0.2, random_state=rng_of(5), format="csr")
    y = rng_of(6).integers(0, 4, 4000)
    want = getattr(sf, name)(n_jobs=1).fit(X, y)
    for jobs in (2, 7):
        other = getattr(sf, name)(n_jobs=jobs).fit(X, y)
        assert other.feature_log_prob_.tobytes() == want.feature_log_prob_.tobytes()
        assert other.predict_proba(X).tobytes() == want.predict_proba(X).tobytes()


# ------------------------------------------------------------------ zeros, gaps, strange values


def test_what_no_class_can_have_has_the_class_probabilities():
    X, y = [[1, 0], [1, 0], [0, 1]], ["a", "a", "b"]
    model = sf.MultinomialNB(alpha=0.0).fit(X, y)
    assert_allclose(
        model.predict_proba([[1, 1], [1, 0], [0, 0]]), [[2 / 3, 1 / 3], [1, 0], [2 / 3, 1 / 3]]
    )
    assert_array_equal(model.predict([[1, 1]]), ["a"])
    rows = sparse.csr_array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    assert_allclose(model.predict_proba(rows), [[2 / 3, 1 / 3], [1, 0], [2 / 3, 1 / 3]])
    bernoulli = sf.BernoulliNB(alpha=0.0).fit(X, y)
    assert_allclose(bernoulli.predict_proba([[1, 1], [1, 0]]), [[2 / 3, 1 / 3], [1, 0]])
    poisson = sf.PoissonNB().fit([[0, 1], [0, 2]], ["a", "b"])
    assert_allclose(poisson.predict_proba([[1, 1]]), [[0.5, 0.5]])


def test_a_row_beyond_float64_has_the_class_probabilities():
    model = sf.GaussianNB().fit([[0.0], [1.0], [2.0]], [0, 0, 1])
    assert_allclose(model.predict_proba([[1e200]]), [[2 / 3, 1 / 3]])


@pytest.mark.parametrize("name", ["BernoulliNB", "CategoricalNB", "PoissonNB", "KernelDensityNB",
                                  "GaussianNB", "GammaNB", "MixedNB"])  # fmt: skip
def test_missing_values_count_for_nothing(name):
    """At fit the column has a row less; in prediction the row has a column less."""
    X, y, _ = counts(11)
    X += 1.0
    params = {"var_smoothing": 0.0} if name in ("GaussianNB", "MixedNB") else {}
    params |= {"binarize": 2.0} if name == "BernoulliNB" else {}
    with_gaps = X.copy()
    with_gaps[3, 1] = with_gaps[8, 4] = np.nan
    model = getattr(sf, name)(missing="ignore", **params).fit(with_gaps, y)
    want = np.log(np.bincount(y) / len(y)) + np.zeros((len(X), 1))
    for j in range(5):
        here = ~np.isnan(with_gaps[:, j])
        one = getattr(sf, name)(**params).fit(X[here][:, [j]], y[here])
        prior = np.log(np.bincount(y[here]) / here.sum())
        want[here] += one.predict_joint_log_proba(X[here][:, [j]]) - prior
    assert_allclose(model.predict_joint_log_proba(with_gaps), want, rtol=1e-9)
    with pytest.raises(ValueError, match="X contains NaN"):
        getattr(sf, name)(**params).fit(with_gaps, y)
    with pytest.raises(ValueError, match="X contains infinity"):
        model.predict(np.where(np.isnan(with_gaps), np.inf, with_gaps))


def test_negative_counts():
    for name in ("MultinomialNB", "ComplementNB", "PoissonNB", "GammaNB", "CategoricalNB"):
        with pytest.raises(ValueError, match=r"X must .*got -1.0 at row 1, column 0"):
            getattr(sf, name)().fit([[1.0], [-1.0]], [0, 1])
    model = sf.MultinomialNB().fit([[1, 0], [0, 1]], [0, 1])
    with pytest.raises(ValueError, match=r"X must not be negative; got -2\.0 at row 0, column 1"):
        model.predict(sparse.csr_array([[0.0, -2.0]]))


def test_unseen_categories():
    X, y = [[0], [1]], [0, 1]
    model = sf.CategoricalNB().fit(X, y)
    with pytest.raises(ValueError, match=r"X holds the category 2 at row 0, column 0.*min_categor"):
        model.predict([[2]])
    assert_allclose(sf.CategoricalNB(unseen="ignore").fit(X, y).predict_proba([[2]]), [[0.5, 0.5]])
    padded = sf.CategoricalNB(min_categories=3).fit(X, y)
    assert_allclose(padded.predict_proba([[2]]), [[0.5, 0.5]])
    words = np.array([["a"], ["b"]], dtype=object)
    mixed = sf.MixedNB().fit(words, y)
    with pytest.raises(ValueError, match="X holds the category 'c' in column 0"):
        mixed.predict(np.array([["c"]], dtype=object))
    ignoring = sf.MixedNB(unseen="ignore").fit(words, y)
    assert_allclose(ignoring.predict_proba(np.array([["c"]], dtype=object)), [[0.5, 0.5]])
    more = ignoring.partial_fit(np.array([["c"], ["c"]], dtype=object), [1, 1])
    assert more.categories_ == {0: ["a", "b", "c"]}
    assert more.predict(np.array([["c"]], dtype=object)) == [1]


@pytest.mark.parametrize(
    ("name", "params", "X", "words"),
    [
        ("CategoricalNB", {}, [[0.5], [1.0]], "X must hold the numbers of categories.*got 0.5"),
        ("GammaNB", {}, [[0.0], [1.0]], "X must be positive; got 0 at row 0, column 0"),
        ("BernoulliNB", {"binarize": None}, [[2.0], [1.0]], "X must hold 0 and 1.*got"),
        ("GaussianNB", {"var_smoothing": 0.0}, [[2.0], [1.0]], "X has a column, 0, that is const"),
        ("GaussianNB", {"priors": [0.5, 0.6]}, [[2.0], [1.0]], "priors must.*sum to 1"),
        ("GaussianNB", {"priors": [1.0]}, [[2.0], [1.0]], "priors must have 2 probabilities"),
        ("MultinomialNB", {"alpha": [1.0, 2.0]}, [[2.0], [1.0]], "alpha must be.*1 columns"),
        ("MultinomialNB", {"alpha": [-1.0]}, [[2.0], [1.0]], "alpha must be finite and not neg"),
        ("CategoricalNB", {"min_categories": [0]}, [[2.0], [1.0]], "min_categories must be posi"),
        ("MixedNB", {"densities": ["gamma", "gamma"]}, [[2.0], [1.0]], "densities must have one"),
        ("MixedNB", {"densities": {"a": "gamma"}}, [[2.0], [1.0]], "densities must name columns"),
        ("MixedNB", {"densities": {0: "beta"}}, [[2.0], [1.0]], r"densities\[0\] must be"),
    ],
)
def test_refusals(name, params, X, words):
    with pytest.raises(ValueError, match=words):
        getattr(sf, name)(**params).fit(X, [0, 1])


def test_partial_fit_refuses_strange_labels():
    model = sf.MultinomialNB()
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        model.partial_fit([[1]], [0])
    with pytest.raises(ValueError, match="y holds the class 2, which is not among classes"):
        model.partial_fit([[1]], [2], classes=[0, 1])
    model.partial_fit([[1]], [0], classes=[0, 1])
    with pytest.raises(ValueError, match="classes must be those of the first call"):
        model.partial_fit([[1]], [0], classes=[0, 2])


# ------------------------------------------------------------------ mixed columns


def test_guesses_by_type():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "flag": [True, False, True, False],
            "word": ["x", "y", "x", "z"],
            "count": [3, 0, 2, 7],
            "signed": [-1, 2, 3, 4],
            "size": [0.5, 1.5, 2.5, 9.0],
            "kind": pandas.Categorical(["p", "q", "p", "q"]),
        }
    )
    model = sf.MixedNB().fit(frame, [0, 0, 1, 1])
    kinds = ["bernoulli", "categorical", "poisson", "gaussian", "gaussian", "categorical"]
    assert model.densities_ == kinds
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({name: frame[name].tolist() for name in frame.columns})
    other = sf.MixedNB(densities=dict(zip(frame.columns, kinds, strict=True))).fit(
        table, [0, 0, 1, 1]
    )
    assert_allclose(other.predict_proba(table), model.predict_proba(frame), rtol=1e-12)
    shares = model.explain(frame, of=1, against=0)
    joint = model.predict_joint_log_proba(frame)
    assert_allclose(shares.log_odds, joint[:, 1] - joint[:, 0], rtol=1e-9)
    assert shares.names == list(frame.columns)
    drawn, labels = model.sample(5, random_state=0)
    assert set(drawn[:, 1]) <= {"x", "y", "z"}
    assert len(labels) == 5


def test_mixed_columns_are_their_models_side_by_side():
    X, y, w = counts(12)
    kinds = ["gaussian", "kernel", "poisson", "categorical", "bernoulli"]
    alone = [sf.GaussianNB, sf.KernelDensityNB, sf.PoissonNB, sf.CategoricalNB, sf.BernoulliNB]
    model = sf.MixedNB(kinds).fit(X, y, sample_weight=w)
    prior = np.log(model.class_prior_)
    want = prior + sum(
        make().fit(X[:, [j]], y, sample_weight=w).predict_joint_log_proba(X[:, [j]]) - prior
        for j, make in enumerate(alone)
    )
    assert_allclose(model.predict_joint_log_proba(X), want, rtol=1e-10)


# ------------------------------------------------------------------ what is learnt


@pytest.mark.parametrize("name", [*ADDITIVE])
def test_explanations_add_up(name):
    X, y, _ = counts(13)
    model = getattr(sf, name)(**ADDITIVE[name]).fit(X, y)
    joint = model.predict_joint_log_proba(X)
    found = model.explain(X)
    order = np.argsort(-joint, axis=1, kind="stable")
    here = np.arange(len(X))
    assert_array_equal(found.of, model.classes_[order[:, 0]])
    assert_allclose(found.log_odds, joint[here, order[:, 0]] - joint[here, order[:, 1]], atol=1e-9)
    assert_allclose(found.log_odds, found.base + found.shares.sum(axis=1), atol=1e-9)
    named = model.explain(X[:2], of=2, against=0)
    assert_allclose(named.log_odds, joint[:2, 2] - joint[:2, 0], atol=1e-9)
    sizes = [abs(share) for _, share in named.top(1)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(found.to_frame()) == len(X) if pytest.importorskip("pandas") else None
    with pytest.raises(ValueError, match="of must be one of the classes"):
        model.explain(X, of="nobody")


@pytest.mark.parametrize("name", [name for name in ADDITIVE if name != "ComplementNB"])
def test_samples_have_the_fitted_distribution(name):
    X, y, _ = counts(14, n=90)
    model = getattr(sf, name)(**ADDITIVE[name]).fit(X, y)
    length = {"length": 40} if name == "MultinomialNB" else {}
    drawn, labels = model.sample(4000, random_state=1, **length)
    drawn = np.asarray(drawn, dtype=float)
    assert_allclose(np.bincount(labels) / 4000, 1 / 3, atol=0.04)
    again, _ = model.sample(4000, random_state=1, **length)
    assert_array_equal(drawn, np.asarray(again, dtype=float))
    if name in ("GaussianNB", "PoissonNB", "GammaNB", "KernelDensityNB"):
        rows = np.maximum(X, 0.5) if name == "GammaNB" else X
        for k in range(3):
            mean = rows[y == k].mean(axis=0)
            assert_allclose(drawn[labels == k].mean(axis=0), mean, atol=0.25)
    elif name == "MultinomialNB":
        assert_array_equal(drawn.sum(axis=1), 40)


def test_a_model_of_scores_has_no_samples():
    model = sf.ComplementNB().fit([[1, 0], [0, 1]], [0, 1])
    assert not hasattr(model, "sample")
