# SPDX-License-Identifier: BSD-3-Clause
"""The adapters: how a library does a task.

An adapter has three steps. ``prepare(data, threads)`` imports the library and makes what a user
would have at hand, untimed; ``fit()`` and ``answer()`` are timed, and `answer` returns the result
as a dict of arrays (see benchmarks/harness/check.py). One that keeps its own clock puts "seconds"
into its answer.
"""

import importlib


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

    def estimator(self, *, threads=None, **given):
        jobs = {"n_jobs": threads} if self.threaded and threads else {}
        return named(self.path)(**given, **jobs, **self.options)

    def note_fallback(self, model):
        if "sklearnex" in self.path and not hasattr(model, "_onedal_estimator"):
            self.remark = "fell back to scikit-learn"
