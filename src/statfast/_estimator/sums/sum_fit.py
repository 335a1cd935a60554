# SPDX-License-Identifier: BSD-3-Clause
"""Estimators whose fit is a sum over rows: one path from rows to fitted attributes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self

from statfast._estimator.base import Estimator
from statfast._estimator.dispatch import no_exact_form
from statfast._estimator.folds.fold_plans import FoldPlan, FoldTask
from statfast._estimator.folds.merged_folds import merged_folds
from statfast._estimator.sums.part_sums import fit_parts
from statfast._estimator.sums.row_sums import summed
from statfast._typing import Array
from statfast._validation import warn_user


class SumFit(Estimator):
    """An estimator that is fitted by statistics of blocks of rows, added up, and a solution.

    A subclass gives three methods:

    - ``_prepare(X, y, sample_weight) -> (columns, state)``: all checks of ``fit``. ``columns`` is a
      tuple of arrays with one row for each sample (X first), or None; ``state`` is what is known of
      all rows (`FitState`), and holds no parameter of the estimator that `_solve` can read itself.
    - ``_statistics(columns_of_a_block, state) -> S``, a function of the module; ``S + S`` merges
      the statistics of two blocks, stably: nothing is subtracted.
    - ``_solve(S, state) -> self``: the fitted attributes from merged statistics alone. A class
      without weight in S is left out, as a fit on the rows of S leaves it out.

    Its ``fit`` is ``return self._fit_sum(X, y, sample_weight)``, and its ``partial_fit``, if it has
    one, ``return self._merge_sum(*self._prepare(X, y, sample_weight))``, where the fitted estimator
    keeps its sums in the attribute that `_kept_sums` names.

    Cross-validation merges the statistics of folds (Izbicki 2013, "Algebraic classifiers", ICML),
    so that it costs one pass over the rows and a solution for each fold, and equals the refits;
    replicates weight them; rows in parts are summed up where they lie. All of them ask `_adds_up`
    whether the estimator is such a sum with its parameters, and of its columns.

    One matrix in memory may have a better way than the sum: ``_fit_local`` becomes fitted by it, or
    returns None. The answer is that of the sum, except for rounding.
    """

    # Parameters that only `_solve` reads.
    _solve_parameters: ClassVar[tuple[str, ...]] = ()
    # Whether statistics have ``column_moments()`` and ``rescaled(shift, scale)``, by which scalers
    # are solved, and the statistics brought to the scaled rows.
    _statistics_can_be_rescaled: ClassVar[bool] = False
    # Whether statistics are `ColumnMoments`, which those of other estimators tell.
    _fits_from_moments: ClassVar[bool] = False
    # Whether statistics have ``of_columns(places)``, which with `_state_of_columns` give the fit of
    # some of the columns.
    _statistics_can_be_cut: ClassVar[bool] = False
    # Whether `_statistics` cuts rows into blocks itself.
    _statistics_cut_blocks: ClassVar[bool] = False
    # Where the fitted estimator keeps its sums.
    _kept_sums: ClassVar[str] = "_moments"
    _statistics: ClassVar[Any]

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> tuple[tuple[Any, ...], Any]:
        raise NotImplementedError

    def _solve(self, sums: Any, state: Any) -> Self:
        raise NotImplementedError

    def _adds_up(self, columns: tuple[Any, ...] | None = None) -> bool:
        """Whether the fit is a sum with these parameters, and of these columns if they are given.

        If not, `_fit_local` alone fits.
        """
        return True

    def _has_labels(self) -> bool:
        """Whether y are labels, which rows in parts are first looked through for."""
        return getattr(self, "_estimator_type", None) == "classifier"

    def _fit_local(self, columns: tuple[Any, ...], state: Any) -> Self | None:
        """Become fitted by a better way of rows in memory or in chunks; None where the sum is."""
        return None

    def _total(self, columns: tuple[Any, ...], state: Any) -> Any:
        """The statistics of all rows, in one pass over rows in memory or in chunks."""
        return summed(self._statistics, columns, state)

    def _solve_total(self, sums: Any, columns: tuple[Any, ...], state: Any) -> Self:
        """`_solve`, by the statistics of all rows, which may be looked at where it fails."""
        return self._solve(sums, state)

    def _solve_so_far(self, sums: Any, state: Any) -> Self:
        """`_solve`, where more rows may come; what has too few of them is not fitted yet."""
        return self._solve(sums, state)

    def _check_block(self, rows: Array, state: Any) -> None:
        """Refuse rows of a part that `_prepare` would refuse; NaN only where no sum shows it."""

    def _check_parts(self, columns: tuple[Any, ...], state: Any) -> None:
        """Refuse rows in parts, of which `columns` are a few, whose statistics give no fit."""

    def _fit_rounded(
        self, total: Callable[[Any], Any], n: int, dtype: Any, state: Any
    ) -> Self | None:
        """Become fitted by quicker statistics of n rows in parts, ``total(state)``, in less
        precision; None where these are not enough."""
        return None

    # ------------------------------------------------------------ folds and replicates

    # Whether samples of the bootstrap are quicker as weights of the statistics than as fits.
    _samples_as_weights: ClassVar[bool] = False

    def _plan_folds(self, task: FoldTask) -> FoldPlan | None:
        return merged_folds(self, task, self._reads_names())

    def _reads_names(self) -> bool:
        """Whether `_prepare` chooses columns, perhaps by their names."""
        return False

    def _predict_replicates(
        self, columns: tuple[Any, ...], state: Any, weights: Any, rows: Any
    ) -> tuple[Array, Array] | None:
        """Codes (R, m) of the classes of rows by fits with each of R weights, and for which of them
        they are right; None where there is no quick way."""
        return None

    def _state_of_columns(self, state: Any, columns: Array) -> Any:
        """The state of a fit of some of the columns."""
        names = None if state.names is None else state.names[columns]
        return replace(state, n_features=len(columns), names=names)

    def _column_sweeps(self, fitted: list[Any], held: list[Any], state: Any) -> Any:
        """The `ColumnSweeps` of folds by the statistics of the rows that they fit and hold out;
        None where there is no quick way."""
        return None

    def _accuracy_sweeps(
        self, fitted: list[Any], columns: tuple[Any, ...], tests: list[Array], state: Any
    ) -> Any:
        """The same of the accuracy of classes, by the rows that folds hold out, which are cut out
        of the columns of all rows."""
        return None

    @staticmethod
    def _mean_squares(models: list[Any], held: Any) -> tuple[Array, float] | None:
        """Mean squared errors of models of one target, and its variance, by the statistics of the
        rows held out; None where these do not tell them."""
        return None

    # ------------------------------------------------------------ the ways of a fit

    def _fit_sum(self, X: Any, y: Any = None, sample_weight: Any = None, **options: Any) -> Self:
        """Become fitted to all rows; `options` are more arguments of `_prepare`."""
        columns, state = self._prepare(X, y, sample_weight, **options)
        fitted = self._fit_local(columns, state)
        if fitted is not None:
            return fitted
        return self._solve_total(self._total(columns, state), columns, state)

    def _merge_sum(self, columns: tuple[Any, ...], state: Any) -> Self:
        """Become fitted to these rows and to those of the fits before."""
        before = self.__dict__.get(self._kept_sums)
        if before is None and "n_features_in_" in self.__dict__:
            warn_user(
                f"{type(self).__name__} was fitted in a way that keeps no sums, to which these "
                "rows could be added: the model is now that of these rows alone. Call partial_fit "
                "from the first rows on, or fit all rows at once."
            )
        sums = self._total(columns, state)
        if before is not None:
            state = replace(state, names=self.__dict__.get("feature_names_in_", state.names))
            sums = before + sums
        return self._solve_so_far(sums, state)

    def _fit_source(self, source: Any, X: Any) -> Self:
        """Become fitted to rows that lie in parts."""
        if not self._adds_up():
            raise no_exact_form(self, X)
        fitted: Self = fit_parts(self, source)
        return fitted
