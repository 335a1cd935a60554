# SPDX-License-Identifier: BSD-3-Clause
"""How many components, and which covariances: a table of BIC or ICL over both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from statfast._engine import Chunks, checkpoint, each, is_distributed
from statfast._estimator import Columned, Display, picture
from statfast._typing import Array, Axes, DataFrame, Rows, Seed, Weights
from statfast._validation import (
    MAX_REPEATS,
    as_choice,
    as_count,
    as_generator,
    as_real,
    as_rows,
    as_weights,
    shown,
    wrong_type,
)
from statfast.cluster import KMeans
from statfast.mixture.covariance_models import MODELS
from statfast.mixture.em import CollapsedComponent
from statfast.mixture.gaussian_mixture import COVARIANCE_TYPES, GaussianMixture

CRITERIA = ("bic", "icl", "aic")
N_BEST_SHOWN = 3
MAX_ITER = 1000  # iterations of a run


@dataclass(frozen=True, repr=False)
class MixtureChoice(Columned):
    """Result of `choose_mixture`.

    Attributes
    ----------
    n_components : ndarray of shape (G,)
        Numbers of components tried, ascending.
    covariance_types : list of str
        Covariance models tried, M.
    scores : dict
        By name ("bic", "icl", "aic", "log_likelihood", "n_parameters") a table (G, M). Of the
        criteria the least is the best; mclust prints them with the other sign. NaN where a
        component of every start collapsed.
    criterion : str
        The criterion asked for.
    best : GaussianMixture
        The model of least criterion, fitted.

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.mixture import choose_mixture
    >>> X, types = load_iris().data, ["EEE", "VVV"]
    >>> choice = choose_mixture(X, n_components=[2, 3], covariance_types=types, random_state=0)
    >>> choice.scores["bic"].round(1)
    array([[688.1, 574. ],
           [633. , 580.8]])
    >>> choice.best.predict(X[[0, 99]])
    array([1, 0])
    """

    n_components: Array
    covariance_types: list[str]
    scores: dict[str, Array]
    criterion: str
    best: GaussianMixture

    def to_frame(self) -> DataFrame:
        """Return the criterion as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
            A row for each number of components, a column for each covariance model.
        """
        import pandas

        index = pandas.Index(self.n_components, name="n_components")
        return pandas.DataFrame(
            self.scores[self.criterion], index=index, columns=list(self.covariance_types)
        )

    def plot(self, *, ax: Axes | None = None, **style: Any) -> Display:
        """Draw the criterion against the number of components: `statfast.plot.mixture_criteria`.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        **style : object
            Of the lines.

        Returns
        -------
        statfast.plot.Display
        """
        return picture("mixture_criteria")(self, ax=ax, **style)

    def _cells(self) -> list[list[str]]:
        cells = [["K", *self.covariance_types]]
        for k, row in zip(self.n_components, self.scores[self.criterion], strict=True):
            cells.append([str(k), *("" if np.isnan(value) else f"{value:.2f}" for value in row)])
        return cells

    def _widths(self) -> list[int]:
        return [3, 11, *(10 for _ in self.covariance_types[1:])]

    def _remarks(self) -> list[str]:
        table = self.scores[self.criterion]
        order = np.argsort(table, axis=None, kind="stable")[:N_BEST_SHOWN]
        pairs = [np.unravel_index(place, table.shape) for place in order.tolist()]
        best = ", ".join(
            f"{self.covariance_types[j]},{self.n_components[i]} {table[i, j]:.2f}"
            for i, j in pairs if not np.isnan(table[i, j])
        )  # fmt: skip
        return [f"least {self.criterion.upper()}: {best}"]


def choose_mixture(
    X: Rows,
    *,
    n_components: Iterable[int] = range(1, 10),
    covariance_types: Sequence[str] | None = None,
    criterion: Literal["bic", "icl", "aic"] = "bic",
    sample_weight: Weights = None,
    tol: float = 1e-6,
    reg_covar: float = 0.0,
    n_init: int = 5,
    random_state: Seed = None,
    n_jobs: int | None = None,
) -> MixtureChoice:
    """Choose the number of components and the covariance model of a mixture by a criterion.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Finite samples.
    n_components : iterable of int, default=range(1, 10)
        Numbers of components to try.
    covariance_types : sequence of str, optional
        Covariance models to try, as `GaussianMixture` names them; None tries all fourteen.
    criterion : {"bic", "icl", "aic"}, default="bic"
        What is to be least: Schwarz's criterion; the integrated complete likelihood, which also
        asks for clusters that lie apart; or Akaike's.
    sample_weight : array-like of shape (n,), optional
        Weights of the samples; an integer weight equals a repeated sample.
    tol : float, default=1e-6
        A run of EM ends once the log-likelihood, divided by the total weight, changes by less, or
        after 1000 iterations.
    reg_covar : float, default=0.0
        Added to all variances in each M step. With 0 a model in which a component collapses has no
        likelihood, and is left out.
    n_init : int, default=5
        Starts of k-means, whose best clusters start all models of as many components.
    random_state : int, RandomState, Generator or None, default=None
        Seed or generator of the starts; an integer makes the result reproducible.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Returns
    -------
    MixtureChoice
        With `scores`, `best` and `criterion`; ``print`` shows a table.

    Raises
    ------
    ValueError
        If X is not a finite 2-d array of two rows, an argument is out of its range, or every model
        collapses.
    TypeError
        If rows do not lie in memory, or an argument is of the wrong type.

    See Also
    --------
    statfast.cluster.choose_n_clusters : A number of clusters by silhouette, gap and others.

    Notes
    -----
    Ties go to the fewest components, then to the model named first. Cost: a run of EM for each pair
    of a number and a model. Memory: that of a run for each thread, and n K posteriors.

    References
    ----------
    .. [1] Fraley, C. and Raftery, A. E. (2002). Model-based clustering, discriminant analysis, and
       density estimation. Journal of the American Statistical Association 97, 611-631.
       https://doi.org/10.1198/016214502760047131

    Examples
    --------
    >>> from statfast.datasets import load_iris
    >>> from statfast.mixture import choose_mixture
    >>> X = load_iris().data
    >>> choice = choose_mixture(
    ...     X, n_components=range(1, 4), covariance_types=["EEE", "VEV", "VVV"], random_state=0
    ... )
    >>> print(choice)
      K         EEE        VEV        VVV
      1      829.98     829.98     829.98
      2      688.10     561.73     574.02
      3      632.96     562.55     580.84
    least BIC: VEV,2 561.73, VEV,3 562.55, VVV,2 574.02
    >>> choice.best.n_components
    2
    """
    as_choice(criterion, "criterion", CRITERIA)
    if isinstance(X, Chunks) or is_distributed(X):
        raise wrong_type("X", "rows in memory, which many models are fitted to", X)
    rows = as_rows(X, keep=(np.float64, np.float32), n_min=2)
    weights = as_weights(sample_weight, rows.shape[0])
    n_weighted = rows.shape[0] if weights is None else int(np.count_nonzero(weights))
    numbers = _numbers(n_components, n_weighted)
    types = _types(covariance_types)
    settings: dict[str, Any] = {
        "tol": as_real(tol, "tol", 0.0), "reg_covar": as_real(reg_covar, "reg_covar", 0.0),
        "max_iter": MAX_ITER,
    }  # fmt: skip
    n_init = as_count(n_init, "n_init", high=MAX_REPEATS)
    seeds = as_generator(random_state).integers(2**32, size=len(numbers)).tolist()
    labels = {}
    for k, seed in zip(numbers, seeds, strict=True):
        start = KMeans(k, n_init=n_init, random_state=seed, n_jobs=n_jobs)
        labels[k] = start.fit(rows, sample_weight=weights).labels_

    def fit(task: Any) -> Any:
        k, name = task
        checkpoint()
        model = GaussianMixture(
            k, covariance_type=name, init_params=labels[k], n_jobs=n_jobs, **settings
        )
        try:
            return model._fit_quietly(rows, X, weights)
        except CollapsedComponent as error:
            return error

    tasks = [(k, name) for k in numbers for name in types]
    models = each(fit, tasks, n_jobs=n_jobs)
    return _chosen(numbers, types, criterion, models)


def _chosen(numbers: Any, types: Any, criterion: Any, models: Any) -> Any:
    """The table of fits, and the one of least criterion."""
    attributes = {
        "bic": "bic_", "icl": "icl_", "aic": "aic_",
        "log_likelihood": "log_likelihood_", "n_parameters": "n_parameters_",
    }  # fmt: skip
    shape = len(numbers), len(types)
    scores = {
        name: np.array([getattr(model, attribute, np.nan) for model in models]).reshape(shape)
        for name, attribute in attributes.items()
    }
    if np.isnan(scores[criterion]).all():
        raise CollapsedComponent(
            f"No model could be fitted. {models[0]} Try fewer n_components, or reg_covar=1e-6."
        )
    best = models[int(np.nanargmin(scores[criterion]))]
    best.set_params(init_params="kmeans")
    return MixtureChoice(np.array(numbers), list(types), scores, criterion, best)


def _numbers(n_components: Any, n: Any) -> Any:
    try:
        listed = list(n_components)
    except TypeError as error:
        raise wrong_type(
            "n_components", "several numbers, such as range(1, 10)", n_components
        ) from error
    numbers = sorted(
        {as_count(k, "n_components", 1, n, limit="the number of rows") for k in listed}
    )
    if not numbers:
        raise ValueError("n_components must hold at least one number; got none. Pass some.")
    return numbers


def _types(covariance_types: Any) -> Any:
    if covariance_types is None:
        return list(MODELS)
    if isinstance(covariance_types, str) or not isinstance(covariance_types, Sequence):
        raise wrong_type("covariance_types", 'a list of models, such as ["EEE"]', covariance_types)
    types = list(dict.fromkeys(covariance_types))
    for name in types:
        as_choice(name, "covariance_types", COVARIANCE_TYPES)
    if not types:
        raise ValueError(f"covariance_types must name a model; got {shown(covariance_types)}.")
    return types
