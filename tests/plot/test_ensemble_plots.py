# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of boosting, partial dependence and importances: what is drawn is what is told."""

import numpy as np
import pytest

from statfast import LinearDiscriminantAnalysis
from statfast.ensemble import AdaBoostClassifier
from statfast.inspection import partial_dependence as dependence_of
from statfast.inspection import permutation_importance

figure = pytest.importorskip("matplotlib.figure")
plot = pytest.importorskip("statfast.plot")


@pytest.fixture(scope="module")
def boosted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = (X**2).sum(axis=1) > 3.4
    return AdaBoostClassifier(n_estimators=25).fit(X[:200], y[:200]), X, y


def axes():
    return figure.Figure().subplots()


def test_errors(boosted):
    model, X, y = boosted
    shown = plot.boosting_errors(model, X[200:], y[200:], ax=axes(), linewidth=3)
    bound, training, test = (line.get_ydata() for line in shown.ax_.lines)
    np.testing.assert_array_equal(bound, model.error_bounds_)
    np.testing.assert_array_equal(training, model.training_errors_)
    assert test[-1] == pytest.approx(1 - model.score(X[200:], y[200:]))
    assert shown.ax_.lines[1].get_linewidth() == 3
    assert plot.boosting_errors(model, ax=axes()).test is None
    with pytest.raises(ValueError, match="X and y"):
        plot.boosting_errors(model, X, ax=axes())
    with pytest.raises(ValueError, match="not fitted"):
        plot.boosting_errors(AdaBoostClassifier(), ax=axes())


def test_margins(boosted):
    model, X, y = boosted
    shown = plot.boosting_margins(model, X, y, ax=axes())
    assert shown.rounds == [5, 20, 25]
    np.testing.assert_allclose(shown.margins[-1], np.sort(model.margins(X, y)))
    five = AdaBoostClassifier(n_estimators=5).fit(X[:200], y[:200])
    np.testing.assert_allclose(shown.margins[0], np.sort(five.margins(X, y)))
    assert len(model.estimators_) == 25
    with pytest.raises(ValueError, match="rounds must be"):
        plot.boosting_margins(model, X, y, rounds=[26], ax=axes())


def test_dependence(boosted):
    model, X, _ = boosted
    found = dependence_of(model, X, 0, kind="both", grid_resolution=6)
    shown = plot.partial_dependence(found, ax=axes())
    assert len(shown.ax_.lines) == 51
    np.testing.assert_array_equal(shown.ax_.lines[-1].get_ydata(), found.average[0])
    surface = plot.partial_dependence(model, X[:40], [0, 1], ax=axes())
    assert surface.dependence.average.shape == (1, 40, 40)
    assert surface.ax_.get_xlabel() == "x0"
    with pytest.raises(ValueError, match="output must be"):
        plot.partial_dependence(found, output=1, ax=axes())
    with pytest.raises(ValueError, match="one or two"):
        plot.partial_dependence(model, X[:5], [0, 1, 2], ax=axes())


def test_categories_are_points(boosted):
    pd = pytest.importorskip("pandas")

    class Lengths:
        def predict(self, X):
            return X["name"].str.len().to_numpy(float)

    frame = pd.DataFrame({"name": ["oak", "ash", "maple"]})
    shown = plot.partial_dependence(Lengths(), frame, "name", ax=axes())
    assert [t.get_text() for t in shown.ax_.get_xticklabels()] == ["ash", "maple", "oak"]
    assert shown.ax_.lines[0].get_ydata().tolist() == [3.0, 5.0, 3.0]


def test_importances():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    model = LinearDiscriminantAnalysis().fit(X, X[:, 3] + 0.3 * X[:, 1] > 0)
    found = permutation_importance(model, X, X[:, 3] + 0.3 * X[:, 1] > 0, random_state=0)
    shown = found.plot(most=2, ax=axes())
    assert shown.names == ["x3", "x1"]
    assert (shown.intervals[:, 0] <= shown.means).all()
    assert [t.get_text() for t in shown.ax_.get_yticklabels()] == ["x3", "x1"]
    with pytest.raises(TypeError, match="result must be"):
        plot.permutation_importances(model, ax=axes())
