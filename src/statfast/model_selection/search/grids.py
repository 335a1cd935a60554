# SPDX-License-Identifier: BSD-3-Clause
"""Candidates of a search: all combinations of values, or some that are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import Any

import numpy as np

from statfast._typing import Array, Seed
from statfast._validation import MAX_REPEATS, as_count, shown, warn_user, wrong_type
from statfast.model_selection.splitting.splitter import as_shuffler

# Between these shares of a grid all its places are permuted; fewer are drawn one by one, and of
# more some are replaced. The limits are scikit-learn's, so that a seed draws the same.
MIN_SHARE_TO_PERMUTE, MAX_SHARE_TO_PERMUTE = 0.01, 0.99


class ParameterGrid:
    """All combinations of values of parameters: the candidates of `GridSearchCV`.

    Names are taken in alphabetical order, and the last of them changes fastest. Combinations are
    made when they are asked for, so that a grid of any size takes no memory.

    Parameters
    ----------
    param_grid : dict of str to list, or list of such dicts
        Values by the name of a parameter. Of several grids the candidates follow one another; an
        empty dict is one candidate, the estimator as it is.

    Raises
    ------
    ValueError
        If the values of a parameter are empty, or an array of more than one dimension.
    TypeError
        If `param_grid` is not a dict or list of dicts, or values are not lists or arrays.
    IndexError
        By ``grid[index]``: if there is no such candidate.

    See Also
    --------
    ParameterSampler : Candidates that are drawn.

    Examples
    --------
    >>> from statfast.model_selection import ParameterGrid
    >>> grid = ParameterGrid({"kernel": ["rbf"], "C": [1, 10]})
    >>> list(grid)
    [{'C': 1, 'kernel': 'rbf'}, {'C': 10, 'kernel': 'rbf'}]
    >>> len(grid), grid[1]
    (2, {'C': 10, 'kernel': 'rbf'})
    """

    def __init__(self, param_grid: dict[str, Any] | list[dict[str, Any]]) -> None:
        self.param_grid = as_grids(param_grid, "param_grid")
        self._values = [
            {name: as_values(grid[name], name) for name in sorted(grid)} for grid in self.param_grid
        ]

    def __len__(self) -> int:
        return sum(map(_size, self._values))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for values in self._values:
            for combination in product(*values.values()):
                yield dict(zip(values, combination, strict=True))

    def __getitem__(self, index: int) -> dict[str, Any]:
        count = len(self)
        place = index + count if index < 0 else index
        if not 0 <= place < count:
            raise IndexError(
                f"ParameterGrid index out of range: there are {count} candidates; got {index}."
            )
        for values in self._values:
            if place < _size(values):
                break
            place -= _size(values)
        candidate = dict.fromkeys(values)
        for name in reversed(values):
            place, chosen = divmod(place, len(values[name]))
            candidate[name] = values[name][chosen]
        return candidate

    def __repr__(self) -> str:
        return f"ParameterGrid({shown(self.param_grid)})"


class ParameterSampler:
    """Candidates drawn from lists and distributions: those of `RandomizedSearchCV`.

    Where all values are listed, they are drawn without replacement.

    Parameters
    ----------
    param_distributions : dict of str to list or distribution, or list of such dicts
        Values by the name of a parameter, of which each is equally likely, or a distribution with
        ``rvs``, as those of ``scipy.stats``. Of several dicts one is drawn for each candidate.
    n_iter : int
        Number of candidates.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the candidates; an integer makes the result reproducible. With an
        integer each iteration gives the same.

    Raises
    ------
    ValueError
        If the values of a parameter are empty, or `n_iter` is not at least 1.
    TypeError
        If `param_distributions` is not a dict or list of dicts, or values are neither a list, an
        array nor a distribution.

    Warns
    -----
    UserWarning
        When iterated: if all values are listed and fewer than `n_iter` combinations of them; each
        is given once.

    See Also
    --------
    ParameterGrid : All combinations.

    Notes
    -----
    The candidates are scikit-learn's for the same integer or RandomState as `random_state`.

    Examples
    --------
    >>> from statfast.model_selection import ParameterSampler
    >>> drawn = ParameterSampler({"C": [0.1, 1.0, 10.0]}, n_iter=2, random_state=0)
    >>> list(drawn)
    [{'C': 10.0}, {'C': 1.0}]
    """

    def __init__(
        self,
        param_distributions: dict[str, Any] | list[dict[str, Any]],
        n_iter: int,
        *,
        random_state: Seed = None,
    ) -> None:
        self.n_iter = as_count(n_iter, "n_iter", high=MAX_REPEATS)
        self.random_state = random_state
        self.param_distributions = as_grids(param_distributions, "param_distributions")
        self._values = [
            {
                name: grid[name] if hasattr(grid[name], "rvs") else as_values(grid[name], name)
                for name in sorted(grid)
            }
            for grid in self.param_distributions
        ]
        listed = all(isinstance(v, list) for values in self._values for v in values.values())
        self._grid = ParameterGrid(self._values) if listed else None

    def __len__(self) -> int:
        return self.n_iter if self._grid is None else min(self.n_iter, len(self._grid))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        rng = as_shuffler(self.random_state)
        if self._grid is not None:
            if len(self._grid) < self.n_iter:
                warn_user(
                    f"The total space of parameters {len(self._grid)} is smaller than "
                    f"n_iter={self.n_iter}: each is tried once. GridSearchCV does so, too."
                )
            for place in _places_without_replacement(len(self._grid), len(self), rng):
                yield self._grid[int(place)]
            return
        for _ in range(self.n_iter):
            values = self._values[int(rng.choice(len(self._values)))]
            yield {name: _draw(values[name], rng) for name in values}

    def __repr__(self) -> str:
        return (
            f"ParameterSampler({shown(self.param_distributions)}, n_iter={self.n_iter}, "
            f"random_state={shown(self.random_state)})"
        )


def all_candidates(param_grid: dict[str, Any] | list[dict[str, list[Any]]] | None) -> list[Any]:
    """The candidates of a grid, which must not be too many."""
    grid = ParameterGrid(param_grid)  # type: ignore[arg-type]
    if len(grid) > MAX_REPEATS:
        raise ValueError(
            f"param_grid has more than {MAX_REPEATS} candidates. Use RandomizedSearchCV."
        )
    return list(grid)


def _size(values: dict[str, list[Any]]) -> int:
    return prod(map(len, values.values()))


def _places_without_replacement(n: int, count: int, rng: Any) -> Array | range | list[int]:
    """Some of n places, each once, in the order in which scikit-learn draws them."""
    if count == n:
        return range(n)
    if MIN_SHARE_TO_PERMUTE < count / n < MAX_SHARE_TO_PERMUTE:
        return rng.permutation(n)[:count]
    if count / n >= MAX_SHARE_TO_PERMUTE:
        places = list(range(count))
        for place in range(count, n):
            replaced = int(rng.choice(place + 1))
            if replaced < count:
                places[replaced] = place
        return places
    drawn: dict[int, None] = {}  # in the order of drawing
    while len(drawn) < count:
        drawn[int(rng.choice(n))] = None
    return list(drawn)


def _draw(values: Any, rng: Any) -> Any:
    if isinstance(values, list):
        return values[int(rng.choice(len(values)))]
    drawn = values.rvs(random_state=rng)
    return drawn.item() if hasattr(drawn, "item") and np.ndim(drawn) == 0 else drawn


def as_grids(
    grids: dict[str, Any] | list[dict[str, list[Any]]] | None, name: str
) -> list[dict[str, list[Any]]]:
    """A list of dicts of values by parameter."""
    listed = [grids] if isinstance(grids, Mapping) else grids
    if not isinstance(listed, list | tuple) or not listed:
        raise wrong_type(name, "a dict of lists of values, or a list of such dicts", grids)
    for grid in listed:
        if not isinstance(grid, Mapping) or not all(isinstance(key, str) for key in grid):
            raise wrong_type(name, "a dict of lists of values, or a list of such dicts", grid)
    return [dict(grid) for grid in listed]


def as_values(values: Any, name: str) -> list[Any]:
    """The values of a parameter, a list."""
    listed = hasattr(values, "__len__") and hasattr(values, "__getitem__")
    single = isinstance(values, str | bytes | Mapping) or hasattr(values, "get_params")
    if not listed or single or getattr(values, "ndim", 1) == 0:
        raise TypeError(
            f"Values of the parameter {name!r} in param_grid must be a list or an array; got "
            f"{shown(values)}. Put it in a list."
        )
    if getattr(values, "ndim", 1) > 1:
        raise ValueError(f"Values of {name!r} in param_grid must be one-dimensional.")
    if not len(values):
        raise ValueError(f"Values of {name!r} in param_grid must not be empty. Name some.")
    return values.tolist() if isinstance(values, np.ndarray) else list(values)
