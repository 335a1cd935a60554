# SPDX-License-Identifier: BSD-3-Clause
"""A fuzzer: random calls of all that is public, and answers compared with slow twins.

``python -m tests.fuzz --calls 10000 --seed 0`` runs it; CONTRIBUTING.md says more. A case is
determined by its integer seed alone.

- ``surface.py``: what there is to call, found by looking.
- ``inputs.py``: rows and targets, their layouts and containers, and how they are spoiled.
- ``values.py``: values for parameters: valid, at the boundary, wrong.
- ``roles.py``, ``outcomes.py``, ``documents.py``, ``made.py``: what names of arguments stand for:
  rows and targets, what was said of them, texts, and what takes steps of its own to make.
- ``cases.py``: from a seed to the steps of a case.
- ``judge.py``: runs the steps and says what is a defect; ``known_reports.py``: what is none.
- ``differential.py``, ``exact.py``: answers against twins and conditions of optimality.
- ``workers.py``: processes with a time-out and a limit of memory.
"""
