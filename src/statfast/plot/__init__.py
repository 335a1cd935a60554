# SPDX-License-Identifier: BSD-3-Clause
"""Pictures on matplotlib axes. Needs the extra ``plot``; matplotlib is loaded when one is drawn."""

from statfast.plot.coefficients import coefficients
from statfast.plot.diagnostics import diagnostics
from statfast.plot.path import regularization_path
from statfast.plot.regions import decision_regions

__all__ = ["coefficients", "decision_regions", "diagnostics", "regularization_path"]
