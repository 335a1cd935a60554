# SPDX-License-Identifier: BSD-3-Clause
"""The table of item sets: printed, as a data frame, and looked up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from statfast._estimator import CoefficientTable, Display, LongTabled
from statfast._typing import Array, Axes, DataFrame
from statfast._validation import is_iterable, shown, wrong_type

MAX_SETS_DRAWN = 15


@dataclass(frozen=True, repr=False, eq=False)
class FrequentItemsets(LongTabled):
    """Item sets and their supports: the result of `frequent_itemsets`.

    ``sets[k]`` is set k, and ``sets[mask]``, ``sets[2:5]`` and ``sets[[3, 1]]`` are tables of those
    sets. ``len`` is their number. The arrays cannot be written to.

    Attributes
    ----------
    supports : ndarray of shape (M,)
        The share of baskets that have all items of each set, the greatest first.
    counts : ndarray of shape (M,)
        The number of these baskets; with weights their weight.
    start : ndarray of shape (M + 1,)
        ``items[start[k]:start[k + 1]]`` are the items of set k.
    items : ndarray of int32
        Items as numbers, ascending in each set: places in `names`.
    names : list
        Names of all items that the baskets have.
    total : int or float
        The number of baskets, or their weight.
    kind : {"frequent", "closed", "maximal"}
        Which sets they are.
    max_length : int or None
        The most items that a set could have.

    Examples
    --------
    >>> from statfast.patterns import frequent_itemsets
    >>> baskets = [["bread", "milk"], ["bread"], ["milk", "bread", "tea"]]
    >>> print(frequent_itemsets(baskets, 0.6))
                 Support  Count
    bread         1.0000      3
    milk          0.6667      2
    bread, milk   0.6667      2
    """

    supports: Array
    counts: Array
    start: Array
    items: Array
    names: list[Any]
    total: float
    kind: str
    max_length: int | None

    def __post_init__(self) -> None:
        for name in ("supports", "counts", "start", "items"):
            view = getattr(self, name).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    @property
    def lengths(self) -> Array:
        """Numbers of items of the sets, an array of shape (M,)."""
        return np.diff(self.start)

    @property
    def itemsets(self) -> list[frozenset[Any]]:
        """The sets, as frozensets of names."""
        return [frozenset(items) for items in self._named()]

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, int | np.integer):
            place = range(len(self))[int(key)]
            members = self.items[self.start[place] : self.start[place + 1]]
            return frozenset(self.names[item] for item in members.tolist())
        chosen = key if isinstance(key, slice) else np.asarray(key)
        return self._taken(np.arange(len(self))[chosen])

    def __iter__(self) -> Iterator[frozenset[Any]]:
        return iter(self.itemsets)

    def support(self, items: Iterable[Any]) -> float:
        """Look up the support of a set.

        Parameters
        ----------
        items : iterable
            Names of its items, in any order.

        Returns
        -------
        float
            Its support. Of closed sets, it is that of the smallest one that has all items, which
            is that of the set itself.

        Raises
        ------
        ValueError
            If the set is not in the table: it is less frequent, longer than `max_length`, or no
            maximal one.
        """
        wanted = self._numbers(items)
        has_all = self._has_all(wanted)
        if self.kind != "closed":
            has_all &= self.lengths == len(wanted)
        if not has_all.any():
            names = sorted(str(self.names[item]) for item in wanted)
            raise ValueError(
                f"items must be a set of the table; {shown(names)} is not among the "
                f"{len(self)} sets. Mine with a lower min_support, or kind='all'."
            )
        return float(self.supports[has_all.argmax()])

    def containing(self, items: Iterable[Any]) -> FrequentItemsets:
        """The sets that have all of some items.

        Parameters
        ----------
        items : iterable
            Names of the items.

        Returns
        -------
        FrequentItemsets

        Raises
        ------
        ValueError
            If one is not an item of the baskets.
        """
        return self[self._has_all(self._numbers(items))]

    def to_frame(self) -> DataFrame:
        """Return the sets as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            With columns "support", "itemsets" (frozensets), "count" and "length".
        """
        import pandas

        columns = {
            "support": self.supports, "itemsets": self.itemsets, "count": self.counts,
            "length": self.lengths,
        }  # fmt: skip
        return pandas.DataFrame(columns)

    def table(self) -> CoefficientTable:
        """Return supports and counts as a table that prints.

        Returns
        -------
        CoefficientTable
            A row for each set.
        """
        rows = [", ".join(map(str, items)) for items in self._named()]
        return CoefficientTable(rows, {"Support": self.supports, "Count": self.counts})

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Display:
        """Draw supports of the first sets as bars: `statfast.plot.table`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Of the bars.

        Returns
        -------
        statfast.plot.Display
        """
        return self[:MAX_SETS_DRAWN].table().plot("Support", ax=ax, **style)

    @property
    def _nothing(self) -> str:
        return f"no {self.kind} item sets"

    def _named(self) -> list[list[Any]]:
        named = [self.names[item] for item in self.items.tolist()]
        ends = self.start.tolist()
        return [named[ends[k] : ends[k + 1]] for k in range(len(self))]

    def _numbers(self, items: Iterable[Any]) -> Array:
        """Places of names, which must be there."""
        if isinstance(items, str) or not is_iterable(items):
            raise wrong_type("items", "a collection of items", items)
        number_of = {name: number for number, name in enumerate(self.names)}
        try:
            wanted = set(items)
        except TypeError as error:
            raise TypeError(f"items must hold names of items; {error}.") from None
        for name in wanted:
            if name not in number_of:
                raise ValueError(
                    f"items must be of the baskets; {shown(name)} is not an item of the baskets."
                )
        return np.array(sorted(number_of[name] for name in wanted), np.int32)

    def _has_all(self, wanted: Array) -> Array:
        hits = np.concatenate([[0], np.cumsum(np.isin(self.items, wanted))])
        return hits[self.start[1:]] - hits[self.start[:-1]] == len(wanted)

    def _is_part_of(self, basket: Array) -> Array:
        """Which sets have no item that is not in the basket."""
        hits = np.concatenate([[0], np.cumsum(np.isin(self.items, basket))])
        return hits[self.start[1:]] - hits[self.start[:-1]] == self.lengths

    def _taken(self, rows: Array) -> FrequentItemsets:
        lengths = self.lengths[rows]
        start = np.concatenate([[0], np.cumsum(lengths)]).astype(self.start.dtype)
        place = np.repeat(self.start[:-1][rows] - start[:-1], lengths) + np.arange(start[-1])
        return replace(
            self, supports=self.supports[rows], counts=self.counts[rows], start=start,
            items=self.items[place],
        )  # fmt: skip
