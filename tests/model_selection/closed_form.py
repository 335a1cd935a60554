# SPDX-License-Identifier: BSD-3-Clause
"""What an estimator plans to answer of rows that are held out one by one."""

import numpy as np

from statfast._estimator import Folds, FoldTask, HeldOutAnswers


def left_out(model, X, y, weights, method):
    """The answers for each row by a formula, or None where the estimator has another plan."""
    pairs = [(None, np.array([row])) for row in range(len(y))]
    folds = Folds(X, np.asarray(y), weights, len(y), pairs)
    plan = model._plan_folds(FoldTask(folds, methods=frozenset({method})))
    return plan.of_all_rows()[0] if isinstance(plan, HeldOutAnswers) else None
