# SPDX-License-Identifier: BSD-3-Clause
"""Cross-validation as it is defined: a copy of the estimator is fitted to the rows of each fold."""

import numpy as np

from statfast._estimator import copied


class Plain:
    """An estimator of which nothing is known but fit and its answers."""

    def __init__(self, estimator):
        self.estimator = estimator

    def get_params(self, deep=True):
        inner = self.estimator.get_params() if deep else {}
        return {"estimator": self.estimator} | {f"estimator__{k}": v for k, v in inner.items()}

    def set_params(self, **params):
        self.estimator.set_params(**{k.removeprefix("estimator__"): v for k, v in params.items()})
        return self

    def fit(self, X, y=None, sample_weight=None):
        more = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator.fit(X, y, **more)
        return self

    def __getattr__(self, name):
        if name.startswith("_") or name == "estimator":
            raise AttributeError(name)
        return getattr(self.estimator, name)


def answers(estimator, X, y, pairs, method, weights=None):
    """What each row is given by the fit that does not hold it; None where that fit fails."""
    out = [None] * len(X)
    for train, test in pairs:
        if weights is not None:
            train = train[weights[train] > 0]
        more = {} if weights is None else {"sample_weight": weights[train]}
        try:
            model = copied(estimator).fit(X[train], y[train], **more)
        except ValueError:
            continue
        for row in test:
            out[row] = np.asarray(getattr(model, method)(X[row : row + 1]))[0]
    return out
