# SPDX-License-Identifier: BSD-3-Clause
"""A copy of the tree in which one thing at a time is changed, built and put back.

Of a kernel are rebuilt the extensions that matter alone (at most `MOST`, those that name what was
changed), and vector code for the instruction-set level in use alone: the other levels stay as they
were.
Needs gcc; ccache, if there is one, is not asked.
"""

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

MAX_EXTENSIONS = 3  # extensions built for one change
TILES = "tile/tiles"
LEFT_OUT = shutil.ignore_patterns(".git", "__pycache__", ".hypothesis", ".ruff_cache")
COMPILER = """#!/bin/sh
case "$*" in
*simd/{level}*.c*|*tile/choose.c*) ;;
*" -c "*simd/*.c*) [ -n "$ONE_LEVEL" ] && exit 0 ;;
esac
exec gcc "$@"
"""


def _copied(old, new):
    """Copy what has changed, and it alone, so that nothing else is rebuilt."""
    if not Path(new).exists():
        shutil.copy2(old, new)
    elif Path(old).read_bytes() != Path(new).read_bytes():
        shutil.copy(old, new)


class Tree:
    """The copy in `work`, built, and what is known of its kernels."""

    def __init__(self, root, work):
        self.path, self.kept = work / "tree", work / "built"
        self.package = self.path / "src" / "statfast"
        self.core = self.package / "_core"
        new = not self.path.exists()
        left_out = (
            LEFT_OUT if new else shutil.ignore_patterns(".git", "__pycache__", "build", "*.so")
        )
        shutil.copytree(root, self.path, ignore=left_out, dirs_exist_ok=True, copy_function=_copied)
        for file in self.package.rglob("*.p*"):
            if (
                file.suffix in (".py", ".pyx", ".pxd")
                and not (root / file.relative_to(self.path)).exists()
            ):
                file.unlink()
        self.env = {**os.environ, "PYTHONPATH": "src", "PYTHONDONTWRITEBYTECODE": "1"}
        self._forget_changed_kernels()
        self._build({})
        asked = "from statfast._core.tile import tiles; print(tiles.isa())"
        isa = subprocess.check_output([sys.executable, "-c", asked], cwd=self.path, env=self.env)
        name = isa.decode().strip().removesuffix("-vnni").replace("-", "_")
        self.level = self.core / "simd" / f"{name}.c"
        compiler = work / "cc"
        compiler.write_text(COMPILER.format(level=name))
        compiler.chmod(0o755)
        self.compiler = {"CC": str(compiler), "ONE_LEVEL": "1"}
        shutil.copytree(self.core, self.kept, dirs_exist_ok=True)
        self.uses = {
            self._name(file)[:-4]: self._closure(file) for file in self.core.rglob("*.pyx")
        }

    def _forget_changed_kernels(self):
        """Drop the extensions that a run which was ended in the middle of a change has left."""
        made = self.path.glob("build/*/lib*/*/_core/**/*.so")
        for path in [*self.core.rglob("*.so"), *made]:
            name = path.as_posix().rpartition("/_core/")[2]
            kept = self.kept / name
            if kept.exists() and path.read_bytes() != kept.read_bytes():
                path.unlink()
                source = self.core / f"{name.partition('.')[0]}.pyx"
                if source.exists():
                    os.utime(source)  # newer than the objects it is linked of

    def _name(self, file):
        """The path below ``_core``."""
        return file.relative_to(self.core).as_posix()

    def _build(self, env):
        command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
        return subprocess.run(
            command, cwd=self.path, env={**self.env, **env}, capture_output=True, text=True,
            start_new_session=True,
        )  # fmt: skip

    def _closure(self, source):
        """The names of all files an extension is made of, but for the tables of the tiles."""
        wanted, found = [source, source.with_name(f"{source.stem}_level.h")], set()
        wanted += [source.with_name("level.h")] if source.stem == "tiles" else []
        wanted += [self.level] if any(file.exists() for file in wanted[1:]) else []
        while wanted:
            file = wanted.pop()
            if file.exists() and self._name(file) not in found:
                found.add(self._name(file))
                text = file.read_text()
                wanted += [self.core / name for name in re.findall(r'"([\w/]+\.h)"', text)]
                names = re.findall(r"_core\.([\w.]+) cimport", text)
                wanted += [self.core / f"{name.replace('.', '/')}.pxd" for name in names]
        return found

    def compiled(self):
        """Of each C header, the lines that the compiler sees for the level in use."""
        seen, alone = {}, sorted(self.core.rglob("*.h"))
        bodies = [self.core / "tile" / "level.h", *self.core.rglob("*_level.h")]
        runs = [[f"-DBODY={self._name(body)}", str(self.level)] for body in bodies]
        runs += [["-x", "c", str(file)] for file in alone if "vec_" not in file.name]
        for run in runs:
            if run[0] == "-x" and self._name(Path(run[2])) in seen:
                continue
            command = ["gcc", "-E", "-dD", "-I", str(self.core), *run]
            file, line = "", 0
            for text in subprocess.run(command, capture_output=True, text=True).stdout.splitlines():
                if mark := re.match(r'# (\d+) "(.*?)"', text):
                    line, file = int(mark[1]), mark[2].rpartition("/_core/")[2]
                elif text.strip():
                    seen.setdefault(file, set()).add(line)
                    line += 1
                else:
                    line += 1
        for file in alone:
            lines, known = file.read_text().splitlines(), seen.get(self._name(file), set())
            for line in sorted(known):
                while lines[line - 1].endswith("\\") and line < len(lines):
                    line += 1
                    known.add(line)
        return seen

    def extensions(self, mutant):
        """Those to build, and those whose tests may tell."""
        name = mutant.file.removeprefix("_core/")
        users = sorted(kernel for kernel, files in self.uses.items() if name in files)
        if name.endswith(".pyx"):
            users = [name.removesuffix(".pyx")]
        built = [TILES] if TILES in users and name.endswith(".h") else users
        told = sorted(self.uses) if built == [TILES] else users
        word = re.compile(rf"\b{re.escape(mutant.inside)}\b")
        named = [it for it in told if word.search((self.core / f"{it}.pyx").read_text())]
        random.Random(repr(mutant)).shuffle(built)
        built = sorted(built, key=lambda it: it not in named)[:MAX_EXTENSIONS]
        return built, (named or told) if built == [TILES] else built

    def put(self, mutant):
        """Make the change; what became of the build: "", "unbuildable" or "same code"."""
        file = self.package / mutant.file
        self.put_back = file, file.read_text(), file.stat().st_mtime_ns
        file.write_text(mutant.applied(self.put_back[1]))
        if file.suffix == ".py":
            return ""
        os.utime(file, ns=(self.put_back[2],) * 2)  # nothing is out of date but what is touched
        built, _ = self.extensions(mutant)
        for kernel in built:
            os.utime(self.core / f"{kernel}.pyx")
        if self._build(self.compiler).returncode:
            return "unbuildable"
        pairs = [
            (path, self.kept / self._name(path))
            for kernel in built
            for path in self.core.glob(f"{kernel}.*.so")
        ]
        same = all(path.read_bytes() == kept.read_bytes() for path, kept in pairs)
        return "same code" if same else ""

    def restore(self):
        """Take the change back, and the extensions as they were."""
        file, source, when = self.put_back
        file.write_text(source)
        os.utime(file, ns=(when, when))
        if file.suffix != ".py":
            made = self.path.glob("build/*/lib*/*/_core/**/*.so")
            for path in [*self.core.rglob("*.so"), *made]:
                kept = self.kept / path.as_posix().rpartition("/_core/")[2]
                if not kept.exists():  # of a kernel that is gone
                    continue
                if path.read_bytes() != kept.read_bytes():
                    shutil.copy(kept, path)
                os.utime(path)  # newer than what it is made of
