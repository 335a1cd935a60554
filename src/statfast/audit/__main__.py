# SPDX-License-Identifier: BSD-3-Clause
"""``python -m statfast.audit script.py``: run a script with scikit-learn, and its twins beside."""

from __future__ import annotations

import argparse
import shutil
import sys
import types
from collections.abc import Sequence
from pathlib import Path

from statfast.audit import watch

_DESCRIPTION = """\
Run a script that uses scikit-learn. Each fit, prediction, transformation and score is made by the
twin in statfast, too; then a table of times, memory and largest differences by line of the script
goes to standard error. The script gets scikit-learn's answers, and its exit code is kept."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a script, print the table, and return the script's exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m statfast.audit",
        usage="%(prog)s [-h] [--html FILE] [--width WIDTH] script ...",
        description=_DESCRIPTION,
        epilog="In a notebook: report = statfast.audit.watch().",
    )
    parser.add_argument("--html", metavar="FILE", help="write the table as HTML, too")
    parser.add_argument(
        "--width", type=int, help="characters of a line of the table (default: the terminal's)"
    )
    parser.add_argument("script", nargs="?", help="the script to run")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the script is given")
    options = parser.parse_args(arguments)
    if options.script is None:
        parser.error("there is no script. Name the one to run, and then its own arguments.")
    script = Path(options.script)
    if not script.is_file():
        parser.error(f"there is no file {options.script}")
    if options.html and not Path(options.html).resolve().parent.is_dir():
        parser.error(f"there is no folder for {options.html}")
    try:
        report = watch()
    except ImportError as error:
        parser.exit(1, f"{error}\n")
    with report:
        code = run(script, options.arguments)
    sys.stdout.flush()
    width = options.width or shutil.get_terminal_size((100, 24)).columns
    print(f"\n{report.text(width)}", file=sys.stderr)
    if options.html:
        Path(options.html).write_text(report._repr_html_(), "utf-8")
    return code


def run(script: Path, arguments: Sequence[str]) -> int:
    """Run a script as Python would, and return its exit code."""
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=str(script), __builtins__=__builtins__)
    before = sys.modules["__main__"], sys.argv, sys.path[:]
    sys.modules["__main__"] = module
    sys.argv = [str(script), *arguments]
    if not sys.flags.safe_path:
        sys.path[:1] = [str(script.resolve().parent)]
    try:
        # Without the __future__ of this module, which is not the script's.
        code = compile(script.read_bytes(), str(script), "exec", dont_inherit=True)
        exec(code, module.__dict__)
    except SystemExit as stop:
        return _exit_code(stop.code)
    except BaseException as error:
        error.__traceback__ = _without_audit(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    finally:
        sys.modules["__main__"], sys.argv, sys.path[:] = before
    return 0


def _without_audit(trace: types.TracebackType | None) -> types.TracebackType | None:
    """A traceback without frames of this package, which the script knows nothing of."""
    if trace is None:
        return None
    trace.tb_next = _without_audit(trace.tb_next)
    ours = trace.tb_frame.f_globals.get("__package__") == "statfast.audit"
    return trace.tb_next if ours else trace


def _exit_code(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    print(code, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
