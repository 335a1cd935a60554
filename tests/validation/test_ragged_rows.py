# SPDX-License-Identifier: BSD-3-Clause
"""Lists of lists of different lengths, in every place, are refused in statfast's words."""

import warnings

import numpy as np
import pytest

from statfast._estimator.regressor import Regressor
from statfast._validation import shape_of
from tests.contract.test_contract import ESTIMATORS, make

RAGGED = [[1.0, 2.0], [3.0]]
ROWS = np.random.default_rng(0).uniform(1, 2, size=(12, 2))


def test_shapes():
    assert shape_of(RAGGED) == (2,)
    assert shape_of([[1, 2]]) == shape_of(np.ones((1, 2))) == (1, 2)
    assert shape_of(1.0) == shape_of("ab") == ()


def message(call):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except (ValueError, TypeError) as error:
        return str(error)
    return ""


@pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_estimators_refuse_them_as_parameters_and_data(cls):
    y = np.arange(12) % 2 + (1.5 if issubclass(cls, Regressor) else 0)
    places = [(name, lambda model: model.fit(ROWS, y)) for name in make(cls).get_params(deep=False)]
    places += [(None, lambda model: model.fit(RAGGED, [0, 1]))]
    places += [(None, lambda model: model.fit(ROWS[:2], RAGGED))]
    for name, fit in places:
        model = make(cls)
        said = message(lambda: fit(model if name is None else model.set_params(**{name: RAGGED})))  # noqa: B023
        assert not said.startswith(("setting an array", "The truth value")), (name, said)
