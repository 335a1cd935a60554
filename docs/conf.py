# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx settings."""

import runpy
from pathlib import Path

import statfast

project = "statfast"
author = "statfast contributors"
copyright = author
release = version = statfast.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "numpydoc",
]
exclude_patterns = ["_build"]
nitpicky = False

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's types say more: shapes and dtypes
numpydoc_class_members_toctree = False
numpydoc_show_class_members = True
numpydoc_show_inherited_class_members = False


def draw_gallery(app):
    """Run each script of the gallery; the pictures are not kept, they follow from the code."""
    gallery = Path(__file__).parent / "gallery"
    (gallery / "generated").mkdir(exist_ok=True)
    for script in sorted(gallery.glob("*.py")):
        picture = gallery / "generated" / f"{script.stem}.png"
        runpy.run_path(str(script))["draw"](picture)


def setup(app):
    app.connect("builder-inited", draw_gallery)


html_theme = "pydata_sphinx_theme"
html_title = f"statfast {release}"
html_theme_options = {"show_prev_next": False, "show_toc_level": 2}
