# SPDX-License-Identifier: BSD-3-Clause
"""Parameters that are True or False."""

import numpy as np

from statfast._errors import wrong_type


def as_flag(value, name):
    """Check a parameter that is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise wrong_type(name, "True or False", value)
    return bool(value)
