# SPDX-License-Identifier: BSD-3-Clause
"""Row by row for multinomial models: residuals of each class, blocks of the hat matrix.

Of row i let p be the probabilities of the classes but the reference, V = diag(p) - p p' the
covariance of their indicators y, a the weight, and M the covariance of the row's linear predictors,
M_cd = z' Cov(b_c, b_d) z. With a root L L' = V the row's block of the hat matrix is H = a L' M L,
and the traces of all blocks sum to the number of coefficients. Without the row, one step of
Newton's method moves the coefficients by

    - Cov(b) (u kron z),    u = a (I - a V M)^-1 (y - p),

so that Cook's distance is u' M u over the number of coefficients. The same function of H makes the
scores of HC2 and HC3, (I - V M)^-1/2 (y - p) and (I - V M)^-1 (y - p): those of HC2 have
covariance V where the model holds. For two classes all are the usual ones.

Lesaffre & Albert 1989, doi:10.2307/2347731; Fahrmeir & Tutz 2001, section 4.2,
doi:10.1007/978-1-4757-3454-6; for HC2 and HC3 of rows with several responses Bell & McCaffrey 2002,
Survey Methodology 28, 169-181.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from statfast._typing import Array
from statfast.linear.glm.families import FAMILIES
from statfast.linear.glm.links import LINKS
from statfast.linear.glm.row_influence import (
    MIN_REST,
    ModelParts,
    RowInfluence,
    refuse_light_rows,
)


class SoftmaxParts(ModelParts):
    """`ModelParts` of one model of K classes: a column for each, of it against all others.

    `y` are their indicators and `scores` their linear predictors, (n, K); those of the `reference`
    are 0.
    """

    def __init__(
        self,
        rows: Array,
        y: Array,
        a: Any,
        scores: Array,
        has_one: bool,
        results: list[Any],
        reference: int,
    ) -> None:
        logits = np.column_stack([log_odds(scores, k)[0] for k in range(scores.shape[1])])
        binomial, logit = FAMILIES["binomial"], LINKS["logit"]
        super().__init__(rows, y, a, logits, binomial, logit, has_one, results)
        self.p, self.linear, self.reference = probabilities(scores), scores, reference
        self.varying = np.delete(np.arange(scores.shape[1]), reference)

    def influence(self):
        (result,) = self.results
        n, n_classes = self.y.shape
        m = n_classes - 1
        leverage, distance = np.empty(n), np.empty(n)
        hat, share = np.empty((n, m, m)), np.empty((n, n_classes))

        def work(where: slice, block: Any) -> None:
            M, L = self._spread_and_root(where, block)
            a = 1.0 if self.a is None else self.a[where]
            hat[where] = np.asarray(a)[..., None] * (np.swapaxes(L, 1, 2) @ M @ L)
            leverage[where] = np.trace(hat[where], axis1=1, axis2=2)
            u = a * self._freed(M, L, a, where, "HC3", 0.0)
            distance[where] = np.einsum("ia,iab,ib->i", u, M, u) / result.rank
            p = self.p[where]
            for k in range(n_classes):  # the share of the variance of y_k - p_k that is lost
                g = (np.arange(n_classes) == k)[self.varying] - p[:, self.varying]
                lost = np.einsum("ia,iab,ib->i", g, M, g)
                share[where, k] = lost * p[:, k] / (1.0 - self.mu[where, k])

        with np.errstate(divide="ignore", invalid="ignore"):
            self._blocks(work)
            share *= 1.0 if self.a is None else self.a
            error = np.sqrt(np.maximum(1.0 - share, 0.0))
            standardized = (self.residuals(kind) / error for kind in ("deviance", "pearson"))
            return RowInfluence(self.p, self.linear, leverage, distance, *standardized, hat)

    def scores(self, kind: str, copies: Array) -> Array:
        out = self._residuals(slice(None))
        w = (1.0 if self.a is None else self.a) / copies
        if kind in ("HC2", "HC3"):

            def work(where: slice, block: Array) -> None:
                M, L = self._spread_and_root(where, block)
                out[where] = self._freed(M, L, w[where], where, kind, MIN_REST)

            self._blocks(work)
        return out * w * (self._growth() if kind == "HC1" else 1.0)

    def _residuals(self, where: slice) -> Any:
        return (self.y[where] - self.p[where])[:, self.varying]

    def _spread_and_root(self, where: slice, block: Any) -> Any:
        """M and the root L of V, (m, K - 1, K - 1) each, of some rows."""
        p = self.p[where][:, self.varying]
        root = np.sqrt(p)
        divisor = 1.0 + np.sqrt(self.p[where, self.reference])
        L = np.eye(p.shape[1]) * root[:, None] - p[:, :, None] * (root / divisor[:, None])[:, None]
        return self.results[0].spreads(block, self.has_one), L

    def _freed(self, M: Array, L: Array, w: Any, where: slice, kind: str, least: float) -> Array:
        """(I - w V M)^-1 (y - p), or with HC2 the root of that inverse; H's eigenvalues below 1."""
        residuals = self._residuals(where)
        w = np.broadcast_to(w, (len(residuals), 1))
        values, vectors = np.linalg.eigh(w[:, :, None] * (np.swapaxes(L, 1, 2) @ M @ L))
        if least and self.a is not None:
            refuse_light_rows(kind, values, self.a[where], where.start)
        s = np.sqrt(np.maximum(1.0 - values, least))
        g = 1.0 / (s * (1.0 + s)) if kind == "HC2" else 1.0 / s**2
        turned = np.swapaxes(L @ vectors, 1, 2) @ (M @ residuals[:, :, None])
        return residuals + w * (L @ vectors @ (g[:, :, None] * turned))[:, :, 0]


def probabilities(scores: Array) -> Array:
    """(n, K) from linear predictors."""
    from scipy.special import softmax

    return softmax(scores, axis=1)


def log_odds(scores: Array, k: int) -> tuple[Array, Array]:
    """Of class k against all others (n,), and the slopes of that by the scores, (n, K).

    `scores` are logarithms of what the probabilities are proportional to.
    """
    from scipy.special import logsumexp

    rest = scores.copy()
    rest[:, k] = -np.inf
    total = logsumexp(rest, axis=1)
    slopes = -np.exp(rest - total[:, None])
    slopes[:, k] = 1.0
    return scores[:, k] - total, slopes
