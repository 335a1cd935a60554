# SPDX-License-Identifier: BSD-3-Clause
"""Candidates of a search: all combinations of values, or some that are drawn."""

from collections.abc import Mapping
from itertools import product
from math import prod
from typing import Any

import numpy as np

from statfast._typing import Seed
from statfast._validation import MAX_REPEATS, as_count, shown, wrong_type
from statfast.model_selection.splitting.splitter import as_shuffler


def all_candidates(param_grid: dict[str, Any] | list[dict[str, list[Any]]] | None) -> list[Any]:
    """All combinations: names in alphabetical order, the last of them changing fastest."""
    candidates: list[Any] = []
    for grid in as_grids(param_grid, "param_grid"):
        names = sorted(grid)
        values = [as_values(grid[name], name) for name in names]
        if prod(map(len, values)) + len(candidates) > MAX_REPEATS:
            raise ValueError(
                f"param_grid has more than {MAX_REPEATS} candidates. Use RandomizedSearchCV."
            )
        candidates += [dict(zip(names, chosen, strict=True)) for chosen in product(*values)]
    return candidates


def drawn_candidates(
    distributions: dict[str, Any] | list[dict[str, list[Any]]] | None,
    n_iter: int,
    random_state: Seed,
) -> list[Any]:
    """Candidates drawn: without replacement where all values are listed."""
    grids = as_grids(distributions, "param_distributions")
    n_iter = as_count(n_iter, "n_iter", high=MAX_REPEATS)
    rng = as_shuffler(random_state)
    if not any(hasattr(value, "rvs") for grid in grids for value in grid.values()):
        every = all_candidates(grids)
        order = rng.permutation(len(every)) if n_iter < len(every) else range(len(every))
        return [every[k] for k in order[:n_iter]]
    candidates = []
    for _ in range(n_iter):
        grid = grids[int(rng.choice(len(grids)))]
        candidates.append({name: _draw(grid[name], name, rng) for name in sorted(grid)})
    return candidates


def _draw(values: Any, name: str, rng: Any) -> Any:
    if hasattr(values, "rvs"):
        drawn = values.rvs(random_state=rng)
        return drawn.item() if hasattr(drawn, "item") and np.ndim(drawn) == 0 else drawn
    listed = as_values(values, name)
    return listed[int(rng.choice(len(listed)))]


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


def as_values(values: Any, name: str) -> list[float | str]:
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
