# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx settings."""

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

html_theme = "pydata_sphinx_theme"
html_title = f"statfast {release}"
html_theme_options = {"show_prev_next": False, "show_toc_level": 2}
