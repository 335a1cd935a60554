# SPDX-License-Identifier: BSD-3-Clause
"""Cases as text that reads like Python: what was called, with what."""

import re

import numpy as np
from scipy import sparse

SHOWN = 60  # numbers of an array that are written out


def described(case):
    """A line for each step; arrays are written out if short, else told by shape and kind."""
    if case.twin is not None:
        twin = f"{case.twin.__module__}.{case.twin.__name__}"
        return f"{twin}(numpy.random.default_rng([{case.seed}, 1]))"
    return "\n".join(line(step) for step in case.steps)


def line(step):
    given = ", ".join(
        f"{name}={shown(value)}" if name else shown(value) for name, value in step.args.items()
    )
    call = f"{step.receiver}.{step.call}" if step.receiver else step.name
    return f"{step.out} = {call}({given})" if step.out else f"{call}({given})"


def shown(value):
    if type(value).__name__ == "Ref":
        return value.name
    if sparse.issparse(value):
        return f"<{type(value).__name__} {value.shape} {value.dtype}>"
    if isinstance(value, np.ndarray):
        return array(value)
    if callable(value):
        return getattr(value, "__name__", "function")
    if isinstance(value, tuple) and any(type(part).__name__ == "Ref" for part in value):
        return ", ".join(map(shown, value))
    text = re.sub(r" at 0x\w+", "", repr(value)).replace("\n", " ")
    return text if len(text) < 30 * SHOWN else f"{text[: 10 * SHOWN]}..."


def array(value):
    flags = value.flags
    kind = "" if flags.c_contiguous else ".T" if flags.f_contiguous else f" strides {value.strides}"
    kind += "" if flags.writeable else " read-only"
    if value.size <= SHOWN or value.dtype.kind not in "biuf":
        body = np.array2string(value, separator=", ", threshold=SHOWN, max_line_width=10**6)
        return f"array({body}, {value.dtype}{kind})".replace("\n", "")
    least, most = np.min(value), np.max(value)
    return f"<array {value.shape} {value.dtype}{kind} from {least!s} to {most!s}>"
