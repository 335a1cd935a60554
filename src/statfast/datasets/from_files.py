# SPDX-License-Identifier: BSD-3-Clause
"""Tables that are read from their original files, which are not shipped."""

from __future__ import annotations

import gzip
import os
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from statfast._typing import Array
from statfast._validation import as_flag, wrong_type
from statfast.datasets.bundled import Dataset, as_asked

SPAMBASE_WORDS = """
make address all 3d our over remove internet order mail receive will people report addresses free
business email you credit your font 000 money hp hpl george 650 lab labs telnet 857 data 415 85
technology 1999 parts pm direct cs meeting original project re edu table conference
"""
SPAMBASE_COLUMNS = (
    *(f"word_freq_{word}" for word in SPAMBASE_WORDS.split()),
    *(f"char_freq_{sign}" for sign in ";([!$#"),
    "capital_run_length_average",
    "capital_run_length_longest",
    "capital_run_length_total",
)


@dataclass(frozen=True)
class TableFile:
    """Where a table of numbers is, and what its lines hold."""

    room: str
    name: str
    source: str
    target_names: tuple[str, ...]
    columns: tuple[str, ...]
    header: bool = True  # the first line holds names, not numbers
    separator: str | None = None
    target: int = 0  # the column of the classes: the first, or -1 for the last
    words: dict[str, str] = field(default_factory=dict)  # what stands for a class, in its place

    def read(self, folder: Any) -> Dataset:
        """The table of a folder, or of $STATFAST_DATA."""
        path, text = text_of(folder, self.room, self.name)
        lines = text.replace('"', "").splitlines()[self.header :]
        for word, number in self.words.items():
            lines = [line.replace(word, number, 1) for line in lines]
        table = numbers_of(path, lines, len(self.columns) + 1, self.separator)
        return Dataset(
            data=np.delete(table, self.target, axis=1),
            target=table[:, self.target].astype(np.intp if self.target_names else np.float64),
            feature_names=self.columns,
            target_names=self.target_names,
            source=self.source,
        )


SPAMBASE = TableFile(
    room="spam",
    name="spambase.data",
    source="Hopkins, Reeber, Forman and Suermondt (1999), UCI, doi:10.24432/C53G6X, CC BY 4.0",
    target_names=("ham", "spam"),
    columns=SPAMBASE_COLUMNS,
    header=False,
    separator=",",
    target=-1,
)
BABY = TableFile(
    room="misc",
    name="baby.dat",
    source="a table of courses on logistic regression",
    target_names=("died", "survived"),
    columns=("Weight", "Age", "Apgar1", "Apgar5", "pH"),
)
EARTHQUAKES = TableFile(
    room="misc",
    name="earthquake.txt",
    source="a table of courses on classification",
    target_names=("earthquake", "explosion"),
    columns=("body", "surface"),
    words={"equake": "0", "explosn": "1"},
)
DIABETES = TableFile(
    room="misc",
    name="diabetes.tab.txt",
    source="Efron, Hastie, Johnstone and Tibshirani (2004), doi:10.1214/009053604000000067",
    target_names=(),
    columns=("age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"),
    target=-1,
)


class Messages(NamedTuple):
    """Short messages and what they are.

    Attributes
    ----------
    texts : list of n str
        The messages.
    labels : ndarray of shape (n,), str
        "ham" or "spam" for each.

    Examples
    --------
    >>> import numpy as np
    >>> from statfast.datasets import Messages
    >>> messages = Messages(["You won a prize", "See you at six"], np.array(["spam", "ham"]))
    >>> [text for text, label in zip(*messages) if label == "spam"]
    ['You won a prize']
    """

    texts: list[str]
    labels: NDArray[np.str_]


def load_sms_spam(folder: str | os.PathLike[str] | None = None) -> Messages:
    """The SMS Spam Collection: 5574 messages, of which 747 are spam.

    Parameters
    ----------
    folder : path, optional
        The folder that holds ``SMSSpamCollection``, or the same with ``.gz``. None takes
        ``$STATFAST_DATA/spam``.

    Returns
    -------
    Messages
        The named tuple ``(texts, labels)``.

    Raises
    ------
    FileNotFoundError
        If `folder` is None and the environment variable STATFAST_DATA is not set, or if the file is
        missing.
    ValueError
        If a line is not a label, a tab and a message.

    References
    ----------
    Almeida, T. A., Gómez Hidalgo, J. M. and Yamakami, A. (2011). Contributions to the study of SMS
    spam filtering: new collection and results. DocEng, 259-262.
    https://doi.org/10.1145/2034691.2034742. UCI, https://doi.org/10.24432/C5CC84. CC BY 4.0.

    Examples
    --------
    >>> from statfast.datasets import load_sms_spam
    >>> texts, labels = load_sms_spam()  # doctest: +SKIP
    >>> len(texts), int((labels == "spam").sum())  # doctest: +SKIP
    (5574, 747)
    """
    path, text = text_of(folder, "spam", "SMSSpamCollection")
    lines = [line.partition("\t") for line in text.splitlines()]
    for number, (label, tab, _) in enumerate(lines, 1):
        if label not in ("ham", "spam") or not tab:
            raise ValueError(f"{path}: line {number} is not a label, tab and message.")
    return Messages([message for *_, message in lines], np.array([label for label, *_ in lines]))


@overload
def load_spambase(
    folder: str | os.PathLike[str] | None = ...,
    *,
    return_X_y: Literal[False] = ...,
    as_frame: bool = ...,
) -> Dataset: ...
@overload
def load_spambase(
    folder: str | os.PathLike[str] | None = ...,
    *,
    return_X_y: Literal[True],
    as_frame: Literal[False] = ...,
) -> tuple[Array, Array]: ...
@overload
def load_spambase(
    folder: str | os.PathLike[str] | None = ..., *, return_X_y: bool = ..., as_frame: bool = ...
) -> Any: ...
def load_spambase(
    folder: str | os.PathLike[str] | None = None, *, return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:  # fmt: skip
    """Spambase: how often words and signs are in 4601 letters, of which 1813 are spam.

    Parameters
    ----------
    folder : path, optional
        The folder that holds ``spambase.data``, or the same with ``.gz``. None takes
        ``$STATFAST_DATA/spam``.
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    as_frame : bool, default=False
        Let data be a pandas data frame and target a series.

    Returns
    -------
    Dataset
        4601 rows of "ham" (2788) and "spam" (1813), 57 float64 columns: percentages of words and of
        signs, and lengths of runs of capital letters.

    Raises
    ------
    FileNotFoundError
        If `folder` is None and the environment variable STATFAST_DATA is not set, or if the file is
        missing.
    ValueError
        If the file does not hold 58 numbers in each line.

    References
    ----------
    Hopkins, M., Reeber, E., Forman, G. and Suermondt, J. (1999). Spambase. UCI Machine Learning
    Repository. https://doi.org/10.24432/C53G6X. CC BY 4.0.

    Examples
    --------
    >>> from statfast.datasets import load_spambase
    >>> spam = load_spambase()  # doctest: +SKIP
    >>> spam.data.shape, spam.feature_names[0]  # doctest: +SKIP
    ((4601, 57), 'word_freq_make')
    """
    return as_asked(SPAMBASE.read(folder), return_X_y, as_frame)


@overload
def load_baby(
    folder: str | os.PathLike[str] | None = ...,
    *,
    return_X_y: Literal[False] = ...,
    as_frame: bool = ...,
) -> Dataset: ...
@overload
def load_baby(
    folder: str | os.PathLike[str] | None = ...,
    *,
    return_X_y: Literal[True],
    as_frame: Literal[False] = ...,
) -> tuple[Array, Array]: ...
@overload
def load_baby(
    folder: str | os.PathLike[str] | None = ..., *, return_X_y: bool = ..., as_frame: bool = ...
) -> Any: ...
def load_baby(
    folder: str | os.PathLike[str] | None = None, *, return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:  # fmt: skip
    """Survival of 247 infants with a very low weight at birth.

    Parameters
    ----------
    folder : path, optional
        The folder that holds ``baby.dat``, or the same with ``.gz``. None takes
        ``$STATFAST_DATA/misc``.
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    as_frame : bool, default=False
        Let data be a pandas data frame and target a series.

    Returns
    -------
    Dataset
        247 rows of "died" (86) and "survived" (161), 5 float64 columns: weight in grams, age of
        gestation in weeks, Apgar scores after one and five minutes, pH of the blood.

    Raises
    ------
    FileNotFoundError
        If `folder` is None and the environment variable STATFAST_DATA is not set, or if the file is
        missing.
    ValueError
        If the file does not hold 6 numbers in each line after the first.

    Notes
    -----
    A table of courses on logistic regression, without a license of its own.

    Examples
    --------
    >>> from statfast.datasets import load_baby
    >>> baby = load_baby()  # doctest: +SKIP
    >>> baby.data.shape, baby.target_names  # doctest: +SKIP
    ((247, 5), ('died', 'survived'))
    """
    return as_asked(BABY.read(folder), return_X_y, as_frame)


@overload
def load_earthquakes(
    folder: str | os.PathLike[str] | None = ...,
    *,
    return_X_y: Literal[False] = ...,
    as_frame: bool = ...,
) -> Dataset: ...
@overload
def load_earthquakes(
    folder: str | os.PathLike[str] | None = ...,
    *,
    return_X_y: Literal[True],
    as_frame: Literal[False] = ...,
) -> tuple[Array, Array]: ...
@overload
def load_earthquakes(
    folder: str | os.PathLike[str] | None = ..., *, return_X_y: bool = ..., as_frame: bool = ...
) -> Any: ...
def load_earthquakes(
    folder: str | os.PathLike[str] | None = None, *, return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:  # fmt: skip
    """Magnitudes of the waves of 26 earthquakes and of 11 nuclear explosions.

    Parameters
    ----------
    folder : path, optional
        The folder that holds ``earthquake.txt``, or the same with ``.gz``. None takes
        ``$STATFAST_DATA/misc``.
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    as_frame : bool, default=False
        Let data be a pandas data frame and target a series.

    Returns
    -------
    Dataset
        37 rows of "earthquake" (26) and "explosion" (11), 2 float64 columns: the magnitudes of body
        and of surface waves.

    Raises
    ------
    FileNotFoundError
        If `folder` is None and the environment variable STATFAST_DATA is not set, or if the file is
        missing.
    ValueError
        If a line after the first is not a kind and two numbers.

    Notes
    -----
    A table of courses on classification, without a license of its own.

    Examples
    --------
    >>> from statfast.datasets import load_earthquakes
    >>> quakes = load_earthquakes()  # doctest: +SKIP
    >>> quakes.data.shape, quakes.feature_names  # doctest: +SKIP
    ((37, 2), ('body', 'surface'))
    """
    return as_asked(EARTHQUAKES.read(folder), return_X_y, as_frame)


@overload
def load_diabetes(
    folder: str | os.PathLike[str] | None = ...,
    *,
    return_X_y: Literal[False] = ...,
    as_frame: bool = ...,
    scaled: bool = ...,
) -> Dataset: ...
@overload
def load_diabetes(
    folder: str | os.PathLike[str] | None = ...,
    *,
    return_X_y: Literal[True],
    as_frame: Literal[False] = ...,
    scaled: bool = ...,
) -> tuple[Array, Array]: ...
@overload
def load_diabetes(
    folder: str | os.PathLike[str] | None = ...,
    *,
    return_X_y: bool = ...,
    as_frame: bool = ...,
    scaled: bool = ...,
) -> Any: ...
def load_diabetes(
    folder: str | os.PathLike[str] | None = None, *, return_X_y: bool = False,
    as_frame: bool = False, scaled: bool = True,
) -> Any:  # fmt: skip
    """Ten measurements of 442 patients with diabetes, and the progress of the disease in a year.

    Parameters
    ----------
    folder : path, optional
        The folder that holds ``diabetes.tab.txt``, or the same with ``.gz``. None takes
        ``$STATFAST_DATA/misc``.
    return_X_y : bool, default=False
        Return ``(data, target)`` alone.
    as_frame : bool, default=False
        Let data be a pandas data frame and target a series.
    scaled : bool, default=True
        Center the columns and let their squares sum to 1, as the paper does. False leaves them in
        their units.

    Returns
    -------
    Dataset
        442 rows, 10 float64 columns: age, sex (1 or 2), body mass index, blood pressure, and six
        measurements of blood serum. The target is a number from 25 to 346.

    Raises
    ------
    FileNotFoundError
        If `folder` is None and the environment variable STATFAST_DATA is not set, or if the file is
        missing.
    ValueError
        If the file does not hold 11 numbers in each line after the first.

    Notes
    -----
    Not shipped, for its page names no license:
    https://www4.stat.ncsu.edu/~boos/var.select/diabetes.tab.txt.

    References
    ----------
    Efron, B., Hastie, T., Johnstone, I. and Tibshirani, R. (2004). Least angle regression. Annals
    of Statistics 32, 407-499. https://doi.org/10.1214/009053604000000067

    Examples
    --------
    >>> from statfast.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)  # doctest: +SKIP
    >>> X.shape, float(y.min()), float(y.max())  # doctest: +SKIP
    ((442, 10), 25.0, 346.0)
    """
    table = DIABETES.read(folder)
    if as_flag(scaled, "scaled"):
        data = table.data - table.data.mean(axis=0)
        table = replace(table, data=data / np.sqrt(np.square(data).sum(axis=0)))
    return as_asked(table, return_X_y, as_frame)


# ------------------------------------------------------------------ files


def text_of(folder: Any, room: str, name: str) -> tuple[Path, str]:
    """The path and the text of a file, packed or not, of a folder or of $STATFAST_DATA."""
    if folder is None:
        data = os.environ.get("STATFAST_DATA")
        if not data:
            raise FileNotFoundError(
                f"{name} was not loaded: folder is None and the environment variable STATFAST_DATA "
                f"is not set. Pass the folder of the file, or set STATFAST_DATA to the folder that "
                f"holds {room!r}."
            )
        folder = Path(data) / room
    elif not isinstance(folder, str | os.PathLike):
        raise wrong_type("folder", "a path", folder)
    for path in (Path(folder) / name, Path(folder) / f"{name}.gz"):
        if not path.is_file():
            continue
        raw = path.read_bytes()
        try:
            return path, (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
        except (EOFError, OSError, zlib.error, UnicodeDecodeError) as error:
            raise ValueError(f"{path} is damaged ({error}). Download it again.") from error
    raise FileNotFoundError(
        f"{name} is not in {folder}, nor {name}.gz. Put it there, or pass the folder that holds it."
    )


def numbers_of(path: Path, lines: list[str], width: int, separator: str | None) -> NDArray:
    """The numbers of all lines that are not empty, `width` in each."""
    rows = []
    for number, line in enumerate(lines, 1):
        cells = line.split(separator)
        if not line.strip():
            continue
        try:
            rows.append([float(cell) for cell in cells])
        except ValueError:
            rows.append([])
        if len(rows[-1]) != width:
            raise ValueError(
                f"{path} must hold {width} numbers in each line; line {number} of the table is "
                f"{line[:40]!r}. Download it again."
            )
    return np.array(rows, dtype=np.float64).reshape(-1, width)
