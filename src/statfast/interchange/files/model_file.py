# SPDX-License-Identifier: BSD-3-Clause
"""A fitted model in one file: a zip archive of numbers, as ``.npy``, and of one JSON text.

Members are stored as they are, never compressed, so that no file grows when it is read. Names and
times in the archive are fixed: equal models make equal files.
"""

from __future__ import annotations

import errno
import io
import json
import os
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from statfast._estimator import Estimator
from statfast._typing import Array
from statfast._validation import not_fitted, shown, wrong_type
from statfast.interchange.files.read_state import DamagedFile, StateReader
from statfast.interchange.files.write_state import StateWriter

if TYPE_CHECKING:
    from os import PathLike

FORMAT = "statfast model"
VERSION = 1  # of the format; a reader knows all up to its own
TEXT = "model.json"
KINDS = "biufcSUMmV"  # of numbers and text; never of objects
TIME = (1980, 1, 1, 0, 0, 0)  # of all members
MAX_MEMBERS = 1 << 22
MAX_DIMENSIONS = 32
# What damaged bytes, names and numbers raise in the libraries that read them.
DAMAGE = (
    ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, NotImplementedError,
    RecursionError, RuntimeError, SyntaxError, TypeError, ValueError, np.ma.MAError,
    zipfile.BadZipFile,
)  # fmt: skip


class LaterFormat(ValueError):
    """A file of a version of the format that is yet unknown, in a sentence."""


def save(model: Any, path: str | PathLike[str] | IO[bytes]) -> None:
    """Write a fitted model to one file, of numbers and text alone.

    The loaded model predicts as this one does, bit for bit, in this version of statfast and in all
    later ones, on any machine. Unlike a pickle, it holds no code: see `load`.

    Parameters
    ----------
    model : estimator
        Any fitted estimator of statfast, with estimators of statfast in it.
    path : str, os.PathLike, or binary file
        Where to write. A file of that name is replaced once the new one is complete, or stays as it
        was if this fails.

    Raises
    ------
    TypeError
        If `model` is not an estimator of statfast, or if something in it is neither numbers nor
        text: your own function as a metric, kernel or score, an estimator of another library,
        rows that are stored elsewhere. The message says where it is.
    NotFittedError
        If `model` is not fitted.
    OSError
        If the file cannot be written, or is there and read-only.

    See Also
    --------
    load : Read it again.
    to_sklearn : For those who have scikit-learn, not statfast.

    Notes
    -----
    The archive has a member ``model.json``, and each array as ``.npy``: other languages read both,
    and `numpy.load` shows the arrays. What follows from the arrays, such as trees packed for this
    processor, is left out and made again.

    Cost: a copy of the arrays, some 50 microseconds for each. Nothing is compressed.

    Examples
    --------
    >>> import os, tempfile
    >>> from statfast import KNeighborsClassifier, load, save
    >>> from statfast.datasets import load_iris
    >>> data = load_iris()
    >>> model = KNeighborsClassifier(n_neighbors=3).fit(data.data, data.target)
    >>> path = os.path.join(tempfile.mkdtemp(), "iris.statfast")
    >>> save(model, path)
    >>> load(path)
    KNeighborsClassifier(n_neighbors=3)
    >>> load(path).predict([[6.0, 3.0, 5.0, 2.0]])
    array([2])
    """
    _require_place(path, "write")
    if not isinstance(model, Estimator):
        if type(model).__module__.startswith("sklearn."):
            raise TypeError(
                f"model is {shown(model)} of scikit-learn. Save statfast.from_sklearn(model)."
            )
        raise wrong_type("model", "an estimator of statfast", model)
    if not _is_fitted(model):
        raise not_fitted(model)
    writer = StateWriter()
    root = writer.encode(model, type(model).__name__)
    text = json.dumps(
        {
            "format": FORMAT,
            "version": VERSION,
            "statfast": model.__getstate__()["_statfast_version"],
            "objects": writer.objects,
            "model": root,
        },
        ensure_ascii=False,
        allow_nan=False,
        separators=(",", ":"),
    )
    with _replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(TEXT, TIME), text.encode())
        for number, array in enumerate(writer.arrays):
            with archive.open(zipfile.ZipInfo(_member(number), TIME), "w", force_zip64=True) as out:
                np.lib.format.write_array(out, array, allow_pickle=False)


def load(path: str | PathLike[str] | IO[bytes]) -> Any:
    """Read a fitted model that `save` has written.

    Reading runs no code of the file, for there is none in it: names of classes are looked up in
    a list, attributes are numbers, text and containers of them, and every size is compared with
    that of the file before memory is taken.

    Parameters
    ----------
    path : str, os.PathLike, or binary file
        The file.

    Returns
    -------
    estimator
        It predicts as the model that was saved, and can be fitted again.

    Raises
    ------
    ValueError
        If the file is not one of `save`, is damaged, or was written in a later format. The message
        says what is wrong.
    OSError
        If there is no such file.

    See Also
    --------
    save : Write a model.

    Notes
    -----
    Indices (children of nodes, columns of splits, rows of search trees, support vectors) are
    compared with the arrays that they point into, so that no number in a file makes a tree read
    outside its arrays. Reading cannot tell whether a model is the one you expect: other numbers
    give other predictions. Treat files of others as you treat their libraries: compare a checksum
    from a source that you trust.

    Files of all earlier versions are read. A later format is refused.

    Cost: a copy of the arrays, some 50 microseconds for each.

    Examples
    --------
    >>> import io
    >>> from statfast import Ridge, load, save
    >>> model = Ridge(alpha=0.5).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> file = io.BytesIO()
    >>> save(model, file)
    >>> load(file)
    Ridge(alpha=0.5)
    >>> load(file).predict([[3.0]]).round(2)
    array([6.2])
    >>> load(io.BytesIO(b"a pickle, perhaps"))
    Traceback (most recent call last):
    ValueError: The file is not a model that statfast.save has written: it is not a zip archive.
    """
    _require_place(path, "read")
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(archive)
    except OSError:
        raise
    except LaterFormat:
        raise
    except DamagedFile as error:
        raise ValueError(f"The file is damaged or not by statfast.save: {error}") from None
    except zipfile.BadZipFile as error:
        what = error if zipfile.is_zipfile(path) else _kind_of_file(path)
        raise ValueError(
            f"The file is not a model that statfast.save has written: {what}."
        ) from error
    except DAMAGE as error:
        what = f"it lacks {error}" if isinstance(error, KeyError) else error
        raise ValueError(
            f"The file is not a model that statfast.save has written: {what}."
        ) from error


def _require_place(path: Any, method: str) -> None:
    wanted = f"a path, or a binary file to {method}"
    if isinstance(path, bytes | bytearray):
        raise TypeError(f"path must be {wanted}; got {len(path)} bytes. Pass io.BytesIO of them.")
    if isinstance(path, io.TextIOBase):
        raise TypeError(
            f"path must be {wanted}; got a file of text. Open it with mode '{method[0]}b'."
        )
    if not (isinstance(path, str | os.PathLike) or hasattr(path, method)):
        raise wrong_type("path", wanted, path)


def _kind_of_file(path: Any) -> str:
    """What a file that is not a zip archive seems to be, by how it begins."""
    if hasattr(path, "read"):
        path.seek(0)
        first = path.read(2)
    else:
        with open(path, "rb") as file:
            first = file.read(2)
    if not first:
        return "it is empty"
    if first == b"PK":
        return "it ends early, or is damaged"
    if first[:1] == b"\x80":
        return "it seems to be a pickle, for pickle.load or joblib.load"
    return "it is not a zip archive"


def _is_fitted(model: Any) -> bool:
    """Whether it is fitted, or needs no fit."""
    asked = getattr(model, "__sklearn_is_fitted__", None)
    return True if asked is None else bool(asked())


@contextmanager
def _replacing(path: Any) -> Iterator[Any]:
    """A file to write to that takes the place of `path` in the end."""
    if hasattr(path, "write"):
        yield path
        return
    target = os.path.realpath(os.fspath(path))
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), target)
    if os.path.exists(target) and not os.path.isfile(target):  # such as /dev/null: written to
        with open(target, "wb") as file:
            yield file
        return
    mode = 0o666 & ~_umask()
    if os.path.exists(target):  # replaced where it could be written, and with its permissions
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, "The file is read-only", target)
        mode = stat.S_IMODE(os.stat(target).st_mode)
    folder = os.path.dirname(target)
    try:
        handle, beside = tempfile.mkstemp(prefix=".statfast-", dir=folder)
    except OSError as error:  # whose name is that of the temporary file
        raise type(error)(error.errno, error.strerror, folder) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(beside, mode)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _member(number: int) -> str:
    return f"arrays/{number}.npy"


def _read(archive: zipfile.ZipFile) -> Any:
    """The model of an archive."""
    infos = archive.infolist()
    names = [info.filename for info in infos]
    if len(names) > MAX_MEMBERS or len(set(names)) < len(names) or TEXT not in names:
        raise DamagedFile(f"its members are not {TEXT} and arrays, each once.")
    if any(info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1 for info in infos):
        raise DamagedFile("a member is compressed or encrypted, which save never does.")
    size = archive.fp.seek(0, os.SEEK_END)  # type: ignore[union-attr]
    if sum(info.file_size for info in infos) > size:
        raise DamagedFile(f"its members are said to be larger than the file of {size} bytes.")
    document = json.loads(archive.read(TEXT).decode(), parse_constant=_refuse_constant)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DamagedFile(f"{TEXT} does not begin with the format {FORMAT!r}.")
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise DamagedFile(f"the version of the format is {shown(version)}.")
    if version > VERSION:
        raise LaterFormat(
            f"The file has version {version} of the format, and this statfast reads those up to "
            f"{VERSION}. Install a newer statfast."
        )
    members = [_member(number) for number in range(len(names) - 1)]
    for name in sorted(set(names) - {TEXT, *members}):
        if not name.startswith("arrays/"):
            raise DamagedFile(f"{name} is not a part of a model.")
    for name in members:
        if name not in names:
            raise DamagedFile(f"{name} is missing.")
    arrays = [_read_array(archive, name) for name in members]
    reader = StateReader(arrays, document["objects"])
    model = reader.decode(document["model"])
    if not isinstance(model, Estimator):
        raise DamagedFile("what it holds is not an estimator.")
    return model


def _refuse_constant(name: str) -> Any:
    raise DamagedFile(f"{TEXT} holds {name}, which is not JSON.")


def _read_array(archive: zipfile.ZipFile, name: str) -> Array:
    """The array of a member, whose size is known to be that of its bytes before any are taken."""
    with archive.open(name) as member:
        major, minor = np.lib.format.read_magic(member)
        if (major, minor) not in ((1, 0), (2, 0)):
            raise DamagedFile(f"{name} has version {major}.{minor} of the format npy.")
        header = (
            np.lib.format.read_array_header_1_0
            if major == 1
            else np.lib.format.read_array_header_2_0
        )
        shape, by_columns, dtype = header(member)
        if dtype.hasobject or dtype.kind not in KINDS or dtype.subdtype is not None:
            raise DamagedFile(f"{name} has the dtype {dtype}.")
        count = 1
        for length in shape:
            count *= length
        size = archive.getinfo(name).file_size - member.tell()
        if min(shape, default=0) < 0 or len(shape) > MAX_DIMENSIONS:
            raise DamagedFile(f"{name} has the shape {shape}.")
        if count * dtype.itemsize != size or (count and not dtype.itemsize):
            raise DamagedFile(f"{name} has {size} bytes for the shape {shape} of {dtype}.")
        data = bytearray(member.read())
        if len(data) != size:
            raise DamagedFile(f"{name} ends early.")
        array = np.empty(count, dtype)
        array.view(np.uint8 if dtype.itemsize else dtype)[:] = np.frombuffer(data, np.uint8)
        array = array.astype(dtype.newbyteorder("="), copy=False)
        return array.reshape(shape, order="F" if by_columns else "C")
