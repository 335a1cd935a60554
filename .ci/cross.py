#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compile for machines that are not here: ``python .ci/cross.py [--written] [TARGET...]``.

Needs ``pip install ziglang Cython "setuptools>=77"``: one clang for all targets. Each body is
compiled once for each level of a target, with the flags of setup.py, in full but for optimization;
an error or a warning fails. On Windows the levels are clang-cl's (``TARGET-msvc``), and the rest is
MSVC's, as which ``msvc`` reads plain C: its words, none of GNU's. Its headers are those of
``.ci/msvc``. Nothing is run.

``--written`` compiles what Cython wrote instead, whose errors alone count. It needs the headers and
the configuration of a target's Python: those of this one serve Linux and macOS, ``.ci/windows`` has
one for Windows. That for WebAssembly, and what MSVC itself says, are untested.
"""

import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from sysconfig import get_path
from tempfile import TemporaryDirectory

import ziglang

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # not this folder, whose wheel.py would hide the package `wheel`
os.chdir(ROOT)
from setup import CLANG_CL, CORE, GNU_FLAGS, TILES, extensions  # noqa: E402

ZIG = Path(ziglang.__file__).parent
TARGETS = (
    "x86_64-linux-musl",
    "aarch64-linux-gnu",
    "x86_64-macos",
    "aarch64-macos",
    "x86_64-windows-gnu",
    "aarch64-windows-gnu",
    "x86_64-windows-msvc",
    "aarch64-windows-msvc",
    "wasm32-wasi",
    "msvc",
)
WITHOUT_PYTHON = ("x86_64-windows-msvc", "aarch64-windows-msvc", "wasm32-wasi", "msvc")
LEVELS = {
    "x86_64": ("x86_64", "x86_64_v3", "x86_64_v4"),
    "aarch64": ("neon", "portable"),
    "wasm32": ("portable",),
    "msvc": ("portable",),
}
BODIES = sorted([*CORE.rglob("*_level.h"), TILES.with_name("level.h")])
# A body may use some of the functions of a header, at which gcc's -Wall points too.
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
# What zig says of itself; and zig's own checks of undefined behavior, which need a library.
QUIET = ["-Wno-unused-command-line-argument", "-fno-sanitize=all"]
HEADERS = ["-nostdinc", "-isystem", ".ci/msvc", "-isystem", f"{ZIG}/lib/include", "-ffreestanding"]
STRICT = ["-std=c11", "-pedantic-errors", "-Wvla", "-U__clang__", "-U__GNUC__", "-Wno-pragma-pack"]


def compiler(target):
    """The command that stands for a target's compiler."""
    if target == "msvc":
        return [f"{ZIG}/zig", "clang", "--target=x86_64-pc-windows-msvc", *HEADERS, *STRICT]
    if target.endswith("-msvc"):
        triple = target.replace("-windows-", "-pc-windows-")
        macro = f"-D{CLANG_CL[0]}"
        return [f"{ZIG}/zig", "clang", f"--target={triple}", *HEADERS, macro, *GNU_FLAGS]
    return [f"{ZIG}/zig", "cc", "-target", target, *GNU_FLAGS, *QUIET]


def units(target):
    """The files of a target, each with its flags."""
    levels = LEVELS[target.partition("-")[0]]
    for body in BODIES:
        for level in levels:
            yield CORE / f"simd/{level}.c", [f"-DBODY={body.relative_to(CORE).as_posix()}"]
    for file in sorted(TILES.parent.glob("*.c")):
        if "x86_64" in levels or "x86_64" not in file.stem:
            yield file, []


def written(target, folder):
    """The C that Cython wrote, with the headers of a target's Python."""
    headers = Path(folder, "windows" if "windows" in target else "here")
    if not headers.exists():
        shutil.copytree(get_path("platinclude"), headers)
        if "windows" in target:
            shutil.copy(".ci/windows/pyconfig.h", headers)
    for extension in extensions():
        for source in map(Path, extension.sources):
            if not source.is_relative_to(CORE):
                yield source, [f"-I{headers}", "-w"]


def compiled(target, file, flags, folder):
    """What the compiler says of a file; nothing, if all is well."""
    made = Path(folder, " ".join([target, *flags, str(file)]).replace("/", "-")).with_suffix(".o")
    kind = ["-fsyntax-only"] if target == "msvc" else ["-O0", "-c", "-o", str(made)]
    command = [*compiler(target), *WARNINGS, *kind, f"-I{CORE}", *flags, str(file)]
    caches = {"ZIG_GLOBAL_CACHE_DIR": folder, "ZIG_LOCAL_CACHE_DIR": folder}
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | caches)
    made.unlink(missing_ok=True)
    said = done.stderr.strip()
    return f"{' '.join(command)}\n{said or 'failed'}" if said or done.returncode else ""


def main(targets, of_cython):
    began = time.monotonic()
    with TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        files = {
            target: written(target, folder) if of_cython else units(target) for target in targets
        }
        jobs = [(target, *unit) for target in targets for unit in files[target]]
        said = list(pool.map(lambda job: compiled(*job, folder), jobs))
    faults = [words for words in said if words]
    count = Counter(target for target, *_ in jobs)
    print(*faults, sep="\n\n")
    for target in targets:
        print(f"{target}: {count[target]} files")
    print(f"{len(jobs)} files, {len(faults)} with faults, {time.monotonic() - began:.0f} s")
    return bool(faults)


if __name__ == "__main__":
    of_cython = "--written" in sys.argv
    known = [target for target in TARGETS if target not in WITHOUT_PYTHON or not of_cython]
    wanted = [word for word in sys.argv[1:] if word != "--written"] or known
    unknown = set(wanted) - set(known)
    sys.exit(f"unknown: {unknown}; known: {known}" if unknown else main(wanted, of_cython))
