# SPDX-License-Identifier: BSD-3-Clause
"""Members of ensembles by duck typing: copied, seeded, fitted with weights, and asked."""

import sys
from copy import copy

import numpy as np

from statfast._estimator import Estimator, copied, takes_weights
from statfast._validation import as_rows, as_sparse, is_sparse, rows_for, shown
from statfast.ensemble.boosting.model import HistBoosting
from statfast.tree.cart.model import CartModel
from statfast.tree.growing.arguments import rows_to_fit

KEPT = (np.float64, np.float32, np.uint8)


def require_fit(estimator):
    """Raise TypeError unless a parameter `estimator` has ``fit`` and ``predict``."""
    if isinstance(estimator, type) or not (
        callable(getattr(estimator, "fit", None)) and callable(getattr(estimator, "predict", None))
    ):
        raise TypeError(
            f"estimator must have fit and predict; got {shown(estimator)}. Pass an instance, such "
            "as DecisionTreeClassifier()."
        )


def require_weighted(estimator):
    """Raise TypeError unless ``fit`` takes sample_weight."""
    if not takes_weights(estimator):
        raise TypeError(
            f"estimator must take sample_weight; {type(estimator).__name__}.fit does not. Choose "
            "another, or resample."
        )


def seeded(estimator, rng):
    """A copy, with a ``random_state`` drawn for it where it has one and none was set."""
    member = copied(estimator)
    if hasattr(member, "get_params") and "random_state" in member.get_params(deep=False):
        member.set_params(random_state=int(rng.integers(2**31 - 1)))
    return member


def one_thread(member):
    """The member, asked to use one thread where it can be asked: its siblings use the others."""
    if hasattr(member, "get_params") and "n_jobs" in member.get_params(deep=False):
        member.set_params(n_jobs=1)
    return member


def with_names(member, names):
    """A copy of a fitted member that knows the names of its columns; what is not ours as it is."""
    if not isinstance(member, Estimator) or "n_features_in_" not in vars(member):
        return member
    fitted = {name: vars(member)[name] for name in member._fitted}
    return copy(member)._publish(None, **{**fitted, "feature_names_in_": names})


def allows_missing(estimator):
    """Whether rows may have missing values, as far as is known without loading scikit-learn."""
    if isinstance(estimator, CartModel | HistBoosting):
        return True
    if "sklearn" not in sys.modules:
        return False
    try:
        return bool(estimator.__sklearn_tags__().input_tags.allow_nan)
    except AttributeError:
        return False


def member_rows(X, estimator):
    """Rows to fit members on: sparse rows as CSR, others as an ndarray."""
    if is_sparse(X):
        return as_sparse(X)
    if isinstance(estimator, CartModel):
        return rows_to_fit(X)
    return as_rows(X, keep=KEPT, finite=not allows_missing(estimator))


def new_member_rows(model, X, missing):
    """Rows for the members of a fitted ensemble."""
    if is_sparse(X):
        rows = as_sparse(X)
        rows_for(model, np.zeros((1, rows.shape[1])))  # for its sentences
        return rows
    return rows_for(model, X, keep=KEPT, finite=not missing)
