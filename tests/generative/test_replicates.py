# SPDX-License-Identifier: BSD-3-Clause
"""Discriminants of many weightings at once are those fitted with each."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from statfast import LinearDiscriminantAnalysis
from statfast._estimator import copied
from statfast.model_selection import bias_variance
from tests.reference.refits import Plain


def drawn(seed, n, d, k, *, outlier=False, constant=False, rare=False):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, k, n)
    codes[:k] = np.arange(k)
    if rare:
        codes[codes == k - 1] = 0
        codes[0] = k - 1
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-2, 3, d) + rng.integers(-3, 4, d)
    X += codes[:, None]
    if constant:
        X[:, 0] = 0.3
    if outlier:
        X[-1] += 1e9
    return X, codes, rng


def compare(model, X, codes, weights, rows):
    """Codes agree where they are certain, but for ties; returns what is certain."""
    columns, state = model._prepare(X, codes, None)
    found = model._predict_replicates(
        columns, state, lambda order: np.ascontiguousarray(weights[:, order]), rows
    )
    if found is None:  # a singular covariance: all are left to fits
        return np.zeros(len(weights), dtype=bool)
    said, certain = found
    for w, mine, sure in zip(weights, said, certain, strict=True):
        if not sure:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fit = copied(model).fit(X[w > 0], codes[w > 0], w[w > 0])
        p = fit.predict_log_proba(rows)
        best = np.sort(p, axis=1)
        clear = best[:, -1] - best[:, -2] > 1e-6
        np.testing.assert_array_equal(mine[clear], p.argmax(axis=1)[clear])
    return certain


@given(
    st.integers(0, 2**32), st.integers(40, 120), st.integers(1, 5), st.integers(2, 4),
    st.booleans(), st.booleans(), st.booleans(), st.sampled_from(["moment", "mle"]),
    st.booleans(), st.booleans(),
)  # fmt: skip
def test_hostile_designs(seed, n, d, k, outlier, constant, rare, method, with_priors, single):
    X, codes, rng = drawn(seed, n, d, k, outlier=outlier, constant=constant, rare=rare)
    priors = np.arange(1.0, k + 1) / np.arange(1.0, k + 1).sum() if with_priors else None
    model = LinearDiscriminantAnalysis(method=method, priors=priors)
    weights = rng.multinomial(n, np.full(n, 1 / n), 7).astype(float)
    rows = X[:20] + rng.standard_normal((20, d))
    certain = compare(model, X.astype(np.float32) if single else X, codes, weights, rows)
    if constant and not outlier:
        assert not certain.any()
    if outlier:  # drawn, it is all the mean; left out, the mean of all rows is far from the others
        assert not certain[weights[:, -1] == 0].any()
    if rare:
        assert not certain[weights[:, 0] == 0].any()


def test_usual_rows_are_certain():
    X, codes, rng = drawn(1, 3000, 6, 3)
    X[:, 1] += 1e6  # far from 0
    weights = rng.multinomial(3000, np.full(3000, 1 / 3000), 130).astype(float)
    assert compare(LinearDiscriminantAnalysis(), X, codes, weights, X[::9] + 0.1).all()


@pytest.mark.parametrize("loss", ["domingos", "kohavi_wolpert"])
@pytest.mark.parametrize("outlier", [False, True])
def test_parts_of_the_error_are_those_of_refits(loss, outlier):
    X, codes, _ = drawn(2, 400, 3, 3, outlier=outlier)
    y = np.array(["b", "c", "a"])[codes]
    model = LinearDiscriminantAnalysis()
    more = {"loss": loss, "n_rounds": 70, "random_state": 3}
    got, want = (bias_variance(one, X, y, **more) for one in (model, Plain(model)))
    assert (got.path, want.path) == ("merged statistics", "refit")
    np.testing.assert_array_equal(got.predictions, want.predictions)
    np.testing.assert_array_equal(got.main_prediction, want.main_prediction)
    for part in ("loss", "bias", "variance", "net_variance"):
        assert getattr(got, part) == pytest.approx(getattr(want, part), rel=1e-12)


def test_the_same_for_any_threads():
    X, codes, _ = drawn(4, 5000, 5, 3)
    first, *others = (
        bias_variance(LinearDiscriminantAnalysis(n_jobs=k), X, codes, n_rounds=70, random_state=0)
        for k in (1, 2, 7)
    )
    for one in others:
        np.testing.assert_array_equal(one.predictions, first.predictions)


def test_other_widths_are_refused():
    X, codes, _ = drawn(5, 60, 3, 2)
    with pytest.raises(ValueError, match=r"has 2 features, but .* expecting 3"):
        bias_variance(
            LinearDiscriminantAnalysis(), X, codes, X_test=X[:, :2], y_test=codes, n_rounds=3
        )
