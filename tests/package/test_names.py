# SPDX-License-Identifier: BSD-3-Clause
"""Names are roles in the field's words: pronouns, and thresholds that bound nothing, are none."""

import ast
import re
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def each(text):
    return frozenset(text.split())


# These are no word of any name: they say how something was come by, not what it is.
IN_ANY_NAME = each("told found said some own apart elsewhere aside given")
# These are no name by themselves; leave_one_out and too_many_rows say more.
ALONE = each(
    "one other others theirs mine many few left hits way ways door entered look looked taking "
    "accepting accepted shipped survey settled slab reach mass"
)
# A function is a verb with an object, and a file the name of a step.
FUNCTIONS_AND_FILES = each("at of by to on whole definite known units sharing isotone")
# A constant says what it bounds: MIN_ROWS_FOR_TILES, not FEW.
IN_CONSTANTS = each("few most least small many")
CONSTANTS_ALONE = each("kept call piece block")
# What became another thing when the parts of the library got protocols.
REPLACED = each(
    "_solved_by _rescales _by_moments _picks _sums_tell _rank has_door PartRowsData Room "
    "_Rooms tables_of_rows side_by_side"
)

# (file, name): why it stands there.
EXCEPTIONS = {
    ("tests/tree/*", "left"): "a node's left child",
    ("tests/reference/*", "left"): "a node's left child",
    ("src/statfast/cluster/kmeans/*", "mass"): "public: the weights in KMeansStatistics",
    ("src/statfast/cluster/kmeans/*", "other"): "public: a parameter of KMeansStatistics.merge",
    ("src/statfast/neighbors/spatial/*", "other"): "public, as in scipy: count_neighbors(other, r)",
    ("src/statfast/decision/*", "of"): "public: BayesClassifier.of(densities)",
    ("src/statfast/generative/normal/*", "of"): "public: MultivariateNormal.of(mean, covariance)",
    ("tests/examples.py", "given"): "hypothesis's name for what it does",
    ("tests/contract/test_contract.py", "SMALL"): "parameters for forty rows, known by this name",
}
FUNCTION = re.compile(
    r"^[ \t]*(?:cdef|cpdef|def)\b[^=\n(]*?\b(\w+)\(|^static [^=;\n(]*?\b(\w+)\(", re.M
)
CONSTANT = re.compile(
    r"^[ \t]*(?:cdef [\w ]+ |static const \w+ |#define )?([A-Z][A-Z0-9_]+)\b(?= *=| \S)", re.M
)
SUFFIXES = {".py", ".pyx", ".pxd", ".h", ".c"}


def words(name):
    """The words of a name, of either spelling: one_class and OneClass have two."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])", name)]


def targets(node):
    """The names that a statement assigns to."""
    for target in getattr(node, "targets", [getattr(node, "target", None)]):
        for part in ast.walk(target) if target is not None else ():
            if isinstance(part, ast.Name):
                yield part.id


def arguments_of(function):
    """Its parameters; those of Python's own methods are Python's."""
    if function.name.startswith("__") and function.name != "__init__":
        return
    spec = function.args
    for argument in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs, spec.vararg, spec.kwarg):
        if argument is not None:
            yield argument.arg


def names_in_python(text):
    """(kind, name) of all that is defined but for local variables; a test's name is a sentence."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if not node.name.startswith("test_"):
                yield "function", node.name
            yield from (("parameter", name) for name in arguments_of(node))
        elif isinstance(node, ast.ClassDef):
            yield "class", node.name
            yield from (("attribute", name) for each in node.body for name in targets(each))
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield "attribute", node.attr
    for node in tree.body:
        yield from (("constant", name) for name in targets(node))


def names_in_native(text):
    """(kind, name) of functions and constants of Cython and C."""
    for match in FUNCTION.finditer(text):
        yield "function", match[1] or match[2]
    yield from (("constant", name) for name in CONSTANT.findall(text))


def is_wrong(kind, name):
    parts = words(name)
    if IN_ANY_NAME & set(parts) or name in REPLACED:
        return True
    if name.strip("_").isupper() and IN_CONSTANTS & set(parts):
        return True
    if len(parts) != 1:
        return False
    return (
        parts[0] in ALONE
        or (kind in ("function", "file") and parts[0] in FUNCTIONS_AND_FILES)
        or (name.isupper() and parts[0] in CONSTANTS_ALONE)
    )


def wrong_names(file, text):
    """The names in a file that the rules refuse, its own among them."""
    read = names_in_python if file.endswith(".py") else names_in_native
    for kind, name in (("file", Path(file).stem), *read(text)):
        excepted = any(fnmatch(file, place) and name == known for place, known in EXCEPTIONS)
        if is_wrong(kind, name) and not excepted:
            yield name


@cache
def in_the_tree():
    """{name: the files that define it, once for each time}."""
    places = {}
    for folder in ("src", "tests", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                file = path.relative_to(ROOT).as_posix()
                for name in wrong_names(file, path.read_text("utf-8")):
                    places.setdefault(name, []).append(file)
    return places


def test_names_say_roles():
    wrong = {name: sorted(set(files)) for name, files in in_the_tree().items()}
    assert not wrong, (
        f"Names that say no role (CONTRIBUTING.md, Names): {wrong}. Give them a name of the field; "
        f"a name with a good reason is an exception in tests/package/test_names.py."
    )


@pytest.mark.parametrize(
    ("file", "text", "expected"),
    [
        ("src/a.py", "def f(told, x): pass", ["told"]),
        ("src/a.py", "def __eq__(self, other): pass", []),
        ("src/a.py", "def f():\n    found = 1\n    self._own = 2", ["_own"]),
        (
            "src/a.py",
            "FEW = 1\nTOO_SMALL, MIN_ROWS = 2, 3\nBLOCK = 4",
            ["FEW", "TOO_SMALL", "BLOCK"],
        ),
        ("src/a.py", "class Told:\n    given: int = 1", ["Told", "given"]),
        ("src/a.py", "def leave_one_out(ones, n_others): pass", []),
        ("src/given.py", "x = 1", ["given"]),
        ("src/at.h", "static inline double of(double x)\n#define FEW 3\n", ["at", "of", "FEW"]),
        ("src/a.pyx", "cdef int found(int x) noexcept nogil:\n    cdef int k = g(x)", ["found"]),
        ("src/a.pyx", "cdef Py_ssize_t FEW = 3\n", ["FEW"]),
        ("tests/test_a.py", "def test_what_is_found(): pass", []),
        ("tests/tree/test_a.py", "def f(left): pass", []),
        ("src/statfast/svm/a.py", "def f(left): pass", ["left"]),
    ],
)
def test_the_rules(file, text, expected):
    assert list(wrong_names(file, text)) == expected


@pytest.mark.parametrize(("place", "name"), EXCEPTIONS)
def test_exceptions_are_needed(place, name):
    files = ROOT.glob(place.replace("/*", "/**/*.py"))
    names = {known for path in files for _, known in names_in_python(path.read_text("utf-8"))}
    assert name in names
