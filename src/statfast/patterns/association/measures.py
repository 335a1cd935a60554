# SPDX-License-Identifier: BSD-3-Clause
"""Measures of association rules, each a function of four counts.

With X the baskets that have the antecedent and Y those that have the consequent, out of N; P is a
share of the baskets, and not Y are the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from statfast._typing import Array


@dataclass(frozen=True)
class RuleCounts:
    """Baskets, or their weight: of both sides, of each, and of all."""

    both: Array
    antecedent: Array
    consequent: Array
    total: float

    @property
    def x_only(self) -> Array:
        """Baskets with the antecedent alone."""
        return self.antecedent - self.both

    @property
    def y_only(self) -> Array:
        """Baskets with the consequent alone."""
        return self.consequent - self.both

    @property
    def neither(self) -> Array:
        """Baskets with neither side."""
        return self.total - self.antecedent - self.y_only


def _ratio(above: Array, below: Array) -> Array:
    """The quotient; infinite of a positive number and 0, and NaN of two zeros."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(above, dtype=float) / below


def support(c: RuleCounts) -> Array:
    """P(X and Y)."""
    return c.both / c.total


def antecedent_support(c: RuleCounts) -> Array:
    """P(X), the coverage of the rule."""
    return c.antecedent / c.total


def consequent_support(c: RuleCounts) -> Array:
    """P(Y)."""
    return c.consequent / c.total


def confidence(c: RuleCounts) -> Array:
    """P(Y given X)."""
    return c.both / c.antecedent


def lift(c: RuleCounts) -> Array:
    """P(X and Y) / (P(X) P(Y))."""
    return (c.both * c.total) / (c.antecedent * c.consequent)


def leverage(c: RuleCounts) -> Array:
    """P(X and Y) - P(X) P(Y)."""
    return (c.both * c.total - c.antecedent * c.consequent) / c.total / c.total


def conviction(c: RuleCounts) -> Array:
    """P(X) P(not Y) / P(X and not Y); infinite where the confidence is 1."""
    value = _ratio(c.antecedent * (c.total - c.consequent), c.total * c.x_only)
    return np.where(c.x_only == 0, np.inf, value)


def zhangs_metric(c: RuleCounts) -> Array:
    """Leverage / max(P(X and Y) P(not X), P(X) P(Y and not X)); 0 where the leverage is 0."""
    gain = c.both * c.total - c.antecedent * c.consequent
    most = np.maximum(c.both * (c.total - c.antecedent), c.antecedent * c.y_only)
    return np.where(gain == 0, 0.0, _ratio(gain, most))


def certainty(c: RuleCounts) -> Array:
    """(P(Y given X) - P(Y)) / P(not Y) where that is positive, else / P(Y)."""
    gain = c.both * c.total - c.antecedent * c.consequent
    rest = np.where(gain > 0, c.total - c.consequent, c.consequent)
    return gain / np.where(gain == 0, 1.0, c.antecedent * rest)


def added_value(c: RuleCounts) -> Array:
    """P(Y given X) - P(Y)."""
    return (c.both * c.total - c.antecedent * c.consequent) / (c.antecedent * c.total)


def difference_of_confidence(c: RuleCounts) -> Array:
    """P(Y given X) - P(Y given not X)."""
    return confidence(c) - _ratio(c.y_only, c.total - c.antecedent)


def cosine(c: RuleCounts) -> Array:
    """P(X and Y) / sqrt(P(X) P(Y))."""
    return c.both / np.sqrt(c.antecedent * np.asarray(c.consequent, dtype=float))


def jaccard(c: RuleCounts) -> Array:
    """P(X and Y) / P(X or Y)."""
    return c.both / (c.antecedent + c.y_only)


def kulczynski(c: RuleCounts) -> Array:
    """(P(Y given X) + P(X given Y)) / 2."""
    return (c.both / c.antecedent + c.both / c.consequent) / 2


def max_confidence(c: RuleCounts) -> Array:
    """The larger of P(Y given X) and P(X given Y)."""
    return c.both / np.minimum(c.antecedent, c.consequent)


def all_confidence(c: RuleCounts) -> Array:
    """The smaller of P(Y given X) and P(X given Y)."""
    return c.both / np.maximum(c.antecedent, c.consequent)


def imbalance(c: RuleCounts) -> Array:
    """The absolute difference of P(X) and P(Y), divided by P(X or Y)."""
    return np.abs(c.antecedent - c.consequent) / (c.antecedent + c.y_only)


def odds_ratio(c: RuleCounts) -> Array:
    """P(X and Y) P(neither) / (P(X and not Y) P(Y and not X))."""
    return _ratio(c.both * c.neither, c.x_only * c.y_only)


def relative_risk(c: RuleCounts) -> Array:
    """P(Y given X) / P(Y given not X)."""
    return _ratio(c.both * (c.total - c.antecedent), c.antecedent * c.y_only)


def phi(c: RuleCounts) -> Array:
    """The correlation of X and Y: leverage / sqrt(P(X) P(not X) P(Y) P(not Y))."""
    gain = c.both * c.total - c.antecedent * c.consequent
    spread = np.sqrt(c.antecedent * (c.total - c.antecedent))
    return _ratio(gain, spread * np.sqrt(c.consequent * (c.total - c.consequent)))


def chi_squared(c: RuleCounts) -> Array:
    """N phi squared: Pearson's statistic of the table of X and Y, without a correction."""
    return c.total * phi(c) ** 2


def kappa(c: RuleCounts) -> Array:
    """Cohen's: (agreement - agreement by chance) / (1 - agreement by chance)."""
    chance = c.antecedent * c.consequent + (c.total - c.antecedent) * (c.total - c.consequent)
    return _ratio((c.both + c.neither) * c.total - chance, c.total * c.total - chance)


def yule_q(c: RuleCounts) -> Array:
    """(odds ratio - 1) / (odds ratio + 1)."""
    same, other = c.both * c.neither, c.x_only * c.y_only
    return _ratio(same - other, same + other)


def yule_y(c: RuleCounts) -> Array:
    """(sqrt(odds ratio) - 1) / (sqrt(odds ratio) + 1)."""
    same, other = np.sqrt(c.both * c.neither), np.sqrt(c.x_only * c.y_only)
    return _ratio(same - other, same + other)


def gini(c: RuleCounts) -> Array:
    """How much X lowers the Gini impurity of Y: 2 leverage^2 / (P(X) P(not X))."""
    return _ratio(2 * leverage(c) ** 2 * c.total**2, c.antecedent * (c.total - c.antecedent))


def j_measure(c: RuleCounts) -> Array:
    """Information of X on Y where X holds, in nats.

    P(X and Y) log(P(Y given X) / P(Y)) + P(X and not Y) log(P(not Y given X) / P(not Y)).
    """
    return _information(c.both, c.antecedent, c.consequent, c.total) + _information(
        c.x_only, c.antecedent, c.total - c.consequent, c.total
    )


def mutual_information(c: RuleCounts) -> Array:
    """Mutual information of X and Y, in nats."""
    without = c.total - c.antecedent
    return (
        j_measure(c)
        + _information(c.y_only, without, c.consequent, c.total)
        + _information(c.neither, without, c.total - c.consequent, c.total)
    )


def _information(both: Array, first: Array, second: Array, total: float) -> Array:
    """P(both) log(P(both) / (P(first) P(second))), which is 0 of none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        value = both / total * np.log(both * total / (first * np.asarray(second, dtype=float)))
    return np.where(both == 0, 0.0, value)


def laplace(c: RuleCounts) -> Array:
    """(N(X and Y) + 1) / (N(X) + 2), with numbers N of baskets."""
    return (c.both + 1) / (c.antecedent + 2)


def sebag(c: RuleCounts) -> Array:
    """P(X and Y) / P(X and not Y): the odds of the confidence."""
    return _ratio(c.both, c.x_only)


MEASURES: dict[str, Callable[[RuleCounts], Array]] = {
    function.__name__: function
    for function in (
        support, antecedent_support, consequent_support, confidence, lift, leverage, conviction,
        zhangs_metric, certainty, added_value, difference_of_confidence, cosine, jaccard,
        kulczynski, max_confidence, all_confidence, imbalance, odds_ratio, relative_risk, phi,
        chi_squared, kappa, yule_q, yule_y, gini, j_measure, mutual_information, laplace, sebag,
    )
}  # fmt: skip
