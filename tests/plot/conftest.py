# SPDX-License-Identifier: BSD-3-Clause
"""What tests of pictures draw on."""

import pytest


@pytest.fixture
def ax():
    return pytest.importorskip("matplotlib.figure").Figure().subplots()
