# SPDX-License-Identifier: BSD-3-Clause
"""The rounds of AdaBoost: members, their votes and errors, and the weights of rows."""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np

from statfast._engine import checkpoint, report
from statfast._estimator import as_square, columns_of, is_pairwise, take_rows, takes_weights
from statfast._typing import Array
from statfast.ensemble.adaboost.stumps import MAX_COLUMNS, StumpRounds, is_stump
from statfast.ensemble.members.base_estimators import UNFITTED, array_of, seeded, warn_unfitted

MAX_VOTE = 700.0  # Its exponential is within the range of floats.


class ReweightedRounds:
    """Members fitted one after the other, to weights that sum to 1 in each round.

    Members take n times these weights, where n is the number of rows with weight, so that their
    regularization is that for n rows.
    """

    def __init__(
        self,
        rows: Any,
        classes: Array,
        codes: Array,
        weight: Array,
        base: Any,
        resample: bool,
        rng: Any,
        n_jobs: Any,
    ) -> None:
        self.rows, self.classes, self.codes, self.weight = rows, classes, codes, weight
        self.base, self.resample, self.rng = base, resample, rng
        self.weighted, self.pairwise = takes_weights(base), is_pairwise(base)
        self.seen: list[
            Any
        ] = []  # for precomputed kernels or distances: the columns that each member uses
        if self.pairwise:
            as_square(rows, base)
        self.members: list[Any] = []
        self.votes: list[Any] = []
        self.errors: list[Any] = []
        self.training: list[Any] = []
        self.sums: list[Any] = []
        self.first, self.tally = weight.copy(), np.zeros((len(codes), len(classes)))
        self.n = int(np.count_nonzero(weight))
        self.stumps: Any = None
        array = array_of(rows) if is_stump(base) else None
        if array is not None and array.shape[1] <= MAX_COLUMNS and np.isfinite(array).all():
            label = codes.astype(np.int32)
            self.stumps = StumpRounds(array, label, classes, base, n_jobs)

    def run(self, n_rounds: int, rate: float) -> None:
        k = len(self.classes)
        for i in range(n_rounds):
            weight = self.weight
            if self.resample:
                weight = self.rng.multinomial(self.n, self.weight) / self.n
            try:
                error, wrong, stump = self._member(weight)
            except UNFITTED as reason:
                if not self.members:
                    raise
                warn_unfitted("AdaBoostClassifier", len(self.members), n_rounds, reason)
                break
            report(i + 1, n_rounds)
            if k > 1 and error >= 1.0 - 1.0 / k:
                self.members.pop()
                if not self.members:
                    raise ValueError(
                        f"estimator must be better than chance on X and y; the first has an error "
                        f"of {error:.3g} of the weight. Choose another."
                    )
                break
            vote = rate * (log((1.0 - error) / error) + log(max(k - 1, 1))) if error > 0.0 else 1.0
            if vote > MAX_VOTE:
                raise ValueError(
                    f"learning_rate must leave weights of rows finite; got {rate!r}, which "
                    f"multiplies those that are wrong by exp({vote:.4g}). Lower learning_rate."
                )
            self._move(vote, exp(vote) if error > 0.0 else 1.0, wrong, stump)
            self.votes.append(vote)
            self.errors.append(error)
            half = exp(vote / 2.0)
            self.sums.append(((1.0 - error) / half + error * half) if error > 0.0 else 0.0)
            if error <= 0.0:
                break
        if self.stumps is not None:
            self.stumps.release()

    def _member(
        self, weight: Array
    ) -> tuple[float, Array | None, tuple[int, int, Any, Array, float] | None]:
        """Fit a member; returns its error, marks of wrong rows (None for a stump), and the
        stump."""
        member = seeded(self.base, self.rng)
        if self.stumps is not None:
            stump = self.stumps.find(weight)
            self.members.append(self.stumps.member(stump[2], member, self.rows))
            if not self.resample:
                return stump[4], None, stump
            j, rank, _, best, _ = stump
            predicted = np.where(self.stumps.ranks[j] <= rank, best[0], best[1])
            return self._error(predicted != self.codes), None, stump
        weight = self.n * weight
        if self.resample:
            weight = np.rint(weight)  # how often each row was drawn
        if self.resample and not self.weighted:
            drawn, fit_arguments = np.repeat(np.arange(len(weight)), weight.astype(int)), {}
        else:  # rows without weight are left out, as a class may have lost all of it
            drawn = None if weight.all() else np.flatnonzero(weight)
            fit_arguments = {"sample_weight": take_rows(weight, drawn)}
        seen = drawn if self.pairwise else None
        rows = columns_of(take_rows(self.rows, drawn), seen)
        member.fit(rows, take_rows(self.classes[self.codes], drawn), **fit_arguments)
        self.members.append(member)
        self.seen.append(seen)
        all_rows = columns_of(self.rows, seen)
        predicted = np.searchsorted(self.classes, np.asarray(member.predict(all_rows)))
        checkpoint()
        self.predicted = predicted
        return self._error(predicted != self.codes), predicted != self.codes, None

    def _error(self, wrong: Array) -> float:
        return float(self.weight[wrong].sum())

    def _move(self, vote: float, factor: float, wrong: Array | None, stump: Any) -> None:
        if stump is not None:
            total, lost = self.stumps.move(self.weight, stump, factor, self.tally, vote, self.first)
        else:
            self.weight[wrong] *= factor
            self.tally[np.arange(len(self.predicted)), self.predicted] += vote
            total = self.weight.sum()
            lost = float(self.first[self.tally.argmax(axis=1) != self.codes].sum())
        self.weight /= total
        self.training.append(lost)
