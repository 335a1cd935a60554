# SPDX-License-Identifier: BSD-3-Clause
"""Curves, the bootstrap, intervals and the parts of the error: as they are defined, by any way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from statfast import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    LinearRegression,
    MultinomialNB,
    Ridge,
)
from statfast._estimator import no_information
from statfast.model_selection import (
    Bootstrap,
    FoldScores,
    GridSearchCV,
    bias_variance,
    bootstrap_error,
    external_validation,
    learning_curve,
    nested_cv_interval,
    validation_curve,
)
from tests.reference.refits import Plain

peer = pytest.importorskip("sklearn.model_selection")


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((120, 3))
    y = np.array(["a", "b", "c"])[
        np.digitize(X[:, 0] + 0.7 * rng.standard_normal(120), [-0.5, 0.5])
    ]
    return X, y, X[:, 0] + rng.standard_normal(120)


# ------------------------------------------------------------------ curves
def test_curves_are_those_of_scikit_learn(data):
    from sklearn.linear_model import Ridge as TheirRidge

    X, _, z = data
    values = [0.1, 10.0, 1000.0]
    got = validation_curve(Ridge(), X, z, param_name="alpha", param_range=values, cv=4)
    want = peer.validation_curve(TheirRidge(), X, z, param_name="alpha", param_range=values, cv=4)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)
    for sizes in ([0.2, 0.5, 1.0], [5, 30, 30]):
        got = learning_curve(Ridge(), X, z, train_sizes=sizes, cv=4)
        want = peer.learning_curve(TheirRidge(), X, z, train_sizes=np.unique(sizes), cv=4)
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-8)


def test_learning_from_merged_rows_is_refitting(data):
    X, y, _ = data
    lda = LinearDiscriminantAnalysis()
    given = {"train_sizes": [20, 50, 80], "cv": 3, "shuffle": True, "random_state": 0}
    got = learning_curve(lda, X, y, **given, return_times=True)
    folds = list(peer.StratifiedKFold(3).split(X, y))
    small = {**given, "cv": folds}
    merged, plain = learning_curve(lda, X, y, **small), learning_curve(Plain(lda), X, y, **small)
    assert len(got) == 5
    for a, b in zip(merged, plain, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    for sizes, message in (
        ([0.0, 0.5], r"within \(0, 1\]"), ([500], "between 1 and the rows"), ("all", "a list"),
    ):  # fmt: skip
        with pytest.raises((ValueError, TypeError), match=message):
            learning_curve(lda, X, y, train_sizes=sizes)
    with pytest.raises(TypeError, match="param_range must be a list"):
        validation_curve(lda, X, y, param_name="tol", param_range=3)


# ------------------------------------------------------------------ the bootstrap
@pytest.mark.parametrize("loss", ["zero_one", "squared", "absolute"])
def test_no_information_is_the_mean_of_all_pairs(loss):
    rng = np.random.default_rng(0)
    truth, said = rng.integers(0, 3, 20), rng.integers(0, 4, 20)
    apart = truth[:, None] - said
    want = {"zero_one": apart != 0, "squared": apart**2, "absolute": np.abs(apart)}[loss].mean()
    number = int if loss == "zero_one" else float
    assert no_information(truth.astype(number), said.astype(number), loss) == pytest.approx(want)


def test_the_632_estimates_by_hand(data):
    X, y, z = data
    for model, target, wrong in (
        (LinearDiscriminantAnalysis(), y, lambda a, b: a != b),
        (LinearRegression(), z, lambda a, b: (a - b) ** 2),
    ):
        found = bootstrap_error(model, X, target, n_bootstraps=25, random_state=3)
        total, times = np.zeros(120), np.zeros(120)
        for train, test in Bootstrap(25, random_state=3).split(X):
            said = model.fit(X[train], target[train]).predict(X[test])
            total[test] += wrong(said, target[test])
            times[test] += 1
        out = (total[times > 0] / times[times > 0]).mean()
        training = wrong(model.fit(X, target).predict(X), target).mean()
        assert found.out_of_bag == pytest.approx(out)
        assert found.training == pytest.approx(training)
        rate = (out - training) / (found.no_information - training)
        w = 0.632 / (1 - 0.368 * rate)
        assert found.error == pytest.approx((1 - w) * training + w * out)
        plain = bootstrap_error(model, X, target, method=".632", n_bootstraps=25, random_state=3)
        assert plain.error == pytest.approx(0.368 * training + 0.632 * out)


@pytest.mark.filterwarnings("ignore:The within-class covariance is singular")
@pytest.mark.parametrize(
    "kind", [LinearDiscriminantAnalysis, GaussianNB, MultinomialNB, BernoulliNB, ComplementNB]
)
@given(
    seed=st.integers(0, 2**32), n=st.integers(24, 80), rare=st.booleans(), single=st.booleans(),
    outlier=st.booleans(),
)  # fmt: skip
@settings(deadline=None, max_examples=15)
def test_samples_as_weights_are_refits(kind, seed, n, rare, single, outlier):
    rng = np.random.default_rng(seed)
    labels = np.array(["c", "a", "b"])[np.arange(n) % 3]
    if rare:  # a class that some samples lose
        labels[labels == "b"] = "a"
        labels[2] = "b"
    X = rng.poisson(2.0, (n, 4)) + (labels == "c")[:, None] + 0.01 * rng.random((n, 4))
    if outlier:
        X[0] = 1e6
    X = X.astype(np.float32) if single else X
    drawn = {"n_bootstraps": 9, "random_state": seed, "loss": "zero_one"}
    found, wrong = [], False
    for model in (kind(), Plain(kind())):
        try:
            found.append(bootstrap_error(model, X, labels, **drawn))
        except ValueError:
            wrong = True
    if wrong:  # a sample that has too few rows of a class is refused either way
        assert not found
        return
    assert [one.path for one in found] == ["merged statistics", "refit"]
    for name in ("error", "training", "out_of_bag", "no_information"):
        assert getattr(found[0], name) == pytest.approx(getattr(found[1], name), rel=1e-12)


def test_samples_of_tables_sparse_rows_and_threads(data):
    X, y, _ = data
    pandas = pytest.importorskip("pandas")
    drawn = {"n_bootstraps": 20, "random_state": 0}
    lda = bootstrap_error(LinearDiscriminantAnalysis(), X, y, **drawn)
    table = pandas.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    for model, rows, labels in (
        (LinearDiscriminantAnalysis(), table, pandas.Series(y)),
        *((LinearDiscriminantAnalysis(n_jobs=k), X, y) for k in (1, 2, 7)),
        (LinearDiscriminantAnalysis(), np.asfortranarray(X), y.tolist()),
    ):
        assert bootstrap_error(model, rows, labels, **drawn) == lda
    counts = np.floor(np.abs(X) * 3)
    assert bootstrap_error(MultinomialNB(), counts, y, **drawn) == bootstrap_error(
        MultinomialNB(), csr_array(counts), y, **drawn
    )
    with pytest.raises(ValueError, match="NaN"):
        bootstrap_error(LinearDiscriminantAnalysis(), np.where(X > 2, np.nan, X), y, **drawn)
    assert bootstrap_error(CategoricalNB(min_categories=20), counts, y, **drawn).path == "refit"


# ------------------------------------------------------------------ intervals
def test_nested_intervals(data):
    X, y, z = data
    for model, target in ((LinearDiscriminantAnalysis(), y), (LinearRegression(), z)):
        got = nested_cv_interval(model, X, target, n_splits=4, n_repeats=3, random_state=0)
        plain = nested_cv_interval(Plain(model), X, target, n_splits=4, n_repeats=3,
                                   loss="zero_one" if target is y else "squared",
                                   random_state=0)  # fmt: skip
        assert got.path == "merged statistics"
        assert plain.path == "refit"
        for name in ("error", "interval", "cv_error", "cv_interval", "inflation", "bias"):
            assert getattr(got, name) == pytest.approx(getattr(plain, name), rel=1e-9)
        assert 1.0 <= got.inflation <= 2.0
        assert got.interval[1] - got.interval[0] >= got.cv_interval[1] - got.cv_interval[0]
        authors = nested_cv_interval(
            model, X, target, n_splits=4, n_repeats=3, bias_exponent=1.5, random_state=0
        )
        ratio = (1 + 0.5**1.5) / (1 + 0.5)
        assert authors.bias == pytest.approx(got.bias * ratio)
    with pytest.raises(ValueError, match="n_splits must be between 3"):
        nested_cv_interval(LinearRegression(), X, z, n_splits=2)


def test_the_interval_of_targets_of_any_size(data):
    X, _, z = data
    how = {"n_splits": 3, "n_repeats": 2, "random_state": 0}
    one = nested_cv_interval(Ridge(), X, z, **how)
    for power in (-250, 330):
        got = nested_cv_interval(Ridge(), X, np.ldexp(z, power), **how)
        for name in ("error", "cv_error", "interval", "cv_interval", "bias"):
            np.testing.assert_allclose(
                np.ldexp(getattr(got, name), -2 * power), getattr(one, name), rtol=1e-6
            )
        assert got.inflation == pytest.approx(one.inflation)


def test_the_interval_by_hand(data):
    X, _, z = data
    rng = np.random.default_rng(5)
    order = rng.permutation(120)
    folds = [np.sort(order[k * 30 : (k + 1) * 30]) for k in range(4)]
    terms, nested, plain = [], [], []
    for k, out in enumerate(folds):
        rest = np.setdiff1d(np.arange(120), out)
        losses = []
        for j, inner in enumerate(folds):
            if j != k:
                train = np.setdiff1d(rest, inner)
                said = LinearRegression().fit(X[train], z[train]).predict(X[inner])
                losses.append((said - z[inner]) ** 2)
        losses = np.concatenate(losses)
        outer = (LinearRegression().fit(X[rest], z[rest]).predict(X[out]) - z[out]) ** 2
        terms.append((losses.mean() - outer.mean()) ** 2 - outer.var(ddof=1) / 30)
        nested.append(losses)
        plain.append(outer)
    got = nested_cv_interval(LinearRegression(), X, z, n_splits=4, n_repeats=1, random_state=5)
    assert got.cv_error == pytest.approx(np.concatenate(plain).mean())
    bias = 1.5 * (np.concatenate(nested).mean() - np.concatenate(plain).mean())
    assert got.bias == pytest.approx(bias)
    usual = np.concatenate(nested).std(ddof=1) / np.sqrt(90)
    inflation = np.clip(np.sqrt(max(0, np.mean(terms))) / usual, 1, 2)
    assert got.inflation == pytest.approx(inflation)


def test_an_external_set(data):
    X, y, _ = data
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 9]})
    alone = external_validation(search, X[:80], y[:80], X[80:], y[80:])
    assert alone == search.fit(X[:80], y[:80]).score(X[80:], y[80:])
    both = external_validation(
        KNeighborsClassifier(1), X[:80], y[:80], X[80:], y[80:], select_on_all=True
    )
    assert both == 1.0


# ------------------------------------------------------------------ bias and variance
@pytest.mark.parametrize("kind", ["squared", "kohavi_wolpert", "domingos"])
def test_the_parts_add_up(data, kind):
    X, y, z = data
    model = LinearRegression() if kind == "squared" else LinearDiscriminantAnalysis()
    target = z if kind == "squared" else y
    given = {"loss": kind, "n_rounds": 30, "random_state": 2}
    got = bias_variance(model, X, target, **given)
    plain = bias_variance(Plain(model), X, target, **given)
    assert (got.path, plain.path) == ("merged statistics", "refit")
    np.testing.assert_allclose(got.predictions, plain.predictions, rtol=1e-9)
    assert got.noise + got.bias + got.net_variance == pytest.approx(got.loss)
    said, truth = got.predictions, got.targets
    if kind == "squared":
        assert got.loss == pytest.approx(((said - truth) ** 2).mean())
        assert got.variance == pytest.approx(said.var(axis=0).mean())
        return
    assert got.loss == pytest.approx((said != truth).mean())
    modes = np.array([np.bincount(column, minlength=3).argmax() for column in said.T])
    assert (got.main_prediction == np.array(["a", "b", "c"])[modes]).all()
    if kind == "domingos":
        apart = (said != modes).mean(axis=0)
        assert got.bias == pytest.approx((modes != truth).mean())
        assert got.variance == pytest.approx(apart.mean())
        assert got.unbiased_variance == pytest.approx((apart * (modes == truth)).mean())
        assert got.biased_variance == pytest.approx((apart * (modes != truth)).mean())
        return
    shares = np.stack([(said == k).mean(axis=0) for k in range(3)], axis=1)
    onehot = np.eye(3)[truth]
    more = (shares * (1 - shares)).sum(1) / 29
    bias = 0.5 * (((onehot - shares) ** 2).sum(1) - more)
    assert got.bias == pytest.approx(bias.mean())
    assert got.variance == pytest.approx(0.5 * (1 - (shares**2).sum(1) + more).mean())


def test_a_test_set_of_ones_own(data):
    X, _, z = data
    got = bias_variance(
        Ridge(1.0), X[:80], z[:80], X_test=X[80:], y_test=z[80:], n_rounds=5, random_state=0
    )
    assert got.predictions.shape == (5, 40)
    np.testing.assert_array_equal(got.targets, z[80:])
    one, two = (
        bias_variance(Ridge(1.0), X, z, n_rounds=4, random_state=1, n_jobs=jobs) for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.predictions, two.predictions)
    with pytest.raises(ValueError, match="must be passed together"):
        bias_variance(Ridge(1.0), X, z, X_test=X)
    with pytest.raises(ValueError, match="loss must be"):
        bias_variance(Ridge(1.0), X, z, loss="0-1")
    with pytest.raises(ValueError, match="n_rounds must be at least 2"):
        bias_variance(Ridge(1.0), X, z, n_rounds=1)


@pytest.mark.parametrize("scores", [[("test_score", [1.0])], [], None, "test_score", 3])
def test_scores_of_folds_are_a_dict(scores):
    with pytest.raises(TypeError, match=r"^scores must be a dict"):
        FoldScores(scores, "refit")


def test_bias_variance_is_of_an_estimator():
    with pytest.raises(TypeError, match="estimator"):
        bias_variance(object(), np.ones((9, 1)), np.arange(9.0), loss="squared")


def test_targets_that_do_not_go_together():
    X, dates = np.arange(4.0)[:, None], np.array(["2020-01-01"] * 4, dtype="M8[D]")
    with pytest.raises(ValueError, match="must hold numbers"):
        external_validation(LinearRegression(), X, np.arange(4.0), X, dates)
    with pytest.raises(ValueError, match="y should be an array-like of targets"):
        bias_variance(LinearRegression(), X, [[1.0, 2.0], [3.0]], loss="squared")
