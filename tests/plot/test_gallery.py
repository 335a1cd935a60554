# SPDX-License-Identifier: BSD-3-Clause
"""The scripts of docs/gallery draw their pictures, also without the data that are not shipped."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

GALLERY = Path(__file__).resolve().parents[2] / "docs" / "gallery"
DOCS = GALLERY.parent
SCRIPTS = {path.stem: path for path in sorted(GALLERY.glob("*/*.py"))}
PICTURE = re.compile(
    r"^\.\. figure:: /examples/(\w+)/images/sphx_glr_(plot_\w+?)_(\d{3})\.png\n"
    r"   :alt: \S.*\n   :target: \.\./examples/(\w+/plot_\w+)\.html$",
    re.MULTILINE,
)
GUIDE = sorted(page for page in (DOCS / "howto").glob("*.rst") if page.stem != "index")
WANTED = {  # script -> the largest number of a picture of it that a page shows
    script: int(number)
    for script, number in sorted(
        found[1:3] for page in DOCS.rglob("*.rst") for found in PICTURE.findall(page.read_text())
    )
}
PAGE = re.compile(r'# SPDX-License-Identifier: BSD-3-Clause\n"""\n(\S.*)\n(=+)\n\n\S')


def draw(name, monkeypatch, folder):
    """What a script defines, run in an empty folder, and its figures."""
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    monkeypatch.setattr(plt, "show", lambda: None)
    monkeypatch.chdir(folder)
    plt.close("all")
    try:
        return runpy.run_path(str(SCRIPTS[name])), list(map(plt.figure, plt.get_fignums()))
    finally:
        plt.close("all")


@pytest.mark.parametrize("script", sorted(SCRIPTS))
def test_pictures_need_no_data(script, monkeypatch, tmp_path):
    title, line = PAGE.match(SCRIPTS[script].read_text("utf-8")).groups()
    assert script.startswith("plot_")  # the others would not be run
    assert len(title) == len(line)
    monkeypatch.delenv("STATFAST_DATA", raising=False)
    _, figures = draw(script, monkeypatch, tmp_path)
    assert figures
    assert len(figures) >= WANTED.get(script, 0)
    assert all(figure.axes for figure in figures)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.stem)
def test_every_page_of_the_guide_has_a_picture(page):
    text = page.read_text("utf-8")
    found = PICTURE.findall(text)
    assert found
    assert len(found) == text.count(".. figure:: /examples/") == text.count("sphx_glr")
    assert all(f"{section}/{script}" == target for section, script, _, target in found)


def test_pictures_on_pages_are_drawn():
    assert not WANTED.keys() - SCRIPTS.keys()


def test_the_posterior_is_the_books(shared_data, monkeypatch, tmp_path):
    grid = np.loadtxt(shared_data("esl", "mixture_grid.csv.gz"), delimiter=",", skiprows=1)
    monkeypatch.setenv("STATFAST_DATA", str(shared_data("esl").parent))
    script, _ = draw("plot_mixture", monkeypatch, tmp_path)
    assert script["X"].shape == (200, 2)
    assert script["y"].sum() == 100
    posterior, density = script["posterior"](grid[:, :2], script["means"])
    np.testing.assert_allclose(posterior, grid[:, 2], atol=1e-12)
    best = np.average(np.minimum(posterior, 1 - posterior), weights=density)
    assert abs(best - 0.210) < 0.003  # the book says 0.210
