# SPDX-License-Identifier: BSD-3-Clause
"""The table of an audit, as text of any width and as HTML."""

from __future__ import annotations

import html
import os
from textwrap import wrap
from typing import Any

import numpy as np

from statfast.audit.interception import Watcher
from statfast.audit.recording import AuditRow, CallRecorder
from statfast.audit.twins import sklearn_classes

DEFAULT_WIDTH = 100  # characters of a table that no terminal shows
_MIN_WIDTH = 72
_MIN_WIDTH_OF_ONE_LINE = 100  # Narrower tables have a line for the call, and one for numbers.
_MAX_PLACE = 20  # characters of the file and the line
_HEADINGS = ("line", "call", "calls", "sklearn", "statfast", "faster", "MB", "MB", "difference")
_WIDTHS = (5, 7, 8, 6, 5, 5, 11)  # of all columns but the line and the call


class AuditReport:
    """What an audit saw: a row for each line of the program and method it called.

    Made by `watch`, and printed as a table. In a ``with`` block the audit ends with the block; else
    `stop` ends it.

    Attributes
    ----------
    rows : list of AuditRow
        The rows, in the order of first calls. Each has the fields ``file``, ``line``, ``call``,
        ``n_calls``, ``n_doubled``, ``seconds``, ``twin_seconds``, ``memory``, ``twin_memory``,
        ``difference``, ``where``, ``explained_by``, ``remarks`` and ``verdict``, which is "equal",
        "explained", "differs", "failed" or "not doubled".

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> import statfast.audit
    >>> from statfast.datasets import load_wine
    >>> wine = load_wine()
    >>> with statfast.audit.watch() as report:
    ...     model = Ridge(alpha=2.0).fit(wine.data, wine.target)
    >>> row = report.rows[0]
    >>> row.call, row.n_calls, row.n_doubled, row.verdict
    ('Ridge.fit', 1, 1, 'equal')
    """

    def __init__(self) -> None:
        classes = sklearn_classes()
        self._recorder = CallRecorder(classes)
        self._watcher = Watcher(classes, self._recorder)

    @property
    def rows(self) -> list[AuditRow]:
        return list(self._recorder.rows.values())

    def stop(self) -> None:
        """End the audit; scikit-learn's classes have their own methods again."""
        self._watcher.stop()

    def __enter__(self) -> AuditReport:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def counts(self) -> dict[str, int]:
        """Calls by what came of them.

        Returns
        -------
        dict of str to int
            "calls", of which were "doubled"; of the rows, "rows" in all, those where the twin is
            "faster" and "slower", and those of each verdict.
        """
        rows = self.rows
        timed = [row for row in rows if row.n_doubled]
        verdicts = [row.verdict for row in rows]
        return {
            "calls": sum(row.n_calls for row in rows),
            "doubled": sum(row.n_doubled for row in rows),
            "rows": len(rows),
            "faster": sum(row.twin_seconds <= row.seconds for row in timed),
            "slower": sum(row.twin_seconds > row.seconds for row in timed),
            **{
                verdict: verdicts.count(verdict)
                for verdict in ("equal", "explained", "differs", "failed", "not doubled")
            },
        }

    def text(self, width: int = DEFAULT_WIDTH) -> str:
        """Lay the table out as text.

        Parameters
        ----------
        width : int, default=100
            Characters of a line; at least 72 are used.

        Returns
        -------
        str
            The table, notes on its rows, and a line of totals.
        """
        rows = self.rows
        if not rows:
            return "No estimator of scikit-learn was called."
        notes = _Notes()
        width = max(width, _MIN_WIDTH)
        cells = [(*_cells(row)[:-1], _cells(row)[-1] + notes.mark(row)) for row in rows]
        is_wide = width >= _MIN_WIDTH_OF_ONE_LINE
        lines = _wide_lines(cells, width) if is_wide else _narrow_lines(cells)
        for number, note in notes.texts():
            lines += wrap(note, width, initial_indent=f"[{number}] ", subsequent_indent="    ")
        lines += ["", *wrap(self._total(), width)]
        return "\n".join(lines)

    def _total(self) -> str:
        counts = self.counts()
        theirs = sum(row.seconds for row in self.rows if row.n_doubled)
        ours = sum(row.twin_seconds for row in self.rows)
        inside = self._watcher.n_inside
        parts = [
            f"Calls: {counts['calls']}, answered by both: {counts['doubled']}; scikit-learn "
            f"{_seconds(theirs)}, statfast {_seconds(ours)}.",
            f"Rows: {counts['rows']}. Faster: {counts['faster']}, slower: {counts['slower']}. "
            f"Answers equal: {counts['equal']}, different for a known reason: "
            f"{counts['explained']}, for no known one: {counts['differs']}; failed: "
            f"{counts['failed']}, not doubled: {counts['not doubled']}.",
        ]
        if inside:
            parts.append(f"Calls inside others, part of them: {inside}.")
        return " ".join(parts)

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        notes = _Notes()
        head = "".join(f"<th>{heading}</th>" for heading in _HEADINGS)
        lines = []
        for row in self.rows:
            cells = list(_cells(row))
            cells[-1] += notes.mark(row)
            lines.append("".join(f"<td>{html.escape(cell)}</td>" for cell in cells))
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        listed = "".join(f"<li>{html.escape(note)}</li>" for _, note in notes.texts())
        return (
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            f"<ol>{listed}</ol><p>{html.escape(self._total())}</p>"
        )

    def to_frame(self) -> Any:
        """Return the rows as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            A row for each of `rows`, with the fields as columns.
        """
        import pandas

        return pandas.DataFrame([
            {**{k: v for k, v in vars(row).items() if k not in ("differs", "failed")},
             "verdict": row.verdict}
            for row in self.rows
        ])  # fmt: skip


class _Notes:
    """Notes below a table, each with a number; rows with the same note share it."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, row: AuditRow) -> str:
        """The numbers of a row's notes."""
        notes = [*row.remarks]
        if row.verdict == "explained":
            notes.append(f"Explained: {row.explained_by}")
        elif row.verdict == "differs":
            where = f" of {row.where}" if row.where else ""
            notes.append(f"Differs{where}: {row.search}.")
        numbers = [self._numbers.setdefault(note, len(self._numbers) + 1) for note in notes]
        return f" [{','.join(map(str, numbers))}]" if numbers else ""

    def texts(self) -> list[tuple[int, str]]:
        """The notes by their numbers."""
        return [(number, note) for note, number in self._numbers.items()]


def _cells(row: AuditRow) -> tuple[str, ...]:
    doubled = row.n_doubled > 0
    ratio = row.seconds / row.twin_seconds if row.twin_seconds else np.nan
    return (
        f"{os.path.basename(row.file)}:{row.line}",
        row.call,
        str(row.n_calls),
        _seconds(row.seconds),
        _seconds(row.twin_seconds) if doubled else "-",
        f"{ratio:.2g}x" if ratio < 100 else f"{ratio:.0f}x" if ratio == ratio else "-",
        _megabytes(row.memory),
        _megabytes(row.twin_memory) if doubled else "-",
        "failed" if row.failed else _share(row.difference) if doubled else "-",
    )


def _seconds(seconds: float) -> str:
    for unit, name in ((1.0, "s"), (1e-3, "ms")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds * 1e6:.3g} us"


def _share(difference: float) -> str:
    return f"{difference:.0e}" if difference else "0"


def _megabytes(size: float) -> str:
    return "-" if np.isnan(size) else f"{size / 2**20:.3g}" if size < 1e9 else f"{size / 2**20:.0f}"


def _wide_lines(cells: list[tuple[str, ...]], width: int) -> list[str]:
    """A line for each row."""
    place = min(max(len(line[0]) for line in cells), _MAX_PLACE)
    call = min(width - place - sum(_WIDTHS) - 8, max(len(line[1]) for line in cells))
    widths = (place, call, *_WIDTHS)
    lines = [_joined(_HEADINGS, widths)]
    lines.append("-" * len(lines[0]))
    for texts in cells:
        first, *rest = _folded(texts[1], call)
        lines.append(_joined((_cut(texts[0], place), first, *texts[2:]), widths))
        lines += [" " * (place + 1) + part for part in rest]
    return lines


def _narrow_lines(cells: list[tuple[str, ...]]) -> list[str]:
    """Two lines for each row: the call, and its numbers."""
    widths = (len(_HEADINGS[0]) + 6, 0, *_WIDTHS)
    lines = [" ".join(_HEADINGS[:2]), _joined(("", "", *_HEADINGS[2:]), widths)]
    lines.append("-" * len(lines[1]))
    for place, call, *numbers in cells:
        lines += [f"{place} {call}", _joined(("", "", *numbers), widths)]
    return lines


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"..{text[2 - width :]}"


def _folded(call: str, width: int) -> list[str]:
    """A call on one line, or class and method on two."""
    if len(call) <= width:
        return [call]
    kind, _, method = call.rpartition(".")
    return [kind if len(kind) <= width else f"{kind[: width - 2]}..", f"  .{method}"]


def _joined(cells: Any, widths: tuple[int, ...]) -> str:
    """A line: two columns to the left, numbers to the right, the last to the left."""
    parts = [
        cell.ljust(width) if k < 2 else cell.rjust(width)
        for k, (cell, width) in enumerate(zip(cells[:-1], widths[:-1], strict=True))
    ]
    return " ".join([*parts, cells[-1]]).rstrip()
