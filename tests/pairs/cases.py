# SPDX-License-Identifier: BSD-3-Clause
"""From a number to a case: an estimator, and a level of each of its factors.

The numbers go through all estimators in turn, first row of each design, second row of each, and so
on: the first rows of a greedy design cover most, so that a part of the cases is a good part.
"""

import os
from dataclasses import dataclass
from functools import cache
from itertools import count, islice

import numpy as np

from tests.pairs import problems
from tests.pairs.covering import count_pairs, covering_rows
from tests.pairs.factors import (
    OF_COUNTS,
    OF_DOCUMENTS,
    OF_KERNELS,
    TAKES_A_COLUMN,
    estimators,
    factors,
)

SEED = "STATFAST_PAIRS_SEED"  # workers are forked: they take it from their environment
OF_DATA = ("rows", "gaps", "target", "sample_weight", "offset", "cov_type", "groups")


@dataclass
class Case:
    """An estimator and a level of each factor."""

    seed: int  # the number of the case
    name: str
    levels: dict

    @property
    def text(self):
        first = {key: next(iter(found)) for key, found in factors(self.name).items()}
        chosen = [f"{key}={level}" for key, level in self.levels.items() if level != first[key]]
        return f"{self.name}: {', '.join(chosen) or 'defaults'}"


def draw(number, things=None):
    """The case of a number; None where the design of its estimator has no such row."""
    names = chosen_names(things)
    round_, place = divmod(number, len(names))
    name = names[place]
    row = design_of(name, int(os.environ.get(SEED, "0"))).row(round_)
    if row is None:
        return None
    levels = {
        key: list(found)[level]
        for (key, found), level in zip(factors(name).items(), row, strict=True)
    }
    return Case(number, name, levels)


@cache
def chosen_names(things=None):
    """Names of the estimators: all, or some that are given with commas between them."""
    return tuple(things.split(",")) if things else tuple(estimators())


class Design:
    """The rows of a covering design, made as they are asked for."""

    def __init__(self, name, seed):
        place = list(estimators()).index(name)
        sizes = [len(found) for found in factors(name).values()]
        self.coming = covering_rows(sizes, np.random.default_rng([seed, place]))
        self.made = []

    def row(self, number):
        """A row, or None beyond the last."""
        self.made += islice(self.coming, max(0, number + 1 - len(self.made)))
        return self.made[number] if number < len(self.made) else None


design_of = cache(Design)


def pairs_of(name):
    """How many pairs the factors of an estimator have."""
    return count_pairs([len(found) for found in factors(name).values()])


def numbers(things=None):
    """The numbers of all cases."""
    n_names = len(chosen_names(things))
    for round_ in count():
        found = [round_ * n_names + place for place in range(n_names)]
        found = [number for number in found if draw(number, things) is not None]
        if not found:
            return
        yield from found


class Setting:
    """What a case is made of: plain, or as it comes in the containers of the case."""

    def __init__(self, case):
        self.case, self.levels = case, case.levels
        self.stopped = False  # whether a fit has ended before it converged
        self.maker = factors(case.name)
        self.thing = estimators()[case.name]
        target = self.level("target")
        self.problem = problems.Problem(
            counts=case.name in OF_COUNTS or self.needs_counts(),
            gaps=bool(self.level("gaps")),
            classes=getattr(target, "classes", problems.K),
        )
        self.y = self.y_dressed = self.classes = None
        if target is not None:
            self.y, self.y_dressed = target(self.problem)
            self.fit_target_to_family()
        weight = self.level("sample_weight")
        self.weights, self.weights_dressed = weight(self.problem) if weight else (None, None)
        if self.y is not None:
            counted = slice(None) if self.weights is None else self.weights > 0
            self.classes = np.unique(self.y[counted]).tolist()
        self.pairwise = self.kind_of_square()

    def level(self, factor):
        """The maker of the chosen level of a factor, or None."""
        return self.maker[factor][self.levels[factor]] if factor in self.levels else None

    def is_first(self, factor):
        return self.levels[factor] == next(iter(self.maker[factor]))

    def needs_counts(self):
        densities = str(self.levels.get("densities"))
        return any(word in densities for word in ("poisson", "multinomial", "each"))

    def fit_target_to_family(self):
        """A response that is a share has no more than two values."""
        family = self.levels.get("family", "")
        if "binomial" in family and family != "negative_binomial":
            half = (self.problem.numbers > np.median(self.problem.numbers)).astype(float)
            self.problem.numbers = half
            self.y, self.y_dressed = self.level("target")(self.problem)

    def model(self):
        """A new estimator; makers are asked again, as generators are used up."""
        keys = [key for key in self.levels if key not in OF_DATA]
        return self.thing.call(**{key: self.level(key)(self) for key in keys})

    def kind_of_square(self):
        """ "metric" or "kernel" if distances or products stand for the rows."""
        if self.case.name in OF_KERNELS:
            return "kernel"
        values = self.model().get_params(deep=True).items()
        kinds = {
            key.rsplit("__", 1)[-1]
            for key, value in values
            if isinstance(value, str) and value == "precomputed"
        }
        return min(kinds & {"metric", "kernel"}, default=None)

    def rows(self, *, plain):
        """The rows of the fit and others, as an array or as they come."""
        problem = self.problem
        if self.case.name in OF_DOCUMENTS:
            dress = list if plain else self.level("rows")
            return dress(problem.texts), dress(problem.texts[5:20])
        X, new = problem.X, problem.new
        if self.pairwise:
            X, new = problems.square(X, new, self.pairwise)
        if self.case.name in TAKES_A_COLUMN:
            return X[:, 0], new[:, 0]
        return (X, new) if plain else (self.level("rows")(X), self.level("rows")(new))

    def arguments(self, *, plain):
        """What the fit is given beside the rows."""
        found = {}
        if self.y is not None:
            found["y"] = self.y if plain else self.y_dressed
        weights = self.weights if plain else self.weights_dressed
        if weights is not None:
            found["sample_weight"] = weights
        for name in ("offset", "groups"):
            if name in self.levels:
                value = self.level(name)(self.problem)[0 if plain else 1]
                if value is not None:
                    found[name] = value
        if "cov_type" in self.levels:
            found |= self.errors()
        return found

    def errors(self):
        kind = self.levels["cov_type"]
        more = {"cluster": {"groups": np.arange(problems.N) % 7}, "HAC": {"maxlags": 2}}
        return {"cov_type": kind, **more.get(kind, {})}
