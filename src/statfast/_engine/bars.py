# SPDX-License-Identifier: BSD-3-Clause
"""Progress bars of long calls: one for each call, with its name, and those of calls within.

A bar is a hook of `set_progress` that knows more: which calls are under way (`open_call`, which
`Estimator` asks for each fit and prediction), the steps of a call that fits again and again
(`count_steps`), and otherwise the passes over its rows.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from shutil import get_terminal_size
from threading import get_ident
from time import monotonic
from typing import Any

from statfast._engine import blocks
from statfast._validation import wrong_type

BAR_WIDTH = 24  # characters of the bar
SECONDS_BETWEEN_WRITES = 0.1  # seconds between two updates of the bar, and before the first
MAX_LEVELS = 3  # bars of calls within one another


@contextmanager
def progress_bar(file: Any = None) -> Iterator[None]:
    """Context manager that shows a progress bar for each long call.

    Parameters
    ----------
    file : text file, optional
        What the bar is written to; None is ``sys.stderr``.

    Yields
    ------
    None

    Raises
    ------
    TypeError
        If `file` cannot be written to.

    See Also
    --------
    set_progress : Pass the counts to your own function.

    Notes
    -----
    A call has one bar, with its name and the seconds since it began. It counts the fits of a
    search or a cross-validation, the rounds of boosting, or else the blocks of the current pass
    over the rows; the fit under way within a search follows it. It is written at most ten times a
    second. Calls of less than a tenth of a second, and those of threads other than the one that
    opened the block, are not shown. The hook that was set before is set again at the end of the
    block.

    Where tqdm is installed, the bars are its own: below one another, and widgets in a notebook.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> from statfast import KMeans, progress_bar
    >>> X = np.random.default_rng(0).random((50_000, 8))
    >>> with progress_bar(io.StringIO()):  # without an argument, to sys.stderr
    ...     model = KMeans(3, n_init=1, random_state=0).fit(X)
    """
    out = sys.stderr if file is None else file
    if not all(callable(getattr(out, name, None)) for name in ("write", "flush")):
        raise wrong_type("file", "a text file", file)
    bars, before = Bars(_drawing(out)), blocks.hook()
    blocks.set_progress(bars)
    try:
        yield
    finally:
        blocks.set_progress(before)
        bars.close()


def _bars() -> Bars | None:
    """The bars that show calls of this thread."""
    bars = blocks.hook()
    shown = isinstance(bars, Bars) and bars.thread == get_ident() and not blocks.in_task()
    return bars if shown else None  # type: ignore[return-value]


def open_call(name: str, owner: Any = None, verbose: Any = False) -> Call | None:
    """Say that a call begins; what it returns, None where calls are not shown, is for `close_call`.

    With `verbose` it is shown anyway, and its last line says how long it took. A call of the object
    that is called already, such as the fit of a ``fit_predict``, is no call of its own.
    """
    bars, before = _bars(), blocks.hook()
    if bars is not None or not verbose or blocks.in_task():
        return None if bars is None else bars.open(name, owner)
    bars = Bars(_drawing(sys.stderr), before, says_end=True)
    blocks.set_progress(bars)
    return bars.open(name, owner)


def close_call(call: Call | None) -> None:
    """Say that a call ended."""
    if call is not None:
        call.bars.close(call)
        if call.bars.says_end and not call.bars.calls:
            blocks.set_progress(call.bars.previous)


@contextmanager
def named_call(name: str, verbose: Any = False) -> Iterator[None]:
    """A block that is one call, by `open_call` and `close_call`.

    A function that only calls another, as cross_val_score does cross_validate, is one call with it.
    """
    bars = _bars()
    inner = bars is not None and bars.calls and not bars.calls[-1].counts_steps
    call = None if inner else open_call(name, None, verbose)
    try:
        yield
    finally:
        close_call(call)


@contextmanager
def count_steps(total: int | None) -> Iterator[Callable[[], None]]:
    """Count the steps of a loop of fits: what it yields is called after each.

    They are the steps of the call under way; a loop of another one within them has its own. Hooks
    of the user hear of passes alone.
    """
    bars = _bars()
    if bars is None:
        yield lambda: None
        return
    call = None
    if not bars.calls or bars.calls[-1].counts_steps:
        call = bars.open(_public_call(), None)
    counted = bars.calls[-1]
    done, counted.counts_steps = 0, True
    bars.step(0, total)

    def step() -> None:
        nonlocal done
        done += 1
        if bars.calls and bars.calls[-1] is counted:
            bars.step(done, total)

    try:
        yield step
    finally:
        counted.counts_steps = False
        close_call(call)


def _public_call() -> str:
    """The public call under way, from the stack: ``KMeans.fit``, ``linkage``."""
    frame, outermost = inspect.currentframe(), None
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        public = not frame.f_code.co_name.startswith(("_", "<"))
        if public and module.startswith("statfast.") and not module.startswith("statfast._engine"):
            outermost = frame
        frame = frame.f_back
    if outermost is None:
        return "statfast"
    name, self = outermost.f_code.co_name, outermost.f_locals.get("self")
    return name if self is None else f"{type(self).__name__}.{name}"


class Call:
    """A call under way: its name, and how far it is."""

    def __init__(self, bars: Bars, name: str, owner: Any, implied: bool) -> None:
        self.bars, self.name, self.owner, self.implied = bars, name, owner, implied
        self.begin = monotonic()
        self.steps: tuple[int, int | None] | None = None
        self.rows: tuple[int, int | None] | None = None
        self.n_passes = 0
        self.counts_steps = False  # whether a loop of `count_steps` is under way
        self.line: Any = None  # what draws it keeps here

    def state(self) -> tuple[int, int | None, str]:
        """Steps or blocks that are done, of how many, and what they are."""
        if self.steps is not None and (self.rows is None or self.steps[0] != self.steps[1]):
            return (*self.steps, "")
        if self.rows is None:
            return 0, None, ""
        return (*self.rows, f"pass {self.n_passes + 1}" if self.n_passes else "")


class Bars:
    """The hook of progress that draws the calls under way."""

    def __init__(self, drawing: Any, previous: Any = None, says_end: bool = False) -> None:
        self.drawing, self.previous, self.says_end = drawing, previous, says_end
        self.thread = get_ident()
        self.calls: list[Call] = []
        self.next_write = -SECONDS_BETWEEN_WRITES

    def open(self, name: str, owner: Any, implied: bool = False) -> Call | None:
        if self.calls and self.calls[-1].implied:
            self.close(self.calls[-1])
        if owner is not None and any(call.owner is owner for call in self.calls):
            return None
        self.calls.append(Call(self, name, owner, implied))
        return self.calls[-1]

    def close(self, call: Call | None = None) -> None:
        """End a call and those within it; None ends all."""
        while self.calls:
            ended = self.calls.pop()
            seconds = monotonic() - ended.begin
            writes_end = not self.calls and (self.says_end or ended.line is not None)
            self.drawing.end(ended, seconds, writes_end)
            if ended is call:
                break

    def __call__(self, done: int, total: int | None) -> None:
        """Hear of the blocks of a pass."""
        if self.previous is not None:
            self.previous(done, total)
        if self.thread == get_ident():
            call = self._call_under_way()
            call.n_passes += call.rows is not None and done <= call.rows[0]
            call.rows = done, total
            self._draw()

    def step(self, done: int, total: int | None) -> None:
        """Hear of the steps of a call."""
        if self.thread == get_ident():
            call = self._call_under_way()
            call.steps, call.rows, call.n_passes = (done, total), None, 0
            self._draw()

    def _call_under_way(self) -> Call:
        """The innermost; where there is none, a function that opened none is asked for."""
        if not self.calls:
            self.open(_public_call(), None, implied=True)
        return self.calls[-1]

    def _draw(self) -> None:
        now = monotonic()
        if now < self.next_write or now - self.calls[0].begin < SECONDS_BETWEEN_WRITES:
            return
        if self.calls[0].implied and (name := _public_call()) != self.calls[0].name:
            rows = self.calls[0].rows
            self.close()
            self.open(name, None, implied=True)
            self.calls[0].rows = rows
        self.next_write = now + SECONDS_BETWEEN_WRITES
        self.drawing.draw(self.calls[:MAX_LEVELS], now)


# ------------------------------------------------------------------ lines of text, or tqdm's
class TextLine:
    """All calls under way in one line, which is written over."""

    def __init__(self, out: Any) -> None:
        self.out, self.longest = out, 0

    def draw(self, calls: list[Call], now: float) -> None:
        done, total, what = calls[0].state()
        parts = [_text(calls[0].name, done, total, what, now - calls[0].begin)]
        for call in calls[1:]:
            done, total, what = call.state()
            counts = f" {done}/{total or '?'}" if done else ""
            parts.append(f"{call.name}{counts}{what and ', ' + what}")
        self._write(" | ".join(parts))
        calls[0].line = True

    def end(self, call: Call, seconds: float, writes_end: bool) -> None:
        if writes_end:
            text = f"{call.name}: done in {seconds:.1f} s"
            if call.steps is not None and call.rows is None:
                text = _text(call.name, *call.steps, "", seconds)
            self._write(text)
            self.out.write("\n")
            self.longest = 0

    def _write(self, line: str) -> None:
        line = line[: get_terminal_size((120, 24)).columns - 1]
        self.out.write("\r" + line.ljust(self.longest))
        self.longest = max(self.longest, len(line))
        self.out.flush()


def _text(name: str, done: int, total: int | None, what: str, seconds: float) -> str:
    filled = min(BAR_WIDTH, BAR_WIDTH * done // total) if total else 0
    bar = f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}]"
    return f"{name} {bar} {done}/{total or '?'}{what and ', ' + what}, {seconds:.1f} s"


class TqdmBars:
    """A bar of tqdm for each call under way, below one another."""

    def __init__(self, out: Any, tqdm: Any) -> None:
        self.out, self.tqdm = out, tqdm

    def draw(self, calls: list[Call], now: float) -> None:
        for level, call in enumerate(calls):
            done, total, what = call.state()
            if call.line is None:
                call.line = self.tqdm(
                    total=total, desc=call.name, position=level, leave=level == 0, file=self.out
                )
                call.line.start_t -= now - call.begin
            self._show(call.line, done, total, what)

    def end(self, call: Call, seconds: float, writes_end: bool) -> None:
        if call.line is not None:
            self._show(call.line, *call.state()[:2], "")
            call.line.close()
        elif writes_end:
            self.out.write(f"{call.name}: done in {seconds:.1f} s\n")

    @staticmethod
    def _show(line: Any, done: int, total: int | None, what: str) -> None:
        line.total, line.n = total, done
        line.set_postfix_str(what, refresh=False)
        line.refresh()


def _drawing(out: Any) -> TextLine | TqdmBars:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # tqdm warns of widgets that are not installed
            tqdm = import_module("tqdm.auto").tqdm
    except ImportError:
        return TextLine(out)
    return TqdmBars(out, tqdm)
