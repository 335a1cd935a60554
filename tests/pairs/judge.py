# SPDX-License-Identifier: BSD-3-Clause
"""Carries out a case and says what is a defect.

A fit is sound if its answers are finite, have a row for each row, name known classes and
probabilities that sum to 1; and if they are those of the same numbers in a float64 array with plain
labels, weights of one left out. A refusal is a sentence of statfast's own, and its reason stands in
``incompatible``: the factors named there go back to their first level, and the case is tried again,
so that the other pairs of the row are seen.
"""

import warnings
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from statfast import ConvergenceWarning
from tests.contract.test_contract import METHODS
from tests.fuzz import judge as fuzz
from tests.pairs import cases, incompatible, problems
from tests.pairs.factors import factors

N_TRIES = 6
ROUNDING = 1e-13  # of sums of numbers from 1 to 10, as the problems have them, that are 0


@dataclass
class Report(fuzz.Report):
    """What came of a case, and the levels that were answered in the end."""

    levels: dict = field(default_factory=dict)

    def add(self, kind, where, text):
        if reason := incompatible.reason_of(kind, where, text):
            self.outcomes[f"accepted: {reason}"] += 1
            return
        self.outcomes[f"defect: {kind}"] += 1
        self.defects.append(fuzz.Defect(kind, where, text))


def run(case):
    if case is None:
        return None
    report = Report(case.seed, case.name)
    case = cases.Case(case.seed, case.name, dict(case.levels))
    for _ in range(N_TRIES):
        setting = cases.Setting(case)
        resets = attempt(setting, report)
        if not resets:
            break
        first = {key: next(iter(found)) for key, found in factors(case.name).items()}
        changed = {key: first[key] for key in resets if case.levels.get(key) != first.get(key)}
        if not changed:
            report.add("refusal", case.name, f"still refused: {report.last_refusal}\n{case.text}")
            return report
        case.levels |= changed
        report.outcomes["refused, tried again"] += 1
    report.levels = case.levels
    return report


def attempt(setting, report):
    """Fit, ask, compare; the factors to put back if the setting is one that makes no sense."""
    report.calls += 1
    dressed, error = answered(setting, report, plain=False)
    if error is not None:
        resets = refusal(error, setting, report)
        if resets is None:  # a defect, unless plain rows are refused as well
            return None
        return resets
    plain, error = answered(setting, report, plain=True)
    if error is not None:
        if not setting.stopped:
            report.add("plain refused", setting.case.name, words(setting, error))
        return None
    if incompatible.differs(setting):
        report.outcomes["not compared, as answers differ"] += 1
    elif setting.stopped and setting.levels.get("rows") in (*problems.OF_SPARSE, "float32"):
        report.outcomes["not compared, as iterations ended early"] += 1
    else:
        compare(setting, dressed, plain, report)
    report.outcomes["answered"] += 1
    return None


def refusal(error, setting, report):
    name = setting.case.name
    resets = incompatible.factors_of(name, str(error), setting)
    of_user = str(error).startswith("city() ")  # a metric as a user writes it
    of_scorer = isinstance(error, AttributeError) and resets  # as scikit-learn's
    usual = of_user or of_scorer or isinstance(error, ValueError | TypeError)
    if not usual or not (of_user or fuzz.is_refusal(error)):
        report.add("leak", name, words(setting, error))
        return None
    report.last_refusal = f"{type(error).__name__}: {str(error)[:300]}"
    if resets is None:
        report.add(
            "refusal", name, f"{type(error).__name__}: {str(error)[:300]}\n{setting.case.text}"
        )
    return resets


def words(setting, error):
    return f"{fuzz.traceback_of(error)}\n{setting.case.text}"


def answered(setting, report, *, plain):
    """(Name -> answer) of a fit, or the error."""
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        try:
            with problems.strategy(None if plain else setting.levels.get("rows")):
                found = asked(setting, report, plain=plain)
        except Exception as caught:
            return None, caught
    setting.stopped |= any(
        issubclass(one.category, ConvergenceWarning) or "no finite maximum" in str(one.message)
        for one in raised
    )
    if not plain:
        for one in raised:
            of_thread = one.filename.endswith("threading.py")  # which has no caller
            if not (fuzz.is_from_statfast(one) or of_thread) or "feature names" in str(one.message):
                place = f"{one.filename.split('statfast/')[-1]}:{one.lineno}"
                text = f"{one.category.__name__}: {one.message} at {place}"
                report.add("warning", setting.case.name, f"{text}\n{setting.case.text}")
    return found, None


def asked(setting, report, *, plain):
    X, new = setting.rows(plain=plain)
    args = setting.arguments(plain=plain)
    model = setting.model()
    before = fuzz.fingerprint({"X": X, "new": new, **args}), dict(model.get_params(deep=False))
    model.fit(X, **args)
    found = {}
    for method in METHODS:
        if not hasattr(model, method):
            continue
        said = getattr(model, method)(new)
        if not plain:
            sound(setting, model, method, said, report)
        for part, array in enumerate(said if isinstance(said, tuple) else (said,)):
            found[f"{method}[{part}]"] = as_array(array)
    if not plain:
        after = fuzz.fingerprint({"X": X, "new": new, **args}), dict(model.get_params(deep=False))
        if after[0] != before[0]:
            report.add("input", setting.case.name, f"changed its input\n{setting.case.text}")
        if any(after[1][key] is not value for key, value in before[1].items()):
            report.add("parameters", setting.case.name, f"changed parameters\n{setting.case.text}")
    return found


def as_array(answer):
    if sparse.issparse(answer):
        return answer.toarray()
    if hasattr(answer, "to_numpy"):
        return answer.to_numpy()
    if isinstance(answer, list) and answer and isinstance(answer[0], np.ndarray):
        return np.concatenate(answer, axis=1)  # probabilities of several outputs
    return np.asarray(answer)


def sound(setting, model, method, answer, report):
    """Finite, of the right shape, classes that are known, probabilities that sum to 1."""
    name = f"{setting.case.name}.{method}"
    call = getattr(type(model), method, None)
    if call is not None and not setting.level("gaps"):
        for word in fuzz.undocumented(call, answer, None):
            report.add("not finite", name, f"{word}\n{setting.case.text}")
    n_rows = 15 if setting.case.name in cases.OF_DOCUMENTS else len(setting.problem.new)
    first = answer[0] if isinstance(answer, tuple) else answer
    shape = np.shape(first[0] if isinstance(first, list) else first)
    if shape[0] != n_rows:
        report.add("shape", name, f"{shape} for {n_rows} rows\n{setting.case.text}")
    if method == "predict_proba" and not isinstance(answer, list):
        off = np.abs(np.asarray(answer).sum(1) - 1).max()
        if not off < (1e-5 if setting.levels["rows"] == "float32" else 1e-8):
            report.add("probabilities", name, f"sum to 1 but for {off:.3g}\n{setting.case.text}")
    classes = getattr(model, "classes_", None)
    if method == "predict" and isinstance(classes, np.ndarray) and np.ndim(answer) == 1:
        known = {*classes.tolist(), *extra_labels(model)}
        if not set(np.asarray(answer).tolist()) <= known:
            report.add("classes", name, f"predicts others than classes_\n{setting.case.text}")
        if list(classes.tolist()) != setting.classes:
            report.add(
                "classes", name, f"{classes.tolist()} for {setting.classes}\n{setting.case.text}"
            )


def extra_labels(model):
    params = model.get_params(deep=False)
    return {params.get("reject_label"), params.get("outlier_label")} | {"reject", -1}


def compare(setting, dressed, plain, report):
    """The answers of the plain fit, but for what float32 loses."""
    rtol = tolerance(setting)
    clear = ~tied_rows(plain, rtol)
    for key, want in plain.items():
        got = dressed.get(key)
        if setting.levels.get("target") == "column" and got is not None:
            got = got.reshape(want.shape) if got.size == want.size else got
        if key == "predict[0]" and clear.shape == want.shape == np.shape(got):
            got, want = got[clear], want[clear]
        word = difference(got, want, rtol)
        if word:
            report.add("differs", f"{setting.case.name}.{key}", f"{word}\n{setting.case.text}")


def tied_rows(plain, rtol=ROUNDING):
    """Rows whose classes, or nearest centers, tie but for rounding, so that this decides."""
    scores = plain.get("decision_function[0]", plain.get("predict_proba[0]"))
    distances, labels = plain.get("transform[0]"), plain.get("predict[0]")
    if scores is None and distances is not None and labels is not None:
        nearest = distances.argmin(1) if distances.ndim == 2 else None
        scores = -distances if np.array_equal(nearest, labels) else None
    if scores is None or scores.dtype.kind != "f" or scores.shape[1:] == (1,):
        return np.zeros(0, dtype=bool)
    first, second = np.sort(scores, axis=1)[:, :-3:-1].T if scores.ndim == 2 else (scores, 0.0)
    return np.abs(first - second) <= rtol * np.abs(scores).max()


def tolerance(setting):
    """Whole numbers are the same in any container; sums of float32 or sparse rows round else."""
    rows = setting.levels.get("rows")
    if rows in problems.OF_FLOAT32 or setting.levels.get("target") == "float32":
        return 2e-5
    if (
        rows in problems.OF_SPARSE
    ):  # solved to a gap of 2e-8 or less, of which the root is an error of answers
        return 1e-4
    return 1e-6 if setting.levels.get("sample_weight") == "ones" else 1e-9


def difference(got, want, rtol):
    """Words on what differs, or None."""
    if got is None or got.shape != want.shape:
        return f"shape {None if got is None else got.shape} for {want.shape}"
    if want.dtype.kind == "f" and got.dtype.kind in "fiu":
        large = np.abs(want[np.isfinite(want)]).max(initial=0)
        close = np.isclose(got, want, rtol, rtol * large + ROUNDING, equal_nan=True)
        if close.all():
            return None
        where = tuple(np.argwhere(~close)[0].tolist())
        return f"{(~close).mean():.0%} differ, {got[where]} for {want[where]} at {where}"
    if want.dtype == object and got.dtype == object:
        same = all(np.array_equal(a, b) for a, b in zip(got.ravel(), want.ravel(), strict=True))
    else:
        same = np.array_equal(got, want)
    if same:
        return None
    return f"{np.mean(np.asarray(got != want)):.0%} differ"
