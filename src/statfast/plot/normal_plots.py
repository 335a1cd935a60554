# SPDX-License-Identifier: BSD-3-Clause
"""Normal distributions and classes: contours of equal density, and canonical variates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from statfast._estimator import Display, new_axes, shorten_texts
from statfast._typing import ArrayLike, Axes, Rows
from statfast._validation import as_labels, as_real, as_rows, not_fitted, shown, wrong_type
from statfast.generative import MultivariateNormal, MultivariateT
from statfast.mixture import GaussianMixture, MixtureChoice
from statfast.mixture.covariance_models import model_named
from statfast.plot.colors import chosen_colors, gray, legend_of_classes, scatter_classes

MARKERS = "os^vDP*X<>phHd"  # of lines that are many

if TYPE_CHECKING:
    from statfast.generative.discriminant.lda import LinearDiscriminantAnalysis


@dataclass
class DensityContourDisplay:
    """Display of density contours, made by `density_contours`.

    Attributes
    ----------
    ellipses : list of list of ndarray of shape (m, 2)
        The outline of each content of each class.
    contents : ndarray of shape (C,)
        Probabilities within.
    means : ndarray of shape (K, 2)
        Means.
    labels : list of str
        Of the classes; one empty string for a single distribution.
    rows, codes : ndarray or None
        The rows shown, and their classes.
    names : list of str
        Of the columns.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import MultivariateNormal
    >>> from statfast.plot import density_contours
    >>> normal = MultivariateNormal.of([0.0, 0.0], [[2.0, 1.0], [1.0, 1.0]])
    >>> shown = density_contours(normal, contents=[0.5, 0.9], ax=Figure().subplots())
    >>> shown.contents, [outline.shape for outline in shown.ellipses[0]]
    (array([0.5, 0.9]), [(200, 2), (200, 2)])
    """

    ellipses: list[list[NDArray[np.float64]]]
    contents: NDArray[np.float64]
    means: NDArray[np.float64]
    labels: list[str]
    rows: NDArray[Any] | None
    codes: NDArray[np.intp] | None
    names: list[str]
    ax_: Any = field(default=None, repr=False)
    figure_: Any = field(default=None, repr=False)

    def plot(
        self, *, ax: Axes | None = None, colors: Sequence[Any] | None = None, **style: Any
    ) -> Self:
        """Draw it on axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        colors : sequence of matplotlib colors, optional
            One for each class.
        **style : object
            Style of the ellipses, such as ``linewidth``.

        Returns
        -------
        DensityContourDisplay
            Itself.
        """
        ax = new_axes() if ax is None else ax
        palette = chosen_colors(colors, len(self.labels))
        style = {"linewidth": 1.5, **style}
        if self.rows is not None and self.codes is not None:
            dots = {"s": 12.0, "alpha": 0.55, "linewidths": 0}
            unnamed = ["_points"] * len(self.labels)
            scatter_classes(ax, self.rows[:, :2], self.codes, palette, unnamed, dots)
        for k, (label, color) in enumerate(zip(self.labels, palette, strict=True)):
            for number, outline in enumerate(self.ellipses[k]):
                fade = 1.0 - 0.6 * number / max(1, len(self.contents))
                named = label if number == 0 and label else None
                ax.plot(*outline.T, **{"color": color, "alpha": fade, "label": named, **style})
            x, y = self.means[k]
            ax.scatter(x, y, marker="+", s=60.0, color=[color], zorder=4)
        ax.set_xlabel(self.names[0])
        ax.set_ylabel(self.names[1])
        if any(self.labels):
            handles = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
            # The legend names the points that are drawn.
            n = 0 if self.rows is None else len(self.rows)
            legend_of_classes(ax, len(handles), n, handles=handles.values(), labels=[*handles])
        shorten_texts(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def density_contours(
    model: Any,
    X: Rows | None = None,
    y: ArrayLike | None = None,
    *,
    contents: Sequence[Any] = (0.5, 0.9, 0.99),
    ax: Axes | None = None,
    colors: Sequence[Any] | None = None,
    **style: Any,
) -> DensityContourDisplay:
    """Draw the ellipses that hold given probabilities of a distribution, or of each class.

    Parameters
    ----------
    model : MultivariateNormal, GaussianMixture, a discriminant, GaussianNB or BayesClassifier
        Fitted to two columns: `MultivariateNormal`, `MultivariateT`, `GaussianMixture`, whose
        components are shown as classes, `QuadraticDiscriminantAnalysis`,
        `RegularizedDiscriminantAnalysis`, `LinearDiscriminantAnalysis` with
        ``store_covariance=True``, `GaussianNB`, or `BayesClassifier` whose densities are
        `MultivariateNormal` or `MultivariateT`.
    X : array-like of shape (n, 2), optional
        Rows to show.
    y : array-like of shape (n,), optional
        Their classes; needed with X for a discriminant. Rows of a mixture without y have the color
        of the component that is most probable.
    contents : sequence of float, default=(0.5, 0.9, 0.99)
        Probabilities within the ellipses, between 0 and 1.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    colors : sequence of matplotlib colors, optional
        One for each class; None takes a palette of seven that repeats.
    **style : object
        Style of the ellipses, such as ``linewidth``.

    Returns
    -------
    DensityContourDisplay

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If the model has not two columns, X has not, a content is out of range, or a linear
        discriminant analysis was fitted without ``store_covariance=True``.
    TypeError
        If the model has no normal densities.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import MultivariateNormal
    >>> from statfast.plot import density_contours
    >>> normal = MultivariateNormal.of([0.0, 0.0], [[2.0, 1.0], [1.0, 1.0]])
    >>> shown = density_contours(normal, ax=Figure().subplots())
    >>> len(shown.ellipses[0])
    3
    """
    distributions, labels = elliptical_of(model)
    means = np.array([center_of(distribution) for distribution in distributions])
    if means.shape[1] != 2:
        raise ValueError(
            f"model must have 2 columns, the axes of the picture; got {means.shape[1]}. Fit it to "
            "two columns, or take a marginal."
        )
    levels = np.sort([as_real(c, "contents", 0.0, 1.0, open_low=True, open_high=True)
                      for c in np.atleast_1d(contents)])  # fmt: skip
    rows = codes = None
    if X is not None:
        rows = as_rows(X)
        if rows.shape[1] != 2:
            raise ValueError(f"X must have 2 columns; got {rows.shape[1]}. Pass those of model.")
        codes = np.zeros(len(rows), np.intp)
        if isinstance(model, GaussianMixture):
            codes = model.predict(X) if y is None else component_codes(y, len(rows), labels)
        elif len(labels) > 1:
            shown, label_codes = as_labels(y, len(rows))
            codes = np.searchsorted(np.asarray(model.classes_), shown)[label_codes]
    ellipses = [[one.ellipsoid(c).outline() for c in levels] for one in distributions]
    names = getattr(model, "feature_names_in_", ["feature 0", "feature 1"])
    display = DensityContourDisplay(
        ellipses, levels, means, labels, rows, codes, [str(name) for name in names]
    )
    return display.plot(ax=ax, colors=colors, **style)


def elliptical_of(model: Any) -> tuple[list[Any], list[str]]:
    """The normal and t distributions of a model, and their labels."""
    if isinstance(model, MultivariateT):
        if not model.__sklearn_is_fitted__():
            raise not_fitted(model)
        return [model], [""]
    densities = list(getattr(model, "densities_", ()))
    if densities and all(isinstance(d, MultivariateNormal | MultivariateT) for d in densities):
        return densities, [str(label) for label in np.asarray(model.classes_).tolist()]
    means, covariances, labels = normals_of(model)
    pairs = zip(means, covariances, strict=True)
    return [MultivariateNormal.of(mean, S, allow_singular=True) for mean, S in pairs], labels


def center_of(distribution: Any) -> Any:
    """The mean of a normal distribution, or the location of a t distribution."""
    t = isinstance(distribution, MultivariateT)
    return distribution.location_ if t else distribution.mean_


def normals_of(model: Any) -> Any:
    """Means, covariances and labels of the normal densities of a model."""
    if isinstance(model, MultivariateNormal):
        if not model.__sklearn_is_fitted__():
            raise not_fitted(model)
        return model.mean_[None], model.covariance_[None], [""]
    if isinstance(model, GaussianMixture):
        labels = [f"component {k}" for k in range(len(model._components().weights))]
        return model.means_, full_covariances(model), labels
    densities = getattr(model, "densities_", ())
    normal = len(densities) > 0 and all(isinstance(d, MultivariateNormal) for d in densities)
    means = np.array([d.mean_ for d in densities]) if normal else _class_means(model)
    if means is None or not hasattr(model, "classes_"):
        raise wrong_type(
            "model", "a fitted MultivariateNormal, GaussianMixture, discriminant, GaussianNB or "
            "BayesClassifier of normal densities", model,
        )  # fmt: skip
    labels = [str(label) for label in np.asarray(model.classes_).tolist()]
    if normal:
        return means, [density.covariance_ for density in densities], labels
    if hasattr(model, "var_"):
        return means, [np.diag(variances) for variances in model.var_], labels
    if hasattr(model, "rotations_"):
        axes = zip(model.rotations_, model.scalings_, strict=True)
        return means, [(R * variances) @ R.T for R, variances in axes], labels
    if not hasattr(model, "covariance_"):
        raise ValueError(
            f"model must keep its covariance, whose contours are drawn; got {shown(model)} without "
            "covariance_. Fit it with store_covariance=True."
        )
    return means, [model.covariance_] * len(labels), labels


def component_codes(y: Any, n: Any, labels: Any) -> Any:
    """The components of rows, as their numbers."""
    distinct, codes = as_labels(y, n)
    whole = distinct.astype(np.intp) if distinct.dtype.kind in "iuf" else np.full(len(distinct), -1)
    if (whole != distinct).any() or whole.min() < 0 or whole.max() >= len(labels):
        raise ValueError(
            f"y must hold components from 0 to {len(labels) - 1}; got {shown(distinct.tolist())}. "
            "Leave it out."
        )
    return whole[codes]


def full_covariances(model: Any) -> Any:
    """The covariances of the components of a mixture, (K, d, d), whatever their form."""
    n_components, d = model.means_.shape
    covariances = np.asarray(model.covariances_)
    if covariances.ndim == 1:
        return [variance * np.eye(d) for variance in covariances]
    if model_named(model.covariance_type).form == "diag":
        return [np.diag(variances) for variances in covariances]
    return list(np.broadcast_to(covariances, (n_components, d, d)))


def _class_means(model: Any) -> Any:
    """Those of a discriminant or of Gaussian naive Bayes; None of other models."""
    means = getattr(model, "means_", None)
    return getattr(model, "theta_", None) if means is None else means


def mixture_criteria(choice: MixtureChoice, *, ax: Axes | None = None, **style: Any) -> Display:
    """Draw the criterion of mixtures against the number of components, a line for each model.

    Parameters
    ----------
    choice : statfast.mixture.MixtureChoice
        What `choose_mixture` returned.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    **style : object
        Style of the lines, passed to ``ax.plot``.

    Returns
    -------
    Display
        With ``n_components``, ``scores`` (G, M), and ``best``, the number of components and the
        name of the model of least criterion, which is marked.

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    TypeError
        If `choice` is not a MixtureChoice.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast.datasets import load_iris
    >>> from statfast.mixture import choose_mixture
    >>> from statfast.plot import mixture_criteria
    >>> X = load_iris().data
    >>> choice = choose_mixture(X, n_components=[1, 2], covariance_types=["VEV"], random_state=0)
    >>> mixture_criteria(choice, ax=Figure().subplots()).best
    (2, 'VEV')
    """
    if not isinstance(choice, MixtureChoice):
        raise wrong_type("choice", "what choose_mixture returned", choice)
    numbers, scores = choice.n_components, choice.scores[choice.criterion]

    def draw(shown: Any, ax: Any) -> None:
        palette = chosen_colors(None, scores.shape[1])
        for j, (name, color) in enumerate(zip(choice.covariance_types, palette, strict=True)):
            line = {"color": color, "marker": MARKERS[j % len(MARKERS)], "label": name, **style}
            ax.plot(numbers, scores[:, j], **line)
        i, j = np.unravel_index(int(np.nanargmin(scores)), scores.shape)
        ax.scatter(numbers[i], scores[i, j], s=160.0, facecolors="none", edgecolors=gray(ax, 0.15))
        ax.set_xlabel("number of components")
        ax.set_ylabel(choice.criterion.upper())
        ax.legend(frameon=False, ncols=2)

    best = int(choice.best.n_components), str(choice.best.covariance_type)
    return Display(draw, n_components=numbers, scores=scores, best=best).plot(ax=ax)


@dataclass
class CanonicalVariatesDisplay:
    """Display of canonical variates, made by `canonical_variates`.

    Attributes
    ----------
    variates : ndarray of shape (n, 2), or (n, 1) of two classes
        Canonical variates of the samples.
    codes : ndarray of shape (n,)
        The class of each row.
    labels : list of str
        Labels of the classes.
    ellipses : list of ndarray of shape (m, 2)
        Of each class; empty where it has too few rows, or there is one variate.
    means : ndarray of shape (K, 2) or (K, 1)
        Means.
    shares : ndarray of shape (2,) or (1,)
        Of the variance between the classes.
    components : tuple of int
        Which components are shown.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_iris
    >>> from statfast.plot import canonical_variates
    >>> iris = load_iris()
    >>> model = LinearDiscriminantAnalysis().fit(iris.data, iris.target)
    >>> shown = canonical_variates(model, iris.data, iris.target, ax=Figure().subplots())
    >>> shown.means.round(1)
    array([[-7.6,  0.2],
           [ 1.8, -0.7],
           [ 5.8,  0.5]])
    >>> shown = shown.plot(ax=Figure().subplots())  # once more, elsewhere
    """

    variates: NDArray[np.float64]
    codes: NDArray[np.intp]
    labels: list[str]
    ellipses: list[NDArray[np.float64]]
    means: NDArray[np.float64]
    shares: NDArray[np.float64]
    components: tuple[int, ...]
    ax_: Any = field(default=None, repr=False)
    figure_: Any = field(default=None, repr=False)

    def plot(
        self, *, ax: Axes | None = None, colors: Sequence[Any] | None = None, **style: Any
    ) -> Self:
        """Draw it on axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None draws on a new figure of pyplot.
        colors : sequence of matplotlib colors, optional
            One for each class.
        **style : object
            Style of the points, such as ``s``.

        Returns
        -------
        CanonicalVariatesDisplay
            Itself.
        """
        ax = new_axes() if ax is None else ax
        palette = chosen_colors(colors, len(self.labels))
        style = {"s": 16.0, "alpha": 0.7, "linewidths": 0.0, **style}
        flat = self.variates.shape[1] == 1
        down = self.codes.astype(float) if flat else self.variates[:, 1]
        points = np.column_stack([self.variates[:, 0], down])
        scatter_classes(ax, points, self.codes, palette, self.labels, style)
        for k, color in enumerate(palette):
            if len(self.ellipses[k]):
                ax.plot(*self.ellipses[k].T, color=color, linewidth=1.5)
            x, y = (self.means[k, 0], float(k)) if flat else self.means[k]
            ax.scatter(x, y, marker="+", s=80.0, color=gray(ax, 0.15), zorder=4)
        names = [
            f"canonical variate {c + 1} ({share:.1%})"
            for c, share in zip(self.components, self.shares, strict=True)
        ]
        ax.set_xlabel(names[0])
        if flat:
            ax.set_yticks(range(len(self.labels)), self.labels)
            ax.set_ylabel("class")
            ax.set_ylim(-0.6, len(self.labels) - 0.4)
        else:
            ax.set_ylabel(names[1])
            legend_of_classes(ax, len(self.labels), len(self.codes))
        shorten_texts(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def canonical_variates(
    model: LinearDiscriminantAnalysis,
    X: Rows,
    y: ArrayLike,
    *,
    components: tuple[int, int] = (0, 1),
    content: float = 0.9,
    ax: Axes | None = None,
    colors: Sequence[Any] | None = None,
    **style: Any,
) -> CanonicalVariatesDisplay:
    """Draw samples in the plane of two canonical variates, with an ellipse for each class.

    Parameters
    ----------
    model : LinearDiscriminantAnalysis
        Fitted.
    X : array-like of shape (n, d)
        Rows to show.
    y : array-like of shape (n,)
        Their classes.
    components : pair of int, default=(0, 1)
        Which variates, counted from 0. Of two classes there is one, shown on a line for each
        class.
    content : float, default=0.9
        Probability of the normal distribution fitted to the variates of a class that its ellipse
        holds.
    ax : matplotlib.axes.Axes, optional
        Where to draw; None draws on a new figure of pyplot.
    colors : sequence of matplotlib colors, optional
        One for each class in ascending order of labels.
    **style : object
        Style of the points, such as ``s``.

    Returns
    -------
    CanonicalVariatesDisplay

    Raises
    ------
    ImportError
        If matplotlib is not installed; ``pip install "statfast[plot]"``.
    ValueError
        If there are no such variates, or as for ``model.transform``.
    TypeError
        If the model has no canonical variates.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from statfast import LinearDiscriminantAnalysis
    >>> from statfast.datasets import load_wine
    >>> from statfast.plot import canonical_variates
    >>> wine = load_wine()
    >>> model = LinearDiscriminantAnalysis().fit(wine.data, wine.target)
    >>> shown = canonical_variates(model, wine.data, wine.target, ax=Figure().subplots())
    >>> shown.shares.round(3)
    array([0.687, 0.313])
    """
    if not hasattr(model, "explained_variance_ratio_") or not hasattr(model, "xbar_"):
        raise wrong_type("model", "a fitted LinearDiscriminantAnalysis", model)
    Z = np.asarray(model.transform(X), dtype=np.float64)
    labels, codes = as_labels(y, len(Z))
    several = isinstance(components, list | tuple) or getattr(components, "ndim", 0) > 0
    chosen = (0,) if Z.shape[1] == 1 else tuple(components) if several else ()
    whole = all(isinstance(c, int | np.integer) and 0 <= c < Z.shape[1] for c in chosen)
    if not 0 < len(chosen) < 3 or not whole:
        raise ValueError(
            f"components must be two of the {Z.shape[1]} variates, counted from 0; got "
            f"{components!r}. Choose others."
        )
    content = as_real(content, "content", 0.0, 1.0, open_low=True, open_high=True)
    Z = Z[:, list(chosen)]
    means = np.array([Z[codes == k].mean(axis=0) for k in range(len(labels))])
    ellipses = []
    for k in range(len(labels)):
        members, outline = Z[codes == k], np.empty((0, 2))
        if Z.shape[1] == 2 and len(members) > 2 and np.linalg.matrix_rank(members - means[k]) == 2:
            outline = MultivariateNormal().fit(members).ellipsoid(content).outline()
        ellipses.append(outline)
    display = CanonicalVariatesDisplay(
        Z, codes, [str(label) for label in labels.tolist()], ellipses, means,
        model.explained_variance_ratio_[list(chosen)], chosen,
    )  # fmt: skip
    return display.plot(ax=ax, colors=colors, **style)
