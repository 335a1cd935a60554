# SPDX-License-Identifier: BSD-3-Clause
"""Weights of very different size: an answer, or a sentence, and nothing of numpy's."""

import re

import numpy as np
import pytest

from statfast import LogisticRegressionCV, NuSVC, OneClassSVM
from tests.contract.test_contract import COUNTS, answers, each_weighted, make, regresses

N = 30
rng = np.random.default_rng(7)
y = np.repeat([0, 1, 2], N // 3)[rng.permutation(N)]
X = rng.integers(-6, 7, (N, 3)) * 1.0 + 8.0 * y[:, None]
odd = np.arange(N) % 2 == 1

REFUSED = {
    "tiny": np.full(N, 1e-300),
    "the tiniest": np.full(N, 5e-324),
    "huge": np.full(N, 1e300),
    "huge in all": np.full(N, 5e306),
    "one huge among tiny": np.r_[1e200, np.full(N - 1, 1e-200)],
    "huge and tiny": np.where(odd, 1e200, 1e-200),
    "tiny and none": np.where(odd, 0.0, 1e-101),
    "1 and huge": np.where(odd, 1.0, 1e101),
}
TAKEN = {
    "light": np.full(N, 1e-100),
    "heavy": np.full(N, 1e100),
    "light and heavy": np.where(odd, 1e-100, 1e100),
    "one heavy": np.r_[1e100, np.full(N - 1, 1e-100)],
    "one light": np.r_[1e-100, np.full(N - 1, 1e100)],
    "a light class": np.where(y == 1, 1e-100, 1.0),
    "of every size": np.logspace(-100, 100, N),
    "light and none": np.where(odd, 0.0, 1e-100),
}


def rows(cls):
    return X + 6.0 if cls.__name__ in COUNTS else X


def target(cls):
    return y * 1.5 if regresses(cls) else y


@each_weighted
@pytest.mark.parametrize("kind", REFUSED)
def test_weights_beyond_products_are_refused(cls, kind):
    model = make(cls)
    before = dict(model.__dict__)
    with pytest.raises(ValueError, match="sample_weight"):
        model.fit(rows(cls), target(cls), sample_weight=REFUSED[kind])
    assert model.__dict__ == before


# What a refusal may be about: where nearly all weight is on one row, there is nothing to learn.
ARGUMENT = r"\b(sample_weight|weight|X|y|n_clusters|n_components|nu|cv|C)\b"


@pytest.mark.once
@each_weighted
@pytest.mark.parametrize("kind", TAKEN)
@pytest.mark.filterwarnings("ignore::UserWarning")  # but a RuntimeWarning of numpy's is an error
def test_weights_within_are_answered_or_refused(cls, kind):
    model = make(cls, **({"max_iter": 20} if cls is LogisticRegressionCV else {}))
    before, refusal, said = dict(model.__dict__), None, []
    try:
        model.fit(rows(cls), target(cls), sample_weight=TAKEN[kind])
        said = list(answers(model, rows(cls)))
    except ValueError as error:
        refusal = str(error)
    # The answers of NearestCentroid beside its predictions need weights that count rows.
    if refusal is not None and cls.__name__ == "NearestCentroid":
        assert "larger sum of sample_weight" in refusal
    elif refusal is not None:
        assert re.search(ARGUMENT, refusal), refusal
        assert model.__dict__ == before
    for name, array in said:
        assert array.dtype.kind != "f" or not np.isnan(array).any(), name


@pytest.mark.parametrize("power", [-300, -1, 40, 300])
def test_machines_with_nu_do_not_depend_on_the_unit_of_weights(power):
    weights, scale = 1.0 + np.arange(N) % 3 / 3, 2.0**power
    for model in (NuSVC(nu=0.3), OneClassSVM()):
        one = model.fit(X, y, sample_weight=weights)
        values, coef = one.decision_function(X), one.dual_coef_
        violation, intercept, rows = one.kkt_violation_, one.intercept_, one.support_
        other = model.fit(X, y, sample_weight=scale * weights)
        unit = scale if isinstance(model, OneClassSVM) else 1.0
        np.testing.assert_array_equal(other.decision_function(X), unit * values)
        np.testing.assert_array_equal(other.dual_coef_, unit * coef)
        np.testing.assert_array_equal(other.intercept_, unit * intercept)
        np.testing.assert_array_equal(other.support_, rows)
        np.testing.assert_array_equal(other.kkt_violation_, violation)
