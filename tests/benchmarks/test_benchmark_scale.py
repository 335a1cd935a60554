# SPDX-License-Identifier: BSD-3-Clause
"""The suite ``scale``: rows on Dask's workers give answers that its checks take."""

from importlib.util import find_spec

import numpy as np
import pytest

from benchmarks.harness.registry import SUITES

SUITE = SUITES["scale"]


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed", reason="needs statfast[dask]")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def answered(library, problem, data):
    adapter = SUITE.adapter(library, problem)
    adapter.prepare(data, 2)
    adapter.fit()
    return adapter, adapter.answer()


@pytest.mark.parametrize("problem", SUITE.quick, ids=lambda problem: problem.task)
def test_rows_on_workers(client, problem):
    data = problem.data()
    adapter, answer = answered("statfast (Dask)", problem, data)
    assert type(adapter.X).__module__.startswith("dask")
    assert adapter.X.shape == data["shape"]
    check = SUITE.checker(problem, data)
    assert SUITE.verdict(problem, check(answer), ours=True)


def test_blocks_are_the_rows():
    """The same in every process, and a label for each."""
    problem = SUITE.quick[0]
    data, again = problem.data(), problem.data()
    adapter, _ = answered("statfast", problem, data)
    assert adapter.X.shape == (len(adapter.y), data["shape"][1]) == data["shape"]
    assert np.array_equal(adapter.X, np.concatenate([part()[0] for part in again["parts"]]))


@pytest.mark.parametrize(("library", "package"), [("dask-ml", "dask_ml"), ("dask-glm", "dask_glm")])
def test_what_is_not_installed_is_absent(library, package):
    if find_spec(package) is not None:
        pytest.skip(f"{package} is installed")
    for problem in SUITE.quick:
        if library in SUITE.entrants(problem):
            with pytest.raises(ModuleNotFoundError, match=package):
                SUITE.adapter(library, problem).prepare(problem.data(), 1)
