# SPDX-License-Identifier: BSD-3-Clause
"""What the kernels' tests ask of `hypothesis`, for where it is not installed: tests of wheels.

A property is tried on a few seeded examples, which are not made simpler when one fails.
"""

import inspect
import sys
from functools import wraps

import numpy as np

EXAMPLES = 10  # of each property, as many as in the profile "brief"


class Strategy:
    """How to draw a value."""

    def __init__(self, draw):
        self.draw = draw  # a function of a random generator

    def filter(self, wanted):
        def draw(rng):
            while not wanted(value := self.draw(rng)):
                pass
            return value

        return Strategy(draw)


def integers(low, high):
    return Strategy(lambda rng: int(rng.integers(low, high, endpoint=True)))


def floats(low, high):
    return Strategy(lambda rng: float(rng.uniform(low, high)))


def sampled_from(values):
    return Strategy(lambda rng: values[rng.integers(len(values))])


def booleans():
    return sampled_from((False, True))


def tuples(*strategies):
    return Strategy(lambda rng: tuple(strategy.draw(rng) for strategy in strategies))


def composite(function):
    def made(*args, **kwargs):
        return Strategy(lambda rng: function(lambda part: part.draw(rng), *args, **kwargs))

    return made


class Data:
    """A test draws from it as it goes."""

    def __init__(self, rng):
        self.rng = rng

    def draw(self, strategy):
        return strategy.draw(self.rng)


def data():
    return Strategy(Data)


def given(*last, **named):
    """Run a test once per example, with its last parameters, and those that are named, drawn."""

    def decorate(test):
        signature = inspect.signature(test)
        names = list(signature.parameters)
        drawn = dict(zip(names[len(names) - len(last) :], last, strict=True)) | named

        @wraps(test)
        def run(*args, **kwargs):
            for seed in range(EXAMPLES):
                rng = np.random.default_rng(seed)
                example = {name: strategy.draw(rng) for name, strategy in drawn.items()}
                test(*args, **kwargs, **example)

        rest = [signature.parameters[name] for name in names if name not in drawn]
        run.__signature__ = signature.replace(parameters=rest)  # what pytest has to fill in
        return run

    return decorate


class settings:
    """Nothing can be set."""

    def __init__(self, **ignored):
        pass

    def __call__(self, test):
        return test

    @staticmethod
    def register_profile(name, **ignored):
        pass

    @staticmethod
    def load_profile(name):
        pass


def install():
    """Take the place of the package."""
    module = sys.modules[__name__]
    module.strategies = module
    sys.modules["hypothesis"] = sys.modules["hypothesis.strategies"] = module
    return module
