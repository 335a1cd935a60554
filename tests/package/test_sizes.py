# SPDX-License-Identifier: BSD-3-Clause
"""Files, functions and folders are as large as one idea: neither cut for length, nor two in one.

What is larger or smaller stands in a list here that only shrinks: a name that is within the bounds
is to be taken off it.
"""

import ast
import textwrap
from collections import Counter, defaultdict

import pytest

from tests.package.test_layers import (
    CYTHON,
    KNOWN,
    NATIVE,
    PYTHON,
    SOURCE,
    each_file,
    module_name,
    python_imports,
    statfast_module,
)

# Lines of a file: of Python, lines of code alone.
MAX_LINES = {".py": 400, ".pyx": 350, ".pxd": 350, ".h": 300}
MAX_LINES_OF_FUNCTION = 60
MAX_ARGUMENTS = 10
FILES_OF_FOLDER = range(3, 21)
MIN_LINES_FOR_ONE_READER = 60

LONG_FUNCTIONS = {
    "Diagnosed.robust_covariance": 61,
    "permutation_importance": 62,
    "ElasticNetCV.fit": 62,
    "pruning_table": 62,
    "Predictive.predict": 63,
    "step": 65,
    "compare": 70,
    "diagnostics": 76,
    "coefficients": 78,
}
# Public functions have the arguments of scikit-learn's.
WIDE_SIGNATURES = {
    "cross_validate": 13,
    "enet_path": 12,
    "lasso_path": 11,
    "learning_curve": 14,
    "nested_cv_interval": 11,
    "partial_dependence": 12,
    "validation_curve": 12,
    "logistic_path": 11,
    "compare": 12,
    "fit_logistic_path": 11,
    "fit_path": 13,
    "fit_model": 17,
    "solve": 13,
    "validated_parts": 12,
}
FOLDERS = {
    "_estimator": "the protocol of estimators, whose steps all families share",
    "_core/kdtree": "search, spanning trees and linkage on one structure",
    "_core/linear": "the solvers of all linear models",
    "cluster/kmeans": "one method with all its starts and updates",
    "datasets": "the tables, and what makes rows",
    "decomposition/choice": "how many components",
    "decomposition/ratings": "factors of ratings, and their input",
    "ensemble/members": "what bagging and AdaBoost share",
    "linear/glm": "one method with its families, links and inference",
    "metrics": "a room for each kind of score",
    "metrics/distance": "distances of rows, and their sums",
    "neighbors/images": "tangent distance, and its search",
    "tree/pruning": "the sequence of trees, and its table",
    "tree/reading": "text of a tree, and the splits it might have had",
}
FILES_OF_ONE_READER = {
    "_tour": "a file for each group of families",
    "active_set": "not yet merged",
    "active_gram": "a factor whose columns come and go, beside the descent",
    "compact_nodes": "not yet merged",
    "convexity": "not yet merged",
    "early_stopping": "a rule of stopping beside the rounds",
    "executor": "not yet merged",
    "kd_radius": "another search than the nearest",
    "label_binarizer": "a public class",
    "parallel_init": "another start than k-means++",
    "qr_information": "a numerical step with its derivation",
    "scores": "not yet merged",
    "stop_words": "a list of words",
    "temperature": "a published method",
    "vocabulary": "not yet merged",
    "votes": "not yet merged",
    "full_gram": "not yet merged",
}


def code_lines(text):
    """How many lines of Python are neither blank, nor comments, nor docstrings."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            docstrings.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = enumerate(text.splitlines(), 1)
    return sum(
        number not in docstrings and bool(line.strip()) and not line.lstrip().startswith("#")
        for number, line in lines
    )


def functions_in(text):
    """(name, in its class; lines of code; arguments without self) of each function."""
    lines = text.splitlines()

    def visit(node, prefix):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                body = textwrap.dedent("\n".join(lines[child.lineno - 1 : child.end_lineno]))
                spec = child.args
                names = [a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
                taken = sum(name not in ("self", "cls") for name in names)
                yield f"{prefix}{child.name}", code_lines(body), taken
                yield from visit(child, "")
            else:
                inside = f"{child.name}." if isinstance(child, ast.ClassDef) else prefix
                yield from visit(child, inside)

    yield from visit(ast.parse(text), "")


def beyond(sizes, bound):
    return {name: size for name, size in sizes if size > bound}


def assert_shrinks(measured, listed, what):
    """What is measured is listed with at least its size, and what is listed is measured."""
    new = {name: size for name, size in measured.items() if size > listed.get(name, 0)}
    assert not new, f"{what}: {new}"
    within = set(listed) - set(measured)
    assert not within, f"within the bounds by now, so take it off the list: {within}"


@each_file([path for path in PYTHON + CYTHON + NATIVE if path.suffix in MAX_LINES])
def test_one_idea_a_file(path):
    text = path.read_text("utf-8")
    lines = code_lines(text) if path.suffix == ".py" else len(text.splitlines())
    assert lines <= MAX_LINES[path.suffix], f"{path.name}: {lines} lines; which idea can move out?"


def test_functions_are_short():
    sizes = [f for path in PYTHON for f in functions_in(path.read_text("utf-8"))]
    long = beyond(((name, lines) for name, lines, _ in sizes), MAX_LINES_OF_FUNCTION)
    assert_shrinks(long, LONG_FUNCTIONS, "long functions; which step can move out?")
    wide = beyond(((name, taken) for name, _, taken in sizes), MAX_ARGUMENTS)
    assert_shrinks(wide, WIDE_SIGNATURES, "many arguments; which belong together?")


def test_folders_can_be_looked_over():
    files = Counter(
        path.parent.relative_to(SOURCE).as_posix()
        for path in PYTHON + CYTHON + NATIVE
        if path.name != "__init__.py"
    )
    outside = {folder for folder, count in files.items() if count not in FILES_OF_FOLDER}
    assert_shrinks(dict.fromkeys(outside, 1), dict.fromkeys(FOLDERS, 1), "3 to 20 files a folder")


def readers_of_modules():
    """Module: the modules that import it; a package that has it in its face is one of them."""
    readers = defaultdict(set)
    for path in PYTHON:
        for target, _ in python_imports(path.read_text("utf-8")):
            if target.split(".")[0] == "statfast":
                readers[statfast_module(target, KNOWN)].add(path)
    return readers


def test_small_files_have_readers():
    """A file with one reader is a part of it, unless it is an idea that fills a page."""
    readers, small = readers_of_modules(), set()
    for path in PYTHON:
        (*reader,) = readers[module_name(path)]
        if path.name == "__init__.py" or len(reader) != 1 or reader[0].name == "__init__.py":
            continue
        if code_lines(path.read_text("utf-8")) < MIN_LINES_FOR_ONE_READER:
            small.add("_tour" if path.parent.name == "_tour" else path.stem)
    listed = dict.fromkeys(FILES_OF_ONE_READER, 1)
    assert_shrinks(dict.fromkeys(small, 1), listed, "small files with one reader: merge them")


def test_code_lines():
    text = '"""Of a module."""\n\n# why\ndef f():\n    """Two\n    lines."""\n    return 1  # one\n'
    assert code_lines(text) == 2


def test_functions_are_measured():
    text = "class A:\n    def f(self, a, *, b=(1, 2)):\n        # why\n        return 1\n"
    text += "def g(*args):\n    def h(x): pass\n    return h\n"
    assert list(functions_in(text)) == [("A.f", 2, 2), ("g", 3, 0), ("h", 1, 1)]


@pytest.mark.parametrize(
    ("measured", "listed"), [({"f": 61}, {}), ({"f": 62}, {"f": 61}), ({}, {"f": 61})]
)
def test_lists_only_shrink(measured, listed):
    assert_shrinks({"f": 61}, {"f": 61}, "")
    with pytest.raises(AssertionError):
        assert_shrinks(measured, listed, "")
