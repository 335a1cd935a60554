# SPDX-License-Identifier: BSD-3-Clause
"""The public names: families are loaded on use, and type checkers see what is there."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import statfast

FAMILIES = (
    "audit",
    "calibration", "cluster", "conformal", "datasets", "decision", "decomposition", "ensemble",
    "generative", "inspection", "interchange", "kernels", "linear", "metrics", "mixture",
    "model_selection",
    "multiclass",
    "multioutput",
    "neighbors", "patterns", "pipeline", "plot", "preprocessing", "svm", "tree",
    "cluster", "datasets", "decision", "decomposition", "ensemble", "feature_selection",
    "generative", "kernels", "linear", "metrics", "model_selection",
    "multiclass", "neighbors", "pipeline", "plot", "preprocessing", "svm", "text", "tree",
)  # fmt: skip


def printed(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_import_loads_no_family():
    code = "import sys, statfast; print(*(m for m in sys.modules if m.startswith('statfast.')))"
    assert printed(code) == []


@pytest.mark.parametrize("family", FAMILIES)
def test_families_are_attributes(family):
    assert printed(f"import statfast; print(statfast.{family}.__name__)") == [f"statfast.{family}"]
    assert family in dir(statfast)


@pytest.mark.parametrize("family", FAMILIES)
def test_families_show_their_names_alone(family):
    """Not the modules in them: ``plot.components`` is not a picture."""
    module = import_module(f"statfast.{family}")
    assert dir(module) == sorted(module.__all__)


def test_names_are_those_of_families():
    public = {name: getattr(statfast, name) for name in statfast.__all__}
    homes = [import_module(f"statfast.{family}") for family in FAMILIES]
    for name, thing in public.items():
        for home in homes:
            assert name not in home.__all__ or getattr(home, name) is thing
    assert set(public) <= set(dir(statfast))


def test_star_import_brings_all():
    code = "from statfast import *; print(*sorted(n for n in dir() if not n.startswith('__')))"
    assert printed(code) == sorted(statfast.__all__)


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="module 'statfast' has no attribute 'KMean'"):
        statfast.KMean  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'KMean'"):
        from statfast import KMean  # noqa: F401


def test_the_stub_tells_the_same():
    """Of the whole package only this file has one, as its names are loaded by hand."""
    stub = Path(statfast.__file__).with_suffix(".pyi")
    seen, listed = {}, None
    for node in ast.parse(stub.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            seen.update({alias.asname: f"{node.module}.{alias.name}" for alias in node.names})
        elif isinstance(node, ast.Assign):
            listed = ast.literal_eval(node.value)
    assert sorted(listed) == statfast.__all__
    modules = {*FAMILIES, *statfast._MODULES_OF_SCIKIT_LEARN}
    assert set(seen) == {*statfast.__all__, *modules, "Estimator"}
    for name in statfast.__all__:
        home, _, same = seen[name].rpartition(".")
        assert getattr(import_module(home), same) is getattr(statfast, name)
