# SPDX-License-Identifier: BSD-3-Clause
"""Randomized search: candidates drawn from distributions of the parameters."""

from __future__ import annotations

from typing import Any

from statfast._estimator import by_fit, count, param, randomness
from statfast._typing import Seed
from statfast._validation import MAX_REPEATS
from statfast.model_selection.search.grids import ParameterSampler
from statfast.model_selection.search.search import ParameterSearch


class RandomizedSearchCV(ParameterSearch):
    """Randomized search over parameters, by cross-validation.

    Parameters
    ----------
    estimator : estimator
        By scikit-learn's protocol; copies of it are fitted.
    param_distributions : dict or list of dict
        Lists of values, or distributions with ``rvs``, by the names of parameters.
    n_iter : int, default=10
        Candidates to draw; without replacement if all values are listed.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the candidates; an integer makes the result reproducible. An integer
        draws the same as in scikit-learn.
    scoring : str, callable, list or dict, optional
        Names of ``statfast.metrics.get_scorer_names``, or functions of (estimator, X, y). None is
        the estimator's own ``score``.
    n_jobs : int, optional
        Threads of each fit, if the estimator has a parameter of this name.
    refit : bool, str or callable, default=True
        Fit the best to all samples; of several scores the name of that which decides. A function of
        `cv_results_` gives the index of the best.
    cv : int, splitter or iterable of (train, test), optional
        None is 5 folds; an integer is `KFold` or, for classifiers, `StratifiedKFold`.
    rule : {"min", "1se"}, default="min"
        Take the candidate of the best mean score ("min": of least loss), the first of equals; or
        "1se": the first one in the grid whose mean is within a standard error of the best, so list
        values from the simplest model to the most complex.
    error_score : float or "raise", default=nan
        What a failed fit scores; a warning says so, and the other candidates are not lost.
    return_train_score : bool, default=False
        Also return scores on the training samples.

    Attributes
    ----------
    cv_results_ : dict
        Scores are `error_score` (nan) where a fit or a score fails.
    best_estimator_ : estimator
        Fitted to all samples.
    best_params_ : dict
        Parameters of the best candidate.
    best_index_ : int
        Index of the best candidate in `cv_results_`.
    best_score_ : float
        Mean score of the best over the folds. It is a maximum, and so too high for new samples:
        validate the search itself, by `cross_validate`.
    scorer_ : callable or dict
        Scorer used.
    n_splits_ : int
        Number of folds.
    multimetric_ : bool
        Whether there are several scores.
    path_ : str
        How the folds were fitted: "merged statistics", "closed form", "shared structure" or
        "refit".
    refit_time_ : float
        Seconds of the final fit.
    classes_ : ndarray
        Class labels of the best estimator.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray
        Feature names, if fitted on a data frame whose names are all strings.

    Raises
    ------
    ValueError, TypeError
        As `GridSearchCV`.

    Notes
    -----
    As `GridSearchCV`.

    References
    ----------
    J. Bergstra & Y. Bengio (2012), "Random search for hyper-parameter optimization". JMLR 13,
    281-305.

    Examples
    --------
    >>> from statfast import Ridge
    >>> from statfast.model_selection import RandomizedSearchCV
    >>> search = RandomizedSearchCV(Ridge(), {"alpha": [0.1, 1.0, 9.0]}, n_iter=2, random_state=0)
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0], [9.0]]
    >>> len(search.fit(X, list(range(10))).cv_results_["params"])
    2
    """

    estimator: Any = param(by_fit, default=None, kw_only=False)
    param_distributions: dict[Any, Any] | list[dict[str, Any]] | None = param(
        by_fit, default=None, kw_only=False
    )
    n_iter: int = param(count(high=MAX_REPEATS), default=10)
    random_state: Seed = param(randomness, default=None)

    def _candidates(self) -> list[Any]:
        distributions: Any = self.param_distributions
        return list(ParameterSampler(distributions, self.n_iter, random_state=self.random_state))
