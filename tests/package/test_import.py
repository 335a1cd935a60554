# SPDX-License-Identifier: BSD-3-Clause
"""``import statfast`` is light: it loads numpy, starts nothing and leaves the process as it was."""

import json
import subprocess
import sys

import pytest

HEAVY = [
    "sklearn", "pandas", "polars", "pyarrow", "matplotlib", "formulaic", "snowballstemmer",
    "stop_words", "scipy.stats", "joblib",
]  # fmt: skip


def in_new_process(code):
    """What ``code`` leaves in ``answer``, run by a fresh interpreter."""
    script = f"import json\n{code}\nprint(json.dumps(answer))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def loaded():
    return in_new_process("import sys, statfast\nanswer = sorted(sys.modules)")


@pytest.mark.parametrize("name", HEAVY)
def test_import_leaves_heavy_packages_out(loaded, name):
    assert "statfast" in loaded
    assert name not in loaded


def test_pictures_are_loaded_on_use_and_matplotlib_when_one_is_drawn(loaded):
    assert "statfast.plot" not in loaded
    code = "import sys, statfast.plot\nanswer = sorted(sys.modules)"
    assert "matplotlib" not in in_new_process(code)


def test_import_starts_no_thread_or_process():
    code = "import threading, statfast\nanswer = [t.name for t in threading.enumerate()]"
    assert in_new_process(code) == ["MainThread"]


def test_import_changes_no_setting():
    """Warning filters, floating-point errors, random state and environment stay as they were."""
    code = """
import os, warnings, numpy as np
def settings():
    return repr((dict(os.environ), warnings.filters, np.geterr(), np.random.get_state()[1][:5]))
before = settings()
import statfast
answer = settings() == before
"""
    assert in_new_process(code) is True


def test_every_public_name_is_there():
    code = """
import statfast
names = getattr(statfast, "__all__", [])
answer = [name for name in names if not hasattr(statfast, name)]
assert len(names) == len(set(names)), "a name stands twice in __all__"
"""
    assert in_new_process(code) == []
