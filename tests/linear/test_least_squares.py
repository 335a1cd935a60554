# SPDX-License-Identifier: BSD-3-Clause
"""Linear regression: NIST's certified values, R's lm, and the ways to the same solution."""

import json
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast import Chunks, GeneralizedLinearModel, LinearRegression
from statfast._engine import blocks
from statfast.linear.glm import irls_sums
from statfast.linear.least_squares import qr

# Digits reached in all coefficients and in all their standard errors (15 are certified), rounded
# down from those of docs/theory/least_squares.rst; those of Filip are lost when x^10 is rounded to
# float64, some of Norris, Pontius and Wampler2 when y or the powers are.
NIST = {
    "Norris": (14, 13),
    "Pontius": (13, 13),
    "NoInt1": (14, 14),
    "NoInt2": (14, 14),
    "Filip": (7, 7),
    "Longley": (14, 12),
    "Wampler1": (15, 15),
    "Wampler2": (13, 15),
    "Wampler3": (15, 13),
    "Wampler4": (15, 13),
    "Wampler5": (15, 13),
}


def digits(got, want):
    got, want = np.asarray(got, dtype=float), np.asarray(want, dtype=float)
    scale = np.where(want == 0, 1.0, np.abs(want))
    return -np.log10(np.maximum(np.abs(got - want) / scale, 1e-16).max())


def test_digits_are_those_of_the_worst():
    assert digits([1 + 1e-12, 1.0], [1.0, 1.0]) == pytest.approx(12.0, abs=1e-3)


@pytest.mark.parametrize("name", NIST)
def test_nist(name, shared_data):
    certified = json.loads(shared_data("nist", "certified.json").read_text())[name]
    table = np.loadtxt(shared_data("nist", f"{name}.csv"), delimiter=",", skiprows=1)
    y, X = table[:, 0], table[:, 1:]
    if (certified["polynomial_degree"] or 1) > 1:
        X = X ** np.arange(1, certified["polynomial_degree"] + 1)
    one = certified["intercept"]
    model = LinearRegression(fit_intercept=one).fit(X, y)
    coef = np.concatenate([[model.intercept_] * one, model.coef_])
    of_coef, of_errors = NIST[name]
    assert digits(coef, certified["estimate"]) >= of_coef
    assert digits(model.standard_errors_, certified["standard_error"]) >= of_errors
    assert digits(model.r_squared_, certified["r_squared"]) >= of_errors
    assert digits(model.sigma_, certified["residual_sd"]) >= of_errors
    if certified["anova"]["residual_ss"] > 0:
        assert digits(model.f_test_[0], certified["anova"]["f"]) >= of_errors - 1


# ------------------------------------------------------------------ R's lm
def r_values(name):
    folder = Path(__file__).resolve().parents[3] / "shared" / "reference"
    data = os.environ.get("STATFAST_DATA")
    if data:
        folder = Path(data).parent / "reference"
    if not (folder / "lm.json").exists():
        pytest.skip(f"lm.json is not in {folder}; set STATFAST_DATA")
    return json.loads((folder / "lm.json").read_text())[name]


def prostate(shared_data):
    lines = shared_data("esl", "prostate.csv").read_text().splitlines()
    names = [name.strip('"') for name in lines[0].split(",")]
    rows = [dict(zip(names, line.replace('"', "").split(","), strict=False)) for line in lines[1:]]
    train = np.array([row["train"].strip() in ("T", "TRUE") for row in rows])
    terms = r_values("prostate_ESL")["terms"][1:]
    X = np.array([[float(row[term]) for term in terms] for row in rows])
    X = (X - X.mean(0)) / X.std(0, ddof=1)
    y = np.array([float(row["lpsa"]) for row in rows])
    return X[train], y[train], X[~train], y[~train]


def test_prostate_is_r(shared_data):
    want = r_values("prostate_ESL")
    X, y, X_test, y_test = prostate(shared_data)
    model = LinearRegression().fit(X, y)
    close = {"rtol": 1e-10, "atol": 1e-14}
    np.testing.assert_allclose([model.intercept_, *model.coef_], want["coef"], **close)
    np.testing.assert_allclose(model.standard_errors_, want["se"], **close)
    np.testing.assert_allclose(model.statistics_, want["t"], **close)
    np.testing.assert_allclose(model.p_values_, want["p"], rtol=1e-9)
    np.testing.assert_allclose(model.covariance_, want["vcov"], **close)
    np.testing.assert_allclose(model.sigma_, want["sigma"], **close)
    np.testing.assert_allclose(model.r_squared_, want["r_squared"], **close)
    np.testing.assert_allclose(model.adjusted_r_squared_, want["adj_r_squared"], **close)
    np.testing.assert_allclose(model.f_test_[:3], want["f"], **close)
    np.testing.assert_allclose(model.rss_, want["rss"], **close)
    np.testing.assert_allclose([model.aic_, model.bic_], [want["aic"], want["bic"]], **close)
    found = model.influence(X, y)
    np.testing.assert_allclose(found.leverage[:5], want["hat_first5"], **close)
    np.testing.assert_allclose(found.cooks_distance[:5], want["cooks_first5"], **close)
    t, df = found.standardized[:5], model.df_residual_
    outside = t * np.sqrt((df - 1) / (df - t**2))
    np.testing.assert_allclose(outside, want["rstudent_first5"], **close)
    error = np.mean((model.predict(X_test) - y_test) ** 2)
    np.testing.assert_allclose(error, want["test_mse"], **close)
    assert "R squared" in str(model.summary())


# ------------------------------------------------------------------ the same solution by all ways
@given(
    n=st.integers(30, 200), p=st.integers(1, 6), seed=st.integers(0, 2**32 - 1),
    intercept=st.booleans(), weighted=st.booleans(), offset=st.sampled_from([0.0, 1.0, 1e4]),
)  # fmt: skip
def test_both_factors_give_the_solution(n, p, seed, intercept, weighted, offset):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + offset
    Y = rng.standard_normal((n, 2)) + X[:, :1]
    w = rng.integers(1, 4, n).astype(float) if weighted else None
    root = np.ones(n) if w is None else np.sqrt(w)
    A = np.column_stack([np.ones((n, int(intercept))), X])
    want = np.linalg.lstsq(A * root[:, None], Y * root[:, None])[0]
    from statfast.linear.least_squares.lstsq import least_squares

    results = [least_squares(X, Y, w, intercept, 1e-11)]
    by_products = qr._factor_by_products(X, Y, w, intercept, None)
    if offset <= 1.0:
        assert by_products is not None
        R = qr._factor_by_rows(X, Y, w, intercept, None).R
        np.testing.assert_allclose(by_products.R.T @ by_products.R, R.T @ R, rtol=1e-9, atol=1e-9)
    for found in results:
        got = np.vstack([found.intercept[None]] * intercept + [found.coef.T])
        np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-9 * (1 + offset))
        rss = ((Y - A @ want) ** 2 * root[:, None] ** 2).sum(0)
        np.testing.assert_allclose(found.rss, rss, rtol=1e-8 * (1 + offset))


def test_many_rows_agree_with_qr(monkeypatch):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60_000, 5)) * [1, 1e3, 1e-3, 1, 1] + [0, 1e4, 0, 5, 0]
    X[:, 4] = X[:, 3] + 1e-2 * X[:, 4]
    y = X @ [1.0, 1e-3, 1e3, 2.0, -1.0] + rng.standard_normal(len(X))
    fast = LinearRegression().fit(X, y)
    monkeypatch.setattr(qr, "MIN_NUMBERS_FOR_PRODUCTS", np.inf)
    slow = LinearRegression().fit(X, y)
    plain = np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), y)[0][1:]
    lost = np.abs(plain / slow.coef_ - 1).max()  # slow is corrected in twice the precision
    assert np.abs(fast.coef_ / slow.coef_ - 1).max() <= 10 * lost + 1e-14
    np.testing.assert_allclose(fast.standard_errors_, slow.standard_errors_, rtol=1e-10)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_one_pass_over_many_rows_is_as_good_as_qr(monkeypatch, dtype, weighted, intercept):
    rng = np.random.default_rng(50)
    X = (rng.standard_normal((50_003, 6)) * [1, 1e5, 1e-5, 1, 1, 1] + 2 * intercept).astype(dtype)
    y = (X - 2 * intercept) @ [1.0, 1e-5, 1e5, 2.0, -1.0, 0.0] + rng.standard_normal(len(X))
    w = rng.integers(0, 3, len(X)).astype(float) if weighted else None
    passes = passes_of(monkeypatch)
    fast = LinearRegression(fit_intercept=intercept).fit(X, y, w)
    assert passes.count(len(X)) == 1
    monkeypatch.setattr(qr, "MIN_NUMBERS_FOR_PRODUCTS", np.inf)
    slow = LinearRegression(fit_intercept=intercept).fit(X, y, w)
    size = X.std(0)
    assert np.abs((fast.coef_ - slow.coef_) * size).max() < 2e-14
    np.testing.assert_allclose(fast.intercept_, slow.intercept_, rtol=1e-13)
    np.testing.assert_allclose(fast.rss_, slow.rss_, rtol=1e-13)
    np.testing.assert_allclose(fast.r_squared_, slow.r_squared_, rtol=1e-12)
    errors = np.sqrt(slow.covariance_.diagonal())
    assert np.abs((fast.covariance_ - slow.covariance_) / np.outer(errors, errors)).max() < 1e-11


def passes_of(monkeypatch):
    """The numbers of rows that are passed over from now on."""
    found, plain = [], irls_sums.ModelRows.sums_at

    def sums_at(rows, b, **how):
        found.append(rows.n)
        return plain(rows, b, **how)

    monkeypatch.setattr(irls_sums.ModelRows, "sums_at", sums_at)
    return found


def test_a_poor_start_is_corrected(monkeypatch):
    rng = np.random.default_rng(51)
    X = rng.standard_normal((50_000, 5))
    X[:, 1] = X[:, 0] + 0.03 * X[:, 1]  # its condition, squared, is larger than what is left
    y = X @ [1.0, -1.0, 0.1, 0.0, 0.0] + 10 * rng.standard_normal(len(X))
    passes = passes_of(monkeypatch)
    fast = LinearRegression().fit(X, y)
    assert passes.count(len(X)) > 1
    monkeypatch.setattr(qr, "MIN_NUMBERS_FOR_PRODUCTS", np.inf)
    np.testing.assert_allclose(fast.coef_, LinearRegression().fit(X, y).coef_, rtol=1e-11)
    perfect = LinearRegression().fit(X, X @ np.arange(5.0) + 1.0)
    np.testing.assert_allclose(perfect.coef_, np.arange(5.0), atol=1e-13)
    assert 0 <= perfect.rss_ < 1e-18


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("n", [50, 50_000])
def test_what_is_no_number_is_found(n, wrong):
    X = np.random.default_rng(52).standard_normal((n, 5))
    X[n // 2, 3] = wrong
    with pytest.raises(ValueError, match=f"X contains .*, first at row {n // 2}, column 3"):
        LinearRegression().fit(X, np.ones(n))


def test_chunks_are_the_rows():
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((500, 3)), rng.standard_normal(500)
    whole = LinearRegression().fit(X, y)
    parts = LinearRegression().fit(Chunks([X[:123], X[123:]]), y)
    np.testing.assert_allclose(parts.coef_, whole.coef_, rtol=1e-13)


def test_threads_do_not_change_a_bit(monkeypatch):
    monkeypatch.setattr(blocks, "MIN_FLOP_FOR_THREADS", 0)
    rng = np.random.default_rng(7)
    X, y = rng.standard_normal((70_000, 4)), rng.standard_normal(70_000)
    first, *others = [LinearRegression(n_jobs=k).fit(X, y) for k in (1, 2, 7)]
    assert all((model.coef_ == first.coef_).all() for model in others)


# ------------------------------------------------------------------ dependent columns
def test_dependent_columns_are_named_and_left_out():
    rng = np.random.default_rng(8)
    X = rng.standard_normal((50, 5))
    X[:, 2] = X[:, 0] - 2 * X[:, 1]
    X[:, 3] = 4.0
    y = rng.standard_normal(50)
    with pytest.warns(UserWarning, match="x2, x3"):
        model = LinearRegression().fit(X, y)
    alone = LinearRegression().fit(X[:, [0, 1, 4]], y)
    assert model.aliased_.tolist() == [False, False, False, True, True, False]
    assert model.rank_ == 4
    np.testing.assert_allclose(model.coef_[[0, 1, 4]], alone.coef_, rtol=1e-12)
    np.testing.assert_allclose(
        model.standard_errors_[[0, 1, 2, 5]], alone.standard_errors_, rtol=1e-12
    )
    assert np.isnan(model.standard_errors_[[3, 4]]).all()


def test_more_columns_than_rows():
    rng = np.random.default_rng(9)
    X, y = rng.standard_normal((4, 7)), rng.standard_normal(4)
    with pytest.warns(UserWarning, match="x3, x4, x5, x6"):
        model = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.predict(X), y)
    assert model.rank_ == 4


# ------------------------------------------------------------------ known answers, inference
def test_known_answers():
    model = LinearRegression().fit([[1], [2], [3]], [1, 2, 2])
    np.testing.assert_allclose([model.coef_[0], model.intercept_], [1 / 2, 2 / 3])
    x, y = np.array([1.0, 4.1, 6.1, 7.9]), np.array([2.0, 3.7, 4.6, 7.0])
    cubic = LinearRegression().fit(x[:, None] ** [1, 2, 3], y)
    np.testing.assert_allclose(cubic.predict(x[:, None] ** [1, 2, 3]), y, rtol=1e-12)


def test_intervals():
    rng = np.random.default_rng(10)
    X = rng.standard_normal((40, 2))
    y = X @ [1.0, 2.0] + rng.standard_normal(40)
    model = LinearRegression().fit(X, y)
    mean, error, ends = model.predict(X[:3], se=True, interval="prediction", level=0.9)
    A = np.column_stack([np.ones(40), X])
    spread = np.sqrt(
        model.sigma_**2 * (1 + np.einsum("ij,jk,ik->i", A, np.linalg.inv(A.T @ A), A))
    )[:3]
    from scipy.special import stdtrit

    wide = stdtrit(37, 0.95) * spread
    np.testing.assert_allclose(ends, np.column_stack([mean - wide, mean + wide]), rtol=1e-10)
    np.testing.assert_allclose(error**2 + model.sigma_**2, spread**2, rtol=1e-10)


@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3"])
def test_robust_covariance(kind):
    rng = np.random.default_rng(11)
    X = rng.standard_normal((60, 2))
    y = X[:, 0] * (1 + rng.standard_normal(60))
    model = LinearRegression().fit(X, y)
    A = np.column_stack([np.ones(60), X])
    inverse = np.linalg.inv(A.T @ A)
    h = np.einsum("ij,jk,ik->i", A, inverse, A)
    e = y - model.predict(X)
    factor = {"HC0": 1, "HC1": 60 / 57, "HC2": 1 / (1 - h), "HC3": 1 / (1 - h) ** 2}[kind]
    want = inverse @ (A.T * (e**2 * factor)) @ A @ inverse
    np.testing.assert_allclose(model.robust_covariance(X, y, kind=kind), want, rtol=1e-9)


def test_weights_of_both_types():
    rng = np.random.default_rng(12)
    X, y, w = rng.standard_normal((30, 2)), rng.standard_normal(30), rng.integers(1, 4, 30)
    repeated = LinearRegression().fit(X.repeat(w, 0), y.repeat(w))
    frequency = LinearRegression().fit(X, y, w)
    np.testing.assert_allclose(frequency.standard_errors_, repeated.standard_errors_, rtol=1e-12)
    np.testing.assert_allclose(frequency.aic_, repeated.aic_, rtol=1e-12)
    analytic = LinearRegression(weight_type="analytic").fit(X, y, w)
    scaled = LinearRegression(weight_type="analytic").fit(X, y, 5.0 * w)
    assert analytic.df_residual_ == 27
    np.testing.assert_allclose(analytic.standard_errors_, scaled.standard_errors_, rtol=1e-12)
    np.testing.assert_allclose(analytic.log_likelihood_, scaled.log_likelihood_, rtol=1e-12)


def test_a_target_of_zeros_has_no_likelihood():
    X = np.random.default_rng(14).standard_normal((20, 2))
    model = LinearRegression().fit(X, np.zeros(20))
    assert model.rss_ == 0
    assert np.isnan([model.log_likelihood_, model.aic_, model.bic_]).all()
    assert "Residual std. error" in str(model.summary())


def test_several_targets_have_results_of_their_own():
    rng = np.random.default_rng(13)
    X, Y = rng.standard_normal((30, 2)), rng.standard_normal((30, 2))
    model = LinearRegression().fit(X, Y)
    with pytest.raises(ValueError, match="results_"):
        model.summary()
    second = LinearRegression().fit(X, Y[:, 1])
    np.testing.assert_allclose(model.coef_[1], second.coef_, rtol=1e-13)
    np.testing.assert_allclose(model.results_[1].covariance, second.covariance_, rtol=1e-12)


def test_values_that_overflow_are_refused():
    with pytest.raises(ValueError, match="overflow"):
        LinearRegression().fit([[1e200], [2e200], [3e200]], [1, 2, 3])


def test_float32_rows_are_predicted_in_double():
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(50, 3)) + 4096).astype(np.float32)
    model = LinearRegression().fit(X, X @ [1.0, 2.0, 3.0])
    exact = model.predict(X.astype(np.float64))
    np.testing.assert_array_equal(model.predict(X), exact.astype(np.float32))


def test_columns_of_zeros_alone():
    X = np.zeros((5, 2))
    with pytest.warns(UserWarning, match="depend on those before them, or are constant"):
        model = LinearRegression(fit_intercept=False).fit(X, np.arange(5.0))
    assert (model.coef_ == 0).all()


@pytest.mark.parametrize("model", [LinearRegression(), GeneralizedLinearModel()])
def test_errors_of_predictions_where_rows_lie_far_away(model):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(50, 3))
    y = X @ [1.0, 2.0, 3.0] + rng.normal(size=50)
    near = model.fit(X, y).predict(X, se=True)[1], model.influence(X, y).leverage
    far = model.fit(X + 1e7, y).predict(X + 1e7, se=True)[1], model.influence(X + 1e7, y).leverage
    np.testing.assert_allclose(far, near, rtol=1e-6)


def test_arguments_of_inference_are_checked():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 2))
    model = LinearRegression().fit(X, X @ [1.0, 900.0] + rng.standard_normal(20))
    with pytest.raises(TypeError, match="se must be True or False"):
        model.predict(X, se=np.ones(2))
    for covariance in (np.eye(2), [1.0, 2.0, 3.0], [[1.0, 2.0], [3.0]]):
        with pytest.raises(ValueError, match="covariance"):
            model.summary(covariance=covariance)
    with pytest.raises(ValueError, match="diagonal of variances"):
        model.summary(covariance=-np.eye(3))


def test_a_prediction_that_its_type_does_not_hold_is_refused():
    X = np.random.default_rng(1).standard_normal((40, 3))
    for size, dtype in ((1e30, np.float32), (1e120, np.float64)):
        model = LinearRegression().fit(X, X @ [1.0, 2.0, 3.0] * size)
        for rows in (X, np.tile(X, (3000, 1))):
            new = (rows * (1e30 if dtype is np.float32 else 1e200)).astype(dtype)
            with pytest.raises(ValueError, match="The prediction contains infinity"):
                model.predict(new)


def test_inference_of_tiny_responses_is_refused():
    X = np.random.default_rng(2).standard_normal((20, 2))
    y = X @ [1.0, 2.0] + X[:, 0] ** 2
    model = LinearRegression().fit(X, y * 1e-165)
    assert model.coef_ == pytest.approx(LinearRegression().fit(X, y).coef_ * 1e-165, rel=1e-9)
    with pytest.raises(ValueError, match="squares of residuals vanish"):
        model.conf_int()
    assert "squares of residuals vanish" in str(model.summary())


def test_a_level_is_a_number_of_any_type():
    X = np.random.default_rng(3).standard_normal((20, 2))
    model = LinearRegression().fit(X, X[:, 0] + X[:, 1] ** 2)
    assert list(model.conf_int(level=Fraction(1, 2)).columns) == ["25 %", "75 %"]


def test_targets_of_chunks_that_are_no_list_are_refused():
    for y in (None, 1.5, np.array(1.5), [[1.0, 2.0], [3.0]]):
        with pytest.raises((TypeError, ValueError), match=r"\by\b"):
            LinearRegression().fit(Chunks([np.eye(3)]), y)


def test_columns_to_keep_are_those_that_raise_the_rank():
    rng = np.random.default_rng(0)
    for _ in range(150):
        n, q, rank = rng.integers(1, 9), rng.integers(1, 9), rng.integers(1, 5)
        table = rng.integers(-2, 3, (n, rank)) @ rng.integers(-1, 2, (rank, q)) * 1.0
        right = []
        for j in range(q):  # whole numbers below 40: singular values are 0 or far from it
            if np.linalg.matrix_rank(table[:, [*right, j]], tol=1e-9) > len(right):
                right.append(j)
        scaled = table * 10.0 ** rng.integers(-3, 4, q)
        assert qr.independent_columns(np.linalg.qr(scaled, mode="r"), 1e-11).tolist() == right


def test_a_tolerance_below_rounding_keeps_no_column_of_rounding():
    X = np.repeat(np.random.default_rng(0).normal(size=(1, 9)), 4, axis=0)
    with pytest.warns(UserWarning, match="depend"):
        model = LinearRegression(tol=1e-160).fit(X, np.arange(4.0))
    np.testing.assert_array_equal(model.coef_, np.zeros(9))
    assert model.intercept_ == pytest.approx(1.5)


def test_missing_numbers_beside_weights_of_zero_are_told_without_a_warning():
    X = np.array([[1.0], [np.nan], [2.0], [4.0]])
    with pytest.raises(ValueError, match="NaN"):
        LinearRegression().fit(X, np.arange(4.0), sample_weight=[1.0, 0.0, 1.0, 1.0])
