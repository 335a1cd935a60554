# SPDX-License-Identifier: BSD-3-Clause
"""Models in and out: files of numbers and text, and fitted models of scikit-learn."""

from statfast.interchange.files.model_file import load, save

__all__ = ["load", "save"]
