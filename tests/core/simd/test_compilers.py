# SPDX-License-Identifier: BSD-3-Clause
"""The vector code as other compilers read it; `.ci/cross.py` compiles it for other machines."""

import importlib
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from statfast._core.tile import tiles

CORE = Path(__file__).resolve().parents[3] / "src/statfast/_core"
BODIES = sorted(
    path.relative_to(CORE).as_posix() for path in [*CORE.rglob("*_level.h"), CORE / "tile/level.h"]
)
# What the processor and the system say, by Linux's names, of the levels of x86-64.
NEEDS = {
    "x86-64": (),
    "x86-64-v3": ("avx2", "fma", "f16c", "bmi1", "bmi2"),
}
NEEDS["x86-64-v4"] = (*NEEDS["x86-64-v3"], "avx512f", "avx512dq", "avx512bw", "avx512vl")
NEEDS["x86-64-v4-vnni"] = (*NEEDS["x86-64-v4"], "avx512_vnni")


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, cwd=CORE)
    return done.stdout if done.returncode == 0 else f"{command}\n{done.stderr}"


@pytest.mark.once
@pytest.mark.skipif(not shutil.which("gcc"), reason="there is no gcc")
@pytest.mark.parametrize("body", BODIES)
def test_plain_c_is_plain_to_msvc(body):
    """Without a word of GNU's: not an extension, not an array of variable length."""
    flags = [
        "-std=c11",
        "-pedantic-errors",
        "-Werror=vla",
        "-I.",
        "-D_GNU_SOURCE",
        f"-DBODY={body}",
    ]
    words = ["-D_MSC_VER=1940", "-D__forceinline=inline", "-D__declspec(x)="]
    assert output_of("gcc", *flags, *words, "-fsyntax-only", "simd/portable.c") == ""


@pytest.mark.skipif(not shutil.which("clang"), reason="there is no clang")
@pytest.mark.parametrize(
    ("machine", "macro"), [("x86_64", "STATFAST_X86"), ("aarch64", "STATFAST_NEON")]
)
def test_clang_cl_has_the_levels_of_the_machine(machine, macro):
    """It says _MSC_VER, as MSVC does, which has them where it is told of clang-cl."""
    see = ["clang", f"--target={machine}-pc-windows-msvc", "-E", "-dM", "simd/levels.h"]
    as_msvc = [*see, "-U__clang__"]
    assert f"#define {macro} 1" in output_of(*see)
    assert f"#define {macro} 1" not in output_of(*as_msvc)
    assert f"#define {macro} 1" in output_of(*as_msvc, "-DSTATFAST_CLANG_CL")


@pytest.mark.skipif(
    platform.system() != "Linux" or platform.machine() != "x86_64",
    reason="only Linux says what its processor can do",
)
def test_levels_are_those_of_the_processor():
    text = Path("/proc/cpuinfo").read_text("utf-8")
    flags = next(line for line in text.splitlines() if line.startswith("flags")).split()
    usable = [level for level in NEEDS if set(NEEDS[level]) <= set(flags)]
    assert [level for level in tiles.levels()[::-1] if level != "portable"] == usable


@pytest.mark.skipif(not shutil.which("clang"), reason="there is no clang")
@pytest.mark.parametrize("level", ["x86_64_v3", "x86_64_v4"])
def test_older_clang_cls_see_the_instructions_of_a_level(level, monkeypatch):
    """Before version 20 or so, headers hide what the command line does not ask for."""
    for needed in ("Cython", "setuptools"):
        pytest.importorskip(needed)
    root = CORE.parents[2]
    monkeypatch.syspath_prepend(str(root))
    flags = importlib.import_module("setup").instructions(CORE / f"simd/{level}.c")
    assert "-mavx2" in flags
    own = f"{output_of('clang', '-print-resource-dir').strip()}/include"
    headers = ["-nostdinc", "-ffreestanding", "-isystem", f"{root}/.ci/msvc", "-isystem", own]
    see = ["clang", "--target=x86_64-pc-windows-msvc", *headers, *flags, "-I.", "-fsyntax-only"]
    assert output_of(*see, "-DBODY=kdtree/search_level.h", f"simd/{level}.c") == ""
