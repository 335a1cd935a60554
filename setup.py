# SPDX-License-Identifier: BSD-3-Clause
"""Compiled part of the build; everything else is in pyproject.toml.

Every ``.pyx`` below ``src/statfast/_core`` is one extension. One with vector code of its own,
``NAME.pyx`` beside ``NAME_level.h``, compiles that header once per instruction-set level as well;
one whose own loops matter little says ``# build: glue`` below its license and is kept small, and so
is vector code that says ``/* build: small */`` there, as it is no slower by it. What
Cython adds to each (memoryviews above all) is an extension of its own, ``_core/_shared``.
MSVC has no vectors: the levels are compiled by clang-cl where there is one, else there is plain C
alone.

Two environment variables choose a variant, each with a build folder of its own so that they never
mix. Vector code has nothing to check without the sanitizers: one serves release and debug builds.

STATFAST_DEBUG=1      bounds, wraparound and initialization checks and assertions on
STATFAST_SANITIZE=1   the same, under the address and undefined-behavior sanitizers
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from copy import copy
from pathlib import Path
from sysconfig import get_config_var, get_platform

import Cython
from Cython.Build import cythonize
from Cython.Compiler import Options
from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer_group

CORE = Path("src/statfast/_core")
TILES = CORE / "tile/tiles.pyx"  # which says what levels there are: its vector code is all of tile/
CPUS = os.cpu_count() or 1
SANITIZE = os.environ.get("STATFAST_SANITIZE", "0") != "0"
DEBUG = SANITIZE or os.environ.get("STATFAST_DEBUG", "0") != "0"
SHARED = "statfast._core._shared"
KERNELS = sorted(CORE.rglob("*.pyx"))
LEVELS = ("portable", "x86_64", "x86_64_v3", "x86_64_v4", "neon")
VARIANT = "sanitize" if SANITIZE else "debug" if DEBUG else "release"
BUILD = f"build/{VARIANT}"
DEBUG_MACRO = ("STATFAST_DEBUG", None)

# One wheel serves all CPythons from 3.11 on, by the part of their interface that stays as it is.
# Loops are as quick; calls of a few microseconds take some hundredths more, for the views of arrays
# that they make. Free threads have no such part before 3.15. Builds in place are of one Python.
FREE_THREADS = bool(get_config_var("Py_GIL_DISABLED"))
STABLE = "bdist_wheel" in sys.argv and not DEBUG and not FREE_THREADS
STABLE_MACROS = [("Py_LIMITED_API", "0x030B0000")] if STABLE else []

# wraparound stays off in the debug variant: a negative index is then an error, not the last row.
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": DEBUG,
    "nonecheck": DEBUG,
    "binding": False,  # kernels are plain built-in functions
    "embedsignature": False,
    "freethreading_compatible": True,
}

# No -march=native (the tiles pick their instruction set at import) and no -ffast-math (it breaks
# NaN, infinity and compensated sums); errno and floating-point traps are never looked at.
GNU_FLAGS = [
    "-std=gnu11",
    "-fvisibility=hidden",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
]
VECTOR_CODE = ["-O3"]  # the levels
LOOPS = ["-O2", "-ftree-vectorize"]
GCC_LOOPS = ["-fvect-cost-model=dynamic"]  # clang refuses it, and needs none
GLUE = ["-Os"]  # loops are vector code elsewhere, or seldom run
# One of the three is followed by one of these two; the last -O counts.
BARE = ["-g0", "-fno-asynchronous-unwind-tables"]
CHECKED = ["-O1", "-g1", "-UNDEBUG"]  # of a debug build
OLDEST = CORE / "simd/x86_64.c"  # the level of processors before 2013: compiled for size
DEBUGGED = ("choose", "portable")  # C files beside the levels: plain C is in a debug build alone
GNU_LINK_FLAGS = []
# Names of functions serve profilers alone: in-place builds keep them, wheels do not.
NAMELESS = ["-s"] if sys.platform == "linux" and not DEBUG else []
if SANITIZE:
    sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    GNU_FLAGS += [*sanitizers, "-fno-omit-frame-pointer"]
    GNU_LINK_FLAGS += sanitizers
MSVC_FLAGS = ["/O2", "/std:c11"]
CLANG_CL = ("STATFAST_CLANG_CL", None)
CLANG_TARGETS = {"win-amd64": "x86_64-pc-windows-msvc", "win-arm64": "aarch64-pc-windows-msvc"}
# Where LLVM's installer and Visual Studio's put it, who leave PATH as it is.
CLANG_PLACES = ("LLVM/bin", "Microsoft Visual Studio/*/*/VC/Tools/Llvm/*/bin")


class BuildKernels(build_ext):
    """``build_ext`` on all processors, with the flags of the compiler at hand."""

    def finalize_options(self):
        super().finalize_options()
        self.parallel = self.parallel or CPUS
        self.anew = bool(self.force)
        self.force = self.force or DEBUG
        self.named = self.inplace  # which setuptools changes while it builds
        self.glue = {f"statfast._core.{dotted(source)}" for source in KERNELS if is_glue(source)}

    def build_extensions(self):
        """Look at the compiler, then build on all processors."""
        self.clang_cl = clang_cl() if self.plat_name in CLANG_TARGETS else None
        self.loops = LOOPS + [flag for flag in GCC_LOOPS if takes(self.compiler, flag)]
        super().build_extensions()

    def build_extension(self, extension):
        """Compile the levels and the rest with flags of their own, then link them."""
        files = [*extension.sources, *extension.depends]
        if not (self.force or newer_group(files, self.get_ext_fullpath(extension.name))):
            return
        levels = [source for source in extension.sources if Path(source).is_relative_to(CORE)]
        body = dict(extension.define_macros).get("BODY")
        vectors = self.loops if body and is_small(CORE / body) else VECTOR_CODE
        extension = copy(extension)
        if self.clang_cl:
            extension.define_macros = [*extension.define_macros, CLANG_CL]
        extension.extra_objects = [self.object(extension, file, vectors) for file in levels]
        extension.sources = [source for source in extension.sources if source not in levels]
        rest = GLUE if extension.name in self.glue else self.loops
        extension.extra_compile_args = self.flags(rest, debug=DEBUG)
        msvc, nameless = self.compiler.compiler_type == "msvc", [] if self.named else NAMELESS
        extension.extra_link_args = [] if msvc else GNU_LINK_FLAGS + nameless
        super().build_extension(extension)

    def object(self, extension, source, flags):
        """The object file of vector code, the same for all Pythons; compiled if it is not there."""
        debug = SANITIZE or (DEBUG and Path(source).stem in DEBUGGED)
        compiler, made_by = self.compiler, ""
        flags = GLUE if Path(source) == OLDEST else flags
        if self.clang_cl:
            compiler, made_by = self.level_compiler(), ".clang-cl"
            flags = [f"/clang:{flag}" for flag in [*GNU_FLAGS, *flags, *instructions(source)]]
        else:
            flags = self.flags(flags, debug=debug)
        folder = f"{BUILD if debug else 'build'}/levels.{get_platform()}{made_by}/{extension.name}"
        (file,) = compiler.object_filenames([source], output_dir=folder)
        if self.anew or newer_group([source, "setup.py", *extension.depends], file):
            macros = [pair for pair in extension.define_macros if debug or pair != DEBUG_MACRO]
            compiler.compile(
                [source],
                output_dir=folder,
                macros=macros,
                include_dirs=extension.include_dirs,
                extra_postargs=flags,
            )
        return file

    def level_compiler(self):
        """MSVC's folders, flags and headers with clang-cl in its place."""
        if not self.compiler.initialized:
            self.compiler.initialize(self.plat_name)
        compiler = copy(self.compiler)
        compiler.cc = self.clang_cl
        compiler.compile_options = [
            option for option in compiler.compile_options if option != "/GL"
        ]
        compiler.compile_options.append(f"--target={CLANG_TARGETS[self.plat_name]}")
        return compiler

    def flags(self, flags, *, debug):
        if self.compiler.compiler_type == "msvc":
            return MSVC_FLAGS
        return [*GNU_FLAGS, *flags, *(CHECKED if debug else BARE)]


class Wheel(bdist_wheel):
    """``bdist_wheel``, with a list of what is in the wheel (PEP 770, CycloneDX)."""

    def egg2dist(self, egginfo_path, distinfo_path):
        """Write the metadata, then the list beside it."""
        super().egg2dist(egginfo_path, distinfo_path)
        path = Path(distinfo_path, "sboms", "statfast.cdx.json")
        path.parent.mkdir()
        parts = bill_of_materials(self.distribution.metadata.version)
        path.write_text(json.dumps(parts, indent=1) + "\n")


def bill_of_materials(version):
    """The package; what Cython writes into each kernel; the data sets, each under its license."""
    package = {
        "type": "library",
        "bom-ref": f"pkg:pypi/statfast@{version}",
        "name": "statfast",
        "version": version,
        "purl": f"pkg:pypi/statfast@{version}",
        "licenses": [{"expression": "BSD-3-Clause AND CC-BY-4.0"}],
    }
    cython = {
        "type": "library",
        "bom-ref": f"pkg:pypi/cython@{Cython.__version__}",
        "name": "Cython",
        "version": Cython.__version__,
        "description": "parts of its run-time code are in each compiled kernel",
        "purl": f"pkg:pypi/cython@{Cython.__version__}",
        "licenses": [{"license": {"id": "Apache-2.0"}}],
    }
    tables = [
        {
            "type": "data",
            "bom-ref": file.name,
            "name": file.name,
            "hashes": [{"alg": "SHA-256", "content": digest(file)}],
            "licenses": [{"license": {"id": "CC-BY-4.0"}}],
        }
        for file in sorted(Path("src/statfast/datasets").glob("*.gz"))
    ]
    parts = [cython, *tables]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": package},
        "components": parts,
        "dependencies": [
            {"ref": package["bom-ref"], "dependsOn": [part["bom-ref"] for part in parts]}
        ],
    }


def description():
    """The README as package indexes show it: links and pictures within the project lead nowhere
    there, so that of links their words are left, and of pictures nothing."""
    text = Path("README.md").read_text(encoding="utf-8")
    inside = r"\((?!https?://|#)[^)]*\)"
    text = re.sub(rf"!\[[^]]*\]{inside}\n+", "", text)
    return re.sub(rf"\[([^]]*)\]{inside}", r"\1", text)


def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def clang_cl():
    """The path of clang-cl, or None."""
    roots = [
        Path(os.environ[name])
        for name in ("ProgramFiles", "ProgramFiles(x86)")
        if name in os.environ
    ]
    places = [
        str(folder) for root in roots for place in CLANG_PLACES for folder in root.glob(place)
    ]
    return shutil.which("clang-cl", path=os.pathsep.join([os.environ.get("PATH", ""), *places]))


def instructions(source):
    """Flags for the instructions of a level, without which older clang-cls hide their headers."""
    found = re.search(r'target\("([\w,]+)"\)', Path(source).read_text())
    return [f"-m{name}" for name in found[1].split(",")] if found else []


def takes(compiler, flag):
    """Whether the compiler knows a flag of gcc's."""
    if compiler.compiler_type == "msvc":
        return False
    command = [*compiler.compiler_so, "-Werror", flag, "-fsyntax-only", "-x", "c", os.devnull]
    return subprocess.run(command, capture_output=True).returncode == 0


def dotted(source):
    """The name below ``_core`` of a source, as ``kdtree.search``."""
    return ".".join(source.relative_to(CORE).with_suffix("").parts)


def headers(*sources):
    """All headers that the files, and those they cimport, include."""
    found = set()
    while sources:
        text = "".join(file.read_text() for file in sources)
        used = {CORE / name for name in re.findall(r'"([\w/]+\.h)"', text)}
        cimports = re.findall(r"_core\.([\w.]+) cimport", text)
        used |= {CORE / f"{name.replace('.', '/')}.pxd" for name in cimports}
        sources = used - found
        found |= used
    return sorted(str(file) for file in found if file.suffix == ".h")


def is_glue(source):
    return "\n# build: glue\n" in source.read_text()[:200]


def is_small(body):
    return "\n/* build: small */\n" in body.read_text()[:300]


def kernel(source):
    """The extension of one ``.pyx``, and of its vector code for each level."""
    macros = [DEBUG_MACRO if DEBUG else ("CYTHON_WITHOUT_ASSERTIONS", None)]
    sources, body = [source], source.with_name(f"{source.stem}_level.h")
    if source == TILES:
        body = source.with_name("level.h")
        sources += source.parent.glob("*.c")
    if body.exists():
        sources += [CORE / f"simd/{level}.c" for level in LEVELS]
        macros.append(("BODY", body.relative_to(CORE).as_posix()))
    return Extension(
        f"statfast._core.{dotted(source)}",
        [str(file) for file in sorted(sources)],
        include_dirs=[str(CORE)],
        depends=headers(*sources) + ([str(body), *headers(body)] if body.exists() else []),
        define_macros=macros + STABLE_MACROS,
        py_limited_api=STABLE,
    )


def shared():
    """The extension of what Cython would otherwise repeat in every other: two thirds of them."""
    source = Path(f"{BUILD}/cython/_shared.c")
    if not source.exists():
        source.parent.mkdir(parents=True, exist_ok=True)
        where = ["--module-name", SHARED, "--generate-shared", str(source)]
        subprocess.run([sys.executable, "-m", "cython", *where], check=True)
    return Extension(SHARED, [str(source)], define_macros=STABLE_MACROS, py_limited_api=STABLE)


def extensions():
    """All of them, of which Cython has written the C."""
    return [
        shared(),
        *cythonize(
            [kernel(source) for source in KERNELS],
            compiler_directives=DIRECTIVES,
            build_dir=f"{BUILD}/cython",
            nthreads=CPUS,
            shared_utility_qualified_name=SHARED,
        ),
    ]


if __name__ == "__main__":
    Options.docstrings = False  # of kernels: who reads them has the source
    setup(
        long_description=description(),
        long_description_content_type="text/markdown",
        ext_modules=extensions(),
        cmdclass={"build_ext": BuildKernels, "bdist_wheel": Wheel},
        options={
            "build": {"build_base": BUILD},
            **({"bdist_wheel": {"py_limited_api": "cp311"}} if STABLE else {}),
        },
    )
