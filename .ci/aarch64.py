#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A Python for 64-bit ARM on another Linux machine, with the package: ``python .ci/aarch64.py``.

Makes ``build/aarch64``: Debian's ``python3`` for arm64, with its libraries and headers, unpacked
and never installed; numpy, scipy and what the tests need, from wheels; the package, whose C is
compiled by zig's clang; and ``python``, a script that runs all of it under qemu's emulation. Root
is not needed. Needs

    apt-get install qemu-user-static        (and debian-archive-keyring, where that is not Debian's)
    pip install ziglang uv Cython "setuptools>=77"

An emulated call takes some ten times as long as one of the machine.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import ziglang

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "build/aarch64"
RELEASE = "bookworm"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
SOURCE = f"deb [signed-by={KEYRING}] http://deb.debian.org/debian {RELEASE} main\n"
DEBS = ("python3", "libpython3-dev", "libstdc++6")
WHEELS = ("numpy", "scipy", "pytest", "hypothesis", "scikit-learn", "pandas")
ZIG = f"{Path(ziglang.__file__).parent}/zig cc -target aarch64-linux-gnu.2.28"
COPIED = ("LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py", "src", "tests")


def run(*command, **more):
    subprocess.run([str(word) for word in command], check=True, **more)


def system():
    """Unpack Debian's packages for arm64, with all they depend on, in a folder of their own."""
    root, apt = HERE / "root", HERE / "apt"
    if root.exists():
        return root
    for folder in ("state/lists/partial", "cache/archives/partial"):
        (apt / folder).mkdir(parents=True, exist_ok=True)
    (apt / "status").touch()
    (apt / "sources.list").write_text(SOURCE)
    settings = {
        "Dir::Etc::sourcelist": apt / "sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::State": apt / "state",
        "Dir::State::status": apt / "status",
        "Dir::Cache": apt / "cache",
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Sandbox::User": "",
        "Debug::NoLocking": 1,
    }
    command = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in settings.items())]
    run(*command, "update")
    run(*command, "--yes", "--no-install-recommends", "--download-only", "install", *DEBS)
    unpacked = HERE / "unpacked"
    for package in sorted((apt / "cache/archives").glob("*.deb")):
        run("dpkg", "-x", package, unpacked)
    unpacked.rename(root)
    return root


def headers(root, python):
    """Python's headers: Debian's pyconfig.h names that of the machine by its path."""
    folder = HERE / "include"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root / f"usr/include/{python}", folder)
    shutil.copy(root / f"usr/include/aarch64-linux-gnu/{python}/pyconfig.h", folder)
    return folder


def wheels(version):
    """Install numpy and what the tests need, as wheels for ARM, and none of the package's."""
    folder = HERE / "site"
    place = ["--target", folder, "--python-platform", "aarch64-manylinux_2_28"]
    which = ["--python-version", version, "--only-binary", ":all:"]
    run(sys.executable, "-m", "uv", "pip", "install", "--quiet", *place, *which, *WHEELS)
    return folder


def package(include, python):
    """Build a copy of the tree in place, in which C that Cython has written already is kept."""
    tree = HERE / "tree"
    tree.mkdir(exist_ok=True)
    for name in COPIED:
        if (ROOT / name).is_dir():
            skip = shutil.ignore_patterns("*.so", "__pycache__")
            shutil.copytree(ROOT / name, tree / name, ignore=skip, dirs_exist_ok=True)
        else:
            shutil.copy2(ROOT / name, tree)
    suffix = f".cpython-{python.removeprefix('python').replace('.', '')}-aarch64-linux-gnu.so"
    built = {
        "CC": ZIG,
        "LDSHARED": f"{ZIG} -shared",
        "CFLAGS": f"-I{include}",
        "SETUPTOOLS_EXT_SUFFIX": suffix,
        "_PYTHON_HOST_PLATFORM": "linux-aarch64",
    }
    command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    run(*command, cwd=tree, env=os.environ | built)
    return tree


def main():
    qemu = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if not qemu:
        sys.exit("qemu is missing: apt-get install qemu-user-static")
    HERE.mkdir(parents=True, exist_ok=True)
    root = system()
    python = next(
        p.name for p in (root / "usr/bin").iterdir() if re.fullmatch(r"python3\.\d+", p.name)
    )
    site = wheels(python.removeprefix("python"))
    tree = package(headers(root, python), python)
    # A process that it starts is to be emulated too: so the script is what sys.executable names.
    script = HERE / "python"
    script.write_text(
        "#!/bin/sh\n"
        "export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1\n"
        f"export PYTHONPATH={tree}/src:{site}\n"
        f'exec {qemu} -L {root} -0 {script} -E PYTHONHOME={root}/usr {root}/usr/bin/{python} "$@"\n'
    )
    script.chmod(0o755)
    run(script, "-c", "from statfast._core.tile import tiles; print(tiles.levels(), tiles.isa())")


if __name__ == "__main__":
    main()
