# SPDX-License-Identifier: BSD-3-Clause
"""The adapters: how a library does a task.

An adapter has three steps. ``prepare(data, threads)`` imports the library and makes what a user
would have at hand, untimed; ``fit()`` and ``answer()`` are timed, and `answer` returns the result
as a dict of arrays (see benchmarks/harness/check.py). One that keeps its own clock puts "seconds"
into its answer.
"""

import importlib

import numpy as np


class Adapter:
    """The steps, and an optional remark about how the task was done."""

    remark = ""

    def prepare(self, data, threads):
        raise NotImplementedError

    def fit(self):
        pass

    def answer(self) -> dict:
        raise NotImplementedError


def named(path):
    """A class or function by its dotted name."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


class Estimator(Adapter):
    """An estimator class of the given path with scikit-learn's signatures.

    `threaded` says whether it takes n_jobs; the others' threads are set in the environment.
    """

    def __init__(self, path, *, threaded=True, **options):
        self.path, self.threaded, self.options = path, threaded, options

    def estimator(self, *, threads=None, **params):
        jobs = {"n_jobs": threads} if self.threaded and threads else {}
        return named(self.path)(**params, **jobs, **self.options)

    def note_fallback(self, model):
        if "sklearnex" in self.path and not hasattr(model, "_onedal_estimator"):
            self.remark = "fell back to scikit-learn"


class FitThen(Estimator):
    """A fit to rows, and to labels if the problem has some; then what the model has to say.

    `answers` has for each array of the answer a method, of which the rows `asked` are the argument
    ("predict_proba"), a fitted attribute ("coef_"), or a function of the model. `from_data` has
    the parameters that are the problem's: {"n_components": "k"}.
    """

    def __init__(self, path, *, answers, asked="X", from_data=(), **options):
        super().__init__(path, **options)
        self.answers, self.asked, self.from_data = answers, asked, dict(from_data)

    def prepare(self, data, threads):
        self.fitted_to = [data[name] for name in ("X", "y") if name in data]
        self.rows = data[self.asked]
        parameters = {parameter: data[name] for parameter, name in self.from_data.items()}
        self.model = self.estimator(threads=threads, **parameters)

    def fit(self):
        self.model.fit(*self.fitted_to)
        self.note_fallback(self.model)

    def answer(self):
        return {name: self._result(source) for name, source in self.answers.items()}

    def _result(self, source):
        if callable(source):
            return source(self.model)
        result = getattr(self.model, source)
        return result if source.endswith("_") else np.asarray(result(self.rows))


def linear_coefficients(model):
    """The intercept of a linear model with one target, then its coefficients."""
    return np.append(model.intercept_, model.coef_)
