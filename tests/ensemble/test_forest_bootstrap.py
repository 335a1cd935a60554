# SPDX-License-Identifier: BSD-3-Clause
"""The .632 estimates that forests make of their error."""

import numpy as np
import pytest

from statfast import RandomForestClassifier, RandomForestRegressor
from tests.data import interaction


@pytest.mark.parametrize("numbers", [False, True])
def test_bootstrap_error(numbers):
    X, y = interaction(150)
    y = y if numbers else (y > np.median(y)).astype(int) + (y > np.quantile(y, 0.9))
    kind = RandomForestRegressor if numbers else RandomForestClassifier
    model = kind(60, random_state=0).fit(X, y)
    seen = np.array([np.isin(np.arange(150), rows) for rows in model.estimators_samples_])
    said = [tree.predict(X) if numbers else tree.predict_proba(X) for tree in model.estimators_]
    votes = np.einsum("tn,tn...->n...", (~seen).astype(float), np.array(said))
    votes = (votes.T / (~seen).sum(axis=0)).T

    def loss(guess, truth):
        return np.mean((guess - truth) ** 2) if numbers else np.mean(guess.argmax(axis=1) != truth)

    out, training = loss(votes, y), loss(np.mean(said, axis=0), y)
    mean = np.mean(said, axis=0)
    if numbers:
        none = np.mean((y[:, None] - mean[None]) ** 2)
    else:
        none = np.mean(y[:, None] != mean.argmax(axis=1)[None])
    rate = (out - training) / (none - training)
    weight = 0.632 / (1 - 0.368 * rate)
    wanted = {
        ".632": 0.368 * training + 0.632 * out,
        ".632+": (1 - weight) * training + weight * out,
        "out_of_bag": out,
    }
    for method, error in wanted.items():
        got = model.bootstrap_error(X, y, method=method)
        assert got.error == pytest.approx(error, rel=1e-10)
        assert got.no_information == pytest.approx(none, rel=1e-10)
        assert (got.training, got.out_of_bag) == pytest.approx((training, out))
    assert training < model.bootstrap_error(X, y).error <= out
    with pytest.raises(ValueError, match="method must be"):
        model.bootstrap_error(X, y, method="632")
    with pytest.raises(ValueError, match="rows of the fit"):
        model.bootstrap_error(X[:9], y[:9])
    with pytest.raises(ValueError, match="bootstrap=False"):
        kind(3, bootstrap=False).fit(X, y).bootstrap_error(X, y)
    two = kind(3).fit(X, np.column_stack([y, y]))
    with pytest.raises(ValueError, match="bootstrap_error is for one output"):
        two.bootstrap_error(X, np.column_stack([y, y]))
