# SPDX-License-Identifier: BSD-3-Clause
"""On a free-threaded Python, importing all of statfast leaves the global interpreter lock off."""

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import statfast

CORE = Path(statfast.__file__).parent / "_core"
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")

IMPORTS = """
import sys
from importlib import import_module

import statfast

for name in sys.argv[1:]:
    import_module(name)
for name in dir(statfast):
    getattr(statfast, name)
print(sys._is_gil_enabled())
"""


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python is not free-threaded"
)
def test_the_lock_stays_off():
    files = [file.relative_to(CORE.parent.parent) for file in CORE.rglob(f"*{SUFFIX}")]
    kernels = [".".join(file.parts).removesuffix(SUFFIX) for file in files]
    assert kernels
    command = [sys.executable, "-W", "error", "-c", IMPORTS, *kernels]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
