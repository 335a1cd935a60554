# SPDX-License-Identifier: BSD-3-Clause
"""Grids and samples of parameters: the candidates of scikit-learn, in its order."""

import warnings
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from statfast.model_selection import ParameterGrid, ParameterSampler

peer = pytest.importorskip("sklearn.model_selection")

values = st.lists(st.integers(0, 99), min_size=1, max_size=4)
grids = st.dictionaries(st.sampled_from("abcde"), values, max_size=4)
several = st.lists(grids, min_size=1, max_size=3)


@given(several)
def test_a_grid_is_that_of_scikit_learn(grid):
    mine, other = ParameterGrid(grid), list(peer.ParameterGrid(grid))
    assert list(mine) == other
    assert len(mine) == len(other)
    assert [mine[k] for k in range(len(mine))] == other
    assert [mine[-k] for k in range(1, len(mine) + 1)] == other[::-1]
    assert [list(candidate) for candidate in mine] == [list(candidate) for candidate in other]
    for outside in (len(mine), -len(mine) - 1):
        with pytest.raises(IndexError, match="ParameterGrid index out of range"):
            mine[outside]


def test_a_grid_of_any_size_is_walked_without_being_listed():
    grid = ParameterGrid({name: list(range(1000)) for name in "abcdef"})
    assert list(islice(grid, 2))[1] == dict.fromkeys("abcde", 0) | {"f": 1}
    assert grid[10**17 + 7] == dict.fromkeys("bcde", 0) | {"a": 100, "f": 7}
    (drawn,) = ParameterSampler({name: range(1000) for name in "ab"}, 1, random_state=0)
    assert set(drawn) == {"a", "b"}


@pytest.mark.parametrize(
    ("grid", "kind", "message"),
    [
        ("ab", TypeError, "must be a dict of lists of values"),
        ([3], TypeError, "must be a dict of lists of values"),
        ({"a": 3}, TypeError, "'a' in param_grid must be a list or an array"),
        ({"a": "rbf"}, TypeError, "'a' in param_grid must be a list or an array"),
        ({"a": []}, ValueError, "'a' in param_grid must not be empty"),
        ({"a": np.eye(2)}, ValueError, "must be one-dimensional"),
    ],
)
def test_what_is_no_grid_is_refused_at_once(grid, kind, message):
    for call in (ParameterGrid, lambda grid: ParameterSampler(grid, 3)):
        with pytest.raises(kind, match=message):
            call(grid)
    with pytest.raises(kind):
        peer.ParameterGrid(grid)


@given(several, st.integers(1, 40), st.integers(0, 2**32 - 1), st.booleans())
def test_a_seed_draws_the_sample_of_scikit_learn(grid, n_iter, seed, as_state):
    state = np.random.RandomState if as_state else int
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = peer.ParameterSampler(grid, n_iter, random_state=state(seed))
        mine = ParameterSampler(grid, n_iter, random_state=state(seed))
        assert len(mine) == len(other)
        for _ in range(2):  # a RandomState goes on where it stood
            assert list(mine) == list(other)


@pytest.mark.parametrize("share", [0.0005, 0.005, 0.01, 0.02, 0.5, 0.989, 0.99, 0.995, 0.999, 1])
def test_any_share_of_a_grid_is_drawn_as_scikit_learn_does(share):
    grid = {"a": list(range(50)), "b": list(range(40))}
    for seed in range(3):
        mine = list(ParameterSampler(grid, round(2000 * share), random_state=seed))
        assert mine == list(peer.ParameterSampler(grid, round(2000 * share), random_state=seed))
        assert len({tuple(candidate.values()) for candidate in mine}) == len(mine)


@pytest.mark.parametrize("seed", [0, np.random.RandomState, np.random.default_rng])
def test_distributions_are_drawn_from(seed):
    grid = [{"a": stats.uniform(0, 3), "b": list(range(9))}, {"c": [1]}]
    mine = ParameterSampler(grid, 30, random_state=seed if seed == 0 else seed(3))
    drawn = list(mine)
    assert len(mine) == len(drawn) == 30
    assert {tuple(candidate) for candidate in drawn} == {("a", "b"), ("c",)}
    assert all(isinstance(c["a"], float) and 0 <= c["a"] <= 3 for c in drawn if "a" in c)
    if seed is not np.random.default_rng:
        state = seed if seed == 0 else seed(3)
        assert drawn == list(peer.ParameterSampler(grid, 30, random_state=state))


def test_a_grid_with_fewer_candidates_warns_and_gives_each_once():
    sampler = ParameterSampler({"a": [1, 2, 3]}, 5, random_state=0)
    with pytest.warns(UserWarning, match="3 is smaller than n_iter=5"):
        assert sorted(candidate["a"] for candidate in sampler) == [1, 2, 3]
    with pytest.raises(ValueError, match="n_iter must be"):
        ParameterSampler({"a": [1]}, 0)


def test_they_are_shown_by_their_arguments():
    assert repr(ParameterGrid({"a": [1]})) == "ParameterGrid([{'a': [1]}])"
    assert "n_iter=2, random_state=7" in repr(ParameterSampler({"a": [1]}, 2, random_state=7))
