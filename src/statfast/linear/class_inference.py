# SPDX-License-Identifier: BSD-3-Clause
"""Inference of estimators whose fit may have been a model for each class."""

from statfast._summary import Summary
from statfast.linear.inference import Inference, NoInferenceError


class ClassInference(Inference):
    """Mixin like `Inference`; a fit of several models sets ``results_``, a `Result` by class."""

    def _inferred(self, *, refuse=True):
        if "results_" in self.__dict__:
            raise NoInferenceError(
                'With multi_class="ovr" each class has a model of its own: see summary() and '
                "results_."
            )
        return super()._inferred(refuse=refuse)

    def summary(self, *, covariance="model"):
        """Summarise the fit: coefficients with their errors and tests, and how good it is.

        Parameters
        ----------
        covariance : {"model"} or ndarray of shape (q, q), default="model"
            A robust covariance may be given: see `robust_covariance`. Not for "ovr".

        Returns
        -------
        Summary
            ``print`` it, show it in a notebook, or call its ``to_frame()``. For "ovr" with a table
            for each class.
        """
        results = self.__dict__.get("results_")
        if results is None:
            return super().summary(covariance=covariance)
        if not isinstance(covariance, str):
            raise ValueError("A covariance can be given for one model, not for one of each class.")
        alone = {label: _One(result).summary() for label, result in results.items()}
        count = next(iter(results.values())).observations
        facts = [("Observations", int(count) if count == int(count) else count)]
        facts += [
            (f"{what} of {label}", getattr(result, name))
            for what, name in (("Deviance", "deviance"), ("Null deviance", "null_deviance"))
            for label, result in results.items()
        ]
        notes = dict.fromkeys(note for one in alone.values() for note in one.notes)
        return Summary(
            "Logistic regression, each class against the rest", facts,
            {label: one.table for label, one in alone.items()}, tuple(notes),
        )  # fmt: skip


class _One(Inference):
    def __init__(self, result):
        self._result = result
