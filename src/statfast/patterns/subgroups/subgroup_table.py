# SPDX-License-Identifier: BSD-3-Clause
"""Tables of subgroups: how large, how the target is distributed in them, and how surely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from statfast._estimator import CoefficientTable, Display, Tabled, picture
from statfast._typing import Array, Axes, DataFrame
from statfast.patterns.conditions.condition import Condition
from statfast.patterns.subgroups.target import Target


@dataclass(frozen=True, repr=False)
class SubgroupTable(Tabled):
    """Subgroups, the best first; ``print`` shows them as a table.

    Attributes
    ----------
    descriptions : list of str
        The conditions of each subgroup, in words.
    conditions : list of tuple of Condition
        The same as objects, with `column`, `low`, `high`, `category` and `is_missing`.
    quality : ndarray of shape (m,)
        The quality, descending.
    size : ndarray of shape (m,)
        The weight of the rows; without weights, their number.
    share : ndarray of shape (m,)
        The share of all weight.
    target : ndarray of shape (m,)
        The share of the class among the rows, or the mean of a numeric target.
    recall : ndarray of shape (m,)
        The share of the weight of the class that the subgroup has; NaN of a numeric target.
    lift : ndarray of shape (m,)
        `target` divided by that of all rows; NaN of a numeric target.
    p_values : ndarray of shape (m,)
        Of a nominal target Pearson's chi-squared test (1 degree of freedom) of the table of
        subgroup and class, of a numeric one Welch's t test of the subgroup and the rest; two-sided.
        They speak of a subgroup that was named beforehand.
    adjusted : ndarray of shape (m,)
        The same times the number of conjunctions in the search, at most 1: of a subgroup that is
        the best of so many (Bonferroni).
    base : float
        The share of the class, or the mean, of all rows.
    class_weights : tuple of float
        The weight of the class and of the rest; of a numeric target the total weight and 0.
    label : object
        The class; None of a numeric target.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.patterns import SubgroupDiscovery
    >>> iris = load_iris()
    >>> model = SubgroupDiscovery(3, pos_label=1, max_depth=1).fit(iris.data, iris.target)
    >>> print(model.subgroups_)
                size   share  share of 1  quality    P>chi2       P>adjusted
    x1 <= 2.95    57  0.3800      0.5965  0.10000  8.67e-08  ***    2.77e-06  ***
    x1 <= 3.15    94  0.6267      0.4787  0.09111  9.88e-07  ***    3.16e-05  ***
    x3 > 0.25    116  0.7733      0.4310  0.07556  2.75e-06  ***    8.80e-05  ***
    >>> model.subgroups_.lift.round(2)
    array([1.79, 1.44, 1.29])
    """

    descriptions: list[str]
    conditions: list[tuple[Condition, ...]]
    quality: np.ndarray
    size: np.ndarray
    share: np.ndarray
    target: np.ndarray
    recall: np.ndarray
    lift: np.ndarray
    p_values: np.ndarray
    adjusted: np.ndarray
    base: float
    class_weights: tuple[float, float]
    label: Any

    def __len__(self) -> int:
        return len(self.descriptions)

    def table(self) -> CoefficientTable:
        """The numbers that are printed.

        Returns
        -------
        CoefficientTable
        """
        heading = "mean" if self.label is None else f"share of {self.label}"
        tail = "|t|" if self.label is None else "chi2"
        return CoefficientTable(
            self.descriptions,
            {
                "size": self.size, "share": self.share, heading: self.target,
                "quality": self.quality, f"P>{tail}": self.p_values,
                "P>adjusted": self.adjusted,
            },
        )  # fmt: skip

    def to_frame(self) -> DataFrame:
        """Return all numbers as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            With a column for each array, and descriptions as its index.
        """
        import pandas

        names = ("size", "share", "target", "recall", "lift", "quality", "p_values", "adjusted")
        return pandas.DataFrame(
            {name: getattr(self, name) for name in names},
            index=pandas.Index(self.descriptions, name="subgroup"),
        )

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Display:
        """Draw the subgroups: `statfast.plot.subgroups`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Style of the points, passed on to matplotlib.

        Returns
        -------
        statfast.plot.Display
        """
        return picture("subgroups")(self, ax=ax, **style)

    def __str__(self) -> str:
        if not len(self):
            return "no subgroup is better than all rows"
        return super().__str__()

    __repr__ = __str__


def subgroup_table(
    target: Target,
    covers: Array,
    quality: Array,
    described: tuple[list[str], list[tuple[Condition, ...]]],
    n_conjunctions: float,
) -> SubgroupTable:
    """The table of subgroups that cover rows (m, n)."""
    weights = np.ones(len(target.values)) if target.weights is None else target.weights
    total, base = target.total_weight, target.mean
    sizes, sums = covers @ weights, covers @ (weights * target.values)
    of_class = total * base
    with np.errstate(divide="ignore", invalid="ignore"):
        means = sums / sizes
        if target.is_nominal:
            recall, lift = sums / of_class, means / base
            p_values = _chi_squared_p(sizes, sums, total, of_class)
            class_weights = (of_class, total - of_class)
        else:
            recall = lift = np.full(len(sizes), np.nan)
            p_values = _welch_p(target.values, weights, covers, means)
            class_weights = (total, 0.0)
    return SubgroupTable(
        *described, quality, sizes, sizes / total, means, recall, lift, p_values,
        np.minimum(p_values * n_conjunctions, 1.0), base, class_weights, target.label,
    )  # fmt: skip


def _chi_squared_p(sizes: Array, sums: Array, total: float, of_class: float) -> Array:
    from scipy.special import chdtrc

    share = of_class / total
    gain = sums / sizes - share
    rest = np.where(total - sizes > 1e-9 * total, total - sizes, np.nan)
    return chdtrc(1.0, gain**2 * total * sizes / (rest * share * (1.0 - share)))


def _welch_p(values: Array, weights: Array, covers: Array, means: Array) -> Array:
    """Two-sided p values of Welch's t, the subgroup against the rest; NaN of too few rows."""
    from scipy.special import stdtr

    out = np.full(len(covers), np.nan)
    for i, (cover, mean) in enumerate(zip(covers, means.tolist(), strict=True)):
        inside, outside = weights[cover], weights[~cover]
        sizes = np.array([inside.sum(), outside.sum()])
        if not (sizes > 1.0).all():
            continue
        other = np.average(values[~cover], weights=outside)
        squares = np.array([
            inside @ (values[cover] - mean) ** 2, outside @ (values[~cover] - other) ** 2
        ])  # fmt: skip
        parts = squares / (sizes - 1.0) / sizes
        if parts.sum() > 0.0:
            freedom = parts.sum() ** 2 / (parts**2 / (sizes - 1.0)).sum()
            out[i] = 2.0 * stdtr(freedom, -abs(mean - other) / np.sqrt(parts.sum()))
        else:  # two constants
            out[i] = 0.0 if mean != other else 1.0
    return out
