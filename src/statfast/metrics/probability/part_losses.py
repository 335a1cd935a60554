# SPDX-License-Identifier: BSD-3-Clause
"""Log loss of rows that lie in parts: sums of two rounds."""

import numpy as np

from statfast._estimator import has_weight
from statfast.metrics.classification.part_counts import labels_in


def log_loss_of_parts(parts, *, normalize=True, labels=None):
    """`log_loss` of parts."""
    if labels is None:
        labels = sorted(parts.total(labels_in, None).counts)
    loss, mass = parts.total(_losses, list(labels))
    return float(loss / mass if normalize else loss)


def _losses(columns, labels):
    from statfast.metrics.probability.scores import log_loss

    shares, truth, weights = columns
    if not has_weight(weights):
        return None
    more = {"labels": labels, "normalize": False, "sample_weight": weights}
    mass = len(shares) if weights is None else np.sum(weights)
    return np.array([log_loss(truth, shares, **more), mass], dtype=np.float64)
