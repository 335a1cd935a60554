# SPDX-License-Identifier: BSD-3-Clause
"""The house rules on who may import whom, read from the source and enforced.

``__main__`` -> ``__init__`` -> families -> foundations -> kernels (``_core``) -> inline ``.pxd``.
A module imports only what stands below it. Families do not import each other, except where one is
built on another by nature (``BUILT_ON``). Kernels know the tiles and inline ``.pxd`` files alone.
"""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "statfast"

FOUNDATIONS = [
    "_errors",
    "_validation",
    "_base",
    "_regression",
    "_class_weights",
    "_flags",
    "_chunks",
    "_blocks",
    "_team",
    "_coupling",
    "_extent",
    "_factor",
    "_products",
    "_distances",
    "_precomputed",
    "_dissimilarity",
    "_kd_turn",
    "_kd_tree",
    "_sparse",
    "_summary",
    "kernels",  # public as well: whatever learns from kernels takes them there
]  # each on those before
BUILT_ON = {  # family: the families it may import
    "cluster": {"metrics"},
    "multiclass": {"metrics"},
    "model_selection": {"metrics"},
}
ON_USE = {"plot"}  # loaded only on use: may import anything public, and its packages at once
DRAWERS = {"utils", "util", "helpers", "helper", "common", "misc", "fast", "tools", "shared"}
LONGEST = {".py": 450, ".pyx": 350, ".pxd": 350}  # lines; beyond it, a file holds two ideas
HEADER = "SPDX-License-Identifier: BSD-3-Clause"

TOP_LEVEL_PACKAGES = {"numpy"}  # what every user of any part pays for at import
CALL_TIME_PACKAGES = {"scipy", "sklearn", "pandas", "polars", "pyarrow", "matplotlib"}
KERNEL_PACKAGES = {"cython", "libc", "cpython", "numpy"}

CYTHON_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<source>[\w.]+)[ \t]+(?:c?import)[ \t]+(?P<names>\([^)]*\)|[^\n#]+)"
    r"|c?import[ \t]+(?P<modules>[\w., \t]+)"
    r"|include[ \t]+(?P<included>\S+))",
    re.MULTILINE,
)
NUMPY_HEADERS = re.compile(
    r"^[ \t]*(cimport[ \t]+numpy|from[ \t]+numpy[\w.]*[ \t]+cimport)", re.MULTILINE
)


# ------------------------------------------------------------------ what a file imports
def is_typing_only(node):
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def python_imports(code):
    """Pairs (dotted name imported, whether it happens when the module is loaded)."""

    def visit(node, at_load):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, at_load
        elif isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            for alias in node.names:
                yield f"{source}.{alias.name}", at_load
        elif is_typing_only(node):
            return
        else:
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for child in ast.iter_child_nodes(node):
                yield from visit(child, at_load and not inside)

    yield from visit(ast.parse(code), True)


def cython_imports(code):
    """Dotted names that a ``.pyx`` or ``.pxd`` imports, cimports or includes."""
    for found in CYTHON_IMPORT.finditer(code):
        if found["included"]:
            yield found["included"].strip("\"'")
        for module in (found["modules"] or "").split(","):
            if module.strip():
                yield module.split(" as ")[0].strip()
        for name in (found["names"] or "").strip("() \n\t").split(","):
            if name.strip():
                yield f"{found['source']}.{name.split(' as ')[0].strip()}"


# ------------------------------------------------------------------ where a module stands
def room(module):
    """The first part of the name below ``statfast``: the family, foundation or ``_core``."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def floor(module):
    """How high a module stands in the house; it may import only what stands lower."""
    name = room(module)
    if name == "_core":
        return 0
    if name in FOUNDATIONS:
        return 1 + FOUNDATIONS.index(name)
    family = 1 + len(FOUNDATIONS)
    if name in ON_USE:
        return family + 2
    return family + {"__init__": 1, "__main__": 3}.get(name, 0)


def statfast_module(target, known):
    """The longest prefix of a dotted name that is a module: the rest are names in it."""
    parts = target.split(".")
    while ".".join(parts) not in known and len(parts) > 1 + (parts[1] in ("_core", *FOUNDATIONS)):
        parts.pop()
    return ".".join(parts)


def may_import(importer, target):
    below, above = room(target), room(importer)
    if below == above:
        return True
    if floor(importer) == floor(target):  # two families
        return below in BUILT_ON.get(above, ())
    return floor(target) < floor(importer)


def python_faults(module, code, known):
    """Sentences on every import in ``code`` that breaks a rule."""
    for target, at_load in python_imports(code):
        package = target.split(".")[0]
        if target.startswith("."):
            yield f"{module} imports {target} relatively"
        elif package == "statfast":
            if not may_import(module, statfast_module(target, known)):
                yield f"{module} imports {target}, which does not stand below it"
        elif package in sys.stdlib_module_names or package in TOP_LEVEL_PACKAGES:
            continue
        elif package not in CALL_TIME_PACKAGES:
            yield f"{module} imports {package}, which is not a dependency"
        elif at_load and room(module) not in ON_USE:
            yield f"{module} imports {target} when it is loaded; import it where it is used"


def kernel_faults(module, code, inline):
    """The same for Cython: ``inline`` are the modules that are a ``.pxd`` alone."""
    allowed = {*inline, "statfast._core.tiles", module}
    for target in cython_imports(code):
        if target.startswith("."):
            yield f"{module} imports {target} relatively"
        elif target.split(".")[0] == "statfast":
            if not any(target == name or target.startswith(f"{name}.") for name in allowed):
                yield f"{module} imports {target}; kernels know the tiles and inline .pxd files"
        elif target.split(".")[0] not in KERNEL_PACKAGES | sys.stdlib_module_names:
            yield f"{module} imports {target}; kernels use libc, cython and the standard library"
    if NUMPY_HEADERS.search(code):
        yield f"{module} cimports numpy, whose headers are not there when the package is built"


# ------------------------------------------------------------------ the real source
def module_name(path):
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PYTHON = sorted(SOURCE.rglob("*.py"))
CYTHON = sorted([*SOURCE.rglob("*.pyx"), *SOURCE.rglob("*.pxd")])
NATIVE = sorted([*SOURCE.rglob("*.c"), *SOURCE.rglob("*.h")])
KNOWN = {module_name(path) for path in PYTHON + CYTHON}
INLINE = KNOWN & {
    module_name(path)
    for path in CYTHON
    if path.suffix == ".pxd" and not path.with_suffix(".pyx").exists()
}


def each_file(paths):
    return pytest.mark.parametrize("path", paths, ids=lambda path: str(path.relative_to(SOURCE)))


def test_source_is_there():
    assert PYTHON, f"no source in {SOURCE}"


@each_file(PYTHON)
def test_python_imports_go_down(path):
    faults = list(python_faults(module_name(path), path.read_text("utf-8"), KNOWN))
    assert not faults, "\n".join(faults)


@each_file(CYTHON)
def test_kernel_imports_go_down(path):
    faults = list(kernel_faults(module_name(path), path.read_text("utf-8"), INLINE))
    assert not faults, "\n".join(faults)


@each_file(PYTHON + CYTHON)
def test_one_idea_a_file(path):
    lines = len(path.read_text("utf-8").splitlines())
    assert lines <= LONGEST[path.suffix], f"{path.name} has {lines} lines: which idea can move out?"


@each_file([path for path in PYTHON + CYTHON + NATIVE if path.stat().st_size])
def test_licence_header(path):
    assert HEADER in path.read_text("utf-8").split("\n", 1)[0]


def test_no_drawers():
    parts = {part for path in PYTHON + CYTHON + NATIVE for part in (path.stem, path.parent.name)}
    assert not parts & DRAWERS


def test_no_generated_c():
    first_lines = {path.name: path.read_text("utf-8")[:80] for path in NATIVE}
    assert not [name for name, line in first_lines.items() if "Generated by Cython" in line]


# ------------------------------------------------------------------ the rules themselves
HOUSE = {
    "statfast",
    "statfast._core.tiles",
    "statfast._core.lloyd",
    "statfast._core.heap",
    "statfast._errors",
    "statfast._base",
    "statfast._blocks",
    "statfast.cluster",
    "statfast.cluster.kmeans",
    "statfast.metrics",
    "statfast.multiclass",
    "statfast.neighbors.search",
}


@pytest.mark.parametrize(
    ("module", "code"),
    [
        ("statfast._base", "from statfast._blocks import each"),
        ("statfast._base", "from statfast import _blocks"),
        ("statfast._errors", "import statfast"),
        ("statfast._blocks", "from statfast.cluster.kmeans import KMeans"),
        ("statfast.cluster.kmeans", "from statfast import KMeans"),
        ("statfast.cluster.kmeans", "from statfast.neighbors.search import NearestNeighbors"),
        ("statfast.cluster.kmeans", "def f():\n    from statfast.generative import bayes"),
        ("statfast.cluster.kmeans", "from .seeding import start"),
        ("statfast.cluster.kmeans", "from . import seeding"),
        ("statfast.cluster.kmeans", "import scipy.linalg"),
        ("statfast.cluster.kmeans", "try:\n    import sklearn\nexcept ImportError:\n    pass"),
        ("statfast.cluster.kmeans", "def f():\n    import joblib"),
        ("statfast._core.lloyd", "from statfast._validation import as_rows"),
    ],
)
def test_python_rule_catches(module, code):
    assert list(python_faults(module, code, HOUSE))


@pytest.mark.parametrize(
    ("module", "code"),
    [
        ("statfast._base", "from statfast._errors import not_fitted"),
        ("statfast._blocks", "from statfast._base import Estimator\nimport os, threading"),
        ("statfast.cluster", "from statfast.cluster.kmeans import KMeans"),
        ("statfast.cluster.kmeans", "from statfast import _blocks"),
        ("statfast.cluster.kmeans", "from statfast._core import lloyd"),
        ("statfast.cluster.kmeans", "def f():\n    from scipy.linalg import eigh"),
        ("statfast.multiclass", "from statfast.metrics import accuracy"),
        ("statfast", "from statfast.cluster import KMeans"),
        ("statfast.__main__", "import statfast\nfrom statfast import KMeans"),
        ("statfast.plot", "import matplotlib.pyplot as plt\nfrom statfast import KMeans"),
    ],
)
def test_python_rule_allows(module, code):
    assert not list(python_faults(module, code, HOUSE | {"statfast.plot"}))


@pytest.mark.parametrize(
    "code",
    [
        "from statfast._core.brute cimport scan",
        "from statfast._core.heap cimport push\nfrom statfast import _blocks",
        "import scipy",
        "cimport numpy as cnp",
        "from numpy cimport ndarray",
        "from . cimport heap",
        "from .heap cimport push",
        "    from statfast._errors import not_fitted",
        'include "lloyd_steps.pxi"',
        "from statfast._core cimport (\n    heap,\n    brute,\n)",
    ],
)
def test_kernel_rule_catches(code):
    assert list(kernel_faults("statfast._core.lloyd", code, {"statfast._core.heap"}))


@pytest.mark.parametrize(
    "code",
    [
        "from statfast._core.tiles cimport nearest",
        "from statfast._core cimport heap, tiles",
        "from statfast._core.heap cimport (\n    push,\n    pop,\n)",
        "from libc.math cimport sqrt, INFINITY\nimport os\ncimport cython\nimport numpy as np",
        "# from statfast import _blocks",
    ],
)
def test_kernel_rule_allows(code):
    assert not list(kernel_faults("statfast._core.lloyd", code, {"statfast._core.heap"}))
