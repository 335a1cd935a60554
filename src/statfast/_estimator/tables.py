# SPDX-License-Identifier: BSD-3-Clause
"""Result tables: the same numbers as text like R's, as HTML in a notebook, and as a data frame.

A model gathers its facts and columns; how they are laid out is decided here. Nothing is computed.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import floor, isfinite, log10
from textwrap import wrap
from typing import Any

import numpy as np

from statfast._estimator.display import Display, picture
from statfast._typing import Array, Axes, DataFrame

TABLE_WIDTH = 78  # characters of a text table
MAX_ROWS_SHOWN = 20  # rows of a long table
_STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"), (0.1, "."), (np.inf, ""))
_LEGEND = "Significance: 0 *** 0.001 ** 0.01 * 0.05 . 0.1"
_MIN_P_SHOWN = 2.2e-16  # Smaller p-values are shown as being below this.
_ALIASED = "(aliased)"  # This stands in place of the numbers of a row that has none.


@dataclass(frozen=True, repr=False)
class CoefficientTable:
    """Table of results with named rows, such as coefficients with their standard errors.

    Attributes
    ----------
    names : sequence of str
        What the rows are called.
    columns : mapping of str to array-like of shape (m,)
        The columns, by their headings. One whose heading starts with "P" and holds "|" or ">", such
        as "P>|z|" or "Pr(>Chi)", holds p values, and is followed by stars. A row of NaN alone is
        shown as aliased, or as nan where all rows are; single NaN stay empty.

    Examples
    --------
    >>> from statfast.linear import CoefficientTable
    >>> CoefficientTable(["dose", "age"], {"Estimate": [1.5, -0.25], "P>|z|": [0.003, 0.4]})
          Estimate   P>|z|
    dose    1.5000  0.0030  **
    age    -0.2500  0.4000
    """

    names: Sequence[str]
    columns: Mapping[str, np.ndarray]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        table = np.column_stack([np.asarray(column) for column in self.columns.values()])
        return table if dtype is None else table.astype(dtype)

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, key: Any) -> Array:
        """A row by its name, else what the numbers have at ``key`` as an array (m, columns)."""
        return np.asarray(self)[list(self.names).index(key) if isinstance(key, str) else key]

    def to_frame(self) -> DataFrame:
        """Return the numbers as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            With `names` as its index.
        """
        import pandas

        return pandas.DataFrame(dict(self.columns), index=list(self.names))

    def plot(self, column: str | None = None, *, ax: Axes | None = None, **style: Any) -> Display:
        """Draw intervals of the rows, or bars of a column: `statfast.plot.table`.

        Parameters
        ----------
        column : str, optional
            Column to draw as bars; None draws intervals where there are.
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Style of the main artist, passed on to matplotlib.

        Returns
        -------
        statfast.plot.Display
        """
        return picture("table")(self, column, ax=ax, **style)

    def cells(self) -> list[list[str]]:
        """Lay the numbers out as text.

        Returns
        -------
        list of list of str
            A line of headings, the first of which is empty, and one for each row.
        """
        values = {name: np.asarray(column, dtype=float) for name, column in self.columns.items()}
        absent = np.all([np.isnan(column) for column in values.values()], axis=0)
        mark = "nan" if absent.all() else _ALIASED
        lines = [[str(name)] for name in self.names]
        head = [""]
        for name, column in values.items():
            texts = _p_values(column) if is_p_value(name) else _numbers(column)
            head.append(name)
            for line, text, gone in zip(lines, texts, absent, strict=True):
                line.append((mark if len(line) == 1 else "") if gone else text)
            if is_p_value(name):
                head.append("")
                for line, p in zip(lines, column, strict=True):
                    line.append("" if np.isnan(p) else next(s for top, s in _STARS if p < top))
        return [head, *lines]

    def __str__(self) -> str:
        return "\n".join(_text_lines(self.cells()))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self.cells())


class Tabled:
    """Mixin: results that print as a table, which a subclass has in ``table()``."""

    table: Any

    def to_frame(self) -> DataFrame:
        """Return the table as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
        """
        return self.table().to_frame()

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Display:
        """Draw it: `statfast.plot.table`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Style of the main artist, passed on to matplotlib.

        Returns
        -------
        statfast.plot.Display
        """
        return self.table().plot(ax=ax, **style)

    def _first_rows(self, n: int) -> tuple[CoefficientTable, int]:
        """The first n rows of the table, and the number of all."""
        table = self.table()
        columns = {name: column[:n] for name, column in table.columns.items()}
        return CoefficientTable(table.names[:n], columns), len(table)

    def __str__(self) -> str:
        table, n_rows = self._first_rows(MAX_ROWS_SHOWN)
        more = n_rows - len(table)
        return f"{table}\n... and {more} more rows" if more else str(table)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


class LongTabled(Tabled):
    """Mixin: results of so many rows that only the first ones are made to be printed.

    A subclass has a length, slices that are results of the same kind, and in `_nothing` the words
    for one without rows.
    """

    _nothing = "no rows"

    def _first_rows(self, n: int) -> tuple[CoefficientTable, int]:
        return self[:n].table(), len(self)  # type: ignore[index, arg-type]

    def __str__(self) -> str:
        return super().__str__() if len(self) else self._nothing  # type: ignore[arg-type]

    __repr__ = __str__

    def _repr_html_(self) -> str:
        if not len(self):  # type: ignore[arg-type]
            return f"<p>{html.escape(self._nothing)}</p>"
        table, n_rows = self._first_rows(MAX_ROWS_SHOWN)
        more = n_rows - len(table)
        return table._repr_html_() + (f"<p>... and {more} more rows</p>" if more else "")


class Columned:
    """Mixin: results that print as columns of fixed widths, numbers to the right, and in a notebook
    as a table: `_cells` are a line of headings and one for each row, `_widths` those of the text,
    and `_remarks` the lines below."""

    def _cells(self) -> list[list[str]]:
        raise NotImplementedError

    def _widths(self) -> list[int]:
        raise NotImplementedError

    def _remarks(self) -> list[str]:
        return []

    def __str__(self) -> str:
        widths = self._widths()
        lines = (
            " ".join(text.rjust(wide) for text, wide in zip(line, widths, strict=True)).rstrip()
            for line in self._cells()
        )
        return "\n".join([*lines, *self._remarks()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        remarks = "".join(f"<p>{html.escape(line)}</p>" for line in self._remarks())
        return html_table([[text.strip() for text in line] for line in self._cells()]) + remarks


@dataclass(frozen=True)
class Summary:
    """Summary of a fit: a title, facts, tables of coefficients, and notes.

    ``print(summary)`` is text, a notebook shows HTML, `to_frame` is for further work.

    Attributes
    ----------
    title : str
        The title.
    facts : sequence of (str, object)
        Names and values; floats are rounded when shown.
    table : CoefficientTable, or mapping of str to CoefficientTable
        One table, or several with headings.
    notes : sequence of str
        Sentences below the tables.

    Examples
    --------
    >>> from statfast import LinearRegression
    >>> from statfast.datasets import load_iris
    >>> iris = load_iris()
    >>> summary = LinearRegression().fit(iris.data[:, :3], iris.data[:, 3]).summary()
    >>> summary.title
    'Linear regression'
    >>> summary.table
                 Estimate  Std. error  t value     P>|t|
    (Intercept)   -0.2403     0.17837   -1.347    0.1800
    x0            -0.2073     0.04751   -4.363  2.41e-05  ***
    x1             0.2228     0.04894    4.553  1.10e-05  ***
    x2             0.5241     0.02449   21.399  <2.2e-16  ***
    """

    title: str
    facts: Sequence[tuple[str, object]]
    table: CoefficientTable | Mapping[str, CoefficientTable]
    notes: Sequence[str] = field(default=())

    def to_frame(self) -> DataFrame:
        """Return the table as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            Of several tables, the first level of its index holds the headings.
        """
        if isinstance(self.table, CoefficientTable):
            return self.table.to_frame()
        import pandas

        return pandas.concat({name: table.to_frame() for name, table in self.table.items()})

    def __str__(self) -> str:
        tables = [
            ([name, ""] if name else []) + _text_lines(table.cells())
            for name, table in self._tables()
        ]
        inner = max(TABLE_WIDTH, *(len(line) for lines in tables for line in lines))
        remarks = [line for note in self._remarks() for line in wrap(note, inner)]
        blocks = [_text_facts(self.facts), *tables, remarks]
        blocks = [[self.title.center(inner).rstrip()], *(lines for lines in blocks if lines)]
        rule = "=" * inner
        joined = f"\n{'-' * inner}\n".join("\n".join(lines) for lines in blocks[1:])
        return "\n".join([*blocks[0], rule, joined, rule])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        half = (len(self.facts) + 1) // 2
        first_half, second_half = self.facts[:half], [*self.facts[half:], ("", "")]
        facts = [
            [name, _fact(value), next_name, _fact(more)]
            for (name, value), (next_name, more) in zip(first_half, second_half, strict=False)
        ]
        parts = [f"<h4>{html.escape(self.title)}</h4>", html_table([[""] * 4, *facts], head=False)]
        for name, table in self._tables():
            parts += [f"<h5>{html.escape(name)}</h5>"] if name else []
            parts.append(html_table(table.cells()))
        parts += [f"<p>{html.escape(note)}</p>" for note in self._remarks()]
        return "".join(parts)

    def _tables(self) -> list[tuple[str, CoefficientTable]]:
        several = {"": self.table} if isinstance(self.table, CoefficientTable) else self.table
        return list(several.items())

    def _remarks(self) -> list[str]:
        p_values = any(is_p_value(name) for _, table in self._tables() for name in table.columns)
        return [*([_LEGEND] if p_values else []), *self.notes]


def weight_text(weight: float, decimals: int) -> str:
    """A sum of weights; without decimals where it is whole except for rounding."""
    whole = abs(weight - round(weight)) <= 1e-9 * max(1.0, abs(weight))
    return str(round(weight)) if whole else f"{weight:.{decimals}f}"


def is_p_value(heading: str) -> bool:
    """Whether a column with this heading holds p values."""
    return heading.startswith("P") and ("|" in heading or ">" in heading)


def _numbers(values: Array) -> list[str]:
    """Numbers with so many decimals that large ones show some digits; small ones by themselves."""
    sizes = [abs(v) for v in values.tolist() if isfinite(v) and v]
    most = max(sizes, default=1.0)
    if most < 1e6 and all(size == floor(size) for size in sizes):
        return [_bare(v) or f"{v:.0f}" for v in values.tolist()]
    if most >= 1e6 or most < 1e-4:
        return [_bare(v) or f"{v:.4g}" for v in values.tolist()]
    decimals = min(max(3 - floor(log10(max(min(sizes, default=1.0), most * 1e-2))), 0), 7)
    small = 10.0 ** (2 - decimals)  # Smaller numbers would have fewer than three digits left.
    return [
        _bare(v) or (f"{v:.3e}" if 1e-14 < abs(v) < small else f"{v:.{decimals}f}")
        for v in values.tolist()
    ]


def _bare(value: float) -> str:
    """The text of what is not a finite number; "" of what is one. NaN is left out: " "."""
    return "" if isfinite(value) else " " if value != value else str(value)


def _p_values(values: Array) -> list[str]:
    return [
        " " if np.isnan(p) else f"<{_MIN_P_SHOWN:.1e}" if p < _MIN_P_SHOWN else
        f"{p:.4f}" if p >= 1e-3 else f"{p:.2e}"
        for p in values.tolist()
    ]  # fmt: skip


def _fact(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.7g}"
    return str(value)


def _text_facts(facts: Sequence[tuple[str, object]]) -> list[str]:
    """Name and value, in two columns, each name to the left and each value to the right."""
    half = (len(facts) + 1) // 2
    wide = TABLE_WIDTH // 2 - 2
    lines = []
    for k in range(half):
        cells = []
        for name, value in [*facts[k : k + 1], *facts[half + k : half + k + 1]]:
            text = _fact(value)
            gap = max(1, wide - len(name) - 1 - len(text))
            cells.append(f"{name}:{' ' * gap}{text}")
        lines.append("    ".join(cells))
    return lines


def _text_lines(cells: list[list[str]]) -> list[str]:
    """Names to the left, numbers to the right, stars to the left."""
    widths = [max(len(line[k]) for line in cells) for k in range(len(cells[0]))]
    to_left_ = [k == 0 or head == "" for k, head in enumerate(cells[0])]
    return [
        "  ".join(
            text.ljust(wide) if to_left else text.rjust(wide)
            for text, wide, to_left in zip(line, widths, to_left_, strict=True)
        ).rstrip()
        for line in cells
    ]


def html_table(cells: list[list[str]], head: bool = True) -> str:
    rows = []
    for number, line in enumerate(cells if head else cells[1:]):
        tag = "th" if head and number == 0 else "td"
        texts = (f"<{tag}>{html.escape(text)}</{tag}>" for text in line)
        rows.append(f"<tr>{''.join(texts)}</tr>")
    return f"<table>{''.join(rows)}</table>"
