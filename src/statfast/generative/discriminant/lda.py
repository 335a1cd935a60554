# SPDX-License-Identifier: BSD-3-Clause
"""Linear discriminant analysis: normal classes with a common covariance, and Bayes' rule."""

import numpy as np

from statfast._core.generative.linear_scores import argmax, scores, softmax
from statfast._engine import Chunks
from statfast._estimator import Classifier, Estimator, FitState, Transformer
from statfast._validation import (
    as_choice,
    as_count,
    as_flag,
    as_labels,
    as_real,
    as_rows,
    as_weights,
    column_names,
    not_fitted,
    rows_for,
    shown,
    wrong_type,
)
from statfast.generative.discriminant.canonical import (
    as_priors,
    discriminate,
    require_enough,
    warn_left_out,
)
from statfast.generative.discriminant.class_moments import class_moments
from statfast.generative.discriminant.linear_rule import fill, filled, for_all_classes, log_softmax

KEPT = (np.float64, np.float32, np.uint8)


class LinearDiscriminantAnalysis(Classifier, Transformer, Estimator):
    """Linear discriminant analysis: classification, and the canonical variates.

    Each class is normal with a mean of its own and a covariance S common to all, so that the
    logarithm of prior times density is, but for a term common to all classes, the linear score::

        delta_k(x) = x' S^-1 m_k - m_k' S^-1 m_k / 2 + log(prior_k)

    Parameters
    ----------
    priors : array-like of shape (K,), optional
        Positive class probabilities, in the order of `classes_`. None takes the shares of the
        classes in the training rows.
    n_components : int, optional
        Canonical variates that `transform` gives, at most min(K - 1, d). None gives all.
    method : {"moment", "mle"}, default="moment"
        Divisor of the pooled within-class scatter: "moment" is unbiased, n - K, as in R's
        ``MASS::lda``; "mle" is the maximum-likelihood n, as in scikit-learn.
    store_covariance : bool, default=False
        Keep the pooled covariance as `covariance_`.
    tol : float, default=1e-4
        Directions of the standardized columns whose standard deviation within the classes is at
        most `tol` count as singular and are left out, with a warning. Between the classes,
        canonical variates with a singular value of at most `tol` times the largest are left out.
    n_jobs : int, optional
        Threads; None and -1 take all usable cores, -2 all but one. The result has the same bits
        for any number.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        The labels, ascending.
    class_count_ : ndarray of shape (K,)
        Rows of each class, or the sum of their weights.
    priors_ : ndarray of shape (K,)
        Class probabilities, summing to 1.
    means_ : ndarray of shape (K, d)
        Class means.
    xbar_ : ndarray of shape (d,)
        Mean of the class means, weighted by the priors.
    covariance_ : ndarray of shape (d, d)
        Pooled within-class covariance; only with ``store_covariance=True``.
    coef_ : ndarray of shape (K, d), or (1, d) for two classes
        Coefficients of the scores, less those of a row at `xbar_`, which all classes share; for
        two classes those of the second less those of the first.
    intercept_ : ndarray of shape (K,), or (1,) for two classes
    scalings_ : ndarray of shape (d, r)
        Canonical vectors, the columns of R's ``scaling``: the canonical variates are uncorrelated
        within the classes, with variance 1.
    singular_values_ : ndarray of shape (r,)
        R's ``svd``: ratio of the between- to the within-class standard deviation along each
        canonical variate, the between-class variance by K - 1. With ``method="mle"``, too: there
        ``MASS::lda`` divides it by K, so that these are its ``svd`` times sqrt(K / (K - 1)).
    explained_variance_ratio_ : ndarray of shape (min(r, n_components),)
        R's "proportion of trace": shares of the squared singular values.
    n_features_in_ : int
        Number of columns, d.
    feature_names_in_ : ndarray of shape (d,)
        Column names, if fitted on a data frame whose names are all strings.

    See Also
    --------
    statfast.neighbors.KNeighborsClassifier : A classifier without a model of the classes.

    Notes
    -----
    One pass sums the moments of the classes, each row taken about a row of its own class, so that
    classes far from the origin lose no digits; sums are in float64 for any input. Everything
    after that costs the same whatever n is: a Cholesky factor of the within-class correlation
    matrix or, where that is singular or nearly so, its eigenvectors, without the null directions.
    The moments are kept (d^2 numbers), so that `partial_fit` can follow `fit`.

    **Ties** between classes go to the lowest label. **Signs** of the canonical vectors are such
    that the coefficient largest in size, in units of standard deviations within the classes, is
    positive (the first of equals).

    float32 and uint8 rows are read as they are; for float32 rows the results are float32.

    Cost: fit n d^2 + d^3 operations; prediction of m rows 2 m d K. Memory: O(d^2 + K d) a thread.

    References
    ----------
    .. [1] Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems. Annals of
       Eugenics 7, 179-188. https://doi.org/10.1111/j.1469-1809.1936.tb02137.x
    .. [2] Venables, W. N. and Ripley, B. D. (2002). Modern Applied Statistics with S, 4th ed.,
       section 12.1. https://doi.org/10.1007/978-0-387-21706-2
    .. [3] Chan, T. F., Golub, G. H. and LeVeque, R. J. (1983). Algorithms for computing the sample
       variance. The American Statistician 37, 242-247. https://doi.org/10.2307/2683386

    Examples
    --------
    >>> from statfast.datasets import load_wine
    >>> from statfast.generative import LinearDiscriminantAnalysis
    >>> wine = load_wine()
    >>> X = wine.data[:, [0, 6]]  # alcohol and flavanoids
    >>> model = LinearDiscriminantAnalysis().fit(X, wine.target)
    >>> int((model.predict(X) == wine.target).sum())
    164
    >>> model.explained_variance_ratio_.round(4)
    array([0.6772, 0.3228])
    >>> model.predict_proba(X[:1]).round(4)
    array([[9.996e-01, 4.000e-04, 0.000e+00]])
    """

    def __init__(
        self,
        *,
        priors=None,
        n_components=None,
        method="moment",
        store_covariance=False,
        tol=1e-4,
        n_jobs=None,
    ):
        self.priors = priors
        self.n_components = n_components
        self.method = method
        self.store_covariance = store_covariance
        self.tol = tol
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Fit the classes.

        Parameters
        ----------
        X : array-like of shape (n, d), or Chunks
            The rows, finite. A memory map is read block by block, `Chunks` once, chunk by chunk.
        y : array-like of shape (n,)
            A label for each row, of any dtype that has an order, of at least two classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows; an integer weight equals a repeated row.

        Returns
        -------
        self : LinearDiscriminantAnalysis

        Raises
        ------
        ValueError
            If X is not a finite 2-d array, if y is not one label for each row, if there is one
            class, a class without weight, or no more rows than classes, if no column varies
            within the classes, or if a parameter is out of its range.
        TypeError
            If X is sparse, or a parameter is of the wrong type.

        Warns
        -----
        UserWarning
            If columns are constant or collinear within the classes, or the class means are equal.
        """
        columns, state = self._prepare(X, y, sample_weight)
        rows, codes, weights = columns
        moments = class_moments(rows, codes, weights, len(state.classes), n_jobs=self.n_jobs)
        return self._solve(moments, state)

    def _prepare(self, X, y, sample_weight):
        """Checked rows, codes of classes and weights; the classes."""
        if isinstance(X, Chunks):  # how many rows it has is known after the pass
            rows = X
            classes, codes = as_labels(y, np.size(y))
        else:
            rows = as_rows(X, keep=KEPT, finite=False)
            classes, codes = as_labels(y, rows.shape[0])
        weights = as_weights(sample_weight, len(codes))
        if weights is not None:
            require_enough(classes, np.bincount(codes, weights), unbiased=False)
        width = 0 if isinstance(X, Chunks) else rows.shape[1]  # not known before the pass
        return (rows, codes, weights), FitState(width, column_names(X), classes)

    @staticmethod
    def _statistics(columns, state):
        return class_moments(*columns, len(state.classes))

    _solved_by = ("priors", "n_components", "method", "store_covariance", "tol")

    def _solve(self, moments, state):
        """The fit to rows of these moments; classes without rows are none of its classes."""
        present = moments.mass > 0.0
        classes = state.classes[present]
        moments = moments.of_classes(present)
        fitted = {"n_features_in_": moments.means.shape[1]}
        if state.names is not None:
            fitted["feature_names_in_"] = state.names
        return self._publish(None, **fitted, **self._solved(classes, moments, state.names))

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Add rows to those fitted so far, by `fit` or by this method.

        The result is that of one `fit` on all the rows, but for rounding. Until every class has
        rows, and there are more rows than classes, the estimator stays unfitted.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like of shape (n,)
        classes : array-like of shape (K,), optional
            All labels that will ever come; needed by the first call, checked by later ones.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        self : LinearDiscriminantAnalysis

        Raises
        ------
        ValueError
            As for `fit`; also if the first call has no `classes`, if a later one has others, or
            if y holds a label that is not among them.
        """
        before = self.__dict__.get("_moments")
        if before is None:
            rows = as_rows(X, keep=KEPT, finite=False)
        else:
            rows = rows_for(self, X, keep=KEPT, finite=False)
        known = self._known_classes(classes)
        labels, codes = as_labels(y, rows.shape[0])
        place = {label: k for k, label in enumerate(known.tolist())}
        for label in labels.tolist():
            if label not in place:
                raise ValueError(
                    f"y holds the class {shown(label)}, which is not among classes "
                    f"({shown(known.tolist())}). Name every class in the first call."
                )
        codes = np.array([place[label] for label in labels.tolist()], np.intp)[codes]
        weights = as_weights(sample_weight, rows.shape[0])
        moments = class_moments(rows, codes, weights, len(known), n_jobs=self.n_jobs)
        if before is not None:
            moments = before + moments
        names = self.__dict__.get("feature_names_in_", column_names(X))
        if (moments.mass > 0.0).all() and moments.mass.sum() > len(known):
            fitted = self._solved(known, moments, names)
        else:
            fitted = {"classes_": known, "_moments": moments}
        if names is not None:
            fitted["feature_names_in_"] = names
        return self._publish(X, **fitted)

    def _known_classes(self, classes):
        """The classes of all calls of `partial_fit`."""
        known = self.__dict__.get("classes_")
        if classes is None:
            if known is None:
                raise ValueError(
                    "classes must be passed on the first call to partial_fit; got None. "
                    "Pass all labels that will ever come."
                )
            return known
        if not hasattr(classes, "__len__") or getattr(classes, "ndim", 1) == 0:
            raise wrong_type("classes", "a list of labels", classes)
        given, _ = as_labels(classes, len(classes), name="classes")
        if known is not None and not np.array_equal(given, known):
            raise ValueError(
                f"classes must be those of the first call ({shown(known.tolist())}); got "
                f"{shown(given.tolist())}. Leave it out, or fit a new estimator."
            )
        if len(given) < 2:
            raise ValueError(
                f"classes must hold at least 2 classes; got {shown(given.tolist())}. Name them all."
            )
        return given

    def _solved(self, classes, moments, names):
        """All fitted attributes from the class moments."""
        unbiased = as_choice(self.method, "method", ("moment", "mle")) == "moment"
        tol = as_real(self.tol, "tol", low=0.0)
        require_enough(classes, moments.mass, unbiased)
        n_components = most = min(len(classes) - 1, moments.means.shape[1])
        if self.n_components is not None:
            n_components = as_count(self.n_components, "n_components", 1, most)
        priors = as_priors(self.priors, moments.mass)
        fit = discriminate(moments, priors, unbiased, tol)
        warn_left_out(fit, moments.means, names)

        two = len(classes) == 2
        trace = fit.singular_values**2
        fitted = {
            "classes_": classes,
            "class_count_": moments.mass,
            "priors_": priors,
            "means_": moments.means,
            "xbar_": fit.center,
            "coef_": fit.coef[1:] - fit.coef[:1] if two else fit.coef,
            "intercept_": fit.intercept[1:] - fit.intercept[:1] if two else fit.intercept,
            "scalings_": fit.scalings,
            "singular_values_": fit.singular_values,
            "explained_variance_ratio_": (trace / trace.sum())[:n_components],
            "_moments": moments,
        }
        fitted["_rule"] = for_all_classes(fitted["coef_"], fitted["intercept_"])
        at_center = fit.center @ fit.scalings
        fitted["_projection"] = fit.scalings[:, :n_components].T.copy(), -at_center[:n_components]
        if as_flag(self.store_covariance, "store_covariance"):
            fitted["covariance_"] = fit.covariance
        return fitted

    # ------------------------------------------------------------ prediction

    def predict(self, X):
        """Return the most probable class of each row.

        Parameters
        ----------
        X : array-like of shape (m, d)

        Returns
        -------
        labels : ndarray of shape (m,), dtype of `classes_`

        Raises
        ------
        ValueError
            If X is not a finite 2-d array with the columns of the fitted one.
        """
        rows = self._rows(X)
        winners = np.empty(rows.shape[0], np.intp)
        fill(winners, argmax, rows, self._rule, self.n_jobs)
        return self.classes_.take(winners)

    def predict_proba(self, X):
        """Return the posterior probability of each class for each row.

        Parameters
        ----------
        X : array-like of shape (m, d)

        Returns
        -------
        posteriors : ndarray of shape (m, K)
            Columns as in `classes_`. float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        rows = self._rows(X)
        return filled(softmax, rows, self._rule, self.n_jobs)

    def predict_log_proba(self, X):
        """Return the logarithm of the posteriors, also where these underflow to 0.

        Parameters
        ----------
        X : array-like of shape (m, d)

        Returns
        -------
        log_posteriors : ndarray of shape (m, K)
            Columns as in `classes_`. float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        rows = self._rows(X)
        return filled(log_softmax, rows, self._rule, self.n_jobs)

    def decision_function(self, X):
        """Return the linear scores of the classes.

        Parameters
        ----------
        X : array-like of shape (m, d)

        Returns
        -------
        scores : ndarray of shape (m, K), or (m,) for two classes
            The logarithm of prior times density, less a term common to all classes; for two
            classes the log-odds of the second. float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        rows = self._rows(X)
        out = filled(scores, rows, (self.coef_, self.intercept_), self.n_jobs)
        return out[:, 0] if out.shape[1] == 1 else out

    def transform(self, X):
        """Return the canonical variates of the rows.

        Parameters
        ----------
        X : array-like of shape (m, d)

        Returns
        -------
        variates : ndarray of shape (m, min(r, n_components))
            ``(X - xbar_) @ scalings_``: R's ``predict(...)$x``, with variance 1 and no
            correlation within the classes. float32 for float32 X, else float64.

        Raises
        ------
        ValueError
            As for `predict`.
        """
        rows = self._rows(X)
        return filled(scores, rows, self._projection, self.n_jobs)

    def _rows(self, X):
        if "_rule" not in self.__dict__:  # unfitted, or partial_fit waits for more rows
            raise not_fitted(self)
        return rows_for(self, X, keep=KEPT, finite=False)  # `fill` looks at the scores

    @property
    def _n_features_out(self):
        return len(self.explained_variance_ratio_)

    def __sklearn_is_fitted__(self):
        return "_rule" in self.__dict__
