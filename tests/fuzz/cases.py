# SPDX-License-Identifier: BSD-3-Clause
"""From a seed to a case: which thing is called, with what, in which order.

Nothing of statfast's is run here but constructors of records such as ``Chunks``.
"""

import importlib
import pickle
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from tests.fuzz import differential, exact, made, promises, surface, usual, values
from tests.fuzz.inputs import Data, choose
from tests.fuzz.made import PICTURES_OF_SCORES, TARGETS, Ref
from tests.fuzz.roles import OPTIONAL, ROLES, rows, target
from tests.fuzz.spoilers import spoiled
from tests.fuzz.text import described

TWINS = differential.TWINS | exact.TWINS | promises.TWINS
NEVER = ("ax", "axes")  # spoiled: what others draw on is matplotlib's
DIFFERENTIAL = 0.06  # share of the cases that compare answers with twins
LARGE = 0.015  # share of those that reach the kernels for many rows
MODES = ("valid", "valid", "valid", "edge", "edge", "wrong", "spoiled", "spoiled")

# Things that cost much more than others are drawn seldom: weight in the draw, 1 if not named.
SELDOM = {
    "plot": 0.04,
    "datasets": 0.1,
    "gap_statistic": 0.3,
    "choose_n_clusters": 0.3,
    "cluster_stability": 0.3,
}
WITHOUT_LARGE_DATA = {"plot", "svm", "optimal_leaf_ordering", "cluster_stability", "gap_statistic"}
OF_COUNTS = ("CategoricalNB", "ComplementNB", "MultinomialNB", "NMF", "PoissonNB")
COUNTS = dict.fromkeys(OF_COUNTS, "counts")
OF_NUMBERS = ("lasso_path", "enet_path", "ridge_path", "isotonic_regression", "auc")
OFTEN = 3  # weight of what has a fit
ROUNDS = 10  # the first seeds draw everything so often in turn, with calm data and settings
METHODS = 4  # most calls of an object in a case; in turn, each round has the next ones


@dataclass
class Step:
    """A call: of a thing, or of a method of what ``receiver`` names; its answer is ``out``."""

    name: str
    call: object
    args: dict
    receiver: str | None = None
    out: str | None = None


@dataclass
class Case:
    seed: int
    name: str
    steps: list = field(default_factory=list)
    twin: object = None  # of a differential case: a function of a generator

    @property
    def text(self):
        return described(self)


def draw(seed, things=None):
    """The case of a seed; "module:function" may give ``things`` in place of statfast's."""
    drawn, chances = stock(things)
    if things is None and seed < ROUNDS * len(drawn):
        turn, place = divmod(seed, len(drawn))
        # By the name: another public name changes no other case of these rounds.
        rng = np.random.default_rng([*drawn[place].name.encode(), turn])
        return Drawing(seed, rng, drawn[place], turn).case
    rng = np.random.default_rng([seed])
    if things is None and rng.random() < DIFFERENTIAL:
        name = choose(rng, sorted(TWINS))
        return Case(seed, f"twin {name}", twin=TWINS[name])
    return Drawing(seed, rng, drawn[int(np.searchsorted(chances, rng.random()))]).case


@cache
def stock(things=None):
    """What is drawn from, and the sums of its weights; ``things`` is "module:function"."""
    if things:
        module, _, function = things.partition(":")
        drawn = list(getattr(importlib.import_module(module), function)().values())
    else:
        drawn = [thing for thing in surface.public().values() if not thing.is_record]
    chances = np.cumsum([weight(thing) for thing in drawn])
    return drawn, chances / chances[-1]


def weight(thing):
    fits = thing.is_class and hasattr(thing.call, "fit")
    return SELDOM.get(thing.family, 1) * SELDOM.get(thing.name, 1) * (OFTEN if fits else 1)


class Drawing:
    """The state of a draw: the data, the mode, and the steps so far."""

    def __init__(self, seed, rng, thing, turn=None):
        self.rng, self.thing = rng, thing
        self.turn = turn  # how often everything was drawn before, where it is drawn in turn
        self.calm = turn is not None
        self.mode = "valid" if self.calm else choose(rng, MODES)
        large = rng.random() < LARGE and not {thing.family, thing.name} & WITHOUT_LARGE_DATA
        self.data = Data(rng, large=large, calm=self.calm)
        self.case = Case(seed, thing.name)
        self.rows_kind, self.target_kind = self.kind_of_rows(thing), self.kind_of_target(thing)
        self.spoil = None  # the name of the argument to spoil, once drawn
        self.common = None  # the rows as the fit saw them
        if thing.is_class:
            self.object(thing)
        else:
            self.function(thing)

    def add(self, name, call, args, receiver=None, out=None):
        self.case.steps.append(Step(name, call, args, receiver, out))

    # ------------------------------------------------------------ what is called
    def function(self, thing, out="result"):
        self.settle(thing, {})
        args = self.arguments(thing, wrong=self.mode)
        self.add(thing.name, thing.call, args, out=out)
        if thing.name == "set_progress":
            self.add("set_progress", thing.call, {"hook": None})
        self.records(thing, out)

    def records(self, thing, out):
        """Methods of the record that a function gives."""
        for record in thing.records:
            for method in self.drawn_from(surface.methods(record.call)):
                self.method(method, out, self.mode if self.mode != "wrong" else "valid")

    def object(self, thing):
        """An object, its fit if it has one, and some of its methods."""
        rng, kind = self.rng, thing.call
        settings = self.parameters(thing, self.mode)
        self.settle(thing, settings)
        methods = dict(surface.methods(kind))
        needs = {
            name: parameter
            for name, parameter in thing.parameters.items()
            if name not in settings and (parameter.required or is_role(parameter))
        }
        settings |= {name: self.argument(p, thing, self.mode) for name, p in needs.items()}
        self.add(thing.name, kind, settings, out="model")
        fit = methods.pop("fit", None)
        if fit is not None:
            if self.mode == "spoiled" and rng.random() < 0.5:
                self.method(fit, "model", "valid")
                self.common = None
            self.method(fit, "model", self.mode)
        for method in self.drawn_from(methods):
            if self.mode == "spoiled" and rng.random() < 0.3:
                self.method(method, "model", "spoiled")
            self.method(method, "model", "edge" if self.mode == "edge" else "valid")
            self.records(method, f"{method.name.rsplit('.', 1)[1]}_")
        for name, record in thing.kept.items():
            if rng.random() < 0.2 or self.calm:
                self.add(f"{thing.name}.{name}", getattr, {"": (Ref("model"), name)}, out=name)
                for method in self.drawn_from(surface.methods(record.call)):
                    self.method(method, name, "valid")
        if rng.random() < 0.05:
            self.add(f"repr({thing.name})", repr, {"": (Ref("model"),)})
        if rng.random() < 0.05:
            self.add(f"copy of {thing.name}", again, {"": (Ref("model"),)})

    def drawn_from(self, methods):
        methods = list(methods.values())
        if self.calm:
            first = METHODS * (self.turn // 2)
            return (methods[first:] + methods[:first])[:METHODS]
        order = self.rng.permutation(len(methods))[: int(self.rng.integers(1, METHODS + 1))]
        return [methods[i] for i in order]

    def method(self, method, receiver, mode):
        name = method.name.rsplit(".", 1)[1]
        args = self.arguments(method, wrong=mode)
        if self.calm and name == "inverse_transform":
            there = surface.methods(self.thing.call)["transform"]
            args = self.arguments(there, wrong=mode)
            self.add(there.name, "transform", args, receiver, out="transformed")
            args = {next(iter(method.parameters)): Ref("transformed")}
        self.add(method.name, name, args, receiver, out=f"{name}_")

    # ------------------------------------------------------------ arguments
    def settle(self, thing, settings):
        """Which rows and which target suit these settings."""
        metric = settings.get("metric", settings.get("kernel"))
        if isinstance(metric, str) and self.rng.random() < 0.9:
            self.rows_kind = {"precomputed": "square", "spectrum": "strings"}.get(metric, "rows")
        if "family" in thing.parameters:
            family = settings.get("family", thing.parameters["family"].default)
            self.target_kind = TARGETS.get(str(family), "numbers")

    def kind_of_rows(self, thing):
        """Documents, counts, one column, or just rows."""
        kinds = {
            "IsotonicRegression": "column",
            "KernelCenterer": "square",
            "TfidfTransformer": "counts",
            **COUNTS,
        }
        if thing.family == "text" and thing.name != "TfidfTransformer":
            return "documents"
        if self.calm:
            kinds |= usual.ROWS
        return kinds.get(thing.name, "rows") if self.calm or self.rng.random() < 0.8 else "rows"

    def kind_of_target(self, thing):
        """Labels or numbers, by what the thing is for; None for what takes no target."""
        names = {base.__name__ for base in getattr(thing.call, "__mro__", ())}
        home = thing.call.__module__
        if "Regressor" in names or thing.name in OF_NUMBERS or ".metrics.regression" in home:
            kinds = ("numbers", "numbers", "counts", "constant", "several", "positive")
        elif "Classifier" in names or thing.name == "CostSensitiveClassifier":
            kinds = ("labels",) * 9 + ("indicators",)
        elif "estimator" in thing.parameters or "steps" in thing.parameters:
            kinds = ("labels", "labels", "numbers")
        elif home.startswith(("statfast.metrics.ranking", "statfast.metrics.probability")):
            kinds = ("two labels", "two labels", "binary", "labels")
        elif thing.name in PICTURES_OF_SCORES:
            kinds = ("two labels", "labels")
        else:
            several = home.startswith("statfast.metrics.classification")
            kinds = (None,) if thing.is_class else ("labels",) * 3 + ("indicators",) * several
        if not self.calm:
            return choose(self.rng, kinds)
        return usual.TARGETS.get(thing.name, "labels" if kinds[0] is None else kinds[0])

    def parameters(self, thing, mode):
        """Settings of an object: some of its parameters, one of them wrong if the mode says so."""
        rng, found = self.rng, self.usual(thing)
        share = 0 if self.calm else choose(rng, (0.1, 0.3, 0.6))
        names = [name for name, parameter in thing.parameters.items() if not is_role(parameter)]
        target = choose(rng, names) if names and mode == "wrong" else None
        for name in names:
            parameter = thing.parameters[name]
            if name not in found and (
                name == target
                or parameter.required
                or name in values.COSTLY
                or (self.calm and name in usual.VALUES)
                or rng.random() < share
            ):
                found[name] = self.value(thing, parameter, "wrong" if name == target else mode)
        return found

    def value(self, thing, parameter, mode):
        if parameter.name == "function":
            return values.product
        if self.calm and parameter.name in values.COSTLY:
            return values.COSTLY[parameter.name][-1]
        if self.calm and parameter.name in usual.VALUES:
            return usual.VALUES[parameter.name](self, thing)
        if mode == "wrong":
            return values.wrong(self.rng, parameter, self.data)
        if parameter.name in ("estimator", "final_estimator", "density") and (
            parameter.required or self.calm or self.rng.random() < 0.7
        ):
            return made.learner(self, thing)
        if mode == "edge" and self.rng.random() < 0.35:
            return values.edge(self.rng, parameter, self.data)
        return values.valid(self.rng, parameter, self.data)

    def usual(self, thing):
        """Settings of the calm rounds, which stand in the place of drawn ones."""
        if not self.calm:
            return {}
        found = dict(usual.SETTINGS.get(thing.name, {}))
        if self.turn % 2:
            found |= usual.SECOND.get(thing.name, {})
        for name in {"contrasts", "R"} & thing.parameters.keys():
            found[name] = [[0.0, 1.0, -1.0]]
        if "Group" in thing.name and "groups" in thing.parameters:
            found["groups"] = np.arange(self.data.n) % 5
        return found

    def arguments(self, thing, wrong):
        """Arguments of a call by name; ``wrong`` is the mode of this one."""
        rng, found = self.rng, {}
        roles = [name for name in thing.parameters if name in ROLES and name not in NEVER]
        spoil = choose(rng, roles) if wrong == "spoiled" and roles else None
        settled = self.usual(thing)
        for name, parameter in thing.parameters.items():
            share = OPTIONAL.get(name, 0.3)
            if self.calm and (name in ("X", "y") or self.turn % 2 == 0):
                share = name in ("X", "y")
            if name in settled or not is_role(parameter):
                continue
            if parameter.required or name == spoil or rng.random() < share:
                value = self.argument(parameter, thing, wrong)
                value = self.spoiled(value) if name == spoil else value
                found["" if parameter.is_variadic else name] = value
        found |= self.parameters(thing, wrong)
        return found

    def spoiled(self, made):
        if isinstance(made, Ref):
            return choose(self.rng, values.WRONG)
        if isinstance(made, str | Path):  # others could be files to write
            return choose(self.rng, [one for one in values.WRONG if not isinstance(one, str)])
        try:
            return spoiled(made, self.rng)
        except (TypeError, ValueError, AttributeError, IndexError):
            return choose(self.rng, values.WRONG)

    def argument(self, parameter, thing, mode):
        if parameter.name in ROLES and parameter.name not in ("y", "X"):
            return ROLES[parameter.name](self, thing)
        return rows(self, thing) if parameter.name == "X" else target(self, thing)


def is_role(parameter):
    """Whether its name says what an argument is; numbers and choices of that name are settings."""
    kind = parameter.type
    chosen = kind.startswith('{"') and "ndarray" not in kind
    return parameter.name in ROLES and not chosen and not kind.startswith(("int", "bool"))


def again(model):
    """A model that went through a pickle, as a process pool sends it."""
    return pickle.loads(pickle.dumps(model))
