# SPDX-License-Identifier: BSD-3-Clause
"""Bandwidths by rule, and by the leave-one-out likelihood over a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._estimator import CoefficientTable
from statfast._typing import Array, Jobs
from statfast._validation import as_rows, to_array, warn_user
from statfast.neighbors.density.kernel_shapes import log_integral
from statfast.neighbors.density.weighted_tree import WeightedTree

# Bandwidths of the default grid, in units of the normal reference bandwidth: ratios of 2^(1/4).
DEFAULT_GRID = 2.0 ** (np.arange(-12, 5) / 4.0)
RATIO_OF_GRID = 2.0**0.25
MAX_EXTENSIONS = 5  # of the default grid beyond an end at which the likelihood is largest
MIN_SHARE_OF_STEP = 1e-9  # of the range of a column: smaller gaps are of rounding in float64
RTOL_OF_SCORES = 1e-9  # of the leave-one-out densities


@dataclass(frozen=True)
class BandwidthChoice:
    """The bandwidth of largest leave-one-out likelihood, and the scores of all that were tried."""

    bandwidth: float
    scores: CoefficientTable


def rule_of_thumb(name: str, total_weight: float, d: int) -> float:
    """The factors of Scott and Silverman, for columns whose standard deviation is 1."""
    if name == "scott":
        return total_weight ** (-1.0 / (d + 4))
    return (total_weight * (d + 2) / 4.0) ** (-1.0 / (d + 4))


def as_grid(bandwidths: Any) -> Array | None:
    """Check a grid of bandwidths: distinct positive numbers, which are returned in rising order."""
    if bandwidths is None:
        return None
    values = np.atleast_1d(to_array(bandwidths, "bandwidths", "a list of positive numbers"))
    if values.ndim != 1 or not len(values):
        raise ValueError(
            f"bandwidths must be a list of positive numbers; got shape {values.shape}. Pass one."
        )
    grid = np.unique(as_rows(values[None], name="bandwidths", keep=(np.float64,))[0])
    if not grid[0] > 0.0:
        raise ValueError(
            f"bandwidths must be positive; got {grid[0]:g}. Leave out what is not above 0."
        )
    return grid


def leave_one_out(
    tree: WeightedTree, weights: Array | None, shape: str, bandwidth: float, n_jobs: Jobs,
    nearest: Array | None,
) -> Array:  # fmt: skip
    """The log density of each row in the estimate from all others, in the units of the tree."""
    d = tree.index.arrays.blocks.shape[1]
    sums = tree.log_sums(None, shape, bandwidth, n_jobs, rtol=RTOL_OF_SCORES, nearest=nearest)
    others = tree.total - (1.0 if weights is None else weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        sums -= np.log(others) + log_integral(shape, d, tree.index.metric.p) + d * np.log(bandwidth)
    return sums


@dataclass(frozen=True)
class BandwidthGrid:
    """Bandwidths to try, and the least that may be tried beyond them, if any may."""

    bandwidths: Array
    extends: bool = False
    least: float = 0.0


def default_grid(rows: Array, total_weight: float, spread: float) -> BandwidthGrid:
    """Multiples of the normal reference bandwidth of rows (n, d).

    Rows that repeat favor ever smaller bandwidths: the least is then half the step of rounding.
    """
    grid = DEFAULT_GRID * spread * rule_of_thumb("scott", total_weight, rows.shape[1])
    least = 0.5 * _step_of_rounding(rows)
    if least > grid[0]:
        grid = np.append(least, grid[grid > least])
    return BandwidthGrid(grid, True, least)


def _step_of_rounding(rows: Array) -> float:
    """The largest of the steps between values of a column, if rows repeat; else 0."""
    if len(np.unique(rows, axis=0)) == len(rows):
        return 0.0
    steps = [0.0]
    for column in rows.T:
        values = np.unique(column.astype(np.float64))
        gaps = np.diff(values)
        gaps = gaps[gaps > MIN_SHARE_OF_STEP * (values[-1] - values[0])]
        steps.append(float(gaps.min(initial=np.inf)) if len(gaps) else 0.0)
    return max(steps)


def choose_bandwidth(
    tree: WeightedTree, weights: Array | None, shape: str, grid: BandwidthGrid, unit: float,
    n_jobs: Jobs,
) -> BandwidthChoice:  # fmt: skip
    """The bandwidth of the largest sum of leave-one-out log densities, by weight.

    `unit` is what bandwidths of the tree are divided by for the caller.
    """
    n, d = tree.index.arrays.n, tree.index.arrays.blocks.shape[1]
    if n < 2:
        raise ValueError(
            "X must have two rows with weight or more for bandwidth='cv', which leaves each out; "
            "got 1. Pass a bandwidth."
        )
    if not grid.bandwidths[-1] > 0.0:
        raise ValueError(
            "X holds rows that are all equal, of which bandwidth='cv' has no scale. Pass a "
            "bandwidth."
        )
    nearest = tree.index.self_query(1, n_jobs)[0][:, 0]
    log_unit, scores = d * np.log(unit), {}

    def score(bandwidths: Array) -> None:
        for h in bandwidths.tolist():
            logs = leave_one_out(tree, weights, shape, h, n_jobs, nearest) + log_unit
            scores[h] = float(logs.sum() if weights is None else weights @ logs)

    score(grid.bandwidths)
    best = _largest(scores)
    for _ in range(MAX_EXTENSIONS if grid.extends else 0):
        beyond = _grid_beyond(np.array(sorted(scores)), best, grid.least)
        if not len(beyond):
            break
        score(beyond)
        best = _largest(scores)
    if not np.isfinite(scores[best]):
        raise ValueError(
            "bandwidths are all so small that some row is beyond the kernels of all others. Pass "
            "larger bandwidths, or kernel='gaussian'."
        )
    bandwidths = np.array(sorted(scores))
    is_least = grid.extends and best == grid.least
    if len(bandwidths) > 1 and best in (bandwidths[0], bandwidths[-1]) and not is_least:
        end, hint = ("smallest", "lower") if best == bandwidths[0] else ("largest", "higher")
        warn_user(
            f"The leave-one-out likelihood is largest at the {end} bandwidth tried, "
            f"{best / unit:.3g}. Try {hint} ones in bandwidths; where rows repeat, none is too "
            "small for it."
        )
    columns = {
        "Bandwidth": bandwidths / unit,
        "Log-likelihood": np.array([scores[h] for h in bandwidths.tolist()]),
    }
    names = [f"{h:.4g}" for h in columns["Bandwidth"].tolist()]
    return BandwidthChoice(best, CoefficientTable(names, columns))


def _grid_beyond(tried: Array, best: float, least: float) -> Array:
    """As many bandwidths as there were at first, beyond the end that is the best."""
    ratios = DEFAULT_GRID / DEFAULT_GRID[0] * RATIO_OF_GRID
    if best == tried[-1]:
        return best * ratios
    if best > tried[0] or best == least:
        return np.empty(0)
    beyond = best / ratios
    return np.append(beyond[beyond > least], least) if beyond[-1] < least else beyond


def _largest(scores: dict[float, float]) -> float:
    """The bandwidth of the largest score, the largest such on ties."""
    return max(sorted(scores, reverse=True), key=scores.__getitem__)
