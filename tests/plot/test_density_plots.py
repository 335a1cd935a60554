# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of densities show the models' numbers, and what is decided by one column."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure
from scipy import stats

import statfast as sf
from statfast.datasets import load_iris
from statfast.plot import densities, density_surface

IRIS = load_iris()
X, Y = IRIS.data, np.array(IRIS.target_names)[IRIS.target]
COLUMN = X[:, 2:3]


def curves(ax):
    return [line for line in ax.lines if not line.get_label().startswith("_")]


def bars_of_decisions(ax):
    bars = [patch for patch in ax.patches if hasattr(patch, "get_y") and patch.get_y() < 0]
    return [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars]


def stairs(ax):
    return [patch for patch in ax.patches if hasattr(patch, "get_data")]


def test_classes_of_one_column(ax):
    model = sf.LinearDiscriminantAnalysis(priors=[0.2, 0.3, 0.5]).fit(COLUMN, Y)
    shown = densities(model, COLUMN, Y, ax=ax)
    joint = np.exp(model.predict_joint_log_proba(shown.x[:, None])).T
    assert_allclose(shown.densities, joint, rtol=1e-9, atol=1e-300)
    assert_allclose(shown.total, np.exp(model.score_samples(shown.x[:, None])), rtol=1e-9)
    assert_array_equal(shown.labels, model.classes_)
    assert_allclose(shown.priors, [0.2, 0.3, 0.5])
    assert [line.get_label() for line in curves(ax)] == list(model.classes_)
    assert_array_equal(curves(ax)[1].get_xydata()[:, 1], shown.densities[1])
    # Two normal densities with one variance are equal where Bayes' rule for them says.
    means, variance = model.means_[:, 0], np.exp(-2 * np.log(model.scalings_[0, 0]))
    for (a, b), end in zip([(0, 1), (1, 2)], shown.boundaries, strict=True):
        shift = variance * np.log(model.priors_[b] / model.priors_[a]) / (means[b] - means[a])
        assert end == pytest.approx((means[a] + means[b]) / 2 - shift, abs=1e-6)
    assert [label for _, _, label in shown.intervals] == list(model.classes_)
    low, high = (np.array([i[k] for i in shown.intervals]) for k in (0, 1))
    assert_array_equal(low[1:], shown.boundaries)
    assert_array_equal(high[:-1], shown.boundaries)
    assert_allclose(bars_of_decisions(ax), np.column_stack([low, high]))
    assert (ax.get_xlabel(), ax.get_ylabel()) == (
        "feature 0",
        "prior \N{MULTIPLICATION SIGN} density",
    )
    assert (ax.get_yticks() >= 0).all()


def test_histograms_have_the_areas_of_the_priors(ax):
    model = sf.QuadraticDiscriminantAnalysis(priors=[0.2, 0.3, 0.5]).fit(COLUMN, Y)
    densities(model, COLUMN, Y, ax=ax, bins=12)
    heights, edges, _ = zip(*(patch.get_data() for patch in stairs(ax)), strict=True)
    areas = [(h * np.diff(e)).sum() for h, e in zip(heights, edges, strict=True)]
    assert_allclose(areas, [0.2, 0.3, 0.5])
    assert all(len(h) == 12 for h in heights)
    ax = Figure().subplots()
    shown = densities(model, COLUMN, Y, prior=False, ax=ax)
    assert_allclose(
        [(h * np.diff(e)).sum() for h, e, _ in map(lambda p: p.get_data(), stairs(ax))], 1
    )
    joint = np.exp(model.predict_joint_log_proba(shown.x[:, None])).T
    assert_allclose(shown.densities * [[0.2], [0.3], [0.5]], joint, atol=1e-300)
    assert ax.get_ylabel() == "density"


@pytest.mark.parametrize("j", [0, 3])
def test_naive_bayes_has_a_density_for_each_column(ax, j):
    model = sf.GaussianNB().fit(X, Y)
    shown = densities(model, X, Y, feature=j, ax=ax)
    expected = stats.norm.pdf(shown.x, model.theta_[:, [j]], np.sqrt(model.var_[:, [j]]))
    assert_allclose(shown.densities, expected * model.class_prior_[:, None])
    best = np.array(shown.labels)[shown.densities.argmax(axis=0)]
    within = [
        next(name for low, high, name in shown.intervals if low <= x <= high) for x in shown.x
    ]
    assert_array_equal(best, within)
    assert ax.get_xlabel() == f"feature {j}"


def test_marginals_of_normal_classes(ax):
    model = sf.QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, Y)
    shown = densities(model, X, Y, feature=1, ax=ax)
    sd = [np.sqrt(S[1, 1]) for S in model.covariance_]
    expected = stats.norm.pdf(shown.x, model.means_[:, [1]], np.array(sd)[:, None]) / 3
    assert_allclose(shown.densities, expected)
    with pytest.raises(ValueError, match="store_covariance=True"):
        densities(sf.LinearDiscriminantAnalysis().fit(X, Y), feature=1)


def test_components_of_a_mixture(ax):
    model = sf.GaussianMixture(2, random_state=0).fit(X)
    shown = densities(model, X, feature=2, ax=ax)
    sd = np.sqrt(model.covariances_[:, 2, 2])[:, None]
    each = stats.norm.pdf(shown.x, model.means_[:, [2]], sd)
    assert_allclose(shown.densities, each * model.weights_[:, None])
    assert_allclose(shown.total, model.weights_ @ each)
    assert [line.get_label() for line in curves(ax)] == ["component 0", "component 1", "mixture"]
    assert len(stairs(ax)) == 1  # of all rows
    heights, edges, _ = stairs(ax)[0].get_data()
    assert (heights * np.diff(edges)).sum() == pytest.approx(1.0)


class Laplace:
    """A density of one column, of another library."""

    n_features_in_ = 1

    def score_samples(self, rows):
        return np.log(0.5) - np.abs(np.asarray(rows)[:, 0])


def test_a_single_density_and_one_of_another_library(ax):
    normal = sf.MultivariateNormal().fit(X)
    shown = densities(normal, X, feature=3, ax=ax)
    sd = np.sqrt(normal.covariance_[3, 3])
    assert_allclose(shown.densities[0], stats.norm.pdf(shown.x, normal.mean_[3], sd))
    assert (len(shown.boundaries), shown.intervals, ax.get_legend()) == (0, [], None)
    ax = Figure().subplots()
    shown = densities(Laplace(), [[-1.0], [2.0]], ax=ax)
    assert_allclose(shown.total, 0.5 * np.exp(-np.abs(shown.x)))
    with pytest.raises(ValueError, match="X must be passed with a model that cannot be sampled"):
        densities(Laplace(), ax=ax)


def test_kernel_densities(ax):
    kernels = sf.neighbors.KernelDensity(bandwidth=0.3).fit(COLUMN)
    shown = densities(kernels, COLUMN, ax=ax)
    assert_allclose(shown.total, stats.norm.pdf(shown.x[:, None], COLUMN[:, 0], 0.3).mean(axis=1))
    bayes = sf.BayesClassifier(sf.neighbors.KernelDensity(bandwidth=0.3)).fit(COLUMN, Y)
    shown = densities(bayes, COLUMN, Y, ax=Figure().subplots())
    each = [stats.norm.pdf(shown.x[:, None], COLUMN[name == Y, 0], 0.3) for name in shown.labels]
    assert_allclose(shown.densities, [part.mean(axis=1) / 3 for part in each])
    with pytest.raises(ValueError, match="model must have one column, or say how each"):
        densities(sf.neighbors.KernelDensity().fit(X), X)


def test_decisions_of_one_column_are_those_of_predict(ax):
    parts = [sf.MultivariateNormal.of([m], [[1.0]]) for m in (0.0, 2.0)]
    model = sf.BayesClassifier.of(parts, cost=[[0.0, 1.0], [np.e, 0.0]])
    shown = densities(model, ax=ax)
    assert_allclose(shown.boundaries, [0.5], atol=1e-9)  # 1 - log(e) / 2
    assert [label for *_, label in shown.intervals] == ["0", "1"]
    careful = sf.BayesClassifier.of(parts, reject=0.3)
    shown = densities(careful, ax=Figure().subplots())
    half = np.log(0.7 / 0.3) / 2
    assert_allclose(shown.boundaries, [1 - half, 1 + half], atol=1e-9)
    assert [label for *_, label in shown.intervals] == ["0", "-1", "1"]


@pytest.mark.parametrize("frame", [False, True])
def test_counts_truths_and_categories(frame):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [60, 40])
    counts = rng.poisson(1 + 3 * y)[:, None]
    model = sf.PoissonNB(alpha=0.0).fit(counts, y)
    shown = densities(model, counts, y, ax=Figure().subplots())
    rates = [counts[y == k].mean() for k in (0, 1)]
    expected = [stats.poisson.pmf(shown.x, rate) for rate in rates]
    assert_allclose(shown.densities, np.array(expected) * [[0.6], [0.4]])
    assert_array_equal(shown.x, np.arange(counts.max() + 1))
    assert (shown.boundaries % 1 == 0.5).all()

    truths = counts > 2
    ax = Figure().subplots()
    model = sf.BernoulliNB(alpha=1.0).fit(truths, y)
    shown = densities(model, truths, y, ax=ax)
    ones = (np.bincount(y, truths[:, 0]) + 1) / (np.bincount(y) + 2)
    prior = np.exp(model.class_log_prior_)
    assert_allclose(shown.densities, np.array([1 - ones, ones]).T * prior[:, None])
    bars = [bar for bar in ax.patches if bar.get_y() == 0]
    shares = [np.mean(truths[y == k] == v) * prior[k] for k in (0, 1) for v in (False, True)]
    assert_allclose([bar.get_height() for bar in bars], shares)

    table = np.column_stack([np.where(truths[:, 0], "many", "few"), y.astype(str)]).astype(object)
    if frame:
        table = pytest.importorskip("pandas").DataFrame(table, columns=["amount", "copy"])
    ax = Figure().subplots()
    model = sf.MixedNB(alpha=1.0).fit(table, y)
    shown = densities(model, table, y, feature=0, ax=ax)
    assert_allclose(shown.densities.sum(axis=1), shown.priors)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["few", "many"]
    assert ax.get_xlabel() == ("amount" if frame else "feature 0")
    assert ax.get_ylabel() == "prior \N{MULTIPLICATION SIGN} probability"


def test_columns_of_a_mixed_model_that_are_numbers(ax):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 50)
    table = np.column_stack([rng.gamma(2 + y), y + rng.standard_normal(100), rng.poisson(2 + y)])
    model = sf.MixedNB(densities=["gamma", "kernel", "poisson"]).fit(table, y)
    for j in range(3):
        shown = densities(model, table, y, feature=j, ax=Figure().subplots())
        rows = np.tile(table[:1], (len(shown.x), 1))
        rows[:, j] = shown.x
        # The other columns only shift the log odds by a constant.
        odds = np.diff(model.predict_log_proba(rows[shown.x > 0]), axis=1)[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            own = np.log(shown.densities[1] / shown.densities[0])[shown.x > 0]
        assert_allclose(odds - odds[0], own - own[0], atol=1e-8)


def test_without_rows_the_model_is_sampled(ax):
    model = sf.GaussianNB().fit(X, Y)
    shown = densities(model, feature=2, ax=ax)
    assert shown.x[0] < COLUMN.min() + 0.3
    assert shown.x[-1] > COLUMN.max() - 0.3
    assert not stairs(ax)


def test_one_histogram_of_rows_without_classes(ax):
    densities(sf.GaussianNB().fit(X, Y), X, feature=2, ax=ax)
    assert len(stairs(ax)) == 1


def test_a_column_by_its_name(ax):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = sf.GaussianNB().fit(frame, Y)
    shown = densities(model, frame, Y, feature="c", ax=ax)
    assert ax.get_xlabel() == "c"
    assert_allclose(shown.x, densities(model, frame, Y, feature=2, ax=Figure().subplots()).x)
    with pytest.raises(ValueError, match=r"feature must be one of .*; got 'e'"):
        densities(model, frame, Y, feature="e")
    one = sf.LinearDiscriminantAnalysis().fit(frame[["c"]], Y)
    assert densities(one, ax=Figure().subplots()).ax_.get_xlabel() == "c"  # names without X


BAD = [
    ({"model": 3}, TypeError, "model must be a fitted classifier or mixture with densities; got 3"),
    ({"model": sf.GaussianNB()}, sf.NotFittedError, "GaussianNB"),
    ({"model": sf.KMeans(2, random_state=0).fit(X)}, TypeError, "with densities"),
    ({"model": sf.OneClassSVM().fit(X)}, TypeError, "with densities"),
    ({"model": sf.MultinomialNB().fit(X, Y)}, ValueError, "Draw its word_weights"),
    ({"feature": 4}, ValueError, "feature must be between 0 and the last column"),
    ({"feature": 1.5}, TypeError, "feature must be an integer"),
    ({"bins": 0}, ValueError, "bins must be"),
    ({"resolution": 1}, ValueError, "resolution must be at least 2"),
    ({"margin": -0.1}, ValueError, "margin must be at least 0"),
    ({"prior": "yes"}, TypeError, "prior must be"),
    ({"X": None}, ValueError, "y must come with X; got y alone"),
    ({"X": np.full((150, 4), np.nan)}, ValueError, "X contains NaN"),
    ({"y": Y[:3]}, ValueError, "y must have one label per row"),
    ({"y": np.repeat("rose", 150)}, ValueError, "y must hold classes of the model"),
    ({"colors": ["red"]}, ValueError, "colors must hold one for each of 3 classes; got 1"),
]


@pytest.mark.parametrize(("change", "error", "words"), BAD)
def test_arguments_refused(ax, change, error, words):
    given = {"model": sf.GaussianNB().fit(X, Y), "X": X, "y": Y, "ax": ax, **change}
    with pytest.raises(error, match=words):
        densities(given.pop("model"), given.pop("X"), given.pop("y"), **given)


def test_a_model_of_columns_that_are_not_apart(ax):
    class Two(Laplace):
        n_features_in_ = 2

    with pytest.raises(ValueError, match="model must have one column, or say how each"):
        densities(Two(), X[:, :2], ax=ax)
    table = np.column_stack([X[:, :2].round().astype(object), Y])
    model = sf.MixedNB(densities=["multinomial", "multinomial", "categorical"]).fit(table, Y)
    with pytest.raises(ValueError, match="feature must not be a count of a multinomial; got 1"):
        densities(model, table, Y, feature=1, ax=ax)
    table[0, 2] = "rose"
    with pytest.raises(ValueError, match="X must hold categories of the fit in column 2"):
        densities(model, table, Y, feature=2, ax=ax)


# ------------------------------------------------------------------ surfaces
@pytest.fixture
def floor():
    return Figure().add_subplot(projection="3d")


def test_the_surface_is_the_density(floor):
    model = sf.GaussianMixture(2, random_state=0).fit(X[:, 2:])
    shown = density_surface(model, X[:, 2:], resolution=30, ax=floor)
    grid = np.stack(np.meshgrid(shown.across, shown.up), axis=-1).reshape(-1, 2)
    assert_allclose(shown.density.ravel(), np.exp(model.score_samples(grid)))
    assert shown.ax_ is floor
    assert floor.get_zlabel() == "density"
    assert len(floor.collections) == 2  # the surface and the lines on the floor
    assert len(density_surface(model, X[:, 2:], contours=False, ax=Figure().add_subplot(
        projection="3d")).ax_.collections) == 1  # fmt: skip


def test_the_surface_of_classes_is_that_of_their_mixture(floor):
    model = sf.GaussianNB().fit(X[:, 2:], Y)
    shown = density_surface(model, limits=((0, 7), (0, 3)), resolution=20, ax=floor)
    grid = np.stack(np.meshgrid(shown.across, shown.up), axis=-1).reshape(-1, 2)
    expected = np.exp(model.predict_joint_log_proba(grid)).sum(axis=1)
    assert_allclose(shown.density.ravel(), expected)
    assert (shown.across[0], shown.across[-1], shown.up[-1]) == (0, 7, 3)
    area = np.diff(shown.across[:2]) * np.diff(shown.up[:2])
    assert shown.density.sum() * area == pytest.approx(1.0, abs=0.05)


def test_axes_of_a_grid_become_three_dimensional():
    figure = Figure()
    left, right = figure.subplots(1, 2)
    model = sf.MultivariateNormal().fit(X[:, :2])
    shown = density_surface(model, ax=left, resolution=10)
    assert shown.ax_.name == "3d"
    assert shown.figure_ is figure
    assert left not in figure.axes
    assert right in figure.axes
    with pytest.raises(TypeError, match="ax must be axes with projection='3d'"):
        shown.plot(ax=Figure().add_axes((0, 0, 1, 1)))


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"model": sf.MultivariateNormal().fit(X)}, ValueError, "model must have 2 columns"),
        ({"model": sf.KMeans(2, random_state=0).fit(X)}, TypeError, "with densities"),
        ({"X": X}, ValueError, "X must have 2 columns; got 4"),
        ({"limits": (0, 1)}, TypeError, "limits must be a pair of numbers"),
        ({"limits": 3}, TypeError, "limits must be a pair of pairs of numbers"),
        ({"limits": ((1, 0), (0, 1))}, ValueError, "limits must be a lower and a higher number"),
        ({"resolution": 1}, ValueError, "resolution must be at least 2"),
        ({"resolution": 10**6}, MemoryError, "A surface of resolution=1000000"),
        ({"contours": 1.5}, TypeError, "contours must be"),
    ],
)
def test_surfaces_refused(floor, change, error, words):
    given = {"model": sf.MultivariateNormal().fit(X[:, :2]), "X": X[:, :2], "ax": floor, **change}
    with pytest.raises(error, match=words):
        density_surface(given.pop("model"), given.pop("X"), **given)


def test_a_density_without_rows_limits_or_samples(floor):
    class Two(Laplace):
        n_features_in_ = 2

    with pytest.raises(ValueError, match="X or limits must be passed"):
        density_surface(Two(), ax=floor)
