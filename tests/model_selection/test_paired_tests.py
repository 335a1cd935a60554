# SPDX-License-Identifier: BSD-3-Clause
"""Tests between models: R's numbers, mlxtend's, the formulas by hand, and comparisons of models."""

import numpy as np
import pytest
from scipy import stats

from statfast import KNeighborsClassifier, LinearDiscriminantAnalysis, LinearRegression, Ridge
from statfast.model_selection import (
    KFold,
    RepeatedKFold,
    StratifiedKFold,
    bayesian_t_test,
    compare,
    corrected_t_test,
    cross_val_predict,
    cross_val_score,
    five_by_two_test,
    friedman_test,
    mcnemar_test,
)

# Hollander & Wolfe (1973), p. 140: times of 22 runners around first base, in R's friedman.test.
TIMES = np.array([
    5.40, 5.50, 5.55, 5.85, 5.70, 5.75, 5.20, 5.60, 5.50, 5.55, 5.50, 5.40, 5.90, 5.85, 5.70,
    5.45, 5.55, 5.60, 5.40, 5.40, 5.35, 5.45, 5.50, 5.35, 5.25, 5.15, 5.00, 5.85, 5.80, 5.70,
    5.25, 5.20, 5.10, 5.65, 5.55, 5.45, 5.60, 5.35, 5.45, 5.05, 5.00, 4.95, 5.50, 5.50, 5.40,
    5.45, 5.55, 5.50, 5.55, 5.55, 5.35, 5.45, 5.50, 5.55, 5.50, 5.45, 5.25, 5.65, 5.60, 5.40,
    5.70, 5.65, 5.55, 6.30, 6.30, 6.25,
]).reshape(22, 3)  # fmt: skip


def test_mcnemar_of_r():
    corrected = mcnemar_test(121, 59, method="corrected")
    assert corrected.statistic == pytest.approx(20.672222222222221, rel=1e-13)
    assert corrected.p_value == pytest.approx(5.4500948254271171e-06, rel=1e-12)
    plain = mcnemar_test(59, 121, method="chi2")
    assert plain.statistic == pytest.approx(21.355555555555554, rel=1e-13)
    assert plain.p_value == pytest.approx(3.8151358651125936e-06, rel=1e-12)
    exact = mcnemar_test(121, 59)
    assert exact.p_value == pytest.approx(4.4344492637555101e-06, rel=1e-12)
    assert mcnemar_test(121, 59, method="midp").p_value < exact.p_value


@pytest.mark.parametrize("b", range(5))
@pytest.mark.parametrize("c", range(5))
def test_small_counts(b, c):
    exact = 1.0 if b + c == 0 else min(1.0, 2 * stats.binom.cdf(min(b, c), b + c, 0.5))
    assert mcnemar_test(b, c).p_value == pytest.approx(exact)
    if b + c:
        k = np.arange(b + c + 1)
        p = stats.binom.pmf(k, b + c, 0.5)
        mid = p[p < p[b] * (1 - 1e-9)].sum() + (p[b] if b != c else 0.5 * p[b] + 0.5 * p[b]) / (
            1 if b != c else 2
        )
        got = mcnemar_test(b, c, method="midp").p_value
        assert got == pytest.approx(2 * (stats.binom.cdf(min(b, c), b + c, 0.5)) - p[b]) or b == c
        assert got <= exact
        assert mid <= 1
    assert mcnemar_test(b, c, method="corrected").p_value == pytest.approx(
        stats.chi2.sf((abs(b - c) - 1) ** 2 / (b + c), 1) if abs(b - c) >= 1 else 1.0
    )


def test_friedman_of_r():
    test = friedman_test(TIMES, names=["round", "narrow", "wide"], greater_is_better=False)
    assert test.statistic == pytest.approx(11.1428571428571, rel=1e-13)
    assert test.df == (2,)
    assert test.p_value == pytest.approx(0.00380504077551136, rel=1e-12)
    assert test.statistic == pytest.approx(stats.friedmanchisquare(*TIMES.T).statistic)
    assert test.more["ranks"].argmin() == 2
    assert "narrow - wide" in str(test.more["table"])
    apart = np.abs(np.subtract.outer(test.more["ranks"], test.more["ranks"]))
    significant = test.more["nemenyi"] < 0.05
    assert ((apart > test.more["critical_difference"]) == significant).all()
    z = apart / np.sqrt(3 * 4 / (6 * 22))
    raw = np.sort(2 * stats.norm.sf(z[np.triu_indices(3, 1)]))
    want = np.minimum(np.maximum.accumulate(raw * [3, 2, 1]), 1)
    np.testing.assert_allclose(np.sort(test.more["holm"][np.triu_indices(3, 1)]), want)
    # Demsar (2006), table 5: critical values q of the Nemenyi test for 2, 3, 4, 10 models.
    for k, q in ((2, 1.960), (3, 2.343), (4, 2.569), (10, 3.164)):
        scores = np.random.default_rng(0).random((8, k))
        critical = friedman_test(scores).more["critical_difference"]
        assert critical / np.sqrt(k * (k + 1) / 48) == pytest.approx(q, abs=1e-3)


def test_models_that_are_equal():
    even = friedman_test(np.ones((4, 3)))
    assert (even.statistic, even.p_value) == (0.0, 1.0)
    none = corrected_t_test([0.0, 0.0, 0.0], test_share=0.1)
    assert (none.statistic, none.p_value, none.interval) == (0.0, 1.0, (0.0, 0.0))
    always = corrected_t_test([0.1, 0.1, 0.1], test_share=0.1)
    assert always.p_value == 0.0 or always.statistic > 1e10
    assert bayesian_t_test([0.0, 0.0], test_share=0.1, rope=0.01).more["equal"] == 1.0


def test_formulas_of_the_t_tests():
    d = np.random.default_rng(0).normal(0.01, 0.02, 30)
    share = 1 / 9
    error = np.sqrt(d.var(ddof=1) * (1 / 30 + share))
    test = corrected_t_test(d, test_share=share, level=0.9)
    assert test.statistic == pytest.approx(d.mean() / error)
    assert test.p_value == pytest.approx(2 * stats.t.sf(abs(d.mean() / error), 29))
    np.testing.assert_allclose(test.interval, stats.t.interval(0.9, 29, d.mean(), error))
    bayes = bayesian_t_test(d, test_share=share, rope=0.005)
    posterior = stats.t(29, d.mean(), error)
    assert bayes.more["first"] == pytest.approx(posterior.sf(0.005))
    assert bayes.more["second"] == pytest.approx(posterior.cdf(-0.005))
    five = d[:10].reshape(5, 2)
    s = ((five - five.mean(1, keepdims=True)) ** 2).sum(1)
    t = five_by_two_test(five, kind="t")
    assert t.statistic == pytest.approx(five[0, 0] / np.sqrt(s.sum() / 5))
    assert t.p_value == pytest.approx(2 * stats.t.sf(abs(t.statistic), 5))
    f = five_by_two_test(five)
    assert f.statistic == pytest.approx((five**2).sum() / (2 * s.sum()))
    assert f.p_value == pytest.approx(stats.f.sf(f.statistic, 10, 5))


@pytest.fixture
def data():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((90, 3))
    return X, (X[:, 0] + 0.7 * rng.standard_normal(90) > 0).astype(int)


def test_classifiers_compared(data):
    X, y = data
    models = {"LDA": LinearDiscriminantAnalysis(), "1-NN": KNeighborsClassifier(1),
              "LDA of two": LinearDiscriminantAnalysis(method="mle")}  # fmt: skip
    found = compare(models, X, y, cv=KFold(5))
    for name, scores in zip(found.names, found.scores, strict=True):
        np.testing.assert_allclose(scores, cross_val_score(models[name], X, y, cv=KFold(5)))
    d = found.scores[0] - found.scores[1]
    test = corrected_t_test(d, test_share=0.25)
    assert found.tests["LDA", "1-NN"].p_value == test.p_value
    right = [cross_val_predict(models[n], X, y, cv=KFold(5)) == y for n in ("LDA", "1-NN")]
    wins = (right[0] & ~right[1]).sum(), (right[1] & ~right[0]).sum()
    assert found.mcnemar["LDA", "1-NN"].p_value == mcnemar_test(*map(int, wins)).p_value
    assert found.delong["LDA", "1-NN"].p_value < 0.2
    assert found.friedman.df == (2,)
    assert found.paths[0] == "merged statistics"
    assert "LDA - 1-NN" in str(found)
    pandas = pytest.importorskip("pandas")
    assert isinstance(found.to_frame(), pandas.DataFrame)


@pytest.mark.parametrize("method", ["5x2cv_f", "5x2cv_t"])
def test_regressors_compared_five_times(data, method):
    X, _ = data
    y = X[:, 0] + np.random.default_rng(0).standard_normal(90)
    found = compare([LinearRegression(), Ridge(50.0)], X, y, method=method, random_state=0)
    cv = RepeatedKFold(n_splits=2, n_repeats=5, random_state=0)
    np.testing.assert_allclose(found.scores[1], cross_val_score(Ridge(50.0), X, y, cv=cv))
    d = (found.scores[0] - found.scores[1]).reshape(5, 2)
    pair = ("LinearRegression", "Ridge")
    assert found.tests[pair].p_value == five_by_two_test(d, kind=method[-1]).p_value
    assert not found.mcnemar
    assert found.friedman is None


def test_ten_times_ten_folds_by_default(data):
    X, y = data
    found = compare([LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis(tol=1e-3)], X, y)
    assert found.scores.shape == (2, 100)
    assert found.names == ["LinearDiscriminantAnalysis 1", "LinearDiscriminantAnalysis 2"]
    assert next(iter(found.mcnemar.values())).p_value == 1.0


def test_bad_arguments(data):
    X, y = data
    lda = LinearDiscriminantAnalysis()
    for call, message in (
        (lambda: compare([lda], X, y), "at least two to compare"),
        (lambda: compare(lda, X, y), "models must be a dict or a list"),
        (lambda: compare([lda, lda], X, y, method="t"), "method must be"),
        (lambda: corrected_t_test([1.0], test_share=0.1), "at least 2 finite numbers"),
        (lambda: corrected_t_test([1.0, np.nan], test_share=0.1), "differences contains NaN"),
        (lambda: corrected_t_test([1.0, 2.0], test_share=0.0), "test_share must be greater"),
        (lambda: five_by_two_test(np.ones((2, 5))), r"of shape \(5, 2\)"),
        (lambda: mcnemar_test(-1, 2), "first_only must be at least 0"),
        (lambda: mcnemar_test(1, 2, method="z"), "method must be"),
        (lambda: friedman_test([[1.0, 2.0]]), "at least 2 data sets and 2 models"),
        (lambda: friedman_test(np.ones((3, 2)), names=["a"]), "one name for each of 2"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            call()


@pytest.mark.parametrize("size", [2.0**-900, 2.0**900])
def test_differences_of_any_size(size):
    d = np.random.default_rng(0).normal(0.3, 1.0, (5, 2))
    for kind in ("f", "t"):
        plain, sized = five_by_two_test(d, kind=kind), five_by_two_test(size * d, kind=kind)
        assert sized.p_value == plain.p_value
        assert sized.estimate == size * plain.estimate
    flat = d.ravel()
    plain, sized = (corrected_t_test(s * flat, test_share=0.2) for s in (1.0, size))
    assert sized.statistic == pytest.approx(plain.statistic, rel=1e-14)
    assert sized.interval == pytest.approx([size * end for end in plain.interval], rel=1e-14)
    plain = bayesian_t_test(flat, test_share=0.2, rope=0.1)
    sized = bayesian_t_test(size * flat, test_share=0.2, rope=size * 0.1)
    assert sized.more == pytest.approx(plain.more, rel=1e-12)


@pytest.mark.parametrize("wrong", [None, "X", {}, object(), iter([1.0]), [[1.0], [1.0, 2.0]], 3.0])
def test_what_is_no_table_of_numbers(wrong):
    for call in (
        lambda: corrected_t_test(wrong, test_share=0.1),
        lambda: bayesian_t_test(wrong, test_share=0.1),
        lambda: five_by_two_test(wrong),
        lambda: friedman_test(wrong),
    ):
        with pytest.raises((TypeError, ValueError), match=r"differences|scores"):
            call()
    with pytest.raises(TypeError, match="names must be a list of names"):
        friedman_test(np.ones((3, 2)), names=np.array(3))


def test_a_kind_that_is_not_known():
    with pytest.raises(ValueError, match="kind"):
        five_by_two_test(np.ones((5, 2)), kind="none of them")


def test_rows_held_out_once_are_those_of_ten_folds():
    # The folds of the comparison hold rows out several times, or not at all.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    models = {"near": KNeighborsClassifier(3), "lda": LinearDiscriminantAnalysis()}
    folds = [(np.arange(20, 60), np.arange(20)), (np.arange(10, 60), np.arange(20))]
    found = compare(models, X, y, cv=folds)
    right = {
        name: cross_val_predict(model, X, y, cv=StratifiedKFold(10)) == y
        for name, model in models.items()
    }
    want = mcnemar_test(
        int((right["near"] & ~right["lda"]).sum()), int((right["lda"] & ~right["near"]).sum())
    )
    (pair,) = found.mcnemar
    assert found.mcnemar[pair].p_value == want.p_value
