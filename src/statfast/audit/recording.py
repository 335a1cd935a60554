# SPDX-License-Identifier: BSD-3-Clause
"""What is done with a call: by scikit-learn for the program, and by the twin beside it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from statfast.audit.comparison import Difference, fitted_attributes
from statfast.audit.explanation import NO_ROW, NOT_SOUGHT, Case, can_be_explained, explain
from statfast.audit.interception import calling_line
from statfast.audit.measurement import Usage, measured, undisturbed
from statfast.audit.twins import TwinMaker, twin_class

FITS = ("fit", "fit_predict", "fit_transform", "partial_fit")
MAX_RATIO_OF_REASON = 3.0  # A reason found for a difference is that of others up to so much larger.
MAX_PARTIAL_FITS_KEPT = 50  # To look for a reason, a model is fitted again to what is kept.


@dataclass
class Shadow:
    """The twin of one estimator of the program, and how it came to be fitted."""

    twin: Any
    maker: TwinMaker
    fits: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = field(default_factory=list)
    failure: str = ""


@dataclass
class AuditRow:
    """All calls of one method of one class on one line of the program.

    Attributes
    ----------
    file : str
        Of the program.
    line : int
        In the file.
    call : str
        The class and its method.
    n_calls : int
        How often it was called.
    n_doubled : int
        Of them, those that the twin answered, too.
    seconds, twin_seconds : float
        What scikit-learn took, and what the twin took, for the calls that both answered.
    memory, twin_memory : float
        Bytes at the peak of one call above those before it; NaN where the system does not tell.
    difference : float
        The largest of the answers, or NaN without answers to compare.
    where : str
        What differs most, such as a fitted attribute.
    explained_by : str
        Row of the tables of differences that says why; empty without a difference, or a reason.
    search : str
        What came of the search for a reason where none was found.
    remarks : list of str
        Parameters that are not taken, why a call was not doubled, and how the twin failed.
    """

    file: str
    line: int
    call: str
    n_calls: int = 0
    n_doubled: int = 0
    seconds: float = 0.0
    twin_seconds: float = 0.0
    memory: float = np.nan
    twin_memory: float = np.nan
    difference: float = np.nan
    where: str = ""
    explained_by: str = ""
    differs: bool = False
    is_explained: bool = True
    search: str = NO_ROW
    explained_size: float = 0.0
    failed: bool = False
    remarks: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """One word for the answers of the row."""
        if self.failed:
            return "failed"
        if not self.n_doubled:
            return "not doubled"
        if not self.differs:
            return "equal"
        return "explained" if self.is_explained else "differs"

    def remark(self, text: str) -> None:
        """Add a remark, once."""
        if text not in self.remarks:
            self.remarks.append(text)


class CallRecorder:
    """Keeps the rows of an audit, in the order of first calls."""

    def __init__(self, classes: list[type]) -> None:
        self._classes = set(classes)
        self._shadows: WeakKeyDictionary[Any, Shadow] = WeakKeyDictionary()
        self.rows: dict[tuple[str, int, str], AuditRow] = {}

    def __call__(
        self,
        estimator: Any,
        name: str,
        args: tuple[Any, ...],
        arguments: dict[str, Any],
        call: Callable[[], Any],
    ) -> Any:
        """Make the call for the program, and have the twin answer a copy of it."""
        key = (*calling_line(), f"{type(estimator).__name__}.{name}")
        row = self.rows.setdefault(key, AuditRow(*key))
        row.n_calls += 1
        prepared: Any = None
        with undisturbed():
            try:
                prepared = self._prepared(estimator, name, args, arguments)
            except _NotDoubled as reason:
                row.remark(str(reason))
            except Exception as error:
                self._fail(row, estimator, name, error)
        try:
            answer, usage = measured(call)
        except BaseException as error:
            row.remark(f"scikit-learn raised {type(error).__name__}: not compared")
            raise
        if prepared is None:
            row.seconds += usage.seconds
            row.memory = float(np.fmax(row.memory, usage.memory))
            return answer
        with undisturbed():
            try:
                self._double(row, estimator, name, prepared, answer, usage)
            except Exception as error:
                self._fail(row, estimator, name, error)
        return answer

    def _fail(self, row: AuditRow, estimator: Any, name: str, error: Exception) -> None:
        row.failed = True
        text = f"{type(error).__name__}: {' '.join(str(error).split())}"
        row.remark(text if len(text) <= 400 else f"{text[:397]}...")
        shadow = self._shadows.get(estimator)
        if shadow is not None and name in FITS:
            shadow.failure = "its twin failed before"

    def _prepared(
        self, estimator: Any, name: str, args: tuple[Any, ...], arguments: dict[str, Any]
    ) -> tuple[Shadow, tuple[Any, ...], dict[str, Any]]:
        """The twin to call, and copies of the arguments as they are before scikit-learn's call."""
        cls: Any = type(estimator)
        if cls not in self._classes:
            raise _NotDoubled(f"{cls.__name__} is a class of the program, derived from another's")
        twin = twin_class(cls)
        if isinstance(twin, str):
            raise _NotDoubled(f"no {cls.__name__} in statfast: {twin}")
        try:
            copies = copy.deepcopy((args, arguments))
        except Exception as error:
            raise _NotDoubled("its arguments can be read once, and were not doubled") from error
        shadow = self._shadows.get(estimator)
        if name in FITS:
            is_new = shadow is None or shadow.failure
            keeps = name == "partial_fit" or getattr(estimator, "warm_start", False)
            if is_new or not keeps:
                maker = TwinMaker()
                try:
                    shadow = Shadow(maker.twin(estimator), maker)
                except Exception:
                    self._shadows[estimator] = Shadow(None, maker)
                    raise
                self._shadows[estimator] = shadow
            elif name != "partial_fit" and shadow is not None:
                made = TwinMaker().twin(estimator)
                shadow.twin.set_params(**made.get_params(deep=False))
        elif shadow is None:
            if _is_fitted(estimator):
                raise _NotDoubled("fitted inside another call, or before the audit: not doubled")
            maker = TwinMaker()  # such as Normalizer, whose answers need no fit
            shadow = self._shadows[estimator] = Shadow(maker.twin(estimator), maker)
        elif shadow.failure:
            raise _NotDoubled(shadow.failure)
        if shadow is None:
            raise _NotDoubled("not fitted")
        return (shadow, *copies)

    def _double(
        self,
        row: AuditRow,
        estimator: Any,
        name: str,
        prepared: tuple[Shadow, tuple[Any, ...], dict[str, Any]],
        answer: Any,
        usage: Usage,
    ) -> None:
        """Have the twin answer, and compare."""
        shadow, args, arguments = prepared
        for text in shadow.maker.not_taken:
            row.remark(text)
        ours, twin_usage = measured(lambda: getattr(shadow.twin, name)(*args, **arguments))
        if name in FITS:
            if name != "partial_fit":
                shadow.fits.clear()
            if len(shadow.fits) <= MAX_PARTIAL_FITS_KEPT:
                shadow.fits.append((name, args, arguments))
        row.n_doubled += 1
        row.seconds += usage.seconds
        row.twin_seconds += twin_usage.seconds
        row.memory = float(np.fmax(row.memory, usage.memory))
        row.twin_memory = float(np.fmax(row.twin_memory, twin_usage.memory))
        case = Case(estimator, shadow.twin, name, args, arguments, shadow.fits, shadow.maker, ours)
        gap = _answer_gap(case, answer, ours)
        if not gap.size <= row.difference:
            row.difference = float(np.fmax(row.difference, gap.size))
            row.where = gap.where or row.where
        # The reason of a difference holds for other calls on the line, unless they differ far more.
        if gap.matters and not gap.size <= MAX_RATIO_OF_REASON * row.explained_size:
            sought = can_be_explained(usage.seconds + twin_usage.seconds)
            reason = explain(case, answer, gap) if sought and row.is_explained else ""
            if row.is_explained:
                row.search = case.search if sought else NOT_SOUGHT
            row.is_explained = bool(reason)
            row.explained_by = reason or row.explained_by
            row.explained_size = gap.size
        row.differs |= gap.matters


def _answer_gap(case: Case, answer: Any, ours: Any) -> Difference:
    """How far the answers of a call are apart, or of a fit what it learned."""
    if answer is case.estimator:
        return case.difference(fitted_attributes(answer), fitted_attributes(ours))
    return case.difference(answer, ours)


def _is_fitted(estimator: Any) -> bool:
    return any(name.endswith("_") and not name.startswith("_") for name in vars(estimator))


class _NotDoubled(Exception):
    """Why a call is scikit-learn's alone."""
