# SPDX-License-Identifier: BSD-3-Clause
"""Rules that classify, as objects, as text and as a table."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from statfast._estimator import weight_text
from statfast._typing import Array, ArrayLike, DataFrame
from statfast._validation import as_choice, as_digits, to_array
from statfast.patterns.conditions.condition import Condition
from statfast.patterns.conditions.conjunction import description


@dataclass(frozen=True)
class ClassificationRule:
    """Conditions, and the class of rows that meet them.

    Attributes
    ----------
    conditions : tuple of Condition
        All of them are to hold, by column; none in the default rule.
    label : object
        The class of the greatest weight in `counts`, the lowest of equals.
    counts : ndarray of shape (K,)
        Weight of each class among the training rows that the rule decides on.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.patterns import RuleListClassifier
    >>> iris = load_iris()
    >>> model = RuleListClassifier(max_depth=2).fit(iris.data, iris.target)
    >>> rule = model.rules_[0]
    >>> rule.label, rule.counts, rule.conditions[0].high
    (0, array([50.,  0.,  0.]), 2.45)
    """

    conditions: tuple[Condition, ...]
    label: Any
    counts: np.ndarray

    @property
    def odds(self) -> float:
        """Weight of the class divided by that of the others."""
        others = np.delete(self.counts, self.counts.argmax()).sum()
        return float(self.counts.max() / others) if others > 0.0 else np.inf

    @property
    def probability(self) -> float:
        """The share of the class."""
        return float(self.counts.max() / self.counts.sum())


@dataclass(frozen=True, repr=False)
class RuleTable:
    """Rules in the order in which they are tried, the default rule as the last.

    ``print`` shows a line for each rule; a rule by its number is ``table[0]``.

    Attributes
    ----------
    rules : tuple of ClassificationRule
        The rules.
    descriptions : list of str
        Their conditions in words; of the default rule "always".
    classes : ndarray of shape (K,)
        The labels.
    ordered : bool
        Whether the first rule that is met decides; else all that are met do together.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.patterns import RuleListClassifier
    >>> iris = load_iris()
    >>> model = RuleListClassifier(max_depth=2).fit(iris.data, iris.target)
    >>> print(model.rules_)
    if x2 <= 2.45 then 0 (odds = inf, counts = 50 / 0 / 0)
    else if x2 <= 4.75 and x3 <= 1.65 then 1 (odds = inf, counts = 0 / 44 / 0)
    else if x2 > 4.85 and x3 > 1.75 then 2 (odds = inf, counts = 0 / 0 / 43)
    else if 6.35 < x0 <= 6.95 then 1 (odds = inf, counts = 0 / 3 / 0)
    else 2 (odds = 2.33, counts = 0 / 3 / 7)
    >>> model.rules_.descriptions[0]
    'x2 <= 2.45'
    """

    rules: tuple[ClassificationRule, ...]
    descriptions: list[str]
    classes: np.ndarray
    ordered: bool

    def __len__(self) -> int:
        return len(self.rules)

    def __getitem__(self, number: int) -> ClassificationRule:
        return self.rules[number]

    def text(
        self,
        *,
        show: Literal["label", "odds", "proba", "counts", "all"] = "all",
        class_names: ArrayLike | None = None,
        decimals: int = 2,
    ) -> str:
        """The rules in words, a line for each.

        Parameters
        ----------
        show : {"all", "label", "odds", "proba", "counts"}, default="all"
            What follows the class: nothing; the odds of the class among the training rows that the
            rule decides on; its share; the weight of each class, in the order of `classes`; or odds
            and weights.
        class_names : array-like of str, shape (K,), optional
            What the classes are called, in the order of `classes`. None takes their labels.
        decimals : int, default=2
            Of odds, shares, and weights that are not whole.

        Returns
        -------
        str

        Raises
        ------
        ValueError
            If `class_names` is not one name for each class, or an argument is out of its range.
        """
        as_choice(show, "show", ("label", "odds", "proba", "counts", "all"))
        digits = as_digits(decimals, "decimals")
        names = self.classes if class_names is None else class_names
        names = np.atleast_1d(to_array(names, "class_names", "a list of names")).tolist()
        if len(names) != len(self.classes):
            raise ValueError(
                f"class_names must name {len(self.classes)} classes; got {len(names)} names."
            )
        name_of = dict(zip(self.classes.tolist(), names, strict=True))
        lines = []
        for number, (rule, words) in enumerate(zip(self.rules, self.descriptions, strict=True)):
            facts = _facts(rule, show, digits)
            verdict = f"{name_of[rule.label]} ({facts})" if facts else f"{name_of[rule.label]}"
            if not rule.conditions:
                lines.append(f"{'else ' if number else 'always '}{verdict}")
            else:
                lead = "else if" if number and self.ordered else "if"
                lines.append(f"{lead} {words} then {verdict}")
        return "\n".join(lines)

    def to_frame(self) -> DataFrame:
        """Return the rules as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            Columns "rule", "label", "odds", "probability", "weight", and one for each class.
        """
        import pandas

        table = {
            "rule": self.descriptions,
            "label": [rule.label for rule in self.rules],
            "odds": [rule.odds for rule in self.rules],
            "probability": [rule.probability for rule in self.rules],
            "weight": [float(rule.counts.sum()) for rule in self.rules],
        }
        counts = np.array([rule.counts for rule in self.rules])
        return pandas.DataFrame(table | dict(zip(self.classes.tolist(), counts.T, strict=True)))

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text())}</pre>"


def _facts(rule: ClassificationRule, show: str, digits: int) -> str:
    facts = []
    if show in ("odds", "all"):
        facts.append(f"odds = {rule.odds:.{digits}f}")
    if show == "proba":
        facts.append(f"p = {rule.probability:.{digits}f}")
    if show in ("counts", "all"):
        counts = " / ".join(weight_text(weight, digits) for weight in rule.counts)
        facts.append(f"counts = {counts}")
    return ", ".join(facts)


def rule_table(
    rules: list[tuple[tuple[Condition, ...], Array]],
    classes: Array,
    names: list[str],
    ordered: bool,
) -> RuleTable:
    """The table of rules, each conditions and class weights."""
    labels = classes.tolist()
    made = tuple(
        ClassificationRule(conditions, labels[int(counts.argmax())], counts)
        for conditions, counts in rules
    )
    return RuleTable(made, [description(rule.conditions, names) for rule in made], classes, ordered)
