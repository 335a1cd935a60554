# SPDX-License-Identifier: BSD-3-Clause
"""Files, functions and folders are as large as one idea: neither cut for length, nor two in one.

What is larger or smaller stands in a list that only shrinks, ``sizes.tsv``. What is within the
bounds by now is taken off it by ``python -m tests.package.test_sizes``, which lowers sizes as well.
"""

import ast
import textwrap
from collections import Counter, defaultdict
from pathlib import Path

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

# What is larger or smaller than that: a rule, a name, its size, and the reason where there is one.
LIST = Path(__file__).with_name("sizes.tsv")
COMMAND = "python -m tests.package.test_sizes"


def code_lines(text):
    """How many lines of Python are neither blank, nor comments, nor docstrings.

    A signature is one line, however its annotations are wrapped.
    """
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    documented = (ast.Module, ast.ClassDef, *functions)
    uncounted = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, functions):
            uncounted.update(range(node.lineno + 1, node.body[0].lineno))
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            uncounted.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = enumerate(text.splitlines(), 1)
    return sum(
        number not in uncounted and bool(line.strip()) and not line.lstrip().startswith("#")
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


def listed():
    """{rule: {name: (size, reason)}}"""
    rules = defaultdict(dict)
    for line in LIST.read_text("utf-8").splitlines():
        rule, name, size, reason = line.split("\t")
        rules[rule][name] = int(size), reason
    return rules


def shrunk(allowed, measured):
    """What of a list is still beyond the bounds, and by no more than was allowed."""
    return {
        name: (min(size, measured[name]), reason)
        for name, (size, reason) in sorted(allowed.items())
        if name in measured
    }


def assert_shrinks(measured, allowed, advice):
    """What is measured is listed with at least its size, and what is listed is measured."""
    new = {name: size for name, size in measured.items() if size > allowed.get(name, (0, ""))[0]}
    assert not new, f"{advice} {new}"
    within = set(allowed) - set(measured)
    assert not within, f"Within the bounds by now: {within}. {COMMAND} takes them off the list."


@each_file([path for path in PYTHON + CYTHON + NATIVE if path.suffix in MAX_LINES])
def test_one_idea_a_file(path):
    text = path.read_text("utf-8")
    lines = code_lines(text) if path.suffix == ".py" else len(text.splitlines())
    assert lines <= MAX_LINES[path.suffix], f"{path.name}: {lines} lines; which idea can move out?"


def long_functions():
    sizes = [f for path in PYTHON for f in functions_in(path.read_text("utf-8"))]
    return beyond(((name, lines) for name, lines, _ in sizes), MAX_LINES_OF_FUNCTION)


def wide_signatures():
    sizes = [f for path in PYTHON for f in functions_in(path.read_text("utf-8"))]
    return beyond(((name, arguments) for name, _, arguments in sizes), MAX_ARGUMENTS)


def folders_too_small_or_large():
    files = Counter(
        path.parent.relative_to(SOURCE).as_posix()
        for path in PYTHON + CYTHON + NATIVE
        if path.name != "__init__.py"
    )
    return {folder: count for folder, count in files.items() if count not in FILES_OF_FOLDER}


def readers_of_modules():
    """Module: the modules that import it; a package that has it in its face is one of them."""
    readers = defaultdict(set)
    for path in PYTHON:
        for target, _ in python_imports(path.read_text("utf-8")):
            if target.split(".")[0] == "statfast":
                readers[statfast_module(target, KNOWN)].add(path)
    return readers


def small_files_of_one_reader():
    readers, small = readers_of_modules(), set()
    for path in PYTHON:
        (*reader,) = readers[module_name(path)]
        if path.name == "__init__.py" or len(reader) != 1 or reader[0].name == "__init__.py":
            continue
        if code_lines(path.read_text("utf-8")) < MIN_LINES_FOR_ONE_READER:
            small.add("_tour" if path.parent.name == "_tour" else path.stem)
    return dict.fromkeys(small, MIN_LINES_FOR_ONE_READER)


RULES = {  # name in the list: (what measures it, what to do about it)
    "function": (long_functions, "Long functions; which step can move out?"),
    "arguments": (wide_signatures, "Many arguments; which belong together?"),
    "folder": (folders_too_small_or_large, "A folder has 3 to 20 files."),
    # A file with one reader is a part of it, unless it is an idea that fills a page.
    "one reader": (small_files_of_one_reader, "Small files with one reader: merge them."),
}


@pytest.mark.parametrize("rule", RULES)
def test_sizes_are_listed_and_shrink(rule):
    measure, advice = RULES[rule]
    assert_shrinks(measure(), listed()[rule], advice)


def test_exceptions_have_reasons():
    """What is long or wide is counted; folders and files of another size have a reason."""
    rules = listed()
    assert set(rules) <= set(RULES)
    assert all(reason for rule in ("folder", "one reader") for _, reason in rules[rule].values())


def test_code_lines():
    text = '"""Of a module."""\n\n# why\ndef f():\n    """Two\n    lines."""\n    return 1  # one\n'
    assert code_lines(text) == 2
    assert code_lines("def f(\n    x: int,\n    y: int,\n) -> int:\n    z = x\n    return z\n") == 3


def test_functions_are_measured():
    text = "class A:\n    def f(self, a, *, b=(1, 2)):\n        # why\n        return 1\n"
    text += "def g(*args):\n    def h(x): pass\n    return h\n"
    assert list(functions_in(text)) == [("A.f", 2, 2), ("g", 3, 0), ("h", 1, 1)]


@pytest.mark.parametrize(
    ("measured", "allowed"),
    [({"f": 61}, {}), ({"f": 62}, {"f": (61, "")}), ({}, {"f": (61, "")})],
)
def test_lists_only_shrink(measured, allowed):
    assert_shrinks({"f": 61}, {"f": (61, "")}, "")
    with pytest.raises(AssertionError):
        assert_shrinks(measured, allowed, "")


def test_the_command_never_adds():
    allowed = {"f": (70, "why"), "g": (65, ""), "h": (61, "")}
    assert shrunk(allowed, {"f": 80, "g": 62, "new": 90}) == {"f": (70, "why"), "g": (62, "")}


if __name__ == "__main__":
    rest = {rule: shrunk(listed()[rule], measure()) for rule, (measure, _) in RULES.items()}
    LIST.write_text(
        "".join(
            f"{rule}\t{name}\t{size}\t{reason}\n"
            for rule, names in rest.items()
            for name, (size, reason) in names.items()
        ),
        "utf-8",
    )
    print(sum(map(len, rest.values())), "exceptions are left")
