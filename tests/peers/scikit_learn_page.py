# SPDX-License-Identifier: BSD-3-Clause
"""The lists of scikit-learn's estimators in docs/howto/scikit_learn.rst, written from the code.

``python -m tests.peers.scikit_learn_page`` writes them for the installed scikit-learn. It also
writes the page's tables of differences as the file that audits read: the page is their one source.
"""

import re
from collections import defaultdict
from importlib import import_module
from pathlib import Path

from statfast._scikit_learn import ABSENT

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "scikit_learn.rst"
BEGIN = "..\n   The lists are written by tests/peers/scikit_learn_page.py.\n"
END = "..\n   The lists end here.\n"
DEVIATIONS = PAGE.parents[2] / "src" / "statfast" / "audit" / "deviations.tsv"


def enable_experiments():
    """Have scikit-learn show its experimental estimators, as other tests may have done already."""
    for name in ("enable_halving_search_cv", "enable_iterative_imputer"):
        import_module(f"sklearn.experimental.{name}")


def modules_of_estimators():
    """Pairs of a module of scikit-learn and an estimator in it, in the order of names."""
    enable_experiments()
    from sklearn.utils import all_estimators

    pairs = []
    for name, cls in all_estimators():
        parts = [part for part in cls.__module__.split(".")[1:] if not part.startswith("_")]
        depth = 2 if parts[0] == "feature_extraction" else 1
        pairs.append((".".join(parts[:depth]), name))
    return sorted(pairs)


def three_lists():
    """By module there: names that are here with their home, with advice, and neither."""
    here, advised, absent = defaultdict(list), [], defaultdict(list)
    for module, name in modules_of_estimators():
        advice = ABSENT.get(module, {}).get(name)
        if advice is None:
            cls = getattr(import_module(f"statfast.{module}"), name)
            here[module, cls.__module__.split(".")[1]].append(name)
        elif advice:
            advised.append((f"{module}.{name}", advice))
        else:
            absent[module].append(name)
    return here, advised, absent


def table(widths, *rows):
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", ""]
    for row in rows:
        lines += [f"   {'*' if k == 0 else ' '} - {cell}" for k, cell in enumerate(row)]
    return "\n".join(lines)


def lists():
    """The text between the marks of the page."""
    here, advised, absent = three_lists()
    count = sum(map(len, here.values()))
    rest = sum(map(len, absent.values()))
    names = [
        (f"``{module}``", f"``statfast.{home}``", ", ".join(f"`{name}`" for name in found))
        for (module, home), found in here.items()
    ]
    return "\n".join([
        f"{count} of its {count + len(advised) + rest} estimators are here, by the same name:\n",
        table("24 24 52", ("module there", "where it stands here", "estimators"), *names),
        f"\n{len(advised)} are not; this takes their place:\n",
        table("40 60", ("there", "here"), *((f"``{name}``", text) for name, text in advised)),
        f"\n{rest} are not; scikit-learn's own can be used together with statfast:\n",
        table("30 70", ("module there", "estimators"),
              *((f"``{module}``", ", ".join(f"``{name}``" for name in found))
                for module, found in absent.items())),
        "",
    ])  # fmt: skip


def parts_of_page():
    """The page before the lists, the lists, and the page after them."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    text, _, after = rest.partition(END)
    return before, text, after


def section(title):
    """The text below a title of the page, to the next one."""
    below = rf"\n{title}\n-+\n(.*?)(?=\n[^\n]+\n-{{4,}}\n|\Z)"
    return re.search(below, PAGE.read_text("utf-8"), re.S)[1]


def rows_of_table(text):
    """Cells of each row of a list-table, without markup, but for the row of headings."""
    rows = re.split(r"^   \* - ", text, flags=re.M)[2:]
    for row in rows:
        row = re.split(r"\n(?=\S)", row, maxsplit=1)[0]
        cells = re.split(r"^     - ", row, flags=re.M)
        yield [" ".join(re.sub(r"`+", "", cell).split()) for cell in cells]


def deviations():
    """The tables of differences as lines of a file: table, what, there, here."""
    lines = []
    for kinds, name, there, here, _ in rows_of_table(section("Defaults that differ")):
        lines.append(("defaults", f"{kinds}: {name}", there, here))
    for cells in rows_of_table(section("Answers that differ")):
        lines.append(("answers", *cells))
    return "".join("\t".join(line) + "\n" for line in lines)


if __name__ == "__main__":
    before, _, after = parts_of_page()
    PAGE.write_text(f"{before}{BEGIN}\n{lists()}\n{END}{after}", "utf-8")
    DEVIATIONS.write_text(deviations(), "utf-8")
