# SPDX-License-Identifier: BSD-3-Clause
"""The changes that the mutation score draws are single, sound and the same for the same seed."""

import ast
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from tests.mutants.points import KERNELS, Mutant, Python, blanked, draw, kernel, points

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "statfast"

MODULE = '''
"""Not 1 < 2 here."""
SLOW = 64  # bytes of a cache line
LIMIT = 64  # rows


def clipped(x: "1 < 2", low=0.5):
    """x + low."""
    if x is None or not len(x):
        raise ValueError(f"x has {1 + 2} places")
    x += 1
    return min(max(x, low), x * 2 ** -3), np.float64(x) < -x
'''

KERNEL = '''
cdef double least(const double[:, ::1] x, Py_ssize_t n) noexcept nogil:
    """Never x < n."""
    cdef double low = <double>n + 1  # a + b
    for i in range(n):
        if x[i, 0] < low and not low == 3 + n:
            low = x[i, 0]
        low *= 0.5
    return low
'''

HEADER = """
/* a + b */
#define HALF(x) ((x) * 0.5)
static double V(reach)(const double *x, ptrdiff_t n) {
    double most = -1.0, least = n < 2 ? 0.0 : 1.0; // a - b
    for (ptrdiff_t i = 0; i < n; i++) {
        if (f64_bits(V(ge)(x[i], most)) && !done) most += x[i] * 2;
        most -= "a < b"[0];
    }
    return most;
}
"""


def changed(changes, source):
    """Pairs (old, new), each found where it is said to be."""
    changes = list(changes)
    for line, column, old, _, _ in changes:
        assert source.splitlines()[line - 1][column:].startswith(old)
    return Counter((old, new) for _, _, old, new, _ in changes)


def test_python_is_changed_in_code_alone():
    assert changed(Python(MODULE).changes, MODULE) == Counter(
        {
            ("64", "65"): 1,  # of the two constants that of rows
            ("0.5", "(2 * 0.5)"): 1,
            ("x is None or not len(x)", "not (x is None or not len(x))"): 1,
            ("is", "is not"): 1,
            ("or", "and"): 1,
            ("not len(x)", "len(x)"): 1,
            ("x += 1", "pass"): 1,
            ("1", "2"): 1,
            ("min(max(x, low), x * 2 ** -3)", "max(x, low)"): 1,
            ("max(x, low)", "x"): 1,
            ("*", "/"): 1,
            ("2", "3"): 1,
            ("3", "4"): 1,
            ("np.float64", "np.float32"): 1,
            ("<", "<="): 1,
            ("-x", "x"): 1,
        }
    )


def test_cython_is_changed_in_code_alone():
    assert changed(kernel(KERNEL, ".pyx"), KERNEL) == Counter(
        {
            ("double", "float"): 1,
            ("+", "-"): 2,
            ("1", "2"): 1,
            ("<", "<="): 1,
            ("and", "or"): 1,
            ("not ", ""): 1,
            ("==", "!="): 1,
            ("3", "4"): 1,
            ("low = x[i, 0]", "pass"): 1,
            ("low *= 0.5", "pass"): 1,
            ("0.5", "(2 * 0.5)"): 1,
        }
    )


def test_headers_are_changed_in_code_alone():
    assert changed(kernel(HEADER, ".h"), HEADER) == Counter(
        {
            ("*", "/"): 1,
            ('most -= "a < b"[0]', ""): 1,
            ("double", "float"): 1,
            ("1.0", "(2 * 1.0)"): 2,
            ("2", "3"): 2,
            ("<", ">"): 1,
            ("0.0", "1.0"): 1,
            ("ge", "gt"): 1,
            ("&&", "||"): 1,
            ("!", ""): 1,
        }
    )


@pytest.mark.parametrize("kind", sorted(KERNELS))
def test_blanks_keep_places(kind):
    source = {".h": HEADER}.get(kind, KERNEL)
    code = blanked(source, kind)
    assert [len(line) for line in code.splitlines()] == [len(line) for line in source.splitlines()]
    assert "a + b" not in code


def test_a_change_is_made_in_one_place():
    here = Mutant("thing.py", 2, 4, "<", "<=", "x = a < b", "")
    assert replace(here, column=6).applied("y\nx = a < b\nz\n") == "y\nx = a <= b\nz\n"
    with pytest.raises(ValueError, match="not what it was"):
        here.applied("y\nx = a < b\nz\n")


def test_drawn_mutants():
    changes = points(PACKAGE)
    drawn = list(islice(draw(changes, 1), 300))
    assert drawn == list(islice(draw(changes, 1), 300))
    assert drawn != list(islice(draw(changes, 2), 300))
    assert len({(mutant.file, mutant.line) for mutant in drawn}) == 300
    assert len({mutant.file for mutant in drawn}) > 200
    assert sum(Path(mutant.file).suffix in KERNELS for mutant in drawn) == 100
    for mutant in drawn:
        source = (PACKAGE / mutant.file).read_text()
        after = mutant.applied(source)
        lines = zip(source.splitlines(), after.splitlines(), strict=True)
        assert sum(a != b for a, b in lines) == 1
        if mutant.file.endswith(".py"):
            assert ast.dump(ast.parse(after)) != ast.dump(ast.parse(source))
