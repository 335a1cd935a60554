# SPDX-License-Identifier: BSD-3-Clause
"""docs/validation.rst says what the tests hold: its tables are written from them.

``python -m tests.package.test_validation_page`` prints the tables.
"""

import ast
from pathlib import Path

from tests.linear.test_least_squares import NIST

TESTS = Path(__file__).resolve().parents[1]
PAGE = TESTS.parent / "docs" / "validation.rst"


def tolerances(function):
    """The tolerances of the comparisons in a test."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            for given in node.keywords:
                if given.arg in ("rtol", "atol", "rel") and isinstance(given.value, ast.Constant):
                    yield given.value.value


def r_rows():
    """(what is compared, the largest relative or absolute difference that the test allows)."""
    tree = ast.parse((TESTS / "peers" / "test_answers_of_r.py").read_text("utf-8"))
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name.startswith("test_"):
            what = " ".join(ast.get_docstring(function).split()).rstrip(".")
            subject = function.name.removeprefix("test_").replace("_", " ")
            allowed = max(tolerances(function), default=None)
            yield subject, what, "the same counts" if allowed is None else f"{allowed:.0e}"


def table(header, rows):
    rows = [header, *rows]
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    rule = "  ".join("=" * width for width in widths)
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def tables():
    nist = [(name, str(coef), str(errors)) for name, (coef, errors) in NIST.items()]
    yield table(("problem", "coefficients", "standard errors"), nist)
    yield table(("what", "compared with", "largest difference"), list(r_rows()))


def test_page_has_the_tables_of_the_tests():
    text = PAGE.read_text("utf-8")
    for wanted in tables():
        assert wanted in text, f"Write this into docs/validation.rst:\n{wanted}"


def test_tolerances_are_found():
    function = ast.parse("def test_it():\n    assert_allclose(1, 1, rtol=1e-3, atol=1e-5)").body[0]
    assert sorted(tolerances(function)) == [1e-5, 1e-3]


if __name__ == "__main__":
    print(*tables(), sep="\n\n")
