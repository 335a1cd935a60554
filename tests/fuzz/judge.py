# SPDX-License-Identifier: BSD-3-Clause
"""Runs the steps of a case and says what is a defect."""

import inspect
import linecache
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from itertools import islice

import numpy as np
from scipy import sparse

from statfast import Chunks, NotFittedError
from statfast._validation import FitFailedWarning
from statfast.audit import AuditReport
from tests.fuzz import known_reports
from tests.fuzz.made import Ref
from tests.fuzz.surface import announces, attributes

REFUSALS = (
    ValueError,
    TypeError,
    AttributeError,
    NotFittedError,
    MemoryError,
    NotImplementedError,
    FileNotFoundError,
)
CALLER = "judge.py"
PLAIN = {int, float, str, bytes, bool, type(None), complex}
FITS = ("fit", "partial_fit", "fit_predict", "fit_transform")


@dataclass
class Defect:
    kind: str  # leak, warning, input, state, not finite, differs
    where: str  # the call
    text: str

    def key(self):
        """What defects of the same cause have in common: kind, call and first words."""
        return f"{self.kind}: {self.where}: {self.text.splitlines()[0][:150]}"


@dataclass
class Report:
    """What came of a case."""

    seed: int
    name: str
    calls: int = 0
    outcomes: Counter = field(default_factory=Counter)
    answered: set = field(default_factory=set)  # names of the calls that gave an answer
    defects: list = field(default_factory=list)

    def add(self, kind, where, text):
        if reason := known_reports.reason(kind, where, text):
            self.outcomes[f"accepted: {reason}"] += 1
        else:
            self.outcomes[f"defect: {kind}"] += 1
            if Defect(kind, where, text) not in self.defects:
                self.defects.append(Defect(kind, where, text))


def run(case, before_call=None):
    """Carry out a case, and report on it."""
    report = Report(case.seed, case.name)
    if case.twin is not None:
        compare(case, report)
        return report
    known, finite = {}, True
    for step in case.steps:
        if before_call:
            before_call(step)
        args = {name: resolved(value, known) for name, value in step.args.items()}
        if (
            any(value is Missing for value in args.values())
            or known.get(step.receiver, 0) is Missing
        ):
            continue
        finite = finite and all(map(is_finite, args.values()))
        answer = judged(step, args, known.get(step.receiver), report, finite)
        if step.out:
            known[step.out] = answer
        if answer is Missing and not step.receiver:
            break
    return report


class Missing:
    """The answer of a call that failed."""


def resolved(value, known):
    if isinstance(value, Ref):
        return known.get(value.name, Missing)
    if type(value) in (tuple, list) and len(value) < 9:
        parts = [resolved(part, known) for part in value]
        same = all(part is own for part, own in zip(parts, value, strict=True))
        made = value if same else type(value)(parts)
        return Missing if any(part is Missing for part in parts) else made
    if type(value) is dict and len(value) < 9:
        parts = resolved(list(value.values()), known)
        return Missing if parts is Missing else dict(zip(value, parts, strict=True))
    return value


def judged(step, args, receiver, report, finite):
    """The answer of one call; what it did wrong goes to the report."""
    report.calls += 1
    try:
        call = step.call if receiver is None else getattr(receiver, step.call)
    except Exception as error:  # as predict_proba of a machine without probabilities
        if isinstance(error, AttributeError):
            report.outcomes["refused"] += 1
        else:
            report.add("leak", step.name, traceback_of(error))
        return Missing
    fits = step.receiver and str(step.call) in FITS
    given, state = fingerprint(args), fingerprint(vars_of(receiver, fits))
    answer = error = None
    with warnings.catch_warnings(record=True) as leaked:
        warnings.simplefilter("always")
        try:
            places = args.get("", ())
            answer = call(*places, **{name: value for name, value in args.items() if name})
            if inspect.isgenerator(answer):  # which works when it is asked
                answer = list(islice(answer, 30))
        except Exception as caught:
            answer, error = Missing, caught
    own = [one for one in leaked if is_from_statfast(one)]
    for one in leaked:
        if one not in own:
            place = f"{one.filename.split('statfast/')[-1]}:{one.lineno}"
            report.add("warning", step.name, f"{one.category.__name__}: {one.message} at {place}")
    unfitted = step.call is getattr and isinstance(error, AttributeError)
    if error is not None and not (unfitted or is_refusal(error)):
        report.add("leak", step.name, traceback_of(error))
    elif error is not None:
        report.outcomes["refused"] += 1
    else:
        report.outcomes["warned" if own else "answered"] += 1
        report.answered.add(step.name)
    if fingerprint(args) != given:
        report.add("input", step.name, "changed its input")
    if (error is not None or not fits) and fingerprint(vars_of(receiver, fits)) != state:
        report.add("state", step.name, f"changed its state{' although it failed' if error else ''}")
    if isinstance(answer, AuditReport):
        answer.stop()
    if error is None and finite:
        for word in undocumented(call, answer, receiver if fits else None):
            report.add("not finite", step.name, word)
    return answer


def compare(case, report):
    """A differential case: the twin's words on what differs."""
    report.calls += 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            calls, words = case.twin(np.random.default_rng([case.seed, 1]))
        except Exception as error:
            if not is_refusal(error):
                report.add("leak", case.name, traceback_of(error))
            report.outcomes["twin refused"] += 1
            return
    report.calls += calls - 1
    report.outcomes["twin compared"] += 1
    for word in words:
        report.add("differs", case.name, word)


# ------------------------------------------------------------------ exceptions and warnings
def is_refusal(error):
    """A sentence of statfast's own, raised by a raise statement in its code."""
    if isinstance(error, FileNotFoundError):
        return True
    place = error.__traceback__
    while place.tb_next is not None:
        place = place.tb_next
    file = place.tb_frame.f_code.co_filename.replace("\\", "/")
    if isinstance(error, TypeError) and file.endswith(CALLER):
        return True  # Python's own words on a signature
    if file.endswith("fuzz/values.py"):
        return True  # a function of the user's failed
    own = "statfast" in file.split("/")
    line = linecache.getline(file, place.tb_lineno).strip() if own else ""
    if file.endswith((".pyx", ".pxd")):
        line = "raise"  # its source need not be there
    sentence = len(str(error).split()) >= 4
    return isinstance(error, REFUSALS) and own and line.startswith("raise") and sentence


def traceback_of(error):
    """Type, message, and where it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "statfast" in frame.filename] or frames
    place = f"{ours[-1].filename.split('statfast/')[-1]}:{ours[-1].lineno}"
    head = f"{type(error).__name__}: {str(error)[:200]} at {place}"
    return head + "\n" + "".join(traceback.format_exception(error)[-12:])


def is_from_statfast(warning):
    """Warnings of statfast are UserWarnings, or of a failed fit, that point at the caller."""
    told = issubclass(warning.category, UserWarning | FitFailedWarning)
    return told and warning.filename.endswith(CALLER)


# ------------------------------------------------------------------ what must not change
def vars_of(thing, private=False):
    """What an object holds; what it keeps to itself counts only after a fit that failed."""
    held = getattr(thing, "__dict__", {})
    lazy = {name for name in held if isinstance(getattr(type(thing), name, None), cached_property)}
    return {name: held[name] for name in held if name not in lazy and (private or name[0] != "_")}


def fingerprint(value, depth=0):
    """A value that is equal only if the thing is as it was."""
    kind = type(value)
    if kind in PLAIN:
        return repr(value)
    if kind is np.ndarray or kind is np.memmap:
        body = value.tobytes() if value.dtype != object else repr(value.tolist())
        return value.shape, value.strides, value.dtype.char, hash(body)
    if kind is dict:
        return tuple((key, fingerprint(part, depth + 1)) for key, part in value.items())
    if kind in (list, tuple) and depth < 4:
        if kind is list and len(value) > 5 and type(value[0]) in PLAIN:
            return repr(value)
        return kind, tuple([fingerprint(part, depth + 1) for part in value])
    house = kind.__module__.partition(".")[0]
    if house == "scipy" and sparse.issparse(value):
        parts = {name: part for name, part in vars(value).items() if isinstance(part, np.ndarray)}
        return kind, value.shape, fingerprint(parts, depth + 1)
    if house in ("pandas", "polars"):
        numbers = value.to_numpy()
        plain = numbers.dtype != object
        return value.shape, hash(numbers.tobytes() if plain else repr(numbers.tolist()))
    if house == "statfast" and depth < 4 and kind is not Chunks:
        return id(value), fingerprint(vars_of(value), depth + 1)
    return id(value)


# ------------------------------------------------------------------ numbers that are not finite
def numbers(thing, name="answer", depth=0):
    """Pairs of a name and an array for all numbers in an answer."""
    if isinstance(thing, (float, complex, np.floating)):
        yield name, np.array(thing)
    elif isinstance(thing, np.ndarray):
        if thing.dtype.kind in "fc":
            yield name, thing
        elif thing.dtype == object:
            for part in thing.ravel()[:50]:
                if not isinstance(part, str):
                    yield from numbers(part, name, depth + 1)
    elif sparse.issparse(thing):
        yield from numbers(getattr(thing, "data", None), f"{name}.data", depth + 1)
    elif depth < 5 and not (depth and is_record(thing) and announces(type(thing), "")):
        if isinstance(thing, dict):
            parts = [(key, part) for key, part in thing.items() if not str(key).startswith("_")]
        elif isinstance(thing, (list, tuple)):
            labels = getattr(thing, "_fields", range(len(thing)))
            parts = list(zip(labels, thing, strict=True))[:50]
        elif is_dataclass(thing) and not isinstance(thing, type):
            parts = [
                (one.name, getattr(thing, one.name, None))
                for one in fields(thing)
                if one.name[0] != "_"
            ]
        else:
            parts = []
        for label, part in parts:
            yield from numbers(part, f"{name}.{label}", depth + 1)


def is_record(thing):
    return is_dataclass(type(thing)) or hasattr(type(thing), "_fields")


def undocumented(call, answer, model):
    """Sentences on numbers that are not finite, of which no docstring speaks."""
    alone = not isinstance(answer, tuple)
    told = announces(call, "", alone=alone) or (is_record(answer) and announces(type(answer), ""))
    if not told and (model is None or answer is not model):
        yield from not_finite(answer)
    for name in attributes(type(model)) if model is not None else ():
        if name in vars(model) and not announces(type(model), name):
            yield from not_finite(vars(model)[name], name)


def not_finite(answer, name="answer"):
    """Names of the parts of an answer that hold NaN or an infinity."""
    for part, array in numbers(answer, name):
        if array.size and not np.isfinite(array).all():
            yield f"{part} holds {'NaN' if np.isnan(array).any() else 'an infinity'}"


def is_finite(value):
    """Whether all numbers in an argument are finite, as far as one can see."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return all(isinstance(part, (int, float)) and np.isfinite(part) for part in value.ravel())
    if isinstance(value, (list, tuple)) and len(value) and isinstance(value[0], (list, tuple)):
        return all(map(is_finite, value))
    if type(value).__module__.split(".")[0] in ("pandas", "polars", "pyarrow"):
        return True
    return not any(True for _ in not_finite(value))
