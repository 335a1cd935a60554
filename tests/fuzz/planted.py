# SPDX-License-Identifier: BSD-3-Clause
"""Classes that are wrong on purpose, one for each kind of defect: what the fuzzer must find."""

import os
import time
import warnings

import numpy as np

from tests.fuzz.surface import thing


class Sound:
    """A class without fault.

    Parameters
    ----------
    n_things : int, default=2
        How many things.
    """

    def __init__(self, n_things=2):
        self.n_things = n_things

    def fit(self, X, y=None):
        """Learn nothing.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.
        y : ignored
            Nothing.
        """
        self.seen_ = 1.0
        return self


class Crashes(Sound):
    def fit(self, X, y=None):
        os.abort()


class Hangs(Sound):
    def fit(self, X, y=None):
        time.sleep(1000)


class Leaks(Sound):
    def fit(self, X, y=None):
        return 1 / 0


class Warns(Sound):
    def fit(self, X, y=None):
        warnings.warn("overflow encountered in multiply", RuntimeWarning, stacklevel=1)
        return self


class Modifies(Sound):
    def fit(self, X, y=None):
        if isinstance(X, np.ndarray) and X.flags.writeable and X.dtype.kind == "f":
            X += 1
        return self


class NotFinite(Sound):
    """One that learns a mean.

    Attributes
    ----------
    mean_ : ndarray of shape (2,)
        The mean.
    """

    def fit(self, X, y=None):
        self.mean_ = np.array([1.0, np.nan])
        return self


class HalfFitted(Sound):
    def fit(self, X, y=None):
        self.mean_ = 1.0
        raise ValueError


KINDS = {
    "Crashes": "crash",
    "Leaks": "leak",
    "Warns": "warning",
    "Modifies": "input",
    "NotFinite": "not finite",
    "HalfFitted": "state",
}


def soon():
    """Those that answer, or die, at once."""
    return {name: thing(globals()[name], name) for name in ("Sound", *KINDS)}


def late():
    """One that does not answer."""
    return {"Hangs": thing(Hangs, "Hangs")}
