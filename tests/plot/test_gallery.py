# SPDX-License-Identifier: BSD-3-Clause
"""The scripts of docs/gallery draw their pictures, also without the data that are not shipped."""

import runpy
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

GALLERY = Path(__file__).resolve().parents[2] / "docs" / "gallery"


def load(name):
    return runpy.run_path(str(GALLERY / f"{name}.py"))


@pytest.mark.parametrize("script", sorted(path.stem for path in GALLERY.glob("*.py")))
def test_pictures_need_no_data(script, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("STATFAST_DATA", raising=False)
    load(script)["draw"](tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_the_posterior_is_the_books(shared_data, monkeypatch):
    grid = np.loadtxt(shared_data("esl", "mixture_grid.csv.gz"), delimiter=",", skiprows=1)
    monkeypatch.setenv("STATFAST_DATA", str(shared_data("esl").parent))
    script = load("mixture")
    X, y, means = script["book_data"]()
    assert X.shape == (200, 2)
    assert y.sum() == 100
    posterior, density = script["posterior"](grid[:, :2], means)
    np.testing.assert_allclose(posterior, grid[:, 2], atol=1e-12)
    best = np.average(np.minimum(posterior, 1 - posterior), weights=density)
    assert abs(best - 0.210) < 0.003  # the book says 0.210
