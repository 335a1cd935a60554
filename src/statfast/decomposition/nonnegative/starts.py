# SPDX-License-Identifier: BSD-3-Clause
"""Where nonnegative factors begin: at random, or at the positive parts of singular vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array
from statfast._validation import as_rows
from statfast.decomposition.components.decompose import decompose
from statfast.decomposition.components.krylov import project_rows

SINGULAR_STARTS = ("nndsvd", "nndsvda", "nndsvdar")
NEGLIGIBLE = 1e-6  # entries of the factors of singular vectors below it begin at zero


def mean_of(rows: Any) -> Any:
    """The mean of all entries, zeros of sparse rows among them."""
    return float(rows.sum(dtype=np.float64)) / (rows.shape[0] * rows.shape[1])


def custom_start(factor: Any, shape: Any, name: Any) -> Any:
    """A factor to begin with: a copy that is checked."""
    if factor is None:
        raise ValueError(f"{name} must be passed with init='custom'; got None.")
    start = np.array(as_rows(factor), dtype=np.float64)
    if start.shape != shape:
        raise ValueError(f"{name} must have shape {shape}; got {start.shape}.")
    if start.min() < 0.0:
        raise ValueError(f"{name} must not be negative; got {start.min()}.")
    return start


def random_start(mean: float, n: int, d: int, k: int, rng: Any) -> tuple[Array, Array]:
    """W (n, k) and H' (d, k), whose product has about the mean of X."""
    size = np.sqrt(mean / k)
    Ht = size * np.abs(rng.standard_normal((d, k)))
    return size * np.abs(rng.standard_normal((n, k))), Ht


def singular_start(X: Any, mean: float, k: int, init: str, rng: Any, n_jobs: Any) -> Any:
    """W (n, k) and H' (d, k) from the leading singular vectors of X.

    Of each pair of singular vectors that part is taken, positive or negative, whose product is the
    larger one (Boutsidis & Gallopoulos 2008, doi:10.1016/j.patcog.2007.09.010). Zeros stay, or
    become the mean of X ("nndsvda") or small random numbers ("nndsvdar").
    """
    components = decompose(X, None, k, center=False, rng=rng, n_jobs=n_jobs)
    right, sizes = components.vectors, components.singular
    scores, _ = project_rows(X, np.zeros(X.shape[1]), right, n_jobs, np.float64)
    W, Ht = np.zeros((X.shape[0], k)), np.zeros((X.shape[1], k))
    for j in range(k):
        if not sizes[j] > 0.0:
            continue
        left = scores[:, j] / sizes[j]
        parts = [(left.clip(0.0), right[j].clip(0.0)), ((-left).clip(0.0), (-right[j]).clip(0.0))]
        lengths = [(float(np.linalg.norm(u)), float(np.linalg.norm(v))) for u, v in parts]
        best = int(lengths[1][0] * lengths[1][1] > lengths[0][0] * lengths[0][1])
        (u, v), (of_u, of_v) = parts[best], lengths[best]
        if of_u > 0.0 and of_v > 0.0:
            size = np.sqrt(sizes[j] * of_u * of_v)
            W[:, j], Ht[:, j] = size * u / of_u, size * v / of_v
    for factor in (W, Ht):
        factor[factor < NEGLIGIBLE * np.sqrt(max(mean, 0.0) / k)] = 0.0
        if init == "nndsvda":
            factor[factor == 0.0] = mean
        elif init == "nndsvdar":
            empty = factor == 0.0
            factor[empty] = np.abs(mean * rng.standard_normal(int(empty.sum())) / 100.0)
    return W, Ht
