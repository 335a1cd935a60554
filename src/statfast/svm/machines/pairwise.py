# SPDX-License-Identifier: BSD-3-Clause
"""What `SVC` and `NuSVC` share: a machine for each pair of classes, votes and probabilities."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    Classifier,
    by_fit,
    coupled,
    fitted,
    flag,
    one_of,
    param,
    randomness,
    sigmoid,
    sigmoid_fit,
    weighted_labels,
)
from statfast._typing import Array, ArrayLike, ClassWeight, Rows, Seed, Weights
from statfast._validation import (
    as_generator,
    as_type,
    as_weights,
    not_fitted,
)
from statfast.svm.dual.limits import Run
from statfast.svm.dual.problems import Machine
from statfast.svm.machines.kernel_machine import KernelMachine, held_values
from statfast.svm.machines.votes import (
    assembled,
    pair_coef,
    pair_values,
    pairs,
    scores,
    votes,
)

PROBABILITY_FOLDS = 5  # The number of folds of the cross-validation behind probabilities.


def deal_out_folds(keys: Array, codes: Array, n_folds: int) -> Array:
    """The fold of a cross-validation that each row is held out in, (n,).

    `keys` has one number for each row, the same for rows that are alike, which are in one fold.
    Rows of each class are dealt out in the order of their keys: that of the rows does not matter.
    """
    fold = np.empty(len(codes), dtype=np.intp)
    dealt = 0
    for code in range(codes.max() + 1):
        members = np.flatnonzero(codes == code)
        distinct, rank = np.unique(keys[members], return_inverse=True)
        fold[members] = (rank.reshape(-1) + dealt) % n_folds
        dealt += len(distinct)
    return fold


def pair_tasks(codes: Array, used: Array, n_classes: int) -> list[tuple[Array, Array]]:
    """Of each pair of classes the rows among those used, +1 for the first, -1 for the other."""
    tasks = []
    for i, j in pairs(n_classes):
        rows = used[(codes[used] == i) | (codes[used] == j)]
        tasks.append((rows, np.where(codes[rows] == i, 1.0, -1.0)))
    return tasks


class WithProbability:
    """A method that is there only where the parameter `probability` is True."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        self.__doc__ = method.__doc__

    def __get__(self, instance: PairwiseMachines | None, owner: type[Any]) -> Callable[..., Any]:
        if instance is None:
            return self.method
        if instance.probability is not True and instance.probability is not np.True_:
            raise AttributeError(
                f"{self.method.__name__} needs {type(instance).__name__}(probability=True), and a "
                "new fit."
            )
        return self.method.__get__(instance, owner)


class PairwiseMachines(Classifier, KernelMachine):
    """Base of the classifiers."""

    probability: bool = param(flag, default=False)
    class_weight: ClassWeight = param(by_fit, default=None)
    decision_function_shape: Literal["ovr", "ovo"] = param(one_of("ovr", "ovo"), default="ovr")
    break_ties: bool = param(flag, default=False)
    random_state: Seed = param(randomness, default=None)

    classes_: Array = fitted()
    class_weight_: Array = fitted()
    probA_: Array = fitted()
    probB_: Array = fitted()

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Train a machine for each pair of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d), or list of strings
            Training rows, finite; strings for a kernel on strings; for ``kernel="precomputed"``
            the symmetric matrix of kernel values, (n, n).
        y : array-like of shape (n,)
            A label for each row, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the samples; an integer weight equals a repeated sample. They multiply C.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X holds NaN or infinity, is not a symmetric matrix where one is due, if y does not
            hold one label for each row, of two classes or more, if a parameter is out of its range,
            or if no machine with these parameters exists: with C=inf where classes are not
            separable, with nu too large for the sizes of the classes, or so small that the classes
            cannot be separated.
        TypeError
            If X holds strings where numbers are due, or the reverse, or if a parameter is of the
            wrong type.

        Warns
        -----
        ConvergenceWarning
            If steps, time, `callback` or rounding ended the training before `tol`; the model is
            usable.
        UserWarning
            If the columns of X lie far from 0, and the kernel is a polynomial; if `cache_size` is
            None and rows of the kernel matrix are made again, as not all fit into memory; or if
            some of the matrix shows that the kernel is not positive semi-definite.
        """
        params, targets = self._checked(), []
        self._check_votes()

        def weights_of(n: int) -> Array | None:
            targets.append(self._targets(y, n, sample_weight))
            return as_weights(sample_weight, n)

        training = self._training(params, X, weights_of)
        self._trained(X, training, targets[0])
        return self

    def _targets(self, y: Any, n: int, sample_weight: Weights) -> tuple[Array, Array, Array]:
        """The labels, the codes of n rows, and the weights of rows times those of their classes."""
        classes, codes, weights = weighted_labels(y, n, sample_weight, self.class_weight, least=2)
        return classes, codes, np.ones(n) if weights is None else weights

    def _trained(
        self, X: Any, training: Any, checked: tuple[Array, Array, Array], before: Any = None
    ) -> list[Machine]:
        """Become fitted; the machines, from which those for another C may start."""
        # A new generator takes time, and is made only if it is used.
        asked = self.probability or self.random_state is not None
        rng = as_generator(self.random_state) if asked else None
        classes, codes, weights = checked
        params = self._checked()
        tasks = pair_tasks(codes, np.flatnonzero(weights > 0.0), len(classes))
        starts = before or [None] * len(tasks)
        machines = [
            self._machine(training.run, rows, sign, weights[rows], params, start)
            for (rows, sign), start in zip(training.run.counted(tasks), starts, strict=True)
        ]
        platt = {}
        if self.probability:
            keys = training.points.keys(rng)
            training.run.validates = True
            fits = [
                self._platt(training, rows, sign, weights[rows], params, keys[rows])
                for rows, sign in training.run.counted(tasks)
            ]
            platt["probA_"], platt["probB_"] = map(np.array, zip(*fits, strict=True))
        self._publish(X, **self._fitted_attributes(training, machines, checked, platt))
        return machines

    def _check_votes(self) -> None:
        """Check what predictions depend on, too."""
        shape = self._checked_value("decision_function_shape")
        if self._checked_value("break_ties") and shape == "ovo":
            raise ValueError(
                "break_ties must be False when decision_function_shape is 'ovo'; got True. Choose "
                "decision_function_shape='ovr'."
            )

    def _fitted_attributes(
        self,
        training: Any,
        machines: list[Machine],
        checked: tuple[Array, Array, Array],
        platt: dict[str, Array],
    ) -> dict[str, Any]:
        classes, codes, weights = checked
        k = len(classes)
        support, counts, coef = assembled(machines, codes, k)
        ends = np.append(0, np.cumsum(counts))
        parts = [slice(a, b) for a, b in pairwise(ends)]
        rho = np.array([m.rho for m in machines])
        if k == 2:  # Values are positive for the second class, as in scikit-learn.
            parts, coef, rho = [slice(0, len(support))], -coef, -rho
        factors = np.ones(k)
        if self.class_weight is not None:
            first = np.array([np.flatnonzero((codes == c) & (weights > 0.0))[0] for c in range(k)])
            base = training.points.weights
            factors = weights[first] / (1.0 if base is None else base[first])
        return {
            **self._machine_attributes(training, machines, support, parts, coef),
            **platt,
            "classes_": classes,
            "class_weight_": factors,
            "n_support_": counts,
            "dual_coef_": coef,
            "intercept_": -rho,
            "n_iter_": np.array([m.n_iter for m in machines], dtype=np.int32),
        }

    def _machine(
        self,
        run: Run,
        rows: Any,
        sign: Array,
        weights: Array | None,
        params: Any,
        before: Any = None,
    ) -> Any:
        """A machine on these rows, of which `sign` gives the classes, with the checked parameters
        `params`."""
        raise NotImplementedError

    def _platt(
        self, training: Any, rows: Array, sign: Array, weights: Array, params: Any, keys: Array
    ) -> tuple[float, float]:
        """A and B of the sigmoid of one pair, from values for rows that were held out."""
        fold = deal_out_folds(keys, (sign < 0).astype(np.intp), PROBABILITY_FOLDS)
        values = np.zeros(len(rows))
        for k in range(PROBABILITY_FOLDS):
            out = fold == k
            kept = sign[~out]
            if not out.any():
                continue
            # The rows that are left are of one class, or there are none.
            if not len(kept) or (kept == kept[0]).all():
                values[out] = kept[0] if len(kept) else 0.0
                continue
            machine = self._machine(training.run, rows[~out], kept, weights[~out], params)
            training.run.held_short += not machine.converged
            values[out] = held_values(training.points, machine, rows[out])
        return sigmoid_fit(values, sign > 0, weights)

    # ------------------------------------------------------------ prediction

    def _pair_values(self, X: Any) -> tuple[Array, type[Any]]:
        """Values of all pairs; of two classes, positive for the second."""
        sums, dtype = self._sums(X)
        if len(self.classes_) == 2:
            return sums[0] + self.intercept_, dtype
        return pair_values(sums, -self.intercept_), dtype

    def predict(self, X: Rows) -> Array:
        """Predict the class of each sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or list of strings
            Samples; for ``kernel="precomputed"`` their kernel values with the training samples, (m,
            n).

        Returns
        -------
        labels : ndarray of shape (m,), dtype of `classes_`
            Of classes with as many votes the lowest or, with ``break_ties=True``, that with the
            largest value of `decision_function`.

        Raises
        ------
        ValueError
            If X is not finite, or has other columns than the training rows.
        """
        values, _ = self._pair_values(X)
        self._check_votes()
        if len(self.classes_) == 2:
            return self.classes_.take(values[:, 0] > 0.0)
        count = scores if self.break_ties else votes
        return self.classes_.take(count(values, len(self.classes_)).argmax(axis=1))

    def decision_function(self, X: Rows) -> Array:
        """Return decision values: for each class, or for each pair of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or list of strings
            Samples; for ``kernel="precomputed"`` their kernel values with the training samples, (m,
            n).

        Returns
        -------
        ndarray of shape (m,), (m, K) or (m, K (K - 1) / 2)
            Of two classes f(x), positive for the second. Of more, with
            ``decision_function_shape="ovr"``, the votes for each class and, within a third, the sum
            of its values; with "ovo" the values of the pairs (0, 1), (0, 2), ..., (1, 2), ...,
            positive for the first. float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        values, dtype = self._pair_values(X)
        self._check_votes()
        if len(self.classes_) == 2:
            return as_type(values[:, 0], dtype)
        if self.decision_function_shape == "ovr":
            values = scores(values, len(self.classes_))
        return as_type(values, dtype)

    @WithProbability
    def predict_proba(self, X: Rows) -> Array:
        """Return class probabilities, from sigmoids of the pairs' values combined.

        They are estimated by cross-validation, and need not agree with `predict` for rows near the
        boundary. There with ``probability=True`` only.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or list of strings
            Samples.

        Returns
        -------
        ndarray of shape (m, K)
            Columns as in `classes_`. float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        if "classes_" in self.__dict__ and "probA_" not in self.__dict__:
            raise not_fitted(self)
        values, dtype = self._pair_values(X)
        k = len(self.classes_)
        if k == 2:
            first = sigmoid(-values[:, 0], self.probA_[0], self.probB_[0])
            return np.column_stack([first, 1.0 - first]).astype(dtype)
        r = np.zeros((len(values), k, k))
        for p, (i, j) in enumerate(pairs(k)):
            r[:, i, j] = sigmoid(values[:, p], self.probA_[p], self.probB_[p])
            r[:, j, i] = 1.0 - r[:, i, j]
        return coupled(r).astype(dtype)

    @WithProbability
    def predict_log_proba(self, X: Rows) -> Array:
        """Return the logarithm of `predict_proba`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (m, d), or list of strings
            Samples.

        Returns
        -------
        ndarray of shape (m, K)

        Raises
        ------
        ValueError
            As for `predict`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _linear_coef(self) -> Any:
        if len(self.classes_) == 2:
            return self.dual_coef_ @ self.support_vectors_
        return pair_coef(self.dual_coef_, self.support_vectors_, self.n_support_)
