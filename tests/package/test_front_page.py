# SPDX-License-Identifier: BSD-3-Clause
"""What README.md and the landing page say of the code is true, and its picture is what it draws."""

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "docs" / "index.rst"]
pytestmark = pytest.mark.skipif(not PAGES[1].exists(), reason="not among these files")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_number_of_estimators_is_counted(page):
    pytest.importorskip("sklearn", minversion="1.9")
    from tests.peers.scikit_learn_page import three_lists

    here, _, _ = three_lists()
    count = sum(map(len, here.values()))
    stated = int(
        re.search(r"more than (\d+) of\s+scikit-learn's estimators", page.read_text("utf-8"))[1]
    )
    assert stated < count <= stated + 20


def test_the_picture_is_drawn_by_the_code_beside_it(tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    from matplotlib import pyplot as plt

    text = PAGES[0].read_text("utf-8")
    name = re.search(r"!\[[^]]*\]\((docs/pictures/dendrogram\.png)\)", text)[1]
    lines = re.findall(r"^(?:>>>|\.\.\.) (.*)$", text, re.MULTILINE)
    with plt.rc_context({"backend": "agg"}):
        space = {}
        exec(
            "\n".join(line for line in lines if "from_formula" not in line and "model" not in line),
            space,
        )
        space["picture"].figure_.savefig(tmp_path / "drawn.png", dpi=100)
        plt.close("all")
    drawn, shown = plt.imread(tmp_path / "drawn.png"), plt.imread(ROOT / name)
    assert drawn.shape == shown.shape
    assert np.abs(drawn - shown).mean() < 0.02
