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
MAX_EXTENSIONS = 5  # of the default grid beyond an end at which the likelihood is largest
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


def choose_bandwidth(
    tree: WeightedTree, weights: Array | None, spread: float, shape: str, grid: Array | None,
    unit: float, n_jobs: Jobs,
) -> BandwidthChoice:  # fmt: skip
    """The bandwidth of the largest sum of leave-one-out log densities of distinct rows, by weight.

    `spread` is the root of the mean variance of the columns, `grid` what to try (None: multiples of
    the normal reference), and `unit` what bandwidths of the tree are divided by for the caller.
    """
    n, d = tree.index.arrays.n, tree.index.arrays.blocks.shape[1]
    if n < 2:
        raise ValueError(
            "X must have two rows with weight that differ for bandwidth='cv', which leaves each "
            "out; all are equal. Pass a bandwidth."
        )
    extends = grid is None
    if grid is None:
        grid = DEFAULT_GRID * spread * rule_of_thumb("scott", tree.total, d)
    nearest = tree.index.self_query(1, n_jobs)[0][:, 0]
    log_unit, scores = d * np.log(unit), {}

    def score(bandwidths: Array) -> None:
        for h in bandwidths.tolist():
            logs = leave_one_out(tree, weights, shape, h, n_jobs, nearest) + log_unit
            scores[h] = float(logs.sum() if weights is None else weights @ logs)

    score(grid)
    best = _largest(scores)
    for _ in range(MAX_EXTENSIONS if extends else 0):
        tried = sorted(scores)
        if best not in (tried[0], tried[-1]) or len(tried) == 1:
            break
        span = DEFAULT_GRID[-1] / DEFAULT_GRID[0] * 2.0**0.25  # so that none is tried twice
        end = tried[: len(DEFAULT_GRID)] if best == tried[0] else tried[-len(DEFAULT_GRID) :]
        score(np.array(end) * (1.0 / span if best == tried[0] else span))
        best = _largest(scores)
    if not np.isfinite(scores[best]):
        raise ValueError(
            "bandwidths are all so small that some row is beyond the kernels of all others. Pass "
            "larger bandwidths, or kernel='gaussian'."
        )
    bandwidths = np.array(sorted(scores))
    if len(bandwidths) > 1 and best in (bandwidths[0], bandwidths[-1]):
        end, hint = ("smallest", "lower") if best == bandwidths[0] else ("largest", "higher")
        warn_user(
            f"The leave-one-out likelihood is largest at the {end} bandwidth tried, "
            f"{best / unit:.3g}. Try {hint} ones in bandwidths."
        )
    columns = {
        "Bandwidth": bandwidths / unit,
        "Log-likelihood": np.array([scores[h] for h in bandwidths.tolist()]),
    }
    names = [f"{h:.4g}" for h in columns["Bandwidth"].tolist()]
    return BandwidthChoice(best, CoefficientTable(names, columns))


def _largest(scores: dict[float, float]) -> float:
    """The bandwidth of the largest score, the largest such on ties."""
    return max(sorted(scores, reverse=True), key=scores.__getitem__)
