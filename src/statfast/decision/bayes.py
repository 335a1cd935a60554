# SPDX-License-Identifier: BSD-3-Clause
"""Bayes' rule with a density of any kind for each class, fitted or known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from statfast._estimator import (
    Classifier,
    CoefficientTable,
    Estimator,
    Tabled,
    by_fit,
    copied,
    fitted,
    information_criteria,
    log_sum_exp,
    nothing,
    one_of,
    param,
    real,
    takes_weights,
    weighted_labels,
)
from statfast._typing import Array, ArrayLike, Rows, Seed, Weights
from statfast._validation import (
    as_count,
    as_generator,
    as_labels,
    as_rows,
    not_fitted,
    refuse_large,
    rows_for,
    shown,
    to_array,
    wrong_type,
)
from statfast.decision.cost_sensitive import labeled, rejected_label
from statfast.decision.risks import as_cost, as_priors, least_risk


@dataclass(frozen=True, repr=False)
class BayesErrorEstimate(Tabled):
    """Result of `BayesClassifier.bayes_error`: a Monte Carlo estimate.

    Attributes
    ----------
    error : float
        Mean of the least conditional risk.
    standard_error : float
        Of that mean.
    n_samples : int
        Samples drawn.

    Examples
    --------
    >>> from statfast import MultivariateNormal
    >>> from statfast.decision import BayesClassifier
    >>> normals = [MultivariateNormal.of([m], [[1.0]]) for m in (0.0, 2.0)]
    >>> model = BayesClassifier.of(normals, priors=[0.5, 0.5])
    >>> estimate = model.bayes_error(10_000, random_state=0)
    >>> round(estimate.error, 3), round(estimate.standard_error, 3)
    (0.158, 0.001)
    """

    error: float
    standard_error: float
    n_samples: int

    def table(self) -> CoefficientTable:
        """One row: the error, its standard error and the number of samples.

        Returns
        -------
        CoefficientTable
        """
        numbers = {
            "Error": self.error,
            "Std. error": self.standard_error,
            "Samples": self.n_samples,
        }
        return CoefficientTable(["Bayes error"], {key: np.array([v]) for key, v in numbers.items()})


class BayesClassifier(Classifier, Estimator):
    """Bayes classifier: class densities, priors, and the decision of least conditional risk.

    Parameters
    ----------
    density : estimator, or mapping of label to estimator
        Fitted to the samples of a class (a copy of it): anything with ``fit(X)`` and
        ``score_samples(X)``, the log density. A mapping has one for each class.
    priors : array-like of shape (K,), optional
        Class probabilities, in the order of `classes_`. None takes the class frequencies.
    rule : {"map", "ml"}, default="map"
        Maximum a posteriori, or maximum likelihood, which takes all classes as equally likely.
    cost : array-like of shape (K, K), optional
        Cost of deciding for a class (column) when another is true (row). None is 1 for each error.
    reject : float, optional
        Cost of deciding nothing, which is done where every decision has a larger expected cost.
    reject_label : str or int, optional
        What `predict` gives there; None is "reject" for labels that are strings, else -1.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    densities_ : list of K objects
        The fitted or given densities.
    priors_ : ndarray of shape (K,)
        Probabilities of the classes; 1 / K with ``rule="ml"``.
    class_count_ : ndarray of shape (K,)
        Samples of each class, or their total weight; zeros for given densities.
    cost_ : ndarray of shape (K, K)
        Costs used.
    log_likelihood_, aic_, bic_ : float
        Sum over the training rows, by weight, of the logarithm of prior times density in their own
        class; 2 p - 2 log L; and p log n - 2 log L, with n the total weight and p the parameters
        of all densities and K - 1. Only where all densities were fitted and have `n_parameters_`.
    n_features_in_ : int
        Number of features, d.
    feature_names_in_ : ndarray of shape (d,)
        Feature names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    QuadraticDiscriminantAnalysis : Normal densities, fitted and evaluated in one pass.
    statfast.decision.decide : The decisions for given posteriors.

    Notes
    -----
    All in logarithms: densities that underflow still decide. Ties go to the lowest label. A row
    with density 0 in every class is refused. Cost: that of the densities.

    References
    ----------
    .. [1] Duda, R. O., Hart, P. E. and Stork, D. G. (2001). Pattern Classification, 2nd ed.,
       chapter 2. Wiley.

    Examples
    --------
    >>> from statfast import MultivariateNormal
    >>> from statfast.decision import BayesClassifier
    >>> normals = [MultivariateNormal.of([m], [[1.0]]) for m in (0.0, 2.0)]
    >>> model = BayesClassifier.of(normals, priors=[0.5, 0.5])
    >>> model.predict([[0.9], [1.1]])
    array([0, 1])
    >>> estimate = model.bayes_error(10_000, random_state=0)
    >>> round(estimate.error, 3), round(estimate.standard_error, 3)  # the normal tail at 1 is 0.159
    (0.158, 0.001)
    """

    density: Any = param(by_fit, default=None, kw_only=False)
    priors: ArrayLike | None = param(by_fit, default=None)
    rule: Literal["map", "ml"] = param(one_of("map", "ml"), default="map")
    cost: ArrayLike | None = param(by_fit, default=None)
    reject: float | None = param(nothing | real(), default=None)
    reject_label: str | int | None = param(by_fit, default=None)

    classes_: Array = fitted()
    densities_: list[Any] = fitted()
    priors_: Array = fitted()
    class_count_: Array = fitted()
    cost_: Array = fitted()
    log_likelihood_: float = fitted()
    aic_: float = fitted()
    bic_: float = fitted()
    _label: Any = fitted()

    @classmethod
    def of(
        cls,
        densities: Sequence[Any],
        *,
        priors: ArrayLike | None = None,
        classes: ArrayLike | None = None,
        n_features: int = 1,
        rule: Literal["map", "ml"] = "map",
        cost: ArrayLike | None = None,
        reject: float | None = None,
        reject_label: str | int | None = None,
    ) -> Self:
        """Make the classifier of known densities.

        Parameters
        ----------
        densities : sequence of K objects
            Functions of rows (m, d) that give log densities, or objects with ``score_samples`` or
            ``logpdf`` (or ``logpmf``) that do.
        priors : array-like of shape (K,), optional
            Probabilities of the classes. None takes them as equally likely.
        classes : array-like of shape (K,), optional
            Distinct labels, ascending; None is 0, 1, ...
        n_features : int, default=1
            Number of features of densities without ``n_features_in_``.
        rule : {"map", "ml"}, default="map"
            Maximum a posteriori, or maximum likelihood, which takes all classes as equally likely.
        cost : array-like of shape (K, K), optional
            Cost of each decision (column) for each true class (row). None is 1 for each error.
        reject : float, optional
            Cost of deciding nothing, which is done where every decision has a larger expected cost.
        reject_label : str or int, optional
            What `predict` gives there; None is "reject" for labels that are strings, else -1.

        Returns
        -------
        BayesClassifier
            Fitted.

        Raises
        ------
        ValueError
            If there are fewer than two densities, or an argument does not fit their number.
        TypeError
            If a density is neither a function nor has such a method.
        """
        if not isinstance(densities, list | tuple):
            raise wrong_type("densities", "a list of densities", densities)
        for density in densities:
            log_density(density)
        if len(densities) < 2:
            raise ValueError(f"densities must be at least 2; got {len(densities)}. Add classes.")
        labels = np.arange(len(densities))
        if classes is not None:
            labels = to_array(classes, "classes", "a 1d array-like of labels")
        distinct, codes = as_labels(labels, len(densities), name="classes")
        if not np.array_equal(codes, np.arange(len(densities))):
            raise ValueError(
                f"classes must be distinct and ascending; got {shown(labels.tolist())}. Sort them "
                "along with densities and priors."
            )
        model = cls(priors=priors, rule=rule, cost=cost, reject=reject, reject_label=reject_label)
        widths = [getattr(density, "n_features_in_", None) for density in densities]
        width = next((w for w in widths if w is not None), as_count(n_features, "n_features"))
        return model._become(distinct, list(densities), np.zeros(len(distinct)), width, None)

    def fit(self, X: Rows, y: ArrayLike, sample_weight: Weights = None) -> Self:
        """Fit a density to the samples of each class.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The samples, finite.
        y : array-like of shape (n,)
            A label for each row, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Passed to the densities, which have to take it.

        Returns
        -------
        self : BayesClassifier

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, y is not one label for each row or holds one class with
            weight, an argument does not fit the number of classes, or a density refuses its rows.
        TypeError
            If a density has not ``fit`` and ``score_samples``, or does not take weights.
        """
        rows = as_rows(X, keep=(np.float64, np.float32))
        classes, codes, weights = weighted_labels(y, rows.shape[0], sample_weight, least=2)
        class_weights = np.bincount(codes, weights, len(classes)).astype(np.float64)
        densities, likelihoods = [], []
        for k, label in enumerate(classes.tolist()):
            density = self._density_of(label)
            members = codes == k if weights is None else (codes == k) & (weights > 0.0)
            fit_arguments = {}
            if weights is not None:
                if not takes_weights(density):
                    name = type(density).__name__
                    raise TypeError(f"sample_weight is not taken by {name}.fit. Leave it out.")
                fit_arguments = {"sample_weight": weights[members]}
            densities.append(copied(density).fit(rows[members], **fit_arguments))
            # The scores of others may cost more than their fit.
            if hasattr(densities[-1], "n_parameters_"):
                logs = np.asarray(densities[-1].score_samples(rows[members]), dtype=np.float64)
                share = None if weights is None else weights[members]
                likelihoods.append(float(np.average(logs, weights=share) * class_weights[k]))
        return self._become(classes, densities, class_weights, rows.shape[1], X, likelihoods)

    def _density_of(self, label: float | str) -> Any:
        density = self.density
        if isinstance(density, Mapping):
            if label not in density:
                raise ValueError(
                    f"density has none for the class {shown(label)}; it names "
                    f"{shown(list(density))}. Add one."
                )
            density = density[label]
        able = all(callable(getattr(density, name, None)) for name in ("fit", "score_samples"))
        if not able or isinstance(density, type):
            raise TypeError(
                f"density must have fit and score_samples; got {shown(density)}. Pass an instance, "
                "such as MultivariateNormal()."
            )
        return density

    def _become(
        self,
        classes: Array,
        densities: list[Any],
        class_weights: Array,
        width: int,
        X: Any,
        likelihoods: Any = (),
    ) -> Self:
        params, n_classes = self._checked(), len(classes)
        if self.priors is not None:
            priors = as_priors(self.priors, n_classes)
        else:
            priors = (
                class_weights / class_weights.sum()
                if class_weights.any()
                else np.full(n_classes, 1.0 / n_classes)
            )
        if params.rule == "ml":
            priors = np.full(n_classes, 1.0 / n_classes)
        cost = as_cost(self.cost, n_classes)
        if cost.shape[1] != n_classes:
            raise ValueError(
                f"cost must have a column for each of {n_classes} classes; got shape {cost.shape}. "
                "Deciding nothing is reject=."
            )
        label = rejected_label(self.reject_label, classes, params.reject)
        criteria = {}
        if len(likelihoods) == n_classes:
            log_likelihood = sum(likelihoods) + class_weights @ np.log(priors)
            n_parameters = n_classes - 1 + sum(density.n_parameters_ for density in densities)
            criteria = information_criteria(log_likelihood, n_parameters, class_weights.sum())
        return self._publish(
            X, n_features_in_=width, classes_=classes, densities_=densities, priors_=priors,
            class_count_=class_weights, cost_=cost, _label=label, **criteria,
        )  # fmt: skip

    # ------------------------------------------------------------ prediction

    def predict(self, X: Rows) -> Array:
        """Return the decision of least expected cost for each sample.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

        Returns
        -------
        labels : ndarray of shape (m,)
            Classes, or `reject_label` where nothing is decided.

        Raises
        ------
        ValueError
            If X is not finite, 2-d and of d columns, or a row has density 0 in every class.
        """
        log = self.predict_log_proba(X)
        # Logarithms of small posteriors are more precise.
        if self.cost is None and self.reject is None:
            return self.classes_.take(log.argmax(axis=1))
        decision = least_risk(np.exp(log) @ self.cost_, self._checked_value("reject"))
        return labeled(decision, self.classes_, self._label)

    def predict_proba(self, X: Rows) -> Array:
        """Return the posterior probability of each class for each sample.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

        Returns
        -------
        posteriors : ndarray of shape (m, K)

        Raises
        ------
        ValueError
            As for `predict`.
        """
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Rows) -> Array:
        """Return the logarithm of the posteriors, also where these underflow to 0.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

        Returns
        -------
        log_posteriors : ndarray of shape (m, K)

        Raises
        ------
        ValueError
            As for `predict`.
        """
        return self._log_posteriors(self._rows(X))

    def predict_joint_log_proba(self, X: Rows) -> Array:
        """Return the logarithm of prior times density of each class for each sample.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.

        Returns
        -------
        joint : ndarray of shape (m, K)
            -inf where the density is 0.

        Raises
        ------
        ValueError
            If X is not finite, 2-d and of d columns.
        """
        return self._log_joint(self._rows(X))

    def score_samples(self, X: Rows) -> Array:
        """Return the log density of each sample in the mixture of the classes.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples.

        Returns
        -------
        log_densities : ndarray of shape (m,)
            log m(x), with m(x) the sum over the classes of prior times density.

        Raises
        ------
        ValueError
            If X is not finite, 2-d and of d columns.
        """
        return log_sum_exp(self._log_joint(self._rows(X)))

    def sample(self, n_samples: int = 1, *, random_state: Seed = None) -> tuple[Array, Array]:
        """Draw samples from the joint distribution: a class by its prior, then its features.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        random_state : int, RandomState, Generator or None, default=None
            Seed or generator; an integer makes the result reproducible.

        Returns
        -------
        X : ndarray of shape (n_samples, d)
        y : ndarray of shape (n_samples,)
            Their classes.

        Raises
        ------
        TypeError
            If a density cannot be sampled: it needs ``sample`` or ``rvs``.
        ValueError
            If `n_samples` is not positive.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        n, rng, d = (
            as_count(n_samples, "n_samples"),
            as_generator(random_state),
            self.n_features_in_,
        )
        refuse_large(16 * n * d, f"n_samples={n} rows of {d} columns", "Draw fewer at a time.")
        codes = rng.choice(len(self.priors_), size=n, p=self.priors_)
        X = np.empty((n, d))
        for k in np.unique(codes).tolist():
            X[codes == k] = draw_rows(self.densities_[k], int((codes == k).sum()), rng, d)
        return X, self.classes_[codes]

    def _rows(self, X: Any) -> Any:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        return rows_for(self, X)

    def _log_joint(self, rows: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.log(self.priors_) + np.stack(
                [log_densities(density, rows) for density in self.densities_], axis=1
            )

    def _log_posteriors(self, rows: Array) -> Array:
        joint = self._log_joint(rows)
        top = joint.max(axis=1, keepdims=True)
        if not np.isfinite(top).all():
            row = (~np.isfinite(top[:, 0])).argmax()
            raise ValueError(
                f"X has a row ({row}) whose density is 0, or not a number, in every class: it "
                "cannot occur. Leave it out, or choose densities that are positive there."
            )
        joint -= top
        out = joint - np.log(np.exp(joint).sum(axis=1, keepdims=True))
        return out.astype(np.float32) if rows.dtype == np.float32 else out

    def conditional_risk(self, X: Rows) -> Array:
        """Return the conditional risk (expected cost) of each decision for each sample.

        Parameters
        ----------
        X : array-like of shape (m, d)
            Samples to predict.

        Returns
        -------
        risk : ndarray of shape (m, K)

        Raises
        ------
        ValueError
            As for `predict`.
        """
        return self.predict_proba(X).astype(np.float64) @ self.cost_

    def bayes_error(
        self, n_samples: int = 100_000, random_state: Seed = None
    ) -> BayesErrorEstimate:
        """Estimate the Bayes error by Monte Carlo sampling from the densities.

        Parameters
        ----------
        n_samples : int, default=100_000
            Samples to draw, at least 2: classes by their priors, samples from their densities,
            which need ``sample`` or ``rvs``.
        random_state : int, RandomState, Generator or None
            Seed or generator; an integer makes the result reproducible.

        Returns
        -------
        BayesErrorEstimate
            The mean of the least conditional risk (or of `reject`, where that is less).

        Raises
        ------
        TypeError
            If a density cannot be sampled.
        ValueError
            If `n_samples` is out of range.
        """
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        n, rng = as_count(n_samples, "n_samples", 2), as_generator(random_state)
        counts = rng.multinomial(n, self.priors_)
        least = []
        for density, count in zip(self.densities_, counts.tolist(), strict=True):
            for start in range(0, count, 1 << 16):
                rows = draw_rows(density, min(1 << 16, count - start), rng, self.n_features_in_)
                least.append((np.exp(self._log_posteriors(rows)) @ self.cost_).min(axis=1))
        values = np.concatenate(least)
        if self.reject is not None:
            values = np.minimum(values, self._checked_value("reject"))
        error = values.std(ddof=1) / np.sqrt(n)
        return BayesErrorEstimate(float(values.mean()), float(error), n)


# ------------------------------------------------------------------ densities of any kind
def log_density(density: Any) -> Callable[..., Any]:
    """The function from rows to log densities of an object."""
    for name in ("score_samples", "logpdf", "logpmf"):
        if callable(getattr(density, name, None)):
            return getattr(density, name)
    if callable(density):
        return density
    raise TypeError(
        f"A density must be a function of rows, or have score_samples or logpdf; got "
        f"{shown(density)}. Pass a fitted one."
    )


def log_densities(density: Any, rows: Array) -> Array:
    """Log densities of rows, one number each."""
    values = np.asarray(log_density(density)(rows), dtype=np.float64)
    if values.shape == (len(rows), 1):
        values = values[:, 0]
    if values.ndim == 0 and len(rows) == 1:  # scipy's, of one row
        values = values[None]
    if values.shape != (len(rows),):
        raise ValueError(
            f"A density must give one number for each of {len(rows)} rows; got shape "
            f"{values.shape}. Reduce it over the columns."
        )
    return values


def draw_rows(density: Any, n: int, rng: Any, width: int) -> Any:
    """Rows drawn from a density."""
    if callable(getattr(density, "sample", None)):
        rows = density.sample(n, random_state=rng.integers(2**31 - 1))
        rows = rows[0] if isinstance(rows, tuple) else rows
    elif callable(getattr(density, "rvs", None)):
        rows = density.rvs(size=n, random_state=rng)
    else:
        raise TypeError(
            f"{shown(density)} has neither sample nor rvs, so no rows can be drawn. Pass the "
            "posteriors of rows to statfast.decision.bayes_error."
        )
    return np.asarray(rows, dtype=np.float64).reshape(n, width)
