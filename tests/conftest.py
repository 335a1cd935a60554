# SPDX-License-Identifier: BSD-3-Clause
"""Settings and fixtures shared by all tests."""

import gc
import os
import signal
import zlib
from pathlib import Path

import numpy as np
import pytest

import statfast
from tests import examples

try:
    import hypothesis
except ModuleNotFoundError:
    hypothesis = examples.install()

ROOT = Path(__file__).resolve().parents[1]

# Marked "wheel": what an installed wheel is asked on every platform, with numpy, scipy and pytest
# alone. With `-m wheel` nothing else is looked at, as other tests import what may not be there.
WHEEL = [
    ("core",),
    ("contract", "test_contract.py"),
    ("package", "test_free_threading.py"),
    ("package", "test_tour.py"),
]

# Timing plays no part in these tests. The examples are the same on every run, so that a failure
# can be repeated; HYPOTHESIS_PROFILE=explore draws new ones, and "brief" is for repetitions of the
# suite on further builds and instruction-set levels.
hypothesis.settings.register_profile(
    "repeatable", deadline=None, derandomize=True, max_examples=60, database=None
)
hypothesis.settings.register_profile(
    "brief", deadline=None, derandomize=True, max_examples=10, database=None
)
hypothesis.settings.register_profile(
    "explore", deadline=None, max_examples=1000, print_blob=True, database=None
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


class RepeatableDraws:
    """Stands for ``numpy.random.default_rng``: draws without a seed are those of the test's name.

    A test that passes no seed draws the same numbers on every run, so that none fails by luck;
    two generators of one test draw different ones. A seed that is passed is used as it is.
    """

    def __init__(self, default_rng):
        self.default_rng = default_rng
        self.enter("")

    def enter(self, test):
        """Start the draws of a test, numpy's global ones among them."""
        name = zlib.crc32(test.encode())
        self.seeds = np.random.SeedSequence(name)
        np.random.seed(name)  # noqa: NPY002

    def __call__(self, seed=None):
        return self.default_rng(self.seeds.spawn(1)[0] if seed is None else seed)


if os.environ.get("HYPOTHESIS_PROFILE") != "explore":
    np.random.default_rng = RepeatableDraws(np.random.default_rng)


def pytest_runtest_setup(item):
    if isinstance(np.random.default_rng, RepeatableDraws):
        np.random.default_rng.enter(item.nodeid)


# A command that a script starts in the background ignores Ctrl-C, and so would all it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def is_for_wheels(path):
    below = path.relative_to(ROOT / "tests").parts
    return any(below[: len(place)] == place[: len(below)] for place in WHEEL)


def pytest_ignore_collect(collection_path, config):
    """Leave out what is not for wheels, where these are tested; else decide nothing."""
    wheels = config.option.markexpr.startswith("wheel")
    return True if wheels and not is_for_wheels(collection_path) else None


def pytest_itemcollected(item):
    if is_for_wheels(item.path):
        item.add_marker("wheel")


def pytest_collection_finish():
    """What was collected stays: in garbage collections it took 8 % of the contract's time."""
    gc.collect()
    gc.freeze()


def pytest_report_header():
    """Say what is being tested: which copy of the package, and which kernels."""
    header = f"statfast {statfast.__version__} from {Path(statfast.__file__).parent}"
    try:
        from statfast._core.tile import tiles
    except ImportError as error:
        return f"{header}, kernels missing: {error}"
    return f"{header}, kernels for {tiles.isa()} (this machine runs {', '.join(tiles.levels())})"


@pytest.fixture(scope="session")
def shared_data():
    """A function from the parts of a path to a file or folder of the large data sets.

    They are too large for the wheel and are read from ``$STATFAST_DATA``, or from the folder
    ``../shared/data`` beside the checkout. A test that asks for one that is not there is skipped.
    """
    folder = Path(os.environ.get("STATFAST_DATA") or ROOT.parent / "shared" / "data")

    def find(*parts):
        path = folder.joinpath(*parts)
        if not path.exists():
            pytest.skip(f"{'/'.join(parts)} is not in {folder}; set STATFAST_DATA")
        return path

    return find
