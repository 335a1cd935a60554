# SPDX-License-Identifier: BSD-3-Clause
"""Learning curves of estimators that go on from the rows before."""

import numpy as np
import pytest

import statfast as sf

RNG = np.random.default_rng(0)
X = RNG.standard_normal((120, 3))
Y = np.where(X[:, 0] + RNG.standard_normal(120) > 0, "b", "a")
HOW = {"train_sizes": [20, 45, 80], "cv": 3, "exploit_incremental_learning": True}


@pytest.mark.parametrize("shuffle", [False, True])
def test_increments_are_fitted_as_scikit_learn_does(shuffle):
    peer = pytest.importorskip("sklearn.model_selection")
    model = pytest.importorskip("sklearn.linear_model").SGDClassifier(random_state=0)
    how = HOW | {"shuffle": shuffle, "random_state": 4 if shuffle else None}
    for mine, other in zip(
        sf.learning_curve(model, X, Y, **how), peer.learning_curve(model, X, Y, **how), strict=True
    ):
        np.testing.assert_allclose(mine, other, rtol=1e-12)
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize("model", [sf.GaussianNB(), sf.LinearDiscriminantAnalysis()])
def test_sums_go_on_to_what_they_are_of_all_rows(model):
    plain = HOW | {"exploit_incremental_learning": False}
    for mine, other in zip(
        sf.learning_curve(model, X, Y, **HOW), sf.learning_curve(model, X, Y, **plain), strict=True
    ):
        np.testing.assert_allclose(mine, other, rtol=1e-9)


def test_weights_and_times_of_increments():
    weights = np.r_[np.zeros(30), np.ones(90)]
    sizes, train, test, *times = sf.learning_curve(
        sf.GaussianNB(), X, Y, sample_weight=weights, return_times=True, train_sizes=[15, 30],
        cv=[([*range(70)], [*range(70, 120)])], exploit_incremental_learning=True,
    )  # fmt: skip
    model = sf.GaussianNB().fit(X[30:60], Y[30:60])
    assert sizes.tolist() == [15, 30]
    assert test[1, 0] == pytest.approx(model.score(X[70:], Y[70:]))
    assert train[1, 0] == pytest.approx(model.score(X[30:60], Y[30:60]))
    assert all(time.shape == (2, 1) and (time >= 0).all() for time in times)


def test_an_increment_that_fails_scores_nan():
    class Moody(sf.GaussianNB):
        def partial_fit(self, X, y, classes=None, sample_weight=None):
            if len(X) == 25:
                raise ValueError("not today")
            return super().partial_fit(X, y, classes=classes)

    with pytest.warns(sf.FitFailedWarning, match="not today"):
        _, _, test = sf.learning_curve(Moody(), X, Y, **HOW)
    assert np.isnan(test[1]).all()
    assert np.isfinite(test[[0, 2]]).all()


def test_what_cannot_go_on_is_told():
    with pytest.raises(AttributeError, match="exploit_incremental_learning=True asks SVC for part"):
        sf.learning_curve(sf.SVC(), X, Y, **HOW)
    with pytest.raises(TypeError, match="scoring must be a name or a function"):
        sf.learning_curve(sf.GaussianNB(), X, Y, scoring=["accuracy"])
