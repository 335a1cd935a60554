# SPDX-License-Identifier: BSD-3-Clause
"""A program with scikit-learn, audited: each call is made by its twin here, too, and compared.

``python -m statfast.audit script.py`` runs a script, `watch` watches a notebook.
"""

from __future__ import annotations

from statfast.audit.report import AuditReport

__all__ = ["AuditReport", "watch"]

_active: list[AuditReport] = []


def watch() -> AuditReport:
    """Watch the calls of a program to scikit-learn, and make each of them with statfast, too.

    Each fit, prediction, transformation and score of an estimator of scikit-learn that has a
    twin, the class of the same name in statfast, is made by both, with the same parameters and
    copies of the same arguments. The program's own results are scikit-learn's, untouched; what a
    twin raises, warns of, prints or draws does not reach the program. The audit begins with the
    call, and ends with the ``with`` block, with `AuditReport.stop`, or with the next call of
    `watch`.

    Returns
    -------
    AuditReport
        Times, memory and largest differences by line of the program, which is filled as calls are
        made.

    Raises
    ------
    ImportError
        If scikit-learn is not installed.

    Notes
    -----
    A parameter that has scikit-learn's default is left at the default of the twin, as after a
    change of imports. Where answers differ, a row of the tables of
    :doc:`differences </howto/scikit_learn>` is sought: both are fitted again, with the defaults of
    one of them, until convergence, or with other seeds, and a row is named if the difference
    disappears (or, with seeds, is no larger than between them).

    Calls that an estimator makes itself, such as those of a search for its candidates, are part of
    its call: the outermost is doubled. Not doubled are calls of other processes, of classes without
    a twin, of the program's own subclasses, of estimators that were fitted inside another call or
    before the audit, and arguments that can be read once, such as generators. Functions of the
    program that are passed as parameters are called by the twin, too.

    The program takes the time of both, and of copies of its arguments; these are kept as long as
    the estimator that was fitted to them.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> import statfast.audit
    >>> from statfast.datasets import load_wine
    >>> wine = load_wine()
    >>> with statfast.audit.watch() as report:
    ...     model = Ridge(alpha=2.0).fit(wine.data, wine.target)
    ...     values = model.predict(wine.data)
    >>> [(row.call, row.verdict) for row in report.rows]
    [('Ridge.fit', 'equal'), ('Ridge.predict', 'equal')]
    """
    try:
        import sklearn  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "An audit compares with scikit-learn, which is not installed: pip install scikit-learn."
        ) from error
    while _active:
        _active.pop().stop()
    _active.append(AuditReport())
    return _active[-1]


__dir__ = __all__.copy  # the names of the module, not the modules in it
