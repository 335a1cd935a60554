# SPDX-License-Identifier: BSD-3-Clause
"""The page of textbook tables shows what its code prints."""

import io
import re
import textwrap
from contextlib import redirect_stdout
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "known_tables.rst"


def blocks():
    """The code of the page with the text that follows it."""
    parts = re.split(r"^\.\. code-block:: (\w+)\n\n", PAGE.read_text("utf-8"), flags=re.M)[1:]
    kinds, bodies = parts[::2], parts[1::2]
    own = [textwrap.dedent(re.match(r"(?:(?: +.*)?\n)*", body)[0]).strip() for body in bodies]
    assert kinds == ["python", "text"] * (len(kinds) // 2)
    return list(zip(own[::2], own[1::2], strict=True))


def printed(code, names):
    out = io.StringIO()
    with redirect_stdout(out):
        exec(code, names)
    return textwrap.dedent(out.getvalue()).strip()


def test_the_page_shows_what_its_code_prints(shared_data):
    shared_data("misc", "baby.dat")
    names = {"folder": shared_data("esl", "SAheart.csv").parents[1]}
    for code, text in blocks():
        assert printed(code, names) == text


def test_table_of_the_book(shared_data):
    names = {"folder": shared_data("esl", "SAheart.csv").parents[1]}
    printed(blocks()[0][0], names)
    model = names["model"]
    book = [-4.130, 0.006, 0.080, 0.185, 0.939, -0.035, 0.001, 0.043]
    errors = [0.964, 0.006, 0.026, 0.057, 0.225, 0.029, 0.004, 0.010]
    found = [*model.intercept_, *model.coef_[0]]
    assert max(abs(a - b) for a, b in zip(found, book, strict=True)) < 6e-4
    assert max(abs(a - b) for a, b in zip(model.standard_errors_, errors, strict=True)) < 6e-4
