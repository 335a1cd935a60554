# SPDX-License-Identifier: BSD-3-Clause
"""Why answers differ: the row of the documents' tables that says so, after it was put to the test.

A row is named if the difference goes away once its reason does: both libraries fit again what they
were fitted to, with the defaults of one of them, to the end of their iterations, or with a setting
of ours that stands for scikit-learn's. Chance is named if scikit-learn's own answers are as far
gap for other seeds. A few rows are named by what they say of a class and its answer.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

import numpy as np

from statfast.audit.comparison import Difference, difference, fitted_attributes
from statfast.audit.twins import (
    Settings,
    TwinMaker,
    defaults_of,
    is_random,
    twin_class,
    with_seed,
    with_settings,
)

# A call that took longer is not made again to find a reason; more seeds are not tried after it.
MAX_SECONDS = 20.0
_SEEDS = range(1001, 1016)  # programs seldom have them
_MAX_OF_SEEDS = 3.0  # A difference by chance is at most so many times that between seeds.
_SHARE_LEFT = 0.05  # Of a difference, what may be left once its reason is gone,
_ROUNDED = 1e-4  # or what always may.
_MAX_ORDERS = 10  # of rows, to see whether they decide between ties
_ENDS = ("tol", "max_iter")  # say when iterations end
_LAST_TOL = 1e-9  # Iterations that end here are at their end,
_MORE_ITERATIONS = 10  # which takes up to so many times those of the default.
_IRRELEVANT = {*_ENDS, "algorithm", "cache_size", "leaf_size"}  # defaults that change the time only

NO_ROW = "no row of the tables explains it"
NOT_SOUGHT = "a call took so long that no reason was sought"

_MACHINES = ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM")

TIES_OF_TREES = "trees, forests, AdaBoost: splits of equal gain"
TIES_OF_NEIGHBORS = "KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors: neighbors as near"
WITH_SEED = "an integer as random_state"
WITHOUT_SEED = "random_state=None"
ITERATIONS = "what iterates until tol"


@dataclass(frozen=True)
class Deviation:
    """A row of the tables in the documents, without markup."""

    table: str  # "defaults" or "answers"
    what: str
    there: str
    here: str

    def __str__(self) -> str:
        return f"{self.what} (scikit-learn: {self.there}; here: {self.here})"


@cache
def deviations() -> tuple[Deviation, ...]:
    """The rows of the tables of defaults and of answers that differ."""
    text = files("statfast.audit").joinpath("deviations.tsv").read_text("utf-8")
    return tuple(Deviation(*line.split("\t")) for line in text.splitlines())


def deviation(what: str) -> Deviation:
    """The row of these words, or the first that begins with them."""
    rows = [row for row in deviations() if row.what.startswith(what)]
    return min(rows, key=lambda row: row.what != what)


@cache
def differing_defaults() -> dict[str, tuple[str, ...]]:
    """Class: its parameters whose defaults differ."""
    found: dict[str, tuple[str, ...]] = {}
    for row in deviations():
        if row.table == "defaults":
            kinds, _, name = row.what.rpartition(": ")
            for kind in kinds.split(", "):
                found[kind] = (*found.get(kind, ()), name)
    return found


@dataclass
class Case:
    """A call whose answers may differ, and all that it takes to make it again."""

    estimator: Any
    twin: Any
    method: str
    args: tuple[Any, ...]
    arguments: dict[str, Any]
    fits: list[tuple[str, tuple[Any, ...], dict[str, Any]]]
    maker: TwinMaker
    twin_answer: Any = None
    search: str = NO_ROW  # what came of the search for a reason, if none was found

    def difference(self, expected: Any, ours: Any) -> Difference:
        """How far two answers are apart; clusters have no order."""
        if expected is self.estimator:
            expected, ours = fitted_attributes(expected), fitted_attributes(ours)
        return difference(expected, ours, clusters=self._is_of_clusters)

    @property
    def _is_of_clusters(self) -> bool:
        module = type(self.estimator).__module__
        return module.startswith(("sklearn.cluster", "sklearn.mixture")) and self.method in (
            "fit", "partial_fit", "fit_predict", "predict",
        )  # fmt: skip

    def answer(self, model: Any) -> Any:
        """What a new model answers once it was fitted to the same."""
        answer = model
        is_fit = bool(self.fits) and self.fits[-1][0] == self.method
        for name, args, arguments in copy.deepcopy(self.fits):
            answer = getattr(model, name)(*args, **arguments)
        if not is_fit:
            args, arguments = copy.deepcopy((self.args, self.arguments))
            answer = getattr(model, self.method)(*args, **arguments)
        return fitted_attributes(answer) if answer is model else answer

    def agrees(
        self,
        gap: Difference,
        defaults: Settings | None = None,
        ends: Settings | None = None,
        settings: Settings | None = None,
    ) -> bool:
        """Whether the difference goes away with these settings.

        The defaults and the settings are those of the twin, the ends of iterations of both.
        """
        forced = _merged(_taken(ends or {}, self.estimator), settings or {})
        peer_answer = self.answer(with_settings(self.estimator, ends or {}))
        twin_answer = self.answer(TwinMaker(defaults or {}, forced).twin(self.estimator))
        left = self.difference(peer_answer, twin_answer)
        allowed = _SHARE_LEFT * gap.size if gap.size < 1.0 else 0.0
        return not left.matters or left.size <= max(_ROUNDED, allowed)


def can_be_explained(seconds: float) -> bool:
    """Whether a call of this length is made again to find a reason."""
    return seconds <= MAX_SECONDS


def explain(case: Case, answer: Any, gap: Difference) -> str:
    """The row that says why the answers of a call differ, or "" where none does."""
    for reason in (_by_defaults, _by_iterations, _by_settings, _by_signs, _by_chance):
        try:
            rows = reason(case, answer, gap)
        except Exception:
            continue
        if rows:
            return "; ".join(str(row) for row in rows)
    return ""


def _default_settings(case: Case) -> tuple[dict[str, dict[str, Any]], list[Deviation]]:
    """scikit-learn's defaults where ours differ, and their rows, except for ends of iterations."""
    settings: dict[str, dict[str, Any]] = {}
    rows = []
    for cls in _sklearn_classes_of(case.estimator):
        kind = cls.__name__
        for name in differing_defaults().get(kind, ()):
            known = defaults_of(cls)
            if name in known and name not in _IRRELEVANT and known[name] != "deprecated":
                settings.setdefault(kind, {})[name] = known[name]
                rows += [
                    row
                    for row in deviations()
                    if row.table == "defaults"
                    and row.what.endswith(f": {name}")
                    and kind in row.what.replace(":", ",").split(", ")
                ]
    return settings, rows


def _sklearn_classes_of(estimator: Any) -> Iterator[type]:
    seen = set()
    for member in (estimator, *estimator.get_params().values()):
        cls = type(member)
        if cls.__module__.startswith("sklearn.") and cls not in seen and hasattr(cls, "get_params"):
            seen.add(cls)
            yield cls


def _end_settings(case: Case) -> dict[str, dict[str, Any]]:
    """Settings by class that have iterations go on to their end."""
    settings: dict[str, dict[str, Any]] = {}
    for cls in _sklearn_classes_of(case.estimator):
        # Iterations of an ensemble are its members.
        if isinstance(twin_class(cls), type) and not cls.__module__.startswith("sklearn.ensemble"):
            known = defaults_of(cls)
            if "tol" in known:
                settings[cls.__name__] = {"tol": _LAST_TOL}
                limit = known.get("max_iter")
                if limit is not None and limit > 0:
                    settings[cls.__name__]["max_iter"] = _MORE_ITERATIONS * limit
    return settings


def _merged(*settings: Settings) -> dict[str, dict[str, Any]]:
    merged: dict[str, dict[str, Any]] = {}
    for one in settings:
        for kind, values in one.items():
            merged.setdefault(kind, {}).update(values)
    return merged


def _taken(settings: Settings, estimator: Any) -> dict[str, dict[str, Any]]:
    """Of the settings, those that the twins take."""
    taken: dict[str, dict[str, Any]] = {}
    for cls in _sklearn_classes_of(estimator):
        twin = twin_class(cls)
        for name, value in settings.get(cls.__name__, {}).items():
            if isinstance(twin, type) and name in defaults_of(twin):
                taken.setdefault(cls.__name__, {})[name] = value
    return taken


def _by_defaults(case: Case, answer: Any, gap: Difference) -> list[Deviation]:
    settings, rows = _default_settings(case)
    if not rows:
        return []
    ends = _end_settings(case)
    if case.agrees(gap, settings) or (ends and case.agrees(gap, settings, ends)):
        return rows
    return []


def _by_iterations(case: Case, answer: Any, gap: Difference) -> list[Deviation]:
    ends = _end_settings(case)
    if not ends or not case.agrees(gap, ends=ends):
        return []
    named = [
        row
        for row in deviations()
        if row.table == "defaults" and row.what.endswith(": tol")
        and set(row.what.replace(":", ",").split(", ")) & set(ends)
    ]  # fmt: skip
    return named or [deviation(ITERATIONS)]


# Row, settings of ours with which the answers are scikit-learn's, and settings of both.
_SETTINGS: tuple[tuple[str, Settings, Settings], ...] = (
    ("LinearDiscriminantAnalysis", {"LinearDiscriminantAnalysis": {"method": "mle"}}, {}),
    ("OutputCodeClassifier", {"OutputCodeClassifier": {"decoding": "distance"}}, {}),
    ("GaussianNB by partial_fit", {}, {"GaussianNB": {"var_smoothing": 1e-12}}),
)


def _by_settings(case: Case, answer: Any, gap: Difference) -> list[Deviation]:
    defaults, rows = _default_settings(case)
    for what, settings, of_both in _SETTINGS:
        if not {*settings, *of_both} & case.maker.classes:
            continue
        row = [deviation(what)]
        if case.agrees(gap, {}, of_both, settings):
            return row
        if case.agrees(gap, defaults, _merged(_end_settings(case), of_both), settings):
            return [*row, *rows]
    return []


def _by_chance(case: Case, answer: Any, gap: Difference) -> list[Deviation]:
    """Chance, beside other defaults: scikit-learn's own answers differ as much between seeds."""
    if not is_random(case.estimator):
        return []
    first = fitted_attributes(answer) if answer is case.estimator else answer
    defaults, rows = _default_settings(case)
    start = time.perf_counter()
    largest = 0.0
    for tried, seed in enumerate(_SEEDS, 1):
        chance = case.difference(first, case.answer(with_seed(case.estimator, seed)))
        largest = max(largest, chance.size if chance.matters else 0.0)
        if 0.0 < gap.size <= _MAX_OF_SEEDS * largest:
            return [_row_of_chance(case)]
        if tried < len(_SEEDS) and time.perf_counter() - start > MAX_SECONDS:
            case.search = (
                f"the search for a reason was not finished: other defaults, more iterations and "
                f"known differences do not explain it, and of {len(_SEEDS)} seeds that would tell "
                f"chance, {tried} were tried before the time for this ({MAX_SECONDS:.0f} s) was up"
            )
            break
    if not largest or not rows:
        return []
    ends = _end_settings(case)
    ours = case.answer(TwinMaker(defaults, _taken(ends, case.estimator)).twin(case.estimator))
    left = case.difference(first, ours)
    return [_row_of_chance(case), *rows] if left.size <= _MAX_OF_SEEDS * largest else []


def _row_of_chance(case: Case) -> Deviation:
    parameters = case.estimator.get_params()
    states = [v for name, v in parameters.items() if name.split("__")[-1] == "random_state"]
    if all(state is None for state in states):
        return deviation(WITHOUT_SEED)
    is_tree = type(case.estimator).__name__.startswith("DecisionTree")
    return deviation(TIES_OF_TREES if is_tree else WITH_SEED)


def _is_up_to_units(case: Case, answer: Any) -> bool:
    """Whether the columns of two arrays are the same up to a factor for each."""
    expected, ours = np.asarray(answer, dtype=float), np.asarray(case.twin_answer, dtype=float)
    factors = (expected * ours).sum(axis=0) / (ours**2).sum(axis=0)
    return not difference(expected, ours * factors).matters


def _is_of_all_rows(case: Case, answer: Any) -> bool:
    """Whether the axes here are those of all rows at once, as scikit-learn finds them too."""
    blocks = [args[0] for _, args, _ in case.fits]
    rows = np.vstack([X.toarray() if hasattr(X, "toarray") else X for X in blocks])
    axes = import_module("sklearn.decomposition").PCA(
        case.estimator.n_components, svd_solver="full"
    )
    return not difference(axes.fit(rows).components_, case.twin.components_).matters


def _depends_on_columns(case: Case, answer: Any) -> bool:
    """Whether scikit-learn's own answer is another for columns in another order."""
    backwards = copy.copy(case)
    backwards.fits = [
        (name, (_reversed(args[0]), *args[1:]), arguments) for name, args, arguments in case.fits
    ]
    backwards.args = (_reversed(case.args[0]), *case.args[1:])
    return case.difference(answer, backwards.answer(with_settings(case.estimator, {}))).matters


def _depends_on_rows(case: Case, answer: Any) -> bool:
    """Whether scikit-learn's own answer is another for training rows in another order."""
    n = len(case.fits[-1][1][0])
    generator = np.random.default_rng(0)
    for _ in range(_MAX_ORDERS):
        order = generator.permutation(n)
        other = copy.copy(case)
        other.fits = [
            (
                name,
                tuple(_reordered(value, order) for value in args),
                {key: _reordered(value, order) for key, value in arguments.items()},
            )
            for name, args, arguments in case.fits
        ]
        found = other.answer(with_settings(case.estimator, {}))
        if case.method.startswith("fit") and np.ndim(found) and len(found) == n:
            found = np.asarray(found)[np.argsort(order)]
        if case.difference(answer, found).matters:
            return True
    return False


def _is_of_near_ties(case: Case, answer: Any) -> bool:
    """Whether the order of rows decides, or that of columns, in which distances are rounded."""
    if _depends_on_rows(case, answer):
        return True
    return case.method in ("predict", "predict_proba", "score") and _depends_on_columns(
        case, answer
    )


def _clusters_depend_on_rows(case: Case, answer: Any) -> bool:
    """Whether scikit-learn's own clusters are others for rows in another order."""
    X = case.fits[-1][1][0]
    first = with_settings(case.estimator, {}).fit(X).labels_
    generator = np.random.default_rng(0)
    for _ in range(_MAX_ORDERS):
        order = generator.permutation(len(first))
        labels = with_settings(case.estimator, {}).fit(_reordered(X, order)).labels_
        if difference(first, labels[np.argsort(order)], clusters=True).matters:
            return True
    return False


def _reordered(value: Any, order: Any) -> Any:
    """What has a value for each row, in another order of rows; all else as it is."""
    is_of_rows = value is not None and np.ndim(value) > 0 and len(value) == len(order)
    return np.asarray(value)[order] if is_of_rows else value


def _reversed(X: Any) -> Any:
    return np.ascontiguousarray(np.asarray(X)[:, ::-1])


def _is_indefinite(case: Case, answer: Any) -> bool:
    kernels = {
        value for name, value in case.estimator.get_params().items()
        if name.split("__")[-1] == "kernel" and isinstance(value, str)
    }  # fmt: skip
    return "sigmoid" in kernels


# A class among those of the case, its methods, the row, and when that is the reason.
_SIGNS: tuple[tuple[str, str, str, Callable[[Case, Any], bool]], ...] = (
    (
        "LinearDiscriminantAnalysis",
        "transform fit_transform",
        "transform of LinearDiscriminantAnalysis",
        _is_up_to_units,
    ),
    ("IncrementalPCA", "", "IncrementalPCA with fewer components than columns", _is_of_all_rows),
    *(
        (
            f"HistGradientBoosting{kind}",
            "",
            "HistGradientBoostingClassifier, HistGradientBoostingRegressor: splits of equal gain",
            _depends_on_columns,
        )
        for kind in ("Classifier", "Regressor")
    ),
    *(
        (
            kind,
            "predict predict_proba score kneighbors transform",
            TIES_OF_NEIGHBORS,
            _depends_on_rows,
        )
        for kind in ("KNeighborsClassifier", "KNeighborsRegressor", "NearestNeighbors")
    ),
    ("HDBSCAN", "", "HDBSCAN: distances that are equal", _clusters_depend_on_rows),
    (
        "KNNImputer",
        "transform fit_transform predict predict_proba score",
        "KNNImputer: neighbors as near as the last one",
        _is_of_near_ties,
    ),
    *((kind, "", "SVC and the other machines with a kernel", _is_indefinite) for kind in _MACHINES),
)


def _by_signs(case: Case, answer: Any, gap: Difference) -> list[Deviation]:
    for kind, methods, what, holds in _SIGNS:
        is_meant = kind in case.maker.classes and (not methods or case.method in methods.split())
        if is_meant and holds(case, answer):
            return [deviation(what)]
    return []
