# SPDX-License-Identifier: BSD-3-Clause
"""Sphinx settings. `python -m sphinx -W --keep-going docs docs/_build` needs no network."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpydoc.docscrape_sphinx
from jinja2 import FileSystemLoader
from jinja2.sandbox import SandboxedEnvironment

import statfast

project = "statfast"
author = "statfast contributors"
copyright = author
release = version = statfast.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery"]
templates_path = ["_templates"]

autosummary_generate = True
default_role = "py:obj"  # `name` is a link where there is such a name
autodoc_typehints = "none"  # numpydoc's types say more: shapes and dtypes
numpydoc_class_members_toctree = False  # methods are on the page of their class

# Our order of sections, examples before notes; one environment, not one for every docstring.
_environment = SandboxedEnvironment(loader=FileSystemLoader(Path(__file__).parent / "_templates"))
numpydoc.docscrape_sphinx.SandboxedEnvironment = lambda loader: _environment

# Methods that named tuples and exceptions inherit from Python are not in the tables.
_methods = numpydoc.docscrape.ClassDoc.methods.fget
numpydoc.docscrape.ClassDoc.methods = property(
    lambda self: sorted(set(_methods(self)) - {"add_note", "count", "index", "with_traceback"})
)

toc_object_entries_show_parents = "hide"

# The published site links to other projects' pages; any other build works without a network.
intersphinx_mapping = {}
if os.environ.get("STATFAST_DOCS_PUBLISHED"):
    intersphinx_mapping = {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "scipy": ("https://docs.scipy.org/doc/scipy", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
        "matplotlib": ("https://matplotlib.org/stable", None),
        "pandas": ("https://pandas.pydata.org/docs", None),
    }

os.environ.pop("STATFAST_DATA", None)  # the pictures are those that every reader can draw
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "subsection_order": [
        f"gallery/{section}"
        for section in (
            "neighbors",
            "clustering",
            "linear_models",
            "support_vectors",
            "generative",
            "trees",
            "components",
            "preprocessing",
            "patterns",
            "model_selection",
            "computing",
        )
    ],
    "copyfile_regex": r"GALLERY_HEADER\.rst",
    "backreferences_dir": "examples/backreferences",
    "doc_module": ("statfast",),
    "reference_url": {"statfast": None},
    "capture_repr": (),  # scripts print what they show
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "abort_on_example_error": True,
    "min_reported_time": 10,
    "write_computation_times": False,
}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = f"statfast {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_theme_options = {
    "show_prev_next": False,
    "show_toc_level": 2,
    "collapse_navigation": True,  # the branch of a page alone: a fifth of the time of the build
}
mathjax_path = "mathjax/tex-chtml.js"  # a copy, so that formulas need no network
html_show_sourcelink = False
html_sidebars = {
    page: []
    for page in ("tour", "course", "benchmarks", "validation", "not_here", "glossary", "support")
}


def skip(app, what, name, member, skipped, options):
    """Fields of named tuples say nothing but their number: they are among the attributes."""
    return skipped or (getattr(member, "__doc__", "") or "").startswith("Alias for field number")


def find(app, env, node, contnode):
    """A name's page where it is called by another of its paths: statfast.linear.Lasso, linkage."""
    if node.get("refdomain") != "py":
        return None
    objects = env.domaindata["py"]["objects"]
    parts = node["reftarget"].removeprefix("statfast.").split(".")
    for start in (0, 1):
        if parts[start:] and (name := ".".join(["statfast", *parts[start:]])) in objects:
            return env.domains["py"].resolve_xref(
                env, node["refdoc"], app.builder, "obj", name, node, contnode
            )
    return None


def copy_mathjax(app, error):
    """MathJax with its fonts, from the package that has it, beside the pages."""
    if error is None and app.builder.format == "html":
        source = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax"
        target = Path(app.outdir) / "_static" / "mathjax"
        for part in ("output/chtml/fonts", "input/tex/extensions"):
            shutil.copytree(source / part, target / part, dirs_exist_ok=True)
        shutil.copy(source / "tex-chtml.js", target)


def setup(app):
    app.connect("build-finished", copy_mathjax)
    app.connect("autodoc-skip-member", skip)
    app.connect("missing-reference", find)
