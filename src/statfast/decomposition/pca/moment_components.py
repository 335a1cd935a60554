# SPDX-License-Identifier: BSD-3-Clause
"""Components of the moments of rows, which add up: what PCA of all rows and of batches share."""

import numpy as np

from statfast._engine import Chunks
from statfast._estimator import ROW_DTYPES, FitState, SumFit
from statfast._validation import as_csr, as_rows, as_weights, column_names, is_sparse, warn_user
from statfast.decomposition.components.decompose import (
    components_of_moments,
    most_components,
    with_fixed_signs,
)
from statfast.decomposition.components.moments import (
    block_moments,
    moments_of,
    require_finite_moments,
)
from statfast.decomposition.components.n_components import as_rule
from statfast.decomposition.pca.likelihood import ProbabilisticComponents
from statfast.decomposition.pca.model import ComponentModel


class MomentComponents(ProbabilisticComponents, ComponentModel, SumFit):
    """Eigenvectors of the covariance, or of the correlation matrix, that moments give."""

    _statistics_can_be_rescaled = True

    def _check_parameters(self):
        self._checked()

    def _rule(self, n, mass, d):
        return as_rule(self.n_components, n, mass, d)

    def _correlates(self):
        """Whether columns are divided by their standard deviations first."""
        return False

    def _prepare(self, X, y=None, sample_weight=None, *, least=2, finite=False):
        """Checked rows and weights. For `partial_fit`, `least` is 1 row, and the columns are to be
        those of the batches before."""
        self._check_parameters()
        if isinstance(X, Chunks) and least > 1:
            if sample_weight is not None:
                raise ValueError(
                    "sample_weight must be None with Chunks. Use partial_fit with both."
                )
            return (X, None), FitState(0)
        if least == 1 and "_moments" in self.__dict__:
            rows = self._rows_like_fitted(X)
        elif is_sparse(X):
            rows = as_csr(X, n_min=least)
        else:
            rows = as_rows(X, keep=ROW_DTYPES, n_min=least, finite=finite)
        weights = as_weights(sample_weight, rows.shape[0])
        if least > 1 and weights is not None:
            _require_weight(weights.sum())
        return (rows, weights), FitState(rows.shape[1], column_names(X))

    @staticmethod
    def _statistics(columns, state):
        return block_moments(columns, True)

    def _total(self, columns, state):
        return moments_of(*columns, n_jobs=self._threads())

    def _solve(self, moments, state):
        if moments.n < 2:
            raise ValueError(
                f"X has {moments.n} sample(s) while a minimum of 2 is required. Pass more rows."
            )
        _require_weight(moments.mass)
        choose = self._rule(moments.n, moments.mass, len(moments.mean))
        return self._become(moments, state, choose)

    def _solve_so_far(self, moments, state):
        d = len(moments.mean)
        if moments.mass <= 1.0:
            named = FitState(d, state.names).published()
            return self._publish(None, **named, _moments=moments)
        choose = self._rule(None, moments.mass, d)
        if not callable(choose):
            choose = min(choose, most_components(moments.n, moments.mass, d))
        return self._become(moments, state, choose, _moments=moments)

    def _become(self, moments, state, choose, **more):
        require_finite_moments(moments, None)  # batches may lie too far apart to be merged
        components = with_fixed_signs(
            components_of_moments(moments, choose, correlation=self._correlates())
        )
        return self._published(components, state, **more)

    def _published(self, components, state, **more):
        """Become fitted by components."""
        k, freedom = len(components.vectors), components.mass - 1.0
        variance = components.singular**2 / freedom
        total = components.total / freedom
        most = most_components(components.n, components.mass, len(components.mean))
        left = (total - variance.sum()) / (most - k) if k < most else 0.0
        if components.constant and self._correlates():
            shown = ", ".join(str(j) for j in components.constant[:5])
            warn_user(
                f"Left out of the components, as constant: column(s) {shown} of X. Their "
                "coefficients are 0."
            )
        elif not total > 0.0:
            warn_user("No column of X varies: the components are any directions.")
        projection = components.vectors
        if components.scale is not None:
            projection = projection / components.scale
        if self.whiten:
            live = variance > 0.0
            by = np.where(live, 1.0 / np.sqrt(np.where(live, variance, 1.0)), 0.0)
            projection = by[:, None] * projection
        return self._publish(
            None,
            components_=components.vectors,
            explained_variance_=variance,
            explained_variance_ratio_=variance / total if total > 0.0 else np.zeros(k),
            singular_values_=components.singular,
            mean_=components.mean,
            n_components_=k,
            n_samples_=components.n,
            noise_variance_=max(0.0, float(left)),
            _projection=np.ascontiguousarray(projection),
            **FitState(len(components.mean), state.names).published(),
            **more,
        )


def _require_weight(mass):
    if mass <= 1.0:
        raise ValueError(
            f"sample_weight must sum to more than 1; got {mass:g}. An integer weight stands for "
            "repeated rows: scale the weights to sum to the number of rows."
        )
