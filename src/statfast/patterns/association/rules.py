# SPDX-License-Identifier: BSD-3-Clause
"""Association rules: their table, and how they are made from item sets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from statfast._core.patterns.rules import SetTable
from statfast._engine import checkpoint
from statfast._estimator import CoefficientTable, Display, LongTabled, picture
from statfast._typing import Array, Axes, DataFrame
from statfast._validation import (
    as_choice,
    as_count,
    as_flag,
    as_real,
    is_iterable,
    refuse_large,
    wrong_type,
)
from statfast.patterns.association.measures import MEASURES, RuleCounts
from statfast.patterns.association.significance import CORRECTIONS, corrected, fisher_p_values
from statfast.patterns.itemsets.table import FrequentItemsets

RULES_OF_CALL = 1 << 16  # that a call of the kernel makes at most
ITEMS_OF_CALL = 1e6  # that it looks at
SETS_OF_CALL = 1 << 18  # that it enters into its table
MAX_ITEMS = 62  # of a set, whose parts the kernel numbers
SHOWN = ("support", "confidence", "lift")
FRAME = (
    "antecedent_support", "consequent_support", "support", "confidence", "lift", "leverage",
    "conviction", "zhangs_metric",
)  # fmt: skip


@dataclass(frozen=True, repr=False, eq=False)
class AssociationRules(LongTabled):
    """Rules "who has the antecedent also has the consequent": the result of `association_rules`.

    ``rules[k]`` is the antecedent and the consequent of rule k, as frozensets; ``rules[mask]``,
    ``rules[2:5]`` and ``rules[[3, 1]]`` are tables of those rules. ``len`` is their number.

    Attributes
    ----------
    itemsets : FrequentItemsets
        The sets that the rules are made of.
    sides : ndarray of shape (R, 3)
        Of each rule the places in `itemsets` of all its items, of its antecedent and of its
        consequent.
    metric : str
        The measure that the rules were chosen by.

    Examples
    --------
    >>> from statfast import association_rules, frequent_itemsets
    >>> baskets = [["bread", "milk"], ["bread", "butter"], ["bread", "butter", "milk"]]
    >>> rules = association_rules(frequent_itemsets(baskets, 0.5), min_threshold=0.9)
    >>> len(rules), rules[0]
    (2, (frozenset({'butter'}), frozenset({'bread'})))
    """

    itemsets: FrequentItemsets
    sides: Array
    metric: str
    _nothing = "no rules"

    def __post_init__(self) -> None:
        sides = self.sides.view()
        sides.flags.writeable = False
        object.__setattr__(self, "sides", sides)

    @property
    def antecedents(self) -> list[frozenset[Any]]:
        """The left sides, as frozensets of names."""
        return self._sets(1)

    @property
    def consequents(self) -> list[frozenset[Any]]:
        """The right sides, as frozensets of names."""
        return self._sets(2)

    def __len__(self) -> int:
        return len(self.sides)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, int | np.integer):
            _, antecedent, consequent = self.sides[range(len(self))[int(key)]].tolist()
            return self.itemsets[antecedent], self.itemsets[consequent]
        rows = key if isinstance(key, slice) else np.asarray(key)
        return replace(self, sides=self.sides[np.arange(len(self))[rows]])

    # -------------------------------------------------------------- measures
    def measure(self, name: str) -> Array:
        """Compute a measure of interest of all rules.

        With X the baskets that have the antecedent, Y those that have the consequent, P shares of
        all N baskets and "not" the others:

        - ``"support"``: P(X and Y); ``"antecedent_support"``: P(X), R's coverage;
          ``"consequent_support"``: P(Y)
        - ``"confidence"``: P(Y given X); ``"laplace"``: (N(X and Y) + 1) / (N(X) + 2)
        - ``"lift"``: P(X and Y) / (P(X) P(Y)); ``"leverage"``: P(X and Y) - P(X) P(Y);
          ``"conviction"``: P(X) P(not Y) / P(X and not Y), infinite where the confidence is 1
        - ``"zhangs_metric"``: leverage / max(P(X and Y) P(not X), P(X) P(Y and not X)), 0 where the
          leverage is 0; ``"certainty"``: (P(Y given X) - P(Y)) / P(not Y) if that is positive,
          else the same / P(Y); ``"added_value"``: P(Y given X) - P(Y);
          ``"difference_of_confidence"``: P(Y given X) - P(Y given not X)
        - ``"cosine"``: P(X and Y) / sqrt(P(X) P(Y)); ``"jaccard"``: P(X and Y) / P(X or Y);
          ``"kulczynski"``, ``"max_confidence"``, ``"all_confidence"``: the mean, the larger and the
          smaller of P(Y given X) and P(X given Y); ``"imbalance"``: \\|P(X) - P(Y)\\| / P(X or Y)
        - ``"odds_ratio"``: P(X and Y) P(not X, not Y) / (P(X and not Y) P(Y and not X));
          ``"relative_risk"``: P(Y given X) / P(Y given not X); ``"sebag"``: P(X and Y) / P(X and
          not Y); ``"yule_q"``: (odds ratio - 1) / (odds ratio + 1), and ``"yule_y"`` the same of
          its square root
        - ``"phi"``: leverage / sqrt(P(X) P(not X) P(Y) P(not Y)); ``"chi_squared"``: N phi squared;
          ``"kappa"``: Cohen's, of X and Y as two judgments; ``"gini"``: 2 leverage squared / (P(X)
          P(not X)); ``"mutual_information"``: of X and Y, in nats, and ``"j_measure"``: its terms
          where X holds

        Parameters
        ----------
        name : str
            One of these.

        Returns
        -------
        ndarray of shape (R,)
            Infinite where a positive number is divided by 0, NaN where 0 is.

        Raises
        ------
        ValueError
            If there is no such measure.
        """
        as_choice(name, "name", list(MEASURES))
        return MEASURES[name](_counts(self.itemsets, self.sides))

    def p_values(self, multiple: str | None = "holm") -> Array:
        """Test whether both sides meet more often than by chance: Fisher's exact test, one-sided.

        Parameters
        ----------
        multiple : {"holm", "bonferroni", "BH"} or None, default="holm"
            Correction for the number of rules in this table: of the chance of any error, or by "BH"
            (Benjamini and Hochberg) of the share of false discoveries; None corrects nothing. Rules
            that were chosen by their confidence or lift have been looked at before: the p values of
            a choice made by many more tests than it kept are too small.

        Returns
        -------
        ndarray of shape (R,)

        Raises
        ------
        ValueError
            If baskets have weights that are not whole numbers, or there is no such correction.
        """
        as_choice(multiple, "multiple", CORRECTIONS)
        c = _counts(self.itemsets, self.sides)
        whole = [np.round(np.asarray(x)) for x in (c.both, c.antecedent, c.consequent, c.total)]
        given = (c.both, c.antecedent, c.consequent, c.total)
        if any((w != x).any() for w, x in zip(whole, map(np.asarray, given), strict=True)):
            raise ValueError(
                "p_values counts baskets, and these have weights that are not whole numbers. Find "
                "the sets again without sample_weight."
            )
        p = fisher_p_values(c.both, c.antecedent, c.consequent, int(c.total))
        return corrected(p, multiple)

    def improvement(self) -> Array:
        """Tell by how much each rule is more confident than all more general ones.

        Its confidence less the greatest of the rules with the same consequent whose antecedents are
        parts of its own, the empty one too, whose confidence is the support of the consequent.
        These rules need not be in the table.

        Returns
        -------
        ndarray of shape (R,)
            Infinite for rules whose antecedent is empty, of which there are none here.

        Notes
        -----
        Cost: two look-ups for each of the :math:`2^k - 1` proper parts of an antecedent of k items.

        References
        ----------
        .. [1] Bayardo, R. J., Agrawal, R. and Gunopulos, D. (2000). Constraint-based rule mining in
           large, dense databases. Data Mining and Knowledge Discovery 4, 217-240.
           https://doi.org/10.1023/A:1009895914772
        """
        return self.measure("confidence") - self._best_general()

    def is_redundant(self) -> Array:
        """Tell which rules a more general one makes redundant.

        A rule is redundant if one with the same consequent, and a part of its antecedent, has the
        same or a higher confidence: its `improvement` is not positive.

        Returns
        -------
        ndarray of shape (R,), bool
        """
        return self.measure("confidence") <= self._best_general()

    # -------------------------------------------------------------- choices
    def sort(self, measure: str, *, ascending: bool = False) -> AssociationRules:
        """Return the rules in another order.

        Parameters
        ----------
        measure : str
            A measure, as `measure` names them. Ties keep their order, and NaN comes last.
        ascending : bool, default=False
            The least first.

        Returns
        -------
        AssociationRules
        """
        values = self.measure(as_choice(measure, "measure", list(MEASURES)))
        sign = 1 if as_flag(ascending, "ascending") else -1
        return self[np.argsort(sign * values, kind="stable")]

    def containing(
        self, *, antecedent: Iterable[Any] = (), consequent: Iterable[Any] = ()
    ) -> AssociationRules:
        """Return the rules that have all of some items on a side.

        Parameters
        ----------
        antecedent, consequent : iterable, default=()
            Names of items; none asks for nothing.

        Returns
        -------
        AssociationRules

        Raises
        ------
        ValueError
            If one is not an item of the baskets.
        """
        keep = np.ones(len(self), bool)
        for side, items in ((1, antecedent), (2, consequent)):
            has_all = self.itemsets._has_all(self.itemsets._numbers(items))
            keep &= has_all[self.sides[:, side]]
        return self[keep]

    def for_basket(self, basket: Iterable[Any]) -> AssociationRules:
        """Return the rules that say something new about a basket.

        Parameters
        ----------
        basket : iterable
            Its items. Those that no basket had before are left aside.

        Returns
        -------
        AssociationRules
            Rules whose antecedent the basket has, and whose consequent it does not have in whole,
            in the order of this table.
        """
        if isinstance(basket, str) or not is_iterable(basket):
            raise wrong_type("basket", "a collection of items", basket)
        known = set(self.itemsets.names)
        inside = self.itemsets._is_part_of(
            self.itemsets._numbers(item for item in basket if item in known)
        )
        return self[inside[self.sides[:, 1]] & ~inside[self.sides[:, 2]]]

    # -------------------------------------------------------------- shown
    def to_frame(self, measures: Iterable[str] = FRAME) -> DataFrame:
        """Return the rules as a pandas data frame.

        Parameters
        ----------
        measures : iterable of str
            The measures to show, as `measure` names them; by default both supports, support,
            confidence, lift, leverage, conviction and Zhang's metric.

        Returns
        -------
        pandas.DataFrame
            With "antecedents" and "consequents", frozensets, and a column for each measure.
        """
        import pandas

        columns = {"antecedents": self.antecedents, "consequents": self.consequents}
        return pandas.DataFrame({**columns, **{name: self.measure(name) for name in measures}})

    def table(self) -> CoefficientTable:
        """Return support, confidence and lift as a table that prints.

        Returns
        -------
        CoefficientTable
            A row for each rule.
        """
        rows = [
            f"{_listed(x)} -> {_listed(y)}"
            for x, y in zip(self._lists(1), self._lists(2), strict=True)
        ]
        shown = SHOWN if self.metric in SHOWN else (*SHOWN, self.metric)
        names = [name.replace("_", " ").capitalize() for name in shown]
        columns = {name: self.measure(measure) for name, measure in zip(names, shown, strict=True)}
        return CoefficientTable(rows, columns)

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Display:
        """Draw support, confidence and lift of the rules: `statfast.plot.rules`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Of the points.

        Returns
        -------
        statfast.plot.Display
        """
        return picture("rules")(self, ax=ax, **style)

    def _lists(self, side: int) -> list[list[Any]]:
        places, of_rule = np.unique(self.sides[:, side], return_inverse=True)
        lists = self.itemsets[places]._named()
        return [lists[k] for k in of_rule.tolist()]

    def _sets(self, side: int) -> list[frozenset[Any]]:
        places, of_rule = np.unique(self.sides[:, side], return_inverse=True)
        sets = self.itemsets[places].itemsets
        return [sets[k] for k in of_rule.tolist()]

    def _best_general(self) -> Array:
        """The greatest confidence of rules with a part of the antecedent."""
        table, best = _set_table(self.itemsets), np.empty(len(self))
        total = float(self.itemsets.total)
        while table.rule < len(self):
            if table.improve(ITEMS_OF_CALL, self.sides, total, best) < 0:
                raise _incomplete()
            checkpoint()
        return best


def association_rules(
    itemsets: FrequentItemsets,
    *,
    metric: str = "confidence",
    min_threshold: float = 0.8,
    max_consequents: int | None = None,
) -> AssociationRules:
    """Make rules from frequent item sets: who has the antecedent also has the consequent.

    Parameters
    ----------
    itemsets : FrequentItemsets
        All frequent sets, from `frequent_itemsets`: not closed or maximal ones alone, as supports
        of the parts of a set are needed.
    metric : str, default="confidence"
        The measure that a rule is kept by, one of those that `AssociationRules.measure` lists.
    min_threshold : float, default=0.8
        The least value of the measure. Rules whose value is NaN are left out.
    max_consequents : int, optional
        Most items of a consequent; None sets no limit, and 1 makes the rules of R's arules.

    Returns
    -------
    AssociationRules
        Its ``measure`` computes some thirty measures, ``p_values`` are of Fisher's exact test, and
        ``is_redundant`` marks rules that a more general one makes redundant.

    Raises
    ------
    ValueError
        If the sets are closed or maximal, or parts of them are not in the table, if a set has more
        than 62 items, if there is no such measure or `max_consequents` is not positive.
    TypeError
        If `itemsets` is not a result of `frequent_itemsets`, or an argument is of the wrong type.
    MemoryError
        If the rules found so far take more than half the free memory.

    See Also
    --------
    frequent_itemsets : The sets.
    statfast.plot.rules : Support, confidence and lift as a picture.

    Notes
    -----
    Each frequent set is divided in all ways into an antecedent and a consequent, neither of them
    empty. Rules are ordered by the measure, the greatest first, then by support, then by the places
    of antecedent and consequent in `itemsets`. Cost: two look-ups in a hash table for each
    division; with ``metric="confidence"`` no consequent is tried that contains one that falls
    short [1]_.
    Memory: 24 bytes for each rule, and some 16 for each set.

    References
    ----------
    .. [1] Agrawal, R. and Srikant, R. (1994). Fast algorithms for mining association rules.
       Proceedings of the 20th International Conference on Very Large Data Bases, 487-499.

    Examples
    --------
    >>> from statfast import association_rules, frequent_itemsets
    >>> baskets = [
    ...     ["bread", "milk"],
    ...     ["bread", "butter", "eggs"],
    ...     ["bread", "butter", "milk"],
    ...     ["butter", "milk", "eggs"],
    ... ]
    >>> rules = association_rules(frequent_itemsets(baskets, 0.25), min_threshold=0.9)
    >>> print(rules)
                           Support  Confidence   Lift
    eggs -> butter          0.5000           1  1.333
    bread, eggs -> butter   0.2500           1  1.333
    eggs, milk -> butter    0.2500           1  1.333
    >>> rules[~rules.is_redundant()]
                    Support  Confidence   Lift
    eggs -> butter   0.5000           1  1.333
    """
    if not isinstance(itemsets, FrequentItemsets):
        raise wrong_type("itemsets", "a result of frequent_itemsets", itemsets)
    as_choice(metric, "metric", list(MEASURES))
    least = as_real(min_threshold, "min_threshold")
    if itemsets.kind != "frequent":
        raise ValueError(
            "itemsets must hold all frequent sets, as rules need the supports of their parts; got "
            f"{itemsets.kind} sets. Call frequent_itemsets without {itemsets.kind}=True."
        )
    longest = int(itemsets.lengths.max(initial=0))
    if longest > MAX_ITEMS:
        raise ValueError(
            f"itemsets must hold sets of at most {MAX_ITEMS} items; got one of {longest}. Set "
            "max_length in frequent_itemsets."
        )
    most = longest if max_consequents is None else as_count(max_consequents, "max_consequents")
    sides = _divide(itemsets, metric, least, most)
    counts = _counts(itemsets, sides)
    order = np.lexsort(
        (sides[:, 2], sides[:, 1], -counts.both, -MEASURES[metric](counts))
    )  # fmt: skip
    return AssociationRules(itemsets, sides[order], metric)


def _divide(itemsets: FrequentItemsets, metric: str, least: float, most: int) -> Array:
    """The sides of all rules whose measure is large enough."""
    table = _set_table(itemsets)
    room = np.empty((RULES_OF_CALL, 3), np.intp)
    floor = least if metric == "confidence" else -np.inf
    kept, n = [room[:0].copy()], 0
    while table.set < len(itemsets):
        size = table.rules(ITEMS_OF_CALL, most, floor, room)
        if size < 0:
            raise _incomplete()
        sides = room[:size]
        enough = MEASURES[metric](_counts(itemsets, sides)) >= least
        kept.append(sides[enough])
        n += len(kept[-1])
        refuse_large(
            3.0 * n * room[0].nbytes, f"A table of {n} rules or more",
            "Raise min_threshold, set max_consequents, or find fewer sets.",
        )  # fmt: skip
        checkpoint()
    return np.concatenate(kept)


def _set_table(itemsets: FrequentItemsets) -> SetTable:
    """All sets, to be looked up by their items."""
    refuse_large(32.0 * len(itemsets), "A table of the sets", "Raise min_support.")
    start = np.ascontiguousarray(itemsets.start, dtype=np.intp)
    table = SetTable(start, itemsets.items, itemsets.counts.astype(np.float64))
    for first in range(0, len(itemsets), SETS_OF_CALL):
        table.enter(first, min(first + SETS_OF_CALL, len(itemsets)))
        checkpoint()
    return table


def _counts(itemsets: FrequentItemsets, sides: Array) -> RuleCounts:
    counts = itemsets.counts.astype(np.float64)
    both, antecedent, consequent = (counts[sides[:, side]] for side in range(3))
    return RuleCounts(both, antecedent, consequent, float(itemsets.total))


def _incomplete() -> ValueError:
    return ValueError(
        "itemsets must hold all parts of its sets; got a table that some were taken out of. Pass "
        "the result of frequent_itemsets as it is, and choose among the rules."
    )


def _listed(items: list[Any]) -> str:
    return ", ".join(map(str, items))
