# SPDX-License-Identifier: BSD-3-Clause
"""Likelihoods of normal classes from their moments."""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array
from statfast.generative.normal.whitening import Whitening

LOG_TWO_PI = float(np.log(2.0 * np.pi))


def normal_log_likelihood(total_weight: float, scatter: Array, root: Any, log_det: Any) -> Any:
    """The sum of log densities of rows about their mean: their weight and scatter tell it.

    The covariance S is given by ``root`` (d, r), under which root' S root is the identity, and the
    logarithm of its determinant.
    """
    squares = float(((scatter @ root) * root).sum())
    return -0.5 * (total_weight * (root.shape[1] * LOG_TWO_PI + log_det) + squares)


def class_log_likelihood(total: Any, priors: Any, whites: list[Whitening]) -> Any:
    """The sum of log prior times density of the rows of classes, by the whitening of each."""
    terms = zip(total.class_counts, total.sample_scatters, priors, whites, strict=True)
    return sum(
        count * np.log(prior) + normal_log_likelihood(count, scatter, white.root, white.log_det)
        for count, scatter, prior, white in terms
    )
